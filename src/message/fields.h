/* SPDX-License-Identifier: Apache-2.0
 *
 * fields - the header of a mail or a part, as a list of raw fields.
 *
 * What a field is, and where the header ends, is as source.h says, so that the text a person sees
 * and the key agree about one mail. One difference: where a line that is no field has no further
 * field after it before the empty line, the empty line was forgotten, and the body begins there.
 * The first field of a name counts.
 */
#pragma once

#include <onecase/str.h>

struct field {
    struct slice name, value; /* raw; borrowed from what was read */
};

struct fields {
    struct field *at;
    size_t count;
    size_t body;  /* where the body begins: after the empty line, or at the line that is no field */
    bool mended;  /* the empty line was missing */
    bool unended; /* the octets ended before the header did */
};

/* `octets` must outlive `out`, which is zeroed or a former result. */
void fields_read(struct slice octets, struct fields *out);
/* The raw value of the first field `name` (any case); false where there is none. */
bool fields_first(const struct fields *f, const char *name, struct slice *out);
void fields_clear(struct fields *f); /* for CLEANUP */

/* "Name:" with a name of letters, digits, "-" and "_", as headers have in practice. */
bool line_is_field(struct slice line);
