/* SPDX-License-Identifier: Apache-2.0
 *
 * body - the leaves of a mail as the parts of a message, and its text.
 *
 * Attachments are decoded and otherwise untouched; files within a winmail.dat, and those uuencoded
 * in a text, are further ones after it. Texts are UTF-8 with LF ends. The text of the
 * message is made of the texts in body position: of an alternative the first branch with plain text
 * (else with HTML), of anything else all, in order, an empty line between. Where there is none, an
 * inline text that has a name, and so is an attachment, is shown too.
 */
#pragma once

#include "spool.h"
#include "tree.h"

#include <onecase/message.h>

#define SEEN_MAX 65536

/* The beginning of a part that says what a report is about. */
struct seen {
    struct str type, octets;
};

struct body {
    bool suspect; /* set by the caller: look for what a report is about, whatever the structure */
    struct seen *seen; /* in order */
    size_t count;
    bool report; /* a multipart/report, or a report alone, is the top of the mail */
    struct str report_type;
};

enum rc body_read(const struct tree *tree,
                  const struct reader_limits *limits,
                  const struct spool *spool,
                  struct body *seen,
                  struct message *out,
                  struct err *err) MUST_CHECK;
void body_clear(struct body *b); /* for CLEANUP */
