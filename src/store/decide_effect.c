/* SPDX-License-Identifier: Apache-2.0 */
#include "decide.h"

#include "evidence.h"
#include "not_sent.h"

#include <onecase/when.h>
#include <stdio.h>
#include <string.h>

/* The effect's kind that a decision is about. */
static enum effect_kind kind_of(enum decision decision)
{
    for (size_t i = 0; i < decision_rule_count; i++)
        if (decision_rules[i].decision == decision)
            return decision_rules[i].kind;
    return EFFECT_KIND_COUNT;
}

/* The latest effect of that kind comes first: a case's closing is told after its opening. One whose
 * status the decision answers is chosen; `found` keeps the status of the last one looked at. What is
 * decided of a case is decided of a file for it, too, where nobody knows whether it is there. */
static enum rc
choose(struct deciding *d, const struct decision_rule **out, char found[16], struct err *err)
{
    static const char all[] = "SELECT id, kind, target, status, attempts FROM effect WHERE " OF_KEY(
        "effect", "$1") " AND (kind = $2"
                        " OR ($2 = 'case' AND kind = 'attachment' AND status = 'unknown'"
                        " AND target LIKE '%/%')) ORDER BY id DESC";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum rc rc;

    *out = NULL;
    snprintf(found, 16, "not planned");
    TRY(stmt_open(d->w->store->db, all, &s, err));
    stmt_text(s, 1, d->request->key);
    stmt_text(s, 2, effect_kind_text(kind_of(d->request->decision)));
    while ((rc = stmt_row(s, err)) == RC_OK) {
        snprintf(found, 16, "%s", col_text(s, "status"));
        if (!effect_status_parse(found, &d->status) ||
            !effect_kind_parse(col_text(s, "kind"), &d->kind))
            return FAIL(err, RC_BROKEN, "decide: a step is in no status");
        d->effect = col_int(s, "id");
        d->attempts = col_int(s, "attempts");
        d->has_id = strchr(col_text(s, "target"), '/') == NULL;
        *out = decision_find(d->request->decision, d->status, d->reason);
        if (*out != NULL)
            return RC_OK;
    }
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* ---- what a dead run left ------------------------------------------------------------------ */

static enum rc find_left(struct deciding *d, int64_t *effect, struct err *err)
{
    static const char find[] =
        "SELECT effect.id FROM effect"
        " JOIN attempt ON attempt.effect = effect.id AND attempt.phase = 'armed'"
        " JOIN run ON run.id = attempt.run WHERE " OF_KEY(
            "effect", "$1") " AND effect.status = 'attempting'"
                            " AND run.ended_at IS NOT NULL LIMIT 1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(d->w->store->db, find, &s, err));
    stmt_text(s, 1, d->request->key);
    TRY(stmt_row(s, err));
    *effect = col_int(s, "id");
    return RC_OK;
}

/* What a dead run left armed may have happened: a person can be asked before a service has seen it. */
static enum rc lose_left(struct deciding *d, struct err *err)
{
    struct effect_change lost = {
        .from = EFFECT_ATTEMPTING, .on = ON_LOSE, .due_ms = d->w->now.wall_ms};
    enum rc rc;

    while ((rc = find_left(d, &lost.effect, err)) == RC_OK) {
        TRY(step_effect(d->w, d->request->key, &lost, err));
        TRY(evidence_settle(d->w, d->request->key, lost.effect, err));
    }
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* ---- not sent: only once nothing can carry it any more ------------------------------------- */

static enum rc check_not_sent(struct deciding *d, struct err *err)
{
    struct not_sent_facts facts = {
        .run_gone = d->request->run_gone,
        .final_timeout_ms = d->request->final_timeout_ms,
        .evidence_wait_ms = d->request->evidence_wait_ms,
    };
    char from[WHEN_TEXT_SIZE];

    TRY(not_sent_tries(d->w->store->db, d->effect, &facts, err));
    d->out->possible_from_ms = decision_not_sent_from(&facts);
    if (d->out->possible_from_ms == INT64_MAX)
        return FAIL(err, RC_DEFERRED,
                    "decide: its run may still be alive and the connection open:"
                    " not yet (if you know that the run is gone, say so with --run-gone)");
    when_text(d->out->possible_from_ms, from);
    if (d->w->now.wall_ms < d->out->possible_from_ms)
        return FAIL(err, RC_DEFERRED, "decide: it may still be answered: possible from %s", from);
    return RC_OK;
}

/* ---- the step ------------------------------------------------------------------------------ */

static const char *reason_of(const struct deciding *d, enum effect_event on)
{
    if (on != ON_SAID_NONE)
        return NULL;
    return d->kind == EFFECT_ACKNOWLEDGEMENT ? skip_text(SKIP_SAID_NONE) : "said-none-there";
}

static enum rc step(struct deciding *d, enum effect_event on, struct err *err)
{
    const struct effect_change change = {
        .effect = d->effect,
        .from = d->status,
        .on = on,
        .external_id = on == ON_SAID_DONE ? d->request->external_id : NULL,
        .reason = reason_of(d, on),
        .due_ms = d->w->now.wall_ms,
    };

    TRY(step_effect(d->w, d->request->key, &change, err));
    return effect_step(d->kind, d->status, on, &d->out->status, err);
}

enum rc decide_effect(struct deciding *d, struct err *err)
{
    const struct decision_rule *rule;
    const char *id = d->request->external_id;
    char found[16];

    TRY(lose_left(d, err));
    TRY(choose(d, &rule, found, err));
    if (rule == NULL)
        return decided_already(d, effect_kind_text(kind_of(d->request->decision)), found, err);
    if (d->request->decision == DECIDE_CASE_MADE && d->has_id && (id == NULL || id[0] == '\0'))
        return FAIL(err, RC_USAGE, "decide: the id of the case at its destination is needed");
    if (rule->on == ON_SAID_NOT_DONE && rule->kind == EFFECT_ACKNOWLEDGEMENT)
        TRY(check_not_sent(d, err));
    TRY(step(d, rule->on, err));
    return decide_step(d, ITEM_ON_DECIDE, REASON_NONE, err);
}
