/* SPDX-License-Identifier: Apache-2.0
 *
 * markdown - tables in Markdown, cell by cell. Private to core.
 */
#pragma once

#include <onecase/str.h>

/* "### title", and the row of column names; the last argument is NULL. */
void md_head(struct str *out, const char *title, ...);
void md_cell(struct str *out, const char *text);
void md_code(struct str *out, const char *word); /* as code; a dash where it is empty */
void md_end(struct str *out);                    /* of a row */
