/* SPDX-License-Identifier: Apache-2.0 */
#include "settings.h"

#include <onecase/distance.h>

const struct setting *block_find(const struct block *block, struct slice key)
{
    for (size_t i = 0; i < block->rows; i++)
        if (slice_eqz(key, block->row[i].key))
            return &block->row[i];
    return NULL;
}

const char *block_nearest(const struct block *block, struct slice key)
{
    const char *nearest = NULL;
    size_t best = key.len / 3 + 1; /* a third of it may be wrong */

    for (size_t i = 0; i < block->rows; i++) {
        size_t far = slice_distance(key, slice_z(block->row[i].key));

        if (far <= best && (nearest == NULL || far < best)) {
            best = far;
            nearest = block->row[i].key;
        }
    }
    return nearest;
}
