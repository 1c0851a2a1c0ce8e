/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include <onecase/decision.h>
#include <testing.h>

#include <string.h>

static bool about_item(const struct decision_rule *r)
{
    return r->kind == EFFECT_KIND_COUNT;
}

/* ---- the table ----------------------------------------------------------------------------- */

static void a_decision_about_an_effect_is_a_persons_step_of_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < decision_rule_count; i++) {
        const struct decision_rule *r = &decision_rules[i];

        if (about_item(r))
            continue;
        const struct effect_transition *t = effect_find(r->kind, r->status, r->on);

        if (!t)
            print_error("%s, %s\n", decision_text(r->decision), effect_status_text(r->status));
        assert_non_null(t);
        assert_int_equal(t->by, BY_PERSON);
        assert_int_equal(r->becomes, DISPOSITION_COUNT);
        assert_int_equal(r->reason, REASON_NONE);
    }
}

static void a_decision_about_an_item_answers_why_it_waits(void **state)
{
    (void)state;
    for (size_t i = 0; i < decision_rule_count; i++) {
        const struct decision_rule *r = &decision_rules[i];

        if (!about_item(r))
            continue;
        assert_int_not_equal(r->reason, REASON_NONE);
        assert_true(r->becomes < DISPOSITION_COUNT);
        assert_true(r->becomes == DISPOSITION_CASE || r->becomes == DISPOSITION_APPEND ||
                    r->becomes == DISPOSITION_DISMISSED);
        assert_int_equal(r->becomes == DISPOSITION_APPEND, r->decision == DECIDE_APPEND);
    }
}

static void no_two_rows_answer_the_same_question(void **state)
{
    (void)state;
    for (size_t i = 0; i < decision_rule_count; i++)
        for (size_t k = 0; k < i; k++) {
            const struct decision_rule *a = &decision_rules[i], *b = &decision_rules[k];
            bool same = about_item(a) ? a->reason == b->reason : a->status == b->status;

            assert_false(a->decision == b->decision && same);
            if (a->decision == b->decision)
                assert_int_equal(a->kind, b->kind);
        }
}

static void every_decision_but_undo_has_a_row_and_says_what_follows(void **state)
{
    (void)state;
    for (unsigned decision = 0; decision < DECISION_COUNT; decision++) {
        size_t rows = 0;

        for (size_t i = 0; i < decision_rule_count; i++)
            rows += decision_rules[i].decision == decision;
        assert_int_equal(rows > 0, decision != DECIDE_UNDO);
    }
    for (size_t i = 0; i < decision_rule_count; i++)
        assert_true(strlen(decision_rules[i].consequence) > 8);
}

/* What makes the effect due again lets something leave; what settles it does not. */
static void something_may_leave_where_an_effect_is_due_or_a_message_filed(void **state)
{
    (void)state;
    for (size_t i = 0; i < decision_rule_count; i++) {
        const struct decision_rule *r = &decision_rules[i];
        const struct effect_transition *t = effect_find(r->kind, r->status, r->on);

        assert_int_equal(r->may_leave, about_item(r) || !effect_settled(t->to));
    }
}

static void each_reason_that_only_a_decision_ends_has_one_that_files_it(void **state)
{
    static const struct {
        const char *name;
        enum reason reason;
    } rows[] = {
        {"conflict", REASON_CONFLICT},
        {"gateway copy", REASON_GATEWAY_COPY},
        {"unprocessable", REASON_UNPROCESSABLE},
        {"oversize", REASON_OVERSIZE},
        {"flood", REASON_CASE_FLOOD},
    };

    (void)state;
    FOR_EACH(row, rows) {
        bool becomes[DISPOSITION_COUNT + 1] = {false};

        for (size_t i = 0; i < decision_rule_count; i++)
            if (about_item(&decision_rules[i]) && decision_rules[i].reason == row->reason)
                becomes[decision_rules[i].becomes] = true;
        assert_true(becomes[DISPOSITION_DISMISSED] && becomes[DISPOSITION_CASE]);
    }
}

/* ---- what is possible when ----------------------------------------------------------------- */

static void decisions_are_found_by_what_they_answer(void **state)
{
    /* clang-format off */
    static const struct {
        const char *name;
        enum decision decision;
        enum effect_status status;
        enum reason reason;
        bool possible;
    } rows[] = {
        {"sent, of an unknown one",              DECIDE_SENT,          EFFECT_UNKNOWN,    REASON_UNKNOWN_SENT,  true},
        {"sent, before anybody is asked",        DECIDE_SENT,          EFFECT_UNKNOWN,    REASON_NONE,          true},
        {"sent, of one that surely was not",     DECIDE_SENT,          EFFECT_DEFERRED,   REASON_GAVE_UP,       false},
        {"sent, of one under way",               DECIDE_SENT,          EFFECT_ATTEMPTING, REASON_NONE,          false},
        {"not sent, of an unknown one",          DECIDE_NOT_SENT,      EFFECT_UNKNOWN,    REASON_UNKNOWN_SENT,  true},
        {"not sent, of one the server refused",  DECIDE_NOT_SENT,      EFFECT_DEFERRED,   REASON_REPLY_WAITS,   true},
        {"not sent, of one under way",           DECIDE_NOT_SENT,      EFFECT_ATTEMPTING, REASON_NONE,          false},
        {"not sent, of one that was",            DECIDE_NOT_SENT,      EFFECT_DONE,       REASON_NONE,          false},
        {"not sent, of a planned one",           DECIDE_NOT_SENT,      EFFECT_PLANNED,    REASON_NONE,          false},
        {"none, of an unknown one",              DECIDE_NONE,          EFFECT_UNKNOWN,    REASON_UNKNOWN_SENT,  true},
        {"none, of a planned one",               DECIDE_NONE,          EFFECT_PLANNED,    REASON_NONE,          true},
        {"none, of a deferred one",              DECIDE_NONE,          EFFECT_DEFERRED,   REASON_GAVE_UP,       true},
        {"none, of one not told",                DECIDE_NONE,          EFFECT_REFUSED,    REASON_NONE,          true},
        {"none, of one that was sent",           DECIDE_NONE,          EFFECT_DONE,       REASON_NONE,          false},
        {"none, of one under way",               DECIDE_NONE,          EFFECT_ATTEMPTING, REASON_NONE,          false},
        {"resend what was refused",              DECIDE_RESEND,        EFFECT_REFUSED,    REASON_NONE,          true},
        {"resend what was skipped",              DECIDE_RESEND,        EFFECT_SKIPPED,    REASON_NONE,          true},
        {"resend what was given up",             DECIDE_RESEND,        EFFECT_DEFERRED,   REASON_GAVE_UP,       true},
        {"resend what is unknown",               DECIDE_RESEND,        EFFECT_UNKNOWN,    REASON_UNKNOWN_SENT,  false},
        {"resend what is done",                  DECIDE_RESEND,        EFFECT_DONE,       REASON_NONE,          false},
        {"a case was made",                      DECIDE_CASE_MADE,     EFFECT_UNKNOWN,    REASON_UNKNOWN_CASE,  true},
        {"a refused case was made by hand",      DECIDE_CASE_MADE,     EFFECT_REFUSED,    REASON_CASE_REFUSED,  true},
        {"a case given up was made by hand",     DECIDE_CASE_MADE,     EFFECT_DEFERRED,   REASON_GAVE_UP,       true},
        {"a case was not made",                  DECIDE_CASE_NOT_MADE, EFFECT_UNKNOWN,    REASON_UNKNOWN_CASE,  true},
        {"a refused case once more",             DECIDE_CASE_NOT_MADE, EFFECT_REFUSED,    REASON_CASE_REFUSED,  true},
        {"a case given up once more",            DECIDE_CASE_NOT_MADE, EFFECT_DEFERRED,   REASON_GAVE_UP,       true},
        {"no case there, of a refused one",      DECIDE_CASE_NONE,     EFFECT_REFUSED,    REASON_CASE_REFUSED,  true},
        {"no case there, of one that waits",     DECIDE_CASE_NONE,     EFFECT_DEFERRED,   REASON_DESTINATION_GONE, true},
        {"no case there, of an unknown one",     DECIDE_CASE_NONE,     EFFECT_UNKNOWN,    REASON_UNKNOWN_CASE,  false},
        {"no case there, of one that is",        DECIDE_CASE_NONE,     EFFECT_DONE,       REASON_NONE,          false},
        {"a new case of a conflict",             DECIDE_NEW_CASE,      EFFECT_PLANNED,    REASON_CONFLICT,      true},
        {"whatever the status",                  DECIDE_NEW_CASE,      EFFECT_DONE,       REASON_CONFLICT,      true},
        {"a new case of a gateway copy",         DECIDE_NEW_CASE,      EFFECT_PLANNED,    REASON_GATEWAY_COPY,  true},
        {"a new case of a flood",                DECIDE_NEW_CASE,      EFFECT_PLANNED,    REASON_CASE_FLOOD,    false},
        {"a new case of nothing",                DECIDE_NEW_CASE,      EFFECT_PLANNED,    REASON_NONE,          false},
        {"append a conflict",                    DECIDE_APPEND,        EFFECT_PLANNED,    REASON_CONFLICT,      true},
        {"append a gateway copy",                DECIDE_APPEND,        EFFECT_PLANNED,    REASON_GATEWAY_COPY,  true},
        {"dismiss a conflict",                   DECIDE_DISMISS,       EFFECT_PLANNED,    REASON_CONFLICT,      true},
        {"dismiss a gateway copy",               DECIDE_DISMISS,       EFFECT_PLANNED,    REASON_GATEWAY_COPY,  true},
        {"dismiss an unprocessable one",         DECIDE_DISMISS,       EFFECT_PLANNED,    REASON_UNPROCESSABLE, false},
        {"read again what could not be read",    DECIDE_READ_AGAIN,    EFFECT_PLANNED,    REASON_UNPROCESSABLE, true},
        {"read again what was too large",        DECIDE_READ_AGAIN,    EFFECT_PLANNED,    REASON_OVERSIZE,      true},
        {"drop what could not be read",          DECIDE_DROP,          EFFECT_PLANNED,    REASON_UNPROCESSABLE, true},
        {"drop what was too large",              DECIDE_DROP,          EFFECT_PLANNED,    REASON_OVERSIZE,      true},
        {"let a flood through",                  DECIDE_LET_THROUGH,   EFFECT_PLANNED,    REASON_CASE_FLOOD,    true},
        {"mute a flood",                         DECIDE_MUTE,          EFFECT_PLANNED,    REASON_CASE_FLOOD,    true},
        {"undo is no decision by itself",        DECIDE_UNDO,          EFFECT_DONE,       REASON_NONE,          false},
    };
    /* clang-format on */

    (void)state;
    FOR_EACH(row, rows) {
        const struct decision_rule *r = decision_find(row->decision, row->status, row->reason);

        assert_int_equal(r != NULL, row->possible);
        if (r)
            assert_int_equal(r->decision, row->decision);
    }
}

/* ---- taking back --------------------------------------------------------------------------- */

static void taking_back_is_a_step_too(void **state)
{
    (void)state;
    for (size_t i = 0; i < decision_rule_count; i++) {
        const struct decision_rule *r = &decision_rules[i];
        enum effect_kind kind = about_item(r) ? EFFECT_MOVE : r->kind;
        enum effect_status put = EFFECT_PLANNED;
        struct err err = ERR_INIT;

        if (r->undo == EFFECT_EVENT_COUNT)
            continue;
        if (!about_item(r))
            assert_int_equal(effect_step(kind, r->status, r->on, &put, &err), RC_OK);
        const struct effect_transition *t = effect_find(kind, put, r->undo);

        assert_non_null(t);
        assert_int_equal(t->by, BY_PERSON);
        if (r->undo == ON_UNDO && !about_item(r))
            assert_int_equal(t->to, EFFECT_UNKNOWN); /* the question is open again */
    }
}

static void what_can_be_taken_back_moves_its_item_from_every_state(void **state)
{
    /* clang-format off */
    static const struct {
        const char *name;
        enum decision taken;
        enum effect_status was;
        enum reason waited_for;
        bool possible;
        enum item_event item;
    } rows[] = {
        {"sent",                      DECIDE_SENT,          EFFECT_UNKNOWN,  REASON_UNKNOWN_SENT,  true,  ITEM_ON_UNDO},
        {"not sent",                  DECIDE_NOT_SENT,      EFFECT_UNKNOWN,  REASON_UNKNOWN_SENT,  true,  ITEM_ON_UNDO},
        {"not sent, of a refused one",DECIDE_NOT_SENT,      EFFECT_DEFERRED, REASON_REPLY_WAITS,   false, 0},
        {"none",                      DECIDE_NONE,          EFFECT_UNKNOWN,  REASON_UNKNOWN_SENT,  true,  ITEM_ON_UNDO},
        {"none, before it was sent",  DECIDE_NONE,          EFFECT_PLANNED,  REASON_NONE,          true,  ITEM_ON_DECIDE},
        {"none, while it waited",     DECIDE_NONE,          EFFECT_DEFERRED, REASON_NONE,          true,  ITEM_ON_DECIDE},
        {"none, of one not told",     DECIDE_NONE,          EFFECT_REFUSED,  REASON_NONE,          false, 0},
        {"resend",                    DECIDE_RESEND,        EFFECT_REFUSED,  REASON_NONE,          false, 0},
        {"made",                      DECIDE_CASE_MADE,     EFFECT_UNKNOWN,  REASON_UNKNOWN_CASE,  true,  ITEM_ON_UNDO},
        {"not made",                  DECIDE_CASE_NOT_MADE, EFFECT_UNKNOWN,  REASON_UNKNOWN_CASE,  true,  ITEM_ON_UNDO},
        {"a new case stands",         DECIDE_NEW_CASE,      EFFECT_PLANNED,  REASON_CONFLICT,      false, 0},
        {"an appended one too",       DECIDE_APPEND,        EFFECT_PLANNED,  REASON_CONFLICT,      false, 0},
        {"a dismissed conflict",      DECIDE_DISMISS,       EFFECT_PLANNED,  REASON_CONFLICT,      true,  ITEM_ON_UNDO},
        {"a dropped one",             DECIDE_DROP,          EFFECT_PLANNED,  REASON_UNPROCESSABLE, true,  ITEM_ON_UNDO},
        {"a muted one",               DECIDE_MUTE,          EFFECT_PLANNED,  REASON_CASE_FLOOD,    true,  ITEM_ON_UNDO},
        {"let through",               DECIDE_LET_THROUGH,   EFFECT_PLANNED,  REASON_CASE_FLOOD,    false, 0},
        {"what was not possible",     DECIDE_SENT,          EFFECT_DONE,     REASON_NONE,          false, 0},
    };
    /* clang-format on */

    (void)state;
    FOR_EACH(row, rows) {
        enum item_event item = ITEM_EVENT_COUNT;
        const struct decision_rule *r = decision_undo(row->taken, row->was, row->waited_for, &item);

        assert_int_equal(r != NULL, row->possible);
        if (!r)
            continue;
        assert_ptr_equal(r, decision_find(row->taken, row->was, row->waited_for));
        assert_int_equal(item, row->item);
        for (unsigned from = 0; from < ITEM_STATE_COUNT; from++)
            assert_non_null(item_find(from, item));
    }
}

static void what_made_a_case_is_never_taken_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < decision_rule_count; i++)
        if (decision_rules[i].becomes == DISPOSITION_CASE ||
            decision_rules[i].becomes == DISPOSITION_APPEND)
            assert_int_equal(decision_rules[i].undo, EFFECT_EVENT_COUNT);
}

/* ---- not-sent, and when -------------------------------------------------------------------- */

static void not_sent_waits_for_the_end_of_its_run_or_connection(void **state)
{
    static const struct {
        const char *name;
        struct not_sent_facts facts;
        int64_t from;
    } rows[] = {
        {"both may be alive", {false, false, 1000, 600000, 900000}, INT64_MAX},
        {"its run is gone", {true, false, 1000, 600000, 900000}, 1501000},
        {"its connection is closed", {false, true, 1000, 600000, 900000}, 1501000},
        {"both are", {true, true, 1000, 600000, 900000}, 1501000},
        {"the reply's time counts", {true, true, 0, 7, 0}, 7},
        {"the evidence's time counts", {true, true, 0, 0, 5}, 5},
        {"from when it was armed", {true, true, 3, 0, 0}, 3},
    };

    (void)state;
    FOR_EACH(row, rows)
        assert_int_equal(decision_not_sent_from(&row->facts), row->from);
}

/* ---- words --------------------------------------------------------------------------------- */

static void words_are_read_back(void **state)
{
    enum decision found = DECISION_COUNT;

    (void)state;
    for (unsigned i = 0; i < DECISION_COUNT; i++) {
        assert_true(decision_parse(decision_text(i), &found) && found == i);
        assert_true(strlen(decision_meaning(i)) > 8);
    }
    assert_false(decision_parse("sent", &found));
    assert_string_equal(decision_text(DECISION_COUNT), "?");
    assert_string_equal(decision_meaning(DECISION_COUNT), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_decision_about_an_effect_is_a_persons_step_of_it),
        cmocka_unit_test(a_decision_about_an_item_answers_why_it_waits),
        cmocka_unit_test(no_two_rows_answer_the_same_question),
        cmocka_unit_test(every_decision_but_undo_has_a_row_and_says_what_follows),
        cmocka_unit_test(something_may_leave_where_an_effect_is_due_or_a_message_filed),
        cmocka_unit_test(each_reason_that_only_a_decision_ends_has_one_that_files_it),
        cmocka_unit_test(decisions_are_found_by_what_they_answer),
        cmocka_unit_test(taking_back_is_a_step_too),
        cmocka_unit_test(what_can_be_taken_back_moves_its_item_from_every_state),
        cmocka_unit_test(what_made_a_case_is_never_taken_back),
        cmocka_unit_test(not_sent_waits_for_the_end_of_its_run_or_connection),
        cmocka_unit_test(words_are_read_back),
    };

    return RUN_TESTS(tests);
}
