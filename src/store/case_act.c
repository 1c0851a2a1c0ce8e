/* SPDX-License-Identifier: Apache-2.0 */
#include "case_act.h"

#include "case_rows.h"
#include "decide.h"

#include <stdlib.h>
#include <string.h>

/* ---- the case ------------------------------------------------------------------------------ */

static enum rc
find_case(struct writing *w, const char *reference, struct acting *out, struct err *err)
{
    static const char find[] = "SELECT key, mailbox, state, COALESCE(merged_into, '') AS merged"
                               " FROM case_record WHERE reference = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, find, &s, err));
    stmt_text(s, 1, reference);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_NOT_FOUND)
        return FAIL(err, rc, "there is no case '%s'; 'onecase cases' lists them", reference);
    if (rc != RC_OK)
        return rc;
    TRY(COL_COPY(s, "key", out->key, err));
    TRY(COL_COPY(s, "mailbox", out->mailbox, err));
    TRY(COL_COPY(s, "state", out->state, err));
    return COL_COPY(s, "merged", out->merged_into, err);
}

static enum rc add_line(struct acting *a,
                        const char *key,
                        const char *what,
                        const char *from,
                        const char *to,
                        struct err *err)
{
    return event_add(a->w,
                     &(struct event){.mailbox = a->mailbox,
                                     .key = key,
                                     .subject = "case",
                                     .what = what,
                                     .from = from,
                                     .to = to,
                                     .actor = actor_text(BY_PERSON)},
                     err);
}

enum rc case_state(struct acting *a,
                   const char *key,
                   const char *what,
                   const char *from,
                   const char *to,
                   struct err *err)
{
    static const char update[] = "UPDATE case_record SET state = $1 WHERE key = $2 AND state = $3";
    {
        CLEANUP(stmt_done) struct stmt *s = NULL;

        TRY(stmt_open(a->w->store->db, update, &s, err));
        stmt_text(s, 1, to);
        stmt_text(s, 2, key);
        stmt_text(s, 3, from);
        TRY(stmt_one(s, "the case", err));
    }
    return add_line(a, key, what, from, to, err);
}

static enum rc must_be(const struct acting *a, const char *state, struct err *err)
{
    if (a->merged_into[0])
        return FAIL(err, RC_CONFLICT,
                    "case %s is merged into another; --unmerge takes it out again",
                    a->request->reference);
    if (strcmp(a->state, state) != 0)
        return FAIL(err, RC_CONFLICT, "case %s is %s already", a->request->reference, a->state);
    return RC_OK;
}

/* ---- closing, opening again ---------------------------------------------------------------- */

static enum rc act_close(struct acting *a, struct err *err)
{
    TRY(must_be(a, "open", err));
    TRY(case_state(a, a->key, "close", "open", "closed", err));
    TRY(case_there(a, "closed", err));
    if (a->request->tells)
        TRY(case_tell(a, err));
    return a->out->told || a->out->there ? case_work_on(a, err) : RC_OK;
}

/* ---- taking away, where it is besides ------------------------------------------------------- */

static enum rc act_withdraw(struct acting *a, struct err *err)
{
    if (!a->request->there)
        return FAIL(err, RC_USAGE, "no request `remove` is configured for its destination");
    TRY(case_there(a, "removed", err));
    if (!a->out->there)
        return FAIL(err, RC_CONFLICT,
                    "case %s is not known to be at %s, or is to be taken away already",
                    a->request->reference, a->request->there);
    TRY(add_line(a, a->key, "withdraw", a->state, a->state, err));
    return case_work_on(a, err);
}

static enum rc act_reopen(struct acting *a, struct err *err)
{
    TRY(must_be(a, "closed", err));
    TRY(case_state(a, a->key, "reopen", "closed", "open", err));
    return case_untell(a, err);
}

/* ---- merging ------------------------------------------------------------------------------- */

static enum rc write_merge(struct acting *a, const char *into, struct err *err)
{
    static const char update[] = "UPDATE case_record SET merged_into = $1 WHERE key = $2";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(a->w->store->db, update, &s, err));
    stmt_text(s, 1, into);
    stmt_text(s, 2, a->key);
    return stmt_one(s, "the case", err);
}

/* Whoever takes part in the one may answer to the other. */
static enum rc join_participants(struct acting *a, const char *into, struct err *err)
{
    static const char insert[] =
        "INSERT INTO case_participant (case_key, address, item_number)"
        " SELECT $1, address, " NUMBER_OF("$1") " FROM case_participant WHERE " OF_KEY_AT(
            "case_participant", "case_key", "$2") " ON CONFLICT DO NOTHING";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(a->w->store->db, insert, &s, err));
    stmt_text(s, 1, into);
    stmt_text(s, 2, a->key);
    return stmt_run(s, NULL, err);
}

static enum rc has_merged(struct acting *a, bool *out, struct err *err)
{
    static const char find[] = "SELECT key FROM case_record WHERE merged_into = $1 LIMIT 1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(a->w->store->db, find, &s, err));
    stmt_text(s, 1, a->key);
    enum rc rc = stmt_row(s, err);

    *out = rc == RC_OK;
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static enum rc check_merge(struct acting *a, const struct acting *into, struct err *err)
{
    bool others;

    if (a->merged_into[0])
        return FAIL(err, RC_CONFLICT, "case %s is merged into another already",
                    a->request->reference);
    if (strcmp(a->key, into->key) == 0)
        return FAIL(err, RC_USAGE, "a case cannot be merged into itself");
    if (into->merged_into[0])
        return FAIL(err, RC_CONFLICT, "case %s is itself merged into another; merge into that one",
                    a->request->into);
    TRY(has_merged(a, &others, err));
    if (others)
        return FAIL(err, RC_CONFLICT, "others are merged into case %s; take them out first",
                    a->request->reference);
    return RC_OK;
}

static enum rc act_merge(struct acting *a, struct err *err)
{
    struct acting into = {.request = a->request};

    TRY(find_case(a->w, a->request->into, &into, err));
    TRY(check_merge(a, &into, err));
    TRY(write_merge(a, into.key, err));
    TRY(join_participants(a, into.key, err));
    TRY(case_link_add(a->w, a->key, into.key, "merge", err));
    text_copy(a->out->into, sizeof a->out->into, a->request->into);
    if (strcmp(a->state, "open") == 0)
        return case_state(a, a->key, "merge", "open", "closed", err);
    return add_line(a, a->key, "merge", "closed", "closed", err);
}

static enum rc act_unmerge(struct acting *a, struct err *err)
{
    if (!a->merged_into[0])
        return FAIL(err, RC_CONFLICT, "case %s is merged into no other", a->request->reference);
    TRY(write_merge(a, NULL, err));
    return case_state(a, a->key, "unmerge", a->state, "open", err);
}

/* ---- suspects ------------------------------------------------------------------------------ */

struct suspect {
    char key[KEY_SIZE];
    bool open;
};

static enum rc find_suspects(struct acting *a, struct suspect **out, size_t *count, struct err *err)
{
    static const char find[] =
        "SELECT other.key, other_case.state FROM item"
        " JOIN item AS other ON other.fingerprint = item.fingerprint AND other.key <> item.key"
        " AND other.mailbox = item.mailbox"
        " JOIN case_record AS other_case ON other_case.key = other.key"
        " WHERE item.key = $1 AND item.fingerprint <> '' AND other_case.merged_into IS NULL"
        " AND NOT " IS_COPY(
            "other") " AND NOT EXISTS (SELECT 1 FROM case_link WHERE kind IN ('authoritative', "
                     "'different')"
                     " AND ((from_key = item.key AND to_key = other.key)"
                     " OR (from_key = other.key AND to_key = item.key))) ORDER BY other.key";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    CLEANUP(mem_free) struct suspect *found = NULL;
    size_t n = 0;
    enum rc rc;

    TRY(stmt_open(a->w->store->db, find, &s, err));
    stmt_text(s, 1, a->key);
    while ((rc = stmt_row(s, err)) == RC_OK) {
        found = mem_grow(found, n + 1, sizeof *found);
        found[n].open = strcmp(col_text(s, "state"), "open") == 0;
        TRY(COL_COPY(s, "key", found[n].key, err));
        n++;
    }
    *out = STEAL(found);
    *count = n;
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static enum rc choose_suspects(struct acting *a, const char *kind, bool closes, struct err *err)
{
    CLEANUP(mem_free) struct suspect *other = NULL;

    TRY(find_suspects(a, &other, &a->out->others, err));
    if (a->out->others == 0)
        return FAIL(err, RC_CONFLICT, "no other case is suspected to be the same as %s",
                    a->request->reference);
    for (size_t i = 0; i < a->out->others; i++) {
        TRY(case_link_add(a->w, other[i].key, a->key, kind, err));
        if (closes && other[i].open)
            TRY(case_state(a, other[i].key, "close", "open", "closed", err));
    }
    return add_line(a, a->key, kind, a->state, a->state, err);
}

static enum rc act_authoritative(struct acting *a, struct err *err)
{
    return choose_suspects(a, "authoritative", true, err);
}

static enum rc act_different(struct acting *a, struct err *err)
{
    return choose_suspects(a, "different", false, err);
}

/* ---- held by a person ------------------------------------------------------------------------ */

static enum rc act_hold(struct acting *a, struct err *err)
{
    static const char insert[] = "INSERT INTO hold (key, person, held_at) VALUES ($1, $2, $3)"
                                 " ON CONFLICT (key) DO NOTHING";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    int64_t changed;

    TRY(stmt_open(a->w->store->db, insert, &s, err));
    stmt_text(s, 1, a->key);
    stmt_text(s, 2, a->request->by);
    stmt_int(s, 3, a->w->now.wall_ms);
    TRY(stmt_run(s, &changed, err));
    if (changed == 0)
        return FAIL(err, RC_CONFLICT, "case %s is held already", a->request->reference);
    return add_line(a, a->key, "hold", "", "held", err);
}

static enum rc act_release(struct acting *a, struct err *err)
{
    static const char remove[] = "DELETE FROM hold WHERE key = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    int64_t changed;

    TRY(stmt_open(a->w->store->db, remove, &s, err));
    stmt_text(s, 1, a->key);
    TRY(stmt_run(s, &changed, err));
    if (changed == 0)
        return FAIL(err, RC_CONFLICT, "case %s is not held", a->request->reference);
    return add_line(a, a->key, "release", "held", "", err);
}

/* ---- the act ------------------------------------------------------------------------------- */

/* clang-format off */
static const struct {
    const char *decision;
    enum rc (*act)(struct acting *a, struct err *err);
} acts[CASE_ACT_COUNT] = {
    [CASE_CLOSE]         = { "case-close",            act_close         },
    [CASE_REOPEN]        = { "case-reopen",           act_reopen        },
    [CASE_MERGE]         = { "case-merge",            act_merge         },
    [CASE_UNMERGE]       = { "case-unmerge",          act_unmerge       },
    [CASE_WITHDRAW]      = { "case-withdraw",         act_withdraw      },
    [CASE_AUTHORITATIVE] = { "suspect-authoritative", act_authoritative },
    [CASE_HOLD]          = { "case-hold",             act_hold          },
    [CASE_RELEASE]       = { "case-release",          act_release       },
    [CASE_DIFFERENT]     = { "suspect-different",     act_different     },
};
/* clang-format on */

/* It is over with the act: another act takes it back. */
static enum rc record(struct acting *a, struct err *err)
{
    static const char insert[] = "INSERT INTO approval (key, decision, from_state, person, second,"
                                 " decided_at, undone_at) VALUES ($1, $2, $3, $4, $5, $6, $6)"
                                 " RETURNING id";
    int64_t id;
    {
        CLEANUP(stmt_done) struct stmt *s = NULL;

        TRY(stmt_open(a->w->store->db, insert, &s, err));
        stmt_text(s, 1, a->key);
        stmt_text(s, 2, acts[a->request->act].decision);
        stmt_text(s, 3, a->state);
        stmt_text(s, 4, a->request->by);
        stmt_text(s, 5, a->request->second ? a->request->second : "");
        stmt_int(s, 6, a->w->now.wall_ms);
        TRY(stmt_id(s, &id, err));
    }
    const struct subject subject = subject_of("approval", id);

    return note_add(a->w, a->key, subject.text, a->request->why, err);
}

static enum rc case_act_once(void *self,
                             const struct case_request *request,
                             struct instant now,
                             struct case_result *out,
                             struct err *err)
{
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;
    struct acting a = {.w = &w, .request = request, .out = out};

    *out = (struct case_result){.told = false};
    TRY(people_named(request->by, request->why, err));
    TRY(writing_begin(store, store->run, now, &w, err));
    TRY(find_case(&w, request->reference, &a, err));
    TRY(acts[request->act].act(&a, err));
    TRY(record(&a, err));
    return writing_finish(&w, err);
}

enum rc operators_case_act(void *self,
                           const struct case_request *request,
                           struct instant now,
                           struct case_result *out,
                           struct err *err)
{
    return WRITE(self, case_act_once(self, request, now, out, err));
}
