/* SPDX-License-Identifier: Apache-2.0 */
#include "move.h"

#include <onecase/utf8.h>

/* As PostgreSQL keeps it: see postgres_text. */
static void mend(struct slice text, struct str *out)
{
    while (text.len > 0) {
        struct slice before = text;
        uint32_t c = utf8_next(&text);

        if (c == 0 || c == UTF8_BAD)
            str_addz(out, "\xEF\xBF\xBD");
        else
            str_add(out, (struct slice){before.at, before.len - text.len});
    }
}

static bool same_text(struct slice a, struct slice b)
{
    CLEANUP(str_clear) struct str left = STR_INIT;
    CLEANUP(str_clear) struct str right = STR_INIT;

    if (slice_eq(a, b))
        return true;
    mend(a, &left);
    mend(b, &right);
    return slice_eq(str_slice(&left), str_slice(&right));
}

static bool same_value(struct stmt *a, struct stmt *b, const struct move_column *c)
{
    if (col_null(a, c->name) || col_null(b, c->name))
        return col_null(a, c->name) && col_null(b, c->name);
    if (c->number)
        return col_int(a, c->name) == col_int(b, c->name);
    if (c->octets)
        return slice_eq(col_slice(a, c->name), col_slice(b, c->name));
    return same_text(col_slice(a, c->name), col_slice(b, c->name));
}

enum rc move_differs(const struct moving *m, const struct move_table *t, struct err *err)
{
    return FAIL(
        err, RC_BROKEN,
        "ledger '%s': its table %s is not what it is in '%s': empty that database, and move "
        "anew",
        db_path(m->to->db), t->name, db_path(m->from->db));
}

enum rc move_compare_row(const struct moving *m,
                         const struct move_table *t,
                         struct stmt *a,
                         struct stmt *b,
                         struct err *err)
{
    for (size_t i = 0; i < t->columns; i++)
        if (!same_value(a, b, &t->column[i]))
            return move_differs(m, t, err);
    return RC_OK;
}

/* The next row of both, or the end of both. */
static enum rc compare_next(const struct moving *m,
                            const struct move_table *t,
                            struct stmt *a,
                            struct stmt *b,
                            struct err *err)
{
    enum rc one = stmt_row(a, err);
    enum rc other = stmt_row(b, err);

    if (one != other && (one == RC_NOT_FOUND || other == RC_NOT_FOUND))
        return move_differs(m, t, err);
    TRY(one);
    TRY(other);
    return move_compare_row(m, t, a, b, err);
}

/* Both give their rows in the order of the octets of their keys. */
static enum rc
compare_rows(struct moving *m, const struct move_table *t, size_t *rows, struct err *err)
{
    CLEANUP(stmt_done) struct stmt *a = NULL;
    CLEANUP(stmt_done) struct stmt *b = NULL;
    CLEANUP(place_clear) struct place last = {.any = false};
    enum rc rc;

    TRY(move_open_page(m->from->db, t, &m->place, &a, err));
    TRY(move_open_page(m->to->db, t, &m->place, &b, err));
    for (*rows = 0; (rc = compare_next(m, t, a, b, err)) == RC_OK; ++*rows)
        place_keep(t, a, &last);
    stmt_done(&b);
    move_turn_page(&m->place, &last, &a);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

enum rc move_compare_page(struct moving *m, struct err *err)
{
    const struct move_table *t = &m->plan.table[m->step - m->plan.tables];
    size_t rows;

    TRY(compare_rows(m, t, &rows, err));
    m->out->rows += (int64_t)rows;
    m->tell(m->ctx, t->name, (int64_t)rows);
    return rows < MOVE_PAGE ? move_next_step(m, err) : RC_OK;
}
