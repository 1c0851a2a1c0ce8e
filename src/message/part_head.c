/* SPDX-License-Identifier: Apache-2.0 */
#include "part_head.h"

#define FIRST_LOOK 1024 /* octets; each further look back takes twice as many */

static bool is_delimiter(struct slice octets, size_t at)
{
    return at + 1 < octets.len && octets.at[at] == '-' && octets.at[at + 1] == '-' &&
           (at == 0 || octets.at[at - 1] == '\n');
}

/* Where the line after the last delimiter begins; SIZE_MAX where there is none. The first octets may
 * be of a line that began before them. */
static size_t after_last_delimiter(struct slice octets, bool whole)
{
    for (size_t at = octets.len; at-- > 0;)
        if (is_delimiter(octets, at) && (at > 0 || whole)) {
            size_t end = slice_find(octets, '\n', at);

            return end < octets.len ? end + 1 : octets.len;
        }
    return SIZE_MAX;
}

void part_head_read(const struct octet_view *view, int64_t from, int64_t most, struct str *out)
{
    int64_t start = (int64_t)view->head.len;
    int64_t look = FIRST_LOOK;
    size_t begin = SIZE_MAX;

    str_empty(out);
    for (; begin == SIZE_MAX && from > start && look <= 2 * most; look *= 2) {
        int64_t at = from - look > start ? from - look : start;
        CLEANUP(mem_free) char *octets = mem_new((size_t)(from - at), 1);
        size_t got = octet_view_read(view, at, octets, (size_t)(from - at));

        begin = after_last_delimiter((struct slice){octets, got}, at == start);
        if (begin != SIZE_MAX)
            str_add(out, slice_cut((struct slice){octets, got}, begin, got));
        if (at == start)
            break;
    }
}
