/* SPDX-License-Identifier: Apache-2.0 */
#include "line_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* ---- waiting ------------------------------------------------------------------------------------ */

static int64_t now_ms(const struct line_socket *s)
{
    return clock_now(s->clock).boot_ms;
}

/* What of `events` is there; RC_DEFERRED: nothing until then. */
static enum rc
await(const struct line_socket *s, short events, int64_t until_ms, short *out, struct err *err)
{
    struct pollfd p = {.fd = s->fd, .events = events};
    for (;;) {
        int64_t left = until_ms - now_ms(s);
        int n = poll(&p, 1, left > 0 ? (int)left : 0);
        if (n > 0) {
            *out = p.revents;
            return RC_OK;
        }
        if (n < 0 && errno != EINTR)
            return FAIL(err, RC_DEFERRED, "waiting fails: %s", strerror(errno));
        if (n == 0 && now_ms(s) >= until_ms)
            return FAIL(err, RC_DEFERRED, "no answer within %lld s",
                        (long long)(s->timeout_ms / 1000));
    }
}

/* ---- connecting --------------------------------------------------------------------------------- */

static enum rc
connect_to(struct line_socket *s, const struct sockaddr *to, socklen_t size, struct err *err)
{
    short seen;
    int failed = 0;
    socklen_t length = sizeof failed;
    s->fd = socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->fd < 0)
        return FAIL(err, RC_DEFERRED, "no socket: %s", strerror(errno));
    if (connect(s->fd, to, size) == 0)
        return RC_OK;
    if (errno != EINPROGRESS)
        return FAIL(err, RC_DEFERRED, "%s", strerror(errno));
    TRY(await(s, POLLOUT, now_ms(s) + s->timeout_ms, &seen, err));
    if (getsockopt(s->fd, SOL_SOCKET, SO_ERROR, &failed, &length) != 0 || failed != 0)
        return FAIL(err, RC_DEFERRED, "%s", strerror(failed != 0 ? failed : errno));
    return RC_OK;
}

static enum rc open_path(struct line_socket *s, const char *path, struct err *err)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    text_copy(to.sun_path, sizeof to.sun_path, path);
    return connect_to(s, (const struct sockaddr *)&to, sizeof to, err);
}

static enum rc open_each(struct line_socket *s, const struct addrinfo *list, struct err *err)
{
    enum rc rc = FAIL(err, RC_DEFERRED, "its name has no address");
    for (const struct addrinfo *a = list; a && rc != RC_OK; a = a->ai_next) {
        line_socket_close(s);
        rc = connect_to(s, a->ai_addr, a->ai_addrlen, err);
    }
    return rc;
}

/* "HOST:PORT", "[::1]:PORT". */
static enum rc open_host(struct line_socket *s, const char *address, struct err *err)
{
    char host[256];
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;
    const char *port = strrchr(address, ':');
    bool bracket = address[0] == '[';
    size_t length = (size_t)(port - address) - (bracket ? 2 : 0);
    if (length >= sizeof host)
        return FAIL(err, RC_DEFERRED, "its name is too long");
    memcpy(host, address + (bracket ? 1 : 0), length);
    host[length] = '\0';
    int failed = getaddrinfo(host, port + 1, &hints, &list);
    if (failed != 0)
        return FAIL(err, RC_DEFERRED, "%s", gai_strerror(failed));
    enum rc rc = open_each(s, list, err);
    freeaddrinfo(list);
    return rc;
}

enum rc line_socket_open(struct line_socket *s, const char *address, struct err *err)
{
    s->fd = -1;
    s->came = 0;
    enum rc rc = address[0] == '/' ? open_path(s, address, err) : open_host(s, address, err);
    if (rc != RC_OK)
        line_socket_close(s);
    return rc;
}

void line_socket_close(struct line_socket *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}

/* ---- octets ------------------------------------------------------------------------------------- */

/* False: it has hung up. */
static bool send_some(struct line_socket *s, struct slice *rest)
{
    ssize_t n = send(s->fd, rest->at, rest->len, MSG_NOSIGNAL);
    if (n > 0)
        *rest = slice_cut(*rest, (size_t)n, rest->len);
    return n >= 0 || errno == EINTR || errno == EAGAIN;
}

/* A server that says something before it has read everything, or hangs up, will not read the rest;
 * what it said before is still to be read. */
enum rc line_socket_put(struct line_socket *s, struct slice octets, bool *answered, struct err *err)
{
    int64_t until = now_ms(s) + s->timeout_ms;
    *answered = false;
    while (octets.len > 0) {
        short seen;
        TRY(await(s, POLLIN | POLLOUT, until, &seen, err));
        if (seen & (POLLIN | POLLHUP | POLLERR)) {
            *answered = true;
            return RC_OK;
        }
        *answered = !send_some(s, &octets);
        if (*answered)
            return RC_OK;
    }
    return RC_OK;
}

static size_t line_end(const struct line_socket *s)
{
    for (size_t i = 0; i < s->came; i++)
        if (s->line[i] == '\0' || s->line[i] == '\n')
            return i;
    return s->came;
}

static enum rc receive(struct line_socket *s, struct err *err)
{
    ssize_t n = recv(s->fd, s->line + s->came, sizeof s->line - s->came, 0);
    if (n > 0)
        s->came += (size_t)n;
    if (n == 0)
        return FAIL(err, RC_DEFERRED, "it hung up without an answer");
    if (n < 0 && errno != EINTR && errno != EAGAIN)
        return FAIL(err, RC_DEFERRED, "it hung up: %s", strerror(errno));
    return RC_OK;
}

enum rc line_socket_get(struct line_socket *s, struct slice *line, struct err *err)
{
    int64_t until = now_ms(s) + s->timeout_ms;
    while (line_end(s) == s->came) {
        short seen;
        if (s->came == sizeof s->line)
            return FAIL(err, RC_DEFERRED, "its answer does not end");
        TRY(await(s, POLLIN, until, &seen, err));
        TRY(receive(s, err));
    }
    *line = (struct slice){s->line, line_end(s)};
    return RC_OK;
}
