/* SPDX-License-Identifier: Apache-2.0 */
#include "imap_p.h"

#include <onecase/when.h>
#include <stdlib.h>
#include <string.h>

/* INTERNALDATE and size of a message never change as long as its UID means it, so on one connection they are asked
 * for once: a look at a large folder that one mail has come into is one search. From time to time all are read
 * anew, since a folder that is put back from an old copy gives its UIDs a second time. */
#define LISTED_FOR HOURS(1)

/* A few are asked for as quickly, and must not displace many. */
#define LISTED_LEAST 32

void listed_clear(struct listed *k)
{
    free(k->at);
    str_clear(&k->folder);
    *k = (struct listed){.uidvalidity = 0};
}

/* A UID that is known may be given again: its UIDNEXT says so, where it was opened since. */
static bool fell_back(const struct imap_mailbox *m)
{
    return m->session->imap_selection_info->sel_uidnext <= m->list.at[m->list.count - 1].uid;
}

static bool is_of(const struct imap_mailbox *m, uint32_t uidvalidity)
{
    const struct listed *k = &m->list;

    return k->count > 0 && k->uidvalidity == uidvalidity &&
           strcmp(str_z(&k->folder), str_z(&m->selected)) == 0 &&
           imap_now(m) - k->read_ms < LISTED_FOR && !fell_back(m);
}

/* Both ascend. */
void listed_take(const struct imap_mailbox *m,
                 uint32_t uidvalidity,
                 struct uids *found,
                 struct lines *out)
{
    const struct listed *k = &m->list;
    size_t left = 0;
    size_t at = 0;

    if (!is_of(m, uidvalidity))
        return;
    for (size_t i = 0; i < found->count; i++) {
        while (at < k->count && k->at[at].uid < found->at[i])
            at++;
        if (at < k->count && k->at[at].uid == found->at[i])
            lines_add(out, &k->at[at]);
        else
            found->at[left++] = found->at[i];
    }
    found->count = left;
}

void listed_keep(struct imap_mailbox *m, uint32_t uidvalidity, const struct lines *lines)
{
    struct listed *k = &m->list;
    bool same = is_of(m, uidvalidity);
    int64_t read_ms = same ? k->read_ms : imap_now(m);

    if (lines->count < LISTED_LEAST) {
        if (same)
            listed_clear(k);
        return;
    }
    listed_clear(k);
    k->at = mem_new(lines->count, sizeof *k->at);
    memcpy(k->at, lines->at, lines->count * sizeof *k->at);
    k->count = lines->count;
    k->uidvalidity = uidvalidity;
    k->read_ms = read_ms;
    str_add(&k->folder, str_slice(&m->selected));
}
