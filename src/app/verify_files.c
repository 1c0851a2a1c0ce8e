/* SPDX-License-Identifier: Apache-2.0 */
#include "verify.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* ---- what should be there ------------------------------------------------------------------------------- */

static enum rc look_at(struct verifying *v, const struct view_file *f, struct err *err)
{
    struct digest found;
    char hex[DIGEST_HEX_SIZE];
    int64_t size;
    struct err why = ERR_INIT;
    v->out->files++;
    enum rc rc = blob_digest(&v->data->blobs, f->path, &found, &size, &why);
    if (rc == RC_NOT_FOUND) {
        verify_tell(v, "file %s: it is not there", f->path);
        return RC_OK;
    }
    if (rc != RC_OK) {
        verify_tell(v, "file %s: it cannot be read", f->path);
        return rc == RC_BROKEN ? RC_OK : FAIL(err, rc, "%s", why.text);
    }
    digest_hex(&found, hex);
    if (strcmp(hex, f->sha256) != 0)
        verify_tell(v, "file %s: it is not what was stored", f->path);
    return RC_OK;
}

/* ---- what is there -------------------------------------------------------------------------------------- */

static int by_path(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

struct walking {
    struct verifying *v;
    char **path; /* of what should be there, sorted; owned */
    size_t paths;
};

static void walking_clear(struct walking *w)
{
    for (size_t i = 0; i < w->paths; i++)
        free(w->path[i]);
    free(w->path);
}

static void judge(struct walking *w, const char *path)
{
    if (w->paths > 0 && bsearch(&path, w->path, w->paths, sizeof *w->path, by_path))
        return;
    verify_tell(w->v, "file %s: nothing in the ledger knows it", path);
}

static enum rc judge_listed(void *ctx, const char *path, int64_t size, struct err *err)
{
    (void)size;
    (void)err;
    judge(ctx, path);
    return RC_OK;
}

/* Under which path it is found: an object store leaves the name of an attachment out. */
static char *found_as(const struct verifying *v, const char *path)
{
    char listed[BLOB_PATH_SIZE];
    bool shorter = v->data->stored.s3 && s3_listed_path(path, listed, sizeof listed);
    return mem_text(shorter ? listed : path);
}

/* Goes down the folders by name; `depth` bounds what a stray link could do. */
/* NOLINTNEXTLINE(misc-no-recursion): as deep as items/KK/KEY/attachments */
static void walk(struct walking *w, const char *path, int depth)
{
    CLEANUP(str_clear) struct str whole = STR_INIT;
    str_addf(&whole, "%s/%s", w->v->config->data_dir, path);
    DIR *folder = opendir(str_z(&whole));
    if (!folder) {
        if (depth > 0)
            judge(w, path);
        return;
    }
    const struct dirent *entry;
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
    while ((entry = readdir(folder)) != NULL) {
        CLEANUP(str_clear) struct str one = STR_INIT;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        str_addf(&one, "%s/%s", path, entry->d_name);
        if (depth < 4)
            walk(w, str_z(&one), depth + 1);
    }
    closedir(folder);
}

/* An item that is being worked on may have a file before it is recorded. */
enum rc verify_files(struct verifying *v, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = &v->data->views;
    CLEANUP(walking_clear) struct walking w = {.v = v};
    TRY(views->files(views->self, &view, err));
    const struct view_file *f = view.row;
    w.path = mem_new(view.count + 1, sizeof *w.path);
    for (size_t i = 0; i < view.count; i++) {
        TRY(look_at(v, &f[i], err));
        w.path[w.paths++] = found_as(v, f[i].path);
    }
    if (w.paths > 0)
        qsort(w.path, w.paths, sizeof *w.path, by_path);
    if (v->data->stored.s3)
        return s3_files_list(v->data->stored.s3, judge_listed, &w, err);
    walk(&w, "items", 0);
    return RC_OK;
}
