/* SPDX-License-Identifier: Apache-2.0
 *
 * keep - the steps by which a file under tmp/ becomes one that is kept.
 *
 * In this order: its octets durable, every folder above its name durable, the name, the name's
 * folder durable. Whatever a step finds done it does again as far as durability goes, since a run
 * that died may have stopped between the two halves.
 */
#pragma once

#include <onecase/blob_store.h>

struct blob_store {
    struct files files;
    uint64_t next_name;
    bool incoming_durable;
    bool items_durable;
    bool shelf_durable[256]; /* items/KK, by its two digits */
};

/* Where it is written, under tmp/; borrowed. */
const char *writing_path(const struct blob_writing *w);
/* Makes a folder, and its name in `parent` durable. */
enum rc keep_folder(struct files *f, const char *path, const char *parent, struct err *err);
/* The same for items/KK/KEY and all above it; its path goes to `out`. */
enum rc
keep_item_folder(struct blob_store *s, const char *key, char out[BLOB_PATH_SIZE], struct err *err);
/* Gives the durable file `from` its final name in `folder`, which is durable itself; a name that
 * is taken, or a file that has gone, is right where `to` has these octets. */
enum rc keep_name(struct blob_store *s,
                  const char *from,
                  const char *to,
                  const char *folder,
                  const struct digest *octets,
                  struct err *err);
/* A file that begin made becomes incoming/SHA256. */
enum rc
keep_written(struct blob_store *s, const char *path, const struct digest *octets, struct err *err);
/* Makes a spool file durable and reads it back; RC_OK also where it has gone. */
enum rc keep_check_spool(struct blob_store *s,
                         const char *spool,
                         const struct digest *wanted,
                         struct err *err);
