/* SPDX-License-Identifier: Apache-2.0
 *
 * notifier (port) - takes one notice to people outside: by mail, or to a webhook.
 *
 * A notice is no effect of a mail: it may be taken twice, and failing to take it delays nothing else.
 * It holds no address, no subject and no key.
 */
#pragma once

#include <onecase/err.h>
#include <onecase/str.h>

enum notice_state { NOTICE_NEW, NOTICE_STILL, NOTICE_OVER };

struct notice_line {
    enum notice_state state;
    const char *kind, *mailbox; /* mailbox: "" is the installation */
    const char *level;          /* "warning", "critical" */
    const char *text;
    int64_t since_ms;
};

struct notice {
    char id[33]; /* the same on every try */
    const char *deployment, *environment;
    int64_t at_ms;
    const char *subject, *text; /* for people */
    const struct notice_line *line;
    size_t lines;
    const struct str *page; /* an HTML page that goes with it; NULL is none */
    const char *to;         /* this address alone; NULL: whoever is configured */
};

struct notifier {
    void *self;
    const char *channel; /* "mail", "webhook" */
    /* RC_OK: taken. RC_DEFERRED, RC_UNKNOWN: later, or perhaps taken. RC_REFUSED: somebody must change
     * something. Texts hold no address and no secret. */
    enum rc (*send)(void *self, const struct notice *notice, struct err *err);
};

const char *notice_state_text(enum notice_state state); /* "new", "still", "over" */
