/* SPDX-License-Identifier: Apache-2.0 */
/* The PostgreSQL driver on a server: ONECASE_TEST_LEDGER names an empty database that is this program's
 * alone. tests/postgres/test_contract.py starts both. */
#include "postgres_p.h"
#include "store_testing.h"

#include <poll.h>
#include <sys/wait.h>

static struct db *db_at(const char *path)
{
    struct store_options options = options_for(path);
    struct db *db = NULL;
    struct err err = ERR_INIT;

    options.busy_timeout_ms = 5000;
    assert_ok(db_open(&options, &db, &err));
    return db;
}

/* A ledger with a table for these tests. */
static struct store *store_with_table(void)
{
    struct store *store = store_at(":memory:");

    by_hand(store, "DROP TABLE IF EXISTS t");
    by_hand(store,
            "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT UNIQUE CHECK (b <> 'no')) STRICT");
    return store;
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

static int64_t count_rows(struct store *store)
{
    return number_of(store, "SELECT COUNT(*) AS n FROM t");
}

static int64_t process_of(struct db *db)
{
    return PQbackendPID(postgres_of(db)->connection);
}

/* As a server does that is restarted, or a network that goes. */
static void cut(struct store *by, struct db *db)
{
    static const char end[] = "SELECT pg_terminate_backend(CAST($1 AS INT), 5000) AS n";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct err err = ERR_INIT;

    assert_ok(stmt_open(by->db, end, &s, &err));
    stmt_int(s, 1, process_of(db));
    assert_ok(stmt_row(s, &err));
    assert_int_equal(col_int(s, "n"), 1);
}

/* ---- statements ---------------------------------------------------------------------------- */

static void parameters_go_by_their_number_and_columns_by_their_name(void **state)
{
    static const char sql[] = "SELECT $3 AS third, $1 + 1 AS first, $2 AS second, $4 AS none,"
                              " $1 = -7 AS is, '' AS empty, $5 + 1 AS unbound";
    CLEANUP(store_close) struct store *store = store_at(":memory:");
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct err err = ERR_INIT;

    (void)state;
    assert_ok(stmt_open(store->db, sql, &s, &err));
    stmt_int(s, 1, -7);
    stmt_blob(s, 2, (struct slice){"a\0\xFF", 3});
    stmt_slice(s, 3, (struct slice){"text, cut", 4});
    stmt_text(s, 4, NULL);
    assert_ok(stmt_row(s, &err));
    assert_int_equal(col_int(s, "first"), -6);
    assert_int_equal(col_slice(s, "second").len, 3);
    assert_memory_equal(col_slice(s, "second").at, "a\0\xFF", 3);
    assert_string_equal(col_text(s, "third"), "text");
    assert_true(col_null(s, "none"));
    assert_string_equal(col_text(s, "none"), "");
    assert_int_equal(col_when(s, "none"), NOT_DUE);
    assert_int_equal(col_int(s, "is"), 1);
    assert_true(col_null(s, "unbound"));
    assert_false(col_null(s, "empty"));
    assert_rc(stmt_row(s, &err), RC_NOT_FOUND);
    assert_string_equal(err.text, "");
}

/* A NUL or a wrong octet in a subject would stop its mail for ever. */
static void what_is_no_text_for_postgresql_is_replaced(void **state)
{
    CLEANUP(store_close) struct store *store = store_with_table();
    struct err err = ERR_INIT;
    static const char sql[] = "INSERT INTO t (b) VALUES ($1)";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    (void)state;
    assert_ok(stmt_open(store->db, sql, &s, &err));
    stmt_slice(s, 1, (struct slice){"a\0b\xFFz\xC3\xA9", 7});
    assert_ok(stmt_run(s, NULL, &err));
    assert_text(store, "SELECT b AS t FROM t",
                "a\xEF\xBF\xBD"
                "b\xEF\xBF\xBDz\xC3\xA9");
}

static void what_is_asked_often_has_a_name_on_the_server(void **state)
{
    static const char named[] = "SELECT COUNT(*) AS n FROM pg_prepared_statements"
                                " WHERE statement LIKE 'INSERT INTO t %'";
    CLEANUP(store_close) struct store *store = store_with_table();
    struct err err = ERR_INIT;

    (void)state;
    assert_ok(insert(store->db, 1, "1", &err));
    assert_int_equal(number_of(store, named), 0);
    for (int64_t i = 2; i < 9; i++) {
        char text[] = {(char)('0' + i), '\0'};

        assert_ok(insert(store->db, i, text, &err));
    }
    assert_int_equal(number_of(store, named), 1);
    assert_int_equal(count_rows(store), 8);
}

static void one_that_is_being_read_is_not_taken_away(void **state)
{
    static const char sql[] = "SELECT $1 + 0 AS a UNION ALL SELECT $1 + 1 ORDER BY a";
    CLEANUP(store_close) struct store *store = store_at(":memory:");
    CLEANUP(stmt_done) struct stmt *outer = NULL;
    CLEANUP(stmt_done) struct stmt *inner = NULL;
    struct err err = ERR_INIT;

    (void)state;
    assert_ok(stmt_open(store->db, sql, &outer, &err));
    stmt_int(outer, 1, 10);
    assert_ok(stmt_row(outer, &err));
    assert_ok(stmt_open(store->db, sql, &inner, &err));
    stmt_int(inner, 1, 20);
    assert_ok(stmt_row(inner, &err));
    assert_int_equal(col_int(inner, "a"), 20);
    assert_ok(stmt_row(outer, &err));
    assert_int_equal(col_int(outer, "a"), 11);
}

static void rows_are_refused_by_their_kind_of_mistake(void **state)
{
    CLEANUP(store_close) struct store *store = store_with_table();
    struct err err = ERR_INIT;

    (void)state;
    assert_ok(insert(store->db, 1, "a", &err));
    assert_rc(insert(store->db, 1, "b", &err), RC_CONFLICT);
    assert_rc(insert(store->db, 2, "a", &err), RC_CONFLICT);
    assert_rc(insert(store->db, 2, "no", &err), RC_REFUSED);
    assert_int_equal(count_rows(store), 1);
}

/* ---- transactions -------------------------------------------------------------------------- */

static void a_failed_statement_cannot_be_committed_in_part(void **state)
{
    CLEANUP(store_close) struct store *store = store_with_table();
    CLEANUP(tx_end) struct tx tx = TX_NONE;
    struct err err = ERR_INIT;

    (void)state;
    assert_ok(tx_begin(store->db, &tx, &err));
    assert_ok(insert(store->db, 1, "a", &err));
    assert_rc(insert(store->db, 2, "no", &err), RC_REFUSED);
    assert_rc(insert(store->db, 2, "b", &err), RC_DEFERRED);
    assert_rc(tx_commit(&tx, &err), RC_DEFERRED);
    assert_says("rolled back");
    assert_int_equal(count_rows(store), 0);
}

static void L03_a_lock_held_too_long_is_deferred_and_readers_never_wait(void **state)
{
    CLEANUP(store_close) struct store *store = store_with_table();
    struct store_options options = {.path = postgres_of(store->db)->url, .busy_timeout_ms = 30};
    CLEANUP(db_close) struct db *waiting = NULL;
    CLEANUP(tx_end) struct tx held = TX_NONE;
    CLEANUP(tx_end) struct tx tx = TX_NONE;
    struct err err = ERR_INIT;

    (void)state;
    assert_ok(db_open(&options, &waiting, &err));
    assert_ok(tx_begin(store->db, &held, &err));
    assert_ok(insert(store->db, 1, "a", &err));
    assert_rc(tx_begin(waiting, &tx, &err), RC_DEFERRED);
    assert_says("another process holds it");
    assert_ok(tx_read(waiting, &tx, &err));
    assert_int_equal(count_rows(&(struct store){.db = waiting}), 0);
    tx_end(&tx);
    assert_ok(tx_commit(&held, &err));
    assert_ok(tx_begin(waiting, &tx, &err));
    assert_int_equal(count_rows(&(struct store){.db = waiting}), 1);
    assert_ok(insert(waiting, 2, "b", &err));
    assert_ok(tx_commit(&tx, &err));
}

static enum rc sleep_for(struct db *db, int64_t seconds, struct err *err)
{
    static const char sql[] = "SELECT CAST(pg_sleep($1) AS TEXT) AS n";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, sql, &s, err));
    stmt_int(s, 1, seconds);
    return stmt_row(s, err);
}

static void a_statement_that_takes_too_long_is_broken_off(void **state)
{
    CLEANUP(store_close) struct store *store = store_with_table();
    CLEANUP(tx_end) struct tx tx = TX_NONE;
    struct err err = ERR_INIT;

    (void)state;
    assert_ok(db_limit(store->db, 500, NULL, &err));
    assert_rc(sleep_for(store->db, 60, &err), RC_DEFERRED);
    assert_says("longer than 0.5 s");
    assert_says("ask for less");
    assert_ok(db_reopen(store->db, &err));
    assert_rc(sleep_for(store->db, 60, &err), RC_DEFERRED);
    assert_ok(tx_begin(store->db, &tx, &err));
    assert_ok(insert(store->db, 1, "a", &err));
    assert_rc(sleep_for(store->db, 60, &err), RC_DEFERRED);
    tx_end(&tx);
    assert_ok(tx_begin(store->db, &tx, &err));
    assert_int_equal(count_rows(store), 0);
    tx_end(&tx);
    postgres_of(store->db)->pooled = true; /* then only its transactions are held to it */
    assert_ok(db_run(store->db, "SET statement_timeout = 0", &err));
    assert_ok(db_limit(store->db, 500, NULL, &err));
    assert_ok(tx_read(store->db, &tx, &err));
    assert_rc(sleep_for(store->db, 60, &err), RC_DEFERRED);
}

/* Those of one turn wait for each other, and for one that has the whole ledger; the chain is whose turn it is
 * to append. */
static void writers_wait_for_those_of_their_turn_alone(void **state)
{
    static const struct {
        const char *name, *turn;
        enum rc rc;
    } rows[] = {
        {"its own turn", "help", RC_DEFERRED},
        {"another's", "sales", RC_OK},
        {"the whole ledger", NULL, RC_DEFERRED},
    };
    CLEANUP(store_close) struct store *store = store_with_table();
    struct store_options options = {.path = postgres_of(store->db)->url, .busy_timeout_ms = 30};
    CLEANUP(db_close) struct db *other = NULL;
    CLEANUP(tx_end) struct tx held = TX_NONE;
    struct err err = ERR_INIT;

    (void)state;
    assert_ok(db_open(&options, &other, &err));
    assert_ok(tx_begin_in(store->db, "help", &held, &err));
    FOR_EACH(row, rows) {
        CLEANUP(tx_end) struct tx tx = TX_NONE;

        assert_rc(tx_begin_in(other, row->turn, &tx, &err), row->rc);
    }
    assert_ok(tx_append(&held, &err));
    CLEANUP(tx_end) struct tx tx = TX_NONE;

    assert_ok(tx_begin_in(other, "sales", &tx, &err));
    assert_rc(tx_append(&tx, &err), RC_DEFERRED);
    tx_end(&tx);
    assert_ok(tx_commit(&held, &err));
    assert_ok(tx_begin_in(other, "sales", &tx, &err));
    assert_ok(tx_append(&tx, &err));
}

static enum rc add_line_in(struct store *store, const char *mailbox, struct err *err)
{
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    snprintf(store->turn, sizeof store->turn, "%s", mailbox);
    TRY(writing_begin_turn(store, TEST_RUN, at_ms(5), &w, err));
    for (int i = 0; i < 3; i++)
        TRY(event_add(&w, &(struct event){.mailbox = mailbox, .what = "claim"}, err));
    return writing_finish(&w, err);
}

static int add_lines(const char *url, const char *mailbox)
{
    struct store_options options = {.path = url, .busy_timeout_ms = 20000, .skip_check = true};
    CLEANUP(store_close) struct store *store = NULL;
    struct err err = ERR_INIT;
    enum rc rc = store_open(&options, &store, &err);

    for (int i = 0; i < 40 && rc == RC_OK; i++)
        rc = add_line_in(store, mailbox, &err);
    return rc == RC_OK ? 0 : 1;
}

static void K01_runs_of_four_mailboxes_append_to_one_chain(void **state)
{
    static const char *const mailboxes[] = {"a", "b", "c", "d"};
    CLEANUP(store_close) struct store *store = store_at(":memory:");
    struct err err = ERR_INIT;
    pid_t pid[LENGTH(mailboxes)];

    (void)state;
    for (size_t i = 0; i < LENGTH(pid); i++) {
        pid[i] = fork();
        if (pid[i] == 0)
            _exit(add_lines(postgres_of(store->db)->url, mailboxes[i]));
    }
    for (size_t i = 0; i < LENGTH(pid); i++) {
        int status;

        assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(number_of(store, "SELECT COUNT(*) AS n FROM event"), 480);
    assert_ok(store_check_chain(store, &err));
}

/* Two machines, whose clocks are years apart: what counts is the database's. */
static void K03_a_lease_ends_by_the_clock_of_the_database(void **state)
{
    static const char item[] =
        "INSERT INTO item (key, mailbox, key_source, message_id, disposition, arrived_as, "
        "state,"
        " octets, size, source_digest, payload_digest, payload_version, fingerprint, signs, "
        "sender,"
        " recipient, subject, text, internal_ms, lease_run, lease_boot, fence, next_due, "
        "generation,"
        " created_at) VALUES ('k', 'help', 'digest', '', 'case', 'case', 'in_progress', '', 0, "
        "'',"
        " '', 1, '', 0, '', '', '', '', 0, '" TEST_RUN "', (SELECT CAST(EXTRACT(EPOCH FROM"
        " clock_timestamp()) * 1000 AS BIGINT)) + 600000, 1, 0, 1, 0)";
    static const char over[] =
        "UPDATE item SET lease_boot = (SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000"
        " AS BIGINT)) - 1";
    static const char within_a_lease[] =
        "SELECT COUNT(*) AS n FROM item WHERE lease_boot BETWEEN (SELECT CAST(EXTRACT(EPOCH FROM"
        " clock_timestamp()) * 1000 AS BIGINT)) AND (SELECT CAST(EXTRACT(EPOCH FROM"
        " clock_timestamp()) * 1000 AS BIGINT)) + 60000";
    CLEANUP(store_close) struct store *store = store_at(":memory:");
    struct instant now = {.wall_ms = NOW_MS * 2, .boot_ms = INT64_C(1) << 60};
    struct run_facts one = run_named(TEST_RUN), two = run_named(OTHER_RUN);
    struct mailbox_record record;
    struct work_item *taken;
    struct err err = ERR_INIT;
    size_t count;

    (void)state;
    store->db->host_clock = false;
    memcpy(two.host, "other", sizeof "other");
    assert_ok(store_runs.enter(store, &one, at_ms(0), &err));
    assert_ok(store_runs.enter(store, &two, now, &err));
    assert_ok(store_mailboxes.load(store, "help", &record, &err));
    by_hand(store, item);
    assert_ok(store_work.claim(store, OTHER_RUN, "help", now, 60000, 9, &taken, &count, &err));
    assert_int_equal(count, 0);
    by_hand(store, over);
    assert_ok(store_work.claim(store, OTHER_RUN, "help", now, 60000, 9, &taken, &count, &err));
    assert_int_equal(count, 1);
    work_items_free(taken, count);
    assert_int_equal(number_of(store, within_a_lease), 1);
    by_hand(store, over);
    assert_ok(store_runs.renew(store, OTHER_RUN, now, 60000, &err));
    assert_int_equal(number_of(store, within_a_lease), 1);
}

/* ---- hints --------------------------------------------------------------------------------- */

/* Within five seconds, which is long for a hint that is under way, or not at all. */
static bool hears(struct store *store, int wait_ms)
{
    int fd;
    bool heard = store_heard(store, "help", &fd);

    if (heard || fd < 0)
        return heard;
    struct pollfd p = {.fd = fd, .events = POLLIN};

    return poll(&p, 1, wait_ms) == 1 && store_heard(store, "help", &fd);
}

static void pause_it(struct store *store, const char *mailbox)
{
    struct mailbox_record record;
    struct err err = ERR_INIT;

    assert_ok(store_mailboxes.load(store, mailbox, &record, &err));
    assert_ok(store_people.pause(store, mailbox, !record.paused, 0, "ann", "why", at_ms(5), &err));
}

static enum rc share_it(struct store *store, const char *run, bool *ours)
{
    struct err err = ERR_INIT;

    return store_runs.share(store, run, "help", 60000, ours, &err);
}

static void enter_on(struct store *store, const char *id, const char *node)
{
    struct run_facts run = run_named(id);
    struct err err = ERR_INIT;

    store->db->host_clock = false;
    memcpy(run.mailbox, "help", sizeof "help");
    snprintf(run.node, sizeof run.node, "%s", node);
    assert_ok(store_runs.enter(store, &run, at_ms(0), &err));
}

static struct store *another_at(struct store *store)
{
    struct store_options options = {.path = postgres_of(store->db)->url, .busy_timeout_ms = 5000};
    struct store *other = NULL;
    struct err err = ERR_INIT;

    assert_ok(store_open(&options, &other, &err));
    return other;
}

static void a_persons_word_is_heard_by_those_of_its_mailbox_alone(void **state)
{
    CLEANUP(store_close) struct store *store = store_with_run();
    CLEANUP(store_close) struct store *person = another_at(store);
    int fd;

    (void)state;
    assert_true(hears(store, 0)); /* what was said before it listened */
    assert_false(hears(store, 0));
    pause_it(person, "help");
    assert_true(hears(store, 5000));
    assert_false(hears(store, 0));
    pause_it(person, "another");
    db_tell(store->db, "help"); /* its own word */
    assert_false(hears(store, 100));
    cut(person, store->db);
    assert_true(hears(store, 5000)); /* the end of the connection */
    assert_false(store_heard(store, "help", &fd));
    assert_int_equal(fd, -1);
    assert_int_equal(number_of(store, "SELECT COUNT(*) AS n FROM run"), 1);
    assert_true(hears(store, 0)); /* what was said meanwhile */
    pause_it(person, "help");
    assert_true(hears(store, 5000));
}

/* Where each transaction may meet another connection, one that listens would be left behind. */
static void nobody_listens_behind_a_pooler(void **state)
{
    static const char listening[] = "SELECT COUNT(*) AS n FROM pg_listening_channels()";
    CLEANUP(store_close) struct store *store = store_with_run();
    CLEANUP(store_close) struct store *direct = another_at(store);
    int fd = 0;

    (void)state;
    postgres_of(store->db)->pooled = true;
    assert_false(store_heard(store, "help", &fd));
    assert_int_equal(fd, -1);
    assert_int_equal(number_of(store, listening), 0);
    assert_true(store_heard(direct, "help", &fd));
    assert_true(fd >= 0);
    assert_int_equal(number_of(direct, listening), 1);
}

static void K01_a_mailbox_that_is_left_is_heard_of_by_those_who_stand_by(void **state)
{
    CLEANUP(store_close) struct store *one = store_at(":memory:");
    CLEANUP(store_close) struct store *two = another_at(one);
    struct err err = ERR_INIT;
    bool ours;

    (void)state;
    enter_on(one, TEST_RUN, "a");
    enter_on(two, OTHER_RUN, "b");
    assert_ok(share_it(one, TEST_RUN, &ours));
    assert_true(ours);
    (void)hears(one, 0);
    assert_ok(share_it(two, OTHER_RUN, &ours));
    assert_false(ours);
    assert_true(hears(one, 5000)); /* there is one more to share with */
    (void)hears(two, 0);
    assert_ok(store_runs.leave(one, TEST_RUN, at_ms(9), &err));
    assert_true(hears(two, 5000));
    assert_ok(share_it(two, OTHER_RUN, &ours));
    assert_true(ours);
}

/* Its run has renewed it after it was found to be over, and before it was taken. */
static void K03_a_lease_renewed_at_the_last_moment_is_not_taken(void **state)
{
    static const char renewal[] =
        "CREATE FUNCTION renews() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " UPDATE mailbox_lease SET until = until + 600000; RETURN NEW; END $$;"
        "CREATE TRIGGER renews BEFORE UPDATE ON run FOR EACH ROW EXECUTE FUNCTION renews()";
    CLEANUP(store_close) struct store *one = store_at(":memory:");
    CLEANUP(store_close) struct store *two = another_at(one);
    bool ours;

    (void)state;
    enter_on(one, TEST_RUN, "a");
    enter_on(two, OTHER_RUN, "b");
    assert_int_equal(share_it(one, TEST_RUN, &ours), RC_OK);
    by_hand(one, "UPDATE mailbox_lease SET until = 1");
    by_hand(one, renewal);
    assert_int_equal(share_it(two, OTHER_RUN, &ours), RC_CONFLICT);
    assert_text(one, "SELECT run AS t FROM mailbox_lease", TEST_RUN);
    by_hand(one, "DROP TRIGGER renews ON run; DROP FUNCTION renews");
    assert_int_equal(share_it(two, OTHER_RUN, &ours), RC_OK);
    assert_text(one, "SELECT run AS t FROM mailbox_lease", OTHER_RUN);
}

/* It was cut off, and has renewed what it holds since it is back. */
static void K03_a_run_whose_mailbox_was_taken_gives_back_what_it_holds(void **state)
{
    CLEANUP(store_close) struct store *one = store_at(":memory:");
    CLEANUP(store_close) struct store *two = another_at(one);
    struct err err = ERR_INIT;
    bool ours;

    (void)state;
    enter_on(one, TEST_RUN, "a");
    enter_on(two, OTHER_RUN, "b");
    assert_ok(share_it(one, TEST_RUN, &ours));
    by_hand(one, "INSERT INTO mailbox (id) VALUES ('help')");
    item_by_hand(one);
    by_hand(one, "UPDATE item SET lease_run = '" TEST_RUN "', lease_boot = 1, fence = 1");
    by_hand(one, "UPDATE mailbox_lease SET until = 1");
    assert_ok(share_it(two, OTHER_RUN, &ours));
    assert_true(ours);
    by_hand(one, "INSERT INTO attempt (effect, number, run, phase, outcome, started_at)"
                 " VALUES (1, 1, '" TEST_RUN "', 'lost', 'unknown', 1)");
    (void)hears(two, 0);
    assert_ok(store_runs.renew(one, TEST_RUN, at_ms(5), 60000, &err));
    assert_ok(share_it(one, TEST_RUN, &ours));
    assert_false(ours);
    assert_int_equal(number_of(one, "SELECT COUNT(*) AS n FROM item WHERE lease_run IS NULL"), 1);
    assert_true(hears(two, 5000));
    /* nor is a letter of it under way: a person may say of it that it was not sent */
    assert_int_equal(number_of(one, "SELECT SUM(connection_closed) AS n FROM attempt"), 1);
}

static void K01_a_mailbox_whose_run_was_found_dead_is_heard_of(void **state)
{
    CLEANUP(store_close) struct store *one = store_at(":memory:");
    CLEANUP(store_close) struct store *two = another_at(one);
    struct err err = ERR_INIT;
    bool ours;

    (void)state;
    enter_on(one, TEST_RUN, "a");
    enter_on(two, OTHER_RUN, "b");
    assert_ok(share_it(one, TEST_RUN, &ours));
    (void)hears(two, 0);
    assert_ok(store_runs.bury(one, TEST_RUN, "", at_ms(9), &err));
    assert_true(hears(two, 5000));
    assert_ok(share_it(two, OTHER_RUN, &ours));
    assert_true(ours);
}

/* ---- a server that took over ---------------------------------------------------------------- */

static int64_t generation_of(struct store *store)
{
    struct ledger_facts facts;
    struct err err = ERR_INIT;

    assert_ok(store_runs.facts(store, &facts, &err));
    return facts.generation;
}

/* Also where it has all that was committed. */
static void L10_a_new_timeline_is_a_ledger_that_went_back_once(void **state)
{
    CLEANUP(store_close) struct store *store = store_with_run();
    int64_t before = generation_of(store);

    (void)state;
    assert_int_equal(generation_of(store), before);
    store->db->timeline = ++store->db->known_timeline;
    assert_int_equal(generation_of(store), before + 1);
    assert_int_equal(generation_of(store), before + 1);
}

/* As if the server had had another timeline until the connection was cut. */
static void taken_over(struct store *store)
{
    CLEANUP(store_close) struct store *other = another_at(store);

    store->db->timeline = store->db->known_timeline += 6;
    cut(other, store->db);
}

/* A run remembers things of another ledger, perhaps, and a turn of it is no better than the first statement. */
static void L10_a_run_ends_where_another_server_has_taken_over(void **state)
{
    CLEANUP(store_close) struct store *store = store_with_run();
    struct ledger_facts facts;
    struct err err = ERR_INIT;

    (void)state;
    taken_over(store);
    assert_rc(store_runs.facts(store, &facts, &err), RC_BROKEN);
    assert_says("another server has taken over");
    assert_rc(store_runs.renew(store, TEST_RUN, at_ms(5), 60000, &err), RC_BROKEN);
    assert_rc(store_runs.facts(store, &facts, &err), RC_BROKEN);
}

static void L10_nothing_is_written_to_a_server_that_a_statement_met_unnoticed(void **state)
{
    CLEANUP(store_close) struct store *run = store_with_run();
    CLEANUP(store_close) struct store *person = another_at(run);
    CLEANUP(tx_end) struct tx tx = TX_NONE;
    struct err err = ERR_INIT;

    (void)state;
    taken_over(run);
    taken_over(person);
    assert_int_equal(number_of(run, "SELECT COUNT(*) AS n FROM run"), 1);
    assert_rc(tx_begin(run->db, &tx, &err), RC_BROKEN);
    assert_int_equal(number_of(person, "SELECT COUNT(*) AS n FROM run"), 1);
    assert_rc(tx_begin(person->db, &tx, &err), RC_DEFERRED);
    assert_ok(tx_begin(person->db, &tx, &err)); /* who has been told, and tries again */
}

/* ---- connections that go ------------------------------------------------------------------- */

static void L08_a_connection_lost_while_nobody_used_it_is_made_anew(void **state)
{
    CLEANUP(store_close) struct store *store = store_with_table();
    struct store_options options = {.path = postgres_of(store->db)->url, .busy_timeout_ms = 5000};
    CLEANUP(db_close) struct db *db = NULL;
    CLEANUP(tx_end) struct tx tx = TX_NONE;
    struct err err = ERR_INIT;

    (void)state;
    assert_ok(db_open(&options, &db, &err));
    for (int64_t i = 1; i < 6; i++)
        assert_ok(insert(db, i, (char[]){(char)('0' + i), '\0'}, &err));
    cut(store, db);
    assert_ok(tx_begin(db, &tx, &err));
    assert_ok(insert(db, 6, "6", &err));
    assert_ok(tx_commit(&tx, &err));
    cut(store, db);
    assert_int_equal(count_rows(&(struct store){.db = db}), 6);
}

static void L08_a_connection_lost_within_a_transaction_takes_it_along(void **state)
{
    CLEANUP(store_close) struct store *store = store_with_table();
    struct store_options options = {.path = postgres_of(store->db)->url, .busy_timeout_ms = 5000};
    CLEANUP(db_close) struct db *db = NULL;
    CLEANUP(tx_end) struct tx tx = TX_NONE;
    struct err err = ERR_INIT;

    (void)state;
    assert_ok(db_open(&options, &db, &err));
    assert_ok(tx_begin(db, &tx, &err));
    assert_ok(insert(db, 1, "a", &err));
    cut(store, db);
    assert_rc(insert(db, 2, "b", &err), RC_DEFERRED);
    assert_rc(insert(db, 3, "c", &err), RC_DEFERRED); /* not outside of it, on a new connection */
    assert_rc(tx_commit(&tx, &err), RC_DEFERRED);
    assert_int_equal(count_rows(store), 0);
    assert_ok(tx_begin(db, &tx, &err));
    assert_ok(insert(db, 1, "a", &err));
    assert_ok(tx_commit(&tx, &err));
    assert_int_equal(count_rows(store), 1);
}

/* ---- the ledger ---------------------------------------------------------------------------- */

static enum rc add_line(struct store *store, struct err *err)
{
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    TRY(writing_begin(store, TEST_RUN, at_ms(5), &w, err));
    TRY(event_add(&w, &(struct event){.subject = "item", .what = "claim"}, err));
    return writing_finish(&w, err);
}

static void the_event_chain_follows_and_is_never_changed(void **state)
{
    static const char *const changes[] = {"UPDATE event SET what = 'x' WHERE number = 2",
                                          "DELETE FROM event WHERE number = 2"};
    CLEANUP(store_close) struct store *store = store_at(":memory:");
    struct err err = ERR_INIT;

    (void)state;
    for (int i = 0; i < 3; i++)
        assert_ok(add_line(store, &err));
    assert_ok(store_check_chain(store, &err));
    for (size_t i = 0; i < LENGTH(changes); i++) {
        assert_rc(db_run(store->db, changes[i], &err), RC_REFUSED);
        assert_says("append-only");
    }
}

/* As with SQLite: by the beginnings of words, without case and marks. */
static void a_case_is_found_by_the_words_of_its_sender(void **state)
{
    static const char find[] =
        "SELECT COUNT(*) AS n FROM case_search WHERE case_search MATCH $4 AND rowid = $1";
    static const struct {
        const char *name, *words;
        int found;
    } rows[] = {
        {"a mark is none", "\"elan\"*", 1},          {"nor is case", "\"ANN\"*", 1},
        {"the beginning of a word", "\"exam\"*", 1}, {"the middle is none", "\"xample\"*", 0},
        {"all of them", "\"ann\"* \"chair\"*", 1},   {"not one of them", "\"ann\"* \"table\"*", 0},
        {"another script", "\"моск\"*", 1},          {"nothing but signs", "\"-'\\\"*", 0},
    };
    CLEANUP(store_close) struct store *store = store_at(":memory:");
    struct err err = ERR_INIT;

    (void)state;
    by_hand(store, "INSERT INTO case_search (rowid, reference, sender, subject) VALUES (7,"
                   " 'HD-7K3M9QWX', 'Ann.Lee@example.com', 'Élan: a chair for Москва')");
    FOR_EACH(row, rows) {
        CLEANUP(stmt_done) struct stmt *s = NULL;

        assert_ok(stmt_open(store->db, find, &s, &err));
        stmt_int(s, 1, 7);
        for (int i = 2; i < 4; i++)
            stmt_text(s, i, NULL);
        stmt_text(s, 4, row->words);
        assert_ok(stmt_row(s, &err));
        assert_int_equal(col_int(s, "n"), row->found);
    }
}

static void L08_what_a_serialization_failure_took_back_is_deferred(void **state)
{
    CLEANUP(store_close) struct store *store = store_at(":memory:");
    struct err err = ERR_INIT;

    (void)state;
    by_hand(store, "CREATE OR REPLACE FUNCTION fails() RETURNS trigger LANGUAGE plpgsql AS"
                   " $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '40001'; END $$");
    by_hand(store, "CREATE CONSTRAINT TRIGGER fails AFTER INSERT ON event INITIALLY DEFERRED"
                   " FOR EACH ROW EXECUTE FUNCTION fails()");
    assert_rc(add_line(store, &err), RC_DEFERRED);
    by_hand(store, "DROP TRIGGER fails ON event");
    assert_ok(add_line(store, &err));
    assert_int_equal(number_of(store, "SELECT COUNT(*) AS n FROM event"), 1);
}

/* Every transaction, also a person's, a session's, a notice's, a webhook's. */
static void fail_twice_at(struct store *store, const char *table)
{
    CLEANUP(str_clear) struct str sql = STR_INIT;

    by_hand(store, "CREATE SEQUENCE IF NOT EXISTS failures");
    by_hand(store, "CREATE OR REPLACE FUNCTION fails_twice() RETURNS trigger LANGUAGE plpgsql AS"
                   " $$ BEGIN IF nextval('failures') < 3 THEN RAISE EXCEPTION 'x' USING"
                   " ERRCODE = '40001'; END IF; RETURN NULL; END $$");
    str_addf(&sql,
             "CREATE TRIGGER fails_twice AFTER INSERT OR UPDATE OR DELETE ON %s EXECUTE"
             " FUNCTION fails_twice()",
             table);
    by_hand(store, str_z(&sql));
    by_hand(store, "ALTER SEQUENCE failures RESTART");
}

static enum rc pause_mailbox(struct store *store, struct err *err)
{
    return store_people.pause(store, "help", true, 0, "ann", "why", at_ms(5), err);
}

static enum rc begin_session(struct store *store, struct err *err)
{
    const struct sessions sessions = store_sessions(store);
    const struct digest token = sha256_of(SLICE("token"));

    return sessions.begin(sessions.self, &token, "ann", at_ms(5), err);
}

static enum rc remember_notice(struct store *store, struct err *err)
{
    const struct notice_memory memory = {.since_ms = 5};

    return store_notices.remember(store, "mail", &memory, 1, err);
}

static enum rc enlist_webhook(struct store *store, struct err *err)
{
    static const char *const names[] = {"chat"};

    return store_webhooks.enlist(store, names, 1, at_ms(5), err);
}

static void L08_every_write_that_met_anothers_is_repeated_whole(void **state)
{
    static const struct {
        const char *name;
        enum rc (*write)(struct store *store, struct err *err);
        const char *count;
    } rows[] = {
        {"mailbox", pause_mailbox, "SELECT COUNT(*) AS n FROM event WHERE what = 'pause'"},
        {"session", begin_session, "SELECT COUNT(*) AS n FROM session"},
        {"notice", remember_notice, "SELECT COUNT(*) AS n FROM notice"},
        {"webhook", enlist_webhook, "SELECT COUNT(*) AS n FROM webhook"},
    };
    CLEANUP(store_close) struct store *store = store_at(":memory:");
    struct mailbox_record record;
    struct err err = ERR_INIT;

    (void)state;
    assert_ok(store_mailboxes.load(store, "help", &record, &err));
    by_hand(store, "INSERT INTO \"user\" (name, role, secret, created_at)"
                   " VALUES ('ann', 'owner', 'x', 1)");
    FOR_EACH(row, rows) {
        fail_twice_at(store, row->name);
        assert_ok(row->write(store, &err));
        assert_int_equal(number_of(store, row->count), 1);
    }
}

static void K01_four_processes_may_create_it_at_once(void **state)
{
    char *url = mem_text(ledger_place("fresh"));
    pid_t pid[4];

    (void)state;
    for (size_t i = 0; i < LENGTH(pid); i++) {
        pid[i] = fork();
        if (pid[i] == 0) {
            struct store_options options = {.path = url,
                                            .create = true,
                                            .busy_timeout_ms = 20000,
                                            .secret_seed = {{1, (uint8_t)i}}};
            struct store *store = NULL;
            struct err err = ERR_INIT;

            _exit(store_open(&options, &store, &err) == RC_OK ? 0 : 1);
        }
    }
    for (size_t i = 0; i < LENGTH(pid); i++) {
        int status;

        assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
        assert_int_equal(status, 0);
    }
    free(url);
}

static void a_database_of_another_program_is_left_alone(void **state)
{
    struct store_options options;
    CLEANUP(db_close) struct db *db = db_at("foreign");
    struct store *store = NULL;
    struct err err = ERR_INIT;

    (void)state;
    assert_ok(db_run(db, "CREATE TABLE IF NOT EXISTS theirs (a INTEGER)", &err));
    options = options_for("foreign");
    assert_rc(store_open(&options, &store, &err), RC_BROKEN);
    assert_says("no ledger");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_go_by_their_number_and_columns_by_their_name),
        cmocka_unit_test(what_is_no_text_for_postgresql_is_replaced),
        cmocka_unit_test(what_is_asked_often_has_a_name_on_the_server),
        cmocka_unit_test(one_that_is_being_read_is_not_taken_away),
        cmocka_unit_test(rows_are_refused_by_their_kind_of_mistake),
        cmocka_unit_test(a_failed_statement_cannot_be_committed_in_part),
        cmocka_unit_test(L03_a_lock_held_too_long_is_deferred_and_readers_never_wait),
        cmocka_unit_test(a_statement_that_takes_too_long_is_broken_off),
        cmocka_unit_test(writers_wait_for_those_of_their_turn_alone),
        cmocka_unit_test(K01_runs_of_four_mailboxes_append_to_one_chain),
        cmocka_unit_test(K03_a_lease_ends_by_the_clock_of_the_database),
        cmocka_unit_test(a_persons_word_is_heard_by_those_of_its_mailbox_alone),
        cmocka_unit_test(nobody_listens_behind_a_pooler),
        cmocka_unit_test(K01_a_mailbox_that_is_left_is_heard_of_by_those_who_stand_by),
        cmocka_unit_test(K03_a_lease_renewed_at_the_last_moment_is_not_taken),
        cmocka_unit_test(K01_a_mailbox_whose_run_was_found_dead_is_heard_of),
        cmocka_unit_test(K03_a_run_whose_mailbox_was_taken_gives_back_what_it_holds),
        cmocka_unit_test(L10_a_new_timeline_is_a_ledger_that_went_back_once),
        cmocka_unit_test(L10_a_run_ends_where_another_server_has_taken_over),
        cmocka_unit_test(L10_nothing_is_written_to_a_server_that_a_statement_met_unnoticed),
        cmocka_unit_test(L08_a_connection_lost_while_nobody_used_it_is_made_anew),
        cmocka_unit_test(L08_a_connection_lost_within_a_transaction_takes_it_along),
        cmocka_unit_test(the_event_chain_follows_and_is_never_changed),
        cmocka_unit_test(a_case_is_found_by_the_words_of_its_sender),
        cmocka_unit_test(L08_what_a_serialization_failure_took_back_is_deferred),
        cmocka_unit_test(L08_every_write_that_met_anothers_is_repeated_whole),
        cmocka_unit_test(K01_four_processes_may_create_it_at_once),
        cmocka_unit_test(a_database_of_another_program_is_left_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
