/* SPDX-License-Identifier: Apache-2.0
 *
 * flood - one sender who sends more than the limit, and what a person said about it.
 *
 * A flood goes on while mail of its sender comes within the limit's window of the last one; what was
 * said about it holds until then. The sender is known by a digest.
 */
#pragma once

#include "db.h"

#include <onecase/decision.h>
#include <onecase/ledger.h>

struct writing;

/* `sender` is plain (address_canonical). */
enum rc flood_read(struct db *db,
                   const struct arrival *arrival,
                   struct slice sender,
                   int64_t window_ms,
                   enum flood *out,
                   struct err *err) MUST_CHECK;
/* One more mail of it. */
enum rc flood_note(struct writing *w,
                   const struct arrival *arrival,
                   struct slice sender,
                   int64_t window_ms,
                   struct err *err) MUST_CHECK;
/* What a person says about the flood that the item `key` is of; anything but the two decisions about
 * floods takes back what was said. */
enum rc flood_say(struct writing *w, const char *key, enum decision decision, struct err *err)
    MUST_CHECK;
