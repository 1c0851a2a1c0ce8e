/* SPDX-License-Identifier: Apache-2.0
 *
 * html - what a person would read of an HTML text, as plain text.
 *
 * Parsed by libxml2 as a stream of events, without a tree; nothing that the text names is ever
 * loaded. Scripts, styles, titles and comments are left out; paragraphs, rows and items begin lines,
 * quotations are marked with ">"; of pictures the alternative text is kept. Depth and length cost
 * no more than linear work.
 */
#pragma once

#include <onecase/str.h>

void html_prepare(void); /* once, before the process is locked in */

/* `html` is UTF-8 without NUL. Adds at most `most` octets to `out`, whole characters; false where
 * that was not all. */
bool html_to_text(struct slice html, size_t most, struct str *out);

/* The charset that an HTML text names for itself, in its first octets; empty where it does not. */
struct slice html_charset(struct slice octets);
