/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline.h"

#include "world.h"

#include <onecase/str.h>
#include <onecase/when.h>

#include <stdlib.h>

#define BEGINNING_MS INT64_C(1772438400000) /* 2026-03-02T08:00:00Z */

void timeline_begin(struct world *world)
{
    static const char *const hosts[MACHINES] = {"alpha", "beta"};

    for (size_t i = 0; i < MACHINES; i++) {
        struct machine *machine = &world->machine[i];

        machine->host = hosts[i];
        machine->boot_ahead_ms = rng_between(&world->rng, SECONDS(60), DAYS(40));
        machine->wall_ahead_ms = BEGINNING_MS;
    }
}

void timeline_end(struct world *world)
{
    free(world->timeline.timer);
    for (size_t i = 0; i < MACHINES; i++)
        disk_end(&world->machine[i].disk);
}

void timeline_after(struct world *world,
                    int64_t delay_ms,
                    void (*fire)(struct world *world, void *arg),
                    void *arg)
{
    struct timeline *t = &world->timeline;

    if (t->count == t->room) {
        t->room = t->room == 0 ? 16 : 2 * t->room;
        t->timer = mem_grow(t->timer, t->room, sizeof *t->timer);
    }
    t->timer[t->count++] = (struct timer){t->now_ms + delay_ms, t->made++, fire, arg};
}

/* The timer that fires first; NULL where there is none. */
static struct timer *first_timer(const struct timeline *t)
{
    struct timer *first = NULL;

    for (size_t i = 0; i < t->count; i++) {
        struct timer *timer = &t->timer[i];

        if (first == NULL || timer->at_ms < first->at_ms ||
            (timer->at_ms == first->at_ms && timer->order < first->order))
            first = timer;
    }
    return first;
}

void timeline_pass_to(struct world *world, int64_t at_ms)
{
    struct timeline *t = &world->timeline;

    for (;;) {
        struct timer *first = first_timer(t);

        if (first == NULL || first->at_ms > at_ms)
            break;
        struct timer due = *first;

        *first = t->timer[--t->count];
        if (due.at_ms > t->now_ms)
            t->now_ms = due.at_ms;
        due.fire(world, due.arg);
    }
    if (at_ms > t->now_ms)
        t->now_ms = at_ms;
}

void timeline_pass(struct world *world, int64_t ms)
{
    timeline_pass_to(world, world->timeline.now_ms + ms);
}

bool timeline_next(const struct world *world, int64_t *out_ms)
{
    const struct timer *first = first_timer(&world->timeline);

    if (first == NULL)
        return false;
    *out_ms = first->at_ms;
    return true;
}

struct instant machine_now(const struct world *world, const struct machine *machine)
{
    return (struct instant){.wall_ms = world->timeline.now_ms + machine->wall_ahead_ms,
                            .boot_ms = world->timeline.now_ms + machine->boot_ahead_ms};
}

int64_t world_wall_ms(const struct world *world)
{
    return world->timeline.now_ms + BEGINNING_MS;
}
