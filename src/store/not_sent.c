/* SPDX-License-Identifier: Apache-2.0 */
#include "not_sent.h"

/* The last try by its time; all of them by whether they may still be alive. */
enum rc not_sent_tries(struct db *db, int64_t effect, struct not_sent_facts *out, struct err *err)
{
    static const char find[] =
        "SELECT COALESCE(MAX(COALESCE(attempt.armed_at, attempt.started_at)), 0) AS armed,"
        " COUNT(*) FILTER (WHERE attempt.outcome IN ('', 'unknown')"
        "  AND attempt.connection_closed = 0 AND run.ended_at IS NULL) AS alive"
        " FROM attempt JOIN run ON run.id = attempt.run WHERE attempt.effect = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_int(s, 1, effect);
    TRY(stmt_row(s, err));
    out->armed_ms = col_int(s, "armed");
    out->connection_closed = col_int(s, "alive") == 0;
    return RC_OK;
}
