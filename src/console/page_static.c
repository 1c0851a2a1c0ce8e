/* SPDX-License-Identifier: Apache-2.0 */
#include "console_p.h"

#include <onecase/metrics.h>

/* Their address changes with what they hold, so a browser may keep them. */
static void give(struct visit *v, const char *name, const char *type)
{
    str_add(&v->response->body, templates_get(v->console->templates, name));
    v->response->type = type;
    v->response->keep = form_has(&v->request->query, "v");
}

void page_style(struct visit *v)
{
    give(v, "style.css", "text/css; charset=utf-8");
}

void page_script(struct visit *v)
{
    give(v, "console.js", "text/javascript; charset=utf-8");
}

void page_icon(struct visit *v)
{
    give(v, "icon.svg", "image/svg+xml");
}

/* For monitoring: from this machine, or with a token. */
static bool may_watch(struct visit *v)
{
    if (v->request->loopback || v->account.name[0])
        return true;
    refuse(v, 401, "No token",
           "From another machine this needs a token: Authorization: Bearer TOKEN.");
    return false;
}

void page_healthz(struct visit *v)
{
    const struct views *views = v->ops->views;
    struct err err = ERR_INIT;
    int64_t asked;
    if (!may_watch(v))
        return;
    bool well = views->asked(views->self, &asked, &err) == RC_OK;
    v->response->status = well ? 200 : 503;
    v->response->type = "text/plain; charset=utf-8";
    str_addz(&v->response->body, well ? "ok\n" : "the ledger cannot be read\n");
}

void page_metrics(struct visit *v)
{
    struct err err = ERR_INIT;
    if (!may_watch(v))
        return;
    if (metrics_text(v->ops, v->now.wall_ms, &v->response->body, &err) != RC_OK)
        refuse_err(v, &err);
    else
        v->response->type = METRICS_TYPE;
}
