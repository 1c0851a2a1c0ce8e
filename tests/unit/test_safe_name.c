/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include "extension.h"

#include <onecase/safe_name.h>
#include <onecase/utf8.h>
#include <testing.h>

#include <string.h>

#define TEN     "1234567890"
#define BLANK10 "          "
#define BLANKS  BLANK10 BLANK10 BLANK10 BLANK10 BLANK10 BLANK10 BLANK10 BLANK10 BLANK10 BLANK10
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define TEN_E   "éééééééééé" /* twenty octets */
#define FIFTY_E TEN_E TEN_E TEN_E TEN_E TEN_E

/* clang-format off */
static const struct {
    const char *name;
    const char *decoded, *type;
    const char *safe;
} rows[] = {
    {"a plain name",                      "invoice 44.pdf",                  "application/pdf", "invoice 44.pdf"},
    {"letters of other scripts",          "résumé Ελλάδα 日本.pdf",           "application/pdf", "résumé Ελλάδα 日本.pdf"},
    {"punctuation",                       "a; b \"c\" <d@example.com>.txt",  "text/plain",      "a; b \"c\" <d@example.com>.txt"},
    {"an emoji of several characters",    "👩\u200D💻.png",                   "image/png",       "👩\u200D💻.png"},

    {"a way up",                          "../../../../tmp/evil.sh",         "",                "evil.sh"},
    {"an absolute path",                  "/etc/cron.d/evil",                "",                "evil"},
    {"a way up on Windows",               "..\\..\\boot.ini",                "",                "boot.ini"},
    {"an absolute path on Windows",       "C:\\Windows\\evil.exe",           "",                "evil.exe"},
    {"a drive",                           "C:evil.exe",                      "",                "C_evil.exe"},
    {"a stream",                          "a.txt:evil.exe",                  "",                "a.txt_evil.exe"},
    {"mixed separators",                  "a/b\\c/d.txt",                    "",                "d.txt"},
    {"a separator at the end",            "dir/sub/",                        "",                "sub"},
    {"separators only",                   "/\\/",                            "text/plain",      "attachment.txt"},
    {"this folder",                       ".",                               "text/plain",      "attachment.txt"},
    {"the folder above",                  "..",                              "text/plain",      "attachment.txt"},
    {"the folder above, disguised",       "\u202E.\u200B.",                  "text/plain",      "attachment.txt"},
    {"a way up behind controls",          ".\x01./.\x01./x",                 "",                "x"},

    {"leading dots",                      "..htaccess",                      "",                "htaccess"},
    {"trailing dots and blanks",          "evil.exe. . ",                    "",                "evil.exe"},
    {"leading and trailing blanks",       " \u00A0\u3000 a b.txt \u2003",    "",                "a b.txt"},
    {"an extension only",                 ".pdf",                            "",                "pdf"},

    {"controls",                          "a\tb\r\nc\x7F" "d\xC2\x85.txt",     "",                "abcd.txt"},
    {"right-to-left override",            "invoice\u202Efdp.exe",            "",                "invoicefdp.exe"},
    {"isolates and marks",                "\u2066a\u2069\u200F\u061C.txt",   "",                "a.txt"},
    {"line separators",                   "a\u2028b\u2029.txt",              "",                "ab.txt"},
    {"a byte order mark",                 "\uFEFFa.txt",                     "",                "a.txt"},
    {"unseen before a letter",            "a\u200Bb",                        "",                "ab"},
    {"unseen before what combines",       "e\u200B\u0301.txt",               "",                "e_\u0301.txt"},
    {"unseen first, before what combines","\u200B\u0301.txt",                "",                "\u0301.txt"},

    {"no UTF-8",                          "\xFC" "bung\xC3.txt",             "",                "_bung_.txt"},
    {"an overlong separator",             "a\xC0\xAF" "b",                   "",                "a__b"},
    {"a surrogate",                       "a\xED\xA0\x80",                   "",                "a___"},

    {"a device",                          "CON",                             "",                "_CON"},
    {"a device in lower case",            "nul.txt",                         "",                "_nul.txt"},
    {"a numbered device",                 "COM1",                            "",                "_COM1"},
    {"a device with two extensions",      "lpt9.tar.gz",                     "",                "_lpt9.tar.gz"},
    {"a device with a blank",             "aux .c",                          "",                "_aux .c"},
    {"a device behind a path",            "C:\\prn",                         "",                "_prn"},
    {"a device with a raised number",     "com¹.txt",                        "",                "_com¹.txt"},
    {"a device of the console",           "conin$",                          "",                "_conin$"},
    {"a device with nought",              "com0",                            "",                "_com0"},
    {"no device",                         "console.txt",                     "",                "console.txt"},
    {"no numbered device",                "com10",                           "",                "com10"},
    {"no device either",                  "a.con",                           "",                "a.con"},

    {"nothing, PDF",                      "",                                "application/pdf", "attachment.pdf"},
    {"nothing, in upper case",            "",                                "IMAGE/PNG",       "attachment.png"},
    {"nothing, a mail",                   "",                                "message/rfc822",  "attachment.eml"},
    {"nothing of a known type",           "",                                "x/unknown",       "attachment"},
    {"nothing but what goes",             " .\t\u202E. ",                    "text/csv",        "attachment.csv"},

    {"120 octets",                        HUNDRED TEN "123456.pdf",          "",                HUNDRED TEN "123456.pdf"},
    {"121 octets",                        HUNDRED TEN "1234567.pdf",         "",                HUNDRED TEN "123456.pdf"},
    {"300 letters of two octets",         FIFTY_E FIFTY_E FIFTY_E FIFTY_E FIFTY_E FIFTY_E ".pdf", "", FIFTY_E "éééééééé" ".pdf"},
    {"a cut within a character",          "1" FIFTY_E FIFTY_E ".pdf",        "",                "1" FIFTY_E "ééééééé" ".pdf"},
    {"no extension",                      HUNDRED HUNDRED,                   "",                HUNDRED TEN TEN},
    {"an extension too long for one",     HUNDRED HUNDRED "." TEN TEN TEN TEN, "",              HUNDRED TEN TEN},
    {"the longest extension",             HUNDRED "." TEN TEN TEN "1",       "",                TEN TEN TEN TEN TEN TEN TEN TEN "12345678." TEN TEN TEN "1"},
    {"a blank at the cut",                HUNDRED TEN "123456789 0",         "",                HUNDRED TEN "123456789"},
    {"a blank before the extension",      HUNDRED TEN "12345 6789.pdf",      "",                HUNDRED TEN "12345.pdf"},
    {"a device left by the cut",          "con" BLANKS BLANKS ".txt",        "",                "_con.txt"},
    {"a numbered one left by it",         "com1" BLANKS BLANKS "1",          "",                "_com1"},
    {"a device of great length",          "con." HUNDRED HUNDRED,            "",                "_con." HUNDRED TEN "12345"},
};
/* clang-format on */

static void a_name_is_made_safe(void **state)
{
    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str safe = STR_INIT;

        str_addz(&safe, "what stood there before");
        safe_name(slice_z(row->decoded), slice_z(row->type), &safe);
        assert_string_equal(str_z(&safe), row->safe);
    }
}

static void a_safe_name_stays_as_it_is(void **state)
{
    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str again = STR_INIT;

        safe_name(slice_z(row->safe), slice_z(row->type), &again);
        assert_string_equal(str_z(&again), row->safe);
        assert_in_range(again.len, 1, SAFE_NAME_MAX);
        assert_true(utf8_valid(str_slice(&again)));
    }
}

static void a_nul_is_left_out(void **state)
{
    CLEANUP(str_clear) struct str safe = STR_INIT;

    (void)state;
    safe_name(SLICE("a.txt\0.exe"), SLICE(""), &safe);
    assert_string_equal(str_z(&safe), "a.txt.exe");
    assert_int_equal(safe.len, strlen("a.txt.exe"));
}

static void a_stored_name_begins_with_its_number(void **state)
{
    static const struct {
        const char *name;
        unsigned number;
        const char *decoded;
        const char *stored;
    } cases[] = {
        {"one digit", 1, "a.pdf", "01-a.pdf"},
        {"two digits", 12, "../a.pdf", "12-a.pdf"},
        {"three digits", 123, "", "123-attachment.txt"},
        {"six digits leave all the room", 999999, HUNDRED HUNDRED ".pdf",
         "999999-" HUNDRED TEN "123456.pdf"},
        {"more take of it", UINT32_MAX, HUNDRED HUNDRED ".pdf", "4294967295-" HUNDRED TEN "12.pdf"},
        {"between characters", UINT32_MAX, "1" FIFTY_E FIFTY_E, "4294967295-1" FIFTY_E "ééééééé"},
    };

    (void)state;
    FOR_EACH(row, cases) {
        char stored[STORED_NAME_SIZE];

        stored_name(row->number, slice_z(row->decoded), SLICE("text/plain"), stored);
        assert_string_equal(stored, row->stored);
    }
}

static void a_type_has_its_usual_extension_or_none(void **state)
{
    static const char *const types[] = {"application/pdf", "text/html", "video/webm"};

    (void)state;
    for (size_t i = 0; i < LENGTH(types); i++)
        assert_int_equal(extension_of(slice_z(types[i]))[0], '.');
    assert_string_equal(extension_of(SLICE("")), "");
    assert_string_equal(extension_of(SLICE("application/pd")), "");
    assert_string_equal(extension_of(SLICE("application/pdfx")), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_made_safe),
        cmocka_unit_test(a_safe_name_stays_as_it_is),
        cmocka_unit_test(a_nul_is_left_out),
        cmocka_unit_test(a_stored_name_begins_with_its_number),
        cmocka_unit_test(a_type_has_its_usual_extension_or_none),
    };

    return RUN_TESTS(tests);
}
