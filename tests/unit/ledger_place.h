/* SPDX-License-Identifier: Apache-2.0
 *
 * ledger_place - where a test's ledger is: in SQLite where the test says, or in PostgreSQL.
 *
 * With ONECASE_TEST_LEDGER, the URL of a database that is the test's alone, every store that a test
 * opens is a schema there: one for ":memory:", emptied each time it is asked for, and one for each
 * other path. tests/postgres/run says how.
 */
#pragma once

#include "db.h"

#include <testing.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEDGER_PLACE_SIZE 400

static inline const char *test_database(void)
{
    return getenv("ONECASE_TEST_LEDGER");
}

/* What a test wrote by hand has numbers that were not counted. */
static inline void ledger_count_on(struct db *db)
{
    static const char count[] =
        "DO $$ DECLARE t record; n bigint; BEGIN"
        " FOR t IN SELECT table_name, column_name FROM information_schema.columns"
        " WHERE table_schema = current_schema() AND is_identity = 'YES' LOOP"
        " EXECUTE format('SELECT COALESCE(MAX(%I), 0) FROM %I', t.column_name, t.table_name) INTO "
        "n;"
        " PERFORM setval(pg_get_serial_sequence(quote_ident(t.table_name), t.column_name),"
        " GREATEST(n, 1), n > 0); END LOOP; END $$";
    struct err err = ERR_INIT;

    if (test_database() && db_run(db, count, &err) != RC_OK)
        fail_msg("%s", err.text);
}

static inline void ledger_empty(struct db *db)
{
    static const char empty[] =
        "DO $$ DECLARE t text; BEGIN"
        " SET LOCAL session_replication_role = replica;"
        " FOR t IN SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = current_schema()"
        " AND tablename <> 'meta' LOOP EXECUTE format('DELETE FROM %I', t); END LOOP;"
        " FOR t IN SELECT sequencename FROM pg_sequences WHERE schemaname = current_schema() LOOP"
        " PERFORM setval(quote_ident(t), 1, false); END LOOP;"
        " IF to_regclass('meta') IS NOT NULL THEN"
        " DELETE FROM meta WHERE name = 'settled';"
        " UPDATE meta SET value = '1' WHERE name = 'generation'; END IF; END $$";
    struct err err = ERR_INIT;

    if (db_run(db, empty, &err) != RC_OK)
        fail_msg("%s", err.text);
}

static inline void ledger_schema(const char *url, const char *schema, bool anew)
{
    struct store_options options = {.path = url, .busy_timeout_ms = 10000};
    CLEANUP(db_close) struct db *db = NULL;
    CLEANUP(str_clear) struct str sql = STR_INIT;
    struct err err = ERR_INIT;

    str_addf(&sql, "CREATE SCHEMA IF NOT EXISTS %s", schema);
    if (db_open(&options, &db, &err) != RC_OK || db_run(db, str_z(&sql), &err) != RC_OK)
        fail_msg("%s", err.text);
    if (anew)
        ledger_empty(db);
}

/* Of a path its last two names. */
static inline void schema_name(const char *path, char *out, size_t room)
{
    size_t len = strlen(path), from = len > 24 ? len - 24 : 0;

    snprintf(out, room, "t%d_%s", getpid(), path + from);
    for (char *c = out; *c != '\0'; c++)
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c + 'a' - 'A' : strchr("/-.:", *c) ? '_' : *c);
}

/* What to open in place of `path`; lives until the next call. */
static inline const char *ledger_place(const char *path)
{
    static char url[LEDGER_PLACE_SIZE];
    char schema[64];

    if (!test_database())
        return path;
    schema_name(path, schema, sizeof schema);
    snprintf(url, sizeof url, "%s%coptions=-csearch_path%%3D%s", test_database(),
             strchr(test_database(), '?') ? '&' : '?', schema);
    ledger_schema(url, schema, strcmp(path, ":memory:") == 0);
    return url;
}
