/* SPDX-License-Identifier: Apache-2.0
 *
 * move - what of a ledger is copied row by row into one of another database, and in which order.
 *
 * The plan is read from the catalog of whichever of the two is SQLite: the schema is the same in both. A
 * table comes after those that it refers to. Texts of statements belong to the plan, which must outlive the
 * connections that prepared them.
 */
#pragma once

#include "store_p.h"

struct move_column {
    char *name;
    bool octets, number; /* neither: text */
    int key;             /* its place in the primary key, from 1; 0: it is not in it */
};

struct move_table {
    char *name;
    struct move_column *column;
    size_t columns;
    const char *refers;     /* a column that refers to this table itself; NULL: none does */
    bool counted;           /* filled by triggers while others are: copied last, and as a whole */
    struct str first, next; /* a page in order of the key: from its beginning; after $1 … */
    struct str last;        /* the highest key */
    struct str insert, refer, clear;
};

struct move_plan {
    struct move_table *table;
    size_t tables;
};

#define MOVE_PAGE 500

/* In `meta` of a ledger that is half moved. */
#define META_MOVING "moving"

struct moving {
    struct store *from, *to;
    struct move_plan plan;
    void (*tell)(void *ctx, const char *table, int64_t rows);
    void *ctx;
    struct store_moved *out;
};

/* Makes a ledger that has nothing yet what `from`, of another database, is at one instant; others go on writing
 * to that one. For store_copy: nothing is compared. `to` is closed first. */
enum rc move_snapshot(struct store *to, struct store *from, struct err *err) MUST_CHECK;

enum rc move_plan_read(struct db *sqlite, struct move_plan *out, struct err *err) MUST_CHECK;
void move_plan_clear(struct move_plan *plan); /* for CLEANUP */

/* move_copy.c: all rows of the plan, page by page, each a transaction; what is there already is passed over. */
enum rc move_copy(struct moving *m, struct err *err) MUST_CHECK;
/* move_compare.c: every row, and the event chain. RC_BROKEN names the first table that differs. */
enum rc move_compare(struct moving *m, struct err *err) MUST_CHECK;

/* move_rows.c */

/* A key that outlives the statement it was read by. */
struct place {
    bool any;
    struct str text[8];
    int64_t number[8];
};

void place_clear(struct place *p); /* for CLEANUP */
void place_keep(const struct move_table *t, struct stmt *row, struct place *p);
bool move_is_number(const struct move_table *t, size_t i);
/* Gives the value of a column of `row` to a parameter of another statement. */
void move_hand_over(struct stmt *row, const struct move_column *c, struct stmt *to, int at);
/* Binds the key of `row` to $1 … */
void move_bind_key(const struct move_table *t, struct stmt *row, struct stmt *to);
/* The page that comes after a place, or the first. It borrows the place. */
enum rc move_open_page(struct db *db,
                       const struct move_table *t,
                       const struct place *after,
                       struct stmt **out,
                       struct err *err) MUST_CHECK;
/* Lets go of a page; where it was a whole one, its last row is where the next begins. */
void move_turn_page(struct place *at, struct place *last, struct stmt **page);
