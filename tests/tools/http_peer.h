/* SPDX-License-Identifier: Apache-2.0
 *
 * http_peer - a server on loopback that answers as its script says, one request after another.
 */
#pragma once

#include <testing.h>

#include <arpa/inet.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ANSWERS_MAX 6

/* Answers request after request, over one connection as long as the answer keeps it. */
struct http_peer {
    int fd;
    unsigned port;
    const char *answer[ANSWERS_MAX]; /* "": the connection ends without one */
    bool ends[ANSWERS_MAX];          /* after this answer */
    size_t answers;
    size_t heard; /* complete requests */
    char heard_text[ANSWERS_MAX][4096];
    pthread_t thread;
};

static size_t http_body_length(const char *head)
{
    const char *at = strstr(head, "Content-Length:");
    return at ? strtoul(at + 15, NULL, 10) : 0;
}

static bool http_read_request(int fd, char *into, size_t room)
{
    size_t got = 0;
    for (;;) {
        ssize_t n = recv(fd, into + got, room - 1 - got, 0);
        if (n <= 0)
            return false;
        got += (size_t)n;
        into[got] = '\0';
        const char *end = strstr(into, "\r\n\r\n");
        if (end && strlen(end + 4) >= http_body_length(into))
            return true;
    }
}

static void *http_serve(void *ctx)
{
    struct http_peer *p = ctx;
    while (p->heard < p->answers) {
        int fd = accept(p->fd, NULL, NULL);
        bool more = fd >= 0;
        while (more && p->heard < p->answers &&
               http_read_request(fd, p->heard_text[p->heard], sizeof p->heard_text[0])) {
            size_t now = p->heard++;
            if (p->answer[now][0])
                send(fd, p->answer[now], strlen(p->answer[now]), MSG_NOSIGNAL);
            more = p->answer[now][0] && !p->ends[now];
        }
        if (fd >= 0)
            close(fd);
    }
    return NULL;
}

static void http_peer_start(struct http_peer *p)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    p->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(p->fd, (struct sockaddr *)&at, size), 0);
    assert_int_equal(listen(p->fd, 4), 0);
    assert_int_equal(getsockname(p->fd, (struct sockaddr *)&at, &size), 0);
    p->port = ntohs(at.sin_port);
    assert_int_equal(pthread_create(&p->thread, NULL, http_serve, p), 0);
}

static void http_peer_stop(struct http_peer *p)
{
    shutdown(p->fd, SHUT_RDWR);
    pthread_join(p->thread, NULL);
    close(p->fd);
}
