/* SPDX-License-Identifier: Apache-2.0
 *
 * report replays, report decisions, deployments, suspects: lists of what people and runs did.
 */
#include "cli_p.h"

#include <onecase/when.h>
#include <inttypes.h>
#include <string.h>

enum rc report_period(const struct call *call, int64_t *since, int64_t *until, struct err *err)
{
    const char *from = args_get(&call->args, "--since");
    const char *to = args_get(&call->args, "--until");
    *since = 0;
    *until = call->now_ms + 1;
    if (from)
        TRY(period_parse(from, call->now_ms, since, err));
    if (to)
        TRY(period_parse(to, call->now_ms, until, err));
    return *since < *until ? RC_OK : FAIL(err, RC_USAGE, "--since must be before --until");
}

enum rc report_format(const struct call *call, enum sheet_format *out, struct err *err)
{
    const char *text = args_get(&call->args, "--format");
    *out = call->json ? SHEET_JSON : SHEET_TABLE;
    if (text && !sheet_format_parse(text, out))
        return FAIL(err, RC_USAGE, "--format takes table, csv, json or html");
    return RC_OK;
}

/* ---- decisions and replays ------------------------------------------------------------------------------ */

/* clang-format off */
static const struct sheet_column replay_columns[] = {
    { "replayed_at", "WHEN",        NULL,     SHEET_WHEN },
    { "case",        "CASE",        NULL,     SHEET_TEXT },
    { "state",       "WAS",         "state",  SHEET_TEXT },
    { "reason",      "WAITED FOR",  "reason", SHEET_TEXT },
    { "by",          "BY",          NULL,     SHEET_TEXT },
    { "second",      "APPROVED BY", NULL,     SHEET_TEXT },
    { "why",         "WHY",         NULL,     SHEET_TEXT },
    { "mailbox",     "MAILBOX",     NULL,     SHEET_TEXT },
    { "plan",        "PLAN",        NULL,     SHEET_TEXT },
    { "key",         "KEY",         NULL,     SHEET_TEXT },
};
/* clang-format on */

static void replay_row(struct sheet *sheet, const struct view_decision *d)
{
    char at[WHEN_TEXT_SIZE];
    const char *cell[] = {cell_when(d->decided_ms, at),
                          cell_text(d->reference),
                          d->state,
                          cell_text(d->reason),
                          d->by,
                          cell_text(d->second),
                          d->why,
                          d->mailbox,
                          d->plan,
                          d->key};
    sheet_row(sheet, cell);
}

static struct sheet *replays_sheet(const struct view_decision *d, size_t count)
{
    struct sheet *sheet = sheet_new("Replays", replay_columns, LENGTH(replay_columns));
    for (size_t i = 0; i < count; i++)
        replay_row(sheet, &d[i]);
    return sheet;
}

static int report(const struct call *call, bool replays)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(sheet_free) struct sheet *sheet = NULL;
    enum sheet_format format;
    int64_t since, until;
    struct err err = ERR_INIT;
    const struct views *v = call->ops->views;
    if (report_format(call, &format, &err) != RC_OK ||
        report_period(call, &since, &until, &err) != RC_OK ||
        v->decisions(v->self, since, until, replays, &view, &err) != RC_OK)
        return failed(&err);
    sheet = replays ? replays_sheet(view.row, view.count) : decisions_sheet(view.row, view.count);
    return show_sheet(call, sheet, format);
}

int cmd_report_replays(struct call *call)
{
    return report(call, true);
}

int cmd_report_decisions(struct call *call)
{
    return report(call, false);
}

/* ---- deployments ------------------------------------------------------------------------------------------ */

static int list_runs(const struct call *call)
{
    CLEANUP(sheet_free) struct sheet *sheet = NULL;
    size_t limit;
    struct err err = ERR_INIT;
    if (limit_of(call, &limit, &err) != RC_OK ||
        deployments_sheet(call->ops, NULL, limit, call->now_ms, &sheet, &err) != RC_OK)
        return failed(&err);
    return show_sheet(call, sheet, call->json ? SHEET_JSON : SHEET_TABLE);
}

static int take_over(const struct call *call, const char *name)
{
    struct run_request request = {.once = true, .take_over = name};
    struct run_summary sum = {0};
    struct err err = ERR_INIT;
    printf(
        "Removes the deed of the deployment '%s' where it owns a mailbox of this configuration, "
        "and "
        "works through what is there. What the other may have sent is not sent again by itself.\n",
        name);
    fflush(stdout);
    if (call->ops->run(call->ops->self, &request, &sum, &err) != RC_OK)
        return failed(&err);
    if (sum.other_owner[0]) {
        fprintf(stderr,
                "onecase: the mailbox still belongs to %s; --take-over takes the other's name\n",
                sum.other_owner);
        return EXIT_NOT_ALLOWED;
    }
    if (sum.mailbox_failed) {
        fprintf(stderr,
                "onecase: an IMAP server could not be reached; nothing was taken over there\n");
        return EXIT_UNREACHABLE;
    }
    printf("The mailboxes of this configuration belong to this deployment now.\n");
    return EXIT_DONE;
}

int cmd_deployments(struct call *call)
{
    const char *name = args_get(&call->args, "--take-over");
    return name ? take_over(call, name) : list_runs(call);
}
