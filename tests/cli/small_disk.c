/* SPDX-License-Identifier: Apache-2.0
 *
 * small_disk - a disk that says it has SMALL_DISK octets free. For LD_PRELOAD.
 */
#include <stdlib.h>
#include <sys/statvfs.h>

int statvfs(const char *path, struct statvfs *out)
{
    const char *octets = getenv("SMALL_DISK");

    (void)path;
    *out = (struct statvfs){.f_bsize = 1, .f_frsize = 1};
    out->f_bavail = octets == NULL ? 0 : strtoull(octets, NULL, 10);
    out->f_bfree = out->f_bavail;
    return 0;
}
