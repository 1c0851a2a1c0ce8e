/* SPDX-License-Identifier: Apache-2.0 */
#include "decide.h"
#include "webhooks_p.h"

/* Those of a webhook that is configured no longer stay where they are: nobody would send them. */
static enum rc
plan_anew(struct db *db, const struct webhook_replay *r, int64_t *count, struct err *err)
{
    static const char update[] =
        "UPDATE webhook_outbox SET status = 'planned', due = NULL, first_try = NULL,"
        " ended_at = NULL WHERE status = 'refused' AND ($1 IS NULL OR webhook = $1)"
        " AND ($2 IS NULL OR message_id = $2) AND webhook IN (SELECT name FROM webhook)";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, update, &s, err));
    stmt_text(s, 1, r->webhook);
    stmt_text(s, 2, r->message_id);
    return stmt_run(s, count, err);
}

/* A person has looked: what held the webhook up is over, or will be met again. */
static enum rc try_soon(struct db *db, const char *webhook, struct err *err)
{
    static const char update[] =
        "UPDATE webhook SET due = NULL, failures = 0 WHERE $1 IS NULL OR name = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, update, &s, err));
    stmt_text(s, 1, webhook);
    return stmt_run(s, NULL, err);
}

static enum rc record(struct writing *w, const struct webhook_replay *r, struct err *err)
{
    TRY(event_add(w,
                  &(struct event){.subject = "webhook",
                                  .what = "replay",
                                  .from = effect_status_text(EFFECT_REFUSED),
                                  .to = effect_status_text(EFFECT_PLANNED),
                                  .actor = actor_text(BY_PERSON)},
                  err));
    int64_t number;

    TRY(event_number(w, &number, err));
    const struct subject about = subject_of("event", number);

    return people_note(w, "", about.text, r->by, r->why, err);
}

static enum rc replay_once(void *self,
                           const struct webhook_replay *request,
                           struct instant now,
                           int64_t *count,
                           struct err *err)
{
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    TRY(writing_begin(store, "", now, &w, err));
    TRY(plan_anew(store->db, request, count, err));
    if (*count == 0)
        return FAIL(err, RC_NOT_FOUND, "webhooks: there is no such dead letter");
    TRY(try_soon(store->db, request->webhook, err));
    TRY(record(&w, request, err));
    return writing_finish(&w, err);
}

enum rc webhooks_replay(void *self,
                        const struct webhook_replay *request,
                        struct instant now,
                        int64_t *count,
                        struct err *err)
{
    return WRITE(self, replay_once(self, request, now, count, err));
}
