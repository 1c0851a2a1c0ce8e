/* SPDX-License-Identifier: Apache-2.0
 *
 * capabilities - what a server may have, and what is used when: the one table of it.
 */
#pragma once

#include <onecase/str.h>

enum capability {
    CAN_MOVE = 1 << 0,
    CAN_UIDPLUS = 1 << 1,
    CAN_IDLE = 1 << 2,
    CAN_NAMESPACE = 1 << 3,
};

/* That of a word of a CAPABILITY line; 0 where we use none of that name. */
unsigned capability_of(struct slice name);

/* A line for each row: what it is, whether it is there, what is used. */
void capabilities_describe(unsigned have, struct str *out);
