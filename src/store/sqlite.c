/* SPDX-License-Identifier: Apache-2.0 */
#include "sqlite_fault.h"
#include "sqlite_p.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum rc db_failure(struct db *db, bool at_commit, const char *where, struct err *err)
{
    int code = sqlite3_extended_errcode(db->sqlite);
    const struct sqlite_fault *fault = sqlite_fault_of(code);

    return err_set(err, at_commit ? fault->at_commit : fault->rc, where, "ledger '%s': %s (%s, %d)",
                   db->path, fault->remedy, sqlite3_errmsg(db->sqlite), code);
}

/* Connections */

#define PAUSE_MS 10 /* between two tries of what SQLite does not wait for */

static const char settings[] = "PRAGMA synchronous = FULL;"
                               "PRAGMA foreign_keys = ON;"
                               "PRAGMA trusted_schema = OFF;"
                               "PRAGMA cell_size_check = ON;"
                               "PRAGMA temp_store = MEMORY;"
                               "PRAGMA journal_size_limit = 67108864;";

static enum rc check_mode(struct db *db, const char *mode, struct err *err)
{
    if (strcmp(mode, "wal") == 0 || strcmp(mode, "memory") == 0)
        return RC_OK;
    return FAIL(err, RC_BROKEN, "ledger '%s': its file system cannot hold a ledger (%s)", db->path,
                mode);
}

static enum rc ask_wal(struct db *db, struct err *err)
{
    static const char wal[] = "PRAGMA journal_mode = WAL";
    sqlite3_stmt *s = NULL;
    bool answered = sqlite3_prepare_v2(db->sqlite, wal, -1, &s, NULL) == SQLITE_OK &&
                    sqlite3_step(s) == SQLITE_ROW;
    enum rc rc =
        answered ? check_mode(db, (const char *)sqlite3_column_text(s, 0), err) : DB_FAIL(db, err);

    sqlite3_finalize(s);
    return rc;
}

/* Several processes may make one ledger at once. SQLite does not wait by itself for the lock that
 * this once needs, so it is asked again for as long as any other lock is waited for. */
static enum rc set_wal(struct db *db, struct err *err)
{
    struct err busy = ERR_INIT;
    enum rc rc = ask_wal(db, &busy);

    for (int waited = 0; rc == RC_DEFERRED && waited < db->busy_timeout_ms; waited += PAUSE_MS) {
        sqlite3_sleep(PAUSE_MS);
        rc = ask_wal(db, &busy);
    }
    return rc == RC_OK ? RC_OK : FAIL(err, rc, "%s", busy.text);
}

static void disconnect(struct db *db)
{
    db_forget_statements(db);
    sqlite3_close_v2(db->sqlite);
    db->sqlite = NULL;
}

static enum rc settle(struct db *db, struct err *err)
{
    sqlite3_extended_result_codes(db->sqlite, 1);
    sqlite3_busy_timeout(db->sqlite, db->busy_timeout_ms);
    sqlite3_db_config(db->sqlite, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db->sqlite, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    sqlite3_db_config(db->sqlite, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
    if (sqlite3_exec(db->sqlite, settings, NULL, NULL, NULL) != SQLITE_OK)
        return DB_FAIL(db, err);
    if (db_read_only(db))
        return RC_OK;
    if (sqlite3_db_readonly(db->sqlite, "main") == 1)
        return FAIL(err, RC_BROKEN, "ledger '%s': %s", db->path,
                    sqlite_fault_of(SQLITE_READONLY)->remedy);
    return set_wal(db, err);
}

static enum rc connect(struct db *db, struct err *err)
{
    enum rc rc = sqlite3_open_v2(db->path, &db->sqlite, db->flags, NULL) == SQLITE_OK
                     ? settle(db, err)
                     : DB_FAIL(db, err);

    if (rc != RC_OK)
        disconnect(db);
    return rc;
}

/* A connection that could not be opened anew is tried again by the next statement. */
enum rc db_connected(struct db *db, struct err *err)
{
    return db->sqlite != NULL ? RC_OK : connect(db, err);
}

static int open_flags(const struct store_options *options)
{
    int flags = SQLITE_OPEN_NOMUTEX;

    flags |= options->read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    if (options->create && !options->read_only)
        flags |= SQLITE_OPEN_CREATE;
    if (strncmp(options->path, "file:", 5) == 0)
        flags |= SQLITE_OPEN_URI;
    return flags;
}

enum rc db_open(const struct store_options *options, struct db **out, struct err *err)
{
    CLEANUP(db_close) struct db *db = mem_new(1, sizeof *db);

    db->path = mem_text(options->path);
    db->busy_timeout_ms = options->busy_timeout_ms;
    db->flags = open_flags(options);
    TRY(connect(db, err));
    *out = STEAL(db);
    return RC_OK;
}

void db_close(struct db **db)
{
    if (*db == NULL)
        return;
    disconnect(*db);
    free((*db)->path);
    mem_free(db);
}

/* A private memory database has no name, and would be gone with its connection. */
enum rc db_reopen(struct db *db, struct err *err)
{
    const char *name = db->sqlite != NULL ? sqlite3_db_filename(db->sqlite, "main") : db->path;

    if (name == NULL || name[0] == '\0')
        return RC_OK;
    disconnect(db);
    db->flags &= ~SQLITE_OPEN_CREATE;
    return connect(db, err);
}

bool db_read_only(const struct db *db)
{
    return (db->flags & SQLITE_OPEN_READONLY) != 0;
}

const char *db_path(const struct db *db)
{
    return db->path;
}

enum rc db_run(struct db *db, const char *sql, struct err *err)
{
    TRY(db_connected(db, err));
    return sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL) == SQLITE_OK ? RC_OK : DB_FAIL(db, err);
}

int64_t db_last_id(struct db *db)
{
    return sqlite3_last_insert_rowid(db->sqlite);
}

/* Transactions */

static enum rc run_cached(struct db *db, const char *sql, struct err *err)
{
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, sql, &s, err));
    return stmt_run(s, NULL, err);
}

enum rc tx_begin(struct db *db, struct tx *tx, struct err *err)
{
    static const char begin[] = "BEGIN IMMEDIATE";

    assert(db->sqlite == NULL || sqlite3_get_autocommit(db->sqlite));
    TRY(run_cached(db, begin, err));
    tx->db = db;
    return RC_OK;
}

enum rc tx_read(struct db *db, struct tx *tx, struct err *err)
{
    static const char begin[] = "BEGIN";

    assert(db->sqlite == NULL || sqlite3_get_autocommit(db->sqlite));
    TRY(run_cached(db, begin, err));
    tx->db = db;
    return RC_OK;
}

/* A statement that met a full or failing disk has rolled the transaction back already. */
enum rc tx_commit(struct tx *tx, struct err *err)
{
    static const char commit[] = "COMMIT";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    CLEANUP(tx_end) struct tx mine = *tx;

    tx->db = NULL;
    if (sqlite3_get_autocommit(mine.db->sqlite))
        return FAIL(err, RC_DEFERRED, "ledger '%s': the transaction was rolled back",
                    mine.db->path);
    TRY(stmt_open(mine.db, commit, &s, err));
    return sqlite3_step(s->prepared) == SQLITE_DONE ? RC_OK
                                                    : db_failure(mine.db, true, __func__, err);
}

void tx_end(struct tx *tx)
{
    static const char rollback[] = "ROLLBACK";

    if (tx->db != NULL && !sqlite3_get_autocommit(tx->db->sqlite))
        sqlite3_exec(tx->db->sqlite, rollback, NULL, NULL, NULL);
    tx->db = NULL;
}
