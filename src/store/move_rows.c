/* SPDX-License-Identifier: Apache-2.0 */
#include "move.h"

#include <onecase/ledger.h>
#include <onecase/when.h>

#include <string.h>

bool move_is_number(const struct move_table *t, size_t i)
{
    return t->column[i].number;
}

void move_hand_over(struct stmt *row, const struct move_column *c, struct stmt *to, int at)
{
    if (col_null(row, c->name) && c->number)
        stmt_when(to, at, NOT_DUE);
    else if (col_null(row, c->name))
        stmt_text(to, at, NULL);
    else if (c->number)
        stmt_int(to, at, col_int(row, c->name));
    else if (c->octets)
        stmt_blob(to, at, col_slice(row, c->name));
    else
        stmt_slice(to, at, col_slice(row, c->name));
}

void move_bind_key(const struct move_table *t, struct stmt *row, struct stmt *to)
{
    for (size_t i = 0; i < t->columns; i++)
        if (t->column[i].key > 0)
            move_hand_over(row, &t->column[i], to, t->column[i].key);
}

void place_clear(struct place *p)
{
    for (size_t i = 0; i < LENGTH(p->text); i++)
        str_clear(&p->text[i]);
}

void place_keep(const struct move_table *t, struct stmt *row, struct place *p)
{
    p->any = true;
    for (size_t i = 0; i < t->columns; i++) {
        int key = t->column[i].key - 1;

        if (key < 0)
            continue;
        p->number[key] = move_is_number(t, i) ? col_int(row, t->column[i].name) : 0;
        str_empty(&p->text[key]);
        if (!move_is_number(t, i))
            str_add(&p->text[key], col_slice(row, t->column[i].name));
    }
}

static void bind_place(const struct move_table *t, const struct place *p, struct stmt *s)
{
    for (size_t i = 0; i < t->columns; i++) {
        int key = t->column[i].key;

        if (key > 0 && move_is_number(t, i))
            stmt_int(s, key, p->number[key - 1]);
        else if (key > 0)
            stmt_slice(s, key, str_slice(&p->text[key - 1]));
    }
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
