/* SPDX-License-Identifier: Apache-2.0 */
#include "elsewhere.h"

#include "load.h"
#include "store_p.h"

#include <stdlib.h>

/* How soon to look again at a copy whose item is not complete yet: the older, the later. */
#define LOOK_FIRST_MS 1000
#define LOOK_LAST_MS  900000

/* ---- what is due --------------------------------------------------------------------------- */

struct due_move {
    int64_t effect;
    char key[KEY_SIZE];
    bool armed; /* by a run that reports no more */
};

struct due_moves {
    struct due_move *at;
    size_t count;
};

static void due_clear(struct due_moves *due)
{
    free(due->at);
    *due = (struct due_moves){0};
}

/* What is due later than the longest delay was timed before the clock went back. */
static enum rc
find_due(struct store *store, const struct claiming *c, struct due_moves *out, struct err *err)
{
    static const char find[] =
        "SELECT effect.id, effect.key, effect.status FROM effect"
        " JOIN item ON item.key = effect.key CROSS JOIN run AS me"
        " LEFT JOIN attempt ON attempt.effect = effect.id AND attempt.phase = 'armed'"
        " LEFT JOIN run AS holder ON holder.id = attempt.run"
        " WHERE effect.elsewhere = $1 AND effect.elsewhere <> '' AND me.id = $2"
        " AND effect.status IN ('planned', 'deferred', 'attempting', 'unknown')"
        " AND (effect.due IS NULL OR effect.due <= $3 OR ($4 > 0 AND effect.due > $3 + $4))"
        " AND (effect.status NOT IN ('planned', 'deferred') OR item.state = 'complete')"
        " AND (effect.status <> 'attempting' OR holder.id = me.id OR holder.ended_at IS NOT NULL"
        " OR (holder.host = me.host AND holder.boot_id <> me.boot_id)"
        " OR holder.beat_at + $5 <= $3) ORDER BY effect.id LIMIT $6";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum rc rc;

    TRY(stmt_open(store->db, find, &s, err));
    stmt_text(s, 1, c->mailbox);
    stmt_text(s, 2, c->run);
    stmt_int(s, 3, c->now.wall_ms);
    stmt_int(s, 4, store->longest_delay_ms);
    stmt_int(s, 5, c->lease_ms);
    stmt_int(s, 6, (int64_t)c->limit);
    while ((rc = stmt_row(s, err)) == RC_OK) {
        struct due_move m = {.effect = col_int(s, "id")};
        enum effect_status status;

        TRY(COL_COPY(s, "key", m.key, err));
        if (!effect_status_parse(col_text(s, "status"), &status))
            return FAIL(err, RC_BROKEN, "ledger: step %lld is in no state", (long long)m.effect);
        m.armed = status == EFFECT_ATTEMPTING;
        out->at = mem_grow(out->at, out->count + 1, sizeof m);
        out->at[out->count++] = m;
    }
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* A run that claims has nothing of its own under way. */
static enum rc lose(struct writing *w, const struct due_move *m, struct err *err)
{
    const struct effect_change lost = {.effect = m->effect,
                                       .from = EFFECT_ATTEMPTING,
                                       .on = ON_LOSE,
                                       .closed = true,
                                       .due_ms = w->now.wall_ms};

    return m->armed ? step_effect(w, m->key, &lost, err) : RC_OK;
}

/* What was taken before stays; what an earlier try of this one had taken goes. */
static void taken_back_to(struct taken *t, size_t count)
{
    while (t->count > count)
        work_item_clear(&t->item[--t->count]);
}

static enum rc take_moves(struct store *store,
                          const struct claiming *c,
                          const struct due_moves *due,
                          struct taken *out,
                          struct err *err)
{
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    taken_back_to(out, out->count - out->elsewhere);
    out->elsewhere = 0;
    TRY(writing_begin_turn(store, c->run, c->now, &w, err));
    for (size_t i = 0; i < due->count; i++) {
        struct work_item item;

        TRY(lose(&w, &due->at[i], err));
        TRY(item_load_copy(store->db, due->at[i].key, due->at[i].effect, &item, err));
        out->item = mem_grow(out->item, out->count + 1, sizeof item);
        out->item[out->count++] = item;
        out->elsewhere++;
    }
    return writing_finish(&w, err);
}

enum rc
elsewhere_claim(struct store *store, const struct claiming *c, struct taken *out, struct err *err)
{
    CLEANUP(due_clear) struct due_moves due = {0};
    bool paused;

    TRY(mailbox_paused(store->db, c->mailbox, &paused, err));
    if (paused)
        return RC_OK;
    TRY(find_due(store, c, &due, err));
    return due.count > 0 ? WRITE(store, take_moves(store, c, &due, out, err)) : RC_OK;
}

/* ---- when to wake -------------------------------------------------------------------------- */

enum rc elsewhere_due(
    struct store *store, const char *mailbox, struct instant now, int64_t *due, struct err *err)
{
    static const char find[] =
        "SELECT MIN(CASE WHEN effect.due > $2 THEN effect.due"
        " WHEN ($2 - delivery.seen_at) / 4 < $3 THEN $2 + $3"
        " WHEN ($2 - delivery.seen_at) / 4 > $4 THEN $2 + $4"
        " ELSE $2 + ($2 - delivery.seen_at) / 4 END) AS due FROM effect"
        " JOIN delivery ON delivery.id = CAST(effect.target AS BIGINT)"
        " WHERE effect.elsewhere = $1 AND effect.elsewhere <> ''"
        " AND effect.status IN ('planned', 'deferred', 'attempting', 'unknown')";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(store->db, find, &s, err));
    stmt_text(s, 1, mailbox);
    stmt_int(s, 2, now.wall_ms);
    stmt_int(s, 3, LOOK_FIRST_MS);
    stmt_int(s, 4, LOOK_LAST_MS);
    TRY(stmt_row(s, err));
    if (!col_null(s, "due") && (*due == NOT_DUE || col_int(s, "due") < *due))
        *due = col_int(s, "due");
    return RC_OK;
}

/* ---- in place of a fence ------------------------------------------------------------------- */

enum rc elsewhere_guard(struct writing *w, const struct effect_change *change, struct err *err)
{
    static const char find[] =
        "SELECT CASE WHEN ($2 = 0 OR item.state = 'complete')"
        " AND ($3 = 0 OR EXISTS (SELECT 1 FROM attempt WHERE attempt.effect = effect.id"
        " AND attempt.phase = 'armed' AND attempt.run = $4)) THEN 1 ELSE 0 END AS may FROM effect"
        " JOIN item ON item.key = effect.key WHERE effect.id = $1 AND effect.elsewhere <> ''";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, find, &s, err));
    stmt_int(s, 1, change->effect);
    stmt_int(s, 2, change->on == ON_ARM);
    stmt_int(s, 3, change->from == EFFECT_ATTEMPTING);
    stmt_text(s, 4, w->run);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_NOT_FOUND)
        return FAIL(err, RC_USAGE, "ledger: such a change needs a lease");
    if (rc == RC_OK && col_int(s, "may") == 0)
        return FAIL(err, RC_CONFLICT, "ledger: step %lld is not to be taken by this run now",
                    (long long)change->effect);
    return rc;
}
