/* SPDX-License-Identifier: Apache-2.0
 *
 * What people decided, and what they are asked about cases that say the same, as lists.
 */
#include <onecase/front.h>
#include <onecase/when.h>
#include <inttypes.h>
#include <string.h>

/* clang-format off */
static const struct sheet_column decision_columns[] = {
    { "decided_at", "WHEN",       NULL,       SHEET_WHEN   },
    { "case",       "CASE",       NULL,       SHEET_TEXT   },
    { "decision",   "DECISION",   "decision", SHEET_TEXT   },
    { "by",         "BY",         NULL,       SHEET_TEXT   },
    { "second",     "APPROVED BY",NULL,       SHEET_TEXT   },
    { "why",        "WHY",        NULL,       SHEET_TEXT   },
    { "reason",     "ASKED",      "reason",   SHEET_TEXT   },
    { "state",      "WAS",        "state",    SHEET_TEXT   },
    { "waited_seconds", "WAITED (S)", NULL,   SHEET_NUMBER },
    { "undone_at",  "TAKEN BACK", NULL,       SHEET_WHEN   },
    { "mailbox",    "MAILBOX",    NULL,       SHEET_TEXT   },
    { "key",        "KEY",        NULL,       SHEET_TEXT   },
};
static const struct sheet_column suspect_columns[] = {
    { "alike",      "ALIKE",   NULL,    SHEET_TEXT },
    { "case",       "CASE",    NULL,    SHEET_TEXT },
    { "mailbox",    "MAILBOX", NULL,    SHEET_TEXT },
    { "from",       "FROM",    NULL,    SHEET_TEXT },
    { "subject",    "SUBJECT", NULL,    SHEET_TEXT },
    { "state",      "STATE",   "state", SHEET_TEXT },
    { "created_at", "MADE",    NULL,    SHEET_WHEN },
};
/* clang-format on */

static void decision_row(struct sheet *sheet, const struct view_decision *d)
{
    char at[WHEN_TEXT_SIZE], undone[WHEN_TEXT_SIZE], waited[24];
    snprintf(waited, sizeof waited, "%" PRId64, (d->decided_ms - d->asked_ms) / 1000);
    const char *cell[] = {cell_when(d->decided_ms, at),
                          cell_text(d->reference),
                          d->decision,
                          d->by,
                          cell_text(d->second),
                          d->why,
                          cell_text(d->reason),
                          d->state,
                          d->asked_ms != NOT_DUE ? waited : NULL,
                          cell_when(d->undone_ms, undone),
                          d->mailbox,
                          d->key};
    sheet_row(sheet, cell);
}

struct sheet *decisions_sheet(const struct view_decision *d, size_t count)
{
    struct sheet *sheet = sheet_new("Decisions", decision_columns, LENGTH(decision_columns));
    for (size_t i = 0; i < count; i++)
        decision_row(sheet, &d[i]);
    return sheet;
}

/* Those that say the same stand one below the other, under the reference of the first. */
struct sheet *suspects_sheet(const struct view_suspect *s, size_t count)
{
    struct sheet *sheet = sheet_new("Suspects", suspect_columns, LENGTH(suspect_columns));
    const struct view_suspect *first = s;
    for (size_t i = 0; i < count; i++) {
        char at[WHEN_TEXT_SIZE];
        if (strcmp(s[i].fingerprint, first->fingerprint) != 0)
            first = &s[i];
        const char *cell[] = {first->reference,
                              s[i].reference,
                              s[i].mailbox,
                              s[i].from,
                              s[i].subject,
                              s[i].state,
                              cell_when(s[i].created_ms, at)};
        sheet_row(sheet, cell);
    }
    return sheet;
}
