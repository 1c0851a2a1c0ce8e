/* SPDX-License-Identifier: Apache-2.0
 *
 * posix_files - the port of files.h on a folder of a POSIX file system.
 *
 * Opened by path once; everything after is relative to that descriptor, component by component,
 * and no symbolic link is followed. Folders are 0700, files 0600. A folder that others may enter
 * is refused: it holds people's mail.
 *
 * A file that create made stays open until sync_files or remove, so that no write error is lost
 * between the two; of more than POSIX_FILES_WRITING the oldest is closed and opened anew. Not for use
 * by two threads or across fork.
 *
 * RC_DEFERRED, RC_NOT_FOUND, RC_CONFLICT and RC_BROKEN as files.h says. A full disk found only by
 * fsync is RC_DEFERRED too; any other failure of fsync is RC_BROKEN.
 */
#pragma once

#include <onecase/files.h>

#define POSIX_FILES_WRITING 32

struct posix_files;

/* Opens `data_dir`, making it where only its last component is missing. */
enum rc posix_files_open(const char *data_dir, struct posix_files **out, struct err *err)
    MUST_CHECK;
struct files posix_files_port(struct posix_files *files); /* valid until close */
void posix_files_close(struct posix_files **files);       /* for CLEANUP */

/* Removes what was not written to since `before_ms` (wall time) from tmp/: leftovers of runs that
 * were killed. */
enum rc posix_files_sweep(const char *data_dir, int64_t before_ms, struct err *err) MUST_CHECK;
/* Removes from incoming/ what `leftover` says is one: the name is the digest of its octets. */
enum rc
posix_files_sweep_incoming(const char *data_dir,
                           bool (*leftover)(void *ctx, const char *name, int64_t written_ms),
                           void *ctx,
                           struct err *err) MUST_CHECK;
