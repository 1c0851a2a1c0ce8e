/* SPDX-License-Identifier: Apache-2.0
 *
 * parameters - Content-Type and Content-Disposition: a value and its parameters.
 *
 * Tolerant of what mail programs write: blanks in unquoted names, missing semicolons and quotes,
 * continuations in any order (RFC 2231), a charset that is missing, wrong or not closed, encoded
 * words (RFC 2047) and raw 8-bit octets in values, a backslash in a quoted Windows path. Where a
 * parameter comes in both forms the extended one counts, and otherwise the first. Work is linear in
 * the field, whatever it holds, but for the parameters asked for.
 */
#pragma once

#include <onecase/str.h>

struct parameter {
    struct str name;  /* lower case, without its "*0*" */
    struct str value; /* raw octets: unquoted, not decoded */
    int section;      /* of a continuation; -1 where it is none */
    bool encoded;     /* percent-encoded, the first section with its charset */
};

struct parameters {
    struct str value; /* before the first ";": lower case, comments and blanks removed */
    struct parameter *at;
    size_t count;
    bool cut; /* there were more than `most` */
};

/* `raw` is a field's value with its folds. `out` is zeroed or a former result. */
void parameters_read(struct slice raw, size_t most, struct parameters *out);
/* The decoded text of a parameter, one line of UTF-8; false where there is none. */
bool parameters_text(const struct parameters *p, const char *name, struct str *out);
/* The octets of a parameter as they stand, as a boundary wants them; false where there is none. */
bool parameters_raw(const struct parameters *p, const char *name, struct str *out);
void parameters_clear(struct parameters *p); /* for CLEANUP */
