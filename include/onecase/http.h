/* SPDX-License-Identifier: Apache-2.0
 *
 * http - one request over HTTP at a time, and how far it came (RFC 9110).
 *
 * Certificates are verified, chain and host name. No redirect is followed: whoever was configured is
 * asked, and nobody else gets what the request holds. An answer has its deadline and its budget of
 * octets. A header with a line break or a NUL is refused. Texts name the host, what went wrong and
 * what to try; they hold no path, no header and no body.
 *
 * libcurl sends a request again by itself where a kept connection ends before its answer. Whoever may
 * not be asked twice sets `fresh`.
 *
 * AWS Signature Version 4 is libcurl's, and right only for: a path of A-Z a-z 0-9 - _ . ~ / and %XX; a
 * query sorted by name, each name with its "=", and so encoded; and a header x-amz-content-sha256, which
 * the caller gives.
 */
#pragma once

#include <onecase/digest.h>
#include <onecase/err.h>
#include <onecase/str.h>

#define HTTP_HEADER_SIZE 256

/* What follows the body as it is sent: a file, read while it leaves, and then `after`. */
struct http_upload {
    /* Up to `room` octets from `offset`; *got is 0 at the end only. */
    enum rc (*read)(
        void *ctx, int64_t offset, char *into, size_t room, size_t *got, struct err *err);
    void *ctx;
    int64_t size;
    bool base64;
    struct slice after;
};

/* Borrowed, and all it points to. A text that is NULL or "" is not given. */
struct http_request {
    const char *method;        /* "GET", "PUT" ... */
    const char *url;           /* http:// or https:// */
    const char *const *header; /* "Name: value" */
    size_t headers;
    const char *username, *password; /* HTTP Basic (RFC 7617) */
    const char *sigv4; /* "aws:amz:REGION:SERVICE": the two sign it in place of Basic, see below */
    struct slice body; /* none is sent where it is empty and the method is GET, HEAD or DELETE */
    const struct http_upload *upload; /* follows the body; NULL: nothing does */
    const char *ca_file;              /* an authority besides the system's */
    const char *proxy;
    int64_t timeout_ms; /* of the whole */
    size_t most;        /* octets of the answer's body; a longer one is cut, and `cut` says so */
    bool fresh;         /* over a connection of its own */
    bool hash; /* of the answer's body only its size and SHA-256 are wanted; `most` still holds */
    const char *wanted; /* name of a header of the answer that is kept */
};

struct http_answer {
    int status;             /* of the last status line; 0 is none, and so is an interim 1xx */
    bool cut;               /* the body is not all of it */
    int64_t retry_after_ms; /* 0 where it was not said */
    struct str body;
    int64_t size;         /* octets of the body that came */
    struct digest sha256; /* of them, with `hash` */
    char
        header[HTTP_HEADER_SIZE]; /* the one that was wanted; "" where it is not there, or longer */
};

/* Keeps connections for the next request. One for a thread. */
struct http_client;

struct http_client *http_client_new(void) MUST_CHECK;
void http_client_free(struct http_client **client); /* for CLEANUP */

/* RC_OK: a status came, whatever it says; what followed of the body is there. RC_DEFERRED: the request
 * surely did not leave. RC_REFUSED: the same, and somebody must change something: a certificate, the
 * URL. RC_UNKNOWN: it left, or a part of it, and no status came. RC_BROKEN: the file to be uploaded
 * cannot be read, so that the request never became whole. `out` is cleared first. */
enum rc http_exchange(struct http_client *client,
                      const struct http_request *request,
                      struct http_answer *out,
                      struct err *err) MUST_CHECK;

void http_answer_clear(struct http_answer *answer); /* for CLEANUP */
