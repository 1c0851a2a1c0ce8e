/* SPDX-License-Identifier: Apache-2.0
 *
 * blobs (port) - originals and attachments as files (contract section 6).
 *
 * incoming/SHA256 holds what was fetched until its original or its duplicate is recorded;
 * items/KK/KEY/original.eml and items/KK/KEY/attachments/NN-NAME are for keeps. What was kept is
 * durable once settle has said so: octets, name and every new folder. Until then nothing may rely on
 * it; a batch settles once. An existing file is compared, never overwritten: other
 * octets under the name are RC_CONFLICT and stay as they are.
 *
 * RC_DEFERRED: no room. RC_NOT_FOUND: it is not there. RC_BROKEN: the disk fails.
 */
#pragma once

#include <onecase/digest.h>
#include <onecase/err.h>
#include <onecase/identity.h>
#include <onecase/safe_name.h>

#define BLOB_PATH_SIZE 320

/* Receives octets of a stored file in order. */
struct blob_sink {
    void *ctx;
    enum rc (*add)(void *ctx, struct slice octets, struct err *err);
};

struct blob_writing; /* a file being written under tmp/; drop it or keep it */

struct blobs {
    void *self;
    enum rc (*begin)(void *self, struct blob_writing **out, struct err *err);
    enum rc (*add)(void *self, struct blob_writing *w, struct slice octets, struct err *err);
    /* Keeps it as incoming/SHA256, where it may be read once settle has given it that name; frees and
     * nulls the writing, also on failure. Who wrote it has hashed it on the way: large mails are
     * hashed once. */
    enum rc (*keep_incoming)(void *self,
                             struct blob_writing **w,
                             const struct digest *octets,
                             struct err *err);
    void (*drop)(void *self, struct blob_writing **w);
    /* Makes incoming/SHA256 the original of `key`; RC_OK also where it is that already. */
    enum rc (*keep_original)(void *self,
                             const struct digest *octets,
                             const char *key,
                             struct err *err);
    /* Makes the octets of many spool files durable at once, before they are kept: for those
     * keep_attachment does not wait again. Where it fails they are gone. */
    enum rc (*sync_spools)(void *self, const char *const *spool, size_t count, struct err *err);
    /* Makes a spool file (under tmp/) the attachment `name` of `key`. */
    enum rc (*keep_attachment)(void *self,
                               const char *key,
                               const char *name,
                               const char *spool,
                               const struct digest *sha256,
                               struct err *err);
    /* Makes durable what was kept since the last time. Where it fails nothing of that counts as kept,
     * and each may be kept again. */
    enum rc (*settle)(void *self, struct err *err);
    /* Reads a file of ours from end to end: "incoming/…", "items/…". */
    enum rc (*read)(void *self, const char *path, const struct blob_sink *sink, struct err *err);
    /* Removes incoming/SHA256 or a spool file. Call only when it is no longer needed. */
    enum rc (*forget)(void *self, const char *path, struct err *err);
};

void blob_path_incoming(const struct digest *octets, char out[BLOB_PATH_SIZE]);
void blob_path_original(const char *key, char out[BLOB_PATH_SIZE]);
void blob_path_attachment(const char *key, const char *name, char out[BLOB_PATH_SIZE]);
/* Reads the beginning of a stored mail into `out`, the whole top header block of up to 1 MiB and what
 * came along with it. RC_NOT_FOUND: it is not there. */
enum rc blob_header(const struct blobs *blobs, const char *path, struct str *out, struct err *err)
    MUST_CHECK;
/* Hashes a stored file. */
enum rc blob_digest(const struct blobs *blobs,
                    const char *path,
                    struct digest *out,
                    int64_t *size,
                    struct err *err) MUST_CHECK;
