/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include <onecase/quota.h>
#include <testing.h>

static void how_full_it_is_is_exact_and_rounded_down(void **state)
{
    static const struct {
        const char *name;
        int64_t used, limit, percent;
    } rows[] = {
        {"a few messages", 9, 10, 90},
        {"just below", 899, 1000, 89},
        {"no use", 0, 7, 0},
        {"more than full", 30, 20, 150},
        {"as large as it is read", INT64_C(9999999999999), INT64_C(9999999999999), 100},
        {"larger than it is read", INT64_MAX, INT64_MAX, 100},
        {"larger than a small limit", INT64_MAX, 3, INT64_MAX},
        {"no limit", 5, 0, 0},
        {"not said", -1, 5, 0},
    };

    (void)state;
    FOR_EACH(row, rows) {
        const struct quota quota = {.used_messages = row->used, .limit_messages = row->limit};

        assert_int_equal(quota_fullest(&quota).percent, row->percent);
    }
}

static void the_fuller_of_octets_and_messages_is_told(void **state)
{
    struct quota quota = {5 * 1024, 10 * 1024, 6, 10};
    struct quota_part parts[QUOTA_PARTS_MOST];
    CLEANUP(str_clear) struct str text = STR_INIT;

    (void)state;
    assert_int_equal(quota_parts(&quota, parts), 2);
    assert_int_equal(parts[0].limit, 10);
    assert_string_equal(parts[0].unit, "KB");
    quota_words(&parts[0], &text);
    assert_string_equal(str_z(&text), "the mailbox is 50 % full (5 of 10 KB)");
    assert_string_equal(quota_fullest(&quota).unit, "messages");
    quota.used_octets = 7 * 1024;
    assert_string_equal(quota_fullest(&quota).unit, "KB");
    quota = (struct quota){0, 0, 0, 0};
    assert_int_equal(quota_parts(&quota, parts), 0);
    assert_int_equal(quota_fullest(&quota).limit, 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(how_full_it_is_is_exact_and_rounded_down),
        cmocka_unit_test(the_fuller_of_octets_and_messages_is_told),
    };

    return RUN_TESTS(tests);
}
