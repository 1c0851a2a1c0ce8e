/* SPDX-License-Identifier: Apache-2.0
 *
 * claim - a run takes the items of a mailbox that are due.
 *
 * Its own first, as it reserved or kept them: their fence stays. Then those that nobody holds, or
 * that somebody held who is dead, gone or too late: their fence rises, so a late write of that one
 * fails. Both are given their share of `limit`, each oldest first by the time it was due. A run
 * claims when it has nothing in flight, so whatever is `attempting` then, its own too, is `unknown`.
 */
#pragma once

#include "chain.h"

#include <onecase/ledger.h>

struct claiming {
    const char *run, *mailbox;
    struct instant now;
    int64_t lease_ms;
    size_t limit;
    int64_t lease_now_ms; /* when it began to look, by the clock of leases */
};

/* What was taken. */
struct taken {
    struct work_item *item;
    size_t count;
    size_t elsewhere; /* the last of them: copies of items that are another mailbox's */
};

enum rc items_claim(struct store *store,
                    const struct claiming *c,
                    struct work_item **out,
                    size_t *count,
                    struct err *err) MUST_CHECK;

/* A run that claims, or stands by, has nothing under way: whatever became of its tries, no connection of its
 * own can still carry one. Without this a person could not say not-sent while that run lives. */
enum rc end_own_doubts(struct store *store, const char *run, struct err *err) MUST_CHECK;

/* Is everything of this mailbox paused? Then nothing is claimed. */
enum rc mailbox_paused(struct db *db, const char *mailbox, bool *out, struct err *err) MUST_CHECK;
