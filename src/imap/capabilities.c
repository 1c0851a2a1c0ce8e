/* SPDX-License-Identifier: Apache-2.0 */
#include "capabilities.h"

#define ROW(name, bit, word, with, without) {word, name, with, without},

static const struct {
    const char *name;
    unsigned capability; /* 0: whatever a server has of it, the same is done */
    const char *with;
    const char *without;
} rows[] = {CAPABILITY_LIST(ROW)};

unsigned capability_of(struct slice name)
{
    for (size_t i = 0; i < LENGTH(rows); i++)
        if (slice_eq_nocase(name, slice_z(rows[i].name)))
            return rows[i].capability;
    return 0;
}

void capabilities_describe(unsigned have, struct str *out)
{
    for (size_t i = 0; i < LENGTH(rows); i++) {
        bool there = (have & rows[i].capability) != 0;

        if (rows[i].capability != 0)
            str_addf(out, "%s: %s: %s\n", rows[i].name, there ? "yes" : "no",
                     there ? rows[i].with : rows[i].without);
    }
}
