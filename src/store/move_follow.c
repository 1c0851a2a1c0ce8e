/* SPDX-License-Identifier: Apache-2.0 */
#include "move.h"

/* What the copy has not come to yet it will read as it is then. */
static bool reached(const struct moving *m, const struct move_table *t, struct stmt *row)
{
    size_t at = (size_t)(t - m->plan.table);
    size_t copying = m->step < m->plan.tables ? m->step : m->plan.tables;

    return at < copying || (at == copying && place_reaches(&m->place, t, row));
}

static enum rc
open_noted(const struct moving *m, const struct str *text, struct stmt **out, struct err *err)
{
    TRY(stmt_open(m->from->db, str_z(text), out, err));
    stmt_int(*out, 1, m->applied);
    stmt_int(*out, 2, m->upto);
    return RC_OK;
}

static enum rc
next(const struct moving *m, const struct move_table *t, struct stmt *s, struct err *err)
{
    enum rc rc = stmt_row(s, err);

    while (rc == RC_OK && !reached(m, t, s))
        rc = stmt_row(s, err);
    return rc;
}

static enum rc is_noted(struct moving *m, const struct move_table *t, bool *out, struct err *err)
{
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(open_noted(m, &t->noted, &s, err));
    TRY(stmt_row(s, err));
    *out = col_int(s, "any") != 0;
    return RC_OK;
}

/* ---- writing ------------------------------------------------------------------------------------------ */

static enum rc bring(struct moving *m,
                     const struct move_table *t,
                     const struct str *which,
                     enum put how,
                     int64_t *rows,
                     struct err *err)
{
    CLEANUP(putting_clear) struct putting put = {.to = m->to->db, .t = t, .how = how};
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum rc rc;

    *rows = 0;
    if (t->lists[how].len == 0) /* it is its key, and nothing else */
        return RC_OK;
    TRY(open_noted(m, which, &s, err));
    for (; (rc = next(m, t, s, err)) == RC_OK; ++*rows)
        if (how != PUT_REFERENCE || !col_null(s, t->refers))
            TRY(putting_row(&put, s, err));
    return rc == RC_NOT_FOUND ? putting_end(&put, err) : rc;
}

/* What was there makes room for what is new, as some values are no two rows' at once: by going, or, where others
 * refer to it, by changing first. */
static enum rc bring_changes(struct moving *m, const struct move_table *t, struct err *err)
{
    int64_t rows;

    TRY(bring(m, t, &t->changed, t->referred || t->refers != NULL ? PUT_CHANGE : PUT_AWAY, &rows,
              err));
    TRY(bring(m, t, &t->changed, PUT_ROW, &rows, err));
    m->out->followed += rows;
    return t->refers != NULL ? bring(m, t, &t->changed, PUT_REFERENCE, &rows, err) : RC_OK;
}

static enum rc bring_deletions(struct moving *m, const struct move_table *t, struct err *err)
{
    int64_t rows;

    TRY(bring(m, t, &t->gone, PUT_AWAY, &rows, err));
    m->out->followed += rows;
    return RC_OK;
}

/* ---- comparing ---------------------------------------------------------------------------------------- */

/* As many as one page has, by their keys. RC_NOT_FOUND: that was the last. */
static enum rc gather(struct moving *m, struct putting *keys, struct stmt *s, struct err *err)
{
    enum rc rc = RC_OK;

    putting_empty(keys);
    while (keys->rows < MOVE_PAGE && (rc = next(m, keys->t, s, err)) == RC_OK)
        putting_key(keys, s);
    return rc;
}

/* Both give the same rows, in the same order. NULL: there are to be none. */
static enum rc compare_rows(
    struct moving *m, struct putting *keys, struct stmt *ours, struct stmt *theirs, struct err *err)
{
    enum rc rc = RC_OK;

    for (size_t i = 0; ours != NULL && i < keys->rows; i++) {
        TRY(next(m, keys->t, ours, err));
        rc = stmt_row(theirs, err);
        if (rc == RC_NOT_FOUND)
            return move_differs(m, keys->t, err);
        TRY(rc);
        TRY(move_compare_row(m, keys->t, ours, theirs, err));
        m->out->rows++;
    }
    rc = stmt_row(theirs, err);
    if (rc == RC_OK)
        return move_differs(m, keys->t, err);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static enum rc
compare_named(struct moving *m, struct putting *keys, struct stmt *ours, struct err *err)
{
    CLEANUP(stmt_done) struct stmt *theirs = NULL;

    if (keys->rows == 0)
        return RC_OK;
    TRY(putting_open(keys, &keys->t->named, &theirs, err));
    return compare_rows(m, keys, ours, theirs, err);
}

static enum rc compare_all(struct moving *m,
                           const struct move_table *t,
                           struct stmt *named,
                           struct stmt *ours,
                           struct err *err)
{
    CLEANUP(putting_clear) struct putting keys = {.to = m->to->db, .t = t, .how = PUT_AWAY};
    enum rc rc = RC_OK;

    while (rc == RC_OK) {
        rc = gather(m, &keys, named, err);
        if (rc != RC_OK && rc != RC_NOT_FOUND)
            return rc;
        TRY(compare_named(m, &keys, ours, err));
    }
    return RC_OK;
}

/* Keys are read once, and rows beside them: neither needs room for all. */
static enum rc compare_changes(struct moving *m, const struct move_table *t, struct err *err)
{
    CLEANUP(stmt_done) struct stmt *named = NULL;
    CLEANUP(stmt_done) struct stmt *ours = NULL;

    TRY(open_noted(m, &t->changed, &named, err));
    TRY(open_noted(m, &t->changed, &ours, err));
    return compare_all(m, t, named, ours, err);
}

static enum rc compare_deletions(struct moving *m, const struct move_table *t, struct err *err)
{
    CLEANUP(stmt_done) struct stmt *named = NULL;

    TRY(open_noted(m, &t->gone, &named, err));
    return compare_all(m, t, named, NULL, err);
}

/* ---- a table ------------------------------------------------------------------------------------------ */

static enum rc follow_deletions(struct moving *m, const struct move_table *t, struct err *err)
{
    bool any;

    TRY(is_noted(m, t, &any, err));
    if (!any)
        return RC_OK;
    TRY(bring_deletions(m, t, err));
    return compare_deletions(m, t, err);
}

static enum rc follow_changes(struct moving *m, const struct move_table *t, struct err *err)
{
    bool any;

    TRY(is_noted(m, t, &any, err));
    if (!any)
        return RC_OK;
    TRY(bring_changes(m, t, err));
    return compare_changes(m, t, err);
}

enum rc move_follow(struct moving *m, struct err *err)
{
    if (!m->noting)
        return RC_OK;
    TRY(move_note_last(m->from->db, &m->upto, err));
    if (m->upto <= m->applied)
        return RC_OK;
    for (size_t i = m->plan.tables; i > 0; i--)
        TRY(follow_deletions(m, &m->plan.table[i - 1], err));
    for (size_t i = 0; i < m->plan.tables; i++)
        TRY(follow_changes(m, &m->plan.table[i], err));
    return RC_OK;
}
