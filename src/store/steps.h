/* SPDX-License-Identifier: Apache-2.0
 *
 * steps - the one place that changes the state of an effect, an attempt or an item in SQL.
 *
 * Each is a compare-and-set on the state it comes from (exactly one row, or RC_CONFLICT with the
 * state it is in), goes where the tables of core say, and adds one line to the event chain; an
 * effect's line speaks for its attempt too. They do not look at leases: where a fence guards a
 * change, the caller checks it first, in the same transaction.
 *
 * What becomes of attempts:
 *     ON_ARM                      a new one, armed
 *     from attempting             the armed one ends with `outcome`; OUTCOME_NONE: it is lost
 *     ON_LOSE from elsewhere      a new one, armed now and lost: the ledger went back in time
 *     with an outcome otherwise   a new one, ended without having been armed
 *     anything else               none
 */
#pragma once

#include "chain.h"

#include <onecase/ledger.h>

/* `key` (may be NULL) must be the effect's item. */
enum rc
step_effect(struct writing *w, const char *key, const struct effect_change *change, struct err *err)
    MUST_CHECK;

/* Of an effect that is unknown already, and has had `attempts` tries: one more, armed now and lost,
 * because the ledger went back in time. No state changes. */
enum rc attempt_doubt(struct writing *w, int64_t effect, int64_t attempts, struct err *err)
    MUST_CHECK;

/* With `keep` no state and no line: only the due time and the lease. `reason` replaces the one that
 * is there. */
enum rc
step_item(struct writing *w, const char *key, const struct item_change *change, struct err *err)
    MUST_CHECK;

/* Adds erasable text about `about` ("item", "effect 12", "attempt 7", "approval 3"). */
enum rc
note_add(struct writing *w, const char *key, const char *about, const char *text, struct err *err)
    MUST_CHECK;
