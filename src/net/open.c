/* SPDX-License-Identifier: Apache-2.0 */
#include "net_p.h"

/* While connecting and signing in, a server has little to say. */
#define OPEN_BUDGET ((size_t)256 * 1024)

static void forget_secrets(struct connection *c)
{
    sign_in_clear(&c->sign_in);
    secret_clear(&c->secret);
    secret_clear(&c->unsent);
}

static enum rc refused(struct connection *c, struct slice line, bool never, struct err *err)
{
    const struct secret_source *source = &c->endpoint->source;
    char shown[200];

    str_empty(&c->answer);
    str_add(&c->answer, line);
    sign_in_mask(&c->sign_in, str_slice(&c->secret), &c->answer);
    server_words(str_slice(&c->answer), shown, sizeof shown);
    if (never && !is_given(c->endpoint->secret) && source->refused != NULL)
        source->refused(source->ctx);
    return connection_fail(c, never ? RC_REFUSED : RC_DEFERRED, err,
                           never ? "it refuses the sign-in (%s); check user name and secret"
                                 : "it cannot sign in anybody now (%s); it is tried again",
                           shown);
}

static enum rc get_secret(struct connection *c, struct err *err)
{
    const struct endpoint *e = c->endpoint;
    struct err why = ERR_INIT;

    if (is_given(e->secret)) {
        str_addz(&c->secret, e->secret);
        return RC_OK;
    }
    if (e->source.get == NULL)
        return connection_fail(c, RC_REFUSED, err, "there is no secret to sign in with");
    if (e->source.get(e->source.ctx, &c->secret, &why) != RC_OK)
        return connection_fail(c, why.rc, err, "%s", why.text);
    return RC_OK;
}

static enum rc begin_sign_in(struct connection *c, struct err *err)
{
    struct err why = ERR_INIT;

    TRY(get_secret(c, err));
    if (sign_in_begin(&c->sign_in, c->endpoint, str_slice(&c->secret), str_slice(&c->offers),
                      &c->unsent, &why) != RC_OK)
        return connection_fail(c, why.rc, err, "%s", why.text);
    return RC_OK;
}

/* True once nothing waits to be sent. */
static enum rc flush(struct connection *c, bool *sent, struct err *err)
{
    size_t taken = 0;

    TRY(connection_put(c, str_slice(&c->unsent), &taken, err));
    *sent = taken == c->unsent.len;
    if (*sent) {
        secret_clear(&c->unsent);
    } else if (taken > 0) {
        CLEANUP(secret_clear) struct str all = c->unsent;

        c->unsent = (struct str)STR_INIT;
        str_add(&c->unsent, slice_cut(str_slice(&all), taken, all.len));
    }
    return RC_OK;
}

/* *more: the server said something that the dialogue goes on from. */
static enum rc heard(struct connection *c, struct slice line, bool *more, struct err *err)
{
    *more = true;
    switch (sign_in_line(&c->sign_in, line, &c->unsent)) {
    case SIGN_IN_NOTHING:
    case SIGN_IN_GO_ON:
        return RC_OK;
    case SIGN_IN_ACCEPTED:
        c->signed_in = true;
        *more = false;
        return RC_OK;
    case SIGN_IN_LATER:
        return refused(c, line, false, err);
    case SIGN_IN_NEVER:
        return refused(c, line, true, err);
    }
    return RC_OK;
}

static enum rc sign_in_step(struct connection *c, bool *more, struct err *err)
{
    struct slice line = {NULL, 0};

    TRY(flush(c, more, err));
    if (*more)
        TRY(connection_line(c, &line, err));
    *more = line.at != NULL;
    return *more ? heard(c, line, more, err) : RC_OK;
}

/* Goes on until the server is awaited, or it is decided. */
static enum rc sign_in_go_on(struct connection *c, struct err *err)
{
    bool more = true;

    while (more)
        TRY(sign_in_step(c, &more, err));
    return RC_OK;
}

static enum rc connected(struct connection *c, struct err *err)
{
    bool done;

    TRY(connect_go_on(c, &done, err));
    if (!done)
        return RC_OK;
    c->signed_in = c->signed_in || c->endpoint->sign_in == SIGN_IN_NONE;
    c->phase = PHASE_SIGNING_IN;
    connection_limit(c, c->endpoint->timeout_ms, OPEN_BUDGET);
    return c->signed_in ? RC_OK : begin_sign_in(c, err);
}

static enum rc start(struct connection *c, struct err *err)
{
    connection_limit(c, c->endpoint->timeout_ms, OPEN_BUDGET);
    TRY(connect_start(c, err));
    c->phase = PHASE_CONNECTING;
    return RC_OK;
}

static enum rc go_on(struct connection *c, struct err *err)
{
    enum rc rc = connection_check(c, err);

    if (rc == RC_OK && c->phase == PHASE_NEW)
        rc = start(c, err);
    if (rc == RC_OK && c->phase == PHASE_CONNECTING)
        rc = connected(c, err);
    if (rc == RC_OK && c->phase == PHASE_SIGNING_IN && !c->signed_in)
        rc = sign_in_go_on(c, err);
    if (rc == RC_OK && c->phase == PHASE_SIGNING_IN && c->signed_in)
        c->phase = PHASE_OPEN;
    return rc;
}

enum rc connection_open(struct connection *c, bool *open, struct err *err)
{
    enum rc rc = go_on(c, err);

    *open = c->phase == PHASE_OPEN;
    if (*open || rc != RC_OK)
        forget_secrets(c);
    return rc;
}
