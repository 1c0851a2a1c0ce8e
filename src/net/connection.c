/* SPDX-License-Identifier: Apache-2.0 */
#include "net_p.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define FAREWELL_SIZE 208

static const char *const protocol_names[] = {
    [PROTOCOL_IMAP] = "imap",
    [PROTOCOL_SMTP] = "smtp",
};

struct connection *
connection_new(struct net *net, enum protocol protocol, const struct endpoint *endpoint)
{
    struct connection *c = mem_new(1, sizeof *c);

    c->net = net;
    c->endpoint = endpoint;
    c->protocol = protocol;
    c->sign_in.protocol = protocol;
    c->fd = -1;
    snprintf(c->name, sizeof c->name, "%s %s:%u", protocol_names[protocol], endpoint->host,
             (unsigned)endpoint->port);
    c->next = net->first;
    net->first = c;
    return c;
}

static void leave(struct connection *c)
{
    struct connection **at = &c->net->first;

    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
}

void connection_free(struct connection *c)
{
    if (c == NULL)
        return;
    leave(c);
    connect_clear(c);
    sign_in_clear(&c->sign_in);
    secret_clear(&c->secret);
    secret_clear(&c->unsent);
    str_clear(&c->offers);
    str_clear(&c->answer);
    free(c);
}

void connection_drop(struct connection *c)
{
    struct linger at_once = {.l_onoff = 1, .l_linger = 0};

    if (c != NULL && c->fd >= 0)
        (void)setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    connection_free(c);
}

const char *connection_name(const struct connection *c)
{
    return c->name;
}

struct slice connection_offers(const struct connection *c)
{
    return str_slice(&c->offers);
}

struct slice connection_answer(const struct connection *c)
{
    return str_slice(&c->answer);
}

struct slice connection_recent(const struct connection *c)
{
    return (struct slice){c->recent, c->recent_len};
}

enum rc connection_fail(struct connection *c, enum rc rc, struct err *err, const char *format, ...)
{
    char text[ERR_TEXT_SIZE];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    c->phase = PHASE_BROKEN;
    c->wait_count = 0;
    (void)FAIL(&c->why, rc, "%s: %s", c->name, text);
    if (err != NULL)
        *err = c->why;
    return rc;
}

/* Puts what the server said in parting into `into`, as " (...)"; nothing where it said nothing. */
static void farewell(const struct connection *c, char *into, size_t size)
{
    struct slice rest = connection_recent(c);
    struct slice line;
    struct slice last = SLICE_EMPTY;
    struct slice sign = slice_z(c->protocol == PROTOCOL_IMAP ? "* BYE" : "421");
    char words[200];

    while (slice_next(&rest, '\n', &line))
        if (slice_starts_nocase(line, sign))
            last = line;
    into[0] = '\0';
    if (last.len == 0)
        return;
    server_words(last, words, sizeof words);
    snprintf(into, size, " (%s)", words);
}

/* Pace */

void connection_limit(struct connection *c, int64_t timeout_ms, size_t budget)
{
    int64_t now = net_now(c->net);

    c->pace = (struct pace){
        .timeout_ms = timeout_ms, .started_ms = now, .moved_ms = now, .budget = budget};
}

int64_t connection_deadline(const struct connection *c)
{
    const struct pace *p = &c->pace;
    int64_t silence = p->moved_ms + p->timeout_ms;
    int64_t whole =
        p->started_ms + p->timeout_ms + (int64_t)(p->octets / CONNECTION_SLOWEST) * INT64_C(1000);

    if (p->timeout_ms == 0)
        return INT64_MAX;
    return silence < whole ? silence : whole;
}

static enum rc too_late(struct connection *c, struct err *err)
{
    char words[FAREWELL_SIZE];

    farewell(c, words, sizeof words);
    return connection_fail(c, RC_DEFERRED, err,
                           "it %s within %lld s%s; is it overloaded, or `timeout` too short?",
                           c->pace.octets > 0 ? "did not get on" : "did not answer",
                           (long long)((c->pace.timeout_ms + 999) / 1000), words);
}

enum rc connection_check(struct connection *c, struct err *err)
{
    if (c->phase == PHASE_BROKEN) {
        if (err != NULL)
            *err = c->why;
        return c->why.rc;
    }
    return net_now(c->net) <= connection_deadline(c) ? RC_OK : too_late(c, err);
}

static enum rc moved(struct connection *c, size_t octets, struct err *err)
{
    struct pace *p = &c->pace;

    p->octets += octets;
    p->moved_ms = net_now(c->net);
    if (p->budget > 0 && p->received > p->budget)
        return connection_fail(c, RC_DEFERRED, err,
                               "it sends more than %zu octets where fewer are expected; the "
                               "connection was given up",
                               p->budget);
    return RC_OK;
}

void connection_want(struct connection *c, short events)
{
    c->wait_count = 1;
    c->waits[0].fd = c->fd;
    c->waits[0].events = (short)(c->waits[0].events | events);
}

static void unwant(struct connection *c, int events)
{
    c->waits[0].events = (short)(c->waits[0].events & ~events);
    c->wait_count = c->waits[0].events != 0;
}

/* Octets */

static void remember(struct connection *c, const char *at, size_t len)
{
    size_t keep;

    if (len > RECENT_SIZE) {
        at += len - RECENT_SIZE;
        len = RECENT_SIZE;
    }
    keep = c->recent_len < RECENT_SIZE - len ? c->recent_len : RECENT_SIZE - len;
    memmove(c->recent, c->recent + c->recent_len - keep, keep);
    memcpy(c->recent + keep, at, len);
    c->recent_len = keep + len;
}

static enum rc closed(struct connection *c, struct err *err)
{
    char words[FAREWELL_SIZE];

    farewell(c, words, sizeof words);
    return connection_fail(c, RC_DEFERRED, err, "it closed the connection%s; see the server's log",
                           words);
}

static enum rc receive(struct connection *c, char *into, size_t room, size_t *got, struct err *err)
{
    CURLcode code = curl_easy_recv(c->easy, into, room, got);

    if (code == CURLE_AGAIN) {
        *got = 0;
        connection_want(c, POLLIN);
        return RC_OK;
    }
    if (code != CURLE_OK || *got == 0)
        return closed(c, err);
    unwant(c, POLLIN);
    remember(c, into, *got);
    c->pace.received += *got;
    return moved(c, *got, err);
}

enum rc connection_get(struct connection *c, char *into, size_t room, size_t *got, struct err *err)
{
    size_t held = c->in_to - c->in_from;

    *got = 0;
    TRY(connection_check(c, err));
    if (held == 0)
        return receive(c, into, room, got, err);
    *got = held < room ? held : room;
    memcpy(into, c->in + c->in_from, *got);
    c->in_from += *got;
    return RC_OK;
}

static bool take_line(struct connection *c, struct slice *line)
{
    const char *from = c->in + c->in_from;
    const char *end = memchr(from, '\n', c->in_to - c->in_from);

    if (end == NULL)
        return false;
    c->in_from += (size_t)(end - from) + 1;
    *line = (struct slice){from, (size_t)(end - from)};
    if (line->len > 0 && line->at[line->len - 1] == '\r')
        line->len--;
    return true;
}

/* Makes room and takes in what has come. */
static enum rc fill(struct connection *c, size_t *got, struct err *err)
{
    memmove(c->in, c->in + c->in_from, c->in_to - c->in_from);
    c->in_to -= c->in_from;
    c->in_from = 0;
    *got = 0;
    if (c->in_to == sizeof c->in)
        return RC_OK;
    TRY(receive(c, c->in + c->in_to, sizeof c->in - c->in_to, got, err));
    c->in_to += *got;
    return RC_OK;
}

enum rc connection_line(struct connection *c, struct slice *line, struct err *err)
{
    size_t got;

    *line = (struct slice){NULL, 0};
    TRY(connection_check(c, err));
    while (!take_line(c, line)) {
        TRY(fill(c, &got, err));
        if (c->in_to == sizeof c->in && memchr(c->in, '\n', sizeof c->in) == NULL)
            return connection_fail(c, RC_DEFERRED, err,
                                   "it sends a line of more than %d octets; is it a mail server?",
                                   CONNECTION_LINE);
        if (got == 0)
            return RC_OK;
    }
    return RC_OK;
}

bool connection_alive(struct connection *c)
{
    struct slice rest;
    struct slice line;
    size_t got = 1;

    connection_limit(c, 0, 0);
    while (got > 0)
        if (connection_check(c, NULL) != RC_OK || fill(c, &got, NULL) != RC_OK)
            return false;
    rest = (struct slice){c->in + c->in_from, c->in_to - c->in_from};
    while (slice_next(&rest, '\n', &line))
        if (slice_starts_nocase(line, SLICE("* BYE")))
            return false;
    return true;
}

enum rc connection_put(struct connection *c, struct slice octets, size_t *taken, struct err *err)
{
    CURLcode code;

    *taken = 0;
    TRY(connection_check(c, err));
    if (octets.len == 0)
        return RC_OK;
    code = curl_easy_send(c->easy, octets.at, octets.len, taken);
    if (code == CURLE_AGAIN) {
        *taken = 0;
        connection_want(c, POLLOUT);
        return RC_OK;
    }
    if (code != CURLE_OK)
        return closed(c, err);
    unwant(c, POLLOUT);
    return moved(c, *taken, err);
}
