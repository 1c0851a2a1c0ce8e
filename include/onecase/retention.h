/* SPDX-License-Identifier: Apache-2.0
 *
 * retention - what of a mail may be let go, and by which rule.
 *
 * Only what is complete is let go, and only together with its case: not while another mail of that case
 * is not complete, while a conflict about it waits, or while a person holds it. Keys, digests,
 * references, states and events are never let go. Letting go of the personal fields lets go of all, and of
 * the posts that webhooks have taken; one that waits goes once it is taken, one that nobody took stays.
 */
#pragma once

#include <onecase/item.h>
#include <onecase/str.h>

/* clang-format off */
#define CONTENT_LIST(X) \
    X(CONTENT_ORIGINAL,    "original",    "the mail as it was fetched")                            \
    X(CONTENT_ATTACHMENTS, "attachments", "the files beside it")                                   \
    X(CONTENT_TEXT,        "text",        "its text, and the octets of its confirmation")          \
    X(CONTENT_PERSONAL,    "personal",    "addresses, subject, file names, participants, notes, webhooks' posts")
/* clang-format on */

enum content { CONTENT_LIST(NAMED_ENUM) CONTENT_COUNT };

#define CONTENT(c)  (1U << (c))
#define CONTENT_ALL (CONTENT(CONTENT_COUNT) - 1)

const char *content_text(enum content content);
/* "original attachments", in the order of the list. */
void contents_text(unsigned contents, struct str *out);

struct retention_rule {
    int64_t before_ms[CONTENT_COUNT]; /* of what became complete before; 0: none is let go */
    bool only_closed;                 /* only of cases that are closed */
};
