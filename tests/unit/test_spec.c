/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include "markdown.h"

#include <onecase/acceptance.h>
#include <onecase/backoff.h>
#include <onecase/decision.h>
#include <onecase/policy.h>
#include <onecase/spec.h>
#include <testing.h>

#include <string.h>

static size_t count_of(const struct str *text, const char *what)
{
    size_t count = 0;

    for (const char *at = str_z(text); (at = strstr(at, what)) != NULL; at += strlen(what))
        count++;
    return count;
}

static bool has_code(const struct str *text, const char *word)
{
    CLEANUP(str_clear) struct str code = STR_INIT;

    str_addf(&code, "`%s`", word);
    return word[0] == '\0' || count_of(text, str_z(&code)) > 0;
}

#define ASSERT_WORDS(text_of, count)                                                               \
    for (unsigned i_ = 0; i_ < (count); i_++)                                                      \
    assert_true(has_code(&spec, text_of(i_)))

static void every_word_is_printed(void **state)
{
    CLEANUP(str_clear) struct str spec = STR_INIT;

    (void)state;
    spec_print(&spec);
    ASSERT_WORDS(key_source_text, KEY_SOURCE_COUNT);
    ASSERT_WORDS(delivery_class_text, DELIVERY_CLASS_COUNT);
    ASSERT_WORDS(import_text, IMPORT_COUNT);
    ASSERT_WORDS(disposition_text, DISPOSITION_COUNT);
    ASSERT_WORDS(item_state_text, ITEM_STATE_COUNT);
    ASSERT_WORDS(item_event_text, ITEM_EVENT_COUNT);
    ASSERT_WORDS(reason_text, REASON_COUNT);
    ASSERT_WORDS(effect_kind_text, EFFECT_KIND_COUNT);
    ASSERT_WORDS(effect_status_text, EFFECT_STATUS_COUNT);
    ASSERT_WORDS(effect_event_text, EFFECT_EVENT_COUNT);
    ASSERT_WORDS(actor_text, ACTOR_COUNT);
    ASSERT_WORDS(completion_text, COMPLETION_COUNT);
    ASSERT_WORDS(outcome_text, OUTCOME_COUNT);
    ASSERT_WORDS(attempt_phase_text, ATTEMPT_PHASE_COUNT);
    ASSERT_WORDS(stage_text, STAGE_COUNT);
    ASSERT_WORDS(fault_text, FAULT_COUNT);
    ASSERT_WORDS(circuit_state_text, CIRCUIT_STATE_COUNT);
    ASSERT_WORDS(circuit_event_text, CIRCUIT_EVENT_COUNT);
    ASSERT_WORDS(decision_text, DECISION_COUNT);
    ASSERT_WORDS(skip_text, SKIP_COUNT);
    ASSERT_WORDS(rc_text, RC_COUNT);
}

static void every_row_is_printed_with_its_reason(void **state)
{
    CLEANUP(str_clear) struct str spec = STR_INIT;

    (void)state;
    spec_print(&spec);
    for (size_t i = 0; i < effect_transition_count; i++)
        assert_true(count_of(&spec, effect_transitions[i].because) > 0);
    for (size_t i = 0; i < item_transition_count; i++)
        assert_true(count_of(&spec, item_transitions[i].because) > 0);
    for (size_t i = 0; i < attempt_transition_count; i++)
        assert_true(count_of(&spec, attempt_transitions[i].because) > 0);
    for (size_t i = 0; i < circuit_transition_count; i++)
        assert_true(count_of(&spec, circuit_transitions[i].because) > 0);
    for (size_t i = 0; i < fault_row_count; i++)
        assert_true(count_of(&spec, fault_rows[i].because) > 0);
    for (size_t i = 0; i < decision_rule_count; i++)
        assert_true(count_of(&spec, decision_rules[i].consequence) > 0);
}

static void these_rows_read_like_the_contract(void **state)
{
    static const struct {
        const char *name, *row;
    } rows[] = {
        {"disposition", "| `append` | a reply by a participant to a case | `case`, `attachment`, "
                        "`acknowledgement` if configured, `move` | `received` | `case`, "
                        "`attachments`, `acknowledgement` | `appended` |\n"},
        {"nothing planned", "| `adopted` | mail from before, remembered only | – | `complete` | – "
                            "| – |\n"},
        {"filed after a decision",
         "| `dismissed` | by a person, or by the rule of copies | `move` | "
         "`in_progress` | `decision` | – |\n"},
        {"effect", "| any | `attempting` | `lose` | `unknown` | service | no complete answer, or "
                   "whoever armed it is gone |\n"},
        {"effect of two kinds", "| `acknowledgement`, `move` | `skipped` | `resend` | `planned` | "
                                "person | although it was skipped |\n"},
        {"item", "| `in_progress` | `complete` | `complete` | service | acceptance holds and its "
                 "message is filed |\n"},
        {"attempt",
         "| `armed` | – | `lost` | service | its run is dead, or has lost its lease |\n"},
        {"circuit", "| `probing` | `success` | `closed` | it is over |\n"},
        {"fault grid, head", "| stage | 4xx | 5xx | 5xx, of this item | drop, time-out | 2xx |\n"},
        {"fault grid, last", "| end of data | item's, later: `deferred` | item's, a person: "
                             "`deferred` | item's: `refused` | not known: `unknown` | the server "
                             "has taken it: `done` |\n"},
        {"decision", "| `acknowledgement-sent` | `acknowledgement` that is `unknown` | "
                     "`said-done`: it is `done` | no | while nothing has left | nothing is mailed; "
                     "can be taken back |\n"},
        {"decision about an item", "| `conflict-new-case` | an item that waits for `conflict` | it "
                                   "becomes `case` | yes | no | it becomes a case of its own, and "
                                   "its sender is answered |\n"},
        {"condition", "| `case` | the case was read back |\n"},
        {"sign", "| `SIGN_BULK` | Precedence bulk, list or junk |\n"},
    };
    CLEANUP(str_clear) struct str spec = STR_INIT;

    (void)state;
    spec_print(&spec);
    FOR_EACH(row, rows)
        assert_int_equal(count_of(&spec, row->row), 1);
}

static void a_table_is_a_heading_a_head_and_rows(void **state)
{
    CLEANUP(str_clear) struct str out = STR_INIT;

    (void)state;
    md_head(&out, "A title", "one", "two", (const char *)NULL);
    md_code(&out, "a|b");
    md_cell(&out, "c|d");
    md_end(&out);
    md_code(&out, "");
    md_cell(&out, "");
    md_end(&out);
    assert_string_equal(str_z(&out), "### A title\n\n| one | two |\n|---|---|\n"
                                     "| `a\\|b` | c\\|d |\n| – |  |\n");
}

/* ---- for the model ------------------------------------------------------------------------- */

static size_t rows_of(enum effect_kind kind)
{
    size_t rows = 0;

    for (size_t i = 0; i < effect_transition_count; i++)
        rows += (effect_transitions[i].kinds & KIND(kind)) != 0;
    return rows;
}

static void the_model_gets_every_row_of_its_machines(void **state)
{
    CLEANUP(str_clear) struct str out = STR_INIT;

    (void)state;
    spec_print_promela(&out);
    assert_int_equal(count_of(&out, ":: state == "), rows_of(EFFECT_ACKNOWLEDGEMENT) +
                                                         rows_of(EFFECT_MOVE) +
                                                         item_transition_count);
    assert_int_equal(count_of(&out, ":: else -> assert(false)"), 3);
    assert_int_equal(count_of(&out, "    :: state == unknown && event == on_said_not_done && actor "
                                    "== by_person -> state = deferred\n"),
                     1);
    assert_int_equal(
        count_of(&out, "mtype:actor = { by_service, by_peer, by_evidence, by_person };"), 1);
    assert_int_equal(count_of(&out, "inline acknowledgement_step(state, event, actor)"), 1);
    assert_int_equal(count_of(&out, "inline move_step(state, event, actor)"), 1);
    assert_int_equal(count_of(&out, "inline item_step(state, event, actor)"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_is_printed),
        cmocka_unit_test(every_row_is_printed_with_its_reason),
        cmocka_unit_test(these_rows_read_like_the_contract),
        cmocka_unit_test(a_table_is_a_heading_a_head_and_rows),
        cmocka_unit_test(the_model_gets_every_row_of_its_machines),
    };

    return RUN_TESTS(tests);
}
