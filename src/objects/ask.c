/* SPDX-License-Identifier: Apache-2.0 */
#include "answer.h"
#include "s3_p.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define HEADERS_MOST 4

/* clang-format off */
/* What a store's answer is to us. The first row that fits; code NULL is any. */
static const struct fault {
    int least, most; /* status */
    const char *code;
    enum rc rc;
    const char *why;
} faults[] = {
    {404, 404, "NoSuchBucket",                 RC_BROKEN,    "there is no such bucket: make it, or mend `blobs`"},
    {404, 404, "NoSuchUpload",                 RC_DEFERRED,  "the upload was ended by another; it is begun anew"},
    {404, 404, NULL,                           RC_NOT_FOUND, "it is not there"},
    {409, 409, NULL,                           RC_DEFERRED,  "another is writing it just now"},
    {412, 412, NULL,                           RC_CONFLICT,  "the name is taken"},
    {416, 416, NULL,                           RC_REFUSED,   "nothing is at that offset"},
    {300, 399, NULL,                           RC_BROKEN,    "the bucket is elsewhere: mend s3.endpoint and s3.region"},
    {400, 499, "SignatureDoesNotMatch",        RC_BROKEN,    "the signature is not right: check s3.access_key, s3.secret_key and s3.region"},
    {400, 499, "InvalidAccessKeyId",           RC_BROKEN,    "the store does not know s3.access_key"},
    {400, 499, "AuthorizationHeaderMalformed", RC_BROKEN,    "the signature is for another region: mend s3.region"},
    {400, 499, "InvalidRegion",                RC_BROKEN,    "the signature is for another region: mend s3.region"},
    {400, 499, "RequestTimeTooSkewed",         RC_BROKEN,    "the clocks of this machine and the store differ: set this one by NTP"},
    {400, 499, "ExpiredToken",                 RC_BROKEN,    "the credentials have expired: give others"},
    {400, 499, "EntityTooSmall",               RC_BROKEN,    "the store wants larger parts: raise s3.part_size"},
    {400, 499, "EntityTooLarge",               RC_BROKEN,    "the store takes no object as large"},
    {400, 499, "RequestTimeout",               RC_DEFERRED,  "it did not get all of the request in time"},
    {400, 499, "BadDigest",                    RC_DEFERRED,  "the octets were changed on their way"},
    {400, 499, "XAmzContentSHA256Mismatch",    RC_DEFERRED,  "the octets were changed on their way"},
    {429, 429, NULL,                           RC_DEFERRED,  "the store asks for fewer requests"},
    {401, 403, NULL,                           RC_BROKEN,    "not allowed: the account needs GetObject, PutObject, DeleteObject, ListBucket and AbortMultipartUpload there"},
    {400, 499, NULL,                           RC_BROKEN,    "the store refuses that"},
    {501, 501, NULL,                           RC_USAGE,     "the store does not know that"},
    {503, 503, NULL,                           RC_DEFERRED,  "the store asks to slow down"},
    {507, 507, NULL,                           RC_DEFERRED,  "the store has no room"},
    {100, 999, NULL,                           RC_DEFERRED,  "the store fails"},
};
/* clang-format on */

static const struct fault *fault_of(int status, const char *code)
{
    for (size_t i = 0; i < LENGTH(faults) - 1; i++)
        if (status >= faults[i].least && status <= faults[i].most &&
            (faults[i].code == NULL || strcmp(faults[i].code, code) == 0))
            return &faults[i];
    return &faults[LENGTH(faults) - 1];
}

/* A code is shown where it is one: letters and digits. */
static void show_code(const char *code, char out[48])
{
    size_t len = strspn(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789");

    snprintf(out, 48, len > 0 && code[len] == '\0' && len < 45 ? ", %s" : "%s",
             len > 0 && code[len] == '\0' && len < 45 ? code : "");
}

static enum rc judge(const struct s3_ask *ask, const struct http_answer *a, struct err *err)
{
    CLEANUP(s3_said_clear) struct s3_said said = {.root = STR_INIT};
    char shown[48];

    if (a->status < 300 && !a->cut)
        return RC_OK;
    if (a->status < 300)
        return FAIL(err, RC_DEFERRED, "s3 %s \"%s\": the answer ended half-way", ask->method,
                    ask->path);
    if (s3_answer_read(str_slice(&a->body), NULL, NULL, NULL, &said, NULL) != RC_OK)
        str_empty(&said.code); /* a proxy's page, or nothing: the status alone says it */
    const struct fault *f = fault_of(a->status, str_z(&said.code));

    show_code(str_z(&said.code), shown);
    return FAIL(err, f->rc, "s3 %s \"%s\": %s (%d%s)", ask->method, ask->path, f->why, a->status,
                shown);
}

void s3_add_encoded(struct str *query, const char *value)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~";

    for (; *value != '\0'; value++)
        if (strchr(plain, *value) != NULL)
            str_addc(query, *value);
        else
            str_addf(query, "%%%02X", (unsigned)(unsigned char)*value);
}

static void url_of(const struct s3_files *s, const struct s3_ask *ask, struct str *out)
{
    str_add(out, str_slice(&s->base));
    if (ask->path[0] != '\0')
        str_addf(out, "%s%s", str_z(&s->prefix), ask->path);
    if (ask->query != NULL)
        str_addf(out, "?%s", ask->query);
}

struct headers {
    char text[HEADERS_MOST][128];
    const char *at[HEADERS_MOST];
    size_t count;
};

PRINTF(2, 3)
static void add_header(struct headers *h, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(h->text[h->count], sizeof h->text[0], format, args);
    va_end(args);
    h->at[h->count] = h->text[h->count];
    h->count++;
}

static void headers_of(const struct s3_files *s, const struct s3_ask *ask, struct headers *out)
{
    struct digest of_body = sha256_of(ask->body);
    char hex[DIGEST_HEX_SIZE];

    *out = (struct headers){.count = 0};
    digest_hex(ask->sha256 != NULL ? ask->sha256 : &of_body, hex);
    add_header(out, "x-amz-content-sha256: %s", hex);
    if (ask->body.len > 0 || ask->upload != NULL)
        add_header(out, "Content-Type: application/octet-stream");
    if (ask->only_new && !s->overwrites)
        add_header(out, "If-None-Match: *");
    if (ask->octets > 0)
        add_header(out, "Range: bytes=%" PRId64 "-%" PRId64, ask->offset,
                   ask->offset + ask->octets - 1);
}

/* What may have been heard may be asked again: an object is written once and stays. */
static enum rc
not_heard(enum rc rc, const struct s3_ask *ask, const struct err *why, struct err *err)
{
    if (rc == RC_UNKNOWN)
        return FAIL(err, RC_DEFERRED, "s3 %s \"%s\": no answer came", ask->method, ask->path);
    return FAIL(err, rc == RC_REFUSED ? RC_BROKEN : rc, "%s", why->text);
}

enum rc
s3_ask(struct s3_files *s, const struct s3_ask *ask, struct http_answer *out, struct err *err)
{
    CLEANUP(str_clear) struct str url = STR_INIT;
    struct headers headers;
    struct err why = ERR_INIT;

    url_of(s, ask, &url);
    headers_of(s, ask, &headers);
    const struct http_request request = {
        .method = ask->method,
        .url = str_z(&url),
        .header = headers.at,
        .headers = headers.count,
        .username = str_z(&s->access_key),
        .password = str_z(&s->secret_key),
        .sigv4 = str_z(&s->sigv4),
        .body = ask->body,
        .upload = ask->upload,
        .ca_file = str_z(&s->ca_file),
        .proxy = str_z(&s->proxy),
        .timeout_ms = s->timeout_ms,
        .most = ask->most > S3_ERROR_MOST ? ask->most : S3_ERROR_MOST,
        .wanted = ask->wanted,
    };
    enum rc rc = http_exchange(s->client, &request, out, &why);

    return rc == RC_OK ? judge(ask, out, err) : not_heard(rc, ask, &why, err);
}

enum rc s3_remove(struct s3_files *s, const char *path, const char *query, struct err *err)
{
    CLEANUP(http_answer_clear) struct http_answer a = {.status = 0};
    const struct s3_ask ask = {.method = "DELETE", .path = path, .query = query};
    struct err why = ERR_INIT;
    enum rc rc = s3_ask(s, &ask, &a, &why);
    bool gone = rc == RC_NOT_FOUND || (query != NULL && a.status == 404);

    return rc == RC_OK || gone ? RC_OK : FAIL(err, rc, "%s", why.text);
}
