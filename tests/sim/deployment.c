/* SPDX-License-Identifier: Apache-2.0 */
#include "deployment.h"

#include <onecase/str.h>

#include <assert.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(struct deployment *d, int code, const char *what)
{
    if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE)
        return;
    fprintf(stderr, "sim: ledger of %s: %s: %s\n", d->name, what, sqlite3_errmsg(d->sqlite));
    abort();
}

static void run_sql(struct deployment *d, const char *sql)
{
    must(d, sqlite3_exec(d->sqlite, sql, NULL, NULL, NULL), sql);
}

static struct store *open_store(struct deployment *d)
{
    struct store *store = NULL;
    struct err err = ERR_INIT;
    struct store_options options = {.path = d->uri,
                                    .busy_timeout_ms = 0,
                                    .create = true,
                                    .secret_seed = sha256_of(slice_z(d->name)),
                                    .now_ms = INT64_C(1772438400000)};

    if (store_open(&options, &store, &err) == RC_OK)
        return store;
    fprintf(stderr, "sim: %s\n", err.text);
    abort();
}

/* The statements that empty, copy and bring back every table. */
static void write_sql(struct deployment *d)
{
    struct str empty = STR_INIT;
    struct str remember = STR_INIT;
    struct str back = STR_INIT;
    sqlite3_stmt *s = sql_open(
        d, "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
        NULL);

    str_addz(&empty, "BEGIN IMMEDIATE;");
    str_addz(&remember, "BEGIN;");
    str_addz(&back, "BEGIN IMMEDIATE;");
    while (sql_row(s)) {
        const char *table = sql_text(s, 0);

        str_addf(&empty, "DELETE FROM main.\"%s\";", table);
        str_addf(&empty, "INSERT INTO main.\"%s\" SELECT * FROM fresh.\"%s\";", table, table);
        str_addf(&remember, "DROP TABLE IF EXISTS past.\"%s\";", table);
        str_addf(&remember, "CREATE TABLE past.\"%s\" AS SELECT * FROM main.\"%s\";", table, table);
        str_addf(&back, "DELETE FROM main.\"%s\";", table);
        str_addf(&back, "INSERT INTO main.\"%s\" SELECT * FROM past.\"%s\";", table, table);
    }
    str_addz(&empty, "COMMIT");
    str_addz(&remember, "COMMIT");
    str_addz(&back, "COMMIT");
    d->empty_sql = STEAL(empty.at);
    d->remember_sql = STEAL(remember.at);
    d->go_back_sql = STEAL(back.at);
}

/* What a new ledger holds, to begin each schedule from. */
static void keep_fresh(struct deployment *d)
{
    sqlite3_stmt *s = sql_open(
        d, "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
        NULL);
    struct str sql = STR_INIT;

    while (sql_row(s))
        str_addf(&sql, "CREATE TABLE fresh.\"%s\" AS SELECT * FROM main.\"%s\";", sql_text(s, 0),
                 sql_text(s, 0));
    run_sql(d, str_z(&sql));
    str_clear(&sql);
}

void deployment_prepare(void)
{
    sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

struct deployment *deployment_new(const char *name)
{
    struct deployment *d = mem_new(1, sizeof *d);

    d->name = name;
    snprintf(d->uri, sizeof d->uri, "file:/%s?vfs=memdb", name);
    d->tool = open_store(d);
    must(d,
         sqlite3_open_v2(d->uri, &d->sqlite,
                         SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL),
         "open");
    sqlite3_db_config(d->sqlite, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    run_sql(d, "ATTACH ':memory:' AS fresh; ATTACH ':memory:' AS past");
    keep_fresh(d);
    write_sql(d);
    return d;
}

void deployment_free(struct deployment **deployment)
{
    struct deployment *d = *deployment;

    if (d == NULL)
        return;
    for (size_t i = 0; i < d->queries; i++)
        sqlite3_finalize(d->query[i].prepared);
    for (size_t i = 0; i < CONNECTIONS_MAX; i++)
        store_close(&d->store[i]);
    store_close(&d->tool);
    sqlite3_close(d->sqlite);
    free(d->empty_sql);
    free(d->remember_sql);
    free(d->go_back_sql);
    disk_end(&d->disk);
    free(d);
    *deployment = NULL;
}

void deployment_begin(struct deployment *d)
{
    run_sql(d, d->empty_sql);
    disk_end(&d->disk);
    d->remembered = false;
    d->remembered_event = 0;
    d->went_back = 0;
}

struct store *deployment_take(struct deployment *d)
{
    for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
        if (d->taken[i])
            continue;
        if (d->store[i] == NULL)
            d->store[i] = open_store(d);
        d->taken[i] = true;
        return d->store[i];
    }
    abort();
}

void deployment_give(struct deployment *d, struct store **store)
{
    for (size_t i = 0; i < CONNECTIONS_MAX; i++)
        if (*store != NULL && d->store[i] == *store)
            d->taken[i] = false;
    *store = NULL;
}

void deployment_remember(struct deployment *d)
{
    run_sql(d, d->remember_sql);
    d->remembered = true;
    d->remembered_event = sql_number(d, "SELECT max(number) FROM event", NULL);
}

void deployment_go_back(struct deployment *d)
{
    assert(d->remembered);
    run_sql(d, d->go_back_sql);
    d->went_back++;
}

void deployment_save(struct deployment *d, const char *path)
{
    struct str sql = STR_INIT;

    str_addf(&sql, "VACUUM INTO 'file:%s?vfs=unix'", path);
    run_sql(d, str_z(&sql));
    str_clear(&sql);
}

uint64_t deployment_print(struct deployment *d)
{
    return (uint64_t)sql_number(d, "SELECT coalesce(max(number), 0) FROM event", NULL);
}

/* ---- reading by SQL ------------------------------------------------------------------------ */

static sqlite3_stmt *prepared(struct deployment *d, const char *sql)
{
    for (size_t i = 0; i < d->queries; i++)
        if (d->query[i].sql == sql)
            return d->query[i].prepared;
    assert(d->queries < QUERIES_MAX);
    struct query *q = &d->query[d->queries++];

    q->sql = sql;
    must(d, sqlite3_prepare_v3(d->sqlite, sql, -1, SQLITE_PREPARE_PERSISTENT, &q->prepared, NULL),
         sql);
    return q->prepared;
}

static sqlite3_stmt *bound(struct deployment *d, const char *sql, va_list args)
{
    sqlite3_stmt *s = prepared(d, sql);
    const char *text;

    assert(!sqlite3_stmt_busy(s));
    for (int at = 1; (text = va_arg(args, const char *)) != NULL; at++)
        must(d, sqlite3_bind_text(s, at, text, -1, SQLITE_TRANSIENT), sql);
    return s;
}

sqlite3_stmt *sql_open(struct deployment *d, const char *sql, ...)
{
    va_list args;

    va_start(args, sql);
    sqlite3_stmt *s = bound(d, sql, args);

    va_end(args);
    return s;
}

bool sql_row(sqlite3_stmt *s)
{
    int code = sqlite3_step(s);

    if (code == SQLITE_ROW)
        return true;
    sqlite3_reset(s);
    if (code == SQLITE_DONE)
        return false;
    fprintf(stderr, "sim: %s: %s\n", sqlite3_sql(s), sqlite3_errmsg(sqlite3_db_handle(s)));
    abort();
}

const char *sql_text(sqlite3_stmt *s, int column)
{
    const unsigned char *text = sqlite3_column_text(s, column);

    return text == NULL ? "" : (const char *)text;
}

int64_t sql_int(sqlite3_stmt *s, int column)
{
    return sqlite3_column_int64(s, column);
}

void sql_done(sqlite3_stmt *s)
{
    sqlite3_reset(s);
}

int64_t sql_number(struct deployment *d, const char *sql, ...)
{
    va_list args;
    int64_t number = 0;

    va_start(args, sql);
    sqlite3_stmt *s = bound(d, sql, args);

    va_end(args);
    if (sql_row(s)) {
        number = sql_int(s, 0);
        sql_done(s);
    }
    return number;
}
