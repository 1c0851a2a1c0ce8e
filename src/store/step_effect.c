/* SPDX-License-Identifier: Apache-2.0 */
#include "store_p.h"

#include <stdio.h>
#include <string.h>

/* An effect as it is in the row, and where it goes. */
struct moving {
    const struct effect_change *change;
    char key[KEY_SIZE];
    char mailbox[NAME_SIZE];
    enum effect_kind kind;
    enum effect_status status;
    enum effect_status to;
    enum actor by;
    int64_t attempts;
};

static enum rc read_effect(struct db *db, struct moving *m, struct err *err)
{
    static const char find[] = "SELECT effect.key, CASE WHEN effect.elsewhere <> ''"
                               " THEN effect.elsewhere ELSE item.mailbox END AS mailbox,"
                               " effect.kind, effect.status, effect.attempts FROM effect JOIN item "
                               "ON item.key = effect.key"
                               " WHERE effect.id = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_int(s, 1, m->change->effect);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_NOT_FOUND)
        return FAIL(err, rc, "ledger: there is no step %lld", (long long)m->change->effect);
    if (rc != RC_OK)
        return rc;
    TRY(COL_COPY(s, "key", m->key, err));
    TRY(COL_COPY(s, "mailbox", m->mailbox, err));
    m->attempts = col_int(s, "attempts");
    if (!effect_kind_parse(col_text(s, "kind"), &m->kind) ||
        !effect_status_parse(col_text(s, "status"), &m->status))
        return FAIL(err, RC_BROKEN, "ledger: step %lld is of no kind or status",
                    (long long)m->change->effect);
    return RC_OK;
}

/* Reads the effect, holds it against what the caller believes, and asks the table where it goes. */
static enum rc find_step(struct db *db, const char *key, struct moving *m, struct err *err)
{
    const struct effect_change *change = m->change;

    TRY(read_effect(db, m, err));
    if (key != NULL && strcmp(key, m->key) != 0)
        return FAIL(err, RC_CONFLICT, "ledger: step %lld belongs to another item",
                    (long long)change->effect);
    if (m->status != change->from)
        return FAIL(err, RC_CONFLICT, "ledger: the %s is %s, not %s", effect_kind_text(m->kind),
                    effect_status_text(m->status), effect_status_text(change->from));
    TRY(effect_step(m->kind, change->from, change->on, &m->to, err));
    m->by = effect_find(m->kind, change->from, change->on)->by;
    return RC_OK;
}

/* ---- attempts ------------------------------------------------------------------------------ */

/* Only a letter has stages. */
static const char *stage_of(const struct moving *m)
{
    return m->kind == EFFECT_ACKNOWLEDGEMENT ? stage_text(m->change->stage) : "";
}

/* A person's command is no run: what it takes for tried was tried by one that came before it. */
static enum rc attempt_add(struct writing *w,
                           const struct moving *m,
                           enum attempt_phase phase,
                           enum outcome outcome,
                           struct err *err)
{
    static const char insert[] =
        "INSERT INTO attempt (effect, number, run, phase, outcome, stage, code, started_at, "
        "armed_at,"
        " ended_at, connection_closed, processed_uidvalidity, processed_uidnext)"
        " VALUES ($1, $2, CASE WHEN $3 <> '' THEN $3 ELSE (SELECT id FROM run"
        "  ORDER BY entered_at DESC, id LIMIT 1) END,"
        " $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
    const struct effect_change *change = m->change;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, insert, &s, err));
    stmt_int(s, 1, change->effect);
    stmt_int(s, 2, m->attempts + 1);
    stmt_text(s, 3, w->run);
    stmt_text(s, 4, attempt_phase_text(phase));
    stmt_text(s, 5, outcome_text(outcome));
    stmt_text(s, 6, phase == ATTEMPT_ENDED ? stage_of(m) : "");
    stmt_int(s, 7, change->code);
    stmt_int(s, 8, w->now.wall_ms);
    stmt_when(s, 9, phase == ATTEMPT_ENDED ? NOT_DUE : w->now.wall_ms);
    stmt_when(s, 10, phase == ATTEMPT_ARMED ? NOT_DUE : w->now.wall_ms);
    stmt_int(s, 11, phase != ATTEMPT_ARMED);
    stmt_int(s, 12, change->processed_uidvalidity);
    stmt_int(s, 13, change->processed_uidnext);
    return stmt_run(s, NULL, err);
}

static enum rc attempt_end(struct writing *w, const struct moving *m, struct err *err)
{
    static const char update[] =
        "UPDATE attempt SET phase = $1, outcome = $2, stage = $3, code = $4,"
        " ended_at = $5, connection_closed = $6"
        " WHERE effect = $7 AND phase = 'armed'";
    const struct effect_change *change = m->change;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum attempt_phase phase;

    TRY(attempt_step(ATTEMPT_ARMED, change->outcome, &phase, err));
    bool lost = phase == ATTEMPT_LOST;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_text(s, 1, attempt_phase_text(phase));
    stmt_text(s, 2, outcome_text(lost ? OUTCOME_UNKNOWN : change->outcome));
    stmt_text(s, 3, lost ? "" : stage_of(m));
    stmt_int(s, 4, change->code);
    stmt_int(s, 5, w->now.wall_ms);
    stmt_int(s, 6, change->closed);
    stmt_int(s, 7, change->effect);
    return stmt_one(s, "an attempt", err);
}

/* The attempt that this step makes or ends, as the head of steps.h lists them. */
static enum rc attempt_of(struct writing *w, const struct moving *m, bool *made, struct err *err)
{
    const struct effect_change *change = m->change;
    bool failed = change->on == ON_DEFER || change->on == ON_REFUSE;

    *made = false;
    if (change->from == EFFECT_ATTEMPTING)
        return attempt_end(w, m, err);
    *made = change->on == ON_ARM || change->on == ON_LOSE ||
            (failed && change->outcome != OUTCOME_NONE);
    if (!*made)
        return RC_OK;
    if (change->on == ON_ARM)
        return attempt_add(w, m, ATTEMPT_ARMED, OUTCOME_NONE, err);
    if (change->on == ON_LOSE)
        return attempt_add(w, m, ATTEMPT_LOST, OUTCOME_UNKNOWN, err);
    return attempt_add(w, m, ATTEMPT_ENDED, change->outcome, err);
}

enum rc attempt_doubt(struct writing *w, int64_t effect, int64_t attempts, struct err *err)
{
    static const char update[] = "UPDATE effect SET attempts = attempts + 1"
                                 " WHERE id = $1 AND attempts = $2";
    const struct effect_change change = {.effect = effect, .on = ON_LOSE};
    const struct moving m = {.change = &change, .attempts = attempts};
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(attempt_add(w, &m, ATTEMPT_LOST, OUTCOME_UNKNOWN, err));
    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_int(s, 1, effect);
    stmt_int(s, 2, attempts);
    return stmt_one(s, "a step", err);
}

/* ---- the effect ---------------------------------------------------------------------------- */

/* A person's word starts the item's time, and its count of server's faults, anew. */
static bool starts_anew(enum effect_event on)
{
    return on == ON_RESEND || on == ON_SAID_NOT_DONE;
}

/* By a statement of its own: a database enters a row anew into each index of a column that is set, also to
 * what it was, and there the rows of one turn lie as far apart as the ledger is large. */
static enum rc name_effect(struct writing *w, const struct moving *m, struct err *err)
{
    static const char update[] =
        "UPDATE effect SET target = $1, ack_id = COALESCE($2, ack_id) WHERE id = $3"
        " AND (target <> $1 OR ack_id <> COALESCE($2, ack_id))";
    const struct effect_change *change = m->change;
    char ack_id[EFFECT_ID_SIZE];
    CLEANUP(stmt_done) struct stmt *s = NULL;

    if (change->target == NULL)
        return RC_OK;
    acknowledgement_id(m->key, change->target, ack_id);
    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_text(s, 1, change->target);
    stmt_text(s, 2, m->kind == EFFECT_ACKNOWLEDGEMENT ? ack_id : NULL);
    stmt_int(s, 3, change->effect);
    return stmt_run(s, NULL, err);
}

static enum rc update_effect(struct writing *w, const struct moving *m, bool tried, struct err *err)
{
    static const char update[] =
        "UPDATE effect SET status = $1,"
        " external_id = COALESCE($2, external_id), reason = COALESCE($3, reason),"
        " code = CASE WHEN $4 = 1 THEN $5 ELSE code END, attempts = attempts + $6, due = $7,"
        " first_try = CASE WHEN $8 = 1 THEN NULL WHEN $9 = 1 THEN COALESCE(first_try, $10)"
        "             ELSE first_try END,"
        " server_faults = CASE WHEN $11 = 1 THEN server_faults + 1 WHEN $8 = 1 OR $9 = 1 THEN 0"
        "                 ELSE server_faults END WHERE id = $12 AND status = $13";
    const struct effect_change *change = m->change;
    bool answered = change->outcome != OUTCOME_NONE;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_text(s, 1, effect_status_text(m->to));
    stmt_text(s, 2, change->external_id);
    stmt_text(s, 3, change->reason);
    stmt_int(s, 4, answered);
    stmt_int(s, 5, change->code);
    stmt_int(s, 6, tried);
    stmt_when(s, 7, effect_settled(m->to) ? NOT_DUE : change->due_ms);
    stmt_int(s, 8, starts_anew(change->on));
    stmt_int(s, 9, change->counts);
    stmt_int(s, 10, w->now.wall_ms);
    stmt_int(s, 11, change->on == ON_DEFER && answered && !change->counts);
    stmt_int(s, 12, change->effect);
    stmt_text(s, 13, effect_status_text(change->from));
    TRY(stmt_one(s, "a step", err));
    return name_effect(w, m, err);
}

/* The first that is armed is kept: whatever is sent again is sent as it was. */
static enum rc keep_letter(struct writing *w, const struct moving *m, struct err *err)
{
    static const char insert[] = "INSERT INTO letter (effect, octets) VALUES ($1, $2)"
                                 " ON CONFLICT (effect) DO NOTHING";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    if (m->change->letter.len == 0)
        return RC_OK;
    TRY(stmt_open(w->store->db, insert, &s, err));
    stmt_int(s, 1, m->change->effect);
    stmt_blob(s, 2, m->change->letter);
    return stmt_run(s, NULL, err);
}

/* What arming an acknowledgement, or doubting one that was not armed here, fixes for the item: what
 * its sender is told, and under which date. */
static enum rc fix_letter(struct writing *w, const struct moving *m, struct err *err)
{
    static const char update[] = "UPDATE item SET completion = COALESCE($1, completion),"
                                 " letter_date = CASE WHEN $2 <> 0 THEN $2 ELSE letter_date END"
                                 " WHERE key = $3";
    const struct effect_change *change = m->change;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum completion told = COMPLETION_CLOSED;

    if (change->target != NULL && !completion_parse(change->target, &told))
        return FAIL(err, RC_USAGE, "ledger: '%s' is no completion state", change->target);
    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_text(s, 1, told != COMPLETION_CLOSED ? change->target : NULL);
    stmt_int(s, 2, change->letter_date_ms);
    stmt_text(s, 3, m->key);
    TRY(stmt_one(s, "an item", err));
    return keep_letter(w, m, err);
}

/* A try that came to an end was not what killed the runs before it. */
static enum rc forget_deaths(struct writing *w, const char *key, struct err *err)
{
    static const char update[] =
        "UPDATE item SET worker_deaths = 0 WHERE key = $1 AND worker_deaths > 0";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_text(s, 1, key);
    return stmt_run(s, NULL, err);
}

static enum rc add_line(struct writing *w, const struct moving *m, struct err *err)
{
    const struct subject subject = subject_of("effect", m->change->effect);
    const struct event event = {.mailbox = m->mailbox,
                                .key = m->key,
                                .subject = subject.text,
                                .what = effect_event_text(m->change->on),
                                .from = effect_status_text(m->change->from),
                                .to = effect_status_text(m->to),
                                .actor = actor_text(m->by)};

    return event_add(w, &event, err);
}

static bool fixes_letter(const struct moving *m)
{
    return m->kind == EFFECT_ACKNOWLEDGEMENT &&
           (m->change->on == ON_ARM || m->change->target != NULL);
}

enum rc
step_effect(struct writing *w, const char *key, const struct effect_change *change, struct err *err)
{
    struct moving m = {.change = change};
    bool tried;

    TRY(find_step(w->store->db, key, &m, err));
    TRY(attempt_of(w, &m, &tried, err));
    TRY(update_effect(w, &m, tried, err));
    if (fixes_letter(&m))
        TRY(fix_letter(w, &m, err));
    if (change->outcome != OUTCOME_NONE)
        TRY(forget_deaths(w, m.key, err));
    return add_line(w, &m, err);
}
