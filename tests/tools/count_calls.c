/* SPDX-License-Identifier: Apache-2.0
 *
 * count_calls - preloaded into the program: what it cost, in counts that do not depend on the machine's mood.
 *
 * Each process that has used a ledger adds lines to the file that the environment variable COUNTS_TO names, as
 * it closes the ledger:
 *
 *     calls NAME COUNT                   of the system: what waits for the disk, and what is read and written
 *     hashed TIMES OCTETS                of the library that hashes
 *     sql RUNS STEPS WALKED SQL          a statement: how often it ran, the steps of its program, rows walked past
 *     pages READ WRITTEN                 of the ledger: what its cache had not, and what was written
 */
#define _GNU_SOURCE /* RTLD_NEXT */

#include <dlfcn.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- calls of the system -------------------------------------------------------------------- */

#define CALLS(call)                                                                                \
    call(fsync, int, (int fd), (fd)) call(fdatasync, int, (int fd), (fd))                          \
        call(syncfs, int, (int fd), (fd))                                                          \
            call(pread64, ssize_t, (int fd, void *to, size_t n, off_t at), (fd, to, n, at))        \
                call(pwrite64, ssize_t, (int fd, const void *from, size_t n, off_t at),            \
                     (fd, from, n, at))

#define COUNTER(name, type, parameters, arguments) CALL_##name,
enum call { CALLS(COUNTER) CALL_COUNT };

#define NAME(name, type, parameters, arguments) [CALL_##name] = #name,
static const char *const names[] = {CALLS(NAME)};
static long counted[CALL_COUNT];

/* What stands behind us under the same name. */
static void *next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);

    if (!found)
        abort();
    return found;
}

#define WRAP(name, type, parameters, arguments)                                                    \
    type name parameters;                                                                          \
    type name parameters                                                                           \
    {                                                                                              \
        static type(*behind) parameters;                                                           \
        if (!behind)                                                                               \
            *(void **)&behind = next(#name);                                                       \
        counted[CALL_##name]++;                                                                    \
        return behind arguments;                                                                   \
    }
CALLS(WRAP)

/* ---- hashing ---------------------------------------------------------------------------------- */

static long times_hashed, octets_hashed;

/* NOLINTBEGIN(readability-identifier-naming): OpenSSL's name */
int EVP_DigestUpdate(void *context, const void *octets, size_t count);
int EVP_DigestUpdate(void *context, const void *octets, size_t count)
/* NOLINTEND(readability-identifier-naming) */
{
    static int (*behind)(void *, const void *, size_t);

    if (!behind)
        *(void **)&behind = next("EVP_DigestUpdate");
    times_hashed++;
    octets_hashed += (long)count;
    return behind(context, octets, count);
}

/* ---- statements ------------------------------------------------------------------------------ */

#define STATEMENTS_MOST 1000

static struct counted_statement {
    char *sql;
    long runs, steps, walked;
} statements[STATEMENTS_MOST];
static size_t statement_count;
static long pages_read, pages_written;

static struct counted_statement *statement_of(const char *sql)
{
    for (size_t i = 0; i < statement_count; i++)
        if (strcmp(statements[i].sql, sql) == 0)
            return &statements[i];
    if (statement_count == STATEMENTS_MOST)
        abort();
    statements[statement_count].sql = strdup(sql);
    return &statements[statement_count++];
}

int sqlite3_finalize(sqlite3_stmt *s)
{
    static int (*behind)(sqlite3_stmt *);
    const char *sql = s ? sqlite3_sql(s) : NULL;

    if (!behind)
        *(void **)&behind = next("sqlite3_finalize");
    if (sql) {
        struct counted_statement *c = statement_of(sql);

        c->runs += sqlite3_stmt_status(s, SQLITE_STMTSTATUS_RUN, 0);
        c->steps += sqlite3_stmt_status(s, SQLITE_STMTSTATUS_VM_STEP, 0);
        c->walked += sqlite3_stmt_status(s, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0);
    }
    return behind(s);
}

/* ---- telling --------------------------------------------------------------------------------- */

static void tell_statement(FILE *to, const struct counted_statement *c)
{
    fprintf(to, "sql %ld %ld %ld ", c->runs, c->steps, c->walked);
    for (const char *at = c->sql; *at; at++)
        putc(*at == '\n' ? ' ' : *at, to);
    putc('\n', to);
}

static void tell(void)
{
    const char *path = getenv("COUNTS_TO");
    FILE *to = path ? fopen(path, "ae") : NULL;

    if (!to)
        return;
    for (size_t i = 0; i < CALL_COUNT; i++)
        fprintf(to, "calls %s %ld\n", names[i], counted[i]);
    fprintf(to, "hashed %ld %ld\n", times_hashed, octets_hashed);
    for (size_t i = 0; i < statement_count; i++)
        tell_statement(to, &statements[i]);
    fprintf(to, "pages %ld %ld\n", pages_read, pages_written);
    fclose(to);
}

static void start_anew(void)
{
    memset(counted, 0, sizeof counted);
    for (size_t i = 0; i < statement_count; i++)
        free(statements[i].sql);
    statement_count = 0;
    pages_read = pages_written = times_hashed = octets_hashed = 0;
}

static long status_of(sqlite3 *db, int what)
{
    int now = 0, highest;

    sqlite3_db_status(db, what, &now, &highest, 0);
    return now;
}

int sqlite3_close_v2(sqlite3 *db)
{
    static int (*behind)(sqlite3 *);

    if (!behind)
        *(void **)&behind = next("sqlite3_close_v2");
    if (db) {
        pages_read += status_of(db, SQLITE_DBSTATUS_CACHE_MISS);
        pages_written += status_of(db, SQLITE_DBSTATUS_CACHE_WRITE);
        tell();
        start_anew();
    }
    return behind(db);
}
