/* SPDX-License-Identifier: Apache-2.0 */
#include "views_p.h"

static void webhook_row(struct stmt *s, struct view *view, struct view_webhook *w)
{
    w->name = view_text(view, col_text(s, "name"));
    w->why = view_text(view, col_text(s, "why"));
    w->enlisted = col_int(s, "enlisted") != 0;
    w->waiting = col_int(s, "waiting");
    w->dead = col_int(s, "dead");
    w->done = col_int(s, "done");
    w->oldest_ms = col_when(s, "oldest");
    w->due_ms = col_when(s, "due");
    w->failing_since_ms = col_when(s, "failing_since");
    w->last_done_ms = col_when(s, "last_done");
}

/* Those of which posts are left although they are configured no longer, too. */
enum rc view_webhook_rows(
    struct db *db, struct view *view, struct view_webhook **out, size_t *count, struct err *err)
{
    static const char find[] =
        "SELECT all_names.name, CASE WHEN webhook.name IS NULL THEN 0 ELSE 1 END AS enlisted,"
        " COALESCE(webhook.why, '') AS why, webhook.due, webhook.failing_since, webhook.last_done,"
        " COALESCE(counted.waiting, 0) AS waiting, COALESCE(counted.dead, 0) AS dead,"
        " COALESCE(counted.done, 0) + COALESCE(webhook.let_go, 0) AS done, counted.oldest"
        " FROM (SELECT name FROM webhook UNION SELECT webhook FROM webhook_outbox) AS all_names"
        " LEFT JOIN webhook ON webhook.name = all_names.name LEFT JOIN (SELECT webhook,"
        "  COUNT(*) FILTER (WHERE status IN ('planned', 'deferred')) AS waiting,"
        "  COUNT(*) FILTER (WHERE status = 'refused') AS dead,"
        "  COUNT(*) FILTER (WHERE status = 'done') AS done,"
        "  MIN(CASE WHEN status IN ('planned', 'deferred') THEN created_at END) AS oldest"
        "  FROM webhook_outbox GROUP BY webhook) AS counted ON counted.webhook = all_names.name"
        " ORDER BY all_names.name";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(view, sizeof(struct view_webhook));
    enum rc rc;

    TRY(stmt_open(db, find, &s, err));
    EACH_ROW(s, rc, err)
    webhook_row(s, view, view_rows_add(view, &rows));
    *out = rows.at;
    *count = rows.count;
    return END_OF_ROWS(rc);
}

enum rc view_webhooks(void *self, struct view *out, struct err *err)
{
    struct store *store = self;
    struct view_webhook *row;

    TRY(view_webhook_rows(store->db, out, &row, &out->count, err));
    out->row = row;
    return RC_OK;
}

static void dead_row(struct stmt *s, struct view *view, struct view_dead_letter *d)
{
    d->id = view_text(view, col_text(s, "message_id"));
    d->webhook = view_text(view, col_text(s, "webhook"));
    d->event = view_text(view, col_text(s, "type"));
    d->key = view_text(view, col_text(s, "key"));
    d->reference = view_text(view, col_text(s, "reference"));
    d->mailbox = view_text(view, col_text(s, "mailbox"));
    d->why = view_text(view, col_text(s, "why"));
    d->code = col_int(s, "code");
    d->attempts = col_int(s, "attempts");
    d->created_ms = col_int(s, "created_at");
    d->ended_ms = col_when(s, "ended_at");
}

static enum rc post_of(struct db *db, const char *message_id, int64_t *out, struct err *err)
{
    static const char find[] = "SELECT id FROM webhook_outbox WHERE message_id = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, message_id);
    enum rc rc = stmt_row(s, err);
    if (rc == RC_NOT_FOUND)
        return FAIL(err, rc, "there is no post '%s'", message_id);
    if (rc == RC_OK)
        *out = col_int(s, "id");
    return rc;
}

enum rc
view_dead_letters(void *self, const char *after, size_t limit, struct view *out, struct err *err)
{
    static const char find[] =
        "SELECT post.message_id, post.webhook, post.type, post.key, item.mailbox, post.why,"
        " post.code, post.attempts, post.created_at, post.ended_at,"
        " COALESCE(case_record.reference, '') AS reference FROM webhook_outbox AS post"
        " JOIN item ON item.key = post.key LEFT JOIN item AS first ON first.key = item.first_key"
        " LEFT JOIN case_record ON case_record.key = COALESCE(item.case_key, first.case_key)"
        " WHERE post.status = 'refused' AND post.id < $1 ORDER BY post.id DESC LIMIT $2";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_dead_letter));
    int64_t below = INT64_MAX;
    enum rc rc;

    if (after)
        TRY(post_of(store->db, after, &below, err));
    TRY(stmt_open(store->db, find, &s, err));
    stmt_int(s, 1, below);
    stmt_int(s, 2, limit ? (int64_t)limit : INT64_MAX);
    EACH_ROW(s, rc, err)
    dead_row(s, out, view_rows_add(out, &rows));
    out->row = rows.at;
    out->count = rows.count;
    return END_OF_ROWS(rc);
}
