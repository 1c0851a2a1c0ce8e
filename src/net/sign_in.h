/* SPDX-License-Identifier: Apache-2.0
 *
 * sign_in - the dialogue of AUTH (RFC 4954), AUTHENTICATE and LOGIN (RFC 3501), without a line of
 * input or output: lines of the server go in, lines to send come out.
 *
 * `ways` in sign_in.c says which mechanisms a configured kind of sign-in stands for, best first. The
 * first of them that the server offers is used; where it offers none, nothing is tried. A server that
 * should prove that it knows the password, and does not, has not accepted.
 */
#pragma once

#include "scram.h"

#include <onecase/connection.h>

struct way;

struct sign_in_dialogue {
    enum protocol protocol;
    const struct way *way;
    struct str answers[2]; /* of ours to what the server asks, in order */
    size_t count, used;
    const char *user; /* borrowed, as its endpoint is */
    struct scram scram;
    struct str password; /* of CRAM-MD5, until it is used */
    struct str said;     /* a server's explanation that came as a challenge (RFC 7628) */
    const char *wrong;   /* what is wrong with the server's challenge; NULL: nothing */
};

enum sign_in_came {
    SIGN_IN_NOTHING, /* not for us; wait for the next line */
    SIGN_IN_GO_ON,   /* `send` has the next line */
    SIGN_IN_ACCEPTED,
    SIGN_IN_LATER, /* not now; perhaps later */
    SIGN_IN_NEVER, /* not with this user and secret */
};

/* Chooses the way and gives the first line. `offers` as of connection_offers. RC_REFUSED: the server
 * offers no way of the configured kind, or user or secret may not be sent. */
enum rc sign_in_begin(struct sign_in_dialogue *d,
                      const struct endpoint *endpoint,
                      struct slice secret,
                      struct slice offers,
                      struct str *send,
                      struct err *err) MUST_CHECK;

enum sign_in_came sign_in_line(struct sign_in_dialogue *d, struct slice line, struct str *send);

/* Forgets the answers, and overwrites them. */
void sign_in_clear(struct sign_in_dialogue *d);

/* Puts *** in place of what was secret in a server's words. */
void sign_in_mask(const struct sign_in_dialogue *d, struct slice secret, struct str *words);

/* The mechanism in use, as people know it. */
const char *sign_in_name(const struct sign_in_dialogue *d);

/* After so many refusals in a row the server is left alone for long: many lock an account that fails
 * often. From then on each refusal costs such a pause, until a sign-in is accepted. */
#define SIGN_IN_REFUSALS 3
#define SIGN_IN_PAUSE_MS INT64_C(1800000)

struct sign_in_guard {
    unsigned refusals; /* in a row */
    int64_t until_ms;  /* boot time */
};

void sign_in_guard_note(struct sign_in_guard *g, bool accepted, int64_t now_ms);
bool sign_in_guard_allows(const struct sign_in_guard *g, int64_t now_ms);
