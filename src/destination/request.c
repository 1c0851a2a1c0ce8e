/* SPDX-License-Identifier: Apache-2.0 */
#include "destination_p.h"

#define HEADERS_MAX 40

bool shape_given(const struct http_shape *shape)
{
    return shape->method && shape->method[0];
}

/* Owned headers and the pointers to them that a request wants. */
struct headers {
    struct str text[HEADERS_MAX];
    const char *at[HEADERS_MAX];
    size_t count;
};

static void headers_clear(struct headers *h)
{
    for (size_t i = 0; i < h->count; i++)
        str_clear(&h->text[i]);
}

static struct str *next_header(struct headers *h)
{
    assert(h->count < HEADERS_MAX);
    return &h->text[h->count++];
}

static enum rc sign_in(const struct http_sign_in *s, struct headers *h, struct err *err)
{
    CLEANUP(str_clear) struct str value = STR_INIT;
    if (!s->get)
        return RC_OK;
    TRY(s->get(s->ctx, &value, err));
    str_addf(next_header(h), "Authorization: %s", str_z(&value));
    return RC_OK;
}

/* If-None-Match makes a request that finds something there fail, instead of changing it. */
static enum rc headers_of(const struct http_destination *d,
                          const struct http_shape *shape,
                          const struct case_facts *facts,
                          const struct filling *filling,
                          struct headers *h,
                          struct err *err)
{
    bool makes = shape == &d->set->create;
    str_addf(next_header(h), "Idempotency-Key: %s", facts->effect);
    str_addf(next_header(h), "X-Correlation-Id: %s", facts->correlation);
    str_addz(next_header(h), "Accept: application/json");
    if (shape->body && shape->body[0])
        str_addz(next_header(h), "Content-Type: application/json");
    if (makes && d->set->guarantee == GUARANTEE_CONDITIONAL)
        str_addz(next_header(h), "If-None-Match: *");
    for (size_t i = 0; i < shape->headers.count; i++)
        fill_header(shape->headers.at[i], filling, next_header(h));
    TRY(sign_in(&d->set->sign_in, h, err));
    for (size_t i = 0; i < h->count; i++)
        h->at[i] = str_z(&h->text[i]);
    return RC_OK;
}

static enum rc send_once(struct http_destination *d,
                         const struct http_shape *shape,
                         const struct case_facts *facts,
                         const char *id,
                         struct http_answer *answer,
                         struct err *err)
{
    struct filling filling;
    CLEANUP(headers_clear) struct headers headers = {0};
    CLEANUP(str_clear) struct str url = STR_INIT;
    CLEANUP(str_clear) struct str body = STR_INIT;
    filling_of(facts, id, &filling);
    str_addz(&url, d->set->url);
    fill_path(shape->path, &filling, &url);
    TRY(fill_body(shape->body, &filling, &body, err));
    TRY(headers_of(d, shape, facts, &filling, &headers, err));
    struct http_request request = {
        .method = shape->method,
        .url = str_z(&url),
        .header = headers.at,
        .headers = headers.count,
        .username = d->set->username,
        .password = d->set->password,
        .body = str_slice(&body),
        .ca_file = d->set->ca_file,
        .proxy = d->set->proxy,
        .timeout_ms = d->set->timeout_ms,
        .most = ANSWER_MOST,
        .fresh = shape == &d->set->create && d->set->guarantee <= GUARANTEE_UNIQUE_KEY,
    };
    return http_exchange(d->client, &request, answer, err);
}

enum rc send_request(struct http_destination *d,
                     const struct http_shape *shape,
                     const struct case_facts *facts,
                     const char *id,
                     struct http_answer *answer,
                     struct err *err)
{
    const struct http_sign_in *s = &d->set->sign_in;
    TRY(send_once(d, shape, facts, id, answer, err));
    if (http_judge(shape, answer->status) != HTTP_SIGN_IN || !s->refused)
        return RC_OK;
    s->refused(s->ctx);
    return send_once(d, shape, facts, id, answer, err);
}
