/* SPDX-License-Identifier: Apache-2.0 */
#include "gate.h"

#include "faults.h"
#include "reached.h"
#include "world.h"

#include <stdio.h>
#include <stdlib.h>

/* A program that does not end although every port is broken would run for ever. */
#define CALLS_AFTER_DEATH 2000

static void after_death(struct run *run)
{
    if (++run->calls_after_death < CALLS_AFTER_DEATH)
        return;
    fprintf(stderr, "sim: seed %016llx: run %u goes on calling broken ports for ever\n",
            (unsigned long long)run->world->seed, run->number);
    abort();
}

enum answer gate_open(struct run *run, enum call call)
{
    struct world *world = run->world;

    if (!run_lives(run)) {
        after_death(run);
        return ANSWER_DEAD;
    }
    if (run->calls < CALL_LOG)
        run->call_log[run->calls] = (unsigned char)call;
    run->calls++;
    world->calls++;
    reached_call(call);
    if (world->story.calls)
        tell(world, "   run %u, call %u: %s", run->number, run->calls, call_rows[call].what);
    timeline_pass(world, 1 + (int64_t)rng_below(&world->rng, call_rows[call].ms));
    faults_before(run, call);
    if (!run_lives(run))
        return ANSWER_DEAD;
    return faults_answer(run, call);
}

enum rc gate_close(struct run *run, enum call call, enum rc rc, struct err *err)
{
    if (run_lives(run))
        faults_after(run, call);
    if (!run_lives(run))
        return answer_fail(call, ANSWER_DEAD, err);
    return rc;
}
