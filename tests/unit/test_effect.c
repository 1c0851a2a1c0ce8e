/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include "schema_words.h"

#include <onecase/effect.h>

static enum effect_status go(enum effect_kind kind, enum effect_status from, enum effect_event on)
{
    enum effect_status to = EFFECT_STATUS_COUNT;
    struct err err = ERR_INIT;

    return effect_step(kind, from, on, &to, &err) == RC_OK ? to : EFFECT_STATUS_COUNT;
}

/* ---- the table itself ---------------------------------------------------------------------- */

static void an_event_leads_from_a_status_to_one_other(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < EFFECT_KIND_COUNT; kind++)
        for (unsigned from = 0; from < EFFECT_STATUS_COUNT; from++)
            for (unsigned on = 0; on < EFFECT_EVENT_COUNT; on++) {
                unsigned rows = 0;

                for (size_t i = 0; i < effect_transition_count; i++) {
                    const struct effect_transition *t = &effect_transitions[i];

                    rows += (t->kinds & KIND(kind)) && t->from == from && t->on == on;
                }
                if (rows > 1)
                    print_error("%s, %s, %s\n", effect_kind_text(kind), effect_status_text(from),
                                effect_event_text(on));
                assert_true(rows <= 1);
            }
}

static void a_row_names_its_kinds_and_its_reason(void **state)
{
    (void)state;
    for (size_t i = 0; i < effect_transition_count; i++) {
        const struct effect_transition *t = &effect_transitions[i];

        assert_true(t->kinds != 0 && (t->kinds & ~KIND_ANY) == 0);
        assert_true(t->from < EFFECT_STATUS_COUNT && t->to < EFFECT_STATUS_COUNT);
        assert_true(t->on < EFFECT_EVENT_COUNT && t->by < ACTOR_COUNT);
        assert_true(strlen(t->because) > 8);
    }
}

static void every_status_is_reached_from_planned(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < EFFECT_KIND_COUNT; kind++) {
        bool reached[EFFECT_STATUS_COUNT] = {[EFFECT_PLANNED] = true};

        for (unsigned round = 0; round < EFFECT_STATUS_COUNT; round++)
            for (size_t i = 0; i < effect_transition_count; i++)
                if ((effect_transitions[i].kinds & KIND(kind)) &&
                    reached[effect_transitions[i].from])
                    reached[effect_transitions[i].to] = true;
        for (unsigned status = 0; status < EFFECT_STATUS_COUNT; status++)
            assert_true(reached[status]);
    }
}

static bool has_way_out(enum effect_kind kind, enum effect_status from, bool by_person)
{
    for (size_t i = 0; i < effect_transition_count; i++) {
        const struct effect_transition *t = &effect_transitions[i];

        if ((t->kinds & KIND(kind)) && t->from == from && t->to != from &&
            (t->by == BY_PERSON) == by_person)
            return true;
    }
    return false;
}

static void what_is_not_settled_goes_on_without_a_person(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < EFFECT_KIND_COUNT; kind++)
        for (unsigned status = 0; status < EFFECT_STATUS_COUNT; status++)
            if (!effect_settled(status))
                assert_true(has_way_out(kind, status, false));
}

static void done_skipped_and_refused_are_settled_and_nothing_else_is(void **state)
{
    (void)state;
    for (unsigned status = 0; status < EFFECT_STATUS_COUNT; status++)
        assert_int_equal(effect_settled(status), status == EFFECT_DONE ||
                                                     status == EFFECT_SKIPPED ||
                                                     status == EFFECT_REFUSED);
}

static void every_event_is_used(void **state)
{
    (void)state;
    for (unsigned on = 0; on < EFFECT_EVENT_COUNT; on++) {
        bool used = false;

        for (size_t i = 0; i < effect_transition_count; i++)
            used = used || effect_transitions[i].on == on;
        assert_true(used);
    }
}

static void an_event_has_one_actor(void **state)
{
    static const enum actor actors[EFFECT_EVENT_COUNT] = {
        [ON_ARM] = BY_SERVICE,      [ON_DONE] = BY_PEER,        [ON_DEFER] = BY_PEER,
        [ON_REFUSE] = BY_PEER,      [ON_LOSE] = BY_SERVICE,     [ON_EVIDENCE] = BY_EVIDENCE,
        [ON_ABSENCE] = BY_EVIDENCE, [ON_SKIP] = BY_SERVICE,     [ON_DIRECT_COPY] = BY_SERVICE,
        [ON_EVERYBODY] = BY_PEER,   [ON_SAID_DONE] = BY_PERSON, [ON_SAID_NOT_DONE] = BY_PERSON,
        [ON_SAID_NONE] = BY_PERSON, [ON_RESEND] = BY_PERSON,    [ON_UNDO] = BY_PERSON,
    };

    (void)state;
    for (size_t i = 0; i < effect_transition_count; i++)
        assert_int_equal(effect_transitions[i].by, actors[effect_transitions[i].on]);
}

/* ---- unknown, and what may be done again --------------------------------------------------- */

static void only_evidence_or_a_person_leaves_unknown_on_an_acknowledgement(void **state)
{
    (void)state;
    for (size_t i = 0; i < effect_transition_count; i++) {
        const struct effect_transition *t = &effect_transitions[i];

        if (t->from == EFFECT_UNKNOWN && (t->kinds & KIND(EFFECT_ACKNOWLEDGEMENT)))
            assert_true(t->by == BY_EVIDENCE || t->by == BY_PERSON);
    }
}

static void evidence_never_sends_an_acknowledgement_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < effect_transition_count; i++) {
        const struct effect_transition *t = &effect_transitions[i];

        if (t->by == BY_EVIDENCE && (t->kinds & KIND(EFFECT_ACKNOWLEDGEMENT)))
            assert_int_equal(t->to, EFFECT_DONE);
    }
}

static void evidence_settles_an_acknowledgement_whatever_it_is(void **state)
{
    (void)state;
    for (unsigned status = 0; status < EFFECT_STATUS_COUNT; status++)
        if (status != EFFECT_DONE)
            assert_int_equal(go(EFFECT_ACKNOWLEDGEMENT, status, ON_EVIDENCE), EFFECT_DONE);
}

static void only_planned_and_deferred_are_armed(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < EFFECT_KIND_COUNT; kind++)
        for (unsigned status = 0; status < EFFECT_STATUS_COUNT; status++) {
            bool may = status == EFFECT_PLANNED || status == EFFECT_DEFERRED;

            assert_int_equal(go(kind, status, ON_ARM),
                             may ? EFFECT_ATTEMPTING : EFFECT_STATUS_COUNT);
        }
}

static void nobody_but_a_person_has_a_settled_acknowledgement_sent_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < effect_transition_count; i++) {
        const struct effect_transition *t = &effect_transitions[i];
        bool rule = t->on == ON_DIRECT_COPY || t->on == ON_EVERYBODY; /* contract sections 4, 5 */

        if (effect_settled(t->from) && !effect_settled(t->to) && !rule)
            assert_int_equal(t->by, BY_PERSON);
        if (t->from == EFFECT_DONE)
            assert_true(t->by == BY_PERSON && t->to == EFFECT_UNKNOWN);
    }
}

static void absence_is_proved_only_of_what_can_be_read_back(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < EFFECT_KIND_COUNT; kind++)
        assert_int_equal(go(kind, EFFECT_UNKNOWN, ON_ABSENCE),
                         kind == EFFECT_ACKNOWLEDGEMENT ? EFFECT_STATUS_COUNT : EFFECT_DEFERRED);
}

static void a_ledger_that_went_back_doubts_what_is_not_settled(void **state)
{
    (void)state;
    for (unsigned status = 0; status < EFFECT_STATUS_COUNT; status++) {
        bool open = !effect_settled(status) && status != EFFECT_UNKNOWN;

        assert_int_equal(go(EFFECT_ACKNOWLEDGEMENT, status, ON_LOSE),
                         open ? EFFECT_UNKNOWN : EFFECT_STATUS_COUNT);
    }
}

/* ---- sentences of the contract ------------------------------------------------------------- */

#define NO EFFECT_STATUS_COUNT

static void steps_are_those_of_the_contract(void **state)
{
    /* clang-format off */
    static const struct {
        const char *name;
        enum effect_kind kind;
        enum effect_status from;
        enum effect_event on;
        enum effect_status to;
    } rows[] = {
        {"a failure before the commit is deferred",           EFFECT_ACKNOWLEDGEMENT, EFFECT_PLANNED,    ON_DEFER,         EFFECT_DEFERRED},
        {"and again",                                         EFFECT_ACKNOWLEDGEMENT, EFFECT_DEFERRED,   ON_DEFER,         EFFECT_DEFERRED},
        {"or refused",                                        EFFECT_ACKNOWLEDGEMENT, EFFECT_PLANNED,    ON_REFUSE,        EFFECT_REFUSED},
        {"or refused later",                                  EFFECT_ACKNOWLEDGEMENT, EFFECT_DEFERRED,   ON_REFUSE,        EFFECT_REFUSED},
        {"it is never unknown before the commit by a reply",  EFFECT_CASE,            EFFECT_PLANNED,    ON_LOSE,          NO},
        {"after it, without a complete reply, it is",         EFFECT_ACKNOWLEDGEMENT, EFFECT_ATTEMPTING, ON_LOSE,          EFFECT_UNKNOWN},
        {"a 250 after the line",                              EFFECT_ACKNOWLEDGEMENT, EFFECT_ATTEMPTING, ON_DONE,          EFFECT_DONE},
        {"a 4xx after the line",                              EFFECT_ACKNOWLEDGEMENT, EFFECT_ATTEMPTING, ON_DEFER,         EFFECT_DEFERRED},
        {"a 5.1.x after the line",                            EFFECT_ACKNOWLEDGEMENT, EFFECT_ATTEMPTING, ON_REFUSE,        EFFECT_REFUSED},
        {"a late reply does not overwrite unknown",           EFFECT_ACKNOWLEDGEMENT, EFFECT_UNKNOWN,    ON_DONE,          NO},
        {"nor does a late refusal",                           EFFECT_ACKNOWLEDGEMENT, EFFECT_UNKNOWN,    ON_REFUSE,        NO},
        {"nor does a late 4xx",                               EFFECT_ACKNOWLEDGEMENT, EFFECT_UNKNOWN,    ON_DEFER,         NO},
        {"refused to everybody is deferred again",            EFFECT_ACKNOWLEDGEMENT, EFFECT_REFUSED,    ON_EVERYBODY,     EFFECT_DEFERRED},
        {"deferred by everybody's answer stays deferred",     EFFECT_ACKNOWLEDGEMENT, EFFECT_DEFERRED,   ON_EVERYBODY,     EFFECT_DEFERRED},
        {"sent, says a person",                               EFFECT_ACKNOWLEDGEMENT, EFFECT_UNKNOWN,    ON_SAID_DONE,     EFFECT_DONE},
        {"not sent, says a person",                           EFFECT_ACKNOWLEDGEMENT, EFFECT_UNKNOWN,    ON_SAID_NOT_DONE, EFFECT_DEFERRED},
        {"none, says a person",                               EFFECT_ACKNOWLEDGEMENT, EFFECT_UNKNOWN,    ON_SAID_NONE,     EFFECT_SKIPPED},
        {"none although planned",                             EFFECT_ACKNOWLEDGEMENT, EFFECT_PLANNED,    ON_SAID_NONE,     EFFECT_SKIPPED},
        {"none although deferred",                            EFFECT_ACKNOWLEDGEMENT, EFFECT_DEFERRED,   ON_SAID_NONE,     EFFECT_SKIPPED},
        {"not told, and seen",                                EFFECT_ACKNOWLEDGEMENT, EFFECT_REFUSED,    ON_SAID_NONE,     EFFECT_SKIPPED},
        {"none while it may be under way",                    EFFECT_ACKNOWLEDGEMENT, EFFECT_ATTEMPTING, ON_SAID_NONE,     NO},
        {"not sent while it may be under way",                EFFECT_ACKNOWLEDGEMENT, EFFECT_ATTEMPTING, ON_SAID_NOT_DONE, NO},
        {"a replay never sends what is done",                 EFFECT_ACKNOWLEDGEMENT, EFFECT_DONE,       ON_RESEND,        NO},
        {"a replay never sends what is unknown",              EFFECT_ACKNOWLEDGEMENT, EFFECT_UNKNOWN,    ON_RESEND,        NO},
        {"a replay resends what was refused",                 EFFECT_ACKNOWLEDGEMENT, EFFECT_REFUSED,    ON_RESEND,        EFFECT_PLANNED},
        {"a replay resends what was skipped",                 EFFECT_ACKNOWLEDGEMENT, EFFECT_SKIPPED,    ON_RESEND,        EFFECT_PLANNED},
        {"a replay resends what was given up",                EFFECT_ACKNOWLEDGEMENT, EFFECT_DEFERRED,   ON_RESEND,        EFFECT_PLANNED},
        {"a direct copy after a list's",                      EFFECT_ACKNOWLEDGEMENT, EFFECT_SKIPPED,    ON_DIRECT_COPY,   EFFECT_PLANNED},
        {"once: not when it was sent",                        EFFECT_ACKNOWLEDGEMENT, EFFECT_DONE,       ON_DIRECT_COPY,   NO},
        {"a rule skips what is planned",                      EFFECT_ACKNOWLEDGEMENT, EFFECT_PLANNED,    ON_SKIP,          EFFECT_SKIPPED},
        {"a rule skips what is deferred",                     EFFECT_ACKNOWLEDGEMENT, EFFECT_DEFERRED,   ON_SKIP,          EFFECT_SKIPPED},
        {"a rule never skips what is unknown",                EFFECT_ACKNOWLEDGEMENT, EFFECT_UNKNOWN,    ON_SKIP,          NO},
        {"a decision taken back: sent",                       EFFECT_ACKNOWLEDGEMENT, EFFECT_DONE,       ON_UNDO,          EFFECT_UNKNOWN},
        {"a decision taken back: not sent",                   EFFECT_ACKNOWLEDGEMENT, EFFECT_DEFERRED,   ON_UNDO,          EFFECT_UNKNOWN},
        {"a decision taken back: none",                       EFFECT_ACKNOWLEDGEMENT, EFFECT_SKIPPED,    ON_UNDO,          EFFECT_UNKNOWN},
        {"a move found in Processed",                         EFFECT_MOVE,            EFFECT_UNKNOWN,    ON_EVIDENCE,      EFFECT_DONE},
        {"a move that did not happen",                        EFFECT_MOVE,            EFFECT_UNKNOWN,    ON_ABSENCE,       EFFECT_DEFERRED},
        {"nobody says that a move happened",                  EFFECT_MOVE,            EFFECT_UNKNOWN,    ON_SAID_DONE,     NO},
        {"a dismissal taken back",                            EFFECT_MOVE,            EFFECT_PLANNED,    ON_UNDO,          EFFECT_SKIPPED},
        {"and decided anew",                                  EFFECT_MOVE,            EFFECT_SKIPPED,    ON_RESEND,        EFFECT_PLANNED},
        {"a case found by its key",                           EFFECT_CASE,            EFFECT_UNKNOWN,    ON_EVIDENCE,      EFFECT_DONE},
        {"a case made, says a person",                        EFFECT_CASE,            EFFECT_UNKNOWN,    ON_SAID_DONE,     EFFECT_DONE},
        {"a case not made, says a person",                    EFFECT_CASE,            EFFECT_UNKNOWN,    ON_SAID_NOT_DONE, EFFECT_DEFERRED},
        {"a refused case made by hand",                       EFFECT_CASE,            EFFECT_REFUSED,    ON_SAID_DONE,     EFFECT_DONE},
        {"a refused case once more",                          EFFECT_CASE,            EFFECT_REFUSED,    ON_RESEND,        EFFECT_PLANNED},
        {"a case that was given up, made by hand",            EFFECT_CASE,            EFFECT_DEFERRED,   ON_SAID_DONE,     EFFECT_DONE},
        {"an attachment half written",                        EFFECT_ATTACHMENT,      EFFECT_UNKNOWN,    ON_ABSENCE,       EFFECT_DEFERRED},
        {"an attachment found whole",                         EFFECT_ATTACHMENT,      EFFECT_UNKNOWN,    ON_EVIDENCE,      EFFECT_DONE},
        {"nobody skips a case that may be there",             EFFECT_CASE,            EFFECT_UNKNOWN,    ON_SAID_NONE,     NO},
        {"a refused case is left out, says a person",         EFFECT_CASE,            EFFECT_REFUSED,    ON_SAID_NONE,     EFFECT_SKIPPED},
        {"so is one that waits",                              EFFECT_CASE,            EFFECT_DEFERRED,   ON_SAID_NONE,     EFFECT_SKIPPED},
        {"not one that was made",                             EFFECT_CASE,            EFFECT_DONE,       ON_SAID_NONE,     NO},
    };
    /* clang-format on */

    (void)state;
    FOR_EACH(row, rows)
        assert_int_equal(go(row->kind, row->from, row->on), row->to);
}

static void a_step_that_is_not_there_says_which(void **state)
{
    enum effect_status to = EFFECT_PLANNED;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(effect_step(EFFECT_ACKNOWLEDGEMENT, EFFECT_DONE, ON_ARM, &to, &err),
                     RC_CONFLICT);
    assert_int_equal(to, EFFECT_PLANNED);
    assert_string_equal(err.text, "effect: no acknowledgement that is done can be moved by arm");
    assert_null(effect_find(EFFECT_ACKNOWLEDGEMENT, EFFECT_DONE, ON_ARM));
    assert_int_equal(effect_find(EFFECT_MOVE, EFFECT_PLANNED, ON_ARM)->by, BY_SERVICE);
}

/* ---- words --------------------------------------------------------------------------------- */

static const char *kind_at(size_t at)
{
    return effect_kind_text((enum effect_kind)at);
}

static const char *status_at(size_t at)
{
    return effect_status_text((enum effect_status)at);
}

static void the_ledger_takes_every_kind_and_status(void **state)
{
    (void)state;
    assert_schema_of("0022_numbers.sql", "effect_numbered", "kind", kind_at, EFFECT_KIND_COUNT);
    assert_schema_of("0022_numbers.sql", "effect_numbered", "status", status_at,
                     EFFECT_STATUS_COUNT);
}

static void words_are_read_back(void **state)
{
    enum effect_kind kind = EFFECT_CASE;
    enum effect_status status = EFFECT_PLANNED;

    (void)state;
    for (unsigned i = 0; i < EFFECT_KIND_COUNT; i++)
        assert_true(effect_kind_parse(effect_kind_text(i), &kind) && kind == i);
    for (unsigned i = 0; i < EFFECT_STATUS_COUNT; i++)
        assert_true(effect_status_parse(effect_status_text(i), &status) && status == i);
    assert_false(effect_kind_parse("Case", &kind));
    assert_false(effect_status_parse("", &status));
    assert_string_equal(effect_kind_text(EFFECT_KIND_COUNT), "?");
    assert_string_equal(effect_status_text(EFFECT_STATUS_COUNT), "?");
    assert_string_equal(effect_event_text(ON_SAID_NOT_DONE), "said-not-done");
    assert_string_equal(effect_event_text(EFFECT_EVENT_COUNT), "?");
    assert_string_equal(actor_text(BY_EVIDENCE), "evidence");
    assert_string_equal(actor_text(ACTOR_COUNT), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_leads_from_a_status_to_one_other),
        cmocka_unit_test(a_row_names_its_kinds_and_its_reason),
        cmocka_unit_test(every_status_is_reached_from_planned),
        cmocka_unit_test(what_is_not_settled_goes_on_without_a_person),
        cmocka_unit_test(done_skipped_and_refused_are_settled_and_nothing_else_is),
        cmocka_unit_test(every_event_is_used),
        cmocka_unit_test(an_event_has_one_actor),
        cmocka_unit_test(only_evidence_or_a_person_leaves_unknown_on_an_acknowledgement),
        cmocka_unit_test(evidence_never_sends_an_acknowledgement_again),
        cmocka_unit_test(evidence_settles_an_acknowledgement_whatever_it_is),
        cmocka_unit_test(only_planned_and_deferred_are_armed),
        cmocka_unit_test(nobody_but_a_person_has_a_settled_acknowledgement_sent_again),
        cmocka_unit_test(absence_is_proved_only_of_what_can_be_read_back),
        cmocka_unit_test(a_ledger_that_went_back_doubts_what_is_not_settled),
        cmocka_unit_test(steps_are_those_of_the_contract),
        cmocka_unit_test(a_step_that_is_not_there_says_which),
        cmocka_unit_test(the_ledger_takes_every_kind_and_status),
        cmocka_unit_test(words_are_read_back),
    };

    return RUN_TESTS(tests);
}
