/* SPDX-License-Identifier: Apache-2.0 */
#include "notify.h"

#include <onecase/str.h>
#include <onecase/when.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void notify_manager(const char *state)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    if (!path || !path[0] || strlen(path) >= sizeof to.sun_path)
        return;
    text_copy(to.sun_path, sizeof to.sun_path, path);
    socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
    if (to.sun_path[0] == '@') /* the abstract namespace */
        to.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    (void)sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&to, length);
    close(fd);
}

/* Half of what it waits, and never so rarely that one lost turn ends us. */
int64_t notify_watched_ms(void)
{
    const char *pid = getenv("WATCHDOG_PID"), *us = getenv("WATCHDOG_USEC");
    if (!us || (pid && strtoll(pid, NULL, 10) != (long long)getpid()))
        return 0;
    int64_t ms = strtoll(us, NULL, 10) / 2000;
    return ms > 0 && ms < MINUTES(1) ? ms : ms > 0 ? MINUTES(1) : 0;
}

void notify_alive(void)
{
    if (notify_watched_ms() > 0)
        notify_manager("WATCHDOG=1");
}
