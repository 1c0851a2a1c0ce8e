/* SPDX-License-Identifier: Apache-2.0 */
#include "keep.h"
#include "paths.h"

#include <onecase/blob_store.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READ_ROOM 65536

/* What comes from a connection comes in small pieces: so many octets are written at once. */
#define WRITE_ROOM 65536

/* Leftovers of killed runs and the files of other runs are passed over; far more than both. */
#define NAMES_TRIED 100000

struct blob_writing {
    char path[BLOB_PATH_SIZE];
    struct str held; /* not written yet */
};

static struct files *files_of(void *self)
{
    return &((struct blob_store *)self)->files;
}

/* tmp/ stands there but for the first time. */
static enum rc create_in_tmp(struct files *f, const char *path, struct err *err)
{
    enum rc rc = f->create(f->self, path, SLICE_EMPTY, err);

    if (rc != RC_NOT_FOUND)
        return rc;
    *err = (struct err)ERR_INIT;
    TRY(f->make_folder(f->self, "tmp", err));
    return f->create(f->self, path, SLICE_EMPTY, err);
}

/* The port */

static enum rc store_begin(void *self, struct blob_writing **out, struct err *err)
{
    struct blob_store *s = self;
    struct files *f = &s->files;
    CLEANUP(mem_free) struct blob_writing *w = mem_new(1, sizeof *w);
    struct err cause = ERR_INIT;
    enum rc rc = RC_CONFLICT;

    for (int tried = 0; rc == RC_CONFLICT && tried < NAMES_TRIED; tried++) {
        snprintf(w->path, sizeof w->path, "tmp/fetch-%" PRIu64, s->next_name++);
        rc = create_in_tmp(f, w->path, &cause);
    }
    if (rc == RC_CONFLICT)
        return FAIL(err, RC_BROKEN, "blobs: \"tmp\" is full of leftovers: empty it");
    if (rc != RC_OK)
        return FAIL(err, rc, "%s", cause.text);
    *out = STEAL(w);
    return RC_OK;
}

static enum rc write_held(struct files *f, struct blob_writing *w, struct err *err)
{
    enum rc rc = w->held.len > 0 ? f->append(f->self, w->path, str_slice(&w->held), err) : RC_OK;

    str_empty(&w->held);
    return rc;
}

enum rc
writing_whole(struct blob_store *s, struct blob_writing *w, const char **path, struct err *err)
{
    *path = w->path;
    return write_held(&s->files, w, err);
}

static enum rc store_add(void *self, struct blob_writing *w, struct slice octets, struct err *err)
{
    str_add(&w->held, octets);
    return w->held.len >= WRITE_ROOM ? write_held(files_of(self), w, err) : RC_OK;
}

/* Also after keeping: the octets have another name then. A name that cannot be removed is only a
 * leftover, so that is no failure of the caller's. */
static void store_drop(void *self, struct blob_writing **w)
{
    struct files *f = files_of(self);

    if (*w == NULL)
        return;
    (void)f->remove(f->self, (*w)->path, NULL);
    str_clear(&(*w)->held);
    free(*w);
    *w = NULL;
}

static enum rc store_keep_incoming(void *self,
                                   struct blob_writing **w,
                                   const struct digest *octets,
                                   struct err *err)
{
    enum rc rc = write_held(files_of(self), *w, err);

    if (rc != RC_OK) {
        store_drop(self, w);
        return rc;
    }
    keep_written(self, (*w)->path, octets);
    str_clear(&(*w)->held);
    mem_free(w);
    return RC_OK;
}

static enum rc check_key(const char *key, struct err *err)
{
    if (path_is_key(key))
        return RC_OK;
    return FAIL(err, RC_USAGE, "blobs: a key is 64 lower-case hex digits");
}

static enum rc
store_keep_original(void *self, const struct digest *octets, const char *key, struct err *err)
{
    struct blob_store *s = self;
    char from[BLOB_PATH_SIZE];
    char to[BLOB_PATH_SIZE];
    char folder[BLOB_PATH_SIZE];

    TRY(check_key(key, err));
    blob_path_incoming(octets, from);
    blob_path_original(key, to);
    TRY(keep_item_folder(s, key, folder, err));
    return keep_name(s, from, to, folder, octets, err);
}

static enum rc store_keep_attachment(void *self,
                                     const char *key,
                                     const char *name,
                                     const char *spool,
                                     const struct digest *sha256,
                                     struct err *err)
{
    struct blob_store *s = self;
    char to[BLOB_PATH_SIZE];
    char item[BLOB_PATH_SIZE];
    char folder[BLOB_PATH_SIZE + sizeof "/attachments"];

    TRY(check_key(key, err));
    if (!path_is_name(name) || !path_is_under(spool, "tmp"))
        return FAIL(err, RC_USAGE, "blobs: not an attachment's name, or not a spool file");
    blob_path_attachment(key, name, to);
    TRY(keep_check_spool(s, spool, sha256, err));
    TRY(keep_item_folder(s, key, item, err));
    snprintf(folder, sizeof folder, "%s/attachments", item);
    TRY(keep_folder(s, folder, item, err));
    return keep_name(s, spool, to, folder, sha256, err);
}

static enum rc
store_sync_spools(void *self, const char *const *spool, size_t count, struct err *err)
{
    for (size_t i = 0; i < count; i++)
        if (!path_is_under(spool[i], "tmp"))
            return FAIL(err, RC_USAGE, "blobs: not a spool file");
    return keep_sync_spools(self, spool, count, err);
}

static enum rc store_settle(void *self, struct err *err)
{
    return keep_settle(self, err);
}

static enum rc
store_read(void *self, const char *path, const struct blob_sink *sink, struct err *err)
{
    struct files *f = files_of(self);
    CLEANUP(mem_free) char *octets = mem_new(READ_ROOM, 1);
    int64_t offset = 0;
    size_t got;

    if (!path_is_under(path, "incoming") && !path_is_under(path, "items") &&
        !path_is_under(path, "tmp") && !path_is_under(path, "files"))
        return FAIL(err, RC_USAGE, "blobs: not the path of a stored file");
    for (;;) {
        TRY(f->read(f->self, path, offset, octets, READ_ROOM, &got, err));
        if (got == 0)
            return RC_OK;
        TRY(sink->add(sink->ctx, (struct slice){octets, got}, err));
        offset += (int64_t)got;
    }
}

/* Not made durable: a name that a power cut brings back does no harm. */
static enum rc store_forget(void *self, const char *path, struct err *err)
{
    struct files *f = files_of(self);

    if (!path_is_under(path, "incoming") && !path_is_under(path, "tmp"))
        return FAIL(err, RC_USAGE, "blobs: only incoming and spool files are forgotten");
    return f->remove(f->self, path, err);
}

struct blob_store *blob_store_new(const struct files *files)
{
    struct blob_store *s = mem_new(1, sizeof *s);

    s->files = *files;
    return s;
}

struct blobs blob_store_port(struct blob_store *store)
{
    return (struct blobs){
        .self = store,
        .begin = store_begin,
        .add = store_add,
        .keep_incoming = store_keep_incoming,
        .drop = store_drop,
        .keep_original = store_keep_original,
        .keep_attachment = store_keep_attachment,
        .sync_spools = store_sync_spools,
        .settle = store_settle,
        .read = store_read,
        .forget = store_forget,
    };
}

void blob_store_free(struct blob_store **store)
{
    if (*store != NULL)
        keep_clear(*store);
    free(*store);
    *store = NULL;
}
