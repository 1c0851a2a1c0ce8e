/* SPDX-License-Identifier: Apache-2.0
 *
 * move_ledger - the ledger goes from SQLite to PostgreSQL, or back (store_move).
 */
#pragma once

#include "wire.h"

/* Without `to` what was begun is given up; RC_NOT_FOUND: nothing was. RC_USAGE: no such place. RC_DEFERRED: a
 * server is not there, or from PostgreSQL a run is alive: call it again. */
enum rc move_ledger(const struct config *config,
                    struct wired_data *data,
                    const struct ledger_move *request,
                    struct ledger_moved *out,
                    struct err *err) MUST_CHECK;
