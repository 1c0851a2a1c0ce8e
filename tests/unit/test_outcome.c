/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include "schema_words.h"

#include <onecase/outcome.h>

/* ---- tries --------------------------------------------------------------------------------- */

static void a_try_ends_once_and_only_from_armed(void **state)
{
    (void)state;
    for (size_t i = 0; i < attempt_transition_count; i++) {
        assert_int_equal(attempt_transitions[i].from, ATTEMPT_ARMED);
        assert_int_not_equal(attempt_transitions[i].to, ATTEMPT_ARMED);
        assert_int_equal(attempt_transitions[i].by,
                         attempt_transitions[i].to == ATTEMPT_LOST ? BY_SERVICE : BY_PEER);
        assert_true(strlen(attempt_transitions[i].because) > 8);
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(attempt_transitions[i].with, attempt_transitions[k].with);
    }
}

static void an_armed_try_ends_with_every_outcome_and_is_lost_without_one(void **state)
{
    struct err err = ERR_INIT;

    (void)state;
    for (unsigned with = 0; with < OUTCOME_COUNT; with++) {
        enum attempt_phase to = ATTEMPT_PHASE_COUNT;
        enum attempt_phase expected = with == OUTCOME_NONE ? ATTEMPT_LOST : ATTEMPT_ENDED;

        assert_int_equal(attempt_step(ATTEMPT_ARMED, with, &to, &err), RC_OK);
        assert_int_equal(to, expected);
    }
}

static void nobody_reports_on_a_lost_try_again(void **state)
{
    struct err err = ERR_INIT;
    enum attempt_phase to = ATTEMPT_ARMED;

    (void)state;
    assert_int_equal(attempt_step(ATTEMPT_LOST, OUTCOME_DONE, &to, &err), RC_CONFLICT);
    assert_string_equal(err.text, "attempt: one that is lost cannot end with 'done'");
    assert_int_equal(attempt_step(ATTEMPT_ENDED, OUTCOME_DONE, &to, &err), RC_CONFLICT);
    assert_int_equal(to, ATTEMPT_ARMED);
}

static void an_outcome_is_an_event_for_its_effect(void **state)
{
    (void)state;
    assert_int_equal(outcome_event(OUTCOME_NONE), ON_LOSE);
    assert_int_equal(outcome_event(OUTCOME_DONE), ON_DONE);
    assert_int_equal(outcome_event(OUTCOME_REFUSED), ON_REFUSE);
    assert_int_equal(outcome_event(OUTCOME_DEFERRED), ON_DEFER);
    assert_int_equal(outcome_event(OUTCOME_UNKNOWN), ON_LOSE);
    assert_int_equal(outcome_event(OUTCOME_COUNT), ON_LOSE);
    for (unsigned i = 0; i < OUTCOME_COUNT; i++)
        assert_non_null(effect_find(EFFECT_ACKNOWLEDGEMENT, EFFECT_ATTEMPTING, outcome_event(i)));
}

/* ---- whose fault --------------------------------------------------------------------------- */

static void every_stage_and_reply_has_its_one_row(void **state)
{
    (void)state;
    assert_int_equal(fault_row_count, STAGE_COUNT * REPLY_COUNT);
    for (unsigned stage = 0; stage < STAGE_COUNT; stage++)
        for (unsigned reply = 0; reply < REPLY_COUNT; reply++) {
            const struct fault_row *row = fault_of(stage, reply);

            assert_non_null(row);
            assert_true(row->stage == stage && row->reply == reply && strlen(row->because) > 8);
        }
    assert_null(fault_of(STAGE_COUNT, REPLY_DONE));
}

#define SERVER FAULT_SERVER
#define LATER  FAULT_ITEM_LATER
#define ITEM   FAULT_ITEM

/* Contract section 4, cell by cell. */
static void faults_are_the_contracts_table(void **state)
{
    /* clang-format off */
    static const struct {
        const char *name;
        enum stage stage;
        enum fault later, never, never_item, none;
    } rows[] = {
        /*             stage              4xx     5xx               5xx of this item  drop, time-out */
        {"connect",    STAGE_CONNECT,     SERVER, SERVER,           SERVER,           SERVER},
        {"MAIL",       STAGE_MAIL,        SERVER, SERVER,           ITEM,             SERVER},
        {"RCPT",       STAGE_RCPT,        LATER,  ITEM,             ITEM,             SERVER},
        {"DATA",       STAGE_DATA,        SERVER, ITEM,             ITEM,             SERVER},
        {"the line",   STAGE_END_OF_DATA, LATER,  FAULT_ITEM_WAITS, ITEM,             FAULT_UNKNOWN},
    };
    /* clang-format on */

    (void)state;
    FOR_EACH(row, rows) {
        assert_int_equal(fault_of(row->stage, REPLY_LATER)->fault, row->later);
        assert_int_equal(fault_of(row->stage, REPLY_NEVER)->fault, row->never);
        assert_int_equal(fault_of(row->stage, REPLY_NEVER_ITEM)->fault, row->never_item);
        assert_int_equal(fault_of(row->stage, REPLY_NONE)->fault, row->none);
        assert_int_equal(fault_of(row->stage, REPLY_DONE)->fault, FAULT_NONE);
    }
}

static void a_fault_decides_the_outcome(void **state)
{
    static const enum outcome outcomes[FAULT_COUNT] = {
        [FAULT_NONE] = OUTCOME_NONE,           [FAULT_SERVER] = OUTCOME_DEFERRED,
        [FAULT_ITEM_LATER] = OUTCOME_DEFERRED, [FAULT_ITEM] = OUTCOME_REFUSED,
        [FAULT_ITEM_WAITS] = OUTCOME_DEFERRED, [FAULT_UNKNOWN] = OUTCOME_UNKNOWN,
    };

    (void)state;
    for (size_t i = 0; i < fault_row_count; i++) {
        bool taken = fault_rows[i].stage == STAGE_END_OF_DATA && fault_rows[i].reply == REPLY_DONE;

        assert_int_equal(fault_rows[i].outcome,
                         taken ? OUTCOME_DONE : outcomes[fault_rows[i].fault]);
    }
}

static void nothing_is_unknown_before_the_line_has_left(void **state)
{
    (void)state;
    for (size_t i = 0; i < fault_row_count; i++)
        if (fault_rows[i].stage != STAGE_END_OF_DATA) {
            assert_int_not_equal(fault_rows[i].outcome, OUTCOME_UNKNOWN);
            assert_int_not_equal(fault_rows[i].outcome, OUTCOME_DONE);
        }
}

/* ---- replies ------------------------------------------------------------------------------- */

static void replies_are_sorted(void **state)
{
    /* clang-format off */
    static const struct {
        const char *name;
        enum stage stage;
        int code;
        const char *enhanced;
        enum reply_class reply;
    } rows[] = {
        {"no reply",                          STAGE_END_OF_DATA, 0,   "",      REPLY_NONE},
        {"nonsense",                          STAGE_END_OF_DATA, 199, "",      REPLY_NONE},
        {"a negative number",                 STAGE_END_OF_DATA, -1,  "",      REPLY_NONE},
        {"more nonsense",                     STAGE_END_OF_DATA, 600, "",      REPLY_NONE},
        {"200",                               STAGE_RCPT,        200, "",      REPLY_DONE},
        {"accepted",                          STAGE_END_OF_DATA, 250, "2.0.0", REPLY_DONE},
        {"will forward",                      STAGE_RCPT,        251, "",      REPLY_DONE},
        {"299",                               STAGE_MAIL,        299, "",      REPLY_DONE},
        {"354 to DATA",                       STAGE_DATA,        354, "",      REPLY_DONE},
        {"250 to DATA",                       STAGE_DATA,        250, "",      REPLY_NONE},
        {"another 3xx to DATA",               STAGE_DATA,        334, "",      REPLY_NONE},
        {"354 to MAIL",                       STAGE_MAIL,        354, "",      REPLY_NONE},
        {"354 after the line",                STAGE_END_OF_DATA, 354, "",      REPLY_NONE},
        {"300",                               STAGE_RCPT,        300, "",      REPLY_NONE},
        {"399",                               STAGE_RCPT,        399, "",      REPLY_NONE},
        {"400",                               STAGE_RCPT,        400, "",      REPLY_LATER},
        {"421",                               STAGE_MAIL,        421, "4.3.2", REPLY_LATER},
        {"greylisting",                       STAGE_RCPT,        450, "4.2.0", REPLY_LATER},
        {"499",                               STAGE_DATA,        499, "",      REPLY_LATER},
        {"500",                               STAGE_DATA,        500, "",      REPLY_NEVER},
        {"554 in the banner",                 STAGE_CONNECT,     554, "",      REPLY_NEVER},
        {"552 in the banner",                 STAGE_CONNECT,     552, "5.3.4", REPLY_NEVER},
        {"599",                               STAGE_RCPT,        599, "",      REPLY_NEVER},
        {"sender refused",                    STAGE_MAIL,        550, "5.7.1", REPLY_NEVER},
        {"too large, by code",                STAGE_MAIL,        552, "",      REPLY_NEVER_ITEM},
        {"too large, by status",              STAGE_MAIL,        554, "5.3.4", REPLY_NEVER_ITEM},
        {"a status that begins alike",        STAGE_MAIL,        554, "5.3.41",REPLY_NEVER},
        {"8BITMIME needed",                   STAGE_MAIL,        554, "5.6.3", REPLY_NEVER_ITEM},
        {"SMTPUTF8 needed by an address",     STAGE_MAIL,        553, "5.6.7", REPLY_NEVER_ITEM},
        {"SMTPUTF8 needed by the header",     STAGE_MAIL,        550, "5.6.9", REPLY_NEVER_ITEM},
        {"no such recipient",                 STAGE_RCPT,        550, "5.1.1", REPLY_NEVER},
        {"no such recipient, after the line", STAGE_END_OF_DATA, 550, "5.1.1", REPLY_NEVER_ITEM},
        {"another 5.1",                       STAGE_END_OF_DATA, 553, "5.1.10",REPLY_NEVER_ITEM},
        {"quota, after the line",             STAGE_END_OF_DATA, 554, "5.2.2", REPLY_NEVER},
        {"552 after the line",                STAGE_END_OF_DATA, 552, "",      REPLY_NEVER},
        {"5.3.4 after the line",              STAGE_END_OF_DATA, 552, "5.3.4", REPLY_NEVER},
        {"throttled after the line",          STAGE_END_OF_DATA, 432, "4.3.2", REPLY_LATER},
    };
    /* clang-format on */

    (void)state;
    FOR_EACH(row, rows)
        assert_int_equal(reply_classify(row->stage, row->code, row->enhanced), row->reply);
}

/* ---- words --------------------------------------------------------------------------------- */

static const char *phase_at(size_t at)
{
    return attempt_phase_text((enum attempt_phase)at);
}

static const char *outcome_at(size_t at)
{
    return outcome_text((enum outcome)at);
}

static void the_ledger_takes_every_phase_and_outcome(void **state)
{
    (void)state;
    assert_schema("attempt", "phase", phase_at, ATTEMPT_PHASE_COUNT);
    assert_schema("attempt", "outcome", outcome_at, OUTCOME_COUNT);
}

static void words_are_read_back(void **state)
{
    enum outcome outcome = OUTCOME_COUNT;

    (void)state;
    for (unsigned i = 0; i < OUTCOME_COUNT; i++)
        assert_true(outcome_parse(outcome_text(i), &outcome) && outcome == i);
    assert_false(outcome_parse("lost", &outcome));
    assert_string_equal(stage_text(STAGE_END_OF_DATA), "end of data");
    assert_string_equal(stage_text(STAGE_COUNT), "?");
    assert_string_equal(reply_class_text(REPLY_NEVER), "5xx");
    assert_string_equal(fault_text(FAULT_SERVER), "server's");
    assert_string_equal(attempt_phase_text(ATTEMPT_LOST), "lost");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_try_ends_once_and_only_from_armed),
        cmocka_unit_test(an_armed_try_ends_with_every_outcome_and_is_lost_without_one),
        cmocka_unit_test(nobody_reports_on_a_lost_try_again),
        cmocka_unit_test(an_outcome_is_an_event_for_its_effect),
        cmocka_unit_test(every_stage_and_reply_has_its_one_row),
        cmocka_unit_test(faults_are_the_contracts_table),
        cmocka_unit_test(a_fault_decides_the_outcome),
        cmocka_unit_test(nothing_is_unknown_before_the_line_has_left),
        cmocka_unit_test(replies_are_sorted),
        cmocka_unit_test(the_ledger_takes_every_phase_and_outcome),
        cmocka_unit_test(words_are_read_back),
    };

    return RUN_TESTS(tests);
}
