/* SPDX-License-Identifier: Apache-2.0 */
#include "net_p.h"

#include <poll.h>

/* While connecting and signing in, a server has little to say. */
#define OPEN_BUDGET ((size_t)256 * 1024)

static void forget_secrets(struct connection *c)
{
    sign_in_clear(&c->sign_in);
    secret_clear(&c->secret);
    secret_clear(&c->unsent);
}

/* What the server said, its explanation behind it, without what is secret. */
static void quote(struct connection *c, struct slice line, char *into, size_t size)
{
    CLEANUP(str_clear) struct str words = STR_INIT;

    str_empty(&c->answer);
    str_add(&c->answer, line);
    sign_in_mask(&c->sign_in, str_slice(&c->secret), &c->answer);
    str_add(&words, str_slice(&c->answer));
    if (c->sign_in.said.len > 0)
        str_addf(&words, "; %s", str_z(&c->sign_in.said));
    sign_in_mask(&c->sign_in, str_slice(&c->secret), &words);
    server_words(str_slice(&words), into, size);
}

static const char *remedy_of(const struct connection *c)
{
    bool token =
        c->endpoint->sign_in == SIGN_IN_XOAUTH2 || c->endpoint->sign_in == SIGN_IN_OAUTHBEARER;

    return token
               ? "check user name and secret: the token must be for this server (`scope`), and its "
                 "holder allowed to use this account"
               : "check user name and secret";
}

static enum rc refused(struct connection *c, struct slice line, struct err *err)
{
    char shown[300];

    sign_in_guard_note(&c->net->guard, false, net_now(c->net));
    quote(c, line, shown, sizeof shown);
    if (c->sign_in.wrong != NULL)
        return connection_fail(c, RC_REFUSED, err, "signing in by %s: %s (%s)",
                               sign_in_name(&c->sign_in), c->sign_in.wrong, shown);
    return connection_fail(c, RC_REFUSED, err, "it refuses the sign-in by %s (%s); %s",
                           sign_in_name(&c->sign_in), shown, remedy_of(c));
}

static enum rc put_off(struct connection *c, struct slice line, struct err *err)
{
    char shown[300];

    quote(c, line, shown, sizeof shown);
    return connection_fail(c, RC_DEFERRED, err,
                           "it cannot sign in anybody now (%s); it is tried again", shown);
}

/* A token that was kept from before may have been taken back: once, a fresh one is tried. */
static bool renew(struct connection *c)
{
    const struct secret_source *source = &c->endpoint->source;
    bool fresh = !is_given(c->endpoint->secret) && source->refused != NULL &&
                 source->refused(source->ctx) && !c->renewed && c->sign_in.wrong == NULL;

    if (fresh)
        forget_secrets(c);
    c->renewed = c->renewed || fresh;
    return fresh;
}

/* *wait_fd: what it waits for, or -1. Its own deadline is the source's. */
static enum rc get_secret(struct connection *c, int *wait_fd, struct err *err)
{
    const struct endpoint *e = c->endpoint;
    struct err why = ERR_INIT;

    *wait_fd = -1;
    if (is_given(e->secret)) {
        str_addz(&c->secret, e->secret);
        return RC_OK;
    }
    if (e->source.get == NULL)
        return connection_fail(c, RC_REFUSED, err, "there is no secret to sign in with");
    if (e->source.get(e->source.ctx, &c->secret, wait_fd, &why) != RC_OK)
        return connection_fail(c, why.rc, err, "%s", why.text);
    return RC_OK;
}

/* Once begun, the dialogue has its way. */
static enum rc begin_sign_in(struct connection *c, bool *begun, struct err *err)
{
    struct err why = ERR_INIT;
    int wait_fd;

    TRY(get_secret(c, &wait_fd, err));
    *begun = wait_fd < 0;
    if (!*begun) {
        connection_limit(c, 0, OPEN_BUDGET);
        c->wait_count = 1;
        c->waits[0] = (struct waiting){.fd = wait_fd, .events = POLLIN};
        return RC_OK;
    }
    c->wait_count = 0;
    c->waits[0] = (struct waiting){.fd = c->fd};
    connection_limit(c, c->endpoint->timeout_ms, OPEN_BUDGET);
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
        sign_in_guard_note(&c->net->guard, true, net_now(c->net));
        c->signed_in = true;
        *more = false;
        return RC_OK;
    case SIGN_IN_LATER:
        return put_off(c, line, err);
    case SIGN_IN_NEVER:
        return renew(c) ? RC_OK : refused(c, line, err);
    }
    return RC_OK;
}

static enum rc sign_in_step(struct connection *c, bool *more, struct err *err)
{
    struct slice line = {NULL, 0};

    if (c->sign_in.way == NULL)
        TRY(begin_sign_in(c, more, err));
    if (c->sign_in.way == NULL)
        return RC_OK;
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
    return RC_OK;
}

static enum rc start(struct connection *c, struct err *err)
{
    if (!sign_in_guard_allows(&c->net->guard, net_now(c->net)))
        return connection_fail(
            c, RC_REFUSED, err,
            "it has refused the sign-in %d times and is not asked for 30 minutes, "
            "lest it lock the account; mend user name or secret, then reload or "
            "start again",
            SIGN_IN_REFUSALS);
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
