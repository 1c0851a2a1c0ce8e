/* SPDX-License-Identifier: Apache-2.0 */
#include "views_p.h"

#include <string.h>

/* What did not happen twice, and where it would have. Each prevented double counts once, by the first
 * that applies: the mail arrived twice; two runs at once; a step tried again after a lost answer; a
 * person's replay; another installation, or a copy of this one that had forgotten. */

static enum rc one_number(
    struct db *db, const char *sql, const struct view_duplicates *d, int64_t *out, struct err *err)
{
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, sql, &s, err));
    stmt_int(s, 1, d->since_ms);
    stmt_int(s, 2, d->until_ms);
    TRY(stmt_row(s, err));
    *out = col_int(s, "n");
    return RC_OK;
}

/* A try whose outcome was not known, and that no later try followed: elsewhere it is done again. */
#define NOT_REPEATED                                                                               \
    "attempt.outcome = 'unknown' AND NOT EXISTS (SELECT 1 FROM attempt AS later"                   \
    " WHERE later.effect = attempt.effect AND later.number > attempt.number"                       \
    " AND later.outcome = 'done')"

static enum rc totals(struct db *db, struct view_duplicates *d, struct err *err)
{
    static const char cases[] =
        "SELECT COUNT(*) AS n FROM delivery JOIN item ON item.key = delivery.key"
        " WHERE delivery.seen_at >= $1 AND delivery.seen_at < $2"
        " AND delivery.class IN ('redelivered', 'list_copy') AND item.case_key IS NOT NULL";
    static const char withheld[] =
        "SELECT COUNT(*) AS n FROM attempt JOIN effect ON effect.id = attempt.effect"
        " WHERE attempt.started_at >= $1 AND attempt.started_at < $2"
        " AND effect.kind = 'acknowledgement' AND " NOT_REPEATED;
    /* A person said not sent, it was sent again, and the first was found after all. */
    static const char doubles[] =
        "SELECT COUNT(DISTINCT effect.id) AS n FROM effect"
        " JOIN attempt AS lost ON lost.effect = effect.id AND lost.outcome = 'unknown'"
        " JOIN attempt AS later ON later.effect = effect.id AND later.number > lost.number"
        "  AND later.outcome = 'done'"
        " JOIN evidence ON evidence.effect = effect.id AND evidence.found = 1"
        " WHERE effect.kind = 'acknowledgement'"
        " AND later.started_at >= $1 AND later.started_at < $2";

    TRY(one_number(db, cases, d, &d->cases_prevented, err));
    TRY(one_number(db, withheld, d, &d->acknowledgements_withheld, err));
    return one_number(db, doubles, d, &d->doubles, err);
}

/* ---- boundaries ---------------------------------------------------------------------------- */

static enum rc arrivals(struct db *db, struct view_duplicates *d, struct err *err)
{
    static const char again[] =
        "SELECT COUNT(*) AS n FROM delivery JOIN item ON item.key = delivery.key"
        " WHERE delivery.seen_at >= $1 AND delivery.seen_at < $2"
        " AND delivery.class IN ('redelivered', 'list_copy', 'reobserved', 'returned')"
        " AND item.case_key IS NOT NULL";
    static const char replays[] =
        "SELECT COUNT(*) AS n FROM delivery JOIN item ON item.key = delivery.key"
        " WHERE delivery.seen_at >= $1 AND delivery.seen_at < $2"
        " AND delivery.class = 'replayed' AND item.case_key IS NOT NULL";

    TRY(one_number(db, again, d, &d->by_delivery, err));
    return one_number(db, replays, d, &d->by_replay, err);
}

/* Taken over while its run may have lived: two runs at once. In doubt without a try of this ledger's:
 * another installation. Else the answer was lost. */
static enum rc tries(struct db *db, struct view_duplicates *d, struct err *err)
{
    static const char find[] =
        "SELECT CASE WHEN EXISTS (SELECT 1 FROM event WHERE event.key = effect.key"
        " AND event.subject = 'effect ' || effect.id AND event.at = attempt.ended_at"
        " AND event.to_state = 'unknown' AND event.from_state <> 'attempting') THEN 'other'"
        " WHEN attempt.phase = 'lost' AND attempt.connection_closed = 0 AND (run.ended_at IS NULL"
        " OR run.ended_at > attempt.ended_at) THEN 'run' ELSE 'retry' END AS boundary,"
        " COUNT(*) AS n FROM attempt JOIN effect ON effect.id = attempt.effect"
        " JOIN run ON run.id = attempt.run"
        " WHERE attempt.started_at >= $1 AND attempt.started_at < $2"
        " AND effect.kind IN ('acknowledgement', 'case') AND " NOT_REPEATED " GROUP BY boundary";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum rc rc;

    TRY(stmt_open(db, find, &s, err));
    stmt_int(s, 1, d->since_ms);
    stmt_int(s, 2, d->until_ms);
    EACH_ROW(s, rc, err)
    {
        const char *boundary = col_text(s, "boundary");
        int64_t n = col_int(s, "n");

        if (strcmp(boundary, "other") == 0)
            d->by_other_deployment = n;
        else if (strcmp(boundary, "run") == 0)
            d->by_concurrent_run = n;
        else
            d->by_retry = n;
    }
    return END_OF_ROWS(rc);
}

enum rc view_prevented(struct db *db, struct view_duplicates *d, struct err *err)
{
    TRY(totals(db, d, err));
    TRY(arrivals(db, d, err));
    return tries(db, d, err);
}
