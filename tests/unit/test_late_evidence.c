/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports service blobs */
#include "service_p.h"

#include <testing.h>

#include <onecase/when.h>
#include <stdio.h>
#include <stdlib.h>

/* So many letters in doubt, and a folder in which nothing is found, slowly. */
struct bench {
    size_t doubts, searches;
    int64_t boot_ms, search_ms;
};

static enum rc search(void *self,
                      const char *folder,
                      const char *header,
                      const char *value,
                      uint32_t *uidvalidity,
                      uint32_t **out,
                      size_t *count,
                      struct err *err)
{
    struct bench *b = self;

    (void)folder, (void)header, (void)value, (void)err;
    b->searches++;
    b->boot_ms += b->search_ms;
    *uidvalidity = 1;
    *out = NULL;
    *count = 0;
    return RC_OK;
}

/* NOLINTNEXTLINE(readability-function-size): the port's shape */
static enum rc doubts(void *self,
                      const char *mailbox,
                      const char *after,
                      size_t limit,
                      struct doubt **out,
                      size_t *count,
                      struct err *err)
{
    const struct bench *b = self;
    size_t from = after[0] ? (size_t)strtoul(after, NULL, 10) + 1 : 0;

    (void)mailbox, (void)err;
    *out = mem_new(limit, sizeof **out);
    for (*count = 0; *count < limit && from + *count < b->doubts; ++*count)
        snprintf((*out)[*count].key, KEY_SIZE, "%03zu", from + *count);
    return RC_OK;
}

static struct instant now(void *self)
{
    const struct bench *b = self;

    return (struct instant){.wall_ms = b->boot_ms, .boot_ms = b->boot_ms};
}

/* So many turns, a minute apart; how many doubts were looked at. */
static size_t looked_at_in(size_t turns, struct bench *b)
{
    static const struct ledger_work work = {.doubts = doubts};
    const struct ledger ledger = {.self = b, .work = &work};
    const struct mailbox mailbox = {.self = b, .search = search};
    const struct clock clock = {b, now};
    const struct service_ports ports = {.ledger = &ledger, .mailbox = &mailbox, .clock = &clock};
    const struct service_settings set = {.evidence_folder = "Sent"};
    struct tick_result result = {0};
    struct service s = {.port = &ports, .set = &set, .result = &result};
    struct err err = ERR_INIT;

    for (size_t i = 0; i < turns; i++) {
        assert_int_equal(evidence_late(&s, &err), RC_OK);
        b->boot_ms += MINUTES(1);
    }
    return b->searches / 3;
}

static void a_slow_folder_holds_a_turn_up_for_one_look(void **state)
{
    struct bench many = {.doubts = 100, .search_ms = 5000};

    (void)state;
    assert_int_equal(looked_at_in(1, &many), 1);
}

static void a_twentieth_of_the_time_is_theirs_also_where_they_are_few(void **state)
{
    struct bench few = {.doubts = 2,
                        .search_ms = 5000}; /* 15 s each, and then five minutes of rest */

    (void)state;
    assert_int_equal(looked_at_in(10, &few), 2);
}

static void a_fast_folder_is_looked_through_in_each_turn(void **state)
{
    struct bench many = {.doubts = 100, .search_ms = 1};

    (void)state;
    assert_int_equal(looked_at_in(3, &many), 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_folder_holds_a_turn_up_for_one_look),
        cmocka_unit_test(a_twentieth_of_the_time_is_theirs_also_where_they_are_few),
        cmocka_unit_test(a_fast_folder_is_looked_through_in_each_turn),
    };

    return RUN_TESTS(tests);
}
