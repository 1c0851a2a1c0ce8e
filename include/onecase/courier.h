/* SPDX-License-Identifier: Apache-2.0
 *
 * courier (port) - carries acknowledgements to an SMTP server (RFC 5321), armed at the dot.
 *
 * Several letters are under way at once, one a kept connection. A letter goes: begin; MAIL, RCPT,
 * DATA and body; COURIER_READY: everything but the end-of-data line is with the server. The service
 * makes the intent durable and calls release, and only then does the line leave. COURIER_SETTLED
 * brings the verdict. Before release nothing can have been accepted, so every failure is surely not
 * sent; from the first octet of the line on, a failure without a complete reply is not known.
 *
 * Where the server allows it the dialogue of the next letter leaves with the line of the one before. It is
 * ready, and may be released, only after that one was settled: one a connection is in doubt at most.
 *
 * The courier decides nothing: it reports the stage and the reply; outcome.h's table says whose
 * fault it was.
 */
#pragma once

#include <onecase/clock.h>
#include <onecase/outcome.h>
#include <onecase/str.h>

#define COURIER_REPLY_SIZE 256

struct letter {
    int64_t id;            /* the service's own number, handed back in events */
    const char *sender;    /* reverse path, "" is null */
    const char *recipient; /* one address */
    const char *copy_to;   /* one more recipient, its refusal only noted; NULL is none */
    struct slice
        octets; /* CRLF line ends, no bare CR or LF, no line over 998; borrowed until settled */
};

enum courier_what {
    COURIER_NOTHING, /* the deadline passed */
    COURIER_READY,   /* 354 and body are through; release or abandon it */
    COURIER_SETTLED, /* its verdict stands below */
    /* It was begun behind another letter, whose connection ended with that: nothing was answered for it, and
     * it is as if it had not been begun. */
    COURIER_GIVEN_BACK,
};

struct courier_event {
    enum courier_what what;
    int64_t id;
    enum stage stage;  /* where it ended */
    int code;          /* of a complete reply; 0 where there was none */
    char enhanced[16]; /* "5.1.1", or "" */
    char reply
        [COURIER_REPLY_SIZE]; /* first line of the server's text; for the ledger, masked there */
    bool meets_item;          /* SMTPUTF8, 8BITMIME or SIZE missing for this letter */
    bool line_left;           /* an octet of the end-of-data line may have left */
    bool closed;              /* its connection is known to be closed */
};

struct courier {
    void *self;
    /* How many letters may be begun now. 0 while all connections are busy; one that is ready may have room
     * for a letter behind it, of which nothing is said before the line of the first. */
    size_t (*room)(void *self);
    /* Takes a letter on. Never sends an octet of the end-of-data line. RC_REFUSED: it holds what may
     * not be sent (a bare LF, a NUL, a line break in an address); the rest is told by events. */
    enum rc (*begin)(void *self, const struct letter *letter, struct err *err);
    /* Works on everything under way until something is to be said, or `until_boot_ms`. */
    enum rc (*next)(void *self, int64_t until_boot_ms, struct courier_event *out, struct err *err);
    /* Sends the end-of-data line. Call only after the intent is durable. */
    void (*release)(void *self, int64_t id);
    /* Closes that letter's connection without the line. Says nothing more about it; another letter on that
     * connection is settled or given back. */
    void (*abandon)(void *self, int64_t id);
    /* Ends idle connections politely (QUIT); those with letters under way are closed. */
    void (*rest)(void *self);
};
