/* SPDX-License-Identifier: Apache-2.0
 *
 * plan_rows - writes down what a judged mail becomes: case, message, participants, attachments,
 * links and effects. In the transaction that makes it an item, or that a decision makes it one.
 *
 * The item's row and the delivery that won it are there already. From the commit on the case exists
 * and the plan stands: nothing recomputes it.
 */
#pragma once

#include "chain.h"

#include <onecase/ledger.h>

struct planned {
    const char *key;
    const struct policy *policy;
    const struct arrival *arrival;
    const struct verdict *verdict;
    const struct plan *plan;
    const struct known_case *named; /* the case it joins or is linked with; NULL: none */
    int64_t delivery;               /* that won the item: its move's target */
    int64_t wait_ms;                /* how long a deferred acknowledgement waits */
};

/* `reference` is its case's, "" where it has none. Sets what of the item's row follows from it:
 * case_key, completion, tells. */
enum rc plan_rows_add(struct writing *w,
                      const struct planned *p,
                      char reference[REFERENCE_SIZE],
                      struct err *err) MUST_CHECK;

/* The move of one more delivery of an item that has its plan. */
enum rc plan_rows_move(struct writing *w, const struct planned *p, struct err *err) MUST_CHECK;
