/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* NOLINT(readability-identifier-naming): for syncfs */
#include "paths.h"
#include "posix_at.h"
#include "posix_errors.h"

#include <onecase/posix_files.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* More of them are made durable by syncfs, which also writes what others have in that file system. */
#define SYNCED_APART 4

struct posix_files {
    int top;
    bool syncs_as_a_whole;
    struct writing {
        char path[BLOB_PATH_SIZE]; /* "" where the place is free */
        int fd;
    } writing[POSIX_FILES_WRITING];
    size_t next_writing; /* the place that is taken next, whoever has it */
};

static enum rc failed(const char *act, const char *path, struct err *err)
{
    char reason[POSIX_REASON_SIZE];
    enum rc rc = posix_outcome(errno, reason);

    return FAIL(err, rc, "files: %s \"%.*s\": %s", act, path_shown(path), path, reason);
}

/* Files that are being written */

static struct writing *find_writing(struct posix_files *p, const char *path)
{
    for (size_t i = 0; i < LENGTH(p->writing); i++)
        if (strcmp(p->writing[i].path, path) == 0)
            return &p->writing[i];
    return NULL;
}

static void close_writing(struct writing *w)
{
    if (w->path[0] != '\0')
        at_close(&w->fd);
    w->path[0] = '\0';
}

static void end_writing(struct posix_files *p, const char *path)
{
    struct writing *w = find_writing(p, path);

    if (w != NULL)
        close_writing(w);
}

/* Who is closed for another is opened anew for what is still done with it: the kernel tells an error
 * that nobody has heard yet to whoever opens the file next. */
static struct writing *place_for_writing(struct posix_files *p)
{
    struct writing *w = &p->writing[p->next_writing++ % LENGTH(p->writing)];

    close_writing(w);
    return w;
}

/* The descriptor that create left open, else a new one, which the caller closes by `own`. */
static int writing_fd(struct posix_files *p, const char *path, int *own)
{
    const struct writing *w = find_writing(p, path);

    if (w != NULL)
        return w->fd;
    *own = at_open_file(p->top, path, AT_APPEND);
    return *own;
}

/* The port */

static int top_of(void *self)
{
    return ((struct posix_files *)self)->top;
}

static enum rc files_create(void *self, const char *path, struct slice octets, struct err *err)
{
    struct posix_files *p = self;
    struct writing *w;
    const char *name;
    CLEANUP(at_close) int folder = at_open_parent(p->top, path, &name);

    if (strlen(path) >= sizeof w->path)
        return FAIL(err, RC_BROKEN, "files: too long a path");
    w = place_for_writing(p);
    w->fd = folder < 0 ? -1 : at_open(folder, name, AT_NEW);
    if (w->fd < 0)
        return failed("cannot make", path, err);
    memcpy(w->path, path, strlen(path) + 1);
    if (at_write(w->fd, octets))
        return RC_OK;
    enum rc rc = failed("cannot write", path, err);

    end_writing(p, path);
    unlinkat(folder, name, 0);
    return rc;
}

static enum rc files_append(void *self, const char *path, struct slice octets, struct err *err)
{
    CLEANUP(at_close) int own = -1;
    int fd = writing_fd(self, path, &own);

    return fd >= 0 && at_write(fd, octets) ? RC_OK : failed("cannot write", path, err);
}

static enum rc sync_file(struct posix_files *p, const char *path, struct err *err)
{
    CLEANUP(at_close) int own = -1;
    int fd = writing_fd(p, path, &own);

    if (fd < 0)
        return failed("cannot open", path, err);
    enum rc rc = at_sync(fd) ? RC_OK : failed("cannot make durable", path, err);

    end_writing(p, path);
    return rc;
}

static enum rc sync_all(struct posix_files *p, struct err *err)
{
    return syncfs(p->top) == 0 ? RC_OK : failed("cannot make durable", FILES_TOP, err);
}

static enum rc files_sync_files(void *self, const char *const *path, size_t count, struct err *err)
{
    struct posix_files *p = self;
    bool together = count > SYNCED_APART && p->syncs_as_a_whole;

    for (size_t i = 0; !together && i < count; i++)
        TRY(sync_file(p, path[i], err));
    for (size_t i = 0; together && i < count; i++)
        end_writing(p, path[i]);
    return together ? sync_all(p, err) : RC_OK;
}

static enum rc files_link(void *self, const char *from, const char *to, struct err *err)
{
    const char *from_name;
    const char *to_name;
    CLEANUP(at_close) int from_folder = at_open_parent(top_of(self), from, &from_name);
    CLEANUP(at_close)
    int to_folder = from_folder < 0 ? -1 : at_open_parent(top_of(self), to, &to_name);

    if (to_folder < 0 || linkat(from_folder, from_name, to_folder, to_name, 0) != 0)
        return failed("cannot name", to, err);
    return RC_OK;
}

static enum rc files_make_folder(void *self, const char *path, struct err *err)
{
    const char *name;
    struct stat facts;
    CLEANUP(at_close) int folder = at_open_parent(top_of(self), path, &name);

    if (folder >= 0 && mkdirat(folder, name, 0700) == 0)
        return RC_OK;
    if (folder < 0 || errno != EEXIST || fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) != 0)
        return failed("cannot make folder", path, err);
    if (S_ISDIR(facts.st_mode))
        return RC_OK;
    errno = ENOTDIR;
    return failed("cannot make folder", path, err);
}

static enum rc sync_folder(struct posix_files *p, const char *path, struct err *err)
{
    const char *name;
    CLEANUP(at_close) int above = at_open_parent(p->top, path, &name);
    CLEANUP(at_close) int folder = above < 0 ? -1 : at_open(above, name, AT_FOLDER);

    return folder >= 0 && at_sync(folder) ? RC_OK : failed("cannot make durable", path, err);
}

/* Where syncfs(2) comes back only after all of the file system is durable, and tells every error of
 * it. Elsewhere, as on FUSE, it may do nothing and say so by nothing. */
static bool syncs_as_a_whole(int fd)
{
    static const uint32_t kinds[] = {EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC};
    struct statfs facts;

    if (fstatfs(fd, &facts) != 0)
        return false;
    for (size_t i = 0; i < LENGTH(kinds); i++)
        if ((uint32_t)facts.f_type == kinds[i])
            return true;
    return false;
}

static enum rc
files_sync_folders(void *self, const char *const *path, size_t count, struct err *err)
{
    struct posix_files *p = self;

    if (count > SYNCED_APART && p->syncs_as_a_whole)
        return sync_all(p, err);
    for (size_t i = 0; i < count; i++)
        TRY(sync_folder(p, path[i], err));
    return RC_OK;
}

/* NOLINTNEXTLINE(readability-function-size): the port's shape */
static enum rc files_read(void *self,
                          const char *path,
                          int64_t offset,
                          char *into,
                          size_t room,
                          size_t *got,
                          struct err *err)
{
    CLEANUP(at_close) int fd = at_open_file(top_of(self), path, AT_READ);
    ssize_t octets;

    if (fd < 0)
        return failed("cannot open", path, err);
    do
        octets = pread(fd, into, room, (off_t)offset);
    while (octets < 0 && errno == EINTR);
    if (octets < 0)
        return failed("cannot read", path, err);
    *got = (size_t)octets;
    return RC_OK;
}

static enum rc files_remove(void *self, const char *path, struct err *err)
{
    const char *name;

    end_writing(self, path);
    CLEANUP(at_close) int folder = at_open_parent(top_of(self), path, &name);

    if (folder >= 0 && unlinkat(folder, name, 0) == 0)
        return RC_OK;
    return errno == ENOENT ? RC_OK : failed("cannot remove", path, err);
}

static enum rc files_space(void *self, int64_t *out, struct err *err)
{
    const struct posix_files *p = self;
    struct statvfs facts;

    if (fstatvfs(p->top, &facts) != 0)
        return failed("cannot measure", FILES_TOP, err);
    *out = (int64_t)facts.f_bavail * (int64_t)facts.f_frsize;
    return RC_OK;
}

/* Opening */

/* Its own name is made durable as any other, where the folder above may be opened at all. */
static enum rc check_top(int top, const char *data_dir, struct err *err)
{
    struct stat facts;

    if (fstat(top, &facts) != 0)
        return failed("cannot open", data_dir, err);
    if ((facts.st_mode & 077) != 0 || (facts.st_uid != geteuid() && geteuid() != 0))
        return FAIL(err, RC_BROKEN,
                    "files: \"%s\" must belong to the account that runs onecase and be closed to "
                    "others: chown it, and chmod 700",
                    data_dir);

    CLEANUP(at_close) int above = at_open(top, "..", AT_FOLDER);

    if (above < 0 ? errno != EACCES : !at_sync(above))
        return failed("cannot make durable", data_dir, err);
    return RC_OK;
}

enum rc posix_files_open(const char *data_dir, struct posix_files **out, struct err *err)
{
    CLEANUP(at_close) int top = -1;

    if (mkdir(data_dir, 0700) != 0 && errno != EEXIST)
        return failed("cannot make folder", data_dir, err);
    top = at_open(AT_FDCWD, data_dir, AT_FOLDER & ~O_NOFOLLOW);
    if (top < 0)
        return failed("cannot open", data_dir, err);
    TRY(check_top(top, data_dir, err));
    *out = mem_new(1, sizeof **out);
    (*out)->top = at_steal(&top);
    (*out)->syncs_as_a_whole = syncs_as_a_whole((*out)->top);
    return RC_OK;
}

void posix_files_close(struct posix_files **files)
{
    if (*files == NULL)
        return;
    for (size_t i = 0; i < LENGTH((*files)->writing); i++)
        close_writing(&(*files)->writing[i]);
    at_close(&(*files)->top);
    free(*files);
    *files = NULL;
}

struct files posix_files_port(struct posix_files *files)
{
    return (struct files){
        .self = files,
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
}
