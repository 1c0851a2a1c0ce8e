/* SPDX-License-Identifier: Apache-2.0 */
#include "views_p.h"

#include <onecase/store.h>
#include <onecase/when.h>

/* Being seen is written down once in this time, and failures are forgotten after the other. */
#define SEEN_EVERY   MINUTES(1)
#define FAILURE_KEPT DAYS(1)

static enum rc begin_once(
    void *self, const struct digest *session, const char *name, struct instant now, struct err *err)
{
    static const char insert[] =
        "INSERT INTO session (id, name, created_at, seen_at) VALUES ($1, $2, $3, $3)"
        " ON CONFLICT (id) DO NOTHING";
    struct store *store = self;
    CLEANUP(tx_end) struct tx tx = TX_NONE;
    char hex[DIGEST_HEX_SIZE];

    digest_hex(session, hex);
    TRY(tx_begin_in(store->db, "console:", &tx, err));
    {
        CLEANUP(stmt_done) struct stmt *s = NULL;

        TRY(stmt_open(store->db, insert, &s, err));
        stmt_text(s, 1, hex);
        stmt_text(s, 2, name);
        stmt_int(s, 3, now.wall_ms);
        TRY(stmt_run(s, NULL, err));
    }
    return tx_commit_plain(&tx, err);
}

static enum rc begin(
    void *self, const struct digest *session, const char *name, struct instant now, struct err *err)
{
    return WRITE(self, begin_once(self, session, name, now, err));
}

static enum rc
seen_once(struct store *store, const char *session, struct instant now, struct err *err)
{
    static const char update[] =
        "UPDATE session SET seen_at = $1 WHERE id = $2 AND ended_at IS NULL";
    CLEANUP(tx_end) struct tx tx = TX_NONE;

    TRY(tx_begin_in(store->db, "console:", &tx, err));
    {
        CLEANUP(stmt_done) struct stmt *s = NULL;

        TRY(stmt_open(store->db, update, &s, err));
        stmt_int(s, 1, now.wall_ms);
        stmt_text(s, 2, session);
        TRY(stmt_run(s, NULL, err));
    }
    return tx_commit_plain(&tx, err);
}

static enum rc seen(struct store *store, const char *session, struct instant now, struct err *err)
{
    return WRITE(store, seen_once(store, session, now, err));
}

struct asked_session {
    const char *hex; /* digest of its token */
    const struct session_limits *limits;
    int64_t now_ms;
};

static enum rc read_session(struct store *store,
                            const struct asked_session *asked,
                            struct account *out,
                            int64_t *seen_ms,
                            struct err *err)
{
    const struct session_limits *limits = asked->limits;
    int64_t now_ms = asked->now_ms;
    static const char one[] =
        "SELECT \"user\".name, \"user\".role, session.seen_at FROM session"
        " JOIN \"user\" ON \"user\".name = session.name"
        " WHERE session.id = $1 AND session.ended_at IS NULL AND \"user\".removed_at IS NULL"
        " AND session.seen_at > $2 AND session.created_at > $3 AND session.created_at <= $4";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(store->db, one, &s, err));
    stmt_text(s, 1, asked->hex);
    stmt_int(s, 2, now_ms - limits->idle_ms);
    stmt_int(s, 3, now_ms - limits->whole_ms);
    stmt_int(s, 4, now_ms + MINUTES(1));
    TRY(stmt_row(s, err));
    TRY(COL_COPY(s, "name", out->name, err));
    *seen_ms = col_int(s, "seen_at");
    if (!role_parse(col_text(s, "role"), &out->role))
        return FAIL(err, RC_BROKEN, "ledger: a user has no role that is known");
    return RC_OK;
}

static enum rc find(void *self,
                    const struct digest *session,
                    const struct session_limits *limits,
                    struct instant now,
                    struct account *out,
                    struct err *err)
{
    struct store *store = self;
    char hex[DIGEST_HEX_SIZE];
    int64_t seen_ms;

    *out = (struct account){.name = ""};
    digest_hex(session, hex);
    const struct asked_session asked = {hex, limits, now.wall_ms};
    TRY(read_session(store, &asked, out, &seen_ms, err));
    if (limits->by_itself || now.wall_ms - seen_ms < SEEN_EVERY)
        return RC_OK;
    return seen(store, hex, now, err);
}

static enum rc
end_once(void *self, const struct digest *session, struct instant now, struct err *err)
{
    static const char update[] =
        "UPDATE session SET ended_at = $1 WHERE id = $2 AND ended_at IS NULL";
    struct store *store = self;
    CLEANUP(tx_end) struct tx tx = TX_NONE;
    char hex[DIGEST_HEX_SIZE];

    digest_hex(session, hex);
    TRY(tx_begin_in(store->db, "console:", &tx, err));
    {
        CLEANUP(stmt_done) struct stmt *s = NULL;

        TRY(stmt_open(store->db, update, &s, err));
        stmt_int(s, 1, now.wall_ms);
        stmt_text(s, 2, hex);
        TRY(stmt_run(s, NULL, err));
    }
    return tx_commit_plain(&tx, err);
}

static enum rc end(void *self, const struct digest *session, struct instant now, struct err *err)
{
    return WRITE(self, end_once(self, session, now, err));
}

/* ---- sign-ins that failed ---------------------------------------------------------------------- */

static enum rc
failures(void *self, const struct digest *subject, int64_t since_ms, int64_t *out, struct err *err)
{
    static const char count[] =
        "SELECT COUNT(*) AS n FROM login_failure WHERE subject = $1 AND failed_at > $2";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    char hex[DIGEST_HEX_SIZE];

    digest_hex(subject, hex);
    TRY(stmt_open(store->db, count, &s, err));
    stmt_text(s, 1, hex);
    stmt_int(s, 2, since_ms);
    TRY(stmt_row(s, err));
    *out = col_int(s, "n");
    return RC_OK;
}

static enum rc
add_failure(struct store *store, const struct digest *subject, int64_t at_ms, struct err *err)
{
    static const char insert[] = "INSERT INTO login_failure (subject, failed_at) VALUES ($1, $2)";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    char hex[DIGEST_HEX_SIZE];

    digest_hex(subject, hex);
    TRY(stmt_open(store->db, insert, &s, err));
    stmt_text(s, 1, hex);
    stmt_int(s, 2, at_ms);
    return stmt_run(s, NULL, err);
}

static enum rc forget_failures(struct store *store, int64_t before_ms, struct err *err)
{
    static const char forget[] = "DELETE FROM login_failure WHERE failed_at < $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(store->db, forget, &s, err));
    stmt_int(s, 1, before_ms);
    return stmt_run(s, NULL, err);
}

static enum rc failed_once(
    void *self, const struct digest *subject, size_t count, struct instant now, struct err *err)
{
    struct store *store = self;
    CLEANUP(tx_end) struct tx tx = TX_NONE;

    TRY(tx_begin_in(store->db, "console:", &tx, err));
    TRY(forget_failures(store, now.wall_ms - FAILURE_KEPT, err));
    for (size_t i = 0; i < count; i++)
        TRY(add_failure(store, &subject[i], now.wall_ms, err));
    return tx_commit_plain(&tx, err);
}

static enum rc
failed(void *self, const struct digest *subject, size_t count, struct instant now, struct err *err)
{
    return WRITE(self, failed_once(self, subject, count, now, err));
}

/* ---- who looked at what -------------------------------------------------------------------------- */

static enum rc looked_once(void *self,
                           const char *person,
                           const char *page,
                           const char *key,
                           struct instant now,
                           struct err *err)
{
    static const char insert[] =
        "INSERT INTO look (person, page, key, looked_at) VALUES ($1, $2, $3, $4)";
    struct store *store = self;
    CLEANUP(tx_end) struct tx tx = TX_NONE;

    TRY(tx_begin_in(store->db, "console:", &tx, err));
    {
        CLEANUP(stmt_done) struct stmt *s = NULL;

        TRY(stmt_open(store->db, insert, &s, err));
        stmt_text(s, 1, person);
        stmt_text(s, 2, page);
        stmt_text(s, 3, key);
        stmt_int(s, 4, now.wall_ms);
        TRY(stmt_run(s, NULL, err));
    }
    return tx_commit_plain(&tx, err);
}

static enum rc looked(void *self,
                      const char *person,
                      const char *page,
                      const char *key,
                      struct instant now,
                      struct err *err)
{
    return WRITE(self, looked_once(self, person, page, key, now, err));
}

static enum rc looks(void *self, int64_t below, size_t limit, struct view *out, struct err *err)
{
    static const char find_all[] =
        "SELECT look.id, look.person, look.page, look.key, look.looked_at,"
        " COALESCE(case_record.reference, '') AS reference FROM look"
        " LEFT JOIN item ON item.key = look.key"
        " LEFT JOIN case_record ON case_record.key = item.case_key"
        " WHERE look.id < $1 ORDER BY look.id DESC LIMIT $2";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_look));
    enum rc rc;

    TRY(stmt_open(store->db, find_all, &s, err));
    stmt_int(s, 1, below > 0 ? below : INT64_MAX);
    stmt_int(s, 2, limit ? (int64_t)limit : INT64_MAX);
    EACH_ROW(s, rc, err)
    {
        struct view_look *l = view_rows_add(out, &rows);
        l->id = col_int(s, "id");
        l->at_ms = col_int(s, "looked_at");
        l->person = view_text(out, col_text(s, "person"));
        l->page = view_text(out, col_text(s, "page"));
        l->key = view_text(out, col_text(s, "key"));
        l->reference = view_text(out, col_text(s, "reference"));
    }
    out->row = rows.at;
    out->count = rows.count;
    return END_OF_ROWS(rc);
}

struct sessions store_sessions(struct store *store)
{
    return (struct sessions){
        .self = store,
        .begin = begin,
        .find = find,
        .end = end,
        .failures = failures,
        .failed = failed,
        .looked = looked,
        .looks = looks,
    };
}
