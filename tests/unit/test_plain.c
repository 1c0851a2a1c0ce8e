/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports front */
#include <onecase/front.h>
#include <onecase/utf8.h>
#include <testing.h>

#include <stdlib.h>
#include <string.h>

#define BAD "\xEF\xBF\xBD"

static void what_a_terminal_would_obey_becomes_a_blank(void **state)
{
    static const struct {
        const char *name, *text, *plain;
    } rows[] = {
        {"letters stay", "Printer, floor 3", "Printer, floor 3"},
        {"so do letters of other scripts", "Störung 東京 отчёт", "Störung 東京 отчёт"},
        {"emoji stay", "\xF0\x9F\x98\x83", "\xF0\x9F\x98\x83"},
        {"marks upon letters stay", "e\xCC\x81", "e\xCC\x81"},
        {"escape", "\033[31mred", " [31mred"},
        {"the second set of controls",
         "a\xC2\x9B"
         "31m",
         "a 31m"},
        {"delete",
         "a\x7F"
         "b",
         "a b"},
        {"a tab and a line end", "a\tb\nc\rd", "a b c d"},
        {"text turned around", "a\xE2\x80\xAEtxt.exe", "a txt.exe"},
        {"an isolate of text turned around",
         "\xE2\x81\xA7"
         "b",
         " b"},
        {"the Arabic letter mark",
         "\xD8\x9C"
         "b",
         " b"},
        {"a blank without width",
         "a\xE2\x80\x8B"
         "b",
         "a b"},
        {"a byte order mark",
         "\xEF\xBB\xBF"
         "a",
         " a"},
        {"a tag", "\xF3\xA0\x81\xA1", " "},
        {"a line separator",
         "a\xE2\x80\xA8"
         "b",
         "a b"},
        {"an octet that begins nothing",
         "a\x80"
         "b",
         "a" BAD "b"},
        {"Latin-1", "f\xFCr", "f" BAD "r"},
        {"a form that is too long", "\xC0\xAF", BAD BAD},
        {"three octets for one of two", "\xE0\x80\xAF", BAD BAD BAD},
        {"a surrogate", "\xED\xA0\x80", BAD BAD BAD},
        {"beyond the last", "\xF4\x90\x80\x80", BAD BAD BAD BAD},
        {"cut short at the end", "a\xE6\x9D", "a" BAD BAD},
        {"cut short before a letter",
         "\xE6\x9D"
         "b",
         BAD BAD "b"},
        {"nothing", "", ""},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str plain = STR_INIT;

        plain_text(row->text, &plain);
        assert_string_equal(str_z(&plain), row->plain);
    }
}

static void no_text_is_an_empty_one(void **state)
{
    CLEANUP(str_clear) struct str plain = STR_INIT;

    (void)state;
    plain_text(NULL, &plain);
    assert_int_equal(plain.len, 0);
}

static void mending_replaces_only_what_is_no_utf_8(void **state)
{
    CLEANUP(str_clear) struct str mended = STR_INIT;

    (void)state;
    utf8_mend(SLICE("\0a\033\xC3\xA9\xE9"), &mended);
    assert_int_equal(mended.len, 8);
    assert_memory_equal(mended.at, "\0a\033\xC3\xA9" BAD, 8);
}

/* ---- columns -------------------------------------------------------------------------------- */

static void columns_are_those_of_a_terminal(void **state)
{
    static const struct {
        const char *name, *text;
        size_t columns;
    } rows[] = {
        {"letters", "printer", 7},
        {"letters with marks in one", "Störung", 7},
        {"letters with marks upon them",
         "e\xCC\x81"
         "a",
         2},
        {"East Asian letters are wide", "東京", 4},
        {"so are emoji", "\xF0\x9F\x98\x83\xF0\x9F\x9A\x80", 4},
        {"Korean", "\xED\x95\x9C", 2},
        {"half-width letters are not", "\xEF\xBD\xB1", 1},
        {"full-width letters are", "\xEF\xBC\xA1", 2},
        {"the ellipsis", "…", 1},
        {"an octet that is no letter", "\x80", 1},
        {"nothing", "", 0},
    };

    (void)state;
    FOR_EACH(row, rows)
        assert_int_equal(plain_columns(row->text), row->columns);
}

static void columns_do_not_depend_on_the_locale(void **state)
{
    (void)state;
    assert_int_equal(setenv("LC_ALL", "C", 1), 0);
    assert_int_equal(plain_columns("東京 ü"), 6);
}

static void what_does_not_fit_is_cut_with_an_ellipsis(void **state)
{
    static const struct {
        const char *name, *text;
        size_t columns;
        const char *cut;
    } rows[] = {
        {"what fits stays", "printer", 7, "printer"},
        {"one letter too many", "printers", 7, "printe…"},
        {"one column is left", "printer", 1, "…"},
        {"no column is left", "printer", 0, ""},
        {"a wide letter is not halved", "東京都", 4, "東…"},
        {"where it would be halved it is left out", "東京都", 5, "東京…"},
        {"a mark stays with its letter", "e\xCC\x81xyz", 2, "e\xCC\x81…"},
        {"nothing", "", 3, ""},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str cut = STR_INIT;

        plain_cut(row->text, row->columns, &cut);
        assert_string_equal(str_z(&cut), row->cut);
    }
}

/* ---- lines ---------------------------------------------------------------------------------- */

static char *wrapped(const char *text, size_t indent, size_t width)
{
    char *at;
    size_t len;
    FILE *out = open_memstream(&at, &len);

    assert_non_null(out);
    plain_wrap(text, indent, width, out);
    fclose(out);
    return at;
}

static void lines_are_broken_between_words(void **state)
{
    static const struct {
        const char *name, *text;
        size_t indent, width;
        const char *lines;
    } rows[] = {
        {"what fits", "to be done", 0, 20, "to be done\n"},
        {"any width", "to be done, and done again", 4, 0, "to be done, and done again\n"},
        {"two lines", "to be done, and done again", 0, 15, "to be done, and\ndone again\n"},
        {"just fitting", "to be done", 0, 10, "to be done\n"},
        {"the caller has used the indent", "to be done again", 4, 14, "to be done\n    again\n"},
        {"a word longer than a line", "abcdefghijklmn", 2, 12, "abcdefghij\n  klmn\n"},
        {"wide letters", "東京都庁舎の印刷機", 0, 11, "東京都庁舎\nの印刷機\n"},
        {"no room beside the indent", "to be done", 20, 25, "\nto be done\n"},
        {"controls", "a\nb", 0, 20, "a b\n"},
        {"nothing", "", 4, 20, "\n"},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(mem_free) char *lines = wrapped(row->text, row->indent, row->width);

        assert_string_equal(lines, row->lines);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_terminal_would_obey_becomes_a_blank),
        cmocka_unit_test(no_text_is_an_empty_one),
        cmocka_unit_test(mending_replaces_only_what_is_no_utf_8),
        cmocka_unit_test(columns_are_those_of_a_terminal),
        cmocka_unit_test(columns_do_not_depend_on_the_locale),
        cmocka_unit_test(what_does_not_fit_is_cut_with_an_ellipsis),
        cmocka_unit_test(lines_are_broken_between_words),
    };

    return RUN_TESTS(tests);
}
