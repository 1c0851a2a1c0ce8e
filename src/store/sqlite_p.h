/* SPDX-License-Identifier: Apache-2.0
 *
 * sqlite_p - what the files of the SQLite driver share: sqlite.c, sqlite_stmt.c, sqlite_file.c.
 */
#pragma once

#include "db.h"

#include <sqlite3.h>

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
    sqlite3 *sqlite; /* NULL after a connection that could not be opened anew */
    struct stmt *bucket[BUCKETS];
    char *path;
    int busy_timeout_ms;
    int flags;
};

/* Translates the last failure of the connection, before anything else is done with it: a ROLLBACK
 * would overwrite the code. */
#define DB_FAIL(db, err) err_failure(db_failure((db), false, __func__, (err)))
enum rc db_failure(struct db *db, bool at_commit, const char *where, struct err *err);

/* Opens the connection where there is none. */
enum rc db_connected(struct db *db, struct err *err) MUST_CHECK;
/* Drops every statement; one that somebody holds yet is left to stmt_done, empty. */
void db_forget_statements(struct db *db);
