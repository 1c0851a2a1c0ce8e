/* SPDX-License-Identifier: Apache-2.0 */
#include "reports.h"
#include "ids.h"

#include <onecase/source.h>

#define IDS_MAX 8

/* clang-format off */
/* Worst first: of several recipients one that was not reached counts. */
static const char *const actions[] = {"failed", "delayed", "expanded", "relayed", "delivered"};

static const char *const id_fields[] = {
    "Message-ID", "X-Microsoft-Original-Message-ID", "Original-Message-ID",
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

static bool has_part(const struct body *body, const char *type)
{
    for (size_t i = 0; i < body->count; i++)
        if (slice_eqz(str_slice(&body->seen[i].type), type))
            return true;
    return false;
}

static uint32_t sign_of(const struct body *body)
{
    for (size_t i = 0; i < LENGTH(kinds); i++)
        if (has_part(body, kinds[i].part))
            return kinds[i].sign;
    for (size_t i = 0; i < LENGTH(kinds); i++)
        if (slice_eqz(str_slice(&body->report_type), kinds[i].type))
            return kinds[i].sign;
    return SIGN_OTHER_REPORT;
}

static void add_ids(struct slice header, struct message *out)
{
    for (size_t i = 0; i < LENGTH(id_fields); i++) {
        struct slice value;

        if (header_first(header, id_fields[i], &value))
            ids_add(value, IDS_MAX, out, &out->reported);
    }
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

/* A quoted header in a free text: from the line on that names a message. */
static void search_text(struct slice text, struct message *out)
{
    CLEANUP(str_clear) struct str copy = STR_INIT;
    size_t found = 0;
    struct slice line;
    struct slice rest;

    str_add(&copy, text); /* the pool moves when a list grows */
    rest = str_slice(&copy);
    while (found < IDS_MAX && slice_next(&rest, '\n', &line)) {
        line = slice_trim(line);
        if (!slice_starts_nocase(line, SLICE("Message-ID:")))
            continue;
        ids_add(slice_cut(line, 11, line.len), 1, out, &out->reported);
        found++;
    }
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
    else if (body->suspect && body->count == 0)
        search_text(message_slice(out, out->text), out);
}
