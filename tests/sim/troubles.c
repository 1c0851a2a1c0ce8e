/* SPDX-License-Identifier: Apache-2.0 */
#include "troubles.h"

#include "deployment.h"
#include "faults.h"
#include "people.h"
#include "ports.h"
#include "reached.h"
#include "world.h"

#include <onecase/when.h>

#include <string.h>

bool troubles_may_kill(const struct world *world)
{
    return world->runs + world->scenario.runs + world->scenario.two_deployments + 2 < RUNS_MAX;
}

static bool dies(struct world *world, struct run *at)
{
    if (!troubles_may_kill(world))
        return false;
    run_kill(at, " (SIGKILL)");
    return true;
}

static struct run *any_run(struct world *world)
{
    struct run *run = world->run[rng_below(&world->rng, (uint32_t)world->runs)];

    return run_lives(run) ? run : NULL;
}

static bool other_dies(struct world *world, struct run *at)
{
    struct run *run = any_run(world);

    (void)at;
    return run != NULL && dies(world, run);
}

static bool power(struct world *world, struct run *at)
{
    if (!troubles_may_kill(world))
        return false;
    faults_power(world, world->scenario.server ? at->machine : NULL,
                 (enum power_loss)rng_below(&world->rng, POWER_LOSS_COUNT));
    return true;
}

static bool stalls(struct world *world, struct run *at)
{
    reached_row("K03");
    run_stall(at, rng_between(&world->rng, SECONDS(10), MINUTES(25)));
    return true;
}

static bool stops(struct world *world, struct run *at)
{
    if (!troubles_may_kill(world))
        return false;
    tell(world, "run %u is asked to stop (SIGTERM)", at->number);
    at->asked_to_stop = true;
    return true;
}

static bool one_more_run(struct world *world, struct run *at)
{
    if (!troubles_may_kill(world))
        return false;
    reached_row("K01");
    run_start(world, at->deployment, at->machine);
    return true;
}

static bool clock_jumps(struct world *world, struct run *at)
{
    bool back = rng_one_in(&world->rng, 2);

    (void)at;
    tell(world, "the clocks jump %s", back ? "back an hour" : "forward a day");
    for (size_t i = 0; i < MACHINES; i++)
        world->machine[i].wall_ahead_ms += back ? -HOURS(1) : DAYS(1);
    return true;
}

static bool person_deletes(struct world *world, struct run *at)
{
    (void)at;
    return imap_person_deletes(world);
}

static bool person_files(struct world *world, struct run *at)
{
    (void)at;
    return imap_person_files(world);
}

static bool person_drags_back(struct world *world, struct run *at)
{
    (void)at;
    return imap_person_drags_back(world);
}

static bool inbox_renumbered(struct world *world, struct run *at)
{
    (void)at;
    return imap_new_uidvalidity(world, INBOX);
}

static bool processed_renumbered(struct world *world, struct run *at)
{
    (void)at;
    return imap_new_uidvalidity(world, PROCESSED);
}

/* New mail takes UIDs that were given before; UIDNEXT may have come back to what it was before anybody
 * looks. */
static bool inbox_falls_back(struct world *world, struct run *at)
{
    const struct folder *inbox = imap_folder(&world->imap, INBOX);
    uint32_t back = 1 + rng_below(&world->rng, 3);
    uint32_t mails = 1 + rng_below(&world->rng, back);

    (void)at;
    if (world->no_more_mail || inbox->uidnext <= back)
        return false;
    imap_falls_back(world, back);
    for (uint32_t i = 0; i < mails; i++)
        imap_put(world, INBOX, mail_write(world, MAIL_REQUEST, NULL, ""), world_wall_ms(world));
    tell(world, "%u new mails take UIDs that were given before", mails);
    return true;
}

static void imap_is_back(struct world *world, void *arg)
{
    (void)arg;
    world->imap.down = false;
}

static bool imap_goes_down(struct world *world, struct run *at)
{
    (void)at;
    tell(world, "the IMAP server is down for a while");
    world->imap.down = true;
    timeline_after(world, rng_between(&world->rng, SECONDS(5), MINUTES(30)), imap_is_back, NULL);
    return true;
}

static bool smtp_mood_swings(struct world *world, struct run *at)
{
    static const char *const rows[MOOD_COUNT] = {"", "S20", "S17", "S21", "S23", "S25"};
    enum mood mood = (enum mood)(1 + rng_below(&world->rng, MOOD_COUNT - 1));

    (void)at;
    reached_row(rows[mood]);
    smtp_mood(world, mood, rng_between(&world->rng, MINUTES(1), HOURS(2)));
    return true;
}

static void disk_has_room(struct world *world, void *arg)
{
    struct disk *disk = arg;

    disk->full = false;
    tell(world, "the disk that was full has room again");
}

static bool disk_fills(struct world *world, struct run *at)
{
    tell(world, "the disk of %s is full", at->deployment->name);
    disk_of(at, "tmp")->full = true;
    timeline_after(world, rng_between(&world->rng, SECONDS(5), MINUTES(20)), disk_has_room,
                   disk_of(at, "tmp"));
    return true;
}

static bool replay(struct world *world, struct run *at)
{
    bool happened = person_replays(world, at->deployment);

    if (happened && rng_one_in(&world->rng, 3)) {
        reached_row("K05");
        person_replays(world, at->deployment);
    }
    return happened;
}

static void resume(struct world *world, void *arg)
{
    if (!world->calm)
        person_pauses(world, arg, false);
}

static bool pause(struct world *world, struct run *at)
{
    if (!person_pauses(world, at->deployment, true))
        return false;
    timeline_after(world, rng_between(&world->rng, SECONDS(5), MINUTES(20)), resume,
                   at->deployment);
    return true;
}

static bool decide(struct world *world, struct run *at)
{
    bool later = false;

    return world->scenario.people_at_once &&
           people_answer_questions(world, at->deployment, &later) > 0;
}

static bool import(struct world *world, struct run *at)
{
    return person_chooses_import(world, at->deployment);
}

/* The number of the newest mark of ours in the claim folder: only a ledger that is behind it can be
 * seen to have gone back. The window before the mark is the README's. */
static int64_t marked(struct deployment *d)
{
    return sql_number(d, "SELECT max(marked_event) FROM mailbox", NULL);
}

/* Before that a ledger is a new one, and what lies in the inbox is from before. */
static bool inbox_was_seen(struct deployment *d)
{
    return sql_number(d, "SELECT count(*) FROM mailbox WHERE import_uidvalidity > 0", NULL) > 0;
}

static bool remember(struct world *world, struct run *at)
{
    if (!world->scenario.restores || at->deployment->remembered || !inbox_was_seen(at->deployment))
        return false;
    tell(world, "somebody copies the ledger");
    deployment_remember(at->deployment);
    return true;
}

static bool restore(struct world *world, struct run *at)
{
    struct deployment *d = at->deployment;

    if (!d->remembered || d->went_back > 0 || !troubles_may_kill(world) ||
        marked(d) <= d->remembered_event)
        return false;
    for (size_t i = 0; i < world->runs; i++)
        run_kill(world->run[i], " (stopped for the restore)");
    tell(world, "the ledger is replaced by the older copy");
    deployment_go_back(d, world->timeline.now_ms);
    world->moved++;
    return true;
}

/* ---- machines that share a ledger on a server -------------------------------------------------- */

/* A machine that was stopped and goes on, as a virtual one may be: its boot clock may have stood, too. */
bool machine_stands_still(struct world *world, struct run *at)
{
    struct machine *machine = at->machine;
    int64_t ms = rng_between(&world->elsewhere, SECONDS(10), MINUTES(25));
    bool clock_stands = rng_one_in(&world->elsewhere, 2);

    tell(world, "%s stands still for %lld s%s", machine->host, (long long)(ms / 1000),
         clock_stands ? ", and so does its boot clock" : "");
    machine->still_until_ms = world->timeline.now_ms + ms;
    if (clock_stands)
        machine->boot_ahead_ms -= ms;
    for (size_t i = 0; i < world->runs; i++) {
        struct run *run = world->run[i];

        if (run->machine != machine)
            continue;
        run->clock_stood = clock_stands;
        if (run != at)
            run_stall(run, ms);
    }
    run_stall(at, ms);
    return true;
}

static bool cut_off(struct world *world, struct machine *machine, bool dark)
{
    if (machine->cut_until_ms > world->timeline.now_ms)
        return false;
    machine->cut_until_ms =
        world->timeline.now_ms + rng_between(&world->elsewhere, SECONDS(10), MINUTES(25));
    machine->cut_at = world->calls;
    machine->dark = dark;
    tell(world, "%s reaches the ledger%s no more for %lld s", machine->host,
         dark ? ", the mailbox and the store" : "",
         (long long)((machine->cut_until_ms - world->timeline.now_ms) / 1000));
    return true;
}

static bool machine_is_cut_off(struct world *world, struct run *at)
{
    return cut_off(world, at->machine, false);
}

static bool machine_is_dark(struct world *world, struct run *at)
{
    return cut_off(world, at->machine, true);
}

/* From here on commits do not reach it. */
static bool standby_falls_behind(struct world *world, struct run *at)
{
    if (!world->scenario.standby || at->deployment->remembered || !inbox_was_seen(at->deployment))
        return false;
    tell(world, "the standby falls behind");
    deployment_remember(at->deployment);
    return true;
}

/* Runs live on: the next thing that each asks is asked of another ledger. */
static bool standby_takes_over(struct world *world, struct run *at)
{
    struct deployment *d = at->deployment;

    if (!world->scenario.standby || !d->remembered || d->went_back > 0)
        return false;
    tell(world, "the standby takes over without the last commits");
    deployment_go_back(d, world->timeline.now_ms);
    database_taken_over(&d->database);
    world->moved++;
    return true;
}

/* ---- the tables -------------------------------------------------------------------------------- */

struct trouble {
    const char *row;
    unsigned weight;
    bool (*happens)(struct world *world, struct run *at);
};

/* clang-format off */
static const struct trouble troubles[] = {
/*   row    weight  what */
    {"C",   30,     dies},
    {"K01",  3,     other_dies},
    {"C07",  8,     power},
    {"K03",  8,     stalls},
    {"K06",  3,     stops},
    {"K01",  3,     one_more_run},
    {"L07",  3,     clock_jumps},
    {"I10", 10,     person_deletes},
    {"I10",  6,     person_files},
    {"I22",  4,     person_drags_back},
    {"I05",  4,     inbox_renumbered},
    {"I05",  2,     processed_renumbered},
    {"I20",  3,     inbox_falls_back},
    {"I01",  3,     imap_goes_down},
    {"S20",  5,     smtp_mood_swings},
    {"B01",  3,     disk_fills},
    {"K04",  5,     replay},
    {"K06",  3,     pause},
    {"E01",  8,     decide},
    {"O04",  3,     import},
    {"L09", 30,     remember},
    {"L09", 40,     restore},
};
/* clang-format on */

/* clang-format off */
/* Of machines that share a ledger on a server. */
static const struct trouble troubles_elsewhere[] = {
    {"K03", 10,     machine_stands_still},
    {"K03", 20,     machine_is_cut_off},
    {"K03",  5,     machine_is_dark},
    {"L10", 20,     standby_falls_behind},
    {"L10", 30,     standby_takes_over},
};
/* clang-format on */

static bool one_of(
    const struct trouble *table, size_t count, struct rng *rng, struct world *world, struct run *at)
{
    unsigned total = 0;

    for (size_t i = 0; i < count; i++)
        total += table[i].weight;
    unsigned drawn = rng_below(rng, total);

    for (size_t i = 0; i < count; i++) {
        if (drawn >= table[i].weight) {
            drawn -= table[i].weight;
            continue;
        }
        if (!table[i].happens(world, at))
            return false;
        reached_row(table[i].row);
        return true;
    }
    return false;
}

bool troubles_happen(struct world *world, struct run *at)
{
    if (world->scenario.server && rng_one_in(&world->elsewhere, 2))
        return one_of(troubles_elsewhere, LENGTH(troubles_elsewhere), &world->elsewhere, world, at);
    return one_of(troubles, LENGTH(troubles), &world->rng, world, at);
}
