/* SPDX-License-Identifier: Apache-2.0 */
#include "service_p.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum rc target_look(struct service *s, const char *folder, struct err *err)
{
    const struct mailbox *m = s->port->mailbox;
    struct folder_state state = {0};
    if (strcmp(s->target.name, folder) == 0)
        return RC_OK;
    enum rc rc = m->open(m->self, folder, &state, err);
    if (rc == RC_NOT_FOUND) /* the move will create it */
        state = (struct folder_state){.uidnext = 1};
    else if (rc != RC_OK)
        return rc;
    text_copy(s->target.name, sizeof s->target.name, folder);
    s->target.state = state;
    return RC_OK;
}

/* UIDs ascend: what is filed from now on comes behind this one. */
static void target_grew(struct service *s, const char *folder, const struct move_result *r)
{
    struct target_folder *t = &s->target;
    if (!r->new_uid || strcmp(t->name, folder) != 0)
        return;
    if (t->state.uidvalidity != r->new_uidvalidity) /* made by this move, or anew */
        t->name[0] = '\0';
    else if (t->state.uidnext <= r->new_uid)
        t->state.uidnext = r->new_uid + 1;
}

/* ---- moving by sets ------------------------------------------------------------------------------ */

struct moving {
    struct job *job;
    struct work_effect *effect;
    const struct work_delivery *delivery;
};

static void moved_to(struct batch *b, const struct moving *m, const struct move_result *r)
{
    struct effect_change *c = batch_step(b, m->job, m->effect, ON_DONE);
    c->outcome = OUTCOME_DONE;
    char id[32];
    snprintf(id, sizeof id, "%u:%u", (unsigned)r->new_uidvalidity, (unsigned)r->new_uid);
    if (r->new_uid)
        batch_external(b, id);
    target_grew(b->s, m->delivery->move_to, r);
}

static void absent(struct batch *b, const struct moving *m)
{
    struct effect_change *c = batch_step(b, m->job, m->effect, ON_DONE);
    c->outcome = OUTCOME_DONE;
    c->reason = "absent";
}

static void not_moved(struct batch *b, const struct moving *m)
{
    struct effect_change *c = batch_step(b, m->job, m->effect, ON_DEFER);
    c->outcome = OUTCOME_DEFERRED;
    c->due_ms = service_now(b->s).wall_ms + service_backoff(b->s, m->effect->attempts);
    job_due(m->job, c->due_ms);
}

static void perhaps_moved(struct batch *b, const struct moving *m)
{
    batch_step(b, m->job, m->effect, ON_LOSE)->outcome = OUTCOME_UNKNOWN;
    job_due(m->job, service_now(b->s).wall_ms);
}

static void result(struct batch *b, const struct moving *m, const struct move_result *r)
{
    switch (r->moved) {
    case MOVED_YES:
        moved_to(b, m, r);
        break;
    case MOVED_ABSENT: /* a person took it, or an earlier try of ours: where it is gone, it is gone */
        absent(b, m);
        break;
    case MOVED_NOT:
        not_moved(b, m);
        break;
    case MOVED_UNKNOWN:
        perhaps_moved(b, m);
        break;
    }
}

static bool same_set(const struct work_delivery *a, const struct work_delivery *d)
{
    return a->uidvalidity == d->uidvalidity && a->stale == d->stale &&
           strcmp(a->folder, d->folder) == 0 && strcmp(a->move_to, d->move_to) == 0;
}

static void move_set(struct batch *b, const struct moving *set, size_t count)
{
    const struct mailbox *m = b->s->port->mailbox;
    const struct work_delivery *d = set[0].delivery;
    CLEANUP(mem_free) struct move_result *r = mem_new(count, sizeof *r);
    struct err why = ERR_INIT;
    for (size_t i = 0; i < count; i++)
        r[i] = (struct move_result){.uid = set[i].delivery->uid};
    enum rc rc = m->move(m->self, d->folder, d->uidvalidity, r, count, d->move_to, &why);
    if (rc != RC_OK && rc != RC_CONFLICT)
        service_mailbox_fault(b->s, &why);
    for (size_t i = 0; i < count; i++) {
        if (rc == RC_CONFLICT) /* another UIDVALIDITY by now: it will be seen anew */
            r[i].moved = MOVED_ABSENT;
        result(b, &set[i], &r[i]);
    }
}

static bool under_way(const struct job *job, const struct work_effect *e)
{
    return !job->lost && e->kind == EFFECT_MOVE && e->status == EFFECT_ATTEMPTING;
}

static size_t collect(struct batch *b, struct moving **out)
{
    size_t n = 0;
    *out = NULL;
    for (size_t i = 0; i < b->count; i++)
        for (size_t k = 0; k < b->job[i].item.effects; k++) {
            struct job *job = &b->job[i];
            struct work_effect *e = &job->item.effect[k];
            if (!under_way(job, e))
                continue;
            *out = mem_grow(*out, n + 1, sizeof **out);
            (*out)[n++] = (struct moving){job, e, move_delivery(job, e)};
        }
    return n;
}

/* Held up since the intent, or since the last answer, another run may have looked where they are: they stay
 * there. */
static void move_in_time(struct batch *b, const struct moving *set, size_t count)
{
    if (service_in_time(b->s, b->armed_boot_ms)) {
        move_set(b, set, count);
        b->armed_boot_ms = service_now(b->s).boot_ms;
        return;
    }
    for (size_t i = 0; i < count; i++)
        not_moved(b, &set[i]);
}

/* Takes the messages that go the same way as the first one left, and moves them by one command. */
static size_t move_next(struct batch *b, struct moving *all, size_t count)
{
    size_t n = 1;
    for (size_t i = 1; i < count; i++) {
        if (!same_set(all[0].delivery, all[i].delivery))
            continue;
        struct moving other = all[n];
        all[n++] = all[i];
        all[i] = other;
    }
    if (all[0].delivery->stale) /* its UID means another message now; it will be seen anew */
        for (size_t i = 0; i < n; i++)
            absent(b, &all[i]);
    else
        move_in_time(b, all, n);
    return n;
}

enum rc file_messages(struct batch *b, struct err *err)
{
    CLEANUP(mem_free) struct moving *all = NULL;
    size_t count = collect(b, &all);
    for (size_t done = 0; done < count;)
        done += move_next(b, all + done, count - done);
    return batch_commit(b, err);
}

/* ---- what became of a move that nobody reported on ----------------------------------------------- */

struct looking {
    struct batch *b;
    struct job *job;
    struct work_effect *effect;
    const struct work_delivery *delivery;
    uint32_t found_uidvalidity, found_uid; /* in the target folder */
    bool in_source;
};

static enum rc look_in_source(struct looking *l, struct err *err)
{
    const struct mailbox *m = l->b->s->port->mailbox;
    const struct work_delivery *d = l->delivery;
    CLEANUP(mem_free) struct mail_line *line = NULL;
    size_t count = 0;
    if (d->stale)
        return RC_OK;
    TRY(m->list(m->self, d->folder, d->uidvalidity, d->uid, &line, &count, err));
    l->in_source = count > 0 && line[0].uid == d->uid;
    return RC_OK;
}

/* Two equal copies must not both take the one message that is found. */
static enum rc
taken(struct looking *l, uint32_t uidvalidity, uint32_t uid, bool *out, struct err *err)
{
    const struct ledger *ledger = l->b->s->port->ledger;
    char id[32];
    snprintf(id, sizeof id, "%u:%u", (unsigned)uidvalidity, (unsigned)uid);
    enum rc rc = ledger->work->filing_taken(ledger->self, l->b->s->record.id, id, err);
    *out = rc == RC_OK;
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static enum rc choose(struct looking *l,
                      const struct folder_state *f,
                      const struct mail_line *line,
                      const struct digest *digest,
                      size_t count,
                      struct err *err)
{
    for (size_t i = 0; i < count && !l->found_uid; i++) {
        bool used = false;
        if (!digest_eq(&digest[i], &l->delivery->octets))
            continue;
        TRY(taken(l, f->uidvalidity, line[i].uid, &used, err));
        if (used)
            continue;
        l->found_uidvalidity = f->uidvalidity;
        l->found_uid = line[i].uid;
    }
    return RC_OK;
}

static enum rc look_in_target(struct looking *l, struct err *err)
{
    const struct mailbox *m = l->b->s->port->mailbox;
    const struct work_effect *e = l->effect;
    struct folder_state f = {0};
    CLEANUP(mem_free) struct mail_line *line = NULL;
    size_t count = 0;
    enum rc rc = m->open(m->self, l->delivery->move_to, &f, err);
    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    uint32_t from = f.uidvalidity == e->processed_uidvalidity ? e->processed_uidnext : 1;
    TRY(m->list(m->self, l->delivery->move_to, f.uidvalidity, from, &line, &count, err));
    CLEANUP(mem_free) struct digest *digest = mem_new(count + 1, sizeof *digest);
    struct place place = {l->delivery->move_to, f.uidvalidity};
    TRY(fetch_digests(l->b->s, &place, line, count, digest, err));
    return choose(l, &f, line, digest, count, err);
}

/* Copied but not yet removed (servers without MOVE): the copy stands, so the source may go. Also where it
 * is not listed any more: a run that died between its mark and the expunge left it there, marked. */
static enum rc remove_source(struct looking *l, struct err *err)
{
    const struct mailbox *m = l->b->s->port->mailbox;
    if (l->delivery->stale)
        return RC_OK;
    return m->remove(m->self, l->delivery->folder, l->delivery->uidvalidity, l->delivery->uid, err);
}

static void conclude(struct looking *l)
{
    char where[64];
    bool filed = l->found_uid != 0;
    snprintf(where, sizeof where, "%u:%u", (unsigned)l->found_uidvalidity, (unsigned)l->found_uid);
    batch_evidence(l->b, l->job, l->effect, "processed", filed,
                   filed ? where : l->delivery->move_to);
    if (!filed && l->in_source) {
        batch_step(l->b, l->job, l->effect, ON_ABSENCE);
        return;
    }
    struct effect_change *c = batch_step(l->b, l->job, l->effect, ON_EVIDENCE);
    c->reason = filed ? "" : "absent";
    if (filed)
        batch_external(l->b, where);
}

static enum rc look(struct batch *b, struct job *job, struct work_effect *e, struct err *err)
{
    struct looking l = {.b = b, .job = job, .effect = e, .delivery = move_delivery(job, e)};
    if (!l.delivery)
        return RC_OK;
    TRY(look_in_source(&l, err));
    TRY(look_in_target(&l, err));
    if (l.found_uid)
        TRY(remove_source(&l, err));
    conclude(&l);
    return batch_commit(b, err);
}

static void look_failed(struct batch *b, struct job *job, enum rc rc, const struct err *why)
{
    if (rc != RC_CONFLICT)
        service_mailbox_fault(b->s, why);
    job_due(job, service_now(b->s).wall_ms + service_backoff(b->s, 0));
}

/* What stopped half-way is finished only while all that lets a message leave still holds: a direct copy
 * may have put its acknowledgement back to be sent. */
static bool in_doubt(const struct job *job, const struct work_effect *e)
{
    return job_live(job) && e->kind == EFFECT_MOVE && e->status == EFFECT_UNKNOWN &&
           effects_settled(job, EFFECT_ACKNOWLEDGEMENT);
}

enum rc filings_check(struct batch *b, struct err *err)
{
    for (size_t i = 0; i < b->count; i++)
        for (size_t k = 0; k < b->job[i].item.effects; k++) {
            struct job *job = &b->job[i];
            struct err why = ERR_INIT;
            if (!in_doubt(job, &job->item.effect[k]) || b->s->result->mailbox_failed)
                continue;
            enum rc rc = look(b, job, &job->item.effect[k], &why);
            if (rc == RC_BROKEN || rc == RC_UNKNOWN)
                return FAIL(err, rc, "%s", why.text);
            if (rc != RC_OK)
                look_failed(b, job, rc, &why);
        }
    return RC_OK;
}
