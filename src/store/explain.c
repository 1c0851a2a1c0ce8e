/* SPDX-License-Identifier: Apache-2.0 */
#include "replay.h"

#include "decide.h"

enum rc operators_explained(void *self, const char *digest, bool *out, struct err *err)
{
    static const char find[] = "SELECT person FROM explained WHERE disagreement = $1";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(store->db, find, &s, err));
    stmt_text(s, 1, digest);
    enum rc rc = stmt_row(s, err);

    *out = rc == RC_OK;
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static enum rc add(struct writing *w, const char *digest, const char *by, struct err *err)
{
    static const char insert[] = "INSERT INTO explained (disagreement, person, explained_at)"
                                 " VALUES ($1, $2, $3) ON CONFLICT (disagreement) DO NOTHING";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, insert, &s, err));
    stmt_text(s, 1, digest);
    stmt_text(s, 2, by);
    stmt_int(s, 3, w->now.wall_ms);
    return stmt_run(s, NULL, err);
}

static enum rc explain_once(void *self,
                            const char *digest,
                            const char *by,
                            const char *why,
                            struct instant now,
                            struct err *err)
{
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    TRY(people_named(by, why, err));
    TRY(writing_begin(store, store->run, now, &w, err));
    TRY(add(&w, digest, by, err));
    TRY(people_note(&w, "", "disagreement", by, why, err));
    TRY(event_add(&w,
                  &(struct event){.subject = "ledger",
                                  .what = "explain",
                                  .to = "explained",
                                  .actor = actor_text(BY_PERSON)},
                  err));
    return writing_finish(&w, err);
}

enum rc operators_explain(void *self,
                          const char *digest,
                          const char *by,
                          const char *why,
                          struct instant now,
                          struct err *err)
{
    return WRITE(self, explain_once(self, digest, by, why, now, err));
}
