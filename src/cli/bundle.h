/* SPDX-License-Identifier: Apache-2.0
 *
 * bundle - files in one tar file, under one folder, and their checksums at its end.
 */
#pragma once

#include "cli_p.h"

#include <onecase/tar_writer.h>

struct bundle {
    struct tar *tar;
    const char *top;       /* borrowed: the folder inside */
    struct str sums;       /* the lines of SHA256SUMS so far */
    int64_t files, octets; /* so far, without SHA256SUMS */
};

/* Where one goes; all borrowed. */
struct bundle_place {
    const char *file, *top;
    const struct recipients *to; /* as for tar_begin */
};

/* RC_USAGE where there is such a file already: nothing is ever overwritten. */
enum rc bundle_begin(struct bundle *b, const struct bundle_place *place, struct err *err)
    MUST_CHECK;
enum rc
bundle_put(struct bundle *b, const char *path, struct slice octets, int64_t at_ms, struct err *err)
    MUST_CHECK;
/* Copies a file, from the beginning of `fd`; gives the digest of what was copied. */
enum rc bundle_copy(
    struct bundle *b, const char *path, int fd, int64_t at_ms, struct digest *out, struct err *err)
    MUST_CHECK;
/* Adds SHA256SUMS and gives the file its name, its digest and its size. */
enum rc
bundle_end(struct bundle *b, int64_t at_ms, struct digest *out, int64_t *size, struct err *err)
    MUST_CHECK;
void bundle_clear(struct bundle *b); /* for CLEANUP; one that was not ended leaves nothing */

/* ---- export.c ------------------------------------------------------------------------------------------ */

/* The records, events and files of these mails, as `export` writes them, into a new file; sorts `key`. */
enum rc export_mails(const struct call *call,
                     const char **key,
                     size_t count,
                     const struct bundle_place *place,
                     struct err *err) MUST_CHECK;
