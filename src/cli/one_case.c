/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

#include <inttypes.h>
#include <string.h>

static void letter(const struct call *call, const struct view_message *m)
{
    char when[32], title[400];
    struct slice rest = slice_z(m->text), line;
    uint32_t signs = m->signs;
    bool came = strcmp(m->direction, "in") == 0;
    when_cell(call, m->date_ms, when);
    CLEANUP(str_clear) struct str from = STR_INIT;
    plain_text(m->from, &from);
    snprintf(title, sizeof title, "%s %s%s%s", came ? "From" : "To", str_z(&from),
             when[0] ? ", " : "", when);
    heading(call, title);
    if (came)
        printf("    (mail %.12s)\n", m->key);
    for (const char *word; (word = mark_word(&signs)) != NULL;)
        printf("    (%s)\n", label("mark", word));
    while (rest.len > 0 && slice_next(&rest, '\n', &line)) {
        CLEANUP(str_clear) struct str one = STR_INIT;
        CLEANUP(str_clear) struct str plain = STR_INIT;
        str_add(&one, line);
        plain_text(str_z(&one), &plain);
        printf("    %s\n", str_z(&plain));
    }
}

/* A path is never broken into lines: somebody will copy it. */
static void file(const struct call *call, const struct view_attachment *a)
{
    CLEANUP(str_clear) struct str name = STR_INIT;
    plain_text(a->name && a->name[0] ? a->name : "(no name)", &name);
    printf("    %s, %" PRId64 " octets, %s%s%s\n", str_z(&name), a->size,
           label("attachment", a->status), a->reason[0] ? ": " : "", label("note", a->reason));
    if (!a->path || !a->path[0])
        return;
    CLEANUP(str_clear) struct str place = STR_INIT;
    call->ops->stored_place(call->ops->self, a->path, &place);
    printf("    %s\n", str_z(&place));
}

/* What came back about its confirmations. */
static void reports(const struct call *call, const struct view_case *c)
{
    if (c->reports.count > 0)
        heading(call, "Reports about the confirmation");
    for (size_t i = 0; i < c->reports.count; i++) {
        char when[32];
        when_cell(call, c->reports.at[i].seen_ms, when);
        printf("    %s, %s (mail %.12s)\n", label("report", c->reports.at[i].action), when,
               c->reports.at[i].key);
    }
}

static void page(const struct call *call, const struct view_case *c)
{
    char when[32];
    when_cell(call, c->created_ms, when);
    say_line(call, "Case", c->reference);
    say_line(call, "State", label("state", c->state));
    say_line(call, "Merged into", c->merged_into);
    say_line(call, "From", c->from);
    say_line(call, "Subject", c->subject);
    say_line(call, "Mailbox", c->mailbox);
    say_line(call, "Made", when);
    for (size_t i = 0; i < c->message_count; i++)
        letter(call, &c->message[i]);
    reports(call, c);
    if (c->attachments > 0)
        heading(call, "Attachments");
    for (size_t i = 0; i < c->attachments; i++)
        file(call, &c->attachment[i]);
}

int cmd_case(struct call *call)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(str_clear) struct str out = STR_INIT;
    struct err err = ERR_INIT;
    if (one_case(call, &view, &err) != RC_OK)
        return failed(&err);
    if (call->json) {
        json_cases(&view, true, &out);
        print(&out);
    } else {
        page(call, view.row);
    }
    return EXIT_DONE;
}
