/* SPDX-License-Identifier: Apache-2.0
 *
 * Every run that used the ledger, and who owns a mailbox of it without one, as a list.
 */
#include <onecase/front.h>
#include <onecase/when.h>
#include <inttypes.h>
#include <string.h>

/* clang-format off */
static const struct sheet_column run_columns[] = {
    { "name",        "NAME",        NULL, SHEET_TEXT   },
    { "environment", "ENVIRONMENT", NULL, SHEET_TEXT   },
    { "owner",       "OWNER",       NULL, SHEET_TEXT   },
    { "mailboxes",   "MAILBOXES",   NULL, SHEET_TEXT   },
    { "version",     "VERSION",     NULL, SHEET_TEXT   },
    { "host",        "HOST",        NULL, SHEET_TEXT   },
    { "pid",         "PROCESS",     NULL, SHEET_NUMBER },
    { "active",      "ACTIVE",      NULL, SHEET_TEXT   },
    { "entered_at",  "SINCE",       NULL, SHEET_WHEN   },
    { "seen_at",     "LAST SEEN",   NULL, SHEET_WHEN   },
    { "ended_at",    "ENDED",       NULL, SHEET_WHEN   },
    { "run",         "RUN",         NULL, SHEET_TEXT   },
};
/* clang-format on */

/* One on another machine that has been silent for longer than a lease is not taken for active. */
static const char *active(const struct operations *ops, int64_t now_ms, const struct view_run *r)
{
    if (r->ended[0])
        return strcmp(r->ended, "dead") == 0 ? "no, died" : "no";
    return now_ms - r->beat_ms > 2 * ops->config->lease_ms ? "silent" : "yes";
}

static void run_row(struct sheet *sheet, const char *is_active, const struct view_run *r)
{
    char entered[WHEN_TEXT_SIZE], beat[WHEN_TEXT_SIZE], ended[WHEN_TEXT_SIZE], pid[24];
    snprintf(pid, sizeof pid, "%" PRId64, r->pid);
    const char *cell[] = {r->name,
                          r->environment,
                          cell_text(r->owner),
                          cell_text(r->mailboxes),
                          r->version,
                          r->host,
                          pid,
                          is_active,
                          cell_when(r->entered_ms, entered),
                          cell_when(r->beat_ms, beat),
                          cell_when(r->ended_ms, ended),
                          r->id};
    sheet_row(sheet, cell);
}

/* Other deployments that hold a mailbox of ours are known by their deed alone. */
static enum rc
add_owners(const struct operations *ops, int64_t now_ms, struct sheet *sheet, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *v = ops->views;
    TRY(v->mailboxes(v->self, now_ms, &view, err));
    const struct view_mailbox *m = view.row;
    for (size_t i = 0; i < view.count; i++)
        if (m[i].claim_owner && m[i].claim_owner[0]) {
            const char *cell[] = {m[i].claim_owner,          NULL, NULL, m[i].id, NULL, NULL, NULL,
                                  "owns it, another ledger", NULL, NULL, NULL,    NULL};
            sheet_row(sheet, cell);
        }
    return RC_OK;
}

/* Who owns a mailbox is no run, and stands before the newest of them. */
enum rc deployments_sheet(const struct operations *ops,
                          const char *after,
                          size_t limit,
                          int64_t now_ms,
                          struct sheet **out,
                          struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(sheet_free)
    struct sheet *sheet = sheet_new("Deployments", run_columns, LENGTH(run_columns));
    const struct views *v = ops->views;
    TRY(ops->prove_runs(ops->self, err));
    if (!after)
        TRY(add_owners(ops, now_ms, sheet, err));
    TRY(v->runs(v->self, after, limit, &view, err));
    const struct view_run *r = view.row;
    for (size_t i = 0; i < view.count; i++)
        run_row(sheet, active(ops, now_ms, &r[i]), &r[i]);
    *out = STEAL(sheet);
    return RC_OK;
}
