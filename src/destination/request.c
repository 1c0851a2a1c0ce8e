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
                          const struct asking *asking,
                          const struct filling *filling,
                          const struct parcel *parcel,
                          struct headers *h,
                          struct err *err)
{
    const struct http_shape *shape = asking->shape;
    str_addf(next_header(h), "Idempotency-Key: %s", asking->facts->effect);
    str_addf(next_header(h), "X-Correlation-Id: %s", asking->facts->correlation);
    str_addz(next_header(h), shape->whole ? "Accept: */*" : "Accept: application/json");
    if (parcel->type.len > 0)
        str_addf(next_header(h), "Content-Type: %s", str_z(&parcel->type));
    if (!asking->look && shape->guarantee == GUARANTEE_CONDITIONAL)
        str_addz(next_header(h), "If-None-Match: *");
    for (size_t i = 0; i < shape->headers.count; i++)
        fill_header(shape->headers.at[i], filling, next_header(h));
    TRY(sign_in(&d->set->sign_in, h, err));
    for (size_t i = 0; i < h->count; i++)
        h->at[i] = str_z(&h->text[i]);
    return RC_OK;
}

/* Of a file that is asked for as a whole more than it should have need not be read. */
static size_t most_of(const struct asking *asking)
{
    const struct case_file *f = asking->facts->file;
    return asking->shape->whole && f ? (size_t)f->size + 1 : ANSWER_MOST;
}

static enum rc send_once(struct http_destination *d,
                         const struct asking *asking,
                         struct http_answer *answer,
                         struct err *err)
{
    struct filling filling;
    const struct http_shape *shape = asking->shape;
    CLEANUP(headers_clear) struct headers headers = {0};
    CLEANUP(parcel_clear) struct parcel parcel = {0};
    CLEANUP(str_clear) struct str url = STR_INIT;
    filling_of(asking, &filling);
    str_addz(&url, d->set->url);
    fill_path(shape->path, &filling, &url);
    TRY(parcel_make(asking, &filling, &parcel, err));
    TRY(headers_of(d, asking, &filling, &parcel, &headers, err));
    struct http_request request = {
        .method = shape->method,
        .url = str_z(&url),
        .header = headers.at,
        .headers = headers.count,
        .username = d->set->username,
        .password = d->set->password,
        .body = str_slice(&parcel.body),
        .upload = parcel.uploads ? &parcel.upload : NULL,
        .ca_file = d->set->ca_file,
        .proxy = d->set->proxy,
        .timeout_ms = d->set->timeout_ms,
        .most = most_of(asking),
        .fresh = !asking->look && shape->guarantee <= GUARANTEE_UNIQUE_KEY,
        .hash = shape->whole,
    };
    d->requests++;
    return http_exchange(d->client, &request, answer, err);
}

enum rc send_request(struct http_destination *d,
                     const struct asking *asking,
                     struct http_answer *answer,
                     struct err *err)
{
    const struct http_sign_in *s = &d->set->sign_in;
    TRY(send_once(d, asking, answer, err));
    if (http_judge(asking->shape, answer->status) != HTTP_SIGN_IN || !s->refused)
        return RC_OK;
    s->refused(s->ctx);
    return send_once(d, asking, answer, err);
}
