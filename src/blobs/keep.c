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

static void clear_paths(char ***path, size_t *count)
{
    for (size_t i = 0; i < *count; i++)
        free((*path)[i]);
    free(*path);
    *path = NULL;
    *count = 0;
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

/* A second fsync of a file after a failed one may succeed without the octets being there: all of them
 * are given up. */
static enum rc
sync_or_discard(struct files *f, const char *const *path, size_t count, struct err *err)
{
    enum rc rc = f->sync_files(f->self, path, count, err);

    for (size_t i = 0; rc != RC_OK && rc != RC_NOT_FOUND && i < count; i++)
        (void)f->remove(f->self, path[i], NULL);
    return rc;
}

/* What came */

void keep_written(struct blob_store *s, const char *path, const struct digest *octets)
{
    struct came *new;

    s->came = mem_grow(s->came, s->came_count + 1, sizeof *s->came);
    new = &s->came[s->came_count++];
    memcpy(new->path, path, strlen(path) + 1);
    new->octets = *octets;
}

static enum rc sync_came(struct blob_store *s, struct err *err)
{
    CLEANUP(mem_free) const char **path = mem_new(s->came_count, sizeof *path);

    for (size_t i = 0; i < s->came_count; i++)
        path[i] = s->came[i].path;
    return s->files.sync_files(s->files.self, path, s->came_count, err);
}

static enum rc name_came(struct blob_store *s, struct err *err)
{
    char to[BLOB_PATH_SIZE];

    TRY(lasting_folder(s, "incoming", FILES_TOP, &s->made.incoming, err));
    for (size_t i = 0; i < s->came_count; i++) {
        blob_path_incoming(&s->came[i].octets, to);
        TRY(keep_name(s, s->came[i].path, to, "incoming", &s->came[i].octets, err));
    }
    return RC_OK;
}

/* Named or not: what could not be made durable is given up. A name under tmp/ that cannot be removed is
 * only a leftover. */
static void clear_came(struct blob_store *s)
{
    struct files *f = &s->files;

    for (size_t i = 0; i < s->came_count; i++)
        (void)f->remove(f->self, s->came[i].path, NULL);
    mem_free(&s->came);
    s->came_count = 0;
}

static enum rc settle_came(struct blob_store *s, struct err *err)
{
    enum rc rc = s->came_count > 0 ? sync_came(s, err) : RC_OK;

    if (rc == RC_OK && s->came_count > 0)
        rc = name_came(s, err);
    clear_came(s);
    return rc;
}

/* Settling */

void keep_clear(struct blob_store *s)
{
    clear_came(s);
    clear_paths(&s->spool, &s->spool_count);
    clear_paths(&s->changed, &s->changed_count);
}

enum rc keep_settle(struct blob_store *s, struct err *err)
{
    struct files *f = &s->files;
    enum rc rc = settle_came(s, err);

    if (rc == RC_OK && s->changed_count > 0)
        rc = f->sync_folders(f->self, (const char *const *)s->changed, s->changed_count, err);
    if (rc != RC_OK)
        s->made = (struct lasting){0};
    keep_clear(s);
    return rc;
}

/* Spool files */

enum rc
keep_sync_spools(struct blob_store *s, const char *const *spool, size_t count, struct err *err)
{
    TRY(sync_or_discard(&s->files, spool, count, err));
    s->spool = mem_grow(s->spool, s->spool_count + count, sizeof *s->spool);
    for (size_t i = 0; i < count; i++)
        s->spool[s->spool_count++] = mem_text(spool[i]);
    return RC_OK;
}

static bool is_durable(const struct blob_store *s, const char *spool)
{
    for (size_t i = 0; i < s->spool_count; i++)
        if (strcmp(s->spool[i], spool) == 0)
            return true;
    return false;
}

/* The spool file was written by another process and is not believed: its octets are made durable,
 * then read back, and only then named. */
enum rc keep_check_spool(struct blob_store *s,
                         const char *spool,
                         const struct digest *wanted,
                         struct err *err)
{
    struct digest found;
    enum rc rc = is_durable(s, spool) ? RC_OK : sync_or_discard(&s->files, &spool, 1, err);

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
