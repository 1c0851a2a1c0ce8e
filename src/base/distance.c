/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/distance.h>

static size_t least(size_t a, size_t b, size_t c)
{
    size_t smaller = a < b ? a : b;

    return smaller < c ? smaller : c;
}

size_t slice_distance(struct slice a, struct slice b)
{
    size_t row[DISTANCE_MOST + 1];

    a = slice_cut(a, 0, DISTANCE_MOST);
    b = slice_cut(b, 0, DISTANCE_MOST);
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
