/* SPDX-License-Identifier: Apache-2.0 */
#include "store_p.h"

static enum rc memory_of(struct stmt *s, struct notice_memory *out, struct err *err)
{
    TRY(COL_COPY(s, "trouble", out->trouble, err));
    TRY(COL_COPY(s, "mailbox", out->mailbox, err));
    TRY(COL_COPY(s, "told", out->told, err));
    out->since_ms = col_int(s, "since");
    out->stage = col_int(s, "stage");
    return RC_OK;
}

static enum rc notices_recall(
    void *self, const char *channel, struct notice_memory **out, size_t *count, struct err *err)
{
    static const char find[] = "SELECT trouble, mailbox, since, told, stage FROM notice"
                               " WHERE channel = $1 ORDER BY trouble, mailbox";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    CLEANUP(mem_free) struct notice_memory *rows = NULL;
    size_t n = 0;
    enum rc rc;

    TRY(stmt_open(store->db, find, &s, err));
    stmt_text(s, 1, channel);
    while ((rc = stmt_row(s, err)) == RC_OK) {
        rows = mem_grow(rows, n + 1, sizeof *rows);
        TRY(memory_of(s, &rows[n++], err));
    }
    if (rc != RC_NOT_FOUND)
        return rc;
    *out = STEAL(rows);
    *count = n;
    return RC_OK;
}

static enum rc
write_one(struct db *db, const char *channel, const struct notice_memory *m, struct err *err)
{
    static const char insert[] =
        "INSERT INTO notice (channel, trouble, mailbox, since, told, stage)"
        " VALUES ($1, $2, $3, $4, $5, $6)";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, insert, &s, err));
    stmt_text(s, 1, channel);
    stmt_text(s, 2, m->trouble);
    stmt_text(s, 3, m->mailbox);
    stmt_int(s, 4, m->since_ms);
    stmt_text(s, 5, m->told);
    stmt_int(s, 6, m->stage);
    return stmt_run(s, NULL, err);
}

static enum rc forget_all(struct db *db, const char *channel, struct err *err)
{
    static const char forget[] = "DELETE FROM notice WHERE channel = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, forget, &s, err));
    stmt_text(s, 1, channel);
    return stmt_run(s, NULL, err);
}

static enum rc remember_once(void *self,
                             const char *channel,
                             const struct notice_memory *memory,
                             size_t count,
                             struct err *err)
{
    struct store *store = self;
    CLEANUP(tx_end) struct tx tx = TX_NONE;

    TRY(tx_begin_in(store->db, "notices:", &tx, err));
    TRY(forget_all(store->db, channel, err));
    for (size_t i = 0; i < count; i++)
        TRY(write_one(store->db, channel, &memory[i], err));
    return tx_commit_plain(&tx, err);
}

static enum rc notices_remember(void *self,
                                const char *channel,
                                const struct notice_memory *memory,
                                size_t count,
                                struct err *err)
{
    return WRITE(self, remember_once(self, channel, memory, count, err));
}

static enum rc notices_record(
    void *self, const char *channel, int64_t since_ms, struct notice_record *out, struct err *err)
{
    static const char find[] =
        "SELECT COUNT(*) FILTER (WHERE outcome = 'done' AND tried_at >= $2) AS sent,"
        " COALESCE(MAX(CASE WHEN outcome = 'done' THEN tried_at END), 0) AS done,"
        " COALESCE(MAX(tried_at), 0) AS tried,"
        " COUNT(*) FILTER (WHERE outcome <> 'done' AND id > COALESCE((SELECT MAX(good.id)"
        "  FROM notice_try AS good WHERE good.channel = $1 AND good.outcome = 'done'), 0))"
        "  AS failures FROM notice_try WHERE channel = $1";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(store->db, find, &s, err));
    stmt_text(s, 1, channel);
    stmt_int(s, 2, since_ms);
    TRY(stmt_row(s, err));
    out->sent = col_int(s, "sent");
    out->last_done_ms = col_int(s, "done");
    out->last_try_ms = col_int(s, "tried");
    out->failures = col_int(s, "failures");
    return RC_OK;
}

static enum rc tried_once(void *self, const struct notice_try *t, struct err *err)
{
    static const char insert[] = "INSERT INTO notice_try (channel, tried_at, outcome, subject, why)"
                                 " VALUES ($1, $2, $3, $4, $5)";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(store->db, insert, &s, err));
    stmt_text(s, 1, t->channel);
    stmt_int(s, 2, t->at_ms);
    stmt_text(s, 3, outcome_text(t->outcome));
    stmt_text(s, 4, t->subject);
    stmt_text(s, 5, t->why);
    return stmt_run(s, NULL, err);
}

/* Counted twice, should the answer be lost: the next is sent later. */
static enum rc notices_tried(void *self, const struct notice_try *t, struct err *err)
{
    return WRITE(self, tried_once(self, t, err));
}

static enum rc
notices_was_sent(void *self, const char *channel, const char *subject, bool *out, struct err *err)
{
    static const char find[] = "SELECT id FROM notice_try WHERE channel = $1 AND subject = $2"
                               " AND outcome = 'done' AND subject <> 'troubles' LIMIT 1";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(store->db, find, &s, err));
    stmt_text(s, 1, channel);
    stmt_text(s, 2, subject);
    enum rc rc = stmt_row(s, err);

    *out = rc == RC_OK;
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

const struct ledger_notices store_notices = {
    .recall = notices_recall,
    .remember = notices_remember,
    .record = notices_record,
    .tried = notices_tried,
    .was_sent = notices_was_sent,
};
