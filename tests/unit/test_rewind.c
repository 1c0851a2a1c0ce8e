/* SPDX-License-Identifier: Apache-2.0 */
/* links: ports core */
#include <onecase/ledger.h>
#include <testing.h>

#define NOTICED 10000000
#define MINUTE  60000

static const struct rewind never = {0, 0, 0};
static const struct rewind once = {7, 20, NOTICED};
static const struct rewind of_an_older_schema = {7, 20, 0};

static const struct {
    const char *name;
    const struct rewind *rewind;
    uint32_t uidvalidity, uid;
    int64_t internal_ms;
    bool covered;
} rows[] = {
    /* clang-format off */
    {"a ledger that never went back",          &never,              7, 1,  0,                      false},
    {"a UID that was there",                   &once,               7, 19, NOTICED + 60 * MINUTE,  true},
    {"the next one",                           &once,               7, 20, 0,                      false},
    {"renumbered, from before",                &once,               8, 90, NOTICED - 1,            true},
    {"renumbered, by a clock that is ahead",   &once,               8, 1,  NOTICED + 4 * MINUTE,   true},
    {"renumbered, and from long after",        &once,               8, 1,  NOTICED + 6 * MINUTE,   false},
    {"renumbered, and nobody knows when",      &of_an_older_schema, 8, 1,  0,                      false},
    /* clang-format on */
};

static void a_mail_may_be_forgotten_by_its_uid_or_by_when_it_came(void **state)
{
    (void)state;
    FOR_EACH(row, rows)
        assert_int_equal(rewind_covers(row->rewind, row->uidvalidity, row->uid, row->internal_ms),
                         row->covered);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mail_may_be_forgotten_by_its_uid_or_by_when_it_came),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
