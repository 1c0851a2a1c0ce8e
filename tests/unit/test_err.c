/* SPDX-License-Identifier: Apache-2.0 */
/* links: base */
#include <onecase/err.h>
#include <testing.h>

#include <string.h>

static enum rc refuse(struct err *err, const char *what)
{
    return FAIL(err, RC_REFUSED, "test: %s is refused", what);
}

static void fail_fills_rc_place_and_text(void **state)
{
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(refuse(&err, "this"), RC_REFUSED);
    assert_int_equal(err.rc, RC_REFUSED);
    assert_string_equal(err.where, "refuse");
    assert_string_equal(err.text, "test: this is refused");
}

static void fail_without_an_err_still_returns_the_rc(void **state)
{
    (void)state;
    assert_int_equal(refuse(NULL, "this"), RC_REFUSED);
}

static void a_long_text_is_cut_and_terminated(void **state)
{
    struct err err = ERR_INIT;
    char long_text[2 * ERR_TEXT_SIZE];

    (void)state;
    memset(long_text, 'x', sizeof long_text);
    long_text[sizeof long_text - 1] = '\0';
    assert_int_equal(FAIL(&err, RC_BROKEN, "%s", long_text), RC_BROKEN);
    assert_int_equal(strlen(err.text), ERR_TEXT_SIZE - 1);
}

static void a_character_is_never_cut_in_half(void **state)
{
    struct err err = ERR_INIT;
    char text[ERR_TEXT_SIZE + 2];

    (void)state;
    for (size_t short_of_end = 1; short_of_end <= 2; short_of_end++) {
        size_t start = ERR_TEXT_SIZE - 1 - short_of_end;

        memset(text, 'x', sizeof text);
        memcpy(text + start, "\xE2\x82\xAC", 4);
        assert_int_equal(FAIL(&err, RC_BROKEN, "%s", text), RC_BROKEN);
        assert_int_equal(strlen(err.text), start);
    }
}

static void a_text_may_quote_the_text_it_replaces(void **state)
{
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(FAIL(&err, RC_DEFERRED, "no route"), RC_DEFERRED);
    assert_int_equal(FAIL(&err, RC_UNKNOWN, "smtp: %s", err.text), RC_UNKNOWN);
    assert_string_equal(err.text, "smtp: no route");
}

static void prefix_goes_before_the_text_and_keeps_the_rc(void **state)
{
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(FAIL(&err, RC_DEFERRED, "no route"), RC_DEFERRED);
    assert_int_equal(err_prefix(&err, "mailbox %s", "help"), RC_DEFERRED);
    assert_string_equal(err.text, "mailbox help: no route");
    assert_string_equal(err.where, __func__);
}

static void every_rc_has_its_word(void **state)
{
    static const struct {
        const char *name;
        enum rc rc;
    } rows[] = {
        {"ok", RC_OK},           {"deferred", RC_DEFERRED},
        {"refused", RC_REFUSED}, {"conflict", RC_CONFLICT},
        {"unknown", RC_UNKNOWN}, {"not-found", RC_NOT_FOUND},
        {"usage", RC_USAGE},     {"broken", RC_BROKEN},
        {"?", RC_COUNT},         {"?", (enum rc)(RC_COUNT + 1)},
    };

    (void)state;
    FOR_EACH(row, rows)
        assert_string_equal(rc_text(row->rc), row->name);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(fail_fills_rc_place_and_text),
        cmocka_unit_test(fail_without_an_err_still_returns_the_rc),
        cmocka_unit_test(a_long_text_is_cut_and_terminated),
        cmocka_unit_test(a_character_is_never_cut_in_half),
        cmocka_unit_test(a_text_may_quote_the_text_it_replaces),
        cmocka_unit_test(prefix_goes_before_the_text_and_keeps_the_rc),
        cmocka_unit_test(every_rc_has_its_word),
    };

    return RUN_TESTS(tests);
}
