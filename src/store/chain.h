/* SPDX-License-Identifier: Apache-2.0
 *
 * chain - writing transactions, and the event chain that each of them adds to.
 *
 *     CLEANUP(writing_end) struct writing w = WRITING_NONE;
 *     TRY(writing_begin(store, run, now, &w, err));
 *     ... statements; TRY(event_add(&w, &(struct event){ ... }, err)) ...
 *     return writing_finish(&w, err);
 *
 * A line's hash is SHA-256 over its fields in the table's order, number to previous, each written as
 * its length in decimal, a colon, its octets and a LF: nothing can be moved from one field to the
 * next. `previous` is the hash of the line before; of the first, the id of the ledger.
 *
 * Those that write in turns (writing_begin_turn) stand beside each other, and what several of them may change
 * is changed in one of these ways:
 *
 *     the chain, and what is counted by all     under the lock of tx_append, which is had to the commit; counters
 *                                               are one statement that adds
 *     an item, an effect, an attempt            names what it was: state, fence, status, number of tries. A letter
 *                                               that reaches one mailbox may settle another's item, a copy may
 *                                               wait for it; who comes second changes no row: RC_CONFLICT
 *     a case                                    its mails are rows of their own, under a key; its state names what
 *                                               it was
 *     the row of a mailbox, its floods, limits  belong to one mailbox, and a person's write stands alone; beside it
 *                                               `version` and `numbering` name what was read
 *     the lease of a mailbox                    names until when it was (share.c); a renewal names its run
 *     what is looked for before it is added     mails of mailboxes that are one have one turn; all else has a key
 *
 * Everything else is written alone (writing_begin): it reads what the last one left.
 *
 * A COMMIT that failed is read back: the last line that the transaction wrote is looked for on a new
 * connection, and a commit of ours must succeed after it, so that no recovery can turn what was found
 * into its opposite. There: RC_OK. Not there: RC_DEFERRED. Neither could be found out: RC_UNKNOWN. A
 * transaction that adds no line must be harmless to repeat: after such a failure it is RC_DEFERRED,
 * done or not.
 */
#pragma once

#include "db.h"

#include <onecase/clock.h>

struct store;

struct writing {
    struct store *store; /* NULL once it has ended */
    struct tx tx;
    const char *run; /* borrowed; "" is none, such as a person's command */
    struct instant now;
    int64_t lease_now_ms;       /* by the clock that leases are measured with: see lease.h */
    int64_t number;             /* of the last line that was appended; 0: none was */
    char hash[DIGEST_HEX_SIZE]; /* its hash */
    struct str pending; /* lines that are appended at its end, so that others wait less for them */
    struct str told;    /* mailboxes, each ended by NUL, whose runs are told once it stands */
};
#define WRITING_NONE                                                                               \
    {                                                                                              \
        NULL, TX_NONE, NULL, {0, 0}, 0, 0, "", STR_INIT, STR_INIT                                  \
    }

/* One line. NULL is "". No field may hold a name, an address or a subject. */
struct event {
    const char *mailbox;
    const char *key;
    const char *subject; /* item, effect ID, attempt ID, mailbox, run, ledger */
    const char *what;    /* the event's word in its table */
    const char *from, *to;
    const char *actor; /* actor_text() */
};

/* BEGIN IMMEDIATE. `run` must outlive it. */
enum rc writing_begin(struct store *store,
                      const char *run,
                      struct instant now,
                      struct writing *out,
                      struct err *err) MUST_CHECK;
/* The same for what a run does to its mailbox: see tx_begin_in. Turns of a store whose run has no mailbox
 * are those of the whole ledger. */
enum rc writing_begin_turn(struct store *store,
                           const char *run,
                           struct instant now,
                           struct writing *out,
                           struct err *err) MUST_CHECK;
enum rc event_add(struct writing *w, const struct event *event, struct err *err) MUST_CHECK;
/* Once it stands, whoever waits to work on that mailbox is told to look (db_tell). What no run writes is a
 * person's, and told of by itself: of each mailbox that it adds a line for. */
void writing_tell(struct writing *w, const char *mailbox);
/* The number of the line that was added last. */
enum rc event_number(struct writing *w, int64_t *out, struct err *err) MUST_CHECK;
/* Commits, and reads back where that failed. Ended either way. */
enum rc writing_finish(struct writing *w, struct err *err) MUST_CHECK;
void writing_end(struct writing *w); /* rolls back what was not finished; for CLEANUP */

/* `call` is a whole transaction, and is repeated while that is worth it (db_passing): what it is about is
 * known here and now. Each try begins anew, and leaves nothing where it fails. */
#define WRITE(store, call)                                                                         \
    __extension__({                                                                                \
        int write_tries_ = 0;                                                                      \
        enum rc write_rc_;                                                                         \
        do                                                                                         \
            write_rc_ = (call);                                                                    \
        while (writing_again((store), write_rc_, &write_tries_));                                  \
        write_rc_;                                                                                 \
    })
bool writing_again(const struct store *store, enum rc rc, int *tries);

/* store_check_chain of the lines after that one. */
enum rc chain_check_after(struct store *store, int64_t number, struct err *err) MUST_CHECK;

/* Text made of a word and a number ("effect 12"), for event.subject and note.about. */
struct subject {
    char text[40];
};
struct subject subject_of(const char *word, int64_t id);
