/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_letter(const char *kind)
{
    return strcmp(kind, effect_kind_text(EFFECT_ACKNOWLEDGEMENT)) == 0;
}

static bool has_status(const struct view_effect *e, enum effect_status status)
{
    return strcmp(e->status, effect_status_text(status)) == 0;
}

static const struct view_effect *letter_of(const struct view_item *i)
{
    for (size_t n = i->effects; n-- > 0;)
        if (is_letter(i->effect[n].kind))
            return &i->effect[n];
    return NULL;
}

/* Why a step is as it is, in the words of the skips or of the notes. */
static const char *why_of(const struct view_effect *e)
{
    const char *skip = label("skip", e->reason);
    return skip != e->reason ? skip : label("note", e->reason);
}

/* ---- head -------------------------------------------------------------------------------------------- */

static void told(const struct call *call, const struct view_item *i)
{
    const struct view_effect *e = letter_of(i);
    CLEANUP(str_clear) struct str text = STR_INIT;
    if (!e)
        return;
    if (has_status(e, EFFECT_DONE))
        str_addf(&text, "yes: %s", label("completion", e->target));
    else if (has_status(e, EFFECT_UNKNOWN) || has_status(e, EFFECT_ATTEMPTING))
        str_addz(&text, "not known");
    else if (has_status(e, EFFECT_SKIPPED) || has_status(e, EFFECT_REFUSED))
        str_addf(&text, "no%s%s", e->reason[0] ? ": " : "", why_of(e));
    else
        str_addz(&text, "not yet");
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
    say_line(call, "Key", i->key);
}

/* ---- what the person can do now ------------------------------------------------------------------------ */

static void how(const struct call *call, const struct view_item *i)
{
    char room[16], when[32];
    if (i->not_sent_from_ms != NOT_DUE && i->not_sent_from_ms > call->now_ms) {
        when_cell(call, i->not_sent_from_ms, when);
        printf("Sending it again is possible from %s.\n", when);
    }
    printf("If nobody decides, %s.\n",
           i->not_told ? "it stays listed as not told" : "nothing is lost: it stays here");
    printf("Type: onecase resolve %s --... --by NAME --reason TEXT\n", name_of_item(i, room));
}

static void question(const struct call *call, const struct view_item *i)
{
    enum reason reason = REASON_NONE;
    bool asks = strcmp(i->state, item_state_text(ITEM_NEEDS_RECONCILIATION)) == 0;
    if (!asks && !i->not_told)
        return;
    (void)reason_parse(i->reason, &reason);
    heading(call, asks ? reason_question(reason) : "The sender was not told. This can be done:");
    (void)choices(call, i, stdout);
    how(call, i);
}

/* ---- steps ------------------------------------------------------------------------------------------- */

static const char *
status_words(const struct call *call, const struct view_effect *e, struct str *room)
{
    char when[32];
    if (has_status(e, EFFECT_UNKNOWN) && is_letter(e->kind))
        return "not known whether it was sent";
    if (!has_status(e, EFFECT_DEFERRED) || e->due_ms == NOT_DUE)
        return label("status", e->status);
    when_cell(call, e->due_ms, when);
    str_addf(room, "%s, next try %s", label("status", e->status), when);
    return str_z(room);
}

/* Which message, which file, what the sender is told. */
static void what_words(const struct view_item *i, const struct view_effect *e, struct str *out)
{
    bool move = strcmp(e->kind, effect_kind_text(EFFECT_MOVE)) == 0;
    if (is_letter(e->kind) && e->target[0])
        str_addz(out, label("completion", e->target));
    else if (!move)
        str_addz(out, e->target);
    for (size_t n = 0; move && n < i->delivery_count; n++)
        if (i->delivery[n].id == strtoll(e->target, NULL, 10))
            str_addf(out, "UID %" PRIu32, i->delivery[n].uid);
}

static void why_words(const struct view_effect *e, struct str *out)
{
    str_addz(out, why_of(e));
    if (e->error[0])
        str_addf(out, "%s%s%s", out->len > 0 ? ", " : "",
                 is_letter(e->kind) ? "the server said " : "", e->error);
}

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
        what_words(i, e, &what);
        why_words(e, &why);
        const char *cell[] = {label("effect", e->kind), str_z(&what), status_words(call, e, &room),
                              tries, str_z(&why)};
        table_row(t, cell);
    }
    if (i->effects == 0)
        return;
    heading(call, "Steps");
    table_print(t, call->width, false, stdout);
}

/* ---- what happened, in time order ------------------------------------------------------------------------ */

struct happening {
    int64_t at_ms;
    size_t order; /* of those at one instant */
    struct str text;
};

struct story {
    struct happening *at;
    size_t count;
};

static struct str *tell(struct story *s, int64_t at_ms)
{
    s->at = mem_grow(s->at, s->count + 1, sizeof *s->at);
    s->at[s->count] = (struct happening){.at_ms = at_ms, .order = s->count, .text = STR_INIT};
    return &s->at[s->count++].text;
}

static void story_clear(struct story *s)
{
    for (size_t n = 0; n < s->count; n++)
        str_clear(&s->at[n].text);
    free(s->at);
}

static void tell_arrivals(struct story *s, const struct view_item *i)
{
    for (size_t n = 0; n < i->delivery_count; n++) {
        const struct view_delivery *d = &i->delivery[n];
        struct str *text = tell(s, d->seen_ms);
        str_addf(text, "arrival: %s", label("class", d->class));
        if (d->folder[0])
            str_addf(text, ", %s UID %" PRIu32, d->folder, d->uid);
    }
}

static void tell_tries(struct story *s, const struct view_item *i)
{
    for (size_t n = 0; n < i->attempt_count; n++) {
        const struct view_attempt *a = &i->attempt[n];
        bool doubt = is_letter(a->kind) && strcmp(a->outcome, outcome_text(OUTCOME_UNKNOWN)) == 0;
        struct str *text = tell(s, a->started_ms);
        bool done = strcmp(a->outcome, outcome_text(OUTCOME_DONE)) == 0;
        str_addf(text, "%s: %s", label("effect", a->kind),
                 doubt ? "not known whether it was sent" : label("outcome", a->outcome));
        if (a->stage[0] && !done)
            str_addf(text, ", %s", label("stage", a->stage));
        if (a->code)
            str_addf(text, ", the server said %" PRId64, a->code);
        str_addf(text, " (run %.8s)", a->run);
    }
}

static void tell_findings(struct story *s, const struct view_item *i)
{
    for (size_t n = 0; n < i->evidence_count; n++) {
        const struct view_evidence *e = &i->evidence[n];
        bool placed = e->place[0] != '\0';
        str_addf(tell(s, e->seen_ms), "evidence: %s%s%s%s: %s", label("evidence", e->evidence),
                 placed ? " (" : "", e->place, placed ? ")" : "", e->found ? "found" : "nothing");
    }
}

static void tell_decisions(struct story *s, const struct view_item *i)
{
    for (size_t n = 0; n < i->approval_count; n++) {
        const struct view_approval *a = &i->approval[n];
        struct str *text = tell(s, a->decided_ms);
        str_addf(text, "decision: %s, by %s", label("decision", a->decision), a->by);
        if (a->second[0])
            str_addf(text, " and %s", a->second);
        str_addf(text, ": %s", a->why);
        if (a->undone_ms != NOT_DUE && a->undone_ms != a->decided_ms)
            str_addz(tell(s, a->undone_ms), "decision: taken back");
    }
}

static int by_time(const void *a, const void *b)
{
    const struct happening *x = a, *y = b;
    if (x->at_ms != y->at_ms)
        return x->at_ms < y->at_ms ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void story(const struct call *call, const struct view_item *i)
{
    CLEANUP(story_clear) struct story s = {.count = 0};
    tell_arrivals(&s, i);
    tell_decisions(&s, i);
    tell_tries(&s, i);
    tell_findings(&s, i);
    if (i->completed_ms != NOT_DUE)
        str_addz(tell(&s, i->completed_ms), "complete");
    if (s.count > 0)
        qsort(s.at, s.count, sizeof *s.at, by_time);
    heading(call, "What happened");
    for (size_t n = 0; n < s.count; n++) {
        char when[32];
        period_exact(s.at[n].at_ms, when);
        printf("%s  ", when);
        plain_wrap(str_z(&s.at[n].text), strlen(when) + 2, call->width, stdout);
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
    story(call, view.row);
    conditions(call, view.row);
    return EXIT_DONE;
}
