/* SPDX-License-Identifier: Apache-2.0 */
#include "move.h"

#include <string.h>

/* What refers to its own table comes after all of it is there. */
static enum rc
copy_row(const struct move_table *t, struct stmt *row, struct stmt *insert, struct err *err)
{
    for (size_t i = 0; i < t->columns; i++)
        if (t->refers != NULL && strcmp(t->column[i].name, t->refers) == 0)
            stmt_text(insert, (int)i + 1, NULL);
        else
            move_hand_over(row, &t->column[i], insert, (int)i + 1);
    return stmt_run(insert, NULL, err);
}

static enum rc copy_rows(
    struct moving *m, const struct move_table *t, struct place *at, size_t *rows, struct err *err)
{
    CLEANUP(stmt_done) struct stmt *page = NULL;
    CLEANUP(place_clear) struct place last = {.any = false};
    enum rc rc;

    TRY(move_open_page(m->from->db, t, at, &page, err));
    for (*rows = 0; (rc = stmt_row(page, err)) == RC_OK; ++*rows) {
        CLEANUP(stmt_done) struct stmt *insert = NULL;

        TRY(stmt_open(m->to->db, str_z(&t->insert), &insert, err));
        TRY(copy_row(t, page, insert, err));
        if (*rows == MOVE_PAGE - 1)
            place_keep(t, page, &last);
    }
    move_turn_page(at, &last, &page);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static enum rc copy_page(
    struct moving *m, const struct move_table *t, struct place *at, size_t *rows, struct err *err)
{
    CLEANUP(tx_end) struct tx tx = TX_NONE;

    TRY(tx_begin(m->to->db, &tx, err));
    TRY(copy_rows(m, t, at, rows, err));
    return tx_commit_plain(&tx, err);
}

/* An earlier call may have come so far: whole pages, in order of the key. */
static enum rc
find_end(struct moving *m, const struct move_table *t, struct place *out, struct err *err)
{
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(m->to->db, str_z(&t->last), &s, err));
    enum rc rc = stmt_row(s, err);

    if (rc == RC_OK)
        place_keep(t, s, out);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static enum rc copy_table(struct moving *m, const struct move_table *t, struct err *err)
{
    CLEANUP(place_clear) struct place at = {.any = false};
    size_t rows = MOVE_PAGE;

    TRY(find_end(m, t, &at, err));
    while (rows == MOVE_PAGE) {
        TRY(copy_page(m, t, &at, &rows, err));
        m->out->copied += (int64_t)rows;
        m->tell(m->ctx, t->name, (int64_t)rows);
    }
    return RC_OK;
}

static enum rc
refer_row(struct moving *m, const struct move_table *t, struct stmt *row, struct err *err)
{
    CLEANUP(stmt_done) struct stmt *update = NULL;

    if (col_null(row, t->refers))
        return RC_OK;
    TRY(stmt_open(m->to->db, str_z(&t->refer), &update, err));
    move_bind_key(t, row, update);
    stmt_slice(update, 2, col_slice(row, t->refers));
    return stmt_one(update, t->name, err);
}

/* Those that refer to a row of their own table. */
static enum rc refer_page(
    struct moving *m, const struct move_table *t, struct place *at, size_t *rows, struct err *err)
{
    CLEANUP(stmt_done) struct stmt *page = NULL;
    CLEANUP(place_clear) struct place last = {.any = false};
    CLEANUP(tx_end) struct tx tx = TX_NONE;
    enum rc rc;

    TRY(tx_begin(m->to->db, &tx, err));
    TRY(move_open_page(m->from->db, t, at, &page, err));
    for (*rows = 0; (rc = stmt_row(page, err)) == RC_OK; ++*rows) {
        if (*rows == MOVE_PAGE - 1)
            place_keep(t, page, &last);
        TRY(refer_row(m, t, page, err));
    }
    move_turn_page(at, &last, &page);
    return rc == RC_NOT_FOUND ? tx_commit_plain(&tx, err) : rc;
}

static enum rc refer(struct moving *m, const struct move_table *t, struct err *err)
{
    CLEANUP(place_clear) struct place at = {.any = false};
    size_t rows = MOVE_PAGE;

    while (rows == MOVE_PAGE)
        TRY(refer_page(m, t, &at, &rows, err));
    return RC_OK;
}

/* Triggers have counted what was copied, and not what retention let go of before. */
static enum rc copy_counts(struct moving *m, const struct move_table *t, struct err *err)
{
    CLEANUP(stmt_done) struct stmt *clear = NULL;
    CLEANUP(place_clear) struct place at = {.any = false};
    CLEANUP(tx_end) struct tx tx = TX_NONE;
    size_t rows = MOVE_PAGE;

    TRY(tx_begin(m->to->db, &tx, err));
    TRY(stmt_open(m->to->db, str_z(&t->clear), &clear, err));
    TRY(stmt_run(clear, NULL, err));
    while (rows == MOVE_PAGE) {
        TRY(copy_rows(m, t, &at, &rows, err));
        m->out->copied += (int64_t)rows;
    }
    return tx_commit_plain(&tx, err);
}

/* The next row gets the next number. */
static enum rc renumber(struct moving *m, const struct move_table *t, struct err *err)
{
    for (size_t i = 0; i < t->columns; i++)
        if (move_is_number(t, i) &&
            (t->column[i].key == 1 || strcmp(t->column[i].name, "rowid") == 0))
            TRY(db_renumber(m->to->db, t->name, t->column[i].name, err));
    return RC_OK;
}

enum pass { ROWS, REFERENCES, COUNTS, NUMBERS };

static enum rc
pass_one(struct moving *m, const struct move_table *t, enum pass pass, struct err *err)
{
    if (pass == REFERENCES && t->refers != NULL)
        return refer(m, t, err);
    if (pass == NUMBERS)
        return renumber(m, t, err);
    if (pass == COUNTS && t->counted)
        return copy_counts(m, t, err);
    return pass == ROWS && !t->counted ? copy_table(m, t, err) : RC_OK;
}

enum rc move_copy(struct moving *m, struct err *err)
{
    for (enum pass pass = ROWS; pass <= NUMBERS; pass++)
        for (size_t i = 0; i < m->plan.tables; i++)
            TRY(pass_one(m, &m->plan.table[i], pass, err));
    return RC_OK;
}
