/* SPDX-License-Identifier: Apache-2.0
 *
 * listed_plan - what a list would have made so far, where nothing is written.
 *
 * What a line of a list becomes depends on the lines before it. A dry run keeps what they would have
 * written here, and looks here before it looks into the ledger, which it only reads.
 */
#pragma once

#include "store_p.h"

struct listed_plan {
    void *cases, *mails, *words; /* trees of what is said below; owned */
};

struct planned_case {
    char reference[REFERENCE_SIZE]; /* first: it is looked for by it */
    char key[KEY_SIZE];
    const char *mailbox; /* borrowed, as long as the plan */
};

struct planned_mail {
    char key[KEY_SIZE]; /* first */
    char case_key[KEY_SIZE];
    char fingerprint[DIGEST_HEX_SIZE]; /* "" where it does not begin its case */
};

/* NULL: no line before had it. Borrowed. */
const struct planned_case *plan_case(const struct listed_plan *plan, const char *reference);
const struct planned_mail *plan_mail(const struct listed_plan *plan, const char *key);
/* The fingerprint of a case of that sender and subject, of about that time; NULL: there is none. */
const char *plan_alike(const struct listed_plan *plan,
                       const char *mailbox,
                       const char *words,
                       const struct listed_case *c);

void plan_add_mail(struct listed_plan *plan, const struct planned_mail *mail);
void plan_add_case(struct listed_plan *plan, const struct planned_case *made);
/* `words` "": it is like no other. */
void plan_add_words(struct listed_plan *plan,
                    const char *mailbox,
                    const char *words,
                    const struct listed_case *c,
                    const char *fingerprint);
void listed_plan_clear(struct listed_plan *plan); /* for CLEANUP */
