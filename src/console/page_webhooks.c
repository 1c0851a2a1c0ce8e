/* SPDX-License-Identifier: Apache-2.0 */
#include "console_p.h"

#define PAGE_ROWS 50

static void put_webhook(struct visit *v, const struct view_webhook *w)
{
    struct fields *row = put_row(v->page, "webhooks");
    bool fails = w->enlisted && w->failing_since_ms != NOT_DUE;
    put(row, "webhook", w->name);
    put(row, "why", w->why);
    put_flag(row, "gone", !w->enlisted);
    put_flag(row, "fails", fails);
    put_flag(row, "works", w->enlisted && !fails && w->last_done_ms != NOT_DUE);
    put_flag(row, "idle", w->enlisted && !fails && w->last_done_ms == NOT_DUE);
    put_number(row, "waiting", w->waiting);
    put_number(row, "dead", w->dead);
    put_number(row, "told", w->done);
    put_when(row, "since", w->failing_since_ms, v->now.wall_ms);
    put_when(row, "next_try", w->due_ms, v->now.wall_ms);
    put_when(row, "last", w->last_done_ms, v->now.wall_ms);
}

static void put_dead_letter(struct visit *v, struct fields *list, const struct view_dead_letter *d)
{
    struct fields *row = put_row(list, "letters");
    char name[16];
    text_copy(name, 13, d->key);
    put(row, "id", d->id);
    put_flag(row, "chosen", form_has_value(&v->request->form, "post", d->id));
    put(row, "webhook", d->webhook);
    put(row, "event", label("webhook-event", d->event));
    put(row, "name", name);
    put(row, "shown_name", d->reference[0] ? d->reference : name);
    put(row, "why", d->why);
    put_number(row, "tries", d->attempts);
    put_when(row, "given_up", d->ended_ms, v->now.wall_ms);
}

static enum rc webhooks(struct visit *v, struct err *err)
{
    CLEANUP(view_clear) struct view names = {0};
    CLEANUP(view_clear) struct view dead = {0};
    const struct views *views = v->ops->views;
    const char *after = form_get(&v->request->query, "after");
    TRY(put_waiting(v, "webhooks", err));
    TRY(views->webhooks(views->self, &names, err));
    TRY(views->dead_letters(views->self, after[0] ? after : NULL, PAGE_ROWS + 1, &dead, err));
    const struct view_webhook *w = names.row;
    const struct view_dead_letter *d = dead.row;
    for (size_t i = 0; i < names.count; i++)
        put_webhook(v, &w[i]);
    put_flag(v->page, "none", names.count == 0);
    put_flag(v->page, "may_replay", may(v, ROLE_OPERATOR));
    put_here(v);
    size_t shown = dead.count > PAGE_ROWS ? PAGE_ROWS : dead.count;
    put_pages(v, "/webhooks", shown > 0 ? d[shown - 1].id : "", dead.count > PAGE_ROWS);
    if (shown == 0)
        return RC_OK;
    struct fields *list = put_row(v->page, "dead_letters");
    for (size_t i = 0; i < shown; i++)
        put_dead_letter(v, list, &d[i]);
    return RC_OK;
}

static void webhooks_page(struct visit *v)
{
    struct err err = ERR_INIT;
    put(v->page, "typed_reason", form_get(&v->request->form, "reason"));
    if (webhooks(v, &err) != RC_OK)
        refuse_err(v, &err);
    else
        show(v, "webhooks", "Webhooks");
}

void page_webhooks(struct visit *v)
{
    put(v->page, "said", notice_of(form_get(&v->request->query, "said")));
    webhooks_page(v);
}

/* ---- sending again ---------------------------------------------------------------------------------------- */

/* One that somebody else has had sent again meanwhile is no matter. */
static enum rc replay(struct visit *v, struct err *err)
{
    CLEANUP(str_clear) struct str by = STR_INIT;
    const struct form *form = &v->request->form;
    const struct ledger *l = v->ops->ledger;
    const char *id;
    size_t at = 0;
    decider_name(v, &by);
    while ((id = form_next(form, "post", &at)) != NULL) {
        const struct webhook_replay request = {
            .message_id = id, .by = str_z(&by), .why = form_get(form, "reason")};
        int64_t count;
        enum rc rc = l->webhooks->replay(l->self, &request, v->now, &count, err);
        if (rc != RC_OK && rc != RC_NOT_FOUND)
            return rc;
    }
    return RC_OK;
}

void act_webhooks(struct visit *v)
{
    const struct form *form = &v->request->form;
    struct err err = ERR_INIT;
    if (!form_has(form, "post") || slice_trim(slice_z(form_get(form, "reason"))).len == 0) {
        v->response->status = 400;
        put(v->page, "problem",
            "Choose at least one, and say why in a few words: others will read it. Nothing was "
            "changed.");
        webhooks_page(v);
    } else if (replay(v, &err) != RC_OK) {
        refuse_err(v, &err);
    } else {
        redirect(v, "/webhooks?said=recorded");
    }
}
