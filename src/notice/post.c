/* SPDX-License-Identifier: Apache-2.0 */
#include "sign.h"

#include <onecase/webhook_http.h>
#include <stdlib.h>

#define ANSWER_MOST 4096

static void put_or_null(json_t *o, const char *name, const char *value)
{
    json_object_set_new(o, name, value[0] ? post_text(value) : json_null());
}

static json_t *data_of(const struct webhook_http *w, const struct webhook_post *p)
{
    json_t *o = json_object();
    json_object_set_new(o, "deployment", post_text(w->deployment));
    json_object_set_new(o, "environment", post_text(w->environment));
    json_object_set_new(o, "event", json_integer(p->number));
    json_object_set_new(o, "mailbox", post_text(p->mailbox));
    json_object_set_new(o, "key", post_text(p->key));
    put_or_null(o, "case", p->reference);
    put_or_null(o, "class", p->event == WEBHOOK_DUPLICATE ? p->what : "");
    put_or_null(o, "reason", p->reason);
    if (w->personal) {
        json_object_set_new(o, "from", post_text(str_z(&p->sender)));
        json_object_set_new(o, "subject", post_text(str_z(&p->subject)));
    }
    return o;
}

static char *body_of(const struct webhook_http *w, const struct webhook_post *p)
{
    json_t *o = json_object();
    json_object_set_new(o, "type", post_text(webhook_event_type(p->event)));
    json_object_set_new(o, "timestamp", post_when(p->at_ms));
    json_object_set_new(o, "data", data_of(w, p));
    char *dump = json_dumps(o, JSON_COMPACT);
    json_decref(o);
    return dump;
}

/* Which answers are about this post, whoever sends it and whenever: its receiver cannot read it, or is gone
 * on purpose (Standard Webhooks). Anything else may be mended at the receiver. */
static enum rc verdict(int status, struct err *err)
{
    static const int never[] = {400, 410, 413, 415, 422};
    if (status / 100 == 2)
        return RC_OK;
    for (size_t i = 0; i < LENGTH(never); i++)
        if (status == never[i])
            return FAIL(err, RC_REFUSED, "its receiver said %d", status);
    return FAIL(err, RC_DEFERRED, "its receiver said %d", status);
}

static enum rc exchange(const struct webhook_http *w,
                        const struct webhook_post *p,
                        int64_t at_s,
                        const char *body,
                        struct posted *out,
                        struct err *err)
{
    CLEANUP(http_answer_clear) struct http_answer answer = {.status = 0};
    CLEANUP(signed_post_clear) struct signed_post made = {.id = STR_INIT};
    const char *header[SIGNED_HEADERS];
    post_sign(w->secret, p->message_id, at_s, body, &made);
    struct http_request request = signed_request(&made, w->url, body, header);
    request.timeout_ms = w->timeout_ms;
    request.most = ANSWER_MOST;
    request.ca_file = w->ca_file;
    request.proxy = w->proxy;
    enum rc rc = http_exchange(w->client, &request, &answer, err);
    if (rc != RC_OK) /* a certificate, or an address, is mended without this post */
        return rc == RC_REFUSED ? RC_DEFERRED : rc;
    out->code = answer.status;
    out->retry_after_ms = answer.retry_after_ms;
    return verdict(answer.status, err);
}

static enum rc post(void *self,
                    const struct webhook_post *p,
                    struct instant now,
                    struct posted *out,
                    struct err *err)
{
    const struct webhook_http *w = self;
    char *body = body_of(w, p);
    if (!body)
        return FAIL(err, RC_REFUSED, "it cannot be written as JSON");
    enum rc rc = exchange(w, p, now.wall_ms / 1000, body, out, err);
    free(body);
    return rc;
}

struct poster webhook_http_port(struct webhook_http *webhook)
{
    return (struct poster){.self = webhook, .post = post};
}
