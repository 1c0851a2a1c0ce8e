/* SPDX-License-Identifier: Apache-2.0
 *
 * answer - the few facts of a store's XML that we go by.
 */
#pragma once

#include <onecase/err.h>
#include <onecase/str.h>

/* Texts of elements by their name, wherever they stand; "" where there is none. */
struct s3_said {
    struct str root; /* name of the outermost element */
    struct str code, upload_id, token, truncated;
    struct str key, size, initiated;
};

void s3_said_clear(struct s3_said *said); /* for CLEANUP */

/* Reads `xml` into `out`. Where an element `row` ends, `each` (may be NULL, and `row` with it) gets what
 * was said so far; what belongs to one row is forgotten after it. RC_BROKEN: that is no such XML, or an
 * element is longer than any of ours; else what `each` returned last. */
enum rc s3_answer_read(struct slice xml,
                       const char *row,
                       enum rc (*each)(void *ctx, const struct s3_said *said, struct err *err),
                       void *ctx,
                       struct s3_said *out,
                       struct err *err) MUST_CHECK;
