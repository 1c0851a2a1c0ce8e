/* SPDX-License-Identifier: Apache-2.0
 *
 * s3_p - what the files of this folder share: one request to the store, and what its answer means.
 */
#pragma once

#include <onecase/http.h>
#include <onecase/s3_files.h>

#define S3_PATH_SIZE  512
#define S3_ERROR_MOST 65536 /* octets of an answer that is no file */

struct s3_files {
    struct files local;
    struct http_client *client;
    struct str base;   /* URL up to the "/" before a key */
    struct str prefix; /* of keys; "" or "a/b/" */
    struct str sigv4, access_key, secret_key, ca_file, proxy;
    int64_t timeout_ms, part_size;
    bool overwrites; /* the store does not know If-None-Match: * */
    struct ahead {   /* the piece of a file that was fetched last */
        char path[S3_PATH_SIZE];
        int64_t begin;
        struct str octets;
        bool last;
    } ahead;
};

struct s3_ask {
    const char *method;
    const char *path;  /* of ours, under the prefix; "" is the bucket */
    const char *query; /* sorted, encoded; NULL is none */
    struct slice body;
    const struct http_upload *upload;
    const struct digest *sha256; /* of what is sent; NULL: it is the body's */
    bool only_new;               /* If-None-Match: * */
    int64_t offset, octets;      /* of the file; octets 0 is all of it */
    const char *wanted;          /* a header of the answer */
    size_t most;                 /* octets of the answer's body; 0 is S3_ERROR_MOST */
};

/* RC_OK: a status 2xx and all that goes with it. Else as s3_files.h says; also RC_NOT_FOUND,
 * RC_CONFLICT (it is there), RC_REFUSED (nothing is at that offset). `out->status` is there also then. */
enum rc
s3_ask(struct s3_files *s, const struct s3_ask *ask, struct http_answer *out, struct err *err)
    MUST_CHECK;

/* Removes an object, or an upload in parts; one that has gone is RC_OK. */
enum rc s3_remove(struct s3_files *s, const char *path, const char *query, struct err *err);
void s3_add_encoded(struct str *query, const char *value);
/* Sends the local file `from` up as `path`, which is not there. */
enum rc s3_upload(struct s3_files *s, const char *from, const char *path, struct err *err)
    MUST_CHECK;
