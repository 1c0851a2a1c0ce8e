/* SPDX-License-Identifier: Apache-2.0
 *
 * upload - what a request sends, piece by piece: its body, a file, and what follows it.
 */
#pragma once

#include <onecase/http.h>

#define UPLOAD_CHUNK 24576 /* a multiple of three, so that base 64 has no padding inside */

struct sending {
    const struct http_request *request;
    int64_t at;          /* octets given so far */
    struct str chunk;    /* of the file, as it is sent */
    int64_t chunk_begin; /* where that stands in what is sent */
    struct err why;      /* the file could not be read */
    bool failed;
};

/* How much is sent in all. */
int64_t sending_size(const struct http_request *request);

/* Up to `room` octets more; 0 at the end, or where the file could not be read, and `failed` says so. */
size_t sending_next(struct sending *s, char *into, size_t room);
void sending_again(struct sending *s); /* from its beginning */
void sending_clear(struct sending *s); /* for CLEANUP */
