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

static bool is_leftover(int folder, const char *name, int64_t before_ms)
{
    struct stat facts;

    return fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(facts.st_mode) &&
           SECONDS(facts.st_mtim.tv_sec) < before_ms;
}

static enum rc failed(const char *act, struct err *err)
{
    char reason[POSIX_REASON_SIZE];
    enum rc rc = posix_outcome(errno, reason);

    return FAIL(err, rc, "files: cannot %s \"tmp\": %s", act, reason);
}

static enum rc sweep(DIR *listing, int64_t before_ms, struct err *err)
{
    int folder = dirfd(listing);
    const struct dirent *entry;

    /* NOLINTNEXTLINE(concurrency-mt-unsafe): unsafe only for one listing read by two threads */
    for (errno = 0; (entry = readdir(listing)) != NULL; errno = 0)
        if (is_leftover(folder, entry->d_name, before_ms) &&
            unlinkat(folder, entry->d_name, 0) != 0 && errno != ENOENT)
            return failed("clear", err);
    return errno == 0 ? RC_OK : failed("read", err);
}

enum rc posix_files_sweep(const char *data_dir, int64_t before_ms, struct err *err)
{
    CLEANUP(at_close) int top = at_open(AT_FDCWD, data_dir, AT_FOLDER & ~O_NOFOLLOW);
    CLEANUP(at_close) int folder = top < 0 ? -1 : at_open(top, "tmp", AT_FOLDER);
    CLEANUP(close_listing) DIR *listing = folder < 0 ? NULL : fdopendir(folder);

    if (listing == NULL)
        return errno == ENOENT ? RC_OK : failed("open", err);
    (void)at_steal(&folder); /* the listing closes it */
    return sweep(listing, before_ms, err);
}
