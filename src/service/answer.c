/* SPDX-License-Identifier: Apache-2.0 */
#include "answer_p.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than this between the commit of an intent and its end-of-data line: the run was stopped in
 * between, and others may have looked meanwhile. The connection is given up, the outcome is unknown. */

/* Why its sender is told that it was not taken: here, or where it was to be sent on to. */
static enum exception exception_of(const struct job *job, const struct work_attachment *a)
{
    enum exception why = EXCEPTION_NONE;
    if (a->refused)
        exception_parse(a->reason, &why);
    for (size_t i = 0; i < job->item.effects && !a->refused; i++) {
        const struct work_effect *e = &job->item.effect[i];
        const char *name = strchr(e->target, '/');
        if (e->kind == EFFECT_ATTACHMENT && e->status == EFFECT_REFUSED && name &&
            strcmp(name + 1, a->stored_name) == 0)
            why = EXCEPTION_DESTINATION;
    }
    return why;
}

/* For the next letter's dialogue up to its line. */
#define RESULT_WAITS_MS 100

/* How long a batch waits for a rate, and when what is left comes round. */
#define PACED_MS       10000
#define PACED_AGAIN_MS 250

const char *answer_target(const struct job *job, const struct work_effect *effect)
{
    if (effect->target[0])
        return effect->target;
    bool exceptions = false;
    for (size_t i = 0; i < job->item.attachments; i++)
        exceptions = exceptions || job->item.attachment[i].refused ||
                     exception_of(job, &job->item.attachment[i]) != EXCEPTION_NONE;
    return completion_text(completion_of(job->item.disposition, exceptions));
}

/* ---- what is to be sent ------------------------------------------------------------------------ */

static bool wanted(const struct answering *a, const struct job *job, const struct work_effect *e)
{
    return job_live(job) && job->item.state == ITEM_IN_PROGRESS &&
           e->kind == EFFECT_ACKNOWLEDGEMENT && effect_due(e, service_now(a->s).wall_ms) &&
           cases_stand(job) && effects_settled(job, EFFECT_ATTACHMENT);
}

/* Deferred with no time of its own: a person is to be asked, and the run that saw it did not come to
 * that. */
static void ask_again(const struct answering *a, struct job *job, const struct work_effect *e)
{
    int64_t now = service_now(a->s).wall_ms;
    bool stuck =
        e->kind == EFFECT_ACKNOWLEDGEMENT && e->status == EFFECT_DEFERRED && e->due_ms == NOT_DUE;
    bool tried_long =
        e->first_try_ms != NOT_DUE && now - e->first_try_ms >= a->s->set->give_up_after_ms;
    if (stuck && job_live(job) && job->item.state == ITEM_IN_PROGRESS)
        job_wait(job, tried_long ? REASON_GAVE_UP : REASON_REPLY_WAITS);
}

static void collect(struct answering *a)
{
    struct batch *b = a->b;
    for (size_t i = 0; i < b->count; i++)
        for (size_t k = 0; k < b->job[i].item.effects; k++) {
            struct work_effect *e = &b->job[i].item.effect[k];
            ask_again(a, &b->job[i], e);
            if (!wanted(a, &b->job[i], e))
                continue;
            a->letter = mem_grow(a->letter, a->letters + 1, sizeof *a->letter);
            a->letter[a->letters++] =
                (struct outgoing){.job = &b->job[i], .effect = e, .octets = STR_INIT};
        }
}

static struct exception_facts *exceptions_of(const struct job *job, size_t *count)
{
    struct exception_facts *out = mem_new(job->item.attachments + 1, sizeof *out);
    *count = 0;
    for (size_t i = 0; i < job->item.attachments; i++) {
        const struct work_attachment *a = &job->item.attachment[i];
        enum exception why = exception_of(job, a);
        if (!a->refused && why == EXCEPTION_NONE)
            continue;
        out[(*count)++] = (struct exception_facts){a->name, why};
    }
    return out;
}

static enum rc compose(struct answering *a, struct outgoing *o, struct err *err)
{
    struct service *s = a->s;
    const struct work_item *item = &o->job->item;
    char effect[EFFECT_ID_SIZE], proof[DIGEST_HEX_SIZE];
    size_t exceptions;
    enum completion completion = COMPLETION_NONE;
    str_empty(&o->octets); /* of one that was given back */
    text_copy(o->target, sizeof o->target, answer_target(o->job, o->effect));
    completion_parse(o->target, &completion);
    acknowledgement_id(item->key, o->target, effect);
    acknowledgement_proof((struct slice){(const char *)s->ledger.secret.octet, DIGEST_SIZE}, effect,
                          proof);
    o->date_ms = item->letter_date_ms ? item->letter_date_ms : service_now(s).wall_ms;
    if (o->effect->letter.len > 0) { /* what may have been sent once is sent as it was */
        str_add(&o->octets, str_slice(&o->effect->letter));
        return RC_OK;
    }
    CLEANUP(mem_free) struct exception_facts *exception = exceptions_of(o->job, &exceptions);
    struct acknowledgement_facts facts = {
        .mailbox = s->record.id,
        .completion = completion,
        .effect = effect,
        .proof = proof,
        .reference = item->reference,
        .recipient = item->recipient,
        .subject = slice_z(item->subject),
        .in_reply_to = slice_z(item->message_id),
        .received_ms = item->received_ms,
        .date_ms = o->date_ms,
        .languages = item->languages,
        .exception = exception,
        .exceptions = exceptions,
    };
    return s->port->composer->compose(s->port->composer->self, &facts, &o->octets, err);
}

/* ---- sending: begin, arm at the dot, settle ---------------------------------------------------- */

static void cannot_be_written(struct answering *a, struct outgoing *o, const struct err *why)
{
    struct effect_change *c = batch_step(a->b, o->job, o->effect, ON_REFUSE);
    c->outcome = OUTCOME_REFUSED;
    c->stage = STAGE_CONNECT;
    c->reason = "letter";
    o->stage = LETTER_OVER;
    log_event(LOG_ERROR, "letter.refused", "key=%s why=\"%s\"", o->job->item.key, why->text);
}

/* A template or a disk that fails is no letter's fault: as when the server cannot be reached. */
static void cannot_be_written_now(struct answering *a, struct outgoing *o, const struct err *why)
{
    o->event =
        (struct courier_event){.what = COURIER_SETTLED, .stage = STAGE_CONNECT, .closed = true};
    snprintf(o->event.reply, sizeof o->event.reply, "the letter could not be written");
    o->stage = LETTER_OVER;
    answer_settle(a, o);
    log_event(LOG_ERROR, "letter.unwritten", "key=%s why=\"%s\"", o->job->item.key, why->text);
}

/* What it would tell may be another thing than when it was planned: a virus was found. */
static bool told(const struct service *s, const struct outgoing *o)
{
    enum completion completion = COMPLETION_NONE;
    completion_parse(answer_target(o->job, o->effect), &completion);
    return o->effect->letter.len > 0 || s->set->policy.tells[completion];
}

static void step_over(struct answering *a, struct outgoing *o)
{
    batch_step(a->b, o->job, o->effect, ON_SKIP)->reason = skip_text(SKIP_NOT_CONFIGURED);
    o->stage = LETTER_OVER;
}

static void begin(struct answering *a, struct outgoing *o)
{
    struct service *s = a->s;
    struct err why = ERR_INIT;
    if (!told(s, o)) {
        step_over(a, o);
        return;
    }
    enum rc rc = compose(a, o, &why);
    if (rc == RC_REFUSED) {
        cannot_be_written(a, o, &why);
        return;
    }
    if (rc != RC_OK) {
        cannot_be_written_now(a, o, &why);
        return;
    }
    struct letter letter = {
        .id = (int64_t)(o - a->letter),
        .sender = s->set->sender,
        .recipient = o->job->item.recipient,
        .copy_to = s->set->copy_to[0] ? s->set->copy_to : NULL,
        .octets = str_slice(&o->octets),
    };
    if (s->port->courier->begin(s->port->courier->self, &letter, &why) != RC_OK) {
        cannot_be_written(a, o, &why);
        return;
    }
    o->stage = LETTER_UNDER_WAY;
    a->under_way++;
}

static void wait_for_server(struct answering *a, struct outgoing *o)
{
    job_due(o->job, a->s->record.circuit[CIRCUIT_SMTP].next_probe_ms);
    o->stage = LETTER_OVER;
}

/* Starts as many as there are connections; while the circuit is open, one as a probe. */
static void begin_more(struct answering *a)
{
    struct service *s = a->s;
    struct circuit *c = &s->record.circuit[CIRCUIT_SMTP];
    for (size_t i = 0; i < a->letters; i++) {
        struct outgoing *o = &a->letter[i];
        if (o->stage != LETTER_WAITING)
            continue;
        if (s->stopping || s->port->courier->room(s->port->courier->self) == 0)
            return;
        if (c->state == CIRCUIT_PROBING)
            return;
        if (o->job->lost)
            o->stage = LETTER_OVER;
        else if (!circuit_allows(c, service_now(s).wall_ms))
            wait_for_server(a, o);
        else
            begin(a, o);
    }
}

static void arm(struct answering *a, struct outgoing *o)
{
    struct effect_change *c = batch_step(a->b, o->job, o->effect, ON_ARM);
    c->target = o->target;
    c->letter_date_ms = o->date_ms;
    c->letter = str_slice(&o->octets);
    c->stage = STAGE_END_OF_DATA;
    o->stage = LETTER_READY;
}

/* Who is told to end arms nothing new: without its line this one is surely not sent, and begins anew later. */
static void begin_later(struct answering *a, struct outgoing *o, int64_t id)
{
    const struct courier *courier = a->s->port->courier;
    courier->abandon(courier->self, id);
    a->under_way--;
    o->stage = LETTER_WAITING;
}

static void take(struct answering *a, const struct courier_event *ev)
{
    if (ev->id < 0 || (size_t)ev->id >= a->letters)
        return;
    struct outgoing *o = &a->letter[ev->id];
    if (ev->what == COURIER_READY && a->s->stopping) {
        begin_later(a, o, ev->id);
    } else if (ev->what == COURIER_READY) {
        arm(a, o);
    } else if (ev->what == COURIER_SETTLED) {
        o->event = *ev;
        o->stage = LETTER_SETTLED;
        a->under_way--;
        answer_settle(a, o);
    } else if (ev->what == COURIER_GIVEN_BACK) {
        o->stage = LETTER_WAITING;
        a->under_way--;
    }
}

/* Waits for the first event, and takes all that has happened by then. */
static enum rc gather(struct answering *a, int64_t wait_ms, struct err *err)
{
    const struct courier *courier = a->s->port->courier;
    int64_t until = service_now(a->s).boot_ms + wait_ms;
    struct courier_event ev = {0};
    TRY(courier->next(courier->self, until, &ev, err));
    while (ev.what != COURIER_NOTHING) {
        take(a, &ev);
        ev = (struct courier_event){0};
        TRY(courier->next(courier->self, 0, &ev, err));
    }
    return RC_OK;
}

static bool any_ready(const struct answering *a)
{
    for (size_t i = 0; i < a->letters; i++)
        if (a->letter[i].stage == LETTER_READY)
            return true;
    return false;
}

/* Until a letter has come as far as its line, or for a moment. */
static enum rc gather_ready(struct answering *a, struct err *err)
{
    int64_t until = service_now(a->s).boot_ms + RESULT_WAITS_MS;
    int64_t left = RESULT_WAITS_MS;
    while (left > 0 && a->under_way > 0 && !any_ready(a)) {
        TRY(gather(a, left, err));
        left = until - service_now(a->s).boot_ms;
    }
    return RC_OK;
}

/* What has happened goes into one commit, results and arms together: a result waits a moment for the
 * next letter to come as far as its line. A kill in that moment leaves what it would have left before
 * the result, one letter in doubt a connection. */
static enum rc gather_for_commit(struct answering *a, struct err *err)
{
    TRY(gather(a, a->s->set->lease_ms / 3, err));
    if (a->b->changes == 0)
        return RC_OK;
    begin_more(a);
    TRY(gather_ready(a, err));
    /* On a free connection it is said while the commit is made, behind a letter with its line. */
    begin_more(a);
    return gather(a, 0, err);
}

/* The intent is durable: now the line may leave, unless this run was held up in between. */
static void release(struct answering *a, struct outgoing *o, bool in_time)
{
    const struct courier *courier = a->s->port->courier;
    int64_t id = (int64_t)(o - a->letter);
    if (o->stage != LETTER_READY)
        return;
    if (in_time && !o->job->lost) {
        o->stage = LETTER_UNDER_WAY;
        courier->release(courier->self, id);
        return;
    }
    courier->abandon(courier->self, id);
    a->under_way--;
    o->stage = o->job->lost ? LETTER_OVER : LETTER_GIVEN_UP;
    if (o->job->lost)
        return;
    struct effect_change *c = batch_step(a->b, o->job, o->effect, ON_LOSE);
    c->outcome = OUTCOME_UNKNOWN;
    c->stage = STAGE_END_OF_DATA;
    c->closed = true;
}

static enum rc commit(struct answering *a, struct err *err)
{
    struct service *s = a->s;
    if (a->b->changes == 0)
        return RC_OK;
    if (s->record_changed)
        batch_add(a->b, NULL, CHANGE_CIRCUIT)->mailbox = &s->record;
    int64_t before = service_now(s).boot_ms;
    TRY(batch_commit(a->b, err));
    bool in_time = service_in_time(s, before);
    for (size_t i = 0; i < a->letters; i++)
        release(a, &a->letter[i], in_time);
    TRY(answer_everybody(a, err));
    TRY(batch_commit(a->b, err));
    for (size_t i = 0; i < a->letters; i++)
        answer_late(a, &a->letter[i]);
    return RC_OK;
}

/* A rate lets the next letter begin only in a moment: that is waited for, but not for so long that
 * what is told already is not filed, and new mail not looked at. */
static bool paced(const struct answering *a)
{
    const struct service *s = a->s;
    const struct courier *courier = s->port->courier;
    bool may = !s->stopping && s->record.circuit[CIRCUIT_SMTP].state == CIRCUIT_CLOSED;
    if (!may || courier->room(courier->self) > 0 ||
        service_now(s).boot_ms - a->began_boot_ms >= PACED_MS)
        return false;
    for (size_t i = 0; i < a->letters; i++)
        if (a->letter[i].stage == LETTER_WAITING && !a->letter[i].job->lost)
            return true;
    return false;
}

/* What the rate has left over is next in turn, not a try later. */
static void come_round_soon(struct answering *a)
{
    const struct service *s = a->s;
    bool closed = s->record.circuit[CIRCUIT_SMTP].state == CIRCUIT_CLOSED;
    for (size_t i = 0; i < a->letters && closed && !s->stopping; i++)
        if (a->letter[i].stage == LETTER_WAITING)
            job_due(a->letter[i].job, service_now(s).wall_ms + PACED_AGAIN_MS);
}

/* Nothing is under way any more. A probe that never got under way said nothing about the server. */
static bool over(struct answering *a)
{
    struct circuit *c = &a->s->record.circuit[CIRCUIT_SMTP];
    if (a->under_way == 0 && c->state == CIRCUIT_PROBING)
        circuit_nothing(c);
    return a->under_way == 0 && !paced(a);
}

static enum rc pump(struct answering *a, struct err *err)
{
    begin_more(a);
    TRY(commit(a, err));
    while (!over(a)) {
        TRY(gather_for_commit(a, err));
        TRY(service_renew(a->s, err));
        TRY(commit(a, err));
        begin_more(a);
        TRY(commit(a, err));
    }
    come_round_soon(a);
    return RC_OK;
}

/* A letter that is still with the courier when the turn ends badly: without its line nothing was
 * sent; with it, the ledger has the intent and the next claim finds it unknown. */
static void give_up(struct answering *a)
{
    const struct courier *courier = a->s->port->courier;
    for (size_t i = 0; i < a->letters; i++)
        if (a->letter[i].stage == LETTER_UNDER_WAY || a->letter[i].stage == LETTER_READY)
            courier->abandon(courier->self, (int64_t)i);
}

enum rc answer(struct batch *b, struct err *err)
{
    struct answering a = {.s = b->s, .b = b, .began_boot_ms = service_now(b->s).boot_ms};
    if (!b->s->port->courier || !service_may(b->s, EFFECT_ACKNOWLEDGEMENT))
        return RC_OK;
    collect(&a);
    enum rc rc = a.letters > 0 ? pump(&a, err) : RC_OK;
    if (rc != RC_OK)
        give_up(&a);
    for (size_t i = 0; i < a.letters; i++)
        str_clear(&a.letter[i].octets);
    free(a.letter);
    return rc;
}
