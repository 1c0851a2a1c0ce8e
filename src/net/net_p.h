/* SPDX-License-Identifier: Apache-2.0
 *
 * net_p - what the files of this folder share: a net, its connections, and what they wait for.
 */
#pragma once

#include "sign_in.h"

#include <onecase/connection.h>
#include <curl/curl.h>

#define RECENT_SIZE  400
#define SOCKETS_MOST 8 /* while connecting: two addresses raced, and the resolver's */
#define CURL_NOT_DUE INT64_MAX

enum phase { PHASE_NEW, PHASE_CONNECTING, PHASE_SIGNING_IN, PHASE_OPEN, PHASE_BROKEN };

/* One descriptor that is waited for, as POLLIN and POLLOUT. */
struct waiting {
    int fd;
    short events;
    short ready;
};

/* How long a step may take. All instants are boot time. */
struct pace {
    int64_t timeout_ms; /* 0: no limit */
    int64_t started_ms;
    int64_t moved_ms; /* when the last octets passed */
    size_t octets;    /* both ways */
    size_t received;
    size_t budget;
};

struct connection {
    struct net *net;
    struct connection *next;
    const struct endpoint *endpoint;
    enum protocol protocol;
    char name[300];
    enum phase phase;
    struct err why; /* of PHASE_BROKEN */
    CURL *easy;
    CURLM *multi;
    int fd; /* once libcurl is through; libcurl owns it */
    char curl_text[CURL_ERROR_SIZE];
    int64_t curl_due_ms;
    struct waiting waits[SOCKETS_MOST];
    size_t wait_count;
    struct pace pace;
    struct sign_in_dialogue sign_in;
    struct str secret; /* only while signing in */
    struct str unsent; /* of the sign-in */
    bool renewed;      /* a secret that was refused has been replaced */
    bool signed_in;
    struct str offers;
    bool offers_fresh;
    struct str answer;
    char recent[RECENT_SIZE];
    size_t recent_len;
    char in[CONNECTION_LINE]; /* received, and not yet taken by connection_line */
    size_t in_from, in_to;
};

struct net {
    const struct clock *clock;
    struct connection *first;
    int wake_fd;
    struct sign_in_guard guard;
    struct pollfd *polls;
    size_t poll_room;
};

static inline int64_t net_now(const struct net *net)
{
    return clock_now(net->clock).boot_ms;
}

static inline bool is_given(const char *setting)
{
    return setting != NULL && setting[0] != '\0';
}

/* connect.c: starts libcurl on it, and goes on with it until the descriptor is ours. */
enum rc connect_start(struct connection *c, struct err *err);
enum rc connect_go_on(struct connection *c, bool *done, struct err *err);
void connect_clear(struct connection *c);

/* connection.c */
int64_t connection_deadline(const struct connection *c);
enum rc connection_check(struct connection *c, struct err *err);
void connection_want(struct connection *c, short events);
