/* SPDX-License-Identifier: Apache-2.0 */
#include "console_p.h"

#include <onecase/log.h>
#include <onecase/when.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- the frame of all pages --------------------------------------------------------------------------- */

/* clang-format off */
static const struct {
    const char *path, *text;
    enum role least;
    const char *also; /* other pages that belong to it; NULL: none */
} places[] = {
    { "/",            "Overview",            ROLE_VIEWER,   NULL        },
    { "/queue",       "Needs your decision", ROLE_OPERATOR, NULL        },
    { "/cases",       "Cases",               ROLE_OPERATOR, "/case"     },
    { "/mails",       "Mails",               ROLE_VIEWER,   "/mail"     },
    { "/not-told",    "Not told",            ROLE_OPERATOR, NULL        },
    { "/duplicates",  "Duplicates",          ROLE_VIEWER,   "/arrivals" },
    { "/deployments", "Deployments",         ROLE_VIEWER,   NULL        },
    { "/webhooks",    "Webhooks",            ROLE_VIEWER,   NULL        },
    { "/audit",       "Audit",               ROLE_OPERATOR, "/rules"    },
    { "/health",      "Health",              ROLE_VIEWER,   NULL        },
};
/* clang-format on */

static bool is_here(const char *path, const char *place)
{
    size_t n = strlen(place);
    return strcmp(path, place) == 0 || (n > 1 && strncmp(path, place, n) == 0 && path[n] == '/');
}

static int64_t asked_count(const struct visit *v)
{
    const struct views *views = v->ops->views;
    struct err err = ERR_INIT;
    int64_t n = 0;
    (void)views->asked(views->self, &n, &err);
    return n;
}

static void put_places(struct visit *v)
{
    for (size_t i = 0; i < LENGTH(places); i++) {
        if (!may(v, places[i].least))
            continue;
        struct fields *row = put_row(v->page, "places");
        put(row, "path", places[i].path);
        put(row, "text", places[i].text);
        put_flag(row, "here",
                 is_here(v->request->path, places[i].path) ||
                     (places[i].also && is_here(v->request->path, places[i].also)));
        int64_t asked = strcmp(places[i].path, "/queue") == 0 ? asked_count(v) : 0;
        if (asked > 0)
            put_number(row, "badge", asked);
    }
}

static void put_frame(struct visit *v, const char *title)
{
    const struct config *c = v->ops->config;
    char token[DIGEST_HEX_SIZE], utc[WHEN_TEXT_SIZE];
    put(v->page, "title", title);
    put(v->page, "deployment", c->name);
    put(v->page, "environment", c->environment);
    put_flag(v->page, "production", strcmp(c->environment, "production") == 0);
    put(v->page, "zone", c->timezone && c->timezone[0] ? c->timezone : "this machine's");
    put(v->page, "mark", templates_mark(v->console->templates));
    put(v->page, "version", v->console->settings->version);
    when_text(v->now.wall_ms - v->now.wall_ms % 1000, utc);
    put(v->page, "now_utc", utc);
    if (!v->account.name[0])
        return;
    form_token(v, token);
    put(v->page, "form_token", token);
    put(v->page, "user", v->account.name);
    put(v->page, "role", role_text(v->account.role));
    put_places(v);
}

void show(struct visit *v, const char *name, const char *title)
{
    CLEANUP(str_clear) struct str body = STR_INIT;
    const struct templates *t = v->console->templates;
    put_frame(v, title);
    fields_render(v->page, templates_get(t, name), &body);
    if (!v->request->fragment) {
        put_markup(v->page, "body", str_slice(&body));
        str_empty(&body);
        fields_render(v->page, templates_get(t, "frame"), &body);
    }
    str_empty(&v->response->body);
    str_add(&v->response->body, str_slice(&body));
    v->response->type = "text/html; charset=utf-8";
}

/* ---- why not ------------------------------------------------------------------------------------------ */

static bool wants_json(const struct visit *v)
{
    return strncmp(v->request->path, "/api/", 5) == 0;
}

void refuse(struct visit *v, unsigned status, const char *title, const char *text)
{
    v->response->status = status;
    if (wants_json(v)) {
        CLEANUP(str_clear) struct str out = STR_INIT;
        json_error(text, &out);
        answer_json(v, &out);
        return;
    }
    fields_free(&v->page);
    v->page = fields_new();
    put(v->page, "problem", title);
    put(v->page, "text", text);
    show(v, "refused", title);
}

const char *err_words(const struct err *err)
{
    if (err->rc != RC_BROKEN)
        return err->text;
    log_event(LOG_ERROR, "console.broken", "why=\"%s\"", err->text);
    return "The log of the service says what.";
}

void refuse_err(struct visit *v, const struct err *err)
{
    /* clang-format off */
    static const struct { unsigned status; const char *title; } as[RC_COUNT] = {
        [RC_DEFERRED]  = { 503, "Not just now"          },
        [RC_REFUSED]   = { 409, "That cannot be done"   },
        [RC_CONFLICT]  = { 409, "It has changed"        },
        [RC_UNKNOWN]   = { 503, "Not known"             },
        [RC_NOT_FOUND] = { 404, "There is no such thing" },
        [RC_USAGE]     = { 400, "That cannot be so"     },
        [RC_BROKEN]    = { 500, "Something is broken"   },
    };
    /* clang-format on */
    if (err->rc == RC_DEFERRED)
        log_event(LOG_WARN, "console.deferred", "page=%s why=\"%s\"", v->route, err->text);
    bool known = err->rc < RC_COUNT && as[err->rc].status > 0;
    refuse(v, known ? as[err->rc].status : 500, known ? as[err->rc].title : "Something is broken",
           err_words(err));
}

void redirect(struct visit *v, const char *format, ...)
{
    char to[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(to, sizeof to, format, args);
    va_end(args);
    v->response->status = 303;
    str_empty(&v->response->location);
    str_addz(&v->response->location, to);
}

void answer_json(struct visit *v, const struct str *json)
{
    str_empty(&v->response->body);
    str_add(&v->response->body, str_slice(json));
    v->response->type = "application/json";
}

/* ---- whose data --------------------------------------------------------------------------------------- */

const char *personal(const struct visit *v, const char *text)
{
    return may(v, ROLE_OPERATOR) ? text : text && text[0] ? "hidden" : "";
}

bool looked(struct visit *v, const char *page, const char *key)
{
    const struct sessions *s = v->ops->sessions;
    struct err err = ERR_INIT;
    if (!may(v, ROLE_OPERATOR))
        return true;
    if (s->looked(s->self, v->account.name, page, key, v->now, &err) == RC_OK)
        return true;
    refuse_err(v, &err);
    return false;
}

void decider_name(const struct visit *v, struct str *out)
{
    str_addf(out, "%s (%s)", v->account.name, v->by_token ? "token" : "console");
}

/* ---- lists -------------------------------------------------------------------------------------------- */

const char *item_name(const struct view_item *i, char room[16])
{
    bool made = strcmp(i->disposition, disposition_text(DISPOSITION_CASE)) == 0;
    text_copy(room, 13, i->key);
    return made && i->reference[0] ? i->reference : room;
}

static void put_state(struct fields *f, const struct view_item *i)
{
    bool asks = strcmp(i->state, item_state_text(ITEM_NEEDS_RECONCILIATION)) == 0;
    put(f, "state", label("state", i->state));
    put(f, "state_word", i->state);
    put(f, "reason", label("reason", i->reason));
    put_flag(f, "asks", asks);
    put_flag(f, "not_told", i->not_told);
}

void put_item(struct visit *v, struct fields *f, const struct view_item *i)
{
    char room[16];
    const char *name = item_name(i, room);
    put(f, "name", name);
    put(f, "reference", i->reference);
    put(f, "shown_name", i->reference[0] ? i->reference : "a mail without a case");
    put(f, "sender", personal(v, i->sender));
    put(f, "subject", i->subject[0] ? personal(v, i->subject) : "(no subject)");
    put(f, "mailbox", i->mailbox);
    put(f, "disposition", label("disposition", i->disposition));
    put_when(f, "arrived", i->first_seen_ms, v->now.wall_ms);
    put_when(f, "completed", i->completed_ms, v->now.wall_ms);
    put_when(f, "next_try", i->next_due_ms > v->now.wall_ms ? i->next_due_ms : NOT_DUE,
             v->now.wall_ms);
    if (i->duplicates > 0)
        put_number(f, "copies", i->duplicates);
    put_state(f, i);
}

int64_t number_of(const char *text, int64_t otherwise)
{
    char *end;
    if (!text[0])
        return otherwise;
    long long n = strtoll(text, &end, 10);
    return *end ? otherwise : n;
}

void put_paging(
    struct visit *v, const char *path, int64_t after_ms, const char *after_key, bool more)
{
    char after[160];
    snprintf(after, sizeof after, "%lld.%s", (long long)after_ms, after_key);
    put_pages(v, path, after, more);
}

void put_pages(struct visit *v, const char *path, const char *after, bool more)
{
    if (form_has(&v->request->query, "after"))
        put(v->page, "first_page", path);
    if (more)
        put_format(v->page, "next_page", "%s%cafter=%s", path, strchr(path, '?') ? '&' : '?',
                   after);
}

void put_pages_by(struct visit *v, const char *path, int64_t after, bool more)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)after);
    put_pages(v, path, text, more);
}

void put_here(struct visit *v)
{
    CLEANUP(str_clear) struct str here = STR_INIT;
    if (!form_has(&v->request->query, "after"))
        return;
    str_addz(&here, "?after=");
    url_add(&here, form_get(&v->request->query, "after"));
    put(v->page, "here", str_z(&here));
}

enum rc asked_period(const struct visit *v, int64_t *since, int64_t *until, struct err *err)
{
    const char *from = form_get(&v->request->query, "since");
    const char *to = form_get(&v->request->query, "until");
    *since = v->now.wall_ms - DAYS(30);
    *until = v->now.wall_ms + 1;
    if (from[0])
        TRY(period_parse(from, v->now.wall_ms, since, err));
    if (to[0])
        TRY(period_parse(to, v->now.wall_ms, until, err));
    return RC_OK;
}
