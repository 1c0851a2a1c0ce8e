/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

#include <inttypes.h>
#include <string.h>

/* ---- what items, deliveries and cases have in common -------------------------------------------------- */

static enum rc filter_of(struct call *call, struct view_filter *out, struct err *err)
{
    const char *older = args_get(&call->args, "--older-than");
    *out = (struct view_filter){
        .state = args_get(&call->args, "--state"),
        .older_than_ms = NOT_DUE,
        .not_told = args_has(&call->args, "--not-told"),
        .fold_floods = !call->json,
    };
    if (older)
        TRY(period_parse(older, call->now_ms, &out->older_than_ms, err));
    TRY(asked_mailbox(call, &out->mailbox, err));
    return limit_of(call, &out->limit, err);
}

static enum rc
state_must_be(const char *state, const char *const *allowed, size_t count, struct err *err)
{
    CLEANUP(str_clear) struct str list = STR_INIT;
    if (!state)
        return RC_OK;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(state, allowed[i]) == 0)
            return RC_OK;
        str_addf(&list, "%s%s", i > 0 ? ", " : "", allowed[i]);
    }
    return FAIL(err, RC_USAGE, "--state takes one of %s, and not '%s'", str_z(&list), state);
}

struct list {
    const char *const *states;
    size_t state_count;
    enum rc (*read)(void *self,
                    const struct view_filter *filter,
                    struct view *out,
                    struct err *err);
    void (*json)(const struct view *view, struct str *out);
    int (*table)(const struct call *call, const struct view *view);
    const char *rows;
};

static int show(struct call *call, const struct list *list)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(str_clear) struct str out = STR_INIT;
    struct view_filter filter;
    struct err err = ERR_INIT;
    if (filter_of(call, &filter, &err) != RC_OK ||
        state_must_be(filter.state, list->states, list->state_count, &err) != RC_OK ||
        list->read(call->ops->views->self, &filter, &view, &err) != RC_OK)
        return failed(&err);
    if (call->json) {
        list->json(&view, &out);
        print(&out);
        return EXIT_DONE;
    }
    int status = EXIT_DONE;
    if (view.count > 0)
        status = list->table(call, &view);
    else
        printf("There are none.\n");
    if (status != EXIT_DONE)
        return status;
    if (filter.limit && view.count == filter.limit)
        printf("The newest %zu %s; --limit N shows more.\n", filter.limit, list->rows);
    return EXIT_DONE;
}

/* ---- items -------------------------------------------------------------------------------------------- */

/* One cell: what it waits for says more than that it waits. */
static void state_cell(const struct call *call, const struct view_item *i, struct str *out)
{
    char when[32];
    CLEANUP(str_clear) struct str possible = STR_INIT;
    bool asks = strcmp(i->state, item_state_text(ITEM_NEEDS_RECONCILIATION)) == 0;
    bool later = strcmp(i->state, item_state_text(ITEM_IN_PROGRESS)) == 0 &&
                 i->next_due_ms != NOT_DUE && i->next_due_ms > call->now_ms;
    when_cell(call, i->next_due_ms, when);
    if (later)
        str_addf(out, "next try %s", when);
    else
        str_addf(out, "%s%s", asks ? "? " : "",
                 asks ? label("reason", i->reason) : label("state", i->state));
    if (i->flood > 1)
        str_addf(out, ": %" PRId64, i->flood);
    if (!asks && i->not_told)
        str_addz(out, ", not told");
    not_sent_words(i->not_sent_from_ms, call->now_ms, &possible);
    if (asks && possible.len > 0)
        str_addf(out, ", again %s", str_z(&possible));
}

static int items_table(const struct call *call, const struct view *view)
{
    /* clang-format off */
    static const struct column columns[] = {
        { "CASE",    0,  0, false }, { "STATE",   22, 0, false }, { "FROM",   12, 0, false },
        { "SUBJECT", 14, 2, false }, { "ARRIVED", 0,  1, false }, { "COPIES", 0,  3, true },
        { "KEY",     0,  4, false },
    };
    /* clang-format on */
    CLEANUP(table_free) struct table *t = table_of(columns, LENGTH(columns));
    const struct view_item *row = view->row;
    size_t asked = 0;
    for (size_t i = 0; i < view->count; i++) {
        char room[16], key[16], when[32], copies[24];
        CLEANUP(str_clear) struct str state = STR_INIT;
        when_cell(call, row[i].first_seen_ms, when);
        snprintf(copies, sizeof copies, "%" PRId64, row[i].duplicates);
        state_cell(call, &row[i], &state);
        const char *cell[] = {short_name(row[i].reference, row[i].key, room),
                              str_z(&state),
                              row[i].sender,
                              row[i].subject,
                              when,
                              row[i].duplicates ? copies : "",
                              short_name("", row[i].key, key)};
        asked += strcmp(row[i].state, item_state_text(ITEM_NEEDS_RECONCILIATION)) == 0;
        table_row(t, cell);
    }
    int status = show_table(call, t);
    if (asked > 0 && status == EXIT_DONE)
        plain_wrap("? needs your decision: 'onecase item CASE' (or KEY) says which", 0, call->width,
                   stdout);
    return status;
}

static void items_json(const struct view *view, struct str *out)
{
    json_items(view, false, out);
}

int cmd_items(struct call *call)
{
    static const char *const states[] = {"received", "in_progress", "complete",
                                         "needs_reconciliation"};
    const struct list list = {states,     LENGTH(states), call->ops->views->items,
                              items_json, items_table,    "mails"};
    return show(call, &list);
}

/* ---- deliveries ----------------------------------------------------------------------------------------- */

static int deliveries_table(const struct call *call, const struct view *view)
{
    /* clang-format off */
    static const struct column columns[] = {
        { "ARRIVED", 0,  0, false }, { "MAILBOX", 8,  3, false }, { "FOLDER", 8,  4, false },
        { "UID",     0,  2, true },  { "IS",      14, 0, false }, { "STATE",  12, 1, false },
        { "CASE",    0,  0, false },
    };
    /* clang-format on */
    CLEANUP(table_free) struct table *t = table_of(columns, LENGTH(columns));
    const struct view_delivery *row = view->row;
    for (size_t i = 0; i < view->count; i++) {
        char when[32], uid[16], room[16];
        when_cell(call, row[i].seen_ms, when);
        snprintf(uid, sizeof uid, "%" PRIu32, row[i].uid);
        const char *cell[] = {when,
                              row[i].mailbox,
                              row[i].folder,
                              row[i].uid ? uid : "",
                              label("class", row[i].class),
                              label("state", row[i].state),
                              short_name(row[i].reference, row[i].key, room)};
        table_row(t, cell);
    }
    return show_table(call, t);
}

int cmd_deliveries(struct call *call)
{
    static const char *const states[] = {"received", "in_progress", "complete",
                                         "needs_reconciliation", "duplicate"};
    const struct list list = {states,          LENGTH(states),   call->ops->views->deliveries,
                              json_deliveries, deliveries_table, "arrivals"};
    return show(call, &list);
}

/* ---- cases ------------------------------------------------------------------------------------------------ */

static int cases_table(const struct call *call, const struct view *view)
{
    /* clang-format off */
    static const struct column columns[] = {
        { "CASE",  0, 0, false }, { "FROM",  12, 0, false }, { "SUBJECT", 12, 0, false },
        { "STATE", 0, 1, false }, { "MAILS", 0,  3, true },  { "FILES",   0,  4, true },
        { "MADE",  0, 2, false },
    };
    /* clang-format on */
    CLEANUP(table_free) struct table *t = table_of(columns, LENGTH(columns));
    const struct view_case *row = view->row;
    for (size_t i = 0; i < view->count; i++) {
        char when[32], mails[24], files[24];
        when_cell(call, row[i].created_ms, when);
        snprintf(mails, sizeof mails, "%" PRId64, row[i].messages);
        snprintf(files, sizeof files, "%zu", row[i].attachments);
        const char *cell[] = {row[i].reference,
                              row[i].from,
                              row[i].subject,
                              label("state", row[i].state),
                              mails,
                              row[i].attachments ? files : "",
                              when};
        table_row(t, cell);
    }
    return show_table(call, t);
}

static void cases_json(const struct view *view, struct str *out)
{
    json_cases(view, false, out);
}

int cmd_cases(struct call *call)
{
    static const char *const states[] = {"open", "closed"};
    const struct list list = {states,     LENGTH(states), call->ops->views->cases,
                              cases_json, cases_table,    "cases"};
    return show(call, &list);
}
