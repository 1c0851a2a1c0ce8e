/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence.h"

#include "store_p.h"

#include <stdio.h>
#include <string.h>

/* A connection that is known to be closed cannot carry a letter that a person says was not sent. */
static enum rc try_is_over(struct writing *w, int64_t effect, struct err *err)
{
    static const char update[] = "UPDATE attempt SET connection_closed = 1"
                                 " WHERE effect = $1 AND run = $2 AND phase = 'lost'";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_int(s, 1, effect);
    stmt_text(s, 2, w->run);
    return stmt_run(s, NULL, err);
}

enum rc evidence_add(struct writing *w,
                     const char *key,
                     const struct evidence_change *change,
                     struct err *err)
{
    static const char insert[] =
        "INSERT INTO evidence (key, effect, kind, found, place, run, seen_at)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7)";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, insert, &s, err));
    stmt_text(s, 1, key);
    stmt_int(s, 2, change->effect);
    stmt_text(s, 3, change->kind);
    stmt_int(s, 4, change->found);
    stmt_text(s, 5, change->where ? change->where : "");
    stmt_text(s, 6, w->run);
    stmt_int(s, 7, w->now.wall_ms);
    TRY(stmt_run(s, NULL, err));
    return change->over ? try_is_over(w, change->effect, err) : RC_OK;
}

/* In doubt, or due again after a doubt that a person, or nobody, has answered: what was found shows that
 * an earlier try went out. */
static enum rc
shown(struct db *db, int64_t effect, bool *out, enum effect_status *status, struct err *err)
{
    static const char find[] =
        "SELECT effect.status FROM effect JOIN evidence ON evidence.key = effect.key"
        " AND evidence.effect = effect.id AND evidence.found = 1"
        " WHERE effect.id = $1 AND (effect.status = 'unknown' OR (effect.status = 'deferred'"
        "  AND EXISTS (SELECT 1 FROM attempt WHERE attempt.effect = effect.id"
        "   AND attempt.outcome = 'unknown'))) LIMIT 1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    *out = false;
    TRY(stmt_open(db, find, &s, err));
    stmt_int(s, 1, effect);
    enum rc rc = stmt_row(s, err);

    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    if (!effect_status_parse(col_text(s, "status"), status))
        return FAIL(err, RC_BROKEN, "evidence: a step is in no status");
    *out = true;
    return RC_OK;
}

enum rc evidence_settle(struct writing *w, const char *key, int64_t effect, struct err *err)
{
    struct effect_change change = {.effect = effect, .on = ON_EVIDENCE, .due_ms = NOT_DUE};
    bool settles;

    TRY(shown(w->store->db, effect, &settles, &change.from, err));
    if (!settles)
        return RC_OK;
    TRY(step_effect(w, key, &change, err));
    return evidence_answers(w, key, err);
}

/* ---- the item ------------------------------------------------------------------------------ */

static enum rc due_now(struct writing *w, const char *key, struct err *err)
{
    static const char update[] = "UPDATE item SET next_due = $1 WHERE key = $2"
                                 " AND state IN ('received', 'in_progress')"
                                 " AND (next_due IS NULL OR next_due > $1)";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_int(s, 1, w->now.wall_ms);
    stmt_text(s, 2, key);
    return stmt_run(s, NULL, err);
}

/* What a person is asked about a confirmation is answered by its copy, whatever became of a later try. */
static bool about_letter(enum reason reason)
{
    return reason == REASON_UNKNOWN_SENT || reason == REASON_GAVE_UP ||
           reason == REASON_REPLY_WAITS;
}

static enum rc asked(struct db *db, const char *key, bool *out, struct err *err)
{
    static const char find[] = "SELECT state, reason FROM item WHERE key = $1";
    enum reason reason;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, key);
    TRY(stmt_row(s, err));
    *out = strcmp(col_text(s, "state"), item_state_text(ITEM_NEEDS_RECONCILIATION)) == 0 &&
           reason_parse(col_text(s, "reason"), &reason) && about_letter(reason);
    return RC_OK;
}

enum rc evidence_answers(struct writing *w, const char *key, struct err *err)
{
    struct item_change change = {.from = ITEM_NEEDS_RECONCILIATION,
                                 .on = ITEM_ON_EVIDENCE,
                                 .reason = REASON_NONE,
                                 .due_ms = w->now.wall_ms};
    bool waits;

    TRY(asked(w->store->db, key, &waits, err));
    return waits ? step_item(w, key, &change, err) : due_now(w, key, err);
}

/* ---- what came before its acknowledgement was known ---------------------------------------- */

static enum rc named(struct db *db, const char *ack_id, bool *out, struct err *err)
{
    static const char find[] =
        "SELECT 1 AS one FROM item WHERE names_ack = $1 AND names_ack <> '' LIMIT 1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, ack_id);
    enum rc rc = stmt_row(s, err);

    *out = rc == RC_OK;
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

enum rc evidence_named(
    struct writing *w, const char *key, int64_t effect, const char *ack_id, struct err *err)
{
    struct evidence_change found = {.effect = effect, .kind = "named", .found = true};
    bool seen;

    TRY(named(w->store->db, ack_id, &seen, err));
    if (!seen)
        return RC_OK;
    TRY(evidence_add(w, key, &found, err));
    return evidence_settle(w, key, effect, err);
}
