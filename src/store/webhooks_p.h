/* SPDX-License-Identifier: Apache-2.0
 *
 * webhooks_p - what the files about posts to webhooks share.
 *
 * Making posts, and writing down what became of one, adds no line to the chain: either is harmless to
 * repeat, since a post is known by its id and tried at least once.
 */
#pragma once

#include "store_p.h"

enum rc webhooks_derive(void *self,
                        const struct webhook_wish *wish,
                        struct instant now,
                        bool *more,
                        struct err *err) MUST_CHECK;
enum rc webhooks_next(void *self,
                      const struct webhook_hold *hold,
                      struct instant now,
                      struct webhook_post *out,
                      int64_t *wake_ms,
                      struct err *err) MUST_CHECK;
/* An item's posts that were taken; those that wait, or are dead letters, stay. */
enum rc webhooks_let_go(struct db *db, const char *key, struct err *err) MUST_CHECK;
enum rc webhooks_replay(void *self,
                        const struct webhook_replay *request,
                        struct instant now,
                        int64_t *count,
                        struct err *err) MUST_CHECK;
