/* SPDX-License-Identifier: Apache-2.0 */
#include "posix_at.h"
#include "posix_errors.h"

#include <onecase/posix_files.h>
#include <onecase/when.h>

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static void close_listing(DIR **listing)
{
    if (*listing != NULL)
        closedir(*listing);
}

struct sweeping {
    const char *folder;
    bool (*leftover)(void *ctx, const char *name, int64_t written_ms);
    void *ctx;
};

static enum rc failed(const struct sweeping *w, const char *act, struct err *err)
{
    char reason[POSIX_REASON_SIZE];
    enum rc rc = posix_outcome(errno, reason);

    return FAIL(err, rc, "files: cannot %s \"%s\": %s", act, w->folder, reason);
}

static bool is_leftover(const struct sweeping *w, int folder, const char *name)
{
    struct stat facts;

    return fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(facts.st_mode) &&
           w->leftover(w->ctx, name, SECONDS(facts.st_mtim.tv_sec));
}

static enum rc sweep(const struct sweeping *w, DIR *listing, struct err *err)
{
    int folder = dirfd(listing);
    const struct dirent *entry;

    /* NOLINTNEXTLINE(concurrency-mt-unsafe): unsafe only for one listing read by two threads */
    for (errno = 0; (entry = readdir(listing)) != NULL; errno = 0)
        if (is_leftover(w, folder, entry->d_name) && unlinkat(folder, entry->d_name, 0) != 0 &&
            errno != ENOENT)
            return failed(w, "clear", err);
    return errno == 0 ? RC_OK : failed(w, "read", err);
}

static enum rc sweep_folder(const struct sweeping *w, const char *data_dir, struct err *err)
{
    CLEANUP(at_close) int top = at_open(AT_FDCWD, data_dir, AT_FOLDER & ~O_NOFOLLOW);
    CLEANUP(at_close) int folder = top < 0 ? -1 : at_open(top, w->folder, AT_FOLDER);
    CLEANUP(close_listing) DIR *listing = folder < 0 ? NULL : fdopendir(folder);

    if (listing == NULL)
        return errno == ENOENT ? RC_OK : failed(w, "open", err);
    (void)at_steal(&folder); /* the listing closes it */
    return sweep(w, listing, err);
}

static bool is_old(void *before_ms, const char *name, int64_t written_ms)
{
    (void)name;
    return written_ms < *(const int64_t *)before_ms;
}

enum rc posix_files_sweep(const char *data_dir, int64_t before_ms, struct err *err)
{
    const struct sweeping w = {.folder = "tmp", .leftover = is_old, .ctx = &before_ms};

    return sweep_folder(&w, data_dir, err);
}

enum rc
posix_files_sweep_incoming(const char *data_dir,
                           bool (*leftover)(void *ctx, const char *name, int64_t written_ms),
                           void *ctx,
                           struct err *err)
{
    const struct sweeping w = {.folder = "incoming", .leftover = leftover, .ctx = ctx};

    return sweep_folder(&w, data_dir, err);
}
