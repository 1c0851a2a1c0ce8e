/* SPDX-License-Identifier: Apache-2.0
 *
 * console_p - what the files of the console share: one visit, from its request to its answer.
 */
#pragma once

#include "fields.h"
#include "form.h"

#include <onecase/console.h>
#include <onecase/front.h>

#define BODY_MAX ((size_t)64 * 1024) /* of a form */

enum method { METHOD_GET, METHOD_POST, METHOD_OTHER };

struct request {
    enum method method;
    const char *path;
    struct form query, form;
    char session[TOKEN_SIZE]; /* of the cookie; "" is none */
    const char *authorization, *origin, *host, *site, *agent_wants;
    char address[64]; /* of who asks, for throttling; never logged */
    bool loopback;    /* it came from this machine, not by a proxy */
    bool secure;      /* by TLS */
    bool fragment;    /* the page's own script asks */
};

struct response {
    unsigned status;
    struct str body;
    const char *type; /* static */
    int file;         /* answered from it instead; -1 is none, closed by the server */
    struct str file_name, location, cookie;
    unsigned retry_after;
    bool keep; /* may be kept by the browser: it never changes under this address */
};

struct templates;

/* A replay of many that this console goes through beside answering. */
struct work {
    int64_t bulk;   /* 0: none */
    int64_t due_ms; /* boot time */
    bool goes_on;
    char why[300]; /* why it does not, or not just now */
};

struct console {
    const struct operations *ops;
    const struct console_settings *settings;
    struct templates *templates;
    struct session_limits limits;
    char nobody[SECRET_SIZE];
    struct work work[8];
};

struct visit {
    struct console *console;
    const struct operations *ops;
    const struct request *request;
    struct response *response;
    struct instant now;
    const char *route;      /* as the table of routes has it: without what stands for a * */
    struct account account; /* who asks; its name is "" where nobody is signed in */
    bool by_token;
    const char *arg[2]; /* what stands for each * of the route */
    char room[2][256];
    struct fields *page; /* what the page says */
    struct {
        const char *mailbox; /* of the configuration */
        struct view_track track;
    } tracked[8]; /* asked once of a mailbox, not for each entry of a list */
    size_t tracks;
};

/* ---- templates.c ---------------------------------------------------------------------------------------- */

/* Reads and checks every template and file of the folder. RC_BROKEN: FILE: what is wrong. */
enum rc templates_read(const char *folder, struct templates **out, struct err *err) MUST_CHECK;
void templates_free(struct templates **templates);
struct slice templates_get(const struct templates *templates, const char *name); /* empty: none */
/* Changes with every file's octets. */
const char *templates_mark(const struct templates *templates);

/* ---- answer.c ------------------------------------------------------------------------------------------- */

/* Writes v->page by the template `name` ("queue") into the frame of all pages. */
void show(struct visit *v, const char *name, const char *title);
/* A page that says why not, and what to do. */
void refuse(struct visit *v, unsigned status, const char *title, const char *text);
void refuse_err(struct visit *v, const struct err *err);
/* What a person is told of a failure; what is broken is logged, and no more said of it. Borrowed. */
const char *err_words(const struct err *err);
void redirect(struct visit *v, const char *format, ...) PRINTF(2, 3);
void answer_json(struct visit *v, const struct str *json);

/* ---- who may ------------------------------------------------------------------------------------------- */

bool may(const struct visit *v, enum role least);
/* Addresses, subjects and texts are for operators and above; others see that there is one. */
const char *personal(const struct visit *v, const char *text);
/* Writes down that this person looked at it; what cannot be written down is not shown. */
bool looked(struct visit *v, const char *page, const char *key);
/* "ann (console)", as decisions are recorded. */
void decider_name(const struct visit *v, struct str *out);

/* ---- second.c -------------------------------------------------------------------------------------------- */

struct approving {
    const char *subject, *key, *by, *why; /* as of proposal_request */
};

struct approved {
    bool go_on;                   /* false: it is proposed, and nothing is done yet */
    char first[200], second[200]; /* who had it done; second: "" is nobody */
};

/* Where two persons are asked for, proposes it, or approves what another has proposed. RC_REFUSED: this
 * person cannot, and the text says why. */
enum rc approve(struct visit *v, const struct approving *a, struct approved *out, struct err *err)
    MUST_CHECK;

/* ---- working.c ------------------------------------------------------------------------------------------- */

/* NULL: this console does not go through it. */
const struct work *work_of(const struct console *c, int64_t bulk);
bool work_begin(struct console *c, int64_t bulk); /* false: it goes through as many as it may */
void work_stop(struct console *c, int64_t bulk);
/* Does some of what is due, a few hundredths of a second long; gives the boot time of what is due next,
 * INT64_MAX: nothing. */
int64_t work(struct console *c);

/* ---- sign_in.c ------------------------------------------------------------------------------------------- */

/* Finds out who asks: by cookie, or by bearer token. */
void know_visitor(struct visit *v);
/* The token of this session's forms. */
void form_token(const struct visit *v, char out[DIGEST_HEX_SIZE]);
bool form_is_ours(const struct visit *v);
void page_sign_in(struct visit *v);
void act_sign_in(struct visit *v);
void act_sign_out(struct visit *v);

/* ---- words for pages ---------------------------------------------------------------------------------- */

/* What a page shows of an item in a row or at its head. */
void put_item(struct visit *v, struct fields *f, const struct view_item *item);
/* "HD-7K3M9QWX", or where there is no case the first digits of the key, for links. */
const char *item_name(const struct view_item *item, char room[16]);
/* Next and previous of a list that is paged by key. */
void put_paging(
    struct visit *v, const char *path, int64_t after_ms, const char *after_key, bool more);
/* The same of one whose rows have one name each, as `after` of the address gives it. */
void put_pages(struct visit *v, const char *path, const char *after, bool more);
void put_pages_by(struct visit *v, const char *path, int64_t after, bool more);
/* So that a form that is shown again stands on its own page: "?after=…", or nothing. */
void put_here(struct visit *v);
/* The place to go on from, as put_paging wrote it; false: from the beginning. */
bool page_after(const struct visit *v, struct view_page *page);
/* The text of a notice that an address names; "" is none. */
const char *notice_of(const char *name);
int64_t number_of(const char *text, int64_t otherwise);
/* since and until of the address; else the last 30 days. RC_USAGE. */
enum rc asked_period(const struct visit *v, int64_t *since, int64_t *until, struct err *err)
    MUST_CHECK;

/* ---- waiting.c ------------------------------------------------------------------------------------------ */

/* Lets the page's script say when another number than now waits in the list: "queue", "not-told", "webhooks".
 * Called before the list is read, so that what comes between is told of rather than missed. */
enum rc put_waiting(struct visit *v, const char *list, struct err *err) MUST_CHECK;
/* Is it a page's script that asks, every few seconds? That keeps no session alive. */
bool asks_by_itself(const struct request *request);

/* ---- pages ---------------------------------------------------------------------------------------------- */

void page_overview(struct visit *v);
void act_pause(struct visit *v);
void page_queue(struct visit *v);
void page_item(struct visit *v);
void act_decide(struct visit *v);
void act_replay(struct visit *v);
void page_original(struct visit *v);
void page_attachment(struct visit *v);
void page_items(struct visit *v);
void page_deliveries(struct visit *v);
void page_cases(struct visit *v);
void page_case(struct visit *v);
void act_case(struct visit *v);
void page_not_told(struct visit *v);
void act_resend(struct visit *v);
void page_report(struct visit *v);
void page_rules(struct visit *v);
void act_rule(struct visit *v);
void act_refuse(struct visit *v);
/* The proposals that are open, as {{#proposals}} of the page. */
enum rc put_proposals(struct visit *v, struct err *err) MUST_CHECK;
void page_replays(struct visit *v);
void act_replays(struct visit *v);
void page_bulk(struct visit *v);
void act_bulk(struct visit *v);
/* To the plan of a selection; nothing where it is of one mail. */
void replay_link(const char *selection, struct str *out);
void page_deployments(struct visit *v);
void page_audit(struct visit *v);
void page_health(struct visit *v);
void page_webhooks(struct visit *v);
void act_webhooks(struct visit *v);
void page_waiting(struct visit *v);
void page_style(struct visit *v);
void page_script(struct visit *v);
void page_icon(struct visit *v);

void api_items(struct visit *v);
void api_item(struct visit *v);
void api_deliveries(struct visit *v);
void api_cases(struct visit *v);
void api_case(struct visit *v);
void api_deployments(struct visit *v);
void api_webhooks(struct visit *v);
void api_replays(struct visit *v);
void api_replay_plan(struct visit *v);
void api_one_replay(struct visit *v);
void api_begin_replay(struct visit *v);
void api_go_on_with_replay(struct visit *v);
void api_status(struct visit *v);
void api_duplicates(struct visit *v);
void api_decide(struct visit *v);
void api_description(struct visit *v);
void page_healthz(struct visit *v);
void page_metrics(struct visit *v);

/* ---- route.c -------------------------------------------------------------------------------------------- */

/* Answers one request. */
void console_answer(struct console *console,
                    const struct request *request,
                    struct response *response);
