/* SPDX-License-Identifier: Apache-2.0
 *
 * timeline - simulated time: one line on which everything happens, and the clocks that show it.
 *
 * now_ms only grows. A machine's boot clock is now_ms ahead by its own amount, its wall clock by
 * another that may jump. Timers fire in order of their time, then of their making.
 */
#pragma once

#include "disk.h"

#include <onecase/clock.h>
#include <stdbool.h>
#include <stddef.h>

struct world;

struct timer {
    int64_t at_ms;
    uint64_t order;
    void (*fire)(struct world *world, void *arg);
    void *arg; /* lives as long as the world */
};

struct timeline {
    int64_t now_ms;
    struct timer *timer;
    size_t count, room;
    uint64_t made;
};

struct machine {
    const char *host;
    int64_t boot_ahead_ms;
    int64_t wall_ahead_ms;
    unsigned boots; /* counts power losses; part of its boot id */
    /* of several that share a ledger on a server */
    struct disk disk;       /* its own, where what is kept is in an object store */
    int64_t still_until_ms; /* nothing of it goes on until then */
    int64_t cut_until_ms;   /* it does not reach the ledger's server until then, */
    bool dark;              /* nor anything else but its SMTP server */
    unsigned long cut_at;   /* the port call at which it was cut off */
};

void timeline_begin(struct world *world);
void timeline_end(struct world *world);
void timeline_after(struct world *world,
                    int64_t delay_ms,
                    void (*fire)(struct world *world, void *arg),
                    void *arg);
/* Lets time pass; timers that become due fire. */
void timeline_pass(struct world *world, int64_t ms);
void timeline_pass_to(struct world *world, int64_t at_ms);
/* When the next timer fires; false where there is none. */
bool timeline_next(const struct world *world, int64_t *out_ms);

struct instant machine_now(const struct world *world, const struct machine *machine);
/* The wall clock of the world outside: mail servers and people. It does not jump. */
int64_t world_wall_ms(const struct world *world);
