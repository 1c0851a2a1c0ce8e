/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports store */
/* What the PostgreSQL driver knows without a server; tests/postgres has the rest. */
#include "dialect.h"
#include "postgres_fault.h"
#include "postgres_p.h"

#include <testing.h>

#include <stdlib.h>
#include <string.h>

/* ---- codes --------------------------------------------------------------------------------- */

/* clang-format off */
static const struct {
    const char *name;
    const char *state;
    enum rc rc, at_commit;
    const char *says;
} states[] = {
    { "L08 a lost connection, at COMMIT read back", NULL,    RC_DEFERRED, RC_UNKNOWN,  "connection was lost" },
    { "L08 the same, as the server says it",        "08006", RC_DEFERRED, RC_UNKNOWN,  "connection was lost" },
    { "L08 a serialization failure is repeated",    "40001", RC_DEFERRED, RC_DEFERRED, "others wrote" },
    { "L08 and so is a deadlock",                   "40P01", RC_DEFERRED, RC_DEFERRED, "others wrote" },
    { "L08 a commit nobody knows of is read back",  "40003", RC_DEFERRED, RC_UNKNOWN,  "others wrote" },
    { "L08 a server going down",                    "57P01", RC_DEFERRED, RC_UNKNOWN,  "stopped or started" },
    { "what took too long",                         "57014", RC_DEFERRED, RC_UNKNOWN,  "broken off" },
    { "L08 a server coming up",                     "57P03", RC_DEFERRED, RC_UNKNOWN,  "stopped or started" },
    { "L08 a standby takes no writes",              "25006", RC_DEFERRED, RC_UNKNOWN,  "standby" },
    { "after a failure nothing goes",               "25P02", RC_DEFERRED, RC_DEFERRED, "rolled back" },
    { "a run that stood still lost its turn",       "25P03", RC_DEFERRED, RC_DEFERRED, "stood still" },
    { "a pooler's other server",                    "26000", RC_DEFERRED, RC_UNKNOWN,  "pooler" },
    { "L03 a lock held too long",                   "55P03", RC_DEFERRED, RC_UNKNOWN,  "another process" },
    { "L01 a full disk",                            "53100", RC_DEFERRED, RC_UNKNOWN,  "make room" },
    { "no connection left",                         "53300", RC_DEFERRED, RC_UNKNOWN,  "connections left" },
    { "L02 a failing disk",                         "58030", RC_BROKEN,   RC_UNKNOWN,  "disk failed" },
    { "L05 a damaged page",                         "XX001", RC_BROKEN,   RC_UNKNOWN,  "damaged" },
    { "L05 a damaged index",                        "XX002", RC_BROKEN,   RC_UNKNOWN,  "damaged" },
    { "L04 a role without a right",                 "42501", RC_BROKEN,   RC_UNKNOWN,  "ALTER DATABASE" },
    { "L04 a role that is not let in",              "28P01", RC_BROKEN,   RC_UNKNOWN,  "pg_hba.conf" },
    { "L04 a database that is not there",           "3D000", RC_BROKEN,   RC_UNKNOWN,  "CREATE DATABASE" },
    { "a key taken by another",                     "23505", RC_CONFLICT, RC_CONFLICT, "already" },
    { "a state that is none is never written",      "23514", RC_REFUSED,  RC_REFUSED,  "forbids" },
    { "nor an event changed",                       "23001", RC_REFUSED,  RC_REFUSED,  "forbids" },
    { "nor a value of another kind",                "22P02", RC_REFUSED,  RC_REFUSED,  "forbids" },
    { "nor one beyond every size",                  "54000", RC_REFUSED,  RC_REFUSED,  "larger" },
    { "a mistake of ours is broken",                "42601", RC_BROKEN,   RC_UNKNOWN,  "fit together" },
    { "and so is whatever comes in future",         "ZZ999", RC_BROKEN,   RC_UNKNOWN,  "fit together" },
};
/* clang-format on */

static void every_state_says_what_a_caller_can_do(void **state)
{
    (void)state;
    FOR_EACH(row, states) {
        const struct postgres_fault *fault = postgres_fault_of(row->state);

        assert_int_equal(fault->rc, row->rc);
        assert_int_equal(fault->at_commit, row->at_commit);
        assert_non_null(strstr(fault->remedy, row->says));
    }
}

static void every_row_of_the_table_is_tested(void **state)
{
    (void)state;
    for (size_t i = 0; i < postgres_fault_count; i++) {
        bool tested = false;

        for (size_t n = 0; n < LENGTH(states); n++)
            tested |= postgres_fault_of(states[n].state) == &postgres_faults[i];
        if (!tested)
            fail_msg("no test for state '%s'", postgres_faults[i].state);
    }
}

static void a_refused_connection_says_whether_it_will_ever_be_let_in(void **state)
{
    static const struct {
        const char *name; /* the message */
        enum rc rc;
    } rows[] = {
        {"FATAL:  password authentication failed for user \"onecase\"", RC_BROKEN},
        {"FATAL:  no pg_hba.conf entry for host \"192.0.2.1\"", RC_BROKEN},
        {"FATAL:  database \"desk\" does not exist", RC_BROKEN},
        {"FATAL:  role \"nobody\" does not exist", RC_BROKEN},
        {"fe_sendauth: no password supplied", RC_BROKEN},
        {"connection refused: is the server running?", RC_DEFERRED},
        {"FATAL:  the database system is starting up", RC_DEFERRED},
        {"FATAL:  sorry, too many clients already", RC_DEFERRED},
        {"timeout expired", RC_DEFERRED},
        {"session is read-only", RC_DEFERRED},
    };

    (void)state;
    FOR_EACH(row, rows)
        assert_int_equal(postgres_refusal_of(row->name)->rc, row->rc);
}

/* ---- the URL ------------------------------------------------------------------------------- */

static void a_name_has_neither_user_nor_password(void **state)
{
    static const struct {
        const char *name, *url, *said;
    } rows[] = {
        {"of all", "postgresql://desk:secret@db.example.org:5433/ledger?sslmode=verify-full",
         "postgresql://db.example.org:5433/ledger"},
        {"a password as a word", "postgres://db.example.org/ledger?password=secret",
         "postgresql://db.example.org/ledger"},
        {"a socket", "postgresql:///ledger?host=/run/postgresql",
         "postgresql:///run/postgresql/ledger"},
        {"no URL", "postgresql://desk:sec%ret@db/ledger", "postgresql://"},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(mem_free) char *name = postgres_name(row->url);

        assert_string_equal(name, row->said);
    }
}

static enum rc check(const char *url, bool *here, struct err *err)
{
    CLEANUP(mem_free) char *text = mem_text(url);
    CLEANUP(mem_free) char *name = postgres_name(url);
    struct postgres db = {.db = {.path = name}, .url = text};

    return postgres_check_url(&db, here, err);
}

static void who_answers_elsewhere_must_prove_who_it_is(void **state)
{
    static const struct {
        const char *name, *url;
        bool taken, here;
    } rows[] = {
        {"encrypted is not verified", "postgresql://d@db.invalid/l?sslmode=require", false, false},
        {"nor is a chain without a name", "postgresql://d@db.invalid/l?sslmode=verify-ca", false,
         false},
        {"plain", "postgresql://d@db.invalid/l?sslmode=disable", false, false},
        {"one of two", "postgresql://d@127.0.0.1,db.invalid/l?sslmode=prefer", false, false},
        {"an address counts, not its name",
         "postgresql://d@localhost/l?hostaddr=192.0.2.1&sslmode=disable", false, false},
        {"without a word", "postgresql://d@db.invalid/l", true, false},
        {"in as many words", "postgresql://d@db.invalid/l?sslmode=verify-full", true, false},
        {"on this machine", "postgresql://d@127.0.0.1/l?sslmode=disable", true, true},
        {"by a socket", "postgresql:///l?host=/nowhere&sslmode=disable", true, true},
    };

    (void)state;
    FOR_EACH(row, rows) {
        struct err err = ERR_INIT;
        bool here = false;

        assert_int_equal(check(row->url, &here, &err), row->taken ? RC_OK : RC_BROKEN);
        assert_int_equal(strstr(err.text, "does not prove who answers") == NULL, row->taken);
        assert_int_equal(here, row->here);
    }
}

static void what_is_no_url_is_said_without_repeating_it(void **state)
{
    struct err err = ERR_INIT;
    bool here;

    (void)state;
    assert_int_equal(check("postgresql://desk:se%zzcret@db/ledger", &here, &err), RC_BROKEN);
    assert_non_null(strstr(err.text, "%XX"));
    assert_null(strstr(err.text, "cret"));
}

/* ---- the dialect --------------------------------------------------------------------------- */

static void a_text_is_written_as_the_table_says(void **state)
{
    static const struct {
        const char *name, *from, *to;
    } rows[] = {
        {"types", "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT, c BLOB, d INTEGER) STRICT;",
         "CREATE TABLE t (a BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,"
         " b TEXT COLLATE \"C\", c BYTEA, d BIGINT);"},
        {"a cast is none", "SELECT CAST(a AS TEXT), CAST(b AS BIGINT)",
         "SELECT CAST(a AS TEXT), CAST(b AS BIGINT)"},
        {"a part of a word is none", "SELECT CONTEXT, TEXTS, MY_TEXT",
         "SELECT CONTEXT, TEXTS, MY_TEXT"},
        {"texts, names and comments are left alone",
         "SELECT 'a TEXT', \"TEXT\" -- it's TEXT\n, 'it''s TEXT'",
         "SELECT 'a TEXT', \"TEXT\" \n, 'it''s TEXT'"},
        {"a trigger is replaced whole",
         "CREATE TRIGGER event_never_replaced BEFORE INSERT ON event"
         " BEGIN SELECT RAISE (ABORT, 'x'); END; SELECT 1",
         " SELECT 1"},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str out = STR_INIT;

        dialect_write(row->from, &out);
        assert_string_equal(str_z(&out), row->to);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_state_says_what_a_caller_can_do),
        cmocka_unit_test(every_row_of_the_table_is_tested),
        cmocka_unit_test(a_refused_connection_says_whether_it_will_ever_be_let_in),
        cmocka_unit_test(a_name_has_neither_user_nor_password),
        cmocka_unit_test(who_answers_elsewhere_must_prove_who_it_is),
        cmocka_unit_test(what_is_no_url_is_said_without_repeating_it),
        cmocka_unit_test(a_text_is_written_as_the_table_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
