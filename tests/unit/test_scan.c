/* SPDX-License-Identifier: Apache-2.0 */
/* links: core scan */
#include "answer.h"

#include <testing.h>

#include <string.h>

static void a_line_of_clamds_is_read(void **state)
{
    static const struct {
        const char *name, *line;
        enum scan answer;
        const char *said;
    } rows[] = {
        {"clean", "stream: OK", SCAN_CLEAN, "OK"},
        {"found", "stream: Eicar-Test-Signature FOUND", SCAN_FOUND, "Eicar-Test-Signature"},
        {"found with blanks", "stream: Win.Test a(b) FOUND", SCAN_FOUND, "Win.Test a(b)"},
        {"too large", "INSTREAM size limit exceeded. ERROR", SCAN_TOO_LARGE,
         "INSTREAM size limit exceeded. ERROR"},
        {"an error", "stream: Can't allocate memory ERROR", SCAN_ERROR,
         "Can't allocate memory ERROR"},
        {"an error of another kind", "COMMAND READ TIMED OUT ERROR", SCAN_ERROR,
         "COMMAND READ TIMED OUT ERROR"},
        {"another server", "220 mail.example.org ESMTP", SCAN_NO_ANSWER,
         "220 mail.example.org ESMTP"},
        {"another file", "/etc/passwd: OK", SCAN_NO_ANSWER, "/etc/passwd: OK"},
        {"an OK that is none", "stream: OK, but", SCAN_NO_ANSWER, "OK, but"},
        {"OK alone", "OK", SCAN_NO_ANSWER, "OK"},
        {"in small letters", "stream: ok", SCAN_NO_ANSWER, "ok"},
        {"found nothing", "stream:  FOUND", SCAN_NO_ANSWER, "FOUND"},
        {"nothing", "", SCAN_NO_ANSWER, ""},
        {"hostile", "stream: a\x1b[31m<b>\"@\xff FOUND", SCAN_FOUND, "a?[31m?b????"},
    };

    (void)state;
    FOR_EACH(row, rows) {
        struct scan_verdict v;

        answer_read(slice_z(row->line), &v);
        assert_int_equal(v.answer, row->answer);
        assert_string_equal(v.said, row->said);
    }
}

static void a_long_answer_is_cut(void **state)
{
    char line[600] = "stream: ";
    struct scan_verdict v;

    (void)state;
    memset(line + 8, 'x', 500);
    memcpy(line + 508, " FOUND", 7);
    answer_read(slice_z(line), &v);
    assert_int_equal(v.answer, SCAN_FOUND);
    assert_int_equal(strlen(v.said), SCAN_NAME_SIZE - 1);
}

/* The law: nothing goes on to be stored but what was found clean, and every answer has its row. */
static void only_what_is_clean_is_nobodys_fault(void **state)
{
    (void)state;
    assert_int_equal(scan_row_count, SCAN_COUNT);
    for (int answer = 0; answer < SCAN_COUNT; answer++) {
        const struct scan_row *row = scan_row_of((enum scan)answer);

        assert_int_equal(row->answer, answer);
        assert_int_equal(row->fault == FAULT_NONE, answer == SCAN_CLEAN);
        assert_int_equal(row->outcome == OUTCOME_REFUSED, row->fault == FAULT_ITEM);
        assert_int_equal(row->outcome == OUTCOME_DEFERRED,
                         row->fault == FAULT_SERVER || row->fault == FAULT_ITEM_LATER);
    }
    assert_int_equal(scan_row_of(SCAN_COUNT)->fault, FAULT_SERVER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_of_clamds_is_read),
        cmocka_unit_test(a_long_answer_is_cut),
        cmocka_unit_test(only_what_is_clean_is_nobodys_fault),
    };

    return RUN_TESTS(tests);
}
