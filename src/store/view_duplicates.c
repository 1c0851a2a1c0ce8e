/* SPDX-License-Identifier: Apache-2.0 */
#include "report_numbers.h"

#include <onecase/when.h>
#include <stdlib.h>
#include <string.h>

/* The duplicate report, of deliveries seen in [since, until). A number and its rows are of the same facts;
 * the front holds the sums against each other. */

struct counted {
    char key[KEY_SIZE], reference[REFERENCE_SIZE];
    enum delivery_class class;
    int64_t at_ms;
};

struct reporting {
    struct db *db;
    struct view *view;
    struct view_duplicates *d;
    struct view_rows arrivals, mailboxes, domains;
};

/* ---- the numbers -------------------------------------------------------------------------------------- */

/* Those that come one after the other together; `summed` joins the rest. */
static void count_for(struct reporting *r, struct view_rows *rows, const char *name)
{
    struct view_count *last = rows->at;

    if (rows->count > 0 && strcmp(last[rows->count - 1].name, name) == 0) {
        last[rows->count - 1].count++;
        return;
    }
    struct view_count *c = view_rows_add(r->view, rows);
    c->name = view_text(r->view, name);
    c->count = 1;
}

#define COPIES "class IN ('redelivered', 'list_copy', 'gateway_copy', 'reobserved', 'returned')"

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

    TRY(stmt_open(r->db, find, &s, err));
    stmt_int(s, 1, r->d->since_ms);
    stmt_int(s, 2, r->d->until_ms);
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

static bool is_copy(enum delivery_class class)
{
    return class == CLASS_REDELIVERED || class == CLASS_LIST_COPY || class == CLASS_GATEWAY_COPY ||
           class == CLASS_REOBSERVED || class == CLASS_RETURNED;
}

/* The memory of a fact's texts ends with the pass. */
static void keep_arrival(struct reporting *r, const struct report_fact *f)
{
    struct counted *a = view_rows_add(r->view, &r->arrivals);

    memcpy(a->key, f->key, sizeof a->key);
    text_copy(a->reference, sizeof a->reference, f->reference);
    a->class = f->class;
    a->at_ms = f->at_ms;
}

static void count_fact(void *ctx, const struct report_fact *f)
{
    struct reporting *r = ctx;

    report_count(r->d, f);
    if (f->kind != FACT_ARRIVAL)
        return;
    keep_arrival(r, f);
    if (!is_copy(f->class))
        return;
    count_for(r, &r->mailboxes, f->mailbox);
    count_for(r, &r->domains, f->domain);
}

static int by_name(const void *a, const void *b)
{
    const struct view_count *x = a, *y = b;

    return strcmp(x->name, y->name);
}

static const struct view_count *summed(struct view_rows *rows, size_t *count)
{
    struct view_count *c = rows->at;

    *count = 0;
    if (rows->count > 0)
        qsort(c, rows->count, sizeof *c, by_name);
    for (size_t i = 0; i < rows->count; i++) {
        if (*count > 0 && strcmp(c[*count - 1].name, c[i].name) == 0)
            c[*count - 1].count += c[i].count;
        else
            c[(*count)++] = c[i];
    }
    return c;
}

/* ---- the keys that arrived more than once ------------------------------------------------------------- */

static int by_key_and_class(const void *a, const void *b)
{
    const struct counted *x = a, *y = b;
    int order = memcmp(x->key, y->key, sizeof x->key);

    return order != 0 ? order
                      : strcmp(delivery_class_text(x->class), delivery_class_text(y->class));
}

static int earliest_first(const void *a, const void *b)
{
    const struct view_key *x = a, *y = b;

    if (x->first_seen_ms != y->first_seen_ms)
        return x->first_seen_ms < y->first_seen_ms ? -1 : 1;
    return strcmp(x->key, y->key);
}

/* `count` arrivals of one mail, those of a class together. */
static void
add_key(struct reporting *r, struct view_rows *rows, const struct counted *a, size_t count)
{
    struct view_key *k = view_rows_add(r->view, rows);
    CLEANUP(str_clear) struct str classes = STR_INIT;

    k->key = view_text(r->view, a->key);
    k->reference = view_text(r->view, a->reference);
    k->deliveries = (int64_t)count;
    k->first_seen_ms = k->last_seen_ms = a->at_ms;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || a[i].class != a[i - 1].class)
            str_addf(&classes, "%s%s", i > 0 ? "," : "", delivery_class_text(a[i].class));
        k->first_seen_ms = a[i].at_ms < k->first_seen_ms ? a[i].at_ms : k->first_seen_ms;
        k->last_seen_ms = a[i].at_ms > k->last_seen_ms ? a[i].at_ms : k->last_seen_ms;
    }
    k->classes = view_text(r->view, str_z(&classes));
}

static void find_keys(struct reporting *r)
{
    struct view_rows rows = view_rows_begin(r->view, sizeof(struct view_key));
    struct counted *a = r->arrivals.at;
    size_t all = r->arrivals.count, same;

    if (all > 0)
        qsort(a, all, sizeof *a, by_key_and_class);
    for (size_t i = 0; i < all; i += same) {
        same = 1;
        while (i + same < all && strcmp(a[i].key, a[i + same].key) == 0)
            same++;
        if (same > 1)
            add_key(r, &rows, &a[i], same);
    }
    if (rows.count > 0)
        qsort(rows.at, rows.count, sizeof(struct view_key), earliest_first);
    r->d->key = rows.at;
    r->d->keys = rows.count;
}

/* All but the late decisions comes of one pass, so that no two numbers can disagree. */
static enum rc numbers(struct reporting *r, struct err *err)
{
    const struct report_period period = {r->d->since_ms, r->d->until_ms};

    r->arrivals = view_rows_begin(r->view, sizeof(struct counted));
    r->mailboxes = view_rows_begin(r->view, sizeof(struct view_count));
    r->domains = view_rows_begin(r->view, sizeof(struct view_count));
    TRY(report_facts(r->db, &period, count_fact, r, err));
    r->d->mailbox = summed(&r->mailboxes, &r->d->mailboxes);
    r->d->domain = summed(&r->domains, &r->d->domains);
    find_keys(r);
    return RC_OK;
}

/* One state of the ledger for all of them, or the sums could not agree while the service runs. */
static enum rc read_all(struct reporting *r, struct err *err)
{
    CLEANUP(tx_end) struct tx tx = TX_NONE;

    TRY(tx_read(r->db, &tx, err));
    TRY(numbers(r, err));
    TRY(by_day(r, err));
    return view_late_decisions(r->db, r->view, r->d, err);
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
