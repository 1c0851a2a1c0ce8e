/* SPDX-License-Identifier: Apache-2.0
 *
 * notifier - the process that tells people what is the matter; it holds up nothing else.
 */
#pragma once

#include <onecase/config.h>

/* Is anybody to be told at all? */
bool notifier_wanted(const struct config *config);
/* Turns until the process is ended, or one turn alone. RC_DEFERRED, RC_BROKEN of the ledger. */
enum rc notifier_run(const struct config *config, bool once, struct err *err) MUST_CHECK;
