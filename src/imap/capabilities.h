/* SPDX-License-Identifier: Apache-2.0
 *
 * capabilities - which of the table's a server has.
 */
#pragma once

#include <onecase/capability.h>
#include <onecase/str.h>

/* That of a word of a CAPABILITY line; 0 where we use none of that name. */
unsigned capability_of(struct slice name);

/* A line for each row: what it is, whether it is there, what is used. */
void capabilities_describe(unsigned have, struct str *out);
