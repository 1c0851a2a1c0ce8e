/* SPDX-License-Identifier: Apache-2.0
 *
 * transfer - Content-Transfer-Encoding undone (RFC 2045), as mail in the wild has it.
 *
 * Streamed: octets go in in pieces of any size, and the result does not depend on how they are cut.
 * Nothing is an error; what cannot be meant is left out (base64, uuencode) or kept as it is
 * (quoted-printable). The result is never longer than what went in, but for uuencode: a line of few
 * octets may stand for 63.
 *
 *   base64            what is not of the alphabet is skipped, missing padding assumed; after padding
 *                     it begins anew, but only in lines that are nothing else: a list's footer is not
 *   quoted-printable  either case, blanks before a soft line end, a "=" that begins nothing
 *   uuencode          short lines are filled with blanks
 */
#pragma once

#include <onecase/str.h>

enum transfer {
    TRANSFER_NONE, /* 7bit, 8bit, binary, and what nobody knows: octets as they are */
    TRANSFER_BASE64,
    TRANSFER_QUOTED,
    TRANSFER_UU,
};

/* The encoding that a raw field names, in any case, with comments or white space. */
enum transfer transfer_named(struct slice raw);

struct decoder {
    enum transfer transfer;
    uint32_t bits; /* base64 digits that make no octet yet */
    unsigned digits;
    bool padded;     /* base64: padding was seen, so each further line is judged */
    bool within;     /* uuencode: between "begin" and "end" */
    bool over;       /* uuencode: "end" was seen */
    bool judged;     /* base64: lines are held until they are whole */
    unsigned dashes; /* base64: of a line that so far is nothing else */
    struct str held; /* the beginning of what only its end explains */
};

void decoder_init(struct decoder *d, enum transfer transfer);
void decoder_add(struct decoder *d, struct slice octets, struct str *out); /* adds to out */
void decoder_end(struct decoder *d, struct str *out);
void decoder_clear(struct decoder *d); /* for CLEANUP */

/* All at once; adds to out. */
void transfer_decode(enum transfer transfer, struct slice octets, struct str *out);

/* The value of a hexadecimal digit of either case, or -1. */
int hex_value(char c);
