/* SPDX-License-Identifier: Apache-2.0 */
#include "driver.h"

#include <assert.h>
#include <string.h>

/* Databases */

static const struct driver *const drivers[] = {&postgres_driver};

static bool takes(const struct driver *driver, const char *path)
{
    for (const char *const *s = driver->schemes; *s != NULL; s++)
        if (slice_starts_nocase(slice_z(path), slice_z(*s)))
            return true;
    return false;
}

/* What is no URL of a server is a file. */
static const struct driver *driver_of(const char *path)
{
    for (size_t i = 0; i < LENGTH(drivers); i++)
        if (takes(drivers[i], path))
            return drivers[i];
    return &sqlite_driver;
}

enum rc db_open(const struct store_options *options, struct db **out, struct err *err)
{
    TRY(driver_of(options->path)->open(options, out, err));
    (*out)->host_clock = options->host_clock;
    (*out)->known_timeline = (*out)->timeline;
    return RC_OK;
}

void db_close(struct db **db)
{
    if (*db != NULL)
        (*db)->driver->close(db);
}

enum rc db_reopen(struct db *db, struct err *err)
{
    return db->driver->reopen(db, err);
}

enum rc db_run(struct db *db, const char *sql, struct err *err)
{
    return db->driver->run(db, sql, err);
}

bool db_read_only(const struct db *db)
{
    return db->read_only;
}

const char *db_path(const struct db *db)
{
    return db->path;
}

bool db_passing(const struct db *db)
{
    return db->passing;
}

enum rc db_now(struct db *db, int64_t *out, struct err *err)
{
    *out = 0;
    if (db->driver->now == NULL || db->host_clock)
        return RC_OK;
    return db->driver->now(db, out, err);
}

void db_tell(struct db *db, const char *about)
{
    if (db->driver->tell != NULL)
        db->driver->tell(db, about);
}

void db_listen(struct db *db, const char *about)
{
    if (db->driver->listen != NULL)
        db->driver->listen(db, about);
}

bool db_heard(struct db *db, int *fd)
{
    *fd = -1;
    return db->driver->heard != NULL && db->driver->heard(db, fd);
}

enum rc db_standbys(struct db *db, struct err *err)
{
    return db->driver->standbys != NULL ? db->driver->standbys(db, err) : RC_OK;
}

enum rc db_refuse_standbys(struct db *db, struct err *err)
{
    db->refuses_standbys = true;
    return db_standbys(db, err);
}

int64_t db_timeline(const struct db *db)
{
    return db->timeline;
}

void db_stay(struct db *db)
{
    db->stays = true;
}

enum rc db_stayed(struct db *db, struct err *err)
{
    if (db->timeline == db->known_timeline)
        return RC_OK;
    db->passing = false;
    if (db->stays)
        return FAIL(err, RC_BROKEN,
                    "ledger '%s': another server has taken over, and may have forgotten what this"
                    " run remembers: it ends, and another begins anew",
                    db->path);
    db->known_timeline = db->timeline;
    return FAIL(err, RC_DEFERRED,
                "ledger '%s': another server has taken over; nothing was written, and later it may"
                " be",
                db->path);
}

int64_t db_began(const struct db *db)
{
    return db->host_clock ? 0 : db->now_ms;
}

enum rc db_has_table(struct db *db, const char *name, bool *out, struct err *err)
{
    return db->driver->has_table(db, name, out, err);
}

void db_keep_to(struct db *db, int64_t schema)
{
    db->schema = schema;
}

enum rc db_triggers(struct db *db, const char *table, bool fire, struct err *err)
{
    return db->driver->triggers(db, table, fire, err);
}

bool db_file(struct db *db, struct str *out)
{
    return db->driver->file != NULL && db->driver->file(db, out);
}

enum rc db_limit(struct db *db, int64_t longest_ms, const struct clock *clock, struct err *err)
{
    db->longest_ms = longest_ms;
    db->clock = clock;
    return db->driver->limit(db, err);
}

enum rc db_took_too_long(const struct db *db, struct err *err)
{
    return FAIL(err, RC_DEFERRED,
                "the ledger took longer than %g s to answer, and was not waited for: ask for less, "
                "such as a shorter period or other words, or try again when less is going on",
                (double)db->longest_ms / 1000);
}

enum rc db_size(struct db *db, int64_t *octets, struct err *err)
{
    return db->driver->size(db, octets, err);
}

enum rc db_check(struct db *db, bool whole, struct err *err)
{
    return db->driver->check(db, whole, err);
}

enum rc db_renumber(struct db *db, const char *table, const char *column, struct err *err)
{
    return db->driver->renumber != NULL ? db->driver->renumber(db, table, column, err) : RC_OK;
}

void db_forget(struct db *db)
{
    if (db->driver->forget != NULL)
        db->driver->forget(db);
}

bool db_alike(const struct db *a, const struct db *b)
{
    return a->driver == b->driver;
}

enum rc db_copy(struct db *to, struct db *from, struct err *err)
{
    if (to->driver != from->driver)
        return FAIL(err, RC_USAGE,
                    "ledger '%s': only one in SQLite can be copied; of another its"
                    " server's tools make a copy, such as pg_dump",
                    from->path);
    return to->driver->copy(to, from, err);
}

/* Statements */

enum rc stmt_open(struct db *db, const char *sql, struct stmt **out, struct err *err)
{
    return db->driver->prepare(db, sql, out, err);
}

void stmt_done(struct stmt **s)
{
    if (*s != NULL)
        (*s)->driver->done(s);
}

void stmt_text(struct stmt *s, int at, const char *text)
{
    if (text == NULL)
        s->driver->null(s, at, NULL_OF_TEXT);
    else
        stmt_slice(s, at, slice_z(text));
}

void stmt_slice(struct stmt *s, int at, struct slice text)
{
    s->driver->text(s, at, text);
}

void stmt_blob(struct stmt *s, int at, struct slice octets)
{
    s->driver->blob(s, at, octets);
}

void stmt_int(struct stmt *s, int at, int64_t value)
{
    s->driver->number(s, at, value);
}

void stmt_null(struct stmt *s, int at)
{
    s->driver->null(s, at, NULL_OF_ANY);
}

bool db_takes_lists(const struct db *db)
{
    return db->driver->list != NULL;
}

void stmt_values(struct stmt *s, int at, const struct values *list)
{
    s->driver->list(s, at, list);
}

enum rc stmt_row(struct stmt *s, struct err *err)
{
    assert(s->db != NULL);
    return s->driver->row(s, err);
}

enum rc stmt_run(struct stmt *s, int64_t *changed, struct err *err)
{
    enum rc rc = stmt_row(s, err);

    while (rc == RC_OK)
        rc = stmt_row(s, err);
    if (rc != RC_NOT_FOUND)
        return rc;
    if (changed != NULL)
        *changed = s->driver->changed(s);
    return RC_OK;
}

enum rc stmt_id(struct stmt *s, int64_t *id, struct err *err)
{
    enum rc rc = stmt_row(s, err);

    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? FAIL(err, RC_CONFLICT, "ledger: nothing was added") : rc;
    *id = col_int(s, "id");
    return stmt_run(s, NULL, err);
}

enum rc stmt_one(struct stmt *s, const char *what, struct err *err)
{
    int64_t changed = 0;

    TRY(stmt_run(s, &changed, err));
    return changed == 1 ? RC_OK : FAIL(err, RC_CONFLICT, "ledger: %s was changed by another", what);
}

void stmt_when(struct stmt *s, int at, int64_t at_ms)
{
    if (at_ms == NOT_DUE)
        s->driver->null(s, at, NULL_OF_NUMBER);
    else
        stmt_int(s, at, at_ms);
}

int64_t col_int(struct stmt *s, const char *name)
{
    return s->driver->column_number(s, name);
}

bool col_null(struct stmt *s, const char *name)
{
    return s->driver->column_null(s, name);
}

const char *col_text(struct stmt *s, const char *name)
{
    return col_slice(s, name).at;
}

struct slice col_slice(struct stmt *s, const char *name)
{
    return s->driver->column(s, name);
}

int64_t col_when(struct stmt *s, const char *name)
{
    return col_null(s, name) ? NOT_DUE : col_int(s, name);
}

enum rc col_copy(struct stmt *s, const char *name, char *out, size_t size, struct err *err)
{
    struct slice text = col_slice(s, name);

    if (text.len >= size)
        return FAIL(err, RC_BROKEN, "ledger: %s is longer than it can be", name);
    memcpy(out, text.at, text.len);
    out[text.len] = '\0';
    return RC_OK;
}

/* Transactions */

static enum rc still_fits(const struct db *db, struct err *err)
{
    if (db->oldest_schema <= db->schema)
        return RC_OK;
    if (db->oldest_schema == SCHEMA_MOVED)
        return FAIL(err, RC_BROKEN,
                    "ledger '%s': it was moved, and is written to no more: set `ledger` to where it"
                    " is now ('onecase help migrate-ledger')",
                    db->path);
    return FAIL(err, RC_BROKEN,
                "ledger '%s': a newer version has changed it meanwhile, and this program works"
                " with it no more (schema %lld, it knows %lld): install that version",
                db->path, (long long)db->oldest_schema, (long long)db->schema);
}

static enum rc
begin(struct db *db, enum tx_kind kind, const char *turn, struct tx *tx, struct err *err)
{
    CLEANUP(tx_end) struct tx mine = TX_NONE;

    TRY(db->driver->begin(db, kind, turn, err));
    mine.db = db;
    if (kind != TX_READ)
        TRY(db_stayed(db, err));
    if (kind == TX_WRITE)
        TRY(still_fits(db, err));
    *tx = mine;
    mine.db = NULL;
    return RC_OK;
}

enum rc tx_begin(struct db *db, struct tx *tx, struct err *err)
{
    return begin(db, TX_WRITE, NULL, tx, err);
}

enum rc tx_begin_in(struct db *db, const char *turn, struct tx *tx, struct err *err)
{
    return begin(db, TX_WRITE, turn, tx, err);
}

enum rc tx_append(const struct tx *tx, struct err *err)
{
    const struct driver *driver = tx->db->driver;

    return driver->append != NULL ? driver->append(tx->db, err) : RC_OK;
}

enum rc tx_migrate(struct db *db, struct tx *tx, struct err *err)
{
    return begin(db, TX_MIGRATE, NULL, tx, err);
}

enum rc tx_read(struct db *db, struct tx *tx, struct err *err)
{
    return begin(db, TX_READ, NULL, tx, err);
}

enum rc tx_commit(struct tx *tx, struct err *err)
{
    CLEANUP(tx_end) struct tx mine = *tx;

    tx->db = NULL;
    return mine.db->driver->commit(mine.db, err);
}

enum rc tx_commit_plain(struct tx *tx, struct err *err)
{
    struct err why = ERR_INIT;
    enum rc rc = tx_commit(tx, &why);

    return rc == RC_OK ? RC_OK : FAIL(err, rc == RC_UNKNOWN ? RC_DEFERRED : rc, "%s", why.text);
}

void tx_end(struct tx *tx)
{
    if (tx->db != NULL)
        tx->db->driver->rollback(tx->db);
    tx->db = NULL;
}
