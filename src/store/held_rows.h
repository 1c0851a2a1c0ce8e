/* SPDX-License-Identifier: Apache-2.0
 *
 * held_rows - a held item as the arrival it once was, and what fills its row once it can be read.
 */
#pragma once

#include "decide.h"

struct held {
    struct arrival arrival; /* borrows from the rest, and from the request's policy and message */
    int64_t delivery;       /* that won it */
    enum delivery_class class;
    bool unread; /* nothing could be read of it when it arrived */
    char mailbox[NAME_SIZE], key[KEY_SIZE], first_key[KEY_SIZE], folder[256];
    struct str message_id;
};

enum rc held_load(struct deciding *d, struct held *out, struct err *err) MUST_CHECK;
void held_clear(struct held *h); /* for CLEANUP */
/* Writes what the message says into the row of an item that arrived unread. */
enum rc held_fill(struct deciding *d, const struct held *h, struct err *err) MUST_CHECK;
/* The case that the first mail under its key belongs to; RC_CONFLICT where it has none. */
enum rc
held_first_case(struct deciding *d, const struct held *h, struct known_case *out, struct err *err)
    MUST_CHECK;
