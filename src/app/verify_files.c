/* SPDX-License-Identifier: Apache-2.0 */
#include "verify.h"

#include <dirent.h>
#include <stdio.h>
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

/* Keys begin with two hex digits, and so do the folders below items/: by them the ledger is asked for a part of its
 * files at a time. */
#define PARTS 256

static enum rc verify_part(struct verifying *v, unsigned part, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = &v->data->views;
    char keys[3];
    (void)snprintf(keys, sizeof keys, "%02x", part % PARTS);
    TRY(views->files(views->self, keys, &view, err));
    const struct view_file *f = view.row;
    for (size_t i = 0; i < view.count; i++)
        TRY(look_at(v, &f[i], err));
    return RC_OK;
}

/* ---- what is there -------------------------------------------------------------------------------------- */

static int by_path(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

struct walking {
    struct verifying *v;
    char part[3]; /* "KK" of items/KK/: which paths these are; "" none yet, or no such folder */
    char **path;  /* of what should be there, sorted; owned */
    size_t paths;
    enum rc rc; /* of the walk; once it is not RC_OK nothing more is judged */
    struct err *err;
};

static void walking_clear(struct walking *w)
{
    for (size_t i = 0; i < w->paths; i++)
        free(w->path[i]);
    free(w->path);
    w->path = NULL;
    w->paths = 0;
}

/* Under which path it is found: an object store leaves the name of an attachment out. */
static char *found_as(const struct verifying *v, const char *path)
{
    char listed[BLOB_PATH_SIZE];
    bool shorter = v->data->stored.s3 && s3_listed_path(path, listed, sizeof listed);
    return mem_text(shorter ? listed : path);
}

static enum rc read_part(struct walking *w, const char *part, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = &w->v->data->views;
    walking_clear(w);
    text_copy(w->part, sizeof w->part, part);
    if (part[0] == '\0')
        return RC_OK;
    TRY(views->files(views->self, part, &view, err));
    const struct view_file *f = view.row;
    w->path = mem_new(view.count + 1, sizeof *w->path);
    for (size_t i = 0; i < view.count; i++)
        w->path[w->paths++] = found_as(w->v, f[i].path);
    if (w->paths > 0)
        qsort(w->path, w->paths, sizeof *w->path, by_path);
    return RC_OK;
}

/* items/KK/…: "KK", else "". */
static void part_of(const char *path, char out[3])
{
    static const char hex[] = "0123456789abcdef";
    const char *at = path + sizeof "items/" - 1;
    bool is_part =
        strncmp(path, "items/", sizeof "items/" - 1) == 0 && strspn(at, hex) >= 2 && at[2] == '/';
    text_copy(out, 3, "");
    if (is_part)
        (void)snprintf(out, 3, "%.2s", at);
}

/* What is below one folder comes together, so that each part is read once. */
static enum rc judge(struct walking *w, const char *path, struct err *err)
{
    char part[3];
    part_of(path, part);
    if (strcmp(part, w->part) != 0)
        TRY(read_part(w, part, err));
    if (w->paths == 0 || !bsearch(&path, w->path, w->paths, sizeof *w->path, by_path))
        verify_tell(w->v, "file %s: nothing in the ledger knows it", path);
    return RC_OK;
}

static enum rc judge_listed(void *ctx, const char *path, int64_t size, struct err *err)
{
    (void)size;
    return judge(ctx, path, err);
}

/* Goes down the folders by name; `depth` bounds what a stray link could do. */
/* NOLINTNEXTLINE(misc-no-recursion): as deep as items/KK/KEY/attachments */
static void walk(struct walking *w, const char *path, int depth)
{
    CLEANUP(str_clear) struct str whole = STR_INIT;
    str_addf(&whole, "%s/%s", w->v->config->data_dir, path);
    DIR *folder = opendir(str_z(&whole));
    if (!folder) {
        if (depth > 0 && w->rc == RC_OK)
            w->rc = judge(w, path, w->err);
        return;
    }
    const struct dirent *entry;
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
    while (w->rc == RC_OK && (entry = readdir(folder)) != NULL) {
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
    CLEANUP(walking_clear) struct walking w = {.v = v, .rc = RC_OK, .err = err};
    for (unsigned part = 0; part < PARTS; part++)
        TRY(verify_part(v, part, err));
    if (v->data->stored.s3)
        return s3_files_list(v->data->stored.s3, judge_listed, &w, err);
    walk(&w, "items", 0);
    return w.rc;
}
