/* SPDX-License-Identifier: Apache-2.0 */
/* links: message */
#include "parameters.h"

#include <testing.h>

#define ABSENT NULL

static const struct {
    const char *name;
    const char *raw, *value, *filename;
} rows[] = {
    /* clang-format off */
    {"a token",                       "attachment; filename=a.pdf", "attachment", "a.pdf"},
    {"a quoted string",               "attachment; filename=\"a b.pdf\"", "attachment", "a b.pdf"},
    {"in capitals",                   "ATTACHMENT; FILENAME=A.pdf", "attachment", "A.pdf"},
    {"blanks around everything",      " attachment ; filename = \"a.pdf\" ", "attachment", "a.pdf"},
    {"none",                          "attachment", "attachment", ABSENT},
    {"empty",                         "attachment; filename=\"\"", "attachment", ""},
    {"no value",                      "attachment; filename", "attachment", ""},
    {"the first of two",              "attachment; filename=a; filename=b", "attachment", "a"},
    {"a semicolon in quotes",         "attachment; filename=\"a; b \\\"c\\\" <d@example.com>.txt\"", "attachment", "a; b \"c\" <d@example.com>.txt"},
    {"a Windows path in quotes",      "attachment; filename=\"C:\\Temp\\x.exe\"", "attachment", "C:\\Temp\\x.exe"},
    {"a quote that does not close",   "attachment; filename=\"a.pdf", "attachment", "a.pdf"},
    {"blanks in a token",             "attachment; filename=my report.pdf; size=3", "attachment", "my report.pdf"},
    {"a semicolon is missing",        "attachment; size=3 filename=\"a.pdf\"", "attachment", "a.pdf"},
    {"another one",                   "attachment; x=\"3\" filename=\"a.pdf\"", "attachment", "a.pdf"},
    {"two semicolons",                "attachment;; filename=a.pdf;", "attachment", "a.pdf"},
    {"a comment",                     "attachment (what; else=x); filename=a.pdf", "attachment", "a.pdf"},
    {"a comment that does not close", "attachment (what; filename=a.pdf", "attachment", "a.pdf"},
    {"folded in quotes",              "attachment; filename=\"Maintenance and\r\n Monitoring.pdf\"", "attachment", "Maintenance and Monitoring.pdf"},
    {"folded with a tab",             "attachment;\r\n\tfilename=\"a\r\n\tb.pdf\"", "attachment", "a b.pdf"},
    {"raw UTF-8",                     "attachment; filename=\"r\xC3\xA9sum\xC3\xA9.pdf\"", "attachment", "résumé.pdf"},
    {"raw windows-1252",              "attachment; filename=\"r\xE9sum\xE9.pdf\"", "attachment", "résumé.pdf"},
    {"an encoded word",               "attachment; filename=\"=?utf-8?B?xb3DoWRvc3Q=?=.pdf\"", "attachment", "Žádost.pdf"},
    {"encoded words, folded",         "attachment; filename=\"=?utf-8?Q?=C5=BD=C3=A1?=\r\n =?utf-8?Q?d.pdf?=\"", "attachment", "Žád.pdf"},
    {"an encoded word without quotes", "attachment; filename==?utf-8?Q?=C5=BD.pdf?=", "attachment", "Ž.pdf"},
    {"extended",                      "attachment; filename*=UTF-8''Bericht%C3%A4.pdf", "attachment", "Berichtä.pdf"},
    {"with a language",               "attachment; filename*=utf-8'de'%C3%A4.pdf", "attachment", "ä.pdf"},
    {"extended counts more",          "attachment; filename=\"B_.pdf\"; filename*=UTF-8''B%C3%A4.pdf", "attachment", "Bä.pdf"},
    {"also if it comes first",        "attachment; filename*=UTF-8''B%C3%A4.pdf; filename=\"B_.pdf\"", "attachment", "Bä.pdf"},
    {"extended in quotes",            "attachment; filename*=\"UTF-8''B%C3%A4.pdf\"", "attachment", "Bä.pdf"},
    {"in another charset",            "attachment; filename*=iso-8859-1''B%E4.pdf", "attachment", "Bä.pdf"},
    {"of an unknown charset",         "attachment; filename*=x-77''B%C3%A4.pdf", "attachment", "Bä.pdf"},
    {"of a wrong charset",            "attachment; filename*=utf-8''B%E4.pdf", "attachment", "Bä.pdf"},
    {"without a charset",             "attachment; filename*=''B%C3%A4.pdf", "attachment", "Bä.pdf"},
    {"without its quotes",            "attachment; filename*=B%C3%A4.pdf", "attachment", "Bä.pdf"},
    {"with one quote",                "attachment; filename*=utf-8'B%C3%A4.pdf", "attachment", "Bä.pdf"},
    {"an apostrophe and no charset",  "attachment; filename*=it's.pdf", "attachment", "it's.pdf"},
    {"a percent sign of its own",     "attachment; filename*=utf-8''100%25%ZZ%.pdf", "attachment", "100%%ZZ%.pdf"},
    {"continued",                     "attachment; filename*0=\"a\"; filename*1=\"b.pdf\"", "attachment", "ab.pdf"},
    {"in another order",              "attachment; filename*1=\"b.pdf\"; filename*0=\"a\"", "attachment", "ab.pdf"},
    {"counted from 1",                "attachment; filename*1=\"a\"; filename*2=\"b.pdf\"", "attachment", "ab.pdf"},
    {"encoded and plain sections",    "attachment; filename*0*=utf-8''%E2%9C%93; filename*1*=%20x; filename*2=\".pdf\"", "attachment", "✓ x.pdf"},
    {"an empty charset, in quotes",   "attachment; filename*0*=\"''attached%2E\"; filename*1*=\"%62\"; filename*2=at", "attachment", "attached.bat"},
    {"cut within a character",        "attachment; filename*0*=utf-8''%E2%9C; filename*1*=%93.pdf", "attachment", "✓.pdf"},
    {"a lost section takes no other", "attachment; filename*0=a; filename*2=.pdf", "attachment", "a.pdf"},
    {"nor does the first",            "attachment; filename*2*=b%C3%A4; filename*3=.pdf", "attachment", "bä.pdf"},
    {"but a whole name counts more",  "attachment; filename*2=.pdf; filename=a.pdf", "attachment", "a.pdf"},
    {"of two sections the first",     "attachment; filename*0=a; filename*0=x; filename*1=b", "attachment", "ab"},
    {"nothing but a name",            "filename=\"a.pdf\"", "", "a.pdf"},
    {"parentheses in a bare name",    "attachment; filename=report (final).pdf", "attachment", "report (final).pdf"},
    {"encoded words, continued",      "attachment; filename*0=\"=?utf-8?B?xb3D\"; filename*1=\"oWQ=?=\"", "attachment", "Žád"},
    {"encoded line ends",             "attachment; filename*=utf-8''a%0D%0Ab.pdf", "attachment", "a  b.pdf"},
    {"a type",                        "Text/Plain; charset=utf-8; filename=x", "text/plain", "x"},
    {"a type in pieces",              "text / plain (really); filename=x", "text/plain", "x"},
    {"nothing",                       "", "", ABSENT},
    /* clang-format on */
};

static void a_value_is_taken_apart(void **state)
{
    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(parameters_clear) struct parameters p = {.value = STR_INIT};
        CLEANUP(str_clear) struct str filename = STR_INIT;

        parameters_read(slice_z(row->raw), 100, &p);
        assert_string_equal(str_z(&p.value), row->value);
        assert_int_equal(parameters_text(&p, "filename", &filename), row->filename != ABSENT);
        assert_string_equal(str_z(&filename), row->filename != ABSENT ? row->filename : "");
    }
}

static void a_boundary_is_kept_as_it_is(void **state)
{
    static const struct {
        const char *name;
        const char *raw, *boundary;
    } boundaries[] = {
        {"quoted", "multipart/mixed; boundary=\"=_a b\"", "=_a b"},
        {"a token", "multipart/mixed; boundary=----x; type=y", "----x"},
        {"8-bit", "multipart/mixed; boundary=\"\xFC\"", "\xFC"},
        {"extended", "multipart/mixed; boundary*=us-ascii''a%3Db", "a=b"},
        {"continued", "multipart/mixed; boundary*0=a; boundary*1=b", "ab"},
        {"a quote alone", "multipart/mixed; boundary=\"\\\"\"", "\""},
        {"looks like a word", "multipart/mixed; boundary=\"=?x?Q?y?=\"", "=?x?Q?y?="},
    };

    (void)state;
    FOR_EACH(row, boundaries) {
        CLEANUP(parameters_clear) struct parameters p = {.value = STR_INIT};
        CLEANUP(str_clear) struct str boundary = STR_INIT;

        parameters_read(slice_z(row->raw), 100, &p);
        assert_true(parameters_raw(&p, "boundary", &boundary));
        assert_string_equal(str_z(&boundary), row->boundary);
    }
}

static void more_than_the_most_are_not_taken(void **state)
{
    CLEANUP(parameters_clear) struct parameters p = {.value = STR_INIT};

    (void)state;
    parameters_read(SLICE("a; b=1; c=2; d=3"), 2, &p);
    assert_int_equal(p.count, 2);
    assert_true(p.cut);
    parameters_read(SLICE("a; b=1; c=2"), 2, &p);
    assert_int_equal(p.count, 2);
    assert_false(p.cut);
}

/* 1,000 sections, 20,000 comments that open, and a name of 250,000 octets. */
static void long_fields_cost_little(void **state)
{
    CLEANUP(parameters_clear) struct parameters p = {.value = STR_INIT};
    CLEANUP(str_clear) struct str raw = STR_INIT;
    CLEANUP(str_clear) struct str text = STR_INIT;

    (void)state;
    str_addz(&raw, "attachment");
    for (int i = 0; i < 1000; i++)
        str_addf(&raw, "; filename*%d*=%%41", i);
    parameters_read(str_slice(&raw), 1000, &p);
    assert_true(parameters_text(&p, "filename", &text));
    assert_int_equal(text.len, 1000);
    str_empty(&raw);
    for (int i = 0; i < 20000; i++)
        str_addz(&raw, "x;(;");
    parameters_read(str_slice(&raw), 1000, &p);
    str_empty(&raw);
    str_addz(&raw, "x; filename=");
    for (int i = 0; i < 125000; i++)
        str_addz(&raw, "a ");
    parameters_read(str_slice(&raw), 1000, &p);
    assert_true(parameters_text(&p, "filename", &text));
    assert_int_equal(text.len, 249999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_is_taken_apart),
        cmocka_unit_test(a_boundary_is_kept_as_it_is),
        cmocka_unit_test(more_than_the_most_are_not_taken),
        cmocka_unit_test(long_fields_cost_little),
    };

    return RUN_TESTS(tests);
}
