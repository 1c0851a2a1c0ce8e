/* SPDX-License-Identifier: Apache-2.0
 *
 * listed - cases that an older system made, as a list (CSV, csv.h) says of them.
 *
 * Pure. The first record names the columns, in any order and case; what else stands there is not used, and
 * named. A record is one case, or one more mail of it. Everything that is wrong is told at once, each with
 * its line and column and what is allowed; no value of the list stands in such a line.
 *
 * What came to us is compared with what the list says, since nothing else is known of its mails: see
 * listed_is.
 */
#pragma once

#include <onecase/csv.h>
#include <onecase/policy.h>

#define LISTED_MOST      20000 /* records of one list */
#define LISTED_IDS_MOST  50    /* Message-IDs of one record */
#define LISTED_OCTETS    (INT64_C(32) << 20)
#define LISTED_REFERENCE 40

/* clang-format off */
#define LISTED_FATE_LIST(X) \
/*    name             text       meaning */                                                          \
    X(LISTED_NEW,      "new",     "a case known from now on")                                         \
    X(LISTED_DOUBLED,  "doubled", "the same, and another case has its mail: listed as a suspect")     \
    X(LISTED_MORE,     "more",    "more mails of a case that is known")                               \
    X(LISTED_THERE,    "there",   "known before; nothing changed")                                    \
    X(LISTED_REFUSED,  "refused", "the reference is that of another mailbox's case, or of our own")
/* clang-format on */

enum listed_fate { LISTED_FATE_LIST(NAMED_ENUM) LISTED_FATE_COUNT };

struct listed_case {
    unsigned line;
    const struct policy *policy;    /* of its mailbox; borrowed from the settings */
    char reference[REFERENCE_SIZE]; /* of the older system */
    struct str message_ids;         /* normalised, a LF behind each */
    struct str from, subject;       /* empty: not said */
    bool has_date;
    int64_t date_ms;
    bool closed;
};

struct listed {
    struct listed_case *at;
    size_t count;
    struct str problems;  /* "LINE:COLUMN: what is wrong and what is allowed", LF at its end */
    size_t problem_count; /* those that are too many to be told, too */
    struct str unused;    /* names of columns, ", " between them */
};

struct listed_settings {
    const struct policy *policy; /* one a mailbox */
    size_t policies;
    const char *mailbox; /* of records that name none; NULL: they must */
};

/* `out` borrows from the settings. */
void listed_read(struct slice text, const struct listed_settings *settings, struct listed *out);
void listed_cases_clear(struct listed *l); /* for CLEANUP */

/* By what a late copy is found: its Message-ID; and where the list has none, all that it says, to the second. */
void listed_by_id(struct slice message_id, char out[DIGEST_HEX_SIZE]);
void listed_by_words(struct slice from,
                     struct slice subject,
                     int64_t date_ms,
                     char out[DIGEST_HEX_SIZE]);
/* Sender and subject alone: of doubles that an older system made. */
void listed_words(struct slice from, struct slice subject, char out[DIGEST_HEX_SIZE]);

#define LISTED_NEAR_MS                                                                             \
    (INT64_C(24) * 3600 * 1000) /* what a list says of a time may be when its case was made */

/* Is an arrival the mail that a list spoke of? Found by its Message-ID, nothing that the list says may speak
 * against it: sender, subject, and the day. Where a key rule sets Message-IDs aside (`same_key` false), where the
 * list had none, and where it gives that one to mails that speak against each other, date and time must be the same. */
bool listed_is(const struct known_item *item, const struct message *message);

const char *listed_fate_text(enum listed_fate fate);
