/* SPDX-License-Identifier: Apache-2.0
 *
 * sender_rule - what a person said of all later mail of a sender.
 */
#pragma once

#include "store_p.h"

enum rc
intake_told_apart(void *self, const char *mailbox, struct slice sender, bool *out, struct err *err)
    MUST_CHECK;
enum rc operators_rule_make(void *self,
                            const char *key,
                            const char *by,
                            const char *why,
                            struct instant now,
                            struct err *err) MUST_CHECK;
enum rc operators_rule_end(
    void *self, int64_t id, const char *by, const char *why, struct instant now, struct err *err)
    MUST_CHECK;
