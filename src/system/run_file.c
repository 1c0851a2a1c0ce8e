/* SPDX-License-Identifier: Apache-2.0 */
#include "run_file.h"

#include <onecase/when.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_SIZE 128 /* "MACHINE_ID BOOT_ID\n" */

void fd_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static int steal(int *fd)
{
    int stolen = *fd;

    *fd = -1;
    return stolen;
}

static enum rc failed(const char *what, struct err *err)
{
    char reason[96];
    int error = errno;

    if (strerror_r(error, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", error);
    return FAIL(err, RC_BROKEN, "system: cannot %s in data_dir/runs: %s", what, reason);
}

/* What a file says; "-" stands for no machine id. */

static const char *machine_word(const struct machine *m)
{
    return m->machine_id[0] != '\0' ? m->machine_id : "-";
}

static bool read_text(int fd, char machine_id[33], char boot_id[64])
{
    char text[TEXT_SIZE];
    ssize_t got = pread(fd, text, sizeof text - 1, 0);

    text[got > 0 ? got : 0] = '\0';
    return sscanf(text, "%32s %63s", machine_id, boot_id) == 2;
}

/* Locks are fcntl's: a child does not have them, so a dead run is dead while its child lives. */

static bool take_lock(int fd)
{
    return fcntl(fd, F_SETLK, &(struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET}) == 0;
}

/* Asking takes nothing, so it never stands in the way of the run that locks. */
static enum proof lock_proves(int fd)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};

    if (fcntl(fd, F_GETLK, &lock) != 0)
        return PROOF_NONE;
    return lock.l_type == F_UNLCK ? PROOF_DEAD : PROOF_ALIVE;
}

/* Locked before anything is in it: an empty file proves nothing to a reader. */
enum rc
run_file_make(int runs, const char *id, const struct machine *here, int *out, struct err *err)
{
    int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    CLEANUP(fd_close) int fd = openat(runs, id, flags, 0600);
    char text[TEXT_SIZE];
    int len = snprintf(text, sizeof text, "%s %s\n", machine_word(here), here->boot_id);

    if (fd < 0)
        return failed("make a file", err);
    if (!take_lock(fd))
        return failed("lock a file", err);
    if (write(fd, text, (size_t)len) != len || fsync(fd) != 0 || fsync(runs) != 0)
        return failed("write a file", err);
    *out = steal(&fd);
    return RC_OK;
}

enum proof run_file_proves(int runs, const char *id, const struct machine *here)
{
    CLEANUP(fd_close) int fd = openat(runs, id, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char machine_id[33];
    char boot_id[64];

    if (fd < 0 || !read_text(fd, machine_id, boot_id) ||
        strcmp(machine_id, machine_word(here)) != 0)
        return PROOF_NONE;
    if (strcmp(boot_id, here->boot_id) != 0)
        return PROOF_DEAD;
    return lock_proves(fd);
}

/* The folder */

enum rc run_files_open(const char *data_dir, int *out, struct err *err)
{
    CLEANUP(fd_close) int top = open(data_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (top < 0 || (mkdirat(top, "runs", 0700) != 0 && errno != EEXIST))
        return failed("begin", err);

    CLEANUP(fd_close)
    int runs = openat(top, "runs", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (runs < 0 || fsync(top) != 0)
        return failed("begin", err);
    *out = steal(&runs);
    return RC_OK;
}

static bool has_ended(int runs, const char *name, int64_t before_ms)
{
    struct stat facts;
    CLEANUP(fd_close) int fd = -1;

    if (fstatat(runs, name, &facts, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(facts.st_mode) ||
        SECONDS(facts.st_mtim.tv_sec) >= before_ms)
        return false;
    fd = openat(runs, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    return fd >= 0 && lock_proves(fd) == PROOF_DEAD;
}

void run_files_sweep(int runs, int64_t before_ms)
{
    int fd = openat(runs, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;

    if (listing == NULL) {
        fd_close(&fd);
        return;
    }
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): unsafe only for one listing read by two threads */
    while ((entry = readdir(listing)) != NULL)
        if (has_ended(runs, entry->d_name, before_ms))
            unlinkat(runs, entry->d_name, 0);
    closedir(listing);
}
