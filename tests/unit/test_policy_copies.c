/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include "policy_sample.h"

/* ---- copies of what is known --------------------------------------------------------------- */

static void the_same_digest_is_a_duplicate(void **state)
{
    /* clang-format off */
    static const struct {
        const char *name;
        bool source, payload, no_message, no_source;
        int version_off;
        enum delivery_class class;
    } rows[] = {
        {"the same source digest",                     true,  false, false, false, 0, CLASS_REDELIVERED},
        {"the same payload digest",                    false, true,  false, false, 0, CLASS_REDELIVERED},
        {"of another version: not compared",           false, true,  false, false, 1, CLASS_CONFLICT},
        {"the same source digest, not to be read",     true,  false, true,  false, 0, CLASS_REDELIVERED},
        {"another digest, not to be read",             false, true,  true,  false, 0, CLASS_CONFLICT},
        {"neither",                                    false, false, false, false, 0, CLASS_CONFLICT},
        {"no source digests are not the same",         true,  false, true,  true,  0, CLASS_CONFLICT},
    };
    /* clang-format on */

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(sample_end) struct sample s;
        struct known_item *item;

        sample_begin(&s);
        if (row->no_source)
            s.arrival.source_digest = (struct digest){{0}};
        item = sample_know(&s);
        if (row->source)
            item->source_digest = s.arrival.source_digest;
        if (row->payload)
            item->payload_digest = message_payload_digest(&s.message);
        item->payload_version += row->version_off;
        if (row->no_message)
            s.arrival.message = NULL;
        assert_int_equal(sample_judge(&s)->class, row->class);
        assert_int_equal(s.verdict.settled_by, row->class == CLASS_REDELIVERED);
        if (!s.verdict.settled_by)
            continue;
        assert_int_equal(s.verdict.of, 0);
        assert_int_equal(s.verdict.disposition, item->disposition);
        assert_int_equal(s.verdict.state, item->state);
        assert_true(s.verdict.files_copy);
    }
}

static void the_same_mail_under_another_key_is_a_duplicate(void **state)
{
    CLEANUP(sample_end) struct sample s;

    (void)state;
    sample_begin(&s);
    sample_know(&s)->same_key = false; /* the ledger found it by Message-ID and source digest */
    assert_int_equal(sample_judge(&s)->class, CLASS_REDELIVERED);
    assert_true(s.verdict.settled_by);
}

static void an_equal_copy_of_a_conflict_is_its_duplicate(void **state)
{
    CLEANUP(sample_end) struct sample s;
    struct known_item *conflict;

    (void)state;
    sample_begin(&s);
    sample_know(&s);
    conflict = sample_know(&s);
    conflict->source_digest = s.arrival.source_digest;
    conflict->disposition = DISPOSITION_HELD;
    snprintf(conflict->first_key, sizeof conflict->first_key, "%s", s.item[0].key);
    snprintf(conflict->key, sizeof conflict->key, "conflict");
    assert_int_equal(sample_judge(&s)->class, CLASS_REDELIVERED);
    assert_int_equal(s.verdict.of, 1);
    assert_int_equal(s.verdict.disposition, DISPOSITION_HELD);
    assert_true(s.verdict.files_copy);
}

static void another_mail_under_a_taken_key_is_a_conflict(void **state)
{
    CLEANUP(sample_end) struct sample s;
    struct identity expected;

    (void)state;
    sample_begin(&s);
    sample_know(&s);
    expected = identity_conflict("help", &s.arrival.source_digest);
    assert_int_equal(sample_judge(&s)->class, CLASS_CONFLICT);
    assert_int_equal(s.verdict.disposition, DISPOSITION_HELD);
    assert_int_equal(s.verdict.state, ITEM_NEEDS_RECONCILIATION);
    assert_int_equal(s.verdict.reason, REASON_CONFLICT);
    assert_int_equal(s.verdict.identity.source, KEY_CONFLICT);
    assert_string_equal(s.verdict.identity.key, expected.key);
    assert_false(s.verdict.settled_by);
}

static void a_key_that_only_conflicts_hold_is_not_taken(void **state)
{
    CLEANUP(sample_end) struct sample s;
    struct known_item *conflict;

    (void)state;
    sample_begin(&s);
    conflict = sample_know(&s);
    snprintf(conflict->first_key, sizeof conflict->first_key, "first");
    assert_int_equal(sample_judge(&s)->class, CLASS_FIRST);
    assert_int_equal(s.verdict.disposition, DISPOSITION_CASE);
}

static void a_message_seen_before_is_the_same_one(void **state)
{
    CLEANUP(sample_end) struct sample s;

    (void)state;
    sample_begin(&s);
    sample_know(&s);
    snprintf(s.item[0].key, sizeof s.item[0].key, "another");
    sample_know(&s)->disposition = DISPOSITION_APPEND;
    s.known.same_octets_key = s.item[1].key;
    assert_int_equal(sample_judge(&s)->class, CLASS_REOBSERVED);
    assert_int_equal(s.verdict.of, 1);
    assert_int_equal(s.verdict.disposition, DISPOSITION_APPEND);
    s.known.same_octets_filed = true;
    assert_int_equal(sample_judge(&s)->class, CLASS_RETURNED);
    assert_true(s.verdict.files_copy);
    s.known.same_octets_key = "of no item that is known";
    assert_int_equal(sample_judge(&s)->class, CLASS_CONFLICT);
}

static void some_copies_stay_where_they_are(void **state)
{
    static const struct {
        const char *name;
        enum disposition disposition;
        enum import_choice import;
        bool look_only, files;
    } rows[] = {
        {"of a case", DISPOSITION_CASE, IMPORT_NOT_ASKED, false, true},
        {"of a dismissed one", DISPOSITION_DISMISSED, IMPORT_NOT_ASKED, false, true},
        {"of a report", DISPOSITION_REPORT, IMPORT_NOT_ASKED, false, true},
        {"of an adopted one", DISPOSITION_ADOPTED, IMPORT_NOT_ASKED, false, false},
        {"while looking only", DISPOSITION_CASE, IMPORT_NOT_ASKED, true, false},
        {"from before, to be adopted", DISPOSITION_CASE, IMPORT_ADOPT, false, false},
        {"from before, for cases", DISPOSITION_CASE, IMPORT_CASES, false, true},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(sample_end) struct sample s;

        sample_begin(&s);
        sample_know(&s)->disposition = row->disposition;
        s.item[0].source_digest = s.arrival.source_digest;
        s.arrival.import = row->import;
        s.policy.look_only = row->look_only;
        assert_int_equal(sample_judge(&s)->class, CLASS_REDELIVERED);
        assert_int_equal(s.verdict.files_copy, row->files);
    }
}

/* ---- list and gateway copies --------------------------------------------------------------- */

/* The known item is the list's, or the gateway's, copy of the sample; or the other way round. */
static void
know_changed(struct sample *s, uint32_t known_signs, uint32_t signs, const char *subject)
{
    struct known_item *item = sample_know(s);

    item->text = SLICE("It is on fire.");
    item->subject = slice_z(subject);
    item->signs = known_signs;
    s->message.signs = signs;
}

static void copies_are_treated_as_configured(void **state)
{
    enum { LISTED = SIGN_LIST_HEADER };
    /* clang-format off */
    static const struct {
        const char *name;
        uint32_t known_signs, signs;
        enum copy_rule list, gateway;
        bool look_only;
        enum delivery_class class;
        enum disposition disposition;
        enum reason reason;
    } rows[] = {
        {"a list copy second",                0, LISTED,          COPY_DUPLICATE, COPY_PROPOSE,   false, CLASS_LIST_COPY,    DISPOSITION_CASE,      REASON_NONE},
        {"a list copy first",                 LISTED, 0,          COPY_DUPLICATE, COPY_PROPOSE,   false, CLASS_LIST_COPY,    DISPOSITION_CASE,      REASON_NONE},
        {"a list copy, to be proposed",       0, LISTED,          COPY_PROPOSE,   COPY_CONFLICT,  false, CLASS_GATEWAY_COPY, DISPOSITION_HELD,      REASON_GATEWAY_COPY},
        {"a list copy, a conflict",           0, LISTED,          COPY_CONFLICT,  COPY_DUPLICATE, false, CLASS_CONFLICT,     DISPOSITION_HELD,      REASON_CONFLICT},
        {"a gateway copy, to be proposed",    0, 0,               COPY_DUPLICATE, COPY_PROPOSE,   false, CLASS_GATEWAY_COPY, DISPOSITION_HELD,      REASON_GATEWAY_COPY},
        {"a gateway copy, to be filed",       0, 0,               COPY_DUPLICATE, COPY_DUPLICATE, false, CLASS_GATEWAY_COPY, DISPOSITION_DISMISSED, REASON_NONE},
        {"a gateway copy, looking only",      0, 0,               COPY_DUPLICATE, COPY_DUPLICATE, true,  CLASS_GATEWAY_COPY, DISPOSITION_HELD,      REASON_GATEWAY_COPY},
        {"a gateway copy, a conflict",        0, 0,               COPY_DUPLICATE, COPY_CONFLICT,  false, CLASS_CONFLICT,     DISPOSITION_HELD,      REASON_CONFLICT},
    };
    /* clang-format on */

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(sample_end) struct sample s;

        sample_begin(&s);
        know_changed(&s, row->known_signs, row->signs, "[x] Printer");
        s.policy.list_copies = row->list;
        s.policy.gateway_copies = row->gateway;
        s.policy.look_only = row->look_only;
        assert_int_equal(sample_judge(&s)->class, row->class);
        assert_int_equal(s.verdict.disposition, row->disposition);
        assert_int_equal(s.verdict.reason, row->reason);
        assert_int_equal(s.verdict.settled_by, row->class == CLASS_LIST_COPY);
        if (!s.verdict.settled_by) {
            assert_int_equal(s.verdict.identity.source, KEY_CONFLICT);
            assert_int_equal(s.verdict.state, dispositions[row->disposition].starts);
        }
    }
}

static void a_copy_is_compared_with_what_has_its_key_only(void **state)
{
    CLEANUP(sample_end) struct sample s;

    (void)state;
    sample_begin(&s);
    s.policy.gateway_copies = COPY_DUPLICATE;
    sample_know(&s); /* has the key, says something else */
    know_changed(&s, 0, SIGN_LIST_HEADER, "[x] Printer");
    snprintf(s.item[1].first_key, sizeof s.item[1].first_key, "%s", s.item[0].key);
    assert_int_equal(sample_judge(&s)->class, CLASS_LIST_COPY); /* of a conflict */
    assert_int_equal(s.verdict.of, 1);
}

static void a_copy_is_found_among_all_that_have_its_key(void **state)
{
    CLEANUP(sample_end) struct sample s;

    (void)state;
    sample_begin(&s);
    snprintf(sample_know(&s)->first_key, KEY_SIZE, "first");
    know_changed(&s, 0, 0, "[x] Printer");
    assert_int_equal(sample_judge(&s)->class, CLASS_GATEWAY_COPY);
    s.item[1].text = SLICE("Another text.");
    assert_int_equal(sample_judge(&s)->class, CLASS_CONFLICT);
}

static void what_cannot_be_read_is_nobodys_copy(void **state)
{
    CLEANUP(sample_end) struct sample s;

    (void)state;
    sample_begin(&s);
    know_changed(&s, 0, SIGN_LIST_HEADER, "Printer");
    s.arrival.message = NULL;
    assert_int_equal(sample_judge(&s)->class, CLASS_CONFLICT);
}

static void a_direct_copy_after_a_lists_is_answered(void **state)
{
    enum { LISTED = SIGN_LIST_HEADER };
    /* clang-format off */
    static const struct {
        const char *name;
        uint32_t known_signs, signs;
        bool same_source, look_only;
        enum disposition disposition;
        const char *from;
        bool direct;
    } rows[] = {
        {"changed by the list",                       LISTED,     0,                   false, false, DISPOSITION_CASE,      "ann@example.com",   true},
        {"not changed by the list",                   LISTED,     0,                   true,  false, DISPOSITION_CASE,      "ann@example.com",   true},
        {"an append",                                 LISTED,     0,                   true,  false, DISPOSITION_APPEND,    "ann@example.com",   true},
        {"the list's came second",                    0,          LISTED,              false, false, DISPOSITION_CASE,      "ann@example.com",   false},
        {"neither came by a list",                    SIGN_BULK,  0,                   true,  false, DISPOSITION_CASE,      "ann@example.com",   false},
        {"the second came by a list of our own",      LISTED,     LISTED,              true,  false, DISPOSITION_CASE,      "ann@example.com",   true},
        {"both came by lists",                        LISTED,     LISTED,              true,  false, DISPOSITION_CASE,      "ann@example.com",   false},
        {"the direct one is automatic",               LISTED,     SIGN_AUTO_SUBMITTED, true,  false, DISPOSITION_CASE,      "ann@example.com",   false},
        {"its sender is not to be answered",          LISTED,     0,                   true,  false, DISPOSITION_CASE,      "no-reply@example.com", false},
        {"a report is not answered",                  LISTED,     0,                   true,  false, DISPOSITION_REPORT,    "ann@example.com",   false},
        {"a dismissed one is not answered",           LISTED,     0,                   true,  false, DISPOSITION_DISMISSED, "ann@example.com",   false},
        {"nobody is while looking only",              LISTED,     0,                   true,  true,  DISPOSITION_CASE,      "ann@example.com",   false},
    };
    /* clang-format on */

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(sample_end) struct sample s;

        sample_begin(&s);
        s.policy.tells[COMPLETION_APPENDED] = true;
        know_changed(&s, row->known_signs, row->signs, "[x] Printer");
        s.item[0].disposition = row->disposition;
        s.policy.look_only = row->look_only;
        sample_keep(&s.message, &s.message.from, row->from);
        if (strstr(row->name, "our own"))
            sample_keep(&s.message, &s.message.list_id, sample_lists[0]);
        if (row->same_source)
            s.item[0].source_digest = s.arrival.source_digest;
        assert_int_equal(sample_judge(&s)->settled_by, true);
        assert_int_equal(s.verdict.class, row->same_source ? CLASS_REDELIVERED : CLASS_LIST_COPY);
        assert_int_equal(s.verdict.direct_copy, row->direct);
    }
}

static void what_cannot_be_read_is_no_direct_copy(void **state)
{
    CLEANUP(sample_end) struct sample s;

    (void)state;
    sample_begin(&s);
    know_changed(&s, SIGN_LIST_HEADER, 0, "Printer");
    s.item[0].source_digest = s.arrival.source_digest;
    s.arrival.message = NULL;
    assert_int_equal(sample_judge(&s)->class, CLASS_REDELIVERED);
    assert_false(s.verdict.direct_copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_digest_is_a_duplicate),
        cmocka_unit_test(the_same_mail_under_another_key_is_a_duplicate),
        cmocka_unit_test(an_equal_copy_of_a_conflict_is_its_duplicate),
        cmocka_unit_test(another_mail_under_a_taken_key_is_a_conflict),
        cmocka_unit_test(a_key_that_only_conflicts_hold_is_not_taken),
        cmocka_unit_test(a_message_seen_before_is_the_same_one),
        cmocka_unit_test(some_copies_stay_where_they_are),
        cmocka_unit_test(copies_are_treated_as_configured),
        cmocka_unit_test(a_copy_is_compared_with_what_has_its_key_only),
        cmocka_unit_test(a_copy_is_found_among_all_that_have_its_key),
        cmocka_unit_test(what_cannot_be_read_is_nobodys_copy),
        cmocka_unit_test(a_direct_copy_after_a_lists_is_answered),
        cmocka_unit_test(what_cannot_be_read_is_no_direct_copy),
    };

    return RUN_TESTS(tests);
}
