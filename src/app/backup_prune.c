/* SPDX-License-Identifier: Apache-2.0 */
#include "backup_prune.h"

#include "backup_folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pruning {
    struct backup_folder folder;
    struct digest *needed; /* sorted, once all are known */
    size_t count;
    struct backup_made *out;
};

static void pruning_clear(struct pruning *p)
{
    backup_folder_close(&p->folder);
    free(p->needed);
}

static int by_octets(const void *a, const void *b)
{
    return memcmp(a, b, DIGEST_SIZE);
}

static enum rc need(struct pruning *p, const char *name, struct err *err)
{
    CLEANUP(manifest_clear) struct manifest m = {0};
    TRY(backup_folder_read(&p->folder, name, &m, err));
    p->needed = mem_grow(p->needed, p->count + m.files + 1, sizeof *p->needed);
    for (size_t i = 0; i < m.files; i++)
        p->needed[p->count++] = m.file[i].octets;
    return RC_OK;
}

static enum rc remove_backup(struct pruning *p, const char *name, struct err *err)
{
    const struct files *f = &p->folder.files;
    char path[BACKUP_NAME_SIZE + 16];
    snprintf(path, sizeof path, "%s.manifest", name);
    TRY(f->remove(f->self, path, err));
    p->out->backups_removed++;
    return RC_OK;
}

static enum rc remove_file(struct pruning *p, const char *shelf, const char *name, struct err *err)
{
    const struct files *f = &p->folder.files;
    struct digest octets;
    char path[BLOB_PATH_SIZE];
    if (!digest_from_hex(slice_z(name), &octets) ||
        bsearch(&octets, p->needed, p->count, sizeof octets, by_octets))
        return RC_OK;
    snprintf(path, sizeof path, "files/%s/%s", shelf, name);
    TRY(f->remove(f->self, path, err));
    p->out->files_removed++;
    return RC_OK;
}

static void close_listing(DIR **listing)
{
    if (*listing)
        closedir(*listing);
}

static enum rc
each_entry(struct pruning *p,
           const char *shelf,
           enum rc (*each)(struct pruning *, const char *, const char *, struct err *),
           struct err *err)
{
    CLEANUP(str_clear) struct str path = STR_INIT;
    str_addf(&path, "%s/files%s%s", p->folder.path, shelf[0] ? "/" : "", shelf);
    CLEANUP(close_listing) DIR *listing = opendir(str_z(&path));
    const struct dirent *entry;
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
    while (listing && (entry = readdir(listing)) != NULL)
        if (entry->d_name[0] != '.')
            TRY(each(p, shelf, entry->d_name, err));
    return RC_OK;
}

static enum rc each_shelf(struct pruning *p, const char *top, const char *shelf, struct err *err)
{
    (void)top;
    return each_entry(p, shelf, remove_file, err);
}

/* The names go first: a file without a backup is only a leftover. */
static enum rc prune(struct pruning *p, size_t gone, struct err *err)
{
    for (size_t i = gone; i < p->folder.names; i++)
        TRY(need(p, p->folder.name[i], err));
    qsort(p->needed, p->count, sizeof *p->needed, by_octets);
    for (size_t i = 0; i < gone; i++)
        TRY(remove_backup(p, p->folder.name[i], err));
    TRY(sync_folder_of(&p->folder.files, FILES_TOP, err));
    return each_entry(p, "", each_shelf, err);
}

enum rc backup_prune(const char *path, int64_t keep, struct backup_made *out, struct err *err)
{
    CLEANUP(pruning_clear) struct pruning p = {.out = out};
    if (keep <= 0)
        return RC_OK;
    TRY(backup_folder_open(path, false, &p.folder, err));
    size_t kept = (size_t)keep < p.folder.names ? (size_t)keep : p.folder.names;
    return prune(&p, p.folder.names - kept, err);
}
