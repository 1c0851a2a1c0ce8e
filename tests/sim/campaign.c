/* SPDX-License-Identifier: Apache-2.0 */
#include "campaign.h"

#include "coroutine.h"
#include "reached.h"
#include "schedule.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define JOBS_MAX 64

void theatre_open(struct theatre *theatre)
{
    deployment_prepare();
    theatre->deployment[0] = deployment_new("help-desk");
    theatre->deployment[1] = deployment_new("other-desk");
}

void theatre_close(struct theatre *theatre)
{
    for (size_t i = 0; i < DEPLOYMENTS_MAX; i++)
        deployment_free(&theatre->deployment[i]);
    coroutine_rest();
}

static bool play(struct theatre *theatre, uint64_t seed, bool story, bool calls)
{
    struct schedule schedule = {.seed = seed, .story = story, .calls = calls};
    struct schedule_result result;

    schedule_play(theatre->deployment, &schedule, &result);
    bool broken = result.verdict.broken;

    if (broken)
        printf("seed %" PRIu64 ": %s breaks: %s\n", seed, result.verdict.invariant,
               result.verdict.text);
    schedule_result_clear(&result);
    return !broken;
}

/* A failure is told: the same schedule once more, with its story. */
static void tell_story(struct theatre *theatre, uint64_t seed)
{
    printf("the story of seed %" PRIu64 " (again: onecase-sim --seed %" PRIu64 " --story):\n", seed,
           seed);
    play(theatre, seed, true, false);
}

int campaign_one(uint64_t seed, bool story, bool calls, const char *ledger)
{
    struct theatre theatre;

    theatre_open(&theatre);
    bool good = play(&theatre, seed, story, calls);

    if (ledger != NULL)
        deployment_save(theatre.deployment[0], ledger);

    if (good)
        printf("seed %" PRIu64 ": every invariant holds\n", seed);
    theatre_close(&theatre);
    return good ? 0 : 1;
}

int campaign_file(const char *path)
{
    struct theatre theatre;
    FILE *in = fopen(path, "r");
    char line[200];
    unsigned played = 0;
    int status = 0;

    if (in == NULL) {
        perror(path);
        return 66;
    }
    theatre_open(&theatre);
    while (fgets(line, sizeof line, in) != NULL) {
        char *end;
        uint64_t seed = strtoull(line, &end, 10);

        if (end == line)
            continue;
        played++;
        if (!play(&theatre, seed, false, false)) {
            tell_story(&theatre, seed);
            status = 1;
        }
    }
    fclose(in);
    theatre_close(&theatre);
    printf("%u kept seeds played\n", played);
    return status;
}

/* ---- several processes ------------------------------------------------------------------------ */

static pid_t
fork_job(unsigned job, unsigned jobs, int (*work)(unsigned, unsigned, void *), void *ctx, FILE *out)
{
    fflush(stdout);
    pid_t pid = fork();

    if (pid != 0)
        return pid;
    int status = work(job, jobs, ctx);

    reached_write(out);
    fflush(out);
    fflush(stdout);
    _exit(status);
}

int campaign_share(unsigned jobs, int (*work)(unsigned job, unsigned jobs, void *ctx), void *ctx)
{
    FILE *out[JOBS_MAX];
    int worst = 0;

    if (jobs == 1)
        return work(0, 1, ctx);
    for (unsigned job = 0; job < jobs; job++) {
        out[job] = tmpfile();
        if (out[job] == NULL || fork_job(job, jobs, work, ctx, out[job]) < 0)
            return 74;
    }
    for (unsigned job = 0; job < jobs; job++) {
        int status = 0;

        wait(&status);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            worst = 1;
    }
    for (unsigned job = 0; job < jobs; job++) {
        rewind(out[job]);
        if (!reached_add(out[job]))
            worst = 1;
        fclose(out[job]);
    }
    return worst;
}

static int play_range(unsigned job, unsigned jobs, void *ctx)
{
    const struct range *range = ctx;
    struct theatre theatre;
    int status = 0;

    theatre_open(&theatre);
    for (uint64_t i = job; i < range->count && (status == 0 || range->keep_going); i += jobs) {
        uint64_t seed = range->from + i * range->step;

        if (play(&theatre, seed, false, false))
            continue;
        if (!range->keep_going)
            tell_story(&theatre, seed);
        status = 1;
    }
    theatre_close(&theatre);
    return status;
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int campaign_random(const struct range *range, unsigned jobs)
{
    struct range own = *range;
    double began = seconds();
    int status = campaign_share(jobs, play_range, &own);
    double took = seconds() - began;

    if (status == 0)
        printf("%" PRIu64 " schedules from seed %" PRIu64
               ": every invariant holds; %.1f s, %.0f a second\n",
               range->count, range->from, took, (double)range->count / took);
    reached_print();
    return range->all_rows && !reached_every_row() ? 1 : status;
}
