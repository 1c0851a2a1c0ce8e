/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include "policy_sample.h"
#include "schema_words.h"

/* ---- new mail, and what it is for ---------------------------------------------------------- */

static void an_ordinary_mail_is_a_case(void **state)
{
    CLEANUP(sample_end) struct sample s;
    const struct verdict *v;

    (void)state;
    sample_begin(&s);
    v = sample_judge(&s);
    assert_int_equal(v->class, CLASS_FIRST);
    assert_int_equal(v->disposition, DISPOSITION_CASE);
    assert_int_equal(v->state, ITEM_RECEIVED);
    assert_int_equal(v->reason, REASON_NONE);
    assert_int_equal(v->skip, SKIP_NONE);
    assert_string_equal(v->identity.key, s.arrival.identity.key);
    assert_false(v->settled_by || v->direct_copy || v->files_copy || v->joins || v->linked);
}

static void what_cannot_be_read_or_had_is_held(void **state)
{
    static const struct {
        const char *name;
        enum reason held;
        bool unread;
        enum reason reason;
    } rows[] = {
        {"unprocessable", REASON_UNPROCESSABLE, true, REASON_UNPROCESSABLE},
        {"oversize", REASON_OVERSIZE, true, REASON_OVERSIZE},
        {"oversize, its header read", REASON_OVERSIZE, false, REASON_OVERSIZE},
        {"not read, nobody knows why", REASON_NONE, true, REASON_UNPROCESSABLE},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(sample_end) struct sample s;

        sample_begin(&s);
        s.arrival.held = row->held;
        if (row->unread)
            s.arrival.message = NULL;
        assert_int_equal(sample_judge(&s)->disposition, DISPOSITION_HELD);
        assert_int_equal(s.verdict.state, ITEM_NEEDS_RECONCILIATION);
        assert_int_equal(s.verdict.reason, row->reason);
        assert_int_equal(s.verdict.class, CLASS_FIRST);
        assert_int_equal(s.verdict.skip, SKIP_NONE);
    }
}

static void a_sender_above_the_case_rate_is_held(void **state)
{
    CLEANUP(sample_end) struct sample s;

    (void)state;
    sample_begin(&s);
    s.known.sender_cases = 29;
    assert_int_equal(sample_judge(&s)->disposition, DISPOSITION_CASE);
    s.known.sender_cases = 30;
    assert_int_equal(sample_judge(&s)->disposition, DISPOSITION_HELD);
    assert_int_equal(s.verdict.reason, REASON_CASE_FLOOD);
    sample_case(&s, true, true);
    assert_int_equal(sample_judge(&s)->disposition, DISPOSITION_APPEND);
}

static void what_was_said_about_a_flood_holds(void **state)
{
    /* clang-format off */
    static const struct {
        const char *name;
        unsigned cases;
        enum flood said;
        bool names; /* a case that its sender takes part in */
        enum disposition disposition;
        bool flood;
    } rows[] = {
        {"no flood",                       29, FLOOD_UNDECIDED,   false, DISPOSITION_CASE,      false},
        {"nothing was said",               30, FLOOD_UNDECIDED,   false, DISPOSITION_HELD,      true},
        {"muted",                          30, FLOOD_MUTED,       false, DISPOSITION_DISMISSED, true},
        {"muted, and slower by now",       3,  FLOOD_MUTED,       false, DISPOSITION_DISMISSED, true},
        {"let through",                    30, FLOOD_LET_THROUGH, false, DISPOSITION_CASE,      true},
        {"let through, and slower by now", 3,  FLOOD_LET_THROUGH, false, DISPOSITION_CASE,      false},
        {"muted, a reply to a case",       30, FLOOD_MUTED,       true,  DISPOSITION_APPEND,    false},
    };
    /* clang-format on */

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(sample_end) struct sample s;

        sample_begin(&s);
        s.known.sender_cases = row->cases;
        s.known.flood = row->said;
        if (row->names)
            sample_case(&s, true, true);
        assert_int_equal(sample_judge(&s)->disposition, row->disposition);
        assert_int_equal(s.verdict.flood, row->flood);
        assert_false(s.verdict.disposition == DISPOSITION_DISMISSED && s.verdict.reason);
    }
}

static void looking_only_adopts_whatever_comes(void **state)
{
    static const struct {
        const char *name;
        bool look_only;
        enum import_choice import;
        enum disposition disposition;
    } rows[] = {
        {"active", false, IMPORT_NOT_ASKED, DISPOSITION_CASE},
        {"look-only", true, IMPORT_NOT_ASKED, DISPOSITION_ADOPTED},
        {"from before, adopted", false, IMPORT_ADOPT, DISPOSITION_ADOPTED},
        {"from before, cases", false, IMPORT_CASES, DISPOSITION_CASE},
        {"from before, full", false, IMPORT_FULL, DISPOSITION_CASE},
    };

    (void)state;
    FOR_EACH(row, rows)
        for (int unread = 0; unread < 2; unread++) {
            CLEANUP(sample_end) struct sample s;

            sample_begin(&s);
            s.policy.look_only = row->look_only;
            s.arrival.import = row->import;
            s.arrival.held = unread ? REASON_UNPROCESSABLE : REASON_NONE;
            sample_judge(&s);
            if (row->disposition == DISPOSITION_ADOPTED) {
                assert_int_equal(s.verdict.disposition, DISPOSITION_ADOPTED);
                assert_int_equal(s.verdict.state, ITEM_COMPLETE);
            } else {
                assert_int_equal(s.verdict.disposition,
                                 unread ? DISPOSITION_HELD : row->disposition);
            }
        }
}

/* ---- replies ------------------------------------------------------------------------------- */

static void replies_join_a_case_only_where_they_may(void **state)
{
    /* clang-format off */
    static const struct {
        const char *name;
        const char *from;
        uint32_t signs;
        bool participant, open, reopen;
        enum disposition disposition;
    } rows[] = {
        {"a participant, an open case",                 "ann@example.com",      0,                   true,  true,  true,  DISPOSITION_APPEND},
        {"a participant, a closed case",                "ann@example.com",      0,                   true,  false, true,  DISPOSITION_APPEND},
        {"a participant, a case that stays closed",     "ann@example.com",      0,                   true,  false, false, DISPOSITION_CASE},
        {"a stranger, an open case",                    "eve@example.net",      0,                   false, true,  true,  DISPOSITION_CASE},
        {"a stranger, a closed case",                   "eve@example.net",      0,                   false, false, true,  DISPOSITION_CASE},
        {"staff, an open case",                         "bo@staff.example.org", 0,                   false, true,  true,  DISPOSITION_APPEND},
        {"staff, a closed case",                        "bo@staff.example.org", 0,                   false, false, true,  DISPOSITION_APPEND},
        {"automatic, an open case",                     "ann@example.com",      SIGN_AUTO_SUBMITTED, true,  true,  true,  DISPOSITION_APPEND},
        {"automatic, a closed case: never reopens",     "ann@example.com",      SIGN_AUTO_SUBMITTED, true,  false, true,  DISPOSITION_CASE},
        {"a report, a closed case: never reopens",      "ann@example.com",      SIGN_OTHER_REPORT,   true,  false, true,  DISPOSITION_CASE},
        {"a bounce, a closed case: never reopens",      "ann@example.com",      SIGN_DELIVERY_REPORT,true,  false, true,  DISPOSITION_CASE},
        {"a null path, a closed case: never reopens",   "ann@example.com",      SIGN_NULL_PATH,      true,  false, true,  DISPOSITION_CASE},
        {"by a list, a closed case",                    "ann@example.com",      SIGN_LIST_HEADER,    true,  false, true,  DISPOSITION_APPEND},
    };
    /* clang-format on */

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(sample_end) struct sample s;

        sample_begin(&s);
        sample_keep(&s.message, &s.message.from, row->from);
        s.message.signs = row->signs;
        s.policy.reopen_closed = row->reopen;
        sample_case(&s, row->participant, row->open);
        assert_int_equal(sample_judge(&s)->disposition, row->disposition);
        assert_int_equal(s.verdict.joins, row->disposition == DISPOSITION_APPEND);
        assert_int_equal(s.verdict.linked, row->disposition == DISPOSITION_CASE);
        assert_int_equal(s.verdict.joined, 0);
    }
}

static void what_is_forwarded_is_a_matter_of_its_own(void **state)
{
    static const struct {
        const char *name, *subject, *from;
        enum disposition disposition;
    } rows[] = {
        {"a reply", "Re: [HD-1] Printer", "ann@example.com", DISPOSITION_APPEND},
        {"forwarded", "Fwd: [HD-1] Printer", "ann@example.com", DISPOSITION_CASE},
        {"forwarded by staff", "FW: Printer", "bo@staff.example.org", DISPOSITION_CASE},
        {"in German", "WG: Printer", "ann@example.com", DISPOSITION_CASE},
        {"behind a tag", "[EXTERNAL] FW: Printer", "ann@example.com", DISPOSITION_CASE},
        {"a reply to what was forwarded", "Re: Fwd: Printer", "ann@example.com",
         DISPOSITION_APPEND},
        {"a reply that is forwarded", "Fwd: Re: Printer", "ann@example.com", DISPOSITION_CASE},
        {"at the end", "Printer (fwd)", "ann@example.com", DISPOSITION_CASE},
        {"a reply to that", "Re: Printer (fwd)", "ann@example.com", DISPOSITION_APPEND},
        {"a word that begins alike", "Forwarding does not work", "ann@example.com",
         DISPOSITION_APPEND},
        {"another subject", "Scanner", "ann@example.com", DISPOSITION_APPEND},
        {"no subject", "", "ann@example.com", DISPOSITION_APPEND},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(sample_end) struct sample s;

        sample_begin(&s);
        sample_keep(&s.message, &s.message.from, row->from);
        sample_keep(&s.message, &s.message.subject, row->subject);
        sample_case(&s, strcmp(row->from, "ann@example.com") == 0, true);
        assert_int_equal(sample_judge(&s)->disposition, row->disposition);
        assert_int_equal(s.verdict.linked, row->disposition == DISPOSITION_CASE);
    }
}

static void a_forged_own_address_joins_nothing_although_it_is_staff(void **state)
{
    static const char *const everybody[] = {"*@example.org"};
    CLEANUP(sample_end) struct sample s;

    (void)state;
    sample_begin(&s);
    s.policy.staff = (struct texts){everybody, 1};
    sample_keep(&s.message, &s.message.from, "Help+x@example.org");
    sample_case(&s, false, true);
    assert_int_equal(sample_judge(&s)->disposition, DISPOSITION_CASE);
    assert_true(s.verdict.linked);
    sample_keep(&s.message, &s.message.from, "bo@example.org");
    assert_int_equal(sample_judge(&s)->disposition, DISPOSITION_APPEND);
}

static void of_several_cases_the_first_that_may_be_joined_is(void **state)
{
    CLEANUP(sample_end) struct sample s;

    (void)state;
    sample_begin(&s);
    sample_case(&s, false, true);
    sample_case(&s, true, true);
    sample_case(&s, true, true);
    assert_int_equal(sample_judge(&s)->disposition, DISPOSITION_APPEND);
    assert_int_equal(s.verdict.joined, 1);
    assert_true(s.verdict.joins);
    assert_false(s.verdict.linked);
}

static void a_linked_mail_is_linked_to_the_first(void **state)
{
    CLEANUP(sample_end) struct sample s;

    (void)state;
    sample_begin(&s);
    sample_case(&s, false, true);
    sample_case(&s, false, true);
    assert_int_equal(sample_judge(&s)->disposition, DISPOSITION_CASE);
    assert_true(s.verdict.linked);
    assert_int_equal(s.verdict.joined, 0);
}

static void an_append_is_answered_only_if_configured_and_staff_never(void **state)
{
    static const struct {
        const char *name, *from;
        bool configured;
        enum skip skip;
    } rows[] = {
        {"not configured", "ann@example.com", false, SKIP_NOT_CONFIGURED},
        {"configured", "ann@example.com", true, SKIP_NONE},
        {"configured, staff", "bo@staff.example.org", true, SKIP_STAFF},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(sample_end) struct sample s;

        sample_begin(&s);
        sample_keep(&s.message, &s.message.from, row->from);
        s.policy.tells[COMPLETION_APPENDED] = row->configured;
        sample_case(&s, true, true);
        assert_int_equal(sample_judge(&s)->disposition, DISPOSITION_APPEND);
        assert_int_equal(s.verdict.skip, row->skip);
    }
}

/* ---- what names an acknowledgement of ours ------------------------------------------------- */

static void answers_to_an_acknowledgement_are_sorted(void **state)
{
    /* clang-format off */
    static const struct {
        const char *name;
        uint32_t signs;
        bool proven, names, open;
        enum disposition disposition;
    } rows[] = {
        {"a bounce of it",                          SIGN_DELIVERY_REPORT, false, true,  true,  DISPOSITION_REPORT},
        {"of a closed case: it reopens nothing",    SIGN_DELIVERY_REPORT, false, true,  false, DISPOSITION_REPORT},
        {"a read receipt for it",                   SIGN_OTHER_REPORT,    false, true,  true,  DISPOSITION_REPORT},
        {"an out-of-office to it",                  SIGN_AUTO_SUBMITTED,  false, true,  true,  DISPOSITION_REPORT},
        {"with a null path",                        SIGN_NULL_PATH,       false, true,  true,  DISPOSITION_REPORT},
        {"a person's answer to it",                 0,                    false, true,  true,  DISPOSITION_CASE},
        {"a bounce of something else",              SIGN_DELIVERY_REPORT, false, false, true,  DISPOSITION_CASE},
        {"a copy of it with our proof",             SIGN_AUTO_SUBMITTED,  true,  true,  true,  DISPOSITION_EVIDENCE},
        {"a copy of one that the ledger forgot",    SIGN_AUTO_SUBMITTED,  true,  false, true,  DISPOSITION_EVIDENCE},
        {"a forged copy, without proof",            0,                    false, true,  true,  DISPOSITION_CASE},
    };
    /* clang-format on */

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(sample_end) struct sample s;

        sample_begin(&s);
        s.message.signs = row->signs;
        s.arrival.proven = row->proven;
        sample_case(&s, false, true);
        sample_case(&s, false, row->open)->by_acknowledgement = row->names;
        assert_int_equal(sample_judge(&s)->disposition, row->disposition);
        bool recorded = row->names && row->disposition != DISPOSITION_CASE;

        assert_int_equal(s.verdict.joins, recorded);
        assert_int_equal(s.verdict.joined, recorded ? 1 : 0);
        assert_int_equal(s.verdict.linked, row->disposition == DISPOSITION_CASE);
        if (row->disposition != DISPOSITION_CASE)
            assert_int_equal(s.verdict.skip, SKIP_NONE); /* no acknowledgement is in its plan */
    }
}

/* ---- words --------------------------------------------------------------------------------- */

static const char *class_at(size_t at)
{
    return delivery_class_text((enum delivery_class)at);
}

static const char *import_at(size_t at)
{
    return import_text((enum import_choice)at);
}

static void words_are_the_ledgers_and_read_back(void **state)
{
    enum delivery_class class = DELIVERY_CLASS_COUNT;
    enum import_choice choice = IMPORT_COUNT;

    (void)state;
    assert_schema("delivery", "class", class_at, DELIVERY_CLASS_COUNT);
    assert_schema("mailbox", "import_choice", import_at, IMPORT_COUNT);
    for (unsigned i = 0; i < DELIVERY_CLASS_COUNT; i++)
        assert_true(delivery_class_parse(delivery_class_text(i), &class) && class == i);
    for (unsigned i = 0; i < IMPORT_COUNT; i++)
        assert_true(import_parse(import_text(i), &choice) && choice == i);
    assert_false(delivery_class_parse("duplicate", &class));
    assert_false(import_parse("no", &choice));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ordinary_mail_is_a_case),
        cmocka_unit_test(what_cannot_be_read_or_had_is_held),
        cmocka_unit_test(a_sender_above_the_case_rate_is_held),
        cmocka_unit_test(what_was_said_about_a_flood_holds),
        cmocka_unit_test(looking_only_adopts_whatever_comes),
        cmocka_unit_test(replies_join_a_case_only_where_they_may),
        cmocka_unit_test(what_is_forwarded_is_a_matter_of_its_own),
        cmocka_unit_test(a_forged_own_address_joins_nothing_although_it_is_staff),
        cmocka_unit_test(of_several_cases_the_first_that_may_be_joined_is),
        cmocka_unit_test(a_linked_mail_is_linked_to_the_first),
        cmocka_unit_test(an_append_is_answered_only_if_configured_and_staff_never),
        cmocka_unit_test(answers_to_an_acknowledgement_are_sorted),
        cmocka_unit_test(words_are_the_ledgers_and_read_back),
    };

    return RUN_TESTS(tests);
}
