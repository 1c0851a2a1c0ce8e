/* SPDX-License-Identifier: Apache-2.0
 *
 * backup_folder - the folder that backups lie in.
 *
 *     README.txt          what this is, and how to take it apart without the program
 *     NAME.manifest       one backup; it exists from the moment this name does
 *     files/KK/SHA256     each content once, whichever backups have it
 *     tmp/                what is being written
 *
 * NAME is the instant, "20260302T183000Z", so names sort by time.
 */
#pragma once

#include "wire.h"

#include <onecase/blob_copy.h>
#include <onecase/manifest.h>

struct backup_folder {
    const char *path; /* borrowed */
    struct posix_files *posix;
    struct files files;
    struct blob_store *store;
    struct blobs blobs;
    char (*name)[BACKUP_NAME_SIZE]; /* oldest first */
    size_t names;
};

/* Makes it where only its last component is missing, if `make`. */
enum rc backup_folder_open(const char *path, bool make, struct backup_folder *out, struct err *err)
    MUST_CHECK;
void backup_folder_close(struct backup_folder *folder); /* for CLEANUP */
enum rc backup_folder_read(const struct backup_folder *folder,
                           const char *name,
                           struct manifest *out,
                           struct err *err) MUST_CHECK;
/* From here on the backup exists. */
enum rc backup_folder_write(const struct backup_folder *folder,
                            const char *name,
                            const struct manifest *manifest,
                            struct err *err) MUST_CHECK;
void backup_folder_facts(const char *name,
                         const struct manifest *manifest,
                         struct backup_facts *out);

/* Whoever copies, removes or brings back files holds it: one at a time. RC_DEFERRED: another does.
 * Free by close. */
enum rc upkeep_lock(const char *data_dir, int *out, struct err *err) MUST_CHECK;
void upkeep_unlock(int *fd); /* for CLEANUP */
