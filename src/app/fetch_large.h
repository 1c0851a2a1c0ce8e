/* SPDX-License-Identifier: Apache-2.0
 *
 * fetch_large - the whole of one message that was held because it is larger than the limit.
 */
#pragma once

#include "wire.h"

/* Fetches it, keeps it as its item's original and tells the ledger. RC_USAGE: it is larger than
 * `max_size`, too, or was not held for its size; RC_NOT_FOUND: it is no longer in the mailbox. */
enum rc fetch_large(const struct config *config,
                    struct wired_data *data,
                    const char *key,
                    int64_t max_size,
                    struct err *err) MUST_CHECK;
