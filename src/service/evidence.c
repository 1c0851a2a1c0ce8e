/* SPDX-License-Identifier: Apache-2.0 */
#include "service_p.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- looking for our own letter ---------------------------------------------------------------- */

enum sought { SOUGHT_FOUND, SOUGHT_NOT_FOUND, SOUGHT_NOWHERE, SOUGHT_UNREADABLE };

/* clang-format off */
static const struct {
    const char *header;
    const char *before, *after;    /* what stands around EFFECT there */
} traces[] = {
    { "X-Onecase-Acknowledgement",       "",      ""  },
    { "Message-ID",                      "<ack.", "@" },
    { "X-Microsoft-Original-Message-ID", "<ack.", "@" },
};
/* clang-format on */

/* Only a copy with our proof counts: anybody can write our Message-ID. */
static bool copy_proven(const struct service *s, const char *effect, struct slice header)
{
    struct slice raw;
    CLEANUP(str_clear) struct str proof = STR_INIT;
    if (!header_first(header, "X-Onecase-Proof", &raw))
        return false;
    header_unfold(raw, &proof);
    struct slice secret = {(const char *)s->ledger.secret.octet, DIGEST_SIZE};
    return acknowledgement_proven(secret, effect, str_slice(&proof));
}

static enum rc look_at(struct service *s,
                       const char *effect,
                       const struct place *place,
                       uint32_t uid,
                       uint32_t *found,
                       struct err *err)
{
    CLEANUP(str_clear) struct str header = STR_INIT;
    TRY(fetch_header(s, place, uid, &header, err));
    if (copy_proven(s, effect, str_slice(&header)))
        *found = uid;
    return RC_OK;
}

static enum rc search(
    struct service *s, const char *effect, uint32_t *found, uint32_t *uidvalidity, struct err *err)
{
    const struct mailbox *m = s->port->mailbox;
    for (size_t i = 0; i < LENGTH(traces) && !*found; i++) {
        CLEANUP(mem_free) uint32_t *uid = NULL;
        CLEANUP(str_clear) struct str value = STR_INIT;
        size_t count = 0;
        str_addf(&value, "%s%s%s", traces[i].before, effect, traces[i].after);
        TRY(m->search(m->self, s->set->evidence_folder, traces[i].header, str_z(&value),
                      uidvalidity, &uid, &count, err));
        struct place place = {s->set->evidence_folder, *uidvalidity};
        for (size_t k = 0; k < count && !*found; k++)
            TRY(look_at(s, effect, &place, uid[k], found, err));
    }
    return RC_OK;
}

/* `where` says what was looked at, in the ledger's words: folder and UID, or why not. */
static enum sought
seek(struct service *s, const char *effect, char *where, size_t room, struct err *err)
{
    uint32_t found = 0, uidvalidity = 0;
    text_copy(where, room, s->set->evidence_folder);
    if (!s->set->evidence_folder[0])
        return s->set->copy_to[0] ? SOUGHT_NOT_FOUND : SOUGHT_NOWHERE;
    if (s->result->mailbox_failed || search(s, effect, &found, &uidvalidity, err) != RC_OK) {
        snprintf(where, room, "%s: could not be searched", s->set->evidence_folder);
        return SOUGHT_UNREADABLE;
    }
    if (!found)
        return SOUGHT_NOT_FOUND;
    snprintf(where, room, "%s %u:%u", s->set->evidence_folder, (unsigned)uidvalidity,
             (unsigned)found);
    return SOUGHT_FOUND;
}

/* ---- doubts under our lease -------------------------------------------------------------------- */

static void not_found(struct batch *b, struct job *job, struct work_effect *e, enum sought sought)
{
    struct service *s = b->s;
    int64_t now = service_now(s).wall_ms;
    int64_t until = e->armed_ms + (sought == SOUGHT_NOWHERE ? 0 : s->set->evidence_wait_ms);
    if (now >= until) {
        job_wait(job, REASON_UNKNOWN_SENT);
        return;
    }
    int64_t soon = service_look_again(s, e->armed_ms);
    job_due(job, soon < until ? soon : until);
}

static void check(struct batch *b, struct job *job, struct work_effect *e)
{
    char effect[EFFECT_ID_SIZE];
    char where[NOTE_SIZE];
    struct err why = ERR_INIT;
    acknowledgement_id(job->item.key, answer_target(job, e), effect);
    enum sought sought = seek(b->s, effect, where, sizeof where, &why);
    if (sought == SOUGHT_UNREADABLE)
        log_event(LOG_WARN, "evidence.unreadable", "key=%s why=\"%s\"", job->item.key, why.text);
    if (sought == SOUGHT_FOUND) {
        batch_evidence(b, job, e, "evidence-folder", true, where);
        batch_step(b, job, e, ON_EVIDENCE);
    } else {
        not_found(b, job, e, sought);
        if (job->waits && sought != SOUGHT_NOWHERE)
            batch_evidence(b, job, e, "evidence-folder", false, where);
    }
}

/* A person said that it was not sent: before it is sent once more it is looked for once more. Where that
 * cannot be done nothing is concluded, and nothing sent. */
static void check_again(struct batch *b, struct job *job, struct work_effect *e)
{
    char effect[EFFECT_ID_SIZE];
    char where[NOTE_SIZE];
    struct err why = ERR_INIT;
    acknowledgement_id(job->item.key, answer_target(job, e), effect);
    enum sought sought = seek(b->s, effect, where, sizeof where, &why);
    if (sought != SOUGHT_NOWHERE)
        batch_evidence(b, job, e, "evidence-folder", sought == SOUGHT_FOUND, where);
    if (sought == SOUGHT_FOUND)
        batch_step(b, job, e, ON_EVIDENCE);
    if (sought != SOUGHT_UNREADABLE)
        return;
    log_event(LOG_WARN, "evidence.unreadable", "key=%s why=\"%s\"", job->item.key, why.text);
    batch_step(b, job, e, ON_DEFER)->due_ms = service_look_again(b->s, service_now(b->s).wall_ms);
}

static bool sent_once_more(const struct batch *b, const struct work_effect *e)
{
    return e->first_doubt_ms != NOT_DUE && effect_due(e, service_now(b->s).wall_ms) &&
           service_may(b->s, EFFECT_ACKNOWLEDGEMENT);
}

enum rc evidence_check(struct batch *b, struct err *err)
{
    for (size_t i = 0; i < b->count; i++)
        for (size_t k = 0; k < b->job[i].item.effects; k++) {
            struct work_effect *e = &b->job[i].item.effect[k];
            bool working = b->job[i].item.state == ITEM_IN_PROGRESS;
            if (!job_live(&b->job[i]) || !working || e->kind != EFFECT_ACKNOWLEDGEMENT)
                continue;
            if (e->status == EFFECT_UNKNOWN)
                check(b, &b->job[i], e);
            else if (sent_once_more(b, e))
                check_again(b, &b->job[i], e);
        }
    return batch_commit(b, err);
}

/* ---- late evidence: a person is asked already -------------------------------------------------- */

static enum rc
settle_late(struct service *s, const struct doubt *d, const char *where, struct err *err)
{
    struct change change[] = {
        {.what = CHANGE_EVIDENCE,
         .key = d->key,
         .fence = NO_FENCE,
         .evidence =
             {.effect = d->effect, .kind = "evidence-folder", .found = true, .where = where}},
        {.what = CHANGE_EFFECT,
         .key = d->key,
         .fence = NO_FENCE,
         .effect =
             {.effect = d->effect, .from = EFFECT_UNKNOWN, .on = ON_EVIDENCE, .due_ms = NOT_DUE}},
        {.what = CHANGE_ITEM,
         .key = d->key,
         .fence = NO_FENCE,
         .item = {.from = ITEM_NEEDS_RECONCILIATION,
                  .on = ITEM_ON_EVIDENCE,
                  .due_ms = service_now(s).wall_ms}},
    };
    const struct ledger *l = s->port->ledger;
    s->result->moved = true;
    enum rc rc =
        l->work->commit(l->self, s->run.id, service_now(s), change, LENGTH(change), NULL, err);
    return rc == RC_CONFLICT ? RC_OK : rc; /* a person, or another run, was quicker */
}

static enum rc look_late(struct service *s, const struct doubt *d, struct err *err)
{
    char where[NOTE_SIZE];
    struct err why = ERR_INIT;
    if (seek(s, d->effect_id, where, sizeof where, &why) != SOUGHT_FOUND)
        return RC_OK;
    log_event(LOG_NOTE, "evidence.late", "key=%s", d->key);
    return settle_late(s, d, where, err);
}

/* Each look is a search or three of what may be a large folder, and thousands may be in doubt at once: a
 * twentieth of the time is theirs, and in one turn no more than a second and the look that is under way then. */
#define LATE_MS      1000
#define LATE_SHARE   20
#define LATE_AT_ONCE 32

static bool late_goes_on(const struct service *s, int64_t began_boot_ms)
{
    return !s->stopping && service_now(s).boot_ms - began_boot_ms < LATE_MS;
}

/* From where the last look ended; behind the last it begins anew. */
static enum rc look_at_some(struct service *s, int64_t began_boot_ms, bool *more, struct err *err)
{
    const struct ledger *l = s->port->ledger;
    CLEANUP(mem_free) struct doubt *doubt = NULL;
    size_t count = 0, looked = 0;
    TRY(l->work->doubts(l->self, s->record.id, s->looked_late_at, LATE_AT_ONCE, &doubt, &count,
                        err));
    while (looked < count && late_goes_on(s, began_boot_ms))
        TRY(look_late(s, &doubt[looked++], err));
    *more = looked < count || count == LATE_AT_ONCE;
    if (!*more)
        s->looked_late_at[0] = '\0';
    else if (looked > 0)
        text_copy(s->looked_late_at, sizeof s->looked_late_at, doubt[looked - 1].key);
    return RC_OK;
}

enum rc evidence_late(struct service *s, struct err *err)
{
    int64_t began = service_now(s).boot_ms;
    bool more = true;
    if (!s->set->evidence_folder[0] || s->result->mailbox_failed || began < s->late_rests_boot_ms)
        return RC_OK;
    while (more && late_goes_on(s, began))
        TRY(look_at_some(s, began, &more, err));
    int64_t took = service_now(s).boot_ms - began;
    s->late_rests_boot_ms = more || took >= LATE_MS ? began + took * LATE_SHARE : 0;
    return RC_OK;
}
