/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

#include <inttypes.h>
#include <string.h>

static void say(const char *name, const char *value)
{
    CLEANUP(str_clear) struct str plain = STR_INIT;
    plain_text(value ? value : "", &plain);
    if (plain.len > 0)
        printf("%-14s%s\n", name, str_z(&plain));
}

static void heading(const struct call *call, const char *text)
{
    printf("\n%s%s%s\n", call->terminal ? "\033[1m" : "", text, call->terminal ? "\033[0m" : "");
}

static void head(const struct call *call, const struct view_item *i)
{
    char when[32];
    say("Case", i->reference);
    say("From", i->sender);
    say("Subject", i->subject);
    say("Is", label("disposition", i->disposition));
    say("State", label("state", i->state));
    say("Why", label("reason", i->reason));
    say("Told", label("completion", i->completion_state));
    when_cell(call, i->first_seen_ms, when);
    say("Arrived", when);
    when_cell(call, i->completed_ms, when);
    say("Complete", when);
    say("Key", i->key);
}

static void arrivals(const struct call *call, const struct view_item *i)
{
    static const char *const names[] = {"WHEN", "FOLDER", "UID", "IS", "STATE"};
    CLEANUP(table_free) struct table *t = table_new(names, LENGTH(names));
    for (size_t n = 0; n < i->delivery_count; n++) {
        const struct view_delivery *d = &i->delivery[n];
        char when[32], uid[32];
        when_cell(call, d->seen_ms, when);
        snprintf(uid, sizeof uid, "%" PRIu32, d->uid);
        const char *cell[] = {when, d->folder, uid, label("class", d->class),
                              label("state", d->state)};
        table_row(t, cell);
    }
    heading(call, "Arrivals");
    table_print(t, call->width, false, stdout);
}

static const char *status_words(const struct call *call, const struct view_effect *e, char room[64])
{
    char when[32];
    bool letter = strcmp(e->kind, "acknowledgement") == 0;
    if (strcmp(e->status, "unknown") == 0 && letter)
        return "not known whether it was sent";
    if (strcmp(e->status, "deferred") != 0 || e->due_ms == NOT_DUE)
        return label("status", e->status);
    when_cell(call, e->due_ms, when);
    snprintf(room, 64, "waiting, next try %s", when);
    return room;
}

static void steps(const struct call *call, const struct view_item *i)
{
    static const char *const names[] = {"STEP", "WHAT", "STATE", "TRIES", "WHY"};
    CLEANUP(table_free) struct table *t = table_new(names, LENGTH(names));
    for (size_t n = 0; n < i->effects; n++) {
        const struct view_effect *e = &i->effect[n];
        char tries[24], room[64];
        bool letter = strcmp(e->kind, "acknowledgement") == 0;
        bool move = strcmp(e->kind, "move") == 0;
        snprintf(tries, sizeof tries, "%" PRId64, e->attempts);
        const char *what = letter ? label("completion", e->target) : move ? "" : e->target;
        const char *why = letter ? label("skip", e->reason) : e->reason;
        const char *cell[] = {label("effect", e->kind), what, status_words(call, e, room), tries,
                              why};
        table_row(t, cell);
    }
    heading(call, "Steps");
    table_print(t, call->width, false, stdout);
}

static void tries(const struct call *call, const struct view_item *i)
{
    static const char *const names[] = {"BEGAN", "STEP", "CAME TO", "AT", "CODE", "RUN"};
    CLEANUP(table_free) struct table *t = table_new(names, LENGTH(names));
    if (i->attempt_count == 0)
        return;
    for (size_t n = 0; n < i->attempt_count; n++) {
        const struct view_attempt *a = &i->attempt[n];
        char when[32], code[24], run[9];
        when_cell(call, a->started_ms, when);
        snprintf(code, sizeof code, "%" PRId64, a->code);
        text_copy(run, sizeof run, a->run);
        const char *cell[] = {when,     label("effect", a->kind), label("outcome", a->outcome),
                              a->stage, a->code ? code : "",      run};
        table_row(t, cell);
    }
    heading(call, "Tries");
    table_print(t, call->width, false, stdout);
}

static void findings(const struct call *call, const struct view_item *i)
{
    if (i->evidence_count > 0)
        heading(call, "What we found");
    for (size_t n = 0; n < i->evidence_count; n++) {
        const struct view_evidence *e = &i->evidence[n];
        char when[32];
        CLEANUP(str_clear) struct str place = STR_INIT;
        plain_text(e->place, &place);
        when_cell(call, e->seen_ms, when);
        printf("%s  %s: %s%s%s\n", when, label("evidence", e->evidence),
               e->found ? "found" : "nothing", place.len > 0 ? ", " : "", str_z(&place));
    }
}

static void decisions(const struct call *call, const struct view_item *i)
{
    if (i->approval_count > 0)
        heading(call, "Decisions");
    for (size_t n = 0; n < i->approval_count; n++) {
        const struct view_approval *a = &i->approval[n];
        char when[32];
        CLEANUP(str_clear) struct str by = STR_INIT;
        CLEANUP(str_clear) struct str why = STR_INIT;
        plain_text(a->by, &by);
        plain_text(a->why, &why);
        when_cell(call, a->decided_ms, when);
        printf("%s  %s, by %s: %s%s\n", when, label("decision", a->decision), str_z(&by),
               str_z(&why), a->undone_ms != NOT_DUE && a->undone_ms ? " (taken back)" : "");
    }
}

static void conditions(const struct call *call, const struct view_item *i)
{
    if (i->condition_count > 0)
        heading(call, "Conditions for filing");
    for (size_t n = 0; n < i->condition_count; n++)
        printf("%-18s%-6s%s\n", i->condition[n].name, i->condition[n].holds ? "holds" : "fails",
               i->condition[n].value);
}

static bool answers(const struct decision_rule *r, enum reason reason)
{
    bool letter = reason == REASON_UNKNOWN_SENT && r->kind == EFFECT_ACKNOWLEDGEMENT;
    bool foreign_case = reason == REASON_UNKNOWN_CASE && r->kind == EFFECT_CASE;
    if (letter || foreign_case)
        return r->status == EFFECT_UNKNOWN && r->decision != DECIDE_UNDO;
    return r->kind == EFFECT_KIND_COUNT && r->reason == reason;
}

/* What the person can do now, with what follows from it. */
static void choices(const struct call *call, const struct view_item *i)
{
    enum reason reason = REASON_NONE;
    char when[32];
    if (strcmp(i->state, "needs_reconciliation") != 0 || !reason_parse(i->reason, &reason))
        return;
    heading(call, reason_question(reason));
    for (size_t n = 0; n < decision_rule_count; n++)
        if (answers(&decision_rules[n], reason))
            printf("%-28s%s\n", decision_text(decision_rules[n].decision),
                   decision_rules[n].consequence);
    if (reason == REASON_UNKNOWN_SENT && i->not_sent_from_ms != NOT_DUE) {
        when_cell(call, i->not_sent_from_ms, when);
        printf("Sending it again is possible from %s.\n", when);
    }
    printf("If nobody decides, nothing is lost: it stays here.\n");
}

static void page(const struct call *call, const struct view_item *i)
{
    head(call, i);
    choices(call, i);
    arrivals(call, i);
    steps(call, i);
    tries(call, i);
    findings(call, i);
    conditions(call, i);
    decisions(call, i);
}

int cmd_item(struct call *call)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(str_clear) struct str out = STR_INIT;
    struct err err = ERR_INIT;
    if (call->ops->views->item(call->ops->views->self, args_get(&call->args, "KEY"), &view, &err) !=
        RC_OK)
        return failed(&err);
    if (call->json) {
        json_items(&view, true, &out);
        print(&out);
        return EXIT_DONE;
    }
    page(call, view.row);
    return EXIT_DONE;
}
