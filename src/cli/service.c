/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* ---- run ---------------------------------------------------------------------------------------------- */

static void progress(void *ctx, const char *what, int64_t done, int64_t total)
{
    (void)ctx;
    if (total > 0)
        fprintf(stderr, "\r%s %" PRId64 " of %" PRId64 "\033[K", what, done, total);
    else
        fprintf(stderr, "\r%s %" PRId64 "\033[K", what, done);
}

static void would(void *ctx, const char *mailbox, uint32_t uid, const char *what)
{
    (void)ctx;
    printf("%s %" PRIu32 ": %s\n", mailbox, uid, what);
}

static void summary(const struct run_summary *s)
{
    /* clang-format off */
    const struct { int64_t n; const char *what; } rows[] = {
        { s->deliveries,           "arrivals"                  }, { s->new_items, "new"                },
        { s->duplicates,           "copies"                    }, { s->conflicts, "conflicts"          },
        { s->completed,            "completed"                 }, { s->deferred,  "waiting"            },
        { s->needs_reconciliation, "need your decision"        },
        { s->awaiting_choice,      "from before, await the choice (onecase first-import)" },
    };
    /* clang-format on */
    for (size_t i = 0; i < LENGTH(rows); i++)
        printf("%6" PRId64 "  %s\n", rows[i].n, rows[i].what);
}

static int once_exit(const struct run_summary *s)
{
    if (s->other_owner[0]) {
        fprintf(stderr,
                "onecase: this mailbox belongs to the deployment %s; see 'onecase deployments'\n",
                s->other_owner);
        return EXIT_NOT_ALLOWED;
    }
    if (s->disk_failed)
        return EXIT_IO;
    return s->mailbox_failed ? EXIT_UNREACHABLE : EXIT_DONE;
}

int cmd_run(struct call *call)
{
    CLEANUP(str_clear) struct str out = STR_INIT;
    struct run_request request = {
        .once = args_has(&call->args, "--once"),
        .dry_run = args_has(&call->args, "--dry-run"),
        .only = args_get(&call->args, "--mailbox"),
        .take_over = args_get(&call->args, "--take-over"),
        .progress = isatty(STDERR_FILENO) ? progress : NULL,
        .would = would,
    };
    struct run_summary sum = {0};
    struct err err = ERR_INIT;
    if (request.only && !config_find_mailbox(call->ops->config, request.only))
        return usage("there is no mailbox '%s' in the configuration", request.only);
    enum rc rc = call->ops->run(call->ops->self, &request, &sum, &err);
    if (request.progress && request.once)
        fputs("\r\033[K", stderr);
    if (rc != RC_OK)
        return rc == RC_DEFERRED ? (failed(&err), EXIT_UNREACHABLE) : failed(&err);
    if (!request.once || request.dry_run)
        return EXIT_DONE;
    if (call->json) {
        json_summary(&sum, &out);
        print(&out);
    } else {
        summary(&sum);
    }
    return once_exit(&sum);
}

/* ---- status ------------------------------------------------------------------------------------------- */

static void give_modes(const struct call *call, struct view *view)
{
    struct view_mailbox *row = view->row;
    for (size_t i = 0; i < view->count; i++) {
        const struct config_mailbox *m = config_find_mailbox(call->ops->config, row[i].id);
        row[i].mode = !m ? "gone" : m->mode == CONFIG_LOOK_ONLY ? "look-only" : "active";
    }
}

static void circuits(const struct call *call, const struct view_mailbox *m)
{
    static const char *const names[] = {"IMAP server", "SMTP server", "destination"};
    for (size_t i = 0; i < LENGTH(names); i++) {
        char when[32];
        if (m->circuit[i].state == CIRCUIT_CLOSED)
            continue;
        when_cell(call, m->circuit[i].next_probe_ms, when);
        printf("  %s left alone (%s), next try %s\n", names[i], m->circuit[i].reason, when);
    }
}

static void mailbox_page(const struct call *call, const struct view_mailbox *m)
{
    char text[32];
    printf("%s (%s)\n", m->id, m->mode);
    for (size_t i = 0; i < ITEM_STATE_COUNT; i++)
        printf("  %6" PRId64 "  %s\n", m->state[i],
               label("state", item_state_text((enum item_state)i)));
    printf("  %6" PRId64 "  copies\n", m->duplicates);
    for (size_t i = 0; i < m->waiting_count; i++)
        printf("  %6" PRId64 "  waits: %s\n", m->waiting[i].count,
               label("reason", m->waiting[i].name));
    if (m->not_told > 0)
        printf("  %6" PRId64 "  senders not told (onecase items --not-told)\n", m->not_told);
    if (m->awaiting_choice > 0)
        printf("  %6" PRId64
               "  from before the first start: onecase first-import %s cases|full|adopt\n",
               m->awaiting_choice, m->id);
    if (m->backlog > 0)
        printf("  %6" PRId64 "  seen, not yet taken in\n", m->backlog);
    if (m->oldest_incomplete_ms != NOT_DUE) {
        period_age(call->now_ms - m->oldest_incomplete_ms, text);
        printf("  oldest that is not complete: %s\n", text);
    }
    circuits(call, m);
    if (m->paused)
        printf("  paused\n");
    if (m->claim_owner && m->claim_owner[0])
        printf("  belongs to another deployment: %s\n", m->claim_owner);
    when_cell(call, m->last_success_ms, text);
    printf("  last success: %s\n", text[0] ? text : "never");
    if (m->last_error && m->last_error[0])
        printf("  last error: %s\n", m->last_error);
}

int cmd_status(struct call *call)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(str_clear) struct str out = STR_INIT;
    struct err err = ERR_INIT;
    if (call->ops->views->mailboxes(call->ops->views->self, call->now_ms, &view, &err) != RC_OK)
        return failed(&err);
    give_modes(call, &view);
    if (call->json) {
        json_status(&view, call->now_ms, &out);
        print(&out);
        return EXIT_DONE;
    }
    const struct view_mailbox *row = view.row;
    for (size_t i = 0; i < view.count; i++)
        mailbox_page(call, &row[i]);
    if (view.count == 0)
        printf("No mailbox has been looked at yet: onecase run --once\n");
    return EXIT_DONE;
}
