/* SPDX-License-Identifier: Apache-2.0 */
#include "move.h"

#include <string.h>

/* ---- whose it is ----------------------------------------------------------------------------------- */

static enum rc get_meta(struct db *db, const char *name, struct str *out, struct err *err)
{
    static const char find[] = "SELECT value FROM meta WHERE name = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, name);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_OK)
        str_addz(out, col_text(s, "value"));
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static enum rc set_meta(struct db *db, const char *name, const char *value, struct err *err)
{
    static const char set[] = "INSERT INTO meta (name, value) VALUES ($1, $2)"
                              " ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, set, &s, err));
    stmt_text(s, 1, name);
    stmt_text(s, 2, value);
    return stmt_run(s, NULL, err);
}

/* Its names and secret are taken over first, and that it is half moved is said beside them. */
static enum rc copy_meta(struct moving *m, struct err *err)
{
    static const char find[] = "SELECT name, value FROM meta WHERE name NOT LIKE 'schema!_%' ESCAPE"
                               " '!' ORDER BY name";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    CLEANUP(tx_end) struct tx tx = TX_NONE;
    enum rc rc;

    TRY(tx_begin(m->to->db, &tx, err));
    TRY(stmt_open(m->from->db, find, &s, err));
    while ((rc = stmt_row(s, err)) == RC_OK)
        TRY(set_meta(m->to->db, col_text(s, "name"), col_text(s, "value"), err));
    if (rc != RC_NOT_FOUND)
        return rc;
    TRY(set_meta(m->to->db, META_MOVING, "1", err));
    return tx_commit_plain(&tx, err);
}

static enum rc has_any(struct db *db, bool *out, struct err *err)
{
    static const char find[] = "SELECT (SELECT COUNT(*) FROM event) + (SELECT COUNT(*) FROM item)"
                               " + (SELECT COUNT(*) FROM \"user\") AS rows";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    TRY(stmt_row(s, err));
    *out = col_int(s, "rows") > 0;
    return RC_OK;
}

/* What a newer version has added would stay behind. */
static enum rc check_schema(const struct store *store, struct err *err)
{
    if (!store_is_newer(store))
        return RC_OK;
    return FAIL(err, RC_USAGE,
                "ledger '%s': its schema is newer than this program: move it with the version that"
                " made it so",
                db_path(store->db));
}

static enum rc check_target(struct moving *m, bool *begun, struct err *err)
{
    CLEANUP(str_clear) struct str id = STR_INIT;
    CLEANUP(str_clear) struct str ours = STR_INIT;
    CLEANUP(str_clear) struct str moving = STR_INIT;
    bool any;

    TRY(get_meta(m->to->db, META_MOVING, &moving, err));
    TRY(get_meta(m->to->db, "ledger_id", &id, err));
    TRY(get_meta(m->from->db, "ledger_id", &ours, err));
    TRY(has_any(m->to->db, &any, err));
    *begun = moving.len > 0;
    text_copy(m->out->id, sizeof m->out->id, str_z(&ours));
    if (*begun && !slice_eq(str_slice(&id), str_slice(&ours)))
        return FAIL(err, RC_CONFLICT,
                    "ledger '%s': another ledger is half moved there: name an empty database",
                    db_path(m->to->db));
    if (!*begun && any)
        return FAIL(err, RC_CONFLICT, "ledger '%s': there is a ledger already: %s",
                    db_path(m->to->db),
                    slice_eq(str_slice(&id), str_slice(&ours))
                        ? "this one, as it was when it was moved; move it away first"
                        : "another one; name an empty database");
    return RC_OK;
}

static enum rc end_moving(struct moving *m, struct err *err)
{
    static const char forget[] = "DELETE FROM meta WHERE name = '" META_MOVING "'";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    CLEANUP(tx_end) struct tx tx = TX_NONE;

    TRY(tx_begin(m->to->db, &tx, err));
    TRY(stmt_open(m->to->db, forget, &s, err));
    TRY(stmt_one(s, META_MOVING, err));
    return tx_commit_plain(&tx, err);
}

/* ---- all of it --------------------------------------------------------------------------------------- */

static enum rc read_plan(struct moving *m, struct err *err)
{
    CLEANUP(str_clear) struct str path = STR_INIT;
    bool from_file = db_file(m->from->db, &path);

    TRY(check_schema(m->from, err));
    TRY(check_schema(m->to, err));
    str_empty(&path);
    if (from_file == db_file(m->to->db, &path))
        return FAIL(err, RC_USAGE, "a ledger is moved from SQLite to PostgreSQL, or back");
    TRY(move_plan_read(from_file ? m->from->db : m->to->db, &m->plan, err));
    m->out->tables = (int64_t)m->plan.tables;
    return RC_OK;
}

static enum rc move_rows(struct moving *m, struct err *err)
{
    TRY(move_copy(m, err));
    TRY(move_compare(m, err));
    return end_moving(m, err);
}

/* While its transaction is open nobody writes into the old one. */
static enum rc move_whole(struct moving *m, struct err *err)
{
    CLEANUP(tx_end) struct tx tx = TX_NONE;
    struct ledger_facts facts;
    bool begun;

    TRY(read_plan(m, err));
    TRY(check_target(m, &begun, err));
    TRY(tx_begin(m->from->db, &tx, err));
    if (!begun)
        TRY(copy_meta(m, err));
    TRY(move_rows(m, err));
    TRY(store_runs.facts(m->to, &facts, err));
    m->out->last_event = facts.last_event;
    return RC_OK;
}

static void tell_nobody(void *ctx, const char *table, int64_t rows)
{
    (void)ctx;
    (void)table;
    (void)rows;
}

static enum rc copy_snapshot(struct moving *m, struct err *err)
{
    CLEANUP(tx_end) struct tx tx = TX_NONE;

    TRY(tx_read(m->from->db, &tx, err));
    TRY(copy_meta(m, err));
    TRY(move_copy(m, err));
    return end_moving(m, err);
}

/* Both connections prepare statements by the plan's texts: `from` keeps it until it is closed. */
enum rc move_snapshot(struct store *to, struct store *from, struct err *err)
{
    struct store_moved out = {.rows = 0};
    struct moving m = {.from = from, .to = to, .tell = tell_nobody, .out = &out};

    if (from->plan == NULL) {
        TRY(read_plan(&m, err));
        from->plan = mem_new(1, sizeof *from->plan);
        *from->plan = m.plan;
    }
    m.plan = *from->plan;
    return copy_snapshot(&m, err);
}

enum rc store_move(const struct store_options *from,
                   const struct store_options *to,
                   void (*tell)(void *ctx, const char *table, int64_t rows),
                   void *ctx,
                   struct store_moved *out,
                   struct err *err)
{
    struct moving m = {.tell = tell, .ctx = ctx, .out = out};
    struct store_options target = *to;

    *out = (struct store_moved){.rows = 0};
    target.moving = true;
    enum rc rc = store_open(from, &m.from, err);

    if (rc == RC_OK)
        rc = store_open(&target, &m.to, err);
    if (rc == RC_OK)
        rc = move_whole(&m, err);
    store_close(&m.to);
    store_close(&m.from);
    move_plan_clear(&m.plan); /* its texts are prepared there */
    return rc;
}
