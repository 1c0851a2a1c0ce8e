/* SPDX-License-Identifier: Apache-2.0 */
#include "reports.h"
#include "bounces.h"
#include "ids.h"

#include <onecase/identity.h>
#include <onecase/source.h>

#define IDS_MAX 8

/* clang-format off */
/* Worst first: of several recipients one that was not reached counts. */
static const char *const actions[] = {"failed", "delayed", "expanded", "relayed", "delivered"};

static const char *const id_fields[] = {
    "Message-ID", "X-Microsoft-Original-Message-ID", "Original-Message-ID", "X-Original-Message-ID",
};

/* Kinds of reports by the parts they have, where no report-type says it. */
static const struct {
    const char *type, *part;
    uint32_t sign;
} kinds[] = {
    {"delivery-status",                  "message/delivery-status",                 SIGN_DELIVERY_REPORT},
    {"global-delivery-status",           "message/global-delivery-status",          SIGN_DELIVERY_REPORT},
    {"disposition-notification",         "message/disposition-notification",        SIGN_OTHER_REPORT},
    {"global-disposition-notification",  "message/global-disposition-notification", SIGN_OTHER_REPORT},
    {"feedback-report",                  "message/feedback-report",                 SIGN_OTHER_REPORT},
};
/* clang-format on */

static bool names_acknowledgement(const struct message *m)
{
    struct slice rest = message_slice(m, m->reported);
    char effect[EFFECT_ID_SIZE];
    struct slice id;

    while (message_next(&rest, &id))
        if (acknowledgement_named(id, effect))
            return true;
    return false;
}

static bool has_part(const struct body *body, const char *type)
{
    for (size_t i = 0; i < body->count; i++)
        if (slice_eqz(str_slice(&body->seen[i].type), type))
            return true;
    return false;
}

static uint32_t sign_of_parts(const struct body *body)
{
    for (size_t i = 0; i < LENGTH(kinds); i++)
        if (has_part(body, kinds[i].part))
            return kinds[i].sign;
    return 0;
}

static uint32_t sign_of(const struct body *body)
{
    uint32_t of_parts = sign_of_parts(body);

    if (of_parts != 0)
        return of_parts;
    for (size_t i = 0; i < LENGTH(kinds); i++)
        if (slice_eqz(str_slice(&body->report_type), kinds[i].type))
            return kinds[i].sign;
    return SIGN_OTHER_REPORT;
}

/* An acknowledgement of ours that came back under another id has its mark. */
static void add_mark(struct slice header, struct message *out)
{
    CLEANUP(str_clear) struct str id = STR_INIT;
    CLEANUP(str_clear) struct str mark = STR_INIT;
    char effect[EFFECT_ID_SIZE];
    struct slice value;

    if (!header_first(header, "X-Onecase-Acknowledgement", &value))
        return;
    header_unfold(value, &mark);
    acknowledgement_message_id(str_z(&mark), "returned", &id);
    if (acknowledgement_named(str_slice(&id), effect) && !names_acknowledgement(out))
        message_list_add(out, &out->reported, str_slice(&id));
}

static void add_ids(struct slice header, struct message *out)
{
    for (size_t i = 0; i < LENGTH(id_fields); i++) {
        struct slice value;

        if (header_first(header, id_fields[i], &value))
            ids_add(value, IDS_MAX, out, &out->reported);
    }
    add_mark(header, out);
}

/* The place in `actions` of the first word after "Action:", or their number. */
static size_t action_of(struct slice line)
{
    struct slice value = slice_trim(slice_cut(line, 7, line.len));

    if (!slice_starts_nocase(line, SLICE("Action:")))
        return LENGTH(actions);
    for (size_t i = 0; i < LENGTH(actions); i++)
        if (slice_starts_nocase(value, slice_z(actions[i])))
            return i;
    return LENGTH(actions);
}

static size_t worst_action(struct slice status)
{
    size_t worst = LENGTH(actions);
    struct slice line;

    while (slice_next(&status, '\n', &line)) {
        size_t action = action_of(line);

        worst = action < worst ? action : worst;
    }
    return worst;
}

/* ---- free text ----------------------------------------------------------------------------- */

/* Without the marks of a quotation. */
static struct slice unquoted(struct slice line)
{
    line = slice_trim(line);
    while (line.len > 0 && (line.at[0] == '>' || line.at[0] == '|'))
        line = slice_trim(slice_cut(line, 1, line.len));
    return line;
}

static struct slice after_name(struct slice line)
{
    static const struct slice names[] = {SLICE_INIT("Message-ID:"), SLICE_INIT("Message ID:"),
                                         SLICE_INIT("MessageID:")};

    for (size_t i = 0; i < LENGTH(names); i++)
        if (slice_starts_nocase(line, names[i]))
            return slice_cut(line, names[i].len, line.len);
    return (struct slice){NULL, 0};
}

/* A quoted header in a free text: lines that name a message, or the id on the line after. */
static void search_text(struct slice text, struct message *out)
{
    CLEANUP(str_clear) struct str copy = STR_INIT;
    size_t found = 0;
    bool next = false;
    struct slice line;
    struct slice rest;

    str_add(&copy, text); /* the pool moves when a list grows */
    rest = str_slice(&copy);
    while (found < IDS_MAX && slice_next(&rest, '\n', &line)) {
        line = unquoted(line);
        struct slice id = next && line.len > 0 && line.at[0] == '<' ? line : after_name(line);

        next = id.at != NULL && slice_trim(id).len == 0;
        if (id.at == NULL || next)
            continue;
        ids_add(id, 1, out, &out->reported);
        found++;
    }
}

/* Of a server that knows no reports, or whose report somebody has wrapped. */
static void read_free_text(const struct body *body, struct message *out)
{
    const char *action =
        bounce_action(message_slice(out, out->subject), message_slice(out, out->text));

    out->signs |= sign_of_parts(body);
    if (action == NULL || out->report_action.len > 0)
        return;
    out->signs |= SIGN_DELIVERY_REPORT;
    out->report_action = message_keep(out, slice_z(action));
}

void reports_read(const struct body *body, struct message *out)
{
    size_t worst = LENGTH(actions);

    for (size_t i = 0; i < body->count; i++) {
        struct slice octets = str_slice(&body->seen[i].octets);
        size_t action = worst_action(octets);

        if (slice_has(str_slice(&body->seen[i].type), SLICE("delivery-status")))
            worst = action < worst ? action : worst;
        add_ids(octets, out);
    }
    if (worst < LENGTH(actions))
        out->report_action = message_keep(out, slice_z(actions[worst]));
    if (body->report)
        out->signs |= sign_of(body);
    else if (body->suspect)
        read_free_text(body, out);
    if ((body->report || body->suspect) && out->reported.len == 0)
        search_text(message_slice(out, out->text), out);
}
