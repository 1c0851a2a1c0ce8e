/* SPDX-License-Identifier: Apache-2.0 */
#include "crash.h"

#include "campaign.h"
#include "reached.h"
#include "schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED 1

/* clang-format off */
static const struct {
    const char *name;
    enum deed deed;
    enum answer answer;
    enum power_loss loss;
} deeds[] = {
    {"kill-before",         DEED_KILL_BEFORE,  ANSWER_TRUE,     POWER_LOSS_ALL},
    {"kill-after",          DEED_KILL_AFTER,   ANSWER_TRUE,     POWER_LOSS_ALL},
    {"power-before",        DEED_POWER_BEFORE, ANSWER_TRUE,     POWER_LOSS_ALL},
    {"power-after",         DEED_POWER_AFTER,  ANSWER_TRUE,     POWER_LOSS_ALL},
    {"power-octets-before", DEED_POWER_BEFORE, ANSWER_TRUE,     POWER_LOSS_OCTETS},
    {"power-octets-after",  DEED_POWER_AFTER,  ANSWER_TRUE,     POWER_LOSS_OCTETS},
    {"deferred",            DEED_ANSWER,       ANSWER_DEFERRED, POWER_LOSS_ALL},
    {"refused",             DEED_ANSWER,       ANSWER_REFUSED,  POWER_LOSS_ALL},
    {"broken",              DEED_ANSWER,       ANSWER_BROKEN,   POWER_LOSS_ALL},
    {"unknown-not-done",    DEED_ANSWER,       ANSWER_LOST,     POWER_LOSS_ALL},
    {"unknown-done",        DEED_ANSWER,       ANSWER_HAD,      POWER_LOSS_ALL},
    {"half",                DEED_ANSWER,       ANSWER_HALF,     POWER_LOSS_ALL},
};
/* clang-format on */

/* Of what differs little from another, a sample: one point in so many. */
struct taken {
    const char *scenario;
    unsigned one_in;
};

static const struct taken singles[] = {
    {"small", 1}, {"desk", 1}, {"desk-look", 3}, {"desk-keys", 5}, {"desk-none", 5}};
static const struct taken pairs[] = {
    {"least", 1}, {"desk", 50}, {"desk-look", 50}, {"desk-keys", 50}, {"desk-none", 50}};

struct taking_apart {
    struct theatre theatre;
    const char *scenario;
    struct str undisturbed;
    unsigned job, jobs, one_in;
    unsigned long turn, played;
    unsigned broken;
};

static const char *deed_name(const struct planned_fault *f)
{
    for (size_t i = 0; i < LENGTH(deeds); i++)
        if (deeds[i].deed == f->deed && deeds[i].answer == f->answer && deeds[i].loss == f->loss)
            return deeds[i].name;
    return "?";
}

static void print_point(const struct taking_apart *t, const struct plan_of_faults *plan)
{
    printf("%s:", t->scenario);
    for (size_t i = 0; i < plan->count; i++)
        if (plan->fault[i].run > 0)
            printf("%s%u:%u:%s", i == 0 ? "" : "+", plan->fault[i].run, plan->fault[i].call,
                   deed_name(&plan->fault[i]));
}

static void
play(struct taking_apart *t, struct plan_of_faults *plan, bool story, struct schedule_result *out)
{
    struct schedule schedule = {
        .seed = SEED, .scenario = scenario_named(t->scenario), .faults = plan, .story = story};

    plan->happened = 0;
    schedule_play(t->theatre.deployment, &schedule, out);
}

/* A file that the help desk refuses is an exception, and its sender is told so. */
static bool is_exception(const struct plan_of_faults *plan, const struct schedule_result *result)
{
    bool refused = plan->count == 1 && plan->fault[0].deed == DEED_ANSWER &&
                   plan->fault[0].answer == ANSWER_REFUSED;
    const char *summary = str_z(&result->summary);

    return refused && strstr(summary, "attachment desk/01-photo.jpg refused") != NULL &&
           strstr(summary, "acknowledgement accepted_with_exceptions done") != NULL;
}

/* One point: nothing breaks, and the end is the undisturbed one's. Returns the calls of the second
 * run, for pairs. */
static unsigned take_point(struct taking_apart *t, struct plan_of_faults *plan)
{
    struct schedule_result result;
    unsigned second;

    play(t, plan, false, &result);
    t->played++;
    second = result.busy_calls[1];
    bool same = slice_eq(str_slice(&result.summary), str_slice(&t->undisturbed)) ||
                is_exception(plan, &result);

    if (result.verdict.broken || !same) {
        t->broken++;
        printf("point ");
        print_point(t, plan);
        if (result.verdict.broken)
            printf(": %s breaks: %s\n", result.verdict.invariant, result.verdict.text);
        else
            printf(": ends otherwise than undisturbed:\n%s---- undisturbed:\n%s",
                   str_z(&result.summary), str_z(&t->undisturbed));
    }
    schedule_result_clear(&result);
    return second;
}

static bool mine(struct taking_apart *t)
{
    unsigned long turn = t->turn++;

    return turn % t->one_in == 0 && turn / t->one_in % t->jobs == t->job;
}

static struct planned_fault fault_at(size_t deed, unsigned run, unsigned call)
{
    return (struct planned_fault){.run = run,
                                  .call = call,
                                  .deed = deeds[deed].deed,
                                  .answer = deeds[deed].answer,
                                  .loss = deeds[deed].loss};
}

static void
begin_scenario(struct taking_apart *t, const struct taken *taken, struct schedule_result *first)
{
    struct plan_of_faults none = {.count = 1}; /* of run 0: it never happens */
    const char *name = taken->scenario;

    t->scenario = name;
    t->one_in = taken->one_in;
    play(t, &none, false, first);
    str_clear(&t->undisturbed);
    str_add(&t->undisturbed, str_slice(&first->summary));
    if (first->verdict.broken) {
        printf("%s, undisturbed: %s breaks: %s\n", name, first->verdict.invariant,
               first->verdict.text);
        t->broken++;
    }
}

/* Every call of the first run, every deed that it allows. */
static void take_singles(struct taking_apart *t, const struct taken *taken)
{
    struct schedule_result first;

    begin_scenario(t, taken, &first);
    for (unsigned call = 1; call <= first.first_calls && call <= CALL_LOG; call++)
        for (size_t deed = 0; deed < LENGTH(deeds); deed++) {
            struct plan_of_faults plan = {.fault = {fault_at(deed, 1, call)}, .count = 1};
            enum call which = (enum call)first.first_log[call - 1];

            if ((deeds[deed].deed != DEED_ANSWER || call_may(which, deeds[deed].answer)) && mine(t))
                take_point(t, &plan);
        }
    if (t->job == 0)
        printf("%s: %u port calls of one run\n", taken->scenario, first.first_calls);
    schedule_result_clear(&first);
}

/* Every pair of deaths: before call n of the first run, before call m of the second. */
static void take_pairs(struct taking_apart *t, const struct taken *taken)
{
    struct schedule_result first;

    begin_scenario(t, taken, &first);
    for (unsigned n = 1; n <= first.busy_calls[0]; n++) {
        struct plan_of_faults plan = {.fault = {fault_at(0, 1, n)}, .count = 2};

        if (!mine(t))
            continue;
        unsigned second = take_point(t, &plan); /* of run 0: the second death never happens */

        for (unsigned m = 1; m <= second; m++) {
            plan.fault[1] = fault_at(0, 2, m);
            take_point(t, &plan);
        }
    }
    schedule_result_clear(&first);
}

static int take_share(unsigned job, unsigned jobs, void *ctx)
{
    const bool *with_pairs = ctx;
    struct taking_apart t = {.job = job, .jobs = jobs, .undisturbed = STR_INIT};

    theatre_open(&t.theatre);
    for (size_t i = 0; i < LENGTH(singles); i++)
        take_singles(&t, &singles[i]);
    for (size_t i = 0; *with_pairs && i < LENGTH(pairs); i++)
        take_pairs(&t, &pairs[i]);
    printf("process %u of %u: %lu points, %u broken\n", job + 1, jobs, t.played, t.broken);
    str_clear(&t.undisturbed);
    theatre_close(&t.theatre);
    return t.broken == 0 ? 0 : 1;
}

int crash_all(unsigned jobs, bool with_pairs)
{
    int status = campaign_share(jobs, take_share, &with_pairs);

    reached_print();
    return status;
}

/* ---- one point once more ---------------------------------------------------------------------- */

static bool parse_fault(const char *text, struct planned_fault *out)
{
    unsigned run, call;
    char name[32];

    if (sscanf(text, "%u:%u:%31[a-z-]", &run, &call, name) != 3)
        return false;
    for (size_t i = 0; i < LENGTH(deeds); i++) {
        if (strcmp(deeds[i].name, name) != 0)
            continue;
        *out = fault_at(i, run, call);
        return true;
    }
    return false;
}

static bool parse_point(const char *point, char scenario[32], struct plan_of_faults *out)
{
    const char *rest = strchr(point, ':');

    if (rest == NULL || rest - point >= 32)
        return false;
    snprintf(scenario, 32, "%.*s", (int)(rest - point), point);
    for (rest++; out->count < PLANNED_MAX; rest++) {
        if (!parse_fault(rest, &out->fault[out->count++]))
            return false;
        rest = strchr(rest, '+');
        if (rest == NULL)
            return scenario_named(scenario) != NULL;
    }
    return false;
}

int crash_one(const char *point, bool story)
{
    struct taking_apart t = {.jobs = 1, .undisturbed = STR_INIT};
    struct plan_of_faults plan = {.count = 0};
    struct schedule_result result;
    char scenario[32];

    if (scenario_named(point) == NULL && !parse_point(point, scenario, &plan)) {
        fprintf(stderr, "onecase-sim: '%s' is no crash point\n", point);
        return 64;
    }
    theatre_open(&t.theatre);
    t.scenario = plan.count == 0 ? point : scenario;
    play(&t, &plan, story, &result);
    printf("%s%s\n%s", result.verdict.broken ? result.verdict.invariant : "every invariant holds",
           result.verdict.broken ? " breaks" : "", str_z(&result.summary));
    int status = result.verdict.broken ? 1 : 0;

    schedule_result_clear(&result);
    theatre_close(&t.theatre);
    return status;
}
