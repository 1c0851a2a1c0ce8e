/* SPDX-License-Identifier: Apache-2.0 */
#include "reading.h"

#include <stdlib.h>

struct mark {
    const void *member;
    struct place place;
    bool block; /* it is the place of the struct that begins there */
};

void reading_mark(struct reading *r, const void *member, struct place place, bool block)
{
    if ((r->mark_count & (r->mark_count - 1)) == 0) /* room is a power of two */
        r->marks = mem_grow(r->marks, 2 * r->mark_count + 1, sizeof *r->marks);
    r->marks[r->mark_count++] = (struct mark){member, place, block};
}

static const struct mark *find_mark(const struct reading *r, const void *member, bool block)
{
    for (size_t i = r->mark_count; i > 0; i--)
        if (r->marks[i - 1].member == member && r->marks[i - 1].block == block)
            return &r->marks[i - 1];
    return NULL;
}

bool reading_has(const struct reading *r, const void *member)
{
    return find_mark(r, member, false) != NULL;
}

bool reading_has_block(const struct reading *r, const void *block)
{
    return find_mark(r, block, true) != NULL;
}

struct place reading_place(const struct reading *r, const void *block, const void *const members[])
{
    const struct mark *found = NULL;

    for (; *members != NULL && found == NULL; members++)
        found = find_mark(r, *members, false);
    if (found == NULL)
        found = find_mark(r, block, true);
    return found != NULL ? found->place : r->top;
}

void reading_copy(struct reading *r, const void *from, const void *to, size_t size)
{
    const char *begin = from;
    size_t count = r->mark_count;

    for (size_t i = 0; i < count; i++) {
        const char *member = r->marks[i].member;

        if (member >= begin && member < begin + size)
            reading_mark(r, (const char *)to + (member - begin), r->marks[i].place,
                         r->marks[i].block);
    }
}

void reading_forget(struct reading *r, const void *from, size_t size)
{
    const char *begin = from;

    for (size_t i = 0; i < r->mark_count; i++) {
        const char *member = r->marks[i].member;

        if (member >= begin && member < begin + size)
            r->marks[i].member = NULL;
    }
}

void reading_clear(struct reading *r)
{
    str_clear(&r->path);
    free(r->marks);
}
