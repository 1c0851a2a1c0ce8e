/* SPDX-License-Identifier: Apache-2.0 */
#include "imap_p.h"

#include <stdlib.h>

void uids_clear(struct uids *u)
{
    free(u->at);
    *u = (struct uids){NULL, 0, 0};
}

void uids_add(struct uids *u, uint32_t uid)
{
    if (u->count == u->room) {
        u->room = u->room * 2 + 64;
        u->at = mem_grow(u->at, u->room, sizeof *u->at);
    }
    u->at[u->count++] = uid;
}

static int compare(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a;
    uint32_t right = *(const uint32_t *)b;

    return (left > right) - (left < right);
}

/* And each only once. */
void uids_sort(struct uids *u)
{
    size_t kept = 0;

    if (u->count > 0)
        qsort(u->at, u->count, sizeof *u->at, compare);
    for (size_t i = 0; i < u->count; i++)
        if (kept == 0 || u->at[kept - 1] != u->at[i])
            u->at[kept++] = u->at[i];
    u->count = kept;
}

bool uids_has(const struct uids *u, uint32_t uid)
{
    return u->count > 0 && bsearch(&uid, u->at, u->count, sizeof uid, compare) != NULL;
}

struct mailimap_set *uids_set(const uint32_t *uid, size_t count)
{
    struct mailimap_set *set = mailimap_set_new_empty();

    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && uid[to] == uid[to - 1] + 1; to++)
            continue;
        if (to - from == 1)
            mailimap_set_add_single(set, uid[from]);
        else
            mailimap_set_add_interval(set, uid[from], uid[to - 1]);
    }
    return set;
}

#define INTERVAL_MOST ((size_t)2 * UIDS_AT_ONCE)

/* A server may name an interval backwards; an absurd one is cut. */
void uids_from_set(struct uids *out, const struct mailimap_set *set)
{
    if (set == NULL)
        return;
    for (clistiter *i = clist_begin(set->set_list); i != NULL; i = clist_next(i)) {
        const struct mailimap_set_item *item = clist_content(i);
        uint32_t step = item->set_first <= item->set_last ? 1 : UINT32_MAX;
        uint32_t uid = item->set_first;

        for (size_t n = 0; n < INTERVAL_MOST; n++, uid += step) {
            uids_add(out, uid);
            if (uid == item->set_last)
                break;
        }
    }
}
