/* SPDX-License-Identifier: Apache-2.0 */
/* links: front */
#include <onecase/front.h>
#include <testing.h>

#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct sheet_column columns[] = {
    { "at",    "WHEN",  NULL,    SHEET_WHEN   },
    { "state", "STATE", "state", SHEET_TEXT   },
    { "n",     "N",     NULL,    SHEET_NUMBER },
    { "text",  "TEXT",  NULL,    SHEET_TEXT   },
};
/* clang-format on */

/* One row, in a format. */
static char *printed(const char *const *cell, enum sheet_format format, size_t width)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct sheet *s = sheet_new("A <title>", columns, LENGTH(columns));

    if (cell)
        sheet_row(s, cell);
    sheet_print(s, format, 0, width, out);
    sheet_free(&s);
    assert_null(s);
    fclose(out);
    return text;
}

static const char *const plain[] = {"1970-01-01T12:00:00Z", "needs_reconciliation", "-3", "a"};

static void nothing_takes_a_field_for_a_formula(void **state)
{
    /* clang-format off */
    static const struct { const char *name, *text, *field; } rows[] = {
        { "a word", "plain",             "plain"                    },
        { "an equals sign", "=1+1",              "\"'=1+1\""                },
        { "a plus", "+49 1",             "\"'+49 1\""               },
        { "a minus", "-2+3",              "\"'-2+3\""                },
        { "an at sign", "@SUM(A1)",          "\"'@SUM(A1)\""            },
        { "a tab", "\t=1",              "\"'\t=1\""                },
        { "a carriage return", "\r=1",              "\"'\r=1\""                },
        { "an equals sign inside", "a=1",               "a=1"                      },
        { "a comma", "a,b",               "\"a,b\""                  },
        { "a semicolon", "a;b",               "\"a;b\""                  },
        { "quotes", "say \"yes\"",       "\"say \"\"yes\"\"\""      },
        { "a formula with quotes", "=\"a\"",            "\"'=\"\"a\"\"\""          },
        { "two lines", "two\r\nlines",      "\"two\r\nlines\""         },
        { "nothing", "",                  ""                         },
        { "none", NULL,                ""                         },
    };
    /* clang-format on */

    (void)state;
    FOR_EACH(row, rows) {
        const char *cell[] = {NULL, NULL, NULL, row->text};
        CLEANUP(mem_free) char *text = printed(cell, SHEET_CSV, 0);
        CLEANUP(str_clear) struct str expected = STR_INIT;

        str_addf(&expected, "at,state,n,text\r\n,,,%s\r\n", row->field);
        assert_string_equal(text, str_z(&expected));
    }
}

static void numbers_are_numbers_in_csv_and_json(void **state)
{
    CLEANUP(mem_free) char *csv = printed(plain, SHEET_CSV, 0);
    CLEANUP(mem_free) char *json = printed(plain, SHEET_JSON, 0);

    (void)state;
    assert_string_equal(csv,
                        "at,state,n,text\r\n1970-01-01T12:00:00Z,needs_reconciliation,-3,a\r\n");
    assert_non_null(strstr(json, "\"n\": -3"));
    assert_non_null(strstr(json, "\"state\": \"needs_reconciliation\""));
}

static void what_is_missing_is_null_in_json(void **state)
{
    const char *const none[] = {NULL, NULL, NULL, NULL};
    CLEANUP(mem_free) char *json = printed(none, SHEET_JSON, 0);
    CLEANUP(mem_free) char *empty = printed(NULL, SHEET_JSON, 0);

    (void)state;
    assert_non_null(strstr(json, "\"at\": null"));
    assert_non_null(strstr(json, "\"n\": null"));
    assert_string_equal(empty, "[]\n");
}

static void octets_that_are_no_utf_8_do_not_cost_the_row(void **state)
{
    const char *const cell[] = {NULL, NULL, NULL, "caf\xE9"};
    CLEANUP(mem_free) char *json = printed(cell, SHEET_JSON, 0);

    (void)state;
    assert_non_null(strstr(json, "caf\xEF\xBF\xBD"));
}

static void html_escapes_what_a_sender_wrote_and_its_own_title(void **state)
{
    const char *const cell[] = {NULL, NULL, NULL, "<script>\"a\" & b</script>\033[31m"};
    CLEANUP(mem_free) char *html = printed(cell, SHEET_HTML, 0);

    (void)state;
    assert_null(strstr(html, "<script>"));
    assert_null(strchr(html, '\033'));
    assert_non_null(strstr(html, "&lt;script&gt;&quot;a&quot; &amp; b&lt;/script&gt;"));
    assert_non_null(strstr(html, "<h1>A &lt;title&gt;</h1>"));
    assert_null(strstr(html, "http"));
}

static void people_read_labels_and_times_in_tables_and_html(void **state)
{
    CLEANUP(mem_free) char *table = printed(plain, SHEET_TABLE, 80);
    CLEANUP(mem_free) char *html = printed(plain, SHEET_HTML, 0);

    (void)state;
    setenv("TZ", "UTC", 1);
    assert_non_null(strstr(table, "needs your decision"));
    assert_non_null(strstr(table, "12:00"));
    assert_null(strstr(table, "needs_reconciliation"));
    assert_non_null(strstr(html, "<td>needs your decision</td>"));
    assert_non_null(strstr(html, "<td class=\"n\">-3</td>"));
}

static void an_empty_table_says_so(void **state)
{
    CLEANUP(mem_free) char *table = printed(NULL, SHEET_TABLE, 80);

    (void)state;
    assert_string_equal(table, "There are none.\n");
}

static void a_table_fits_its_width(void **state)
{
    const char *wide = "a text that is much wider than the few columns that there are for it";
    const char *const cell[] = {"1970-01-01T12:00:00Z", "open", "1", wide};

    (void)state;
    for (size_t width = 20; width <= 60; width += 10) {
        CLEANUP(mem_free) char *table = printed(cell, SHEET_TABLE, width);

        struct slice rest = slice_z(table), line;

        while (rest.len > 0 && slice_next(&rest, '\n', &line)) {
            CLEANUP(str_clear) struct str one = STR_INIT;

            str_add(&one, line);
            assert_true(plain_columns(str_z(&one)) <= width);
        }
    }
}

static void formats_have_their_names(void **state)
{
    enum sheet_format format = SHEET_TABLE;

    (void)state;
    assert_true(sheet_format_parse("csv", &format) && format == SHEET_CSV);
    assert_true(sheet_format_parse("html", &format) && format == SHEET_HTML);
    assert_true(sheet_format_parse("json", &format) && format == SHEET_JSON);
    assert_true(sheet_format_parse("table", &format) && format == SHEET_TABLE);
    assert_false(sheet_format_parse("xls", &format));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_takes_a_field_for_a_formula),
        cmocka_unit_test(numbers_are_numbers_in_csv_and_json),
        cmocka_unit_test(what_is_missing_is_null_in_json),
        cmocka_unit_test(octets_that_are_no_utf_8_do_not_cost_the_row),
        cmocka_unit_test(html_escapes_what_a_sender_wrote_and_its_own_title),
        cmocka_unit_test(people_read_labels_and_times_in_tables_and_html),
        cmocka_unit_test(an_empty_table_says_so),
        cmocka_unit_test(a_table_fits_its_width),
        cmocka_unit_test(formats_have_their_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
