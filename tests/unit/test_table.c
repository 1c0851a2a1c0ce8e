/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports front */
#include <onecase/front.h>
#include <testing.h>

#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct column columns[] = {
    { "CASE",  0, 0, false }, { "FROM",   6, 0, false }, { "SUBJECT", 6, 1, false },
    { "FILES", 0, 2, true  },
};
/* clang-format on */

static const char *const mails[][4] = {
    {"HD-1", "ann@example.com", "The printer has jammed", "1"},
    {"HD-2", "yamada@example.jp", "東京のプリンターが動きません", "12"},
    {"HD-3", "bob@example.net", "\033[2Jgone \xE2\x80\xAEtxt", NULL},
};

static struct table *filled(void)
{
    struct table *t = table_of(columns, LENGTH(columns));

    for (size_t i = 0; i < LENGTH(mails); i++)
        table_row(t, mails[i]);
    return t;
}

static char *printed(const struct table *t, size_t width, bool bold)
{
    char *at;
    size_t len;
    FILE *out = open_memstream(&at, &len);

    assert_non_null(out);
    table_print(t, width, bold, out);
    fclose(out);
    return at;
}

static void a_table_may_be_as_wide_as_it_wants(void **state)
{
    CLEANUP(table_free) struct table *t = filled();
    CLEANUP(mem_free) char *text = printed(t, 0, false);

    (void)state;
    assert_string_equal(text, "CASE  FROM               SUBJECT                       FILES\n"
                              "HD-1  ann@example.com    The printer has jammed            1\n"
                              "HD-2  yamada@example.jp  東京のプリンターが動きません     12\n"
                              "HD-3  bob@example.net     [2Jgone  txt\n");
}

static void texts_are_cut_first_where_most_can_be_spared(void **state)
{
    CLEANUP(table_free) struct table *t = filled();
    CLEANUP(mem_free) char *text = printed(t, 40, false);

    (void)state;
    assert_string_equal(text, "CASE  FROM          SUBJECT        FILES\n"
                              "HD-1  ann@example…  The printer …      1\n"
                              "HD-2  yamada@exam…  東京のプリン…     12\n"
                              "HD-3  bob@example…   [2Jgone  txt\n");
}

static void then_columns_are_left_out_and_at_last_all_is_cut(void **state)
{
    static const struct {
        const char *name;
        size_t width;
        const char *heading;
    } rows[] = {
        {"all four still fit", 27, "CASE  FROM    SUBJE…  FILES\n"},
        {"the numbers go first", 26, "CASE  FROM       SUBJECT\n"},
        {"then the subject", 19, "CASE  FROM\n"},
        {"what may not be left out is cut", 8, "CA…  FR…\n"},
        {"one column of each", 4, "…  …\n"},
        {"one column in all", 1, "…\n"},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(table_free) struct table *t = filled();
        CLEANUP(mem_free) char *text = printed(t, row->width, false);

        assert_true(strlen(text) > strlen(row->heading));
        assert_memory_equal(text, row->heading, strlen(row->heading));
    }
}

/* No line is ever wider than was asked for, whatever stands in the cells. */
static void no_line_is_wider_than_the_width(void **state)
{
    CLEANUP(table_free) struct table *t = filled();

    (void)state;
    for (size_t width = 1; width < 90; width++) {
        CLEANUP(mem_free) char *text = printed(t, width, false);
        struct slice rest = slice_z(text), line;

        while (slice_next(&rest, '\n', &line)) {
            CLEANUP(str_clear) struct str one = STR_INIT;

            str_add(&one, line);
            assert_in_range(plain_columns(str_z(&one)), 0, width);
        }
    }
}

static void no_control_gets_out_and_no_line_ends_in_blanks(void **state)
{
    CLEANUP(table_free) struct table *t = filled();
    CLEANUP(mem_free) char *text = printed(t, 60, false);

    (void)state;
    assert_null(strchr(text, '\033'));
    assert_null(strstr(text, "\xE2\x80\xAE"));
    assert_null(strstr(text, " \n"));
}

static void a_bold_heading_costs_no_width(void **state)
{
    static const struct column two[] = {{"A", 4, 0, false}, {"B", 4, 0, false}};
    static const char *const cells[] = {"one", "two"};
    CLEANUP(table_free) struct table *t = table_of(two, 2);

    (void)state;
    table_row(t, cells);

    CLEANUP(mem_free) char *text = printed(t, 8, true);

    assert_string_equal(text, "\033[1mA    B\033[0m\none  two\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_may_be_as_wide_as_it_wants),
        cmocka_unit_test(texts_are_cut_first_where_most_can_be_spared),
        cmocka_unit_test(then_columns_are_left_out_and_at_last_all_is_cut),
        cmocka_unit_test(no_line_is_wider_than_the_width),
        cmocka_unit_test(no_control_gets_out_and_no_line_ends_in_blanks),
        cmocka_unit_test(a_bold_heading_costs_no_width),
    };

    return RUN_TESTS(tests);
}
