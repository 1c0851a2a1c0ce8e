/* SPDX-License-Identifier: Apache-2.0 */
#include "move.h"

#include <string.h>

/* Each row that changes is noted by its key, in the transaction that changes it. A key that changes is two: one
 * that is gone, and one that is new. */
static const char on_insert[] =
    "CREATE TRIGGER \"moving_!_comes\" AFTER INSERT ON ~ BEGIN"
    " INSERT INTO " MOVE_NOTES " (name, {kk#}) VALUES ('!', {kNEW.@}); END;";
static const char on_update[] = "CREATE TRIGGER \"moving_!_changes\" AFTER UPDATE ON ~ BEGIN"
                                " INSERT INTO " MOVE_NOTES " (name, {kk#}) VALUES ('!', {kNEW.@});"
                                " INSERT INTO " MOVE_NOTES " (name, {kk#}) SELECT '!', {kOLD.@}"
                                " WHERE ({kOLD.@}) <> ({kNEW.@}); END;";
static const char on_delete[] =
    "CREATE TRIGGER \"moving_!_goes\" AFTER DELETE ON ~ BEGIN"
    " INSERT INTO " MOVE_NOTES " (name, {kk#}) VALUES ('!', {kOLD.@}); END;";
static const char none_of[] = "DROP TRIGGER IF EXISTS \"moving_!_comes\";"
                              "DROP TRIGGER IF EXISTS \"moving_!_changes\";"
                              "DROP TRIGGER IF EXISTS \"moving_!_goes\";";

/* An index for finding has no triggers: what changes in it changes with what it is made of. */
static const char found_by[] =
    "CREATE TRIGGER moving_case_search_comes AFTER INSERT ON case_number BEGIN"
    " INSERT INTO " MOVE_NOTES " (name, k1) VALUES ('case_search', NEW.number); END;"
    "CREATE TRIGGER moving_case_search_changes AFTER UPDATE OF sender, subject ON item BEGIN"
    " INSERT INTO " MOVE_NOTES " (name, k1) SELECT 'case_search', number FROM case_number"
    " WHERE item_number = NEW.number OR (item_number IS NULL AND key = NEW.key); END;";

static const char notes[] =
    "CREATE TABLE " MOVE_NOTES
    " (number INTEGER PRIMARY KEY, name TEXT NOT NULL, k1, k2 NOT NULL DEFAULT '',"
    " k3 NOT NULL DEFAULT '');"
    "CREATE INDEX " MOVE_NOTES "_name ON " MOVE_NOTES " (name, number);";

static bool has_triggers(const struct move_table *t)
{
    return strcmp(t->name, "case_search") != 0;
}

static enum rc watch(struct moving *m, const struct move_table *t, struct err *err)
{
    CLEANUP(str_clear) struct str text = STR_INIT;

    if (has_triggers(t)) {
        move_text(t, on_insert, &text);
        move_text(t, on_update, &text);
        move_text(t, on_delete, &text);
    } else {
        str_addz(&text, found_by);
    }
    return db_run(m->from->db, str_z(&text), err);
}

static enum rc drop(struct db *db, const struct move_plan *plan, struct err *err)
{
    CLEANUP(str_clear) struct str text = STR_INIT;

    for (size_t i = 0; i < plan->tables; i++)
        move_text(&plan->table[i], none_of, &text);
    str_addz(&text, "DROP TABLE IF EXISTS " MOVE_NOTES);
    TRY(db_run(db, str_z(&text), err));
    return move_meta_forget(db, META_NOTING, err);
}

enum rc move_note_end(struct db *db, struct err *err)
{
    CLEANUP(move_plan_clear) struct move_plan plan = {.tables = 0};

    TRY(move_plan_read(db, &plan, err));
    return drop(db, &plan, err);
}

enum rc move_note_begin(struct moving *m, const char *name, struct err *err)
{
    CLEANUP(tx_end) struct tx tx = TX_NONE;

    TRY(tx_begin(m->from->db, &tx, err));
    TRY(drop(m->from->db, &m->plan, err)); /* of a move that was left */
    TRY(db_run(m->from->db, notes, err));
    for (size_t i = 0; i < m->plan.tables; i++)
        TRY(watch(m, &m->plan.table[i], err));
    TRY(move_meta_set(m->from->db, META_NOTING, name, err));
    return tx_commit_plain(&tx, err);
}

static enum rc ask(struct db *db, const char *question, int64_t *out, struct err *err)
{
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, question, &s, err));
    TRY(stmt_row(s, err));
    *out = col_int(s, "n");
    return RC_OK;
}

enum rc move_note_last(struct db *db, int64_t *out, struct err *err)
{
    static const char last[] = "SELECT COALESCE(MAX(number), 0) AS n FROM " MOVE_NOTES;

    return ask(db, last, out, err);
}

enum rc move_note_count(struct db *db, int64_t *out, struct err *err)
{
    static const char count[] = "SELECT COUNT(*) AS n FROM (SELECT DISTINCT name, k1, k2, k3"
                                " FROM " MOVE_NOTES ")";

    return ask(db, count, out, err);
}

/* Numbers may begin anew when nothing is left. */
enum rc move_note_sweep(struct moving *m, struct err *err)
{
    static const char sweep[] = "DELETE FROM " MOVE_NOTES " WHERE number <= $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    CLEANUP(tx_end) struct tx tx = TX_NONE;

    m->unswept = 0;
    if (m->applied == 0)
        return RC_OK;
    TRY(tx_begin(m->from->db, &tx, err));
    TRY(stmt_open(m->from->db, sweep, &s, err));
    stmt_int(s, 1, m->applied);
    TRY(stmt_run(s, NULL, err));
    TRY(tx_commit_plain(&tx, err));
    m->applied = 0;
    return RC_OK;
}
