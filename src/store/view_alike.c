/* SPDX-License-Identifier: Apache-2.0 */
#include "views_p.h"

#include <string.h>

/* When, and by which run, an item broke: by its last try, or where there is none by its arrival. */
#define LAST_TRY                                                                                   \
    " LEFT JOIN attempt ON attempt.id = (SELECT MAX(tried.id) FROM effect"                         \
    " CROSS JOIN attempt AS tried WHERE tried.effect = effect.id AND " OF_ITEM("effect") ")"
#define BROKE_RUN                                                                                  \
    "COALESCE(attempt.run, (SELECT delivery.run FROM delivery"                                     \
    " WHERE " OF_ITEM("delivery") " AND delivery.won = 1)) AS run"
/* Its help desk, where its case is to be made at one. */
#define BROKE_DESK                                                                                 \
    "COALESCE((SELECT MIN(effect.target) FROM effect WHERE " OF_ITEM(                              \
        "effect") ""                                                                               \
                  " AND effect.kind = 'case' AND effect.target <> 'ledger'"                        \
                  " AND effect.target NOT LIKE '%/%'), '') AS desk"
#define BROKE_MINUTE "COALESCE(attempt.started_at, item.created_at) / 60000 AS minute"

struct broke {
    char mailbox[NAME_SIZE], reason[32], run[RUN_ID_SIZE], desk[NAME_SIZE];
    struct str sender; /* plain */
    int64_t minute;
};

static void broke_clear(struct broke *b)
{
    str_clear(&b->sender);
}

static enum rc find_broke(struct db *db, const char *key, struct broke *out, struct err *err)
{
    static const char find[] =
        "SELECT item.mailbox, item.reason, item.sender_plain, " BROKE_RUN ", " BROKE_DESK
        ", " BROKE_MINUTE " FROM item" LAST_TRY " WHERE item.key = $1"
        " AND item.state = 'needs_reconciliation'";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, key);
    TRY(stmt_row(s, err));
    TRY(COL_COPY(s, "mailbox", out->mailbox, err));
    TRY(COL_COPY(s, "reason", out->reason, err));
    TRY(COL_COPY(s, "run", out->run, err));
    TRY(COL_COPY(s, "desk", out->desk, err));
    out->minute = col_int(s, "minute");
    str_add(&out->sender, col_slice(s, "sender_plain"));
    return RC_OK;
}

/* A flood is one sender's, and what a help desk that is gone leaves is that desk's, whenever and whoever took
 * it in. */
static bool is_alike(struct stmt *s, const struct broke *broke)
{
    if (strcmp(broke->reason, reason_text(REASON_CASE_FLOOD)) == 0)
        return slice_eq(col_slice(s, "sender_plain"), str_slice(&broke->sender));
    if (strcmp(broke->reason, reason_text(REASON_DESTINATION_GONE)) == 0)
        return strcmp(col_text(s, "desk"), broke->desk) == 0;
    return strcmp(col_text(s, "run"), broke->run) == 0 || col_int(s, "minute") == broke->minute;
}

static enum rc find_alike(
    struct db *db, const char *key, const struct broke *broke, struct view *out, struct err *err)
{
    static const char find[] =
        "SELECT item.key, item.sender_plain,"
        " COALESCE(case_record.reference, '') AS reference, " BROKE_RUN ", " BROKE_DESK
        ", " BROKE_MINUTE
        " FROM item LEFT JOIN case_record ON case_record.key = item.case_key" LAST_TRY
        " WHERE item.mailbox = $1 AND item.reason = $2 AND item.state = 'needs_reconciliation'"
        " AND item.key <> $3 ORDER BY item.created_at, item.key";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_named));
    enum rc rc;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, broke->mailbox);
    stmt_text(s, 2, broke->reason);
    stmt_text(s, 3, key);
    EACH_ROW(s, rc, err)
    {
        if (!is_alike(s, broke))
            continue;
        struct view_named *n = view_rows_add(out, &rows);
        n->key = view_text(out, col_text(s, "key"));
        n->reference = view_text(out, col_text(s, "reference"));
    }
    out->row = rows.at;
    out->count = rows.count;
    return END_OF_ROWS(rc);
}

enum rc view_alike(void *self, const char *key, struct view *out, struct err *err)
{
    struct store *store = self;
    CLEANUP(tx_end) struct tx tx = TX_NONE;
    CLEANUP(broke_clear) struct broke broke = {.minute = 0};

    TRY(tx_read(store->db, &tx, err));
    enum rc rc = find_broke(store->db, key, &broke, err);

    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    return find_alike(store->db, key, &broke, out, err);
}

enum rc view_awaited(void *self, struct view *out, struct err *err)
{
    static const char find[] =
        "SELECT target, COUNT(*) AS steps FROM effect WHERE kind = 'case' AND target <> 'ledger'"
        " AND status IN ('planned', 'attempting', 'deferred', 'unknown')"
        " GROUP BY target ORDER BY target";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_awaited));
    enum rc rc;

    TRY(stmt_open(store->db, find, &s, err));
    EACH_ROW(s, rc, err)
    {
        struct view_awaited *a = view_rows_add(out, &rows);

        a->target = view_text(out, col_text(s, "target"));
        a->steps = col_int(s, "steps");
    }
    out->row = rows.at;
    out->count = rows.count;
    return END_OF_ROWS(rc);
}
