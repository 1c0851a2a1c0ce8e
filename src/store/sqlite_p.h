/* SPDX-License-Identifier: Apache-2.0
 *
 * sqlite_p - what the files of the SQLite driver share: sqlite.c, sqlite_stmt.c, sqlite_file.c.
 */
#pragma once

#include "driver.h"

#include <sqlite3.h>

#define BUCKETS        64
#define PARAMETERS_MAX 64

struct sqlite_stmt {
    struct stmt stmt;
    struct sqlite_stmt *next; /* in its bucket */
    const char *sql;          /* borrowed: static text */
    sqlite3_stmt *prepared;
    int parameter[PARAMETERS_MAX + 1]; /* SQLite's index of $n */
    int column;                        /* the one read last: they are mostly read in order */
    int bound;                         /* the first failure to bind */
    int64_t until_ms;                  /* then it is broken off: boot time */
    bool used;
};

struct sqlite {
    struct db db;
    sqlite3 *connection; /* NULL after one that could not be opened anew */
    struct sqlite_stmt *bucket[BUCKETS];
    int busy_timeout_ms;
    int flags;
    int64_t until_ms; /* of the statement that is being run */
    bool broken_off;  /* the last one was */
    bool migrates;    /* its settings are those for changing the schema */
};

static inline struct sqlite *sqlite_of(struct db *db)
{
    return (struct sqlite *)(void *)db;
}

/* Translates the last failure of the connection, before anything else is done with it: a ROLLBACK
 * would overwrite the code. */
#define FAIL_OF_SQLITE(db, err) err_failure(sqlite_failure((db), false, __func__, (err)))
enum rc sqlite_failure(struct sqlite *db, bool at_commit, const char *where, struct err *err);

/* Opens the connection where there is none. */
enum rc sqlite_connected(struct sqlite *db, struct err *err) MUST_CHECK;
/* Drops every statement; one that somebody holds yet is left to stmt_done, empty. */
void sqlite_forget_statements(struct sqlite *db);

/* Has the connection look at the clock while a statement runs. */
void sqlite_watch(struct sqlite *db);

/* The functions of `sqlite_driver` that stand in sqlite_stmt.c and sqlite_file.c. */
enum rc sqlite_prepare(struct db *db, const char *sql, struct stmt **out, struct err *err);
void sqlite_done(struct stmt **s);
void sqlite_text(struct stmt *s, int at, struct slice text);
void sqlite_blob(struct stmt *s, int at, struct slice octets);
void sqlite_number(struct stmt *s, int at, int64_t value);
void sqlite_null(struct stmt *s, int at, enum null_of of);
enum rc sqlite_row(struct stmt *s, struct err *err);
int64_t sqlite_changed(struct stmt *s);
int64_t sqlite_column_number(struct stmt *s, const char *name);
bool sqlite_column_null(struct stmt *s, const char *name);
struct slice sqlite_column(struct stmt *s, const char *name);
enum rc sqlite_has_table(struct db *db, const char *name, bool *out, struct err *err);
enum rc sqlite_size(struct db *db, int64_t *octets, struct err *err);
enum rc sqlite_check(struct db *db, bool whole, struct err *err);
enum rc sqlite_copy(struct db *to, struct db *from, struct err *err);
bool sqlite_file(struct db *db, struct str *out);
void sqlite_forget(struct db *db);
