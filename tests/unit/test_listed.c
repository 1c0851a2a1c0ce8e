/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include "policy_sample.h"

#include <onecase/listed.h>

static const struct policy policies[] = {{.mailbox = "help", .reference_prefix = "HD-"},
                                         {.mailbox = "sales", .reference_prefix = "HD-"}};

#define COLUMNS "reference,message_id,from,subject,date,state,mailbox\n"

static void listed(const char *text, const char *mailbox, struct listed *out)
{
    const struct listed_settings settings = {policies, LENGTH(policies), mailbox};

    listed_read(slice_z(text), &settings, out);
}

static void a_list_is_read_by_the_names_of_its_columns(void **state)
{
    CLEANUP(listed_cases_clear) struct listed l;

    (void)state;
    listed("Subject,Priority, Message-ID ,Reference,STATE,Date,From\r\n"
           "\"Printer, again\",3,<a@x> b@x,OLD-1,Closed,2026-03-02T09:15:00+08:00,Ann "
           "<Ann@X.example>\r\n"
           ",,\"<c@x>,\n<d@x>\",2024.7,,,\r\n",
           "sales", &l);
    assert_string_equal(str_z(&l.problems), "");
    assert_string_equal(str_z(&l.unused), "Priority");
    assert_int_equal(l.count, 2);
    assert_string_equal(l.at[0].reference, "OLD-1");
    assert_string_equal(str_z(&l.at[0].message_ids), "<a@x>\n<b@x>\n");
    assert_string_equal(str_z(&l.at[0].from), "Ann@X.example");
    assert_string_equal(str_z(&l.at[0].subject), "Printer, again");
    assert_string_equal(l.at[0].policy->mailbox, "sales");
    assert_true(l.at[0].closed && l.at[0].has_date);
    assert_int_equal(l.at[0].date_ms, INT64_C(1772414100000));
    assert_string_equal(str_z(&l.at[1].message_ids), "<c@x>\n<d@x>\n");
    assert_int_equal(l.at[1].line, 3);
    assert_false(l.at[1].closed || l.at[1].has_date);
}

static void everything_that_is_wrong_is_told_with_its_place(void **state)
{
    /* clang-format off */
    static const struct {
        const char *name, *text, *told;
        size_t problems;
    } rows[] = {
        { "all is well",           COLUMNS "OLD-1,<a@x>,,,,,help\n",                           "",                            0 },
        { "nothing",               "",                                                         "1:1: the first line",         1 },
        { "semicolons",            "reference;message_id\nOLD-1;<a@x>\n",                      "with commas",                 1 },
        { "a column twice",        "reference,reference\n",                                    "1:11: reference: this column is there twice", 1 },
        { "no reference",          COLUMNS ",<a@x>,,,,,help\n",                                "2:1: reference: it takes",    1 },
        { "ours",                  COLUMNS "HD-7K3M9QWX,<a@x>,,,,,help\n",                     "2:1: reference: it takes",    1 },
        { "like a key",            COLUMNS "BEEF,<a@x>,,,,,help\n",                            "2:1: reference: it takes",    1 },
        { "a number alone",        COLUMNS "12345,<a@x>,,,,,help\n",                           "",                            0 },
        { "a way out",             COLUMNS "../x,<a@x>,,,,,help\n",                            "2:1: reference: it takes",    1 },
        { "no address",            COLUMNS "OLD-1,<a@x>,zoe,,,,help\n",                        "2:13: from: it takes",        1 },
        { "no Message-ID",         COLUMNS "OLD-1,<>,,,,,help\n",                              "2:7: message_id: it takes",   2 },
        { "a day alone",           COLUMNS "OLD-1,<a@x>,,,2026-03-02,,help\n",                 "2:15: date: it takes",        1 },
        { "another state",         COLUMNS "OLD-1,<a@x>,,,,resolved,help\n",                   "2:16: state: it takes open or closed", 1 },
        { "another mailbox",       COLUMNS "OLD-1,<a@x>,,,,,desk\n",                           "2:17: mailbox: it takes",     2 },
        { "no mailbox",            COLUMNS "OLD-1,<a@x>,,,,,\n",                               "2:1: mailbox: which one?",    1 },
        { "not to be recognised",  COLUMNS "OLD-1,,ann@x.example,Printer,,,help\n",            "2:1: a late copy could not",  1 },
        { "by its words",          COLUMNS "OLD-1,,ann@x.example,Printer,\"Mon, 2 Mar 2026 09:15:00 +0800\",,help\n", "",     0 },
        { "too few fields",        COLUMNS "OLD-1,<a@x>\n",                                    "2:1: it has another number",  1 },
        { "two lines are wrong",   COLUMNS "OLD-1,\"a,,\nOLD-2,<b@x>,,,,x,help\n",             "3:16: state",                 2 },
    };
    /* clang-format on */

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(listed_cases_clear) struct listed l;

        listed(row->text, NULL, &l);
        if (l.problem_count != row->problems || !strstr(str_z(&l.problems), row->told))
            fail_msg("%zu: %s", l.problem_count, str_z(&l.problems));
        assert_null(strstr(str_z(&l.problems), "zoe"));
    }
}

static void a_late_copy_is_held_against_what_the_list_says(void **state)
{
    /* clang-format off */
    static const struct {
        const char *name, *from, *subject;
        bool dated, same_key;
        int64_t apart_ms;
        bool is;
    } rows[] = {
        { "nothing is said but its id",          "",                "",            false, true,  0,        true  },
        { "all is the same",                     "Ann@example.com", "Re: PRINTER", true,  true,  0,        true  },
        { "its case was made an hour later",     "ann@example.com", "Printer",     true,  true,  3600000,  true  },
        { "another day",                         "ann@example.com", "Printer",     true,  true,  86400001, false },
        { "another sender",                      "bob@example.com", "Printer",     true,  true,  0,        false },
        { "another subject",                     "ann@example.com", "Scanner",     true,  true,  0,        false },
        { "under another key, the same second",  "ann@example.com", "Printer",     true,  false, 900,      true  },
        { "under another key, an hour later",    "ann@example.com", "Printer",     true,  false, 3600000,  false },
        { "under another key, of no date",       "ann@example.com", "Printer",     false, false, 0,        false },
    };
    /* clang-format on */

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(sample_end) struct sample s;

        sample_begin(&s);
        s.message.date_ms = NOW_MS - NOW_MS % 1000;

        const struct known_item item = {.listed = true,
                                        .same_key = row->same_key,
                                        .from = slice_z(row->from),
                                        .subject = slice_z(row->subject),
                                        .has_date = row->dated,
                                        .date_ms = s.message.date_ms + row->apart_ms};

        assert_int_equal(listed_is(&item, &s.message), row->is);
        assert_false(listed_is(&item, NULL));
    }
}

/* The same id with other words is a person's to judge, and never taken for a gateway's copy of a mail
 * whose text nobody knows. */
static void what_is_not_as_listed_is_a_conflict(void **state)
{
    CLEANUP(sample_end) struct sample s;

    (void)state;
    sample_begin(&s);
    struct known_item *item = sample_know(&s);

    item->listed = true;
    item->text = SLICE_EMPTY;
    item->subject = slice_z("Scanner");
    assert_int_equal(sample_judge(&s)->class, CLASS_CONFLICT);
    assert_int_equal(s.verdict.disposition, DISPOSITION_HELD);
    item->subject = slice_z("Printer");
    assert_int_equal(sample_judge(&s)->class, CLASS_REDELIVERED);
    assert_true(s.verdict.files_copy);
    item->same_key = false;
    item->has_date = false;
    assert_int_equal(sample_judge(&s)->class, CLASS_FIRST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_is_read_by_the_names_of_its_columns),
        cmocka_unit_test(everything_that_is_wrong_is_told_with_its_place),
        cmocka_unit_test(a_late_copy_is_held_against_what_the_list_says),
        cmocka_unit_test(what_is_not_as_listed_is_a_conflict),
    };

    return RUN_TESTS(tests);
}
