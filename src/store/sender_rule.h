/* SPDX-License-Identifier: Apache-2.0
 *
 * sender_rule - what a person said of all later mail of a sender.
 */
#pragma once

#include "store_p.h"

enum rc
intake_told_apart(void *self, const char *mailbox, struct slice sender, bool *out, struct err *err)
    MUST_CHECK;
/* Makes the rule about an item's sender, within the transaction of the decision that it was said with;
 * that there is one already is as good. RC_USAGE: the item has no sender. */
enum rc sender_rule_make(struct writing *w,
                         const char *key,
                         const char *by,
                         const char *why,
                         struct err *err) MUST_CHECK;
enum rc operators_rule_end(
    void *self, int64_t id, const char *by, const char *why, struct instant now, struct err *err)
    MUST_CHECK;
