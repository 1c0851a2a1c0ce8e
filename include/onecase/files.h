/* SPDX-License-Identifier: Apache-2.0
 *
 * files (port) - the few file operations that blobs are made of, so that a test can stop between
 * any two of them, or drop what was not made durable.
 *
 * Paths are relative to data_dir, "/" between components, never "..", never absolute; FILES_TOP is
 * data_dir itself. A file's octets are durable after sync_files; its name is durable after sync_folders of its folder, and that
 * folder's own name after sync_folders of the one above.
 *
 * RC_DEFERRED: no room on the disk (ENOSPC, EDQUOT). RC_NOT_FOUND: no such file or folder.
 * RC_CONFLICT: the name is taken. RC_BROKEN: anything else (EIO, EACCES); the text says what.
 */
#pragma once

#include <onecase/err.h>
#include <onecase/str.h>

#define FILES_TOP "." /* for sync_folders */

struct files {
    void *self;
    /* Makes a new file with these octets. RC_CONFLICT where it exists. */
    enum rc (*create)(void *self, const char *path, struct slice octets, struct err *err);
    /* Adds to a file that create made. */
    enum rc (*append)(void *self, const char *path, struct slice octets, struct err *err);
    /* Makes the octets of these files durable, all of them or none that may be relied on: fsync of
     * each, or one syncfs for many. */
    enum rc (*sync_files)(void *self, const char *const *path, size_t count, struct err *err);
    /* Gives a file a second name; RC_CONFLICT where that name is taken (link(2)). */
    enum rc (*link)(void *self, const char *from, const char *to, struct err *err);
    /* Makes a folder (0700); one that exists is RC_OK. */
    enum rc (*make_folder)(void *self, const char *path, struct err *err);
    /* Makes the names in these folders durable, all of them or none that may be relied on: fsync of
     * each, or one syncfs for many. */
    enum rc (*sync_folders)(void *self, const char *const *path, size_t count, struct err *err);
    /* Reads up to `room` octets from `offset`; *got 0 at the end. */
    enum rc (*read)(void *self,
                    const char *path,
                    int64_t offset,
                    char *into,
                    size_t room,
                    size_t *got,
                    struct err *err);
    /* Removes a name. Gone already is RC_OK. */
    enum rc (*remove)(void *self, const char *path, struct err *err);
    /* Free octets on that disk. */
    enum rc (*space)(void *self, int64_t *out, struct err *err);
};

static inline enum rc sync_file_of(const struct files *f, const char *path, struct err *err)
{
    return f->sync_files(f->self, &path, 1, err);
}

static inline enum rc sync_folder_of(const struct files *f, const char *path, struct err *err)
{
    return f->sync_folders(f->self, &path, 1, err);
}
