/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

#include <inttypes.h>
#include <string.h>

#define NUMBER_WIDTH 10
#define WHAT_WIDTH   38
#define NAME_WIDTH   30

/* In all rows or in none. */
static bool has_names(size_t width)
{
    return width == 0 || width >= NUMBER_WIDTH + WHAT_WIDTH + NAME_WIDTH;
}

/* A number, what it is, and, where there is room, the name by which its rows are asked for. */
static void row(const struct call *call, int64_t n, const char *what, const char *name)
{
    CLEANUP(str_clear) struct str shown = STR_INIT;
    size_t width = table_width(call), room = WHAT_WIDTH;
    bool named = has_names(width);
    if (!named)
        room = width > NUMBER_WIDTH + 8 ? width - NUMBER_WIDTH : 8;
    plain_cut(what, room, &shown);
    int pad = WHAT_WIDTH - (int)plain_columns(str_z(&shown));
    printf("  %6" PRId64 "  %s", n, str_z(&shown));
    if (named)
        printf("%*s  %s", pad > 0 ? pad : 0, "", name);
    putchar('\n');
}

static void figures(const struct call *call, const struct view_duplicates *d, enum figure_part part)
{
    for (const struct report_figure *f = report_figure(part, NULL); f; f = report_figure(part, f))
        row(call, figure_count(d, f), label("figure", f->name), f->name);
}

static void balance(const struct call *call, const struct view_duplicates *d)
{
    printf("%" PRId64 " %s\n", d->deliveries, d->deliveries == 1 ? "arrival" : "arrivals");
    figures(call, d, FIGURE_BECAME);
    figures(call, d, FIGURE_AGAIN);
}

static void headlines(const struct call *call, const struct view_duplicates *d)
{
    heading(call, "What that did not cause");
    figures(call, d, FIGURE_OUTCOME);
    heading(call, "Decisions about what was held, in conflict or changed on its way");
    figures(call, d, FIGURE_DECIDED);
    heading(call, "Where it would have doubled");
    figures(call, d, FIGURE_BOUNDARY);
}

static void days(const struct call *call, const struct view_duplicates *d)
{
    if (d->days == 0)
        return;
    heading(call, "Copies by day");
    for (size_t i = 0; i < d->days; i++) {
        CLEANUP(str_clear) struct str asked = STR_INIT;
        str_addf(&asked, "day:%s", d->day[i].date);
        row(call, d->day[i].sum, d->day[i].date, str_z(&asked));
    }
}

static void counts(const struct call *call,
                   const char *title,
                   const char *list,
                   const struct view_count *count,
                   size_t n)
{
    if (n == 0)
        return;
    heading(call, title);
    for (size_t i = 0; i < n; i++) {
        CLEANUP(str_clear) struct str name = STR_INIT;
        CLEANUP(str_clear) struct str asked = STR_INIT;
        plain_text(count[i].name, &name);
        str_addf(&asked, "%s:%s", list, str_z(&name));
        row(call, count[i].count, str_z(&name), str_z(&asked));
    }
}

static struct table *
keys_table(const struct call *call, const struct view_duplicates *d, size_t limit)
{
    /* clang-format off */
    static const struct column columns[] = {
        { "CASE",  0, 0, false }, { "ARRIVALS", 0, 3, true }, { "AS", 12, 0, false },
        { "FIRST", 0, 2, false }, { "LAST",     0, 1, false },
    };
    /* clang-format on */
    struct table *t = table_of(columns, LENGTH(columns));
    for (size_t i = 0; i < d->keys && i < limit; i++) {
        const struct view_key *k = &d->key[i];
        char first[32], last[32], n[24], room[16];
        CLEANUP(str_clear) struct str as = STR_INIT;
        classes_words(k->classes, &as);
        when_cell(call, k->first_seen_ms, first);
        when_cell(call, k->last_seen_ms, last);
        snprintf(n, sizeof n, "%" PRId64, k->deliveries);
        const char *cell[] = {short_name(k->reference, k->key, room), n, str_z(&as), first, last};
        table_row(t, cell);
    }
    return t;
}

static void
keys(const struct call *call, const struct view_duplicates *d, const struct table *t, size_t limit)
{
    if (d->keys == 0)
        return;
    heading(call, "What came more than once");
    table_print(t, table_width(call), false, stdout);
    if (d->keys > limit)
        printf("The first %zu of %zu; --limit N shows more.\n", limit, d->keys);
}

/* They change no number of a period that is over. */
static void late(const struct call *call, const struct view_duplicates *d)
{
    if (d->late_count == 0)
        return;
    heading(call, "Late decisions, of after this time: in none of these numbers");
    CLEANUP(sheet_free) struct sheet *sheet = decisions_sheet(d->late, d->late_count);
    sheet_print(sheet, SHEET_TABLE, call->now_ms, table_width(call), stdout);
}

static void span(const struct view_duplicates *d)
{
    char since[32], until[32];
    period_exact(d->since_ms, since);
    period_exact(d->until_ms, until);
    printf("%s%s until %s\n", d->since_ms > 0 ? "From " : "From the beginning",
           d->since_ms > 0 ? since : "", until);
}

/* --columns is of the table of what came more than once. */
static int page(const struct call *call, const struct view_duplicates *d, size_t limit)
{
    CLEANUP(table_free) struct table *t = keys_table(call, d, limit);
    struct err err = ERR_INIT;
    if (choose_columns(call, t, &err) != RC_OK)
        return failed(&err);
    span(d);
    balance(call, d);
    headlines(call, d);
    days(call, d);
    counts(call, "Copies by mailbox", "mailbox", d->mailbox, d->mailboxes);
    counts(call, "Copies by the sender's domain", "domain", d->domain, d->domains);
    keys(call, d, t, limit);
    late(call, d);
    putchar('\n');
    plain_wrap(has_names(table_width(call))
                   ? "The mails behind a number: --rows with the name that stands beside it."
                   : "The mails behind a number: --rows with its name, which --wide shows.",
               0, call->width, stdout);
    if (report_adds_up(d))
        return EXIT_DONE;
    fprintf(stderr, "onecase: these numbers do not add up; do not rely on them, and report it with "
                    "'onecase report duplicates --json'\n");
    return EXIT_NO;
}

static void html(const struct call *call, const struct view_duplicates *d)
{
    const struct report_facts facts = report_made(call);
    report_page(d, &facts, stdout);
}

/* The mails behind one number. */
static int rows_of(const struct call *call, const char *number, int64_t since, int64_t until)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(sheet_free) struct sheet *sheet = NULL;
    enum sheet_format format;
    struct err err = ERR_INIT;
    const struct views *v = call->ops->views;
    bool late_ones = strcmp(number, "late_decisions") == 0;
    const struct view_figure asked = {.number = number, .since_ms = since, .until_ms = until};
    enum rc rc = report_format(call, &format, &err);
    if (rc == RC_OK)
        rc = late_ones ? v->duplicates(v->self, since, until, &view, &err)
                       : v->duplicate_rows(v->self, &asked, &view, &err);
    if (rc != RC_OK)
        return failed(&err);
    const struct view_duplicates *d = view.row;
    sheet = late_ones ? decisions_sheet(d->late, d->late_count) : report_rows_sheet(&view);
    return show_sheet(call, sheet, format);
}

int cmd_report_duplicates(struct call *call)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(str_clear) struct str out = STR_INIT;
    CLEANUP(sheet_free) struct sheet *sheet = NULL;
    enum sheet_format format;
    int64_t since, until;
    size_t limit;
    struct err err = ERR_INIT;
    const struct views *v = call->ops->views;
    if (report_format(call, &format, &err) != RC_OK ||
        report_period(call, &since, &until, &err) != RC_OK || limit_of(call, &limit, &err) != RC_OK)
        return failed(&err);
    if (args_has(&call->args, "--rows"))
        return rows_of(call, args_get(&call->args, "--rows"), since, until);
    if (v->duplicates(v->self, since, until, &view, &err) != RC_OK)
        return failed(&err);
    if (format == SHEET_TABLE)
        return page(call, view.row, limit);
    if (format == SHEET_JSON) {
        json_duplicates(&view, &out);
        print(&out);
    } else if (format == SHEET_HTML) {
        html(call, view.row);
    } else {
        sheet = duplicates_sheet(view.row);
        sheet_print(sheet, format, call->now_ms, call->width, stdout);
    }
    return report_adds_up(view.row) ? EXIT_DONE : EXIT_NO;
}
