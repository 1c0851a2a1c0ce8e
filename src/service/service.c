/* SPDX-License-Identifier: Apache-2.0 */
#include "service_p.h"

#include <onecase/when.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct instant service_now(const struct service *s)
{
    return clock_now(s->port->clock);
}

int64_t service_backoff(struct service *s, unsigned tries)
{
    return backoff_delay(&s->set->retry, tries,
                         s->port->processes->random(s->port->processes->self));
}

int64_t service_look_again(const struct service *s, int64_t since_ms)
{
    int64_t now = service_now(s).wall_ms;
    int64_t passed = now < since_ms ? since_ms - now : now - since_ms; /* clocks jump back, too */
    int64_t pause = passed / 4;
    if (pause > s->set->retry.max_ms)
        pause = s->set->retry.max_ms;
    return now + (pause > s->set->retry.first_ms ? pause : s->set->retry.first_ms);
}

bool service_may(const struct service *s, enum effect_kind kind)
{
    if (!s->record.paused)
        return true;
    return s->record.paused_effects != 0 && !(s->record.paused_effects & KIND(kind));
}

enum rc service_renew(struct service *s, struct err *err)
{
    struct instant now = service_now(s);
    int64_t passed = now.boot_ms - s->renewed_boot_ms;
    if (passed < s->set->lease_ms / 3)
        return RC_OK;
    const struct ledger *l = s->port->ledger;
    TRY(l->runs->renew(l->self, s->run.id, now, s->set->lease_ms, err));
    s->renewed_boot_ms = now.boot_ms;
    if (passed >= s->set->lease_ms)
        s->sure_from_boot_ms = now.boot_ms;
    return RC_OK;
}

#define SOON_MS 5000

bool service_in_time(const struct service *s, int64_t armed_boot_ms)
{
    int64_t now = service_now(s).boot_ms;
    return armed_boot_ms >= s->sure_from_boot_ms && now - armed_boot_ms <= SOON_MS &&
           now - s->renewed_boot_ms < s->set->lease_ms;
}

void service_mailbox_fault(struct service *s, const struct err *why)
{
    struct circuit *c = &s->record.circuit[CIRCUIT_IMAP];
    bool another = why->rc == RC_REFUSED && strcmp(s->record.last_error, why->text) != 0;
    bool news = c->state == CIRCUIT_CLOSED || another /* somebody must do something else */
                || !s->told_failure;
    circuit_fault(c, &s->set->retry, rc_text(why->rc), service_now(s).wall_ms,
                  s->port->processes->random(s->port->processes->self));
    text_copy(s->record.last_error, sizeof s->record.last_error, why->text);
    s->record_changed = true;
    s->result->mailbox_failed = true;
    s->told_failure = true;
    if (news)
        log_event(LOG_ERROR, "mailbox.failed", "mailbox=%s why=\"%s\"", s->record.id, why->text);
}

static void name_run(struct service *s)
{
    text_copy(s->run.version, sizeof s->run.version, s->set->version);
    text_copy(s->run.name, sizeof s->run.name, s->set->name);
    text_copy(s->run.environment, sizeof s->run.environment, s->set->environment);
    text_copy(s->run.owner, sizeof s->run.owner, s->set->owner);
    text_copy(s->run.mailbox, sizeof s->run.mailbox, s->set->policy.mailbox);
    if (s->set->node)
        text_copy(s->run.node, sizeof s->run.node, s->set->node);
}

enum rc service_new(const struct service_ports *ports,
                    const struct service_settings *settings,
                    struct service **out,
                    struct err *err)
{
    CLEANUP(service_free) struct service *s = mem_new(1, sizeof *s);
    s->port = ports;
    s->set = settings;
    TRY(ports->processes->enter(ports->processes->self, &s->run, err));
    name_run(s);
    s->entered = true;
    const struct ledger *l = ports->ledger;
    TRY(l->runs->enter(l->self, &s->run, service_now(s), err));
    *out = STEAL(s);
    return RC_OK;
}

void service_stop(struct service *service)
{
    service->stopping = true;
}

const char *service_run(const struct service *service)
{
    return service->run.id;
}

void service_free(struct service **service)
{
    struct service *s = *service;
    if (!s)
        return;
    if (s->port->courier)
        s->port->courier->rest(s->port->courier->self);
    if (s->entered) {
        const struct ledger *l = s->port->ledger;
        struct err err = ERR_INIT;
        if (l->runs->leave(l->self, s->run.id, service_now(s), &err) != RC_OK)
            log_event(LOG_WARN, "run.left-open", "run=%s why=\"%s\"", s->run.id, err.text);
        s->port->processes->leave(s->port->processes->self, &s->run);
    }
    free(s->note);
    free(s);
    *service = NULL;
}

/* What is configured no longer is left alone, and fails no more. */
static void forget_destination(struct service *s)
{
    struct circuit *c = &s->record.circuit[CIRCUIT_DESTINATION];
    if (s->port->destination || c->state == CIRCUIT_CLOSED)
        return;
    circuit_success(c);
    s->record_changed = true;
}

static enum rc load(struct service *s, struct err *err)
{
    const struct ledger *l = s->port->ledger;
    TRY(l->runs->facts(l->self, &s->ledger, err));
    TRY(l->mailboxes->load(l->self, s->set->policy.mailbox, &s->record, err));
    s->record_changed = s->left_over = false;
    s->target.name[0] = '\0';
    for (size_t i = 0; i < CIRCUIT_OF_COUNT; i++) /* whoever was probing has ended its turn */
        if (s->record.circuit[i].state == CIRCUIT_PROBING)
            circuit_nothing(&s->record.circuit[i]);
    forget_destination(s);
    return RC_OK;
}

/* The row is shared by every run of this mailbox; who comes second looks again in its next turn. */
static enum rc save(struct service *s, struct err *err)
{
    if (!s->record_changed)
        return RC_OK;
    const struct ledger *l = s->port->ledger;
    struct change circuit = {.what = CHANGE_CIRCUIT, .fence = NO_FENCE, .mailbox = &s->record};
    TRY(l->work->commit(l->self, s->run.id, service_now(s), &circuit, 1, NULL, err));
    enum rc rc = l->mailboxes->save(l->self, &s->record, service_now(s), err);
    if (rc != RC_OK && rc != RC_CONFLICT)
        return rc;
    s->record_changed = false;
    return RC_OK;
}

/* Nothing is done with the mailbox while its server is left alone. */
static bool mailbox_allowed(struct service *s)
{
    bool allowed = circuit_allows(&s->record.circuit[CIRCUIT_IMAP], service_now(s).wall_ms);
    s->result->mailbox_failed = !allowed;
    if (!allowed && !s->told_failure) /* whoever runs it once must not be left without a word */
        log_event(LOG_ERROR, "mailbox.left-alone", "mailbox=%s why=\"%s\"", s->record.id,
                  s->record.last_error);
    s->told_failure |= !allowed;
    return allowed;
}

/* The ledger is told of looks that went well only so often: what is said of it allows five minutes. */
#define SUCCESS_TOLD_MS MINUTES(2)

static bool success_is_fresh(const struct service *s)
{
    int64_t age = service_now(s).wall_ms - s->record.last_success_ms;
    return age >= 0 && age < SUCCESS_TOLD_MS;
}

static void mailbox_worked(struct service *s)
{
    struct circuit *c = &s->record.circuit[CIRCUIT_IMAP];
    if (s->result->mailbox_failed)
        return;
    if (c->state != CIRCUIT_CLOSED)
        log_event(LOG_NOTE, "mailbox.back", "mailbox=%s", s->record.id);
    else if (s->told_success && s->record.last_error[0] == '\0' && success_is_fresh(s))
        return;
    circuit_success(c);
    s->told_failure = false;
    s->told_success = true;
    s->record.last_success_ms = service_now(s).wall_ms;
    s->record.last_error[0] = '\0';
    s->record_changed = true;
}

/* What was kept aside is back before the inbox is looked at, and goes there after it was recorded. */
static enum rc look_at_inbox(struct service *s, struct err *err)
{
    TRY(hold_back(s, err));
    if (!s->result->mailbox_failed && !s->record.scanning)
        TRY(observe(s, err));
    return hold_new(s, err);
}

static enum rc look(struct service *s, struct err *err)
{
    if (!mailbox_allowed(s))
        return RC_OK;
    TRY(claim_check(s, err));
    if (s->result->mailbox_failed || s->result->other_owner[0])
        return RC_OK;
    /* What was filed had its case before what still lies there. */
    TRY(observe_filed(s, err));
    TRY(look_at_inbox(s, err));
    mailbox_worked(s);
    return RC_OK;
}

/* Before the claim folder was read nobody knows whether this ledger is what it was, and whose the mailbox
 * is: until then no step runs, whatever else could be done. */
static bool effects_wanted(const struct service *s)
{
    bool all_paused = s->record.paused && s->record.paused_effects == 0;
    bool ours = s->claim_read && !s->result->other_owner[0];
    return ours && !all_paused && !s->set->policy.look_only;
}

static bool shares(const struct service *s)
{
    return s->set->node && s->set->node[0];
}

static enum rc when_to_wake(struct service *s, struct err *err)
{
    const struct ledger *l = s->port->ledger;
    struct instant now = service_now(s);
    if (effects_wanted(s)) /* what may not be done is not due */
        TRY(l->work->next_due(l->self, s->record.id, now, &s->result->wake_ms, err));
    int64_t poll = now.wall_ms + s->set->poll_ms;
    const struct circuit *c = &s->record.circuit[CIRCUIT_IMAP];
    if (c->state == CIRCUIT_OPEN && c->next_probe_ms < poll)
        poll = c->next_probe_ms;
    if (shares(s) &&
        now.wall_ms + s->set->lease_ms / 3 < poll) /* or its mailbox is taken from it */
        poll = now.wall_ms + s->set->lease_ms / 3;
    if (s->result->wake_ms == NOT_DUE || poll < s->result->wake_ms)
        s->result->wake_ms = poll;
    s->result->awaiting_choice = s->record.awaiting;
    return RC_OK;
}

static enum rc act(struct service *s, struct err *err)
{
    if (!effects_wanted(s))
        return RC_OK;
    TRY(evidence_late(s, err));
    TRY(perform(s, err));
    return claim_mark(s, err);
}

/* How soon whoever stands by looks again: a mailbox that its run has left waits no longer than that. */
#define STAND_BY_MS SECONDS(5)

static enum rc share(struct service *s, struct err *err)
{
    const struct ledger *l = s->port->ledger;
    bool ours = true;
    if (shares(s))
        TRY(l->runs->share(l->self, s->run.id, s->set->policy.mailbox, s->set->lease_ms, &ours,
                           err));
    if (ours == s->stands_by)
        log_event(LOG_NOTE, ours ? "mailbox.taken" : "mailbox.left", "mailbox=%s run=%.8s",
                  s->set->policy.mailbox, s->run.id);
    s->claim_read &= !s->stands_by; /* another run may have found that the ledger went back */
    s->stands_by = !ours;
    s->quiet.known &= ours;
    s->result->another_has_it = !ours;
    return RC_OK;
}

static void stand_by(struct service *s)
{
    int64_t pause = s->set->lease_ms / 3 < STAND_BY_MS ? s->set->lease_ms / 3 : STAND_BY_MS;
    s->result->wake_ms = service_now(s).wall_ms + pause;
}

static enum rc look_and_act(struct service *s, struct err *err)
{
    bool quiet = false;
    TRY(quiet_check(s, &quiet, err));
    if (quiet) {
        mailbox_worked(s);
        TRY(save(s, err));
        s->quiet.version = s->record.version;
        return RC_OK;
    }
    s->quiet.known = false; /* the server gives its news once, and this turn may end early */
    TRY(look(s, err));
    TRY(act(s, err));
    TRY(save(s, err));
    quiet_note(s);
    return RC_OK;
}

static enum rc turn(struct service *s, struct err *err)
{
    TRY(load(s, err));
    TRY(recover(s, err));
    TRY(share(s, err));
    if (s->stands_by) {
        stand_by(s);
        return RC_OK;
    }
    TRY(look_and_act(s, err));
    return when_to_wake(s, err);
}

enum rc service_tick(struct service *service, struct tick_result *out, struct err *err)
{
    *out = (struct tick_result){.wake_ms = NOT_DUE};
    service->result = out;
    struct err why = ERR_INIT;
    enum rc rc = turn(service, &why);
    shelf_clear(service);
    service->result = NULL;
    if (rc ==
        RC_CONFLICT) { /* another run changed what this turn had read: the next one reads it anew */
        out->wake_ms = service_now(service).wall_ms + service->set->retry.first_ms;
        return RC_OK;
    }
    return rc == RC_OK ? rc : FAIL(err, rc, "%s", why.text);
}
