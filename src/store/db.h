/* SPDX-License-Identifier: Apache-2.0
 *
 * db - the one door to a database: statements, rows, transactions, errors sorted by what to do.
 *
 * Private to src/store. The SQL text is the same for every database: parameters $1, $2 …, columns
 * read by name, ON CONFLICT … RETURNING, integer milliseconds, conditions that are comparisons (no
 * bare 1, no SUM of a condition: COUNT(*) FILTER (WHERE …)), CAST to TEXT and BIGINT, subqueries in FROM
 * with a name. A driver is the functions of driver.h; SQLite's is sqlite.c. A statement is prepared
 * once a connection and reused, found by the address of its text, which must be static.
 *
 *     static const char find[] = "SELECT state FROM item WHERE key = $1";
 *     CLEANUP(stmt_done) struct stmt *s = NULL;
 *     TRY(stmt_open(db, find, &s, err));
 *     stmt_text(s, 1, key);
 *     enum rc rc = stmt_row(s, err);            RC_OK: a row; RC_NOT_FOUND: no more
 *     if (rc == RC_OK) state = col_text(s, "state");    borrowed until the next stmt_ call
 *
 * A statement that gives rows and writes (RETURNING) is read to its end, or done, before the commit.
 * After a statement that failed within a transaction nothing more is done in it.
 * A transaction is rolled back unless tx_commit succeeded, so an early return is always right.
 */
#pragma once

#include <onecase/err.h>
#include <onecase/store.h>
#include <onecase/str.h>

struct db;
struct stmt;

/* `oldest_schema` of a ledger that was moved: no program will ever know so many. */
#define SCHEMA_MOVED 999999999

enum rc db_open(const struct store_options *options, struct db **out, struct err *err) MUST_CHECK;
void db_close(struct db **db);

enum rc db_run(struct db *db, const char *sql, struct err *err)
    MUST_CHECK; /* statements without results */
/* Closes the connection and opens it anew, as after a COMMIT whose outcome is unknown. */
enum rc db_reopen(struct db *db, struct err *err) MUST_CHECK;
bool db_read_only(const struct db *db);
const char *db_path(const struct db *db); /* for messages; borrowed */
/* The last failure took its transaction along, and the whole of it may go at once: a connection that was
 * lost, another's write that it met. Never so with SQLite, where whoever waited has waited. */
bool db_passing(const struct db *db);

enum rc stmt_open(struct db *db, const char *sql, struct stmt **out, struct err *err) MUST_CHECK;
void stmt_done(struct stmt **s); /* resets it for the next use; for CLEANUP */
void stmt_text(struct stmt *s,
               int at,
               const char *text); /* borrowed until stmt_done; NULL is NULL */
void stmt_slice(struct stmt *s, int at, struct slice text); /* the same, as text */
void stmt_blob(struct stmt *s, int at, struct slice octets);
void stmt_int(struct stmt *s, int at, int64_t value);
void stmt_null(struct stmt *s, int at);
/* RC_OK: a row. RC_NOT_FOUND: no more; `err` is left as it was. */
enum rc stmt_row(struct stmt *s, struct err *err) MUST_CHECK;
/* Runs a statement that gives no row. `changed` (may be NULL) is the number of rows it changed. */
enum rc stmt_run(struct stmt *s, int64_t *changed, struct err *err) MUST_CHECK;
/* Runs one that must change exactly one row: RC_CONFLICT, "WHAT was changed by another", else. */
enum rc stmt_one(struct stmt *s, const char *what, struct err *err) MUST_CHECK;
/* Runs an insert of one row that ends in RETURNING id. */
enum rc stmt_id(struct stmt *s, int64_t *id, struct err *err) MUST_CHECK;
void stmt_when(struct stmt *s, int at, int64_t at_ms); /* an instant; NOT_DUE is NULL */

/* One column of many rows, for a statement that takes them by unnest($1::text[], …), where the database has
 * that. Its owner sets `of` and clears `octets`. */
enum values_of { VALUES_OF_TEXTS, VALUES_OF_OCTETS, VALUES_OF_NUMBERS };
struct values {
    enum values_of of;
    struct str octets;
    int32_t count;
    bool nulls; /* there is one among them */
};
bool db_takes_lists(const struct db *db);
void values_slice(struct values *list, struct slice text); /* text or octets */
void values_number(struct values *list, int64_t value);
void values_null(struct values *list);
void stmt_values(struct stmt *s, int at, const struct values *list); /* copied */

int64_t col_int(struct stmt *s, const char *name);
bool col_null(struct stmt *s, const char *name);
const char *col_text(struct stmt *s, const char *name);   /* "" for NULL; borrowed */
struct slice col_slice(struct stmt *s, const char *name); /* text or octets; borrowed */
int64_t col_when(struct stmt *s, const char *name);       /* an instant; NULL is NOT_DUE */
/* Copies a text into an array; one that does not fit is RC_BROKEN: the ledger is not ours. */
#define COL_COPY(s, name, array, err) col_copy((s), (name), (array), sizeof(array), (err))
enum rc col_copy(struct stmt *s, const char *name, char *out, size_t size, struct err *err)
    MUST_CHECK;

/* From now on a transaction that writes is RC_BROKEN where the ledger works with programs of that schema no
 * more (migrate.h): it was changed while it was open. */
void db_keep_to(struct db *db, int64_t schema);

/* Breaks off statements that take longer: see store_limit. */
enum rc db_limit(struct db *db, int64_t longest_ms, const struct clock *clock, struct err *err)
    MUST_CHECK;
/* RC_DEFERRED: a statement was broken off. */
enum rc db_took_too_long(const struct db *db, struct err *err);

/* What was deleted or overwritten leaves the database's own files as well, as far as it can now. */
void db_forget(struct db *db);
/* The database's own clock, which all who use it share, in wall time; 0: it has none, and whoever uses it is
 * on this machine. */
enum rc db_now(struct db *db, int64_t *out, struct err *err) MUST_CHECK;
/* The same, of when the last transaction began. */
int64_t db_began(const struct db *db);
/* Lets those know who listen to what is about that: a hint, which may be lost, and may be of nothing. Whoever
 * hears one looks; whoever waits looks now and then all the same. Outside of a transaction. */
void db_tell(struct db *db, const char *about);
/* From now on, also after the connection was lost, others' hints about that are heard. */
void db_listen(struct db *db, const char *about);
/* Was there any since the last call, or could one have been lost? `fd`: readable when there may be one, until
 * the next call of anything; -1: none is ever heard. */
bool db_heard(struct db *db, int *fd);
/* RC_BROKEN: there is a standby that may take over without the last commits. */
enum rc db_standbys(struct db *db, struct err *err) MUST_CHECK;
/* The same now, and on each new connection from now on. */
enum rc db_refuse_standbys(struct db *db, struct err *err) MUST_CHECK;
/* Another one than was last seen: another server has taken over, or the database was restored. 0: its
 * database has none. A statement that only reads may meet another server unnoticed; a transaction that writes
 * is RC_DEFERRED there, once. */
int64_t db_timeline(const struct db *db);
/* From now on it is RC_BROKEN, and so is db_stayed: what was read before, and is remembered by whoever writes,
 * may be of another ledger. */
void db_stay(struct db *db);
enum rc db_stayed(struct db *db, struct err *err) MUST_CHECK;
/* Is there such a table? NULL: any at all. */
enum rc db_has_table(struct db *db, const char *name, bool *out, struct err *err) MUST_CHECK;
/* The path of the file that holds it; false where none does: memory, a server. */
bool db_file(struct db *db, struct str *out);
enum rc db_size(struct db *db, int64_t *octets, struct err *err) MUST_CHECK;
/* The database's own check of every page and, with `whole`, of every index and reference. RC_BROKEN
 * says what is wrong first. */
enum rc db_check(struct db *db, bool whole, struct err *err) MUST_CHECK;
/* The next row of a numbered table gets the next number, after rows came with numbers of their own. */
enum rc db_renumber(struct db *db, const char *table, const char *column, struct err *err)
    MUST_CHECK;
/* Whether the table's own triggers fire: the database's matter, until it is said again, or this connection's. */
enum rc db_triggers(struct db *db, const char *table, bool fire, struct err *err) MUST_CHECK;
/* Are both of one kind? */
bool db_alike(const struct db *a, const struct db *b);
/* Overwrites `to` with what stands in `from`, as one transaction. */
enum rc db_copy(struct db *to, struct db *from, struct err *err) MUST_CHECK;

struct tx {
    struct db *db; /* NULL once it has ended */
};
#define TX_NONE                                                                                    \
    {                                                                                              \
        NULL                                                                                       \
    }

/* Alone among those that write: nothing after it fails for want of a lock. BEGIN IMMEDIATE. */
enum rc tx_begin(struct db *db, struct tx *tx, struct err *err) MUST_CHECK;
/* Beside the others that write, where the database can do that: one after another with those of the same
 * `turn`, and never beside one of tx_begin. For what touches one mailbox's rows, `turn` names it. */
enum rc tx_begin_in(struct db *db, const char *turn, struct tx *tx, struct err *err) MUST_CHECK;
/* From here to its end alone among those that append: what they add follows what is read now. */
enum rc tx_append(const struct tx *tx, struct err *err) MUST_CHECK;
/* The same for a migration: there may be no table yet. */
enum rc tx_migrate(struct db *db, struct tx *tx, struct err *err) MUST_CHECK;
/* BEGIN: several reads that see one state. Write nothing in it; tx_end ends it. */
enum rc tx_read(struct db *db, struct tx *tx, struct err *err) MUST_CHECK;
/* RC_OK: durable. RC_DEFERRED: rolled back. RC_UNKNOWN: the COMMIT failed and may have happened;
 * the caller reads back (tx_finish of chain.h does). */
enum rc tx_commit(struct tx *tx, struct err *err) MUST_CHECK;
/* The same for one that adds no line to the chain, and that does no harm where it is repeated: what is not
 * known is RC_DEFERRED. */
enum rc tx_commit_plain(struct tx *tx, struct err *err) MUST_CHECK;
void tx_end(struct tx *tx); /* rolls back what was not committed; for CLEANUP */
