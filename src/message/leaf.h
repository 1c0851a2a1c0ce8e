/* SPDX-License-Identifier: Apache-2.0
 *
 * leaf - one leaf of a mail: decoded, hashed and spooled.
 */
#pragma once

#include "part_file.h"
#include "tree.h"

#include <onecase/message.h>

/* What of a leaf is kept in memory besides its file. */
struct leaf_text {
    struct str text;  /* of a text: UTF-8, LF ends, at most limits.text_octets; of HTML, its text */
    struct str start; /* of any other that was asked for: its first octets */
};

struct leaf_job {
    const struct tree *tree;
    struct part_sink sink;
    int64_t decoded; /* octets so far, of all leaves */
};

bool leaf_is_text(const struct node *node); /* text/plain or text/html */
bool leaf_is_html(const struct node *node);
bool leaf_is_enriched(const struct node *node);

/* Adds the part of a text, or of an attachment; `keep_start` octets of the latter are kept. */
enum rc leaf_read_text(struct leaf_job *job,
                       const struct node *node,
                       struct leaf_text *kept,
                       struct err *err) MUST_CHECK;
enum rc leaf_read_attachment(struct leaf_job *job,
                             const struct node *node,
                             size_t keep_start,
                             struct leaf_text *kept,
                             struct err *err) MUST_CHECK;
