/* SPDX-License-Identifier: Apache-2.0 */
#include "readers.h"

#include <onecase/config.h>

#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Values that something outside the text has a say in: files, the machine's time zones, the C
 * library's regular expressions. */

static void put_path(const struct value_context *c, struct slice text, void *into)
{
    CLEANUP(str_clear) struct str path = STR_INIT;

    if (text.len > 0 && text.at[0] != '/')
        str_addf(&path, "%s/", c->folder);
    str_add(&path, text);
    value_put(c, str_slice(&path), into);
}

bool read_folder(const struct value_context *c,
                 const struct setting *s,
                 struct slice text,
                 void *into,
                 struct str *why)
{
    (void)why;
    if (!value_check(s, text))
        return false;
    put_path(c, text, into);
    return true;
}

/* A bare name may be a credential that the service manager has handed over (systemd.exec(5)). */
static bool put_credential(const struct value_context *c, struct slice text, const char **into)
{
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): nobody here changes the environment */
    const char *folder = getenv("CREDENTIALS_DIRECTORY");
    CLEANUP(str_clear) struct str path = STR_INIT;

    if (folder == NULL || text.len == 0 || slice_has(text, SLICE("/")))
        return false;
    str_addf(&path, "%s/", folder);
    str_add(&path, text);
    if (access(str_z(&path), R_OK) != 0)
        return false;
    value_put(c, str_slice(&path), into);
    return true;
}

bool read_file(const struct value_context *c,
               const struct setting *s,
               struct slice text,
               void *into,
               struct str *why)
{
    const char *path;
    char reason[96];

    if (!value_check(s, text))
        return false;
    if (!put_credential(c, text, &path))
        put_path(c, text, &path);

    int fd = text.len > 0 ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;

    if (fd < 0 && text.len > 0) {
        if (strerror_r(errno, reason, sizeof reason) != 0)
            snprintf(reason, sizeof reason, "error");
        str_addf(why, "cannot be read: %s", reason);
        return false;
    }
    if (fd >= 0)
        close(fd);
    memcpy(into, &path, sizeof path);
    return true;
}

bool read_zone(const struct value_context *c,
               const struct setting *s,
               struct slice text,
               void *into,
               struct str *why)
{
    CLEANUP(str_clear) struct str path = STR_INIT;

    if (!value_check(s, text))
        return false;
    str_addz(&path, "/usr/share/zoneinfo/");
    str_add(&path, text);
    if (text.len > 0 && (slice_has(text, SLICE("..")) || access(str_z(&path), R_OK) != 0)) {
        str_addz(why, "is no time zone of this machine (see /usr/share/zoneinfo)");
        return false;
    }
    value_put(c, text, into);
    return true;
}

/* So many times may repetitions of a number, one in another, repeat: strangers write the subjects. */
#define REPEATS_MAX 1000

/* How often what stands before the brace may repeat: {n}, {n,}, {n,m}. */
static unsigned long repeats(const char *brace)
{
    char *end;
    unsigned long least = strtoul(brace + 1, &end, 10);
    unsigned long most = *end == ',' ? strtoul(end + 1, NULL, 10) : least;

    return most > least ? most : least;
}

/* What makes matching slow: a reference back to a group, and counted repetitions of one another. */
static const char *slow_pattern(const char *pattern)
{
    unsigned long product = 1;

    for (const char *p = pattern; *p != '\0'; p++) {
        bool escape = p[0] == '\\' && p[1] != '\0';

        if (escape && p[1] >= '1' && p[1] <= '9')
            return "refers back to a group, which may take for ever";
        if (escape)
            p++;
        else if (p[0] == '{' && repeats(p) > 1)
            product *= repeats(p);
        if (product > REPEATS_MAX)
            return "repeats by numbers more than 1000 times, which may take for ever";
    }
    return NULL;
}

/* Used on whole subjects: of the matches at one place POSIX finds the longest, so it is enough to
 * see whether that is all of the subject. */
bool read_regex(const struct value_context *c,
                const struct setting *s,
                struct slice text,
                void *into,
                struct str *why)
{
    const char *pattern = memory_text(c->memory, text);
    regex_t compiled;
    char reason[96];

    if (!value_check(s, text))
        return false;

    const char *slow = slow_pattern(pattern);

    if (slow != NULL) {
        str_addz(why, slow);
        return false;
    }

    int failed = regcomp(&compiled, pattern, REG_EXTENDED);

    if (failed != 0) {
        regerror(failed, &compiled, reason, sizeof reason);
        str_addf(why, "is no extended regular expression: %s", reason);
        return false;
    }
    size_t groups = compiled.re_nsub;

    regfree(&compiled);
    if (groups == 0 && text.len > 0) {
        str_addz(why, "has no ( ) around the number");
        return false;
    }
    memcpy(into, &pattern, sizeof pattern);
    return true;
}
