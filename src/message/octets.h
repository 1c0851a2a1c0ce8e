/* SPDX-License-Identifier: Apache-2.0
 *
 * octets - the octets of a mail, wherever they are: read by position, never all at once.
 *
 * A view is what the MIME parser is shown: a header of our own instead of the mail's, then the
 * mail's body, with line ends put in where one was missing. Positions in a view are not positions
 * in the mail.
 */
#pragma once

#include <onecase/str.h>

struct octets {
    int64_t size;
    const char *memory; /* borrowed; or NULL, and then: */
    int file;           /* a descriptor, borrowed */
    bool failed;        /* the file could not be read: what was read is not to be trusted */
};

struct octets octets_of_memory(struct slice memory);
struct octets octets_of_file(int file, int64_t size);

/* Reads up to `room` octets from `at`; fewer only at the end. */
size_t octets_read(struct octets *o, int64_t at, char *into, size_t room);

#define VIEW_PUT_IN SLICE("\r\n")

struct octet_view {
    struct octets *octets; /* borrowed */
    struct str head;
    int64_t body; /* where in the mail the body begins */
    int64_t *put; /* positions in the mail before which VIEW_PUT_IN stands; ascending */
    size_t puts;
    bool cr_ends_lines; /* the mail's CRs are shown as LFs */
};

int64_t octet_view_size(const struct octet_view *v);
size_t octet_view_read(const struct octet_view *v, int64_t at, char *into, size_t room);
/* The position in the mail of a position in the view; -1 within the head. */
int64_t octet_view_origin(const struct octet_view *v, int64_t at);
/* Puts a line end in before what stands at `at` of the view. False where there is one already. */
bool octet_view_put(struct octet_view *v, int64_t at);
void octet_view_clear(struct octet_view *v); /* for CLEANUP */
