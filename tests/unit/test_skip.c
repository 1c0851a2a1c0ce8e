/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include "policy_sample.h"

#define NONE SKIP_NONE

static void signs_in_the_header_say_who_is_not_answered(void **state)
{
    /* clang-format off */
    static const struct {
        const char *name;
        uint32_t signs;
        const char *list_id;
        enum skip skip;
    } rows[] = {
        {"an ordinary mail",                 0,                                      "",                 NONE},
        {"one not read whole",               SIGN_INCOMPLETE,                        "",                 NONE},
        {"automatic",                        SIGN_AUTO_SUBMITTED,                    "",                 SKIP_AUTO_SUBMITTED},
        {"by a list",                        SIGN_LIST_HEADER,                       "",                 SKIP_LIST_MAIL},
        {"by a list that has a name",        SIGN_LIST_HEADER,                       "club.example.net", SKIP_LIST_MAIL},
        {"bulk",                             SIGN_BULK,                              "",                 SKIP_BULK},
        {"by a list, and bulk",              SIGN_BULK | SIGN_LIST_HEADER,           "club.example.net", SKIP_LIST_MAIL},
        {"by a list of our own",             SIGN_LIST_HEADER,                       "team.example.org", NONE},
        {"by another of our own",            SIGN_LIST_HEADER,                       "desk.example.org", NONE},
        {"its name in capitals",             SIGN_LIST_HEADER,                       "TEAM.example.ORG", NONE},
        {"by a list of our own, and bulk",   SIGN_BULK | SIGN_LIST_HEADER,           "team.example.org", NONE},
        {"automatic, by a list of our own",  SIGN_AUTO_SUBMITTED | SIGN_LIST_HEADER, "team.example.org", SKIP_AUTO_SUBMITTED},
        {"suppressed, by a list of our own", SIGN_SUPPRESS | SIGN_LIST_HEADER,       "team.example.org", SKIP_SUPPRESS},
        {"a null return path",               SIGN_NULL_PATH,                         "",                 SKIP_NULL_PATH},
        {"a delivery report",                SIGN_DELIVERY_REPORT,                   "",                 SKIP_REPORT},
        {"a read receipt",                   SIGN_OTHER_REPORT,                      "",                 SKIP_REPORT},
        {"a report is automatic too",        SIGN_DELIVERY_REPORT | SIGN_AUTO_SUBMITTED | SIGN_NULL_PATH, "", SKIP_REPORT},
        {"the sender asks for silence",      SIGN_SUPPRESS,                          "",                 SKIP_SUPPRESS},
    };
    /* clang-format on */

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(sample_end) struct sample s;

        sample_begin(&s);
        s.message.signs = row->signs;
        sample_keep(&s.message, &s.message.list_id, row->list_id);
        assert_int_equal(sample_judge(&s)->disposition, DISPOSITION_CASE);
        assert_int_equal(s.verdict.skip, row->skip);
    }
}

static void a_sender_who_may_be_forged_is_answered_only_where_that_is_said(void **state)
{
    /* clang-format off */
    static const struct {
        const char *name;
        uint32_t signs;
        const char *list_id;
        bool skip_on_fail;
        enum skip skip;
    } rows[] = {
        {"fail",                           SIGN_DMARC_FAIL,                      "",                 true,  SKIP_DMARC_FAIL},
        {"fail, and it is answered",       SIGN_DMARC_FAIL,                      "",                 false, NONE},
        {"pass",                           SIGN_DMARC_PASS,                      "",                 true,  NONE},
        {"unsaid",                         0,                                    "",                 true,  NONE},
        {"fail, automatic",                SIGN_DMARC_FAIL | SIGN_AUTO_SUBMITTED, "",                true,  SKIP_AUTO_SUBMITTED},
        {"fail, by a list",                SIGN_DMARC_FAIL | SIGN_LIST_HEADER,   "club.example.net", true,  SKIP_LIST_MAIL},
        {"fail, by a list of our own",     SIGN_DMARC_FAIL | SIGN_LIST_HEADER,   "team.example.org", true,  SKIP_DMARC_FAIL},
    };
    /* clang-format on */

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(sample_end) struct sample s;

        sample_begin(&s);
        s.policy.skip_dmarc_fail = row->skip_on_fail;
        s.message.signs = row->signs;
        sample_keep(&s.message, &s.message.list_id, row->list_id);
        assert_int_equal(sample_judge(&s)->disposition, DISPOSITION_CASE);
        assert_int_equal(s.verdict.skip, row->skip);
    }
}

static void a_list_without_a_name_is_not_our_own(void **state)
{
    static const char *const nameless[] = {""};
    CLEANUP(sample_end) struct sample s;

    (void)state;
    sample_begin(&s);
    s.policy.own_lists = (struct texts){nameless, 1};
    s.message.signs = SIGN_LIST_HEADER;
    assert_int_equal(sample_judge(&s)->skip, SKIP_LIST_MAIL);
}

static void addresses_say_who_is_not_answered(void **state)
{
    /* clang-format off */
    static const struct {
        const char *name, *from, *reply_to;
        enum skip skip;
    } rows[] = {
        {"an ordinary sender",                "ann@example.com",                "", NONE},
        {"no sender",                         "",                               "", SKIP_NO_ADDRESS},
        {"no domain",                         "ann@",                           "", SKIP_NO_ADDRESS},
        {"no local part",                     "@example.com",                   "", SKIP_NO_ADDRESS},
        {"no at sign",                        "undisclosed",                    "", SKIP_NO_ADDRESS},
        {"a blank in it",                     "ann lee@example.com",            "", SKIP_NO_ADDRESS},
        {"a bracket in it",                   "ann>@example.com",               "", SKIP_NO_ADDRESS},
        {"no sender, but a reply address",    "",                               "bo@example.net",    NONE},
        {"an unusable reply address",         "ann@example.com",                "bo@",               NONE},
        {"our own address",                   "help@example.org",               "",                  SKIP_OWN_ADDRESS},
        {"in capitals and with a tag",        "Help+x@Example.ORG",             "",                  SKIP_OWN_ADDRESS},
        {"another of our own",                "desk@example.org",               "",                  SKIP_OWN_ADDRESS},
        {"answers to our own",                "ann@example.com",                "help@example.org",  SKIP_OWN_ADDRESS},
        {"from our own, answers elsewhere",   "help@example.org",               "ann@example.com",   SKIP_OWN_ADDRESS},
        {"staff",                             "bo@staff.example.org",           "",                  SKIP_STAFF},
        {"staff, answers elsewhere",          "bo@staff.example.org",           "bo@example.net",    SKIP_STAFF},
        {"answers to staff",                  "ann@example.com",                "bo@staff.example.org", SKIP_STAFF},
        {"mailer-daemon",                     "MAILER-DAEMON@mx.example.net",   "",                  SKIP_NO_REPLY},
        {"mailer-daemon, answers elsewhere",  "mailer-daemon@mx.example.net",   "ann@example.com",   SKIP_NO_REPLY},
        {"postmaster",                        "postmaster@example.net",         "",                  SKIP_NO_REPLY},
        {"postmasters",                       "postmasters@example.net",        "",                  NONE},
        {"no-reply",                          "no-reply@example.net",           "",                  SKIP_NO_REPLY},
        {"no-reply with more",                "no-reply-accounts@example.net",  "",                  SKIP_NO_REPLY},
        {"noreply",                           "NoReply@example.net",            "",                  SKIP_NO_REPLY},
        {"no_reply",                          "no_reply@example.net",           "",                  SKIP_NO_REPLY},
        {"no.reply",                          "no.reply@example.net",           "",                  SKIP_NO_REPLY},
        {"do-not-reply",                      "do-not-reply@example.net",       "",                  SKIP_NO_REPLY},
        {"do_not_reply",                      "do_not_reply@example.net",       "",                  SKIP_NO_REPLY},
        {"donotreply",                        "donotreply@example.net",         "",                  SKIP_NO_REPLY},
        {"shop-no-reply",                     "shop-no-reply@example.net",      "",                  SKIP_NO_REPLY},
        {"shop.no-reply",                     "shop.no-reply@example.net",      "",                  SKIP_NO_REPLY},
        {"shop_no-reply",                     "shop_no-reply@example.net",      "",                  SKIP_NO_REPLY},
        {"shop-noreply",                      "shop-noreply@example.net",       "",                  SKIP_NO_REPLY},
        {"shop.noreply",                      "shop.noreply@example.net",       "",                  SKIP_NO_REPLY},
        {"shop_noreply",                      "shop_noreply@example.net",       "",                  SKIP_NO_REPLY},
        {"no-reply with a tag",               "no-reply+17@example.net",        "",                  SKIP_NO_REPLY},
        {"bounce",                            "bounce@example.net",             "",                  SKIP_NO_REPLY},
        {"bounces",                           "bounces+17@example.net",         "",                  SKIP_NO_REPLY},
        {"bounce-17",                         "bounce-17@example.net",          "",                  SKIP_NO_REPLY},
        {"list-bounces",                      "club-bounces@example.net",       "",                  SKIP_NO_REPLY},
        {"from no-reply, answers to a person","no-reply@example.net",           "ann@example.com",   NONE},
        {"answers to no-reply",               "ann@example.com",                "no-reply@example.net", SKIP_NO_REPLY},
        {"a domain of that name",             "ann@no-reply.example.net",       "",                  NONE},
        {"a name that begins alike",          "norbert@example.net",            "",                  NONE},
    };
    /* clang-format on */

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(sample_end) struct sample s;

        sample_begin(&s);
        sample_keep(&s.message, &s.message.from, row->from);
        if (row->reply_to[0])
            message_list_add(&s.message, &s.message.reply_to, slice_z(row->reply_to));
        assert_int_equal(sample_judge(&s)->skip, row->skip);
    }
}

static void age_limits_and_choices_say_it_too(void **state)
{
    /* clang-format off */
    static const struct {
        const char *name;
        int64_t age_ms;
        enum import_choice import;
        unsigned recipient_told, total_told;
        enum skip skip;
        bool waits;
    } rows[] = {
        {"just come",                              1000,      IMPORT_NOT_ASKED, 0,  0,    NONE,                 false},
        {"of the longest age",                     604800000, IMPORT_NOT_ASKED, 0,  0,    NONE,                 false},
        {"older",                                  604800001, IMPORT_NOT_ASKED, 0,  0,    SKIP_TOO_OLD,         false},
        {"of the future",                          -99999999, IMPORT_NOT_ASKED, 0,  0,    NONE,                 false},
        {"from before, cases only",                7200000,   IMPORT_CASES,     0,  0,    SKIP_FROM_BEFORE,     false},
        {"from before, in full",                   7200000,   IMPORT_FULL,      0,  0,    NONE,                 false},
        {"from before, in full, too old",          604800001, IMPORT_FULL,      0,  0,    SKIP_TOO_OLD,         false},
        {"the tenth to this address",              1000,      IMPORT_NOT_ASKED, 9,  0,    NONE,                 false},
        {"the eleventh to this address",           1000,      IMPORT_NOT_ASKED, 10, 0,    SKIP_RECIPIENT_LIMIT, false},
        {"the last of the total",                  1000,      IMPORT_NOT_ASKED, 0,  2999, NONE,                 false},
        {"one more than the total",                1000,      IMPORT_NOT_ASKED, 0,  3000, NONE,                 true},
        {"above both: it is not answered at all",  1000,      IMPORT_NOT_ASKED, 10, 3000, SKIP_RECIPIENT_LIMIT, false},
    };
    /* clang-format on */

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(sample_end) struct sample s;

        sample_begin(&s);
        s.arrival.internal_ms = NOW_MS - row->age_ms;
        s.arrival.import = row->import;
        s.known.recipient_told = row->recipient_told;
        s.known.total_told = row->total_told;
        assert_int_equal(sample_judge(&s)->disposition, DISPOSITION_CASE);
        assert_int_equal(s.verdict.skip, row->skip);
        assert_int_equal(s.verdict.ack_waits, row->waits);
    }
}

static void a_limit_of_none_limits_nothing(void **state)
{
    CLEANUP(sample_end) struct sample s;

    (void)state;
    sample_begin(&s);
    s.policy.per_recipient.count = s.policy.total.count = s.policy.per_sender.count = 0;
    s.known.recipient_told = s.known.total_told = s.known.sender_cases = 1000000;
    assert_int_equal(sample_judge(&s)->skip, SKIP_NONE);
    assert_int_equal(s.verdict.disposition, DISPOSITION_CASE);
    assert_false(s.verdict.ack_waits);
}

static void what_is_told_must_be_configured(void **state)
{
    static const struct {
        const char *name;
        bool accepted, with_exceptions, too_large;
        enum skip skip;
    } rows[] = {
        {"both, all stored", true, true, false, NONE},
        {"neither", false, false, false, SKIP_NOT_CONFIGURED},
        {"only where there are none", true, false, false, NONE},
        {"only where there are none, and there are", true, false, true, SKIP_NOT_CONFIGURED},
        {"only where there are", false, true, true, NONE},
        {"only where there are, and there are none", false, true, false, SKIP_NOT_CONFIGURED},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(sample_end) struct sample s;

        sample_begin(&s);
        s.policy.tells[COMPLETION_ACCEPTED] = row->accepted;
        s.policy.tells[COMPLETION_ACCEPTED_WITH_EXCEPTIONS] = row->with_exceptions;
        sample_part(&s.message, PART_TEXT, "text/plain", "", 99000000);
        sample_part(&s.message, PART_ATTACHMENT, "image/png", "a.png",
                    row->too_large ? 25000001 : 25000000);
        assert_int_equal(sample_judge(&s)->skip, row->skip);
    }
}

static void words_are_read_back(void **state)
{
    enum skip skip = SKIP_COUNT;

    (void)state;
    for (unsigned i = 0; i < SKIP_COUNT; i++)
        assert_true(skip_parse(skip_text(i), &skip) && skip == i);
    assert_false(skip_parse("answered", &skip));
    assert_string_equal(skip_text(SKIP_TOO_OLD), "too-old");
    assert_string_equal(skip_text(SKIP_COUNT), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signs_in_the_header_say_who_is_not_answered),
        cmocka_unit_test(a_sender_who_may_be_forged_is_answered_only_where_that_is_said),
        cmocka_unit_test(a_list_without_a_name_is_not_our_own),
        cmocka_unit_test(addresses_say_who_is_not_answered),
        cmocka_unit_test(age_limits_and_choices_say_it_too),
        cmocka_unit_test(a_limit_of_none_limits_nothing),
        cmocka_unit_test(what_is_told_must_be_configured),
        cmocka_unit_test(words_are_read_back),
    };

    return RUN_TESTS(tests);
}
