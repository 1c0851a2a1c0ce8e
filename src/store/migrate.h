/* SPDX-License-Identifier: Apache-2.0
 *
 * migrate - brings a ledger's schema to this program's, or says why it cannot be used.
 *
 * All that are missing are one transaction, which also writes the SHA-256 of each into meta as schema_N,
 * after a snapshot (snapshot.h). Only the first opens a new ledger: with it come the ledger's id, its secret and generation 1.
 *
 * Beside them stands, as oldest_schema (of the schema oldest_schema_of), the schema of the oldest program that works
 * with all of them: one that is older than the ledger, and no older than that, uses it as it is. Whoever has it open while it is changed meets
 * oldest_schema at the next transaction that writes (db_keep_to).
 */
#pragma once

#include "db.h"

/* `upgrade`: what was done to one that had a schema already, and whether it is newer. */
enum rc migrate(struct db *db,
                const struct store_options *options,
                struct store_upgrade *upgrade,
                struct err *err) MUST_CHECK;
/* Makes an empty database a new ledger by copying one that has no events. */
enum rc
migrate_like(struct db *db, struct db *like, const struct store_options *options, struct err *err)
    MUST_CHECK;
