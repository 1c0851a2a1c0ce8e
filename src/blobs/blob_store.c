/* SPDX-License-Identifier: Apache-2.0 */
#include "paths.h"

#include <onecase/blob_store.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READ_ROOM 65536

/* Leftovers of killed runs and the files of other runs are passed over; far more than both. */
#define NAMES_TRIED 100000

struct blob_store {
    struct files files;
    uint64_t next_name;
    bool incoming_durable;
    bool items_durable;
    bool shelf_durable[256]; /* items/KK, by its two digits */
};

struct blob_writing {
    char path[BLOB_PATH_SIZE];
    struct sha256 *hash;
};

static struct files *files_of(void *self)
{
    return &((struct blob_store *)self)->files;
}

/* Folders */

/* Made, and its name made durable: also where it was there, since whoever made it may have died
 * before the second step. */
static enum rc
durable_folder(struct files *f, const char *path, const char *parent, struct err *err)
{
    TRY(f->make_folder(f->self, path, err));
    return f->sync_folder(f->self, parent, err);
}

/* The same for a folder that nobody ever removes: once in a life is enough. */
static enum rc
lasting_folder(struct files *f, const char *path, const char *parent, bool *done, struct err *err)
{
    if (!*done)
        TRY(durable_folder(f, path, parent, err));
    *done = true;
    return RC_OK;
}

/* items/KK/KEY, written to `out`. */
static enum rc
item_folder(struct blob_store *s, const char *key, char out[BLOB_PATH_SIZE], struct err *err)
{
    struct files *f = &s->files;
    char shelf[BLOB_PATH_SIZE];
    size_t number = (size_t)strtoul((char[]){key[0], key[1], '\0'}, NULL, 16);

    snprintf(shelf, sizeof shelf, "items/%.2s", key);
    snprintf(out, BLOB_PATH_SIZE, "items/%.2s/%s", key, key);
    TRY(lasting_folder(f, "items", FILES_TOP, &s->items_durable, err));
    TRY(lasting_folder(f, shelf, "items", &s->shelf_durable[number], err));
    return durable_folder(f, out, shelf, err);
}

/* Comparing */

static enum rc
hash_file(struct blob_store *s, const char *path, struct digest *out, struct err *err)
{
    struct blobs port = blob_store_port(s);
    int64_t size;

    return blob_digest(&port, path, out, &size, err);
}

static enum rc
compare(struct blob_store *s, const char *path, const struct digest *wanted, struct err *err)
{
    struct digest found;

    TRY(hash_file(s, path, &found, err));
    if (digest_eq(&found, wanted))
        return RC_OK;
    return FAIL(err, RC_CONFLICT,
                "blobs: \"%.*s\" exists with other octets and was left as it is: "
                "look at it, move it away, and try again",
                path_shown(path), path);
}

/* Keeping */

/* Gives the durable file `from` its final name in `folder`, which is durable itself. From the last
 * line on the file is kept; before it, a power cut may leave either nothing or the whole. */
static enum rc give_name(struct blob_store *s,
                         const char *from,
                         const char *to,
                         const char *folder,
                         const struct digest *octets,
                         struct err *err)
{
    struct files *f = &s->files;
    struct err cause = ERR_INIT;
    enum rc rc = f->link(f->self, from, to, &cause);

    if (rc == RC_CONFLICT) {
        TRY(compare(s, to, octets, err));
    } else if (rc == RC_NOT_FOUND) { /* an earlier try may have got to the end */
        if (compare(s, to, octets, NULL) != RC_OK)
            return FAIL(err, rc, "%s", cause.text);
    } else if (rc != RC_OK) {
        return FAIL(err, rc, "%s", cause.text);
    }
    return f->sync_folder(f->self, folder, err);
}

/* A second fsync of a file after a failed one may succeed without the octets being there. */
static enum rc sync_or_discard(struct files *f, const char *path, struct err *err)
{
    enum rc rc = f->sync(f->self, path, err);

    if (rc != RC_OK && rc != RC_NOT_FOUND)
        (void)f->remove(f->self, path, NULL);
    return rc;
}

static enum rc
keep_written(struct blob_store *s, const char *path, const struct digest *octets, struct err *err)
{
    struct files *f = &s->files;
    char to[BLOB_PATH_SIZE];

    blob_path_incoming(octets, to);
    TRY(sync_or_discard(f, path, err));
    TRY(lasting_folder(f, "incoming", FILES_TOP, &s->incoming_durable, err));
    return give_name(s, path, to, "incoming", octets, err);
}

/* The port */

static enum rc store_begin(void *self, struct blob_writing **out, struct err *err)
{
    struct blob_store *s = self;
    struct files *f = &s->files;
    CLEANUP(mem_free) struct blob_writing *w = mem_new(1, sizeof *w);
    enum rc rc = RC_CONFLICT;

    TRY(f->make_folder(f->self, "tmp", err));
    for (int tried = 0; rc == RC_CONFLICT && tried < NAMES_TRIED; tried++) {
        snprintf(w->path, sizeof w->path, "tmp/fetch-%" PRIu64, s->next_name++);
        rc = f->create(f->self, w->path, SLICE_EMPTY, err);
    }
    if (rc == RC_CONFLICT)
        return FAIL(err, RC_BROKEN, "blobs: \"tmp\" is full of leftovers: empty it");
    if (rc != RC_OK)
        return rc;
    w->hash = sha256_new();
    *out = STEAL(w);
    return RC_OK;
}

static enum rc store_add(void *self, struct blob_writing *w, struct slice octets, struct err *err)
{
    struct files *f = files_of(self);

    TRY(f->append(f->self, w->path, octets, err));
    sha256_add(w->hash, octets);
    return RC_OK;
}

/* Also after keeping: the octets have another name then. A name that cannot be removed is only a
 * leftover, so that is no failure of the caller's. */
static void store_drop(void *self, struct blob_writing **w)
{
    struct files *f = files_of(self);

    if (*w == NULL)
        return;
    (void)f->remove(f->self, (*w)->path, NULL);
    sha256_drop(&(*w)->hash);
    free(*w);
    *w = NULL;
}

static enum rc
store_keep_incoming(void *self, struct blob_writing **w, struct digest *out, struct err *err)
{
    struct digest octets = sha256_done(&(*w)->hash);
    enum rc rc = keep_written(self, (*w)->path, &octets, err);

    store_drop(self, w);
    if (rc == RC_OK)
        *out = octets;
    return rc;
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
    TRY(item_folder(s, key, folder, err));
    return give_name(s, from, to, folder, octets, err);
}

/* The spool file was written by another process and is not believed: its octets are made durable,
 * then read back, and only then named. */
static enum rc
check_spool(struct blob_store *s, const char *spool, const struct digest *wanted, struct err *err)
{
    struct digest found;
    enum rc rc = sync_or_discard(&s->files, spool, err);

    if (rc == RC_NOT_FOUND)
        return RC_OK; /* give_name looks whether it was kept before */
    if (rc != RC_OK)
        return rc;
    TRY(hash_file(s, spool, &found, err));
    if (digest_eq(&found, wanted))
        return RC_OK;
    return FAIL(err, RC_BROKEN,
                "blobs: \"%s\" is not what was decoded: the disk or a program "
                "changed it",
                spool);
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
    TRY(check_spool(s, spool, sha256, err));
    TRY(item_folder(s, key, item, err));
    snprintf(folder, sizeof folder, "%s/attachments", item);
    TRY(durable_folder(&s->files, folder, item, err));
    return give_name(s, spool, to, folder, sha256, err);
}

static enum rc
store_read(void *self, const char *path, const struct blob_sink *sink, struct err *err)
{
    struct files *f = files_of(self);
    CLEANUP(mem_free) char *octets = mem_new(READ_ROOM, 1);
    int64_t offset = 0;
    size_t got;

    if (!path_is_under(path, "incoming") && !path_is_under(path, "items") &&
        !path_is_under(path, "tmp"))
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
        .read = store_read,
        .forget = store_forget,
    };
}

void blob_store_free(struct blob_store **store)
{
    free(*store);
    *store = NULL;
}
