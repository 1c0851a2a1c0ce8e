/* SPDX-License-Identifier: Apache-2.0
 *
 * story - what happened in a schedule, in plain numbered sentences. Off unless asked for: a
 * schedule that failed is run once more from its seed, and told.
 */
#pragma once

#include <onecase/scope.h>
#include <stdbool.h>

struct world;

struct story {
    bool on;
    bool calls; /* every port call, too */
    unsigned lines;
};

void tell(struct world *world, const char *format, ...) PRINTF(2, 3);

/* Records that an invariant broke; the first one stands. */
void broke(struct world *world, const char *invariant, const char *format, ...) PRINTF(3, 4);
