/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports store blobs service */
#include "store_fixture.h"

#include <onecase/webhooks.h>

/* A receiver that takes nothing, and says when to come again. */
struct receiver {
    int64_t retry_after_ms;
    int tries;
};

static enum rc post(void *self,
                    const struct webhook_post *p,
                    struct instant now,
                    struct posted *out,
                    struct err *err)
{
    struct receiver *r = self;

    (void)p;
    (void)now;
    r->tries++;
    *out = (struct posted){.code = 503, .retry_after_ms = r->retry_after_ms};
    return FAIL(err, RC_DEFERRED, "it is out of service");
}

static struct instant now_of(void *self)
{
    return ((struct desk *)self)->now;
}

struct telling {
    struct receiver receiver;
    struct poster poster;
    struct clock clock;
    struct webhook_ports ports;
    struct webhook_settings settings;
};

static void begin(struct telling *t, struct desk *d, int64_t give_up_after_ms)
{
    static const char *const names[] = {"chat"};

    *t = (struct telling){.poster = {&t->receiver, post}, .clock = {d, now_of}};
    t->ports = (struct webhook_ports){&d->l, &t->poster, &t->clock};
    t->settings =
        (struct webhook_settings){.wish = {.name = "chat", .events = 1U << WEBHOOK_CREATED},
                                  .by = "here",
                                  .hold_ms = SECONDS(30),
                                  .pause = {SECONDS(5), MINUTES(15)},
                                  .give_up_after_ms = give_up_after_ms};
    must(d, d->l.webhooks->enlist(d->store, names, 1, d->now, &d->err));
    ARRIVE(d, .id = "<a@x>", .uid = 1);
}

/* Until when it rests after its next try. */
static int64_t pause_after_try(struct telling *t, struct desk *d)
{
    struct webhook_turn turn;
    int before = t->receiver.tries;
    int64_t began = d->now.wall_ms;

    must(d, webhook_turn(&t->ports, &t->settings, &turn, &d->err));
    assert_int_equal(t->receiver.tries, before + 1);
    must(d, webhook_turn(&t->ports, &t->settings, &turn, &d->err));
    assert_int_equal(t->receiver.tries, before + 1); /* it is left alone */
    pass(d, turn.wake_ms - began);
    return turn.wake_ms - began;
}

static void each_pause_is_longer_than_the_last_up_to_the_longest(void **state)
{
    struct desk *d = *state;
    struct telling t;
    int64_t last = 0;

    begin(&t, d, DAYS(3));
    for (int i = 0; i < 12; i++) {
        int64_t pause = pause_after_try(&t, d);

        assert_true(pause > last || pause == MINUTES(15));
        assert_true(pause <= MINUTES(15));
        last = pause;
    }
    assert_true(last == MINUTES(15));
}

static void its_receiver_may_ask_for_a_longer_pause_and_for_no_shorter_one(void **state)
{
    struct desk *d = *state;
    struct telling t;

    begin(&t, d, DAYS(3));
    t.receiver.retry_after_ms = MINUTES(2);
    assert_true(pause_after_try(&t, d) == MINUTES(2));
    t.receiver.retry_after_ms = 1;
    assert_true(pause_after_try(&t, d) >= SECONDS(5));
}

static void after_so_long_it_is_a_dead_letter(void **state)
{
    struct desk *d = *state;
    struct telling t;
    struct instant first = d->now;

    begin(&t, d, MINUTES(1));
    while (COUNT(d, "webhook_outbox WHERE status = 'refused' AND code = 503", NULL) == 0)
        (void)pause_after_try(&t, d);
    assert_true(d->now.wall_ms >= first.wall_ms + MINUTES(1));
    assert_true(t.receiver.tries > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AT_DESK(each_pause_is_longer_than_the_last_up_to_the_longest),
        AT_DESK(its_receiver_may_ask_for_a_longer_pause_and_for_no_shorter_one),
        AT_DESK(after_so_long_it_is_a_dead_letter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
