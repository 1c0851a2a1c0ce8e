/* SPDX-License-Identifier: Apache-2.0
 *
 * uu_text - files that stand uuencoded in a text, as mail programs before MIME sent them.
 */
#pragma once

#include <onecase/str.h>

/* Finds the next block in `rest`: "begin MODE NAME", lines of the right length, "end" (or the end of
 * the text), together at most `most` octets. Takes it and what stands before it off the front;
 * `before` is the latter, borrowed. False where there is none: then `rest` is untouched. */
bool uu_text_next(
    struct slice *rest, size_t most, struct slice *before, struct str *name, struct str *octets);
