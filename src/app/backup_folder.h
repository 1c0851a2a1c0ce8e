/* SPDX-License-Identifier: Apache-2.0
 *
 * backup_folder - the folder that backups lie in.
 *
 *     README.txt          what this is, and how to take it apart without the program
 *     NAME.manifest       one backup; it exists from the moment this name does
 *     files/KK/SHA256     each content once, whichever backups have it
 *     unfinished          the pieces that one has sealed which is not there yet
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
/* What a backup has sealed so far, for the next one where it is interrupted; nothing else relies on it. */
enum rc backup_folder_note_begin(const struct backup_folder *folder,
                                 const struct manifest *noted,
                                 struct err *err) MUST_CHECK;
/* The lines of it from `first` on. */
enum rc backup_folder_note(const struct backup_folder *folder,
                           const struct manifest *sealed,
                           size_t first,
                           struct err *err) MUST_CHECK;
/* Empty where there is none, or none that can be read. */
void backup_folder_noted(const struct backup_folder *folder, struct manifest *out);
enum rc backup_folder_note_end(const struct backup_folder *folder, struct err *err) MUST_CHECK;
void backup_folder_facts(const char *name,
                         const struct manifest *manifest,
                         struct backup_facts *out);

/* Whoever copies, removes or brings back files holds it: one at a time. RC_DEFERRED: another does.
 * Free by close. */
enum rc upkeep_lock(const char *data_dir, int *out, struct err *err) MUST_CHECK;
void upkeep_unlock(int *fd); /* for CLEANUP */
