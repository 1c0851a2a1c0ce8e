/* SPDX-License-Identifier: Apache-2.0
 *
 * keep - the steps by which a file under tmp/ becomes one that is kept.
 *
 * In this order: its octets durable, the folders above its name, the name; and by keep_settle those
 * folders durable, from the top. Whatever a step finds done is made durable again, since a run that
 * died may have stopped between the two halves.
 */
#pragma once

#include <onecase/blob_store.h>

struct blob_store {
    struct files files;
    uint64_t next_name;
    struct lasting { /* folders that nobody ever removes: made and settled once in a life */
        bool incoming, items;
        bool shelf[256]; /* items/KK, by its two digits */
    } made;
    struct came { /* to be made durable and named incoming/SHA256 by keep_settle */
        char path[BLOB_PATH_SIZE];
        struct digest octets;
    } * came;
    size_t came_count;
    char **spool; /* durable since the last keep_settle */
    size_t spool_count;
    char **changed; /* folders to be settled, those above first */
    size_t changed_count;
};

/* Writes what is still held of it; `path` is where it stands then, under tmp/; borrowed. */
enum rc
writing_whole(struct blob_store *s, struct blob_writing *w, const char **path, struct err *err);
/* Makes durable what came, names it, and makes durable the names in all folders that were changed. On
 * failure none is relied on. */
enum rc keep_settle(struct blob_store *s, struct err *err);
void keep_clear(struct blob_store *s);
/* Makes a folder in `parent`. */
enum rc keep_folder(struct blob_store *s, const char *path, const char *parent, struct err *err);
/* The same for items/KK/KEY and all above it; its path goes to `out`. */
enum rc
keep_item_folder(struct blob_store *s, const char *key, char out[BLOB_PATH_SIZE], struct err *err);
/* Gives the durable file `from` its final name in `folder`; a name that is taken, or a file that has
 * gone, is right where `to` has these octets. */
enum rc keep_name(struct blob_store *s,
                  const char *from,
                  const char *to,
                  const char *folder,
                  const struct digest *octets,
                  struct err *err);
/* A file that begin made becomes incoming/SHA256 by keep_settle. */
void keep_written(struct blob_store *s, const char *path, const struct digest *octets);
/* Makes spool files durable at once; where that fails they are gone. */
enum rc
keep_sync_spools(struct blob_store *s, const char *const *spool, size_t count, struct err *err);
/* Makes a spool file durable, where it is not, and reads it back; RC_OK also where it has gone. */
enum rc keep_check_spool(struct blob_store *s,
                         const char *spool,
                         const struct digest *wanted,
                         struct err *err);
