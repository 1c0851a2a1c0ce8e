/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports store */
#include "store_testing.h"

#define ACK  1
#define MOVE 2

static int open_store(void **state)
{
    struct store *store = store_with_run();

    item_by_hand(store);
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

static enum rc
step_at(struct store *store, const struct effect_change *change, int64_t after_ms, struct err *err)
{
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    TRY(writing_begin(store, TEST_RUN, at_ms(after_ms), &w, err));
    TRY(step_effect(&w, KEY_A, change, err));
    return writing_finish(&w, err);
}

static enum rc step(struct store *store, const struct effect_change *change, struct err *err)
{
    return step_at(store, change, 10, err);
}

static enum rc step_of_item(struct store *store, const struct item_change *change, struct err *err)
{
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    TRY(writing_begin(store, TEST_RUN, at_ms(20), &w, err));
    TRY(step_item(&w, KEY_A, change, err));
    return writing_finish(&w, err);
}

static const struct effect_change arm_ack = {.effect = ACK,
                                             .from = EFFECT_PLANNED,
                                             .on = ON_ARM,
                                             .target = "accepted",
                                             .letter_date_ms = NOW_MS + 3,
                                             .due_ms = NOT_DUE};

/* ---- effects ------------------------------------------------------------------------------- */

static void arming_opens_an_attempt_and_fixes_what_is_told(void **state)
{
    struct store *store = *state;
    char ack[EFFECT_ID_SIZE];
    struct err err = ERR_INIT;

    assert_ok(step(store, &arm_ack, &err));
    assert_text(store,
                "SELECT status || ' ' || target || ' ' || attempts AS t FROM effect WHERE id = 1",
                "attempting accepted 1");
    assert_text(store, "SELECT phase || ' ' || number || ' ' || run AS t FROM attempt",
                "armed 1 " TEST_RUN);
    assert_int_equal(number_of(store, "SELECT armed_at AS n FROM attempt"), NOW_MS + 10);
    assert_text(store, "SELECT completion AS t FROM item", "accepted");
    assert_int_equal(number_of(store, "SELECT letter_date AS n FROM item"), NOW_MS + 3);
    acknowledgement_id(KEY_A, "accepted", ack);
    assert_text(store, "SELECT ack_id AS t FROM effect WHERE id = 1", ack);
}

/* clang-format off */
static const struct {
    const char *name;
    enum effect_event on;
    enum outcome outcome;
    bool closed;
    const char *status, *attempt;
} ends[] = {
    { "done",              ON_DONE,   OUTCOME_DONE,     true,  "done",     "ended done 1 250" },
    { "deferred",          ON_DEFER,  OUTCOME_DEFERRED, false, "deferred", "ended deferred 0 250" },
    { "refused",           ON_REFUSE, OUTCOME_REFUSED,  false, "refused",  "ended refused 0 250" },
    { "no answer",         ON_LOSE,   OUTCOME_UNKNOWN,  true,  "unknown",  "ended unknown 1 250" },
    { "its run is gone",   ON_LOSE,   OUTCOME_NONE,     false, "unknown",  "lost unknown 0 250" },
};
/* clang-format on */

static void an_armed_attempt_ends_with_its_outcome(void **state)
{
    (void)state;
    FOR_EACH(row, ends) {
        CLEANUP(store_close) struct store *store = store_with_run();
        struct err err = ERR_INIT;
        const struct effect_change end = {.effect = ACK,
                                          .from = EFFECT_ATTEMPTING,
                                          .on = row->on,
                                          .outcome = row->outcome,
                                          .stage = STAGE_END_OF_DATA,
                                          .code = 250,
                                          .closed = row->closed,
                                          .due_ms = NOT_DUE};

        item_by_hand(store);
        assert_ok(step(store, &arm_ack, &err));
        assert_ok(step(store, &end, &err));
        assert_text(store, "SELECT status AS t FROM effect WHERE id = 1", row->status);
        assert_text(store,
                    "SELECT phase || ' ' || outcome || ' ' || connection_closed || ' ' || code AS t"
                    " FROM attempt",
                    row->attempt);
        assert_int_equal(number_of(store, "SELECT attempts AS n FROM effect WHERE id = 1"), 1);
        assert_int_equal(number_of(store, "SELECT COUNT(*) AS n FROM attempt"), 1);
    }
}

static void a_try_that_failed_before_arming_is_recorded_too(void **state)
{
    struct store *store = *state;
    struct err err = ERR_INIT;
    const struct effect_change refused_at_rcpt = {.effect = ACK,
                                                  .from = EFFECT_PLANNED,
                                                  .on = ON_DEFER,
                                                  .outcome = OUTCOME_DEFERRED,
                                                  .stage = STAGE_RCPT,
                                                  .code = 450,
                                                  .counts = true,
                                                  .due_ms = NOW_MS + 60};

    assert_ok(step(store, &refused_at_rcpt, &err));
    assert_text(store,
                "SELECT phase || ' ' || outcome || ' ' || stage || ' ' || CASE WHEN armed_at IS "
                "NULL THEN 1 ELSE 0 END AS t"
                " FROM attempt",
                "ended deferred RCPT 1");
    assert_int_equal(number_of(store, "SELECT due AS n FROM effect WHERE id = 1"), NOW_MS + 60);
    assert_int_equal(number_of(store, "SELECT first_try AS n FROM effect WHERE id = 1"),
                     NOW_MS + 10);
}

static void waiting_without_a_try_is_no_attempt(void **state)
{
    struct store *store = *state;
    struct err err = ERR_INIT;
    const struct effect_change wait = {
        .effect = ACK, .from = EFFECT_PLANNED, .on = ON_DEFER, .due_ms = NOW_MS + 60};

    assert_ok(step(store, &wait, &err));
    assert_int_equal(number_of(store, "SELECT COUNT(*) AS n FROM attempt"), 0);
    assert_int_equal(number_of(store, "SELECT attempts AS n FROM effect WHERE id = 1"), 0);
}

/* The server's faults use none of the item's time, and are counted while they last. */
static void the_items_time_begins_with_its_own_fault(void **state)
{
    struct store *store = *state;
    struct err err = ERR_INIT;
    struct effect_change fault = {.effect = ACK,
                                  .from = EFFECT_PLANNED,
                                  .on = ON_DEFER,
                                  .outcome = OUTCOME_DEFERRED,
                                  .stage = STAGE_CONNECT,
                                  .due_ms = NOW_MS};

    assert_ok(step_at(store, &fault, 10, &err));
    fault.from = EFFECT_DEFERRED;
    assert_ok(step_at(store, &fault, 20, &err));
    assert_int_equal(number_of(store, "SELECT server_faults AS n FROM effect WHERE id = 1"), 2);
    assert_int_equal(number_of(store, "SELECT first_try IS NULL AS n FROM effect WHERE id = 1"), 1);
    fault.counts = true;
    assert_ok(step_at(store, &fault, 30, &err));
    assert_ok(step_at(store, &fault, 40, &err));
    assert_int_equal(number_of(store, "SELECT server_faults AS n FROM effect WHERE id = 1"), 0);
    assert_int_equal(number_of(store, "SELECT first_try AS n FROM effect WHERE id = 1"),
                     NOW_MS + 30);
}

static void a_persons_word_starts_the_items_time_anew(void **state)
{
    struct store *store = *state;
    struct err err = ERR_INIT;
    const struct effect_change fault = {.effect = ACK,
                                        .from = EFFECT_PLANNED,
                                        .on = ON_DEFER,
                                        .outcome = OUTCOME_DEFERRED,
                                        .counts = true,
                                        .due_ms = NOW_MS};
    const struct effect_change again = {
        .effect = ACK, .from = EFFECT_DEFERRED, .on = ON_RESEND, .due_ms = NOW_MS};

    assert_ok(step(store, &fault, &err));
    assert_ok(step(store, &again, &err));
    assert_int_equal(number_of(store, "SELECT first_try IS NULL AS n FROM effect WHERE id = 1"), 1);
}

static void a_settled_effect_is_due_no_more(void **state)
{
    struct store *store = *state;
    struct err err = ERR_INIT;
    const struct effect_change skip = {.effect = ACK,
                                       .from = EFFECT_PLANNED,
                                       .on = ON_SKIP,
                                       .reason = "too-old",
                                       .due_ms = NOW_MS};

    by_hand(store, "UPDATE effect SET due = 1");
    assert_ok(step(store, &skip, &err));
    assert_text(store,
                "SELECT status || ' ' || reason || ' ' || CASE WHEN due IS NULL THEN 1 ELSE 0 END "
                "AS t FROM effect"
                " WHERE id = 1",
                "skipped too-old 1");
}

static void a_moves_intent_records_where_processed_began(void **state)
{
    struct store *store = *state;
    struct err err = ERR_INIT;
    const struct effect_change arm = {.effect = MOVE,
                                      .from = EFFECT_PLANNED,
                                      .on = ON_ARM,
                                      .processed_uidvalidity = 7,
                                      .processed_uidnext = 70,
                                      .due_ms = NOT_DUE};

    assert_ok(step(store, &arm, &err));
    assert_int_equal(number_of(store, "SELECT processed_uidnext AS n FROM attempt"
                                      " WHERE processed_uidvalidity = 7"),
                     70);
    assert_text(store, "SELECT completion AS t FROM item", "");
}

/* clang-format off */
static const struct {
    const char *name;
    struct effect_change change;
    const char *key;
    enum rc rc;
    const char *says;
} conflicts[] = {
    { "not the status it has",      { .effect = ACK, .from = EFFECT_DEFERRED, .on = ON_ARM }, KEY_A, RC_CONFLICT,  "is planned, not deferred" },
    { "not a row of the table",     { .effect = ACK, .from = EFFECT_PLANNED, .on = ON_DONE }, KEY_A, RC_CONFLICT,  "no acknowledgement" },
    { "another item's",             { .effect = ACK, .from = EFFECT_PLANNED, .on = ON_ARM },  KEY_B, RC_CONFLICT,  "another item" },
    { "none",                       { .effect = 99, .from = EFFECT_PLANNED, .on = ON_ARM },   KEY_A, RC_NOT_FOUND, "no step 99" },
    { "told something else",        { .effect = ACK, .from = EFFECT_PLANNED, .on = ON_ARM, .target = "x" }, KEY_A, RC_USAGE, "no completion state" },
};
/* clang-format on */

static void what_does_not_fit_changes_nothing(void **state)
{
    struct store *store = *state;
    int64_t events = number_of(store, "SELECT COUNT(*) AS n FROM event");

    FOR_EACH(row, conflicts) {
        CLEANUP(writing_end) struct writing w = WRITING_NONE;
        struct err err = ERR_INIT;

        assert_ok(writing_begin(store, TEST_RUN, at_ms(0), &w, &err));
        assert_rc(step_effect(&w, row->key, &row->change, &err), row->rc);
        assert_says(row->says);
        writing_end(&w);
        assert_text(store, "SELECT status AS t FROM effect WHERE id = 1", "planned");
        assert_int_equal(number_of(store, "SELECT COUNT(*) AS n FROM attempt"), 0);
        assert_int_equal(number_of(store, "SELECT COUNT(*) AS n FROM event"), events);
    }
}

static void K03_only_one_of_two_arms(void **state)
{
    struct store *store = *state;
    struct err err = ERR_INIT;

    assert_ok(step(store, &arm_ack, &err));
    assert_rc(step(store, &arm_ack, &err), RC_CONFLICT);
    assert_int_equal(number_of(store, "SELECT COUNT(*) AS n FROM attempt"), 1);
}

static void a_step_leaves_a_line_by_its_actor(void **state)
{
    struct store *store = *state;
    struct err err = ERR_INIT;

    assert_ok(step(store, &arm_ack, &err));
    assert_text(store,
                "SELECT subject || ' ' || what || ' ' || from_state || ' ' || to_state || ' '"
                " || actor || ' ' || mailbox AS t FROM event ORDER BY number DESC LIMIT 1",
                "effect 1 arm planned attempting service help");
}

static void a_try_that_ends_clears_its_item_of_dead_runs(void **state)
{
    struct store *store = *state;
    struct err err = ERR_INIT;
    const struct effect_change done = {.effect = ACK,
                                       .from = EFFECT_ATTEMPTING,
                                       .on = ON_DONE,
                                       .outcome = OUTCOME_DONE,
                                       .due_ms = NOT_DUE};

    by_hand(store, "UPDATE item SET worker_deaths = 2");
    assert_ok(step(store, &arm_ack, &err));
    assert_int_equal(number_of(store, "SELECT worker_deaths AS n FROM item"), 2);
    assert_ok(step(store, &done, &err));
    assert_int_equal(number_of(store, "SELECT worker_deaths AS n FROM item"), 0);
}

/* ---- the tables and the schema agree ------------------------------------------------------- */

static void every_status_of_the_tables_is_one_of_the_schema(void **state)
{
    struct store *store = *state;

    for (size_t i = 0; i < effect_transition_count; i++) {
        static const char update[] = "UPDATE effect SET status = $1 WHERE id = 1";
        CLEANUP(stmt_done) struct stmt *s = NULL;
        struct err err = ERR_INIT;

        assert_ok(stmt_open(store->db, update, &s, &err));
        stmt_text(s, 1, effect_status_text(effect_transitions[i].to));
        assert_ok(stmt_one(s, "it", &err));
    }
    for (size_t i = 0; i < item_transition_count; i++) {
        static const char update[] = "UPDATE item SET state = $1";
        CLEANUP(stmt_done) struct stmt *s = NULL;
        struct err err = ERR_INIT;

        assert_ok(stmt_open(store->db, update, &s, &err));
        stmt_text(s, 1, item_state_text(item_transitions[i].to));
        assert_ok(stmt_one(s, "it", &err));
    }
}

/* ---- items --------------------------------------------------------------------------------- */

static void an_item_that_waits_says_why_and_gives_its_lease_back(void **state)
{
    struct store *store = *state;
    struct err err = ERR_INIT;
    const struct item_change wait = {.from = ITEM_IN_PROGRESS,
                                     .on = ITEM_ON_WAIT,
                                     .reason = REASON_GAVE_UP,
                                     .release = true,
                                     .due_ms = NOT_DUE};

    by_hand(store, "UPDATE item SET lease_run = '" TEST_RUN "', lease_boot = 1");
    assert_ok(step_of_item(store, &wait, &err));
    assert_text(store,
                "SELECT state || ' ' || reason || ' ' || CASE WHEN lease_run IS NULL THEN 1 ELSE 0 "
                "END || CASE WHEN next_due IS NULL THEN 1 ELSE 0 END"
                " AS t FROM item",
                "needs_reconciliation gave-up 11");
}

static void a_complete_item_says_since_when(void **state)
{
    struct store *store = *state;
    struct err err = ERR_INIT;
    const struct item_change complete = {
        .from = ITEM_IN_PROGRESS, .on = ITEM_ON_COMPLETE, .due_ms = NOT_DUE};
    const struct item_change reopen = {
        .from = ITEM_COMPLETE, .on = ITEM_ON_REOPEN, .due_ms = NOW_MS};

    assert_ok(step_of_item(store, &complete, &err));
    assert_int_equal(number_of(store, "SELECT completed_at AS n FROM item"), NOW_MS + 20);
    assert_ok(step_of_item(store, &reopen, &err));
    assert_int_equal(number_of(store, "SELECT completed_at IS NULL AS n FROM item"), 1);
}

static void keeping_an_item_moves_its_time_and_leaves_no_line(void **state)
{
    struct store *store = *state;
    struct err err = ERR_INIT;
    const struct item_change keep = {.keep = true, .due_ms = NOW_MS + 500};
    int64_t events = number_of(store, "SELECT COUNT(*) AS n FROM event");

    by_hand(store, "UPDATE item SET lease_run = '" TEST_RUN "', lease_boot = 1");
    assert_ok(step_of_item(store, &keep, &err));
    assert_int_equal(number_of(store, "SELECT next_due AS n FROM item WHERE lease_boot = 1"),
                     NOW_MS + 500);
    assert_int_equal(number_of(store, "SELECT COUNT(*) AS n FROM event"), events);
}

static void an_item_in_another_state_is_a_conflict(void **state)
{
    struct store *store = *state;
    struct err err = ERR_INIT;
    const struct item_change change = {
        .from = ITEM_RECEIVED, .on = ITEM_ON_CLAIM, .due_ms = NOW_MS};

    assert_rc(step_of_item(store, &change, &err), RC_CONFLICT);
    assert_says("is in_progress, not received");
}

#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, open_store, close_store)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        WITH_STORE(arming_opens_an_attempt_and_fixes_what_is_told),
        cmocka_unit_test(an_armed_attempt_ends_with_its_outcome),
        WITH_STORE(a_try_that_failed_before_arming_is_recorded_too),
        WITH_STORE(waiting_without_a_try_is_no_attempt),
        WITH_STORE(the_items_time_begins_with_its_own_fault),
        WITH_STORE(a_persons_word_starts_the_items_time_anew),
        WITH_STORE(a_settled_effect_is_due_no_more),
        WITH_STORE(a_moves_intent_records_where_processed_began),
        WITH_STORE(what_does_not_fit_changes_nothing),
        WITH_STORE(K03_only_one_of_two_arms),
        WITH_STORE(a_step_leaves_a_line_by_its_actor),
        WITH_STORE(a_try_that_ends_clears_its_item_of_dead_runs),
        WITH_STORE(every_status_of_the_tables_is_one_of_the_schema),
        WITH_STORE(an_item_that_waits_says_why_and_gives_its_lease_back),
        WITH_STORE(a_complete_item_says_since_when),
        WITH_STORE(keeping_an_item_moves_its_time_and_leaves_no_line),
        WITH_STORE(an_item_in_another_state_is_a_conflict),
    };

    return RUN_TESTS(tests);
}
