/* SPDX-License-Identifier: Apache-2.0 */
#include "service_p.h"

/* Attachments before they are stored. The answer is not kept: what a run that died had asked is asked
 * once more. */

struct scanning {
    struct batch *b;
    struct job *job;
    struct work_effect *effect;
    struct work_attachment *attachment;
    struct scan_verdict verdict;
};

static struct circuit *circuit(struct service *s)
{
    return &s->record.circuit[CIRCUIT_SCANNER];
}

/* ---- asking ------------------------------------------------------------------------------------- */

static enum rc hand_over(void *ctx, struct slice octets, struct err *err)
{
    const struct scanner *scanner = ctx;
    return scanner->add(scanner->self, octets)
               ? RC_OK
               : FAIL(err, RC_NOT_FOUND, "scanner: it has answered");
}

/* Octets that cannot be read are no answer of the scanner's. */
static enum rc ask(struct scanning *x, const char *spool, struct err *err)
{
    struct service *s = x->b->s;
    struct scanner scanner = *s->port->scanner;
    struct blob_sink sink = {&scanner, hand_over};
    struct err why = ERR_INIT;
    scanner.begin(scanner.self);
    enum rc rc = s->port->blobs->read(s->port->blobs->self, spool, &sink, &why);
    scanner.end(scanner.self, &x->verdict);
    bool early = rc == RC_NOT_FOUND && x->verdict.answer != SCAN_CLEAN;
    return rc == RC_OK || early ? RC_OK : FAIL(err, rc, "%s", why.text);
}

/* ---- what the answer means ---------------------------------------------------------------------- */

static struct effect_change *step(struct scanning *x, enum effect_event on, enum outcome outcome)
{
    struct effect_change *c = batch_step(x->b, x->job, x->effect, on);
    c->outcome = outcome;
    return c;
}

static void may_be_stored(struct scanning *x, enum scanned as)
{
    x->job->scanned[x->attachment - x->job->item.attachment] = as;
}

static void refuse(struct scanning *x, enum exception why)
{
    step(x, ON_REFUSE, OUTCOME_REFUSED)->reason = exception_text(why);
    x->attachment->refused = true;
    text_copy(x->attachment->reason, sizeof x->attachment->reason, exception_text(why));
}

static void found(struct scanning *x)
{
    refuse(x, EXCEPTION_INFECTED);
    batch_external(x->b, x->verdict.said);
    log_event(LOG_WARN, "attachment.quarantined", "key=%s target=%.2s found=\"%s\"",
              x->job->item.key, x->effect->target, x->verdict.said);
}

static void too_large(struct scanning *x)
{
    if (x->b->s->set->accept_unscanned)
        may_be_stored(x, ACCEPTED_UNSCANNED);
    else
        refuse(x, EXCEPTION_NOT_SCANNED);
}

/* Tried by the item's own time until that is used up; then a person is asked. */
static void later(struct scanning *x)
{
    struct service *s = x->b->s;
    int64_t now = service_now(s).wall_ms;
    int64_t first = x->effect->first_try_ms == NOT_DUE ? now : x->effect->first_try_ms;
    struct effect_change *c = step(x, ON_DEFER, OUTCOME_DEFERRED);
    c->reason = "scanner";
    c->counts = true;
    c->due_ms = now + service_backoff(s, x->effect->attempts);
    if (now - first >= s->set->give_up_after_ms)
        job_wait(x->job, REASON_GAVE_UP);
    else
        job_due(x->job, c->due_ms);
}

static void stop_asking(struct service *s, const struct scan_verdict *v)
{
    if (circuit(s)->state == CIRCUIT_CLOSED)
        log_event(LOG_ERROR, "scans.stopped", "mailbox=%s reason=\"%s\"", s->record.id, v->said);
    circuit_fault(circuit(s), &s->set->retry, scan_text(v->answer), service_now(s).wall_ms,
                  s->port->processes->random(s->port->processes->self));
}

/* One that meets a fault for the third time while others pass may be its cause. */
static void servers(struct scanning *x)
{
    struct service *s = x->b->s;
    if (x->effect->server_faults >= 2) {
        later(x);
        return;
    }
    stop_asking(s, &x->verdict);
    struct effect_change *c = step(x, ON_DEFER, OUTCOME_DEFERRED);
    c->reason = "scanner";
    c->due_ms = circuit(s)->next_probe_ms;
    job_due(x->job, c->due_ms);
}

/* Any whole answer shows that the scanner works. */
static void well(struct service *s)
{
    if (circuit(s)->state != CIRCUIT_CLOSED)
        log_event(LOG_NOTE, "scans.back", "mailbox=%s", s->record.id);
    circuit_success(circuit(s));
}

static void settle(struct scanning *x)
{
    enum fault fault = scan_row_of(x->verdict.answer)->fault;
    if (fault == FAULT_SERVER)
        servers(x);
    else if (fault == FAULT_ITEM_LATER)
        later(x);
    else if (x->verdict.answer == SCAN_FOUND)
        found(x);
    else if (x->verdict.answer == SCAN_TOO_LARGE)
        too_large(x);
    else
        may_be_stored(x, SCANNED_CLEAN);
    if (fault != FAULT_SERVER)
        well(x->b->s);
}

/* ---- each --------------------------------------------------------------------------------------- */

static void scan_it(struct scanning *x)
{
    CLEANUP(str_clear) struct str spool = STR_INIT;
    struct err why = ERR_INIT;
    enum rc rc = attachment_spool(x->b, x->job, x->attachment, &spool, &why);
    if (rc == RC_OK)
        rc = ask(x, str_z(&spool), &why);
    if (rc == RC_OK)
        settle(x);
    else
        attachment_failed(x->b, x->job, x->effect, rc, &why);
}

/* A scanner that failed is probed with something harmless, never with a mail: whoever meets a fault has
 * met it while the scanner was well, and a file that ends it keeps no other from it. */
static bool probe(struct service *s)
{
    struct scanner scanner = *s->port->scanner;
    struct scan_verdict v;
    scanner.begin(scanner.self);
    scanner.add(scanner.self, SLICE("onecase"));
    scanner.end(scanner.self, &v);
    if (v.answer == SCAN_CLEAN)
        well(s);
    else
        stop_asking(s, &v);
    return v.answer == SCAN_CLEAN;
}

static bool may_ask(struct service *s)
{
    if (!circuit_allows(circuit(s), service_now(s).wall_ms))
        return false;
    return circuit(s)->state != CIRCUIT_PROBING || probe(s);
}

/* What its answer causes is durable before the next is asked, the circuit with it. */
static enum rc scan_one(struct scanning *x, struct err *err)
{
    struct service *s = x->b->s;
    if (s->stopping)
        return RC_OK;
    if (may_ask(s))
        scan_it(x);
    else
        job_due(x->job, circuit(s)->next_probe_ms);
    batch_add(x->b, NULL, CHANGE_CIRCUIT)->mailbox = &s->record;
    TRY(service_renew(s, err));
    return batch_commit(x->b, err);
}

static enum rc scan_of(struct batch *b, struct job *job, struct err *err)
{
    if (!job->scanned)
        job->scanned = mem_new(job->item.attachments + 1, sizeof *job->scanned);
    for (size_t k = 0; k < job->item.effects; k++) {
        struct work_effect *e = &job->item.effect[k];
        struct scanning x = {.b = b, .job = job, .effect = e};
        x.attachment = attachment_planned(job, e);
        if (x.attachment && attachment_wanted(b, job, e))
            TRY(scan_one(&x, err));
    }
    return RC_OK;
}

enum rc scan_attachments(struct batch *b, struct err *err)
{
    if (!b->s->port->scanner)
        return RC_OK;
    for (size_t i = 0; i < b->count; i++)
        TRY(scan_of(b, &b->job[i], err));
    return RC_OK;
}
