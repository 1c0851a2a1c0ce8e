/* SPDX-License-Identifier: Apache-2.0
 *
 * tree_p - the parts of tree.c that stand in a file of their own.
 */
#pragma once

#include "tree.h"

/* The raw values of the fields that say what a part is. */
struct node_fields {
    struct slice type, disposition, transfer;
};

struct node *tree_add(struct tree *tree, size_t above); /* zeroed; borrowed until the next */
/* Fills what the fields say; `usual_type` is that of a part that names none. */
void node_describe(struct node *node,
                   const struct node_fields *raw,
                   const char *usual_type,
                   const struct reader_limits *limits);

/* mend.c: puts an empty line in before each of the lines `bad` (positions in the view, ascending)
 * after which its header has no field any more. False where nothing was put in. */
bool view_mend(struct octet_view *view, const int64_t *bad, size_t bads);
/* mend.c: the boundary that the first delimiter of a body has, whatever the header says: a line of
 * "--" and more, before a line that is a Content field. */
bool boundary_guess(const struct octet_view *view, struct str *out);
