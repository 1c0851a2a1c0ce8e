/* SPDX-License-Identifier: Apache-2.0 */
#include "sqlite_fault.h"
#include "sqlite_p.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum rc sqlite_failure(struct sqlite *db, bool at_commit, const char *where, struct err *err)
{
    int code = sqlite3_extended_errcode(db->connection);

    if (code == SQLITE_INTERRUPT && db->broken_off && !at_commit)
        return db_took_too_long(&db->db, err);
    const struct sqlite_fault *fault = sqlite_fault_of(code);

    return err_set(err, at_commit ? fault->at_commit : fault->rc, where, "ledger '%s': %s (%s, %d)",
                   db->db.path, fault->remedy, sqlite3_errmsg(db->connection), code);
}

/* Connections */

#define PAUSE_MS 10 /* between two tries of what SQLite does not wait for */

static const char settings[] = "PRAGMA synchronous = FULL;"
                               "PRAGMA foreign_keys = ON;"
                               "PRAGMA trusted_schema = OFF;"
                               "PRAGMA cell_size_check = ON;"
                               "PRAGMA secure_delete = ON;"
                               "PRAGMA temp_store = MEMORY;"
                               "PRAGMA cache_size = -8192;"
                               "PRAGMA wal_autocheckpoint = 4000;" /* pages: 16 MB */
                               "PRAGMA journal_size_limit = 67108864;";

static enum rc check_mode(struct sqlite *db, const char *mode, struct err *err)
{
    if (strcmp(mode, "wal") == 0 || strcmp(mode, "memory") == 0)
        return RC_OK;
    return FAIL(err, RC_BROKEN, "ledger '%s': its file system cannot hold a ledger (%s)",
                db->db.path, mode);
}

static enum rc ask_wal(struct sqlite *db, struct err *err)
{
    static const char wal[] = "PRAGMA journal_mode = WAL";
    sqlite3_stmt *s = NULL;
    bool answered = sqlite3_prepare_v2(db->connection, wal, -1, &s, NULL) == SQLITE_OK &&
                    sqlite3_step(s) == SQLITE_ROW;
    enum rc rc = answered ? check_mode(db, (const char *)sqlite3_column_text(s, 0), err)
                          : FAIL_OF_SQLITE(db, err);

    sqlite3_finalize(s);
    return rc;
}

/* Several processes may make one ledger at once. SQLite does not wait by itself for the lock that
 * this once needs, so it is asked again for as long as any other lock is waited for. */
static enum rc set_wal(struct sqlite *db, struct err *err)
{
    struct err busy = ERR_INIT;
    enum rc rc = ask_wal(db, &busy);

    for (int waited = 0; rc == RC_DEFERRED && waited < db->busy_timeout_ms; waited += PAUSE_MS) {
        sqlite3_sleep(PAUSE_MS);
        rc = ask_wal(db, &busy);
    }
    return rc == RC_OK ? RC_OK : FAIL(err, rc, "%s", busy.text);
}

static void disconnect(struct sqlite *db)
{
    sqlite_forget_statements(db);
    sqlite3_close_v2(db->connection);
    db->connection = NULL;
}

static enum rc settle(struct sqlite *db, struct err *err)
{
    sqlite3_extended_result_codes(db->connection, 1);
    sqlite3_busy_timeout(db->connection, db->busy_timeout_ms);
    sqlite_watch(db);
    sqlite3_db_config(db->connection, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db->connection, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    sqlite3_db_config(db->connection, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
    if (sqlite3_exec(db->connection, settings, NULL, NULL, NULL) != SQLITE_OK)
        return FAIL_OF_SQLITE(db, err);
    if (db->db.read_only)
        return RC_OK;
    if (sqlite3_db_readonly(db->connection, "main") == 1)
        return FAIL(err, RC_BROKEN, "ledger '%s': %s", db->db.path,
                    sqlite_fault_of(SQLITE_READONLY)->remedy);
    return set_wal(db, err);
}

static enum rc connect(struct sqlite *db, struct err *err)
{
    enum rc rc = sqlite3_open_v2(db->db.path, &db->connection, db->flags, NULL) == SQLITE_OK
                     ? settle(db, err)
                     : FAIL_OF_SQLITE(db, err);

    if (rc != RC_OK)
        disconnect(db);
    return rc;
}

/* A connection that could not be opened anew is tried again by the next statement. */
enum rc sqlite_connected(struct sqlite *db, struct err *err)
{
    return db->connection != NULL ? RC_OK : connect(db, err);
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

static void close_database(struct db **db)
{
    struct sqlite *mine = sqlite_of(*db);

    disconnect(mine);
    free(mine->db.path);
    free(mine);
    *db = NULL;
}

/* A process of ours has one thread: SQLite needs no locks inside it, and nobody asks how much it has
 * allocated, which it counts under one. Only before the first database is opened. */
static void settle_library(void)
{
    static bool settled;

    if (settled)
        return;
    settled = true;
    (void)sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

static enum rc open_database(const struct store_options *options, struct db **out, struct err *err)
{
    settle_library();

    struct sqlite *db = mem_new(1, sizeof *db);
    CLEANUP(db_close) struct db *mine = &db->db;

    db->db = (struct db){
        .driver = &sqlite_driver, .path = mem_text(options->path), .read_only = options->read_only};
    db->busy_timeout_ms = options->busy_timeout_ms;
    db->flags = open_flags(options);
    TRY(connect(db, err));
    *out = STEAL(mine);
    return RC_OK;
}

/* A private memory database has no name, and would be gone with its connection. */
static enum rc reopen(struct db *db, struct err *err)
{
    struct sqlite *mine = sqlite_of(db);
    const char *name =
        mine->connection != NULL ? sqlite3_db_filename(mine->connection, "main") : db->path;

    if (name == NULL || name[0] == '\0')
        return RC_OK;
    disconnect(mine);
    mine->flags &= ~SQLITE_OPEN_CREATE;
    return connect(mine, err);
}

static enum rc run(struct db *db, const char *sql, struct err *err)
{
    struct sqlite *mine = sqlite_of(db);

    TRY(sqlite_connected(mine, err));
    return sqlite3_exec(mine->connection, sql, NULL, NULL, NULL) == SQLITE_OK
               ? RC_OK
               : FAIL_OF_SQLITE(mine, err);
}

static enum rc limit(struct db *db, struct err *err)
{
    TRY(sqlite_connected(sqlite_of(db), err));
    sqlite_watch(sqlite_of(db));
    return RC_OK;
}

/* Transactions */

/* A table that others refer to is made anew under its own name, what is sorted for an index of a large ledger
 * stays beside it, on the disk, and a check is changed where it is written down. None of it is possible
 * within a transaction, or on any other connection. */
static enum rc before_migrating(struct sqlite *db, struct err *err)
{
    static const char wide[] = "PRAGMA foreign_keys = OFF; PRAGMA temp_store = FILE;";

    TRY(sqlite_connected(db, err));
    db->migrates = true;
    sqlite3_db_config(db->connection, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
    return sqlite3_exec(db->connection, wide, NULL, NULL, NULL) == SQLITE_OK
               ? RC_OK
               : FAIL_OF_SQLITE(db, err);
}

static void after_migrating(struct sqlite *db)
{
    static const char narrow[] = "PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;";

    if (!db->migrates || db->connection == NULL || !sqlite3_get_autocommit(db->connection))
        return;
    sqlite3_db_config(db->connection, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    db->migrates = sqlite3_exec(db->connection, narrow, NULL, NULL, NULL) != SQLITE_OK;
}

static void rollback(struct db *db)
{
    static const char text[] = "ROLLBACK";
    struct sqlite *mine = sqlite_of(db);

    if (!sqlite3_get_autocommit(mine->connection))
        sqlite3_exec(mine->connection, text, NULL, NULL, NULL);
    after_migrating(mine);
}

static enum rc read_oldest(struct db *db, struct err *err)
{
    static const char find[] = "SELECT " OLDEST_SCHEMA;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    TRY(stmt_row(s, err));
    db->oldest_schema = col_int(s, "oldest");
    return RC_OK;
}

/* Writing, the write lock is taken here, so nothing after it fails for want of it. */
/* There is one writer at a time, whatever turn is asked for. */
static enum rc begin(struct db *db, enum tx_kind kind, const char *turn, struct err *err)
{
    static const char immediate[] = "BEGIN IMMEDIATE";
    static const char deferred[] = "BEGIN";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    (void)turn;
    assert(sqlite_of(db)->connection == NULL || sqlite3_get_autocommit(sqlite_of(db)->connection));
    if (kind == TX_MIGRATE)
        TRY(before_migrating(sqlite_of(db), err));
    TRY(stmt_open(db, kind == TX_READ ? deferred : immediate, &s, err));
    TRY(stmt_run(s, NULL, err));
    if (kind != TX_WRITE || db->schema == 0)
        return RC_OK;
    enum rc rc = read_oldest(db, err);

    if (rc != RC_OK)
        rollback(db);
    return rc;
}

/* A statement that met a full or failing disk has rolled the transaction back already. */
static enum rc commit(struct db *db, struct err *err)
{
    static const char text[] = "COMMIT";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct sqlite *mine = sqlite_of(db);

    if (sqlite3_get_autocommit(mine->connection))
        return FAIL(err, RC_DEFERRED, "ledger '%s': the transaction was rolled back", db->path);
    TRY(stmt_open(db, text, &s, err));
    if (sqlite3_step(((struct sqlite_stmt *)(void *)s)->prepared) != SQLITE_DONE)
        return sqlite_failure(mine, true, __func__, err);
    stmt_done(&s);
    after_migrating(mine);
    return RC_OK;
}

/* Of this connection, and of all tables. */
static enum rc triggers(struct db *db, const char *table, bool fire, struct err *err)
{
    struct sqlite *mine = sqlite_of(db);

    (void)table;
    TRY(sqlite_connected(mine, err));
    sqlite3_db_config(mine->connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, fire ? 1 : 0, NULL);
    return RC_OK;
}

const struct driver sqlite_driver = {
    .open = open_database,
    .close = close_database,
    .reopen = reopen,
    .run = run,
    .prepare = sqlite_prepare,
    .done = sqlite_done,
    .text = sqlite_text,
    .blob = sqlite_blob,
    .number = sqlite_number,
    .null = sqlite_null,
    .row = sqlite_row,
    .changed = sqlite_changed,
    .column_number = sqlite_column_number,
    .column_null = sqlite_column_null,
    .column = sqlite_column,
    .triggers = triggers,
    .has_table = sqlite_has_table,
    .size = sqlite_size,
    .check = sqlite_check,
    .copy = sqlite_copy,
    .file = sqlite_file,
    .forget = sqlite_forget,
    .limit = limit,
    .begin = begin,
    .commit = commit,
    .rollback = rollback,
};
