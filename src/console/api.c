/* SPDX-License-Identifier: Apache-2.0
 *
 * api - the same objects as --json, for scripts.
 */
#include "api.h"

#include <onecase/when.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_DEFAULT 100
#define ROWS_MAX     1000

const char *given(const struct visit *v, const char *name)
{
    const char *value = form_get(&v->request->query, name);
    return value[0] ? value : NULL;
}

bool asked_limit(struct visit *v, size_t *out)
{
    const char *text = given(v, "limit");
    char *end = NULL;
    unsigned long n = text ? strtoul(text, &end, 10) : ROWS_DEFAULT;
    *out = n;
    if (!text || (text[0] >= '0' && text[0] <= '9' && !*end && n > 0 && n <= ROWS_MAX))
        return true;
    refuse(v, 400, "That cannot be so", "limit takes a number from 1 to 1000.");
    return false;
}

static void answer_view(struct visit *v,
                        enum rc rc,
                        const struct view *view,
                        void (*json)(const struct view *view, struct str *out),
                        const struct err *err)
{
    CLEANUP(str_clear) struct str out = STR_INIT;
    if (rc != RC_OK) {
        refuse_err(v, err);
        return;
    }
    json(view, &out);
    answer_json(v, &out);
}

static void items_json(const struct view *view, struct str *out)
{
    json_items(view, false, out);
}

static void item_json(const struct view *view, struct str *out)
{
    json_items(view, true, out);
}

static void cases_json(const struct view *view, struct str *out)
{
    json_cases(view, false, out);
}

static void case_json(const struct view *view, struct str *out)
{
    json_cases(view, true, out);
}

static bool is_item_state(const char *state)
{
    enum item_state known;
    return item_state_parse(state, &known);
}

static bool is_delivery_state(const char *state)
{
    return is_item_state(state) || strcmp(state, "duplicate") == 0;
}

static bool is_case_state(const char *state)
{
    return strcmp(state, "open") == 0 || strcmp(state, "closed") == 0;
}

/* What a list is asked for: state, mailbox, limit; false: one of them cannot be, and that was said. */
static bool asked_for(struct visit *v, bool (*is_state)(const char *state), struct view_filter *out)
{
    *out = (struct view_filter){
        .mailbox = given(v, "mailbox"), .state = given(v, "state"), .older_than_ms = NOT_DUE};
    if (!asked_limit(v, &out->limit))
        return false;
    if (!out->state || is_state(out->state))
        return true;
    refuse(v, 400, "That cannot be so", "There is no such state.");
    return false;
}

/* `after` is a key or a reference, that of the last one of the page before. */
static enum rc
items_after(struct visit *v, struct view_page *page, struct view *at, struct err *err)
{
    const struct views *views = v->ops->views;
    const char *after = given(v, "after");
    if (!after || page_after(v, page))
        return RC_OK;
    TRY(views->item(views->self, after, at, err));
    const struct view_item *i = at->row;
    page->after_ms = i->first_seen_ms;
    page->after_key = i->key;
    return RC_OK;
}

static enum rc
cases_after(struct visit *v, struct view_page *page, struct view *at, struct err *err)
{
    const struct views *views = v->ops->views;
    const char *after = given(v, "after");
    if (!after || page_after(v, page))
        return RC_OK;
    TRY(views->one_case(views->self, after, at, err));
    const struct view_case *c = at->row;
    page->after_ms = c->created_ms;
    page->after_key = c->key;
    return RC_OK;
}

void api_items(struct visit *v)
{
    CLEANUP(view_clear) struct view at = {0};
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = v->ops->views;
    struct view_filter filter;
    struct err err = ERR_INIT;
    if (!asked_for(v, is_item_state, &filter) || !looked(v, "api items", ""))
        return;
    struct view_page page = {.limit = filter.limit,
                             .mailbox = filter.mailbox,
                             .state = filter.state,
                             .of = given(v, "not_told") ? PAGE_NOT_TOLD : PAGE_ALL};
    enum rc rc = items_after(v, &page, &at, &err);
    if (rc == RC_OK)
        rc = views->item_page(views->self, &page, &view, &err);
    answer_view(v, rc, &view, items_json, &err);
}

void api_item(struct visit *v)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = v->ops->views;
    struct err err = ERR_INIT;
    enum rc rc = views->item(views->self, v->arg[0], &view, &err);
    if (rc == RC_OK && !looked(v, "api item", ((const struct view_item *)view.row)->key))
        return;
    answer_view(v, rc, &view, item_json, &err);
}

void api_deliveries(struct visit *v)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = v->ops->views;
    struct view_filter filter;
    struct err err = ERR_INIT;
    if (!asked_for(v, is_delivery_state, &filter))
        return;
    filter.below = number_of(form_get(&v->request->query, "after"), 0);
    answer_view(v, views->deliveries(views->self, &filter, &view, &err), &view, json_deliveries,
                &err);
}

void api_cases(struct visit *v)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(view_clear) struct view at = {0};
    const struct views *views = v->ops->views;
    struct view_filter filter;
    struct err err = ERR_INIT;
    if (!asked_for(v, is_case_state, &filter) || !looked(v, "api cases", ""))
        return;
    struct view_page page = {.limit = filter.limit,
                             .mailbox = filter.mailbox,
                             .state = filter.state,
                             .attachments = true};
    enum rc rc = cases_after(v, &page, &at, &err);
    if (rc == RC_OK)
        rc = views->case_page(views->self, &page, &view, &err);
    answer_view(v, rc, &view, cases_json, &err);
}

void api_case(struct visit *v)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = v->ops->views;
    struct err err = ERR_INIT;
    enum rc rc = views->one_case(views->self, v->arg[0], &view, &err);
    if (rc == RC_OK && !looked(v, "api case", ((const struct view_case *)view.row)->key))
        return;
    answer_view(v, rc, &view, case_json, &err);
}

/* ---- runs, webhooks -------------------------------------------------------------------- */

static void answer_sheet(struct visit *v, const struct sheet *sheet)
{
    CLEANUP(str_clear) struct str out = STR_INIT;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return;
    sheet_print(sheet, SHEET_JSON, v->now.wall_ms, 0, file);
    fclose(file);
    str_add(&out, (struct slice){text, size});
    free(text);
    answer_json(v, &out);
}

void api_deployments(struct visit *v)
{
    CLEANUP(sheet_free) struct sheet *sheet = NULL;
    struct err err = ERR_INIT;
    size_t limit;
    if (!asked_limit(v, &limit))
        return;
    if (deployments_sheet(v->ops, given(v, "after"), limit, v->now.wall_ms, &sheet, &err) != RC_OK)
        refuse_err(v, &err);
    else
        answer_sheet(v, sheet);
}

void api_webhooks(struct visit *v)
{
    CLEANUP(view_clear) struct view names = {0};
    CLEANUP(view_clear) struct view dead = {0};
    CLEANUP(str_clear) struct str out = STR_INIT;
    const struct views *views = v->ops->views;
    struct err err = ERR_INIT;
    size_t limit;
    if (!asked_limit(v, &limit))
        return;
    if (views->webhooks(views->self, &names, &err) != RC_OK ||
        views->dead_letters(views->self, given(v, "after"), limit, &dead, &err) != RC_OK) {
        refuse_err(v, &err);
        return;
    }
    json_webhooks(&names, &dead, &out);
    answer_json(v, &out);
}

/* The configuration knows the mailboxes and how they are watched; the ledger what was seen of them. */
void api_status(struct visit *v)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(str_clear) struct str out = STR_INIT;
    const struct views *views = v->ops->views;
    struct err err = ERR_INIT;
    if (views->mailboxes(views->self, v->now.wall_ms, &view, &err) != RC_OK) {
        refuse_err(v, &err);
        return;
    }
    struct view_mailbox *m = view.row;
    for (size_t i = 0; i < view.count; i++) {
        const struct config_mailbox *c = config_find_mailbox(v->ops->config, m[i].id);
        m[i].mode = c && c->mode == CONFIG_LOOK_ONLY ? "look-only" : "active";
        m[i].imap_secret_ms = c ? c->imap.auth.expires_ms : 0;
        m[i].smtp_secret_ms =
            c && c->acknowledgement.enabled ? c->acknowledgement.smtp.auth.expires_ms : 0;
    }
    CLEANUP(view_clear) struct view numbers = {0};
    if (views->numbers(views->self, &numbers, &err) != RC_OK) {
        refuse_err(v, &err);
        return;
    }
    const struct view_numbers *n = numbers.row;
    json_status(&view, n->backup_ms, v->now.wall_ms, &out);
    answer_json(v, &out);
}

void api_duplicates(struct visit *v)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = v->ops->views;
    int64_t since, until;
    struct err err = ERR_INIT;
    enum rc rc = asked_period(v, &since, &until, &err);
    if (rc == RC_OK)
        rc = views->duplicates(views->self, since, until, &view, &err);
    answer_view(v, rc, &view, json_duplicates, &err);
}

/* ---- deciding ----------------------------------------------------------------------------------------------- */

static enum rc
decide(struct visit *v, enum decision decision, struct decision_result *out, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(str_clear) struct str by = STR_INIT;
    const struct views *views = v->ops->views;
    const struct form *form = &v->request->form;
    TRY(views->item(views->self, v->arg[0], &view, err));
    TRY(v->ops->prove_runs(v->ops->self, err));
    decider_name(v, &by);
    const struct decision_request request = {
        .decision = decision,
        .key = ((const struct view_item *)view.row)->key,
        .by = str_z(&by),
        .why = form_get(form, "reason"),
        .run_gone = form_has(form, "run_gone"),
        .external_id = form_has(form, "external_id") ? form_get(form, "external_id") : NULL};
    return decide_about(v->ops, &request, 0, v->now, out, err);
}

void api_decide(struct visit *v)
{
    CLEANUP(str_clear) struct str out = STR_INIT;
    struct decision_result result = {.possible_from_ms = 0};
    struct err err = ERR_INIT;
    enum decision decision;
    if (!decision_parse(form_get(&v->request->form, "decision"), &decision)) {
        refuse(v, 400, "That cannot be so", "There is no such decision.");
        return;
    }
    if (v->ops->config->approval == CONFIG_TWO_PERSON) {
        refuse(v, 409, "That cannot be done", "Two persons decide here, and neither is a script.");
        return;
    }
    enum rc rc = decide(v, decision, &result, &err);
    if (rc == RC_DEFERRED && result.possible_from_ms > 0) {
        v->response->status = 409;
        json_not_yet(decision, result.possible_from_ms, &out);
        answer_json(v, &out);
        return;
    }
    if (rc != RC_OK) {
        refuse_err(v, &err);
        return;
    }
    json_decided(decision, &result, &out);
    answer_json(v, &out);
}

void api_description(struct visit *v)
{
    str_add(&v->response->body, templates_get(v->console->templates, "openapi.yaml"));
    v->response->type = "application/yaml";
}
