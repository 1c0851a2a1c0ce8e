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

/* The capabilities among the words of a CAPABILITY line. */
unsigned capability_of(const char *name);

/* A line for each row: what it is, whether it is there, what is used. */
void capabilities_describe(unsigned have, struct str *out);
