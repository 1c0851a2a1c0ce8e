/* SPDX-License-Identifier: Apache-2.0 */
#include "flood.h"
#include "held_rows.h"
#include "known.h"
#include "plan_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What the mail becomes, as the policy sees it once it is no copy and nothing holds it. */
struct becoming {
    struct held held;
    struct gathered known;
    struct known_case first; /* of an appended conflict */
    struct verdict verdict;
    struct planned planned;
    struct plan plan;
};

static void becoming_clear(struct becoming *b)
{
    held_clear(&b->held);
    known_clear(&b->known);
    plan_clear(&b->plan);
}

/* Cases that its header names are looked at where it was held before anybody had looked. */
static enum rc gather(struct deciding *d, struct becoming *b, struct err *err)
{
    enum decision decision = d->request->decision;
    const struct message *m = d->request->message;

    if (decision != DECIDE_READ_AGAIN && decision != DECIDE_LET_THROUGH)
        return RC_OK;
    address_canonical(message_slice(m, m->from), &b->known.sender);
    address_canonical(policy_recipient(m), &b->known.recipient);
    TRY(known_limits(d->w->store->db, d->request->policy, &b->held.arrival, &b->known, err));
    b->known.known.sender_cases = 0; /* a person has looked at it */
    b->known.known.flood = FLOOD_UNDECIDED;
    return known_cases(d->w->store->db, d->request->policy, &b->held.arrival, &b->known, err);
}

static enum rc judge(struct deciding *d, struct becoming *b, struct err *err)
{
    TRY(gather(d, b, err));
    policy_judge(d->request->policy, &b->held.arrival, &b->known.known, d->w->now.wall_ms,
                 &b->verdict);
    if (b->verdict.joins || b->verdict.linked)
        b->planned.named = &b->known.known.cases[b->verdict.joined];
    return RC_OK;
}

/* A closed case is opened by it, whatever the configuration says about replies. */
static enum rc append(struct deciding *d, struct becoming *b, struct err *err)
{
    struct known known = {.cases = &b->first, .case_count = 1};

    TRY(held_first_case(d, &b->held, &b->first, err));
    bool open = b->first.open;

    b->first.open = true;
    policy_judge(d->request->policy, &b->held.arrival, &known, d->w->now.wall_ms, &b->verdict);
    b->first.open = open;
    b->planned.named = &b->first;
    return RC_OK;
}

/* The reason it was held for says where it is filed. */
static enum rc dismiss(struct deciding *d, struct becoming *b)
{
    b->verdict = (struct verdict){
        .disposition = DISPOSITION_DISMISSED, .state = ITEM_IN_PROGRESS, .reason = d->reason};
    return RC_OK;
}

static enum rc
become(struct deciding *d, const struct decision_rule *rule, struct becoming *b, struct err *err)
{
    if (d->request->policy == NULL)
        return FAIL(err, RC_USAGE, "decide: the mailbox's settings are needed");
    if (d->request->policy->look_only)
        return FAIL(err, RC_CONFLICT, "decide: mailbox '%s' is look-only", d->mailbox);
    if (rule->becomes == DISPOSITION_DISMISSED)
        return dismiss(d, b);
    if (d->request->message == NULL)
        return FAIL(err, RC_USAGE, "decide: the mail's original is needed");
    return rule->becomes == DISPOSITION_APPEND ? append(d, b, err) : judge(d, b, err);
}

/* Only a mail that is read for the first time may turn out to be something else, such as a report. */
static enum rc check_became(struct deciding *d,
                            const struct decision_rule *rule,
                            struct becoming *b,
                            struct err *err)
{
    bool free = d->request->decision == DECIDE_READ_AGAIN;

    if (b->verdict.disposition != rule->becomes && !free)
        return FAIL(err, RC_CONFLICT, "decide: it would become '%s', not '%s'",
                    disposition_text(b->verdict.disposition), disposition_text(rule->becomes));
    if (b->verdict.disposition == DISPOSITION_HELD)
        return FAIL(err, RC_CONFLICT, "decide: it would be held again: %s",
                    reason_text(b->verdict.reason));
    b->verdict.identity = b->held.arrival.identity;
    b->verdict.class = b->held.class;
    return RC_OK;
}

/* ---- writing it down ----------------------------------------------------------------------- */

/* A dismissal that was taken back has left its move skipped: that one is planned again. */
static enum rc
revive_move(struct deciding *d, const struct becoming *b, bool *revived, struct err *err)
{
    static const char find[] = "SELECT id FROM effect WHERE " OF_KEY(
        "effect", "$1") " AND kind = 'move'"
                        " AND target = $2 AND status = 'skipped'";
    char target[24];
    int64_t id;

    snprintf(target, sizeof target, "%" PRId64, b->held.delivery);
    {
        CLEANUP(stmt_done) struct stmt *s = NULL;

        TRY(stmt_open(d->w->store->db, find, &s, err));
        stmt_text(s, 1, d->request->key);
        stmt_text(s, 2, target);
        enum rc rc = stmt_row(s, err);

        *revived = rc == RC_OK;
        if (rc != RC_OK)
            return rc == RC_NOT_FOUND ? RC_OK : rc;
        id = col_int(s, "id");
    }
    return step_effect(
        d->w, d->request->key,
        &(struct effect_change){
            .effect = id, .from = EFFECT_SKIPPED, .on = ON_RESEND, .due_ms = d->w->now.wall_ms},
        err);
}

static void drop_move(struct plan *plan)
{
    size_t kept = 0;

    for (size_t i = 0; i < plan->effects; i++)
        if (plan->effect[i].kind != EFFECT_MOVE)
            plan->effect[kept++] = plan->effect[i];
    plan->effects = kept;
}

static enum rc write_disposition(struct deciding *d, const struct becoming *b, struct err *err)
{
    static const char update[] =
        "UPDATE item SET disposition = $1 WHERE key = $2 AND disposition = 'held'";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(d->w->store->db, update, &s, err));
    stmt_text(s, 1, disposition_text(b->verdict.disposition));
    stmt_text(s, 2, d->request->key);
    return stmt_one(s, "the item", err);
}

static enum rc write_target_folder(struct deciding *d, const struct becoming *b, struct err *err)
{
    static const char update[] = "UPDATE delivery SET move_to = $1 WHERE id = $2";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(d->w->store->db, update, &s, err));
    stmt_text(s, 1, b->plan.move_to);
    stmt_int(s, 2, b->held.delivery);
    return stmt_one(s, "a delivery", err);
}

/* Of a case that its reservation makes, the reservation's line says so. */
static enum rc say_case(struct deciding *d, struct err *err)
{
    return event_add(d->w,
                     &(struct event){.mailbox = d->mailbox,
                                     .key = d->request->key,
                                     .subject = "case",
                                     .what = "make",
                                     .to = "open",
                                     .actor = actor_text(BY_PERSON)},
                     err);
}

static enum rc make_plan(struct deciding *d, struct becoming *b, struct err *err)
{
    bool revived = false;

    plan_make(d->request->policy, &b->held.arrival, &b->verdict, &b->plan);
    if (b->plan.move_to[0] != '\0')
        TRY(revive_move(d, b, &revived, err));
    if (revived)
        drop_move(&b->plan);
    return RC_OK;
}

static enum rc write_plan(struct deciding *d, struct becoming *b, struct err *err)
{
    TRY(make_plan(d, b, err));
    b->planned.key = d->request->key;
    b->planned.policy = d->request->policy;
    b->planned.arrival = &b->held.arrival;
    b->planned.verdict = &b->verdict;
    b->planned.plan = &b->plan;
    b->planned.delivery = b->held.delivery;
    TRY(write_disposition(d, b, err));
    TRY(write_target_folder(d, b, err));
    if (b->verdict.disposition != DISPOSITION_DISMISSED)
        TRY(held_fill(d, &b->held, err));
    TRY(plan_rows_add(d->w, &b->planned, d->out->reference, err));
    return b->verdict.disposition == DISPOSITION_CASE ? say_case(d, err) : RC_OK;
}

enum rc decide_held(struct deciding *d, struct err *err)
{
    const struct decision_rule *rule =
        decision_find(d->request->decision, EFFECT_PLANNED, d->reason);
    CLEANUP(becoming_clear) struct becoming b = {.plan = {.move_to = ""}};

    if (rule == NULL || d->state != ITEM_NEEDS_RECONCILIATION)
        return decided_already(d, "item", item_state_text(d->state), err);
    TRY(held_load(d, &b.held, err));
    TRY(become(d, rule, &b, err));
    TRY(check_became(d, rule, &b, err));
    TRY(write_plan(d, &b, err));
    if (d->reason == REASON_CASE_FLOOD)
        TRY(flood_say(d->w, d->request->key, d->request->decision, err));
    return decide_step(d, ITEM_ON_DECIDE, REASON_NONE, err);
}
