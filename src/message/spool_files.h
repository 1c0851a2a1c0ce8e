/* SPDX-License-Identifier: Apache-2.0
 *
 * spool_files - the files under tmp/ that one reading makes.
 */
#pragma once

#include <onecase/err.h>
#include <onecase/message.h>

#define SPOOL_NAME_SIZE 64

struct spool_files {
    int tmp;             /* the folder; borrowed */
    unsigned long *made; /* the numbers in the names of those that were made, in order */
    size_t count;
    unsigned long *next; /* the number of the next, of all readings; borrowed */
};

/* Makes one more: its descriptor (write only; ours to close) and its name as message.parts says. */
enum rc spool_files_make(struct spool_files *f, int *file, struct str *name, struct err *err)
    MUST_CHECK;
/* RC_REFUSED unless each part of `m` has its own of the files, in order, as long as it says. */
enum rc spool_files_check(const struct spool_files *f, const struct message *m, struct err *err)
    MUST_CHECK;
void spool_files_remove(struct spool_files *f); /* removes all that were made */
void spool_files_clear(struct spool_files *f);  /* forgets them; for CLEANUP */
