/* SPDX-License-Identifier: Apache-2.0 */
#include "db.h"
#include "sqlite_fault.h"

#include <assert.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS        64
#define PARAMETERS_MAX 64

struct stmt {
    struct stmt *next; /* in its bucket */
    struct db *db;     /* NULL: its connection is gone */
    const char *sql;   /* borrowed: static text */
    sqlite3_stmt *prepared;
    int parameter[PARAMETERS_MAX + 1]; /* SQLite's index of $n */
    int column;                        /* the one read last: they are mostly read in order */
    int bound;                         /* the first failure to bind */
    bool used;
};

struct db {
    sqlite3 *sqlite;
    struct stmt *bucket[BUCKETS];
    char *path;
    int busy_timeout_ms;
    int flags;
};

/* Failures. The code is read before anything else is done: a ROLLBACK would overwrite it. */

static enum rc failed(struct db *db, bool at_commit, const char *where, struct err *err)
{
    int code = sqlite3_extended_errcode(db->sqlite);
    const struct sqlite_fault *fault = sqlite_fault_of(code);

    return err_set(err, at_commit ? fault->at_commit : fault->rc, where, "ledger '%s': %s (%s, %d)",
                   db->path, fault->remedy, sqlite3_errmsg(db->sqlite), code);
}

#define DB_FAIL(db, err) failed((db), false, __func__, (err))

/* Connections */

static const char settings[] = "PRAGMA synchronous = FULL;"
                               "PRAGMA foreign_keys = ON;"
                               "PRAGMA trusted_schema = OFF;"
                               "PRAGMA cell_size_check = ON;"
                               "PRAGMA temp_store = MEMORY;"
                               "PRAGMA journal_size_limit = 67108864;";

static enum rc set_wal(struct db *db, struct err *err)
{
    static const char wal[] = "PRAGMA journal_mode = WAL";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, wal, &s, err));
    TRY(stmt_row(s, err));

    const char *mode = col_text(s, "journal_mode");

    if (strcmp(mode, "wal") != 0 && strcmp(mode, "memory") != 0)
        return FAIL(err, RC_BROKEN, "ledger '%s': its file system cannot hold a ledger (%s)",
                    db->path, mode);
    return RC_OK;
}

/* A statement that somebody holds yet is left to stmt_done, empty. */
static void forget(struct stmt *s)
{
    sqlite3_finalize(s->prepared);
    s->prepared = NULL;
    s->db = NULL;
    if (!s->used)
        free(s);
}

static void disconnect(struct db *db)
{
    for (size_t i = 0; i < BUCKETS; i++) {
        while (db->bucket[i] != NULL) {
            struct stmt *s = db->bucket[i];

            db->bucket[i] = s->next;
            forget(s);
        }
    }
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
    TRY(db_run(db, settings, err));
    return db_read_only(db) ? RC_OK : set_wal(db, err);
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
static enum rc connected(struct db *db, struct err *err)
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
    TRY(connected(db, err));
    return sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL) == SQLITE_OK ? RC_OK : DB_FAIL(db, err);
}

int64_t db_last_id(struct db *db)
{
    return sqlite3_last_insert_rowid(db->sqlite);
}

/* Statements: prepared once a connection, found again by the address of their text. */

static struct stmt **bucket_of(struct db *db, const char *sql)
{
    return &db->bucket[((uintptr_t)sql >> 4) % BUCKETS];
}

/* SQLite takes $1 for a name and numbers names as they appear; here it is the parameter's number. */
static void number_parameters(struct stmt *s)
{
    int count = sqlite3_bind_parameter_count(s->prepared);

    for (int i = 1; i <= count; i++) {
        const char *name = sqlite3_bind_parameter_name(s->prepared, i);
        long n = name != NULL && name[0] == '$' ? strtol(name + 1, NULL, 10) : 0;

        assert(n >= 1 && n <= PARAMETERS_MAX);
        s->parameter[n] = i;
    }
}

static enum rc prepare(struct db *db, const char *sql, struct stmt **out, struct err *err)
{
    CLEANUP(mem_free) struct stmt *s = mem_new(1, sizeof *s);

    s->db = db;
    s->sql = sql;
    if (sqlite3_prepare_v3(db->sqlite, sql, -1, SQLITE_PREPARE_PERSISTENT, &s->prepared, NULL) !=
        SQLITE_OK)
        return DB_FAIL(db, err);
    number_parameters(s);
    s->next = *bucket_of(db, sql);
    *bucket_of(db, sql) = s;
    *out = STEAL(s);
    return RC_OK;
}

/* One that is still being read is not taken away from its reader: another is prepared beside it. */
enum rc stmt_open(struct db *db, const char *sql, struct stmt **out, struct err *err)
{
    TRY(connected(db, err));

    struct stmt *s = *bucket_of(db, sql);

    while (s != NULL && (s->sql != sql || s->used))
        s = s->next;
    if (s == NULL)
        TRY(prepare(db, sql, &s, err));
    s->used = true;
    s->bound = SQLITE_OK;
    s->column = -1;
    *out = s;
    return RC_OK;
}

void stmt_done(struct stmt **s)
{
    if (*s == NULL)
        return;
    if ((*s)->db == NULL) {
        mem_free(s);
        return;
    }
    sqlite3_reset((*s)->prepared);
    sqlite3_clear_bindings((*s)->prepared);
    (*s)->used = false;
    *s = NULL;
}

static int parameter(const struct stmt *s, int at)
{
    assert(at >= 1 && at <= PARAMETERS_MAX && s->parameter[at] != 0);
    return s->parameter[at];
}

static void note_bound(struct stmt *s, int code)
{
    if (s->bound == SQLITE_OK)
        s->bound = code;
}

void stmt_text(struct stmt *s, int at, const char *text)
{
    if (text == NULL)
        stmt_null(s, at);
    else
        stmt_slice(s, at, slice_z(text));
}

void stmt_slice(struct stmt *s, int at, struct slice text)
{
    note_bound(s, sqlite3_bind_text64(s->prepared, parameter(s, at), text.at != NULL ? text.at : "",
                                      text.len, SQLITE_STATIC, SQLITE_UTF8));
}

void stmt_blob(struct stmt *s, int at, struct slice octets)
{
    note_bound(s,
               sqlite3_bind_blob64(s->prepared, parameter(s, at),
                                   octets.at != NULL ? octets.at : "", octets.len, SQLITE_STATIC));
}

void stmt_int(struct stmt *s, int at, int64_t value)
{
    note_bound(s, sqlite3_bind_int64(s->prepared, parameter(s, at), value));
}

void stmt_null(struct stmt *s, int at)
{
    note_bound(s, sqlite3_bind_null(s->prepared, parameter(s, at)));
}

enum rc stmt_row(struct stmt *s, struct err *err)
{
    assert(s->db != NULL);
    if (s->bound != SQLITE_OK)
        return DB_FAIL(s->db, err);
    s->column = -1;

    int code = sqlite3_step(s->prepared);

    if (code == SQLITE_ROW)
        return RC_OK;
    return code == SQLITE_DONE ? RC_NOT_FOUND : DB_FAIL(s->db, err);
}

enum rc stmt_run(struct stmt *s, int64_t *changed, struct err *err)
{
    enum rc rc = stmt_row(s, err);

    while (rc == RC_OK)
        rc = stmt_row(s, err);
    if (rc != RC_NOT_FOUND)
        return rc;
    if (changed != NULL)
        *changed = sqlite3_changes64(s->db->sqlite);
    return RC_OK;
}

static int column(struct stmt *s, const char *name)
{
    int count = sqlite3_data_count(s->prepared);

    for (int tried = 0; tried < count; tried++) {
        s->column = (s->column + 1) % count;
        if (strcmp(sqlite3_column_name(s->prepared, s->column), name) == 0)
            return s->column;
    }
    assert(count < 0); /* our mistake: there is no such column */
    abort();
}

int64_t col_int(struct stmt *s, const char *name)
{
    return sqlite3_column_int64(s->prepared, column(s, name));
}

bool col_null(struct stmt *s, const char *name)
{
    return sqlite3_column_type(s->prepared, column(s, name)) == SQLITE_NULL;
}

const char *col_text(struct stmt *s, const char *name)
{
    return col_slice(s, name).at;
}

struct slice col_slice(struct stmt *s, const char *name)
{
    int at = column(s, name);
    const void *octets = sqlite3_column_type(s->prepared, at) == SQLITE_BLOB
                             ? sqlite3_column_blob(s->prepared, at)
                             : (const void *)sqlite3_column_text(s->prepared, at);

    if (octets == NULL)
        return SLICE_EMPTY;
    return (struct slice){octets, (size_t)sqlite3_column_bytes(s->prepared, at)};
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
    return sqlite3_step(s->prepared) == SQLITE_DONE ? RC_OK : failed(mine.db, true, __func__, err);
}

void tx_end(struct tx *tx)
{
    static const char rollback[] = "ROLLBACK";

    if (tx->db != NULL && !sqlite3_get_autocommit(tx->db->sqlite))
        sqlite3_exec(tx->db->sqlite, rollback, NULL, NULL, NULL);
    tx->db = NULL;
}
