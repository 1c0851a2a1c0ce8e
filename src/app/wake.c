/* SPDX-License-Identifier: Apache-2.0 */
#include "wake.h"

#include <onecase/system.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

static int ends[2] = {-1, -1};

static void keep_apart(int fd)
{
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    (void)fcntl(fd, F_SETFL, O_NONBLOCK);
}

void wake_open(void)
{
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
    if (pipe(ends) != 0) {
        ends[0] = ends[1] = -1;
        return;
    }
    keep_apart(ends[0]);
    keep_apart(ends[1]);
}

int wake_fd(void)
{
    return ends[0];
}

void wake_up(void)
{
    int saved = errno;
    (void)!write(ends[1], "!", 1); /* a pipe that is full wakes, too */
    errno = saved;
}

void wake_rest(int64_t ms)
{
    char heard[64];
    struct pollfd p = {.fd = ends[0], .events = POLLIN};
    if (ends[0] < 0) {
        system_rest(ms);
        return;
    }
    (void)poll(&p, 1, ms <= 0 ? 0 : ms > INT_MAX ? INT_MAX : (int)ms);
    while (read(ends[0], heard, sizeof heard) > 0)
        ;
}
