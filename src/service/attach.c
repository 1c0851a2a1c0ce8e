/* SPDX-License-Identifier: Apache-2.0 */
#include "service_p.h"

#include <stdlib.h>
#include <string.h>

/* ---- originals: kept under items/ before anything is made of them --------------------------- */

static const struct work_delivery *fetchable(const struct job *job)
{
    for (size_t i = 0; i < job->item.deliveries; i++) {
        const struct work_delivery *d = &job->item.delivery[i];
        if (!d->stale && digest_eq(&d->octets, &job->item.octets))
            return d;
    }
    return NULL;
}

/* incoming/ has lost it (another item with the same octets took it, or a person did): the message
 * itself is still the truth, where it still stands. */
static enum rc fetch_again(struct batch *b, struct job *job, struct err *err)
{
    const struct work_delivery *d = fetchable(job);
    if (!d)
        return FAIL(err, RC_NOT_FOUND, "original: neither stored nor in the mailbox");
    struct mail_line line = {.uid = d->uid, .internal_ms = d->internal_ms};
    struct place place = {d->folder, d->uidvalidity};
    CLEANUP(fetched_clear) struct fetched_set got = {0};
    enum rc rc = fetch_messages(b->s, &place, &line, 1, &got, err);
    bool same = rc == RC_OK && got.count == 1 && got.at[0].whole &&
                digest_eq(&got.at[0].octets, &job->item.octets);
    if (rc != RC_OK && rc != RC_CONFLICT)
        return rc;
    return same ? RC_OK
                : FAIL(err, RC_NOT_FOUND, "original: the message is no longer in the mailbox");
}

/* What became of those that were kept so far: one failure is the failure of all of them. */
struct settled {
    enum rc rc;
    struct err why;
};

static void settle(struct batch *b, struct settled *all)
{
    const struct blobs *blobs = b->s->port->blobs;
    struct err why = ERR_INIT;
    enum rc rc = blobs->settle(blobs->self, &why);
    if (all->rc == RC_OK)
        *all = (struct settled){rc, why};
}

/* Fetching settles by itself what came, and with it all that was kept before: that is done first, where its
 * failure is not taken for one of the fetch alone. */
static enum rc keep_original(struct batch *b, struct job *job, struct settled *all, struct err *err)
{
    const struct blobs *blobs = b->s->port->blobs;
    enum rc rc = blobs->keep_original(blobs->self, &job->item.octets, job->item.key, err);
    if (rc != RC_NOT_FOUND)
        return rc;
    settle(b, all);
    TRY(fetch_again(b, job, err));
    return blobs->keep_original(blobs->self, &job->item.octets, job->item.key, err);
}

/* Gives the item back until the next try: nothing is made of it in this turn. */
static void come_back_later(struct batch *b, struct job *job)
{
    batch_add(b, job, CHANGE_ITEM)->item =
        (struct item_change){.keep = true,
                             .from = job->item.state,
                             .release = true,
                             .due_ms = service_now(b->s).wall_ms + service_backoff(b->s, 0)};
    job->lost = true;
}

/* What a disk or a server cannot do now is done later; what can never be had is a person's. */
static void original_failed(struct batch *b, struct job *job, enum rc rc, const struct err *why)
{
    if (rc == RC_NOT_FOUND)
        job_wait(job, REASON_ORIGINAL_LOST);
    else if (rc == RC_CONFLICT)
        job_wait(job, REASON_FILE_DIFFERS);
    else
        come_back_later(b, job);
    log_event(LOG_ERROR, "original.failed", "key=%s rc=%s why=\"%s\"", job->item.key, rc_text(rc),
              why->text);
    if (rc == RC_DEFERRED || rc == RC_BROKEN)
        b->s->result->disk_full = true;
}

static bool original_wanted(const struct job *job)
{
    return !job->item.original_kept && !digest_is_zero(&job->item.octets) && job_live(job);
}

/* One that failed is lost to this turn or waits: what is still wanted after it was kept. */
static void keep_originals(struct batch *b, struct settled *all)
{
    for (size_t i = 0; i < b->count; i++) {
        struct job *job = &b->job[i];
        struct err why = ERR_INIT;
        enum rc rc = original_wanted(job) ? keep_original(b, job, all, &why) : RC_OK;
        if (rc != RC_OK)
            original_failed(b, job, rc, &why);
    }
}

/* All of a batch are made durable at once, and only then recorded. */
static void record_originals(struct batch *b, struct settled *all)
{
    settle(b, all);
    for (size_t i = 0; i < b->count; i++) {
        struct job *job = &b->job[i];
        if (original_wanted(job) && all->rc == RC_OK)
            batch_add(b, job, CHANGE_ORIGINAL);
        else if (original_wanted(job))
            original_failed(b, job, all->rc, &all->why);
    }
}

enum rc store_originals(struct batch *b, struct err *err)
{
    struct settled all = {RC_OK, ERR_INIT};
    keep_originals(b, &all);
    record_originals(b, &all);
    TRY(batch_commit(b, err));
    for (size_t i = 0; i < b->count; i++)
        if (b->job[i].item.original_kept && !b->job[i].lost)
            incoming_forget(b->s, &b->job[i].item.octets);
    return RC_OK;
}

/* ---- attachments ----------------------------------------------------------------------------- */

struct work_attachment *attachment_planned(struct job *job, const struct work_effect *effect)
{
    for (size_t i = 0; i < job->item.attachments; i++)
        if (strcmp(job->item.attachment[i].stored_name, effect->target) == 0)
            return &job->item.attachment[i];
    return NULL;
}

static enum rc read_again(struct batch *b, struct job *job, struct err *err)
{
    job->read = job->read || shelf_take(b->s, &job->item.octets, &job->message);
    if (job->read)
        return RC_OK;
    char path[BLOB_PATH_SIZE];
    blob_path_original(job->item.key, path);
    const struct reader *reader = b->s->port->reader;
    TRY(reader->read(reader->self, path, &job->message, err));
    job->read = true;
    return RC_OK;
}

/* The plan stands: what is stored has the digest that was planned, whatever a reader makes of the
 * original today. */
enum rc attachment_spool(struct batch *b,
                         struct job *job,
                         const struct work_attachment *a,
                         struct str *out,
                         struct err *err)
{
    TRY(read_again(b, job, err));
    if (a->part >= job->message.part_count ||
        !digest_eq(&job->message.parts[a->part].sha256, &a->sha256))
        return FAIL(err, RC_CONFLICT, "attachment: the original gives other octets than planned");
    str_add(out, message_slice(&job->message, job->message.parts[a->part].file));
    return RC_OK;
}

static enum rc keep(struct batch *b,
                    struct job *job,
                    const struct work_attachment *a,
                    const struct str *spool,
                    struct err *err)
{
    const struct blobs *blobs = b->s->port->blobs;
    return blobs->keep_attachment(blobs->self, job->item.key, a->stored_name, str_z(spool),
                                  &a->sha256, err);
}

int attachment_shown(const char *target)
{
    const char *slash = strrchr(target, '/');
    const char *number = slash ? slash + 1 : target;
    return (int)(number - target) + (int)strspn(number, "0123456789");
}

void attachment_failed(
    struct batch *b, struct job *job, struct work_effect *e, enum rc rc, const struct err *why)
{
    bool differs = rc == RC_CONFLICT; /* another file stands there (B02): never overwritten */
    bool lost = rc == RC_REFUSED || rc == RC_NOT_FOUND; /* it cannot be read any more */
    if (differs || lost)
        job_wait(job, differs ? REASON_FILE_DIFFERS : REASON_ORIGINAL_LOST);
    struct effect_change *c = batch_step(b, job, e, ON_DEFER);
    c->outcome = OUTCOME_DEFERRED;
    c->reason = rc_text(rc);
    c->due_ms = service_now(b->s).wall_ms + service_backoff(b->s, e->attempts);
    log_event(LOG_ERROR, "attachment.failed", "key=%s target=%.*s why=\"%s\"", job->item.key,
              attachment_shown(e->target), e->target, why->text);
}

static void kept(struct batch *b,
                 struct job *job,
                 struct work_effect *e,
                 const struct work_attachment *a,
                 enum rc rc,
                 const struct err *why)
{
    if (rc != RC_OK) {
        attachment_failed(b, job, e, rc, why);
        return;
    }
    size_t at = (size_t)(a - job->item.attachment);
    bool unscanned = job->scanned && job->scanned[at] == ACCEPTED_UNSCANNED;
    struct effect_change *c = batch_step(b, job, e, ON_DONE);
    c->outcome = OUTCOME_DONE;
    /* why it had to wait is told by its tries */
    c->reason = unscanned ? exception_text(EXCEPTION_NOT_SCANNED) : "";
}

bool attachment_wanted(struct batch *b, const struct job *job, const struct work_effect *e)
{
    return job_live(job) && job->item.original_kept && e->kind == EFFECT_ATTACHMENT &&
           !strchr(e->target, '/') && /* sent on to a destination: place.c */
           effect_due(e, service_now(b->s).wall_ms);
}

/* Nothing is stored before the scanner has spoken. */
static bool may_be_stored(struct batch *b, struct job *job, const struct work_effect *e)
{
    const struct work_attachment *a = attachment_planned(job, e);
    if (!attachment_wanted(b, job, e))
        return false;
    return !b->s->port->scanner ||
           (a && job->scanned && job->scanned[a - job->item.attachment] != NOT_SCANNED);
}

static enum rc arm_attachments(struct batch *b, struct err *err)
{
    for (size_t i = 0; i < b->count; i++)
        for (size_t k = 0; k < b->job[i].item.effects; k++)
            if (may_be_stored(b, &b->job[i], &b->job[i].item.effect[k]))
                batch_step(b, &b->job[i], &b->job[i].item.effect[k], ON_ARM);
    return batch_commit(b, err);
}

/* What a dead run had begun is kept once more: that compares where the file stands, and makes its
 * name durable, which the dead run may not have come to. */
static void look_again(struct batch *b, struct job *job, struct work_effect *e)
{
    const struct work_attachment *a = attachment_planned(job, e);
    struct err why = ERR_INIT;
    if (!a || !job->item.original_kept)
        return;
    const struct blobs *blobs = b->s->port->blobs;
    CLEANUP(str_clear) struct str spool = STR_INIT;
    enum rc rc = attachment_spool(b, job, a, &spool, &why);
    if (rc == RC_OK)
        rc = keep(b, job, a, &spool, &why);
    if (rc == RC_OK)
        rc = blobs->settle(blobs->self, &why);
    if (rc != RC_OK && rc != RC_CONFLICT && rc != RC_REFUSED && rc != RC_NOT_FOUND)
        return;
    batch_evidence(b, job, e, "read-back", rc == RC_OK, a->stored_name);
    batch_step(b, job, e, rc == RC_OK ? ON_EVIDENCE : ON_ABSENCE)->reason = "";
}

static enum rc attachments_check(struct batch *b, struct err *err)
{
    for (size_t i = 0; i < b->count; i++)
        for (size_t k = 0; k < b->job[i].item.effects; k++) {
            struct work_effect *e = &b->job[i].item.effect[k];
            if (job_live(&b->job[i]) && e->kind == EFFECT_ATTACHMENT && e->status == EFFECT_UNKNOWN)
                look_again(b, &b->job[i], e);
        }
    return batch_commit(b, err);
}

/* The files of a batch on their way: decoded, then durable, then named, then their names durable. */
struct storing {
    struct job *job;
    struct work_effect *effect;
    const struct work_attachment *attachment;
    struct str spool;
    bool failed;
};

struct storings {
    struct storing *at;
    size_t count;
};

static void storings_clear(struct storings *all)
{
    for (size_t i = 0; i < all->count; i++)
        str_clear(&all->at[i].spool);
    free(all->at);
}

static void storing_failed(struct batch *b, struct storing *x, enum rc rc, const struct err *why)
{
    x->failed = true;
    attachment_failed(b, x->job, x->effect, rc, why);
}

static void decode_of(struct batch *b, struct job *job, struct storings *all)
{
    for (size_t k = 0; k < job->item.effects; k++) {
        struct work_effect *e = &job->item.effect[k];
        const struct work_attachment *a = attachment_planned(job, e);
        if (!a || job->lost || e->kind != EFFECT_ATTACHMENT || e->status != EFFECT_ATTEMPTING)
            continue;
        all->at = mem_grow(all->at, all->count + 1, sizeof *all->at);
        struct storing *x = &all->at[all->count++];
        *x = (struct storing){.job = job, .effect = e, .attachment = a, .spool = STR_INIT};
        struct err why = ERR_INIT;
        enum rc rc = attachment_spool(b, job, a, &x->spool, &why);
        if (rc != RC_OK)
            storing_failed(b, x, rc, &why);
    }
}

/* Of one that has gone its own look tells whether it was kept before. */
static void sync_spools(struct batch *b, struct storings *all)
{
    const struct blobs *blobs = b->s->port->blobs;
    CLEANUP(mem_free) const char **spool = mem_new(all->count + 1, sizeof *spool);
    size_t count = 0;
    struct err why = ERR_INIT;
    for (size_t i = 0; i < all->count; i++)
        if (!all->at[i].failed)
            spool[count++] = str_z(&all->at[i].spool);
    enum rc rc = count > 0 ? blobs->sync_spools(blobs->self, spool, count, &why) : RC_OK;
    for (size_t i = 0; i < all->count && rc != RC_OK && rc != RC_NOT_FOUND; i++)
        if (!all->at[i].failed)
            storing_failed(b, &all->at[i], rc, &why);
}

static void name_files(struct batch *b, struct storings *all)
{
    for (size_t i = 0; i < all->count; i++) {
        struct storing *x = &all->at[i];
        struct err why = ERR_INIT;
        enum rc rc = x->failed ? RC_OK : keep(b, x->job, x->attachment, &x->spool, &why);
        if (rc != RC_OK)
            storing_failed(b, x, rc, &why);
    }
}

static void settle_files(struct batch *b, const struct storings *all)
{
    const struct blobs *blobs = b->s->port->blobs;
    struct err why = ERR_INIT;
    enum rc rc = blobs->settle(blobs->self, &why);
    for (size_t i = 0; i < all->count; i++)
        if (!all->at[i].failed)
            kept(b, all->at[i].job, all->at[i].effect, all->at[i].attachment, rc, &why);
}

enum rc store_attachments(struct batch *b, struct err *err)
{
    if (!service_may(b->s, EFFECT_ATTACHMENT))
        return RC_OK;
    TRY(attachments_check(b, err));
    TRY(scan_attachments(b, err));
    TRY(arm_attachments(b, err));
    CLEANUP(storings_clear) struct storings all = {0};
    for (size_t i = 0; i < b->count; i++)
        decode_of(b, &b->job[i], &all);
    sync_spools(b, &all);
    name_files(b, &all);
    settle_files(b, &all);
    return batch_commit(b, err);
}
