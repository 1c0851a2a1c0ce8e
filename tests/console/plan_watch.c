/* SPDX-License-Identifier: Apache-2.0
 *
 * plan_watch - preloaded into the program: writes every query that it prepares, and how SQLite goes about
 * it, to the file that the environment variable PLAN_WATCH names; and how long each took, with
 * PLAN_WATCH_TIMES set.
 */
#define _GNU_SOURCE /* RTLD_NEXT */

#include <dlfcn.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int prepare_v3(sqlite3 *, const char *, int, unsigned, sqlite3_stmt **, const char **);

static prepare_v3 *real_prepare(void)
{
    prepare_v3 *real;
    void *found = dlsym(RTLD_NEXT, "sqlite3_prepare_v3");
    memcpy(&real, &found, sizeof real);
    return real;
}

static int told_time(unsigned kind, void *ctx, void *s, void *took)
{
    FILE *out = ctx;
    (void)kind;
    fprintf(out, "%8.1f ms  %s\n", (double)*(sqlite3_int64 *)took / 1e6, sqlite3_sql(s));
    fflush(out);
    return 0;
}

static void tell_plan(FILE *out, sqlite3 *db, const char *sql)
{
    char *explain = sqlite3_mprintf("EXPLAIN QUERY PLAN %s", sql);
    sqlite3_stmt *s = NULL;
    fprintf(out, "QUERY %s\n", sql);
    if (real_prepare()(db, explain, -1, 0, &s, NULL) == SQLITE_OK)
        while (sqlite3_step(s) == SQLITE_ROW)
            fprintf(out, "PLAN %s\n", (const char *)sqlite3_column_text(s, 3));
    sqlite3_finalize(s);
    sqlite3_free(explain);
    fflush(out);
}

int sqlite3_prepare_v3(
    sqlite3 *db, const char *sql, int size, unsigned flags, sqlite3_stmt **out, const char **tail)
{
    static FILE *file;
    const char *path = getenv("PLAN_WATCH");
    if (path && !file)
        file = fopen(path, "ae");
    if (file)
        tell_plan(file, db, sql);
    if (file && getenv("PLAN_WATCH_TIMES"))
        (void)sqlite3_trace_v2(db, SQLITE_TRACE_PROFILE, told_time, file);
    return real_prepare()(db, sql, size, flags, out, tail);
}
