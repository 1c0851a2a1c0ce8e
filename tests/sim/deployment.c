/* SPDX-License-Identifier: Apache-2.0 */
#include "deployment.h"

#include <onecase/str.h>

#include <assert.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char TABLES[] =
    "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'";

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
    CLEANUP(str_clear) struct str path = STR_INIT;

    str_addf(&path, DATABASE_SCHEME "%s", d->uri);
    struct store_options options = {.path = str_z(&path),
                                    .busy_timeout_ms = 0,
                                    .create = true,
                                    .secret_seed = sha256_of(slice_z(d->name)),
                                    .now_ms = INT64_C(1772438400000)};

    if (store_open(&options, &store, &err) == RC_OK)
        return store;
    fprintf(stderr, "sim: %s\n", err.text);
    abort();
}

/* ---- what is done to every table, prepared once ---------------------------------------------- */

static sqlite3_stmt *prepare(struct deployment *d, const char *format, ...)
{
    sqlite3_stmt *s = NULL;
    va_list args;

    va_start(args, format);
    char *sql = sqlite3_vmprintf(format, args);

    va_end(args);
    must(d, sqlite3_prepare_v3(d->sqlite, sql, -1, SQLITE_PREPARE_PERSISTENT, &s, NULL), sql);
    sqlite3_free(sql);
    return s;
}

static void add_step(struct steps *steps, sqlite3_stmt *prepared)
{
    assert(steps->count < STEPS_MAX);
    steps->prepared[steps->count++] = prepared;
}

static void run_steps(struct deployment *d, const struct steps *steps)
{
    for (size_t i = 0; i < steps->count; i++) {
        must(d, sqlite3_step(steps->prepared[i]), sqlite3_sql(steps->prepared[i]));
        must(d, sqlite3_reset(steps->prepared[i]), sqlite3_sql(steps->prepared[i]));
    }
}

static void steps_free(struct steps *steps)
{
    for (size_t i = 0; i < steps->count; i++)
        sqlite3_finalize(steps->prepared[i]);
}

/* Most tables of a new ledger are empty: to empty them is enough. */
static bool has_rows(struct deployment *d, const char *place, const char *table)
{
    sqlite3_stmt *s = prepare(d, "SELECT 1 FROM %s.\"%w\"", place, table);
    bool found = sqlite3_step(s) == SQLITE_ROW;

    sqlite3_finalize(s);
    return found;
}

static void clear(struct deployment *d, struct steps *steps, const char *place, const char *table)
{
    add_step(steps, prepare(d, "DELETE FROM %s.\"%w\"", place, table));
}

static void
copy(struct deployment *d, struct steps *steps, const char *to, const char *from, const char *table)
{
    add_step(steps,
             prepare(d, "INSERT INTO %s.\"%w\" SELECT * FROM %s.\"%w\"", to, table, from, table));
}

/* A copy of every table as it is, and none of its rules. */
static void copy_tables(struct deployment *d, const char *to)
{
    sqlite3_stmt *s = sql_open(d, TABLES, NULL);
    struct str sql = STR_INIT;

    while (sql_row(s))
        str_addf(&sql, "CREATE TABLE %s.\"%s\" AS SELECT * FROM main.\"%s\";", to, sql_text(s, 0),
                 sql_text(s, 0));
    run_sql(d, str_z(&sql));
    str_clear(&sql);
}

static void prepare_steps_of(struct deployment *d, const char *table)
{
    clear(d, &d->empty, "main", table);
    if (has_rows(d, "fresh", table))
        copy(d, &d->empty, "main", "fresh", table);
    clear(d, &d->remember, "past", table);
    copy(d, &d->remember, "past", "main", table);
    clear(d, &d->go_back, "main", table);
    copy(d, &d->go_back, "main", "past", table);
}

static void prepare_steps(struct deployment *d)
{
    sqlite3_stmt *s = sql_open(d, TABLES, NULL);

    add_step(&d->empty, prepare(d, "BEGIN IMMEDIATE"));
    add_step(&d->remember, prepare(d, "BEGIN"));
    add_step(&d->go_back, prepare(d, "BEGIN IMMEDIATE"));
    while (sql_row(s))
        prepare_steps_of(d, sql_text(s, 0));
    add_step(&d->empty, prepare(d, "COMMIT"));
    add_step(&d->remember, prepare(d, "COMMIT"));
    add_step(&d->go_back, prepare(d, "COMMIT"));
}

/* Pages that SQLite need not ask malloc() for: every list of words in a CHECK is a small table of
 * its own for as long as it is looked at. The rest of each is what SQLite keeps about a page. */
static _Alignas(16) char pages[8000][4096 + 512];

void deployment_prepare(void)
{
    sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    sqlite3_config(SQLITE_CONFIG_PAGECACHE, pages, (int)sizeof pages[0], (int)LENGTH(pages));
}

struct deployment *deployment_new(const char *name)
{
    struct deployment *d = mem_new(1, sizeof *d);

    d->name = name;
    snprintf(d->uri, sizeof d->uri, "file:/%s?vfs=memdb", name);
    d->database.path = d->uri;
    database_register(&d->database);
    d->tool = open_store(d);
    must(d,
         sqlite3_open_v2(d->uri, &d->sqlite,
                         SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL),
         "open");
    sqlite3_db_config(d->sqlite, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    run_sql(d, "ATTACH ':memory:' AS fresh; ATTACH ':memory:' AS past");
    copy_tables(d, "fresh");
    copy_tables(d, "past");
    prepare_steps(d);
    return d;
}

void deployment_free(struct deployment **deployment)
{
    struct deployment *d = *deployment;

    if (d == NULL)
        return;
    for (size_t i = 0; i < d->queries; i++)
        sqlite3_finalize(d->query[i].prepared);
    steps_free(&d->empty);
    steps_free(&d->remember);
    steps_free(&d->go_back);
    for (size_t i = 0; i < CONNECTIONS_MAX; i++)
        store_close(&d->store[i]);
    store_close(&d->tool);
    sqlite3_close(d->sqlite);
    disk_end(&d->disk);
    free(d);
    *deployment = NULL;
}

void deployment_begin(struct deployment *d, struct world *world)
{
    database_begin(&d->database, world);
    run_steps(d, &d->empty);
    disk_end(&d->disk);
    d->remembered = false;
    d->remembered_event = 0;
    d->went_back = 0;
    d->went_back_ms = 0;
}

struct store *deployment_take(struct deployment *d)
{
    for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
        if (d->taken[i])
            continue;
        if (d->store[i] == NULL)
            d->store[i] = open_store(d);
        d->taken[i] = true;
        database_opened(&d->database, d->store[i]);
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
    run_steps(d, &d->remember);
    d->remembered = true;
    d->remembered_event = sql_number(d, "SELECT max(number) FROM event", NULL);
}

void deployment_go_back(struct deployment *d, int64_t now_ms)
{
    assert(d->remembered);
    run_steps(d, &d->go_back);
    d->went_back++;
    d->went_back_ms = now_ms;
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
