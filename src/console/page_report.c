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

#define KEYS_MAX 40
#define LATE_MAX 20

struct reporting {
    struct visit *v;
    const struct view_duplicates *d;
    int64_t since, until;
    char rows[96]; /* where the rows of a figure are; its name follows */
};

/* ---- figures -------------------------------------------------------------------------------------------- */

static void put_link(struct reporting *r, struct fields *f, const char *figure)
{
    CLEANUP(str_clear) struct str link = STR_INIT;
    str_addz(&link, r->rows);
    url_add(&link, figure);
    put(f, "link", str_z(&link));
}

static void put_part(struct reporting *r, const char *list, enum figure_part part)
{
    for (const struct report_figure *f = report_figure(part, NULL); f; f = report_figure(part, f)) {
        struct fields *row = put_row(r->v->page, list);
        put(row, "figure", f->name);
        put(row, "label", label("figure", f->name));
        put_number(row, "count", figure_count(r->d, f));
        put_link(r, row, f->name);
    }
}

static void put_figures(struct reporting *r)
{
    put_part(r, "headlines", FIGURE_OUTCOME);
    put_part(r, "all", FIGURE_ARRIVALS);
    put_part(r, "parts", FIGURE_BECAME);
    put_part(r, "parts", FIGURE_AGAIN);
    put_part(r, "answers", FIGURE_DECIDED);
    put_part(r, "boundaries", FIGURE_BOUNDARY);
    put_flag(r->v->page, "adds_up", report_adds_up(r->d));
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

/* Who decided is for operators, and so are the rows. */
static void
put_audit_link(struct reporting *r, struct fields *f, const char *name, const char *more)
{
    CLEANUP(str_clear) struct str link = STR_INIT;
    if (!may(r->v, ROLE_OPERATOR))
        return;
    str_addf(&link, "/audit?since=%" PRId64 "&until=%" PRId64 "&%s=", r->since, r->until, name);
    url_add(&link, more);
    put(f, "link", str_z(&link));
}

static void put_people(struct reporting *r, const struct view_decision *d, size_t count)
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
        struct fields *row = put_row(r->v->page, "people");
        put(row, "person", may(r->v, ROLE_OPERATOR) ? p[i].name : "a person");
        put_number(row, "count", p[i].count);
        put_audit_link(r, row, "by", p[i].name);
    }
}

static void put_time_to_decide(struct reporting *r, const struct view_decision *d, size_t count)
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
    struct fields *row = put_row(r->v->page, "decided");
    put(row, "time_to_decide", age);
    put_number(row, "decided_count", (int64_t)n);
    put_audit_link(r, row, "asked", "1");
}

static enum rc put_decided(struct reporting *r, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = r->v->ops->views;
    TRY(views->decisions(views->self, r->since, r->until, false, &view, err));
    put_people(r, view.row, view.count);
    put_time_to_decide(r, view.row, view.count);
    return RC_OK;
}

/* What the mailboxes themselves say, beside what the ledger counts. */
static void put_box(struct reporting *r, const struct view_mailbox *m)
{
    struct fields *row = put_row(r->v->page, "boxes");
    put(row, "box", m->id);
    put_when(row, "looked_at", m->last_success_ms, r->v->now.wall_ms);
    put_flag(row, "agrees", m->difference == 0 && m->last_success_ms > 0);
    if (m->difference > 0)
        put_number(row, "gone", m->difference);
    if (m->backlog > 0)
        put_number(row, "backlog", m->backlog);
}

static enum rc put_headlines(struct reporting *r, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = r->v->ops->views;
    int64_t not_told = 0;
    TRY(views->mailboxes(views->self, r->v->now.wall_ms, &view, err));
    const struct view_mailbox *m = view.row;
    for (size_t i = 0; i < view.count; i++) {
        not_told += m[i].not_told;
        put_box(r, &m[i]);
    }
    put_flag(r->v->page, "may_decide", may(r->v, ROLE_OPERATOR));
    put_number(r->v->page, "not_told", not_told);
    return put_decided(r, err);
}

/* ---- bars by local day, stacked by cause ------------------------------------------------------------------ */

static void put_day(struct reporting *r, const struct view_day *d)
{
    CLEANUP(str_clear) struct str figure = STR_INIT;
    struct fields *row = put_row(r->v->page, "days");
    str_addf(&figure, "day:%s", d->date);
    put(row, "date", d->date);
    put_number(row, "sum", d->sum);
    put_link(r, row, str_z(&figure));
    for (size_t i = 0; i < DELIVERY_CLASS_COUNT; i++) {
        CLEANUP(str_clear) struct str one = STR_INIT;
        const char *class = delivery_class_text((enum delivery_class)i);
        if (d->count[i] == 0)
            continue;
        struct fields *cause = put_row(row, "causes");
        str_addf(&one, "%s/%s", str_z(&figure), class);
        put(cause, "label", label("class", class));
        put_number(cause, "count", d->count[i]);
        put_link(r, cause, str_z(&one));
    }
}

static void put_days(struct reporting *r)
{
    CLEANUP(str_clear) struct str chart = STR_INIT;
    day_chart(r->d, r->v->now.wall_ms, r->rows, &chart);
    put_markup(r->v->page, "chart", str_slice(&chart));
    put_flag(r->v->page, "by_day", r->d->days > 0);
    for (size_t i = 0; i < r->d->days; i++)
        put_day(r, &r->d->day[i]);
}

/* ---- a row a case ------------------------------------------------------------------------------------------- */

static void put_keys(struct reporting *r)
{
    for (size_t i = 0; i < r->d->keys && i < KEYS_MAX; i++) {
        const struct view_key *k = &r->d->key[i];
        struct fields *row = put_row(r->v->page, "keys");
        CLEANUP(str_clear) struct str kinds = STR_INIT;
        CLEANUP(str_clear) struct str figure = STR_INIT;
        char room[16];
        classes_words(k->classes, &kinds);
        str_addf(&figure, "key:%s", k->key);
        text_copy(room, 13, k->key);
        put(row, "name", room);
        put(row, "shown_name", k->reference[0] ? k->reference : "a mail without a case");
        put(row, "kinds", str_z(&kinds));
        put_number(row, "count", k->deliveries);
        put_link(r, row, str_z(&figure));
        put_when(row, "first", k->first_seen_ms, r->v->now.wall_ms);
        put_when(row, "last", k->last_seen_ms, r->v->now.wall_ms);
    }
    if (r->d->keys > KEYS_MAX)
        put_number(r->v->page, "more_keys", (int64_t)(r->d->keys - KEYS_MAX));
    put_number(r->v->page, "key_count", (int64_t)r->d->keys);
    put_flag(r->v->page, "any_keys", r->d->keys > 0);
}

/* The past stays what it was: what was decided after the period is told beside it. */
static void put_late(struct reporting *r)
{
    for (size_t i = 0; i < r->d->late_count && i < LATE_MAX; i++) {
        const struct view_decision *l = &r->d->late[i];
        struct fields *row = put_row(r->v->page, "late");
        char room[16];
        text_copy(room, 13, l->key);
        put(row, "name", room);
        put(row, "shown_name", l->reference[0] ? l->reference : "a mail without a case");
        put(row, "decision", label("decision", l->decision));
        put(row, "person", may(r->v, ROLE_OPERATOR) ? l->by : "a person");
        put_when(row, "at", l->decided_ms, r->v->now.wall_ms);
    }
    if (r->d->late_count > 0)
        put_number(r->v->page, "late_count", (int64_t)r->d->late_count);
    if (r->d->late_count > LATE_MAX)
        put_number(r->v->page, "more_late", (int64_t)(r->d->late_count - LATE_MAX));
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
    put_flag(r->v->page, "any_suspects", view.count > 0);
    for (size_t i = 0; i < view.count && i < 100; i++) {
        if (i == 0 || strcmp(s[i].fingerprint, s[i - 1].fingerprint) != 0) {
            group = put_row(r->v->page, "suspects");
            put(group, "first_of_them", s[i].reference);
        }
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
    put_flag(v->page, "own_zone", true);
    put_flag(v->page, "operator", may(v, ROLE_OPERATOR));
    put(v->page, "maker", v->account.name);
    put(v->page, "ledger_kind",
        strcmp(v->ops->config->ledger, "sqlite") == 0 ? "SQLite" : "PostgreSQL");
}

static enum rc write_report(struct reporting *r, struct err *err)
{
    put_head(r);
    put_figures(r);
    put_keys(r);
    put_late(r);
    put_days(r);
    TRY(put_headlines(r, err));
    return put_suspects(r, err);
}

/* ---- its tables ----------------------------------------------------------------------------------------------- */

static enum rc mails_table(struct reporting *r, struct sheet **out, struct err *err)
{
    (void)err;
    *out = duplicate_mails_sheet(r->d);
    return RC_OK;
}

static enum rc numbers_table(struct reporting *r, struct sheet **out, struct err *err)
{
    (void)err;
    *out = duplicates_sheet(r->d);
    return RC_OK;
}

static enum rc late_table(struct reporting *r, struct sheet **out, struct err *err)
{
    (void)err;
    *out = decisions_sheet(r->d->late, r->d->late_count);
    return RC_OK;
}

static enum rc decisions_table(struct reporting *r, struct sheet **out, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = r->v->ops->views;
    TRY(views->decisions(views->self, r->since, r->until, false, &view, err));
    *out = decisions_sheet(view.row, view.count);
    return RC_OK;
}

static enum rc suspects_table(struct reporting *r, struct sheet **out, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = r->v->ops->views;
    TRY(views->suspects(views->self, NULL, &view, err));
    *out = suspects_sheet(view.row, view.count);
    return RC_OK;
}

/* clang-format off */
/* By the `of` of the address. Who people are, and what they wrote, is for operators. */
static const struct table {
    const char *of, *file;
    bool personal;
    enum rc (*fill)(struct reporting *r, struct sheet **out, struct err *err);
} tables[] = {
    { "",          "duplicates",                 false, mails_table     },
    { "numbers",   "duplicates-numbers",         false, numbers_table   },
    { "late",      "duplicates-decided-later",   true,  late_table      },
    { "decisions", "duplicates-decisions",       true,  decisions_table },
    { "suspects",  "suspects",                   true,  suspects_table  },
};
/* clang-format on */

static const struct table *asked_table(struct visit *v)
{
    const char *of = form_get(&v->request->query, "of");
    for (size_t i = 0; i < LENGTH(tables); i++)
        if (strcmp(tables[i].of, of) == 0 && (!tables[i].personal || may(v, ROLE_OPERATOR)))
            return &tables[i];
    return NULL;
}

static void give_csv(struct reporting *r)
{
    struct visit *v = r->v;
    const struct table *table = asked_table(v);
    CLEANUP(sheet_free) struct sheet *sheet = NULL;
    struct err err = ERR_INIT;
    char *text = NULL;
    size_t size = 0;
    if (!table) {
        refuse(v, 404, "There is no such table", "The report has none of that name for your role.");
        return;
    }
    if (table->fill(r, &sheet, &err) != RC_OK) {
        refuse_err(v, &err);
        return;
    }
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    sheet_print(sheet, SHEET_CSV, v->now.wall_ms, 0, out);
    fclose(out);
    str_add(&v->response->body, (struct slice){text, size});
    free(text);
    v->response->type = "text/csv; charset=utf-8";
    str_addf(&v->response->file_name, "attachment; filename=%s.csv", table->file);
}

static void give(struct reporting *r, const struct view *view)
{
    const char *format = form_get(&r->v->request->query, "format");
    CLEANUP(str_clear) struct str out = STR_INIT;
    struct err err = ERR_INIT;
    if (strcmp(format, "csv") == 0) {
        give_csv(r);
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
    if (asked_period(v, &r.since, &r.until, &err) != RC_OK ||
        views->duplicates(views->self, r.since, r.until, &view, &err) != RC_OK) {
        refuse_err(v, &err);
        return;
    }
    r.d = view.row;
    snprintf(r.rows, sizeof r.rows,
             "/arrivals?since=%" PRId64 "&until=%" PRId64 "&figure=", r.since, r.until);
    give(&r, &view);
}
