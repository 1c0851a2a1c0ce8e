/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

#include <string.h>

/* ---- what items, deliveries and cases have in common -------------------------------------------------- */

static enum rc filter_of(struct call *call, struct view_filter *out, struct err *err)
{
    const char *older = args_get(&call->args, "--older-than");
    *out = (struct view_filter){
        .state = args_get(&call->args, "--state"),
        .mailbox = args_get(&call->args, "--mailbox"),
        .older_than_ms = NOT_DUE,
        .not_told = args_has(&call->args, "--not-told"),
    };
    if (older)
        TRY(period_parse(older, call->now_ms, &out->older_than_ms, err));
    if (out->mailbox && !config_find_mailbox(call->ops->config, out->mailbox))
        return FAIL(err, RC_USAGE, "there is no mailbox '%s' in the configuration", out->mailbox);
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
    return FAIL(err, RC_USAGE, "--state takes one of %s", str_z(&list));
}

static void
end_of_list(const struct call *call, const struct view *view, size_t limit, const char *what)
{
    if (view->count == 0)
        printf("There are none.\n");
    else if (limit && view->count == limit)
        printf("The newest %zu %s; --limit N shows more.\n", limit, what);
    (void)call;
}

/* ---- items -------------------------------------------------------------------------------------------- */

static const char *name_of(const struct view_item *i, char room[16])
{
    text_copy(room, 16, i->key);
    return i->reference && i->reference[0] ? i->reference : room;
}

static void items_table(const struct call *call, const struct view *view)
{
    static const char *const heading[] = {"CASE", "FROM",    "SUBJECT", "STATE",
                                          "WHY",  "ARRIVED", "COPIES"};
    CLEANUP(table_free) struct table *t = table_new(heading, LENGTH(heading));
    const struct view_item *row = view->row;
    for (size_t i = 0; i < view->count; i++) {
        char key[16], when[32], copies[24];
        when_cell(call, row[i].first_seen_ms, when);
        snprintf(copies, sizeof copies, "%lld", (long long)row[i].duplicates);
        const char *cell[] = {name_of(&row[i], key),
                              row[i].sender,
                              row[i].subject,
                              label("state", row[i].state),
                              row[i].not_told && !row[i].reason[0] ? "sender not told"
                                                                   : label("reason", row[i].reason),
                              when,
                              copies};
        table_row(t, cell);
    }
    table_print(t, call->width, call->terminal, stdout);
}

int cmd_items(struct call *call)
{
    static const char *const states[] = {"received", "in_progress", "complete",
                                         "needs_reconciliation"};
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(str_clear) struct str out = STR_INIT;
    struct view_filter filter;
    struct err err = ERR_INIT;
    if (filter_of(call, &filter, &err) != RC_OK ||
        state_must_be(filter.state, states, LENGTH(states), &err) != RC_OK ||
        call->ops->views->items(call->ops->views->self, &filter, &view, &err) != RC_OK)
        return failed(&err);
    if (call->json) {
        json_items(&view, false, &out);
        print(&out);
        return EXIT_DONE;
    }
    if (view.count > 0)
        items_table(call, &view);
    end_of_list(call, &view, filter.limit, "mails");
    return EXIT_DONE;
}

/* ---- deliveries ----------------------------------------------------------------------------------------- */

static void deliveries_table(const struct call *call, const struct view *view)
{
    static const char *const heading[] = {"ARRIVED", "MAILBOX", "FOLDER", "UID",
                                          "IS",      "STATE",   "CASE"};
    CLEANUP(table_free) struct table *t = table_new(heading, LENGTH(heading));
    const struct view_delivery *row = view->row;
    for (size_t i = 0; i < view->count; i++) {
        char when[32], uid[16];
        when_cell(call, row[i].seen_ms, when);
        snprintf(uid, sizeof uid, "%u", (unsigned)row[i].uid);
        const char *cell[] = {when,
                              row[i].mailbox,
                              row[i].folder,
                              uid,
                              label("class", row[i].class),
                              label("state", row[i].state),
                              row[i].reference};
        table_row(t, cell);
    }
    table_print(t, call->width, call->terminal, stdout);
}

int cmd_deliveries(struct call *call)
{
    static const char *const states[] = {"received", "in_progress", "complete",
                                         "needs_reconciliation", "duplicate"};
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(str_clear) struct str out = STR_INIT;
    struct view_filter filter;
    struct err err = ERR_INIT;
    if (filter_of(call, &filter, &err) != RC_OK ||
        state_must_be(filter.state, states, LENGTH(states), &err) != RC_OK ||
        call->ops->views->deliveries(call->ops->views->self, &filter, &view, &err) != RC_OK)
        return failed(&err);
    if (call->json) {
        json_deliveries(&view, &out);
        print(&out);
        return EXIT_DONE;
    }
    if (view.count > 0)
        deliveries_table(call, &view);
    end_of_list(call, &view, filter.limit, "arrivals");
    return EXIT_DONE;
}

/* ---- cases ------------------------------------------------------------------------------------------------ */

static void cases_table(const struct call *call, const struct view *view)
{
    static const char *const heading[] = {"CASE",  "FROM",  "SUBJECT", "STATE",
                                          "MAILS", "FILES", "MADE"};
    CLEANUP(table_free) struct table *t = table_new(heading, LENGTH(heading));
    const struct view_case *row = view->row;
    for (size_t i = 0; i < view->count; i++) {
        char when[32], mails[24], files[24];
        when_cell(call, row[i].created_ms, when);
        snprintf(mails, sizeof mails, "%lld", (long long)row[i].messages);
        snprintf(files, sizeof files, "%zu", row[i].attachments);
        const char *cell[] = {row[i].reference,
                              row[i].from,
                              row[i].subject,
                              label("state", row[i].state),
                              mails,
                              files,
                              when};
        table_row(t, cell);
    }
    table_print(t, call->width, call->terminal, stdout);
}

int cmd_cases(struct call *call)
{
    static const char *const states[] = {"open", "closed"};
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(str_clear) struct str out = STR_INIT;
    struct view_filter filter;
    struct err err = ERR_INIT;
    if (filter_of(call, &filter, &err) != RC_OK ||
        state_must_be(filter.state, states, LENGTH(states), &err) != RC_OK ||
        call->ops->views->cases(call->ops->views->self, &filter, &view, &err) != RC_OK)
        return failed(&err);
    if (call->json) {
        json_cases(&view, false, &out);
        print(&out);
        return EXIT_DONE;
    }
    if (view.count > 0)
        cases_table(call, &view);
    end_of_list(call, &view, filter.limit, "cases");
    return EXIT_DONE;
}

static void print_indented(const char *text)
{
    CLEANUP(str_clear) struct str plain = STR_INIT;
    struct slice rest = slice_z(text), line;
    while (slice_next(&rest, '\n', &line)) {
        CLEANUP(str_clear) struct str one = STR_INIT;
        str_empty(&plain);
        str_add(&one, line);
        plain_text(str_z(&one), &plain);
        printf("    %s\n", str_z(&plain));
    }
}

static void say(const char *name, const char *value)
{
    CLEANUP(str_clear) struct str plain = STR_INIT;
    plain_text(value ? value : "", &plain);
    if (plain.len > 0)
        printf("%-12s%s\n", name, str_z(&plain));
}

static void case_page(const struct call *call, const struct view_case *c)
{
    char when[32];
    when_cell(call, c->created_ms, when);
    say("Case", c->reference);
    say("State", label("state", c->state));
    say("Merged into", c->merged_into);
    say("From", c->from);
    say("Subject", c->subject);
    say("Made", when);
    for (size_t i = 0; i < c->message_count; i++) {
        const struct view_message *m = &c->message[i];
        when_cell(call, m->date_ms, when);
        printf("\n%s %s, %s\n", strcmp(m->direction, "in") == 0 ? "From" : "To", m->from, when);
        print_indented(m->text);
    }
    if (c->attachments > 0)
        printf("\nAttachments\n");
    for (size_t i = 0; i < c->attachments; i++) {
        const struct view_attachment *a = &c->attachment[i];
        CLEANUP(str_clear) struct str name = STR_INIT;
        plain_text(a->name, &name);
        printf("    %s, %lld octets, %s%s%s\n", str_z(&name), (long long)a->size,
               label("status", a->status), a->path && a->path[0] ? ": " : "",
               a->path ? a->path : "");
    }
}

int cmd_case(struct call *call)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(str_clear) struct str out = STR_INIT;
    struct err err = ERR_INIT;
    const char *reference = args_get(&call->args, "REFERENCE");
    if (call->ops->views->one_case(call->ops->views->self, reference, &view, &err) != RC_OK)
        return failed(&err);
    if (call->json) {
        json_cases(&view, true, &out);
        print(&out);
        return EXIT_DONE;
    }
    case_page(call, view.row);
    return EXIT_DONE;
}
