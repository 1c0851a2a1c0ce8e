/* SPDX-License-Identifier: Apache-2.0 */
#include "net_p.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>

/* A server that is gone would end us; whoever handles the signal keeps it. */
static void ignore_sigpipe(void)
{
    struct sigaction now;

    if (sigaction(SIGPIPE, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
        (void)signal(SIGPIPE, SIG_IGN);
}

struct net *net_new(const struct clock *clock)
{
    struct net *net = mem_new(1, sizeof *net);

    ignore_sigpipe();
    (void)curl_global_init(CURL_GLOBAL_DEFAULT);
    net->clock = clock;
    net->wake_fd = -1;
    return net;
}

void net_free(struct net *net)
{
    if (net == NULL)
        return;
    free(net->polls);
    free(net);
    curl_global_cleanup();
}

void net_wake_on(struct net *net, int fd)
{
    net->wake_fd = fd;
}

static void add_poll(struct net *net, size_t *count, int fd, short events)
{
    if (*count == net->poll_room) {
        net->poll_room = net->poll_room * 2 + 8;
        net->polls = mem_grow(net->polls, net->poll_room, sizeof *net->polls);
    }
    net->polls[(*count)++] = (struct pollfd){.fd = fd, .events = events};
}

static int64_t earliest(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Lists what is waited for and returns when waiting must end. Whoever waits for an answer goes on waiting,
 * whatever else there is. */
static int64_t gather(struct net *net, int64_t until_ms, size_t *count)
{
    bool wakes = until_ms != INT64_MAX;

    *count = 0;
    for (struct connection *c = net->first; c != NULL; c = c->next) {
        for (size_t i = 0; i < c->wait_count; i++)
            add_poll(net, count, c->waits[i].fd, c->waits[i].events);
        if (c->phase != PHASE_BROKEN && c->wait_count > 0)
            until_ms = earliest(until_ms, connection_deadline(c));
        if (c->phase == PHASE_CONNECTING)
            until_ms = earliest(until_ms, c->curl_due_ms);
    }
    if (net->wake_fd >= 0 && wakes)
        add_poll(net, count, net->wake_fd, POLLIN);
    return until_ms;
}

static void hand_out(struct net *net)
{
    size_t at = 0;

    for (struct connection *c = net->first; c != NULL; c = c->next)
        for (size_t i = 0; i < c->wait_count; i++)
            c->waits[i].ready = net->polls[at++].revents;
}

void net_wait(struct net *net, int64_t until_boot_ms)
{
    size_t count;
    int64_t left = gather(net, until_boot_ms, &count) - net_now(net);

    left = left < 0 ? 0 : earliest(left, INT_MAX - 1) + 1;
    if (poll(net->polls, (nfds_t)count, (int)left) > 0)
        hand_out(net);
}
