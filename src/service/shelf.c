/* SPDX-License-Identifier: Apache-2.0 */
#include "service_p.h"

#include <stdlib.h>

/* What intake has decoded is not decoded again for keeping it: between the two, files of a turn's mails lie under
 * tmp/, so many at most. A mail that finds no room is looked at only, and read again when its turn has come. */
#define SHELF_MAILS  256
#define SHELF_OCTETS (INT64_C(128) * 1024 * 1024)

bool shelf_has_room(const struct service *s, int64_t size)
{
    const struct shelf *shelf = &s->shelf;
    return shelf->count + shelf->coming < SHELF_MAILS &&
           shelf->size + shelf->coming_size + size <= SHELF_OCTETS;
}

static bool has_files(const struct message *m)
{
    for (size_t i = 0; i < m->part_count; i++)
        if (m->parts[i].file.len > 0)
            return true;
    return false;
}

void shelf_expect(struct service *s, int64_t size, const struct message *m)
{
    if (!has_files(m))
        return;
    s->shelf.coming++;
    s->shelf.coming_size += size;
}

void shelf_expect_none(struct service *s)
{
    s->shelf.coming = 0;
    s->shelf.coming_size = 0;
}

/* Which file has which octets, without the texts. */
static void keep_files(const struct message *from, struct message *to)
{
    for (size_t i = 0; i < from->part_count; i++) {
        const struct message_part *part = &from->parts[i];
        struct span file = message_keep(to, message_slice(from, part->file));
        struct message_part *kept = message_add_part(to);
        kept->role = part->role;
        kept->size = part->size;
        kept->sha256 = part->sha256;
        kept->file = file;
    }
}

void shelf_put(struct service *s, const struct digest *octets, int64_t size, struct message *m)
{
    struct shelf *shelf = &s->shelf;
    if (has_files(m)) {
        shelf->at = mem_grow(shelf->at, shelf->count + 1, sizeof *shelf->at);
        struct shelved *one = &shelf->at[shelf->count++];
        *one = (struct shelved){.octets = *octets, .size = size, .message = MESSAGE_INIT};
        keep_files(m, &one->message);
        shelf->size += size;
    }
    message_clear(m);
}

bool shelf_take(struct service *s, const struct digest *octets, struct message *out)
{
    struct shelf *shelf = &s->shelf;
    for (size_t i = 0; i < shelf->count; i++) {
        struct shelved one = shelf->at[i];
        if (!digest_eq(&one.octets, octets))
            continue;
        shelf->at[i] = shelf->at[--shelf->count];
        shelf->size -= one.size;
        message_clear(out);
        *out = one.message;
        return true;
    }
    return false;
}

void shelf_clear(struct service *s)
{
    for (size_t i = 0; i < s->shelf.count; i++)
        message_forget(s, &s->shelf.at[i].message);
    free(s->shelf.at);
    s->shelf = (struct shelf){0};
}
