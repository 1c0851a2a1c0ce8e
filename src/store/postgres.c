/* SPDX-License-Identifier: Apache-2.0 */
#include "dialect.h"
#include "postgres_fault.h"
#include "postgres_p.h"

#include <onecase/digest.h>

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Databases */

static void close_database(struct db **db)
{
    struct postgres *mine = postgres_of(*db);

    postgres_disconnect(mine);
    postgres_forget_statements(mine);
    free(mine->db.path);
    free(mine->url);
    free(mine);
    *db = NULL;
}

static enum rc open_database(const struct store_options *options, struct db **out, struct err *err)
{
    struct postgres *db = mem_new(1, sizeof *db);
    CLEANUP(db_close) struct db *mine = &db->db;

    db->db = (struct db){.driver = &postgres_driver,
                         .path = postgres_name(options->path),
                         .read_only = options->read_only};
    db->url = mem_text(options->path);
    db->busy_timeout_ms = options->busy_timeout_ms;
    TRY(postgres_connect(db, err));
    *out = STEAL(mine);
    return RC_OK;
}

static enum rc reopen(struct db *db, struct err *err)
{
    postgres_of(db)->in_tx = false;
    return postgres_connect(postgres_of(db), err);
}

static enum rc judged(struct postgres *db, PGresult *result, struct err *err)
{
    enum rc rc =
        result != NULL && postgres_good(result) ? RC_OK : FAIL_OF_POSTGRES(db, result, err);

    PQclear(result);
    return rc;
}

static enum rc run(struct db *db, const char *sql, struct err *err)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    struct postgres *mine = postgres_of(db);

    TRY(postgres_connected(mine, err));
    dialect_write(sql, &text);
    return judged(mine, postgres_ask(mine, str_z(&text)), err);
}

static enum rc has_table(struct db *db, const char *name, bool *out, struct err *err)
{
    static const char find[] = "SELECT COUNT(*) AS count FROM pg_catalog.pg_tables"
                               " WHERE schemaname = current_schema()"
                               " AND ($1 IS NULL OR tablename = $1)";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, name);
    TRY(stmt_row(s, err));
    *out = col_int(s, "count") > 0;
    return RC_OK;
}

static enum rc size(struct db *db, int64_t *octets, struct err *err)
{
    static const char find[] = "SELECT pg_database_size(current_database()) AS size";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    TRY(stmt_row(s, err));
    *octets = col_int(s, "size");
    return RC_OK;
}

/* Its pages are its server's care: checksums, amcheck. */
static enum rc check(struct db *db, bool whole, struct err *err)
{
    (void)whole;
    return postgres_connected(postgres_of(db), err);
}

static enum rc copy(struct db *to, struct db *from, struct err *err)
{
    (void)from;
    return FAIL(err, RC_USAGE, "ledger '%s': it is not copied: its server's tools do that",
                to->path);
}

static enum rc limit(struct db *db, struct err *err)
{
    TRY(postgres_connected(postgres_of(db), err));
    return postgres_limit(postgres_of(db), err);
}

/* Transactions */

/* Any number: it names the lock of those that change the schema. */
#define MIGRATIONS "1869505381"

/* Pairs of numbers are names apart from that. WHOLE is shared by those that write in turns, and had alone
 * by everybody else; TURN and a number is one turn; CHAIN is had at the end of each, so that what is
 * appended follows what stands. They are taken in this order. */
#define WHOLE "1869505382, 1"
#define CHAIN "1869505382, 2"
#define TURN  "1869505383, "

#define STANDSTILL_MS "60000"

/* A lock comes before the first statement that reads, and each statement reads what is committed by then:
 * what is read is what the last one in that turn left. The lock of one that stands still, on a machine that
 * is gone perhaps, is taken from it. */
static const char *const beginnings[] = {
    [TX_WRITE] = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
    [TX_MIGRATE] = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
    [TX_READ] = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
};

/* Two turns of one number wait for each other, which does no harm. */
static int32_t turn_number(const char *turn)
{
    const struct digest digest = sha256_of(slice_z(turn));
    uint32_t number = 0;

    for (size_t i = 0; i < 3; i++)
        number = number << 8 | digest.octet[i];
    return (int32_t)number;
}

static void add_locks(enum tx_kind kind, const char *turn, struct str *out)
{
    if (kind == TX_MIGRATE)
        str_addz(out, "SELECT pg_advisory_xact_lock(" MIGRATIONS "); ");
    if (kind == TX_READ)
        return;
    if (turn == NULL)
        str_addz(out, "SELECT pg_advisory_xact_lock(" WHOLE "); ");
    else
        str_addf(out,
                 "SELECT pg_advisory_xact_lock_shared(" WHOLE ");"
                 " SELECT pg_advisory_xact_lock(" TURN "%d); ",
                 turn_number(turn));
}

#define ITS_CLOCK "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS now"

static PGresult *ask_to_begin(struct postgres *db, enum tx_kind kind, const char *turn)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    int wait_ms = db->busy_timeout_ms > 0 ? db->busy_timeout_ms : 1; /* 0 would be for ever */

    str_addf(&text,
             "%s; SET LOCAL lock_timeout = %d;"
             " SET LOCAL idle_in_transaction_session_timeout = " STANDSTILL_MS "; ",
             beginnings[kind], wait_ms);
    if (db->db.longest_ms > 0 && kind != TX_MIGRATE)
        str_addf(&text, "SET LOCAL statement_timeout = %" PRId64 "; ", db->db.longest_ms);
    add_locks(kind, turn, &text);
    str_addz(&text, ITS_CLOCK);
    if (kind == TX_WRITE && db->db.schema > 0)
        str_addz(&text, ", " OLDEST_SCHEMA);

    PGresult *result = postgres_ask(db, str_z(&text));

    if (result != NULL && PQntuples(result) == 1) {
        db->db.now_ms = strtoll(PQgetvalue(result, 0, 0), NULL, 10);
        db->db.oldest_schema =
            PQnfields(result) > 1 ? strtoll(PQgetvalue(result, 0, 1), NULL, 10) : 0;
    }
    return result;
}

static enum rc now(struct db *db, int64_t *out, struct err *err)
{
    static const char find[] = ITS_CLOCK;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    TRY(stmt_row(s, err));
    *out = col_int(s, "now");
    return RC_OK;
}

static enum rc append(struct db *db, struct err *err)
{
    static const char text[] = "SELECT pg_advisory_xact_lock(" CHAIN ")";
    struct postgres *mine = postgres_of(db);

    TRY(postgres_connected(mine, err));
    return judged(mine, postgres_ask(mine, text), err);
}

static void rollback(struct db *db)
{
    static const char text[] = "ROLLBACK";
    struct postgres *mine = postgres_of(db);

    if (!mine->in_tx)
        return;
    mine->in_tx = false;
    if (mine->connection == NULL || PQtransactionStatus(mine->connection) == PQTRANS_IDLE)
        return;

    PGresult *result = postgres_ask(mine, text);

    if (result == NULL || !postgres_good(result))
        postgres_disconnect(mine);
    PQclear(result);
}

static enum rc standbys(struct db *db, struct err *err)
{
    TRY(postgres_connected(postgres_of(db), err));
    return postgres_standbys(postgres_of(db), err);
}

/* A connection that was lost while nobody used it is made anew: nothing has begun yet. */
static enum rc begin(struct db *db, enum tx_kind kind, const char *turn, struct err *err)
{
    struct postgres *mine = postgres_of(db);

    assert(!mine->in_tx);
    TRY(postgres_connected(mine, err));
    PGresult *result = ask_to_begin(mine, kind, turn);

    if (result == NULL) {
        TRY(postgres_connect(mine, err));
        result = ask_to_begin(mine, kind, turn);
    }
    mine->in_tx = true;
    enum rc rc = judged(mine, result, err);

    if (rc != RC_OK)
        rollback(db);
    return rc;
}

/* One that met an error ends as ROLLBACK, and says so only by its tag. */
static enum rc judge_commit(struct postgres *db, PGresult *result, struct err *err)
{
    enum rc rc = RC_OK;

    if (result == NULL || !postgres_good(result))
        rc = postgres_failure(db, result, true, __func__, err);
    else if (strcmp(PQcmdStatus(result), "COMMIT") != 0)
        rc = FAIL(err, RC_DEFERRED, "ledger '%s': the transaction was rolled back", db->db.path);
    PQclear(result);
    return rc;
}

static enum rc commit(struct db *db, struct err *err)
{
    static const char text[] = "COMMIT";
    struct postgres *mine = postgres_of(db);

    if (mine->connection == NULL) {
        db->passing = true;
        return FAIL(err, RC_DEFERRED, "ledger '%s': the connection was lost before the commit%s",
                    db->path, postgres_became(RC_DEFERRED));
    }

    PGresult *result = postgres_ask(mine, text);

    mine->in_tx = false;
    return judge_commit(mine, result, err);
}

static const char *const schemes[] = {"postgresql://", "postgres://", NULL};

/* A column that is not numbered has no sequence, and setval of none does nothing. */
static enum rc renumber(struct db *db, const char *table, const char *column, struct err *err)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    struct postgres *mine = postgres_of(db);

    TRY(postgres_connected(mine, err));
    str_addf(&text,
             "DO $$ BEGIN PERFORM setval(pg_get_serial_sequence('\"%s\"', '%s'),"
             " (SELECT COALESCE(MAX(\"%s\"), 0) + 1 FROM \"%s\"), false); END $$",
             table, column, column, table);
    return judged(mine, postgres_ask(mine, str_z(&text)), err);
}

static enum rc triggers(struct db *db, const char *table, bool fire, struct err *err)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    struct postgres *mine = postgres_of(db);

    TRY(postgres_connected(mine, err));
    str_addf(&text, "ALTER TABLE \"%s\" %s TRIGGER USER", table, fire ? "ENABLE" : "DISABLE");
    return judged(mine, postgres_ask(mine, str_z(&text)), err);
}

const struct driver postgres_driver = {
    .schemes = schemes,
    .open = open_database,
    .close = close_database,
    .reopen = reopen,
    .run = run,
    .prepare = postgres_prepare,
    .done = postgres_done,
    .text = postgres_text,
    .blob = postgres_blob,
    .number = postgres_number,
    .null = postgres_null,
    .row = postgres_row,
    .changed = postgres_changed,
    .column_number = postgres_column_number,
    .column_null = postgres_column_null,
    .column = postgres_column,
    .list = postgres_values,
    .renumber = renumber,
    .triggers = triggers,
    .has_table = has_table,
    .size = size,
    .check = check,
    .copy = copy,
    .limit = limit,
    .tell = postgres_tell,
    .listen = postgres_listen,
    .heard = postgres_heard,
    .standbys = standbys,
    .append = append,
    .now = now,
    .begin = begin,
    .commit = commit,
    .rollback = rollback,
};
