/* SPDX-License-Identifier: Apache-2.0 */
#include "migrate.h"

#include "migrations.h"
#include "move.h"
#include "snapshot.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static enum rc set_meta(struct db *db, const char *name, const char *value, struct err *err)
{
    static const char set[] = "INSERT INTO meta (name, value) VALUES ($1, $2)"
                              " ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, set, &s, err));
    stmt_text(s, 1, name);
    stmt_text(s, 2, value);
    return stmt_run(s, NULL, err);
}

/* Two values that nobody can tell from each other: the id is known to everybody, the secret is not. */
static enum rc set_identity(struct db *db, const struct digest *seed, struct err *err)
{
    const struct slice octets = {(const char *)seed->octet, DIGEST_SIZE};
    const struct digest id = hmac_sha256(octets, SLICE("ledger id"));
    const struct digest secret = hmac_sha256(octets, SLICE("ledger secret"));
    char hex[DIGEST_HEX_SIZE];

    if (digest_is_zero(seed))
        return FAIL(err, RC_USAGE, "ledger: a new one needs a seed");
    digest_hex(&secret, hex);
    TRY(set_meta(db, "secret", hex, err));
    digest_hex(&id, hex);
    hex[RUN_ID_SIZE - 1] = '\0';
    TRY(set_meta(db, "ledger_id", hex, err));
    return set_meta(db, "generation", "1", err);
}

/* ---- which programs work with it --------------------------------------------------------------------- */

/* Of all migrations up to that one: what one of them takes away stays away. */
static int oldest_program(size_t version)
{
    int oldest = 0;

    for (size_t i = 0; i < version; i++)
        if (migrations[i].oldest > oldest)
            oldest = migrations[i].oldest;
    return oldest;
}

static enum rc set_number(struct db *db, const char *name, int64_t number, struct err *err)
{
    char digits[24];

    snprintf(digits, sizeof digits, "%" PRId64, number);
    return set_meta(db, name, digits, err);
}

static enum rc set_oldest(struct db *db, struct err *err)
{
    TRY(set_number(db, "oldest_schema", oldest_program(migration_count), err));
    return set_number(db, "oldest_schema_of", (int64_t)migration_count, err);
}

/* A ledger that does not say it of its very schema works with nobody older. */
static enum rc check_newer(struct db *db, size_t count, struct err *err)
{
    static const char find[] = "SELECT CAST(value AS BIGINT) AS oldest FROM meta"
                               " WHERE name = 'oldest_schema' AND EXISTS (SELECT 1 FROM meta"
                               " WHERE name = 'oldest_schema_of' AND value = CAST($1 AS TEXT))";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_int(s, 1, (int64_t)count);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_OK && col_int(s, "oldest") <= (int64_t)migration_count)
        return RC_OK;
    if (rc != RC_OK && rc != RC_NOT_FOUND)
        return rc;
    return FAIL(err, RC_BROKEN,
                "ledger '%s': it was written by a newer version (schema %zu, this program knows"
                " %zu): install that version, or go back to the snapshot from before it"
                " (doc/upgrading.md)",
                db_path(db), count, migration_count);
}

/* ---- which are applied -------------------------------------------------------------------------------- */

static void digest_of(const struct migration *m, char out[DIGEST_HEX_SIZE])
{
    const struct digest digest = sha256_of(slice_z(m->sql));

    digest_hex(&digest, out);
}

static enum rc check_applied(struct db *db, int64_t version, const char *digest, struct err *err)
{
    char ours[DIGEST_HEX_SIZE];

    digest_of(&migrations[version - 1], ours);
    if (strcmp(digest, ours) != 0)
        return FAIL(
            err, RC_BROKEN,
            "ledger '%s': its migration %lld is not this program's: install the version that"
            " made it",
            db_path(db), (long long)version);
    return RC_OK;
}

/* How many migrations are applied; each that we have must be ours. */
static enum rc read_applied(struct db *db, size_t *count, struct err *err)
{
    static const char find[] = "SELECT CAST(substr(name, 8) AS BIGINT) AS version, value FROM meta"
                               " WHERE name LIKE 'schema!_%' ESCAPE '!' ORDER BY version";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum rc rc;

    TRY(stmt_open(db, find, &s, err));
    for (*count = 0; (rc = stmt_row(s, err)) == RC_OK; ++*count) {
        if (col_int(s, "version") != (int64_t)*count + 1 && *count < migration_count)
            return FAIL(err, RC_BROKEN, "ledger '%s': migration %zu is missing from it",
                        db_path(db), *count + 1);
        if (*count < migration_count)
            TRY(check_applied(db, col_int(s, "version"), col_text(s, "value"), err));
    }
    if (rc != RC_NOT_FOUND)
        return rc;
    return *count > migration_count ? check_newer(db, *count, err) : RC_OK;
}

/* A database of another program is left alone. */
static enum rc applied(struct db *db, size_t *count, struct err *err)
{
    bool any;
    bool ours;

    *count = 0;
    TRY(db_has_table(db, NULL, &any, err));
    if (!any)
        return RC_OK;
    TRY(db_has_table(db, "meta", &ours, err));
    if (ours)
        TRY(read_applied(db, count, err));
    if (*count == 0)
        return FAIL(err, RC_BROKEN, "ledger '%s': it is a database, but no ledger", db_path(db));
    return RC_OK;
}

static enum rc apply(struct db *db,
                     const struct migration *m,
                     const struct store_options *options,
                     struct err *err)
{
    CLEANUP(str_clear) struct str name = STR_INIT;
    char digest[DIGEST_HEX_SIZE];

    TRY(db_run(db, m->sql, err));
    str_addf(&name, "schema_%d", m->version);
    digest_of(m, digest);
    TRY(set_meta(db, str_z(&name), digest, err));
    return m->version == 1 ? set_identity(db, &options->secret_seed, err) : RC_OK;
}

/* A ledger that is new has nothing to go back to. */
static enum rc keep_as_it_was(struct db *db,
                              size_t count,
                              const struct store_options *options,
                              struct store_upgrade *upgrade,
                              struct err *err)
{
    upgrade->from = count;
    upgrade->to = migration_count;
    return count > 0 ? snapshot_take(db, count, options, &upgrade->snapshot, err) : RC_OK;
}

/* A move that is under way cannot be gone on with after it, and what notes for it names tables that may be made
 * anew. */
static enum rc no_notes(struct db *db, size_t count, struct err *err)
{
    CLEANUP(str_clear) struct str noting = STR_INIT;

    if (count > 0)
        TRY(move_meta_get(db, META_NOTING, &noting, err));
    return noting.len > 0 ? move_note_end(db, err) : RC_OK;
}

static enum rc
apply_from(struct db *db, size_t count, const struct store_options *options, struct err *err)
{
    TRY(no_notes(db, count, err));
    for (; count < migration_count; count++)
        TRY(apply(db, &migrations[count], options, err));
    return set_oldest(db, err);
}

/* A COMMIT whose outcome is not known does no harm: whoever opens next looks what is there. All of them or
 * none, so that nobody finds a schema between two versions. Looks again under the write
 * lock: another process may have done it meanwhile. */
static enum rc apply_missing(struct db *db,
                             const struct store_options *options,
                             struct store_upgrade *upgrade,
                             struct err *err)
{
    CLEANUP(tx_end) struct tx tx = TX_NONE;
    size_t count;

    TRY(tx_migrate(db, &tx, err));
    TRY(applied(db, &count, err));
    if (count >= migration_count)
        return RC_OK;
    if (count > 0)
        TRY(move_check_not_over(db, err));
    TRY(keep_as_it_was(db, count, options, upgrade, err));
    TRY(apply_from(db, count, options, err));
    return tx_commit_plain(&tx, err);
}

static enum rc bring_to_ours(struct db *db,
                             size_t count,
                             const struct store_options *options,
                             struct store_upgrade *upgrade,
                             struct err *err)
{
    if (count < migration_count && options->read_only)
        return FAIL(err, RC_BROKEN,
                    "ledger '%s': its schema is older than this program: start the"
                    " service once",
                    db_path(db));
    if (count == 0 && !options->create)
        return FAIL(err, RC_BROKEN, "ledger '%s': it is empty: restore the last backup",
                    db_path(db));
    return count < migration_count ? apply_missing(db, options, upgrade, err) : RC_OK;
}

enum rc migrate(struct db *db,
                const struct store_options *options,
                struct store_upgrade *upgrade,
                struct err *err)
{
    size_t count;

    TRY(applied(db, &count, err));
    TRY(bring_to_ours(db, count, options, upgrade, err));
    upgrade->newer = count > migration_count;
    db_keep_to(db, (int64_t)migration_count);
    return RC_OK;
}

static enum rc has_events(struct db *db, bool *out, struct err *err)
{
    static const char find[] = "SELECT EXISTS (SELECT 1 FROM event) AS any";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    TRY(stmt_row(s, err));
    *out = col_int(s, "any") != 0;
    return RC_OK;
}

static enum rc set_new_identity(struct db *db, const struct store_options *options, struct err *err)
{
    CLEANUP(tx_end) struct tx tx = TX_NONE;

    TRY(tx_begin(db, &tx, err));
    TRY(set_identity(db, &options->secret_seed, err));
    return tx_commit_plain(&tx, err);
}

enum rc
migrate_like(struct db *db, struct db *like, const struct store_options *options, struct err *err)
{
    bool any;

    TRY(db_has_table(db, NULL, &any, err));
    if (any)
        return RC_OK;
    TRY(has_events(like, &any, err));
    if (any)
        return FAIL(err, RC_USAGE, "ledger: only one without events can be copied");
    TRY(db_copy(db, like, err));
    return set_new_identity(db, options, err);
}
