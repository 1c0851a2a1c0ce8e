/* SPDX-License-Identifier: Apache-2.0
 *
 * reserve - one observed message, inside the reserving transaction (intake.c has the batch).
 */
#pragma once

#include "known.h"
#include "plan_rows.h"

struct reserving {
    struct writing *w;
    const struct policy *policy;
    int64_t lease_ms;
};

enum rc reserve_one(const struct reserving *r,
                    const struct arrival *arrival,
                    struct reservation *out,
                    struct err *err) MUST_CHECK;

/* What is there already of this very delivery; RC_NOT_FOUND: nothing. */
enum rc delivery_recorded(struct db *db,
                          const struct arrival *arrival,
                          struct reservation *out,
                          struct err *err) MUST_CHECK;

struct delivery_row {
    const char *key;
    enum delivery_class class;
    bool won;
    const char *move_to;
};
enum rc delivery_add(struct writing *w,
                     const struct arrival *arrival,
                     const struct delivery_row *row,
                     int64_t *id,
                     struct err *err) MUST_CHECK;

/* The row of a new item; a lease with it unless it is complete as it comes. `won` false: the key is
 * taken, and nothing was written. */
struct item_row {
    const struct arrival *arrival;
    const struct verdict *verdict;
    const struct gathered *known;
    const char *first_key; /* of a conflict; NULL */
    int64_t lease_ms;
};
enum rc item_add(struct writing *w, const struct item_row *row, bool *won, struct err *err)
    MUST_CHECK;
