/* SPDX-License-Identifier: Apache-2.0 */
#include "move.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* What is no table of its own, or is another's: `meta` is the ledger's name and the digests of its schema,
 * and without a key are only failed sign-ins of the last minutes. */
static const char tables[] =
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('meta', '" MOVE_NOTES "')"
    " AND name NOT LIKE 'case!_search%' ESCAPE '!'"
    " AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name";

static void table_clear(struct move_table *t)
{
    struct str *const texts[] = {&t->first, &t->next, &t->last,    &t->named,
                                 &t->noted, &t->gone, &t->changed, &t->referring};

    for (size_t i = 0; i < t->columns; i++)
        free(t->column[i].name);
    free(t->column);
    free(t->name);
    for (size_t i = 0; i < LENGTH(texts); i++)
        str_clear(texts[i]);
    for (size_t i = 0; i < PUTS; i++) {
        str_clear(&t->row[i]);
        str_clear(&t->lists[i]);
    }
}

void move_plan_clear(struct move_plan *plan)
{
    for (size_t i = 0; i < plan->tables; i++)
        table_clear(&plan->table[i]);
    free(plan->table);
    *plan = (struct move_plan){.tables = 0};
}

/* Columns */

static struct move_column *add_column(struct move_table *t, const char *name)
{
    t->column = mem_grow(t->column, t->columns + 1, sizeof *t->column);
    t->column[t->columns] = (struct move_column){.name = mem_text(name)};
    return &t->column[t->columns++];
}

static enum rc read_columns(struct db *db, struct move_table *t, struct err *err)
{
    static const char find[] = "SELECT name, type, pk FROM pragma_table_info($1) ORDER BY cid";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum rc rc;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, t->name);
    while ((rc = stmt_row(s, err)) == RC_OK) {
        struct move_column *c = add_column(t, col_text(s, "name"));

        c->number = strcmp(col_text(s, "type"), "INTEGER") == 0;
        c->octets = strcmp(col_text(s, "type"), "BLOB") == 0;
        c->key = (int)col_int(s, "pk");
    }
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* Users are listed in the order in which they came, which is that of their rowid. */
static void add_rowid(struct move_table *t)
{
    if (strcmp(t->name, "user") == 0)
        add_column(t, "rowid")->number = true;
}

const struct move_column *move_key(const struct move_table *t, int place)
{
    for (size_t i = 0; i < t->columns; i++)
        if (t->column[i].key == place)
            return &t->column[i];
    return NULL;
}

/* What refers to what */

static const char *own_name(const struct move_table *t, const char *column)
{
    for (size_t i = 0; i < t->columns; i++)
        if (strcmp(t->column[i].name, column) == 0)
            return t->column[i].name;
    return NULL;
}

static bool refers_to(struct move_plan *plan, const char *table)
{
    for (size_t i = 0; i < plan->tables; i++)
        if (strcmp(plan->table[i].name, table) == 0) {
            plan->table[i].referred = true;
            return true;
        }
    return false;
}

/* May it come now? All that it refers to is there, but for itself. */
static enum rc
look_at(struct db *db, struct move_plan *plan, struct move_table *t, bool *may, struct err *err)
{
    static const char find[] = "SELECT \"table\" AS target, \"from\" AS source"
                               " FROM pragma_foreign_key_list($1)";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum rc rc;

    *may = true;
    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, t->name);
    while ((rc = stmt_row(s, err)) == RC_OK) {
        const char *target = col_text(s, "target");

        if (strcmp(target, t->name) == 0)
            t->refers = own_name(t, col_text(s, "source"));
        else
            *may &= refers_to(plan, target);
    }
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static void take(struct move_plan *plan, struct move_table *t)
{
    move_texts(t);
    plan->table = mem_grow(plan->table, plan->tables + 1, sizeof *plan->table);
    plan->table[plan->tables++] = *t;
    *t = (struct move_table){.name = NULL};
}

static enum rc take_those_that_may(struct db *db,
                                   struct move_plan *unsorted,
                                   struct move_plan *out,
                                   struct err *err)
{
    for (size_t i = 0; i < unsorted->tables; i++) {
        struct move_table *t = &unsorted->table[i];
        bool may = false;

        if (t->name != NULL)
            TRY(look_at(db, out, t, &may, err));
        if (may)
            take(out, t);
    }
    return RC_OK;
}

/* Round after round, until none is left that may come. */
static enum rc
put_in_order(struct db *db, struct move_plan *unsorted, struct move_plan *out, struct err *err)
{
    size_t before = SIZE_MAX;

    while (out->tables != before) {
        before = out->tables;
        TRY(take_those_that_may(db, unsorted, out, err));
    }
    if (out->tables < unsorted->tables)
        return FAIL(err, RC_BROKEN, "ledger: its tables refer to one another in a circle");
    return RC_OK;
}

/* All */

static enum rc add_table(struct db *db, const char *name, struct move_plan *out, struct err *err)
{
    struct move_table t = {.name = mem_text(name)};
    enum rc rc = read_columns(db, &t, err);

    if (rc != RC_OK || move_key(&t, 1) == NULL) {
        table_clear(&t);
        return rc;
    }
    assert(move_key(&t, MOVE_KEYS + 1) == NULL && t.columns < MOVE_COLUMNS);
    add_rowid(&t);
    out->table = mem_grow(out->table, out->tables + 1, sizeof *out->table);
    out->table[out->tables++] = t;
    return RC_OK;
}

static enum rc read_tables(struct db *db, struct move_plan *out, struct err *err)
{
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum rc rc;

    TRY(stmt_open(db, tables, &s, err));
    while ((rc = stmt_row(s, err)) == RC_OK)
        TRY(add_table(db, col_text(s, "name"), out, err));
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* In SQLite it is an index for finding, and no table that a catalog knows the types of. */
static void add_search(struct move_plan *plan)
{
    static const char *const columns[] = {"rowid", "reference", "sender", "subject"};
    struct move_table t = {.name = mem_text("case_search")};

    for (size_t i = 0; i < LENGTH(columns); i++) {
        struct move_column *c = add_column(&t, columns[i]);

        c->number = i == 0;
        c->key = i == 0 ? 1 : 0;
    }
    take(plan, &t);
}

enum rc move_plan_read(struct db *sqlite, struct move_plan *out, struct err *err)
{
    CLEANUP(move_plan_clear) struct move_plan unsorted = {.tables = 0};

    TRY(read_tables(sqlite, &unsorted, err));
    TRY(put_in_order(sqlite, &unsorted, out, err));
    add_search(out);
    return RC_OK;
}
