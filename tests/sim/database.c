/* SPDX-License-Identifier: Apache-2.0 */
#include "database.h"

#include "reached.h"
#include "world.h"

#include <sqlite_p.h>
#include <store_p.h>

#include <assert.h>
#include <string.h>

#define OPEN_MAX 64

static struct database *databases[DEPLOYMENTS_MAX];
static struct db *opened[OPEN_MAX]; /* kept from schedule to schedule; NULL where there is none */

void database_register(struct database *database)
{
    size_t at = 0;

    while (databases[at] != NULL && databases[at] != database)
        at++;
    assert(at < DEPLOYMENTS_MAX);
    databases[at] = database;
}

static struct database *database_of(const struct db *db)
{
    for (size_t i = 0; i < DEPLOYMENTS_MAX; i++)
        if (databases[i] != NULL && strcmp(databases[i]->path, db->path) == 0)
            return databases[i];
    return NULL;
}

static void begins_anew(const struct database *d, struct db *db)
{
    db->timeline = db->known_timeline = d->timeline;
    db->stays = false;
    db->now_ms = 0;
}

void database_opened(struct database *d, struct store *store)
{
    begins_anew(d, store->db);
}

void database_begin(struct database *d, struct world *world)
{
    const struct scenario *s = &world->scenario;

    *d = (struct database){.path = d->path,
                           .world = world,
                           .rng = {world->seed << 25},
                           .server = s->server,
                           .timeline = s->server ? 1 : 0,
                           .commit_one_in = s->commit_one_in};
    for (size_t i = 0; i < OPEN_MAX; i++)
        if (opened[i] != NULL && database_of(opened[i]) == d)
            begins_anew(d, opened[i]);
}

void database_taken_over(struct database *d)
{
    d->timeline++;
}

int64_t database_now(const struct database *d)
{
    return d->server ? world_wall_ms(d->world) : 0;
}

/* Whoever asks is asked by the server that is there now. Who is inside of no run is a person, whose tool has
 * been started since. */
static struct database *meet(struct db *db)
{
    struct database *d = database_of(db);

    if (d == NULL)
        return NULL;
    db->timeline = d->timeline;
    if (d->world != NULL && d->world->inside == NULL)
        db->known_timeline = d->timeline;
    return d;
}

/* ---- the driver ------------------------------------------------------------------------------- */

static enum rc open_database(const struct store_options *options, struct db **out, struct err *err)
{
    struct store_options plain = *options;
    size_t at = 0;

    plain.path += strlen(DATABASE_SCHEME);
    TRY(sqlite_driver.open(&plain, out, err));
    (*out)->driver = &postgres_driver;
    while (opened[at] != NULL)
        at++;
    assert(at < OPEN_MAX);
    opened[at] = *out;
    meet(*out);
    return RC_OK;
}

static void close_database(struct db **db)
{
    for (size_t i = 0; i < OPEN_MAX; i++)
        if (opened[i] == *db)
            opened[i] = NULL;
    sqlite_driver.close(db);
}

static bool goes_wrong(struct database *d, uint32_t one_in)
{
    const struct world *world = d->world;

    return one_in > 0 && !world->calm && world->inside != NULL && run_lives(world->inside) &&
           rng_one_in(&d->rng, one_in);
}

static enum rc passes(struct db *db, enum rc rc, const char *what, struct err *err)
{
    db->passing = true;
    return FAIL(err, rc, "sim: the ledger's server %s", what);
}

/* The connection was lost; whether the server is back is another matter. */
static enum rc reopen(struct db *db, struct err *err)
{
    struct database *d = meet(db);

    if (d != NULL && goes_wrong(d, 4))
        return passes(db, RC_DEFERRED, "is not back yet", err);
    return RC_OK;
}

static enum rc run(struct db *db, const char *sql, struct err *err)
{
    meet(db);
    return sqlite_driver.run(db, sql, err);
}

static enum rc prepare(struct db *db, const char *sql, struct stmt **out, struct err *err)
{
    meet(db);
    return sqlite_prepare(db, sql, out, err);
}

static enum rc limit(struct db *db, struct err *err)
{
    return sqlite_driver.limit(db, err);
}

static enum rc now(struct db *db, int64_t *out, struct err *err)
{
    const struct database *d = meet(db);

    (void)err;
    *out = d != NULL ? database_now(d) : 0;
    return RC_OK;
}

static enum rc begin(struct db *db, enum tx_kind kind, const char *turn, struct err *err)
{
    const struct database *d = meet(db);

    db->passing = false;
    db->now_ms = d != NULL ? database_now(d) : 0;
    return sqlite_driver.begin(db, kind, turn, err);
}

static void rollback(struct db *db)
{
    sqlite_driver.rollback(db);
}

static enum rc taken_back(struct db *db, enum rc rc, const char *what, struct err *err)
{
    rollback(db);
    return passes(db, rc, what, err);
}

static enum rc commit_and_lose_the_answer(struct db *db, struct err *err)
{
    TRY(sqlite_driver.commit(db, err));
    return passes(db, RC_UNKNOWN, "takes a commit, and its answer is lost", err);
}

static enum rc commit(struct db *db, struct err *err)
{
    struct database *d = meet(db);

    if (d == NULL || !d->server || !goes_wrong(d, d->commit_one_in))
        return sqlite_driver.commit(db, err);
    reached_row("L08");
    switch (rng_below(&d->rng, 3)) {
    case 0:
        tell(d->world, "   a commit of run %u met another's", d->world->inside->number);
        return taken_back(db, RC_DEFERRED, "takes a commit back: others wrote", err);
    case 1:
        tell(d->world, "   a commit of run %u is lost", d->world->inside->number);
        return taken_back(db, RC_UNKNOWN, "is lost before it takes a commit", err);
    default:
        tell(d->world, "   a commit of run %u stands, and its answer is lost",
             d->world->inside->number);
        return commit_and_lose_the_answer(db, err);
    }
}

static const char *const schemes[] = {DATABASE_SCHEME, NULL};

const struct driver postgres_driver = {
    .schemes = schemes,
    .open = open_database,
    .close = close_database,
    .reopen = reopen,
    .run = run,
    .prepare = prepare,
    .done = sqlite_done,
    .text = sqlite_text,
    .blob = sqlite_blob,
    .number = sqlite_number,
    .null = sqlite_null,
    .row = sqlite_row,
    .changed = sqlite_changed,
    .column_number = sqlite_column_number,
    .column_null = sqlite_column_null,
    .column = sqlite_column,
    .has_table = sqlite_has_table,
    .size = sqlite_size,
    .check = sqlite_check,
    .copy = sqlite_copy,
    .file = sqlite_file,
    .forget = sqlite_forget,
    .limit = limit,
    .now = now,
    .begin = begin,
    .commit = commit,
    .rollback = rollback,
};
