/* SPDX-License-Identifier: Apache-2.0 */
#include "gate.h"
#include "oracle.h"
#include "ports.h"
#include "reached.h"
#include "world.h"

#include <onecase/when.h>

#include <stdio.h>
#include <string.h>

/* Longer than any schedule: a clock that jumps a day is past it, and then a person is asked. */
#define IDEMPOTENCY_LIFE HOURS(24)

static void done(struct destination_answer *out, const char *id, bool adopted)
{
    *out = (struct destination_answer){
        .outcome = OUTCOME_DONE, .adopted = adopted, .code = adopted ? 409 : 201};
    snprintf(out->external_id, sizeof out->external_id, "%s", id);
}

/* What the desk does; the id of what is there then. */
static const char *act_truly(struct run *run,
                             enum destination_step step,
                             const struct case_facts *facts,
                             int64_t later_ms,
                             bool *adopted)
{
    if (step != STEP_CREATE)
        oracle_before_append(run, facts);
    if (step == STEP_CLOSE) {
        helpdesk_close(run->world, facts->id);
        return facts->id;
    }
    if (step == STEP_ATTACH) {
        return helpdesk_attach(run->world, facts, later_ms, adopted)->id;
    }
    return helpdesk_make(run->world, facts, step, later_ms, adopted)->id;
}

/* The answers that no answer of the port's own result carries: they are told in `out`. */
static enum rc make(struct run *run,
                    enum destination_step step,
                    const struct case_facts *facts,
                    enum answer answer,
                    struct destination_answer *out)
{
    bool adopted = false;
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
    const char *id = act_truly(run, step, facts, later_ms, &adopted);

    done(out, id, adopted);
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

    if (answer == ANSWER_DEAD)
        return answer_fail(CALL_DESK_CREATE, answer, err);
    return gate_close(run, CALL_DESK_CREATE, make(run, step, facts, answer, out), err);
}

/* The id of what shows there of that step; NULL: nothing does. */
static const char *
shown(struct world *world, enum destination_step step, const struct case_facts *facts)
{
    if (step == STEP_ATTACH) {
        const struct child *child = helpdesk_child(world, facts->key, facts->file->file);
        return child != NULL && child->visible ? child->id : NULL;
    }
    const struct record *record = helpdesk_find(world, facts->key);
    return record != NULL && record->visible ? record->id : NULL;
}

static enum rc look(struct run *run,
                    enum destination_step step,
                    const struct case_facts *facts,
                    enum answer answer,
                    struct destination_answer *out)
{
    const char *id = shown(run->world, step, facts);

    if (answer != ANSWER_TRUE)
        *out = (struct destination_answer){
            .outcome = OUTCOME_DEFERRED, .fault = FAULT_SERVER, .code = 503};
    else if (id != NULL)
        done(out, id, true);
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

    if (answer == ANSWER_DEAD)
        return answer_fail(CALL_DESK_FIND, answer, err);
    return gate_close(run, CALL_DESK_FIND, look(run, step, facts, answer, out), err);
}

/* How long a second request is harmless, as `guarantee` says it. */
static int64_t unique_ms(enum desk_kind kind)
{
    switch (kind) {
    case DESK_CONDITIONAL:
        return INT64_MAX;
    case DESK_IDEMPOTENT:
        return IDEMPOTENCY_LIFE;
    case DESK_LOOK:
    case DESK_NOTHING:
        break;
    }
    return 0;
}

struct destination port_destination(struct run *run)
{
    const struct scenario *s = &run->world->scenario;
    const struct destination_can never = {.act = false};
    const struct destination_can twice_is_once = {.act = true, .unique_ms = INT64_MAX};
    struct destination_can can = {.act = true,
                                  .look = s->desk_kind != DESK_NOTHING && !s->desk_silent,
                                  .unique_ms = unique_ms(s->desk_kind)};

    return (struct destination){
        .self = run,
        .name = "desk",
        .can = {[STEP_CREATE] = can,
                [STEP_APPEND] = s->desk_appends ? can : never,
                [STEP_ATTACH] = s->desk_attaches ? can : never,
                [STEP_CLOSE] = twice_is_once},
        .act = desk_create,
        .look = desk_find,
    };
}
