/* SPDX-License-Identifier: Apache-2.0 */
#include "sqlite_p.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static struct sqlite_stmt **bucket_of(struct sqlite *db, const char *sql)
{
    return &db->bucket[((uintptr_t)sql >> 4) % BUCKETS];
}

/* SQLite takes $1 for a name and numbers names as they appear; here it is the parameter's number. */
static void number_parameters(struct sqlite_stmt *s)
{
    int count = sqlite3_bind_parameter_count(s->prepared);

    for (int i = 1; i <= count; i++) {
        const char *name = sqlite3_bind_parameter_name(s->prepared, i);
        long n = name != NULL && name[0] == '$' ? strtol(name + 1, NULL, 10) : 0;

        assert(n >= 1 && n <= PARAMETERS_MAX);
        s->parameter[n] = i;
    }
}

static enum rc
prepare(struct sqlite *db, const char *sql, struct sqlite_stmt **out, struct err *err)
{
    CLEANUP(mem_free) struct sqlite_stmt *s = mem_new(1, sizeof *s);

    s->stmt = (struct stmt){&sqlite_driver, &db->db};
    s->sql = sql;
    if (sqlite3_prepare_v3(db->connection, sql, -1, SQLITE_PREPARE_PERSISTENT, &s->prepared,
                           NULL) != SQLITE_OK)
        return FAIL_OF_SQLITE(db, err);
    number_parameters(s);
    s->next = *bucket_of(db, sql);
    *bucket_of(db, sql) = s;
    *out = STEAL(s);
    return RC_OK;
}

/* One that is still being read is not taken away from its reader: another is prepared beside it. */
enum rc sqlite_prepare(struct db *db, const char *sql, struct stmt **out, struct err *err)
{
    struct sqlite *mine = sqlite_of(db);

    TRY(sqlite_connected(mine, err));

    struct sqlite_stmt *s = *bucket_of(mine, sql);

    while (s != NULL && (s->sql != sql || s->used))
        s = s->next;
    if (s == NULL)
        TRY(prepare(mine, sql, &s, err));
    s->used = true;
    s->bound = SQLITE_OK;
    s->column = -1;
    s->until_ms = db->longest_ms > 0 ? clock_now(db->clock).boot_ms + db->longest_ms : INT64_MAX;
    *out = &s->stmt;
    return RC_OK;
}

static struct sqlite_stmt *of(struct stmt *s)
{
    return (struct sqlite_stmt *)(void *)s;
}

void sqlite_done(struct stmt **s)
{
    struct sqlite_stmt *mine = of(*s);

    *s = NULL;
    if (mine->stmt.db == NULL) {
        free(mine);
        return;
    }
    sqlite3_reset(mine->prepared);
    sqlite3_clear_bindings(mine->prepared);
    mine->used = false;
}

static int parameter(const struct sqlite_stmt *s, int at)
{
    assert(at >= 1 && at <= PARAMETERS_MAX && s->parameter[at] != 0);
    return s->parameter[at];
}

static void note_bound(struct sqlite_stmt *s, int code)
{
    if (s->bound == SQLITE_OK)
        s->bound = code;
}

void sqlite_text(struct stmt *s, int at, struct slice text)
{
    note_bound(of(s), sqlite3_bind_text64(of(s)->prepared, parameter(of(s), at),
                                          text.at != NULL ? text.at : "", text.len, SQLITE_STATIC,
                                          SQLITE_UTF8));
}

void sqlite_blob(struct stmt *s, int at, struct slice octets)
{
    note_bound(of(s),
               sqlite3_bind_blob64(of(s)->prepared, parameter(of(s), at),
                                   octets.at != NULL ? octets.at : "", octets.len, SQLITE_STATIC));
}

void sqlite_number(struct stmt *s, int at, int64_t value)
{
    note_bound(of(s), sqlite3_bind_int64(of(s)->prepared, parameter(of(s), at), value));
}

void sqlite_null(struct stmt *s, int at, enum null_of type)
{
    (void)type;
    note_bound(of(s), sqlite3_bind_null(of(s)->prepared, parameter(of(s), at)));
}

/* Some 10 microseconds of SQLite's work: its looks at the clock cost nothing beside it. */
#define WORK_BETWEEN_LOOKS 2000

static int is_overdue(void *db)
{
    struct sqlite *mine = db;

    mine->broken_off = clock_now(mine->db.clock).boot_ms > mine->until_ms;
    return mine->broken_off;
}

void sqlite_watch(struct sqlite *db)
{
    if (db->db.longest_ms > 0)
        sqlite3_progress_handler(db->connection, WORK_BETWEEN_LOOKS, is_overdue, db);
    else
        sqlite3_progress_handler(db->connection, 0, NULL, NULL);
}

/* The end of a transaction is never broken off: it does not come this way. */
static int step(struct sqlite_stmt *s)
{
    struct sqlite *db = sqlite_of(s->stmt.db);

    db->broken_off = false;
    db->until_ms = s->until_ms;
    int code = sqlite3_step(s->prepared);

    db->until_ms = INT64_MAX;
    return code;
}

enum rc sqlite_row(struct stmt *s, struct err *err)
{
    struct sqlite_stmt *mine = of(s);

    if (mine->bound != SQLITE_OK)
        return FAIL_OF_SQLITE(sqlite_of(s->db), err);
    mine->column = -1;

    int code = step(mine);

    if (code == SQLITE_ROW)
        return RC_OK;
    return code == SQLITE_DONE ? RC_NOT_FOUND : FAIL_OF_SQLITE(sqlite_of(s->db), err);
}

int64_t sqlite_changed(struct stmt *s)
{
    return sqlite3_changes64(sqlite_of(s->db)->connection);
}

static int column(struct sqlite_stmt *s, const char *name)
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

int64_t sqlite_column_number(struct stmt *s, const char *name)
{
    return sqlite3_column_int64(of(s)->prepared, column(of(s), name));
}

bool sqlite_column_null(struct stmt *s, const char *name)
{
    return sqlite3_column_type(of(s)->prepared, column(of(s), name)) == SQLITE_NULL;
}

struct slice sqlite_column(struct stmt *s, const char *name)
{
    sqlite3_stmt *prepared = of(s)->prepared;
    int at = column(of(s), name);
    const void *octets = sqlite3_column_type(prepared, at) == SQLITE_BLOB
                             ? sqlite3_column_blob(prepared, at)
                             : (const void *)sqlite3_column_text(prepared, at);

    if (octets == NULL)
        return SLICE_EMPTY;
    return (struct slice){octets, (size_t)sqlite3_column_bytes(prepared, at)};
}

static void forget(struct sqlite_stmt *s)
{
    sqlite3_finalize(s->prepared);
    s->prepared = NULL;
    s->stmt.db = NULL;
    if (!s->used)
        free(s);
}

void sqlite_forget_statements(struct sqlite *db)
{
    for (size_t i = 0; i < BUCKETS; i++) {
        while (db->bucket[i] != NULL) {
            struct sqlite_stmt *s = db->bucket[i];

            db->bucket[i] = s->next;
            forget(s);
        }
    }
}
