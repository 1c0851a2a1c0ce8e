/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include <onecase/backoff.h>
#include <testing.h>

static void pauses_double_up_to_the_longest(void **state)
{
    static const struct {
        const char *name;
        struct backoff b;
        unsigned tries;
        int64_t delay;
    } rows[] = {
        {"the first", {5000, 900000}, 0, 5000},
        {"the second", {5000, 900000}, 1, 10000},
        {"the eighth", {5000, 900000}, 7, 640000},
        {"the longest", {5000, 900000}, 8, 900000},
        {"long after", {5000, 900000}, 4000000000u, 900000},
        {"exactly the longest", {5000, 10000}, 1, 10000},
        {"a first that is longer than the longest", {5000, 1000}, 0, 1000},
        {"none", {0, 1000}, 0, 1},
        {"none, doubled", {0, 1000}, 3, 8},
        {"a negative one", {-5, 1000}, 0, 1},
        {"no longest", {5000, 0}, 3, 0},
        {"as long as can be", {1, INT64_MAX}, 4000000000u, INT64_MAX},
        {"just below it", {1, INT64_MAX}, 62, INT64_C(1) << 62},
    };

    (void)state;
    FOR_EACH(row, rows)
        assert_int_equal(backoff_delay(&row->b, row->tries, 0), row->delay);
}

static void a_pause_is_shortened_by_up_to_a_quarter(void **state)
{
    const struct backoff b = {1000, 900000};
    int64_t least = INT64_MAX, most = 0;

    (void)state;
    for (uint32_t random = 0; random < 1000; random++) {
        int64_t delay = backoff_delay(&b, 2, random);

        assert_int_equal(delay, backoff_delay(&b, 2, random));
        least = delay < least ? delay : least;
        most = delay > most ? delay : most;
    }
    assert_int_equal(most, 4000);
    assert_int_equal(least, 3000);
    assert_int_equal(backoff_delay(&b, 2, UINT32_MAX), 3000);
    assert_true(backoff_delay(&(struct backoff){1, INT64_MAX}, 99, UINT32_MAX) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pauses_double_up_to_the_longest),
        cmocka_unit_test(a_pause_is_shortened_by_up_to_a_quarter),
    };

    return RUN_TESTS(tests);
}
