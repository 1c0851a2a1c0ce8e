/* SPDX-License-Identifier: Apache-2.0 */
/* links: message */
#include "words.h"

#include <testing.h>

#define BAD           "\xEF\xBF\xBD"
#define IS(raw, text) SLICE_INIT(raw), (text)

static const struct {
    const char *name;
    struct slice raw;
    const char *text;
} rows[] = {
    /* clang-format off */
    {"plain text",                              IS(" Printer on floor 3\r\n", "Printer on floor 3")},
    {"Q",                                       IS("=?utf-8?Q?Gr=C3=BC=C3=9Fe?=", "Grüße")},
    {"B",                                       IS("=?utf-8?B?R3LDvMOfZQ==?=", "Grüße")},
    {"in lower case",                           IS("=?UTF-8?q?Gr=c3=bc?=", "Grü")},
    {"underscores are blanks",                  IS("=?utf-8?Q?a_b?=", "a b")},
    {"text around words",                       IS("Re: =?utf-8?Q?=C3=BC?= now", "Re: ü now")},
    {"white space between words is none",       IS("=?utf-8?Q?a?= =?utf-8?Q?b?=", "ab")},
    {"nor is a fold",                           IS("=?utf-8?Q?a?=\r\n =?utf-8?Q?b?=", "ab")},
    {"between words of two charsets too",       IS("=?utf-8?Q?=C3=BC?= =?iso-8859-1?Q?=FC?=", "üü")},
    {"a character cut between words",           IS("=?utf-8?Q?=C3?= =?utf-8?Q?=BC?=", "ü")},
    {"cut between words in base64",             IS("=?utf-8?B?w4TDtsO8IQ==?= =?utf-8?B?w4TDtsO8?=", "Äöü!Äöü")},
    {"cut between Q and B",                     IS("=?utf-8?Q?=C3?= =?utf-8?B?vA==?=", "ü")},
    {"with a language",                         IS("=?utf-8*de?Q?Gr=C3=BC=C3=9Fe?= aus Bonn", "Grüße aus Bonn")},
    {"glued to text",                           IS("a=?utf-8?Q?=C3=BC?=b", "aüb")},
    {"glued to each other",                     IS("=?utf-8?Q?a?==?utf-8?Q?b?=", "ab")},
    {"within quotes",                           IS("\"=?utf-8?Q?=C3=BC?=\"", "\"ü\"")},
    {"with raw blanks in it",                   IS("=?utf-8?Q?a b?=", "a b")},
    {"with a fold in it",                       IS("=?utf-8?Q?a\r\n b?=", "a b")},
    {"without padding",                         IS("=?utf-8?B?R3LDvA?=", "Grü")},
    {"empty",                                   IS("=?utf-8?Q?\?=", "")},
    {"an unknown charset, UTF-8",               IS("=?x-77?Q?=C3=BC?=", "ü")},
    {"an unknown charset, not UTF-8",           IS("=?x-77?Q?=FC?=", "ü")},
    {"gb2312",                                  IS("=?gb2312?B?h9Y=?=", "囍")},
    {"iso-2022-jp over two words",              IS("=?iso-2022-jp?B?GyRCJUYlORsoQg==?= =?iso-2022-jp?B?GyRCJUgbKEI=?=", "テスト")},
    {"raw UTF-8",                               IS("Drucker \xE2\x80\x93 B\xC3\xBCro", "Drucker – Büro")},
    {"raw windows-1252",                        IS("T\xFCr klemmt", "Tür klemmt")},
    {"raw octets beside a word",                IS("T\xFCr =?utf-8?Q?=C3=BC?=", "Tür ü")},
    {"no encoding",                             IS("=?utf-8?X?abc?=", "=?utf-8?X?abc?=")},
    {"no charset",                              IS("=??Q?abc?=", "=??Q?abc?=")},
    {"no end",                                  IS("=?utf-8?Q?abc", "=?utf-8?Q?abc")},
    {"a question in Q",                         IS("=?utf-8?Q?why?\?=", "why?")},
    {"markup is text",                          IS("<script>alert(1)</script>", "<script>alert(1)</script>")},
    {"an encoded line end is a blank",          IS("=?utf-8?Q?a=0D=0ABcc:_x?=", "a  Bcc: x")},
    {"an encoded NUL is seen",                  IS("=?utf-8?Q?a=00b?=", "a" BAD "b")},
    {"other controls are blanks",               IS("a\x07" "b\x7F" "c", "a b c")},
    {"separators of lines too",                 IS("a\xE2\x80\xA8" "b", "a b")},
    {"a tab stays, and so does a fold's",       IS("a\tb\r\n\tc\r\n  d", "a\tb\tc  d")},
    {"begins on the next line",                 IS("\r\n Printer", "Printer")},
    {"blank",                                   IS(" \r\n \t", "")},
    /* clang-format on */
};

static void a_header_is_read(void **state)
{
    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str text = STR_INIT;

        words_text(row->raw, &text);
        assert_string_equal(str_z(&text), row->text);
    }
}

static void a_word_is_found_or_not(void **state)
{
    (void)state;
    assert_true(words_present(SLICE("a =?utf-8?Q?b?= c")));
    assert_false(words_present(SLICE("a =?utf-8?Q?b c")));
    assert_false(words_present(SLICE("")));
}

/* 200,000 beginnings of words without an end, and as many with one far away. */
static void many_beginnings_cost_little(void **state)
{
    CLEANUP(str_clear) struct str raw = STR_INIT;
    CLEANUP(str_clear) struct str text = STR_INIT;

    (void)state;
    for (int i = 0; i < 200000; i++)
        str_addz(&raw, "=?u?X?");
    words_text(str_slice(&raw), &text);
    assert_int_equal(text.len, raw.len);
    str_addz(&raw, "=?utf-8?Q?x?=");
    words_text(str_slice(&raw), &text);
    assert_int_equal(text.len, raw.len - 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_header_is_read),
        cmocka_unit_test(a_word_is_found_or_not),
        cmocka_unit_test(many_beginnings_cost_little),
    };

    return RUN_TESTS(tests);
}
