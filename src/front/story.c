/* SPDX-License-Identifier: Apache-2.0
 *
 * story - what happened to a mail and how it stands, in plain words, for both fronts.
 */
#include <onecase/front.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool is_letter(const char *kind)
{
    return strcmp(kind, effect_kind_text(EFFECT_ACKNOWLEDGEMENT)) == 0;
}

bool has_status(const struct view_effect *e, enum effect_status status)
{
    return strcmp(e->status, effect_status_text(status)) == 0;
}

const struct view_effect *letter_of(const struct view_item *i)
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

/* ---- how it stands ------------------------------------------------------------------------------------- */

void told_words(const struct view_item *item, struct str *out)
{
    const struct view_effect *e = letter_of(item);
    if (!e)
        return;
    if (has_status(e, EFFECT_DONE) && item->not_told)
        str_addf(out, "no: %s", label("report", "failed"));
    else if (has_status(e, EFFECT_DONE))
        str_addf(out, "yes: %s", label("completion", e->target));
    else if (has_status(e, EFFECT_UNKNOWN) || has_status(e, EFFECT_ATTEMPTING))
        str_addz(out, "not known");
    else if (has_status(e, EFFECT_SKIPPED) || has_status(e, EFFECT_REFUSED))
        str_addf(out, "no%s%s", e->reason[0] ? ": " : "", why_of(e));
    else
        str_addz(out, "not yet");
}

void step_status_words(const struct view_effect *e, int64_t now_ms, struct str *out)
{
    char when[32];
    bool doubt = has_status(e, EFFECT_UNKNOWN) && is_letter(e->kind);
    str_addz(out, doubt ? "not known whether it was sent" : label("status", e->status));
    if (!has_status(e, EFFECT_DEFERRED) || e->due_ms == NOT_DUE)
        return;
    period_text(e->due_ms, now_ms, when);
    str_addf(out, ", next try %s", when);
}

void step_what_words(const struct view_item *i, const struct view_effect *e, struct str *out)
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

void step_why_words(const struct view_effect *e, struct str *out)
{
    bool found = strcmp(e->kind, "attachment") == 0 && e->external_id && e->external_id[0];
    str_addz(out, why_of(e));
    if (found) /* what the virus scanner calls it */
        str_addf(out, ": %s", e->external_id);
    if (e->error[0])
        str_addf(out, "%s%s%s", out->len > 0 ? ", " : "",
                 is_letter(e->kind) ? "the server said " : "", e->error);
}

/* ---- what happened, in time order ---------------------------------------------------------------------- */

static struct str *tell(struct story *s, int64_t at_ms, const char *what)
{
    s->at = mem_grow(s->at, s->count + 1, sizeof *s->at);
    s->at[s->count] =
        (struct happening){.at_ms = at_ms, .order = s->count, .what = what, .text = STR_INIT};
    return &s->at[s->count++].text;
}

void story_clear(struct story *s)
{
    for (size_t n = 0; n < s->count; n++)
        str_clear(&s->at[n].text);
    free(s->at);
}

static void tell_arrivals(struct story *s, const struct view_item *i)
{
    for (size_t n = 0; n < i->delivery_count; n++) {
        const struct view_delivery *d = &i->delivery[n];
        struct str *text = tell(s, d->seen_ms, "arrival");
        str_addz(text, label("class", d->class));
        if (d->folder[0])
            str_addf(text, ", %s UID %" PRIu32, d->folder, d->uid);
    }
}

static void tell_tries(struct story *s, const struct view_item *i)
{
    for (size_t n = 0; n < i->attempt_count; n++) {
        const struct view_attempt *a = &i->attempt[n];
        bool doubt = is_letter(a->kind) && strcmp(a->outcome, outcome_text(OUTCOME_UNKNOWN)) == 0;
        struct str *text = tell(s, a->started_ms, label("effect", a->kind));
        bool done = strcmp(a->outcome, outcome_text(OUTCOME_DONE)) == 0;
        str_addz(text, doubt ? "not known whether it was sent" : label("outcome", a->outcome));
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
        str_addf(tell(s, e->seen_ms, "evidence"), "%s%s%s%s: %s", label("evidence", e->evidence),
                 placed ? " (" : "", e->place, placed ? ")" : "", e->found ? "found" : "nothing");
    }
}

static void tell_reports(struct story *s, const struct view_item *i)
{
    for (size_t n = 0; n < i->reports.count; n++)
        str_addf(tell(s, i->reports.at[n].seen_ms, "report"), "%s (mail %.12s)",
                 label("report", i->reports.at[n].action), i->reports.at[n].key);
}

static void tell_decisions(struct story *s, const struct view_item *i)
{
    for (size_t n = 0; n < i->approval_count; n++) {
        const struct view_approval *a = &i->approval[n];
        struct str *text = tell(s, a->decided_ms, "decision");
        str_addf(text, "%s, by %s", label("decision", a->decision), a->by);
        if (a->second[0])
            str_addf(text, " and %s", a->second);
        str_addf(text, ": %s", a->why);
        if (a->undone_ms != NOT_DUE && a->undone_ms != a->decided_ms)
            str_addz(tell(s, a->undone_ms, "decision"), "taken back");
    }
}

static void tell_notes(struct story *s, const struct view_item *i)
{
    for (size_t n = 0; n < i->note_count; n++)
        str_addz(tell(s, i->note[n].noted_ms, "note"), i->note[n].text);
}

static int by_time(const void *a, const void *b)
{
    const struct happening *x = a, *y = b;
    if (x->at_ms != y->at_ms)
        return x->at_ms < y->at_ms ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

void story_of(const struct view_item *item, struct story *out)
{
    *out = (struct story){.count = 0};
    tell_arrivals(out, item);
    tell_decisions(out, item);
    tell_tries(out, item);
    tell_findings(out, item);
    tell_reports(out, item);
    tell_notes(out, item);
    if (item->completed_ms != NOT_DUE)
        (void)tell(out, item->completed_ms, "complete");
    if (out->count > 0)
        qsort(out->at, out->count, sizeof *out->at, by_time);
}
