/* SPDX-License-Identifier: Apache-2.0
 *
 * clock (port) - the only way to learn the time.
 *
 * Wall time may jump (L07); boot time (CLOCK_BOOTTIME) only grows, also while the machine sleeps.
 * Deadlines and leases are boot time; dates that people see are wall time.
 */
#pragma once

#include <stdint.h>

struct instant {
    int64_t wall_ms; /* since 1970-01-01T00:00:00Z */
    int64_t boot_ms; /* since the machine started */
};

struct clock {
    void *self;
    struct instant (*now)(void *self); /* never fails */
};

static inline struct instant clock_now(const struct clock *clock)
{
    return clock->now(clock->self);
}
