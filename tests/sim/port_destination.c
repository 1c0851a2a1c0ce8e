/* SPDX-License-Identifier: Apache-2.0 */
#include "gate.h"
#include "ports.h"
#include "reached.h"
#include "world.h"

#include <onecase/when.h>

#include <stdio.h>
#include <string.h>

static void done(struct destination_answer *out, const struct record *record, bool adopted)
{
    *out = (struct destination_answer){
        .outcome = OUTCOME_DONE, .adopted = adopted, .code = adopted ? 409 : 201};
    snprintf(out->external_id, sizeof out->external_id, "%s", record->id);
}

/* The answers that no answer of the port's own result carries: they are told in `out`. */
static enum rc make(struct run *run,
                    const struct case_facts *facts,
                    enum answer answer,
                    struct destination_answer *out)
{
    struct world *world = run->world;
    const struct record *there = helpdesk_find(world, facts->key);
    bool adopted = there != NULL && world->scenario.desk_unique;
    int64_t later_ms =
        answer == ANSWER_HALF ? MINUTES(2) : 0; /* D09: shows after a look-up said no */

    if (answer == ANSWER_DEFERRED) {
        reached_row("D04");
        *out = (struct destination_answer){.outcome = OUTCOME_DEFERRED,
                                           .fault = FAULT_SERVER,
                                           .code = 429,
                                           .retry_after_ms = SECONDS(30)};
        return RC_OK;
    }
    if (answer == ANSWER_REFUSED) {
        *out = (struct destination_answer){
            .outcome = OUTCOME_REFUSED, .fault = FAULT_ITEM, .code = 422};
        return RC_OK;
    }
    if (answer == ANSWER_LOST) {
        reached_row("D02");
        *out = (struct destination_answer){.outcome = OUTCOME_UNKNOWN, .fault = FAULT_UNKNOWN};
        return RC_OK;
    }
    const struct record *record = helpdesk_make(world, facts->key, later_ms);

    done(out, record, adopted);
    if (answer == ANSWER_HAD || answer == ANSWER_HALF) {
        reached_row(answer == ANSWER_HAD ? "D03" : "D09");
        *out = (struct destination_answer){.outcome = OUTCOME_UNKNOWN, .fault = FAULT_UNKNOWN};
    }
    if (adopted)
        reached_row("D05");
    return RC_OK;
}

static enum rc desk_create(void *self,
                           enum destination_step step,
                           const struct case_facts *facts,
                           struct destination_answer *out,
                           struct err *err)
{
    struct run *run = self;
    enum answer answer = gate_open(run, CALL_DESK_CREATE);
    (void)step;

    if (answer == ANSWER_DEAD)
        return answer_fail(CALL_DESK_CREATE, answer, err);
    return gate_close(run, CALL_DESK_CREATE, make(run, facts, answer, out), err);
}

static enum rc look(struct run *run,
                    const struct case_facts *facts,
                    enum answer answer,
                    struct destination_answer *out)
{
    const struct record *record = helpdesk_find(run->world, facts->key);

    if (answer != ANSWER_TRUE)
        *out = (struct destination_answer){
            .outcome = OUTCOME_DEFERRED, .fault = FAULT_SERVER, .code = 503};
    else if (record != NULL && record->visible)
        done(out, record, true);
    else
        *out = (struct destination_answer){.outcome = OUTCOME_REFUSED, .code = 404};
    return RC_OK;
}

static enum rc desk_find(void *self,
                         enum destination_step step,
                         const struct case_facts *facts,
                         struct destination_answer *out,
                         struct err *err)
{
    struct run *run = self;
    enum answer answer = gate_open(run, CALL_DESK_FIND);
    (void)step;

    if (answer == ANSWER_DEAD)
        return answer_fail(CALL_DESK_FIND, answer, err);
    return gate_close(run, CALL_DESK_FIND, look(run, facts, answer, out), err);
}

struct destination port_destination(struct run *run)
{
    return (struct destination){
        .self = run,
        .name = "desk",
        .can = {[STEP_CREATE] = {.act = true,
                                 .look = true,
                                 .unique_ms = run->world->scenario.desk_unique ? INT64_MAX : 0}},
        .act = desk_create,
        .look = desk_find,
    };
}
