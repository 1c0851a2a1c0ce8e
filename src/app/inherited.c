/* SPDX-License-Identifier: Apache-2.0 */
#include "inherited.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define FIRST 3 /* SD_LISTEN_FDS_START */

static int taken = -1;

static bool is_ours(void)
{
    const char *pid = getenv("LISTEN_PID");
    const char *count = getenv("LISTEN_FDS");
    return pid && count && strtoll(pid, NULL, 10) == (long long)getpid() && strcmp(count, "1") == 0;
}

static bool listens(int fd)
{
    int yes = 0;
    socklen_t size = sizeof yes;
    return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &yes, &size) == 0 && yes;
}

void inherited_take(void)
{
    bool ours = is_ours();
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    unsetenv("LISTEN_FDNAMES");
    if (!ours || !listens(FIRST))
        return;
    (void)fcntl(FIRST, F_SETFD, FD_CLOEXEC);
    (void)fcntl(FIRST, F_SETFL, O_NONBLOCK);
    taken = FIRST;
}

int inherited_socket(void)
{
    return taken;
}

void inherited_drop(void)
{
    if (taken >= 0)
        close(taken);
    taken = -1;
}
