/* SPDX-License-Identifier: Apache-2.0 */
#include "store_p.h"

static enum rc read_item(struct db *db,
                         const char *key,
                         char mailbox[NAME_SIZE],
                         enum item_state *state,
                         struct err *err)
{
    static const char find[] = "SELECT mailbox, state FROM item WHERE key = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, key);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_NOT_FOUND)
        return FAIL(err, rc, "ledger: there is no item %.12s", key);
    if (rc != RC_OK)
        return rc;
    TRY(col_copy(s, "mailbox", mailbox, NAME_SIZE, err));
    if (!item_state_parse(col_text(s, "state"), state))
        return FAIL(err, RC_BROKEN, "ledger: item %.12s is in no state", key);
    return RC_OK;
}

static enum rc
keep_item(struct writing *w, const char *key, const struct item_change *change, struct err *err)
{
    static const char update[] = "UPDATE item SET next_due = $1,"
                                 " lease_run = CASE WHEN $2 = 1 THEN NULL ELSE lease_run END,"
                                 " lease_boot = CASE WHEN $2 = 1 THEN NULL ELSE lease_boot END"
                                 " WHERE key = $3";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_when(s, 1, change->due_ms);
    stmt_int(s, 2, change->release);
    stmt_text(s, 3, key);
    return stmt_one(s, "an item", err);
}

static enum rc update_item(struct writing *w,
                           const char *key,
                           const struct item_change *change,
                           enum item_state to,
                           struct err *err)
{
    static const char update[] = "UPDATE item SET state = $1, reason = $2, completed_at = $3,"
                                 " next_due = $4,"
                                 " lease_run = CASE WHEN $5 = 1 THEN NULL ELSE lease_run END,"
                                 " lease_boot = CASE WHEN $5 = 1 THEN NULL ELSE lease_boot END"
                                 " WHERE key = $6 AND state = $7";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_text(s, 1, item_state_text(to));
    stmt_text(s, 2, reason_text(change->reason));
    stmt_when(s, 3, to == ITEM_COMPLETE ? w->now.wall_ms : NOT_DUE);
    stmt_when(s, 4, change->due_ms);
    stmt_int(s, 5, change->release);
    stmt_text(s, 6, key);
    stmt_text(s, 7, item_state_text(change->from));
    return stmt_one(s, "an item", err);
}

enum rc
step_item(struct writing *w, const char *key, const struct item_change *change, struct err *err)
{
    char mailbox[NAME_SIZE];
    enum item_state state;
    enum item_state to;

    if (change->keep)
        return keep_item(w, key, change, err);
    TRY(read_item(w->store->db, key, mailbox, &state, err));
    if (state != change->from)
        return FAIL(err, RC_CONFLICT, "ledger: the item is %s, not %s", item_state_text(state),
                    item_state_text(change->from));
    TRY(item_step(change->from, change->on, &to, err));
    TRY(update_item(w, key, change, to, err));

    const struct event event = {.mailbox = mailbox,
                                .key = key,
                                .subject = "item",
                                .what = item_event_text(change->on),
                                .from = item_state_text(change->from),
                                .to = item_state_text(to),
                                .actor = actor_text(item_find(change->from, change->on)->by)};

    return event_add(w, &event, err);
}

enum rc
note_add(struct writing *w, const char *key, const char *about, const char *text, struct err *err)
{
    static const char insert[] = "INSERT INTO note (key, about, text, noted_at, item_number)"
                                 " VALUES ($1, $2, $3, $4, " NUMBER_OF("$1") ")";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, insert, &s, err));
    stmt_text(s, 1, key);
    stmt_text(s, 2, about);
    stmt_text(s, 3, text);
    stmt_int(s, 4, w->now.wall_ms);
    return stmt_run(s, NULL, err);
}
