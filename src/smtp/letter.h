/* SPDX-License-Identifier: Apache-2.0
 *
 * letter - what may be sent, what a server must offer for it, and its way over the wire.
 */
#pragma once

#include <onecase/courier.h>

struct offers {
    bool size;         /* SIZE is offered */
    int64_t size_most; /* 0 is no limit */
    bool eight_bit;    /* 8BITMIME */
    bool utf8;         /* SMTPUTF8 */
    bool pipelining;   /* commands may be sent before those in front are answered */
};

struct needs {
    int64_t size;
    bool eight_bit;
    bool utf8; /* an address or a header field is beyond ASCII */
};

struct offers offers_of(struct slice ehlo_lines);

/* RC_REFUSED for what may not be sent: a bare CR or LF, a NUL, a line over 998 octets, an address
 * that is none. The text names no address. */
enum rc letter_check(const struct letter *letter, struct needs *out, struct err *err) MUST_CHECK;

/* "" may: it is the null reverse path. */
bool address_may_be_sent(const char *address);

/* What is missing, as a text for a person; NULL where nothing is. */
const char *letter_missing(const struct needs *needs, const struct offers *offers);

void letter_mail(const char *sender,
                 const struct needs *needs,
                 const struct offers *offers,
                 struct str *out);

/* Adds the next octets of the body, dots doubled, up to about LETTER_PIECE; moves `from` on. Ends the
 * last line where it has no end. Never adds the end-of-data line. */
#define LETTER_PIECE 16384
void letter_body(struct slice octets, size_t *from, struct str *out);
