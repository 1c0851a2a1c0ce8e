/* SPDX-License-Identifier: Apache-2.0
 *
 * sign - the headers of a post by Standard Webhooks, and what is in both kinds of posts.
 */
#pragma once

#include <onecase/http.h>
#include <onecase/str.h>
#include <jansson.h>

struct signed_post {
    struct str id, at, signature; /* header lines; signature empty without a secret */
};

/* `written` as in the configuration; "" is none. */
void post_sign(
    const char *written, const char *id, int64_t at_s, const char *body, struct signed_post *out);
void signed_post_clear(struct signed_post *post); /* for CLEANUP */

/* The whole request; `header` has room for SIGNED_HEADERS and must outlive it. */
#define SIGNED_HEADERS 5
struct http_request signed_request(struct signed_post *post,
                                   const char *url,
                                   const char *body,
                                   const char *header[SIGNED_HEADERS]);

json_t *post_text(const char *value); /* U+FFFD for octets that are no UTF-8 */
json_t *post_when(int64_t at_ms);
