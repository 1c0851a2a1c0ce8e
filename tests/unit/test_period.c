/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports front */
#include <onecase/front.h>
#include <onecase/when.h>
#include <testing.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOON INT64_C(1772452800000) /* 2026-03-02T12:00:00Z */

static void a_period_is_a_duration_or_a_date(void **state)
{
    static const struct {
        const char *name;
        int64_t at_ms;
    } rows[] = {
        {"12h", NOON - HOURS(12)},
        {"7d", NOON - DAYS(7)},
        {"90s", NOON - SECONDS(90)},
        {"2026-03-02", NOON - HOURS(12)},
        {"2026-03-02T11:59:00Z", NOON - MINUTES(1)},
        {"2026-03-02T11:59:00+01:00", NOON - MINUTES(61)},
    };

    (void)state;
    FOR_EACH(row, rows) {
        int64_t at;
        struct err err = ERR_INIT;

        assert_int_equal(period_parse(row->name, NOON, &at, &err), RC_OK);
        assert_int_equal(at, row->at_ms);
    }
}

static void what_is_neither_is_refused_with_an_example(void **state)
{
    static const struct {
        const char *name;
    } rows[] = {{"soon"},       {""},         {"12"},       {"h"},         {"-3d"},
                {"2026-02-30"}, {"2026-3-2"}, {"03/02/26"}, {"yesterday"}, {"1h30m"}};

    (void)state;
    FOR_EACH(row, rows) {
        int64_t at;
        struct err err = ERR_INIT;

        assert_int_equal(period_parse(row->name, NOON, &at, &err), RC_USAGE);
        assert_non_null(strstr(err.text, "12h"));
        assert_non_null(strstr(err.text, "2026-03-02"));
    }
}

static void an_instant_is_as_short_as_it_can_be_in_the_zone(void **state)
{
    static const struct {
        const char *name;
        int64_t at_ms;
        const char *text;
    } rows[] = {
        {"today", NOON - HOURS(2), "18:00"},
        {"this year", NOON - DAYS(10), "20 Feb 20:00"},
        {"another year", NOON - DAYS(400), "2025-01-26"},
        {"tomorrow there, today here", NOON + HOURS(5), "03 Mar 01:00"},
        {"before 1970", -1, ""},
    };

    (void)state;
    assert_int_equal(setenv("TZ", "Australia/Perth", 1), 0);
    tzset();
    int64_t at;
    struct err err = ERR_INIT;

    assert_int_equal(period_parse("2026-03-02", NOON, &at, &err), RC_OK);
    assert_int_equal(at, NOON - HOURS(20)); /* midnight in Perth */
    FOR_EACH(row, rows) {
        char text[32];

        period_text(row->at_ms, NOON, text);
        assert_string_equal(text, row->text);
    }
}

static void an_exact_instant_has_its_seconds(void **state)
{
    char text[32];

    (void)state;
    period_exact(NOON + SECONDS(7), text);
    assert_string_equal(text, "2026-03-02 20:00:07");
    period_exact(-1, text);
    assert_string_equal(text, "");
}

static void an_age_has_one_unit_of_at_least_two(void **state)
{
    static const struct {
        const char *name;
        int64_t ms;
    } rows[] = {
        {"0 s", 0},
        {"0 s", -SECONDS(5)},
        {"59 s", SECONDS(59)},
        {"119 s", SECONDS(119)},
        {"2 min", MINUTES(2)},
        {"119 min", MINUTES(119)},
        {"2 h", HOURS(2)},
        {"47 h", HOURS(47)},
        {"2 d", DAYS(2)},
        {"400 d", DAYS(400)},
    };

    (void)state;
    FOR_EACH(row, rows) {
        char text[32];

        period_age(row->ms, text);
        assert_string_equal(text, row->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_period_is_a_duration_or_a_date),
        cmocka_unit_test(what_is_neither_is_refused_with_an_example),
        cmocka_unit_test(an_instant_is_as_short_as_it_can_be_in_the_zone),
        cmocka_unit_test(an_exact_instant_has_its_seconds),
        cmocka_unit_test(an_age_has_one_unit_of_at_least_two),
    };

    return RUN_TESTS(tests);
}
