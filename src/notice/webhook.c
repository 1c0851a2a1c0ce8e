/* SPDX-License-Identifier: Apache-2.0 */
#include "sign.h"

#include <onecase/notice_webhook.h>
#include <stdlib.h>

#define ANSWER_MOST 4096

static json_t *lines_of(const struct notice *n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n->lines; i++) {
        const struct notice_line *l = &n->line[i];
        json_t *o = json_object();
        json_object_set_new(o, "state", post_text(notice_state_text(l->state)));
        json_object_set_new(o, "kind", post_text(l->kind));
        json_object_set_new(o, "mailbox", l->mailbox[0] ? post_text(l->mailbox) : json_null());
        json_object_set_new(o, "level", post_text(l->level));
        json_object_set_new(o, "text", post_text(l->text));
        json_object_set_new(o, "since", post_when(l->since_ms));
        json_array_append_new(list, o);
    }
    return list;
}

static char *body_of(const struct notice *n)
{
    json_t *o = json_object(), *data = json_object();
    json_object_set_new(o, "type", post_text("onecase.notice"));
    json_object_set_new(o, "timestamp", post_when(n->at_ms));
    json_object_set_new(data, "deployment", post_text(n->deployment));
    json_object_set_new(data, "environment", post_text(n->environment));
    json_object_set_new(data, "text", post_text(n->subject));
    json_object_set_new(data, "lines", lines_of(n));
    json_object_set_new(o, "data", data);
    char *dump = json_dumps(o, JSON_COMPACT);
    json_decref(o);
    return dump;
}

/* 2xx is taken; what a later try may get is put off (RFC 9110). */
static enum rc verdict(const struct http_answer *a, struct err *err)
{
    bool later = a->status / 100 == 5 || a->status == 408 || a->status == 425 || a->status == 429;
    if (a->status / 100 == 2)
        return RC_OK;
    return FAIL(err, later ? RC_DEFERRED : RC_REFUSED, "the webhook said %d", a->status);
}

static enum rc
post(const struct notice_webhook *w, const struct notice *n, const char *body, struct err *err)
{
    CLEANUP(http_answer_clear) struct http_answer answer = {.status = 0};
    CLEANUP(signed_post_clear) struct signed_post made = {.id = STR_INIT};
    const char *header[SIGNED_HEADERS];
    post_sign(w->secret, n->id, n->at_ms / 1000, body, &made);
    struct http_request request = signed_request(&made, w->url, body, header);
    request.timeout_ms = w->timeout_ms;
    request.most = ANSWER_MOST;
    TRY(http_exchange(w->client, &request, &answer, err));
    return verdict(&answer, err);
}

static enum rc send(void *self, const struct notice *n, struct err *err)
{
    char *body = body_of(n);
    if (!body)
        return FAIL(err, RC_BROKEN, "notice: it cannot be written as JSON");
    enum rc rc = post(self, n, body, err);
    free(body);
    return rc;
}

struct notifier notice_webhook_port(struct notice_webhook *webhook)
{
    return (struct notifier){.self = webhook, .channel = "webhook", .send = send};
}
