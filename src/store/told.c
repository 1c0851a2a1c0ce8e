/* SPDX-License-Identifier: Apache-2.0 */
#include "told.h"

#include "store_p.h"

#include <onecase/when.h>

static int64_t minute_of(int64_t at_ms)
{
    return at_ms / MINUTES(1) - (at_ms % MINUTES(1) < 0);
}

enum rc told_add(struct writing *w, const char *mailbox, int64_t internal_ms, struct err *err)
{
    static const char upsert[] =
        "INSERT INTO told (mailbox, minute, answers) VALUES ($1, $2, 1)"
        " ON CONFLICT (mailbox, minute) DO UPDATE SET answers = told.answers + 1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, upsert, &s, err));
    stmt_text(s, 1, mailbox);
    stmt_int(s, 2, minute_of(internal_ms));
    return stmt_run(s, NULL, err);
}

enum rc told_within(struct db *db,
                    const char *mailbox,
                    int64_t until_ms,
                    int64_t window_ms,
                    unsigned *out,
                    struct err *err)
{
    static const char sum[] = "SELECT COALESCE(SUM(answers), 0) AS answers FROM told"
                              " WHERE mailbox = $1 AND minute > $2 AND minute <= $3";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, sum, &s, err));
    stmt_text(s, 1, mailbox);
    stmt_int(s, 2, minute_of(until_ms - window_ms));
    stmt_int(s, 3, minute_of(until_ms));
    TRY(stmt_row(s, err));
    *out = (unsigned)col_int(s, "answers");
    return RC_OK;
}
