/* SPDX-License-Identifier: Apache-2.0
 *
 * gate - stands before and after every port call of a run.
 *
 * At a gate the scheduler may let other runs, people, the clock or a fault act first, kill the run,
 * or decide what the call answers. From the moment a run is dead its calls do nothing to the world
 * and answer RC_BROKEN, so that the program unwinds and gives its memory back.
 */
#pragma once

#include "calls.h"
#include "run.h"

/* Before the call. ANSWER_DEAD: the run is dead. */
enum answer gate_open(struct run *run, enum call call);
/* After it: `rc`, or RC_BROKEN where the run died meanwhile. */
enum rc gate_close(struct run *run, enum call call, enum rc rc, struct err *err);

/* A call that either works whole, or fails with nothing done, or was done with its answer lost. */
#define THROUGH_GATE(run, call, err, act)                                                          \
    do {                                                                                           \
        enum answer answer_ = gate_open((run), (call));                                            \
        if (answer_ != ANSWER_TRUE && answer_ != ANSWER_HAD)                                       \
            return answer_fail((call), answer_, (err));                                            \
        enum rc rc_ = (act);                                                                       \
        if (answer_ == ANSWER_HAD && rc_ == RC_OK)                                                 \
            rc_ = answer_fail((call), answer_, (err));                                             \
        return gate_close((run), (call), rc_, (err));                                              \
    } while (0)
