/* SPDX-License-Identifier: Apache-2.0 */
#include "question.h"

#include <onecase/when.h>
#include <inttypes.h>
#include <string.h>

/* ---- what a decision has said ------------------------------------------------------------------------------- */

/* The address names a notice; its text stands here, so that no address can put words on a page. */
/* clang-format off */
static const struct { const char *name, *text; } notices[] = {
    { "recorded", "Recorded. The service goes on with it by itself." },
    { "proposed", "Recorded as proposed. It is done once another person, an owner, gives the same answer here, or approves it at the terminal." },
    { "always",   "Recorded. Later mail of this sender is told apart by what it says." },
    { "some",     "Recorded for this one. Some of those like it could not be answered so: they still wait." },
    { "noted",    "Your note is kept. Nothing was decided." },
    { "refused",  "The proposal is refused; nothing was done." },
    { "removed",  "Removed. Later mail of that sender is asked about again." },
    { "replayed", "Recorded. What was not proven done runs again." },
};
/* clang-format on */

const char *notice_of(const char *name)
{
    for (size_t i = 0; i < LENGTH(notices); i++)
        if (strcmp(notices[i].name, name) == 0)
            return notices[i].text;
    return "";
}

/* ---- the page ----------------------------------------------------------------------------------------------- */

static void put_steps(struct visit *v, const struct view_item *i)
{
    for (size_t n = 0; n < i->effects; n++) {
        const struct view_effect *e = &i->effect[n];
        CLEANUP(str_clear) struct str what = STR_INIT;
        CLEANUP(str_clear) struct str status = STR_INIT;
        CLEANUP(str_clear) struct str why = STR_INIT;
        struct fields *row = put_row(v->page, "steps");
        bool file = strcmp(e->kind, effect_kind_text(EFFECT_ATTACHMENT)) == 0;
        step_what_words(i, e, &what);
        step_status_words(e, v->now.wall_ms, &status);
        step_why_words(e, &why);
        put(row, "step", label("effect", e->kind));
        put(row, "what", file ? personal(v, str_z(&what)) : str_z(&what));
        put(row, "status", str_z(&status));
        put(row, "status_word", e->status);
        put(row, "why", str_z(&why));
        put_number(row, "tries", e->attempts);
    }
}

static void put_story(struct visit *v, const struct view_item *i)
{
    CLEANUP(story_clear) struct story s = {.count = 0};
    story_of(i, &s);
    for (size_t n = 0; n < s.count; n++) {
        struct fields *row = put_row(v->page, "story");
        bool decision = strcmp(s.at[n].what, "decision") == 0;
        put(row, "what", s.at[n].what);
        put(row, "text", decision ? personal(v, str_z(&s.at[n].text)) : str_z(&s.at[n].text));
        put_flag(row, "is_decision", decision);
        put_when(row, "at", s.at[n].at_ms, v->now.wall_ms);
    }
}

static void put_conditions(struct visit *v, const struct view_item *i)
{
    for (size_t n = 0; n < i->condition_count; n++) {
        struct fields *row = put_row(v->page, "conditions");
        put(row, "condition", label("condition", i->condition[n].name));
        put(row, "value", label("status", i->condition[n].value));
        put_flag(row, "holds", i->condition[n].holds);
    }
}

static enum rc put_replay(struct visit *v, const struct view_item *i, struct err *err)
{
    const struct ledger *l = v->ops->ledger;
    struct replay_result r;
    if (!may(v, ROLE_OPERATOR))
        return RC_OK;
    TRY(l->operators->replay_plan(l->self, i->key, false, false, &r, err));
    struct fields *row = put_row(v->page, "replay");
    put_number(row, "again", r.run_again);
    put_number(row, "proven", r.proven_done);
    put_number(row, "in_doubt", r.in_doubt);
    put_flag(row, "was_complete", r.was_complete);
    put(row, "plan", r.plan);
    return RC_OK;
}

static enum rc whole_item(struct visit *v, const char *name, struct view *view, struct err *err)
{
    const struct views *views = v->ops->views;
    return views->item(views->self, name, view, err);
}

static enum rc item_page(struct visit *v, const struct view_item *i, struct err *err)
{
    CLEANUP(str_clear) struct str told = STR_INIT;
    put_item(v, v->page, i);
    told_words(i, &told);
    put(v->page, "told", str_z(&told));
    put_flag(v->page, "may_read", may(v, ROLE_OPERATOR));
    put_flag(v->page, "has_question", has_question(i) && may(v, ROLE_OPERATOR));
    put_flag(v->page, "can_go_back", may_be_taken_back(i) && may(v, ROLE_OPERATOR));
    if (may(v, ROLE_OPERATOR))
        TRY(put_question(v, v->page, i, err));
    put_steps(v, i);
    put_story(v, i);
    put_conditions(v, i);
    TRY(put_replay(v, i, err));
    question_markup(v, v->page, v->page);
    return RC_OK;
}

static void show_item(struct visit *v, const struct view_item *i)
{
    struct err err = ERR_INIT;
    char room[16], title[64];
    snprintf(title, sizeof title, "Mail %s", i->reference[0] ? i->reference : item_name(i, room));
    if (!looked(v, "mail", i->key))
        return;
    if (item_page(v, i, &err) != RC_OK)
        refuse_err(v, &err);
    else
        show(v, "mail", title);
}

void page_item(struct visit *v)
{
    CLEANUP(view_clear) struct view view = {0};
    struct err err = ERR_INIT;
    put(v->page, "said", notice_of(form_get(&v->request->query, "said")));
    if (whole_item(v, v->arg[0], &view, &err) != RC_OK)
        refuse_err(v, &err);
    else
        show_item(v, view.row);
}

/* ---- deciding ----------------------------------------------------------------------------------------------- */

/* The page again, with what was typed, and why nothing was done. */
static void ask_again(struct visit *v, unsigned status, const char *problem)
{
    CLEANUP(view_clear) struct view view = {0};
    struct err err = ERR_INIT;
    if (whole_item(v, v->arg[0], &view, &err) != RC_OK) {
        refuse_err(v, &err);
        return;
    }
    v->response->status = status;
    put(v->page, "problem", problem);
    put(v->page, "from_queue", form_get(&v->request->form, "from_queue"));
    show_item(v, view.row);
}

/* Who works through the queue is shown what comes next. */
static void answered(struct visit *v, const char *said)
{
    if (form_has(&v->request->form, "from_queue"))
        redirect(v, "/queue?of=%s&said=%s", v->arg[0], said);
    else
        redirect(v, "/mail/%s?said=%s", v->arg[0], said);
}

/* A form that was open while something else happened: what, and who did it. */
static void changed_meanwhile(struct visit *v)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(str_clear) struct str text = STR_INIT;
    struct err err = ERR_INIT;
    char when[32];
    if (whole_item(v, v->arg[0], &view, &err) != RC_OK) {
        refuse_err(v, &err);
        return;
    }
    const struct view_item *i = view.row;
    const struct view_approval *last = last_decision(i);
    str_addf(&text,
             "Nothing was changed, as that answer does not fit any more: it is '%s' now%s%s. ",
             label("state", i->state), i->reason[0] ? ": " : "", label("reason", i->reason));
    if (last) {
        period_text(last->decided_ms, v->now.wall_ms, when);
        str_addf(&text, "'%s' was decided by %s at %s.", label("decision", last->decision),
                 last->by, when);
    } else {
        str_addz(&text, "Nobody decided: what was asked has been found, or taken up, meanwhile.");
    }
    v->response->status = 409;
    put(v->page, "problem", str_z(&text));
    show_item(v, i);
}

static void too_early(struct visit *v, int64_t from_ms)
{
    char text[200], when[32];
    period_text(from_ms, v->now.wall_ms, when);
    if (from_ms == INT64_MAX)
        snprintf(
            text, sizeof text,
            "Not yet: the program that sent it may still be at it. Once that is gone for good, say "
            "so below.");
    else
        snprintf(
            text, sizeof text,
            "Not yet, as the mail server may still take it. It is possible from %s. Nothing was "
            "changed.",
            when);
    ask_again(v, 409, text);
}

struct asked {
    struct decision_request request;
    struct str by;
    struct view alike;
    char key[KEY_SIZE];
    struct approved approved;
    bool note;     /* nothing but that */
    bool wants_id; /* and none was given */
};

static void asked_clear(struct asked *a)
{
    str_clear(&a->by);
    view_clear(&a->alike);
}

static enum rc read_asked(struct visit *v, struct asked *a, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct form *form = &v->request->form;
    const struct views *views = v->ops->views;
    const char *typed = form_get(form, "decision");
    a->note = strcmp(typed, "note") == 0;
    a->request.always = strcmp(typed, "conflict-new-case-always") == 0;
    if (!a->note && !decision_parse(a->request.always ? decision_text(DECIDE_NEW_CASE) : typed,
                                    &a->request.decision))
        return FAIL(err, RC_USAGE, "Choose one of the answers.");
    TRY(whole_item(v, v->arg[0], &view, err));
    const struct view_item *i = view.row;
    text_copy(a->key, sizeof a->key, i->key);
    decider_name(v, &a->by);
    a->request.key = a->key;
    a->request.by = str_z(&a->by);
    a->request.why = form_get(form, "reason");
    a->request.run_gone = form_has(form, "run_gone");
    a->request.external_id =
        a->request.decision == DECIDE_CASE_MADE && form_has(form, "external_id")
            ? form_get(form, "external_id")
            : NULL;
    const struct decision_rule *rule = decision_fitting(a->request.decision, i);
    a->wants_id = !a->note && rule && wants_case_id(rule, i) && !a->request.external_id;
    if (form_has(form, "all_like"))
        TRY(views->alike(views->self, a->key, &a->alike, err));
    return RC_OK;
}

/* True once it is to be done: at once, or by the second person. */
static bool second_person(struct visit *v, struct asked *a)
{
    CLEANUP(str_clear) struct str subject = STR_INIT;
    struct err err = ERR_INIT;
    decision_subject(&a->request, a->key, &a->alike, &subject);
    str_addz(&subject, a->request.always ? " always" : "");
    const struct approving approving = {
        .subject = str_z(&subject), .key = a->key, .by = str_z(&a->by), .why = a->request.why};
    enum rc rc = approve(v, &approving, &a->approved, &err);
    a->request.by = a->approved.first;
    a->request.second = a->approved.second;
    if (rc == RC_REFUSED)
        ask_again(v, 409, err.text);
    else if (rc != RC_OK)
        refuse_err(v, &err);
    else if (!a->approved.go_on)
        answered(v, "proposed");
    return rc == RC_OK && a->approved.go_on;
}

static enum rc
decide(struct visit *v, const struct asked *a, struct decision_result *out, struct err *err)
{
    return decide_about(v->ops, &a->request, 0, v->now, out, err);
}

/* Each stands for itself: one that cannot be answered so does not keep the others from it. */
static bool decide_alike(struct visit *v, struct asked *a)
{
    const struct view_named *n = a->alike.row;
    struct decision_result result;
    struct err err = ERR_INIT;
    bool all = true;
    for (size_t i = 0; i < a->alike.count; i++) {
        a->request.key = n[i].key;
        all = decide(v, a, &result, &err) == RC_OK && all;
    }
    return all;
}

static void follow(struct visit *v, struct asked *a)
{
    bool always = a->request.always;
    a->request.always = false; /* it is said of the one that is shown */
    answered(v, !decide_alike(v, a) ? "some" : always ? "always" : "recorded");
}

static void decided(struct visit *v, struct asked *a)
{
    struct decision_result result = {.possible_from_ms = 0};
    struct err err = ERR_INIT;
    enum rc rc = decide(v, a, &result, &err);
    if (rc == RC_DEFERRED && result.possible_from_ms > 0)
        too_early(v, result.possible_from_ms);
    else if (rc == RC_CONFLICT)
        changed_meanwhile(v);
    else if (rc != RC_OK)
        ask_again(v, rc == RC_USAGE ? 400 : 409, err.text);
    else
        follow(v, a);
}

/* It stays where it is; the next person reads what this one found. */
static void leave(struct visit *v)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(str_clear) struct str by = STR_INIT;
    const struct ledger *l = v->ops->ledger;
    const char *text = form_get(&v->request->form, "reason");
    struct err err = ERR_INIT;
    decider_name(v, &by);
    if (whole_item(v, v->arg[0], &view, &err) != RC_OK) {
        refuse_err(v, &err);
        return;
    }
    const struct view_item *i = view.row;
    if (l->operators->note(l->self, i->key, str_z(&by), text, v->now, &err) != RC_OK)
        refuse_err(v, &err);
    else
        answered(v, "noted");
}

static bool blank(const char *text)
{
    return slice_trim(slice_z(text)).len == 0;
}

void act_decide(struct visit *v)
{
    CLEANUP(asked_clear) struct asked a = {.by = STR_INIT};
    struct err err = ERR_INIT;
    if (read_asked(v, &a, &err) != RC_OK) {
        err.rc == RC_USAGE ? ask_again(v, 400, err.text) : refuse_err(v, &err);
        return;
    }
    if (blank(a.request.why)) {
        ask_again(v, 400,
                  "Say why, in a few words: it is recorded with your name. Nothing was changed.");
        return;
    }
    if (a.note) {
        leave(v);
        return;
    }
    if (a.wants_id) {
        ask_again(v, 400, "Give the case's number at its destination. Nothing was changed.");
        return;
    }
    if (v->ops->prove_runs(v->ops->self, &err) != RC_OK) {
        refuse_err(v, &err);
        return;
    }
    if (second_person(v, &a))
        decided(v, &a);
}

/* ---- replay ------------------------------------------------------------------------------------------------- */

/* As one text: what is proposed at a terminal is approved here, and the other way round. */
static enum rc
replay_approved(struct visit *v, const struct view_item *i, struct approved *out, struct err *err)
{
    CLEANUP(replay_plan_clear) struct replay_plan plan = {.selection = STR_INIT};
    CLEANUP(str_clear) struct str subject = STR_INIT;
    CLEANUP(str_clear) struct str by = STR_INIT;
    TRY(replay_plan_one(v->ops, i, false, &plan, err));
    if (strcmp(plan.plan, form_get(&v->request->form, "plan")) != 0)
        return FAIL(err, RC_CONFLICT, "the plan has changed");
    decider_name(v, &by);
    replay_subject(&plan, &subject);
    const struct approving approving = {.subject = str_z(&subject),
                                        .key = i->key,
                                        .by = str_z(&by),
                                        .why = form_get(&v->request->form, "reason")};
    return approve(v, &approving, out, err);
}

static enum rc replay(struct visit *v, struct approved *approved, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct ledger *l = v->ops->ledger;
    const struct form *form = &v->request->form;
    struct replay_result result;
    TRY(whole_item(v, v->arg[0], &view, err));
    const struct view_item *i = view.row;
    TRY(replay_approved(v, i, approved, err));
    if (!approved->go_on)
        return RC_OK;
    const struct replay_request request = {.key = i->key,
                                           .by = approved->first,
                                           .why = form_get(form, "reason"),
                                           .second = approved->second,
                                           .plan = form_get(form, "plan")};
    return l->operators->replay(l->self, &request, v->now, &result, err);
}

void act_replay(struct visit *v)
{
    struct approved approved;
    struct err err = ERR_INIT;
    if (blank(form_get(&v->request->form, "reason")))
        ask_again(v, 400,
                  "Say why, in a few words: it is recorded with your name. Nothing was changed.");
    else if (replay(v, &approved, &err) == RC_OK)
        redirect(v, "/mail/%s?said=%s", v->arg[0], approved.go_on ? "replayed" : "proposed");
    else if (err.rc == RC_CONFLICT)
        ask_again(v, 409,
                  "The plan has changed since that page was made; it is a new one now. Nothing "
                  "was done.");
    else if (err.rc == RC_REFUSED)
        ask_again(v, 409, err.text);
    else
        refuse_err(v, &err);
}
