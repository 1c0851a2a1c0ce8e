/* SPDX-License-Identifier: Apache-2.0
 *
 * waiting - how many wait in a list, for the script of the page that shows it. A number and nothing of
 * anybody, so no look is recorded; and no person asks, so no session is kept alive by it.
 */
#include "console_p.h"

#include <inttypes.h>
#include <string.h>

static enum rc count_queue(const struct views *views, int64_t *out, struct err *err)
{
    CLEANUP(view_clear) struct view proposals = {0};
    TRY(views->proposals(views->self, 0, 0, &proposals, err));
    TRY(views->asked(views->self, out, err));
    *out += (int64_t)proposals.count;
    return RC_OK;
}

static enum rc count_untold(const struct views *views, int64_t *out, struct err *err)
{
    return views->untold(views->self, out, err);
}

/* What is still tried comes and goes by itself: only what waits for a person counts. */
static enum rc count_dead(const struct views *views, int64_t *out, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    TRY(views->webhooks(views->self, &view, err));
    const struct view_webhook *w = view.row;
    *out = 0;
    for (size_t i = 0; i < view.count; i++)
        *out += w[i].dead;
    return RC_OK;
}

struct list {
    const char *name;
    enum role least; /* as of its page */
    enum rc (*count)(const struct views *views, int64_t *out, struct err *err);
};

/* clang-format off */
static const struct list lists[] = {
    { "queue",    ROLE_OPERATOR, count_queue  },
    { "not-told", ROLE_OPERATOR, count_untold },
    { "webhooks", ROLE_VIEWER,   count_dead   },
};
/* clang-format on */

static const struct list *list_of(const char *name)
{
    for (size_t i = 0; i < LENGTH(lists); i++)
        if (strcmp(lists[i].name, name) == 0)
            return &lists[i];
    return NULL;
}

enum rc put_waiting(struct visit *v, const char *list, struct err *err)
{
    int64_t count = 0;
    TRY(list_of(list)->count(v->ops->views, &count, err));
    struct fields *row = put_row(v->page, "waiting");
    put(row, "list", list);
    put_number(row, "count", count);
    return RC_OK;
}

bool asks_by_itself(const struct request *request)
{
    return request->fragment || strncmp(request->path, "/waiting/", 9) == 0;
}

void page_waiting(struct visit *v)
{
    CLEANUP(str_clear) struct str json = STR_INIT;
    const struct list *list = list_of(v->arg[0]);
    struct err err = ERR_INIT;
    int64_t count;
    if (!list) {
        refuse(v, 404, "There is no such list", "Choose one of the pages above.");
    } else if (!may(v, list->least)) {
        refuse(v, 403, "Not for your role", "It is a number of a page that is not for your role.");
    } else if (list->count(v->ops->views, &count, &err) != RC_OK) {
        refuse_err(v, &err);
    } else {
        str_addf(&json, "{\"waiting\":%" PRId64 "}\n", count);
        answer_json(v, &json);
    }
}
