/* SPDX-License-Identifier: Apache-2.0 */
#include "campaign.h"
#include "crash.h"

#include <onecase/log.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int usage(void)
{
    fputs("onecase-sim --schedules N [--from SEED] [--step S] [--jobs J] [--keep-going] "
          "[--all-rows]  "
          "random "
          "schedules\n"
          "onecase-sim --seed SEED [--story] [--calls] [--ledger FILE]  one of them once more\n"
          "onecase-sim --seeds FILE                             every seed of a file\n"
          "onecase-sim --crash [--pairs] [--jobs J]             every crash point of the small "
          "scenarios\n"
          "onecase-sim --crash-at POINT [--story]               one of them once more\n",
          stderr);
    return 64;
}

struct options {
    uint64_t schedules, from, step, seed;
    unsigned jobs;
    bool has_seed, story, calls, crash, pairs, keep_going, all_rows;
    const char *seeds, *point, *ledger;
};

static bool number(const char *text, uint64_t *out)
{
    char *end;

    if (text == NULL)
        return false;
    *out = strtoull(text, &end, 0);
    return *text != '\0' && *end == '\0';
}

static bool text_option(const char *argument, const char *value, struct options *o)
{
    uint64_t jobs = 0;

    if (strcmp(argument, "--schedules") == 0)
        return number(value, &o->schedules);
    if (strcmp(argument, "--from") == 0)
        return number(value, &o->from);
    if (strcmp(argument, "--step") == 0)
        return number(value, &o->step) && o->step > 0;
    if (strcmp(argument, "--seed") == 0)
        return o->has_seed = number(value, &o->seed);
    if (strcmp(argument, "--jobs") == 0 && number(value, &jobs) && jobs > 0 && jobs <= 64) {
        o->jobs = (unsigned)jobs;
        return true;
    }
    if (strcmp(argument, "--seeds") == 0)
        return (o->seeds = value) != NULL;
    if (strcmp(argument, "--ledger") == 0)
        return (o->ledger = value) != NULL;
    return strcmp(argument, "--crash-at") == 0 && (o->point = value) != NULL;
}

static bool parse(int count, char **argument, struct options *o)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(argument[i], "--story") == 0)
            o->story = true;
        else if (strcmp(argument[i], "--calls") == 0)
            o->calls = o->story = true;
        else if (strcmp(argument[i], "--crash") == 0)
            o->crash = true;
        else if (strcmp(argument[i], "--keep-going") == 0)
            o->keep_going = true;
        else if (strcmp(argument[i], "--all-rows") == 0)
            o->all_rows = true;
        else if (strcmp(argument[i], "--pairs") == 0)
            o->pairs = true;
        else if (!text_option(argument[i], i + 1 < count ? argument[i + 1] : NULL, o))
            return false;
        else
            i++;
    }
    return true;
}

int main(int count, char **argument)
{
    struct options o = {.from = 1, .step = 1, .jobs = 1};

    if (!parse(count, argument, &o))
        return usage();
    log_threshold((enum log_level)0); /* the story tells more */
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (o.has_seed)
        return campaign_one(o.seed, o.story, o.calls, o.ledger);
    if (o.seeds != NULL)
        return campaign_file(o.seeds);
    if (o.point != NULL)
        return crash_one(o.point, o.story);
    if (o.crash)
        return crash_all(o.jobs, o.pairs);
    if (o.schedules > 0)
        return campaign_random(
            &(struct range){o.from, o.step, o.schedules, o.keep_going, o.all_rows}, o.jobs);
    return usage();
}
