/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include "schema_words.h"

#include <onecase/webhook.h>

#include <string.h>

#define IS(event) (1u << (event))

struct sample {
    struct webhook_line line; /* subject, what, from, to, arrived_as, key_source */
    unsigned events;
};

/* ---- which lines are events ---------------------------------------------------------------------- */

static void a_line_of_the_chain_is_the_events_that_it_says(void **state)
{
    (void)state;
    /* clang-format off */
    static const struct sample samples[] = {
        {{"item", "reserve", "", "received", "case", "message-id"},                         IS(WEBHOOK_CREATED)},
        {{"item", "reserve", "", "received", "append", "message-id"},                       0},
        {{"item", "reserve", "", "complete", "adopted", "message-id"},                      0},
        {{"item", "reserve", "", "needs_reconciliation", "held", "message-id"},             IS(WEBHOOK_ASKS)},
        {{"item", "reserve", "", "needs_reconciliation", "held", "conflict"},               IS(WEBHOOK_CONFLICT) | IS(WEBHOOK_ASKS)},
        {{"case", "make", "", "open", "held", "conflict"},                                  IS(WEBHOOK_CREATED)},
        {{"case", "reopen", "closed", "open", "case", "message-id"},                        0},
        {{"case", "close", "open", "closed", "case", "message-id"},                         IS(WEBHOOK_CLOSED)},
        {{"case", "close", "closed", "closed", "case", "message-id"},                       0},
        {{"item", "claim", "received", "in_progress", "case", "message-id"},                0},
        {{"item", "complete", "in_progress", "complete", "case", "message-id"},             IS(WEBHOOK_COMPLETE)},
        {{"item", "wait", "in_progress", "needs_reconciliation", "case", "message-id"},     IS(WEBHOOK_ASKS)},
        {{"approval 3", "undo", "complete", "needs_reconciliation", "case", "message-id"},  0},
        {{"delivery 7", "redelivered", "", "duplicate", "case", "message-id"},              IS(WEBHOOK_DUPLICATE)},
        {{"delivery 7", "list_copy", "", "duplicate", "case", "message-id"},                IS(WEBHOOK_DUPLICATE)},
        {{"delivery 7", "gateway_copy", "", "duplicate", "case", "message-id"},             IS(WEBHOOK_DUPLICATE)},
        {{"delivery 7", "reobserved", "", "duplicate", "case", "message-id"},               0},
        {{"delivery 7", "replayed", "complete", "duplicate", "case", "message-id"},         0},
        {{"effect 9", "settle", "attempting", "done", "case", "message-id"},                0},
    };
    /* clang-format on */
    for (size_t i = 0; i < LENGTH(samples); i++) {
        unsigned events = webhook_events_of(&samples[i].line);

        if (events != samples[i].events)
            print_error("%s %s to %s\n", samples[i].line.subject, samples[i].line.what,
                        samples[i].line.to);
        assert_int_equal(events, samples[i].events);
    }
}

static void every_event_has_its_words_and_is_read_back(void **state)
{
    (void)state;
    for (unsigned i = 0; i < WEBHOOK_EVENT_COUNT; i++) {
        enum webhook_event back;

        assert_true(webhook_event_parse(webhook_event_text((enum webhook_event)i), &back));
        assert_int_equal(back, i);
        assert_non_null(strchr(webhook_event_type((enum webhook_event)i), '.'));
        assert_true(strlen(webhook_event_meaning((enum webhook_event)i)) > 8);
    }
}

static const char *event_at(size_t i)
{
    return webhook_event_text((enum webhook_event)i);
}

static void the_ledger_takes_every_event(void **state)
{
    (void)state;
    assert_schema_of("0010_webhooks.sql", "webhook_outbox", "type", event_at, WEBHOOK_EVENT_COUNT);
}

/* ---- posts --------------------------------------------------------------------------------------- */

static enum effect_status go(enum effect_status from, enum post_event on)
{
    enum effect_status to = EFFECT_STATUS_COUNT;
    struct err err = ERR_INIT;

    return post_step(from, on, &to, &err) == RC_OK ? to : EFFECT_STATUS_COUNT;
}

static void a_post_is_told_once_and_a_dead_letter_waits_for_a_person(void **state)
{
    (void)state;
    assert_int_equal(go(EFFECT_PLANNED, POST_ON_TAKEN), EFFECT_DONE);
    assert_int_equal(go(EFFECT_DEFERRED, POST_ON_LATER), EFFECT_DEFERRED);
    assert_int_equal(go(EFFECT_DEFERRED, POST_ON_GIVE_UP), EFFECT_REFUSED);
    assert_int_equal(go(EFFECT_REFUSED, POST_ON_REPLAY), EFFECT_PLANNED);
    for (unsigned on = 0; on < POST_EVENT_COUNT; on++)
        assert_int_equal(go(EFFECT_DONE, (enum post_event)on), EFFECT_STATUS_COUNT);
    for (size_t i = 0; i < post_transition_count; i++)
        assert_true(strlen(post_transitions[i].because) > 8);
}

static void an_id_is_of_its_webhook_line_and_event(void **state)
{
    char id[WEBHOOK_ID_SIZE], again[WEBHOOK_ID_SIZE], other[WEBHOOK_ID_SIZE];

    (void)state;
    webhook_id("chat", "aa", WEBHOOK_CREATED, id);
    webhook_id("chat", "aa", WEBHOOK_CREATED, again);
    assert_string_equal(id, again);
    assert_int_equal(strlen(id), 36);
    webhook_id("chat", "ab", WEBHOOK_CREATED, other);
    assert_string_not_equal(id, other);
    webhook_id("mail", "aa", WEBHOOK_CREATED, other);
    assert_string_not_equal(id, other);
    webhook_id("chat", "aa", WEBHOOK_COMPLETE, other);
    assert_string_not_equal(id, other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_of_the_chain_is_the_events_that_it_says),
        cmocka_unit_test(every_event_has_its_words_and_is_read_back),
        cmocka_unit_test(the_ledger_takes_every_event),
        cmocka_unit_test(a_post_is_told_once_and_a_dead_letter_waits_for_a_person),
        cmocka_unit_test(an_id_is_of_its_webhook_line_and_event),
    };

    return RUN_TESTS(tests);
}
