/* SPDX-License-Identifier: Apache-2.0 */
#include "spool_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Another process may have had our number, or still have it on another machine: a name that is
 * taken is passed over. */
static void name_of(unsigned long number, char out[SPOOL_NAME_SIZE])
{
    snprintf(out, SPOOL_NAME_SIZE, "part-%ld-%lu", (long)getpid(), number);
}

static int make(struct spool_files *f, char name[SPOOL_NAME_SIZE])
{
    for (;;) {
        name_of(*f->next, name);

        int file = openat(f->tmp, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

        if (file >= 0 || errno != EEXIST)
            return file;
        ++*f->next;
    }
}

enum rc spool_files_make(struct spool_files *f, int *file, struct str *name, struct err *err)
{
    char made[SPOOL_NAME_SIZE];

    *file = make(f, made);
    if (*file < 0)
        return FAIL(err, errno == ENOSPC || errno == EDQUOT ? RC_DEFERRED : RC_BROKEN,
                    "reader: a file under tmp/ cannot be made: error %d", errno);
    f->made = mem_grow(f->made, f->count + 1, sizeof *f->made);
    f->made[f->count++] = (*f->next)++;
    str_empty(name);
    str_addf(name, "tmp/%s", made);
    return RC_OK;
}

static bool is_part_of(const struct spool_files *f,
                       unsigned long number,
                       const struct message *m,
                       const struct message_part *part)
{
    char name[SPOOL_NAME_SIZE];
    struct slice file = message_slice(m, part->file);
    struct stat facts;

    name_of(number, name);
    return slice_eq(slice_cut(file, 0, 4), SLICE("tmp/")) &&
           slice_eqz(slice_cut(file, 4, file.len), name) &&
           fstatat(f->tmp, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && facts.st_size == part->size;
}

enum rc spool_files_check(const struct spool_files *f, const struct message *m, struct err *err)
{
    bool right = true;
    size_t at = 0;

    for (size_t i = 0; right && i < m->part_count; i++)
        if (m->parts[i].role == PART_ATTACHMENT)
            right = at < f->count && is_part_of(f, f->made[at++], m, &m->parts[i]);
        else
            right = m->parts[i].file.len == 0;
    if (!right || at != f->count)
        return FAIL(err, RC_REFUSED, "reader: its answer and its files do not agree");
    return RC_OK;
}

void spool_files_remove(struct spool_files *f)
{
    char name[SPOOL_NAME_SIZE];

    for (size_t i = 0; i < f->count; i++) {
        name_of(f->made[i], name);
        unlinkat(f->tmp, name, 0); /* one that stays is swept by its age */
    }
    f->count = 0;
}

void spool_files_clear(struct spool_files *f)
{
    free(f->made);
    *f = (struct spool_files){.tmp = -1};
}
