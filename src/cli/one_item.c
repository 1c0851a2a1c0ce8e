/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

#include <onecase/destination.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- head -------------------------------------------------------------------------------------------- */

static void told(const struct call *call, const struct view_item *i)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    told_words(i, &text);
    say_line(call, "Sender told", str_z(&text));
}

static void head(const struct call *call, const struct view_item *i)
{
    char when[32], first[16];
    say_line(call, "Case", i->reference);
    say_line(call, "From", i->sender);
    say_line(call, "Subject", i->subject);
    say_line(call, "Mailbox", i->mailbox);
    say_line(call, "Is", label("disposition", i->disposition));
    say_line(call, "State", label("state", i->state));
    say_line(call, "Why", label("reason", i->reason));
    told(call, i);
    when_cell(call, i->first_seen_ms, when);
    say_line(call, "Arrived", when);
    when_cell(call, i->completed_ms, when);
    say_line(call, "Complete", when);
    say_line(call, "First mail", short_name("", i->first_key, first));
    say_line(call, "Contents", i->let_go ? "removed by retention, or in part" : "");
    say_line(call, "Key", i->key);
}

/* ---- what the person can do now ------------------------------------------------------------------------ */

static void how(const struct call *call, const struct view_item *i)
{
    char room[16];
    CLEANUP(str_clear) struct str possible = STR_INIT;
    not_sent_words(i->not_sent_from_ms, call->now_ms, &possible);
    if (possible.len > 0)
        printf("Sending it again is %s.\n", str_z(&possible));
    if (i->flood > 1)
        printf("%" PRId64 " mails of this sender wait; --all-like decides about all of them.\n",
               i->flood);
    printf("If nobody decides, %s.\n",
           i->not_told ? "it stays listed as not told" : "nothing is lost: it stays here");
    printf("Type: onecase resolve %s --... --by NAME --reason TEXT\n", name_of_item(i, room));
}

/* Nobody's decision brings it to its reader; who has seen to that closes the case. */
static void bounced(const struct call *call, const struct view_item *i)
{
    heading(call, "The sender was not told: the confirmation bounced.");
    printf("It stays listed as not told while the case is open.\n");
    printf("Type: onecase case %s --close --by NAME --reason TEXT\n", i->reference);
}

static void question(const struct call *call, const struct view_item *i)
{
    bool asks = strcmp(i->state, item_state_text(ITEM_NEEDS_RECONCILIATION)) == 0;
    const struct view_effect *letter = letter_of(i);
    if (!asks && !i->not_told)
        return;
    if (!asks && letter && has_status(letter, EFFECT_DONE)) {
        bounced(call, i);
        return;
    }
    heading(call, asks ? question_words(i) : "The sender was not told. This can be done:");
    (void)choices(call, i, stdout);
    how(call, i);
}

/* ---- steps ------------------------------------------------------------------------------------------- */

static void steps(const struct call *call, const struct view_item *i)
{
    /* clang-format off */
    static const struct column columns[] = {
        { "STEP", 0, 0, false },  { "WHAT", 12, 3, false }, { "STATE", 20, 0, false },
        { "TRIES", 0, 1, true },  { "WHY",  16, 0, false },
    };
    /* clang-format on */
    CLEANUP(table_free) struct table *t = table_of(columns, LENGTH(columns));
    for (size_t n = 0; n < i->effects; n++) {
        const struct view_effect *e = &i->effect[n];
        CLEANUP(str_clear) struct str room = STR_INIT;
        CLEANUP(str_clear) struct str what = STR_INIT;
        CLEANUP(str_clear) struct str why = STR_INIT;
        char tries[24];
        snprintf(tries, sizeof tries, "%" PRId64, e->attempts);
        step_what_words(i, e, &what);
        step_why_words(e, &why);
        step_status_words(e, call->now_ms, &room);
        const char *cell[] = {label("effect", e->kind), str_z(&what), str_z(&room), tries,
                              str_z(&why)};
        table_row(t, cell);
    }
    if (i->effects == 0)
        return;
    heading(call, "Steps");
    table_print(t, table_width(call), false, stdout);
}

/* ---- what can be taken back of it ----------------------------------------------------------------------- */

/* Where its case is made besides the ledger; NULL: nowhere. */
static const char *further(const struct view_item *i)
{
    for (size_t n = 0; n < i->effects; n++) {
        const struct view_effect *e = &i->effect[n];
        if (strcmp(e->kind, effect_kind_text(EFFECT_CASE)) == 0 &&
            strcmp(e->target, "ledger") != 0 && !strchr(e->target, '/'))
            return e->target;
    }
    return NULL;
}

static enum destination_step
step_there(const struct view_item *i, const struct view_effect *e, const char *destination)
{
    enum disposition disposition;
    enum effect_kind kind;
    if (!disposition_parse(i->disposition, &disposition) || !effect_kind_parse(e->kind, &kind))
        return STEP_COUNT;
    return destination_step_of(destination, disposition, kind, e->target);
}

static void taking_back(const struct call *call, const struct view_item *i)
{
    const char *destination = further(i);
    if (!destination)
        return;
    heading(call, "What can be taken back there");
    for (size_t n = 0; n < i->effects; n++) {
        const struct view_effect *e = &i->effect[n];
        enum destination_step step = step_there(i, e, destination);
        CLEANUP(str_clear) struct str line = STR_INIT;
        if (step == STEP_COUNT || has_status(e, EFFECT_SKIPPED) || has_status(e, EFFECT_REFUSED))
            continue;
        str_addf(&line, "%s: %s.", e->target, destination_step_back(step));
        plain_wrap(str_z(&line), 0, call->width, stdout);
    }
    plain_wrap(
        "Nothing is taken back by itself. Once the case is made there, trying again is safer than"
        " undoing; from the confirmation on there is only going forward.",
        0, call->width, stdout);
}

/* ---- what happened, in time order ------------------------------------------------------------------------ */

static void story(const struct call *call, const struct view_item *i)
{
    CLEANUP(story_clear) struct story s = {.count = 0};
    story_of(i, &s);
    heading(call, "What happened");
    for (size_t n = 0; n < s.count; n++) {
        CLEANUP(str_clear) struct str line = STR_INIT;
        char when[32];
        bool more = s.at[n].text.len > 0;
        str_addf(&line, "%s%s%s", s.at[n].what, more ? ": " : "", str_z(&s.at[n].text));
        period_exact(s.at[n].at_ms, when);
        printf("%s  ", when);
        plain_wrap(str_z(&line), strlen(when) + 2, call->width, stdout);
    }
}

/* ---- what was read back before it was filed ----------------------------------------------------------------- */

static void conditions(const struct call *call, const struct view_item *i)
{
    if (i->condition_count > 0)
        heading(call, "Conditions for filing");
    for (size_t n = 0; n < i->condition_count; n++) {
        const struct view_condition *c = &i->condition[n];
        printf("%-6s %-14s%s\n", c->holds ? "holds" : "fails", label("condition", c->name),
               label("status", c->value));
    }
}

int cmd_item(struct call *call)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(str_clear) struct str out = STR_INIT;
    struct err err = ERR_INIT;
    if (one_item(call, &view, &err) != RC_OK)
        return failed(&err);
    if (call->json) {
        json_items(&view, true, &out);
        print(&out);
        return EXIT_DONE;
    }
    head(call, view.row);
    question(call, view.row);
    steps(call, view.row);
    taking_back(call, view.row);
    story(call, view.row);
    conditions(call, view.row);
    return EXIT_DONE;
}
