/* SPDX-License-Identifier: Apache-2.0
 *
 * html_writer - plain text in the making: line ends and blanks are owed until text follows.
 *
 * So none stand at its end, and no more than are asked for in a row. Quotations are marked at the
 * beginning of each line. Never more than `most` octets, whole characters.
 */
#pragma once

#include <onecase/str.h>

struct html_writer {
    struct str *out;   /* borrowed */
    size_t from, most; /* where in `out` ours begins, and how long it may become */
    size_t owed_lines;
    bool owed_blank;
    size_t quotes, pre; /* how many of these are open */
    bool full;          /* there was more */
};

/* Text as it stands in HTML: runs of white space are one blank, unless it is preformatted. */
void html_writer_add(struct html_writer *w, struct slice text);
/* What follows begins after at least so many line ends. */
void html_writer_end_lines(struct html_writer *w, size_t lines);
/* Takes back the octets of a character that did not fit as a whole. */
void html_writer_end(struct html_writer *w);
