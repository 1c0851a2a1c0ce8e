/* SPDX-License-Identifier: Apache-2.0 */
#include "keep.h"
#include "paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Folders */

static void changed(struct blob_store *s, const char *folder)
{
    for (size_t i = 0; i < s->changed_count; i++)
        if (strcmp(s->changed[i], folder) == 0)
            return;
    s->changed = mem_grow(s->changed, s->changed_count + 1, sizeof *s->changed);
    s->changed[s->changed_count++] = mem_text(folder);
}

void keep_clear(struct blob_store *s)
{
    for (size_t i = 0; i < s->changed_count; i++)
        free(s->changed[i]);
    free(s->changed);
    s->changed = NULL;
    s->changed_count = 0;
}

enum rc keep_settle(struct blob_store *s, struct err *err)
{
    struct files *f = &s->files;
    enum rc rc = RC_OK;

    if (s->changed_count > 0)
        rc = f->sync_folders(f->self, (const char *const *)s->changed, s->changed_count, err);
    if (rc != RC_OK)
        s->made = (struct lasting){0};
    keep_clear(s);
    return rc;
}

/* To be settled also where it was there: whoever made it may have died before that. */
enum rc keep_folder(struct blob_store *s, const char *path, const char *parent, struct err *err)
{
    TRY(s->files.make_folder(s->files.self, path, err));
    changed(s, parent);
    return RC_OK;
}

static enum rc lasting_folder(
    struct blob_store *s, const char *path, const char *parent, bool *made, struct err *err)
{
    if (!*made)
        TRY(keep_folder(s, path, parent, err));
    *made = true;
    return RC_OK;
}

enum rc
keep_item_folder(struct blob_store *s, const char *key, char out[BLOB_PATH_SIZE], struct err *err)
{
    char shelf[BLOB_PATH_SIZE];
    size_t number = (size_t)strtoul((char[]){key[0], key[1], '\0'}, NULL, 16);

    snprintf(shelf, sizeof shelf, "items/%.2s", key);
    snprintf(out, BLOB_PATH_SIZE, "items/%.2s/%s", key, key);
    TRY(lasting_folder(s, "items", FILES_TOP, &s->made.items, err));
    TRY(lasting_folder(s, shelf, "items", &s->made.shelf[number], err));
    return keep_folder(s, out, shelf, err);
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

/* Until its folder is settled a power cut may leave either nothing or the whole. */
enum rc keep_name(struct blob_store *s,
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
    changed(s, folder);
    return RC_OK;
}

/* A second fsync of a file after a failed one may succeed without the octets being there. */
static enum rc sync_or_discard(struct files *f, const char *path, struct err *err)
{
    enum rc rc = f->sync(f->self, path, err);

    if (rc != RC_OK && rc != RC_NOT_FOUND)
        (void)f->remove(f->self, path, NULL);
    return rc;
}

enum rc
keep_written(struct blob_store *s, const char *path, const struct digest *octets, struct err *err)
{
    struct files *f = &s->files;
    char to[BLOB_PATH_SIZE];

    blob_path_incoming(octets, to);
    TRY(sync_or_discard(f, path, err));
    TRY(lasting_folder(s, "incoming", FILES_TOP, &s->made.incoming, err));
    return keep_name(s, path, to, "incoming", octets, err);
}

/* The spool file was written by another process and is not believed: its octets are made durable,
 * then read back, and only then named. */
enum rc keep_check_spool(struct blob_store *s,
                         const char *spool,
                         const struct digest *wanted,
                         struct err *err)
{
    struct digest found;
    enum rc rc = sync_or_discard(&s->files, spool, err);

    if (rc == RC_NOT_FOUND)
        return RC_OK; /* keep_name looks whether it was kept before */
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
