/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/digest.h>
#include <onecase/notice_webhook.h>
#include <onecase/when.h>
#include <glib.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_MOST 4096

static json_t *text(const char *value)
{
    json_t *made = json_string(value);
    return made ? made : json_string("?"); /* octets that are no UTF-8 */
}

static json_t *when(int64_t at_ms)
{
    char at[WHEN_TEXT_SIZE];
    when_text(at_ms, at);
    return json_string(at);
}

static json_t *lines_of(const struct notice *n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n->lines; i++) {
        const struct notice_line *l = &n->line[i];
        json_t *o = json_object();
        json_object_set_new(o, "state", text(notice_state_text(l->state)));
        json_object_set_new(o, "kind", text(l->kind));
        json_object_set_new(o, "mailbox", l->mailbox[0] ? text(l->mailbox) : json_null());
        json_object_set_new(o, "level", text(l->level));
        json_object_set_new(o, "text", text(l->text));
        json_object_set_new(o, "since", when(l->since_ms));
        json_array_append_new(list, o);
    }
    return list;
}

static char *body_of(const struct notice *n)
{
    json_t *o = json_object(), *data = json_object();
    json_object_set_new(o, "type", text("onecase.notice"));
    json_object_set_new(o, "timestamp", when(n->at_ms));
    json_object_set_new(data, "deployment", text(n->deployment));
    json_object_set_new(data, "environment", text(n->environment));
    json_object_set_new(data, "text", text(n->subject));
    json_object_set_new(data, "lines", lines_of(n));
    json_object_set_new(o, "data", data);
    char *dump = json_dumps(o, JSON_COMPACT);
    json_decref(o);
    return dump;
}

/* What stands after "whsec_" is base 64; any other secret is taken as it is written. */
static void add_secret(const char *written, struct str *out)
{
    static const char prefix[] = "whsec_";
    gsize length = 0;
    if (strncmp(written, prefix, strlen(prefix)) != 0) {
        str_addz(out, written);
        return;
    }
    guchar *octets = g_base64_decode(written + strlen(prefix), &length);
    str_add(out, (struct slice){(const char *)octets, length});
    g_free(octets);
}

static void
sign(const char *written, const char *id, int64_t at_s, const char *body, struct str *out)
{
    CLEANUP(str_clear) struct str secret = STR_INIT;
    CLEANUP(str_clear) struct str signed_text = STR_INIT;
    add_secret(written, &secret);
    str_addf(&signed_text, "%s.%lld.%s", id, (long long)at_s, body);
    const struct digest mac = hmac_sha256(str_slice(&secret), str_slice(&signed_text));
    gchar *base64 = g_base64_encode(mac.octet, DIGEST_SIZE);
    str_addf(out, "webhook-signature: v1,%s", base64);
    g_free(base64);
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
    CLEANUP(str_clear) struct str id = STR_INIT;
    CLEANUP(str_clear) struct str at = STR_INIT;
    CLEANUP(str_clear) struct str signature = STR_INIT;
    str_addf(&id, "webhook-id: %s", n->id);
    str_addf(&at, "webhook-timestamp: %lld", (long long)(n->at_ms / 1000));
    if (w->secret[0])
        sign(w->secret, n->id, n->at_ms / 1000, body, &signature);
    const char *header[] = {"Content-Type: application/json", "User-Agent: onecase", str_z(&id),
                            str_z(&at), str_z(&signature)};
    const struct http_request request = {.method = "POST",
                                         .url = w->url,
                                         .header = header,
                                         .headers = w->secret[0] ? 5 : 4,
                                         .body = slice_z(body),
                                         .timeout_ms = w->timeout_ms,
                                         .most = ANSWER_MOST};
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
