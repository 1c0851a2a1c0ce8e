/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports front */
#include <onecase/front.h>
#include <testing.h>

#include <stdlib.h>
#include <string.h>

/* A word of the program that is a person's word already stands for itself ("done"); one with an
 * underscore or a hyphen is none. */
static void assert_labelled(const char *kind, const char *word)
{
    char copy[64];

    text_copy(copy, sizeof copy, word);

    const char *said = label(kind, copy);

    print_message("    %s %s: %s\n", kind, word, said);
    assert_ptr_not_equal(said, copy);
    assert_null(strchr(said, '_'));
    if (strpbrk(word, "_-") != NULL)
        assert_string_not_equal(said, word);
}

/* The texts of the core take enums; a table of them takes numbers. */
#define NUMBERED(of, text)                                                                         \
    static const char *text##_at(size_t i)                                                         \
    {                                                                                              \
        return text((enum of)i);                                                                   \
    }

NUMBERED(item_state, item_state_text)
NUMBERED(delivery_class, delivery_class_text)
NUMBERED(effect_kind, effect_kind_text)
NUMBERED(effect_status, effect_status_text)
NUMBERED(outcome, outcome_text)
NUMBERED(reason, reason_text)
NUMBERED(disposition, disposition_text)
NUMBERED(completion, completion_text)
NUMBERED(circuit_state, circuit_state_text)
NUMBERED(skip, skip_text)
NUMBERED(rule_fit, rule_fit_text)
NUMBERED(dmarc, dmarc_text)
NUMBERED(stage, stage_text)
NUMBERED(key_source, key_source_text)
NUMBERED(decision, decision_text)
NUMBERED(webhook_event, webhook_event_text)

static void every_word_of_the_core_has_a_label(void **state)
{
    static const struct {
        const char *name;
        size_t count;
        const char *(*at)(size_t i);
    } rows[] = {
        {"state", ITEM_STATE_COUNT, item_state_text_at},
        {"class", DELIVERY_CLASS_COUNT, delivery_class_text_at},
        {"effect", EFFECT_KIND_COUNT, effect_kind_text_at},
        {"status", EFFECT_STATUS_COUNT, effect_status_text_at},
        {"outcome", OUTCOME_COUNT, outcome_text_at},
        {"reason", REASON_COUNT, reason_text_at},
        {"disposition", DISPOSITION_COUNT, disposition_text_at},
        {"completion", COMPLETION_COUNT, completion_text_at},
        {"circuit", CIRCUIT_STATE_COUNT, circuit_state_text_at},
        {"skip", SKIP_COUNT, skip_text_at},
        {"rule", RULE_FIT_COUNT, rule_fit_text_at},
        {"dmarc", DMARC_COUNT, dmarc_text_at},
        {"stage", STAGE_COUNT, stage_text_at},
        {"source", KEY_SOURCE_COUNT, key_source_text_at},
        {"decision", DECISION_COUNT, decision_text_at},
        {"webhook-event", WEBHOOK_EVENT_COUNT, webhook_event_text_at},
    };

    (void)state;
    FOR_EACH(row, rows)
        for (size_t i = 0; i < row->count; i++)
            assert_labelled(row->name, row->at(i));
}

static void every_condition_for_filing_has_a_label(void **state)
{
#define BIT(name, bit, text, meaning) bit,
    static const unsigned bits[] = {FILED_LIST(BIT)};

    (void)state;
    for (size_t i = 0; i < LENGTH(bits); i++)
        assert_labelled("condition", filed_text(bits[i]));
}

/* Words that stand in no enum of the core: of deliveries, cases, attachments and evidence. */
static void every_other_word_that_people_read_has_a_label(void **state)
{
    static const struct {
        const char *name;
        const char *words[9];
    } rows[] = {
        {"state", {"duplicate", "open", "closed"}},
        {"attachment", {"planned", "stored", "refused", "quarantined"}},
        {"evidence",
         {"evidence-folder", "blind-copy", "delivery-report", "reply", "late-reply", "read-back",
          "processed", "named"}},
        {"rule", {"fits", "other-sender", "no-header", "no-subject"}},
        {"report", {"failed", "delayed", "delivered", "relayed", "expanded", "answered"}},
        {"note",
         {"absent", "adopted", "found-filed", "letter", "ledger-restored", "total-limit",
          "max-size", "type"}},
        {"note", {"max-count", "name-length", "infected", "not-scanned", "scanner"}},
        {"note", {"destination", "not-there", "not-configured"}},
        {"decision",
         {"replay", "case-close", "case-reopen", "case-merge", "case-unmerge", "case-withdraw",
          "suspect-authoritative", "suspect-different"}},
    };

    (void)state;
    FOR_EACH(row, rows)
        for (size_t i = 0; i < LENGTH(row->words) && row->words[i]; i++)
            assert_labelled(row->name, row->words[i]);
}

/* A circuit is opened by a result where no server has answered. */
static void every_result_that_opens_a_circuit_has_a_label(void **state)
{
    static const enum rc results[] = {RC_DEFERRED, RC_REFUSED, RC_NOT_FOUND, RC_UNKNOWN, RC_BROKEN};

    (void)state;
    for (size_t i = 0; i < LENGTH(results); i++)
        assert_labelled("fault", rc_text(results[i]));
}

static void the_contracts_labels_are_kept(void **state)
{
    static const struct {
        const char *name, *kind, *word;
    } rows[] = {
        {"needs your decision", "state", "needs_reconciliation"},
        {"done", "outcome", "done"},
        {"rejected", "outcome", "refused"},
        {"waiting", "status", "deferred"},
    };

    (void)state;
    FOR_EACH(row, rows)
        assert_string_equal(label(row->kind, row->word), row->name);
}

static void a_word_without_a_label_is_returned_as_it_is(void **state)
{
    (void)state;
    assert_string_equal(label("state", "unheard_of"), "unheard_of");
    assert_string_equal(label("fault", "MAIL 454"), "MAIL 454");
    assert_string_equal(label("unheard of", "done"), "done");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_of_the_core_has_a_label),
        cmocka_unit_test(every_condition_for_filing_has_a_label),
        cmocka_unit_test(every_other_word_that_people_read_has_a_label),
        cmocka_unit_test(every_result_that_opens_a_circuit_has_a_label),
        cmocka_unit_test(the_contracts_labels_are_kept),
        cmocka_unit_test(a_word_without_a_label_is_returned_as_it_is),
    };

    return RUN_TESTS(tests);
}
