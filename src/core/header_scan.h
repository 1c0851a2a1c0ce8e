/* SPDX-License-Identifier: Apache-2.0
 *
 * header_scan - the top header block of a mail, octet by octet: what is a field, and what is not.
 *
 * It sees lines ended by LF: line_ends_before makes them of what came, where a line ends with LF,
 * any CRs before it included, or with a CR that no LF follows. Then
 *
 *   field     a name of printable ASCII without colon, white space or none, and a colon
 *   fold      a line that begins with SP or HT goes on with the line above it, even if nothing
 *             else stands on it
 *   end       the first empty line after a line that is not empty; or the end of the octets
 *   before    empty lines, one UTF-8 BOM, and mbox lines ("From " or ">From " without a colon
 *             where a field has it) stand outside the header until it begins
 *   skipped   any other line, with its folds: the header goes on after it
 *
 * Memory: the beginning of one line.
 */
#pragma once

#include <onecase/str.h>

/* A name that is longer than this is none. RFC 5322 allows lines of 998 octets. */
#define HEADER_NAME_MAX 998

enum header_place {
    HEADER_LINE_START,
    HEADER_NAME,
    HEADER_VALUE,
    HEADER_SKIP,
    HEADER_BEFORE, /* in a line that stands before the header */
    HEADER_OVER,
};

enum header_event {
    HEADER_NOTHING,
    HEADER_FIELD,         /* the octet is the colon: header_scan_is says of which field */
    HEADER_OCTET,         /* the octet belongs to the value */
    HEADER_FOLD,          /* so does the line end before it, and the octet */
    HEADER_SKIPPED_FIRST, /* the line is no field: header_scan_line is what stood before the octet */
    HEADER_SKIPPED,       /* the octet belongs to such a line */
    HEADER_END,           /* the octet ends the empty line; the body begins after it */
};

struct header_scan {
    enum header_place place;
    enum header_place above; /* what a fold goes on with */
    bool begun;
    bool bom_possible;
    size_t name_len; /* 0 while no white space ended the name */
    size_t line_len;
    char line[HEADER_NAME_MAX];
};

void header_scan_init(struct header_scan *s);
enum header_event header_scan_octet(struct header_scan *s, char c);
bool header_scan_is(const struct header_scan *s, struct slice name);
struct slice header_scan_line(const struct header_scan *s); /* borrowed */

/* How many line ends stand before the octet `c`, itself included if it is LF. `crs` counts the
 * CRs that may still belong to an LF; at the end of the octets each of them was a line end. */
size_t line_ends_before(size_t *crs, char c);
