/* SPDX-License-Identifier: Apache-2.0 */
#include "decorate.h"

#include "point.h"

static struct blobs real_blobs;
static struct files real_files;

/* ---- blobs -------------------------------------------------------------------------------------- */

AT_POINT(blobs, begin, (void *self, struct blob_writing **out, struct err *err), self, out, err)
AT_POINT(blobs,
         add,
         (void *self, struct blob_writing *w, struct slice octets, struct err *err),
         self,
         w,
         octets,
         err)
AT_POINT(blobs,
         keep_original,
         (void *self, const struct digest *octets, const char *key, struct err *err),
         self,
         octets,
         key,
         err)
AT_POINT(blobs,
         keep_attachment,
         (void *self,
          const char *key,
          const char *name,
          const char *spool,
          const struct digest *sha256,
          struct err *err),
         self,
         key,
         name,
         spool,
         sha256,
         err)
AT_POINT(blobs,
         read,
         (void *self, const char *path, const struct blob_sink *sink, struct err *err),
         self,
         path,
         sink,
         err)
AT_POINT(blobs,
         sync_spools,
         (void *self, const char *const *spool, size_t count, struct err *err),
         self,
         spool,
         count,
         err)
AT_POINT(blobs, settle, (void *self, struct err *err), self, err)
AT_POINT(blobs, forget, (void *self, const char *path, struct err *err), self, path, err)

/* What is not kept is dropped, as the port says. */
static enum rc blobs_keep_incoming(void *self,
                                   struct blob_writing **w,
                                   const struct digest *octets,
                                   struct err *err)
{
    struct point point = point_at("blobs.keep_incoming", "");
    if (point.answers) {
        real_blobs.drop(self, w);
        return point_answer(&point, err);
    }
    return point_over(&point, real_blobs.keep_incoming(self, w, octets, err), err);
}

static void blobs_drop(void *self, struct blob_writing **w)
{
    struct point point = point_at("blobs.drop", "");
    real_blobs.drop(self, w);
    point_left(&point);
}

const struct blobs *decorated_blobs(const struct blobs *real)
{
    static struct blobs blobs;
    real_blobs = *real;
    blobs = (struct blobs){
        .self = real->self,
        .begin = blobs_begin,
        .add = blobs_add,
        .keep_incoming = blobs_keep_incoming,
        .drop = blobs_drop,
        .keep_original = blobs_keep_original,
        .keep_attachment = blobs_keep_attachment,
        .sync_spools = blobs_sync_spools,
        .settle = blobs_settle,
        .read = blobs_read,
        .forget = blobs_forget,
    };
    return &blobs;
}

/* ---- files: the steps that a blob is made of ---------------------------------------------------- */

AT_POINT(files,
         create,
         (void *self, const char *path, struct slice octets, struct err *err),
         self,
         path,
         octets,
         err)
AT_POINT(files,
         append,
         (void *self, const char *path, struct slice octets, struct err *err),
         self,
         path,
         octets,
         err)
AT_POINT(files,
         sync_files,
         (void *self, const char *const *path, size_t count, struct err *err),
         self,
         path,
         count,
         err)
AT_POINT(files,
         link,
         (void *self, const char *from, const char *to, struct err *err),
         self,
         from,
         to,
         err)
AT_POINT(files, make_folder, (void *self, const char *path, struct err *err), self, path, err)
AT_POINT(files,
         sync_folders,
         (void *self, const char *const *path, size_t count, struct err *err),
         self,
         path,
         count,
         err)
AT_POINT(files,
         read,
         (void *self,
          const char *path,
          int64_t offset,
          char *into,
          size_t room,
          size_t *got,
          struct err *err),
         self,
         path,
         offset,
         into,
         room,
         got,
         err)
AT_POINT(files, remove, (void *self, const char *path, struct err *err), self, path, err)
AT_POINT(files, space, (void *self, int64_t *out, struct err *err), self, out, err)

const struct files *decorated_files(const struct files *real)
{
    static struct files files;
    real_files = *real;
    files = (struct files){
        .self = real->self,
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
    return &files;
}
