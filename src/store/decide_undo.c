/* SPDX-License-Identifier: Apache-2.0 */
#include "decide.h"
#include "flood.h"

#include <string.h>

/* The decision that is taken back, as it was taken. */
struct before {
    int64_t approval;
    enum decision decision;
    enum effect_status status;
    enum reason reason;
    int64_t effect;   /* 0: about the item itself */
    int64_t attempts; /* tries made by then */
};

static enum rc before_of(struct stmt *s, struct before *out, struct err *err)
{
    out->approval = col_int(s, "id");
    out->effect = col_int(s, "effect");
    out->attempts = col_int(s, "attempts");
    out->status = EFFECT_PLANNED;
    if (!decision_parse(col_text(s, "decision"), &out->decision) ||
        !reason_parse(col_text(s, "from_reason"), &out->reason) ||
        (out->effect != 0 && !effect_status_parse(col_text(s, "from_status"), &out->status)))
        return FAIL(err, RC_BROKEN, "undo: approval %lld is no decision", (long long)out->approval);
    return RC_OK;
}

static enum rc find_last(struct deciding *d, struct before *out, struct err *err)
{
    static const char last[] = "SELECT id, decision, effect, from_status, from_reason, attempts"
                               " FROM approval WHERE key = $1 AND undone_at IS NULL"
                               " ORDER BY id DESC LIMIT 1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(d->w->store->db, last, &s, err));
    stmt_text(s, 1, d->request->key);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_NOT_FOUND)
        return FAIL(err, RC_CONFLICT, "undo: nothing that was decided about item %.12s stands",
                    d->request->key);
    return rc == RC_OK ? before_of(s, out, err) : rc;
}

/* The effect that the decision was about, or, of a dismissal, the move that it planned. */
static enum rc find_effect(struct deciding *d, int64_t id, enum effect_kind *kind, struct err *err)
{
    static const char find[] = "SELECT id, kind, status, attempts FROM effect WHERE " OF_KEY(
        "effect", "$1") " AND (id = $2 OR ($2 = 0 AND kind = 'move' AND target ="
                        " (SELECT CAST(id AS TEXT) FROM delivery WHERE " OF_KEY(
                            "delivery", "$1") " AND won = 1)))";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(d->w->store->db, find, &s, err));
    stmt_text(s, 1, d->request->key);
    stmt_int(s, 2, id);
    TRY(stmt_row(s, err));
    d->effect = col_int(s, "id");
    d->attempts = col_int(s, "attempts");
    if (!effect_kind_parse(col_text(s, "kind"), kind) ||
        !effect_status_parse(col_text(s, "status"), &d->status))
        return FAIL(err, RC_BROKEN, "undo: step %lld is in no status", (long long)d->effect);
    return RC_OK;
}

/* Nothing has left, and the effect stands where the decision put it. */
static enum rc check_stands(struct deciding *d,
                            const struct before *before,
                            const struct decision_rule *rule,
                            enum effect_kind kind,
                            struct err *err)
{
    enum effect_status put = EFFECT_PLANNED;

    if (before->effect != 0)
        TRY(effect_step(kind, before->status, rule->on, &put, err));
    if (d->attempts == before->attempts && d->status == put)
        return RC_OK;
    return FAIL(err, RC_CONFLICT, "undo: the %s is %s: something has left since '%s'",
                effect_kind_text(kind), effect_status_text(d->status),
                decision_text(before->decision));
}

static enum rc step_back(struct deciding *d,
                         const struct before *before,
                         const struct decision_rule *rule,
                         struct err *err)
{
    enum effect_kind kind;
    enum rc rc = find_effect(d, before->effect, &kind, err);

    if (rc == RC_NOT_FOUND) /* a dismissal whose message stays where it is */
        return RC_OK;
    if (rc != RC_OK)
        return rc;
    TRY(check_stands(d, before, rule, kind, err));
    TRY(step_effect(
        d->w, d->request->key,
        &(struct effect_change){
            .effect = d->effect, .from = d->status, .on = rule->undo, .due_ms = d->w->now.wall_ms},
        err));
    return effect_step(kind, d->status, rule->undo, &d->out->status, err);
}

static enum rc mark_undone(struct deciding *d, int64_t approval, struct err *err)
{
    static const char update[] =
        "UPDATE approval SET undone_at = $1 WHERE id = $2 AND undone_at IS NULL";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(d->w->store->db, update, &s, err));
    stmt_int(s, 1, d->w->now.wall_ms);
    stmt_int(s, 2, approval);
    return stmt_one(s, "a decision", err);
}

/* What was dismissed is held again. */
static enum rc hold_again(struct deciding *d, const struct decision_rule *rule, struct err *err)
{
    static const char update[] =
        "UPDATE item SET disposition = 'held' WHERE key = $1 AND disposition = 'dismissed'";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    if (rule->becomes != DISPOSITION_DISMISSED)
        return RC_OK;
    TRY(stmt_open(d->w->store->db, update, &s, err));
    stmt_text(s, 1, d->request->key);
    return stmt_one(s, "the item", err);
}

/* The question that is open again; of a decision before any question, whether it was sent. One that
 * waits for another reason meanwhile goes on waiting for that. */
static enum reason question(const struct deciding *d, const struct before *before)
{
    if (d->state == ITEM_NEEDS_RECONCILIATION && before->effect != 0)
        return d->reason;
    return before->reason != REASON_NONE ? before->reason : REASON_UNKNOWN_SENT;
}

enum rc decide_undo(struct deciding *d, struct err *err)
{
    struct before before = {.approval = 0};
    enum item_event on;

    TRY(find_last(d, &before, err));
    const struct decision_rule *rule =
        decision_undo(before.decision, before.status, before.reason, &on);

    if (rule == NULL)
        return FAIL(err, RC_CONFLICT, "undo: '%s' cannot be taken back",
                    decision_text(before.decision));
    TRY(step_back(d, &before, rule, err));
    TRY(mark_undone(d, before.approval, err));
    TRY(hold_again(d, rule, err));
    if (before.reason == REASON_CASE_FLOOD)
        TRY(flood_say(d->w, d->request->key, DECIDE_UNDO, err));
    return decide_step(d, on, question(d, &before), err);
}
