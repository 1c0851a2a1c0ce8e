/* SPDX-License-Identifier: Apache-2.0
 *
 * load - an item with all that is needed to work on it.
 *
 * Copies that were filed, and their moves, are left out: there may be thousands of them; so are copies in
 * other mailboxes, which are filed there.
 */
#pragma once

#include "db.h"

#include <onecase/ledger.h>

/* RC_NOT_FOUND: no such item. `out` is set on success only; work_item_clear. */
enum rc item_load(struct db *db, const char *key, struct work_item *out, struct err *err)
    MUST_CHECK;

/* Of another mailbox's item only that move and the copy which it files; without a lease. */
enum rc
item_load_copy(struct db *db, const char *key, int64_t move, struct work_item *out, struct err *err)
    MUST_CHECK;
