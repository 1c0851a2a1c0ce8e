/* SPDX-License-Identifier: Apache-2.0
 *
 * magic - the type that the first octets of a file show, for rules that refuse types.
 */
#pragma once

#include <onecase/str.h>

#define MAGIC_OCTETS 64 /* more of a file is not looked at */

/* Empty where they show none. Static text. */
struct slice magic_type(struct slice start);
