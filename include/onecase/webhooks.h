/* SPDX-License-Identifier: Apache-2.0
 *
 * webhooks - telling one receiver what the event chain says, in order for each mail, at least once.
 *
 * A receiver that fails is left alone with growing pauses, all of it: what waits goes out in order once
 * it answers. A post that fails while others pass is tried again by itself. Whatever is not taken within
 * `give_up_after_ms` of its first try, or is refused for good, is a dead letter: a person may have it
 * tried again. Nothing of this holds up a mail.
 */
#pragma once

#include <onecase/poster.h>

struct webhook_ports {
    const struct ledger *ledger;
    const struct poster *poster;
    const struct clock *clock;
};

struct webhook_settings {
    struct webhook_wish wish;
    const char *by;  /* this program, of all that share the ledger */
    int64_t hold_ms; /* longer than a post takes: then another may tell it */
    struct backoff pause;
    int64_t give_up_after_ms;
};

struct webhook_turn {
    bool moved;      /* something was done: the next turn may find more */
    int64_t wake_ms; /* when the next post is due; NOT_DUE: none waits */
    enum rc rc;      /* of the post that was tried; RC_NOT_FOUND: none was */
    char why[160];   /* where it failed */
};

/* Makes posts of what is new, and tries one. RC_DEFERRED, RC_BROKEN of the ledger. */
enum rc webhook_turn(const struct webhook_ports *port,
                     const struct webhook_settings *set,
                     struct webhook_turn *out,
                     struct err *err) MUST_CHECK;
