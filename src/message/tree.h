/* SPDX-License-Identifier: Apache-2.0
 *
 * tree - the structure of a mail: its parts in order, where each one's octets stand.
 *
 * GMime finds the parts; all that can be said about one is then read by our own code from its raw
 * fields (parameters.h, transfer.h). GMime is shown a view of the mail (octets.h): instead of the
 * mail's header one of ours, which names nothing but the type and the boundary, so that its parsers
 * of addresses and encoded words, which can be made to recurse or to eat memory, never see a mail's
 * octets. What GMime holds against a mail decides about mending it:
 *
 *   lines in a part's header that are no fields, and no field after them: an empty line is missing
 *   a multipart without parts: its text is shown, or the boundary is guessed that its body has
 *
 * message/rfc822 and its like are leaves: their octets are kept, they are not opened.
 */
#pragma once

#include "fields.h"
#include "octets.h"
#include "transfer.h"

#include <onecase/message_reader.h>

#define NODE_TOP SIZE_MAX

struct node {
    size_t above; /* the multipart it is in, or NODE_TOP */
    bool multipart;
    struct str type;    /* "type/subtype", lower case; multipart types as they are */
    struct str charset; /* the parameter as it stands */
    struct str name;    /* decoded; empty where there is none */
    bool attachment;    /* Content-Disposition: attachment */
    bool flowed;        /* format=flowed, and then: */
    bool delete_blank;  /* delsp=yes */
    uint32_t marks;     /* signs that its type is: marks.h */
    enum transfer transfer;
    struct str report_type; /* of a multipart/report, lower case */
    struct str prologue;    /* the text of a multipart without parts; its range is empty then */
    int64_t from, to;       /* a leaf's octets, encoded, in the view */
};

struct tree {
    struct octet_view view;
    struct node *at; /* a multipart stands before what is in it */
    size_t count;
    bool incomplete; /* something was lost, guessed or left out */
};

/* For once, before the first tree and before the process is locked in. */
void tree_prepare(void);

/* `out` is zeroed. `top` are the fields of the mail's header, its body begins at `body` of `octets`. */
void tree_read(struct octets *octets,
               const struct fields *top,
               int64_t body,
               const struct reader_limits *limits,
               struct tree *out);
void tree_clear(struct tree *tree); /* for CLEANUP */
