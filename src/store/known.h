/* SPDX-License-Identifier: Apache-2.0
 *
 * known - what the ledger knows about one arrival, gathered inside the reserving transaction.
 *
 * `known` is what policy_judge reads; it borrows from the rest. The numbers of items and cases, and
 * of the ids followed from the header, are bounded: a sender decides how many there are.
 */
#pragma once

#include "db.h"

#include <onecase/ledger.h>

/* One of our acknowledgements that the arrival names, or that it is. */
struct named_ack {
    int64_t effect;
    enum effect_status status;
    char key[KEY_SIZE];      /* the item acknowledged */
    char case_key[KEY_SIZE]; /* whose case; "" is none */
};

#define NAMED_ACKS_MAX 16

struct gathered {
    struct known known;
    struct digest payload;          /* zero where there is no message */
    struct str sender, recipient;   /* plain: without case and +tag */
    char names_ack[EFFECT_ID_SIZE]; /* the first EFFECT named, known to us or not; "" is none */
    char languages[LANGUAGES_SIZE]; /* in which its sender may be told */
    struct named_ack ack[NAMED_ACKS_MAX];
    size_t acks;
    char same_octets_key[KEY_SIZE];
    void **kept; /* what `known` borrows */
    size_t kept_count;
};

/* Mail seen before keeps its key: where one of its group's mailboxes has it, the arrival is named by
 * that one's, its own first. */
enum rc
known_name(struct db *db, const struct policy *policy, struct arrival *arrival, struct err *err)
    MUST_CHECK;

enum rc known_gather(struct db *db,
                     const struct policy *policy,
                     const struct arrival *arrival,
                     struct gathered *out,
                     struct err *err) MUST_CHECK;
void known_clear(struct gathered *g); /* for CLEANUP */

/* The part of it about limits, once sender and recipient are there. */
enum rc known_limits(struct db *db,
                     const struct policy *policy,
                     const struct arrival *arrival,
                     struct gathered *g,
                     struct err *err) MUST_CHECK;

/* The part of it about replies: acknowledgements named, and the cases that the header names. */
enum rc known_cases(struct db *db,
                    const struct policy *policy,
                    const struct arrival *arrival,
                    struct gathered *g,
                    struct err *err) MUST_CHECK;
