/* SPDX-License-Identifier: Apache-2.0
 *
 * The courier port: alone against the one in memory; with NAME=VALUE words of an endpoint against a
 * server that takes mail for anybody@example.net.
 *
 * Subjects of letters that must arrive begin with "arrives", of the others with "never".
 */
/* links: smtp core tools fakes */
#include <onecase/smtp.h>
#include <testing.h>

#include <fakes/memory_courier.h>
#include <string.h>
#include <tools/real_clock.h>
#include <tools/settings.h>

#define CONNECTIONS 3
#define PATIENCE    20000

static struct courier port;
static int64_t last_id;

static const struct letter good = {.sender = "help@example.org",
                                   .recipient = "anybody@example.net",
                                   .octets =
                                       SLICE_INIT("From: help@example.org\r\nSubject: arrives "
                                                  "small\r\n\r\n.\r\nhello\r\n")};

static int64_t begin(struct letter letter)
{
    struct err err = ERR_INIT;

    letter.id = ++last_id;
    if (port.begin(port.self, &letter, &err) != RC_OK)
        fail_msg("%s", err.text);
    return letter.id;
}

static int64_t now(void)
{
    return real_ms(CLOCK_BOOTTIME);
}

static struct courier_event next_within(int64_t ms)
{
    struct courier_event event;

    assert_int_equal(port.next(port.self, now() + ms, &event, NULL), RC_OK);
    return event;
}

static struct courier_event next(void)
{
    struct courier_event event = next_within(PATIENCE);

    assert_int_not_equal(event.what, COURIER_NOTHING);
    return event;
}

static void expect_ready(int64_t id)
{
    struct courier_event event = next();

    if (event.what != COURIER_READY)
        fail_msg("settled at %s: %d %s", stage_text(event.stage), event.code, event.reply);
    assert_int_equal(event.id, id);
    assert_int_equal(event.stage, STAGE_DATA);
    assert_false(event.line_left);
}

static void expect_accepted(const struct courier_event *event)
{
    assert_int_equal(event->what, COURIER_SETTLED);
    assert_int_equal(event->stage, STAGE_END_OF_DATA);
    assert_int_equal(event->code / 100, 2);
    assert_true(event->line_left);
    assert_false(event->meets_item);
}

static void deliver(struct letter letter)
{
    int64_t id = begin(letter);
    struct courier_event event;

    expect_ready(id);
    port.release(port.self, id);
    event = next();
    assert_int_equal(event.id, id);
    expect_accepted(&event);
}

/* Cases */

static void a_letter_is_ready_then_released_then_accepted(void **state)
{
    (void)state;
    deliver(good);
}

static void nothing_comes_before_release(void **state)
{
    int64_t id = begin(good);
    struct courier_event event;

    (void)state;
    expect_ready(id);
    assert_int_equal(next_within(100).what, COURIER_NOTHING);
    port.release(port.self, id);
    event = next();
    expect_accepted(&event);
}

static void an_abandoned_letter_says_nothing_more(void **state)
{
    struct letter letter = good;
    int64_t id;

    (void)state;
    letter.octets = SLICE("Subject: never\r\n\r\nabandoned\r\n");
    id = begin(letter);
    expect_ready(id);
    port.abandon(port.self, id);
    assert_int_equal(port.room(port.self), CONNECTIONS);
    port.release(port.self, id);
    assert_int_equal(next_within(100).what, COURIER_NOTHING);
}

static void one_that_was_not_even_ready_may_be_abandoned(void **state)
{
    (void)state;
    port.abandon(port.self, begin(good));
    assert_int_equal(port.room(port.self), CONNECTIONS);
    assert_int_equal(next_within(100).what, COURIER_NOTHING);
}

static void ids_that_are_not_under_way_are_ignored(void **state)
{
    (void)state;
    port.release(port.self, 4711);
    port.abandon(port.self, 4711);
    assert_int_equal(next_within(50).what, COURIER_NOTHING);
}

static void a_refused_recipient_is_told_with_its_reply(void **state)
{
    struct letter letter = good;
    struct courier_event event;
    int64_t id;

    (void)state;
    letter.recipient = "anybody@[never";
    id = begin(letter);
    event = next();
    assert_int_equal(event.what, COURIER_SETTLED);
    assert_int_equal(event.id, id);
    assert_int_equal(event.stage, STAGE_RCPT);
    assert_int_equal(event.code, 501);
    assert_string_equal(event.enhanced, "5.1.3");
    assert_true(event.reply[0] != '\0');
    assert_false(event.line_left);
    deliver(good);
}

static void a_copy_is_one_more_recipient(void **state)
{
    struct letter letter = good;

    (void)state;
    letter.copy_to = "copy@example.net";
    deliver(letter);
}

static void what_may_not_be_sent_is_refused_at_once(void **state)
{
    static const struct {
        const char *name;
        struct slice octets;
        const char *sender;
        const char *recipient;
    } rows[] = {
        {"a bare LF", SLICE_INIT("Subject: never\r\n\r\na\n.\nb\r\n"), "", "b@example.net"},
        {"a NUL", SLICE_INIT("Subject: never\r\n\r\n\0\r\n"), "", "b@example.net"},
        {"nothing", SLICE_INIT(""), "", "b@example.net"},
        {"a line break in the recipient", SLICE_INIT("Subject: never\r\n"), "",
         "b@example.net\r\nRCPT TO:<c@example.net>"},
        {"two recipients", SLICE_INIT("Subject: never\r\n"), "", "b@example.net> <c@example.net"},
        {"no recipient", SLICE_INIT("Subject: never\r\n"), "", ""},
        {"a line break in the sender", SLICE_INIT("Subject: never\r\n"), "a\r\n", "b@example.net"},
    };

    (void)state;
    FOR_EACH(row, rows) {
        struct letter letter = {
            .id = 1, .sender = row->sender, .recipient = row->recipient, .octets = row->octets};
        struct err err = ERR_INIT;

        assert_int_equal(port.begin(port.self, &letter, &err), RC_REFUSED);
        assert_null(strstr(err.text, "example.net"));
        assert_int_equal(port.room(port.self), CONNECTIONS);
    }
}

static void several_are_under_way_at_once(void **state)
{
    int64_t first = last_id + 1;
    struct letter letter = good;
    size_t accepted = 0;

    (void)state;
    for (int i = 0; i < CONNECTIONS; i++)
        (void)begin(good);
    assert_int_equal(port.room(port.self), 0);
    assert_int_equal(port.begin(port.self, &letter, NULL), RC_DEFERRED);
    while (accepted < CONNECTIONS) {
        struct courier_event event = next();

        assert_in_range(event.id, first, last_id);
        if (event.what == COURIER_READY) {
            port.release(port.self, event.id);
        } else {
            expect_accepted(&event);
            accepted++;
        }
    }
    assert_int_equal(port.room(port.self), CONNECTIONS);
}

/* As many as there is room for behind letters that are ready: each is ready only after the one before. */
static void what_comes_behind_a_letter_is_ready_after_it(void **state)
{
    int64_t first[CONNECTIONS];
    size_t accepted = 0, ready_behind = 0;
    size_t behind;

    (void)state;
    for (int i = 0; i < CONNECTIONS; i++)
        (void)begin(good);
    for (size_t i = 0; i < CONNECTIONS; i++) {
        struct courier_event event = next();

        assert_int_equal(event.what, COURIER_READY);
        first[i] = event.id;
    }
    behind = port.room(port.self);
    for (size_t i = 0; i < behind; i++)
        (void)begin(good);
    assert_int_equal(port.room(port.self), 0);
    assert_int_equal(next_within(50).what, COURIER_NOTHING);
    for (size_t i = 0; i < CONNECTIONS; i++)
        port.release(port.self, first[i]);
    while (accepted < CONNECTIONS + behind) {
        struct courier_event event = next();

        if (event.what == COURIER_READY) {
            assert_true(++ready_behind <= accepted);
            port.release(port.self, event.id);
        } else {
            expect_accepted(&event);
            accepted++;
        }
    }
    assert_int_equal(ready_behind, behind);
    assert_int_equal(port.room(port.self), CONNECTIONS);
}

static void large_and_8_bit_letters_go_too(void **state)
{
    CLEANUP(str_clear) struct str octets = STR_INIT;
    struct letter letter = good;

    (void)state;
    str_addz(&octets, "From: help@example.org\r\nSubject: arrives large\r\n\r\n");
    for (size_t i = 0; i < 20000; i++)
        str_addf(&octets, "%s%zu \xC3\xA4\xFF\r\n", i % 7 == 0 ? "." : "", i);
    letter.octets = str_slice(&octets);
    deliver(letter);
}

static void nothing_under_way_is_nothing_until_the_deadline(void **state)
{
    (void)state;
    assert_int_equal(next_within(50).what, COURIER_NOTHING);
    assert_int_equal(next_within(0).what, COURIER_NOTHING);
}

static void after_a_rest_it_goes_on(void **state)
{
    int64_t id;

    (void)state;
    deliver(good);
    id = begin(good);
    expect_ready(id);
    port.rest(port.self);
    assert_int_equal(next_within(50).what, COURIER_NOTHING);
    assert_int_equal(port.room(port.self), CONNECTIONS);
    deliver(good);
}

/* Benches */

static int run_cases(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_letter_is_ready_then_released_then_accepted),
        cmocka_unit_test(nothing_comes_before_release),
        cmocka_unit_test(an_abandoned_letter_says_nothing_more),
        cmocka_unit_test(one_that_was_not_even_ready_may_be_abandoned),
        cmocka_unit_test(ids_that_are_not_under_way_are_ignored),
        cmocka_unit_test(a_refused_recipient_is_told_with_its_reply),
        cmocka_unit_test(a_copy_is_one_more_recipient),
        cmocka_unit_test(what_may_not_be_sent_is_refused_at_once),
        cmocka_unit_test(several_are_under_way_at_once),
        cmocka_unit_test(what_comes_behind_a_letter_is_ready_after_it),
        cmocka_unit_test(large_and_8_bit_letters_go_too),
        cmocka_unit_test(nothing_under_way_is_nothing_until_the_deadline),
        cmocka_unit_test(after_a_rest_it_goes_on),
    };

    return RUN_TESTS(tests);
}

static int run_in_memory(void)
{
    CLEANUP(memory_courier_free) struct memory_courier *memory = memory_courier_new(CONNECTIONS);
    int failed;

    port = memory_courier_port(memory);
    failed = run_cases();
    return memory->accepted == 13 ? failed : 1;
}

static int run_on_a_server(const struct endpoint *endpoint)
{
    struct smtp_settings settings = {
        .endpoint = *endpoint, .connections = CONNECTIONS, .final_timeout_ms = PATIENCE};
    struct clock clock_ = real_clock();
    struct smtp_courier *courier = smtp_courier_new(&settings, &clock_);
    int failed;

    port = smtp_courier_port(courier);
    failed = run_cases();
    smtp_courier_free(courier);
    return failed;
}

int main(int argc, char **argv)
{
    struct endpoint endpoint = {.timeout_ms = PATIENCE};

    for (int i = 1; i < argc; i++)
        if (!set_endpoint(&endpoint, argv[i]))
            return 64;
    return argc > 1 ? run_on_a_server(&endpoint) : run_in_memory();
}
