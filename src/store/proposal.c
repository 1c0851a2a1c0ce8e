/* SPDX-License-Identifier: Apache-2.0 */
#include "replay.h"

#include "decide.h"

#include <string.h>

struct found {
    int64_t id;
    char account[100];
};

static enum rc find(struct writing *w,
                    const struct proposal_request *request,
                    struct found *found,
                    struct proposal *out,
                    struct err *err)
{
    static const char open[] = "SELECT id, person, account, proposed_at FROM proposal"
                               " WHERE subject = $1 AND ended_at IS NULL";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, open, &s, err));
    stmt_text(s, 1, request->subject);
    TRY(stmt_row(s, err));
    found->id = col_int(s, "id");
    text_copy(found->account, sizeof found->account, col_text(s, "account"));
    text_copy(out->by, sizeof out->by, col_text(s, "person"));
    out->at_ms = col_int(s, "proposed_at");
    return RC_OK;
}

static enum rc add_line(struct writing *w,
                        const struct proposal_request *request,
                        int64_t id,
                        const char *from,
                        const char *to,
                        struct err *err)
{
    const struct subject subject = subject_of("proposal", id);

    TRY(note_add(w, request->key, subject.text, request->why, err));
    return event_add(w,
                     &(struct event){.key = request->key,
                                     .subject = subject.text,
                                     .what = "propose",
                                     .from = from,
                                     .to = to,
                                     .actor = actor_text(BY_PERSON)},
                     err);
}

static enum rc add(struct writing *w, const struct proposal_request *request, struct err *err)
{
    static const char insert[] = "INSERT INTO proposal (subject, key, person, account, proposed_at)"
                                 " VALUES ($1, $2, $3, $4, $5) RETURNING id";
    int64_t id;
    {
        CLEANUP(stmt_done) struct stmt *s = NULL;

        TRY(stmt_open(w->store->db, insert, &s, err));
        stmt_text(s, 1, request->subject);
        stmt_text(s, 2, request->key);
        stmt_text(s, 3, request->by);
        stmt_text(s, 4, request->account);
        stmt_int(s, 5, w->now.wall_ms);
        TRY(stmt_id(s, &id, err));
    }
    return add_line(w, request, id, "", "proposed", err);
}

static enum rc end(struct writing *w, int64_t id, struct err *err)
{
    static const char update[] =
        "UPDATE proposal SET ended_at = $1 WHERE id = $2 AND ended_at IS NULL";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_int(s, 1, w->now.wall_ms);
    stmt_int(s, 2, id);
    return stmt_one(s, "the proposal", err);
}

static enum rc
approve(struct writing *w, const struct proposal_request *request, int64_t id, struct err *err)
{
    TRY(end(w, id, err));
    return add_line(w, request, id, "proposed", "approved", err);
}

static enum rc propose(struct writing *w,
                       const struct proposal_request *request,
                       struct proposal *out,
                       struct err *err)
{
    struct found found = {.id = 0};
    enum rc rc = find(w, request, &found, out, err);

    if (rc != RC_OK && rc != RC_NOT_FOUND)
        return rc;
    if (rc == RC_NOT_FOUND && request->approve)
        return FAIL(err, rc, "nobody has proposed this yet; without --approve you do");
    if (rc == RC_NOT_FOUND) {
        out->proposed = PROPOSED_NOW;
        return add(w, request, err);
    }
    out->proposed = strcmp(found.account, request->account) == 0 ? PROPOSED_BY_YOURSELF
                    : request->approve                           ? PROPOSED_APPROVED
                                                                 : PROPOSED_BEFORE;
    return out->proposed == PROPOSED_APPROVED ? approve(w, request, found.id, err) : RC_OK;
}

static enum rc propose_once(void *self,
                            const struct proposal_request *request,
                            struct instant now,
                            struct proposal *out,
                            struct err *err)
{
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    *out = (struct proposal){.at_ms = now.wall_ms};
    text_copy(out->by, sizeof out->by, request->by);
    TRY(people_named(request->by, request->why, err));
    TRY(writing_begin(store, store->run, now, &w, err));
    TRY(propose(&w, request, out, err));
    return writing_finish(&w, err);
}

enum rc operators_propose(void *self,
                          const struct proposal_request *request,
                          struct instant now,
                          struct proposal *out,
                          struct err *err)
{
    return WRITE(self, propose_once(self, request, now, out, err));
}

/* ---- refused ------------------------------------------------------------------------------- */

static enum rc key_of(struct db *db, int64_t id, char out[KEY_SIZE], struct err *err)
{
    static const char find[] = "SELECT key FROM proposal WHERE id = $1 AND ended_at IS NULL";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_int(s, 1, id);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_NOT_FOUND)
        return FAIL(err, rc, "there is no such proposal, or it was approved or refused meanwhile");
    return rc == RC_OK ? col_copy(s, "key", out, KEY_SIZE, err) : rc;
}

static enum rc
refuse(struct writing *w, int64_t id, const char *by, const char *why, struct err *err)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    char key[KEY_SIZE];

    TRY(key_of(w->store->db, id, key, err));
    str_addf(&text, "%s: %s", by, why);
    const struct proposal_request told = {.key = key, .why = str_z(&text)};

    TRY(end(w, id, err));
    return add_line(w, &told, id, "proposed", "refused", err);
}

static enum rc refuse_once(void *self,
                           int64_t proposal,
                           const char *by,
                           const char *why,
                           struct instant now,
                           struct err *err)
{
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    TRY(people_named(by, why, err));
    TRY(writing_begin(store, store->run, now, &w, err));
    TRY(refuse(&w, proposal, by, why, err));
    return writing_finish(&w, err);
}

enum rc operators_refuse(void *self,
                         int64_t proposal,
                         const char *by,
                         const char *why,
                         struct instant now,
                         struct err *err)
{
    return WRITE(self, refuse_once(self, proposal, by, why, now, err));
}
