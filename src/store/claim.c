/* SPDX-License-Identifier: Apache-2.0 */
#include "claim.h"

#include "elsewhere.h"
#include "evidence.h"
#include "lease.h"
#include "load.h"
#include "store_p.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- candidates ---------------------------------------------------------------------------- */

struct candidate {
    char key[KEY_SIZE];
    enum item_state state;
    enum reason reason;
    int64_t fence, next_due_ms, lease_boot_ms;
    bool own;
};

struct candidates {
    struct candidate *at;
    size_t count;
};

static void candidates_clear(struct candidates *c)
{
    free(c->at);
    *c = (struct candidates){0};
}

static enum rc read_candidate(struct stmt *s, struct candidates *out, struct err *err)
{
    struct candidate c = {.fence = col_int(s, "fence"),
                          .next_due_ms = col_int(s, "next_due"),
                          .lease_boot_ms = col_int(s, "lease_boot"),
                          .own = col_int(s, "own") == 1};

    TRY(COL_COPY(s, "key", c.key, err));
    if (!item_state_parse(col_text(s, "state"), &c.state) ||
        !reason_parse(col_text(s, "reason"), &c.reason))
        return FAIL(err, RC_BROKEN, "ledger: item %.12s is in no state", c.key);
    out->at = mem_grow(out->at, out->count + 1, sizeof c);
    out->at[out->count++] = c;
    return RC_OK;
}

static enum rc read_candidates(struct stmt *s, struct candidates *out, struct err *err)
{
    enum rc rc;

    while ((rc = stmt_row(s, err)) == RC_OK)
        TRY(read_candidate(s, out, err));
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static enum rc
find_own(struct db *db, const struct claiming *c, struct candidates *out, struct err *err)
{
    static const char own[] =
        "SELECT key, state, reason, fence, next_due, lease_boot, 1 AS own FROM item"
        " WHERE lease_run = $1 AND mailbox = $2 AND next_due <= $3"
        " ORDER BY next_due, internal_ms LIMIT $4";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, own, &s, err));
    stmt_text(s, 1, c->run);
    stmt_text(s, 2, c->mailbox);
    stmt_int(s, 3, c->now.wall_ms);
    stmt_int(s, 4, (int64_t)c->limit);
    return read_candidates(s, out, err);
}

static enum rc find_free(
    struct db *db, const struct claiming *c, size_t limit, struct candidates *out, struct err *err)
{
    static const char free_ones[] =
        "SELECT key, state, reason, fence, next_due, 0 AS lease_boot, 0 AS own FROM item"
        " WHERE mailbox = $1 AND next_due <= $2 AND lease_run IS NULL"
        " ORDER BY next_due, internal_ms LIMIT $3 /* SKIP LOCKED */";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, free_ones, &s, err));
    stmt_text(s, 1, c->mailbox);
    stmt_int(s, 2, c->now.wall_ms);
    stmt_int(s, 3, (int64_t)limit);
    return read_candidates(s, out, err);
}

/* Of other runs whose end is recorded or whose lease has ended. CROSS JOIN: from the few runs to what
 * they hold, never from the many items to who holds them. */
static enum rc find_lapsed(
    struct db *db, const struct claiming *c, size_t limit, struct candidates *out, struct err *err)
{
    static const char lapsed[] =
        "SELECT item.key, item.state, item.reason, item.fence, item.next_due, item.lease_boot,"
        " 0 AS own FROM run AS me CROSS JOIN run AS holder CROSS JOIN item"
        " WHERE me.id = $1 AND holder.id <> me.id"
        " AND (holder.ended_how IS NULL OR holder.ended_how = 'dead')"
        " AND item.lease_run = holder.id AND item.mailbox = $5 AND item.next_due <= $3"
        " AND " LEASE_FREE " ORDER BY item.next_due, item.internal_ms LIMIT $6";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, lapsed, &s, err));
    stmt_text(s, 1, c->run);
    stmt_int(s, 2, c->lease_now_ms);
    stmt_int(s, 3, c->now.wall_ms);
    stmt_int(s, 4, c->lease_ms);
    stmt_text(s, 5, c->mailbox);
    stmt_int(s, 6, (int64_t)limit);
    return read_candidates(s, out, err);
}

enum rc mailbox_paused(struct db *db, const char *mailbox, bool *out, struct err *err)
{
    static const char find[] =
        "SELECT 1 AS one FROM mailbox WHERE id = $1 AND paused = 1 AND paused_effects = 0";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, mailbox);
    enum rc rc = stmt_row(s, err);

    *out = rc == RC_OK;
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static enum rc
find_others(struct db *db, const struct claiming *c, struct candidates *out, struct err *err)
{
    size_t own = out->count;
    size_t room = own <= c->limit / 2 ? c->limit - own : c->limit / 2;

    TRY(find_free(db, c, room, out, err));
    return find_lapsed(db, c, room - (out->count - own), out, err);
}

/* A crowd of either kind, its own and others', leaves half of the room to the other. */
static enum rc
find_due(struct db *db, const struct claiming *c, struct candidates *out, struct err *err)
{
    bool paused;

    TRY(mailbox_paused(db, c->mailbox, &paused, err));
    if (paused)
        return RC_OK;
    TRY(find_own(db, c, out, err));

    size_t own = out->count;

    TRY(find_others(db, c, out, err));

    size_t others = out->count - own;
    size_t kept = own + others > c->limit ? c->limit - others : own;

    if (kept < own)
        memmove(out->at + kept, out->at + own, others * sizeof *out->at);
    out->count = kept + others;
    return RC_OK;
}

/* ---- taking one ---------------------------------------------------------------------------- */

static enum rc take_lease(struct writing *w,
                          const struct claiming *c,
                          const struct candidate *item,
                          struct err *err)
{
    static const char update[] =
        "UPDATE item SET lease_run = $1, lease_boot = $2, fence = fence + $3"
        " WHERE key = $4 AND fence = $5";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_text(s, 1, c->run);
    stmt_int(s, 2, w->lease_now_ms + c->lease_ms);
    stmt_int(s, 3, !item->own);
    stmt_text(s, 4, item->key);
    stmt_int(s, 5, item->fence);
    return stmt_one(s, "an item", err);
}

static enum rc step_claimed(struct writing *w, const struct candidate *item, struct err *err)
{
    struct item_change change = {.from = item->state,
                                 .on = ITEM_ON_CLAIM,
                                 .reason = item->reason,
                                 .due_ms = item->next_due_ms};

    if (!item_find(item->state, ITEM_ON_CLAIM))
        return RC_OK;
    return step_item(w, item->key, &change, err);
}

static enum rc find_attempting(struct db *db, const char *key, int64_t *effect, struct err *err)
{
    static const char find[] = "SELECT id FROM effect WHERE " OF_KEY(
        "effect", "$1") " AND status = 'attempting' ORDER BY id LIMIT 1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, key);
    TRY(stmt_row(s, err));
    *effect = col_int(s, "id");
    return RC_OK;
}

/* What another run left armed may have happened; so may what this run could not report on, but that
 * one's connection is closed: a run that claims has none open. */
static enum rc lose_attempts(struct writing *w, const struct candidate *item, struct err *err)
{
    struct effect_change lost = {
        .from = EFFECT_ATTEMPTING, .on = ON_LOSE, .closed = item->own, .due_ms = w->now.wall_ms};
    enum rc rc;

    while ((rc = find_attempting(w->store->db, item->key, &lost.effect, err)) == RC_OK) {
        TRY(step_effect(w, item->key, &lost, err));
        TRY(evidence_settle(w, item->key, lost.effect, err));
    }
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* Its own with half of its lease before it, and begun, needs nothing. */
static enum rc
take(struct writing *w, const struct claiming *c, const struct candidate *item, struct err *err)
{
    if (!item->own || item->lease_boot_ms < w->lease_now_ms + c->lease_ms / 2)
        TRY(take_lease(w, c, item, err));
    if (!item->own || item->state == ITEM_RECEIVED)
        TRY(step_claimed(w, item, err));
    return lose_attempts(w, item, err);
}

static void taken_clear(struct taken *t)
{
    work_items_free(t->item, t->count);
    *t = (struct taken){0};
}

static enum rc take_all(struct writing *w,
                        const struct claiming *c,
                        const struct candidates *due,
                        struct taken *out,
                        struct err *err)
{
    out->item = mem_new(due->count, sizeof *out->item);
    for (size_t i = 0; i < due->count; i++) {
        TRY(take(w, c, &due->at[i], err));
        TRY(item_load(w->store->db, due->at[i].key, &out->item[out->count], err));
        out->count++;
    }
    return RC_OK;
}

/* From the commit on they are this run's, and writes of who held them fail. */
static enum rc
take_due(struct store *store, const struct claiming *c, struct taken *out, struct err *err)
{
    CLEANUP(candidates_clear) struct candidates due = {0};
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    taken_clear(out);
    TRY(writing_begin_turn(store, c->run, c->now, &w, err));
    TRY(find_due(store->db, c, &due, err));
    TRY(take_all(&w, c, &due, out, err));
    return writing_finish(&w, err);
}

/* ---- doubts of one's own ------------------------------------------------------------------- */

static enum rc has_open_doubts(struct db *db, const char *run, struct err *err)
{
    static const char find[] = "SELECT 1 AS one FROM attempt WHERE run = $1"
                               " AND outcome = 'unknown' AND connection_closed = 0 LIMIT 1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, run);
    return stmt_row(s, err);
}

static enum rc end_own_doubts_once(struct store *store, const char *run, struct err *err)
{
    static const char update[] = "UPDATE attempt SET connection_closed = 1 WHERE run = $1"
                                 " AND outcome = 'unknown' AND connection_closed = 0";
    CLEANUP(writing_end) struct writing w = WRITING_NONE;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum rc rc = has_open_doubts(store->db, run, err);

    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    TRY(writing_begin_turn(store, run, (struct instant){0}, &w, err));
    TRY(stmt_open(store->db, update, &s, err));
    stmt_text(s, 1, run);
    TRY(stmt_run(s, NULL, err));
    return writing_finish(&w, err);
}

enum rc end_own_doubts(struct store *store, const char *run, struct err *err)
{
    return WRITE(store, end_own_doubts_once(store, run, err));
}

/* ---- a clock that went back ---------------------------------------------------------------- */

/* Nothing that was tried waits longer than the longest delay, so what is due later was timed before the
 * clock went back: it would wait as long as the jump. What waits for its first try may be far ahead (a
 * limit's window); only its look is brought near. */
static enum rc is_too_far(struct db *db, const struct claiming *c, int64_t until, struct err *err)
{
    static const char find[] = "SELECT 1 AS one FROM item WHERE mailbox = $1 AND next_due > $2"
                               " AND lease_run IS NULL UNION ALL SELECT 1 AS one FROM item"
                               " WHERE lease_run = $3 AND mailbox = $1 AND next_due > $2 LIMIT 1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, c->mailbox);
    stmt_int(s, 2, until);
    stmt_text(s, 3, c->run);
    return stmt_row(s, err);
}

#define TOO_FAR                                                                                    \
    "(SELECT key FROM item WHERE mailbox = $1 AND next_due > $2 AND lease_run IS NULL"             \
    " UNION ALL SELECT key FROM item WHERE lease_run = $3 AND mailbox = $1 AND next_due > $2)"

static enum rc run_near(
    struct store *store, const struct claiming *c, const char *sql, int64_t until, struct err *err)
{
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(store->db, sql, &s, err));
    stmt_text(s, 1, c->mailbox);
    stmt_int(s, 2, until);
    stmt_text(s, 3, c->run);
    return stmt_run(s, NULL, err);
}

static enum rc bring_near_once(struct store *store, const struct claiming *c, struct err *err)
{
    static const char steps[] =
        "UPDATE effect SET due = $2 WHERE status = 'deferred'"
        " AND attempts > 0 AND due > $2 AND id IN (SELECT effect.id FROM item"
        " CROSS JOIN effect WHERE item.key IN " TOO_FAR " AND " OF_ITEM("effect") ")";
    static const char items[] = "UPDATE item SET next_due = $2 WHERE key IN " TOO_FAR;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;
    int64_t until = c->now.wall_ms + store->longest_delay_ms;

    if (store->longest_delay_ms == 0)
        return RC_OK;
    enum rc rc = is_too_far(store->db, c, until, err);

    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    TRY(writing_begin_turn(store, c->run, c->now, &w, err));
    TRY(run_near(store, c, steps, until, err));
    TRY(run_near(store, c, items, until, err));
    return writing_finish(&w, err);
}

static enum rc bring_near(struct store *store, const struct claiming *c, struct err *err)
{
    return WRITE(store, bring_near_once(store, c, err));
}

/* An idle look must not wait for the write lock. */
static enum rc
claim_due(struct store *store, const struct claiming *c, struct taken *taken, struct err *err)
{
    CLEANUP(candidates_clear) struct candidates look = {0};

    TRY(find_due(store->db, c, &look, err));
    if (look.count > 0)
        TRY(WRITE(store, take_due(store, c, taken, err)));
    return elsewhere_claim(store, c, taken, err);
}

enum rc items_claim(struct store *store,
                    const struct claiming *c,
                    struct work_item **out,
                    size_t *count,
                    struct err *err)
{
    CLEANUP(taken_clear) struct taken taken = {0};

    *out = NULL;
    *count = 0;
    TRY(end_own_doubts(store, c->run, err));
    TRY(bring_near(store, c, err));
    TRY(claim_due(store, c, &taken, err));
    *out = STEAL(taken.item);
    *count = taken.count;
    taken.count = 0;
    return RC_OK;
}
