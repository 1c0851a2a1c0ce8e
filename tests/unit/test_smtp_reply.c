/* SPDX-License-Identifier: Apache-2.0 */
/* links: smtp core */
#include "reply.h"

#include <testing.h>

#include <string.h>

static enum reply_came read_lines(struct reply *r, const char *lines)
{
    struct slice rest = slice_z(lines);
    struct slice line;
    enum reply_came came = REPLY_CAME_PART;

    reply_begin(r);
    while (came == REPLY_CAME_PART && slice_next(&rest, '\n', &line))
        came = reply_line(r, line);
    return came;
}

static void replies_are_put_together(void **state)
{
    static const struct {
        const char *name;
        enum reply_came came;
        int code;
        const char *enhanced;
        const char *text;
    } rows[] = {
        {"250 2.0.0 Ok: queued", REPLY_CAME_WHOLE, 250, "2.0.0", "Ok: queued"},
        {"250", REPLY_CAME_WHOLE, 250, "", ""},
        {"250 ", REPLY_CAME_WHOLE, 250, "", ""},
        {"550 5.1.1", REPLY_CAME_WHOLE, 550, "5.1.1", ""},
        {"550 5.1.100 x", REPLY_CAME_WHOLE, 550, "5.1.100", "x"},
        {"550 5.1.1000 x", REPLY_CAME_WHOLE, 550, "", "5.1.1000 x"},
        {"550 4.1.1 x", REPLY_CAME_WHOLE, 550, "", "4.1.1 x"},
        {"550 5.1.1: x", REPLY_CAME_WHOLE, 550, "", "5.1.1: x"},
        {"550-no\n550-5.7.1 because\n550 5.7.1 of that", REPLY_CAME_WHOLE, 550, "5.7.1", "no"},
        {"250-a\n250", REPLY_CAME_WHOLE, 250, "", "a"},
        {"250-a", REPLY_CAME_PART, 250, "", "a"},
        {"250-a\n251 b", REPLY_CAME_GARBAGE, 250, "", "a"},
        {"354 go\x01on", REPLY_CAME_WHOLE, 354, "", "go on"},
        {"hello", REPLY_CAME_GARBAGE, 0, "", ""},
        {"25", REPLY_CAME_GARBAGE, 0, "", ""},
        {"2500 x", REPLY_CAME_GARBAGE, 0, "", ""},
        {"150 x", REPLY_CAME_GARBAGE, 0, "", ""},
        {"650 x", REPLY_CAME_GARBAGE, 0, "", ""},
        {"2x0 x", REPLY_CAME_GARBAGE, 0, "", ""},
        {" 250 x", REPLY_CAME_GARBAGE, 0, "", ""},
    };

    (void)state;
    FOR_EACH(row, rows) {
        struct reply r;

        assert_int_equal(read_lines(&r, row->name), row->came);
        assert_int_equal(r.code, row->code);
        assert_string_equal(r.enhanced, row->enhanced);
        assert_string_equal(r.text, row->text);
    }
}

static void a_reply_without_end_is_garbage(void **state)
{
    struct reply r;
    int lines = 0;

    (void)state;
    reply_begin(&r);
    while (reply_line(&r, SLICE("250-more")) == REPLY_CAME_PART)
        lines++;
    assert_in_range(lines, 50, 200);
}

static void a_long_text_is_cut(void **state)
{
    char line[2 * COURIER_REPLY_SIZE];
    struct reply r;

    (void)state;
    memset(line, 'x', sizeof line);
    memcpy(line, "250 ", 4);
    reply_begin(&r);
    assert_int_equal(reply_line(&r, (struct slice){line, sizeof line}), REPLY_CAME_WHOLE);
    assert_int_equal(strlen(r.text), COURIER_REPLY_SIZE - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replies_are_put_together),
        cmocka_unit_test(a_reply_without_end_is_garbage),
        cmocka_unit_test(a_long_text_is_cut),
    };

    return RUN_TESTS(tests);
}
