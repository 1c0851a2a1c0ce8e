/* SPDX-License-Identifier: Apache-2.0 */
/* links: imap */
#include "examine.h"

#include <testing.h>

static void rights_stand_at_the_end_of_their_line(void **state)
{
    static const struct {
        const char *name;
        const char *rights;
    } rows[] = {
        {"INBOX lrswitek", "lrswitek"},
        {"\"a b\" lr", "lr"},
        {"INBOX LR1s", "1s"},
        {"INBOX ", ""},
        {"", ""},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str out = STR_INIT;

        read_rights(slice_z(row->name), &out);
        assert_string_equal(str_z(&out), row->rights);
    }
}

static void a_quota_is_read_where_it_says_both_numbers(void **state)
{
    static const struct {
        const char *name;
        const char *resource;
        bool said;
        int64_t used, limit;
    } rows[] = {
        {"\"\" (STORAGE 10 512)", "STORAGE", true, 10, 512},
        {"\"User (quota)\" (MESSAGE 3 5 storage 10 512)", "STORAGE", true, 10, 512},
        {"\"\" (STORAGE 10 512)", "MESSAGE", false, 0, 0},
        {"\"\" ()", "STORAGE", false, 0, 0},
        {"\"\" (STORAGE 10)", "STORAGE", false, 0, 0},
        {"\"\" (STORAGE x 512)", "STORAGE", false, -1, 512},
        {"\"\" (STORAGE 10 0)", "STORAGE", false, 10, 0},
        {"\"\" (STORAGE 10 99999999999999999999999)", "STORAGE", false, 10, -1},
        {"", "STORAGE", false, 0, 0},
    };

    (void)state;
    FOR_EACH(row, rows) {
        int64_t used = 0;
        int64_t limit = 0;

        assert_int_equal(read_quota(slice_z(row->name), row->resource, &used, &limit), row->said);
        assert_int_equal(used, row->used);
        assert_int_equal(limit, row->limit);
    }
}

static void the_folder_of_junk_is_the_one_that_says_so(void **state)
{
    static const struct {
        const char *name;
        const char *folder; /* NULL: it is none */
    } rows[] = {
        {"(\\HasNoChildren \\Junk) \"/\" Junk", "Junk"},
        {"(\\junk) NIL \"Junk \\\"E-mail\\\"\"", "Junk \"E-mail\""},
        {"(\\HasNoChildren) \"/\" Junk", NULL},
        {"(\\Junkies) \"/\" Junk", NULL},
        {"(\\Junk) \"/\" {4}", NULL},
        {"(\\Junk) \"/\" \"\"", NULL},
        {"(\\Junk)", NULL},
        {"(\\Junk", NULL},
        {"", NULL},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str name = STR_INIT;

        assert_int_equal(read_marked(slice_z(row->name), "\\Junk", &name), row->folder != NULL);
        if (row->folder != NULL)
            assert_string_equal(str_z(&name), row->folder);
    }
}

static void messages_are_counted_where_they_are_said(void **state)
{
    static const struct {
        const char *name;
        int64_t messages;
    } rows[] = {
        {"Junk (MESSAGES 17)", 17},
        {"\"a (b)\" (UIDNEXT 4 MESSAGES 0)", 0},
        {"Junk (MESSAGES x)", -1},
        {"Junk ()", -1},
        {"", -1},
    };

    (void)state;
    FOR_EACH(row, rows)
        assert_int_equal(read_messages(slice_z(row->name)), row->messages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rights_stand_at_the_end_of_their_line),
        cmocka_unit_test(a_quota_is_read_where_it_says_both_numbers),
        cmocka_unit_test(the_folder_of_junk_is_the_one_that_says_so),
        cmocka_unit_test(messages_are_counted_where_they_are_said),
    };

    return RUN_TESTS(tests);
}
