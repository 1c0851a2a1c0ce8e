/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports store */
#include "store_testing.h"

#define LEASE INT64_C(300000)

static int open_store(void **state)
{
    struct store *store = store_with_run();
    struct run_facts other = run_named(OTHER_RUN);
    struct err err = ERR_INIT;

    item_by_hand(store);
    assert_ok(store_ledger(store).runs->enter(store, &other, at_ms(1), &err));
    by_hand(store, "UPDATE item SET lease_run = '" TEST_RUN "', lease_boot = 1000");
    *state = store;
    return 0;
}

static int close_store(void **state)
{
    struct store *store = *state;
    struct err err = ERR_INIT;

    assert_ok(store_check_chain(store, &err));
    store_close(&store);
    return 0;
}

static void a_run_enters_once(void **state)
{
    struct store *store = *state;
    struct run_facts run = run_named(TEST_RUN);
    struct err err = ERR_INIT;

    assert_rc(store_ledger(store).runs->enter(store, &run, at_ms(2), &err), RC_CONFLICT);
    assert_int_equal(number_of(store, "SELECT COUNT(*) AS n FROM run"), 2);
}

static void one_that_was_changed_meanwhile_and_works_with_it_no_more_takes_nothing(void **state)
{
    struct store *store = *state;
    const struct ledger_runs *runs = store_ledger(store).runs;
    struct run_facts run = run_named("cccccccccccccccccccccccccccccccc");
    struct err err = ERR_INIT;

    by_hand(store, "UPDATE meta SET value = '1000000' WHERE name = 'oldest_schema'");
    assert_rc(runs->enter(store, &run, at_ms(2), &err), RC_BROKEN);
    assert_non_null(strstr(err.text, "works with it no more"));
    assert_int_equal(number_of(store, "SELECT COUNT(*) AS n FROM run"), 2);
    by_hand(store, "UPDATE meta SET value = '1' WHERE name = 'oldest_schema'");
    assert_ok(runs->enter(store, &run, at_ms(3), &err));
}

static void the_others_are_those_that_have_not_ended(void **state)
{
    struct store *store = *state;
    const struct ledger_runs *runs = store_ledger(store).runs;
    CLEANUP(mem_free) struct run_facts *others = NULL;
    CLEANUP(mem_free) struct run_facts *none = NULL;
    struct err err = ERR_INIT;
    size_t count;

    assert_ok(runs->others(store, TEST_RUN, &others, &count, &err));
    assert_int_equal(count, 1);
    assert_string_equal(others[0].id, OTHER_RUN);
    assert_string_equal(others[0].host, "host");
    assert_string_equal(others[0].boot_id, "boot");
    assert_int_equal(others[0].pid, 7);
    assert_string_equal(others[0].owner, "nobody");
    assert_ok(runs->leave(store, OTHER_RUN, at_ms(3), &err));
    assert_ok(runs->others(store, TEST_RUN, &none, &count, &err));
    assert_int_equal(count, 0);
}

static void renewing_moves_the_end_of_every_lease_it_holds(void **state)
{
    struct store *store = *state;
    const struct ledger_runs *runs = store_ledger(store).runs;
    struct err err = ERR_INIT;

    assert_ok(runs->renew(store, OTHER_RUN, at_ms(500), LEASE, &err));
    assert_int_equal(number_of(store, "SELECT lease_boot AS n FROM item"), 1000);
    assert_ok(runs->renew(store, TEST_RUN, at_ms(500), LEASE, &err));
    assert_int_equal(number_of(store, "SELECT lease_boot AS n FROM item"), 1000500 + LEASE);
    assert_int_equal(number_of(store, "SELECT beat_at AS n FROM run WHERE id = '" TEST_RUN "'"),
                     NOW_MS + 500);
}

static void K03_a_buried_run_renews_nothing(void **state)
{
    struct store *store = *state;
    const struct ledger_runs *runs = store_ledger(store).runs;
    struct err err = ERR_INIT;

    assert_ok(runs->bury(store, TEST_RUN, OTHER_RUN, at_ms(400), &err));
    assert_rc(runs->renew(store, TEST_RUN, at_ms(500), LEASE, &err), RC_CONFLICT);
    assert_says("taken for dead");
    assert_int_equal(number_of(store, "SELECT lease_boot AS n FROM item"), 1000);
    assert_rc(runs->leave(store, TEST_RUN, at_ms(600), &err), RC_CONFLICT);
    assert_int_equal(number_of(store, "SELECT lease_run IS NOT NULL AS n FROM item"), 1);
}

static void burying_is_done_once_and_remembers_by_whom(void **state)
{
    struct store *store = *state;
    const struct ledger_runs *runs = store_ledger(store).runs;
    struct err err = ERR_INIT;

    assert_ok(runs->bury(store, TEST_RUN, OTHER_RUN, at_ms(400), &err));
    int64_t events = number_of(store, "SELECT COUNT(*) AS n FROM event");

    assert_ok(runs->bury(store, TEST_RUN, TEST_RUN, at_ms(500), &err));
    assert_ok(runs->bury(store, "no such run", TEST_RUN, at_ms(500), &err));
    assert_int_equal(number_of(store, "SELECT COUNT(*) AS n FROM event"), events);
    assert_text(store,
                "SELECT ended_how || ' ' || buried_by || ' ' || ended_at AS t FROM run"
                " WHERE id = '" TEST_RUN "'",
                "dead " OTHER_RUN " 1767225600400");
    assert_text(store, "SELECT subject || ' ' || what AS t FROM event ORDER BY number DESC LIMIT 1",
                "run " TEST_RUN " bury");
}

static void what_a_dead_run_held_is_suspected(void **state)
{
    struct store *store = *state;
    const struct ledger_runs *runs = store_ledger(store).runs;
    struct err err = ERR_INIT;

    assert_ok(runs->bury(store, OTHER_RUN, TEST_RUN, at_ms(400), &err));
    assert_int_equal(number_of(store, "SELECT worker_deaths AS n FROM item"), 0);
    assert_ok(runs->bury(store, TEST_RUN, OTHER_RUN, at_ms(400), &err));
    assert_ok(runs->bury(store, TEST_RUN, OTHER_RUN, at_ms(400), &err));
    assert_int_equal(number_of(store, "SELECT worker_deaths AS n FROM item"), 1);
}

static void leaving_gives_leases_back(void **state)
{
    struct store *store = *state;
    struct err err = ERR_INIT;

    assert_ok(store_ledger(store).runs->leave(store, TEST_RUN, at_ms(600), &err));
    assert_int_equal(
        number_of(store, "SELECT lease_run IS NULL AND lease_boot IS NULL AS n FROM item"), 1);
    assert_text(store, "SELECT ended_how AS t FROM run WHERE id = '" TEST_RUN "'", "left");
    assert_int_equal(number_of(store, "SELECT worker_deaths AS n FROM item"), 0);
}

static void nobody_leaves_with_something_armed(void **state)
{
    struct store *store = *state;
    struct err err = ERR_INIT;

    by_hand(store, "INSERT INTO attempt (effect, number, run, phase, started_at)"
                   " VALUES (1, 1, '" TEST_RUN "', 'armed', 1)");
    assert_rc(store_ledger(store).runs->leave(store, TEST_RUN, at_ms(600), &err), RC_CONFLICT);
    assert_says("armed");
    assert_int_equal(number_of(store, "SELECT COUNT(*) AS n FROM run WHERE ended_at IS NULL"), 2);
    assert_int_equal(number_of(store, "SELECT lease_run IS NULL AS n FROM item"), 0);
}

static void facts_count_the_lines(void **state)
{
    struct store *store = *state;
    struct ledger_facts facts;
    struct err err = ERR_INIT;

    assert_ok(store_ledger(store).runs->facts(store, &facts, &err));
    assert_int_equal(facts.last_event, number_of(store, "SELECT COUNT(*) AS n FROM event"));
}

#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, open_store, close_store)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        WITH_STORE(a_run_enters_once),
        WITH_STORE(one_that_was_changed_meanwhile_and_works_with_it_no_more_takes_nothing),
        WITH_STORE(the_others_are_those_that_have_not_ended),
        WITH_STORE(renewing_moves_the_end_of_every_lease_it_holds),
        WITH_STORE(K03_a_buried_run_renews_nothing),
        WITH_STORE(burying_is_done_once_and_remembers_by_whom),
        WITH_STORE(what_a_dead_run_held_is_suspected),
        WITH_STORE(leaving_gives_leases_back),
        WITH_STORE(nobody_leaves_with_something_armed),
        WITH_STORE(facts_count_the_lines),
    };

    return RUN_TESTS(tests);
}
