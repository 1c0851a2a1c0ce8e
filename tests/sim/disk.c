/* SPDX-License-Identifier: Apache-2.0 */
#include "disk.h"

#include <stdlib.h>
#include <string.h>

struct inode {
    struct inode *next;
    bool folder;
    struct str octets;
    struct str durable;
};

static struct disk_name *find(const struct disk *disk, const char *path)
{
    for (size_t i = 0; i < disk->count; i++)
        if (strcmp(disk->name[i].path, path) == 0)
            return &disk->name[i];
    return NULL;
}

static struct inode *seen(const struct disk *disk, const char *path)
{
    const struct disk_name *name = find(disk, path);

    return name == NULL ? NULL : name->seen;
}

static struct slice parent_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return (struct slice){path, slash == NULL ? 0 : (size_t)(slash - path)};
}

/* The folder of data_dir itself is always there. */
static bool folder_stands(const struct disk *disk, struct slice folder)
{
    if (folder.len == 0)
        return true;
    for (size_t i = 0; i < disk->count; i++)
        if (slice_eqz(folder, disk->name[i].path))
            return disk->name[i].seen != NULL && disk->name[i].seen->folder;
    return false;
}

static struct inode *inode_new(struct disk *disk, bool folder)
{
    struct inode *inode = mem_new(1, sizeof *inode);

    inode->folder = folder;
    inode->next = disk->inodes;
    disk->inodes = inode;
    return inode;
}

static struct disk_name *name_of(struct disk *disk, const char *path)
{
    struct disk_name *name = find(disk, path);

    if (name != NULL)
        return name;
    if (disk->count == disk->room) {
        disk->room = disk->room == 0 ? 64 : 2 * disk->room;
        disk->name = mem_grow(disk->name, disk->room, sizeof *disk->name);
    }
    disk->name[disk->count] = (struct disk_name){mem_text(path), NULL, NULL};
    return &disk->name[disk->count++];
}

void disk_end(struct disk *disk)
{
    for (size_t i = 0; i < disk->count; i++)
        free(disk->name[i].path);
    free(disk->name);
    while (disk->inodes != NULL) {
        struct inode *inode = disk->inodes;

        disk->inodes = inode->next;
        str_clear(&inode->octets);
        str_clear(&inode->durable);
        free(inode);
    }
    *disk = (struct disk){0};
}

/* A name is only as durable as the folders above it. */
static bool durable_at_all(const struct disk *disk, const char *path)
{
    struct slice folder = parent_of(path);

    if (folder.len == 0)
        return true;
    for (size_t i = 0; i < disk->count; i++)
        if (slice_eqz(folder, disk->name[i].path))
            return disk->name[i].durable != NULL && durable_at_all(disk, disk->name[i].path);
    return false;
}

void disk_lose_power(struct disk *disk, enum power_loss loss)
{
    if (loss == POWER_LOSS_ALL) {
        /* Judged for all before any is changed: it looks at the folders above. */
        bool *stays = mem_new(disk->count + 1, sizeof *stays);

        for (size_t i = 0; i < disk->count; i++)
            stays[i] = disk->name[i].durable != NULL && durable_at_all(disk, disk->name[i].path);
        for (size_t i = 0; i < disk->count; i++)
            disk->name[i].seen = disk->name[i].durable = stays[i] ? disk->name[i].durable : NULL;
        free(stays);
    } else {
        for (size_t i = 0; i < disk->count; i++)
            disk->name[i].durable = disk->name[i].seen;
    }
    for (struct inode *inode = disk->inodes; inode != NULL; inode = inode->next) {
        str_empty(&inode->octets);
        str_add(&inode->octets, str_slice(&inode->durable));
    }
    disk->full = false;
}

static enum rc may_make(const struct disk *disk, const char *path, struct err *err)
{
    if (!folder_stands(disk, parent_of(path)))
        return FAIL(err, RC_NOT_FOUND, "disk: the folder of '%s' is not there", path);
    if (seen(disk, path) != NULL)
        return FAIL(err, RC_CONFLICT, "disk: '%s' is there", path);
    if (disk->full)
        return FAIL(err, RC_DEFERRED, "disk: no room for '%s'", path);
    return RC_OK;
}

enum rc disk_create(struct disk *disk, const char *path, struct slice octets, struct err *err)
{
    TRY(may_make(disk, path, err));
    struct inode *inode = inode_new(disk, false);

    str_add(&inode->octets, octets);
    name_of(disk, path)->seen = inode;
    return RC_OK;
}

enum rc disk_append(struct disk *disk, const char *path, struct slice octets, struct err *err)
{
    struct inode *inode = seen(disk, path);

    if (inode == NULL || inode->folder)
        return FAIL(err, RC_NOT_FOUND, "disk: '%s' is not there", path);
    if (disk->full) {
        str_add(&inode->octets,
                slice_cut(octets, 0, octets.len / 2)); /* as far as there was room */
        return FAIL(err, RC_DEFERRED, "disk: no room for '%s'", path);
    }
    str_add(&inode->octets, octets);
    return RC_OK;
}

enum rc disk_sync(struct disk *disk, const char *path, struct err *err)
{
    struct inode *inode = seen(disk, path);

    if (inode == NULL || inode->folder)
        return FAIL(err, RC_NOT_FOUND, "disk: '%s' is not there", path);
    str_empty(&inode->durable);
    str_add(&inode->durable, str_slice(&inode->octets));
    return RC_OK;
}

enum rc disk_link(struct disk *disk, const char *from, const char *to, struct err *err)
{
    struct inode *inode = seen(disk, from);

    if (inode == NULL || inode->folder)
        return FAIL(err, RC_NOT_FOUND, "disk: '%s' is not there", from);
    TRY(may_make(disk, to, err));
    name_of(disk, to)->seen = inode;
    return RC_OK;
}

enum rc disk_make_folder(struct disk *disk, const char *path, struct err *err)
{
    const struct inode *inode = seen(disk, path);

    if (inode != NULL && inode->folder)
        return RC_OK;
    TRY(may_make(disk, path, err));
    name_of(disk, path)->seen = inode_new(disk, true);
    return RC_OK;
}

enum rc disk_sync_folder(struct disk *disk, const char *path, struct err *err)
{
    struct slice folder = slice_z(path);

    if (slice_eqz(folder, "."))
        folder = SLICE_EMPTY;
    if (!folder_stands(disk, folder))
        return FAIL(err, RC_NOT_FOUND, "disk: the folder '%s' is not there", path);
    for (size_t i = 0; i < disk->count; i++)
        if (slice_eq(parent_of(disk->name[i].path), folder))
            disk->name[i].durable = disk->name[i].seen;
    return RC_OK;
}

enum rc disk_remove(struct disk *disk, const char *path, struct err *err)
{
    struct disk_name *name = find(disk, path);

    if (name != NULL && name->seen != NULL && name->seen->folder)
        return FAIL(err, RC_BROKEN, "disk: '%s' is a folder", path);
    if (name != NULL)
        name->seen = NULL;
    return RC_OK;
}

bool disk_look(const struct disk *disk, const char *path, struct slice *out)
{
    const struct inode *inode = seen(disk, path);

    if (inode == NULL || inode->folder)
        return false;
    *out = str_slice(&inode->octets);
    return true;
}

bool disk_look_durable(const struct disk *disk, const char *path, struct slice *out)
{
    const struct disk_name *name = find(disk, path);

    if (name == NULL || name->durable == NULL || name->durable->folder ||
        !durable_at_all(disk, path))
        return false;
    *out = str_slice(&name->durable->durable);
    return true;
}

const char *disk_under(const struct disk *disk, const char *folder, size_t *at)
{
    size_t length = strlen(folder);

    while (*at < disk->count) {
        const struct disk_name *name = &disk->name[(*at)++];

        if (name->seen != NULL && !name->seen->folder && strncmp(name->path, folder, length) == 0 &&
            (length == 0 || name->path[length] == '/'))
            return name->path;
    }
    return NULL;
}
