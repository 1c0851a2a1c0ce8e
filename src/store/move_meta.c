/* SPDX-License-Identifier: Apache-2.0 */
#include "move.h"

#include <inttypes.h>
#include <stdio.h>

enum rc move_meta_get(struct db *db, const char *name, struct str *out, struct err *err)
{
    static const char find[] = "SELECT value FROM meta WHERE name = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, name);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_OK)
        str_addz(out, col_text(s, "value"));
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

enum rc move_meta_set(struct db *db, const char *name, const char *value, struct err *err)
{
    static const char set[] = "INSERT INTO meta (name, value) VALUES ($1, $2)"
                              " ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, set, &s, err));
    stmt_text(s, 1, name);
    stmt_text(s, 2, value);
    return stmt_run(s, NULL, err);
}

enum rc move_meta_forget(struct db *db, const char *name, struct err *err)
{
    static const char forget[] = "DELETE FROM meta WHERE name = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, forget, &s, err));
    stmt_text(s, 1, name);
    return stmt_run(s, NULL, err);
}

enum rc move_meta_copy(struct moving *m, struct err *err)
{
    static const char find[] =
        "SELECT name, value FROM meta WHERE name NOT LIKE 'schema!_%' ESCAPE '!'"
        " AND name NOT LIKE 'oldest!_schema%' ESCAPE '!'"
        " AND name NOT IN ('" META_NOTING "', '" META_MOVED "') ORDER BY name";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum rc rc;

    TRY(stmt_open(m->from->db, find, &s, err));
    while ((rc = stmt_row(s, err)) == RC_OK)
        TRY(move_meta_set(m->to->db, col_text(s, "name"), col_text(s, "value"), err));
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

enum rc move_next_step(struct moving *m, struct err *err)
{
    char number[24];

    m->step++;
    place_clear(&m->place);
    m->place = (struct place){.any = false};
    snprintf(number, sizeof number, "%zu", m->step);
    return move_meta_set(m->to->db, META_MOVING, number, err);
}

enum rc move_check_not_over(struct db *db, struct err *err)
{
    CLEANUP(str_clear) struct str moved = STR_INIT;

    TRY(move_meta_get(db, META_MOVED, &moved, err));
    if (moved.len == 0)
        return RC_OK;
    return FAIL(err, RC_BROKEN,
                "ledger '%s': it was moved, and is written to no more: set `ledger` to where it is"
                " now ('onecase help migrate-ledger')",
                db_path(db));
}

enum rc store_check_not_moved(struct store *store, struct err *err)
{
    return move_check_not_over(store->db, err);
}
