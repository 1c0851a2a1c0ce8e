/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include "schema_words.h"

#include <onecase/identity.h>
#include <onecase/item.h>

#define NO ITEM_STATE_COUNT

static enum item_state go(enum item_state from, enum item_event on)
{
    enum item_state to = NO;
    struct err err = ERR_INIT;

    return item_step(from, on, &to, &err) == RC_OK ? to : NO;
}

/* ---- the table itself ---------------------------------------------------------------------- */

static void an_event_leads_from_a_state_to_one_other(void **state)
{
    (void)state;
    for (size_t i = 0; i < item_transition_count; i++) {
        assert_true(strlen(item_transitions[i].because) > 8);
        for (size_t k = 0; k < i; k++)
            assert_false(item_transitions[i].from == item_transitions[k].from &&
                         item_transitions[i].on == item_transitions[k].on);
    }
}

/* Marks every state that is reached from those that are marked. */
static void spread(bool reached[ITEM_STATE_COUNT])
{
    for (unsigned round = 0; round < ITEM_STATE_COUNT; round++)
        for (size_t i = 0; i < item_transition_count; i++)
            if (reached[item_transitions[i].from])
                reached[item_transitions[i].to] = true;
}

static void every_state_is_reached_from_received(void **state)
{
    bool reached[ITEM_STATE_COUNT] = {[ITEM_RECEIVED] = true};

    (void)state;
    spread(reached);
    for (unsigned i = 0; i < ITEM_STATE_COUNT; i++)
        assert_true(reached[i]);
}

static void every_state_has_a_way_to_complete(void **state)
{
    (void)state;
    for (unsigned from = 0; from < ITEM_STATE_COUNT; from++) {
        bool reached[ITEM_STATE_COUNT] = {false};

        reached[from] = true;
        spread(reached);
        assert_true(reached[ITEM_COMPLETE]);
    }
}

static void the_service_completes_what_no_person_is_asked_about(void **state)
{
    (void)state;
    for (size_t i = 0; i < item_transition_count; i++) {
        const struct item_transition *t = &item_transitions[i];

        if (t->to == ITEM_COMPLETE && t->from != ITEM_COMPLETE)
            assert_true(t->from == ITEM_IN_PROGRESS && t->by == BY_SERVICE &&
                        t->on == ITEM_ON_COMPLETE);
    }
}

static void every_event_is_used(void **state)
{
    (void)state;
    for (unsigned on = 0; on < ITEM_EVENT_COUNT; on++) {
        bool used = false;

        for (size_t i = 0; i < item_transition_count; i++)
            used = used || item_transitions[i].on == on;
        assert_true(used);
    }
}

static void an_event_has_one_actor(void **state)
{
    static const enum actor actors[ITEM_EVENT_COUNT] = {
        [ITEM_ON_CLAIM] = BY_SERVICE, [ITEM_ON_COMPLETE] = BY_SERVICE,
        [ITEM_ON_WAIT] = BY_SERVICE,  [ITEM_ON_EVIDENCE] = BY_EVIDENCE,
        [ITEM_ON_DECIDE] = BY_PERSON, [ITEM_ON_REOPEN] = BY_SERVICE,
        [ITEM_ON_UNDO] = BY_PERSON,
    };

    (void)state;
    for (size_t i = 0; i < item_transition_count; i++)
        assert_int_equal(item_transitions[i].by, actors[item_transitions[i].on]);
}

static void a_decision_lets_work_go_on_and_taken_back_asks_again(void **state)
{
    (void)state;
    for (unsigned from = 0; from < ITEM_STATE_COUNT; from++) {
        bool begun = from != ITEM_RECEIVED;

        assert_int_equal(go(from, ITEM_ON_DECIDE), begun ? ITEM_IN_PROGRESS : ITEM_RECEIVED);
        assert_int_equal(go(from, ITEM_ON_UNDO), begun ? ITEM_NEEDS_RECONCILIATION : ITEM_RECEIVED);
    }
}

static void a_claim_never_answers_a_question(void **state)
{
    (void)state;
    assert_int_equal(go(ITEM_RECEIVED, ITEM_ON_CLAIM), ITEM_IN_PROGRESS);
    assert_int_equal(go(ITEM_IN_PROGRESS, ITEM_ON_CLAIM), ITEM_IN_PROGRESS);
    assert_int_equal(go(ITEM_NEEDS_RECONCILIATION, ITEM_ON_CLAIM), ITEM_NEEDS_RECONCILIATION);
    assert_int_equal(go(ITEM_COMPLETE, ITEM_ON_CLAIM), ITEM_COMPLETE);
}

static void what_was_asked_goes_on_when_it_is_found_or_was_everybodys(void **state)
{
    (void)state;
    assert_int_equal(go(ITEM_NEEDS_RECONCILIATION, ITEM_ON_EVIDENCE), ITEM_IN_PROGRESS);
    assert_int_equal(item_find(ITEM_NEEDS_RECONCILIATION, ITEM_ON_EVIDENCE)->by, BY_EVIDENCE);
    assert_int_equal(go(ITEM_NEEDS_RECONCILIATION, ITEM_ON_REOPEN), ITEM_IN_PROGRESS);
    assert_int_equal(go(ITEM_COMPLETE, ITEM_ON_REOPEN), ITEM_IN_PROGRESS);
    assert_int_equal(go(ITEM_NEEDS_RECONCILIATION, ITEM_ON_WAIT), ITEM_NEEDS_RECONCILIATION);
    assert_int_equal(go(ITEM_RECEIVED, ITEM_ON_WAIT), ITEM_NEEDS_RECONCILIATION);
    assert_int_equal(go(ITEM_IN_PROGRESS, ITEM_ON_WAIT), ITEM_NEEDS_RECONCILIATION);
    assert_int_equal(go(ITEM_COMPLETE, ITEM_ON_WAIT), ITEM_NEEDS_RECONCILIATION);
}

static void a_step_that_is_not_there_says_which(void **state)
{
    struct err err = ERR_INIT;
    enum item_state to = ITEM_RECEIVED;

    (void)state;
    assert_int_equal(item_step(ITEM_COMPLETE, ITEM_ON_COMPLETE, &to, &err), RC_CONFLICT);
    assert_int_equal(to, ITEM_RECEIVED);
    assert_string_equal(err.text, "item: none that is complete can be moved by complete");
    assert_int_equal(go(ITEM_RECEIVED, ITEM_ON_COMPLETE), NO);
    assert_int_equal(go(ITEM_NEEDS_RECONCILIATION, ITEM_ON_COMPLETE), NO);
    assert_int_equal(go(ITEM_IN_PROGRESS, ITEM_ON_EVIDENCE), NO);
}

/* ---- dispositions -------------------------------------------------------------------------- */

#define STORED (FILED_CASE | FILED_FILES | FILED_ANSWERED)

static void dispositions_are_the_contracts_table(void **state)
{
    enum {
        C = KIND(EFFECT_CASE),
        F = KIND(EFFECT_ATTACHMENT),
        A = KIND(EFFECT_ACKNOWLEDGEMENT),
        M = KIND(EFFECT_MOVE)
    };
    /* clang-format off */
    static const struct {
        const char *name;
        enum disposition disposition;
        unsigned effects, if_configured, filed_when;
        enum item_state starts;
        enum completion completion;
    } rows[] = {
        {"case",      DISPOSITION_CASE,      C | F | A | M, 0, STORED,         ITEM_RECEIVED,             COMPLETION_ACCEPTED},
        {"append",    DISPOSITION_APPEND,    C | F | A | M, A, STORED,         ITEM_RECEIVED,             COMPLETION_APPENDED},
        {"report",    DISPOSITION_REPORT,    C | M,         0, FILED_RECORDED, ITEM_RECEIVED,             COMPLETION_NONE},
        {"evidence",  DISPOSITION_EVIDENCE,  C | M,         0, FILED_RECORDED, ITEM_RECEIVED,             COMPLETION_NONE},
        {"adopted",   DISPOSITION_ADOPTED,   0,             0, FILED_NEVER,    ITEM_COMPLETE,             COMPLETION_NONE},
        {"held",      DISPOSITION_HELD,      0,             0, FILED_DECIDED,  ITEM_NEEDS_RECONCILIATION, COMPLETION_NONE},
        {"dismissed", DISPOSITION_DISMISSED, M,             0, FILED_DECIDED,  ITEM_IN_PROGRESS,          COMPLETION_NONE},
    };
    /* clang-format on */

    (void)state;
    assert_int_equal(LENGTH(rows), DISPOSITION_COUNT);
    FOR_EACH(row, rows) {
        const struct disposition_rule *d = &dispositions[row->disposition];

        assert_int_equal(d->disposition, row->disposition);
        assert_string_equal(disposition_text(d->disposition), row->name);
        assert_int_equal(d->effects, row->effects);
        assert_int_equal(d->if_configured, row->if_configured);
        assert_int_equal(d->filed_when, row->filed_when);
        assert_int_equal(d->starts, row->starts);
        assert_int_equal(d->completion, row->completion);
        assert_true(strlen(d->when) > 8);
    }
}

static void only_what_has_a_move_is_ever_filed(void **state)
{
    (void)state;
    for (unsigned i = 0; i < DISPOSITION_COUNT; i++)
        if (dispositions[i].effects & KIND(EFFECT_MOVE))
            assert_int_not_equal(dispositions[i].filed_when, FILED_NEVER);
}

static void what_is_answered_says_what_it_tells(void **state)
{
    (void)state;
    for (unsigned i = 0; i < DISPOSITION_COUNT; i++)
        assert_int_equal((dispositions[i].effects & KIND(EFFECT_ACKNOWLEDGEMENT)) != 0,
                         dispositions[i].completion != COMPLETION_NONE);
    assert_int_equal(completion_of(DISPOSITION_CASE, false), COMPLETION_ACCEPTED);
    assert_int_equal(completion_of(DISPOSITION_CASE, true), COMPLETION_ACCEPTED_WITH_EXCEPTIONS);
    assert_int_equal(completion_of(DISPOSITION_APPEND, false), COMPLETION_APPENDED);
    assert_int_equal(completion_of(DISPOSITION_APPEND, true), COMPLETION_APPENDED);
    assert_int_equal(completion_of(DISPOSITION_REPORT, true), COMPLETION_NONE);
    assert_int_equal(completion_of(DISPOSITION_COUNT, false), COMPLETION_NONE);
}

/* ---- words --------------------------------------------------------------------------------- */

static const char *state_at(size_t at)
{
    return item_state_text((enum item_state)at);
}

static const char *disposition_at(size_t at)
{
    return disposition_text((enum disposition)at);
}

static const char *completion_at(size_t at)
{
    return completion_text((enum completion)at);
}

static const char *key_source_at(size_t at)
{
    return key_source_text((enum key_source)at);
}

static void the_ledger_takes_every_word(void **state)
{
    (void)state;
    assert_schema("item", "state", state_at, ITEM_STATE_COUNT);
    assert_schema("item", "disposition", disposition_at, DISPOSITION_COUNT);
    assert_schema("item", "completion", completion_at, COMPLETION_COUNT);
    assert_schema("item", "key_source", key_source_at, KEY_SOURCE_COUNT);
}

static void words_are_read_back(void **state)
{
    enum item_state s = ITEM_STATE_COUNT;
    enum disposition d = DISPOSITION_COUNT;
    enum completion c = COMPLETION_COUNT;
    enum reason r = REASON_COUNT;

    (void)state;
    for (unsigned i = 0; i < ITEM_STATE_COUNT; i++)
        assert_true(item_state_parse(item_state_text(i), &s) && s == i);
    for (unsigned i = 0; i < DISPOSITION_COUNT; i++)
        assert_true(disposition_parse(disposition_text(i), &d) && d == i);
    for (unsigned i = 0; i < COMPLETION_COUNT; i++)
        assert_true(completion_parse(completion_text(i), &c) && c == i);
    for (unsigned i = 0; i < REASON_COUNT; i++)
        assert_true(reason_parse(reason_text(i), &r) && r == i);
    assert_false(item_state_parse("duplicate", &s));
    assert_false(disposition_parse("duplicate", &d));
    assert_false(completion_parse("done", &c));
    assert_false(reason_parse("none", &r));
    assert_string_equal(item_event_text(ITEM_ON_REOPEN), "reopen");
    assert_string_equal(item_event_text(ITEM_EVENT_COUNT), "?");
}

static void every_reason_asks_a_person_in_plain_words(void **state)
{
    (void)state;
    assert_string_equal(reason_question(REASON_NONE), "");
    for (unsigned i = 1; i < REASON_COUNT; i++) {
        const char *question = reason_question(i);
        char last = question[strlen(question) - 1];

        assert_true(question[0] >= 'A' && question[0] <= 'Z' && (last == '.' || last == '?'));
        assert_null(strchr(question, '_'));
    }
}

static void every_condition_has_its_name(void **state)
{
    (void)state;
    assert_string_equal(filed_text(FILED_CASE), "case");
    assert_string_equal(filed_text(FILED_FILES), "attachments");
    assert_string_equal(filed_text(FILED_ANSWERED), "acknowledgement");
    assert_string_equal(filed_text(FILED_RECORDED), "record");
    assert_string_equal(filed_text(FILED_DECIDED), "decision");
    assert_string_equal(filed_text(FILED_NEVER), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_leads_from_a_state_to_one_other),
        cmocka_unit_test(every_state_is_reached_from_received),
        cmocka_unit_test(every_state_has_a_way_to_complete),
        cmocka_unit_test(the_service_completes_what_no_person_is_asked_about),
        cmocka_unit_test(every_event_is_used),
        cmocka_unit_test(an_event_has_one_actor),
        cmocka_unit_test(a_decision_lets_work_go_on_and_taken_back_asks_again),
        cmocka_unit_test(a_claim_never_answers_a_question),
        cmocka_unit_test(what_was_asked_goes_on_when_it_is_found_or_was_everybodys),
        cmocka_unit_test(a_step_that_is_not_there_says_which),
        cmocka_unit_test(dispositions_are_the_contracts_table),
        cmocka_unit_test(only_what_has_a_move_is_ever_filed),
        cmocka_unit_test(what_is_answered_says_what_it_tells),
        cmocka_unit_test(the_ledger_takes_every_word),
        cmocka_unit_test(words_are_read_back),
        cmocka_unit_test(every_reason_asks_a_person_in_plain_words),
        cmocka_unit_test(every_condition_has_its_name),
    };

    return RUN_TESTS(tests);
}
