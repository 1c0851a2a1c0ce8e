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

static void the_fullest_of_several_quotas_counts(void **state)
{
    struct quota quota = {0, 0, 0, 0};

    (void)state;
    read_quotas(SLICE("\"User\" (STORAGE 90 100 MESSAGE 1 10)"), &quota);
    read_quotas(SLICE("\"Domain\" (STORAGE 200 1000 MESSAGE 19 20)"), &quota);
    read_quotas(SLICE("\"None\" (STORAGE 5 0 MESSAGE x 20)"), &quota);
    assert_int_equal(quota.used_octets, 90 * 1024);
    assert_int_equal(quota.limit_octets, 100 * 1024);
    assert_int_equal(quota.used_messages, 19);
    assert_int_equal(quota.limit_messages, 20);
}

static void a_limit_beyond_all_disks_is_none(void **state)
{
    struct quota quota = {0, 0, 0, 0};

    (void)state;
    read_quotas(SLICE("\"\" (STORAGE 10 9007199254740991)"), &quota);
    assert_int_equal(quota.limit_octets, 0);
    read_quotas(SLICE("\"\" (STORAGE 9999999999999 9999999999999)"), &quota);
    assert_int_equal(quota.limit_octets, INT64_C(9999999999999) * 1024);
    assert_int_equal(quota_fullest(&quota).percent, 100);
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
        cmocka_unit_test(the_fullest_of_several_quotas_counts),
        cmocka_unit_test(a_limit_beyond_all_disks_is_none),
        cmocka_unit_test(the_folder_of_junk_is_the_one_that_says_so),
        cmocka_unit_test(messages_are_counted_where_they_are_said),
    };

    return RUN_TESTS(tests);
}
