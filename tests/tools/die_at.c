/* SPDX-License-Identifier: Apache-2.0
 *
 * die_at - preloaded into the program: it is killed at the n-th point, n from the environment variable
 * DIE_AT. Each file that gets or loses a name is two points, one before and one after. DIE_AT_SYNC counts by
 * itself, and each time that a database makes its writes durable is two points.
 */
#define _GNU_SOURCE /* syscall */

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void point_of(const char *name, long *passed)
{
    const char *at = getenv(name);

    if (at && ++*passed == strtol(at, NULL, 10))
        (void)raise(SIGKILL);
}

static void point(void)
{
    static long passed;

    point_of("DIE_AT", &passed);
}

static void point_sync(void)
{
    static long passed;

    point_of("DIE_AT_SYNC", &passed);
}

int fdatasync(int fd)
{
    point_sync();
    long done = syscall(SYS_fdatasync, fd);
    point_sync();
    return (int)done;
}

int linkat(int from_fd, const char *from, int to_fd, const char *to, int flags)
{
    point();
    long done = syscall(SYS_linkat, from_fd, from, to_fd, to, flags);
    point();
    return (int)done;
}

int unlinkat(int fd, const char *name, int flags)
{
    point();
    long done = syscall(SYS_unlinkat, fd, name, flags);
    point();
    return (int)done;
}

int rename(const char *from, const char *to)
{
    point();
    long done = syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
    point();
    return (int)done;
}
