/* SPDX-License-Identifier: Apache-2.0 */
#include "schedule.h"

#include "coroutine.h"
#include "deployment.h"
#include "oracle.h"
#include "people.h"
#include "reached.h"

#include <onecase/when.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TROUBLED_CALLS 3000 /* of all runs; then faults stop in any case */
#define TROUBLED_MS    HOURS(3)
#define QUIET_TICKS    2   /* in which nothing moved */
#define TICKS_MOST     400 /* V9: after the last fault, for everything to come to rest */
#define ROUNDS         6   /* of questions and answers */

static void begin(struct world *world,
                  struct deployment *deployment[DEPLOYMENTS_MAX],
                  const struct schedule *schedule)
{
    *world =
        (struct world){.seed = schedule->seed, .rng = {schedule->seed}, .faults = schedule->faults};
    world->story.on = schedule->story;
    world->story.calls = schedule->calls;
    timeline_begin(world);
    if (schedule->scenario != NULL)
        world->scenario = *schedule->scenario;
    else
        scenario_draw(world);
    world->deployments = world->scenario.two_deployments ? 2 : 1;
    for (size_t i = 0; i < world->deployments; i++) {
        world->deployment[i] = deployment[i];
        deployment_begin(deployment[i], world);
    }
    imap_begin(world);
    scenario_begin(world);
}

static void end(struct world *world)
{
    for (size_t i = 0; i < world->runs; i++) {
        run_kill(world->run[i], " (the schedule is over)");
        while (!coroutine_ended(world->run[i]->co))
            coroutine_enter(world->run[i]->co);
        run_free(&world->run[i]);
    }
    imap_end(world);
    smtp_end(world);
    mails_end(world);
    timeline_end(world);
}

/* ---- keeping runs alive: the supervisor ------------------------------------------------------- */

static size_t living(const struct world *world, const struct deployment *d)
{
    size_t count = 0;

    for (size_t i = 0; i < world->runs; i++)
        count += world->run[i]->deployment == d && run_lives(world->run[i]);
    return count;
}

/* The first deployment has as many runs as the scenario says, another one. */
static size_t wanted(const struct world *world, size_t deployment)
{
    return deployment == 0 && !world->calm ? world->scenario.runs : 1;
}

static bool one_is_missing(const struct world *world)
{
    for (size_t i = 0; i < world->deployments; i++)
        if (living(world, world->deployment[i]) < wanted(world, i) && world->runs < RUNS_MAX)
            return true;
    return false;
}

static struct machine *machine_for(struct world *world)
{
    bool second = world->scenario.two_machines && rng_one_in(&world->rng, 2);

    if (world->scenario.server) /* each has one */
        second = world->runs % 2 == 1;
    return &world->machine[second ? 1 : 0];
}

static void start_one(struct world *world, struct deployment *deployment)
{
    struct machine *machine = machine_for(world);
    struct run *run = run_start(world, deployment, machine);

    if (machine->still_until_ms > world->timeline.now_ms)
        run_stall(run, machine->still_until_ms - world->timeline.now_ms);
}

static void start_missing(struct world *world)
{
    for (size_t i = 0; i < world->deployments; i++)
        while (living(world, world->deployment[i]) < wanted(world, i) && world->runs < RUNS_MAX)
            start_one(world, world->deployment[i]);
    world->restart_ms = 0;
}

/* Somebody died: the supervisor starts another after a while. */
static void supervise(struct world *world)
{
    if (world->restart_ms != 0 && world->restart_ms <= world->timeline.now_ms)
        start_missing(world);
    else if (world->restart_ms == 0 && one_is_missing(world))
        world->restart_ms =
            world->timeline.now_ms + rng_between(&world->rng, SECONDS(1), SECONDS(90));
}

/* ---- who goes on ----------------------------------------------------------------------------- */

static struct run *first_killed(struct world *world)
{
    for (size_t i = 0; i < world->runs; i++)
        if (world->run[i]->life == LIFE_KILLED)
            return world->run[i];
    return NULL;
}

static bool sleeps(const struct run *run)
{
    return run->life == LIFE_ASLEEP || run->life == LIFE_STALLED;
}

static struct run *any_ready(struct world *world)
{
    struct run *ready[RUNS_MAX];
    size_t count = 0;

    for (size_t i = 0; i < world->runs; i++) {
        struct run *run = world->run[i];

        if (sleeps(run) && run->wake_ms <= world->timeline.now_ms) {
            if (run->life == LIFE_STALLED)
                tell(world, "run %u goes on", run->number);
            run->life = LIFE_READY;
        }
        if (run->life == LIFE_READY)
            ready[count++] = run;
    }
    return count == 0 ? NULL : ready[count == 1 ? 0 : rng_below(&world->rng, (uint32_t)count)];
}

static void sooner(int64_t at_ms, bool *found, int64_t *out)
{
    if (!*found || at_ms < *out)
        *out = at_ms;
    *found = true;
}

static bool next_instant(const struct world *world, int64_t *out)
{
    bool found = timeline_next(world, out);

    for (size_t i = 0; i < world->runs; i++)
        if (sleeps(world->run[i]))
            sooner(world->run[i]->wake_ms, &found, out);
    if (world->restart_ms != 0)
        sooner(world->restart_ms, &found, out);
    return found;
}

static void enter(struct world *world, struct run *run)
{
    world->inside = run;
    coroutine_enter(run->co);
    world->inside = NULL;
}

/* One step of somebody, or of time. False: nothing will ever move again. */
static bool step(struct world *world)
{
    struct run *run = first_killed(world);
    int64_t at_ms;

    supervise(world);
    if (run == NULL)
        run = any_ready(world);
    if (run != NULL) {
        enter(world, run);
        return true;
    }
    if (!next_instant(world, &at_ms))
        return false;
    timeline_pass_to(world, at_ms);
    return true;
}

/* ---- the phases ------------------------------------------------------------------------------ */

static bool anything_due(struct world *world)
{
    for (size_t i = 0; i < world->deployments; i++) {
        struct deployment *d = world->deployment[i];

        if (oracle_is_idle_by_right(world, d))
            continue;
        if (sql_number(
                d, "SELECT count(*) FROM item WHERE next_due IS NOT NULL AND NOT" ORACLE_ENDLESS,
                NULL) > 0 ||
            sql_number(d,
                       "SELECT count(*) FROM circuit WHERE service = 'imap' AND state <> 'closed'",
                       NULL) > 0)
            return true;
    }
    return false;
}

/* The fixed scenarios have one run and no chance: what did not move once will not move. */
static unsigned quiet_ticks(const struct world *world)
{
    return world->scenario.steady ? 1 : QUIET_TICKS;
}

static bool at_rest(struct world *world)
{
    if (world->timeline.count > 0 || world->restart_ms != 0 || one_is_missing(world))
        return false;
    bool somebody_works = !world->scenario.server;

    for (size_t i = 0; i < world->runs; i++) {
        const struct run *run = world->run[i];

        somebody_works |= run_lives(run) && !run->stands_by;
        if (run_lives(run) && (run->life != LIFE_ASLEEP || run->idle_ticks < quiet_ticks(world)))
            return false;
        if (run->life == LIFE_KILLED)
            return false;
    }
    return somebody_works && !anything_due(world);
}

static bool trouble_is_over(struct world *world)
{
    const struct scenario *s = &world->scenario;
    bool all_happened =
        world->troubles >= s->troubles && s->answer_one_in == 0 && s->smtp_faults == 0;
    bool planned_happened =
        world->faults == NULL || world->faults->happened == world->faults->count;

    if (world->calls >= TROUBLED_CALLS || world->timeline.now_ms >= TROUBLED_MS || at_rest(world))
        return true;
    return world->timeline.now_ms > s->mail_within_ms && all_happened && planned_happened;
}

static unsigned ticks_of(const struct world *world)
{
    unsigned ticks = 0;

    for (size_t i = 0; i < world->runs; i++)
        ticks += world->run[i]->ticks + world->run[i]->looks / 20;
    return ticks;
}

static void wake_interest(struct world *world)
{
    for (size_t i = 0; i < world->runs; i++)
        world->run[i]->idle_ticks = 0;
}

/* V9: everything comes to rest in bounded time once faults stop. */
static void until_at_rest(struct world *world)
{
    unsigned before = ticks_of(world);

    wake_interest(world);
    start_missing(world);
    while (!world->verdict.broken && !at_rest(world)) {
        if (ticks_of(world) - before > TICKS_MOST) {
            oracle_v9_moves_for_ever(world);
            return;
        }
        if (!step(world))
            break;
    }
}

/* People answer; what may be answered only later is answered later. */
static bool ask_people(struct world *world)
{
    bool later = false;
    size_t answered = 0;

    for (size_t i = 0; i < world->deployments; i++) {
        if (oracle_is_idle_by_right(world, world->deployment[i]))
            continue;
        answered += person_chooses_import(world, world->deployment[i]);
        answered += people_answer_questions(world, world->deployment[i], &later);
    }
    if (answered == 0 && later)
        timeline_pass(world, MINUTES(40));
    return answered > 0 || later;
}

static void play(struct world *world)
{
    start_missing(world);
    while (!world->verdict.broken && !trouble_is_over(world))
        if (!step(world))
            break;
    for (size_t i = 0; i < 2 && i < world->runs; i++)
        world->busy_calls[i] = world->run[i]->calls;
    faults_end(world);
    until_at_rest(world);
    if (!world->verdict.broken)
        oracle_judge(world, false);
    for (int round = 0; round < ROUNDS && !world->verdict.broken && ask_people(world); round++)
        until_at_rest(world);
    if (!world->verdict.broken)
        oracle_judge(world, true);
}

void schedule_play(struct deployment *deployment[DEPLOYMENTS_MAX],
                   const struct schedule *schedule,
                   struct schedule_result *out)
{
    struct world *world = mem_new(1, sizeof *world);

    begin(world, deployment, schedule);
    play(world);
    *out = (struct schedule_result){.verdict = world->verdict,
                                    .calls = world->calls,
                                    .first_calls = world->runs > 0 ? world->run[0]->calls : 0,
                                    .busy_calls = {world->busy_calls[0], world->busy_calls[1]},
                                    .runs = (unsigned)world->runs};
    if (world->runs > 0)
        memcpy(out->first_log, world->run[0]->call_log, sizeof out->first_log);
    oracle_summary(world, &out->summary);
    end(world);
    free(world);
}

void schedule_result_clear(struct schedule_result *result)
{
    str_clear(&result->summary);
}
