/* SPDX-License-Identifier: Apache-2.0
 *
 * tnef - the files in a winmail.dat ([MS-OXTNEF]), as Outlook wraps them for other Outlooks.
 *
 * Reads only what is needed for that: names and octets. Every length is held against what is left;
 * what does not fit ends the reading. Linear.
 */
#pragma once

#include <onecase/str.h>

struct tnef {
    struct slice rest; /* borrowed */
    uint32_t codepage; /* of names that are not Unicode */
    bool within;       /* an attachment has begun */
    struct str name;   /* what is known of it */
    struct str type;
    struct slice octets;
};

struct tnef_file {
    struct str name;     /* UTF-8, as the sender wrote it; may be empty */
    struct str type;     /* media type, or empty */
    struct slice octets; /* borrowed */
};

/* False where it is no TNEF at all. */
bool tnef_begin(struct tnef *t, struct slice octets);
bool tnef_next(struct tnef *t, struct tnef_file *out); /* `out` is zeroed or a former result */
void tnef_clear(struct tnef *t);
void tnef_file_clear(struct tnef_file *f);
