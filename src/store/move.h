/* SPDX-License-Identifier: Apache-2.0
 *
 * move - a ledger goes into another database, row by row, while others go on writing to it.
 *
 * From SQLite it works in steps, each a short transaction that reads the old one and another that writes the
 * new one, which nobody else opens (META_MOVING). Triggers note in the old one which rows change. Each step
 * first brings over what was noted, deletions from the last table to the first, then changes from the first to
 * the last, and compares those rows; then it copies, or compares, a page more. So after each step all that the
 * new one has is what the old one had at one instant, and a row's parent is always there before it. The step
 * that comes next is recorded with what the one before it has written. When no run is left the rest is brought
 * over while nobody can write, and the old one is closed for good: `oldest_schema` is beyond every program.
 *
 * From PostgreSQL nothing is noted: the whole of it is one transaction of the old one, with the service stopped.
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

#define MOVE_KEYS    3
#define MOVE_COLUMNS 64

/* What is done with a row there. */
enum put {
    PUT_ROW,       /* it is new; what refers to its own table comes after it */
    PUT_CHANGE,    /* it is there, and was another */
    PUT_REFERENCE, /* what refers to its own table */
    PUT_AWAY,      /* by its key */
    PUTS
};

struct move_table {
    char *name;
    struct move_column *column;
    size_t columns;
    const char *refers;     /* a column that refers to this table itself; NULL: none does */
    bool referred;          /* another table refers to it */
    struct str first, next; /* a page in order of the key: from its beginning; after $1 … */
    struct str last;        /* the highest key */
    struct str named;       /* rows by lists of their keys */
    struct str noted;       /* of the old one: was anything noted after $1 and up to $2? */
    struct str gone, changed, referring;
    struct str row[PUTS], lists[PUTS]; /* one row; as many as the lists have */
};

struct move_plan {
    struct move_table *table;
    size_t tables;
};

#define MOVE_PAGE 500

/* Of the old one: the table of what has changed; in its `meta` what the move is known by, and, once it is over,
 * that it was moved. */
#define MOVE_NOTES  "moving_note"
#define META_NOTING "noting"
#define META_MOVED  "moved"
/* In `meta` of a ledger that is half moved: the next step, the move that it is of, and up to which line its
 * chain was walked. */
#define META_MOVING "moving"
#define META_OF     "moving_of"
#define META_WALKED "moving_walked"

/* A key that outlives the statement it was read by. */
struct place {
    bool any;
    struct str text[MOVE_KEYS];
    int64_t number[MOVE_KEYS];
};

struct moving {
    struct store *from, *to;
    struct move_plan plan;
    bool noting; /* what changes in the old one is noted */
    bool alone;  /* a transaction of the old one is open for all that comes */
    size_t step; /* tables are copied one after another, then compared, then the chain is walked */
    struct place place;    /* how far the step's table is copied, or compared */
    int64_t applied, upto; /* notes that were brought over; that this step brings over */
    int unswept;           /* steps since notes were thrown away */
    void (*tell)(void *ctx, const char *table, int64_t rows);
    void *ctx;
    struct store_moved *out;
};

/* Makes a ledger that has nothing yet what `from`, of another database, is at one instant; others go on writing
 * to that one. For store_copy: nothing is compared. `to` is closed first. */
enum rc move_snapshot(struct store *to, struct store *from, struct err *err) MUST_CHECK;

enum rc move_plan_read(struct db *sqlite, struct move_plan *out, struct err *err) MUST_CHECK;
void move_plan_clear(struct move_plan *plan); /* for CLEANUP */
const struct move_column *move_key(const struct move_table *t,
                                   int place); /* NULL: it has no more */

/* move_texts.c */
void move_texts(struct move_table *t);
void move_text(const struct move_table *t, const char *pattern, struct str *out);

/* move_meta.c: what a ledger says of itself; "" where it says nothing. */
enum rc move_meta_get(struct db *db, const char *name, struct str *out, struct err *err) MUST_CHECK;
enum rc move_meta_set(struct db *db, const char *name, const char *value, struct err *err)
    MUST_CHECK;
enum rc move_meta_forget(struct db *db, const char *name, struct err *err) MUST_CHECK;
/* RC_BROKEN: it was moved away. */
enum rc move_check_not_over(struct db *db, struct err *err) MUST_CHECK;
/* All but what belongs to either database: its schema and the move. */
enum rc move_meta_copy(struct moving *m, struct err *err) MUST_CHECK;

/* move_note.c: what changes in the old one while it is copied. */
enum rc move_note_begin(struct moving *m, const char *name, struct err *err) MUST_CHECK;
enum rc move_note_end(struct db *db, struct err *err) MUST_CHECK; /* within a transaction */
enum rc move_note_last(struct db *db, int64_t *out, struct err *err) MUST_CHECK;
enum rc move_note_count(struct db *db, int64_t *out, struct err *err) MUST_CHECK;
/* Throws away what was brought over. */
enum rc move_note_sweep(struct moving *m, struct err *err) MUST_CHECK;

/* move_copy.c: a page more of the step's table. */
enum rc move_copy_page(struct moving *m, struct err *err) MUST_CHECK;
/* move_compare.c: the same, of every row of both. RC_BROKEN names the table that differs. */
enum rc move_compare_page(struct moving *m, struct err *err) MUST_CHECK;
enum rc move_compare_row(const struct moving *m,
                         const struct move_table *t,
                         struct stmt *a,
                         struct stmt *b,
                         struct err *err) MUST_CHECK;
enum rc move_differs(const struct moving *m, const struct move_table *t, struct err *err);
/* Within both transactions: the next step is the next table's. */
enum rc move_next_step(struct moving *m, struct err *err) MUST_CHECK;
/* move_follow.c: within both transactions: what was noted, and compares it. */
enum rc move_follow(struct moving *m, struct err *err) MUST_CHECK;

/* move_rows.c */

void place_clear(struct place *p); /* for CLEANUP */
void place_keep(const struct move_table *t, struct stmt *row, struct place *p);
/* Does the row come at that place, or before it? */
bool place_reaches(const struct place *p, const struct move_table *t, struct stmt *row);
/* The page that comes after a place, or the first. It borrows the place. */
enum rc move_open_page(struct db *db,
                       const struct move_table *t,
                       const struct place *after,
                       struct stmt **out,
                       struct err *err) MUST_CHECK;
/* Lets go of a page; where there was a row, its last is where the next begins. */
void move_turn_page(struct place *at, struct place *last, struct stmt **page);

/* move_put.c: rows on their way; many at once where the database takes lists. */
struct putting {
    struct db *to;
    const struct move_table *t;
    enum put how;
    struct values list[MOVE_COLUMNS];
    size_t rows, octets;
};

void putting_clear(struct putting *p); /* for CLEANUP */
enum rc putting_row(struct putting *p, struct stmt *row, struct err *err) MUST_CHECK;
enum rc putting_end(struct putting *p, struct err *err) MUST_CHECK;
/* Adds the key of `row` to lists. */
void putting_key(struct putting *p, struct stmt *row);
/* Opens a statement on the lists, which it borrows. */
enum rc putting_open(struct putting *p, const struct str *text, struct stmt **out, struct err *err)
    MUST_CHECK;
void putting_empty(struct putting *p); /* the next ones */
