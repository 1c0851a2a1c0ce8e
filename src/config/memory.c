/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include <stdlib.h>
#include <string.h>

struct config_memory {
    void **at;
    size_t count;
};

struct config_memory *memory_new(void)
{
    return mem_new(1, sizeof(struct config_memory));
}

void memory_free(struct config_memory **m)
{
    if (*m == NULL)
        return;
    for (size_t i = 0; i < (*m)->count; i++)
        free((*m)->at[i]);
    free((*m)->at);
    free(*m);
    *m = NULL;
}

void *memory_get(struct config_memory *m, size_t count, size_t size)
{
    if ((m->count & (m->count - 1)) == 0) /* room is a power of two */
        m->at = mem_grow(m->at, 2 * m->count + 1, sizeof(void *));
    return m->at[m->count++] = mem_new(count, size);
}

const char *memory_text(struct config_memory *m, struct slice text)
{
    char *copy = memory_get(m, text.len + 1, 1);

    if (text.len > 0)
        memcpy(copy, text.at, text.len);
    return copy;
}
