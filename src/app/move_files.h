/* SPDX-License-Identifier: Apache-2.0
 *
 * move_files - what the ledger counts on is copied from one place of `blobs` to another.
 *
 * Each file is copied, read back and compared by its SHA-256; one that is there is compared alone, so that
 * a copying that was killed goes on. Nothing is removed at either place. The service may go on meanwhile:
 * what it keeps then is copied by the next call.
 */
#pragma once

#include "wire.h"

/* RC_USAGE: no such place, or nothing to copy from. RC_BROKEN: its store is not configured. RC_CONFLICT: other octets stand there. */
enum rc move_files(const struct config *config,
                   struct wired_data *data,
                   const struct files_move *request,
                   struct files_moved *out,
                   struct err *err) MUST_CHECK;
