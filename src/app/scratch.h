/* SPDX-License-Identifier: Apache-2.0
 *
 * scratch - a data folder for a moment: made under TMPDIR, removed with all that is in it.
 */
#pragma once

#include <onecase/blob_store.h>
#include <onecase/posix_files.h>

struct scratch {
    char path[256];
    struct posix_files *posix;
    struct files files;
    struct blob_store *store;
    struct blobs blobs;
};

enum rc scratch_open(struct scratch *out, struct err *err) MUST_CHECK;
void scratch_close(struct scratch *scratch); /* also after a failed open; for CLEANUP */
