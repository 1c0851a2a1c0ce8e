/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include <onecase/csv.h>
#include <testing.h>

#include <string.h>

/* All records as "LINE:COLUMN[field|field]", what is refused as "LINE:COLUMN!word". */
static void show(struct slice text, struct str *out)
{
    static struct csv_record record;
    struct csv_reading r;
    struct csv_place place;
    struct err err = ERR_INIT;
    enum rc rc;

    csv_begin(&r, text);
    while ((rc = csv_next(&r, &record, &place, &err)) != RC_NOT_FOUND) {
        str_addf(out, "%u:%u%s", place.line, place.column, rc == RC_OK ? "[" : "!");
        if (rc == RC_REFUSED)
            str_addz(out, err.text);
        for (size_t i = 0; rc == RC_OK && i < record.fields; i++) {
            str_addz(out, i > 0 ? "|" : "");
            str_add(out, csv_field(&record, i));
        }
        str_addz(out, rc == RC_OK ? "]" : "\n");
    }
    csv_record_clear(&record);
}

static void a_table_is_read_as_RFC_4180_says(void **state)
{
    /* clang-format off */
    static const struct {
        const char *name, *text, *read;
    } rows[] = {
        { "nothing",                         "",                           ""                            },
        { "empty lines",                     "\n\r\n\n",                   ""                            },
        { "a byte order mark",               "\xEF\xBB\xBF" "a,b\n",       "1:1[a|b]"                    },
        { "both line ends, none at the end", "a,b\r\nc,d\ne",              "1:1[a|b]2:1[c|d]3:1[e]"      },
        { "empty fields",                    ",,\n\"\",\n",                "1:1[||]2:1[|]"               },
        { "a comma in quotes",               "\"a,b\",c\n",                "1:1[a,b|c]"                  },
        { "a quote in quotes",               "\"say \"\"yes\"\"\",\"\"\"\"\n", "1:1[say \"yes\"|\"]"      },
        { "lines in quotes",                 "\"a\r\nb\",c\nd\n",          "1:1[a\r\nb|c]3:1[d]"         },
        { "blanks are its own",              " a , b\n",                   "1:1[ a | b]"                 },
        { "a quote within",                  "a\"b\nc\n",                  "1:1!a quote within"          },
        { "text behind a quote",             "x,\"a\"b\nc\n",              "1:3!text after"              },
        { "a quote that is never closed",    "a\nx,\"b\nc\n",              "1:1[a]2:3!a quote that is never closed\n3:1[c]" },
        { "columns count characters",        "\xC3\xA9\xC3\xA9,a\"\n",     "1:4!a quote within"          },
        { "a CR alone",                      "a\rb\n",                     "1:1!a CR without LF"         },
        { "no UTF-8",                        "a,\xE9\nb\n",                "1:3!octets that are no UTF-8" },
        { "goes on behind it",               "a\"\nb\n",                   "\n2:1[b]"                    },
    };
    /* clang-format on */

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str read = STR_INIT;

        show(slice_z(row->text), &read);
        if (!strstr(str_z(&read), row->read) ||
            (!strchr(row->read, '!') && row->read[0] == '\0' && read.len > 0))
            fail_msg("%s", str_z(&read));
    }
}

static void NUL_is_no_text(void **state)
{
    CLEANUP(str_clear) struct str read = STR_INIT;

    (void)state;
    show(SLICE("a\0b\nc\n"), &read);
    assert_non_null(strstr(str_z(&read), "1:1!octets"));
    assert_non_null(strstr(str_z(&read), "2:1[c]"));
}

static void sizes_are_bounded(void **state)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    CLEANUP(str_clear) struct str read = STR_INIT;

    (void)state;
    for (int i = 0; i <= CSV_FIELD_MAX; i++)
        str_addc(&text, 'x');
    str_addz(&text, "\n\"");
    for (int i = 0; i <= CSV_FIELD_MAX; i++)
        str_addc(&text, 'y');
    str_addz(&text, "\"\n");
    for (int i = 0; i < CSV_FIELDS_MAX; i++)
        str_addc(&text, ',');
    str_addz(&text, "\nlast\n");
    show(str_slice(&text), &read);
    assert_non_null(strstr(str_z(&read), "1:1!a field has more"));
    assert_non_null(strstr(str_z(&read), "2:1!a field has more"));
    assert_non_null(strstr(str_z(&read), "3:65!more than 64 fields"));
    assert_non_null(strstr(str_z(&read), "4:1[last]"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_is_read_as_RFC_4180_says),
        cmocka_unit_test(NUL_is_no_text),
        cmocka_unit_test(sizes_are_bounded),
    };

    return RUN_TESTS(tests);
}
