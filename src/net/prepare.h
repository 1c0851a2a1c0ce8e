/* SPDX-License-Identifier: Apache-2.0
 *
 * prepare - user names and passwords as SCRAM hashes them: SASLprep (RFC 4013).
 *
 * The same word may be written in several ways (é as one character or as two, a blank that does not
 * break); what is hashed must be one of them on both sides. ASCII stays as it is.
 */
#pragma once

#include <onecase/str.h>

/* Adds the prepared text. False: it is no UTF-8, or holds what may not stand there (control characters,
 * characters that Unicode 3.2 does not know); then `out` has nothing of it. */
bool prepare_add(struct slice text, struct str *out) MUST_CHECK;
