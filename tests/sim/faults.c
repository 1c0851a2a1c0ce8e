/* SPDX-License-Identifier: Apache-2.0 */
#include "faults.h"

#include "deployment.h"
#include "people.h"
#include "reached.h"
#include "troubles.h"
#include "world.h"

#include <onecase/when.h>

#include <stdio.h>

/* Which row of the matrix a death at a call is: before it, after it. */
/* clang-format off */
static const struct {
    enum call call;
    const char *before, *after;
} deaths[] = {
    {CALL_FILES_SYNC,      "C01",  "C02"},
    {CALL_LEDGER_RESERVE,  "C02",  "C04"},
    {CALL_DESK_CREATE,     "C04",  "C05"},
    {CALL_FILES_APPEND,    "C01",  "C06"},
    {CALL_FILES_LINK,      "C06",  "C07"},
    {CALL_FILES_SYNC_FOLDER, "C07", "C07"},
    {CALL_COURIER_BEGIN,   "C08",  "C09"},
    {CALL_COURIER_NEXT,    "C09",  "C10"},
    {CALL_COURIER_RELEASE, "C11a", "C11b"},
    {CALL_MAILBOX_MOVE,    "C13",  "C16"},
    {CALL_LEDGER_BURY,     "C17",  "C17"},
    {CALL_LEDGER_OTHERS,   "C17",  "C17"},
};
/* clang-format on */

/* Calls where a death says more than elsewhere are met more often. */
static bool tells_much(enum call call)
{
    for (size_t i = 0; i < LENGTH(deaths); i++)
        if (deaths[i].call == call)
            return true;
    return call == CALL_LEDGER_COMMIT;
}

static bool trouble_comes(struct run *run, enum call call)
{
    struct world *world = run->world;
    const struct scenario *s = &world->scenario;
    unsigned one_in = s->trouble_one_in / (tells_much(call) ? 5 : 1) + 1;

    return !world->calm && world->troubles < s->troubles && rng_one_in(&world->rng, one_in);
}

static bool letter_left(const struct run *run)
{
    for (size_t i = 0; i < LETTERS; i++)
        if (run->letter[i].state == LETTER_LEFT)
            return true;
    return false;
}

static void reached_death(const struct run *run, enum call call, bool after)
{
    if (call == CALL_COURIER_NEXT && letter_left(run)) {
        reached_row(after ? "C12" : "C11b");
        return;
    }
    for (size_t i = 0; i < LENGTH(deaths); i++)
        if (deaths[i].call == call)
            reached_row(after ? deaths[i].after : deaths[i].before);
}

static void starts_anew(struct world *world, struct machine *machine, enum power_loss loss)
{
    machine->boots++;
    machine->boot_ahead_ms = -world->timeline.now_ms;
    machine->still_until_ms = 0;
    disk_lose_power(&machine->disk, loss);
}

/* What machines share stands elsewhere, and goes on. */
void faults_power(struct world *world, const struct machine *at, enum power_loss loss)
{
    tell(world, "the power fails%s%s%s", at == NULL ? "" : " at ", at == NULL ? "" : at->host,
         loss == POWER_LOSS_ALL ? "" : "; of files that were not durable only the names are left");
    for (size_t i = 0; i < MACHINES; i++)
        if (at == NULL || at == &world->machine[i])
            starts_anew(world, &world->machine[i], loss);
    for (size_t i = 0; i < world->runs; i++)
        if (at == NULL || at == world->run[i]->machine)
            run_kill(world->run[i], " with it");
    for (size_t i = 0; at == NULL && i < world->deployments; i++)
        disk_lose_power(&world->deployment[i]->disk, loss);
}

static void happens(struct run *run, enum call call, const struct planned_fault *fault, bool after)
{
    struct world *world = run->world;

    world->faults->happened++;
    reached_death(run, call, after);
    if (fault->deed == DEED_POWER_BEFORE || fault->deed == DEED_POWER_AFTER)
        faults_power(world, NULL, fault->loss);
    else
        run_kill(run, after ? " right after it " : " just before it ");
    tell(world, "   (at call %u: %s)", run->calls, call_rows[call].what);
}

/* The planned fault for this very call; NULL where there is none. */
static const struct planned_fault *planned(const struct run *run, enum deed first, enum deed second)
{
    const struct plan_of_faults *plan = run->world->faults;

    for (size_t i = 0; plan != NULL && i < plan->count; i++) {
        const struct planned_fault *f = &plan->fault[i];

        if (f->run == run->number && f->call == run->calls &&
            (f->deed == first || f->deed == second))
            return f;
    }
    return NULL;
}

void faults_before(struct run *run, enum call call)
{
    struct world *world = run->world;
    const struct scenario *s = &world->scenario;
    const struct planned_fault *fault = planned(run, DEED_KILL_BEFORE, DEED_POWER_BEFORE);

    if (fault != NULL)
        happens(run, call, fault, false);
    if (world->calm)
        return;
    if (trouble_comes(run, call)) {
        bool lived = run_lives(run);

        world->troubles += troubles_happen(world, run);
        if (lived && !run_lives(run))
            reached_death(run, call, false);
    }
    if (s->switch_one_in > 0 && rng_one_in(&world->rng, s->switch_one_in))
        run_yield(run);
}

void faults_after(struct run *run, enum call call)
{
    struct world *world = run->world;
    const struct planned_fault *fault = planned(run, DEED_KILL_AFTER, DEED_POWER_AFTER);

    if (fault != NULL)
        happens(run, call, fault, true);
    if (call == CALL_LEDGER_COMMIT && world->scenario.server && !world->calm &&
        world->troubles < world->scenario.troubles && rng_one_in(&world->elsewhere, 40)) {
        reached_row("K03"); /* between what it wrote down and what it was about to do */
        world->troubles += machine_stands_still(world, run);
    }
    if (rng_one_in(&world->rng, 4) && trouble_comes(run, call) && troubles_may_kill(world)) {
        world->troubles++;
        reached_death(run, call, true);
        run_kill(run, ", after a call");
    }
}

static enum answer drawn(struct run *run, enum call call)
{
    struct world *world = run->world;
    enum answer answer =
        (enum answer)(ANSWER_DEFERRED + rng_below(&world->rng, ANSWER_COUNT - ANSWER_DEFERRED));

    if (!call_may(call, answer))
        return ANSWER_TRUE;
    reached_answer(call, answer);
    if (call >= CALL_OBJECT_PUT && call <= CALL_OBJECT_REMOVE)
        reached_row("B05");
    tell(world, "run %u %s: that %s", run->number, call_rows[call].what, answer_text(answer));
    return answer;
}

/* Whether the call needs what its machine does not reach. */
static bool is_out_of_reach(const struct run *run, enum call call)
{
    const struct machine *machine = run->machine;
    bool ledger =
        (call >= CALL_LEDGER_FACTS && call <= CALL_LEDGER_STANDS) || call == CALL_LEDGER_SHARE;
    bool store = call >= CALL_OBJECT_PUT && call <= CALL_OBJECT_REMOVE;
    bool mailbox = call >= CALL_MAILBOX_OPEN && call <= CALL_MAILBOX_WAIT;

    return machine->cut_until_ms > run->world->timeline.now_ms &&
           (ledger || (machine->dark && (store || mailbox)));
}

/* Nobody refuses: an answer is waited for. What had left may have arrived. */
static enum answer waited_in_vain(struct run *run, enum call call)
{
    struct world *world = run->world;
    bool had_left = run->machine->cut_at == world->calls && call_may(call, ANSWER_HAD) &&
                    rng_one_in(&world->elsewhere, 2);

    if (run->machine->dark)
        run->session_lost = true;
    tell(world, "run %u %s: no answer comes", run->number, call_rows[call].what);
    run_sleep(run,
              world->timeline.now_ms + rng_between(&world->elsewhere, SECONDS(1), SECONDS(90)));
    return !run_lives(run) ? ANSWER_DEAD : had_left ? ANSWER_HAD : ANSWER_DEFERRED;
}

enum answer faults_answer(struct run *run, enum call call)
{
    const struct scenario *s = &run->world->scenario;
    const struct planned_fault *fault = planned(run, DEED_ANSWER, DEED_ANSWER);

    if (is_out_of_reach(run, call))
        return waited_in_vain(run, call);
    if (fault != NULL) {
        run->world->faults->happened++;
        reached_answer(call, fault->answer);
        tell(run->world, "run %u %s: that %s", run->number, call_rows[call].what,
             answer_text(fault->answer));
        return fault->answer;
    }
    unsigned one_in = s->answer_one_in / (tells_much(call) ? 5 : 1) + 1;

    if (!run->world->calm && s->answer_one_in > 0 && rng_one_in(&run->world->rng, one_in))
        return drawn(run, call);
    return ANSWER_TRUE;
}

void faults_end(struct world *world)
{
    tell(world, "---- from here on nothing goes wrong any more");
    world->calm = true;
    world->smtp.mood = MOOD_FINE;
    world->imap.down = false;
    for (size_t i = 0; i < MACHINES; i++) {
        world->machine[i].disk.full = false;
        world->machine[i].cut_until_ms = 0;
    }
    for (size_t i = 0; i < world->deployments; i++) {
        world->deployment[i]->disk.full = false;
        if (sql_number(world->deployment[i], "SELECT count(*) FROM mailbox WHERE paused <> 0",
                       NULL) > 0)
            person_pauses(world, world->deployment[i], false);
    }
}
