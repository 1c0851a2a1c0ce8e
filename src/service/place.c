/* SPDX-License-Identifier: Apache-2.0 */
#include "place_p.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A case at a destination besides the ledger, what is added to it, and its end there. What is not known
 * is looked up before anything is tried again. */

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
    int64_t said = service_now(s).wall_ms + a->retry_after_ms;
    if (a->retry_after_ms > 0 && circuit(s)->next_probe_ms < said)
        circuit(s)->next_probe_ms = said;
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

/* Whatever the destination's fault has put off is due at once when it is tried again, so that it goes on
 * in the order in which it came. */
static int64_t
try_again_at(struct service *s, const struct work_effect *e, const struct destination_answer *a)
{
    if (a->fault == FAULT_SERVER && circuit(s)->state == CIRCUIT_OPEN)
        return circuit(s)->next_probe_ms;
    int64_t pause = a->retry_after_ms > 0 ? a->retry_after_ms : service_backoff(s, e->attempts);
    return service_now(s).wall_ms + pause;
}

/* A file that the destination does not take is an exception, as one that is not taken here; what else it
 * refuses a person has to see. */
static void refused(struct job *job, enum destination_step step, struct effect_change *c)
{
    if (step == STEP_ATTACH)
        c->reason = exception_text(EXCEPTION_DESTINATION);
    else
        job_wait(job, REASON_CASE_REFUSED);
}

static void answered(struct batch *b,
                     struct job *job,
                     struct work_effect *e,
                     enum destination_step step,
                     const struct destination_answer *a)
{
    meet(b->s, a);
    rate_spend(b->s, a->requests);
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
        refused(job, step, c);
    if (a->strange)
        job_wait(job, REASON_UNKNOWN_CASE);
    if (a->outcome == OUTCOME_REFUSED)
        batch_words(b, job, b->s->port->destination->name, a->said);
}

/* Whether a second request would make no second one, counted from the first whose end is not known. */
static bool may_repeat(struct service *s, enum destination_step step, const struct work_effect *e)
{
    int64_t unique = s->port->destination->can[step].unique_ms;
    int64_t since = service_now(s).wall_ms - e->first_doubt_ms;
    return unique == INT64_MAX || (since >= 0 && since < unique);
}

/* A negative look-up allows another try only where the destination enforces uniqueness; elsewhere it
 * is repeated for `settle` and then a person decides. */
static void
not_found(struct batch *b, struct job *job, struct work_effect *e, enum destination_step step)
{
    struct service *s = b->s;
    int64_t now = service_now(s).wall_ms;
    if (may_repeat(s, step, e))
        batch_step(b, job, e, ON_ABSENCE);
    else if (now - e->armed_ms >= s->set->settle_ms)
        job_wait(job, REASON_UNKNOWN_CASE);
    else
        job_due(job, service_look_again(s, e->armed_ms));
}

static void looked(struct batch *b,
                   struct job *job,
                   struct work_effect *e,
                   enum destination_step step,
                   const struct destination_answer *a)
{
    meet(b->s, a);
    rate_spend(b->s, a->requests);
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
        not_found(b, job, e, step);
    }
}

/* Who cannot be asked may be told again where that is harmless; else a person decides at once. */
static void
cannot_ask(struct batch *b, struct job *job, struct work_effect *e, enum destination_step step)
{
    if (may_repeat(b->s, step, e))
        batch_step(b, job, e, ON_ABSENCE);
    else
        job_wait(job, REASON_UNKNOWN_CASE);
}

/* Left alone, or asked often enough for now. */
static bool must_wait(struct batch *b, struct job *job)
{
    int64_t at = NOT_DUE;
    if (!rate_allows(b->s, &at)) {
        job_due(job, at);
        return true;
    }
    if (circuit_allows(circuit(b->s), service_now(b->s).wall_ms))
        return false;
    job_due(job, circuit(b->s)->next_probe_ms);
    return true;
}

static enum rc look_up(struct batch *b,
                       struct job *job,
                       struct work_effect *e,
                       const struct placing *p,
                       struct err *err)
{
    const struct destination *d = b->s->port->destination;
    struct destination_answer a = {0};
    if (!d->can[p->step].look) {
        cannot_ask(b, job, e, p->step);
        return RC_OK;
    }
    if (must_wait(b, job))
        return RC_OK;
    TRY(d->look(d->self, p->step, &p->facts, &a, err));
    looked(b, job, e, p->step, &a);
    return RC_OK;
}

/* A file that cannot be read never became a whole request. */
static enum rc request(struct batch *b,
                       const struct job *job,
                       const struct work_effect *e,
                       const struct placing *p,
                       struct destination_answer *a,
                       struct err *err)
{
    const struct destination *d = b->s->port->destination;
    struct err why = ERR_INIT;
    enum rc rc = d->act(d->self, p->step, &p->facts, a, &why);
    if (rc != RC_BROKEN || p->step != STEP_ATTACH)
        return rc == RC_OK ? RC_OK : FAIL(err, rc, "%s", why.text);
    *a = (struct destination_answer){.outcome = OUTCOME_DEFERRED, .fault = FAULT_ITEM_LATER};
    log_event(LOG_ERROR, "attachment.failed", "key=%s target=%.*s why=\"%s\"", job->item.key,
              attachment_shown(e->target), e->target, why.text);
    return RC_OK;
}

/* One at a time: the intent, the request, the outcome. */
static enum rc make(struct batch *b,
                    struct job *job,
                    struct work_effect *e,
                    const struct placing *p,
                    struct err *err)
{
    int64_t before = service_now(b->s).boot_ms;
    batch_step(b, job, e, ON_ARM);
    TRY(batch_commit(b, err));
    if (job->lost)
        return RC_OK;
    struct destination_answer a = {.outcome = OUTCOME_DEFERRED, .fault = FAULT_ITEM_LATER};
    if (service_in_time(b->s, before))
        TRY(request(b, job, e, p, &a, err));
    answered(b, job, e, p->step, &a);
    return batch_commit(b, err);
}

/* What it belongs to comes, or never will: then it shall not happen. */
static enum rc put_off(struct batch *b,
                       struct job *job,
                       struct work_effect *e,
                       const struct placing *p,
                       struct err *err)
{
    if (p->can == PLACE_LATER) {
        job_due(job, service_look_again(b->s, job->item.received_ms));
        return RC_OK;
    }
    if (e->status == EFFECT_PLANNED || e->status == EFFECT_DEFERRED)
        batch_step(b, job, e, ON_SKIP)->reason = p->why;
    return batch_commit(b, err);
}

static enum rc place(struct batch *b, struct job *job, struct work_effect *e, struct err *err)
{
    struct service *s = b->s;
    struct placing p;
    TRY(placing_fill(b, job, e, &p, err));
    if (p.can != PLACE_NOW && e->status != EFFECT_UNKNOWN)
        return put_off(b, job, e, &p, err);
    if (e->status == EFFECT_UNKNOWN) {
        TRY(look_up(b, job, e, &p, err));
        TRY(batch_commit(b, err));
    }
    if (job_live(job) && e->status == EFFECT_REFUSED) /* whoever met that did not come to ask */
        job_wait(job, REASON_CASE_REFUSED);
    if (!job_live(job) || !effect_due(e, service_now(s).wall_ms) || s->stopping ||
        must_wait(b, job))
        return RC_OK;
    return make(b, job, e, &p, err);
}

/* ---- the stages -------------------------------------------------------------------------------- */

enum { CASES = 1 << STEP_CREATE | 1 << STEP_APPEND };
enum { REST = 1 << STEP_ATTACH | 1 << STEP_CLOSE | 1 << STEP_REMOVE };

/* In the order of the plan, each once the one before it is settled: what belongs to a case comes after
 * it, and what ends it last. */
static enum rc place_of(struct batch *b, struct job *job, int steps, struct err *err)
{
    const char *name = b->s->port->destination->name;
    for (size_t k = 0; k < job->item.effects && job_live(job); k++) {
        struct work_effect *e = &job->item.effect[k];
        enum destination_step step =
            destination_step_of(name, job->item.disposition, e->kind, e->target);
        bool over = e->status == EFFECT_DONE || e->status == EFFECT_SKIPPED ||
                    (step == STEP_ATTACH && e->status == EFFECT_REFUSED);
        if (step == STEP_COUNT || over)
            continue;
        if (!(steps & 1 << step))
            return RC_OK;
        TRY(place(b, job, e, err));
        if (!effect_settled(e->status))
            return RC_OK;
    }
    return RC_OK;
}

struct queued {
    int64_t received_ms;
    size_t place; /* in the batch */
};

/* A batch begins with what is new; a destination gets cases in the order of their mails. */
static int by_arrival(const void *one, const void *two)
{
    const struct queued *a = one, *b = two;
    if (a->received_ms != b->received_ms)
        return a->received_ms < b->received_ms ? -1 : 1;
    return a->place < b->place ? -1 : 1;
}

/* ---- a destination that is configured no longer ------------------------------------------------ */

static bool is_of_another(const struct batch *b, const struct job *job, const struct work_effect *e)
{
    const struct destination *d = b->s->port->destination;
    bool there = e->kind == EFFECT_CASE ? strcmp(e->target, "ledger") != 0
                                        : e->kind == EFFECT_ATTACHMENT && strchr(e->target, '/');
    return there && !effect_settled(e->status) &&
           (!d ||
            destination_step_of(d->name, job->item.disposition, e->kind, e->target) == STEP_COUNT);
}

/* The case waits for a person, who may configure it again; once it is settled, what belongs to it is left
 * out. Whether that stopped there. */
static bool leave(struct batch *b, struct job *job, struct work_effect *e)
{
    bool makes = e->kind == EFFECT_CASE && !strchr(e->target, '/');
    if (makes && e->status == EFFECT_PLANNED)
        batch_step(b, job, e, ON_DEFER);
    if (makes || e->status == EFFECT_UNKNOWN) {
        job_wait(job, REASON_DESTINATION_GONE);
        return true;
    }
    batch_step(b, job, e, ON_SKIP)->reason = "not-configured";
    return false;
}

static enum rc leave_gone(struct batch *b, struct err *err)
{
    for (size_t i = 0; i < b->count; i++) {
        struct job *job = &b->job[i];
        for (size_t k = 0; k < job->item.effects && job_live(job); k++) {
            struct work_effect *e = &job->item.effect[k];
            if (is_of_another(b, job, e) && leave(b, job, e))
                break;
        }
    }
    return batch_commit(b, err);
}

/* ---- all of a batch ----------------------------------------------------------------------------- */

static enum rc place_all(struct batch *b, int steps, struct err *err)
{
    if (!b->s->port->destination || !service_may(b->s, EFFECT_CASE) || b->count == 0)
        return RC_OK;
    CLEANUP(mem_free) struct queued *queue = mem_new(b->count, sizeof *queue);
    for (size_t i = 0; i < b->count; i++)
        queue[i] = (struct queued){b->job[i].item.received_ms, i};
    qsort(queue, b->count, sizeof *queue, by_arrival);
    for (size_t i = 0; i < b->count; i++)
        TRY(place_of(b, &b->job[queue[i].place], steps, err));
    return RC_OK;
}

enum rc place_cases(struct batch *b, struct err *err)
{
    if (service_may(b->s, EFFECT_CASE))
        TRY(leave_gone(b, err));
    return place_all(b, CASES, err);
}

enum rc place_files(struct batch *b, struct err *err)
{
    return service_may(b->s, EFFECT_ATTACHMENT) ? place_all(b, REST, err) : RC_OK;
}
