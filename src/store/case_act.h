/* SPDX-License-Identifier: Apache-2.0
 *
 * case_act - what a person does with a case: closing, opening again, merging, telling suspects apart.
 */
#pragma once

#include "store_p.h"

struct acting {
    struct writing *w;
    const struct case_request *request;
    struct case_result *out;
    /* the case, as it was found */
    char key[KEY_SIZE], mailbox[NAME_SIZE], state[16], merged_into[KEY_SIZE];
};

enum rc operators_case_act(void *self,
                           const struct case_request *request,
                           struct instant now,
                           struct case_result *out,
                           struct err *err) MUST_CHECK;
/* Changes the state of a case, with its line in the chain. */
enum rc case_state(struct acting *a,
                   const char *key,
                   const char *what,
                   const char *from,
                   const char *to,
                   struct err *err) MUST_CHECK;
/* Plans the letter that tells of the closing, once in its life. */
enum rc case_tell(struct acting *a, struct err *err) MUST_CHECK;
/* Plans its closing, or its taking away, at its destination; nothing where it never was there. */
enum rc case_there(struct acting *a, const char *what, struct err *err) MUST_CHECK;
/* What has been planned for a case is done by its first item, which may be complete. */
enum rc case_work_on(struct acting *a, struct err *err) MUST_CHECK;
/* What is not sent of it yet is not sent any more. */
enum rc case_untell(struct acting *a, struct err *err) MUST_CHECK;
