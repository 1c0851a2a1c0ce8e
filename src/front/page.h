/* SPDX-License-Identifier: Apache-2.0
 *
 * page - the beginning of a page that stands alone: no script, nothing from elsewhere, and it prints on A4.
 */
#pragma once

#include <onecase/front.h>

/* "From 2026-03-01 00:00:00 until 2026-03-02 18:30:00" */
void page_period(int64_t since_ms, int64_t until_ms, struct str *out);
/* Up to the first of its contents: its title, what it is of, and who made it, when and where. */
void page_head(const char *title, const char *of, const struct report_facts *facts, FILE *out);
/* A text that may be anybody's: escaped, without controls. */
void page_put(FILE *out, const char *text);
