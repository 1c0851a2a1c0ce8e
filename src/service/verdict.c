/* SPDX-License-Identifier: Apache-2.0 */
#include "answer_p.h"

#include <stdio.h>
#include <string.h>

static struct circuit *circuit(struct answering *a)
{
    return &a->s->record.circuit[CIRCUIT_SMTP];
}

static int64_t now(const struct answering *a)
{
    return service_now(a->s).wall_ms;
}

static const struct fault_row *fault(const struct courier_event *ev)
{
    enum reply_class reply = reply_classify(ev->stage, ev->code, ev->enhanced);
    if (ev->meets_item)
        return fault_of(STAGE_MAIL, REPLY_NEVER_ITEM);
    if (reply == REPLY_DONE && ev->stage != STAGE_END_OF_DATA) /* it ended after a good answer */
        reply = REPLY_NONE;
    return fault_of(ev->stage, reply);
}

static void recipient_digest(const struct outgoing *o, char out[DIGEST_HEX_SIZE])
{
    CLEANUP(str_clear) struct str address = STR_INIT;
    address_canonical(slice_z(o->job->item.recipient), &address);
    struct digest d = sha256_of(str_slice(&address));
    digest_hex(&d, out);
}

static void server_fault(struct answering *a, const struct courier_event *ev)
{
    struct service *s = a->s;
    char reason[64];
    snprintf(reason, sizeof reason, "%s %d", stage_text(ev->stage), ev->code);
    bool news = circuit(a)->state == CIRCUIT_CLOSED || strcmp(circuit(a)->reason, reason) != 0;
    circuit_fault(circuit(a), &s->set->retry, reason, now(a),
                  s->port->processes->random(s->port->processes->self));
    s->record_changed = true;
    if (news)
        log_event(LOG_ERROR, "answers.stopped", "mailbox=%s reason=\"%s\"%s%s%s", s->record.id,
                  reason, ev->code == 0 ? " why=\"" : "", ev->code == 0 ? ev->reply : "",
                  ev->code == 0 ? "\"" : ""); /* without a code the words are ours */
}

static void server_well(struct answering *a)
{
    if (circuit(a)->state != CIRCUIT_CLOSED)
        log_event(LOG_NOTE, "answers.back", "mailbox=%s", a->s->record.id);
    circuit_success(circuit(a));
    a->s->record_changed = true;
}

/* ---- what the answer means for the effect ------------------------------------------------------ */

static struct effect_change *step(struct answering *a, struct outgoing *o, enum outcome outcome)
{
    struct effect_change *c = batch_step(a->b, o->job, o->effect, outcome_event(outcome));
    c->outcome = outcome;
    c->stage = o->event.stage;
    c->code = o->event.code;
    c->closed = o->event.closed;
    return c;
}

/* Tried by the item's own time until that is used up; then a person is asked. */
static void later(struct answering *a, struct outgoing *o)
{
    struct work_effect *e = o->effect;
    struct effect_change *c = step(a, o, OUTCOME_DEFERRED);
    int64_t first = e->first_try_ms == NOT_DUE ? now(a) : e->first_try_ms;
    c->counts = true;
    if (now(a) - first >= a->s->set->give_up_after_ms) {
        job_wait(o->job, REASON_GAVE_UP);
        return;
    }
    c->due_ms = now(a) + service_backoff(a->s, e->attempts);
    job_due(o->job, c->due_ms);
}

static void servers(struct answering *a, struct outgoing *o)
{
    bool others_pass = circuit(a)->state == CIRCUIT_CLOSED;
    if (others_pass && o->effect->server_faults >= 2) {
        later(a, o);
        return;
    }
    server_fault(a, &o->event);
    struct effect_change *c = step(a, o, OUTCOME_DEFERRED);
    c->due_ms = circuit(a)->next_probe_ms;
    job_due(o->job, c->due_ms);
}

static void unknown(struct answering *a, struct outgoing *o)
{
    step(a, o, OUTCOME_UNKNOWN);
    o->effect->armed_ms = now(a); /* for the waiting time of this very turn */
    bool somewhere = a->s->set->evidence_folder[0] || a->s->set->copy_to[0];
    if (somewhere)
        job_due(o->job, now(a) + service_backoff(a->s, 0));
    else
        job_wait(o->job, REASON_UNKNOWN_SENT);
}

/* The same refusal met everybody: it says nothing about this recipient. */
static void servers_refusal(struct answering *a, struct outgoing *o)
{
    later(a, o);
    server_fault(a, &o->event);
    a->everybody = true;
}

static void apply(struct answering *a, struct outgoing *o, enum fault fault)
{
    switch (fault) {
    case FAULT_NONE:
        step(a, o, OUTCOME_DONE);
        server_well(a);
        break;
    case FAULT_SERVER:
        servers(a, o);
        break;
    case FAULT_ITEM_LATER:
        later(a, o);
        break;
    case FAULT_ITEM:
        step(a, o, OUTCOME_REFUSED);
        break;
    case FAULT_ITEM_WAITS:
        step(a, o, OUTCOME_DEFERRED);
        job_wait(o->job, REASON_REPLY_WAITS);
        break;
    case FAULT_UNKNOWN:
        unknown(a, o);
        break;
    case FAULT_COUNT:
        break;
    }
}

/* A probe that met an answer about its own letter shows that the server works. */
static void probe_ends(struct answering *a, enum fault fault)
{
    if (circuit(a)->state != CIRCUIT_PROBING)
        return;
    if (fault == FAULT_UNKNOWN)
        server_fault(a, &(struct courier_event){.stage = STAGE_END_OF_DATA});
    else
        server_well(a);
}

void answer_settle(struct answering *a, struct outgoing *o)
{
    const struct courier_event *ev = &o->event;
    const struct fault_row *row = fault(ev);
    char recipient[DIGEST_HEX_SIZE];
    recipient_digest(o, recipient);
    bool probing_refusal = circuit(a)->state == CIRCUIT_PROBING &&
                           a->s->record.streak.length == STREAK_LENGTH &&
                           a->s->record.streak.code == ev->code;
    bool everybody = streak_note(&a->s->record.streak, ev->stage, ev->code, ev->enhanced, recipient,
                                 o->job->item.key);
    a->s->record_changed = true;
    if (everybody || probing_refusal) {
        a->streak = a->s->record.streak;
        servers_refusal(a, o);
    } else {
        apply(a, o, row->fault);
    }
    batch_note(a->b, o->job, ev->reply);
    probe_ends(a, everybody || probing_refusal ? FAULT_SERVER : row->fault);
}

/* ---- late replies ------------------------------------------------------------------------------ */

static void
tell_late(struct answering *a, const struct outgoing *o, bool accepted, const char *where)
{
    struct change change[] = {
        {.what = CHANGE_EVIDENCE,
         .key = o->job->item.key,
         .fence = NO_FENCE,
         .evidence = {.effect = o->effect->id,
                      .kind = "late-reply",
                      .found = accepted,
                      .where = where,
                      .over = true}},
        {.what = CHANGE_EFFECT,
         .key = o->job->item.key,
         .fence = NO_FENCE,
         .effect = {.effect = o->effect->id,
                    .from = EFFECT_UNKNOWN,
                    .on = ON_EVIDENCE,
                    .due_ms = NOT_DUE}},
    };
    const struct service *s = a->s;
    const struct ledger *l = s->port->ledger;
    struct err why = ERR_INIT;
    enum rc rc = RC_CONFLICT;
    if (accepted)
        rc = l->work->commit(l->self, s->run.id, service_now(s), change, 2, NULL, &why);
    if (rc == RC_CONFLICT) /* settled meanwhile, or nothing to settle */
        rc = l->work->commit(l->self, s->run.id, service_now(s), change, 1, NULL, &why);
    if (rc != RC_OK)
        log_event(LOG_WARN, "reply.late", "key=%s code=%d why=\"%s\"", o->job->item.key,
                  o->event.code, why.text);
}

/* The lease was lost while the reply was awaited. What it says is true all the same: an acceptance
 * settles the doubt that whoever took over has recorded; and in any case nothing of this try is on
 * its way any more, so a person may decide. */
void answer_late(struct answering *a, struct outgoing *o)
{
    bool settled = o->stage == LETTER_SETTLED && o->event.line_left;
    bool given_up = o->stage == LETTER_GIVEN_UP;
    char where[32];
    if (o->stage == LETTER_SETTLED || given_up)
        o->stage = LETTER_OVER;
    if (!o->job->lost || (!settled && !given_up))
        return;
    bool accepted = settled && o->event.stage == STAGE_END_OF_DATA && o->event.code / 100 == 2;
    if (given_up)
        snprintf(where, sizeof where, "never sent");
    else
        snprintf(where, sizeof where, "reply %d", o->event.code);
    tell_late(a, o, accepted, where);
}

/* ---- the same answer for everybody ------------------------------------------------------------- */

static const struct work_effect *refused_answer(const struct work_item *item)
{
    for (size_t i = 0; i < item->effects; i++)
        if (item->effect[i].kind == EFFECT_ACKNOWLEDGEMENT &&
            (item->effect[i].status == EFFECT_REFUSED || item->effect[i].status == EFFECT_DEFERRED))
            return &item->effect[i];
    return NULL;
}

/* Refused, or deferred with no time of its own because a person was to be asked: due again. */
static bool is_to_return(const struct work_effect *e)
{
    return e->status == EFFECT_REFUSED || (e->status == EFFECT_DEFERRED && e->due_ms == NOT_DUE);
}

/* One that was refused returns to deferred, one that was put before a person is taken back. */
static enum rc return_one(struct answering *a, const char *key, struct err *err)
{
    struct service *s = a->s;
    const struct ledger *l = s->port->ledger;
    CLEANUP(work_item_clear) struct work_item item = {0};
    TRY(l->work->load(l->self, key, &item, err));
    const struct work_effect *e = refused_answer(&item);
    int64_t due = circuit(a)->next_probe_ms;
    struct change change[2];
    size_t n = 0;
    if (e && is_to_return(e))
        change[n++] = (struct change){
            .what = CHANGE_EFFECT,
            .key = key,
            .fence = NO_FENCE,
            .effect = {.effect = e->id, .from = e->status, .on = ON_EVERYBODY, .due_ms = due}};
    bool asked = item.state == ITEM_NEEDS_RECONCILIATION && item.reason == REASON_REPLY_WAITS;
    if (e && (asked || item.state == ITEM_COMPLETE))
        change[n++] =
            (struct change){.what = CHANGE_ITEM,
                            .key = key,
                            .fence = NO_FENCE,
                            .item = {.from = item.state, .on = ITEM_ON_REOPEN, .due_ms = due}};
    if (n == 0)
        return RC_OK;
    enum rc rc = l->work->commit(l->self, s->run.id, service_now(s), change, n, NULL, err);
    return rc == RC_CONFLICT ? RC_OK : rc;
}

static struct job *of_this_batch(struct answering *a, const char *key)
{
    for (size_t i = 0; i < a->b->count; i++)
        if (strcmp(a->b->job[i].item.key, key) == 0)
            return &a->b->job[i];
    return NULL;
}

static void return_own(struct answering *a, struct job *job)
{
    struct work_effect *e = job_effect(job, EFFECT_ACKNOWLEDGEMENT);
    if (job->lost || !e)
        return;
    if (is_to_return(e))
        batch_step(a->b, job, e, ON_EVERYBODY)->due_ms = circuit(a)->next_probe_ms;
    if (job->waits && job->reason == REASON_REPLY_WAITS)
        job->waits = false;
    job_due(job, circuit(a)->next_probe_ms);
}

enum rc answer_everybody(struct answering *a, struct err *err)
{
    if (!a->everybody)
        return RC_OK;
    a->everybody = false;
    for (unsigned i = 0; i < a->streak.length && i < STREAK_LENGTH; i++) {
        struct job *job = of_this_batch(a, a->streak.effect[i]);
        if (job)
            return_own(a, job);
        else
            TRY(return_one(a, a->streak.effect[i], err));
    }
    return RC_OK;
}
