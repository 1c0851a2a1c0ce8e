/* SPDX-License-Identifier: Apache-2.0 */
#include "posix_errors.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
static const struct {
    int error;
    enum rc rc;
    const char *reason;
} outcomes[] = {
    {ENOSPC,  RC_DEFERRED,  "no room on the disk"},
    {EDQUOT,  RC_DEFERRED,  "the disk quota is used up"},
    {EFBIG,   RC_DEFERRED,  "larger than this process may write (ulimit -f)"},
    {ENOENT,  RC_NOT_FOUND, "no such file or folder"},
    {EEXIST,  RC_CONFLICT,  "the name is taken"},
    {EACCES,  RC_BROKEN,    "permission denied: all below data_dir must belong to the account that runs onecase"},
    {EPERM,   RC_BROKEN,    "not permitted: all below data_dir must belong to the account that runs onecase"},
    {EROFS,   RC_BROKEN,    "the file system is mounted read-only"},
    {EXDEV,   RC_BROKEN,    "all of data_dir must be on one file system"},
    {ELOOP,   RC_BROKEN,    "a symbolic link stands where a file or folder of ours should"},
    {ENOTDIR, RC_BROKEN,    "something else stands where a folder of ours should"},
    {EISDIR,  RC_BROKEN,    "a folder stands where a file of ours should"},
    {EIO,     RC_BROKEN,    "the disk fails (I/O error): see the system's log"},
};
/* clang-format on */

enum rc posix_outcome(int error, char reason[POSIX_REASON_SIZE])
{
    for (size_t i = 0; i < LENGTH(outcomes); i++) {
        if (outcomes[i].error != error)
            continue;
        snprintf(reason, POSIX_REASON_SIZE, "%s", outcomes[i].reason);
        return outcomes[i].rc;
    }
    if (strerror_r(error, reason, POSIX_REASON_SIZE) != 0)
        snprintf(reason, POSIX_REASON_SIZE, "error %d", error);
    return RC_BROKEN;
}
