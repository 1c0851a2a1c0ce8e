/* SPDX-License-Identifier: Apache-2.0 */
#include "move.h"

#include <string.h>

void place_clear(struct place *p)
{
    for (size_t i = 0; i < LENGTH(p->text); i++)
        str_clear(&p->text[i]);
}

void place_keep(const struct move_table *t, struct stmt *row, struct place *p)
{
    const struct move_column *c;

    p->any = true;
    for (int i = 0; (c = move_key(t, i + 1)) != NULL; i++) {
        p->number[i] = c->number ? col_int(row, c->name) : 0;
        str_empty(&p->text[i]);
        if (!c->number)
            str_add(&p->text[i], col_slice(row, c->name));
    }
}

static int order(struct slice a, struct slice b)
{
    size_t both = a.len < b.len ? a.len : b.len;
    int octets = both > 0 ? memcmp(a.at, b.at, both) : 0;

    return octets != 0 ? octets : (a.len > b.len) - (a.len < b.len);
}

bool place_reaches(const struct place *p, const struct move_table *t, struct stmt *row)
{
    const struct move_column *c;

    for (int i = 0; p->any && (c = move_key(t, i + 1)) != NULL; i++) {
        int64_t number = c->number ? col_int(row, c->name) : 0;
        int after = c->number ? (number > p->number[i]) - (number < p->number[i])
                              : order(col_slice(row, c->name), str_slice(&p->text[i]));

        if (after != 0)
            return after < 0;
    }
    return p->any;
}

static void bind_place(const struct move_table *t, const struct place *p, struct stmt *s)
{
    const struct move_column *c;

    for (int i = 0; (c = move_key(t, i + 1)) != NULL; i++)
        if (c->number)
            stmt_int(s, i + 1, p->number[i]);
        else
            stmt_slice(s, i + 1, str_slice(&p->text[i]));
}

void move_turn_page(struct place *at, struct place *last, struct stmt **page)
{
    stmt_done(page);
    if (!last->any)
        return;
    place_clear(at);
    *at = *last;
    *last = (struct place){.any = false};
}

enum rc move_open_page(struct db *db,
                       const struct move_table *t,
                       const struct place *after,
                       struct stmt **out,
                       struct err *err)
{
    TRY(stmt_open(db, str_z(after->any ? &t->next : &t->first), out, err));
    if (after->any)
        bind_place(t, after, *out);
    return RC_OK;
}
