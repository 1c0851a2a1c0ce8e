/* SPDX-License-Identifier: Apache-2.0
 *
 * destination_p - inside the adapter: filling a request, reading an answer, judging a status.
 */
#pragma once

#include <onecase/digest.h>
#include <onecase/http_destination.h>
#include <onecase/mustache.h>

/* "404" or "4xx". */
bool status_pattern_good(const char *pattern);

#define SESSION_SIZE 1025

struct http_destination {
    const struct http_destination_settings *set;
    struct http_client *client;
    unsigned requests;          /* made so far */
    struct str told;            /* what the last answer was, where that is to be explained */
    char session[SESSION_SIZE]; /* "": none is open */
};

/* What is asked: which request of which step, about what. */
struct asking {
    const struct http_shape *shape;
    enum destination_step step;
    const struct case_facts *facts;
    const char *id;    /* of the case, or "" */
    bool look;         /* nothing is made */
    struct slice html; /* the text as HTML */
};

/* The facts as the destination takes them: texts no longer than its settings say. */
struct fitted {
    struct case_facts facts;
    struct str subject, text, html;
};

void fit(const struct http_destination_settings *set,
         const struct case_facts *facts,
         struct fitted *out);
void fitted_clear(struct fitted *fitted); /* for CLEANUP */

/* Why a status is taken so: by which list of the request, or by which rule. */
void status_because(const struct http_shape *shape, int status, struct str *out);

/* ---- requests ---- */

bool shape_given(const struct http_shape *shape);

/* As http_exchange. A refused sign-in is renewed once. RC_USAGE: the body's template is no JSON. */
enum rc send_request(struct http_destination *d,
                     const struct asking *asking,
                     struct http_answer *answer,
                     struct err *err) MUST_CHECK;

/* The values of the templates; borrowed from what is asked. */
#define FILL_COUNT 16
struct filling {
    struct mustache_value value[FILL_COUNT];
    struct mustache_scope scope;
    char number[16], size[24], sha256[DIGEST_HEX_SIZE];
};

/* `out` must not move. */
void filling_of(const struct asking *asking, struct filling *out);
/* The names that a template of that step may use; NULL at the end. */
const char *const *filling_names(enum destination_step step);

/* Adds to `url`; what a value holds is percent-encoded. */
void fill_path(const char *path, const struct filling *filling, struct str *url);
/* One header; what a value holds has no control characters. */
void fill_header(const char *header, const struct filling *filling, struct str *out);
/* RC_USAGE: "line 3: ..."; cannot fail where body_check has passed. */
enum rc fill_body(const char *body, const struct filling *filling, struct str *out, struct err *err)
    MUST_CHECK;
/* The members of the body as fields of a form, each between lines of `boundary`. */
enum rc fill_form(const char *body,
                  const struct filling *filling,
                  const char *boundary,
                  struct str *out,
                  struct err *err) MUST_CHECK;
enum rc body_check(const char *body, const char *const *names, struct err *err) MUST_CHECK;

/* A body and the file that goes with it, as http sends them. */
struct parcel {
    struct str body, after, type; /* type: of the content, "" none */
    struct http_upload upload;
    bool uploads;
};

/* RC_USAGE as fill_body; also where {{content}} does not stand in the body once. */
enum rc parcel_make(const struct asking *asking,
                    const struct filling *filling,
                    struct parcel *out,
                    struct err *err) MUST_CHECK;
void parcel_clear(struct parcel *parcel); /* for CLEANUP */

/* ---- answers ---- */

#define ANSWER_MOST ((size_t)4 * 1024 * 1024)

/* RFC 6901: "" is the whole, "/items/0/id" a member of the first item. */
bool pointer_good(const char *pointer);

enum pointed { POINTED_NO_JSON, POINTED_NOTHING, POINTED_VALUE };
/* A string, a whole number or a truth value there, as text; what does not fit is nothing. */
enum pointed pointer_get(struct slice json, const char *pointer, char *out, size_t room);

/* What a look-up's answer says: of its members, or of itself. */
struct found {
    char id[EXTERNAL_ID_SIZE]; /* "" where it has none */
    char sha256[DIGEST_HEX_SIZE];
    bool same; /* its key is what was wanted, or it says none */
};

/* POINTED_NOTHING: it has none of that key, or none with an id. `wanted` is compared as shape->match says. */
enum pointed answer_find(const struct http_shape *shape,
                         struct slice json,
                         const char *wanted,
                         struct found *out);
/* "*" at the pattern's ends is anything. */
bool answer_matches(const char *pattern, const char *wanted, const char *there);

/* What a refusal says of itself: the texts of its members named error, message and the like, or the line
 * that it is. Whatever quotes the mail's sender, subject or text is left out. */
void refusal_of(struct slice body, const struct case_facts *facts, char *out, size_t room);

/* Which pointer of a request does not fit its answer, and how; nothing where all do. No values. */
void amiss_of(const struct http_shape *shape,
              struct slice text,
              const char *wanted,
              struct str *out);

/* What an answer is made of, for a person who has to correct a pointer: names and kinds, no values. */
void shape_of(struct slice json, struct str *out);
