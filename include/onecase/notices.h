/* SPDX-License-Identifier: Apache-2.0
 *
 * notices - who is told of what, and when: the troubles of now against what was told before.
 *
 * What is new is told once it has lasted a little, what is critical at once; what goes on is told again
 * each `notify.remind`, and what is over when it is. Between two notices lies `notify.digest` unless
 * something critical is new, and never more leave than `notify.rate`; what waits is told with the next.
 * What was told stands in the ledger after it was taken: a restart may repeat one notice, and no more.
 */
#pragma once

#include <onecase/notifier.h>
#include <onecase/troubles.h>

/* One turn over every channel. A channel that fails keeps no other from its turn; its failure stands in
 * the ledger, for `check` and metrics. RC_DEFERRED, RC_BROKEN of the ledger. */
enum rc notices_turn(const struct operations *ops,
                     const struct notifier *notifier,
                     size_t notifiers,
                     int64_t now_ms,
                     struct err *err) MUST_CHECK;
/* The duplicate report of the last month, once a month, to the owner where that is an address, else to
 * `notify.to`; a month without an arrival has none. As notices_turn. */
enum rc notices_monthly(const struct operations *ops,
                        const struct notifier *mail,
                        int64_t now_ms,
                        struct err *err) MUST_CHECK;
/* Does the configuration tell anybody by this channel ("mail", "webhook")? */
bool notices_use(const struct config *config, const char *channel);
/* What a try of a notice came to. */
enum outcome notices_outcome(enum rc rc);
