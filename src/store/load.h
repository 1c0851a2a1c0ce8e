/* SPDX-License-Identifier: Apache-2.0
 *
 * load - an item with all that is needed to work on it.
 *
 * Copies that were filed, and their moves, are left out: there may be thousands of them.
 */
#pragma once

#include "db.h"

#include <onecase/ledger.h>

/* RC_NOT_FOUND: no such item. `out` is set on success only; work_item_clear. */
enum rc item_load(struct db *db, const char *key, struct work_item *out, struct err *err)
    MUST_CHECK;
