/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include <onecase/backoff.h>
#include <testing.h>

#include <string.h>

struct answer {
    enum stage stage;
    int code;
    const char *enhanced;
    const char *recipient;
    bool whole;
};

#define LINE STAGE_END_OF_DATA
#define RCPT STAGE_RCPT

static void tell(const struct answer *answers, size_t count)
{
    struct streak s = {0};

    for (size_t i = 0; i < count && answers[i].recipient; i++) {
        const struct answer *a = &answers[i];

        print_message("        %d %s to %s\n", a->code, a->enhanced, a->recipient);
        assert_int_equal(streak_note(&s, a->stage, a->code, a->enhanced, a->recipient, "key"),
                         a->whole);
    }
}

static void three_in_a_row_for_three_recipients_are_the_servers(void **state)
{
    /* clang-format off */
    static const struct {
        const char *name;
        struct answer answers[8];
    } rows[] = {
        {"554 after the line, thrice",
         {{LINE, 554, "", "a", false}, {LINE, 554, "", "b", false}, {LINE, 554, "", "c", true}}},
        {"550 at RCPT, thrice",
         {{RCPT, 550, "5.7.1", "a", false}, {RCPT, 550, "5.7.1", "b", false}, {RCPT, 550, "5.7.1", "c", true}}},
        {"554 to DATA, thrice",
         {{STAGE_DATA, 554, "", "a", false}, {STAGE_DATA, 554, "", "b", false}, {STAGE_DATA, 554, "", "c", true}}},
        {"451 after the line, thrice",
         {{LINE, 451, "", "a", false}, {LINE, 451, "", "b", false}, {LINE, 451, "", "c", true}}},
        {"one recipient, thrice",
         {{LINE, 554, "", "a", false}, {LINE, 554, "", "a", false}, {LINE, 554, "", "a", false}, {LINE, 554, "", "b", false},
          {LINE, 554, "", "b", false}, {LINE, 554, "", "c", true}}},
        {"another code between begins anew",
         {{LINE, 554, "", "a", false}, {LINE, 554, "", "b", false}, {LINE, 550, "", "c", false}, {LINE, 554, "", "c", false},
          {LINE, 554, "", "d", false}, {LINE, 554, "", "e", true}}},
        {"one accepted between begins anew",
         {{LINE, 554, "", "a", false}, {LINE, 554, "", "b", false}, {LINE, 250, "", "c", false}, {LINE, 554, "", "d", false},
          {LINE, 554, "", "e", false}, {LINE, 554, "", "f", true}}},
        {"it stays whole while nothing is accepted",
         {{LINE, 554, "", "a", false}, {LINE, 554, "", "b", false}, {LINE, 554, "", "c", true}, {LINE, 554, "", "d", true},
          {LINE, 554, "", "a", true}, {LINE, 554, "", "e", true}}},
        {"once one is accepted, a refusal stands",
         {{LINE, 554, "", "a", false}, {LINE, 554, "", "b", false}, {LINE, 554, "", "c", true}, {LINE, 250, "", "a", false},
          {LINE, 554, "", "b", false}, {LINE, 554, "", "c", false}}},
        {"another code ends a whole one",
         {{LINE, 554, "", "a", false}, {LINE, 554, "", "b", false}, {LINE, 554, "", "c", true}, {LINE, 452, "", "d", false},
          {LINE, 554, "", "e", false}}},
    };
    /* clang-format on */

    (void)state;
    FOR_EACH(row, rows)
        tell(row->answers, LENGTH(row->answers));
}

/* What says something of one recipient, or of everybody by itself, is no part of a streak. */
static void these_do_not_count(void **state)
{
    static const struct {
        const char *name;
        enum stage stage;
        int code;
        const char *enhanced;
    } rows[] = {
        {"5.1.1 at RCPT", RCPT, 550, "5.1.1"},
        {"5.1.10 after the line", LINE, 550, "5.1.10"},
        {"5.1.2 to DATA", STAGE_DATA, 554, "5.1.2"},
        {"450 at RCPT", RCPT, 450, ""},
        {"451 to DATA", STAGE_DATA, 451, ""},
        {"554 to MAIL", STAGE_MAIL, 554, ""},
        {"554 in the banner", STAGE_CONNECT, 554, ""},
        {"no reply", LINE, 0, ""},
        {"accepted to RCPT", RCPT, 250, ""},
        {"354 to DATA", STAGE_DATA, 354, ""},
    };
    static const char *const recipients[] = {"a", "b", "c", "d"};

    (void)state;
    FOR_EACH(row, rows) {
        struct streak s = {0};

        for (size_t i = 0; i < LENGTH(recipients); i++)
            assert_false(
                streak_note(&s, row->stage, row->code, row->enhanced, recipients[i], "key"));
        assert_int_equal(s.length, 0);
    }
}

static void what_does_not_count_does_not_end_it(void **state)
{
    struct streak s = {0};

    (void)state;
    assert_false(streak_note(&s, LINE, 554, "", "a", "1"));
    assert_false(streak_note(&s, LINE, 554, "", "b", "2"));
    assert_false(streak_note(&s, RCPT, 550, "5.1.1", "x", "9"));
    assert_false(streak_note(&s, RCPT, 250, "", "c", "3"));
    assert_true(streak_note(&s, LINE, 554, "", "c", "3"));
}

static void it_remembers_whom_it_met(void **state)
{
    struct streak s = {0};

    (void)state;
    streak_note(&s, LINE, 554, "", "ra", "ka");
    streak_note(&s, LINE, 554, "", "rb", "kb");
    streak_note(&s, LINE, 554, "", "rc", "kc");
    streak_note(&s, LINE, 554, "", "rd", "kd");
    assert_int_equal(s.code, 554);
    assert_int_equal(s.length, STREAK_LENGTH);
    assert_string_equal(s.effect[0], "ka");
    assert_string_equal(s.effect[1], "kb");
    assert_string_equal(s.effect[2], "kc");
    assert_string_equal(s.recipient[2], "rc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_in_a_row_for_three_recipients_are_the_servers),
        cmocka_unit_test(these_do_not_count),
        cmocka_unit_test(what_does_not_count_does_not_end_it),
        cmocka_unit_test(it_remembers_whom_it_met),
    };

    return RUN_TESTS(tests);
}
