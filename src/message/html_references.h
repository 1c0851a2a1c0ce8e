/* SPDX-License-Identifier: Apache-2.0
 *
 * html_references - character references as browsers read them, written as the HTML parser does.
 *
 * The parser knows HTML 4, which wants a semicolon after each, and of numbers takes what they say.
 * Browsers (and so senders) also know the names of Latin 1 without it, and read the numbers 128 to
 * 159 as octets of windows-1252.
 */
#pragma once

#include <onecase/str.h>

void html_references_prepare(void); /* once, before the first */
/* Adds `html` to `out`. */
void html_references_mend(struct slice html, struct str *out);
