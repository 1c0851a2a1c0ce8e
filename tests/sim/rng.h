/* SPDX-License-Identifier: Apache-2.0
 *
 * rng - one 64-bit seed gives one schedule: every choice of the simulator is drawn from here, in
 * order, and from nothing else (splitmix64).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rng {
    uint64_t state;
};

static inline uint64_t rng_next(struct rng *r)
{
    uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* 0 to n - 1; n is at least 1. */
static inline uint32_t rng_below(struct rng *r, uint32_t n)
{
    return (uint32_t)((rng_next(r) >> 32) % n);
}

static inline int64_t rng_between(struct rng *r, int64_t least, int64_t most)
{
    return least + (int64_t)(rng_next(r) % (uint64_t)(most - least + 1));
}

static inline bool rng_one_in(struct rng *r, uint32_t n)
{
    return rng_below(r, n) == 0;
}
