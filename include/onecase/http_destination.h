/* SPDX-License-Identifier: Apache-2.0
 *
 * http_destination - the destination port over HTTP: a help desk as configuration describes it.
 *
 * Paths, headers and bodies are templates over key, effect, correlation, reference, from, subject, text,
 * html (the text as HTML), once the case is there id, and of a file number, file, name, type, size, sha256, content. A value in a path
 * is percent-encoded (RFC 3986), in a header it has no line break, and in a body it is a JSON string:
 * the body is read as JSON first and filled after, so nothing of a message can add a member. What came
 * of a request its status says, by one table (http_judge); where the id and the key stand in an answer
 * is said by JSON pointers (RFC 6901).
 *
 * Every request carries Idempotency-Key, the effect's id, and X-Correlation-Id, run and attempt.
 */
#pragma once

#include <onecase/destination.h>
#include <onecase/http.h>
#include <onecase/policy.h>

/* clang-format off */
#define GUARANTEE_LIST(X) \
    X(GUARANTEE_NONE,            "none",            "a second request makes a second case: what is not known is looked up, then a person decides") \
    X(GUARANTEE_UNIQUE_KEY,      "unique-key",      "it refuses a second case with the same key")                                                  \
    X(GUARANTEE_CONDITIONAL,     "conditional",     "it honours If-None-Match: * on PUT and PATCH")                                                \
    X(GUARANTEE_IDEMPOTENCY_KEY, "idempotency-key", "it answers a repeated Idempotency-Key as the first time, for `idempotency_life`")
/* clang-format on */

enum guarantee { GUARANTEE_LIST(NAMED_ENUM) GUARANTEE_COUNT };

const char *guarantee_text(enum guarantee guarantee);

/* Where the sign-in of a destination comes from, asked for each request and once more after a 401. */
struct http_sign_in {
    void *ctx;
    /* The whole value of Authorization. */
    enum rc (*get)(void *ctx, struct str *out, struct err *err);
    void (*refused)(void *ctx); /* may be NULL: there is no other */
};

/* A session that the sign-in opens by GET, and that every other request shows in its place; opened again
 * after a 401. `path` NULL or "": there is none. */
struct http_session {
    const char *path;
    struct texts headers; /* "Name: value" */
    const char *id;       /* pointer into the answer */
    const char *header;   /* the name of the one that shows it */
};

/* How a file is sent: as {{content}} of the body in base 64, as the whole body, or as a field of a form
 * (RFC 7578), after those that the body's members are. */
enum http_upload_as { UPLOAD_BASE64, UPLOAD_RAW, UPLOAD_FORM };

/* A request. `method` NULL or "": there is none of this kind. */
struct http_shape {
    const char *method;
    const char *path;                          /* a template, added to the destination's URL */
    struct texts headers;                      /* "Name: template" */
    const char *body;                          /* JSON; its strings are templates; "" sends none */
    const char *id, *key;                      /* pointers into the answer; "": it does not say */
    struct texts done, exists, later, refused; /* statuses besides the table's: "404", "4xx" */
    enum guarantee guarantee;                  /* of what makes something */
    enum http_upload_as upload;                /* of STEP_ATTACH */
    const char *field;                         /* of UPLOAD_FORM */
    /* Of a look-up: where a list stands in the answer ("/" is the answer itself), of whose members `id`
     * and `key` speak; what `key` must be, a template, "*" at its ends for anything; where the file's
     * SHA-256 stands; and whether the answer is the file. NULL or "": not so. */
    const char *list, *match, *sha256;
    bool whole;
};

struct http_destination_settings {
    const char *name, *url;
    int64_t idempotency_ms;
    unsigned max_subject,
        max_text; /* characters that it takes; the rest is cut off; 0 is no limit */
    struct http_shape act[STEP_COUNT];
    struct http_shape look[STEP_COUNT]; /* what became of it */
    struct http_shape read; /* by {{id}}: read back after the case was made or taken over */
    const char *username, *password; /* HTTP Basic, or "" */
    struct http_sign_in sign_in;
    struct http_session session;
    const char *ca_file, *proxy;
    int64_t timeout_ms;
    bool explain; /* `why` of an answer tells what the destination's is made of: names, no values */
};

/* What is wrong with a shape's templates, pointers, headers or statuses: RC_USAGE, "body, line 3: ...".
 * The step says which names a template may use; `acts`: it is not a look-up. */
enum rc http_shape_check(const struct http_shape *shape,
                         enum destination_step step,
                         bool acts,
                         struct err *err) MUST_CHECK;

enum rc http_session_check(const struct http_session *session, struct err *err) MUST_CHECK;

struct http_destination;

/* The settings are borrowed. */
struct http_destination *http_destination_new(const struct http_destination_settings *settings)
    MUST_CHECK;
void http_destination_free(struct http_destination **destination); /* for CLEANUP */
struct destination http_destination_port(struct http_destination *destination);

/* ---- how an answer is judged ----------------------------------------------------------------- */

/* clang-format off */
#define HTTP_VERDICT_LIST(X) \
    X(HTTP_DONE,    "done",    "the case is there")                                        \
    X(HTTP_EXISTS,  "exists",  "a case with this key was there: compared, then adopted")   \
    X(HTTP_LATER,   "later",   "surely not done; later may work; the circuit opens")       \
    X(HTTP_SIGN_IN, "sign-in", "surely not done; the sign-in is renewed once, then later") \
    X(HTTP_REFUSED, "refused", "surely not done; a person decides")                        \
    X(HTTP_UNKNOWN, "unknown", "may have happened: looked up before anything else")
/* clang-format on */

enum http_verdict { HTTP_VERDICT_LIST(NAMED_ENUM) HTTP_VERDICT_COUNT };

struct http_status_row {
    int from, to;
    enum http_verdict verdict;
    const char *because;
};

extern const struct http_status_row http_status_rows[]; /* the first that holds the status */
extern const size_t http_status_row_count;

const char *http_verdict_text(enum http_verdict verdict);
/* Total. The shape's own lists come before the table; NULL has none. */
enum http_verdict http_judge(const struct http_shape *shape, int status);
