/* SPDX-License-Identifier: Apache-2.0
 *
 * line_socket - a connection to a local server: octets out, one line back, each within its deadline.
 */
#pragma once

#include <onecase/clock.h>
#include <onecase/err.h>
#include <onecase/str.h>

#define LINE_SOCKET_MAX 1024 /* octets of an answer, its end included */

struct line_socket {
    const struct clock *clock;
    int64_t timeout_ms;
    int fd;                     /* -1: none */
    char line[LINE_SOCKET_MAX]; /* what came so far */
    size_t came;
};

/* RC_DEFERRED of each: it cannot be done, or not in time; the text says what. */
enum rc line_socket_open(struct line_socket *s, const char *address, struct err *err) MUST_CHECK;
/* Stops with *answered where the server says something meanwhile. */
enum rc line_socket_put(struct line_socket *s, struct slice octets, bool *answered, struct err *err)
    MUST_CHECK;
/* The line up to NUL or LF, borrowed until the socket is closed. */
enum rc line_socket_get(struct line_socket *s, struct slice *line, struct err *err) MUST_CHECK;
void line_socket_close(struct line_socket *s);
