/* SPDX-License-Identifier: Apache-2.0
 *
 * retain - lets contents of mails go: in the ledger first, an item a transaction, then their files.
 *
 * A file leaves only after the ledger counts on it no more; what a run that died has left is removed
 * by the next. RC_DEFERRED: a backup or restore is under way.
 */
#pragma once

#include "wire.h"

enum rc retain_let_go(const struct config *config,
                      const struct wired_data *data,
                      const struct letting_go *what,
                      size_t count,
                      struct let_gone *out,
                      struct err *err) MUST_CHECK;
