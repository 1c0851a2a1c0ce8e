/* SPDX-License-Identifier: Apache-2.0
 *
 * stored - what is kept, wherever `blobs` has it, for those who need a file of this machine.
 *
 * What an object store keeps is copied into tmp/ of data_dir for as long as it is read.
 */
#pragma once

#include <onecase/blob_store.h>
#include <onecase/config.h>
#include <onecase/posix_files.h>
#include <onecase/reader.h>
#include <onecase/s3_files.h>

/* Where files are kept. Everything in it belongs to it. */
struct stored {
    const char *data_dir; /* borrowed */
    struct posix_files *posix;
    struct s3_files *s3; /* NULL: all is in data_dir */
    struct files files;
    struct blob_store *store;
    struct blobs blobs;
};

/* `place` as `blobs` of the configuration. */
enum rc
stored_open(const struct config *config, const char *place, struct stored *out, struct err *err)
    MUST_CHECK;
void stored_close(struct stored *stored); /* for CLEANUP */

/* A descriptor to read a stored file by; close it. RC_NOT_FOUND: it is not there. */
enum rc stored_fetch(const struct stored *stored, const char *path, int *fd, struct err *err)
    MUST_CHECK;
/* RC_NOT_FOUND: it is not there. */
enum rc stored_size(const struct stored *stored, const char *path, int64_t *octets, struct err *err)
    MUST_CHECK;
/* Where a stored file can be had without us: a path, or s3://BUCKET/KEY. */
void stored_place(const struct config *config, const char *path, struct str *out);

/* The port of a reader that reads what is kept, too: by a copy in tmp/, which it removes. */
struct stored_reader {
    struct reader inner;
    const struct stored *stored; /* borrowed */
    unsigned long next;
};

struct reader stored_reader_port(struct stored_reader *reader); /* valid as long as both */
