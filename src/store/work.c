/* SPDX-License-Identifier: Apache-2.0 */
#include "claim.h"
#include "commit.h"
#include "elsewhere.h"
#include "lease.h"
#include "load.h"
#include "store_p.h"

#include <stdlib.h>
#include <string.h>

/* How soon to look again at what a run on another host holds, whose lease cannot be told from here. */
#define LOOK_AGAIN_MS 60000

/* NOLINTNEXTLINE(readability-function-size): the port's shape */
static enum rc work_claim(void *self,
                          const char *run,
                          const char *mailbox,
                          struct instant now,
                          int64_t lease_ms,
                          size_t limit,
                          struct work_item **out,
                          size_t *count,
                          struct err *err)
{
    struct claiming c = {run, mailbox, now, lease_ms, limit, 0};

    TRY(lease_now(self, now, &c.lease_now_ms, err));
    return items_claim(self, &c, out, count, err);
}

static enum rc commit_once(struct store *store,
                           const char *run,
                           struct instant now,
                           const struct changes *changes,
                           size_t *failed,
                           struct err *err)
{
    CLEANUP(writing_end) struct writing w = WRITING_NONE;
    size_t place;

    TRY(writing_begin_turn(store, run, now, &w, err));
    enum rc rc = changes_apply(&w, changes, &place, err);

    if (rc != RC_OK) {
        if (failed)
            *failed = place;
        return rc == RC_NOT_FOUND ? FAIL(err, RC_CONFLICT, "ledger: what changed is gone") : rc;
    }
    return writing_finish(&w, err);
}

/* What a server answered is known here and now, and nowhere else: while it cannot be written down, a
 * person would have to be asked. */
/* NOLINTNEXTLINE(readability-function-size): the port's shape */
static enum rc work_commit(void *self,
                           const char *run,
                           struct instant now,
                           const struct change *change,
                           size_t count,
                           size_t *failed,
                           struct err *err)
{
    const struct changes changes = {change, count};

    return count == 0 ? RC_OK : WRITE(self, commit_once(self, run, now, &changes, failed, err));
}

static enum rc work_load(void *self, const char *key, struct work_item *out, struct err *err)
{
    struct store *store = self;
    CLEANUP(tx_end) struct tx tx = TX_NONE;

    TRY(tx_read(store->db, &tx, err));
    return item_load(store->db, key, out, err);
}

/* ---- when to wake -------------------------------------------------------------------------- */

static void earlier(int64_t *earliest, int64_t due)
{
    if (due != NOT_DUE && (*earliest == NOT_DUE || due < *earliest))
        *earliest = due;
}

/* Of what nobody holds, and of what this run holds. */
static enum rc
next_of_ours(struct store *store, const char *mailbox, int64_t *earliest, struct err *err)
{
    static const char find[] =
        "SELECT (SELECT MIN(next_due) FROM item WHERE mailbox = $1 AND next_due IS NOT NULL"
        " AND lease_run IS NULL) AS unheld, (SELECT MIN(next_due) FROM item"
        " WHERE lease_run = $2 AND mailbox = $1) AS own";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(store->db, find, &s, err));
    stmt_text(s, 1, mailbox);
    stmt_text(s, 2, store->run);
    TRY(stmt_row(s, err));
    earlier(earliest, col_when(s, "unheld"));
    earlier(earliest, col_when(s, "own"));
    return RC_OK;
}

/* What another run holds is due, for us, when its lease ends; at once where that cannot be. */
static int64_t due_for_us(struct stmt *s, struct instant now, int64_t lease_now_ms)
{
    int64_t due = col_int(s, "due");
    int64_t lease_ends = now.wall_ms + LOOK_AGAIN_MS;

    if (col_int(s, "same_clock") == 1)
        lease_ends = now.wall_ms + (col_int(s, "lease_boot") - lease_now_ms);
    else if (col_int(s, "void") == 1)
        return due;
    return due > lease_ends ? due : lease_ends;
}

static enum rc next_of_others(struct store *store,
                              const char *mailbox,
                              struct instant now,
                              int64_t *earliest,
                              struct err *err)
{
    static const char find[] =
        "SELECT MIN(item.next_due) AS due, MIN(item.lease_boot) AS lease_boot,"
        " CASE WHEN holder.ended_at IS NULL AND " SAME_LEASE_CLOCK " THEN 1 ELSE 0 END"
        " AS same_clock, CASE WHEN holder.ended_at IS NOT NULL OR holder.host = me.host THEN 1"
        " ELSE 0 END AS void FROM run AS me CROSS JOIN run AS holder CROSS JOIN item"
        " WHERE me.id = $1 AND holder.id <> me.id"
        " AND (holder.ended_how IS NULL OR holder.ended_how = 'dead')"
        " AND item.lease_run = holder.id AND item.mailbox = $2 GROUP BY holder.id, me.id";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    int64_t lease_now_ms;
    enum rc rc;

    TRY(lease_now(store, now, &lease_now_ms, err));
    TRY(stmt_open(store->db, find, &s, err));
    stmt_text(s, 1, store->run);
    stmt_text(s, 2, mailbox);
    while ((rc = stmt_row(s, err)) == RC_OK)
        earlier(earliest, due_for_us(s, now, lease_now_ms));
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static enum rc
work_next_due(void *self, const char *mailbox, struct instant now, int64_t *out, struct err *err)
{
    struct store *store = self;
    int64_t earliest = NOT_DUE;
    bool paused;

    TRY(mailbox_paused(store->db, mailbox, &paused, err));
    if (!paused) {
        TRY(next_of_ours(store, mailbox, &earliest, err));
        TRY(next_of_others(store, mailbox, now, &earliest, err));
        TRY(elsewhere_due(store, mailbox, now, &earliest, err));
    }
    *out = earliest;
    return RC_OK;
}

/* ---- doubts -------------------------------------------------------------------------------- */

static enum rc read_doubt(struct stmt *s, struct doubt *out, struct err *err)
{
    TRY(COL_COPY(s, "key", out->key, err));
    out->effect = col_int(s, "id");
    acknowledgement_id(out->key, col_text(s, "target"), out->effect_id);
    return RC_OK;
}

/* NOLINTNEXTLINE(readability-function-size): the port's shape */
static enum rc work_doubts(void *self,
                           const char *mailbox,
                           const char *after,
                           size_t limit,
                           struct doubt **out,
                           size_t *count,
                           struct err *err)
{
    static const char find[] =
        "SELECT effect.id, effect.key, effect.target FROM item CROSS JOIN effect"
        " WHERE item.mailbox = $1 AND item.key > $2 AND item.state = 'needs_reconciliation'"
        " AND item.reason = 'acknowledgement-unknown' AND " OF_ITEM(
            "effect") " AND effect.kind = 'acknowledgement' AND effect.status = 'unknown'"
                      " ORDER BY item.key, effect.id LIMIT $3";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    CLEANUP(mem_free) struct doubt *doubts = NULL;
    size_t found = 0;
    enum rc rc;

    TRY(stmt_open(store->db, find, &s, err));
    stmt_text(s, 1, mailbox);
    stmt_text(s, 2, after);
    stmt_int(s, 3, (int64_t)limit);
    while ((rc = stmt_row(s, err)) == RC_OK) {
        struct doubt doubt;

        TRY(read_doubt(s, &doubt, err));
        doubts = mem_grow(doubts, found + 1, sizeof doubt);
        doubts[found++] = doubt;
    }
    if (rc != RC_NOT_FOUND)
        return rc;
    *out = STEAL(doubts);
    *count = found;
    return RC_OK;
}

/* ---- read-backs ---------------------------------------------------------------------------- */

static enum rc
work_filing_taken(void *self, const char *mailbox, const char *external_id, struct err *err)
{
    static const char find[] =
        "SELECT 1 AS one FROM effect JOIN item ON item.key = effect.key"
        " WHERE effect.external_id = $1 AND effect.external_id <> '' AND effect.kind = 'move'"
        " AND effect.status = 'done' AND $2 = CASE WHEN effect.elsewhere <> ''"
        " THEN effect.elsewhere ELSE item.mailbox END LIMIT 1";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(store->db, find, &s, err));
    stmt_text(s, 1, external_id);
    stmt_text(s, 2, mailbox);
    enum rc rc = stmt_row(s, err);

    return rc == RC_NOT_FOUND ? FAIL(err, rc, "ledger: nothing was filed there") : rc;
}

/* A request and a reply stand with their message, a report with what it reports. Our own letter, seen
 * again, stands by itself: a ledger that went back in time may not know yet what it answers. */
static enum rc work_case_stands(void *self, const char *key, struct err *err)
{
    static const char find[] =
        "SELECT 1 AS one FROM item LEFT JOIN case_record ON case_record.key = item.case_key"
        " WHERE item.key = $1 AND (item.disposition = 'evidence'"
        " OR (item.disposition = 'report' AND case_record.key IS NOT NULL AND EXISTS (SELECT 1"
        " FROM bounce WHERE bounce.report_key = item.key))"
        " OR ((item.disposition = 'append' OR (item.disposition = 'case'"
        " AND case_record.key = item.key)) AND EXISTS (SELECT 1 FROM case_message"
        " WHERE " OF_ITEM("case_message") " AND case_message.direction = 'in'"
                                          " AND case_message.case_key = case_record.key)))";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(store->db, find, &s, err));
    stmt_text(s, 1, key);
    enum rc rc = stmt_row(s, err);

    return rc == RC_NOT_FOUND ? FAIL(err, rc, "ledger: item %.12s has no case", key) : rc;
}

const struct ledger_work store_work = {
    .claim = work_claim,
    .commit = work_commit,
    .load = work_load,
    .next_due = work_next_due,
    .doubts = work_doubts,
    .filing_taken = work_filing_taken,
    .case_stands = work_case_stands,
};
