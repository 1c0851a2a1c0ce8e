/* SPDX-License-Identifier: Apache-2.0 */
#include "sqlite_p.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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
    TRY(db_connected(db, err));

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

static void forget(struct stmt *s)
{
    sqlite3_finalize(s->prepared);
    s->prepared = NULL;
    s->db = NULL;
    if (!s->used)
        free(s);
}

void db_forget_statements(struct db *db)
{
    for (size_t i = 0; i < BUCKETS; i++) {
        while (db->bucket[i] != NULL) {
            struct stmt *s = db->bucket[i];

            db->bucket[i] = s->next;
            forget(s);
        }
    }
}
