/* SPDX-License-Identifier: Apache-2.0
 *
 * api - what the files of the interface for scripts share.
 */
#pragma once

#include "console_p.h"

/* A parameter of the address; NULL: it is not given. */
const char *given(const struct visit *v, const char *name);
/* How many rows are asked for; false: it is no number of them, and that was said. */
bool asked_limit(struct visit *v, size_t *out);
