/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "disk.h"

#include "point.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_ours(int fd)
{
    char link[32], path[4096];
    const char *folder = getenv("ONECASE_CRASH_DISK");
    if (!points_begun() || !folder)
        return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = '\0';
    return strncmp(path, folder, strlen(folder)) == 0;
}

static bool fails(const char *call, int fd)
{
    int saved = errno;
    int error = is_ours(fd) ? point_errno(call) : 0;
    errno = error ? error : saved;
    return error != 0;
}

ssize_t write(int fd, const void *octets, size_t size)
{
    return fails("disk.write", fd) ? -1 : syscall(SYS_write, fd, octets, size);
}

ssize_t pwrite(int fd, const void *octets, size_t size, off_t at)
{
    return fails("disk.write", fd) ? -1 : syscall(SYS_pwrite64, fd, octets, size, at);
}

ssize_t pwrite64(int fd, const void *octets, size_t size, off64_t at)
{
    return fails("disk.write", fd) ? -1 : syscall(SYS_pwrite64, fd, octets, size, at);
}

int fsync(int fd)
{
    return fails("disk.sync", fd) ? -1 : (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
    return fails("disk.sync", fd) ? -1 : (int)syscall(SYS_fdatasync, fd);
}
