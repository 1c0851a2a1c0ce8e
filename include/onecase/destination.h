/* SPDX-License-Identifier: Apache-2.0
 *
 * destination (port) - where cases are made besides the ledger, such as a help desk over HTTP.
 *
 * A case is made there, replies and files are added to it, it is closed, and by a person's decision
 * taken away. Every request carries the effect's id as its idempotency key. What is not known is looked
 * up before anything is tried again; a negative look-up proves absence only where the destination
 * enforces uniqueness.
 */
#pragma once

#include <onecase/identity.h>
#include <onecase/item.h>
#include <onecase/outcome.h>

#define EXTERNAL_ID_SIZE 129
#define REFUSAL_SIZE     256

/* clang-format off */
#define DESTINATION_STEP_LIST(X) \
    X(STEP_CREATE, "create", "makes the case")                                     \
    X(STEP_APPEND, "append", "adds a reply to it")                                 \
    X(STEP_ATTACH, "attach", "adds a file to it")                                  \
    X(STEP_CLOSE,  "close",  "closes it; a second time changes nothing")           \
    X(STEP_REMOVE, "remove", "takes it away, where a person has decided so; a second time changes nothing")
/* clang-format on */

enum destination_step { DESTINATION_STEP_LIST(NAMED_ENUM) STEP_COUNT };

/* An attachment as it is stored. */
struct case_file {
    unsigned number;
    const char *file;        /* NN-NAME */
    struct slice name, type; /* as its sender has it */
    int64_t size;
    struct digest sha256;
    /* Up to `room` octets from `offset`; *got is 0 at its end only. */
    enum rc (*read)(
        void *ctx, int64_t offset, char *into, size_t room, size_t *got, struct err *err);
    void *ctx;
};

struct case_facts {
    const char *key;         /* intake key of this mail */
    const char *effect;      /* idempotency key: a digest, no personal data */
    const char *correlation; /* run and attempt */
    const char *reference;
    struct slice from, subject, text;
    const char *id;               /* of the case there; "" before it is made */
    const struct case_file *file; /* with STEP_ATTACH */
};

struct destination_answer {
    enum outcome outcome;
    enum fault fault;                   /* of a failure */
    char external_id[EXTERNAL_ID_SIZE]; /* where done */
    bool adopted;                       /* it was there already, and its key is ours */
    bool strange; /* of UNKNOWN: the answer is not what was agreed, so a person looks at once */
    int code;     /* HTTP status; 0 is none */
    int64_t retry_after_ms;  /* 0 where it was not said */
    unsigned requests;       /* that were made for it */
    char why[ERR_TEXT_SIZE]; /* of no answer: for the log; "" else */
    char said[REFUSAL_SIZE]; /* of REFUSED: its own words, for a person; nothing of the mail */
};

struct destination_can {
    bool act;
    bool look; /* what became of a request can be asked */
    /* How long after its first try a second request makes no second one, so that a negative look-up
     * allows it; 0: never, INT64_MAX: always. */
    int64_t unique_ms;
};

struct destination {
    void *self;
    const char *name;
    struct destination_can can[STEP_COUNT];
    /* Makes the request. The answer says what came of it; RC_BROKEN only for our own mistakes, and
     * where the file cannot be read. */
    enum rc (*act)(void *self,
                   enum destination_step step,
                   const struct case_facts *facts,
                   struct destination_answer *out,
                   struct err *err);
    /* Finds what the step made, or OUTCOME_REFUSED where there is none, OUTCOME_DEFERRED where it
     * could not be asked. What is found is compared before it is believed; another is `strange`. */
    enum rc (*look)(void *self,
                    enum destination_step step,
                    const struct case_facts *facts,
                    struct destination_answer *out,
                    struct err *err);
};

/* What an effect with that target is at the destination; STEP_COUNT: nothing of its. */
enum destination_step destination_step_of(const char *destination,
                                          enum disposition disposition,
                                          enum effect_kind kind,
                                          const char *target);
const char *destination_step_text(enum destination_step step);
const char *destination_step_meaning(enum destination_step step);
/* By whom and how it is taken back, if at all, and what becomes of it when a later step fails. */
const char *destination_step_back(enum destination_step step);
