/* SPDX-License-Identifier: Apache-2.0 */
#include "claim.h"
#include "store_p.h"

/* Whose mailbox is it? Runs on machines that share a ledger work on one mailbox each, one run a mailbox: its
 * lease. It is taken where nobody has it, where its run has ended and where it has run out; it is given up,
 * for another to take, by a machine that has two more than one that could take it. A lease is no fence: what
 * an item's own lease guards stays guarded, also while two runs believe that a mailbox is theirs. */

struct sharing {
    const char *run, *mailbox;
    int64_t now_ms, lease_ms; /* by the database's clock */
    /* as it was read */
    bool mine, free, too_many;
    bool holds; /* items of it in hand */
    bool news;  /* to the others of that mailbox: it is free, or there is one more to share with */
    int64_t lease_was; /* until then; 0: nobody ever had it */
    int64_t
        left_ms; /* of the lease, where it is mine, and else of being counted among those that live */
};

static enum rc read_share(struct db *db, struct sharing *s, struct err *err)
{
    static const char find[] =
        "SELECT CASE WHEN lease.run = me.id THEN 1 ELSE 0 END AS mine,"
        " CASE WHEN lease.mailbox IS NULL OR lease.until <= $3 OR holder.ended_at IS NOT NULL"
        " OR (lease.run IS NULL AND lease.node <> me.node) THEN 1 ELSE 0 END AS free,"
        " CASE WHEN lease.run = me.id THEN lease.until ELSE me.live_until END AS until,"
        " COALESCE(lease.until, 0) AS lease_was,"
        " (SELECT COUNT(*) FROM mailbox_lease AS own WHERE own.node = me.node"
        "  AND own.run IS NOT NULL AND own.until > $3) AS ours,"
        " (SELECT COUNT(*) FROM item WHERE item.lease_run = me.id AND item.mailbox = $2) AS holds,"
        " COALESCE((SELECT MIN(theirs.held) FROM (SELECT (SELECT COUNT(*) FROM mailbox_lease AS"
        "  other WHERE other.node = run.node AND other.run IS NOT NULL AND other.until > $3) AS "
        "held"
        "  FROM run WHERE run.mailbox = $2 AND run.ended_at IS NULL AND run.live_until > $3"
        "  AND run.node <> me.node) AS theirs), -1) AS least"
        " FROM run AS me LEFT JOIN mailbox_lease AS lease ON lease.mailbox = $2"
        " LEFT JOIN run AS holder ON holder.id = lease.run WHERE me.id = $1";
    CLEANUP(stmt_done) struct stmt *q = NULL;

    TRY(stmt_open(db, find, &q, err));
    stmt_text(q, 1, s->run);
    stmt_text(q, 2, s->mailbox);
    stmt_int(q, 3, s->now_ms);
    enum rc rc = stmt_row(q, err);

    if (rc == RC_NOT_FOUND)
        return FAIL(err, RC_CONFLICT, "ledger: run %.8s has not entered", s->run);
    if (rc != RC_OK)
        return rc;
    s->mine = col_int(q, "mine") == 1;
    s->free = col_int(q, "free") == 1;
    s->lease_was = col_int(q, "lease_was");
    s->holds = col_int(q, "holds") > 0;
    s->left_ms = col_int(q, "until") - s->now_ms;
    s->too_many = col_int(q, "least") >= 0 && col_int(q, "ours") - col_int(q, "least") >= 2;
    return RC_OK;
}

/* `run` NULL: given up. Only what was read is written over: its run renews it in the turn of its mailbox
 * (runs.c), at the last moment perhaps. */
static enum rc write_lease(struct db *db, const struct sharing *s, const char *run, struct err *err)
{
    static const char upsert[] =
        "INSERT INTO mailbox_lease (mailbox, run, node, until)"
        " SELECT $1, $2, node, $3 FROM run WHERE id = $4"
        " ON CONFLICT (mailbox) DO UPDATE SET run = excluded.run, node = excluded.node,"
        " until = excluded.until WHERE mailbox_lease.until = $5";
    CLEANUP(stmt_done) struct stmt *q = NULL;

    TRY(stmt_open(db, upsert, &q, err));
    stmt_text(q, 1, s->mailbox);
    stmt_text(q, 2, run);
    stmt_int(q, 3, s->now_ms + s->lease_ms);
    stmt_text(q, 4, s->run);
    stmt_int(q, 5, s->lease_was);
    return stmt_one(q, "the lease of the mailbox", err);
}

static enum rc count_among_the_living(struct db *db, const struct sharing *s, struct err *err)
{
    static const char update[] = "UPDATE run SET live_until = $1 WHERE id = $2";
    CLEANUP(stmt_done) struct stmt *q = NULL;

    TRY(stmt_open(db, update, &q, err));
    stmt_int(q, 1, s->now_ms + s->lease_ms);
    stmt_text(q, 2, s->run);
    return stmt_run(q, NULL, err);
}

/* What it has in hand goes along: whoever renews its leases and does not work on them holds them for ever. */
static enum rc give_items_back(struct db *db, const struct sharing *s, struct err *err)
{
    static const char update[] = "UPDATE item SET lease_run = NULL, lease_boot = NULL"
                                 " WHERE lease_run = $1 AND mailbox = $2";
    CLEANUP(stmt_done) struct stmt *q = NULL;

    TRY(stmt_open(db, update, &q, err));
    stmt_text(q, 1, s->run);
    stmt_text(q, 2, s->mailbox);
    return stmt_run(q, NULL, err);
}

static bool stays_as_it_is(const struct sharing *s)
{
    if (!s->mine && s->holds) /* its mailbox was taken from it */
        return false;
    return s->left_ms > s->lease_ms - s->lease_ms / 3 && !(s->mine ? s->too_many : s->free);
}

static enum rc leave(struct db *db, struct sharing *s, struct err *err)
{
    s->mine = false;
    s->news = true;
    TRY(give_items_back(db, s, err));
    return write_lease(db, s, NULL, err);
}

static enum rc act(struct db *db, struct sharing *s, struct err *err)
{
    s->news = !s->mine && (s->left_ms <= 0 || s->holds);
    TRY(count_among_the_living(db, s, err));
    if (s->mine && s->too_many)
        return leave(db, s, err);
    s->mine |= s->free;
    return s->mine ? write_lease(db, s, s->run, err) : give_items_back(db, s, err);
}

/* Decided one after another: two that give up at once would give up too much. */
static enum rc share_once(struct store *store, struct sharing *s, struct err *err)
{
    CLEANUP(tx_end) struct tx tx = TX_NONE;

    TRY(db_now(store->db, &s->now_ms, err));
    TRY(read_share(store->db, s, err));
    if (stays_as_it_is(s))
        return RC_OK;
    TRY(tx_begin_in(store->db, "share:", &tx, err));
    TRY(read_share(store->db, s, err));
    TRY(act(store->db, s, err));
    TRY(tx_commit_plain(&tx, err));
    if (s->news)
        db_tell(store->db, s->mailbox);
    return RC_OK;
}

/* NOLINTNEXTLINE(readability-function-size): the port's shape */
enum rc runs_share(
    void *self, const char *run, const char *mailbox, int64_t lease_ms, bool *ours, struct err *err)
{
    struct store *store = self;
    struct sharing s = {.run = run, .mailbox = mailbox, .lease_ms = lease_ms};

    *ours = true;
    TRY(db_now(store->db, &s.now_ms, err));
    if (s.now_ms == 0)
        return RC_OK;
    TRY(WRITE(store, share_once(store, &s, err)));
    *ours = s.mine;
    return s.mine ? RC_OK : end_own_doubts(store, run, err);
}
