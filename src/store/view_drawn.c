/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers that the console draws: per hour, how long, how often found.
 */
#include "views_p.h"

#include <onecase/when.h>

enum rc
view_hours(void *self, const char *mailbox, int64_t since_ms, struct view *out, struct err *err)
{
    static const char find[] =
        "SELECT hour, SUM(arrived) AS arrived, SUM(told) AS told FROM ("
        "SELECT seen_at / 3600000 AS hour, COUNT(*) AS arrived, 0 AS told FROM delivery"
        " WHERE seen_at >= $1 AND mailbox || '' = $2 GROUP BY seen_at / 3600000 UNION ALL"
        " SELECT attempt.started_at / 3600000, 0, COUNT(*) FROM attempt"
        " CROSS JOIN effect CROSS JOIN item WHERE effect.id = attempt.effect"
        " AND item.key = effect.key AND attempt.started_at >= $1 AND "
        "attempt.outcome = 'done'"
        " AND effect.kind = 'acknowledgement' AND item.mailbox = $2"
        " GROUP BY attempt.started_at / 3600000) AS counted GROUP BY hour ORDER BY hour";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_hour));
    enum rc rc;

    TRY(stmt_open(store->db, find, &s, err));
    stmt_int(s, 1, since_ms);
    stmt_text(s, 2, mailbox);
    EACH_ROW(s, rc, err)
    {
        struct view_hour *h = view_rows_add(out, &rows);
        h->start_ms = col_int(s, "hour") * HOURS(1);
        h->arrivals = col_int(s, "arrived");
        h->told = col_int(s, "told");
    }
    out->row = rows.at;
    out->count = rows.count;
    return END_OF_ROWS(rc);
}

/* ---- how long a confirmation took --------------------------------------------------------------- */

#define TOLD                                                                                       \
    " FROM attempt CROSS JOIN effect CROSS JOIN item WHERE effect.id = attempt.effect"             \
    " AND item.key = effect.key AND attempt.started_at >= $1 AND attempt.outcome = 'done'"         \
    " AND attempt.ended_at IS NOT NULL"                                                            \
    " AND effect.kind = 'acknowledgement' AND item.mailbox = $2"

static enum rc
count_told(struct db *db, int64_t since_ms, const char *mailbox, int64_t *out, struct err *err)
{
    static const char count[] = "SELECT COUNT(*) AS n" TOLD;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, count, &s, err));
    stmt_int(s, 1, since_ms);
    stmt_text(s, 2, mailbox);
    TRY(stmt_row(s, err));
    *out = col_int(s, "n");
    return RC_OK;
}

static enum rc nth_told(
    struct db *db, int64_t since_ms, const char *mailbox, int64_t n, int64_t *out, struct err *err)
{
    static const char nth[] = "SELECT attempt.ended_at - item.internal_ms AS took" TOLD
                              " ORDER BY took LIMIT 1 OFFSET $3";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, nth, &s, err));
    stmt_int(s, 1, since_ms);
    stmt_text(s, 2, mailbox);
    stmt_int(s, 3, n);
    TRY(stmt_row(s, err));
    *out = col_int(s, "took");
    return RC_OK;
}

enum rc view_latency(void *self,
                     const char *mailbox,
                     int64_t since_ms,
                     int64_t *middle,
                     int64_t *most,
                     struct err *err)
{
    struct store *store = self;
    CLEANUP(tx_end) struct tx tx = TX_NONE;
    int64_t n;

    *middle = *most = NOT_DUE;
    TRY(tx_read(store->db, &tx, err));
    TRY(count_told(store->db, since_ms, mailbox, &n, err));
    if (n == 0)
        return RC_OK;
    TRY(nth_told(store->db, since_ms, mailbox, (n - 1) / 2, middle, err));
    return nth_told(store->db, since_ms, mailbox, (n - 1) * 19 / 20, most, err);
}

/* ---- how often what was looked for was found ------------------------------------------------------ */

enum rc view_track_of(void *self, const char *mailbox, struct view_track *out, struct err *err)
{
    static const char count[] =
        "SELECT COUNT(*) AS looked, COALESCE(SUM(found), 0) AS found FROM ("
        "SELECT MAX(evidence.found) AS found FROM evidence CROSS JOIN item"
        " WHERE item.key = evidence.key AND item.mailbox = $1 AND evidence.kind IN "
        "('evidence-folder', 'blind-copy',"
        " 'delivery-report', 'reply', 'named') AND EXISTS (SELECT 1 FROM attempt"
        "  WHERE attempt.effect = evidence.effect AND attempt.outcome = 'unknown')"
        " GROUP BY evidence.effect) AS one";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(store->db, count, &s, err));
    stmt_text(s, 1, mailbox);
    TRY(stmt_row(s, err));
    out->looked = col_int(s, "looked");
    out->found = col_int(s, "found");
    return RC_OK;
}
