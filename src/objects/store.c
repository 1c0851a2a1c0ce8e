/* SPDX-License-Identifier: Apache-2.0 */
#include "answer.h"
#include "s3_p.h"

#include <onecase/when.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_MOST                                                                                  \
    ((size_t)4 << 20) /* a thousand names of at most a thousand octets, and what is around */

static void query_of(const struct s3_files *s, const char *format, struct str *out)
{
    CLEANUP(str_clear) struct str prefix = STR_INIT;

    str_addf(&prefix, "%sitems/", str_z(&s->prefix));
    str_addz(out, format);
    str_addz(out, "prefix=");
    s3_add_encoded(out, str_z(&prefix));
}

/* Of a listed key; NULL: it is none of ours. */
static const char *path_of(const struct s3_files *s, const struct str *key)
{
    size_t len = s->prefix.len;

    if (key->len <= len || strncmp(str_z(key), str_z(&s->prefix), len) != 0)
        return NULL;
    return str_z(key) + len;
}

/* Listing */

struct listing {
    struct s3_files *s;
    enum rc (*each)(void *ctx, const char *path, int64_t size, struct err *err);
    void *ctx;
};

static enum rc list_one(void *ctx, const struct s3_said *said, struct err *err)
{
    struct listing *l = ctx;
    const char *path = path_of(l->s, &said->key);

    return path != NULL ? l->each(l->ctx, path, strtoll(str_z(&said->size), NULL, 10), err) : RC_OK;
}

static enum rc list_page(struct listing *l, struct str *token, struct err *err)
{
    CLEANUP(http_answer_clear) struct http_answer a = {.status = 0};
    CLEANUP(s3_said_clear) struct s3_said said = {.root = STR_INIT};
    CLEANUP(str_clear) struct str query = STR_INIT;

    if (token->len > 0) {
        str_addz(&query, "continuation-token=");
        s3_add_encoded(&query, str_z(token));
        str_addc(&query, '&');
    }
    query_of(l->s, "list-type=2&max-keys=1000&", &query);
    const struct s3_ask ask = {
        .method = "GET", .path = "", .query = str_z(&query), .most = LIST_MOST};

    TRY(s3_ask(l->s, &ask, &a, err));
    TRY(s3_answer_read(str_slice(&a.body), "Contents", list_one, l, &said, err));
    str_empty(token);
    if (strcmp(str_z(&said.truncated), "true") == 0)
        str_add(token, str_slice(&said.token));
    return RC_OK;
}

enum rc s3_files_list(struct s3_files *files,
                      enum rc (*each)(void *ctx, const char *path, int64_t size, struct err *err),
                      void *ctx,
                      struct err *err)
{
    CLEANUP(str_clear) struct str token = STR_INIT;
    struct listing l = {files, each, ctx};

    do
        TRY(list_page(&l, &token, err));
    while (token.len > 0);
    return RC_OK;
}

enum rc s3_files_size(struct s3_files *files, const char *path, int64_t *octets, struct err *err)
{
    CLEANUP(http_answer_clear) struct http_answer a = {.status = 0};
    char object[S3_PATH_SIZE];

    if (!s3_listed_path(path, object, sizeof object))
        return FAIL(err, RC_USAGE, "s3: not the path of a stored file");
    const struct s3_ask ask = {.method = "HEAD", .path = object, .wanted = "Content-Length"};

    TRY(s3_ask(files, &ask, &a, err));
    *octets = strtoll(a.header, NULL, 10);
    return RC_OK;
}

/* Uploads in parts that were never completed */

struct sweeping {
    struct s3_files *s;
    int64_t before_ms;
};

static enum rc abort_old(void *ctx, const struct s3_said *said, struct err *err)
{
    const struct sweeping *w = ctx;
    CLEANUP(str_clear) struct str query = STR_INIT;
    const char *path = path_of(w->s, &said->key);
    int64_t begun_ms;

    if (path == NULL || !when_parse(str_slice(&said->initiated), &begun_ms) ||
        begun_ms >= w->before_ms)
        return RC_OK;
    str_addz(&query, "uploadId=");
    s3_add_encoded(&query, str_z(&said->upload_id));
    return s3_remove(w->s, path, str_z(&query), err);
}

enum rc s3_files_sweep(struct s3_files *files, int64_t before_ms, struct err *err)
{
    CLEANUP(http_answer_clear) struct http_answer a = {.status = 0};
    CLEANUP(s3_said_clear) struct s3_said said = {.root = STR_INIT};
    CLEANUP(str_clear) struct str query = STR_INIT;
    struct sweeping w = {files, before_ms};

    query_of(files, "max-uploads=1000&", &query);
    str_addz(&query, "&uploads=");
    const struct s3_ask ask = {
        .method = "GET", .path = "", .query = str_z(&query), .most = LIST_MOST};

    TRY(s3_ask(files, &ask, &a, err));
    return s3_answer_read(str_slice(&a.body), "Upload", abort_old, &w, &said, err);
}

/* Trying a store */

static enum rc put(struct s3_files *s,
                   const char *path,
                   struct slice octets,
                   struct http_answer *out,
                   struct err *err)
{
    const struct s3_ask ask = {
        .method = "PUT", .path = path, .body = octets, .only_new = true, .wanted = "Date"};

    return s3_ask(s, &ask, out, err);
}

static enum rc
read_probe(struct s3_files *s, const char *path, struct slice expected, struct err *err)
{
    CLEANUP(http_answer_clear) struct http_answer a = {.status = 0};
    const struct s3_ask ask = {.method = "GET", .path = path};

    TRY(s3_ask(s, &ask, &a, err));
    if (!slice_eq(str_slice(&a.body), expected))
        return FAIL(err, RC_BROKEN, "s3: the store gives back other octets than it was given");
    return RC_OK;
}

/* "Mon, 30 Nov 2026 00:57:10 GMT" (RFC 9110). */
static bool http_date(const char *text, int64_t *out_ms)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char month[4];
    int day, year, hour, minute, second;

    /* NOLINTNEXTLINE(cert-err34-c): of a known width, and judged below */
    if (sscanf(text, "%*3s, %2d %3s %4d %2d:%2d:%2d GMT", &day, month, &year, &hour, &minute,
               &second) != 6)
        return false;
    const char *found = strstr(months, month);

    if (found == NULL || strlen(month) != 3 || (found - months) % 3 != 0)
        return false;
    *out_ms = DAYS(when_days(year, (int)(found - months) / 3 + 1, day)) + HOURS(hour) +
              MINUTES(minute) + SECONDS(second);
    return true;
}

static enum rc try_probe(
    struct s3_files *s, const char *path, struct slice octets, struct s3_seen *out, struct err *err)
{
    CLEANUP(http_answer_clear) struct http_answer a = {.status = 0};
    struct err why = ERR_INIT;
    enum rc rc = put(s, path, octets, &a, &why);

    if (a.status == 501) { /* it does not know the condition */
        s->overwrites = true;
        rc = put(s, path, octets, &a, &why);
    }
    if (rc != RC_OK)
        return FAIL(err, rc, "%s", why.text);
    out->knows_time = http_date(a.header, &out->behind_ms);
    TRY(read_probe(s, path, octets, err));
    if (!s->overwrites)
        out->refuses_to_overwrite = put(s, path, octets, &a, &why) == RC_CONFLICT;
    return RC_OK;
}

enum rc s3_files_try(struct s3_files *files, int64_t now_ms, struct s3_seen *out, struct err *err)
{
    struct digest random;
    char hex[DIGEST_HEX_SIZE], path[S3_PATH_SIZE];

    *out = (struct s3_seen){.behind_ms = 0};
    digest_random(&random);
    digest_hex(&random, hex);
    snprintf(path, sizeof path, "doctor/%s", hex);
    enum rc rc = try_probe(files, path, slice_z(hex), out, err);

    if (out->knows_time)
        out->behind_ms -= now_ms;
    if (rc != RC_OK) {
        s3_remove(files, path, NULL, NULL);
        return rc;
    }
    return s3_remove(files, path, NULL, err);
}
