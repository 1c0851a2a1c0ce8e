/* SPDX-License-Identifier: Apache-2.0
 *
 * The replay of many, for scripts: its plan, its beginning by that plan, and how far it is.
 */
#include "api.h"

#include <inttypes.h>
#include <string.h>

#define PLAN_MOST 2000 /* mails, as on the page */

/* ---- the plan --------------------------------------------------------------------------------------------- */

/* false: there is none, and why was said. */
static bool plan_of(struct visit *v, const struct replay_choice *choice, struct replay_plan *out)
{
    struct err err = ERR_INIT;
    enum rc rc = replay_plan_many(v->ops, choice, out, &err);
    if (rc == RC_USAGE)
        refuse(v, 400, "That cannot be so", err.text);
    else if (rc == RC_REFUSED)
        refuse(
            v, 409, "They are too many",
            "More than 2000 mails are chosen, and a plan is made of so many at most here: choose "
            "fewer, or use onecase replay at the terminal.");
    else if (rc != RC_OK)
        refuse_err(v, &err);
    return rc == RC_OK;
}

void api_replay_plan(struct visit *v)
{
    CLEANUP(replay_plan_clear) struct replay_plan plan = {.selection = STR_INIT};
    CLEANUP(str_clear) struct str out = STR_INIT;
    const char *state = given(v, "state");
    const struct replay_choice choice = {.state = state ? state : "",
                                         .where = given(v, "where"),
                                         .resend = given(v, "resend") != NULL,
                                         .most = PLAN_MOST};
    if (!looked(v, "api replays", "") || !plan_of(v, &choice, &plan))
        return;
    json_replay(plan.item, plan.count, plan.plan, &out);
    answer_json(v, &out);
}

/* ---- those that were begun ---------------------------------------------------------------------------------- */

void api_replays(struct visit *v)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(str_clear) struct str out = STR_INIT;
    const struct views *views = v->ops->views;
    int64_t below = number_of(form_get(&v->request->query, "after"), 0);
    struct err err = ERR_INIT;
    size_t limit;
    if (!asked_limit(v, &limit) || !looked(v, "api replays", ""))
        return;
    if (views->bulks(views->self, below, limit, &view, &err) != RC_OK) {
        refuse_err(v, &err);
        return;
    }
    json_bulks(&view, &out);
    answer_json(v, &out);
}

static void answer_replay(struct visit *v, int64_t id)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(str_clear) struct str out = STR_INIT;
    const struct views *views = v->ops->views;
    struct err err = ERR_INIT;
    if (views->one_bulk(views->self, id, &view, &err) != RC_OK) {
        refuse_err(v, &err);
        return;
    }
    json_bulk(view.row, &out);
    answer_json(v, &out);
}

void api_one_replay(struct visit *v)
{
    if (looked(v, "api replays", ""))
        answer_replay(v, number_of(v->arg[0], 0));
}

/* ---- beginning one, and going on with it -------------------------------------------------------------------- */

static void begin(struct visit *v, const struct replay_plan *plan)
{
    CLEANUP(str_clear) struct str by = STR_INIT;
    struct bulk bulk;
    struct err err = ERR_INIT;
    decider_name(v, &by);
    const struct decided_by decided = {str_z(&by), form_get(&v->request->form, "reason"), ""};
    enum rc rc = replay_begin(v->ops, plan, &decided, v->now, &bulk, &err);
    if (rc == RC_CONFLICT)
        refuse(v, 409, "That cannot be done",
               "One of the same mails is not ended yet: go on with that one.");
    else if (rc != RC_OK)
        refuse_err(v, &err);
    if (rc != RC_OK)
        return;
    (void)work_begin(v->console, bulk.id); /* else it stands there, to be gone on with */
    answer_replay(v, bulk.id);
}

static bool may_begin(struct visit *v)
{
    if (v->ops->config->approval == CONFIG_TWO_PERSON)
        refuse(v, 409, "That cannot be done", "Two persons decide here, and neither is a script.");
    else if (slice_trim(slice_z(form_get(&v->request->form, "reason"))).len == 0)
        refuse(v, 400, "That cannot be so", "Say why: a reason is recorded with the token's name.");
    else
        return true;
    return false;
}

/* By the plan that was seen, and by no other. */
void api_begin_replay(struct visit *v)
{
    CLEANUP(replay_plan_clear) struct replay_plan plan = {.selection = STR_INIT};
    const struct form *form = &v->request->form;
    const struct replay_choice choice = {.state = form_get(form, "state"),
                                         .where = form_has(form, "where") ? form_get(form, "where")
                                                                          : NULL,
                                         .resend = form_has(form, "resend"),
                                         .most = PLAN_MOST};
    if (!may_begin(v) || !plan_of(v, &choice, &plan))
        return;
    if (plan.count == 0 || strcmp(form_get(form, "plan"), plan.plan) != 0)
        refuse(v, 409, "That cannot be done",
               plan.count == 0
                   ? "There is nothing to replay."
                   : "That is not the plan of now: ask for it again. Nothing was done.");
    else
        begin(v, &plan);
}

void api_go_on_with_replay(struct visit *v)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = v->ops->views;
    int64_t id = number_of(v->arg[0], 0);
    struct err err = ERR_INIT;
    if (views->one_bulk(views->self, id, &view, &err) != RC_OK) {
        refuse_err(v, &err);
        return;
    }
    const struct view_bulk *b = view.row;
    if (b->ended_ms == NOT_DUE && !work_begin(v->console, id))
        refuse(v, 409, "That cannot be done",
               "So many replays are under way that this one must wait for one of them.");
    else
        answer_replay(v, id);
}
