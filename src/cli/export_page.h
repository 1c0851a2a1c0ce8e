/* SPDX-License-Identifier: Apache-2.0
 *
 * export_page - the file that `export --format html` writes.
 */
#pragma once

#include "cli_p.h"

struct page_made {
    struct digest digest;
    int64_t size;
};

/* Sorts `mails` (view_item) by arrival. RC_USAGE where there is such a file already: nothing is ever
 * overwritten, and one that could not be made whole leaves nothing. */
enum rc export_page(const struct call *call,
                    const struct story_span *span,
                    struct view *mails,
                    const char *name,
                    struct page_made *out,
                    struct err *err) MUST_CHECK;
