/* SPDX-License-Identifier: Apache-2.0 */
#include "keep.h"
#include "paths.h"

#include <onecase/blob_copy.h>

#include <stdio.h>
#include <string.h>

void blob_path_pooled(const struct digest *octets, char out[BLOB_PATH_SIZE])
{
    char hex[DIGEST_HEX_SIZE];

    digest_hex(octets, hex);
    snprintf(out, BLOB_PATH_SIZE, "files/%.2s/%s", hex, hex);
}

/* Every folder above the last component, from the top; `out` is the last. */
static enum rc
make_folders(struct blob_store *s, const char *path, char out[BLOB_PATH_SIZE], struct err *err)
{
    char above[BLOB_PATH_SIZE] = FILES_TOP;

    for (const char *end = strchr(path, '/'); end != NULL; end = strchr(end + 1, '/')) {
        snprintf(out, BLOB_PATH_SIZE, "%.*s", (int)(end - path), path);
        TRY(keep_folder(s, out, above, err));
        memcpy(above, out, BLOB_PATH_SIZE);
    }
    return RC_OK;
}

static bool may_be_placed(const char *path)
{
    return path_is_under(path, "files") || path_is_under(path, "items") ||
           path_is_under(path, "incoming") || path_is_under(path, "tmp");
}

enum rc blob_place(struct blob_store *store,
                   const char *spool,
                   const char *path,
                   const struct digest *octets,
                   struct err *err)
{
    char folder[BLOB_PATH_SIZE] = FILES_TOP;

    if (!path_is_under(spool, "tmp") || !may_be_placed(path))
        return FAIL(err, RC_USAGE, "blobs: not a spool file, or not a path of ours");
    TRY(keep_check_spool(store, spool, octets, err));
    TRY(make_folders(store, path, folder, err));
    TRY(keep_name(store, spool, path, folder, octets, err));
    return keep_settle(store, err);
}

struct copying {
    const struct blobs *to;
    struct blob_writing *writing;
    struct sha256 *hash;
};

static void copying_clear(struct copying *c)
{
    sha256_drop(&c->hash);
    if (c->writing != NULL)
        c->to->drop(c->to->self, &c->writing);
}

static enum rc add(void *ctx, struct slice octets, struct err *err)
{
    struct copying *c = ctx;

    sha256_add(c->hash, octets);
    return c->to->add(c->to->self, c->writing, octets, err);
}

enum rc blob_put(struct blob_store *store, const char *path, struct slice octets, struct err *err)
{
    const struct blobs port = blob_store_port(store);
    CLEANUP(copying_clear) struct copying c = {.to = &port};
    const struct digest digest = sha256_of(octets);
    const char *spool;

    TRY(port.begin(port.self, &c.writing, err));
    TRY(port.add(port.self, c.writing, octets, err));
    TRY(writing_whole(store, c.writing, &spool, err));
    return blob_place(store, spool, path, &digest, err);
}

enum rc blob_copy(struct blob_store *to,
                  const char *path,
                  const struct blobs *from,
                  const char *from_path,
                  const struct digest *octets,
                  struct err *err)
{
    const struct blobs port = blob_store_port(to);
    CLEANUP(copying_clear) struct copying c = {.to = &port, .hash = sha256_new()};

    TRY(port.begin(port.self, &c.writing, err));
    TRY(from->read(from->self, from_path, &(struct blob_sink){&c, add}, err));

    struct digest found = sha256_done(&c.hash);

    if (!digest_eq(&found, octets))
        return FAIL(err, RC_REFUSED, "blobs: \"%.*s\" is not what was stored",
                    path_shown(from_path), from_path);
    const char *spool;

    TRY(writing_whole(to, c.writing, &spool, err));
    return blob_place(to, spool, path, octets, err);
}
