/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- looking ---------------------------------------------------------------------------------------- */

static void state_words(const struct call *call, const struct view_webhook *w, struct str *out)
{
    char since[32], next[32];
    if (!w->enlisted) {
        str_addz(out, "not in the configuration");
        return;
    }
    if (w->failing_since_ms == NOT_DUE) {
        str_addz(out, w->last_done_ms == NOT_DUE ? "nothing told yet" : "works");
        return;
    }
    when_cell(call, w->failing_since_ms, since);
    when_cell(call, w->due_ms, next);
    str_addf(out, "! fails since %s (%s)%s%s", since, w->why, next[0] ? ", next try " : "", next);
}

static int webhooks_table(const struct call *call, const struct view *view)
{
    /* clang-format off */
    static const struct column columns[] = {
        { "WEBHOOK", 0, 0, false }, { "STATE", 22, 0, false }, { "WAITING", 0, 0, true },
        { "DEAD",    0, 0, true  }, { "TOLD",  0,  1, true  }, { "LAST",    0, 1, false },
    };
    /* clang-format on */
    CLEANUP(table_free) struct table *t = table_of(columns, LENGTH(columns));
    const struct view_webhook *w = view->row;
    for (size_t i = 0; i < view->count; i++) {
        CLEANUP(str_clear) struct str state = STR_INIT;
        char waiting[24], dead[24], done[24], last[32];
        state_words(call, &w[i], &state);
        snprintf(waiting, sizeof waiting, "%" PRId64, w[i].waiting);
        snprintf(dead, sizeof dead, "%" PRId64, w[i].dead);
        snprintf(done, sizeof done, "%" PRId64, w[i].done);
        when_cell(call, w[i].last_done_ms, last);
        const char *cell[] = {w[i].name, str_z(&state), waiting, dead, done, last};
        table_row(t, cell);
    }
    return show_table(call, t);
}

static int dead_table(const struct call *call, const struct view *view)
{
    /* clang-format off */
    static const struct column columns[] = {
        { "WEBHOOK", 0, 0, false }, { "EVENT", 0, 0, false }, { "CASE", 0, 1, false },
        { "WHY",    16, 0, false }, { "TRIES", 0, 2, true  }, { "GIVEN UP", 0, 3, false },
        { "ID",      0, 0, false },
    };
    /* clang-format on */
    CLEANUP(table_free) struct table *t = table_of(columns, LENGTH(columns));
    const struct view_dead_letter *d = view->row;
    for (size_t i = 0; i < view->count; i++) {
        char tries[24], when[32], room[16];
        snprintf(tries, sizeof tries, "%" PRId64, d[i].attempts);
        when_cell(call, d[i].ended_ms, when);
        const char *cell[] = {d[i].webhook,
                              label("webhook-event", d[i].event),
                              short_name(d[i].reference, d[i].key, room),
                              d[i].why,
                              tries,
                              when,
                              d[i].id};
        table_row(t, cell);
    }
    heading(call, "Dead letters");
    int status = show_table(call, t);
    if (status == EXIT_DONE)
        plain_wrap(
            "Once its receiver is mended: onecase webhooks --replay ID (or the webhook's name, "
            "or all) --by NAME --reason TEXT",
            0, call->width, stdout);
    return status;
}

static int look(struct call *call)
{
    CLEANUP(view_clear) struct view webhooks = {0};
    CLEANUP(view_clear) struct view dead = {0};
    CLEANUP(str_clear) struct str out = STR_INIT;
    const struct views *v = call->ops->views;
    struct err err = ERR_INIT;
    size_t limit;
    if (limit_of(call, &limit, &err) != RC_OK || v->webhooks(v->self, &webhooks, &err) != RC_OK ||
        v->dead_letters(v->self, NULL, limit, &dead, &err) != RC_OK)
        return failed(&err);
    if (call->json) {
        json_webhooks(&webhooks, &dead, &out);
        print(&out);
        return EXIT_DONE;
    }
    if (webhooks.count == 0) {
        printf("There are none: `webhooks` of the configuration makes some.\n");
        return EXIT_DONE;
    }
    int status = webhooks_table(call, &webhooks);
    return status == EXIT_DONE && dead.count > 0 ? dead_table(call, &dead) : status;
}

/* ---- sending again ---------------------------------------------------------------------------------- */

static int replay(struct call *call, const char *which)
{
    CLEANUP(str_clear) struct str by = STR_INIT;
    const struct ledger *l = call->ops->ledger;
    struct instant now = {.wall_ms = call->now_ms};
    struct webhook_replay request = {.webhook = NULL};
    struct err err = ERR_INIT;
    int64_t count = 0;
    if (strncmp(which, "msg_", 4) == 0)
        request.message_id = which;
    else if (strcmp(which, "all") != 0)
        request.webhook = which;
    if (decider(call, &by, &request.why, &err) != RC_OK)
        return failed(&err);
    request.by = str_z(&by);
    enum rc rc = l->webhooks->replay(l->self, &request, now, &count, &err);
    if (rc != RC_OK)
        return failed(&err);
    if (!call->json)
        printf("%" PRId64 " %s due again, under the same %s. The service sends %s.\n", count,
               count == 1 ? "post is" : "posts are", count == 1 ? "id" : "ids",
               count == 1 ? "it" : "them");
    return call->json ? look(call) : EXIT_DONE;
}

int cmd_webhooks(struct call *call)
{
    const char *which = args_get(&call->args, "--replay");
    return which ? replay(call, which) : look(call);
}
