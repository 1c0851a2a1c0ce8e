/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

#include "coroutine.h"
#include "deployment.h"
#include "gate.h"
#include "ports.h"
#include "settings.h"
#include "world.h"

#include <onecase/blob_store.h>
#include <onecase/service.h>
#include <onecase/when.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool run_lives(const struct run *run)
{
    return run->life != LIFE_KILLED && run->life != LIFE_OVER;
}

void run_sleep(struct run *run, int64_t until_ms)
{
    if (!run_lives(run))
        return;
    run->life = LIFE_ASLEEP;
    run->wake_ms = until_ms;
    coroutine_leave(run->co);
}

void run_yield(struct run *run)
{
    if (run_lives(run))
        coroutine_leave(run->co);
}

void run_kill(struct run *run, const char *why)
{
    if (!run_lives(run))
        return;
    tell(run->world, "run %u dies%s", run->number, why);
    run->life = LIFE_KILLED;
    run->has_lock = false;
    courier_dies(run);
}

void run_stall(struct run *run, int64_t ms)
{
    if (!run_lives(run))
        return;
    tell(run->world, "run %u is stopped for %lld s (SIGSTOP)", run->number, (long long)(ms / 1000));
    run->life = LIFE_STALLED;
    run->wake_ms = run->world->timeline.now_ms + ms;
    run->stopped_call = run->calls;
    if (run->world->inside == run)
        coroutine_leave(run->co);
}

/* Sleeps until the turn's wake-up. A wall clock that jumped shows when it is next looked at. */
static void rest_until(struct run *run, const struct tick_result *result)
{
    int64_t now_ms = machine_now(run->world, run->machine).wall_ms;
    int64_t pause_ms =
        result->wake_ms == NOT_DUE ? run->world->scenario.poll_ms : result->wake_ms - now_ms;

    if (result->moved || pause_ms < 1)
        pause_ms = 1;
    if (pause_ms > run->world->scenario.poll_ms)
        pause_ms = run->world->scenario.poll_ms;
    if (result->another_has_it) /* a machine may be slow, too */
        pause_ms = rng_between(&run->world->elsewhere, pause_ms, MINUTES(3));
    run_sleep(run, run->world->timeline.now_ms + pause_ms);
}

static bool one_tick(struct run *run, struct service *service)
{
    struct world *world = run->world;
    struct tick_result result;
    struct err err = ERR_INIT;
    unsigned long moved = world->moved;
    uint64_t ledger = deployment_print(run->deployment);
    enum rc rc = service_tick(service, &result, &err);

    if (!run_lives(run))
        return false;
    run->ticks += !result.another_has_it;
    run->looks += result.another_has_it;
    run->stands_by = result.another_has_it;
    if (run->session_missed)
        run->session_lost = run->session_missed = false;
    if (rc == RC_BROKEN) {
        tell(world, "run %u cannot go on: %s", run->number, err.text);
        run->failed = true;
        return false;
    }
    if (rc != RC_OK)
        tell(world, "run %u ends its turn early: %s", run->number, err.text);
    bool idle = rc == RC_OK && moved == world->moved && ledger == deployment_print(run->deployment);

    run->idle_ticks = idle ? run->idle_ticks + 1 : 0;
    if (run->asked_to_stop)
        return false;
    if (rc == RC_OK)
        rest_until(run, &result);
    else
        run_sleep(run, world->timeline.now_ms + 1000);
    return run_lives(run);
}

static void live(struct run *run)
{
    struct ports ports;
    struct service_settings settings;
    CLEANUP(service_free) struct service *service = NULL;
    struct err err = ERR_INIT;

    ports_wire(run, &ports);
    settings_of(run, &settings);
    enum rc rc = service_new(&ports.service, &settings, &service, &err);

    if (rc != RC_OK) {
        if (run_lives(run))
            tell(run->world, "run %u cannot begin: %s", run->number, err.text);
        run->failed = true;
        return;
    }
    while (one_tick(run, service))
        continue;
    if (run->asked_to_stop && run_lives(run))
        service_stop(service);
}

static void body(void *arg)
{
    struct run *run = arg;

    live(run);
    if (run_lives(run))
        tell(run->world, "run %u ends", run->number);
    run->has_lock = false;
    run->life = LIFE_OVER;
    courier_dies(run);
    deployment_give(run->deployment, &run->store);
    blob_store_free(&run->blob_store);
}

struct run *run_start(struct world *world, struct deployment *deployment, struct machine *machine)
{
    assert(world->runs < RUNS_MAX);
    struct run *run = mem_new(1, sizeof *run);

    world->run[world->runs++] = run;
    run->world = world;
    run->deployment = deployment;
    run->machine = machine;
    run->number = (unsigned)world->runs;
    if (world->scenario.server)
        snprintf(run->node, sizeof run->node, "%032u", run->number);
    run->store = deployment_take(deployment);
    run->real = store_ledger(run->store);
    run->co = coroutine_new(body, run);
    tell(world, "run %u of %s starts on %s", run->number, deployment->name, machine->host);
    return run;
}

void run_free(struct run **run)
{
    if (*run == NULL)
        return;
    assert((*run)->life == LIFE_OVER);
    coroutine_free(&(*run)->co);
    free(*run);
    *run = NULL;
}
