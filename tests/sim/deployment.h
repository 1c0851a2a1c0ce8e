/* SPDX-License-Identifier: Apache-2.0
 *
 * deployment - one installation: its ledger, and its data_dir.
 *
 * The ledger is the real one of src/store, in a database in memory that several connections share:
 * one a run, one for people's tools, and one of our own that reads it by SQL, empties it for the
 * next schedule, and takes it back in time. Connections are kept from schedule to schedule, since
 * opening one costs more than a schedule does.
 */
#pragma once

#include "database.h"
#include "disk.h"

#include <onecase/store.h>

#include <stdint.h>

struct sqlite3;
struct sqlite3_stmt;

#define CONNECTIONS_MAX 8
#define QUERIES_MAX     160
#define STEPS_MAX       128

struct query {
    const char *sql; /* by address: a literal */
    struct sqlite3_stmt *prepared;
};

struct steps {
    struct sqlite3_stmt *prepared[STEPS_MAX];
    size_t count;
};

struct deployment {
    const char *name;
    char uri[64]; /* after DATABASE_SCHEME */
    struct database database;
    struct store *store[CONNECTIONS_MAX];
    bool taken[CONNECTIONS_MAX];
    struct store *tool;     /* people's; enters no run */
    struct sqlite3 *sqlite; /* ours */
    struct query query[QUERIES_MAX];
    size_t queries;
    struct steps empty, remember, go_back;
    bool remembered;
    int64_t remembered_event;
    unsigned went_back; /* how often, in this schedule */
    int64_t went_back_ms;
    struct disk disk;
};

/* Before the first deployment: one thread, and no counting of memory. */
void deployment_prepare(void);
struct deployment *deployment_new(const char *name);
void deployment_free(struct deployment **deployment);
/* Empties ledger and disk for the next schedule. */
void deployment_begin(struct deployment *deployment, struct world *world);

struct store *deployment_take(struct deployment *deployment);
void deployment_give(struct deployment *deployment, struct store **store);

/* Remembers the ledger as it is; takes it back there. No run may live, but where a standby takes over. */
void deployment_remember(struct deployment *deployment);
void deployment_go_back(struct deployment *deployment, int64_t now_ms);

/* Leaves a copy of the ledger in a file. */
void deployment_save(struct deployment *deployment, const char *path);

/* Something that is another number when the ledger says something else about mail. */
uint64_t deployment_print(struct deployment *deployment);

/* ---- reading by SQL. `sql` is a literal; parameters are texts, up to a NULL. */
struct sqlite3_stmt *sql_open(struct deployment *deployment, const char *sql, ...);
bool sql_row(struct sqlite3_stmt *s); /* false: no more, and it is done with */
const char *sql_text(struct sqlite3_stmt *s,
                     int column); /* "" for NULL; borrowed until the next row */
int64_t sql_int(struct sqlite3_stmt *s, int column);
void sql_done(struct sqlite3_stmt *s); /* before its last row */
/* The one number that a query gives; 0 where it gives no row. */
int64_t sql_number(struct deployment *deployment, const char *sql, ...);
