/* SPDX-License-Identifier: Apache-2.0
 *
 * destination (port) - where cases are made besides the ledger, such as a help desk over HTTP.
 *
 * Every request carries the intake key as its idempotency key. What is not known is looked up by
 * that key before anything is tried again; a negative look-up proves absence only where the
 * destination enforces uniqueness.
 */
#pragma once

#include <onecase/identity.h>
#include <onecase/outcome.h>

#define EXTERNAL_ID_SIZE 129

struct case_facts {
    const char *key;         /* intake key */
    const char *effect;      /* idempotency key: a digest, no personal data */
    const char *correlation; /* run and attempt */
    const char *reference;
    struct slice from, subject, text;
};

struct destination_answer {
    enum outcome outcome;
    enum fault fault;                   /* of a failure */
    char external_id[EXTERNAL_ID_SIZE]; /* where done */
    bool adopted;                       /* it was there already, and its key is ours */
    bool strange; /* of UNKNOWN: the answer is not what was agreed, so a person looks at once */
    int code;     /* HTTP status; 0 is none */
    int64_t retry_after_ms;  /* 0 where it was not said */
    char why[ERR_TEXT_SIZE]; /* of no answer: for the log; "" else */
};

struct destination {
    void *self;
    const char *name;
    /* How long after its first try a second request makes no second case, so that a negative look-up
     * allows one; 0: never, INT64_MAX: always. */
    int64_t unique_ms;
    /* Makes the case. The answer says what came of it; RC_BROKEN only for our own mistakes. */
    enum rc (*create)(void *self,
                      const struct case_facts *facts,
                      struct destination_answer *out,
                      struct err *err);
    /* Finds the case by its key, or OUTCOME_REFUSED where there is none, OUTCOME_DEFERRED where it
     * could not be asked. The key found is compared before it is believed; another is `strange`. NULL:
     * it cannot be asked. */
    enum rc (*find)(void *self,
                    const struct case_facts *facts,
                    struct destination_answer *out,
                    struct err *err);
};
