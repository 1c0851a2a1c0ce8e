/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* NOLINT(readability-identifier-naming): for openat2 */
#include "posix_at.h"

#include <errno.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COMPONENT_SIZE 256
#define PATH_SIZE      512

void at_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

int at_steal(int *fd)
{
    int stolen = *fd;

    *fd = -1;
    return stolen;
}

int at_open(int folder, const char *name, int flags)
{
    int fd;

    do
        fd = openat(folder, name, flags, 0600);
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* The kernel walks by itself and follows no link on its way. Before Linux 5.6, and where a sandbox
 * forbids what it does not know, it cannot: `*walk`. */
static int open_at_once(int top, const char *path, int flags, bool *walk)
{
    struct open_how how = {.flags = (unsigned)flags, .resolve = RESOLVE_NO_SYMLINKS};
    long fd;

    do
        fd = syscall(SYS_openat2, top, path, &how, sizeof how);
    while (fd < 0 && errno == EINTR);
    *walk = fd < 0 && (errno == ENOSYS || errno == EPERM);
    return (int)fd;
}

static int walk_to_parent(int top, const char *path, const char **name)
{
    char component[COMPONENT_SIZE];
    const char *slash;
    int folder = at_open(top, ".", AT_FOLDER);

    for (; folder >= 0 && (slash = strchr(path, '/')) != NULL; path = slash + 1) {
        int above = folder;

        snprintf(component, sizeof component, "%.*s", (int)(slash - path), path);
        folder = at_open(above, component, AT_FOLDER);
        close(above);
    }
    *name = path;
    return folder;
}

int at_open_parent(int top, const char *path, const char **name)
{
    char folder[PATH_SIZE];
    const char *slash = strrchr(path, '/');
    bool walk = slash == NULL || (size_t)(slash - path) >= sizeof folder;
    int fd = -1;

    if (!walk) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        fd = open_at_once(top, folder, AT_FOLDER, &walk);
        *name = slash + 1;
    }
    return walk ? walk_to_parent(top, path, name) : fd;
}

int at_open_file(int top, const char *path, int flags)
{
    bool walk;
    int fd = open_at_once(top, path, flags, &walk);
    const char *name;

    if (!walk)
        return fd;

    CLEANUP(at_close) int folder = at_open_parent(top, path, &name);

    return folder < 0 ? -1 : at_open(folder, name, flags);
}

bool at_write(int fd, struct slice octets)
{
    while (octets.len > 0) {
        ssize_t written = write(fd, octets.at, octets.len);

        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0)
            octets = slice_cut(octets, (size_t)written, octets.len);
    }
    return true;
}

bool at_sync(int fd)
{
    int done;

    do
        done = fsync(fd);
    while (done != 0 && errno == EINTR);
    return done == 0;
}
