/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/message.h>

#include <stdlib.h>

void message_clear(struct message *m)
{
    str_clear(&m->pool);
    free(m->parts);
    *m = (struct message)MESSAGE_INIT;
}

/* The pool */

static bool is_of_pool(const struct message *m, struct slice text)
{
    uintptr_t at = (uintptr_t)text.at;
    uintptr_t pool = (uintptr_t)m->pool.at;

    return m->pool.at != NULL && at >= pool && at <= pool + m->pool.len;
}

/* A text of the pool itself is copied first, since growing may move it away. */
static void pool_add(struct message *m, struct slice text)
{
    CLEANUP(str_clear) struct str copy = STR_INIT;

    if (is_of_pool(m, text)) {
        str_add(&copy, text);
        text = str_slice(&copy);
    }
    str_add(&m->pool, text);
}

static bool has_room(const struct message *m, size_t more)
{
    return more < UINT32_MAX && m->pool.len < UINT32_MAX - more;
}

struct span message_keep(struct message *m, struct slice text)
{
    struct span kept = {(uint32_t)m->pool.len, (uint32_t)text.len};

    if (text.len == 0 || !has_room(m, text.len))
        return (struct span){0, 0};
    pool_add(m, text);
    return kept;
}

struct slice message_slice(const struct message *m, struct span where)
{
    return slice_cut(str_slice(&m->pool), where.at, where.len);
}

/* Lists */

static bool is_last(const struct message *m, struct span list)
{
    return (size_t)list.at + list.len == m->pool.len;
}

/* An LF would end the item, so one inside it becomes a blank. */
void message_list_add(struct message *m, struct span *list, struct slice item)
{
    size_t moved = is_last(m, *list) ? 0 : list->len;

    if (item.len == 0 || !has_room(m, moved) || !has_room(m, moved + item.len + 1))
        return;
    if (list->len == 0)
        list->at = (uint32_t)m->pool.len;
    else if (moved > 0)
        *list = message_keep(m, message_slice(m, *list));

    size_t from = m->pool.len;

    pool_add(m, item);
    for (size_t i = from; i < m->pool.len; i++)
        if (m->pool.at[i] == '\n')
            m->pool.at[i] = ' ';
    str_addc(&m->pool, '\n');
    list->len = (uint32_t)(m->pool.len - list->at);
}

bool message_next(struct slice *rest, struct slice *item)
{
    while (slice_next(rest, '\n', item))
        if (item->len > 0)
            return true;
    return false;
}

/* Parts */

/* There is room for the next power of two, so that n parts are moved 2n times at most. */
struct message_part *message_add_part(struct message *m)
{
    size_t count = m->part_count;

    if ((count & (count - 1)) == 0)
        m->parts = mem_grow(m->parts, count > 0 ? 2 * count : 1, sizeof *m->parts);
    m->parts[count] = (struct message_part){0};
    m->part_count++;
    return &m->parts[count];
}
