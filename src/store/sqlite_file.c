/* SPDX-License-Identifier: Apache-2.0 */
#include "sqlite_fault.h"
#include "sqlite_p.h"

#include <string.h>
#include <unistd.h>

enum rc sqlite_has_table(struct db *db, const char *name, bool *out, struct err *err)
{
    static const char find[] = "SELECT COUNT(*) AS count FROM sqlite_schema"
                               " WHERE type = 'table' AND ($1 IS NULL OR name = $1)";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, name);
    TRY(stmt_row(s, err));
    *out = col_int(s, "count") > 0;
    return RC_OK;
}

enum rc sqlite_size(struct db *db, int64_t *octets, struct err *err)
{
    static const char find[] =
        "SELECT page_count * page_size AS size FROM pragma_page_count, pragma_page_size";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    TRY(stmt_row(s, err));
    *octets = col_int(s, "size");
    return RC_OK;
}

static enum rc damaged(struct db *db, const char *what, struct err *err)
{
    return FAIL(err, RC_BROKEN, "ledger '%s': %s (%s)", db_path(db),
                sqlite_fault_of(SQLITE_CORRUPT)->remedy, what);
}

static enum rc check_references(struct db *db, struct err *err)
{
    static const char check[] = "SELECT \"table\" AS name FROM pragma_foreign_key_check LIMIT 1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, check, &s, err));
    enum rc rc = stmt_row(s, err);

    if (rc == RC_OK)
        return damaged(db, col_text(s, "name"), err);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* What is found is a row of text, not a failure, unless not even reading goes. */
static enum rc check_pages(struct db *db, const char *check, struct err *err)
{
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, check, &s, err));
    TRY(stmt_row(s, err));
    return strcmp(col_text(s, "found"), "ok") == 0 ? RC_OK : damaged(db, col_text(s, "found"), err);
}

enum rc sqlite_check(struct db *db, bool whole, struct err *err)
{
    static const char quick[] = "SELECT quick_check AS found FROM pragma_quick_check(1)";
    static const char thorough[] = "SELECT integrity_check AS found FROM pragma_integrity_check(1)";

    if (!whole)
        return check_pages(db, quick, err);
    TRY(check_pages(db, thorough, err));
    return check_references(db, err);
}

enum rc sqlite_copy(struct db *to, struct db *from, struct err *err)
{
    struct sqlite *mine = sqlite_of(to);

    TRY(sqlite_connected(mine, err));

    sqlite3_backup *copy =
        sqlite3_backup_init(mine->connection, "main", sqlite_of(from)->connection, "main");

    if (copy == NULL)
        return FAIL_OF_SQLITE(mine, err);
    sqlite3_backup_step(copy, -1);
    return sqlite3_backup_finish(copy) == SQLITE_OK ? RC_OK : FAIL_OF_SQLITE(mine, err);
}

/* A database in memory may have a name, too. */
bool sqlite_file(struct db *db, struct str *out)
{
    const struct sqlite *mine = sqlite_of(db);
    const char *name =
        mine->connection != NULL ? sqlite3_db_filename(mine->connection, "main") : NULL;

    if (name == NULL || access(name, F_OK) != 0)
        return false;
    str_addz(out, name);
    return true;
}

/* Words that are in no row any more stay in the index for finding until its pieces are made one; and
 * pages as they were, in the log. A log that somebody reads stays until the next time. */
void sqlite_forget(struct db *db)
{
    static const char *const acts[] = {
        "INSERT INTO case_search (case_search) VALUES ('optimize')",
        "PRAGMA wal_checkpoint(TRUNCATE)",
    };
    struct sqlite *mine = sqlite_of(db);

    if (mine->connection == NULL)
        return;
    for (size_t i = 0; i < LENGTH(acts); i++)
        (void)sqlite3_exec(mine->connection, acts[i], NULL, NULL, NULL);
}
