/* SPDX-License-Identifier: Apache-2.0 */
#include "service_p.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading back ------------------------------------------------------------------------------- */

/* RC_OK: hashed as planned. RC_NOT_FOUND or RC_CONFLICT: not there, or something else. Else: not now. */
static enum rc file_stands(struct batch *b,
                           const struct job *job,
                           const struct work_attachment *a,
                           struct err *err)
{
    char path[BLOB_PATH_SIZE];
    struct digest found;
    int64_t size;
    blob_path_attachment(job->item.key, a->stored_name, path);
    TRY(blob_digest(b->s->port->blobs, path, &found, &size, err));
    if (!digest_eq(&found, &a->sha256))
        return FAIL(err, RC_CONFLICT, "attachment: %s is not what was stored", a->stored_name);
    return RC_OK;
}

static enum rc read_back_files(struct batch *b,
                               const struct job *job,
                               struct acceptance_facts *facts,
                               struct err *err)
{
    for (size_t i = 0; i < job->item.attachments; i++) {
        const struct work_attachment *a = &job->item.attachment[i];
        if (a->refused) {
            facts->exceptions++;
            continue;
        }
        facts->files_planned++;
        enum rc rc = file_stands(b, job, a, err);
        if (rc == RC_OK)
            facts->files_hashed++;
        else if (rc != RC_NOT_FOUND && rc != RC_CONFLICT)
            return rc;
    }
    return RC_OK;
}

static enum rc
read_back(struct batch *b, struct job *job, struct acceptance_facts *facts, struct err *err)
{
    const struct ledger *l = b->s->port->ledger;
    const struct work_effect *answer = job_effect(job, EFFECT_ACKNOWLEDGEMENT);
    *facts = (struct acceptance_facts){
        .disposition = job->item.disposition,
        .has_acknowledgement = answer != NULL,
        .acknowledgement = answer ? answer->status : EFFECT_PLANNED,
        .decided = job->item.decided,
    };
    enum rc rc = l->work->case_stands(l->self, job->item.key, err);
    if (rc != RC_OK && rc != RC_NOT_FOUND)
        return rc;
    facts->case_read_back = rc == RC_OK && cases_stand(job);
    facts->recorded = rc == RC_OK;
    return read_back_files(b, job, facts, err);
}

/* ---- judging ------------------------------------------------------------------------------------ */

static bool ready(const struct job *job)
{
    if (!job_live(job) || job->item.state != ITEM_IN_PROGRESS)
        return false;
    for (size_t i = 0; i < job->item.effects; i++) {
        const struct work_effect *e = &job->item.effect[i];
        if (e->kind != EFFECT_MOVE && e->kind != EFFECT_WEBHOOK && !effect_settled(e->status))
            return false;
    }
    return true;
}

static enum rc judge(struct batch *b, struct job *job, struct err *err)
{
    struct acceptance_facts facts;
    struct err why = ERR_INIT;
    if (!ready(job))
        return RC_OK;
    enum rc rc = read_back(b, job, &facts, &why);
    if (rc != RC_OK) {
        log_event(LOG_ERROR, "acceptance.failed", "key=%s why=\"%s\"", job->item.key, why.text);
        return rc == RC_BROKEN || rc == RC_DEFERRED ? FAIL(err, rc, "%s", why.text) : RC_OK;
    }
    acceptance_judge(&facts, &job->acceptance);
    batch_add(b, job, CHANGE_ACCEPTANCE)->acceptance = &job->acceptance;
    job->accepted = job->acceptance.holds;
    if (!job->accepted && facts.files_hashed < facts.files_planned)
        job_wait(job, REASON_FILE_DIFFERS);
    return RC_OK;
}

/* ---- arming the moves, in the transaction that stores the conditions ---------------------------- */

const struct work_delivery *move_delivery(const struct job *job, const struct work_effect *e)
{
    long long id = strtoll(e->target, NULL, 10);
    for (size_t i = 0; i < job->item.deliveries; i++)
        if (job->item.delivery[i].id == id)
            return &job->item.delivery[i];
    return NULL;
}

static bool may_leave(struct batch *b, const struct job *job, const struct work_effect *e)
{
    bool stands =
        job->item.state == ITEM_COMPLETE || (job->item.state == ITEM_IN_PROGRESS && job->accepted);
    return stands && !job->lost && !job->waits && e->kind == EFFECT_MOVE &&
           effect_due(e, service_now(b->s).wall_ms) && move_delivery(job, e);
}

/* How far Processed is accounted for: a ledger that goes back in time reads on from here. */
static void remember_processed(struct service *s)
{
    const struct target_folder *target = &s->target;
    struct mailbox_record *r = &s->record;
    if (strcmp(target->name, s->set->policy.folder_processed) != 0 || r->scanning)
        return;
    s->record_changed |= r->processed_uidnext != target->state.uidnext;
    r->processed_uidvalidity = target->state.uidvalidity;
    r->processed_uidnext = target->state.uidnext;
}

static enum rc arm_move(struct batch *b, struct job *job, struct work_effect *e, struct err *err)
{
    const struct folder_state *target = &b->s->target.state;
    TRY(target_look(b->s, move_delivery(job, e)->move_to, err));
    remember_processed(b->s);
    struct effect_change *c = batch_step(b, job, e, ON_ARM);
    c->processed_uidvalidity = e->processed_uidvalidity = target->uidvalidity;
    c->processed_uidnext = e->processed_uidnext = target->uidnext;
    return RC_OK;
}

/* The intent of a move records where its target folder ended: after a crash only what came later can
 * be this message. */
static void arm_moves(struct batch *b)
{
    for (size_t i = 0; i < b->count; i++)
        for (size_t k = 0; k < b->job[i].item.effects; k++) {
            struct job *job = &b->job[i];
            struct err why = ERR_INIT;
            if (b->s->result->mailbox_failed || !may_leave(b, job, &job->item.effect[k]))
                continue;
            if (arm_move(b, job, &job->item.effect[k], &why) != RC_OK)
                service_mailbox_fault(b->s, &why);
        }
}

enum rc accept_items(struct batch *b, struct err *err)
{
    for (size_t i = 0; i < b->count; i++)
        TRY(judge(b, &b->job[i], err));
    if (service_may(b->s, EFFECT_MOVE))
        arm_moves(b);
    b->armed_boot_ms = service_now(b->s).boot_ms;
    return batch_commit(b, err);
}
