/* SPDX-License-Identifier: Apache-2.0 */
#include "move.h"

#include <onecase/ledger.h>

#include <string.h>

#define OCTETS_AT_ONCE (4 << 20)

/* ---- which columns ---------------------------------------------------------------------------------- */

static const struct move_column *named(const struct move_table *t, const char *name)
{
    for (size_t i = 0; i < t->columns; i++)
        if (strcmp(t->column[i].name, name) == 0)
            return &t->column[i];
    return NULL;
}

/* The parameter of that number, from 0; NULL: there is none. */
static const struct move_column *column_at(const struct putting *p, size_t i)
{
    if (p->how == PUT_AWAY)
        return move_key(p->t, (int)i + 1);
    if (p->how == PUT_REFERENCE && i < 2)
        return i == 0 ? move_key(p->t, 1) : named(p->t, p->t->refers);
    return p->how != PUT_REFERENCE && i < p->t->columns ? &p->t->column[i] : NULL;
}

/* What refers to its own table comes after all of it is there. */
static bool is_left_out(const struct putting *p, const struct move_column *c)
{
    return p->how != PUT_REFERENCE && p->t->refers != NULL && strcmp(c->name, p->t->refers) == 0;
}

/* ---- one row ----------------------------------------------------------------------------------------- */

static void hand_over(struct stmt *row, const struct move_column *c, struct stmt *to, int at)
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

static enum rc put_alone(struct putting *p, struct stmt *row, struct err *err)
{
    CLEANUP(stmt_done) struct stmt *s = NULL;
    const struct move_column *c;

    TRY(stmt_open(p->to, str_z(&p->t->row[p->how]), &s, err));
    for (size_t i = 0; (c = column_at(p, i)) != NULL; i++)
        if (is_left_out(p, c))
            stmt_text(s, (int)i + 1, NULL);
        else
            hand_over(row, c, s, (int)i + 1);
    return stmt_one(s, p->t->name, err);
}

/* ---- many -------------------------------------------------------------------------------------------- */

static enum values_of kind_of(const struct move_column *c)
{
    if (c->number)
        return VALUES_OF_NUMBERS;
    return c->octets ? VALUES_OF_OCTETS : VALUES_OF_TEXTS;
}

static size_t add_value(struct values *list, struct stmt *row, const struct move_column *c)
{
    list->of = kind_of(c);
    if (col_null(row, c->name))
        values_null(list);
    else if (c->number)
        values_number(list, col_int(row, c->name));
    else
        values_slice(list, col_slice(row, c->name));
    return list->octets.len;
}

static void add_row(struct putting *p, struct stmt *row)
{
    const struct move_column *c;

    p->octets = 0;
    for (size_t i = 0; (c = column_at(p, i)) != NULL; i++)
        if (is_left_out(p, c))
            values_null(&p->list[i]);
        else
            p->octets += add_value(&p->list[i], row, c);
    p->rows++;
}

void putting_key(struct putting *p, struct stmt *row)
{
    const struct move_column *c;

    for (int i = 0; (c = move_key(p->t, i + 1)) != NULL; i++)
        add_value(&p->list[i], row, c);
    p->rows++;
}

enum rc putting_open(struct putting *p, const struct str *text, struct stmt **out, struct err *err)
{
    TRY(stmt_open(p->to, str_z(text), out, err));
    for (int i = 0; i < MOVE_COLUMNS && p->list[i].count > 0; i++)
        stmt_values(*out, i + 1, &p->list[i]);
    return RC_OK;
}

void putting_empty(struct putting *p)
{
    for (size_t i = 0; i < MOVE_COLUMNS; i++) {
        str_empty(&p->list[i].octets);
        p->list[i].count = 0;
        p->list[i].nulls = false;
    }
    p->rows = 0;
    p->octets = 0;
}

enum rc putting_end(struct putting *p, struct err *err)
{
    CLEANUP(stmt_done) struct stmt *s = NULL;

    if (p->rows == 0)
        return RC_OK;
    TRY(putting_open(p, &p->t->lists[p->how], &s, err));
    TRY(stmt_run(s, NULL, err));
    putting_empty(p);
    return RC_OK;
}

enum rc putting_row(struct putting *p, struct stmt *row, struct err *err)
{
    if (!db_takes_lists(p->to))
        return put_alone(p, row, err);
    add_row(p, row);
    return p->rows == MOVE_PAGE || p->octets > OCTETS_AT_ONCE ? putting_end(p, err) : RC_OK;
}

void putting_clear(struct putting *p)
{
    for (size_t i = 0; i < MOVE_COLUMNS; i++)
        str_clear(&p->list[i].octets);
}
