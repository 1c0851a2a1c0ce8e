/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include <onecase/policy.h>
#include <testing.h>

#include <string.h>

static const struct key_rule rules[] = {
    {.space = "portal", .from = "*@portal.example.org", .header = "X-Request-Id"},
    {.space = "orders", .from = "erp@supplier.example", .subject = "Order ([A-Z]+-[0-9]+)"},
    {.space = "whole", .from = "all@supplier.example", .subject = "[0-9]+"},
    {.from = "printer@example.org", .digest = true},
};

static const struct policy policy = {
    .mailbox = "help", .key_rule = rules, .key_rules = LENGTH(rules)};

static const struct {
    const char *name, *from, *subject, *header;
    int rule; /* -1: none */
    const char *value;
} rows[] = {
    {"the header's whole value", "a@portal.example.org", "x", "X-Request-ID:  R-1\r\n 2\r\n\r\n", 0,
     "R-1 2"},
    {"no such header", "a@portal.example.org", "x", "Subject: x\r\n\r\n", -1, ""},
    {"an empty header", "a@portal.example.org", "x", "X-Request-Id: \r\n\r\n", -1, ""},
    {"another sender's header", "a@example.org", "x", "X-Request-Id: R-1\r\n\r\n", -1, ""},
    {"the sender in capitals", "A@PORTAL.EXAMPLE.ORG", "x", "X-Request-Id: R-1\r\n\r\n", 0, "R-1"},
    {"the group of a subject", "erp@supplier.example", "Order ABC-17", "", 1, "ABC-17"},
    {"a subject that only contains it", "erp@supplier.example", "Re: Order ABC-17", "", -1, ""},
    {"a subject that goes on", "erp@supplier.example", "Order ABC-17 again", "", -1, ""},
    {"an expression without group", "all@supplier.example", "4711", "", 2, "4711"},
    {"a sender that reuses one Message-ID", "printer@example.org", "scan", "", 3, ""},
};

static void the_first_rule_that_matches_gives_the_number(void **state)
{
    (void)state;
    FOR_EACH(row, rows) {
        struct message m = MESSAGE_INIT;
        CLEANUP(str_clear) struct str value = STR_INIT;
        m.from = message_keep(&m, slice_z(row->from));
        m.subject = message_keep(&m, slice_z(row->subject));
        const struct key_rule *found = key_rule_find(&policy, &m, slice_z(row->header), &value);
        assert_ptr_equal(found, row->rule < 0 ? NULL : &rules[row->rule]);
        assert_string_equal(str_z(&value), row->value);
        message_clear(&m);
    }
}

static void each_rule_says_why_it_is_not_the_one(void **state)
{
    static const struct {
        const char *name, *from, *subject, *header, *fit;
        unsigned rule;
    } fits[] = {
        {"another sender", "x@example.net", "", "", "other-sender", 0},
        {"no such header", "x@portal.example.org", "", "X-Other: 1\n\n", "no-header", 0},
        {"an empty one", "x@portal.example.org", "", "X-Request-Id:\n\n", "no-header", 0},
        {"the header", "x@portal.example.org", "", "X-Request-Id: 1\n\n", "fits", 0},
        {"another subject", "erp@supplier.example", "Invoice 1", "", "no-subject", 1},
        {"the subject", "erp@supplier.example", "Order ABC-17", "", "fits", 1},
        {"the digest", "printer@example.org", "scan", "", "fits", 3},
    };

    (void)state;
    FOR_EACH(row, fits) {
        struct message m = MESSAGE_INIT;
        CLEANUP(str_clear) struct str value = STR_INIT;

        m.from = message_keep(&m, slice_z(row->from));
        m.subject = message_keep(&m, slice_z(row->subject));

        enum rule_fit fit = key_rule_fit(&rules[row->rule], &m, slice_z(row->header), &value);

        assert_string_equal(rule_fit_text(fit), row->fit);
        message_clear(&m);
    }
}

static void a_header_is_worth_reading_only_for_a_sender_that_is_named(void **state)
{
    struct message m = MESSAGE_INIT;

    (void)state;
    m.from = message_keep(&m, SLICE("x@portal.example.org"));
    assert_true(key_rule_names(&policy, &m));
    m.from = message_keep(&m, SLICE("x@example.net"));
    assert_false(key_rule_names(&policy, &m));
    message_clear(&m);
}

static void a_rule_that_requires_a_proven_sender_is_for_no_other(void **state)
{
    static const struct key_rule rule = {.space = "portal",
                                         .from = "*@portal.example.org",
                                         .header = "X-Request-Id",
                                         .dmarc_pass = true};
    static const struct {
        const char *name, *from;
        uint32_t signs;
        enum rule_fit fit;
    } cases[] = {
        {"pass", "x@portal.example.org", SIGN_DMARC_PASS, RULE_FITS},
        {"fail", "x@portal.example.org", SIGN_DMARC_FAIL, RULE_NO_PASS},
        {"unsaid", "x@portal.example.org", 0, RULE_NO_PASS},
        {"another sender", "x@example.net", 0, RULE_OTHER_SENDER},
    };

    (void)state;
    FOR_EACH(row, cases) {
        CLEANUP(message_clear) struct message m = MESSAGE_INIT;
        CLEANUP(str_clear) struct str value = STR_INIT;

        m.from = message_keep(&m, slice_z(row->from));
        m.signs = row->signs;
        assert_int_equal(key_rule_fit(&rule, &m, SLICE("X-Request-Id: 1\n\n"), &value), row->fit);
        assert_string_equal(str_z(&value), row->fit == RULE_FITS ? "1" : "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rule_that_requires_a_proven_sender_is_for_no_other),
        cmocka_unit_test(the_first_rule_that_matches_gives_the_number),
        cmocka_unit_test(each_rule_says_why_it_is_not_the_one),
        cmocka_unit_test(a_header_is_worth_reading_only_for_a_sender_that_is_named),
    };

    return RUN_TESTS(tests);
}
