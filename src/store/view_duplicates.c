/* SPDX-License-Identifier: Apache-2.0 */
#include "report_numbers.h"

#include <onecase/when.h>
#include <string.h>

/* The duplicate report, of deliveries seen in [since, until). A number and its rows are of the same facts;
 * the front holds the sums against each other. */

struct reporting {
    struct db *db;
    struct view *view;
    struct view_duplicates *d;
};

static enum rc open_period(struct reporting *r, const char *sql, struct stmt **out, struct err *err)
{
    TRY(stmt_open(r->db, sql, out, err));
    stmt_int(*out, 1, r->d->since_ms);
    stmt_int(*out, 2, r->d->until_ms);
    return RC_OK;
}

/* ---- the numbers -------------------------------------------------------------------------------------- */

static void count_fact(void *ctx, const struct report_fact *fact)
{
    report_count(ctx, fact);
}

static enum rc numbers(struct reporting *r, struct err *err)
{
    const struct report_period period = {r->d->since_ms, r->d->until_ms};

    return report_facts(r->db, &period, count_fact, r->d, err);
}

static enum rc late(struct reporting *r, struct err *err)
{
    return view_late_decisions(r->db, r->view, r->d, err);
}

/* ---- by day, mailbox, domain ---------------------------------------------------------------------------- */

#define COPIES                                                                                     \
    "delivery.class IN ('redelivered', 'list_copy', 'gateway_copy', 'reobserved', 'returned')"

static void count_for(struct reporting *r, struct view_rows *rows, const char *name, int64_t n)
{
    struct view_count *have = rows->at;

    for (size_t i = 0; i < rows->count; i++) {
        if (strcmp(have[i].name, name) == 0) {
            have[i].count += n;
            return;
        }
    }
    struct view_count *c = view_rows_add(r->view, rows);
    c->name = view_text(r->view, name);
    c->count = n;
}

/* A quarter of an hour is of one local day, whatever the zone. */
static enum rc by_day(struct reporting *r, struct err *err)
{
    static const char find[] = "SELECT seen_at / 900000 AS quarter, class, COUNT(*) AS n"
                               " FROM delivery WHERE seen_at >= $1 AND seen_at < $2 AND " COPIES
                               " GROUP BY seen_at / 900000, class ORDER BY quarter";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(r->view, sizeof(struct view_day));
    struct view_day *day = NULL;
    enum rc rc;

    TRY(open_period(r, find, &s, err));
    EACH_ROW(s, rc, err)
    {
        char date[REPORT_DAY_SIZE];
        enum delivery_class class;
        report_day(col_int(s, "quarter") * MINUTES(15), date);
        if (!day || strcmp(day->date, date) != 0) {
            day = view_rows_add(r->view, &rows);
            day->date = view_text(r->view, date);
        }
        if (delivery_class_parse(col_text(s, "class"), &class))
            day->count[class] += col_int(s, "n");
        day->sum += col_int(s, "n");
    }
    r->d->day = rows.at;
    r->d->days = rows.count;
    return END_OF_ROWS(rc);
}

static enum rc by_mailbox(struct reporting *r, struct err *err)
{
    static const char find[] =
        "SELECT mailbox, COUNT(*) AS n FROM delivery"
        " WHERE seen_at >= $1 AND seen_at < $2 AND " COPIES " GROUP BY mailbox ORDER BY mailbox";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(r->view, sizeof(struct view_count));
    enum rc rc;

    TRY(open_period(r, find, &s, err));
    EACH_ROW(s, rc, err)
    count_for(r, &rows, col_text(s, "mailbox"), col_int(s, "n"));
    r->d->mailbox = rows.at;
    r->d->mailboxes = rows.count;
    return END_OF_ROWS(rc);
}

static enum rc by_domain(struct reporting *r, struct err *err)
{
    static const char find[] = "SELECT item.sender_plain, COUNT(*) AS n FROM delivery"
                               " JOIN item ON item.key = delivery.key"
                               " WHERE delivery.seen_at >= $1 AND delivery.seen_at < $2 AND " COPIES
                               " GROUP BY item.sender_plain ORDER BY item.sender_plain";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(r->view, sizeof(struct view_count));
    enum rc rc;

    TRY(open_period(r, find, &s, err));
    EACH_ROW(s, rc, err)
    {
        const char *at = strrchr(col_text(s, "sender_plain"), '@');
        count_for(r, &rows, at ? at + 1 : "", col_int(s, "n"));
    }
    r->d->domain = rows.at;
    r->d->domains = rows.count;
    return END_OF_ROWS(rc);
}

/* ---- the keys that arrived more than once ------------------------------------------------------------- */

static enum rc classes_of(struct reporting *r, struct view_key *key, struct err *err)
{
    static const char find[] = "SELECT DISTINCT class FROM delivery"
                               " WHERE seen_at >= $1 AND seen_at < $2 AND key = $3 ORDER BY class";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    CLEANUP(str_clear) struct str joined = STR_INIT;
    enum rc rc;

    TRY(open_period(r, find, &s, err));
    stmt_text(s, 3, key->key);
    EACH_ROW(s, rc, err)
    str_addf(&joined, "%s%s", joined.len ? "," : "", col_text(s, "class"));
    key->classes = view_text(r->view, str_z(&joined));
    return END_OF_ROWS(rc);
}

static enum rc keys(struct reporting *r, struct err *err)
{
    static const char find[] =
        "SELECT delivery.key, CASE WHEN item.arrived_as <> 'held' OR EXISTS (SELECT 1 FROM approval"
        "  WHERE approval.key = item.key AND approval.decided_at < $2)"
        "  THEN COALESCE(case_record.reference, '') ELSE '' END AS reference, COUNT(*) AS n,"
        " MIN(delivery.seen_at) AS first_seen, MAX(delivery.seen_at) AS last_seen FROM delivery"
        " JOIN item ON item.key = delivery.key"
        " LEFT JOIN case_record ON case_record.key = item.case_key"
        " WHERE delivery.seen_at >= $1 AND delivery.seen_at < $2"
        " GROUP BY delivery.key, case_record.reference, item.arrived_as, item.key"
        " HAVING COUNT(*) > 1"
        " ORDER BY first_seen, delivery.key";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(r->view, sizeof(struct view_key));
    enum rc rc;

    TRY(open_period(r, find, &s, err));
    EACH_ROW(s, rc, err)
    {
        struct view_key *k = view_rows_add(r->view, &rows);
        k->key = view_text(r->view, col_text(s, "key"));
        k->reference = view_text(r->view, col_text(s, "reference"));
        k->deliveries = col_int(s, "n");
        k->first_seen_ms = col_int(s, "first_seen");
        k->last_seen_ms = col_int(s, "last_seen");
        TRY(classes_of(r, k, err));
    }
    r->d->key = rows.at;
    r->d->keys = rows.count;
    return END_OF_ROWS(rc);
}

/* One state of the ledger for all of them, or the sums could not agree while the service runs. */
static enum rc read_all(struct reporting *r, struct err *err)
{
    static enum rc (*const parts[])(struct reporting *, struct err *) = {
        numbers, by_day, by_mailbox, by_domain, keys, late};
    CLEANUP(tx_end) struct tx tx = TX_NONE;

    TRY(tx_read(r->db, &tx, err));
    for (size_t i = 0; i < LENGTH(parts); i++)
        TRY(parts[i](r, err));
    return RC_OK;
}

enum rc view_duplicates_of(
    void *self, int64_t since_ms, int64_t until_ms, struct view *out, struct err *err)
{
    struct store *store = self;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_duplicates));
    struct reporting r = {.db = store->db, .view = out, .d = view_rows_add(out, &rows)};

    r.d->since_ms = since_ms;
    r.d->until_ms = until_ms;
    TRY(read_all(&r, err));
    out->row = rows.at;
    out->count = 1;
    return RC_OK;
}
