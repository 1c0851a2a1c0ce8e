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

static void headers_done(struct headers *h)
{
    for (size_t i = 0; i < h->count; i++)
        h->at[i] = str_z(&h->text[i]);
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

/* ---- sessions ------------------------------------------------------------------------------------ */

static bool has_session(const struct http_destination *d)
{
    return d->set->session.path && d->set->session.path[0];
}

static enum rc session_headers(const struct http_destination *d, struct headers *h, struct err *err)
{
    const struct texts *more = &d->set->session.headers;
    str_addz(next_header(h), "Accept: application/json");
    str_addz(next_header(h), "Content-Type: application/json");
    for (size_t i = 0; i < more->count; i++)
        str_addz(next_header(h), more->at[i]);
    TRY(sign_in(&d->set->sign_in, h, err));
    headers_done(h);
    return RC_OK;
}

static enum rc
ask_for_session(struct http_destination *d, struct http_answer *answer, struct err *err)
{
    CLEANUP(headers_clear) struct headers headers = {0};
    CLEANUP(str_clear) struct str url = STR_INIT;
    str_addf(&url, "%s%s", d->set->url, d->set->session.path);
    TRY(session_headers(d, &headers, err));
    struct http_request request = {
        .method = "GET",
        .url = str_z(&url),
        .header = headers.at,
        .headers = headers.count,
        .username = d->set->username,
        .password = d->set->password,
        .ca_file = d->set->ca_file,
        .proxy = d->set->proxy,
        .timeout_ms = d->set->timeout_ms,
        .most = ANSWER_MOST,
    };
    d->requests++;
    return http_exchange(d->client, &request, answer, err);
}

/* Whatever becomes of it, what is to be asked in the session has surely not been asked. */
static enum rc open_session(struct http_destination *d, struct err *err)
{
    CLEANUP(http_answer_clear) struct http_answer answer = {0};
    const struct http_sign_in *s = &d->set->sign_in;
    if (!has_session(d) || d->session[0])
        return RC_OK;
    enum rc rc = ask_for_session(d, &answer, err);
    if (rc == RC_UNKNOWN)
        return RC_DEFERRED;
    if (rc != RC_OK)
        return rc;
    if (answer.status == 401 && s->refused)
        s->refused(s->ctx);
    if (http_judge(NULL, answer.status) != HTTP_DONE)
        return FAIL(err, RC_DEFERRED, "no session was opened: status %d", answer.status);
    if (pointer_get(str_slice(&answer.body), d->set->session.id, d->session, sizeof d->session) !=
        POINTED_VALUE)
        return FAIL(err, RC_DEFERRED, "no session was opened: session.id points at nothing");
    return RC_OK;
}

static enum rc who_asks(const struct http_destination *d, struct headers *h, struct err *err)
{
    if (!has_session(d))
        return sign_in(&d->set->sign_in, h, err);
    str_addf(next_header(h), "%s: %s", d->set->session.header, d->session);
    return RC_OK;
}

/* ---- requests ------------------------------------------------------------------------------------ */

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
    TRY(who_asks(d, h, err));
    headers_done(h);
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
    TRY(open_session(d, err));
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
        .username = has_session(d) ? NULL : d->set->username,
        .password = has_session(d) ? NULL : d->set->password,
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
    if (http_judge(asking->shape, answer->status) != HTTP_SIGN_IN ||
        (!s->refused && !has_session(d)))
        return RC_OK;
    if (has_session(d))
        d->session[0] = '\0';
    else
        s->refused(s->ctx);
    return send_once(d, asking, answer, err);
}
