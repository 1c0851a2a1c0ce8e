/* SPDX-License-Identifier: Apache-2.0
 *
 * The duplicate report as lists: all of it (a section, a name, a number), a row a mail, and the rows of a
 * number.
 */
#include <onecase/front.h>
#include <onecase/when.h>
#include <inttypes.h>

/* clang-format off */
static const struct sheet_column columns[] = {
    { "section", "PART",   NULL, SHEET_TEXT   },
    { "name",    "WHAT",   NULL, SHEET_TEXT   },
    { "count",   "NUMBER", NULL, SHEET_NUMBER },
    { "detail",  "DETAIL", NULL, SHEET_TEXT   },
};
/* clang-format on */

static void
row(struct sheet *sheet, const char *section, const char *name, int64_t n, const char *detail)
{
    char count[24];
    snprintf(count, sizeof count, "%" PRId64, n);
    const char *cell[] = {section, name, count, detail};
    sheet_row(sheet, cell);
}

/* The detail is the name by which the rows are asked for. */
static void figures(struct sheet *sheet,
                    const struct view_duplicates *d,
                    const char *section,
                    enum figure_part part)
{
    for (const struct report_figure *f = report_figure(part, NULL); f; f = report_figure(part, f))
        row(sheet, section, label("figure", f->name), figure_count(d, f), f->name);
}

static void
counts(struct sheet *sheet, const char *section, const struct view_count *count, size_t n)
{
    for (size_t i = 0; i < n; i++)
        row(sheet, section, count[i].name, count[i].count, NULL);
}

static void days(struct sheet *sheet, const struct view_duplicates *d)
{
    for (size_t i = 0; i < d->days; i++)
        for (size_t c = 0; c < DELIVERY_CLASS_COUNT; c++)
            if (d->day[i].count[c] > 0)
                row(sheet, "day", d->day[i].date, d->day[i].count[c],
                    label("class", delivery_class_text((enum delivery_class)c)));
}

static void mails(struct sheet *sheet, const struct view_duplicates *d)
{
    for (size_t i = 0; i < d->keys; i++) {
        const struct view_key *k = &d->key[i];
        row(sheet, "mail", k->reference[0] ? k->reference : k->key, k->deliveries, k->classes);
    }
}

static void late(struct sheet *sheet, const struct view_duplicates *d)
{
    for (size_t i = 0; i < d->late_count; i++) {
        const struct view_decision *l = &d->late[i];
        row(sheet, "late decision", l->reference[0] ? l->reference : l->key, 1,
            label("decision", l->decision));
    }
}

struct sheet *duplicates_sheet(const struct view_duplicates *d)
{
    struct sheet *sheet = sheet_new("Mail that came more than once", columns, LENGTH(columns));
    figures(sheet, d, "arrivals", FIGURE_ARRIVALS);
    figures(sheet, d, "arrivals", FIGURE_NEW);
    figures(sheet, d, "arrivals", FIGURE_AGAIN);
    figures(sheet, d, "new mail", FIGURE_BECAME);
    figures(sheet, d, "decided", FIGURE_DECIDED);
    figures(sheet, d, "outcome", FIGURE_OUTCOME);
    figures(sheet, d, "boundary", FIGURE_BOUNDARY);
    days(sheet, d);
    counts(sheet, "mailbox", d->mailbox, d->mailboxes);
    counts(sheet, "sender's domain", d->domain, d->domains);
    mails(sheet, d);
    late(sheet, d);
    return sheet;
}

/* clang-format off */
static const struct sheet_column mail_columns[] = {
    { "case",       "CASE",     NULL, SHEET_TEXT   },
    { "key",        "KEY",      NULL, SHEET_TEXT   },
    { "arrivals",   "ARRIVALS", NULL, SHEET_NUMBER },
    { "kinds",      "KINDS",    NULL, SHEET_TEXT   },
    { "first_seen", "FIRST",    NULL, SHEET_WHEN   },
    { "last_seen",  "LAST",     NULL, SHEET_WHEN   },
};
/* clang-format on */

struct sheet *duplicate_mails_sheet(const struct view_duplicates *d)
{
    struct sheet *sheet = sheet_new("Duplicates", mail_columns, LENGTH(mail_columns));
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

/* clang-format off */
static const struct sheet_column row_columns[] = {
    { "at",      "WHEN",    NULL,    SHEET_WHEN   }, { "case", "CASE", NULL, SHEET_TEXT   },
    { "what",    "WHAT",    "class", SHEET_TEXT   }, { "id",   "ID",   NULL, SHEET_NUMBER },
    { "mailbox", "MAILBOX", NULL,    SHEET_TEXT   }, { "key",  "KEY",  NULL, SHEET_TEXT   },
};
/* clang-format on */

struct sheet *report_rows_sheet(const struct view *rows)
{
    struct sheet *sheet = sheet_new("Mails behind a number", row_columns, LENGTH(row_columns));
    const struct view_report_row *r = rows->row;
    for (size_t i = 0; i < rows->count; i++) {
        char at[WHEN_TEXT_SIZE], id[24];
        when_text(r[i].at_ms, at);
        snprintf(id, sizeof id, "%" PRId64, r[i].id);
        const char *cell[] = {
            at, r[i].reference[0] ? r[i].reference : NULL, r[i].what, id, r[i].mailbox, r[i].key};
        sheet_row(sheet, cell);
    }
    return sheet;
}
