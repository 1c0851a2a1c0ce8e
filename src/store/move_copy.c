/* SPDX-License-Identifier: Apache-2.0 */
#include "move.h"

static enum rc
copy_rows(struct moving *m, const struct move_table *t, size_t *rows, struct err *err)
{
    CLEANUP(putting_clear) struct putting put = {.to = m->to->db, .t = t, .how = PUT_ROW};
    CLEANUP(stmt_done) struct stmt *page = NULL;
    CLEANUP(place_clear) struct place last = {.any = false};
    enum rc rc;

    TRY(move_open_page(m->from->db, t, &m->place, &page, err));
    for (*rows = 0; (rc = stmt_row(page, err)) == RC_OK; ++*rows) {
        TRY(putting_row(&put, page, err));
        place_keep(t, page, &last);
    }
    if (rc != RC_NOT_FOUND)
        return rc;
    move_turn_page(&m->place, &last, &page);
    return putting_end(&put, err);
}

/* All of it is there now. */
static enum rc refer(struct moving *m, const struct move_table *t, struct err *err)
{
    CLEANUP(putting_clear) struct putting put = {.to = m->to->db, .t = t, .how = PUT_REFERENCE};
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum rc rc;

    TRY(stmt_open(m->from->db, str_z(&t->referring), &s, err));
    while ((rc = stmt_row(s, err)) == RC_OK)
        TRY(putting_row(&put, s, err));
    return rc == RC_NOT_FOUND ? putting_end(&put, err) : rc;
}

static enum rc end_table(struct moving *m, const struct move_table *t, struct err *err)
{
    if (t->refers != NULL)
        TRY(refer(m, t, err));
    return move_next_step(m, err);
}

enum rc move_copy_page(struct moving *m, struct err *err)
{
    const struct move_table *t = &m->plan.table[m->step];
    size_t rows;

    TRY(copy_rows(m, t, &rows, err));
    m->out->copied += (int64_t)rows;
    m->tell(m->ctx, t->name, (int64_t)rows);
    return rows < MOVE_PAGE ? end_table(m, t, err) : RC_OK;
}
