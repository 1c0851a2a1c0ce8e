/* SPDX-License-Identifier: Apache-2.0
 *
 * addresses - the mailboxes of an address field (RFC 5322 with its obsolete forms), taken apart.
 *
 * Iterative and linear in the field: no depth of comments or groups costs more. Groups are opened,
 * routes and comments dropped; a quoted local part keeps its quotes. Names are decoded after the
 * field was taken apart, so nothing that is encoded in a name can become an address. Tolerated:
 * semicolons between mailboxes, brackets that do not close, blanks around dots and at signs,
 * "mailto:", an address among bare words. Where a whole field without an address has encoded words,
 * it is decoded and tried once more.
 */
#pragma once

#include <onecase/str.h>

struct mailbox_name {
    struct str address; /* addr-spec, one line of UTF-8; empty where there is none */
    struct str name;    /* display name, or what stood in a comment; one line of UTF-8 */
};

/* An own iterator: start with addresses_begin, end with addresses_clear. */
struct addresses {
    struct str text; /* unfolded */
    size_t at;
    bool quote_open, comment_open; /* one opens and never closes: none is looked for any more */
};

void addresses_begin(struct addresses *a, struct slice raw);
/* The next mailbox that has an address or a name. False at the end. `out` is zeroed or a former. */
bool addresses_next(struct addresses *a, struct mailbox_name *out);
void addresses_clear(struct addresses *a);
void mailbox_name_clear(struct mailbox_name *m);
