/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include "policy_sample.h"

static void addresses_are_compared_without_case_and_tag(void **state)
{
    static const struct {
        const char *name, *canonical;
    } rows[] = {
        {"ann@example.com", "ann@example.com"},
        {"Ann.Lee@Example.COM", "ann.lee@example.com"},
        {"AZ[@EXAMPLE.COM", "az[@example.com"},
        {"ann+tag@example.com", "ann@example.com"},
        {"ann+a+b@example.com", "ann@example.com"},
        {"  ann@example.com\r\n", "ann@example.com"},
        {"+ann@example.com", "+ann@example.com"},
        {"ann@example+x.com", "ann@example+x.com"},
        {"a@b+c@example.com", "a@b@example.com"},
        {"ann", "ann"},
        {"ann+tag", "ann"},
        {"@", "@"},
        {"", ""},
        {"\xC3\x84nn@example.com", "\xC3\x84nn@example.com"},
        {"help@B\u00FCcher.example", "help@xn--bcher-kva.example"},
        {"help@bu\u0308cher.example", "help@xn--bcher-kva.example"},
        {"help@B\u00DCCHER.EXAMPLE", "help@xn--bcher-kva.example"},
        {"help@XN--BCHER-KVA.example", "help@xn--bcher-kva.example"},
        {"help@b\xFC"
         "cher.example",
         "help@b\xFC"
         "cher.example"},
        {"*@*.b\u00FCcher.example", "*@*.xn--bcher-kva.example"},
        {"help@example.org.", "help@example.org"},
        {"\"Help\"@example.org", "help@example.org"},
        {"\"help+x\"@example.org", "help@example.org"},
        {"\"he\\lp\"@example.org", "help@example.org"},
        {"\"@\"@example.org", "@@example.org"},
        {"\"@example.org", "\"@example.org"},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str out = STR_INIT;

        str_addz(&out, "what was there before");
        address_canonical(slice_z(row->name), &out);
        assert_string_equal(str_z(&out), row->canonical);
    }
}

static void patterns_match_whole_addresses(void **state)
{
    static const struct {
        const char *name, *pattern, *address;
        bool matches;
    } rows[] = {
        {"itself", "ann@example.com", "ann@example.com", true},
        {"in another case", "Ann@Example.com", "ANN@example.COM", true},
        {"with a tag", "ann@example.com", "ann+x@example.com", true},
        {"a pattern with a tag", "ann+y@example.com", "ann+x@example.com", true},
        {"another", "ann@example.com", "bo@example.com", false},
        {"a longer one", "ann@example.com", "ann@example.com.au", false},
        {"a shorter one", "ann@example.com", "nn@example.com", false},
        {"a domain", "*@example.com", "ann@example.com", true},
        {"a subdomain of it", "*@example.com", "ann@mail.example.com", false},
        {"subdomains", "*@*.example.com", "ann@mail.example.com", true},
        {"anything", "*", "ann@example.com", true},
        {"stars at both ends", "*ann*", "joann@example.com", true},
        {"a star that is nothing", "ann*@example.com", "ann@example.com", true},
        {"many stars", "*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
        {"stars that must go back", "*ab", "aab", true},
        {"two stars that would overlap", "*ab*bc", "abc", false},
        {"two stars that do not", "*ab*bc", "abbc", true},
        {"stars left over", "ann@example.com**", "ann@example.com", true},
        {"more pattern than text", "ann@example.com*x", "ann@example.com", false},
        {"an empty address", "*", "", false},
        {"an empty pattern", "", "ann@example.com", false},
        {"no question marks", "an?@example.com", "ann@example.com", false},
    };

    (void)state;
    FOR_EACH(row, rows) {
        const char *const patterns[] = {"somebody@else", row->pattern};
        const struct texts texts = {patterns, 2}, none = {NULL, 0};

        assert_int_equal(address_matches(slice_z(row->address), &texts), row->matches);
        assert_false(address_matches(slice_z(row->address), &none));
    }
}

static void an_address_that_smtp_can_carry_is_usable(void **state)
{
    static const struct {
        const char *name, *address;
        bool usable;
    } rows[] = {
        {"an ordinary one", "ann@example.com", true},
        {"the shortest", "a@b", true},
        {"an at sign in quotes", "\"a@b\"@example.com", true},
        {"a blank in quotes", "\"ann lee\"@example.com", true},
        {"a bracket in quotes", "\"ann>lee\"@example.com", true},
        {"a quote in quotes", "\"ann\\\" lee\"@example.com", true},
        {"of UTF-8", "\xC3\xA4nn@example.com", true},
        {"of a number", "ann@[192.0.2.1]", true},
        {"no at sign", "ann", false},
        {"no local part", "@example.com", false},
        {"no domain", "ann@", false},
        {"nothing", "", false},
        {"a blank", "ann lee@example.com", false},
        {"a blank after quotes", "\"ann\" lee@example.com", false},
        {"quotes that stay open", "\"ann lee@example.com", false},
        {"quotes that an escape keeps open", "\"ann lee\\\"@example.com", false},
        {"an at sign only in quotes", "\"ann@example.com\"", false},
        {"a line break in quotes", "\"ann\r\nRCPT TO:<bo@example.net>\"@example.com", false},
        {"an escaped line break in quotes", "\"ann\\\r\n\"@example.com", false},
        {"an escape outside quotes", "ann\\lee@example.com", false},
        {"a line break and a command", "ann@example.com\r\nRCPT TO:<bo@example.net>", false},
        {"a control character", "ann@exam\x7Fple.com", false},
        {"an opening bracket", "<ann@example.com", false},
        {"a closing bracket", "ann@example.com>", false},
        {"a tab", "ann@example.com\t", false},
    };
    char long_one[300];

    (void)state;
    FOR_EACH(row, rows)
        assert_int_equal(address_usable(slice_z(row->address)), row->usable);
    memset(long_one, 'a', sizeof long_one);
    long_one[100] = '@';
    assert_true(address_usable((struct slice){long_one, ADDRESS_MAX}));
    assert_false(address_usable((struct slice){long_one, ADDRESS_MAX + 1}));
    assert_false(address_usable((struct slice){"a\0b@example.com", 15}));
}

static void an_answer_goes_to_one_usable_address(void **state)
{
    static const struct {
        const char *name, *from, *reply_to[3], *to;
    } rows[] = {
        {"From", "ann@example.com", {NULL}, "ann@example.com"},
        {"Reply-To before From", "ann@example.com", {"bo@example.net"}, "bo@example.net"},
        {"the first of two",
         "ann@example.com",
         {"bo@example.net", "cy@example.net"},
         "bo@example.net"},
        {"the first that is usable",
         "ann@example.com",
         {"bo@", "cy@example.net"},
         "cy@example.net"},
        {"none is usable", "ann@example.com", {"bo@", "nobody"}, "ann@example.com"},
        {"nobody at all", "", {NULL}, ""},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(message_clear) struct message m = MESSAGE_INIT;

        sample_keep(&m, &m.from, row->from);
        for (size_t i = 0; i < LENGTH(row->reply_to) && row->reply_to[i]; i++)
            message_list_add(&m, &m.reply_to, slice_z(row->reply_to[i]));
        assert_true(slice_eqz(policy_recipient(&m), row->to));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_compared_without_case_and_tag),
        cmocka_unit_test(patterns_match_whole_addresses),
        cmocka_unit_test(an_address_that_smtp_can_carry_is_usable),
        cmocka_unit_test(an_answer_goes_to_one_usable_address),
    };

    return RUN_TESTS(tests);
}
