/* SPDX-License-Identifier: Apache-2.0
 *
 * wake - waits that a signal ends also where it arrives just before them.
 *
 * A handler writes into a pipe, and the waits look at its other end: a flag alone, set between the last
 * look at it and the wait, would be seen only when the wait is over.
 */
#pragma once

#include <stdint.h>

/* This process's own pipe; after a fork the child opens another. Without one, waits are only waits. */
void wake_open(void);
int wake_fd(
    void); /* readable from the first wake_up on, and while that of wake_also is; -1 is none */
void wake_up(void); /* for signal handlers */
/* While we wait, `fd` wakes us, too, when it can be read; -1: no longer. Reading it is the caller's. */
void wake_also(int fd);
/* Until so many milliseconds have passed or somebody woke us; what did is forgotten then. */
void wake_rest(int64_t ms);
