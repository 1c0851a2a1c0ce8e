/* SPDX-License-Identifier: Apache-2.0 */
#include "views_p.h"

#include <onecase/when.h>
#include <string.h>

/* What monitoring counts. Each list is one query, all of one state of the ledger; the texts among its
 * words are the program's own, never a person's. */

struct counting {
    struct db *db;
    struct view *view;
    struct view_numbers *n;
};

/* Rows of `mailbox`, `word`, `other`, `n` and `oldest`. */
static enum rc
list_of(struct counting *c, const char *sql, struct view_numbers_list *out, struct err *err)
{
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(c->view, sizeof(struct view_number));
    enum rc rc;

    TRY(stmt_open(c->db, sql, &s, err));
    EACH_ROW(s, rc, err)
    {
        struct view_number *row = view_rows_add(c->view, &rows);
        row->mailbox = view_text(c->view, col_text(s, "mailbox"));
        row->word = view_text(c->view, col_text(s, "word"));
        row->other = view_text(c->view, col_text(s, "other"));
        row->count = col_int(s, "n");
        row->oldest_ms = col_when(s, "oldest");
    }
    *out = (struct view_numbers_list){rows.at, rows.count};
    return END_OF_ROWS(rc);
}

#define NO_OLDEST "CAST(NULL AS BIGINT) AS oldest"

static enum rc mails(struct counting *c, struct err *err)
{
    static const char deliveries[] =
        "SELECT mailbox, class AS word, '' AS other, SUM(n) AS n, " NO_OLDEST
        " FROM delivery_count GROUP BY mailbox, class";
    static const char waiting[] =
        "SELECT mailbox, reason AS word, '' AS other, COUNT(*) AS n, MIN(COALESCE("
        "(SELECT MAX(event.at) FROM event WHERE event.key = item.key AND event.what = 'wait'),"
        " item.created_at)) AS oldest FROM item WHERE state = 'needs_reconciliation'"
        " GROUP BY mailbox, reason";

    TRY(list_of(c, deliveries, &c->n->deliveries, err));
    return list_of(c, waiting, &c->n->waiting, err);
}

static enum rc steps(struct counting *c, struct err *err)
{
    /* Of what is done there are as many as tries that did it: only the others are looked at. */
    static const char open[] = "SELECT item.mailbox, effect.kind AS word, effect.status AS other,"
                               " COUNT(*) AS n, " NO_OLDEST " FROM effect"
                               " JOIN item ON item.key = effect.key"
                               " WHERE effect.status <> 'planned' AND effect.status <> 'done'"
                               " AND effect.status <> 'skipped'"
                               " GROUP BY item.mailbox, effect.kind, effect.status"
                               " ORDER BY item.mailbox, effect.kind, effect.status";
    static const char attempts[] =
        "SELECT '' AS mailbox, kind AS word, outcome AS other, n, " NO_OLDEST
        " FROM attempt_count WHERE n > 0";

    TRY(list_of(c, open, &c->n->steps, err));
    return list_of(c, attempts, &c->n->attempts, err);
}

static enum rc deeds(struct counting *c, struct err *err)
{
    static const char decisions[] = "SELECT '' AS mailbox, decision AS word, '' AS other,"
                                    " COUNT(*) AS n, " NO_OLDEST " FROM approval GROUP BY decision";
    static const char runs[] = "SELECT '' AS mailbox, COALESCE(ended_how, '') AS word, '' AS other,"
                               " COUNT(*) AS n, MAX(ended_at) AS oldest FROM run GROUP BY word";
    static const char notices[] =
        "SELECT '' AS mailbox, channel AS word, outcome AS other, COUNT(*) AS n, " NO_OLDEST
        " FROM notice_try GROUP BY channel, outcome";

    TRY(list_of(c, decisions, &c->n->decisions, err));
    TRY(list_of(c, runs, &c->n->runs, err));
    c->n->died_ms = NOT_DUE;
    for (size_t i = 0; i < c->n->runs.count; i++)
        if (strcmp(c->n->runs.at[i].word, "dead") == 0)
            c->n->died_ms = c->n->runs.at[i].oldest_ms;
    return list_of(c, notices, &c->n->notices, err);
}

/* ---- how long senders wait ------------------------------------------------------------------ */

/* Each also stands in the view attempt_within of the ledger, which counts by it. */
static const int64_t bounds[] = {SECONDS(5), SECONDS(15), SECONDS(30), MINUTES(1), MINUTES(2),
                                 MINUTES(5), MINUTES(15), HOURS(1),    HOURS(4),   DAYS(1)};

static void note_latency(struct view_numbers *n, int64_t *within, struct stmt *s)
{
    n->latency_count += col_int(s, "n");
    n->latency_sum_ms += col_int(s, "sum_ms");
    for (size_t i = 0; i < LENGTH(bounds); i++)
        if (col_int(s, "within_ms") <= bounds[i])
            within[i] += col_int(s, "n");
}

static enum rc latency(struct counting *c, struct err *err)
{
    static const char find[] = "SELECT within_ms, n, sum_ms FROM confirmation_count";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(c->view, sizeof bounds);
    int64_t *within = view_rows_add(c->view, &rows);
    enum rc rc;

    TRY(stmt_open(c->db, find, &s, err));
    EACH_ROW(s, rc, err)
    note_latency(c->n, within, s);
    c->n->latency_bound_ms = bounds;
    c->n->latency = within;
    c->n->latency_bounds = LENGTH(bounds);
    return END_OF_ROWS(rc);
}

static enum rc events(struct counting *c, struct err *err)
{
    static const char find[] = "SELECT COALESCE(MAX(number), 0) AS n FROM event";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(c->db, find, &s, err));
    TRY(stmt_row(s, err));
    c->n->events = col_int(s, "n");
    return RC_OK;
}

/* "20260302T183000Z", the name of the last one, is when it was taken. */
static int64_t taken_at(const char *name)
{
    CLEANUP(str_clear) struct str at = STR_INIT;
    int64_t ms;

    if (strlen(name) != strlen("20260302T183000Z"))
        return NOT_DUE;
    str_addf(&at, "%.4s-%.2s-%.5s:%.2s:%.3s", name, name + 4, name + 6, name + 11, name + 13);
    return when_parse(str_slice(&at), &ms) ? ms : NOT_DUE;
}

static enum rc backups(struct counting *c, struct err *err)
{
    static const char find[] = "SELECT value FROM meta WHERE name = 'last_backup'";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum rc rc;

    c->n->backup_ms = NOT_DUE;
    TRY(stmt_open(c->db, find, &s, err));
    EACH_ROW(s, rc, err)
    c->n->backup_ms = taken_at(col_text(s, "value"));
    return END_OF_ROWS(rc);
}

static enum rc webhooks(struct counting *c, struct err *err)
{
    struct view_webhook *row;

    TRY(view_webhook_rows(c->db, c->view, &row, &c->n->webhooks, err));
    c->n->webhook = row;
    return RC_OK;
}

enum rc view_numbers(void *self, struct view *out, struct err *err)
{
    static enum rc (*const parts[])(struct counting *, struct err *) = {
        mails, steps, deeds, webhooks, latency, events, backups};
    struct store *store = self;
    CLEANUP(tx_end) struct tx tx = TX_NONE;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_numbers));
    struct counting c = {.db = store->db, .view = out, .n = view_rows_add(out, &rows)};

    TRY(tx_read(store->db, &tx, err));
    for (size_t i = 0; i < LENGTH(parts); i++)
        TRY(parts[i](&c, err));
    out->row = rows.at;
    out->count = 1;
    return RC_OK;
}

/* ---- how notices go ------------------------------------------------------------------------- */

enum rc view_channels(void *self, struct view *out, struct err *err)
{
    static const char find[] =
        "SELECT channel, MAX(CASE WHEN outcome = 'done' THEN tried_at END) AS done,"
        " (SELECT MIN(failed.tried_at) FROM notice_try AS failed"
        "  WHERE failed.channel = notice_try.channel AND failed.outcome <> 'done'"
        "  AND failed.id > COALESCE((SELECT MAX(good.id) FROM notice_try AS good"
        "   WHERE good.channel = notice_try.channel AND good.outcome = 'done'), 0)) AS failing,"
        " (SELECT last.why FROM notice_try AS last WHERE last.channel = notice_try.channel"
        "  ORDER BY last.id DESC LIMIT 1) AS why FROM notice_try GROUP BY channel ORDER BY channel";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_channel));
    enum rc rc;

    TRY(stmt_open(store->db, find, &s, err));
    EACH_ROW(s, rc, err)
    {
        struct view_channel *row = view_rows_add(out, &rows);
        row->channel = view_text(out, col_text(s, "channel"));
        row->why = view_text(out, col_text(s, "why"));
        row->last_done_ms = col_when(s, "done");
        row->failing_since_ms = col_when(s, "failing");
    }
    out->row = rows.at;
    out->count = rows.count;
    return END_OF_ROWS(rc);
}
