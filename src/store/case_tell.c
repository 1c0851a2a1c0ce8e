/* SPDX-License-Identifier: Apache-2.0 */
#include "case_act.h"
#include "retention.h"

#include <string.h>

/* The case's first item, and what became of its first letter. */
struct first {
    enum item_state state;
    char skipped[32]; /* why nobody is to be told; "" where somebody is */
};

static enum rc find_first(struct acting *a, struct first *out, struct err *err)
{
    static const char find[] =
        "SELECT item.state, CASE WHEN " ITEM_HAS_LET_GO " THEN 'retained'"
        " WHEN item.recipient = '' THEN 'no-address'"
        " WHEN effect.id IS NULL THEN 'not-configured' WHEN effect.status = 'skipped'"
        " THEN effect.reason ELSE '' END AS skipped FROM item LEFT JOIN effect"
        " ON " OF_ITEM("effect") " AND effect.kind = 'acknowledgement' AND effect.target <> "
                                 "'closed'"
                                 " WHERE item.key = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(a->w->store->db, find, &s, err));
    stmt_text(s, 1, a->key);
    TRY(stmt_row(s, err));
    if (!item_state_parse(col_text(s, "state"), &out->state))
        return FAIL(err, RC_BROKEN, "case: item %.12s is in no state", a->key);
    return COL_COPY(s, "skipped", out->skipped, err);
}

/* Once in its life: one that was closed before has its letter. */
static enum rc
plan_letter(struct acting *a, const struct first *first, int64_t *id, struct err *err)
{
    static const char insert[] =
        "INSERT INTO effect (key, kind, target, status, reason, due, item_number)"
        " VALUES ($1, 'acknowledgement', 'closed', $2, $3, $4, " NUMBER_OF(
            "$1") ")"
                  " ON CONFLICT DO NOTHING RETURNING id";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    bool skipped = first->skipped[0] != '\0';

    TRY(stmt_open(a->w->store->db, insert, &s, err));
    stmt_text(s, 1, a->key);
    stmt_text(s, 2, effect_status_text(skipped ? EFFECT_SKIPPED : EFFECT_PLANNED));
    stmt_text(s, 3, first->skipped);
    stmt_when(s, 4, skipped ? NOT_DUE : a->w->now.wall_ms);
    enum rc rc = stmt_row(s, err);

    *id = rc == RC_OK ? col_int(s, "id") : 0;
    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    return stmt_run(s, NULL, err);
}

static enum rc add_line(struct acting *a, int64_t id, enum effect_status to, struct err *err)
{
    const struct subject subject = subject_of("effect", id);

    return event_add(a->w,
                     &(struct event){.mailbox = a->mailbox,
                                     .key = a->key,
                                     .subject = subject.text,
                                     .what = "plan",
                                     .to = effect_status_text(to),
                                     .actor = actor_text(BY_PERSON)},
                     err);
}

static enum rc make_due(struct acting *a, struct err *err)
{
    static const char update[] =
        "UPDATE item SET next_due = $1 WHERE key = $2 AND state IN ('received', 'in_progress')";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(a->w->store->db, update, &s, err));
    stmt_int(s, 1, a->w->now.wall_ms);
    stmt_text(s, 2, a->key);
    return stmt_run(s, NULL, err);
}

/* An item that waits for a person is told once that is decided. */
enum rc case_work_on(struct acting *a, struct err *err)
{
    struct first first;

    TRY(find_first(a, &first, err));
    const struct item_change change = {
        .from = first.state, .on = ITEM_ON_DECIDE, .due_ms = a->w->now.wall_ms};

    return first.state == ITEM_COMPLETE ? step_item(a->w, a->key, &change, err) : make_due(a, err);
}

enum rc case_tell(struct acting *a, struct err *err)
{
    struct first first;
    int64_t id;

    TRY(find_first(a, &first, err));
    TRY(plan_letter(a, &first, &id, err));
    if (id == 0)
        return RC_OK;
    a->out->told = first.skipped[0] == '\0';
    return add_line(a, id, a->out->told ? EFFECT_PLANNED : EFFECT_SKIPPED, err);
}

/* ---- opened again before it was sent ------------------------------------------------------- */

enum rc case_untell(struct acting *a, struct err *err)
{
    static const char find[] = "SELECT id, status FROM effect WHERE " OF_KEY(
        "effect", "$1") " AND kind = 'acknowledgement'"
                        " AND target = 'closed' AND status IN ('planned', 'deferred')";
    struct effect_change change = {
        .on = ON_SAID_NONE, .reason = skip_text(SKIP_SAID_NONE), .due_ms = NOT_DUE};
    {
        CLEANUP(stmt_done) struct stmt *s = NULL;

        TRY(stmt_open(a->w->store->db, find, &s, err));
        stmt_text(s, 1, a->key);
        enum rc rc = stmt_row(s, err);

        if (rc != RC_OK)
            return rc == RC_NOT_FOUND ? RC_OK : rc;
        change.effect = col_int(s, "id");
        if (!effect_status_parse(col_text(s, "status"), &change.from))
            return FAIL(err, RC_BROKEN, "case: a step is in no status");
    }
    return step_effect(a->w, a->key, &change, err);
}
