/* SPDX-License-Identifier: Apache-2.0 */
/* links: message */
#include "charset.h"
#include "charset_labels.h"

#include <testing.h>

#include <iconv.h>

#define IS(label, in, out) SLICE_INIT(label), SLICE_INIT(in), SLICE_INIT(out)
#define BAD                "\xEF\xBF\xBD"

static const struct {
    const char *name;
    struct slice label, in, out;
} rows[] = {
    /* clang-format off */
    {"UTF-8",                                     IS("utf-8", "gr\xC3\xBC\xC3\x9F", "grüß")},
    {"without its hyphen",                        IS("UTF8", "\xC3\xBC", "ü")},
    {"with a language",                           IS("utf-8*de", "\xC3\xBC", "ü")},
    {"overlong and lone octets are replaced",     IS("utf-8", "a\xC1\xBE" "b\xFF" "c", "a" BAD BAD "b" BAD "c")},
    {"so is a character that is cut off",         IS("utf-8", "a\xE2\x82", "a" BAD BAD)},
    {"and a surrogate",                           IS("utf-8", "a\xED\xA0\x80", "a" BAD BAD BAD)},
    {"NUL becomes visible",                       IS("utf-8", "a\0b", "a" BAD "b")},
    {"four octets",                               IS("utf-8", "\xF0\x9F\x94\xA5", "\xF0\x9F\x94\xA5")},
    {"a byte order mark is none of the text",     IS("utf-8", "\xEF\xBB\xBFx", "x")},
    {"it tells more than the label",              IS("iso-8859-1", "\xEF\xBB\xBF\xC3\xBC", "ü")},
    {"UTF-8 that never was",                      IS("utf-8", "Gr\xFC\xDF" "e, that\x92s na\xEFve", "Grüße, that’s naïve")},
    {"but for what is not in words",              IS("utf-8", "a\xFC, \xFC, \xFF", "a" BAD ", " BAD ", " BAD)},
    {"or is cut off in a character",              IS("utf-8", "Gr\xC3", "Gr" BAD)},
    {"nor where anything is right",               IS("utf-8", "Gr\xC3\xBC\xDF" "e", "Grü" BAD "e")},
    {"latin 1 is windows-1252",                   IS("iso-8859-1", "\x80 40\x85 that\x92s", "€ 40… that’s")},
    {"by its other names",                        IS("latin1", "\xFC", "ü")},
    {"also with a year",                          IS("ISO_8859-1:1987", "\xFC", "ü")},
    {"us-ascii that is UTF-8",                    IS("us-ascii", "\xC3\xBC", "ü")},
    {"us-ascii that is not",                      IS("us-ascii", "\xFC", "ü")},
    {"no label, UTF-8",                           IS("", "\xC3\xBC", "ü")},
    {"no label, not UTF-8",                       IS("", "\xFC", "ü")},
    {"an unknown label, UTF-8",                   IS("x-unknown-77", "Z\xC3\xBCrich", "Zürich")},
    {"an unknown label, not UTF-8",               IS("x-unknown-77", "Z\xFCrich", "Zürich")},
    {"no label, UTF-8 cut in a character",        IS("", "\xD0\x9A\xD0\xB0\xD1\x80\xD1\x82\xD0", "Карт" BAD)},
    {"what windows-1252 lacks",                   IS("windows-1252", "a\x81" "b\xFC", "a" BAD "bü")},
    {"gb2312 is GB18030",                         IS("gb2312", "\x87\xD6", "囍")},
    {"with the euro sign of Windows",             IS("gbk", "\xD6\xD0\x80\xCE\xC4", "中€文")},
    {"gbk too",                                   IS("GBK", "\x87\xD6", "囍")},
    {"four octets of GB18030",                    IS("gb18030", "\x95\x32\x82\x36", "\xF0\xA0\x80\x80")},
    {"hz",                                        IS("hz-gb-2312", "a~{VPND~}b~~", "a中文b~")},
    {"big5",                                      IS("big5", "\xA4\xA4\xA4\xE5", "中文")},
    {"big5 as Windows has it",                    IS("big5", "\xA1\x45\xA2\x41\xA2\x44\xA1\xFE\xA2\xCC\xA3\xE1", "‧∕￥／十€")},
    {"with what Hong Kong added",                 IS("big5", "\x87\x45\x88\x62\xFA\x40\xC6\xA1\xC7\x41", "𧉧Ê̄𠕇①ず")},
    {"and what ends with it",                     IS("big5", "\xA4\xA4\x88\x66", "中Ê")},
    {"cp932 with NEC's row",                      IS("cp932", "\x87\x40", "①")},
    {"by other names",                            IS("x-sjis", "\x83\x65\x83\x58\x83\x67", "テスト")},
    {"and another",                               IS("Windows-31J", "\x83\x65", "テ")},
    {"euc-jp with NEC's row",                     IS("euc-jp", "\xAD\xA1", "①")},
    {"euc-jp with IBM's characters",              IS("euc-jp", "\xFC\xE2\xB6\xB6\x8F\xB0\xA1\xF9\xA1", "髙橋丂纊")},
    {"iso-2022-jp",                               IS("iso-2022-jp", "\x1B$B%F%9%H\x1B(B ok", "テスト ok")},
    {"with NEC's row 13",                         IS("iso-2022-jp", "\x1B$B-!\x1B(B", "①")},
    {"with IBM's characters",                     IS("iso-2022-jp", "\x1B$B|b66\x1B(B", "髙橋")},
    {"with half-width katakana",                  IS("iso-2022-jp", "\x1B(IC=D\x1B(B", "ﾃｽﾄ")},
    {"with JIS X 0212",                           IS("iso-2022-jp-1", "\x1B$(D0!\x1B(B", "丂")},
    {"a line begins in ASCII",                    IS("iso-2022-jp", "\x1B$B%F\nok", "テ\nok")},
    {"unlabelled, known by its escapes",          IS("", "\x1B$B%F%9%H\x1B(B", "テスト")},
    {"ks_c_5601-1987 is cp949",                   IS("ks_c_5601-1987", "\xC7\xD1\x81\x41", "한갂")},
    {"iso-8859-9 is windows-1254",                IS("iso-8859-9", "\x80\xFE", "€ş")},
    {"tis-620 is windows-874",                    IS("tis-620", "\xA1\x85", "ก…")},
    {"logical Hebrew",                            IS("iso-8859-8-i", "\xF9", "ש")},
    {"a Hebrew letter at the end",                IS("windows-1255", "\xF9\xEC\xE5\xED", "שלום")},
    {"a letter of Vietnamese at the end",         IS("windows-1258", "ch\xE0o b\xE0 a", "chào bà a")},
    {"koi8-r",                                    IS("koi8_r", "\xD0\xD2", "пр")},
    {"windows-1251",                              IS("cp1251", "\xEF\xF0", "пр")},
    {"macroman",                                  IS("x-mac-roman", "\x8A", "ä")},
    {"utf-16 without a mark",                     IS("utf-16le", "a\0b\0", "ab")},
    {"utf-16 with a mark",                        IS("utf-16", "\xFE\xFF\0a\0b", "ab")},
    {"utf-16 that never was",                     IS("utf-16", "Grü", "Grü")},
    {"utf-32",                                    IS("utf-32", "\xFF\xFE\0\0\xFC\0\0\0", "ü")},
    {"a label with its parameter's name",         IS("charset=koi8-r", "\xD0\xD2", "пр")},
    {"johab",                                     IS("johab", "\xD0\x65\x8B\x69", "한글")},
    {"of DOS",                                    IS("DOS-862", "\x99\x8C\x85\x8D", "שלום")},
    {"utf-7",                                     IS("utf-7", "Z+APw-rich", "Zürich")},
    {"a wrong label, UTF-8",                      IS("iso-2022-kr", "\xC3\xBC", "ü")},
    {"a wrong label, not UTF-8",                  IS("big5", "caf\xE9 \xE9 \xE9", "café é é")},
    {"one fault in much text keeps the label",    IS("gb2312", "\xD6\xD0\xCE\xC4\xD6\xD0\xCE\xC4\xFF", "中文中文" BAD)},
    {"nothing",                                   IS("utf-8", "", "")},
    /* clang-format on */
};

static void octets_become_text(void **state)
{
    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str out = STR_INIT;

        charset_decode(row->label, row->in, CHARSET_TEXT, &out);
        assert_string_equal(str_z(&out), row->out.at);
        assert_int_equal(out.len, row->out.len);
    }
}

/* A header is short: where no character of several octets is right, it never was UTF-8. */
static void in_a_header_a_wrong_utf8_label_is_windows_1252(void **state)
{
    CLEANUP(str_clear) struct str header = STR_INIT;
    CLEANUP(str_clear) struct str damaged = STR_INIT;

    (void)state;
    charset_decode(SLICE("utf-8"), SLICE("T\xFCr"), CHARSET_HEADER, &header);
    assert_string_equal(str_z(&header), "Tür");
    charset_decode(SLICE("utf-8"), SLICE("T\xC3\xBCr\xC3"), CHARSET_HEADER, &damaged);
    assert_string_equal(str_z(&damaged), "Tür" BAD);
}

static void assert_converter(const char *name)
{
    iconv_t converter = iconv_open("UTF-8", name);

    assert_true(converter != (iconv_t)-1); /* NOLINT(performance-no-int-to-ptr): its own idiom */
    iconv_close(converter);
}

/* The reader's child cannot look for a converter: each has to be there from the start. */
static void every_converter_of_the_table_is_there(void **state)
{
    (void)state;
    charset_prepare();
    for (size_t i = 0; i < charset_count; i++) {
        CLEANUP(str_clear) struct str label = STR_INIT;
        CLEANUP(str_clear) struct str out = STR_INIT;
        struct slice labels = slice_z(charsets[i].labels);

        slice_next(&labels, ' ', &(struct slice){0});
        str_add(&label, slice_cut(labels, 0, slice_find(labels, ' ', 0)));
        print_message("    %s\n", charsets[i].converter);
        assert_converter(charsets[i].converter);
        if (charsets[i].second != NULL)
            assert_converter(charsets[i].second);
        assert_int_equal(charset_find(str_slice(&label)), i);
        charset_decode(str_slice(&label), SLICE("a\0b\0"), CHARSET_TEXT, &out);
        assert_true(out.len >= 2);
    }
}

static void a_label_belongs_to_one_charset(void **state)
{
    (void)state;
    for (size_t i = 0; i < charset_count; i++) {
        struct slice rest = slice_z(charsets[i].labels);
        struct slice label;

        while (slice_next(&rest, ' ', &label))
            if (label.len > 0)
                assert_int_equal(charset_find(label), i);
    }
}

static void what_is_no_label_is_unknown(void **state)
{
    static const char long_one[] =
        "utf8utf8utf8utf8utf8utf8utf8utf8utf8utf8utf8utf8utf8utf8utf8utf8";

    (void)state;
    assert_false(charset_known(SLICE("")));
    assert_false(charset_known(SLICE("x-")));
    assert_false(charset_known(SLICE("utf-8//TRANSLIT")));
    assert_false(charset_known(SLICE("iso-2022-cn-ext")));
    assert_false(charset_known(SLICE("../../tmp/evil")));
    assert_false(charset_known(SLICE(long_one)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(octets_become_text),
        cmocka_unit_test(in_a_header_a_wrong_utf8_label_is_windows_1252),
        cmocka_unit_test(every_converter_of_the_table_is_there),
        cmocka_unit_test(a_label_belongs_to_one_charset),
        cmocka_unit_test(what_is_no_label_is_unknown),
    };

    return RUN_TESTS(tests);
}
