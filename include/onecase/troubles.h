/* SPDX-License-Identifier: Apache-2.0
 *
 * troubles - what is the matter with an installation right now, by one table for `check` and notices.
 *
 * A trouble is known by its kind and its mailbox; the same trouble keeps both for as long as it lasts.
 * Texts are plain words with ids of mailboxes, counts and times: no address, no subject, no key.
 */
#pragma once

#include <onecase/operations.h>

enum level { LEVEL_OK, LEVEL_WARNING, LEVEL_CRITICAL, LEVEL_COUNT };

/* Of which sort it is, for those who want to be told of one alone. */
enum trouble_sort {
    SORT_SERVICE,  /* of onecase itself: somebody has to mend it */
    SORT_DECISION, /* a person is asked */
    SORT_QUIET,    /* somebody did it on purpose: shown, and nobody is told */
};

/* What is measured of each mailbox, and compared with a warning and a critical value. */
/* clang-format off */
#define MEASURE_LIST(X) \
/*    name                  word           warning  critical  is a time */ \
    X(MEASURE_WAITING,      "waiting",      1,       0,        false)       \
    X(MEASURE_WAITING_AGE,  "waiting-age",  0,       259200,   true)        \
    X(MEASURE_NOT_TOLD,     "not-told",     1,       0,        false)       \
    X(MEASURE_CHOICE,       "choice",       1,       0,        false)       \
    X(MEASURE_BACKLOG,      "backlog",      1000,    0,        false)       \
    X(MEASURE_OLDEST,       "oldest",       86400,   0,        true)
/* clang-format on */

#define MEASURE_ENUM(name, word, warning, critical, time) name,
enum measure { MEASURE_LIST(MEASURE_ENUM) MEASURE_COUNT };
#undef MEASURE_ENUM

/* 0 is never. Times are seconds. */
struct limits {
    int64_t at[MEASURE_COUNT][LEVEL_COUNT];
};

extern const struct limits limits_default;
const char *measure_text(enum measure measure);
/* "backlog=100,oldest=4h" for one level; RC_USAGE. */
enum rc limits_parse(const char *text, enum level level, struct limits *out, struct err *err)
    MUST_CHECK;

struct trouble {
    const char *kind;        /* a word of the table; static */
    char mailbox[NAME_SIZE]; /* "" is the installation */
    enum level level;
    enum trouble_sort sort;
    int64_t since_ms; /* NOT_DUE: not known */
    char text[240];
};

struct measured {
    char mailbox[NAME_SIZE];
    int64_t value[MEASURE_COUNT];
};

struct troubles {
    struct trouble *trouble; /* in the order of the configuration's mailboxes */
    size_t count;
    struct measured *measured;
    size_t mailboxes;
};

/* `ops` must have its ledger open. Only `mailbox` where it is not NULL. RC_DEFERRED, RC_BROKEN of the
 * ledger. */
enum rc troubles_find(const struct operations *ops,
                      const struct limits *limits,
                      const char *mailbox,
                      int64_t now_ms,
                      struct troubles *out,
                      struct err *err) MUST_CHECK;
void troubles_clear(struct troubles *troubles); /* for CLEANUP */
