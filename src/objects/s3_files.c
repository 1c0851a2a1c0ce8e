/* SPDX-License-Identifier: Apache-2.0 */
#include "s3_p.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AHEAD_OCTETS (INT64_C(4) << 20)

static const char attachments[] = "/attachments/";

/* Names */

static bool is_kept(const char *path)
{
    return strcmp(path, "items") == 0 || strncmp(path, "items/", 6) == 0;
}

bool s3_listed_path(const char *path, char *out, size_t room)
{
    const char *name = strstr(path, attachments);
    size_t len = strlen(path);

    if (name != NULL) {
        name += sizeof attachments - 1;
        len = (size_t)(name - path) + strspn(name, "0123456789");
        if (path + len == name)
            return false;
    }
    if (!is_kept(path) || len >= room)
        return false;
    snprintf(out, room, "%.*s", (int)len, path);
    return true;
}

static enum rc object_of(const char *path, char out[S3_PATH_SIZE], struct err *err)
{
    if (s3_listed_path(path, out, S3_PATH_SIZE))
        return RC_OK;
    return FAIL(err, RC_USAGE, "s3: not the path of a stored file");
}

static const struct files *local_of(void *self)
{
    return &((struct s3_files *)self)->local;
}

static void forget_ahead(struct s3_files *s)
{
    s->ahead.path[0] = '\0';
    str_clear(&s->ahead.octets);
}

/* The port */

static enum rc none_of_the_store(struct err *err)
{
    return FAIL(err, RC_USAGE, "s3: what is kept is never written in place");
}

static enum rc files_create(void *self, const char *path, struct slice octets, struct err *err)
{
    const struct files *f = local_of(self);

    return is_kept(path) ? none_of_the_store(err) : f->create(f->self, path, octets, err);
}

static enum rc files_append(void *self, const char *path, struct slice octets, struct err *err)
{
    const struct files *f = local_of(self);

    return is_kept(path) ? none_of_the_store(err) : f->append(f->self, path, octets, err);
}

static enum rc is_there(struct s3_files *s, const char *object, struct err *err)
{
    CLEANUP(http_answer_clear) struct http_answer a = {.status = 0};
    const struct s3_ask ask = {.method = "HEAD", .path = object};

    return s3_ask(s, &ask, &a, err);
}

/* Asking first is for stores that would overwrite; it also spares sending what is there. */
static enum rc files_link(void *self, const char *from, const char *to, struct err *err)
{
    struct s3_files *s = self;
    char object[S3_PATH_SIZE];
    char probe;
    size_t got;

    if (!is_kept(to))
        return s->local.link(s->local.self, from, to, err);
    TRY(object_of(to, object, err));
    TRY(s->local.read(s->local.self, from, 0, &probe, 1, &got, err));
    forget_ahead(s);
    struct err why = ERR_INIT;
    enum rc rc = is_there(s, object, &why);

    if (rc == RC_OK)
        return FAIL(err, RC_CONFLICT, "s3: \"%s\" is there", object);
    return rc == RC_NOT_FOUND ? s3_upload(s, from, object, err) : FAIL(err, rc, "%s", why.text);
}

static enum rc files_make_folder(void *self, const char *path, struct err *err)
{
    const struct files *f = local_of(self);

    return is_kept(path) ? RC_OK : f->make_folder(f->self, path, err);
}

/* What the store has is durable; `sync` is the local port's. */
static enum rc sync_local(const struct files *f,
                          enum rc (*sync)(void *, const char *const *, size_t, struct err *),
                          const char *const *path,
                          size_t count,
                          struct err *err)
{
    CLEANUP(mem_free) const char **local = mem_new(count + 1, sizeof *local);
    size_t locals = 0;

    for (size_t i = 0; i < count; i++)
        if (!is_kept(path[i]))
            local[locals++] = path[i];
    return locals > 0 ? sync(f->self, local, locals, err) : RC_OK;
}

static enum rc files_sync_files(void *self, const char *const *path, size_t count, struct err *err)
{
    const struct files *f = local_of(self);

    return sync_local(f, f->sync_files, path, count, err);
}

static enum rc
files_sync_folders(void *self, const char *const *path, size_t count, struct err *err)
{
    const struct files *f = local_of(self);

    return sync_local(f, f->sync_folders, path, count, err);
}

static enum rc fetch(struct s3_files *s, const char *object, int64_t offset, struct err *err)
{
    CLEANUP(http_answer_clear) struct http_answer a = {.status = 0};
    const struct s3_ask ask = {.method = "GET",
                               .path = object,
                               .offset = offset,
                               .octets = AHEAD_OCTETS,
                               .most = AHEAD_OCTETS};

    forget_ahead(s);
    enum rc rc = s3_ask(s, &ask, &a, err);

    if (rc != RC_OK && rc != RC_REFUSED)
        return rc;
    if (rc == RC_OK && a.status != 206 && offset > 0)
        return FAIL(err, RC_BROKEN, "s3: the store gives no part of a file (Range)");
    snprintf(s->ahead.path, sizeof s->ahead.path, "%s", object);
    s->ahead.begin = offset;
    if (rc == RC_OK)
        str_add(&s->ahead.octets, str_slice(&a.body));
    s->ahead.last = (int64_t)s->ahead.octets.len < AHEAD_OCTETS;
    return RC_OK;
}

static bool is_ahead(const struct ahead *a, const char *object, int64_t offset)
{
    int64_t end = a->begin + (int64_t)a->octets.len;

    return offset > 0 && strcmp(a->path, object) == 0 && offset >= a->begin &&
           (offset < end || a->last);
}

/* NOLINTNEXTLINE(readability-function-size): the port's shape */
static enum rc files_read(void *self,
                          const char *path,
                          int64_t offset,
                          char *into,
                          size_t room,
                          size_t *got,
                          struct err *err)
{
    struct s3_files *s = self;
    char object[S3_PATH_SIZE];

    if (!is_kept(path))
        return s->local.read(s->local.self, path, offset, into, room, got, err);
    TRY(object_of(path, object, err));
    if (!is_ahead(&s->ahead, object, offset))
        TRY(fetch(s, object, offset, err));
    struct slice found =
        slice_cut(str_slice(&s->ahead.octets), (size_t)(offset - s->ahead.begin), room);

    memcpy(into, found.at, found.len);
    *got = found.len;
    if (found.len == 0)
        forget_ahead(s);
    return RC_OK;
}

static enum rc files_remove(void *self, const char *path, struct err *err)
{
    struct s3_files *s = self;
    char object[S3_PATH_SIZE];

    if (!is_kept(path))
        return s->local.remove(s->local.self, path, err);
    TRY(object_of(path, object, err));
    forget_ahead(s);
    return s3_remove(s, object, NULL, err);
}

static enum rc files_space(void *self, int64_t *out, struct err *err)
{
    const struct files *f = local_of(self);

    return f->space(f->self, out, err);
}

struct files s3_files_port(struct s3_files *files)
{
    return (struct files){
        .self = files,
        .create = files_create,
        .append = files_append,
        .sync_files = files_sync_files,
        .link = files_link,
        .make_folder = files_make_folder,
        .sync_folders = files_sync_folders,
        .read = files_read,
        .remove = files_remove,
        .space = files_space,
    };
}

/* Opening */

bool s3_url_parts(const char *url, struct str *bucket, struct str *prefix)
{
    struct slice rest = slice_z(url);

    if (!slice_starts_nocase(rest, SLICE("s3://")))
        return false;
    rest = slice_cut(rest, sizeof "s3://" - 1, rest.len);
    size_t end = slice_find(rest, '/', 0);

    str_add(bucket, slice_cut(rest, 0, end));
    rest = slice_cut(rest, end + 1, rest.len);
    while (rest.len > 0 && rest.at[rest.len - 1] == '/')
        rest.len--;
    str_add(prefix, rest);
    return bucket->len > 0;
}

static void base_of(const struct s3_settings *settings, struct str *out)
{
    struct slice endpoint = slice_z(settings->endpoint);

    while (endpoint.len > 0 && endpoint.at[endpoint.len - 1] == '/')
        endpoint.len--;
    const char *host = strstr(settings->endpoint, "://");
    size_t scheme = host != NULL ? (size_t)(host - settings->endpoint) + 3 : 0;

    if (settings->path_style) {
        str_add(out, endpoint);
        str_addf(out, "/%s/", settings->bucket);
        return;
    }
    str_add(out, slice_cut(endpoint, 0, scheme));
    str_addf(out, "%s.", settings->bucket);
    str_add(out, slice_cut(endpoint, scheme, endpoint.len));
    str_addc(out, '/');
}

struct s3_files *s3_files_new(const struct s3_settings *settings, const struct files *local)
{
    struct s3_files *s = mem_new(1, sizeof *s);

    s->local = *local;
    s->client = http_client_new();
    base_of(settings, &s->base);
    if (settings->prefix[0] != '\0')
        str_addf(&s->prefix, "%s/", settings->prefix);
    str_addf(&s->sigv4, "aws:amz:%s:s3", settings->region);
    str_addz(&s->access_key, settings->access_key);
    str_addz(&s->secret_key, settings->secret_key);
    str_addz(&s->ca_file, settings->ca_file);
    str_addz(&s->proxy, settings->proxy);
    s->timeout_ms = settings->timeout_ms;
    s->part_size = settings->part_size;
    return s;
}

void s3_files_free(struct s3_files **files)
{
    struct s3_files *s = *files;

    if (s == NULL)
        return;
    http_client_free(&s->client);
    str_clear(&s->base);
    str_clear(&s->prefix);
    str_clear(&s->sigv4);
    str_clear(&s->access_key);
    str_wipe(&s->secret_key);
    str_clear(&s->ca_file);
    str_clear(&s->proxy);
    str_clear(&s->ahead.octets);
    free(s);
    *files = NULL;
}
