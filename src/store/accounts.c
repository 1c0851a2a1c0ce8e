/* SPDX-License-Identifier: Apache-2.0 */
#include "views_p.h"

#include <onecase/store.h>

/* ---- users --------------------------------------------------------------------------------------- */

/* A line of the chain names no person: the user by number. */
static enum rc user_event(struct writing *w, const char *name, const char *what, struct err *err)
{
    static const char find[] = "SELECT rowid AS id FROM \"user\" WHERE name = $1";
    int64_t id;
    {
        CLEANUP(stmt_done) struct stmt *s = NULL;

        TRY(stmt_open(w->store->db, find, &s, err));
        stmt_text(s, 1, name);
        TRY(stmt_row(s, err));
        id = col_int(s, "id");
    }
    const struct subject subject = subject_of("user", id);

    return event_add(
        w, &(struct event){.subject = subject.text, .what = what, .actor = actor_text(BY_PERSON)},
        err);
}

static enum rc end_sessions(struct writing *w, const char *name, struct err *err)
{
    static const char end[] =
        "UPDATE session SET ended_at = $1 WHERE name = $2 AND ended_at IS NULL";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, end, &s, err));
    stmt_int(s, 1, w->now.wall_ms);
    stmt_text(s, 2, name);
    return stmt_run(s, NULL, err);
}

/* What is changed must be there. */
static enum rc run_on_one(struct stmt *s, const char *what, const char *name, struct err *err)
{
    int64_t changed;

    TRY(stmt_run(s, &changed, err));
    return changed == 1 ? RC_OK : FAIL(err, RC_NOT_FOUND, "there is no %s '%s'", what, name);
}

/* One who was removed may come back; what was done under the name stays. */
static enum rc
write_user(struct writing *w, const char *name, enum role role, const char *secret, struct err *err)
{
    static const char insert[] =
        "INSERT INTO \"user\" (name, role, secret, created_at) VALUES ($1, $2, $3, $4)"
        " ON CONFLICT (name) DO UPDATE SET role = excluded.role, secret = excluded.secret,"
        " created_at = excluded.created_at, removed_at = NULL WHERE \"user\".removed_at IS NOT "
        "NULL";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    int64_t changed;

    TRY(stmt_open(w->store->db, insert, &s, err));
    stmt_text(s, 1, name);
    stmt_text(s, 2, role_text(role));
    stmt_text(s, 3, secret);
    stmt_int(s, 4, w->now.wall_ms);
    TRY(stmt_run(s, &changed, err));
    return changed == 1 ? RC_OK : FAIL(err, RC_CONFLICT, "there is a user '%s' already", name);
}

static enum rc add_once(void *self,
                        const char *name,
                        enum role role,
                        const char *secret,
                        struct instant now,
                        struct err *err)
{
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    TRY(writing_begin(store, store->run, now, &w, err));
    TRY(write_user(&w, name, role, secret, err));
    TRY(user_event(&w, name, "user-add", err));
    return writing_finish(&w, err);
}

static enum rc add(void *self,
                   const char *name,
                   enum role role,
                   const char *secret,
                   struct instant now,
                   struct err *err)
{
    return WRITE(self, add_once(self, name, role, secret, now, err));
}

static enum rc change_user(
    struct writing *w, const char *name, enum role role, const char *secret, struct err *err)
{
    static const char update[] = "UPDATE \"user\" SET role = COALESCE($1, role),"
                                 " secret = COALESCE($2, secret)"
                                 " WHERE name = $3 AND removed_at IS NULL";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_text(s, 1, role < ROLE_COUNT ? role_text(role) : NULL);
    stmt_text(s, 2, secret);
    stmt_text(s, 3, name);
    return run_on_one(s, "user", name, err);
}

static enum rc change_once(void *self,
                           const char *name,
                           enum role role,
                           const char *secret,
                           struct instant now,
                           struct err *err)
{
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    TRY(writing_begin(store, store->run, now, &w, err));
    TRY(change_user(&w, name, role, secret, err));
    TRY(end_sessions(&w, name, err));
    TRY(user_event(&w, name, secret ? "user-password" : "user-role", err));
    return writing_finish(&w, err);
}

static enum rc change(void *self,
                      const char *name,
                      enum role role,
                      const char *secret,
                      struct instant now,
                      struct err *err)
{
    return WRITE(self, change_once(self, name, role, secret, now, err));
}

static enum rc remove_user(struct writing *w, const char *name, struct err *err)
{
    static const char update[] = "UPDATE \"user\" SET removed_at = $1, secret = ''"
                                 " WHERE name = $2 AND removed_at IS NULL";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_int(s, 1, w->now.wall_ms);
    stmt_text(s, 2, name);
    return run_on_one(s, "user", name, err);
}

static enum rc
remove_account_once(void *self, const char *name, struct instant now, struct err *err)
{
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    TRY(writing_begin(store, store->run, now, &w, err));
    TRY(remove_user(&w, name, err));
    TRY(end_sessions(&w, name, err));
    TRY(user_event(&w, name, "user-remove", err));
    return writing_finish(&w, err);
}

static enum rc remove_account(void *self, const char *name, struct instant now, struct err *err)
{
    return WRITE(self, remove_account_once(self, name, now, err));
}

static enum rc read_account(struct stmt *s, struct account *out, struct err *err)
{
    TRY(COL_COPY(s, "name", out->name, err));
    TRY(COL_COPY(s, "secret", out->secret, err));
    if (!role_parse(col_text(s, "role"), &out->role))
        return FAIL(err, RC_BROKEN, "ledger: a user has no role that is known");
    return RC_OK;
}

static enum rc find(void *self, const char *name, struct account *out, struct err *err)
{
    static const char one[] =
        "SELECT name, role, secret FROM \"user\" WHERE name = $1 AND removed_at IS NULL";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(store->db, one, &s, err));
    stmt_text(s, 1, name);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_NOT_FOUND)
        return FAIL(err, RC_NOT_FOUND, "there is no user '%s'", name);
    return rc == RC_OK ? read_account(s, out, err) : rc;
}

static enum rc read_list(struct store *store, const char *sql, struct view *out, struct err *err)
{
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_account));
    enum rc rc;

    TRY(stmt_open(store->db, sql, &s, err));
    EACH_ROW(s, rc, err)
    {
        struct view_account *a = view_rows_add(out, &rows);
        a->name = view_text(out, col_text(s, "name"));
        a->role = view_text(out, col_text(s, "role"));
        a->created_ms = col_int(s, "created_at");
        a->seen_ms = col_when(s, "seen_at");
    }
    out->row = rows.at;
    out->count = rows.count;
    return END_OF_ROWS(rc);
}

static enum rc list(void *self, struct view *out, struct err *err)
{
    static const char all[] = "SELECT name, role, created_at, (SELECT MAX(seen_at) FROM session"
                              " WHERE session.name = \"user\".name) AS seen_at FROM \"user\""
                              " WHERE removed_at IS NULL ORDER BY name";

    return read_list(self, all, out, err);
}

/* ---- tokens -------------------------------------------------------------------------------------- */

static enum rc token_event(struct writing *w, const char *what, struct err *err)
{
    return event_add(
        w, &(struct event){.subject = "token", .what = what, .actor = actor_text(BY_PERSON)}, err);
}

static enum rc write_token(struct writing *w,
                           const char *name,
                           enum role role,
                           const struct digest *token,
                           struct err *err)
{
    static const char insert[] =
        "INSERT INTO token (digest, name, role, created_at) VALUES ($1, $2, $3, $4)"
        " ON CONFLICT DO NOTHING";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    char hex[DIGEST_HEX_SIZE];
    int64_t changed;

    digest_hex(token, hex);
    TRY(stmt_open(w->store->db, insert, &s, err));
    stmt_text(s, 1, hex);
    stmt_text(s, 2, name);
    stmt_text(s, 3, role_text(role));
    stmt_int(s, 4, w->now.wall_ms);
    TRY(stmt_run(s, &changed, err));
    return changed == 1 ? RC_OK : FAIL(err, RC_CONFLICT, "there is a token '%s' already", name);
}

static enum rc add_token_once(void *self,
                              const char *name,
                              enum role role,
                              const struct digest *token,
                              struct instant now,
                              struct err *err)
{
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    TRY(writing_begin(store, store->run, now, &w, err));
    TRY(write_token(&w, name, role, token, err));
    TRY(token_event(&w, "token-add", err));
    return writing_finish(&w, err);
}

static enum rc add_token(void *self,
                         const char *name,
                         enum role role,
                         const struct digest *token,
                         struct instant now,
                         struct err *err)
{
    return WRITE(self, add_token_once(self, name, role, token, now, err));
}

static enum rc end_one_token(struct writing *w, const char *name, struct err *err)
{
    static const char end[] = "UPDATE token SET ended_at = $1 WHERE name = $2 AND ended_at IS NULL";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, end, &s, err));
    stmt_int(s, 1, w->now.wall_ms);
    stmt_text(s, 2, name);
    return run_on_one(s, "token", name, err);
}

static enum rc end_token_once(void *self, const char *name, struct instant now, struct err *err)
{
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    TRY(writing_begin(store, store->run, now, &w, err));
    TRY(end_one_token(&w, name, err));
    TRY(token_event(&w, "token-remove", err));
    return writing_finish(&w, err);
}

static enum rc end_token(void *self, const char *name, struct instant now, struct err *err)
{
    return WRITE(self, end_token_once(self, name, now, err));
}

static enum rc
find_token(void *self, const struct digest *token, struct account *out, struct err *err)
{
    static const char one[] =
        "SELECT name, role, '' AS secret FROM token WHERE digest = $1 AND ended_at IS NULL";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    char hex[DIGEST_HEX_SIZE];

    digest_hex(token, hex);
    TRY(stmt_open(store->db, one, &s, err));
    stmt_text(s, 1, hex);
    TRY(stmt_row(s, err));
    return read_account(s, out, err);
}

static enum rc tokens(void *self, struct view *out, struct err *err)
{
    static const char all[] = "SELECT name, role, created_at, NULL AS seen_at FROM token"
                              " WHERE ended_at IS NULL ORDER BY name";

    return read_list(self, all, out, err);
}

struct accounts store_accounts(struct store *store)
{
    return (struct accounts){
        .self = store,
        .add = add,
        .change = change,
        .remove = remove_account,
        .find = find,
        .list = list,
        .add_token = add_token,
        .end_token = end_token,
        .find_token = find_token,
        .tokens = tokens,
    };
}
