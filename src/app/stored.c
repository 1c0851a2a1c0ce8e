/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* NOLINT(readability-identifier-naming): for O_TMPFILE */
#include "stored.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- where it is --------------------------------------------------------------------------------- */

static struct s3_files *
open_s3(const struct config *config, const char *place, const struct files *local)
{
    const struct config_s3 *s = &config->s3;
    CLEANUP(str_clear) struct str bucket = STR_INIT;
    CLEANUP(str_clear) struct str prefix = STR_INIT;
    if (!s3_url_parts(place, &bucket, &prefix))
        return NULL;
    const struct s3_settings settings = {
        .endpoint = s->endpoint,
        .bucket = str_z(&bucket),
        .prefix = str_z(&prefix),
        .region = s->region,
        .path_style = s->path_style,
        .access_key = s->access_key,
        .secret_key = s->secret_key,
        .ca_file = s->ca_file,
        .proxy = s->proxy,
        .timeout_ms = s->timeout_ms,
        .part_size = s->part_size,
    };
    return s3_files_new(&settings, local);
}

enum rc
stored_open(const struct config *config, const char *place, struct stored *out, struct err *err)
{
    struct err why = ERR_INIT;
    *out = (struct stored){.data_dir = config->data_dir};
    enum rc rc = posix_files_open(config->data_dir, &out->posix, &why);
    if (rc != RC_OK) /* a folder that is missing is not an item that is missing */
        return FAIL(err, rc == RC_NOT_FOUND ? RC_BROKEN : rc, "%s", why.text);
    out->files = posix_files_port(out->posix);
    out->s3 = open_s3(config, place, &out->files);
    if (out->s3)
        out->files = s3_files_port(out->s3);
    out->store = blob_store_new(&out->files);
    out->blobs = blob_store_port(out->store);
    return RC_OK;
}

void stored_close(struct stored *stored)
{
    blob_store_free(&stored->store);
    s3_files_free(&stored->s3);
    posix_files_close(&stored->posix);
}

void stored_place(const struct config *config, const char *path, struct str *out)
{
    char listed[BLOB_PATH_SIZE];
    if (strcmp(config->blobs, "file") == 0)
        str_addf(out, "%s/%s", config->data_dir, path);
    else if (s3_listed_path(path, listed, sizeof listed))
        str_addf(out, "%s%s%s", config->blobs,
                 config->blobs[strlen(config->blobs) - 1] == '/' ? "" : "/", listed);
}

/* ---- a file of this machine ---------------------------------------------------------------------- */

static enum rc cannot(const char *what, struct err *err)
{
    return FAIL(err, errno == ENOSPC || errno == EDQUOT ? RC_DEFERRED : RC_BROKEN,
                "files: a stored file cannot be %s: %s", what, strerror(errno));
}

static enum rc write_all(void *ctx, struct slice octets, struct err *err)
{
    const int *fd = ctx;
    while (octets.len > 0) {
        ssize_t done = write(*fd, octets.at, octets.len);
        if (done < 0 && errno != EINTR)
            return cannot("copied", err);
        octets = slice_cut(octets, done > 0 ? (size_t)done : 0, octets.len);
    }
    return RC_OK;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* A file without a name: whatever happens, nothing of it stays. */
static enum rc copy(const struct stored *stored, const char *path, int *out, struct err *err)
{
    const struct files *f = &stored->files;
    CLEANUP(str_clear) struct str folder = STR_INIT;
    TRY(f->make_folder(f->self, "tmp", err));
    str_addf(&folder, "%s/tmp", stored->data_dir);
    CLEANUP(close_fd) int fd = open(str_z(&folder), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0)
        return cannot("copied", err);
    const struct blob_sink sink = {&fd, write_all};
    TRY(stored->blobs.read(stored->blobs.self, path, &sink, err));
    if (lseek(fd, 0, SEEK_SET) != 0)
        return cannot("read", err);
    *out = fd;
    fd = -1;
    return RC_OK;
}

enum rc stored_fetch(const struct stored *stored, const char *path, int *fd, struct err *err)
{
    CLEANUP(str_clear) struct str whole = STR_INIT;
    if (stored->s3)
        return copy(stored, path, fd, err);
    str_addf(&whole, "%s/%s", stored->data_dir, path);
    *fd = open(str_z(&whole), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (*fd < 0 && errno == ENOENT)
        return FAIL(err, RC_NOT_FOUND, "files: '%s' is not there", path);
    return *fd >= 0 ? RC_OK : cannot("opened", err);
}

enum rc stored_size(const struct stored *stored, const char *path, int64_t *octets, struct err *err)
{
    CLEANUP(str_clear) struct str whole = STR_INIT;
    struct stat facts;
    if (stored->s3)
        return s3_files_size(stored->s3, path, octets, err);
    str_addf(&whole, "%s/%s", stored->data_dir, path);
    if (stat(str_z(&whole), &facts) != 0)
        return FAIL(err, RC_NOT_FOUND, "files: '%s' is not there", path);
    *octets = facts.st_size;
    return RC_OK;
}

/* ---- the reader ---------------------------------------------------------------------------------- */

static bool is_kept(const char *path)
{
    return strncmp(path, "items/", 6) == 0;
}

struct appending {
    const struct files *files;
    const char *path;
};

static enum rc append(void *ctx, struct slice octets, struct err *err)
{
    const struct appending *a = ctx;
    return a->files->append(a->files->self, a->path, octets, err);
}

typedef enum rc read_fn(void *self, const char *path, struct message *out, struct err *err);

static enum rc read_copy(struct stored_reader *r,
                         read_fn *read,
                         const char *path,
                         const char *copy_path,
                         struct message *out,
                         struct err *err)
{
    const struct blobs *b = &r->stored->blobs;
    struct appending to = {&r->stored->files, copy_path};
    TRY(b->read(b->self, path, &(struct blob_sink){&to, append}, err));
    return read(r->inner.self, copy_path, out, err);
}

static enum rc read_by(
    struct stored_reader *r, read_fn *read, const char *path, struct message *out, struct err *err)
{
    const struct files *f = &r->stored->files;
    char name[64];
    if (!r->stored->s3 || !is_kept(path))
        return read(r->inner.self, path, out, err);
    snprintf(name, sizeof name, READER_LET_IN_COPY "%d-%lu", (int)getpid(), r->next++);
    TRY(f->make_folder(f->self, "tmp", err));
    TRY(f->create(f->self, name, SLICE_EMPTY, err));
    enum rc rc = read_copy(r, read, path, name, out, err);
    f->remove(f->self, name, NULL);
    return rc;
}

static enum rc reader_read(void *self, const char *path, struct message *out, struct err *err)
{
    struct stored_reader *r = self;
    return read_by(r, r->inner.read, path, out, err);
}

static enum rc reader_look(void *self, const char *path, struct message *out, struct err *err)
{
    struct stored_reader *r = self;
    return read_by(r, r->inner.look, path, out, err);
}

struct reader stored_reader_port(struct stored_reader *reader)
{
    return (struct reader){reader, reader_read, reader_look};
}
