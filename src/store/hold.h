/* SPDX-License-Identifier: Apache-2.0
 *
 * hold - new mail that is kept aside in a folder while its mailbox is paused.
 */
#pragma once

#include "store_p.h"

enum rc operators_hold(void *self,
                       const char *mailbox,
                       const char *folder,
                       const char *by,
                       const char *why,
                       struct instant now,
                       struct err *err) MUST_CHECK;
enum rc operators_held(void *self,
                       const char *mailbox,
                       const char *folder,
                       bool since_pause,
                       struct held_message **out,
                       size_t *count,
                       struct err *err) MUST_CHECK;
enum rc operators_hold_moved(void *self,
                             const struct held_message *message,
                             const char *folder,
                             bool back,
                             struct instant now,
                             struct err *err) MUST_CHECK;
enum rc operators_hold_over(void *self, const char *mailbox, struct instant now, struct err *err)
    MUST_CHECK;
