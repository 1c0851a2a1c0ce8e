/* SPDX-License-Identifier: Apache-2.0 */
#include "migrate.h"
#include "move.h"
#include "store_p.h"

#include <stdlib.h>

#define CHECKED_MAX (INT64_C(32) << 20)

/* All that a start may take is some hundredths of a second, however large the ledger is: `verify` reads the
 * pages of a large one. */
static enum rc check_at_open(struct db *db, const struct store_options *options, struct err *err)
{
    int64_t size;

    if (options->skip_check)
        return RC_OK;
    TRY(db_size(db, &size, err));
    return size <= CHECKED_MAX ? db_check(db, false, err) : RC_OK;
}

static void remember_waits(struct store *store, const struct store_options *options)
{
    store->wait = mem_new(options->waits + 1, sizeof *store->wait);
    store->waits = options->waits;
    store->longest_delay_ms = options->longest_delay_ms;
    for (size_t i = 0; i < options->waits; i++) {
        const struct store_wait *from = &options->wait[i];
        struct waiting_times *to = &store->wait[i];
        text_copy(to->mailbox, sizeof to->mailbox, from->mailbox);
        text_copy(to->turn, sizeof to->turn, from->turn != NULL ? from->turn : from->mailbox);
        to->final_timeout_ms = from->final_timeout_ms;
        to->evidence_wait_ms = from->evidence_wait_ms;
    }
}

/* One that is half moved has its names already, and not yet what they stand for. */
static enum rc check_whole(struct db *db, const struct store_options *options, struct err *err)
{
    static const char find[] = "SELECT value FROM meta WHERE name = '" META_MOVING "'";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    if (options->moving)
        return RC_OK;
    TRY(stmt_open(db, find, &s, err));
    enum rc rc = stmt_row(s, err);

    if (rc == RC_OK)
        return FAIL(err, RC_BROKEN,
                    "ledger '%s': it is half moved there: set `ledger` to where it was, and run "
                    "'onecase migrate-ledger' again",
                    db_path(db));
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

enum rc store_open(const struct store_options *options, struct store **out, struct err *err)
{
    CLEANUP(store_close) struct store *store = mem_new(1, sizeof *store);

    remember_waits(store, options);
    TRY(db_open(options, &store->db, err));
    TRY(check_at_open(store->db, options, err));
    if (options->like != NULL)
        TRY(migrate_like(store->db, options->like->db, options, err));
    TRY(migrate(store->db, options, &store->upgrade, err));
    TRY(check_whole(store->db, options, err));
    *out = STEAL(store);
    return RC_OK;
}

const struct store_upgrade *store_upgraded(const struct store *store)
{
    return store->upgrade.from > 0 ? &store->upgrade : NULL;
}

bool store_is_newer(const struct store *store)
{
    return store->upgrade.newer;
}

void store_close(struct store **store)
{
    if (*store == NULL)
        return;
    db_close(&(*store)->db);
    if ((*store)->plan != NULL)
        move_plan_clear((*store)->plan);
    free((*store)->plan);
    free((*store)->wait);
    str_clear(&(*store)->upgrade.snapshot);
    free(*store);
    *store = NULL;
}

struct ledger store_ledger(struct store *store)
{
    return (struct ledger){
        .self = store,
        .runs = &store_runs,
        .mailboxes = &store_mailboxes,
        .intake = &store_intake,
        .work = &store_work,
        .people = &store_people,
        .operators = &store_operators,
        .notices = &store_notices,
        .webhooks = &store_webhooks,
        .keeping = &store_keeping,
    };
}

enum rc
store_limit(struct store *store, int64_t longest_ms, const struct clock *clock, struct err *err)
{
    return db_limit(store->db, longest_ms, clock, err);
}

enum rc store_check(struct store *store, struct err *err)
{
    return db_check(store->db, true, err);
}

bool store_heard(struct store *store, const char *mailbox, int *fd)
{
    if (!store->listens)
        db_listen(store->db, mailbox);
    store->listens = true;
    return db_heard(store->db, fd);
}

enum rc store_standbys(struct store *store, struct err *err)
{
    return db_standbys(store->db, err);
}

enum rc store_refuse_standbys(struct store *store, struct err *err)
{
    return db_refuse_standbys(store->db, err);
}

enum rc store_copy(struct store *to, struct store *from, struct err *err)
{
    return db_alike(to->db, from->db) ? db_copy(to->db, from->db, err)
                                      : move_snapshot(to, from, err);
}
