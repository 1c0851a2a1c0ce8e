/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports store */
#include "faulty_vfs.h"
#include "sqlite_fault.h"
#include "store_testing.h"

#include <onecase/when.h>
#include <fcntl.h>
#include <sys/stat.h>

static struct db *db_at(const char *path)
{
    struct store_options options = options_for(path);
    struct db *db = NULL;
    struct err err = ERR_INIT;

    assert_ok(db_open(&options, &db, &err));
    return db;
}

static struct db *db_with_table(const char *path)
{
    struct db *db = db_at(path);
    struct err err = ERR_INIT;

    assert_ok(db_run(db,
                     "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT UNIQUE CHECK (b <> 'no'))"
                     " STRICT",
                     &err));
    return db;
}

static enum rc insert(struct db *db, int64_t a, const char *b, struct err *err)
{
    static const char sql[] = "INSERT INTO t (b, a) VALUES ($2, $1)";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, sql, &s, err));
    stmt_int(s, 1, a);
    stmt_text(s, 2, b);
    return stmt_run(s, NULL, err);
}

static int64_t count_rows(struct db *db)
{
    static const char sql[] = "SELECT COUNT(*) AS n FROM t";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct err err = ERR_INIT;

    assert_ok(stmt_open(db, sql, &s, &err));
    assert_ok(stmt_row(s, &err));
    return col_int(s, "n");
}

/* ---- codes --------------------------------------------------------------------------------- */

/* clang-format off */
static const struct {
    const char *name;
    int code;
    enum rc rc, at_commit;
    const char *says;
} codes[] = {
    { "busy is tried again",                    SQLITE_BUSY,                  RC_DEFERRED, RC_DEFERRED, "tried again" },
    { "a stale snapshot is busy",               SQLITE_BUSY_SNAPSHOT,         RC_DEFERRED, RC_DEFERRED, "tried again" },
    { "a locked table is busy",                 SQLITE_LOCKED_SHAREDCACHE,    RC_DEFERRED, RC_DEFERRED, "tried again" },
    { "a race for the log is tried again",      SQLITE_PROTOCOL,              RC_DEFERRED, RC_UNKNOWN,  "tried again" },
    { "a schema in motion is tried again",      SQLITE_SCHEMA,                RC_DEFERRED, RC_UNKNOWN,  "tried again" },
    { "an interrupt is tried again",            SQLITE_INTERRUPT,             RC_DEFERRED, RC_UNKNOWN,  "tried again" },
    { "a rollback beneath is tried again",      SQLITE_ABORT_ROLLBACK,        RC_DEFERRED, RC_UNKNOWN,  "tried again" },
    { "L01 a full disk wants room",             SQLITE_FULL,                  RC_DEFERRED, RC_DEFERRED, "make room" },
    { "L04 read-only names who must own it",    SQLITE_READONLY,              RC_BROKEN,   RC_UNKNOWN,  "must own" },
    { "L04 a read-only folder too",             SQLITE_READONLY_DIRECTORY,    RC_BROKEN,   RC_UNKNOWN,  "must own" },
    { "L04 what cannot be opened, too",         SQLITE_CANTOPEN,              RC_BROKEN,   RC_UNKNOWN,  "data_dir must exist" },
    { "L04 denied by permission",               SQLITE_PERM,                  RC_BROKEN,   RC_UNKNOWN,  "must own" },
    { "L04 denied by authorisation",            SQLITE_AUTH,                  RC_BROKEN,   RC_UNKNOWN,  "must own" },
    { "L05 no database is restored",            SQLITE_NOTADB,                RC_BROKEN,   RC_UNKNOWN,  "restore" },
    { "L05 a corrupt page is restored",         SQLITE_CORRUPT,               RC_BROKEN,   RC_UNKNOWN,  "restore" },
    { "L05 a corrupt index too",                SQLITE_CORRUPT_INDEX,         RC_BROKEN,   RC_UNKNOWN,  "restore" },
    { "L02 a failed read stops",                SQLITE_IOERR_READ,            RC_BROKEN,   RC_UNKNOWN,  "disk failed" },
    { "L02 a failed write stops",               SQLITE_IOERR_WRITE,           RC_BROKEN,   RC_UNKNOWN,  "disk failed" },
    { "L02 a failed sync may have written",     SQLITE_IOERR_FSYNC,           RC_BROKEN,   RC_UNKNOWN,  "disk failed" },
    { "no memory",                              SQLITE_NOMEM,                 RC_BROKEN,   RC_UNKNOWN,  "memory" },
    { "a key taken by another",                 SQLITE_CONSTRAINT_PRIMARYKEY, RC_CONFLICT, RC_CONFLICT, "already" },
    { "a unique value taken by another",        SQLITE_CONSTRAINT_UNIQUE,     RC_CONFLICT, RC_CONFLICT, "already" },
    { "a row number taken by another",          SQLITE_CONSTRAINT_ROWID,      RC_CONFLICT, RC_CONFLICT, "already" },
    { "a state that is none is never written",  SQLITE_CONSTRAINT_CHECK,      RC_REFUSED,  RC_REFUSED,  "forbids" },
    { "nor one that points nowhere",            SQLITE_CONSTRAINT_FOREIGNKEY, RC_REFUSED,  RC_REFUSED,  "forbids" },
    { "nor one that is missing",                SQLITE_CONSTRAINT_NOTNULL,    RC_REFUSED,  RC_REFUSED,  "forbids" },
    { "nor an event changed",                   SQLITE_CONSTRAINT_TRIGGER,    RC_REFUSED,  RC_REFUSED,  "forbids" },
    { "nor a value of another type",            SQLITE_MISMATCH,              RC_REFUSED,  RC_REFUSED,  "forbids" },
    { "nor one beyond every size",              SQLITE_TOOBIG,                RC_REFUSED,  RC_REFUSED,  "larger" },
    { "a mistake of ours is broken",            SQLITE_ERROR,                 RC_BROKEN,   RC_UNKNOWN,  "fit together" },
    { "and so is whatever comes in future",     SQLITE_NOTICE + 40,           RC_BROKEN,   RC_UNKNOWN,  "fit together" },
};
/* clang-format on */

static void every_code_says_what_a_caller_can_do(void **state)
{
    (void)state;
    FOR_EACH(row, codes) {
        const struct sqlite_fault *fault = sqlite_fault_of(row->code);

        assert_int_equal(fault->rc, row->rc);
        assert_int_equal(fault->at_commit, row->at_commit);
        assert_non_null(strstr(fault->remedy, row->says));
    }
}

static void every_row_of_the_table_is_tested(void **state)
{
    (void)state;
    for (size_t i = 0; i < sqlite_fault_count; i++) {
        bool tested = false;

        for (size_t n = 0; n < LENGTH(codes); n++)
            tested |= sqlite_fault_of(codes[n].code) == &sqlite_faults[i];
        if (!tested)
            fail_msg("no test for code %d", sqlite_faults[i].code);
    }
}

/* ---- statements ---------------------------------------------------------------------------- */

static void parameters_go_by_their_number_and_columns_by_their_name(void **state)
{
    static const char sql[] = "SELECT $3 AS third, $1 AS first, $2 AS second, NULL AS none";
    CLEANUP(db_close) struct db *db = db_at(":memory:");
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct err err = ERR_INIT;

    (void)state;
    assert_ok(stmt_open(db, sql, &s, &err));
    stmt_int(s, 1, -7);
    stmt_blob(s, 2, (struct slice){"a\0b", 3});
    stmt_text(s, 3, "text");
    assert_ok(stmt_row(s, &err));
    assert_int_equal(col_int(s, "first"), -7);
    assert_int_equal(col_slice(s, "second").len, 3);
    assert_memory_equal(col_slice(s, "second").at, "a\0b", 3);
    assert_string_equal(col_text(s, "third"), "text");
    assert_true(col_null(s, "none"));
    assert_string_equal(col_text(s, "none"), "");
    assert_int_equal(col_when(s, "none"), NOT_DUE);
    assert_rc(stmt_row(s, &err), RC_NOT_FOUND);
    assert_string_equal(err.text, "");
}

static void an_empty_slice_is_not_null(void **state)
{
    static const char sql[] = "SELECT $1 AS text, $2 AS octets, $3 AS none";
    CLEANUP(db_close) struct db *db = db_at(":memory:");
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct err err = ERR_INIT;

    (void)state;
    assert_ok(stmt_open(db, sql, &s, &err));
    stmt_slice(s, 1, (struct slice){NULL, 0});
    stmt_blob(s, 2, (struct slice){NULL, 0});
    stmt_text(s, 3, NULL);
    assert_ok(stmt_row(s, &err));
    assert_false(col_null(s, "text"));
    assert_false(col_null(s, "octets"));
    assert_true(col_null(s, "none"));
}

static void a_statement_is_reused_with_nothing_left_in_it(void **state)
{
    static const char sql[] = "SELECT $1 AS a";
    CLEANUP(db_close) struct db *db = db_at(":memory:");
    struct err err = ERR_INIT;
    struct stmt *first = NULL;
    struct stmt *second = NULL;

    (void)state;
    assert_ok(stmt_open(db, sql, &first, &err));
    stmt_int(first, 1, 1);
    assert_ok(stmt_row(first, &err));
    struct stmt *held = first;

    stmt_done(&first);
    assert_null(first);
    assert_ok(stmt_open(db, sql, &second, &err));
    assert_ptr_equal(second, held);
    assert_ok(stmt_row(second, &err));
    assert_true(col_null(second, "a"));
    stmt_done(&second);
}

static void one_that_is_being_read_is_not_taken_away(void **state)
{
    static const char sql[] = "SELECT $1 AS a UNION ALL SELECT $1 + 1";
    CLEANUP(db_close) struct db *db = db_at(":memory:");
    CLEANUP(stmt_done) struct stmt *outer = NULL;
    CLEANUP(stmt_done) struct stmt *inner = NULL;
    struct err err = ERR_INIT;

    (void)state;
    assert_ok(stmt_open(db, sql, &outer, &err));
    stmt_int(outer, 1, 10);
    assert_ok(stmt_row(outer, &err));
    assert_ok(stmt_open(db, sql, &inner, &err));
    stmt_int(inner, 1, 20);
    assert_ok(stmt_row(inner, &err));
    assert_int_equal(col_int(inner, "a"), 20);
    assert_ok(stmt_row(outer, &err));
    assert_int_equal(col_int(outer, "a"), 11);
}

static void rows_are_refused_by_their_kind_of_mistake(void **state)
{
    CLEANUP(db_close) struct db *db = db_with_table(":memory:");
    struct err err = ERR_INIT;

    (void)state;
    assert_ok(insert(db, 1, "a", &err));
    assert_rc(insert(db, 1, "b", &err), RC_CONFLICT);
    assert_rc(insert(db, 2, "a", &err), RC_CONFLICT);
    assert_rc(insert(db, 2, "no", &err), RC_REFUSED);
    assert_ok(insert(db, 2, "b", &err));
    assert_int_equal(count_rows(db), 2);
}

static void one_row_means_exactly_one(void **state)
{
    static const char sql[] = "UPDATE t SET b = b || $1 WHERE a > $2";
    static const struct {
        const char *name;
        int64_t above;
        enum rc rc;
    } rows[] = {
        {"none is a conflict", 5, RC_CONFLICT},
        {"one is right", 1, RC_OK},
        {"two is a conflict", 0, RC_CONFLICT},
    };
    CLEANUP(db_close) struct db *db = db_with_table(":memory:");
    struct err err = ERR_INIT;

    (void)state;
    assert_ok(insert(db, 1, "a", &err));
    assert_ok(insert(db, 2, "b", &err));
    FOR_EACH(row, rows) {
        CLEANUP(stmt_done) struct stmt *s = NULL;

        assert_ok(stmt_open(db, sql, &s, &err));
        stmt_text(s, 1, "x");
        stmt_int(s, 2, row->above);
        assert_rc(stmt_one(s, "it", &err), row->rc);
    }
}

static void a_text_that_does_not_fit_is_never_cut(void **state)
{
    static const char sql[] = "SELECT '1234567' AS fits, '12345678' AS longer";
    CLEANUP(db_close) struct db *db = db_at(":memory:");
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct err err = ERR_INIT;
    char out[8] = "";

    (void)state;
    assert_ok(stmt_open(db, sql, &s, &err));
    assert_ok(stmt_row(s, &err));
    assert_ok(COL_COPY(s, "fits", out, &err));
    assert_string_equal(out, "1234567");
    assert_rc(COL_COPY(s, "longer", out, &err), RC_BROKEN);
    assert_string_equal(out, "1234567");
}

/* ---- transactions -------------------------------------------------------------------------- */

static void what_was_not_committed_is_rolled_back(void **state)
{
    CLEANUP(db_close) struct db *db = db_with_table(":memory:");
    struct err err = ERR_INIT;

    (void)state;
    {
        CLEANUP(tx_end) struct tx tx = TX_NONE;

        assert_ok(tx_begin(db, &tx, &err));
        assert_ok(insert(db, 1, "a", &err));
    }
    assert_int_equal(count_rows(db), 0);
    {
        CLEANUP(tx_end) struct tx tx = TX_NONE;

        assert_ok(tx_begin(db, &tx, &err));
        assert_ok(insert(db, 1, "a", &err));
        assert_ok(tx_commit(&tx, &err));
    }
    assert_int_equal(count_rows(db), 1);
}

static void several_reads_see_one_state(void **state)
{
    struct place p;
    struct err err = ERR_INIT;

    (void)state;
    place_make(&p);
    {
        CLEANUP(db_close) struct db *reader = db_with_table(p.path);
        CLEANUP(db_close) struct db *writer = db_at(p.path);
        CLEANUP(tx_end) struct tx tx = TX_NONE;

        assert_ok(tx_read(reader, &tx, &err));
        assert_int_equal(count_rows(reader), 0);
        assert_ok(insert(writer, 1, "a", &err));
        assert_int_equal(count_rows(reader), 0);
        tx_end(&tx);
        assert_int_equal(count_rows(reader), 1);
    }
    place_remove(&p);
}

static void L03_a_lock_held_too_long_is_deferred(void **state)
{
    static const struct {
        const char *name;
        int timeout_ms;
    } rows[] = {{"at once without a time-out", 0}, {"after it", 30}};
    struct err err = ERR_INIT;

    (void)state;
    FOR_EACH(row, rows) {
        struct place p;

        place_make(&p);
        struct store_options options = options_for(p.path);

        options.busy_timeout_ms = row->timeout_ms;
        {
            CLEANUP(db_close) struct db *holder = db_with_table(p.path);
            CLEANUP(db_close) struct db *waiting = NULL;
            CLEANUP(tx_end) struct tx held = TX_NONE;
            CLEANUP(tx_end) struct tx tx = TX_NONE;

            assert_ok(db_open(&options, &waiting, &err));
            assert_ok(tx_begin(holder, &held, &err));
            assert_rc(tx_begin(waiting, &tx, &err), RC_DEFERRED);
            assert_rc(insert(waiting, 1, "a", &err), RC_DEFERRED);
            tx_end(&held);
            assert_ok(tx_begin(waiting, &tx, &err));
            assert_ok(insert(waiting, 1, "a", &err));
            assert_ok(tx_commit(&tx, &err));
        }
        place_remove(&p);
    }
}

/* Each look at it is half a second later than the one before. */
static struct instant slow_clock(void *now)
{
    struct instant *at = now;

    at->boot_ms += 500;
    return *at;
}

static void a_statement_that_takes_too_long_is_broken_off(void **state)
{
    static const char endless[] =
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000)"
        " INSERT INTO t (a) SELECT MAX(i) FROM n";
    struct instant now = {0};
    const struct clock clock = {&now, slow_clock};
    CLEANUP(db_close) struct db *db = db_with_table(":memory:");
    CLEANUP(tx_end) struct tx tx = TX_NONE;
    struct err err = ERR_INIT;

    (void)state;
    assert_ok(db_limit(db, SECONDS(10), &clock, &err));
    assert_ok(tx_begin(db, &tx, &err));
    assert_ok(insert(db, 1, "a", &err));
    {
        CLEANUP(stmt_done) struct stmt *s = NULL;

        assert_ok(stmt_open(db, endless, &s, &err));
        assert_rc(stmt_run(s, NULL, &err), RC_DEFERRED);
    }
    assert_non_null(strstr(err.text, "longer than 10 s"));
    assert_non_null(strstr(err.text, "ask for less"));
    assert_rc(tx_commit(&tx, &err), RC_DEFERRED);
    tx_end(&tx);
    assert_int_equal(count_rows(db), 0);
    assert_ok(insert(db, 1, "a", &err));
    assert_ok(db_reopen(db, &err));
    assert_ok(insert(db, 2, "b", &err));
    assert_int_equal(count_rows(db), 2);
}

static void a_shared_memory_database_never_waits(void **state)
{
    CLEANUP(db_close) struct db *one = db_with_table("file:/test_store_db?vfs=memdb");
    CLEANUP(db_close) struct db *two = db_at("file:/test_store_db?vfs=memdb");
    CLEANUP(tx_end) struct tx held = TX_NONE;
    CLEANUP(tx_end) struct tx tx = TX_NONE;
    struct err err = ERR_INIT;

    (void)state;
    assert_ok(tx_begin(one, &held, &err));
    assert_ok(insert(one, 1, "a", &err));
    assert_rc(tx_begin(two, &tx, &err), RC_DEFERRED);
    assert_ok(tx_commit(&held, &err));
    assert_int_equal(count_rows(two), 1);
}

static void a_failed_statement_cannot_be_committed_in_part(void **state)
{
    CLEANUP(db_close) struct db *db = db_with_table(":memory:");
    CLEANUP(tx_end) struct tx tx = TX_NONE;
    struct err err = ERR_INIT;
    char large[40000];

    (void)state;
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    assert_ok(db_run(db, "PRAGMA max_page_count = 4", &err));
    assert_ok(tx_begin(db, &tx, &err));
    assert_ok(insert(db, 1, "a", &err));
    assert_rc(insert(db, 2, large, &err), RC_DEFERRED);
    assert_says("make room");
    assert_rc(tx_commit(&tx, &err), RC_DEFERRED);
    assert_int_equal(count_rows(db), 0);
    assert_ok(db_run(db, "PRAGMA max_page_count = 4000", &err));
    assert_ok(insert(db, 2, large, &err));
}

/* ---- the disk ------------------------------------------------------------------------------ */

static void fault_uri(const struct place *p, char out[96])
{
    snprintf(out, 96, "file:%s?vfs=faulty", p->path);
}

/* clang-format off */
static const struct {
    const char *name;
    enum faulty_call call;
    int code;
    enum rc rc;
} commits[] = {
    { "L01 a full disk at COMMIT: rolled back",     FAULTY_WRITE, SQLITE_FULL,        RC_DEFERRED },
    { "L02 a failed write at COMMIT: not known",    FAULTY_WRITE, SQLITE_IOERR_WRITE, RC_UNKNOWN },
    { "L02 a failed sync at COMMIT: not known",     FAULTY_SYNC,  SQLITE_IOERR_FSYNC, RC_UNKNOWN },
};
/* clang-format on */

static void a_failed_commit_says_whether_it_may_have_happened(void **state)
{
    struct err err = ERR_INIT;

    (void)state;
    FOR_EACH(row, commits) {
        struct place p;
        char uri[96];

        place_make(&p);
        fault_uri(&p, uri);
        {
            CLEANUP(db_close) struct db *db = db_with_table(uri);
            CLEANUP(tx_end) struct tx tx = TX_NONE;

            assert_ok(tx_begin(db, &tx, &err));
            assert_ok(insert(db, 1, "a", &err));
            faulty_set(row->call, 1, row->code, 1);
            assert_rc(tx_commit(&tx, &err), row->rc);
            assert_int_equal(faulty.failed, 1);
            faulty_clear();
            assert_ok(db_reopen(db, &err));
            assert_ok(insert(db, 2, "b", &err));
        }
        place_remove(&p);
    }
}

static void a_connection_that_cannot_be_opened_anew_is_tried_by_the_next_statement(void **state)
{
    struct place p;
    char aside[80];
    struct err err = ERR_INIT;

    (void)state;
    place_make(&p);
    snprintf(aside, sizeof aside, "%s.copy", p.path);
    {
        CLEANUP(db_close) struct db *db = db_with_table(p.path);

        assert_ok(insert(db, 1, "a", &err));
        assert_int_equal(rename(p.path, aside), 0);
        assert_rc(db_reopen(db, &err), RC_BROKEN);
        assert_rc(insert(db, 2, "b", &err), RC_BROKEN);
        assert_says("data_dir must exist");
        assert_int_equal(rename(aside, p.path), 0);
        assert_ok(insert(db, 2, "b", &err));
        assert_int_equal(count_rows(db), 2);
    }
    place_remove(&p);
}

static void a_statement_may_be_held_while_its_connection_is_opened_anew(void **state)
{
    static const char sql[] = "SELECT a FROM t";
    struct place p;
    struct err err = ERR_INIT;

    (void)state;
    place_make(&p);
    {
        CLEANUP(db_close) struct db *db = db_with_table(p.path);
        CLEANUP(stmt_done) struct stmt *s = NULL;

        assert_ok(insert(db, 1, "a", &err));
        assert_ok(stmt_open(db, sql, &s, &err));
        assert_ok(stmt_row(s, &err));
        assert_ok(db_reopen(db, &err));
        stmt_done(&s);
        assert_int_equal(count_rows(db), 1);
    }
    place_remove(&p);
}

static void a_file_is_opened_for_power_cuts_and_strict_references(void **state)
{
    static const struct {
        const char *name;
        const char *sql;
        int64_t value;
    } rows[] = {
        {"every commit is synced", "SELECT synchronous AS n FROM pragma_synchronous", 2},
        {"references are checked", "SELECT foreign_keys AS n FROM pragma_foreign_keys", 1},
        {"the schema runs no functions", "SELECT trusted_schema AS n FROM pragma_trusted_schema",
         0},
        {"it has a write-ahead log", "SELECT journal_mode = 'wal' AS n FROM pragma_journal_mode",
         1},
    };
    struct place p;
    struct err err = ERR_INIT;

    (void)state;
    place_make(&p);
    {
        CLEANUP(db_close) struct db *db = db_at(p.path);

        FOR_EACH(row, rows) {
            CLEANUP(stmt_done) struct stmt *s = NULL;

            assert_ok(stmt_open(db, row->sql, &s, &err));
            assert_ok(stmt_row(s, &err));
            assert_int_equal(col_int(s, "n"), row->value);
        }
    }
    place_remove(&p);
}

static int register_vfs(void **state)
{
    (void)state;
    faulty_register();
    return 0;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_says_what_a_caller_can_do),
        cmocka_unit_test(every_row_of_the_table_is_tested),
        cmocka_unit_test(parameters_go_by_their_number_and_columns_by_their_name),
        cmocka_unit_test(an_empty_slice_is_not_null),
        cmocka_unit_test(a_statement_is_reused_with_nothing_left_in_it),
        cmocka_unit_test(one_that_is_being_read_is_not_taken_away),
        cmocka_unit_test(rows_are_refused_by_their_kind_of_mistake),
        cmocka_unit_test(one_row_means_exactly_one),
        cmocka_unit_test(a_text_that_does_not_fit_is_never_cut),
        cmocka_unit_test(what_was_not_committed_is_rolled_back),
        cmocka_unit_test(several_reads_see_one_state),
        cmocka_unit_test(L03_a_lock_held_too_long_is_deferred),
        cmocka_unit_test(a_statement_that_takes_too_long_is_broken_off),
        cmocka_unit_test(a_shared_memory_database_never_waits),
        cmocka_unit_test(a_failed_statement_cannot_be_committed_in_part),
        cmocka_unit_test(a_failed_commit_says_whether_it_may_have_happened),
        cmocka_unit_test(a_connection_that_cannot_be_opened_anew_is_tried_by_the_next_statement),
        cmocka_unit_test(a_statement_may_be_held_while_its_connection_is_opened_anew),
        cmocka_unit_test(a_file_is_opened_for_power_cuts_and_strict_references),
    };

    return cmocka_run_group_tests_name(__FILE__, tests, register_vfs, NULL);
}
