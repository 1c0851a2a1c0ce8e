/* SPDX-License-Identifier: Apache-2.0
 *
 * calls - every port call that the program can make, and what else than success each may answer.
 *
 * The row is the port's header in one line: only what it allows is ever answered. Calls that only
 * look at the process's own memory (the clock, randomness, how many connections are free) are not
 * here: nothing can happen between them and the next.
 */
#pragma once

#include <onecase/err.h>
#include <stdbool.h>

/* What a call may answer without having done anything, and after having done it. */
#define MAY_DEFER  (1u << 0)
#define MAY_REFUSE (1u << 1)
#define MAY_BREAK  (1u << 2)
#define MAY_LOSE   (1u << 3) /* RC_UNKNOWN, not done */
#define MAY_HAVE   (1u << 4) /* RC_UNKNOWN, done */
#define MAY_HALF   (1u << 5) /* as far as it came: see the port */

/* clang-format off */
#define CALL_LIST(X) \
/*    name                    what it is in words                        may answer                  ms */   \
    X(CALL_FILES_CREATE,      "makes a file",                            MAY_DEFER | MAY_BREAK,      1)      \
    X(CALL_FILES_APPEND,      "writes to a file",                        MAY_DEFER | MAY_BREAK | MAY_HALF, 1)\
    X(CALL_FILES_SYNC,        "makes a file durable",                    MAY_DEFER | MAY_BREAK,      5)      \
    X(CALL_FILES_LINK,        "gives a file its name",                   MAY_DEFER | MAY_BREAK,      1)      \
    X(CALL_FILES_FOLDER,      "makes a folder",                          MAY_DEFER | MAY_BREAK,      1)      \
    X(CALL_FILES_SYNC_FOLDER, "makes a folder durable",                  MAY_BREAK,                  5)      \
    X(CALL_FILES_READ,        "reads a file",                            MAY_BREAK,                  1)      \
    X(CALL_FILES_REMOVE,      "removes a file",                          MAY_BREAK,                  1)      \
    X(CALL_FILES_SPACE,       "looks how full the disk is",              MAY_BREAK,                  1)      \
    X(CALL_MAILBOX_OPEN,      "opens a folder of the mailbox",           MAY_DEFER | MAY_REFUSE,     40)     \
    X(CALL_MAILBOX_LIST,      "lists a folder of the mailbox",           MAY_DEFER | MAY_REFUSE,     40)     \
    X(CALL_MAILBOX_UNCHANGED, "asks for news of a folder",               MAY_DEFER,                  20)     \
    X(CALL_MAILBOX_FETCH,     "fetches messages",                        MAY_DEFER | MAY_HALF,       80)     \
    X(CALL_MAILBOX_MOVE,      "moves messages",                          MAY_DEFER | MAY_REFUSE | MAY_LOSE | MAY_HAVE | MAY_HALF, 60) \
    X(CALL_MAILBOX_APPEND,    "adds a message of ours",                  MAY_DEFER | MAY_REFUSE | MAY_LOSE | MAY_HAVE, 40) \
    X(CALL_MAILBOX_REMOVE,    "removes a message of ours",               MAY_DEFER | MAY_REFUSE,     40)     \
    X(CALL_MAILBOX_SEARCH,    "searches a folder",                       MAY_DEFER | MAY_REFUSE,     40)     \
    X(CALL_MAILBOX_WAIT,      "waits for news",                          MAY_DEFER,                  10)     \
    X(CALL_COURIER_BEGIN,     "hands a letter to the courier",           0,                          5)      \
    X(CALL_COURIER_NEXT,      "waits for the courier",                   0,                          5)      \
    X(CALL_COURIER_RELEASE,   "lets the end-of-data line go",            0,                          1)      \
    X(CALL_COURIER_ABANDON,   "abandons a letter",                       0,                          1)      \
    X(CALL_COURIER_REST,      "ends idle connections",                   0,                          1)      \
    X(CALL_DESK_CREATE,       "makes a case or reply at the help desk",  MAY_DEFER | MAY_LOSE | MAY_HAVE | MAY_REFUSE | MAY_HALF, 100) \
    X(CALL_DESK_FIND,         "looks for what the help desk has made",   MAY_DEFER,                  60)     \
    X(CALL_READER_READ,       "reads a mail",                            MAY_DEFER | MAY_REFUSE,     10)     \
    X(CALL_COMPOSER_COMPOSE,  "writes an acknowledgement",               MAY_BREAK,                  1)      \
    X(CALL_PROCESSES_ENTER,   "takes the lock on its run file",          MAY_BREAK,                  1)      \
    X(CALL_PROCESSES_DEAD,    "asks whether another run is dead",        0,                          1)      \
    X(CALL_PROCESSES_LEAVE,   "frees the lock on its run file",          0,                          1)      \
    X(CALL_LEDGER_FACTS,      "reads the ledger's facts",                MAY_DEFER | MAY_BREAK,      1)      \
    X(CALL_LEDGER_ENTER,      "enters the ledger",                       MAY_DEFER | MAY_BREAK | MAY_LOSE | MAY_HAVE, 5) \
    X(CALL_LEDGER_OTHERS,     "looks who else is there",                 MAY_DEFER | MAY_BREAK,      1)      \
    X(CALL_LEDGER_BURY,       "records that a run is dead",              MAY_DEFER | MAY_BREAK | MAY_LOSE | MAY_HAVE, 5) \
    X(CALL_LEDGER_RENEW,      "renews its leases",                       MAY_DEFER | MAY_BREAK | MAY_LOSE | MAY_HAVE, 5) \
    X(CALL_LEDGER_LEAVE,      "leaves the ledger",                       MAY_DEFER | MAY_BREAK | MAY_LOSE | MAY_HAVE, 5) \
    X(CALL_LEDGER_KNOWS,      "looks for a line of the event chain",     MAY_DEFER | MAY_BREAK,      1)      \
    X(CALL_LEDGER_MAILBOX,    "reads what is remembered of the mailbox", MAY_DEFER | MAY_BREAK,      2)      \
    X(CALL_LEDGER_SAVE,       "remembers something of the mailbox",      MAY_DEFER | MAY_BREAK | MAY_LOSE | MAY_HAVE, 5) \
    X(CALL_LEDGER_REWIND,     "notes that the ledger went back in time", MAY_DEFER | MAY_BREAK | MAY_LOSE | MAY_HAVE, 5) \
    X(CALL_LEDGER_RENUMBER,   "notes that a folder has new UIDs",        MAY_DEFER | MAY_BREAK | MAY_LOSE | MAY_HAVE, 5) \
    X(CALL_LEDGER_IMPORT,     "records the first-import choice",         MAY_DEFER | MAY_BREAK | MAY_LOSE | MAY_HAVE, 5) \
    X(CALL_LEDGER_UNSEEN,     "asks which messages are new",             MAY_DEFER | MAY_BREAK,      1)      \
    X(CALL_LEDGER_REUSED,     "tells a UID that was given again",        MAY_DEFER | MAY_BREAK | MAY_LOSE | MAY_HAVE, 5) \
    X(CALL_LEDGER_RESERVE,    "reserves",                                MAY_DEFER | MAY_BREAK | MAY_LOSE | MAY_HAVE, 8) \
    X(CALL_LEDGER_OCTETS,     "asks whether octets are known",           MAY_DEFER | MAY_BREAK,      1)      \
    X(CALL_LEDGER_READING,    "marks that it begins to read",            MAY_DEFER | MAY_BREAK | MAY_LOSE | MAY_HAVE, 5) \
    X(CALL_LEDGER_READ,       "marks that it has read",                  MAY_DEFER | MAY_BREAK | MAY_LOSE | MAY_HAVE, 5) \
    X(CALL_LEDGER_CLAIM,      "claims what is due",                      MAY_DEFER | MAY_BREAK | MAY_LOSE | MAY_HAVE, 8) \
    X(CALL_LEDGER_COMMIT,     "commits",                                 MAY_DEFER | MAY_BREAK | MAY_LOSE | MAY_HAVE, 8) \
    X(CALL_LEDGER_LOAD,       "reads an item",                           MAY_DEFER | MAY_BREAK,      1)      \
    X(CALL_LEDGER_DUE,        "asks when something is due",              MAY_DEFER | MAY_BREAK,      1)      \
    X(CALL_LEDGER_DOUBTS,     "asks what is in doubt",                   MAY_DEFER | MAY_BREAK,      1)      \
    X(CALL_LEDGER_FILING,     "asks whether a filed message is taken",   MAY_DEFER | MAY_BREAK,      1)      \
    X(CALL_LEDGER_STANDS,     "asks whether a case stands",              MAY_DEFER | MAY_BREAK,      1)      \
    X(CALL_LEDGER_SHARE,      "asks whether the mailbox is its own",     MAY_DEFER | MAY_BREAK,      2)      \
    X(CALL_OBJECT_PUT,        "puts a file into the object store",       MAY_DEFER | MAY_HALF | MAY_HAVE, 60) \
    X(CALL_OBJECT_GET,        "gets a file from the object store",       MAY_DEFER | MAY_HALF,       40)     \
    X(CALL_OBJECT_REMOVE,     "removes a file from the object store",    MAY_DEFER,                  40)
/* clang-format on */

#define CALL_ENUM(name, what, may, ms) name,
enum call { CALL_LIST(CALL_ENUM) CALL_COUNT };
#undef CALL_ENUM

/* What a gate says the call shall do. */
enum answer {
    ANSWER_TRUE, /* what it does */
    ANSWER_DEAD, /* its run is dead: nothing, RC_BROKEN */
    ANSWER_DEFERRED,
    ANSWER_REFUSED,
    ANSWER_BROKEN,
    ANSWER_LOST, /* RC_UNKNOWN, and it was not done */
    ANSWER_HAD,  /* RC_UNKNOWN, and it was done */
    ANSWER_HALF,
    ANSWER_COUNT,
};

struct call_row {
    const char *what;
    unsigned may;
    unsigned ms; /* how long it takes at most, on an ordinary day */
};

extern const struct call_row call_rows[CALL_COUNT];

bool call_may(enum call call, enum answer answer);
const char *answer_text(enum answer answer);
/* The failure that `answer` is, for calls that do nothing then. */
enum rc answer_fail(enum call call, enum answer answer, struct err *err);
