/* SPDX-License-Identifier: Apache-2.0
 *
 * elsewhere - copies that this mailbox files, of items that are another mailbox's (merge_across).
 *
 * No lease is taken: the other mailbox goes on with its item meanwhile, and neither waits for the other.
 * What stands in for it is the state of the move itself. Only who armed it ends it; an armed one whose
 * run is gone, or has renewed nothing for the length of a lease, is unknown and looked for, and a move
 * that happens a second time finds nothing to move.
 */
#pragma once

#include "claim.h"

/* Adds to `out` those that are due. */
enum rc
elsewhere_claim(struct store *store, const struct claiming *c, struct taken *out, struct err *err)
    MUST_CHECK;

/* When to look again, if that is before `due` (NOT_DUE: never). */
enum rc elsewhere_due(struct store *store,
                      const char *mailbox,
                      struct instant now,
                      int64_t *due,
                      struct err *err) MUST_CHECK;

/* May this run step this effect without a lease? RC_USAGE: it is no such move. RC_CONFLICT: it is
 * another run's by now, or its item is not complete. */
enum rc elsewhere_guard(struct writing *w, const struct effect_change *change, struct err *err)
    MUST_CHECK;
