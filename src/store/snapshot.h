/* SPDX-License-Identifier: Apache-2.0
 *
 * snapshot - a ledger as it was before this program changed its schema: the way back to the program before.
 *
 * It stands beside the ledger, as ledger.db.schema-N.TIME, where N is the schema that it has. Of a ledger
 * on a server, or in memory, none is taken.
 */
#pragma once

#include "db.h"

/* Copies the ledger and checks the copy; the newest `options->snapshots` stay. The caller has the write
 * lock, so the copy is of the last moment before. `path`: where it stands; empty where none was taken.
 * RC_BROKEN, and nothing was changed, where the disk has no room for it and for what is to be changed. */
enum rc snapshot_take(struct db *db,
                      size_t schema,
                      const struct store_options *options,
                      struct str *path,
                      struct err *err) MUST_CHECK;
