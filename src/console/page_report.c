/* SPDX-License-Identifier: Apache-2.0
 *
 * The duplicate report as a page: every figure is a link to its rows.
 */
#include "console_p.h"

#include <onecase/when.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DAYS_MAX 92
#define KEYS_MAX 50
#define CHART    120 /* the height of its bars */
#define FEW      30  /* arrivals below which a bar says nothing */

struct reporting {
    struct visit *v;
    const struct view_duplicates *d;
    int64_t since, until;
};

/* ---- figures -------------------------------------------------------------------------------------------- */

static void
put_figure(struct reporting *r, struct fields *f, const char *list, const char *name, int64_t n)
{
    struct fields *row = put_row(f, list);
    put(row, "figure", name);
    put(row, "label", label("figure", name));
    put_number(row, "count", n);
    put_format(row, "link", "/arrivals?figure=%s&since=%" PRId64 "&until=%" PRId64, name, r->since,
               r->until);
}

static int64_t sum_of_classes(const struct view_duplicates *d)
{
    int64_t sum = 0;
    for (size_t i = 0; i < DELIVERY_CLASS_COUNT; i++)
        sum += d->class[i];
    return sum;
}

static int64_t sum_of_first(const struct view_duplicates *d)
{
    int64_t sum = 0;
    for (size_t i = 0; i < DISPOSITION_COUNT; i++)
        sum += d->arrived_as[i];
    return sum;
}

static int64_t sum_decided(const struct view_duplicates *d)
{
    return d->decided_new_case + d->decided_append + d->decided_dismissed + d->decided_waiting;
}

static bool adds_up(const struct view_duplicates *d)
{
    return d->deliveries == sum_of_classes(d) && d->class[CLASS_FIRST] == sum_of_first(d) &&
           sum_decided(d) == d->arrived_as[DISPOSITION_HELD] + d->class[CLASS_CONFLICT] +
                                 d->class[CLASS_GATEWAY_COPY];
}

static void put_balance(struct reporting *r)
{
    /* clang-format off */
    static const struct { enum disposition as; const char *figure; } first[] = {
        { DISPOSITION_CASE, "new_cases" },    { DISPOSITION_APPEND, "appended" },  { DISPOSITION_REPORT, "reports" },
        { DISPOSITION_EVIDENCE, "evidence" }, { DISPOSITION_ADOPTED, "adopted" },  { DISPOSITION_HELD, "held" },
    };
    /* clang-format on */
    struct fields *page = r->v->page;
    const struct view_duplicates *d = r->d;
    put_figure(r, page, "all", "deliveries", d->deliveries);
    for (size_t i = 0; i < LENGTH(first); i++)
        put_figure(r, page, "parts", first[i].figure, d->arrived_as[first[i].as]);
    for (size_t i = 0; i < DELIVERY_CLASS_COUNT; i++)
        if (i != CLASS_FIRST)
            put_figure(r, page, "parts", delivery_class_text((enum delivery_class)i), d->class[i]);
    put_figure(r, page, "answers", "decided.new_case", d->decided_new_case);
    put_figure(r, page, "answers", "decided.append", d->decided_append);
    put_figure(r, page, "answers", "decided.dismissed", d->decided_dismissed);
    put_figure(r, page, "answers", "decided.waiting", d->decided_waiting);
    put_flag(page, "adds_up", adds_up(d));
}

static void put_boundaries(struct reporting *r)
{
    const struct view_duplicates *d = r->d;
    const struct {
        const char *figure;
        int64_t n;
    } rows[] = {{"boundaries.delivery", d->by_delivery},
                {"boundaries.concurrent_run", d->by_concurrent_run},
                {"boundaries.retry", d->by_retry},
                {"boundaries.replay", d->by_replay},
                {"boundaries.other_deployment", d->by_other_deployment}};
    for (size_t i = 0; i < LENGTH(rows); i++)
        put_figure(r, r->v->page, "boundaries", rows[i].figure, rows[i].n);
}

/* ---- headlines ------------------------------------------------------------------------------------------ */

static int by_number(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

struct person {
    const char *name;
    int64_t count;
};

static void put_people(struct visit *v, const struct view_decision *d, size_t count)
{
    CLEANUP(mem_free) struct person *p = mem_new(count + 1, sizeof *p);
    size_t people = 0;
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        while (at < people && strcmp(p[at].name, d[i].by) != 0)
            at++;
        if (at == people)
            p[people++].name = d[i].by;
        p[at].count++;
    }
    for (size_t i = 0; i < people; i++) {
        struct fields *row = put_row(v->page, "people");
        put(row, "person", may(v, ROLE_OPERATOR) ? p[i].name : "a person");
        put_number(row, "count", p[i].count);
    }
}

static void put_time_to_decide(struct visit *v, const struct view_decision *d, size_t count)
{
    CLEANUP(mem_free) int64_t *took = mem_new(count + 1, sizeof *took);
    char age[32];
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (d[i].asked_ms != NOT_DUE)
            took[n++] = d[i].decided_ms - d[i].asked_ms;
    if (n == 0)
        return;
    qsort(took, n, sizeof *took, by_number);
    period_age(took[(n - 1) / 2], age);
    put(v->page, "time_to_decide", age);
    put_number(v->page, "decided_count", (int64_t)n);
}

static enum rc put_decided(struct reporting *r, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = r->v->ops->views;
    TRY(views->decisions(views->self, r->since, r->until, false, &view, err));
    put_people(r->v, view.row, view.count);
    put_time_to_decide(r->v, view.row, view.count);
    return RC_OK;
}

static enum rc put_headlines(struct reporting *r, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = r->v->ops->views;
    int64_t not_told = 0;
    put_figure(r, r->v->page, "headlines", "cases_prevented", r->d->cases_prevented);
    put_figure(r, r->v->page, "headlines", "acknowledgements_withheld",
               r->d->acknowledgements_withheld);
    put_figure(r, r->v->page, "headlines", "doubles", r->d->doubles);
    TRY(views->mailboxes(views->self, r->v->now.wall_ms, &view, err));
    const struct view_mailbox *m = view.row;
    for (size_t i = 0; i < view.count; i++)
        not_told += m[i].not_told;
    put_number(r->v->page, "not_told", not_told);
    return put_decided(r, err);
}

/* ---- bars per local day, stacked by cause ------------------------------------------------------------------ */

/* clang-format off */
static const struct { const char *class, *name; } causes[] = {
    { "redelivered",  "bar_redelivered" }, { "list_copy",  "bar_list_copy"  }, { "gateway_copy", "bar_gateway_copy" },
    { "reobserved",   "bar_reobserved"  }, { "returned",   "bar_returned"   },
};
/* clang-format on */

struct day {
    char date[16];
    int64_t count[LENGTH(causes)], sum;
};

/* The local date, by the zone of the pages. */
static void date_of(int64_t at_ms, char out[16])
{
    char exact[32];
    period_exact(at_ms, exact);
    exact[10] = '\0';
    text_copy(out, 16, exact);
}

static size_t read_days(const struct view *view, struct day *day)
{
    const struct view_quarter *q = view->row;
    size_t days = 0;
    for (size_t i = 0; i < view->count; i++) {
        char date[16];
        date_of(q[i].start_ms, date);
        if (days == 0 || strcmp(day[days - 1].date, date) != 0) {
            if (days == DAYS_MAX)
                return days;
            day[days++] = (struct day){.sum = 0};
            text_copy(day[days - 1].date, sizeof day[0].date, date);
        }
        for (size_t c = 0; c < LENGTH(causes); c++)
            if (strcmp(q[i].class, causes[c].class) == 0) {
                day[days - 1].count[c] += q[i].count;
                day[days - 1].sum += q[i].count;
            }
    }
    return days;
}

static void put_day(struct fields *chart, const struct day *d, size_t at, int64_t most)
{
    struct fields *row = put_row(chart, "days");
    int64_t y = CHART;
    put(row, "date", d->date);
    put(row, "short_date", d->date + 5);
    put_number(row, "sum", d->sum);
    put_number(row, "x", (int64_t)at * 22);
    put_flag(row, "labelled", at % 5 == 0);
    for (size_t c = 0; c < LENGTH(causes); c++) {
        int64_t height = d->count[c] * CHART / most;
        if (d->count[c] == 0)
            continue;
        height = height > 0 ? height : 1;
        y -= height;
        struct fields *bar = put_row(row, "stack");
        put_number(bar, "y", y > 0 ? y : 0);
        put_number(bar, "height", height);
        put(bar, "cause", causes[c].class);
        put(bar, "cause_label", label("class", causes[c].class));
        put_number(bar, "count", d->count[c]);
    }
}

static enum rc put_days(struct reporting *r, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(mem_free) struct day *day = mem_new(DAYS_MAX + 1, sizeof *day);
    const struct views *views = r->v->ops->views;
    int64_t most = 0;
    TRY(views->quarters(views->self, r->since, r->until, &view, err));
    size_t days = read_days(&view, day);
    for (size_t i = 0; i < days; i++)
        most = day[i].sum > most ? day[i].sum : most;
    put_flag(r->v->page, "few", r->d->deliveries < FEW);
    if (most == 0)
        return RC_OK;
    struct fields *chart = put_row(r->v->page, "chart");
    put_number(chart, "most", most);
    put_number(chart, "width", (int64_t)days * 22);
    for (size_t i = 0; i < days; i++)
        put_day(chart, &day[i], i, most);
    for (size_t c = 0; c < LENGTH(causes); c++) {
        struct fields *row = put_row(chart, "causes");
        put(row, "cause", causes[c].class);
        put(row, "cause_label", label("class", causes[c].class));
    }
    return RC_OK;
}

/* ---- a row a case ------------------------------------------------------------------------------------------- */

static void put_keys(struct reporting *r)
{
    for (size_t i = 0; i < r->d->keys && i < KEYS_MAX; i++) {
        const struct view_key *k = &r->d->key[i];
        struct fields *row = put_row(r->v->page, "keys");
        struct slice rest = slice_z(k->classes), class;
        CLEANUP(str_clear) struct str kinds = STR_INIT;
        char room[16];
        while (rest.len > 0 && slice_next(&rest, ',', &class)) {
            CLEANUP(str_clear) struct str word = STR_INIT;
            str_add(&word, class);
            str_addf(&kinds, "%s%s", kinds.len ? ", " : "", label("class", str_z(&word)));
        }
        text_copy(room, 13, k->key);
        put(row, "name", room);
        put(row, "shown_name", k->reference[0] ? k->reference : "a mail without a case");
        put(row, "kinds", str_z(&kinds));
        put_number(row, "count", k->deliveries);
        put_when(row, "first", k->first_seen_ms, r->v->now.wall_ms);
        put_when(row, "last", k->last_seen_ms, r->v->now.wall_ms);
    }
    if (r->d->keys > KEYS_MAX)
        put_number(r->v->page, "more_keys", (int64_t)(r->d->keys - KEYS_MAX));
    put_number(r->v->page, "key_count", (int64_t)r->d->keys);
}

static enum rc put_suspects(struct reporting *r, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = r->v->ops->views;
    if (!may(r->v, ROLE_OPERATOR))
        return RC_OK;
    TRY(views->suspects(views->self, NULL, &view, err));
    const struct view_suspect *s = view.row;
    struct fields *group = NULL;
    for (size_t i = 0; i < view.count && i < 100; i++) {
        if (i == 0 || strcmp(s[i].fingerprint, s[i - 1].fingerprint) != 0)
            group = put_row(r->v->page, "suspects");
        struct fields *row = put_row(group, "alike_cases");
        put(row, "reference", s[i].reference);
        put(row, "from", s[i].from);
        put(row, "subject", s[i].subject);
        put(row, "state", label("state", s[i].state));
        put_when(row, "made", s[i].created_ms, r->v->now.wall_ms);
    }
    return RC_OK;
}

/* ---- the page ------------------------------------------------------------------------------------------------- */

static enum rc period_of(const struct visit *v, int64_t *since, int64_t *until, struct err *err)
{
    const char *from = form_get(&v->request->query, "since");
    const char *to = form_get(&v->request->query, "until");
    *since = v->now.wall_ms - DAYS(30);
    *until = v->now.wall_ms + 1;
    if (from[0])
        TRY(period_parse(from, v->now.wall_ms, since, err));
    if (to[0])
        TRY(period_parse(to, v->now.wall_ms, until, err));
    return RC_OK;
}

static void put_head(struct reporting *r)
{
    char since[WHEN_TEXT_SIZE], until[WHEN_TEXT_SIZE];
    struct visit *v = r->v;
    when_text(r->since, since);
    when_text(r->until, until);
    put_when(v->page, "since", r->since, v->now.wall_ms);
    put_when(v->page, "until", r->until, v->now.wall_ms);
    put_when(v->page, "made", v->now.wall_ms, v->now.wall_ms);
    since[10] = until[10] = '\0';
    put(v->page, "since_day", since);
    put(v->page, "until_day", form_get(&v->request->query, "until")[0] ? until : "");
    put(v->page, "since_given", form_get(&v->request->query, "since"));
    put(v->page, "until_given", form_get(&v->request->query, "until"));
    put(v->page, "maker", v->account.name);
    put(v->page, "ledger_kind", v->ops->config->ledger);
}

static enum rc write_report(struct reporting *r, struct err *err)
{
    put_head(r);
    put_balance(r);
    put_boundaries(r);
    put_keys(r);
    TRY(put_headlines(r, err));
    TRY(put_days(r, err));
    return put_suspects(r, err);
}

/* clang-format off */
static const struct sheet_column csv_columns[] = {
    { "case",       "CASE",     NULL, SHEET_TEXT   },
    { "key",        "KEY",      NULL, SHEET_TEXT   },
    { "arrivals",   "ARRIVALS", NULL, SHEET_NUMBER },
    { "kinds",      "KINDS",    NULL, SHEET_TEXT   },
    { "first_seen", "FIRST",    NULL, SHEET_WHEN   },
    { "last_seen",  "LAST",     NULL, SHEET_WHEN   },
};
/* clang-format on */

static struct sheet *sheet_of(const struct view_duplicates *d)
{
    struct sheet *sheet = sheet_new("Duplicates", csv_columns, LENGTH(csv_columns));
    for (size_t i = 0; i < d->keys; i++) {
        char count[24], first[WHEN_TEXT_SIZE], last[WHEN_TEXT_SIZE];
        snprintf(count, sizeof count, "%" PRId64, d->key[i].deliveries);
        when_text(d->key[i].first_seen_ms, first);
        when_text(d->key[i].last_seen_ms, last);
        const char *cell[] = {d->key[i].reference, d->key[i].key, count,
                              d->key[i].classes,   first,         last};
        sheet_row(sheet, cell);
    }
    return sheet;
}

static void give_csv(struct visit *v, const struct view_duplicates *d)
{
    CLEANUP(sheet_free) struct sheet *sheet = sheet_of(d);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    sheet_print(sheet, SHEET_CSV, v->now.wall_ms, 0, out);
    fclose(out);
    str_add(&v->response->body, (struct slice){text, size});
    free(text);
    v->response->type = "text/csv; charset=utf-8";
    str_addz(&v->response->file_name, "attachment; filename=duplicates.csv");
}

static void give(struct reporting *r, const struct view *view)
{
    const char *format = form_get(&r->v->request->query, "format");
    CLEANUP(str_clear) struct str out = STR_INIT;
    struct err err = ERR_INIT;
    if (strcmp(format, "csv") == 0) {
        give_csv(r->v, r->d);
    } else if (strcmp(format, "json") == 0) {
        json_duplicates(view, &out);
        answer_json(r->v, &out);
        str_addz(&r->v->response->file_name, "attachment; filename=duplicates.json");
    } else if (write_report(r, &err) != RC_OK) {
        refuse_err(r->v, &err);
    } else {
        show(r->v, "duplicates", "Duplicates");
    }
}

void page_report(struct visit *v)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = v->ops->views;
    struct reporting r = {.v = v};
    struct err err = ERR_INIT;
    if (period_of(v, &r.since, &r.until, &err) != RC_OK ||
        views->duplicates(views->self, r.since, r.until, &view, &err) != RC_OK) {
        refuse_err(v, &err);
        return;
    }
    r.d = view.row;
    give(&r, &view);
}
