/* SPDX-License-Identifier: Apache-2.0 */
#include "token_p.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void close_fd(const int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

enum rc
token_file_read(const char *what, const char *path, size_t most, struct str *out, struct err *err)
{
    CLEANUP(close_fd) int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    CLEANUP(str_clear) struct str whole = STR_INIT;
    char piece[1024];
    ssize_t got = 1;

    while (fd >= 0 && got > 0 && whole.len <= most) {
        got = read(fd, piece, sizeof piece);
        str_add(&whole, (struct slice){piece, got > 0 ? (size_t)got : 0});
    }
    if (fd < 0 || got < 0)
        return FAIL(err, RC_REFUSED, "%s: %s cannot be read: %s", what, path, strerror(errno));
    str_empty(out);
    str_add(out, slice_trim(str_slice(&whole)));
    if (whole.len > most || out->len == 0)
        return FAIL(err, RC_REFUSED, "%s: %s is empty, or far too long", what, path);
    return RC_OK;
}

static enum rc write_whole(const char *path, struct slice text, struct err *err)
{
    CLEANUP(close_fd) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (fd < 0 || write(fd, text.at, text.len) != (ssize_t)text.len || fsync(fd) != 0)
        return FAIL(err, RC_DEFERRED, "%s cannot be written: %s", path, strerror(errno));
    return RC_OK;
}

static void sync_folder_of(const char *path)
{
    CLEANUP(str_clear) struct str folder = STR_INIT;
    const char *slash = strrchr(path, '/');

    str_add(&folder, slash != NULL ? (struct slice){path, (size_t)(slash - path) + 1} : SLICE("."));
    CLEANUP(close_fd) int fd = open(str_z(&folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0)
        (void)fsync(fd);
}

enum rc token_file_replace(const char *path, struct slice text, struct err *err)
{
    CLEANUP(str_clear) struct str fresh = STR_INIT;

    str_addf(&fresh, "%s.new", path);
    TRY(write_whole(str_z(&fresh), text, err));
    if (rename(str_z(&fresh), path) != 0)
        return FAIL(err, RC_DEFERRED, "%s cannot be replaced: %s", path, strerror(errno));
    sync_folder_of(path);
    return RC_OK;
}

int token_file_lock(const char *path)
{
    CLEANUP(str_clear) struct str name = STR_INIT;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    str_addf(&name, "%s.lock", path);
    int fd = open(str_z(&name), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0 && fcntl(fd, F_SETLKW, &lock) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}
