/* SPDX-License-Identifier: Apache-2.0 */
#include "webhooks_p.h"

#include <string.h>

/* What is told of one item is told in order. */
#define FIRST_OF_ITS_ITEM                                                                          \
    " AND NOT EXISTS (SELECT 1 FROM webhook_outbox AS before WHERE before.webhook = post.webhook"  \
    " AND before.key = post.key AND before.id < post.id"                                           \
    " AND before.status IN ('planned', 'deferred'))"

/* Nobody else is telling it. */
#define FREE(now, by)                                                                              \
    " AND (post.held_until IS NULL OR post.held_until <= " now " OR post.held_by = " by ")"

/* Its mailbox is not paused: not as a whole, and not for webhooks. */
#define GOES_ON(kind)                                                                              \
    "NOT EXISTS (SELECT 1 FROM mailbox WHERE mailbox.id = item.mailbox AND mailbox.paused = 1"     \
    " AND (mailbox.paused_effects = 0 OR (mailbox.paused_effects & " kind ") <> 0))"

/* When the webhook itself may be tried, and how it has gone. */
static enum rc
read_webhook(struct db *db, const char *name, int64_t *due_ms, int64_t *failures, struct err *err)
{
    static const char find[] = "SELECT due, failures FROM webhook WHERE name = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, name);
    enum rc rc = stmt_row(s, err);

    *due_ms = rc == RC_OK ? col_when(s, "due") : NOT_DUE;
    *failures = rc == RC_OK ? col_int(s, "failures") : 0;
    return rc;
}

static enum rc read_post(struct stmt *s, struct webhook_post *out, struct err *err)
{
    out->id = col_int(s, "id");
    out->attempts = col_int(s, "attempts");
    out->first_try_ms = col_when(s, "first_try");
    out->number = col_int(s, "event");
    out->at_ms = col_int(s, "at");
    TRY(COL_COPY(s, "message_id", out->message_id, err));
    TRY(COL_COPY(s, "mailbox", out->mailbox, err));
    TRY(COL_COPY(s, "key", out->key, err));
    TRY(COL_COPY(s, "reference", out->reference, err));
    TRY(COL_COPY(s, "what", out->what, err));
    TRY(COL_COPY(s, "reason", out->reason, err));
    str_add(&out->sender, col_slice(s, "sender"));
    str_add(&out->subject, col_slice(s, "title"));
    if (!webhook_event_parse(col_text(s, "type"), &out->event) ||
        !effect_status_parse(col_text(s, "status"), &out->status))
        return FAIL(err, RC_BROKEN, "ledger: post %s is of no known kind", out->message_id);
    return RC_OK;
}

/* A conflict has no case of its own: it is about the first mail's. */
static enum rc find_post(struct db *db,
                         const struct webhook_hold *hold,
                         enum effect_status status,
                         int64_t now_ms,
                         struct webhook_post *out,
                         struct err *err)
{
    static const char find[] =
        "SELECT post.id, post.message_id, post.key, post.event, post.type, post.reason,"
        " post.status, post.attempts, post.first_try, event.at, event.mailbox, event.what,"
        " item.sender, item.subject AS title, COALESCE(case_record.reference, '') AS reference"
        " FROM webhook_outbox AS post JOIN event ON event.number = post.event"
        " JOIN item ON item.key = post.key LEFT JOIN item AS first ON first.key = item.first_key"
        " LEFT JOIN case_record ON case_record.key = COALESCE(item.case_key, first.case_key)"
        " WHERE post.webhook = $1 AND post.status IN ('planned', 'deferred')"
        " AND post.status = $3 AND (post.due IS NULL OR post.due <= $2) AND " GOES_ON("$4")
            FREE("$2", "$5") FIRST_OF_ITS_ITEM " ORDER BY post.id LIMIT 1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, hold->webhook);
    stmt_int(s, 2, now_ms);
    stmt_text(s, 3, effect_status_text(status));
    stmt_int(s, 4, KIND(EFFECT_WEBHOOK));
    stmt_text(s, 5, hold->by);
    enum rc rc = stmt_row(s, err);

    return rc == RC_OK ? read_post(s, out, err) : rc;
}

static enum rc
first_due(struct db *db, const struct webhook_hold *hold, int64_t *out, struct err *err)
{
    static const char find[] =
        "SELECT MIN(CASE WHEN post.held_by <> $3 AND post.held_until > COALESCE(post.due, 0)"
        " THEN post.held_until ELSE COALESCE(post.due, 0) END) AS due"
        " FROM webhook_outbox AS post JOIN item ON item.key = post.key WHERE post.webhook = $1"
        " AND post.status IN ('planned', 'deferred') AND " GOES_ON("$2") FIRST_OF_ITS_ITEM;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, hold->webhook);
    stmt_int(s, 2, KIND(EFFECT_WEBHOOK));
    stmt_text(s, 3, hold->by);
    TRY(stmt_row(s, err));
    *out = col_when(s, "due");
    return RC_OK;
}

/* Those that were never tried come first: one that its receiver cannot take holds up no other. */
static enum rc find_due(struct db *db,
                        const struct webhook_hold *hold,
                        int64_t now_ms,
                        struct webhook_post *out,
                        struct err *err)
{
    enum rc rc = find_post(db, hold, EFFECT_PLANNED, now_ms, out, err);

    return rc != RC_NOT_FOUND ? rc : find_post(db, hold, EFFECT_DEFERRED, now_ms, out, err);
}

static enum rc look(struct db *db,
                    const struct webhook_hold *hold,
                    struct instant now,
                    struct webhook_post *out,
                    int64_t *wake_ms,
                    struct err *err)
{
    CLEANUP(tx_end) struct tx tx = TX_NONE;

    TRY(tx_read(db, &tx, err));
    TRY(read_webhook(db, hold->webhook, wake_ms, &out->failures, err));
    if (*wake_ms != NOT_DUE && *wake_ms > now.wall_ms)
        return RC_NOT_FOUND;
    enum rc rc = find_due(db, hold, now.wall_ms, out, err);

    if (rc == RC_NOT_FOUND)
        TRY(first_due(db, hold, wake_ms, err));
    return rc;
}

/* Another may have taken it since. */
static enum rc take(struct db *db,
                    const struct webhook_hold *hold,
                    int64_t now_ms,
                    const struct webhook_post *post,
                    struct err *err)
{
    static const char update[] =
        "UPDATE webhook_outbox SET held_by = $1, held_until = $2 WHERE id = $3 AND status = $4"
        " AND (held_until IS NULL OR held_until <= $5 OR held_by = $1)";
    CLEANUP(tx_end) struct tx tx = TX_NONE;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    int64_t count = 0;

    TRY(tx_begin(db, &tx, err));
    TRY(stmt_open(db, update, &s, err));
    stmt_text(s, 1, hold->by);
    stmt_int(s, 2, hold->until_ms);
    stmt_int(s, 3, post->id);
    stmt_text(s, 4, effect_status_text(post->status));
    stmt_int(s, 5, now_ms);
    TRY(stmt_run(s, &count, err));
    TRY(tx_commit_plain(&tx, err));
    return count == 1 ? RC_OK : RC_NOT_FOUND;
}

enum rc webhooks_next(void *self,
                      const struct webhook_hold *hold,
                      struct instant now,
                      struct webhook_post *out,
                      int64_t *wake_ms,
                      struct err *err)
{
    struct db *db = ((struct store *)self)->db;

    *out = (struct webhook_post){.id = 0};
    TRY(look(db, hold, now, out, wake_ms, err));
    *wake_ms = now.wall_ms;
    return WRITE(self, take(db, hold, now.wall_ms, out, err));
}
