/* SPDX-License-Identifier: Apache-2.0
 *
 * store - opens the ledger.
 *
 * SQLite by path, PostgreSQL by URL. A corrupt ledger, one of a newer schema that does not say it works with
 * this program, or one whose applied migrations are not ours refuses to open (RC_BROKEN) and says what to
 * do; a busy one is RC_DEFERRED.
 * Opening reads every page of a ledger of up to 256 MiB; of a larger one only its schema (store_check
 * reads it all). Missing migrations are applied, all in one transaction; with read_only that is
 * RC_BROKEN too. store_close gives everything back.
 */
#pragma once

#include <onecase/accounts.h>
#include <onecase/clock.h>
#include <onecase/ledger.h>
#include <onecase/str.h>
#include <onecase/views.h>

struct store;

/* How long the letters of a mailbox may be under way: views say by it from when `not-sent` is possible. And
 * in whose turn it is written: those that are one (merge_across) have one; NULL is its own. */
struct store_wait {
    const char *mailbox;
    int64_t final_timeout_ms, evidence_wait_ms;
    const char *turn;
};

struct store_options {
    const char *path;    /* a file; an SQLite URI, for tests; postgresql://… */
    int busy_timeout_ms; /* how long to wait for another process's write */
    bool create;         /* make it where it is missing */
    bool read_only;
    struct digest secret_seed; /* randomness for a new ledger's id and secret */
    int64_t now_ms;
    const struct store_wait *wait; /* copied; a mailbox that is not among them waits for nothing */
    size_t waits;
    int64_t
        longest_delay_ms; /* what is due later than that was timed before the clock went back; 0: any */
    bool
        skip_check; /* opens without reading every page: a tool, or a worker of a service that has */
    bool
        host_clock; /* leases by the clock of whoever writes, also where the database has one: for trials
                        whose time is made up */
    bool moving;        /* opens one that is half moved, too; see store_move */
    size_t snapshots;   /* kept of those taken before its schema is changed; 0: none is taken */
    struct store *like; /* NULL, or a ledger without events: a new one copies its schema instead of
                           making it, which is some ten times faster; for simulations */
};

struct store_upgrade {
    size_t from, to;     /* schema; `from` 0: there was nothing to do */
    bool newer;          /* what was found */
    struct str snapshot; /* its path; empty where none was taken */
};

enum rc store_open(const struct store_options *options, struct store **out, struct err *err)
    MUST_CHECK;
void store_close(struct store **store); /* for CLEANUP */
/* What opening it did to an older schema: borrowed; NULL where it did nothing. */
const struct store_upgrade *store_upgraded(const struct store *store);
/* It is of a newer schema, which works with this program. */
bool store_is_newer(const struct store *store);
/* RC_BROKEN: it was moved elsewhere, and can only be read. */
enum rc store_check_not_moved(struct store *store, struct err *err) MUST_CHECK;
struct ledger store_ledger(struct store *store); /* valid until store_close */
/* From now on a statement that takes longer than `longest_ms` is broken off: RC_DEFERRED, with a text for
 * whoever asked. For a front that answers one after another. `clock` is used until store_close. Behind a
 * pooler that keeps nothing of a session, PostgreSQL holds to it within transactions alone. */
enum rc
store_limit(struct store *store, int64_t longest_ms, const struct clock *clock, struct err *err)
    MUST_CHECK;
/* Makes `to` what `from` is now, events and all: for a trial that must not touch the ledger itself. Where `from` is
 * of another database `to` must be new, is closed first, and rows are copied one by one. */
enum rc store_copy(struct store *to, struct store *from, struct err *err) MUST_CHECK;
/* Writes the ledger, as it is at one instant, into a file that does not exist, and checks that: its
 * pages, its references, its event chain. Others go on writing meanwhile. `out`: of what was written. */
enum rc store_save(struct store *store, const char *path, struct ledger_facts *out, struct err *err)
    MUST_CHECK;
struct store_moved {
    char id[65]; /* of the ledger */
    int64_t tables;
    int64_t copied;   /* rows, by this call */
    int64_t followed; /* rows that had changed since they were copied, brought over by this call */
    int64_t rows;     /* compared by this call */
    int64_t last_event;
    bool ended;   /* `to` is the ledger now, and nobody writes into `from` any more */
    int64_t left; /* not ended: rows that have changed meanwhile */
};

struct store_move {
    const struct store_options *from, *to;
    /* Is no run alive? Asked when all is copied; at the beginning, too, from PostgreSQL. */
    enum rc (*stands)(void *ctx, bool *out, struct err *err);
    void (*tell)(void *ctx,
                 const char *table,
                 int64_t rows); /* so many more are copied, or compared */
    void *ctx;
};

/* Makes the ledger `to` (an empty database, or one that an earlier call has begun with) what `from` is, the
 * one of SQLite, the other of PostgreSQL: row by row, then each row compared, and the event chain walked.
 * Until that is done nobody else opens it (RC_BROKEN). From SQLite others go on writing meanwhile, and what
 * they change is noted, brought over and compared, too; while runs are alive it ends there, and is called again
 * when none is. Then the last of it is brought over, and no program writes into `from` any more. From
 * PostgreSQL no run may be alive at all (RC_DEFERRED). What was broken off goes on when it is called again.
 * RC_CONFLICT: there is a ledger already, or what was begun cannot be gone on with. RC_BROKEN: it is not what
 * it should be. */
enum rc store_move(const struct store_move *move, struct store_moved *out, struct err *err)
    MUST_CHECK;
/* What changes is noted no more. RC_NOT_FOUND: it was not. */
enum rc store_move_abandon(struct store *from, struct err *err) MUST_CHECK;
/* Records that the backup of that name stands. */
enum rc store_saved(struct store *store, const char *name, struct instant now, struct err *err)
    MUST_CHECK;
/* A ledger that was saved is to be used again: its generation rises, so that every mailbox takes it for
 * one that went back in time (service/claim.c). */
enum rc store_restored(struct store *store, struct instant now, struct err *err) MUST_CHECK;
/* Reading for people; valid until store_close. */
struct views store_views(struct store *store);
/* Who may use the console; valid until store_close. */
struct accounts store_accounts(struct store *store);
struct sessions store_sessions(struct store *store);
/* Walks the event chain; RC_BROKEN names the first line that does not follow from the one before. */
enum rc store_check_chain(struct store *store, struct err *err) MUST_CHECK;
/* What others do that concerns the runs of a mailbox (a person's word, a run that leaves it) is heard of, from
 * the first call on, where the database tells: PostgreSQL, without a pooler. True: there was something since the
 * last call, or may have been: look. `fd`: readable when there may be more; -1: nothing is ever heard. Only a
 * hint: whoever waits looks now and then all the same. */
bool store_heard(struct store *store, const char *mailbox, int *fd);
/* RC_BROKEN: a standby may take over without its last commits, and how to make it one that cannot. */
enum rc store_standbys(struct store *store, struct err *err) MUST_CHECK;
/* The same now, and on each new connection from now on: another server may have taken over. */
enum rc store_refuse_standbys(struct store *store, struct err *err) MUST_CHECK;
/* SQLite's own integrity check. */
enum rc store_check(struct store *store, struct err *err) MUST_CHECK;
