/* SPDX-License-Identifier: Apache-2.0
 *
 * flowed - texts whose lines were broken for the way (RFC 3676), and enriched ones (RFC 1896).
 */
#pragma once

#include <onecase/str.h>

/* Joins the lines that end with a blank with those after them, within one depth of quotation; where
 * `delete_blank`, that blank is none of the text. Lines end with LF. Adds to `out`. */
void flowed_to_text(struct slice text, bool delete_blank, struct str *out);

/* Leaves out the marks of text/enriched and of the older text/richtext. Adds to `out`. */
void enriched_to_text(struct slice text, struct str *out);
