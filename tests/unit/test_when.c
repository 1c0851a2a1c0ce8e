/* SPDX-License-Identifier: Apache-2.0 */
/* links: base */
#include <onecase/when.h>
#include <testing.h>

#include <string.h>

static void days_are_counted_from_1970(void **state)
{
    static const struct {
        const char *name;
        int64_t year;
        int month;
        int day;
        int64_t days;
    } rows[] = {
        {"the first", 1970, 1, 1, 0},
        {"the day before", 1969, 12, 31, -1},
        {"a leap day", 2024, 2, 29, 19782},
        {"the day after a leap day", 2024, 3, 1, 19783},
        {"a century that leaps", 2000, 2, 29, 11016},
        {"the day after February of a century that does not", 2100, 3, 1, 47541},
        {"the end of February of a century that does not", 2100, 2, 28, 47540},
        {"the year 0", 0, 1, 1, -719528},
        {"before the year 0", -1, 12, 31, -719529},
        {"the last day of four digits", 9999, 12, 31, 2932896},
    };

    (void)state;
    FOR_EACH(row, rows)
        assert_int_equal(when_days(row->year, row->month, row->day), row->days);
}

static void instants_are_shown_as_rfc_3339_in_utc(void **state)
{
    static const struct {
        const char *name;
        int64_t at_ms;
    } rows[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"1969-12-31T23:59:59.999Z", -1},
        {"2026-03-02T01:15:00Z", 1772414100000},
        {"2026-03-02T01:15:00.007Z", 1772414100007},
        {"2024-02-29T23:59:59Z", 1709251199000},
        {"1600-02-29T12:00:00Z", -11670955200000},
        {"0000-01-01T00:00:00Z", -62167219200000},
        {"9999-12-31T23:59:59.999Z", 253402300799999},
    };

    (void)state;
    FOR_EACH(row, rows) {
        char text[WHEN_TEXT_SIZE];

        when_text(row->at_ms, text);
        assert_string_equal(text, row->name);
    }
}

static void instants_outside_four_digit_years_are_shown_as_the_nearest(void **state)
{
    char text[WHEN_TEXT_SIZE];

    (void)state;
    when_text(INT64_MIN, text);
    assert_string_equal(text, "0000-01-01T00:00:00Z");
    when_text(INT64_MAX, text);
    assert_string_equal(text, "9999-12-31T23:59:59.999Z");
    when_mail_text(INT64_MAX, text);
    assert_string_equal(text, "Fri, 31 Dec 9999 23:59:59 +0000");
}

static void instants_are_shown_as_rfc_5322_dates(void **state)
{
    static const struct {
        const char *name;
        int64_t at_ms;
    } rows[] = {
        {"Thu, 01 Jan 1970 00:00:00 +0000", 0},
        {"Wed, 31 Dec 1969 23:59:59 +0000", -1},
        {"Mon, 02 Mar 2026 01:15:00 +0000", 1772414100999},
        {"Thu, 29 Feb 2024 23:59:59 +0000", 1709251199000},
        {"Sat, 01 Jan 0000 00:00:00 +0000", -62167219200000},
    };

    (void)state;
    FOR_EACH(row, rows) {
        char text[WHEN_TEXT_SIZE];

        when_mail_text(row->at_ms, text);
        assert_string_equal(text, row->name);
    }
}

static void rfc_3339_is_read_with_any_offset(void **state)
{
    static const struct {
        const char *name;
        int64_t at_ms;
    } rows[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"1970-01-01t00:00:00z", 0},
        {"2026-03-02T09:15:00+08:00", 1772414100000},
        {"2026-03-01T20:15:00-05:00", 1772414100000},
        {"2026-03-02T07:00:00+05:45", 1772414100000},
        {"2026-03-02T01:15:00-00:00", 1772414100000},
        {"1970-01-01T00:00:00.5Z", 500},
        {"1970-01-01T00:00:00.0019Z", 1},
        {"1970-01-01T00:00:00.123456789123Z", 123},
        {"1969-12-31T23:59:59.999Z", -1},
        {"2024-02-29T00:00:00Z", 1709164800000},
        {"2016-12-31T23:59:60Z", 1483228800000},
        {"2017-01-01T07:59:60.5+08:00", 1483228800500},
        {"0000-01-01T00:00:00+23:59", -62167219200000 - 86340000},
    };

    (void)state;
    FOR_EACH(row, rows) {
        int64_t at_ms = 42;

        assert_true(when_parse(slice_z(row->name), &at_ms));
        assert_int_equal(at_ms, row->at_ms);
    }
}

static void what_is_not_rfc_3339_is_refused_and_nothing_set(void **state)
{
    static const struct {
        const char *name;
    } rows[] = {
        {""},
        {"2026-03-02"},
        {"2026-03-02T01:15:00"},
        {"2026-03-02 01:15:00Z"},
        {"2026-03-02T01:15Z"},
        {"2026-03-02T01:15:00Z "},
        {" 2026-03-02T01:15:00Z"},
        {"2026-3-02T01:15:00Z"},
        {"26-03-02T01:15:00Z"},
        {"+2026-03-02T01:15:00Z"},
        {"2026-00-02T01:15:00Z"},
        {"2026-13-02T01:15:00Z"},
        {"2026-03-00T01:15:00Z"},
        {"2026-04-31T01:15:00Z"},
        {"2026-12-32T01:15:00Z"},
        {"2025-02-29T01:15:00Z"},
        {"2100-02-29T01:15:00Z"},
        {"2026-03-02T24:00:00Z"},
        {"2026-03-02T01:60:00Z"},
        {"2026-03-02T01:15:60Z"},
        {"2026-03-02T23:59:61Z"},
        {"2026-03-02T23:59:60+01:00"},
        {"2026-03-02T01:15:00.Z"},
        {"2026-03-02T01:15:00,5Z"},
        {"2026-03-02T01:15:00+0100"},
        {"2026-03-02T01:15:00+24:00"},
        {"2026-03-02T01:15:00+01:60"},
        {"2026-03-02T01:15:00+01"},
        {"Mon, 02 Mar 2026 01:15:00 +0000"},
    };

    (void)state;
    FOR_EACH(row, rows) {
        int64_t at_ms = 42;

        assert_false(when_parse(slice_z(row->name), &at_ms));
        assert_int_equal(at_ms, 42);
    }
    assert_false(when_parse(SLICE("2026-03-02T01:15:00\0"), &(int64_t){0}));
}

/* Every day of four-digit years there and back: the two calendars are inverses. */
static void what_is_shown_is_read_back(void **state)
{
    int64_t first = when_days(0, 1, 1);
    int64_t last = when_days(9999, 12, 31);

    (void)state;
    for (int64_t day = first; day <= last; day++) {
        char text[WHEN_TEXT_SIZE];
        int64_t at_ms = DAYS(day) + day % 86399999;
        int64_t back = 0;

        at_ms = at_ms < DAYS(first) ? DAYS(first) : at_ms;
        when_text(at_ms, text);
        if (!when_parse(slice_z(text), &back) || back != at_ms)
            fail_msg("%s", text);
    }
}

static void durations_are_a_number_and_a_unit(void **state)
{
    static const struct {
        const char *name;
        int64_t ms;
    } rows[] = {
        {"250ms", 250},
        {"90s", 90000},
        {"15m", 900000},
        {"1h", 3600000},
        {"7d", 604800000},
        {"0s", 0},
        {"007s", 7000},
        {"9223372036854775807ms", INT64_MAX},
        {"106751991167d", 106751991167 * 86400000},
    };

    (void)state;
    FOR_EACH(row, rows) {
        int64_t ms = 42;

        assert_true(when_duration(slice_z(row->name), &ms));
        assert_int_equal(ms, row->ms);
    }
}

static void what_is_no_duration_is_refused_and_nothing_set(void **state)
{
    static const struct {
        const char *name;
    } rows[] = {
        {""},
        {"s"},
        {"5"},
        {"-5s"},
        {"+5s"},
        {"5 s"},
        {"5S"},
        {"5w"},
        {"1.5h"},
        {"1h30m"},
        {"5sec"},
        {" 5s"},
        {"9223372036854775808ms"},
        {"92233720368547758070ms"},
        {"9223372036854775807s"},
        {"106751991168d"},
    };

    (void)state;
    FOR_EACH(row, rows) {
        int64_t ms = 42;

        assert_false(when_duration(slice_z(row->name), &ms));
        assert_int_equal(ms, 42);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(days_are_counted_from_1970),
        cmocka_unit_test(instants_are_shown_as_rfc_3339_in_utc),
        cmocka_unit_test(instants_outside_four_digit_years_are_shown_as_the_nearest),
        cmocka_unit_test(instants_are_shown_as_rfc_5322_dates),
        cmocka_unit_test(rfc_3339_is_read_with_any_offset),
        cmocka_unit_test(what_is_not_rfc_3339_is_refused_and_nothing_set),
        cmocka_unit_test(what_is_shown_is_read_back),
        cmocka_unit_test(durations_are_a_number_and_a_unit),
        cmocka_unit_test(what_is_no_duration_is_refused_and_nothing_set),
    };

    return RUN_TESTS(tests);
}
