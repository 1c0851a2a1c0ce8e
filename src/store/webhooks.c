/* SPDX-License-Identifier: Apache-2.0 */
#include "webhooks_p.h"

#include <string.h>

#define GONE "its webhook is configured no longer"

/* ---- who is configured --------------------------------------------------------------------------- */

static enum rc add_webhook(struct db *db, const char *name, struct err *err)
{
    static const char insert[] = "INSERT INTO webhook (name, read_to)"
                                 " SELECT $1, COALESCE(MAX(number), 0) FROM event WHERE TRUE"
                                 " ON CONFLICT (name) DO NOTHING";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, insert, &s, err));
    stmt_text(s, 1, name);
    return stmt_run(s, NULL, err);
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* The first that is enlisted and configured no longer. */
static enum rc find_gone(
    struct db *db, const char *const *name, size_t names, char out[NAME_SIZE], struct err *err)
{
    static const char find[] = "SELECT name FROM webhook ORDER BY name";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum rc rc;

    TRY(stmt_open(db, find, &s, err));
    while ((rc = stmt_row(s, err)) == RC_OK)
        if (!is_one_of(col_text(s, "name"), name, names))
            return col_copy(s, "name", out, NAME_SIZE, err);
    return rc;
}

static enum rc bury_posts(struct db *db, const char *name, struct instant now, struct err *err)
{
    static const char update[] =
        "UPDATE webhook_outbox SET status = 'refused', due = NULL, why = $1, ended_at = $2"
        " WHERE webhook = $3 AND status IN ('planned', 'deferred')";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, update, &s, err));
    stmt_text(s, 1, GONE);
    stmt_int(s, 2, now.wall_ms);
    stmt_text(s, 3, name);
    return stmt_run(s, NULL, err);
}

static enum rc remove_webhook(struct db *db, const char *name, struct instant now, struct err *err)
{
    static const char remove[] = "DELETE FROM webhook WHERE name = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(bury_posts(db, name, now, err));
    TRY(stmt_open(db, remove, &s, err));
    stmt_text(s, 1, name);
    return stmt_run(s, NULL, err);
}

static enum rc
enlist_once(void *self, const char *const *name, size_t names, struct instant now, struct err *err)
{
    struct db *db = ((struct store *)self)->db;
    CLEANUP(tx_end) struct tx tx = TX_NONE;
    char gone[NAME_SIZE];
    enum rc rc;

    TRY(tx_begin_in(db, "webhooks:", &tx, err));
    while ((rc = find_gone(db, name, names, gone, err)) == RC_OK)
        TRY(remove_webhook(db, gone, now, err));
    if (rc != RC_NOT_FOUND)
        return rc;
    for (size_t i = 0; i < names; i++)
        TRY(add_webhook(db, name[i], err));
    return tx_commit_plain(&tx, err);
}

static enum rc webhooks_enlist(
    void *self, const char *const *name, size_t names, struct instant now, struct err *err)
{
    return WRITE(self, enlist_once(self, name, names, now, err));
}

/* ---- what became of a try ------------------------------------------------------------------------ */

static enum rc step_post(struct db *db,
                         const struct webhook_try *t,
                         enum effect_status to,
                         int64_t now_ms,
                         struct err *err)
{
    static const char update[] =
        "UPDATE webhook_outbox SET status = $1, attempts = attempts + 1, due = $2, code = $3,"
        " why = $4, first_try = COALESCE(first_try, $5), ended_at = $6, held_until = NULL"
        " WHERE id = $7 AND status = $8";
    bool ended = to == EFFECT_DONE || to == EFFECT_REFUSED;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, update, &s, err));
    stmt_text(s, 1, effect_status_text(to));
    stmt_when(s, 2, ended ? NOT_DUE : t->due_ms);
    stmt_int(s, 3, t->code);
    stmt_text(s, 4, t->why);
    stmt_int(s, 5, now_ms);
    stmt_when(s, 6, ended ? now_ms : NOT_DUE);
    stmt_int(s, 7, t->post->id);
    stmt_text(s, 8, effect_status_text(t->post->status));
    return stmt_one(s, "a post", err);
}

static enum rc note_webhook(
    struct db *db, const char *name, const struct webhook_try *t, int64_t now_ms, struct err *err)
{
    static const char update[] =
        "UPDATE webhook SET failures = CASE WHEN $1 = 1 THEN 0 ELSE failures + 1 END,"
        " due = $2, why = $3, last_done = CASE WHEN $1 = 1 THEN $4 ELSE last_done END,"
        " failing_since = CASE WHEN $1 = 1 THEN NULL ELSE COALESCE(failing_since, $4) END"
        " WHERE name = $5";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, update, &s, err));
    stmt_int(s, 1, t->on == POST_ON_TAKEN);
    stmt_when(s, 2, t->webhook_due_ms);
    stmt_text(s, 3, t->why);
    stmt_int(s, 4, now_ms);
    stmt_text(s, 5, name);
    return stmt_run(s, NULL, err);
}

static enum rc run_with_key(struct db *db, const char *sql, const char *key, struct err *err)
{
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, sql, &s, err));
    stmt_text(s, 1, key);
    return stmt_run(s, NULL, err);
}

enum rc webhooks_let_go(struct db *db, const char *key, struct err *err)
{
    static const char count[] =
        "UPDATE webhook SET let_go = let_go + (SELECT COUNT(*) FROM webhook_outbox AS post"
        " WHERE post.key = $1 AND post.status = 'done' AND post.webhook = webhook.name)";
    static const char remove[] = "DELETE FROM webhook_outbox WHERE key = $1 AND status = 'done'";

    TRY(run_with_key(db, count, key, err));
    return run_with_key(db, remove, key, err);
}

/* Whose post it is, and whether what it tells of was let go meanwhile. */
static enum rc webhook_of(struct db *db,
                          const struct webhook_post *post,
                          char out[NAME_SIZE],
                          bool *gone,
                          struct err *err)
{
    static const char find[] = "SELECT post.webhook, CASE WHEN item.personal_gone IS NULL THEN 0"
                               " ELSE 1 END AS gone FROM webhook_outbox AS post"
                               " JOIN item ON item.key = post.key WHERE post.id = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_int(s, 1, post->id);
    TRY(stmt_row(s, err));
    *gone = col_int(s, "gone") != 0;
    return col_copy(s, "webhook", out, NAME_SIZE, err);
}

static enum rc
tried_once(void *self, const struct webhook_try *t, struct instant now, struct err *err)
{
    struct db *db = ((struct store *)self)->db;
    CLEANUP(tx_end) struct tx tx = TX_NONE;
    char name[NAME_SIZE];
    enum effect_status to;
    bool gone;

    TRY(post_step(t->post->status, t->on, &to, err));
    TRY(tx_begin_in(db, "webhooks:", &tx, err));
    TRY(webhook_of(db, t->post, name, &gone, err));
    TRY(step_post(db, t, to, now.wall_ms, err));
    TRY(note_webhook(db, name, t, now.wall_ms, err));
    if (gone && to == EFFECT_DONE)
        TRY(webhooks_let_go(db, t->post->key, err));
    return tx_commit_plain(&tx, err);
}

static enum rc
webhooks_tried(void *self, const struct webhook_try *t, struct instant now, struct err *err)
{
    return WRITE(self, tried_once(self, t, now, err));
}

const struct ledger_webhooks store_webhooks = {
    .enlist = webhooks_enlist,
    .derive = webhooks_derive,
    .next = webhooks_next,
    .tried = webhooks_tried,
    .replay = webhooks_replay,
};
