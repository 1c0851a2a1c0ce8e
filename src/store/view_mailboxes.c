/* SPDX-License-Identifier: Apache-2.0 */
#include "views_p.h"

#include <onecase/when.h>
#include <string.h>

enum rc view_states(void *self, const char *mailbox, int64_t out[ITEM_STATE_COUNT], struct err *err)
{
    static const char find[] = "SELECT state, n FROM item_count WHERE mailbox = $1";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum item_state state;
    enum rc rc;

    memset(out, 0, ITEM_STATE_COUNT * sizeof *out);
    TRY(stmt_open(store->db, find, &s, err));
    stmt_text(s, 1, mailbox);
    EACH_ROW(s, rc, err)
    if (item_state_parse(col_text(s, "state"), &state))
        out[state] = col_int(s, "n");
    return END_OF_ROWS(rc);
}

static enum rc waiting(struct db *db, struct view *view, struct view_mailbox *m, struct err *err)
{
    static const char find[] =
        "SELECT reason, COUNT(*) AS n FROM item WHERE mailbox = $1"
        " AND state = 'needs_reconciliation' GROUP BY reason ORDER BY reason";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(view, sizeof(struct view_count));
    enum rc rc;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, m->id);
    EACH_ROW(s, rc, err)
    {
        struct view_count *c = view_rows_add(view, &rows);
        c->name = view_text(view, col_text(s, "reason"));
        c->count = col_int(s, "n");
    }
    m->waiting = rows.at;
    m->waiting_count = rows.count;
    return END_OF_ROWS(rc);
}

static enum rc numbers(struct db *db, struct view_mailbox *m, struct err *err)
{
    static const char find[] =
        "SELECT (SELECT COALESCE(SUM(n), 0) FROM delivery_count"
        "  WHERE mailbox = $1 AND won = 0) AS duplicates,"
        " (SELECT MIN(created_at) FROM item WHERE mailbox = $1"
        "  AND state IN ('received', 'in_progress', 'needs_reconciliation')) AS oldest,"
        " (SELECT COUNT(*) FROM (" NOT_TOLD_KEYS ") AS told CROSS JOIN item"
        "  WHERE item.key = told.key AND item.mailbox = $1) AS not_told";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, m->id);
    TRY(stmt_row(s, err));
    m->duplicates = col_int(s, "duplicates");
    m->oldest_incomplete_ms = col_when(s, "oldest");
    m->not_told = col_int(s, "not_told");
    return RC_OK;
}

static enum rc circuits(struct db *db, struct view *view, struct view_mailbox *m, struct err *err)
{
    static const char find[] = "SELECT service, state, failures, since, next_probe, reason FROM "
                               "circuit WHERE mailbox = $1";
    static const char *const service[] = {CIRCUIT_OF_LIST(CIRCUIT_WORD)};
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(view, sizeof(struct circuit));
    enum rc rc;

    for (size_t i = 0; i < LENGTH(service); i++)
        view_rows_add(view, &rows);
    struct circuit *circuit = rows.at;
    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, m->id);
    EACH_ROW(s, rc, err)
    for (size_t i = 0; i < LENGTH(service); i++) {
        if (strcmp(service[i], col_text(s, "service")) != 0 ||
            !circuit_state_parse(col_text(s, "state"), &circuit[i].state))
            continue;
        circuit[i].failures = (unsigned)col_int(s, "failures");
        circuit[i].since_ms = col_int(s, "since");
        circuit[i].next_probe_ms = col_int(s, "next_probe");
        text_copy(circuit[i].reason, sizeof circuit[i].reason, col_text(s, "reason"));
    }
    m->circuit = circuit;
    return END_OF_ROWS(rc);
}

/* A server that has not said it for so long is not believed any more. */
#define QUOTA_HOLDS DAYS(1)

static struct quota read_quota(struct stmt *s, int64_t now_ms)
{
    int64_t at_ms = col_when(s, "quota_at");

    if (at_ms == NOT_DUE || now_ms - at_ms > QUOTA_HOLDS)
        return (struct quota){0, 0, 0, 0};
    return (struct quota){col_int(s, "quota_used_octets"), col_int(s, "quota_limit_octets"),
                          col_int(s, "quota_used_messages"), col_int(s, "quota_limit_messages")};
}

static void read_mailbox(struct stmt *s, struct view *view, int64_t now_ms, struct view_mailbox *m)
{
    m->id = view_text(view, col_text(s, "id"));
    m->backlog = col_int(s, "backlog");
    m->awaiting_choice = col_int(s, "awaiting");
    m->paused = col_int(s, "paused") == 1;
    m->claimed = col_int(s, "claimed") == 1;
    m->claim_owner = view_text(view, col_text(s, "claim_owner"));
    m->import_choice = view_text(view, col_text(s, "import_choice"));
    m->last_error = view_text(view, col_text(s, "last_error"));
    m->last_success_ms = col_int(s, "last_success");
    m->difference = col_int(s, "difference");
    m->quota = read_quota(s, now_ms);
}

static enum rc fill(struct store *store, struct view *view, struct view_mailbox *m, struct err *err)
{
    struct db *db = store->db;

    TRY(view_states(store, m->id, m->state, err));
    TRY(waiting(db, view, m, err));
    TRY(numbers(db, m, err));
    return circuits(db, view, m, err);
}

enum rc view_mailboxes(void *self, int64_t now_ms, struct view *out, struct err *err)
{
    static const char find[] =
        "SELECT id, backlog, awaiting, paused, claimed, claim_owner, import_choice, last_error,"
        " last_success, difference, quota_used_octets, quota_limit_octets, quota_used_messages,"
        " quota_limit_messages, quota_at FROM mailbox ORDER BY id";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_mailbox));
    enum rc rc;

    TRY(stmt_open(store->db, find, &s, err));
    EACH_ROW(s, rc, err)
    read_mailbox(s, out, now_ms, view_rows_add(out, &rows));
    if (rc != RC_NOT_FOUND)
        return rc;
    struct view_mailbox *m = rows.at;
    for (size_t i = 0; i < rows.count; i++)
        TRY(fill(store, out, &m[i], err));
    out->row = rows.at;
    out->count = rows.count;
    return RC_OK;
}
