/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include <onecase/source.h>
#include <onecase/when.h>
#include <testing.h>

/* clang-format off */
static const struct {
    const char *name;
    const char *text;
    int64_t at_ms;
} dates[] = {
    {"as RFC 5322 shows it",                             "Fri, 21 Nov 1997 09:55:06 -0600", INT64_C(880127706000)},
    {"as this program writes it",                        "Mon, 02 Mar 2026 01:15:00 +0000", INT64_C(1772414100000)},
    {"one digit for the day",                            "Mon, 2 Mar 2026 09:15:00 +0800", INT64_C(1772414100000)},
    {"without day name",                                 "02 Mar 2026 09:15:00 +0800", INT64_C(1772414100000)},
    {"without seconds",                                  "Mon, 02 Mar 2026 09:15 +0800", INT64_C(1772414100000)},
    {"with a zone comment",                              "Mon, 02 Mar 2026 09:15:00 +0800 (AWST)", INT64_C(1772414100000)},
    {"names in any case",                                "mON, 02 mAR 2026 09:15:00 gmt", INT64_C(1772442900000)},
    {"a day name that is not that of the date",          "Sun, 02 Mar 2026 09:15:00 +0000", INT64_C(1772442900000)},
    {"white space at both ends",                         " \t Mon, 02 Mar 2026 09:15:00 +0000 \r\n", INT64_C(1772442900000)},
    {"more white space between",                         "Mon,  02   Mar\t2026  09:15:00   +0000", INT64_C(1772442900000)},
    {"folded",                                           "Mon, 02 Mar 2026\r\n 09:15:00\n\t+0000", INT64_C(1772442900000)},
    {"an unknown offset",                                "Mon, 02 Mar 2026 09:15:00 -0000", INT64_C(1772442900000)},
    {"the largest offset",                               "Mon, 02 Mar 2026 09:15:00 +9959", INT64_C(1772082960000)},
    {"half an hour of offset",                           "Mon, 02 Mar 2026 09:15:00 -0330", INT64_C(1772455500000)},
    {"a leap second",                                    "Sat, 31 Dec 2016 23:59:60 +0000", INT64_C(1483228800000)},
    {"a leap day",                                       "29 Feb 2024 00:00:00 +0000", INT64_C(1709164800000)},
    {"a leap day of a century",                          "29 Feb 2000 00:00:00 +0000", INT64_C(951782400000)},
    {"the first year",                                   "1 Jan 1990 00:00:00 +0000", INT64_C(631152000000)},
    {"the last moment",                                  "31 Dec 9999 23:59:59 +0000", INT64_C(253402300799000)},
    {"obsolete: two digits for the year",                "1 Mar 26 09:00 EST", INT64_C(1772373600000)},
    {"obsolete: the last of this century's",             "1 Mar 49 09:00 GMT", INT64_C(2498202000000)},
    {"obsolete: the first of ours of the last",          "1 Mar 90 09:00 GMT", INT64_C(636282000000)},
    {"obsolete: the last of the last",                   "1 Mar 99 09:00 GMT", INT64_C(920278800000)},
    {"obsolete: three digits count from 1900",           "1 Mar 126 09:00 GMT", INT64_C(1772355600000)},
    {"obsolete: no white space where none is needed",    "Fri,21Nov97 09:55:06-0600", INT64_C(880127706000)},
    {"obsolete: white space round the colons",           "Fri, 21 Nov 1997 09 :   55  :  06 -0600", INT64_C(880127706000)},
    {"obsolete: white space before the comma",           "Fri , 21 Nov 1997 09:55:06 -0600", INT64_C(880127706000)},
    {"obsolete: comments between all tokens",            "(a) Fri (b), (c) 21 (d) Nov (e) 1997 (f) 09 (g) : (h) 55 (i) : (j) 06 (k) -0600 (l)", INT64_C(880127706000)},
    {"obsolete: nested and quoted comments",             "21 Nov 1997 09:55 (x (y \\) z)) GMT", INT64_C(880106100000)},
    {"obsolete: zone UT",                                "1 Mar 2026 09:00 UT", INT64_C(1772355600000)},
    {"obsolete: zone GMT",                               "1 Mar 2026 09:00 GMT", INT64_C(1772355600000)},
    {"obsolete: zone EST",                               "1 Mar 2026 09:00 EST", INT64_C(1772373600000)},
    {"obsolete: zone EDT",                               "1 Mar 2026 09:00 EDT", INT64_C(1772370000000)},
    {"obsolete: zone CST",                               "1 Mar 2026 09:00 CST", INT64_C(1772377200000)},
    {"obsolete: zone CDT",                               "1 Mar 2026 09:00 CDT", INT64_C(1772373600000)},
    {"obsolete: zone MST",                               "1 Mar 2026 09:00 MST", INT64_C(1772380800000)},
    {"obsolete: zone MDT",                               "1 Mar 2026 09:00 MDT", INT64_C(1772377200000)},
    {"obsolete: zone PST",                               "1 Mar 2026 09:00 PST", INT64_C(1772384400000)},
    {"obsolete: zone PDT",                               "1 Mar 2026 09:00 PDT", INT64_C(1772380800000)},
    {"obsolete: zone Z",                                 "1 Mar 2026 09:00 Z", INT64_C(1772355600000)},
    {"obsolete: zone A",                                 "1 Mar 2026 09:00 A", INT64_C(1772355600000)},
    {"obsolete: zone m",                                 "1 Mar 2026 09:00 m", INT64_C(1772355600000)},
    {"obsolete: zone Y",                                 "1 Mar 2026 09:00 Y", INT64_C(1772355600000)},
    {"zone UTC, which the RFC does not know",            "1 Mar 2026 09:00 UTC", INT64_C(1772355600000)},
    {"zone CEST, which the RFC does not know",           "1 Mar 2026 09:00 CEST", INT64_C(1772355600000)},
    {"zone ACWST, which the RFC does not know",           "1 Mar 2026 09:00 ACWST", INT64_C(1772355600000)},
    {"zone AWST, which the RFC does not know",           "1 Mar 2026 09:00 AWST", INT64_C(1772355600000)},
};

static const struct {
    const char *name;
    const char *text;
} no_dates[] = {
    {"nothing",                                ""},
    {"white space",                            " \t "},
    {"text",                                   "x"},
    {"200 letters of no meaning",              "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et dolore magna aliqua ut enim ad minim veniam quis nostrud exercitation ullamco laboris nisi ut aliqui"},
    {"another language",                       "jue ago 30 13:55:12 2007"},
    {"another language's month",               "30 Ago 2007 13:55:12 +0200"},
    {"another language's day",                 "Jue, 30 Aug 2007 13:55:12 +0200"},
    {"as ctime writes it",                     "Mon Mar  2 09:15:00 2026"},
    {"as ISO 8601 has it",                     "2026-03-02T09:15:00Z"},
    {"numbers only",                           "02/03/2026 09:15:00 +0000"},
    {"no zone",                                "Mon, 02 Mar 2026 09:15:00"},
    {"no time",                                "Mon, 02 Mar 2026"},
    {"no year",                                "Mon, 02 Mar 09:15:00 +0000"},
    {"no comma",                               "Mon 02 Mar 2026 09:15:00 +0000"},
    {"a day name in full",                     "Monday, 02 Mar 2026 09:15:00 +0000"},
    {"a month in full",                        "02 March 2026 09:15:00 +0000"},
    {"day 0",                                  "00 Mar 2026 09:15:00 +0000"},
    {"day 32",                                 "32 Mar 2026 09:15:00 +0000"},
    {"31 April",                               "31 Apr 2026 09:15:00 +0000"},
    {"29 February of another year",            "29 Feb 2026 09:15:00 +0000"},
    {"29 February of a century",               "29 Feb 2100 09:15:00 +0000"},
    {"three digits for the day",               "002 Mar 2026 09:15:00 +0000"},
    {"hour 24",                                "02 Mar 2026 24:00:00 +0000"},
    {"minute 60",                              "02 Mar 2026 09:60:00 +0000"},
    {"second 61",                              "02 Mar 2026 09:15:61 +0000"},
    {"one digit for the hour",                 "02 Mar 2026 9:15:00 +0000"},
    {"one digit for the minute",               "02 Mar 2026 09:5:00 +0000"},
    {"three digits for the second",            "02 Mar 2026 09:15:000 +0000"},
    {"a fraction of a second",                 "02 Mar 2026 09:15:00.5 +0000"},
    {"a colon too many",                       "02 Mar 2026 09:15:00: +0000"},
    {"the year before the first",              "31 Dec 1989 23:59:59 +0000"},
    {"obsolete: 1950",                         "1 Mar 50 09:00 GMT"},
    {"obsolete: 1989",                         "1 Mar 89 09:00 GMT"},
    {"five digits for the year",               "02 Mar 12026 09:15:00 +0000"},
    {"a year of nought",                       "02 Mar 0000 09:15:00 +0000"},
    {"one digit for the year",                 "1 Mar 6 09:00 GMT"},
    {"a year glued to the hour",               "02 Mar 202609:15:00 +0000"},
    {"three digits for the zone",              "02 Mar 2026 09:15:00 +080"},
    {"five digits for the zone",               "02 Mar 2026 09:15:00 +08000"},
    {"a colon in the zone",                    "02 Mar 2026 09:15:00 +08:00"},
    {"60 minutes in the zone",                 "02 Mar 2026 09:15:00 +0060"},
    {"a zone without sign",                    "02 Mar 2026 09:15:00 0800"},
    {"a sign without zone",                    "02 Mar 2026 09:15:00 +"},
    {"two zones",                              "02 Mar 2026 09:15:00 GMT+0800"},
    {"zone J",                                 "02 Mar 2026 09:15:00 J"},
    {"two letters that are no zone",           "02 Mar 2026 09:15:00 XX"},
    {"six letters",                            "02 Mar 2026 09:15:00 ABCDEF"},
    {"text after it",                          "02 Mar 2026 09:15:00 +0000 x"},
    {"an unclosed comment",                    "02 Mar 2026 09:15:00 +0000 (x"},
    {"a comment whose end is quoted",          "02 Mar 2026 09:15:00 +0000 (x\\)"},
    {"a closing parenthesis",                  "02 Mar 2026 09:15:00 +0000)"},
    {"8-bit octets",                           "02 Mar 2026 09:15:00 +0000 \xA0"},
    {"a negative day",                         "-2 Mar 2026 09:15:00 +0000"},
};
/* clang-format on */

static void a_date_is_an_instant(void **state)
{
    (void)state;
    FOR_EACH(row, dates) {
        int64_t at_ms = -1;

        assert_true(date_parse(slice_z(row->text), &at_ms));
        assert_int_equal(at_ms, row->at_ms);
    }
}

static void anything_else_is_no_date(void **state)
{
    (void)state;
    FOR_EACH(row, no_dates) {
        int64_t at_ms = -1;

        assert_false(date_parse(slice_z(row->text), &at_ms));
        assert_int_equal(at_ms, -1);
    }
}

static void a_nul_octet_is_no_end_of_a_date(void **state)
{
    int64_t at_ms;

    (void)state;
    assert_true(date_parse(SLICE("02 Mar 2026 09:15:00 +0000"), &at_ms));
    assert_false(date_parse(SLICE("02 Mar 2026 09:15:00 +0000\0"), &at_ms));
    assert_false(date_parse(SLICE("\00002 Mar 2026 09:15:00 +0000"), &at_ms));
}

static void no_beginning_of_a_date_is_one(void **state)
{
    const struct slice text = SLICE("Mon, 02 Mar 2026 09:15:00 +0800");
    int64_t at_ms;

    (void)state;
    for (size_t len = 0; len < text.len; len++)
        assert_false(date_parse(slice_cut(text, 0, len), &at_ms));
    assert_true(date_parse(text, &at_ms));
}

/* The other direction is another module's; together they are held against each other. */
static void what_we_write_we_read(void **state)
{
    (void)state;
    for (int64_t at_ms = when_days(1990, 1, 1) * DAYS(1); at_ms < when_days(2110, 1, 1) * DAYS(1);
         at_ms += DAYS(1) + HOURS(1) + MINUTES(1) + SECONDS(1)) {
        char text[WHEN_TEXT_SIZE];
        int64_t read_ms = -1;

        when_mail_text(at_ms, text);
        assert_true(date_parse(slice_z(text), &read_ms));
        assert_int_equal(read_ms, at_ms);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_date_is_an_instant),
        cmocka_unit_test(anything_else_is_no_date),
        cmocka_unit_test(a_nul_octet_is_no_end_of_a_date),
        cmocka_unit_test(no_beginning_of_a_date_is_one),
        cmocka_unit_test(what_we_write_we_read),
    };

    return RUN_TESTS(tests);
}
