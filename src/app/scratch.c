/* SPDX-License-Identifier: Apache-2.0 */
/* NOLINTNEXTLINE(readability-identifier-naming) - nftw is of the X/Open system interfaces */
#define _XOPEN_SOURCE 700
#include "scratch.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int drop(const char *path, const struct stat *st, int type, struct FTW *place)
{
    (void)st;
    (void)type;
    (void)place;
    return remove(path);
}

enum rc scratch_open(struct scratch *out, struct err *err)
{
    const char *tmp = getenv("TMPDIR");
    *out = (struct scratch){.posix = NULL};
    snprintf(out->path, sizeof out->path, "%s/onecase-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(out->path)) {
        out->path[0] = '\0';
        return FAIL(err, RC_BROKEN, "no temporary folder can be made: %s", strerror(errno));
    }
    TRY(posix_files_open(out->path, &out->posix, err));
    out->files = posix_files_port(out->posix);
    out->store = blob_store_new(&out->files);
    out->blobs = blob_store_port(out->store);
    return RC_OK;
}

void scratch_close(struct scratch *scratch)
{
    blob_store_free(&scratch->store);
    posix_files_close(&scratch->posix);
    if (scratch->path[0])
        (void)nftw(scratch->path, drop, 16, FTW_DEPTH | FTW_PHYS);
    scratch->path[0] = '\0';
}
