/* SPDX-License-Identifier: Apache-2.0
 *
 * told - how many senders of a mailbox were to be told, by the minute in which their mail arrived.
 *
 * Counted as it happens, so that the total limit costs the same however much mail there is.
 */
#pragma once

#include "chain.h"

enum rc told_add(struct writing *w, const char *mailbox, int64_t internal_ms, struct err *err)
    MUST_CHECK;

/* In the window that ends with the minute of `until_ms`. */
enum rc told_within(struct db *db,
                    const char *mailbox,
                    int64_t until_ms,
                    int64_t window_ms,
                    unsigned *out,
                    struct err *err) MUST_CHECK;
