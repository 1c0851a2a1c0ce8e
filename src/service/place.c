/* SPDX-License-Identifier: Apache-2.0 */
#include "service_p.h"

#include <stdio.h>
#include <string.h>

/* A case at a destination besides the ledger. Every request carries the intake key; what is not known
 * is looked up before anything is tried again. */

struct placing {
    char effect[EFFECT_ID_SIZE];
    char correlation[RUN_ID_SIZE + 24];
    struct case_facts facts;
};

static void
describe(struct batch *b, const struct job *job, const struct work_effect *e, struct placing *p)
{
    acknowledgement_id(job->item.key, e->target, p->effect);
    snprintf(p->correlation, sizeof p->correlation, "%s-%u", b->s->run.id, e->attempts + 1);
    p->facts = (struct case_facts){
        .key = job->item.key,
        .effect = p->effect,
        .correlation = p->correlation,
        .reference = job->item.reference,
        .from = slice_z(job->item.sender),
        .subject = slice_z(job->item.subject),
        .text = slice_z(job->item.text),
    };
}

static bool foreign(const struct work_effect *e)
{
    return e->kind == EFFECT_CASE && strcmp(e->target, "ledger") != 0;
}

static struct circuit *circuit(struct service *s)
{
    return &s->record.circuit[CIRCUIT_DESTINATION];
}

static void meet_fault(struct service *s, const struct destination_answer *a)
{
    char reason[32];
    snprintf(reason, sizeof reason, "status %d", a->code);
    if (circuit(s)->state == CIRCUIT_CLOSED)
        log_event(LOG_ERROR, "destination.failed", "mailbox=%s code=%d why=\"%s\"", s->record.id,
                  a->code, a->why);
    circuit_fault(circuit(s), &s->set->retry, reason, service_now(s).wall_ms,
                  s->port->processes->random(s->port->processes->self));
    s->record_changed = true;
}

/* A destination that hangs is left alone like one that says no: only a probe at a time may come to be
 * unknown. */
static void meet(struct service *s, const struct destination_answer *a)
{
    if (a->fault == FAULT_SERVER) {
        meet_fault(s, a);
    } else if (circuit(s)->state != CIRCUIT_CLOSED) {
        circuit_success(circuit(s));
        s->record_changed = true;
    }
}

static int64_t
try_again_at(struct service *s, const struct work_effect *e, const struct destination_answer *a)
{
    int64_t pause = a->retry_after_ms > 0 ? a->retry_after_ms : service_backoff(s, e->attempts);
    return service_now(s).wall_ms + pause;
}

static void answered(struct batch *b,
                     struct job *job,
                     struct work_effect *e,
                     const struct destination_answer *a)
{
    struct effect_change *c = batch_step(b, job, e, outcome_event(a->outcome));
    c->outcome = a->outcome;
    c->code = a->code;
    if (a->outcome == OUTCOME_DONE)
        batch_external(b, a->external_id);
    c->reason = a->adopted ? "adopted" : "";
    if (a->outcome == OUTCOME_DEFERRED || a->outcome == OUTCOME_UNKNOWN) {
        c->due_ms = try_again_at(b->s, e, a);
        job_due(job, c->due_ms);
    }
    if (a->outcome == OUTCOME_REFUSED)
        job_wait(job, REASON_CASE_REFUSED);
    if (a->strange)
        job_wait(job, REASON_UNKNOWN_CASE);
    meet(b->s, a);
}

/* Whether a second request would make no second case, counted from the first whose end is not known. */
static bool may_repeat(struct service *s, const struct work_effect *e)
{
    int64_t unique = s->port->destination->unique_ms;
    int64_t since = service_now(s).wall_ms - e->first_doubt_ms;
    return unique == INT64_MAX || (since >= 0 && since < unique);
}

/* A negative look-up allows another try only where the destination enforces uniqueness; elsewhere it
 * is repeated for `settle` and then a person decides. */
static void not_found(struct batch *b, struct job *job, struct work_effect *e)
{
    struct service *s = b->s;
    int64_t now = service_now(s).wall_ms;
    if (may_repeat(s, e))
        batch_step(b, job, e, ON_ABSENCE);
    else if (now - e->armed_ms >= s->set->settle_ms)
        job_wait(job, REASON_UNKNOWN_CASE);
    else
        job_due(job, service_look_again(s, e->armed_ms));
}

static void
looked(struct batch *b, struct job *job, struct work_effect *e, const struct destination_answer *a)
{
    meet(b->s, a);
    if (a->strange)
        job_wait(job, REASON_UNKNOWN_CASE);
    else if (a->outcome != OUTCOME_DONE && a->outcome != OUTCOME_REFUSED)
        job_due(job, try_again_at(b->s, e, a));
    if (a->outcome != OUTCOME_DONE && a->outcome != OUTCOME_REFUSED)
        return;
    bool found = a->outcome == OUTCOME_DONE;
    batch_evidence(b, job, e, "read-back", found, e->target);
    if (found) {
        batch_step(b, job, e, ON_EVIDENCE);
        batch_external(b, a->external_id);
    } else {
        not_found(b, job, e);
    }
}

/* Who cannot be asked may be told again where that is harmless; else a person decides at once. */
static void cannot_ask(struct batch *b, struct job *job, struct work_effect *e)
{
    if (may_repeat(b->s, e))
        batch_step(b, job, e, ON_ABSENCE);
    else
        job_wait(job, REASON_UNKNOWN_CASE);
}

static enum rc look_up(struct batch *b, struct job *job, struct work_effect *e, struct err *err)
{
    const struct destination *d = b->s->port->destination;
    struct destination_answer a = {0};
    struct placing p;
    if (!d->find) {
        cannot_ask(b, job, e);
        return RC_OK;
    }
    if (!circuit_allows(circuit(b->s), service_now(b->s).wall_ms)) {
        job_due(job, circuit(b->s)->next_probe_ms);
        return RC_OK;
    }
    describe(b, job, e, &p);
    TRY(d->find(d->self, &p.facts, &a, err));
    looked(b, job, e, &a);
    return RC_OK;
}

/* One at a time: the intent, the request, the outcome. */
static enum rc make(struct batch *b, struct job *job, struct work_effect *e, struct err *err)
{
    const struct destination *d = b->s->port->destination;
    batch_step(b, job, e, ON_ARM);
    TRY(batch_commit(b, err));
    if (job->lost)
        return RC_OK;
    struct destination_answer a = {0};
    struct placing p;
    describe(b, job, e, &p);
    TRY(d->create(d->self, &p.facts, &a, err));
    answered(b, job, e, &a);
    return batch_commit(b, err);
}

static enum rc place(struct batch *b, struct job *job, struct work_effect *e, struct err *err)
{
    struct service *s = b->s;
    int64_t now = service_now(s).wall_ms;
    if (e->status == EFFECT_UNKNOWN) {
        TRY(look_up(b, job, e, err));
        TRY(batch_commit(b, err));
    }
    if (job_live(job) && e->status == EFFECT_REFUSED) /* whoever met that did not come to ask */
        job_wait(job, REASON_CASE_REFUSED);
    if (!job_live(job) || !effect_due(e, now) || s->stopping)
        return RC_OK;
    if (!circuit_allows(circuit(s), now)) {
        job_due(job, circuit(s)->next_probe_ms);
        return RC_OK;
    }
    return make(b, job, e, err);
}

enum rc place_cases(struct batch *b, struct err *err)
{
    if (!b->s->port->destination || !service_may(b->s, EFFECT_CASE))
        return RC_OK;
    for (size_t i = 0; i < b->count; i++)
        for (size_t k = 0; k < b->job[i].item.effects; k++)
            if (job_live(&b->job[i]) && foreign(&b->job[i].item.effect[k]))
                TRY(place(b, &b->job[i], &b->job[i].item.effect[k], err));
    return RC_OK;
}
