/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule - one whole life of a world: mail comes, the program runs, things go wrong, then no
 * longer; the program runs on until nothing moves; people answer what they were asked; the oracle
 * judges after each.
 */
#pragma once

#include "faults.h"
#include "scenario.h"
#include "story.h"
#include "world.h"

struct schedule {
    uint64_t seed;
    const struct scenario *scenario; /* NULL: drawn from the seed */
    struct plan_of_faults *faults;   /* NULL: by chance, as the scenario says */
    bool story, calls;
};

struct schedule_result {
    struct verdict_of_world verdict;
    unsigned long calls;  /* of all runs */
    unsigned first_calls; /* of the first run */
    unsigned
        busy_calls[2]; /* of the first two, until everything had come to rest for the first time */
    unsigned char first_log[CALL_LOG]; /* the calls of the first, as enum call */
    unsigned runs;
    struct str summary; /* the end state as text, for comparing; owned */
};

/* The deployments are borrowed; they outlive schedules. */
void schedule_play(struct deployment *deployment[DEPLOYMENTS_MAX],
                   const struct schedule *schedule,
                   struct schedule_result *out);
void schedule_result_clear(struct schedule_result *result);
