/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/view_memory.h>

#include <stdlib.h>
#include <string.h>

struct view_memory {
    void **block;
    size_t blocks, room;
};

static size_t keep(struct view *view, void *block)
{
    if (!view->memory)
        view->memory = mem_new(1, sizeof *view->memory);
    struct view_memory *m = view->memory;
    if (m->blocks == m->room) {
        m->room = m->room ? 2 * m->room : 64;
        m->block = mem_grow(m->block, m->room, sizeof *m->block);
    }
    m->block[m->blocks] = block;
    return m->blocks++;
}

struct view_rows view_rows_begin(struct view *view, size_t size)
{
    return (struct view_rows){.size = size, .slot = keep(view, NULL)};
}

/* The room is the next power of two of the count, so it need not be remembered. */
void *view_rows_add(struct view *view, struct view_rows *rows)
{
    bool full = (rows->count & (rows->count - 1)) == 0;
    if (full) {
        rows->at = mem_grow(rows->at, rows->count ? 2 * rows->count : 1, rows->size);
        view->memory->block[rows->slot] = rows->at;
    }
    void *row = (char *)rows->at + rows->count++ * rows->size;
    memset(row, 0, rows->size);
    return row;
}

const char *view_text(struct view *view, const char *text)
{
    if (!text || !*text)
        return "";
    char *copy = mem_text(text);
    keep(view, copy);
    return copy;
}

struct slice view_octets(struct view *view, struct slice octets)
{
    char *copy = mem_new(octets.len + 1, 1);
    memcpy(copy, octets.at, octets.len);
    keep(view, copy);
    return (struct slice){copy, octets.len};
}

void view_clear(struct view *view)
{
    for (size_t i = 0; view->memory && i < view->memory->blocks; i++)
        free(view->memory->block[i]);
    if (view->memory)
        free(view->memory->block);
    free(view->memory);
    *view = (struct view){.count = 0};
}
