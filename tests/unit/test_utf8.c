/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include <onecase/utf8.h>
#include <testing.h>

#include <string.h>

static void characters_have_one_form_each(void **state)
{
    /* clang-format off */
    static const struct {
        const char *name;
        struct slice octets;
        uint32_t character;
    } rows[] = {
        {"NUL",                             SLICE_INIT("\0"),               0x0000},
        {"the last of one octet",           SLICE_INIT("\x7F"),             0x007F},
        {"the first of two",                SLICE_INIT("\xC2\x80"),         0x0080},
        {"the last of two",                 SLICE_INIT("\xDF\xBF"),         0x07FF},
        {"the first of three",              SLICE_INIT("\xE0\xA0\x80"),     0x0800},
        {"the last before the surrogates",  SLICE_INIT("\xED\x9F\xBF"),     0xD7FF},
        {"the first after them",            SLICE_INIT("\xEE\x80\x80"),     0xE000},
        {"the last of three",               SLICE_INIT("\xEF\xBF\xBF"),     0xFFFF},
        {"the first of four",               SLICE_INIT("\xF0\x90\x80\x80"), 0x10000},
        {"the last of all",                 SLICE_INIT("\xF4\x8F\xBF\xBF"), 0x10FFFF},
        {"one more",                        SLICE_INIT("\xF4\x90\x80\x80"), UTF8_BAD},
        {"five octets",                     SLICE_INIT("\xF8\x88\x80\x80\x80"), UTF8_BAD},
        {"the first surrogate",             SLICE_INIT("\xED\xA0\x80"),     UTF8_BAD},
        {"the last surrogate",              SLICE_INIT("\xED\xBF\xBF"),     UTF8_BAD},
        {"NUL in two octets",               SLICE_INIT("\xC0\x80"),         UTF8_BAD},
        {"one octet's in two",              SLICE_INIT("\xC1\xBF"),         UTF8_BAD},
        {"two octets' in three",            SLICE_INIT("\xE0\x9F\xBF"),     UTF8_BAD},
        {"three octets' in four",           SLICE_INIT("\xF0\x8F\xBF\xBF"), UTF8_BAD},
        {"a continuation alone",            SLICE_INIT("\x80"),             UTF8_BAD},
        {"a beginning alone",               SLICE_INIT("\xC3"),             UTF8_BAD},
        {"a beginning before a letter",     SLICE_INIT("\xC3" "a"),         UTF8_BAD},
        {"three without the third",         SLICE_INIT("\xE2\x82"),         UTF8_BAD},
        {"four with a letter last",         SLICE_INIT("\xF0\x9F\x94" "a"), UTF8_BAD},
        {"FE",                              SLICE_INIT("\xFE"),             UTF8_BAD},
        {"FF",                              SLICE_INIT("\xFF"),             UTF8_BAD},
    };
    /* clang-format on */

    (void)state;
    FOR_EACH(row, rows) {
        struct slice rest = row->octets;

        assert_int_equal(utf8_next(&rest), row->character);
        assert_int_equal(rest.len, row->character == UTF8_BAD ? row->octets.len - 1 : 0);
        assert_int_equal(utf8_valid(row->octets), row->character != UTF8_BAD);
    }
}

static void a_text_is_cut_between_characters(void **state)
{
    static const size_t lengths[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
    struct slice text = SLICE("a\u00E9\u20AC\U0001F525b");

    (void)state;
    for (size_t most = 0; most < LENGTH(lengths); most++)
        assert_int_equal(utf8_cut(text, most).len, lengths[most]);
    assert_int_equal(utf8_cut(SLICE("\x80\x80\x80"), 2).len, 0);
    assert_int_equal(utf8_cut(SLICE(""), 2).len, 0);
}

/* What is no ASCII is found wherever it stands. */
static void one_bad_octet_makes_a_text_invalid_at_any_place(void **state)
{
    char text[41];

    (void)state;
    for (size_t at = 0; at < sizeof text; at++) {
        memset(text, 'a', sizeof text);
        assert_true(utf8_valid((struct slice){text, sizeof text}));
        text[at] = '\xE9';
        assert_false(utf8_valid((struct slice){text, sizeof text}));
        assert_true(utf8_valid((struct slice){text, at}));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_bad_octet_makes_a_text_invalid_at_any_place),
        cmocka_unit_test(characters_have_one_form_each),
        cmocka_unit_test(a_text_is_cut_between_characters),
    };

    return RUN_TESTS(tests);
}
