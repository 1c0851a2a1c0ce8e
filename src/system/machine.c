/* SPDX-License-Identifier: Apache-2.0 */
#include "machine.h"

#include <onecase/str.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* The first line of a short file; false where it cannot be read. */
static bool read_line(const char *path, char *out, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return false;
    ssize_t got = read(fd, out, room - 1);

    close(fd);
    if (got < 0)
        return false;
    out[got] = '\0';
    out[strcspn(out, "\n")] = '\0';
    return true;
}

enum rc machine_read(struct machine *out, struct err *err)
{
    *out = (struct machine){.host = ""};
    if (gethostname(out->host, sizeof out->host - 1) != 0 || out->host[0] == '\0')
        return FAIL(err, RC_BROKEN, "system: this machine has no host name");
    if (!read_line("/proc/sys/kernel/random/boot_id", out->boot_id, sizeof out->boot_id) ||
        out->boot_id[0] == '\0')
        return FAIL(err, RC_BROKEN, "system: /proc/sys/kernel/random/boot_id cannot be read");
    if (!read_line("/etc/machine-id", out->machine_id, sizeof out->machine_id))
        out->machine_id[0] = '\0';
    return RC_OK;
}

void random_fill(void *out, size_t octets)
{
    ssize_t got;

    do
        got = getrandom(out, octets, 0);
    while (got < 0 && errno == EINTR);
    if (got != (ssize_t)octets) /* never for 256 octets and less */
        abort();
}

void random_run_id(char out[RUN_ID_SIZE])
{
    unsigned char octets[(RUN_ID_SIZE - 1) / 2];

    random_fill(octets, sizeof octets);
    for (size_t i = 0; i < sizeof octets; i++)
        snprintf(out + 2 * i, 3, "%02x", octets[i]);
}
