/* SPDX-License-Identifier: Apache-2.0 */
#include "service_p.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void message_forget(struct service *s, struct message *m)
{
    const struct blobs *blobs = s->port->blobs;
    for (size_t i = 0; i < m->part_count; i++) {
        CLEANUP(str_clear) struct str spool = STR_INIT;
        str_add(&spool, message_slice(m, m->parts[i].file));
        struct err err = ERR_INIT;
        if (spool.len > 0 && blobs->forget(blobs->self, str_z(&spool), &err) != RC_OK)
            log_event(LOG_WARN, "spool.left", "why=\"%s\"", err.text);
    }
    message_clear(m);
}

void batch_clear(struct batch *b)
{
    for (size_t i = 0; i < b->count; i++) {
        message_forget(b->s, &b->job[i].message);
        work_item_clear(&b->job[i].item);
        free(b->job[i].scanned);
    }
    free(b->job);
    free(b->change);
    *b = (struct batch){.s = b->s};
}

static struct planned_change *add(struct batch *b, struct job *job, enum change_what what)
{
    b->change = mem_grow(b->change, b->changes + 1, sizeof *b->change);
    struct planned_change *p = &b->change[b->changes++];
    *p = (struct planned_change){.job = job};
    p->change.what = what;
    p->change.key = job ? job->item.key : NULL;
    p->change.fence = job ? job->item.fence : NO_FENCE;
    return p;
}

struct change *batch_add(struct batch *b, struct job *job, enum change_what what)
{
    return &add(b, job, what)->change;
}

struct effect_change *
batch_step(struct batch *b, struct job *job, struct work_effect *effect, enum effect_event on)
{
    struct planned_change *p = add(b, job, CHANGE_EFFECT);
    p->effect = effect;
    p->change.effect = (struct effect_change){
        .effect = effect->id,
        .from = effect->status,
        .on = on,
        .due_ms = NOT_DUE,
    };
    return &p->change.effect;
}

static void remember(struct planned_change *p, const char *text)
{
    text_copy(p->text, sizeof p->text, text);
}

void batch_external(struct batch *b, const char *external_id)
{
    remember(&b->change[b->changes - 1], external_id);
}

void batch_note(struct batch *b, struct job *job, const char *text)
{
    if (text[0])
        remember(add(b, job, CHANGE_NOTE), text);
}

void batch_words(struct batch *b, struct job *job, const char *who, const char *words)
{
    char text[NOTE_SIZE];
    if (!words[0])
        return;
    snprintf(text, sizeof text, "%s: %s", who, words);
    remember(add(b, job, CHANGE_WORDS), text);
}

void batch_evidence(struct batch *b,
                    struct job *job,
                    const struct work_effect *effect,
                    const char *kind,
                    bool found,
                    const char *where)
{
    struct planned_change *p = add(b, job, CHANGE_EVIDENCE);
    p->change.evidence =
        (struct evidence_change){.effect = effect->id, .kind = kind, .found = found};
    remember(p, where);
}

/* The change as the ledger gets it: its texts stand in the batch, which no longer grows. */
static struct change ready(const struct planned_change *p)
{
    struct change c = p->change;
    if (c.what == CHANGE_EVIDENCE)
        c.evidence.where = p->text;
    if (c.what == CHANGE_NOTE || c.what == CHANGE_WORDS)
        c.note = p->text;
    if (c.what == CHANGE_EFFECT && p->text[0])
        c.effect.external_id = p->text;
    return c;
}

static void apply_effect(const struct planned_change *p)
{
    const struct effect_change *c = &p->change.effect;
    struct work_effect *e = p->effect;
    const struct effect_transition *t = effect_find(e->kind, c->from, c->on);
    if (t)
        e->status = t->to;
    e->due_ms = c->due_ms;
    if (c->target)
        text_copy(e->target, sizeof e->target, c->target);
    if (p->text[0])
        text_copy(e->external_id, sizeof e->external_id, p->text);
    if (c->letter_date_ms && p->job)
        p->job->item.letter_date_ms = c->letter_date_ms;
}

/* What is durable now is true in memory too. */
static void apply(const struct planned_change *p)
{
    if (p->change.what == CHANGE_ORIGINAL && p->job)
        p->job->item.original_kept = true;
    if (p->change.what == CHANGE_EFFECT && p->effect)
        apply_effect(p);
}

static enum rc write(struct batch *b, const struct change *change, size_t count, struct err *err)
{
    const struct ledger *l = b->s->port->ledger;
    return l->work->commit(l->self, b->s->run.id, service_now(b->s), change, count, NULL, err);
}

static enum rc write_of(struct batch *b, const struct job *job, struct err *err)
{
    CLEANUP(mem_free) struct change *own = mem_new(b->changes, sizeof *own);
    size_t count = 0;
    for (size_t i = 0; i < b->changes; i++)
        if (b->change[i].job == job)
            own[count++] = ready(&b->change[i]);
    if (count == 0)
        return RC_OK;
    TRY(write(b, own, count, err));
    for (size_t i = 0; i < b->changes; i++)
        if (b->change[i].job == job)
            apply(&b->change[i]);
    return RC_OK;
}

/* Item by item: one that does not hold must not take the others with it. */
static enum rc write_each(struct batch *b, struct err *err)
{
    TRY(write_of(b, NULL, err));
    for (size_t i = 0; i < b->count; i++) {
        struct err why = ERR_INIT;
        enum rc rc = write_of(b, &b->job[i], &why);
        if (rc == RC_OK)
            continue;
        b->job[i].lost = true;
        log_event(LOG_WARN, "item.lost", "key=%s why=\"%s\"", b->job[i].item.key, why.text);
        if (rc == RC_DEFERRED || rc == RC_UNKNOWN)
            return FAIL(err, rc, "%s", why.text);
    }
    return RC_OK;
}

enum rc batch_commit(struct batch *b, struct err *err)
{
    if (b->changes == 0)
        return RC_OK;
    CLEANUP(mem_free) struct change *all = mem_new(b->changes, sizeof *all);
    for (size_t i = 0; i < b->changes; i++)
        all[i] = ready(&b->change[i]);
    struct err why = ERR_INIT;
    enum rc rc = write(b, all, b->changes, &why);
    if (rc == RC_OK)
        for (size_t i = 0; i < b->changes; i++)
            apply(&b->change[i]);
    else if (rc == RC_DEFERRED || rc == RC_UNKNOWN)
        FAIL(err, rc, "%s", why.text);
    else
        rc = write_each(b, err);
    b->changes = 0;
    b->s->result->moved = true;
    return rc;
}

void job_wait(struct job *job, enum reason reason)
{
    job->waits = true;
    job->reason = reason;
}

void job_due(struct job *job, int64_t at_ms)
{
    if (at_ms != NOT_DUE && (job->due_ms == NOT_DUE || at_ms < job->due_ms))
        job->due_ms = at_ms;
}

bool job_live(const struct job *job)
{
    return !job->lost && !job->waits;
}

struct work_effect *job_effect(struct job *job, enum effect_kind kind)
{
    for (size_t i = 0; i < job->item.effects; i++)
        if (job->item.effect[i].kind == kind)
            return &job->item.effect[i];
    return NULL;
}

bool effect_due(const struct work_effect *effect, int64_t now_ms)
{
    if (effect->status == EFFECT_PLANNED)
        return true;
    return effect->status == EFFECT_DEFERRED &&
           (effect->due_ms == NOT_DUE || effect->due_ms <= now_ms);
}

bool cases_stand(const struct job *job)
{
    for (size_t i = 0; i < job->item.effects; i++) {
        const struct work_effect *e = &job->item.effect[i];
        if (e->kind == EFFECT_CASE && e->status != EFFECT_DONE && e->status != EFFECT_SKIPPED)
            return false;
    }
    return true;
}

bool effects_settled(const struct job *job, enum effect_kind kind)
{
    for (size_t i = 0; i < job->item.effects; i++)
        if (job->item.effect[i].kind == kind && !effect_settled(job->item.effect[i].status))
            return false;
    return true;
}
