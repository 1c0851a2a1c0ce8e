/* SPDX-License-Identifier: Apache-2.0 */
#include "settings.h"

#include <string.h>

#define KEY_MAX 32 /* longer than any key */

const struct setting *block_find(const struct block *block, struct slice key)
{
    for (size_t i = 0; i < block->rows; i++)
        if (slice_eqz(key, block->row[i].key))
            return &block->row[i];
    return NULL;
}

static size_t least(size_t a, size_t b, size_t c)
{
    size_t smaller = a < b ? a : b;

    return smaller < c ? smaller : c;
}

/* How many letters must be put in, taken out or changed. */
static size_t distance(struct slice a, struct slice b)
{
    size_t row[KEY_MAX + 1];

    for (size_t j = 0; j <= b.len; j++)
        row[j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            size_t above = row[j];

            row[j] = least(above + 1, row[j - 1] + 1, diagonal + (a.at[i - 1] != b.at[j - 1]));
            diagonal = above;
        }
    }
    return row[b.len];
}

const char *block_nearest(const struct block *block, struct slice key)
{
    const char *nearest = NULL;
    size_t best = key.len / 3 + 1; /* a third of it may be wrong */

    for (size_t i = 0; key.len <= KEY_MAX && i < block->rows; i++) {
        size_t far = distance(key, slice_z(block->row[i].key));

        if (far <= best && (nearest == NULL || far < best)) {
            best = far;
            nearest = block->row[i].key;
        }
    }
    return nearest;
}
