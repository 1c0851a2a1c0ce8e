/* SPDX-License-Identifier: Apache-2.0
 *
 * metrics - what the console serves at /metrics, for the textfile collector of the node exporter.
 */
#include "cli_p.h"

#include <onecase/metrics.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_all(int fd, struct slice text)
{
    while (text.len > 0) {
        ssize_t n = write(fd, text.at, text.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        text = slice_cut(text, (size_t)n, text.len);
    }
    return true;
}

static bool write_file(const char *path, const struct str *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0)
        return false;
    bool good = write_all(fd, str_slice(text)) && fsync(fd) == 0;
    return close(fd) == 0 && good;
}

/* A reader sees the old file or the new one, never half of either. */
static int replace(const char *path, const struct str *text)
{
    CLEANUP(str_clear) struct str beside = STR_INIT;
    str_addf(&beside, "%s.%ld", path, (long)getpid());
    if (write_file(str_z(&beside), text) && rename(str_z(&beside), path) == 0)
        return EXIT_DONE;
    fprintf(stderr, "onecase: %s cannot be written: %s\n", path, strerror(errno));
    (void)unlink(str_z(&beside));
    return EXIT_IO;
}

int cmd_metrics(struct call *call)
{
    CLEANUP(str_clear) struct str out = STR_INIT;
    const char *path = args_get(&call->args, "--output");
    struct err err = ERR_INIT;
    if (metrics_text(call->ops, call->now_ms, &out, &err) != RC_OK)
        return failed(&err);
    if (path)
        return replace(path, &out);
    print(&out);
    return EXIT_DONE;
}
