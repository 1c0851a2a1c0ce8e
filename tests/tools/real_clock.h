/* SPDX-License-Identifier: Apache-2.0
 *
 * real_clock - the machine's clock, for test programs around real servers.
 */
#pragma once

#include <onecase/clock.h>

#include <time.h>

static inline int64_t real_ms(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static inline struct instant real_now(void *self)
{
    (void)self;
    return (struct instant){.wall_ms = real_ms(CLOCK_REALTIME), .boot_ms = real_ms(CLOCK_BOOTTIME)};
}

static inline struct clock real_clock(void)
{
    return (struct clock){.self = NULL, .now = real_now};
}
