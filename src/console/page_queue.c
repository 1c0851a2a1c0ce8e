/* SPDX-License-Identifier: Apache-2.0 */
#include "question.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_ROWS 20

/* "1772452800000.KEY", as put_paging writes it. */
bool page_after(const struct visit *v, struct view_page *page)
{
    const char *after = form_get(&v->request->query, "after");
    const char *point = strchr(after, '.');
    if (!point)
        return false;
    page->after_ms = strtoll(after, NULL, 10);
    page->after_key = point + 1;
    return true;
}

static enum rc put_entry(struct visit *v, struct fields *group, const char *key, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = v->ops->views;
    struct fields *entry = put_row(group, "entries");
    TRY(views->item(views->self, key, &view, err));
    const struct view_item *i = view.row;
    put_item(v, entry, i);
    put_flag(entry, "from_queue", true);
    TRY(put_question(v, entry, i, err));
    question_markup(v, entry, entry);
    return RC_OK;
}

/* Grouped by reason, in the order in which the oldest of each came. */
static struct fields *
group_of(struct visit *v, const char *reason, struct fields **group, const char **of, size_t *count)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(of[i], reason) == 0)
            return group[i];
    group[*count] = put_row(v->page, "groups");
    put(group[*count], "reason", label("reason", reason));
    of[*count] = reason;
    return group[(*count)++];
}

static enum rc queue(struct visit *v, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = v->ops->views;
    struct view_page page = {.of = PAGE_ASKS, .limit = PAGE_ROWS + 1};
    struct fields *group[PAGE_ROWS];
    const char *of[PAGE_ROWS];
    size_t groups = 0;
    int64_t all;
    (void)page_after(v, &page);
    TRY(put_waiting(v, "queue", err));
    TRY(put_proposals(v, err));
    TRY(views->asked(views->self, &all, err));
    TRY(views->item_page(views->self, &page, &view, err));
    const struct view_item *row = view.row;
    size_t shown = view.count > PAGE_ROWS ? PAGE_ROWS : view.count;
    for (size_t i = 0; i < shown; i++)
        TRY(put_entry(v, group_of(v, row[i].reason, group, of, &groups), row[i].key, err));
    put_number(v->page, "all", all);
    put_flag(v->page, "empty", all == 0);
    put_flag(v->page, "one", all == 1);
    if (shown > 0)
        put_paging(v, "/queue", row[shown - 1].first_seen_ms, row[shown - 1].key,
                   view.count > PAGE_ROWS);
    return RC_OK;
}

/* Who answers one is shown the next, and is led back to the one before. */
static void put_answered(struct visit *v)
{
    const char *of = form_get(&v->request->query, "of");
    if (of[strspn(of, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-")] == '\0')
        put(v->page, "answered", of);
}

void page_queue(struct visit *v)
{
    struct err err = ERR_INIT;
    put(v->page, "said", notice_of(form_get(&v->request->query, "said")));
    put_answered(v);
    if (!looked(v, "queue", ""))
        return;
    if (queue(v, &err) != RC_OK)
        refuse_err(v, &err);
    else
        show(v, "queue", "Needs your decision");
}
