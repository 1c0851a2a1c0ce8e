/* SPDX-License-Identifier: Apache-2.0 */
#include "service_p.h"

#include <stdlib.h>

/* How many batches one turn works through before it looks at the mailbox again: new mail is not
 * starved by a backlog. */
#define BATCHES_A_TURN 5

/* clang-format off */
/* The order is the contract's: case, attachments, acknowledgement, move. What a read-back can decide
 * is decided first, so that nothing is done twice because of what is not known. */
static enum rc (*const stages[])(struct batch *, struct err *) = {
    store_originals,
    filings_check,
    place_cases,
    store_attachments,
    place_files,
    evidence_check,
    answer,
    accept_items,
    file_messages,
    close_items,
};
/* clang-format on */

static void adopt(struct batch *b, struct work_item *item, size_t count)
{
    b->job = mem_new(count, sizeof *b->job);
    b->count = count;
    for (size_t i = 0; i < count; i++) {
        b->job[i] = (struct job){.item = item[i], .message = MESSAGE_INIT, .due_ms = NOT_DUE};
        item[i] = (struct work_item){0};
    }
}

static enum rc claim(struct batch *b, struct err *err)
{
    struct service *s = b->s;
    const struct ledger *l = s->port->ledger;
    struct work_item *item = NULL;
    size_t count = 0;
    size_t limit = s->careful ? 1 : s->set->batch;
    TRY(l->work->claim(l->self, s->run.id, s->record.id, service_now(s), s->set->lease_ms, limit,
                       &item, &count, err));
    if (count > 0)
        adopt(b, item, count);
    free(item);
    return RC_OK;
}

static bool all_settled(const struct job *job)
{
    for (size_t i = 0; i < job->item.effects; i++)
        if (!effect_settled(job->item.effect[i].status))
            return false;
    return true;
}

/* Another mailbox's item keeps its own time: only its copy, once it is filed, is one step further. */
static bool went_on(const struct batch *b)
{
    for (size_t i = 0; i < b->count; i++)
        if (!b->job[i].item.elsewhere || all_settled(&b->job[i]))
            return true;
    return false;
}

static enum rc work_through(struct service *s, bool *more, struct err *err)
{
    CLEANUP(batch_clear) struct batch b = {.s = s};
    TRY(claim(&b, err));
    *more = false;
    if (b.count == 0)
        return RC_OK;
    for (size_t i = 0; i < LENGTH(stages); i++) {
        TRY(service_renew(s, err));
        TRY(stages[i](&b, err));
    }
    *more = went_on(&b);
    s->result->moved |= *more;
    return RC_OK;
}

enum rc perform(struct service *s, struct err *err)
{
    bool more = true;
    for (int i = 0; i < BATCHES_A_TURN && more && !s->stopping; i++)
        TRY(work_through(s, &more, err));
    if (!more)
        s->careful = false;
    return RC_OK;
}

/* ---- the end of a batch: complete, ask, or come back later ---------------------------------- */

/* What is open and waits for nothing that it knows of comes round soon; while the mail server is left
 * alone, when that is tried again. What only we have left, being told to stop, is due for the next run. */
static int64_t when_possible(struct service *s, int64_t now)
{
    const struct circuit *c = &s->record.circuit[CIRCUIT_IMAP];
    int64_t soon = s->stopping ? now : now + service_backoff(s, 0);
    return c->state == CIRCUIT_OPEN && c->next_probe_ms > soon ? c->next_probe_ms : soon;
}

static int64_t next_due(struct service *s, const struct job *job)
{
    int64_t now = service_now(s).wall_ms;
    int64_t due = job->due_ms;
    for (size_t i = 0; i < job->item.effects; i++) {
        const struct work_effect *e = &job->item.effect[i];
        /* one that is overdue waits for something else, such as a circuit */
        if (e->status == EFFECT_DEFERRED && e->due_ms > now && (due == NOT_DUE || e->due_ms < due))
            due = e->due_ms;
    }
    int64_t later = when_possible(s, now);
    if (due == NOT_DUE)
        return later;
    return due > now ? due : later;
}

static struct item_change ending(struct batch *b, struct job *job)
{
    struct item_change c = {.from = job->item.state, .release = true, .due_ms = NOT_DUE};
    struct tick_result *r = b->s->result;
    bool working = job->item.state == ITEM_IN_PROGRESS;
    if (job->waits && item_find(job->item.state, ITEM_ON_WAIT)) {
        c.on = ITEM_ON_WAIT;
        c.reason = job->reason;
        r->asked++;
    } else if (working && job->accepted && all_settled(job)) {
        c.on = ITEM_ON_COMPLETE;
        r->completed++;
    } else {
        bool done = !working && (all_settled(job) || job->item.state == ITEM_NEEDS_RECONCILIATION);
        c.keep = true;
        c.due_ms = done ? NOT_DUE : next_due(b->s, job);
        r->deferred += working;
    }
    return c;
}

enum rc close_items(struct batch *b, struct err *err)
{
    for (size_t i = 0; i < b->count; i++) {
        struct job *job = &b->job[i];
        if (!job->lost && !job->item.elsewhere)
            batch_add(b, job, CHANGE_ITEM)->item = ending(b, job);
    }
    TRY(batch_commit(b, err));
    for (size_t i = 0; i < b->count; i++)
        if (!b->job[i].lost && b->job[i].waits)
            log_event(LOG_NOTE, "item.asks", "key=%s reason=%s", b->job[i].item.key,
                      reason_text(b->job[i].reason));
    return RC_OK;
}
