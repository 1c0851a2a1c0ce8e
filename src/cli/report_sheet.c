/* SPDX-License-Identifier: Apache-2.0
 *
 * The duplicate report as one list, for CSV and HTML: a section, a name, a number.
 */
#include "cli_p.h"

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
    row(sheet, "outcome", "doubles that did happen, after a person's decision", d->doubles, NULL);
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
    return sheet;
}
