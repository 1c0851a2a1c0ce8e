/* SPDX-License-Identifier: Apache-2.0
 *
 * bundle - a new folder that files are put into, and their checksums beside them.
 */
#pragma once

#include "cli_p.h"

struct bundle {
    const char *folder;    /* borrowed */
    struct str sums;       /* the lines of SHA256SUMS so far */
    int64_t files, octets; /* so far */
};

/* RC_USAGE where the folder is there already: nothing is ever overwritten. */
enum rc bundle_begin(struct bundle *b, const char *folder, struct err *err) MUST_CHECK;
/* `path` may name folders of the bundle, which are made. */
enum rc bundle_put(struct bundle *b, const char *path, struct slice octets, struct err *err)
    MUST_CHECK;
/* Copies a file; gives the digest of what was copied. RC_NOT_FOUND: it is not there. */
enum rc bundle_copy(struct bundle *b,
                    const char *path,
                    const char *from,
                    struct digest *out,
                    struct err *err) MUST_CHECK;
/* Writes SHA256SUMS. */
enum rc bundle_end(struct bundle *b, struct err *err) MUST_CHECK;
void bundle_clear(struct bundle *b); /* for CLEANUP; leaves the folder */
