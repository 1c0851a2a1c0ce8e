/* SPDX-License-Identifier: Apache-2.0
 *
 * guard - bounds what a server may say before the parser sees it.
 *
 * libetpan reads a response line whole and descends into its parentheses by recursion. So a line is
 * bounded in length and in parentheses; literals, which stream, are counted off and not looked at.
 * Only a SEARCH result may be long. It also hears the UIDVALIDITY at once, before the parser is
 * through with what was said before it, and that something in the folder has changed.
 */
#pragma once

#include <onecase/str.h>

#define GUARD_LINE   ((size_t)64 * 1024)
#define GUARD_SEARCH ((size_t)32 * 1024 * 1024)
#define GUARD_OPENS  256

struct guard {
    char head[40]; /* of the response */
    char tail[24]; /* of the line */
    size_t head_len, tail_len;
    size_t len;           /* of the response, without literals */
    size_t opens;         /* parentheses */
    uint64_t literal;     /* octets of a literal still to come */
    size_t plain;         /* octets of the command's responses without literals */
    uint32_t uidvalidity; /* the last that was said */
    bool changed;         /* messages have come or gone; whoever looked takes it back */
    bool fetched;         /* something was said of a message, asked for or not; likewise */
};

#define GUARD_PLAIN ((size_t)64 * 1024 * 1024)

/* A new command: what its responses may have is counted anew. */
void guard_begin(struct guard *g);

/* NULL, or what is wrong with the octets. */
const char *guard_take(struct guard *g, struct slice octets);
