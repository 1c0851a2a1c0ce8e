/* SPDX-License-Identifier: Apache-2.0
 *
 * posix_at - opening and writing below a folder, whatever signals and short writes come between.
 *
 * Paths go component by component and no symbolic link is followed. A result of -1 or false leaves
 * the reason in errno.
 */
#pragma once

#include <onecase/str.h>

#include <fcntl.h>

#define AT_FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define AT_NEW    (O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC)
#define AT_APPEND (O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
#define AT_READ   (O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)

void at_close(int *fd); /* for CLEANUP; -1 afterwards */
int at_steal(int *fd);  /* hands it on; -1 afterwards */

/* One component, again while signals come; a new file is 0600. */
int at_open(int folder, const char *name, int flags);
/* The folder that `path` stands in; `name` points at the last component. */
int at_open_parent(int top, const char *path, const char **name);
/* O_NONBLOCK is in the flags: a pipe in the place of a file is an error, not a wait. */
int at_open_file(int top, const char *path, int flags);

bool at_write(int fd, struct slice octets);
bool at_sync(int fd);
