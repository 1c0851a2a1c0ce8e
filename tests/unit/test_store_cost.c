/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports store blobs */
/* What a mail costs in a ledger that has many: of this process, so with the database within it. */
#include "store_fixture.h"

#include <time.h>

static void mail_of(struct desk *d, uint32_t uid)
{
    char id[32];

    snprintf(id, sizeof id, "<%u@x>", (unsigned)uid);
    ARRIVE(d, .id = id, .uid = uid, .from = "ann@example.com", .text = id, .later_ms = uid);
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double cost_of(struct desk *d, uint32_t from, uint32_t to)
{
    double start = seconds();

    for (uint32_t uid = from; uid < to; uid++)
        mail_of(d, uid);
    return seconds() - start;
}

/* The last three hundred of three thousand cost what the first do, but for the depth of a tree. */
static void a_flood_costs_its_mails_what_they_cost_alone(void **state)
{
    struct desk *d = *state;

    d->policy.per_sender = (struct limit){30, HOURS(1)};
    cost_of(d, 1, 100);
    double first = cost_of(d, 100, 400);

    cost_of(d, 400, 2700);
    assert_true(cost_of(d, 2700, 3000) < 3 * first);
    assert_int_equal(COUNT(d, "item WHERE reason = 'case-flood'", NULL), 2969);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AT_DESK(a_flood_costs_its_mails_what_they_cost_alone),
    };

    return RUN_TESTS(tests);
}
