/* SPDX-License-Identifier: Apache-2.0
 *
 * destination_p - inside the adapter: filling a request, reading an answer, judging a status.
 */
#pragma once

#include <onecase/http_destination.h>
#include <onecase/mustache.h>

/* "404" or "4xx". */
bool status_pattern_good(const char *pattern);

struct http_destination {
    const struct http_destination_settings *set;
    struct http_client *client;
};

/* ---- requests ---- */

bool shape_given(const struct http_shape *shape);

/* As http_exchange; `id` is the case's at the destination, "" where it has none yet. A refused sign-in
 * is renewed once. RC_USAGE: the body's template is no JSON. */
enum rc send_request(struct http_destination *d,
                     const struct http_shape *shape,
                     const struct case_facts *facts,
                     const char *id,
                     struct http_answer *answer,
                     struct err *err) MUST_CHECK;

/* The values of the templates, in the order of http_destination_names; borrowed from `facts`. */
#define FILL_COUNT 8
struct filling {
    struct mustache_value value[FILL_COUNT];
    struct mustache_scope scope;
};

void filling_of(const struct case_facts *facts, const char *id, struct filling *out);

/* Adds to `url`; what a value holds is percent-encoded. */
void fill_path(const char *path, const struct filling *filling, struct str *url);
/* One header; what a value holds has no control characters. */
void fill_header(const char *header, const struct filling *filling, struct str *out);
/* RC_USAGE: "line 3: ..."; cannot fail where body_check has passed. */
enum rc fill_body(const char *body, const struct filling *filling, struct str *out, struct err *err)
    MUST_CHECK;
enum rc body_check(const char *body, struct err *err) MUST_CHECK;

/* ---- answers ---- */

#define ANSWER_MOST ((size_t)4 * 1024 * 1024)

/* RFC 6901: "" is the whole, "/items/0/id" a member of the first item. */
bool pointer_good(const char *pointer);

enum pointed { POINTED_NO_JSON, POINTED_NOTHING, POINTED_VALUE };
/* A string, a whole number or a truth value there, as text; what does not fit is nothing. */
enum pointed pointer_get(struct slice json, const char *pointer, char *out, size_t room);

/* What an answer is made of, for a person who has to correct a pointer: names and kinds, no values. */
void shape_of(struct slice json, struct str *out);
