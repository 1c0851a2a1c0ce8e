/* SPDX-License-Identifier: Apache-2.0
 *
 * s3_files - the port of files.h where what is kept stands in an object store that speaks S3.
 *
 * items/ is the store's; tmp/, incoming/ and all else stay with a local port, which is borrowed. An
 * object is named PREFIX/items/KK/KEY/original.eml or PREFIX/items/KK/KEY/attachments/NN: digits of
 * digests and numbers, never a name that a sender gave. It appears whole or not at all; it is asked for
 * before it is written, and written with If-None-Match: * where the store knows that, so that none is
 * ever overwritten. Folders are none of the store's: making them and making them durable is RC_OK.
 *
 * link sends a local file up, in parts where it is longer than one, holding a piece of it in memory at a
 * time; each request is signed together with the SHA-256 of what it sends, which the store compares.
 * read fetches a piece of some megabytes at a time, and from offset 0 always asks anew. A half answer is
 * none. Not for use by two threads, or across a fork.
 *
 * RC_DEFERRED: no answer, an error of the store's, or "slow down" (503). Then it may be there all the
 * same: to link again finds that. RC_BROKEN: no right, no such bucket, another region, a clock that goes
 * wrong; the text says what to do. create and append below items/ are RC_USAGE.
 */
#pragma once

#include <onecase/files.h>

#define S3_PART_LEAST (INT64_C(5) << 20) /* that stores take, but for the last */
#define S3_PART_MOST  (INT64_C(1) << 30)

struct s3_settings {
    const char *endpoint;        /* https://HOST[:PORT] */
    const char *bucket, *prefix; /* prefix "" is none */
    const char *region;
    bool path_style; /* the bucket in the path, not in the host's name */
    const char *access_key, *secret_key;
    const char *ca_file, *proxy;
    int64_t timeout_ms; /* of each request */
    int64_t part_size;
};

struct s3_files;

struct s3_files *s3_files_new(const struct s3_settings *settings, const struct files *local)
    MUST_CHECK;                                     /* copies both */
struct files s3_files_port(struct s3_files *files); /* valid until free */
void s3_files_free(struct s3_files **files);        /* for CLEANUP */

/* "s3://BUCKET/PREFIX" into its two parts; false where it is none. */
bool s3_url_parts(const char *url, struct str *bucket, struct str *prefix);
/* Under which path an object of ours is listed: that of an attachment loses its name. */
bool s3_listed_path(const char *path, char *out, size_t room);

/* RC_NOT_FOUND: it is not there. */
enum rc s3_files_size(struct s3_files *files, const char *path, int64_t *octets, struct err *err)
    MUST_CHECK;
/* Tells each object below items/, in order of its name. */
enum rc s3_files_list(struct s3_files *files,
                      enum rc (*each)(void *ctx, const char *path, int64_t size, struct err *err),
                      void *ctx,
                      struct err *err) MUST_CHECK;
/* Ends uploads in parts that began before `before_ms` (wall time): of runs that were killed. */
enum rc s3_files_sweep(struct s3_files *files, int64_t before_ms, struct err *err) MUST_CHECK;

/* What was seen of a store by writing, reading and removing an object of a name of its own. */
struct s3_seen {
    bool refuses_to_overwrite; /* by If-None-Match: * */
    bool knows_time;           /* it said what time it is */
    int64_t behind_ms;         /* how far our clock is behind its own */
};

enum rc s3_files_try(struct s3_files *files, int64_t now_ms, struct s3_seen *out, struct err *err)
    MUST_CHECK;
