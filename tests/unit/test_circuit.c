/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include "schema_words.h"

#include <onecase/backoff.h>

static const struct backoff pause = {1000, 8000};

static enum circuit_state go(enum circuit_state from, enum circuit_event on)
{
    enum circuit_state to = CIRCUIT_STATE_COUNT;
    struct err err = ERR_INIT;

    return circuit_step(from, on, &to, &err) == RC_OK ? to : CIRCUIT_STATE_COUNT;
}

/* ---- the table ----------------------------------------------------------------------------- */

static void an_event_leads_from_a_state_to_one_other(void **state)
{
    (void)state;
    for (size_t i = 0; i < circuit_transition_count; i++) {
        assert_true(strlen(circuit_transitions[i].because) > 8);
        for (size_t k = 0; k < i; k++)
            assert_false(circuit_transitions[i].from == circuit_transitions[k].from &&
                         circuit_transitions[i].on == circuit_transitions[k].on);
    }
}

static void steps_are_these(void **state)
{
    enum { NO = CIRCUIT_STATE_COUNT };
    static const int expected[CIRCUIT_STATE_COUNT][CIRCUIT_EVENT_COUNT] = {
        /*                   fault         due              success         nothing */
        [CIRCUIT_CLOSED] = {CIRCUIT_OPEN, NO, CIRCUIT_CLOSED, NO},
        [CIRCUIT_OPEN] = {CIRCUIT_OPEN, CIRCUIT_PROBING, CIRCUIT_CLOSED, NO},
        [CIRCUIT_PROBING] = {CIRCUIT_OPEN, CIRCUIT_PROBING, CIRCUIT_CLOSED, CIRCUIT_OPEN},
    };

    (void)state;
    for (unsigned from = 0; from < CIRCUIT_STATE_COUNT; from++)
        for (unsigned on = 0; on < CIRCUIT_EVENT_COUNT; on++)
            assert_int_equal((int)go(from, on), expected[from][on]);
}

static void success_closes_whatever_it_is(void **state)
{
    (void)state;
    for (unsigned from = 0; from < CIRCUIT_STATE_COUNT; from++)
        assert_int_equal(go(from, CIRCUIT_ON_SUCCESS), CIRCUIT_CLOSED);
}

/* ---- a circuit in time --------------------------------------------------------------------- */

static void a_closed_circuit_lets_everything_through(void **state)
{
    struct circuit c = {.state = CIRCUIT_CLOSED};

    (void)state;
    for (int i = 0; i < 3; i++)
        assert_true(circuit_allows(&c, 0));
    assert_int_equal(c.state, CIRCUIT_CLOSED);
}

static void a_fault_opens_it_until_the_pause_has_passed(void **state)
{
    struct circuit c = {.state = CIRCUIT_CLOSED, .failures = 9};

    (void)state;
    circuit_fault(&c, &pause, "MAIL 454", 5000, 0);
    assert_int_equal(c.state, CIRCUIT_OPEN);
    assert_int_equal(c.since_ms, 5000);
    assert_int_equal(c.next_probe_ms, 6000);
    assert_int_equal(c.failures, 1);
    assert_string_equal(c.reason, "MAIL 454");
    assert_false(circuit_allows(&c, 5999));
    assert_int_equal(c.state, CIRCUIT_OPEN);
    assert_true(circuit_allows(&c, 6000));
    assert_int_equal(c.state, CIRCUIT_PROBING);
}

static void one_probe_goes_at_a_time(void **state)
{
    struct circuit c = {.state = CIRCUIT_CLOSED};

    (void)state;
    circuit_fault(&c, &pause, "", 0, 0);
    assert_true(circuit_allows(&c, 1000));
    assert_false(circuit_allows(&c, 1000));
    assert_false(circuit_allows(&c, 1000 + CIRCUIT_PROBE_MS - 1));
    assert_int_equal(c.state, CIRCUIT_PROBING);
}

static void a_probe_that_is_never_heard_of_is_replaced(void **state)
{
    struct circuit c = {.state = CIRCUIT_CLOSED};

    (void)state;
    circuit_fault(&c, &pause, "", 0, 0);
    assert_true(circuit_allows(&c, 1000));
    assert_true(circuit_allows(&c, 1000 + CIRCUIT_PROBE_MS));
    assert_false(circuit_allows(&c, 1000 + CIRCUIT_PROBE_MS));
    circuit_success(&c);
    assert_true(circuit_allows(&c, 0));
}

static void the_pause_grows_while_probes_fail_and_since_stays(void **state)
{
    static const int64_t pauses[] = {1000, 2000, 4000, 8000, 8000};
    struct circuit c = {.state = CIRCUIT_CLOSED};
    int64_t now = 0;

    (void)state;
    for (size_t i = 0; i < LENGTH(pauses); i++) {
        circuit_fault(&c, &pause, "banner 421", now, 0);
        assert_int_equal(c.next_probe_ms - now, pauses[i]);
        assert_int_equal(c.since_ms, 0);
        now = c.next_probe_ms;
        assert_true(circuit_allows(&c, now));
    }
    circuit_success(&c);
    circuit_fault(&c, &pause, "banner 421", now, 0);
    assert_int_equal(c.next_probe_ms - now, pauses[0]);
    assert_int_equal(c.since_ms, now);
}

static void what_else_was_under_way_does_not_move_an_open_circuit(void **state)
{
    struct circuit c = {.state = CIRCUIT_CLOSED};

    (void)state;
    circuit_fault(&c, &pause, "first", 0, 0);
    circuit_fault(&c, &pause, "second", 900, 0);
    assert_int_equal(c.next_probe_ms, 1000);
    assert_int_equal(c.failures, 1);
    assert_string_equal(c.reason, "first");
}

static void success_forgets_everything(void **state)
{
    struct circuit c = {.state = CIRCUIT_CLOSED};
    static const struct circuit fresh = {.state = CIRCUIT_CLOSED};

    (void)state;
    circuit_fault(&c, &pause, "MAIL 454", 5000, 0);
    circuit_success(&c);
    assert_int_equal(c.state, fresh.state);
    assert_int_equal(c.failures, 0);
    assert_int_equal(c.since_ms, 0);
    assert_int_equal(c.next_probe_ms, 0);
    assert_string_equal(c.reason, "");
}

static void a_probe_that_says_nothing_lets_the_next_one_go_at_once(void **state)
{
    struct circuit c = {.state = CIRCUIT_CLOSED};

    (void)state;
    circuit_fault(&c, &pause, "", 0, 0);
    assert_true(circuit_allows(&c, 1000));
    circuit_nothing(&c);
    assert_int_equal(c.state, CIRCUIT_OPEN);
    assert_int_equal(c.failures, 1);
    assert_true(circuit_allows(&c, 1000));
    assert_int_equal(c.state, CIRCUIT_PROBING);
}

static void nothing_said_does_not_open_a_closed_circuit(void **state)
{
    struct circuit c = {.state = CIRCUIT_CLOSED};

    (void)state;
    circuit_nothing(&c);
    assert_int_equal(c.state, CIRCUIT_CLOSED);
}

static void a_long_reason_is_cut(void **state)
{
    struct circuit c = {.state = CIRCUIT_CLOSED};
    char reason[200];

    (void)state;
    memset(reason, 'x', sizeof reason);
    reason[sizeof reason - 1] = '\0';
    circuit_fault(&c, &pause, reason, 0, 0);
    assert_int_equal(strlen(c.reason), sizeof c.reason - 1);
}

/* ---- words --------------------------------------------------------------------------------- */

static const char *state_at(size_t at)
{
    return circuit_state_text((enum circuit_state)at);
}

static void words_are_the_ledgers_and_read_back(void **state)
{
    enum circuit_state found = CIRCUIT_STATE_COUNT;
    struct err err = ERR_INIT;

    (void)state;
    assert_schema("circuit", "state", state_at, CIRCUIT_STATE_COUNT);
    for (unsigned i = 0; i < CIRCUIT_STATE_COUNT; i++)
        assert_true(circuit_state_parse(circuit_state_text(i), &found) && found == i);
    assert_false(circuit_state_parse("half-open", &found));
    assert_string_equal(circuit_event_text(CIRCUIT_ON_DUE), "due");
    assert_int_equal(circuit_step(CIRCUIT_CLOSED, CIRCUIT_ON_DUE, &found, &err), RC_CONFLICT);
    assert_string_equal(err.text, "circuit: one that is closed is not moved by due");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_leads_from_a_state_to_one_other),
        cmocka_unit_test(steps_are_these),
        cmocka_unit_test(success_closes_whatever_it_is),
        cmocka_unit_test(a_closed_circuit_lets_everything_through),
        cmocka_unit_test(a_fault_opens_it_until_the_pause_has_passed),
        cmocka_unit_test(one_probe_goes_at_a_time),
        cmocka_unit_test(a_probe_that_is_never_heard_of_is_replaced),
        cmocka_unit_test(the_pause_grows_while_probes_fail_and_since_stays),
        cmocka_unit_test(what_else_was_under_way_does_not_move_an_open_circuit),
        cmocka_unit_test(success_forgets_everything),
        cmocka_unit_test(a_probe_that_says_nothing_lets_the_next_one_go_at_once),
        cmocka_unit_test(nothing_said_does_not_open_a_closed_circuit),
        cmocka_unit_test(a_long_reason_is_cut),
        cmocka_unit_test(words_are_the_ledgers_and_read_back),
    };

    return RUN_TESTS(tests);
}
