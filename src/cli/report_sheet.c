/* SPDX-License-Identifier: Apache-2.0
 *
 * The duplicate report as one list, for CSV and HTML: a section, a name, a number.
 */
#include "cli_p.h"

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

static void totals(struct sheet *sheet, const struct view_duplicates *d)
{
    row(sheet, "arrivals", "all", d->deliveries, NULL);
    for (size_t i = 0; i < DELIVERY_CLASS_COUNT; i++)
        row(sheet, "arrivals", label("class", delivery_class_text((enum delivery_class)i)),
            d->class[i], NULL);
    for (size_t i = 0; i < DISPOSITION_COUNT; i++)
        if (i != DISPOSITION_DISMISSED)
            row(sheet, "new mail", label("disposition", disposition_text((enum disposition)i)),
                d->arrived_as[i], NULL);
    row(sheet, "decided", "a case of its own", d->decided_new_case, NULL);
    row(sheet, "decided", "added to a case", d->decided_append, NULL);
    row(sheet, "decided", "the same mail, or no request", d->decided_dismissed, NULL);
    row(sheet, "decided", "waiting", d->decided_waiting, NULL);
    row(sheet, "outcome", "second cases avoided", d->cases_prevented, NULL);
    row(sheet, "outcome", "confirmations in doubt, not sent twice", d->acknowledgements_withheld,
        NULL);
    row(sheet, "outcome", "doubles, after a person's decision", d->doubles, NULL);
}

static void boundaries(struct sheet *sheet, const struct view_duplicates *d)
{
    row(sheet, "boundary", "the mail arrived twice", d->by_delivery, NULL);
    row(sheet, "boundary", "two runs at once", d->by_concurrent_run, NULL);
    row(sheet, "boundary", "a step tried again after a lost answer", d->by_retry, NULL);
    row(sheet, "boundary", "a person's replay", d->by_replay, NULL);
    row(sheet, "boundary", "another installation", d->by_other_deployment, NULL);
}

static void
counts(struct sheet *sheet, const char *section, const struct view_count *count, size_t n)
{
    for (size_t i = 0; i < n; i++)
        row(sheet, section, count[i].name, count[i].count, NULL);
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

struct sheet *duplicates_sheet(const struct view_duplicates *d)
{
    struct sheet *sheet = sheet_new("Mail that came more than once", columns, LENGTH(columns));
    totals(sheet, d);
    boundaries(sheet, d);
    counts(sheet, "day", d->day, d->days);
    counts(sheet, "mailbox", d->mailbox, d->mailboxes);
    counts(sheet, "sender's domain", d->domain, d->domains);
    for (size_t i = 0; i < d->keys; i++) {
        const struct view_key *k = &d->key[i];
        row(sheet, "mail", k->reference[0] ? k->reference : k->key, k->deliveries, k->classes);
    }
    for (size_t i = 0; i < d->late_count; i++) {
        const struct view_decision *l = &d->late[i];
        row(sheet, "late decision", l->reference[0] ? l->reference : l->key, 1,
            label("decision", l->decision));
    }
    return sheet;
}
