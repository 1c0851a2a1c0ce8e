/* SPDX-License-Identifier: Apache-2.0 */
#include "wake.h"

#include <onecase/system.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <unistd.h>

static int ends[2] = {-1, -1};
static int either = -1; /* readable when ends[0] is, or `also` */
static int also = -1;

static void keep_apart(int fd)
{
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    (void)fcntl(fd, F_SETFL, O_NONBLOCK);
}

static bool look_at(int fd)
{
    struct epoll_event event = {.events = EPOLLIN};
    return epoll_ctl(either, EPOLL_CTL_ADD, fd, &event) == 0;
}

static void close_all(void)
{
    int *const all[] = {&ends[0], &ends[1], &either};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (*all[i] >= 0)
            close(*all[i]);
        *all[i] = -1;
    }
    also = -1;
}

void wake_open(void)
{
    close_all();
    if (pipe(ends) != 0) {
        ends[0] = ends[1] = -1;
        return;
    }
    keep_apart(ends[0]);
    keep_apart(ends[1]);
    either = epoll_create1(EPOLL_CLOEXEC);
    if (!look_at(ends[0]))
        close_all();
}

int wake_fd(void)
{
    return either;
}

void wake_up(void)
{
    int saved = errno;
    (void)!write(ends[1], "!", 1); /* a pipe that is full wakes, too */
    errno = saved;
}

/* One that was closed meanwhile is looked at no longer. */
void wake_also(int fd)
{
    if (also >= 0)
        (void)epoll_ctl(either, EPOLL_CTL_DEL, also, NULL);
    also = fd >= 0 && look_at(fd) ? fd : -1;
}

void wake_rest(int64_t ms)
{
    char heard[64];
    struct pollfd p = {.fd = either, .events = POLLIN};
    if (either < 0) {
        system_rest(ms);
        return;
    }
    (void)poll(&p, 1, ms <= 0 ? 0 : ms > INT_MAX ? INT_MAX : (int)ms);
    while (read(ends[0], heard, sizeof heard) > 0)
        ;
}
