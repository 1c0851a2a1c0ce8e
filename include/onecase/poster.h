/* SPDX-License-Identifier: Apache-2.0
 *
 * poster (port) - takes one post to the receiver of one webhook.
 *
 * A post may be taken more than once, under the same id: a receiver that knows the id has had it.
 */
#pragma once

#include <onecase/ledger.h>

struct posted {
    int code;               /* HTTP status; 0: none came */
    int64_t retry_after_ms; /* 0: it was not said */
};

struct poster {
    void *self;
    /* RC_OK: taken. RC_DEFERRED, RC_UNKNOWN: not taken, or perhaps: again, later. RC_REFUSED: this post
     * will never be taken as it is. Texts hold no address and no secret. */
    enum rc (*post)(void *self,
                    const struct webhook_post *post,
                    struct instant now,
                    struct posted *out,
                    struct err *err);
};
