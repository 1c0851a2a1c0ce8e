/* SPDX-License-Identifier: Apache-2.0 */
/* links: imap */
#include "fault.h"

#include <testing.h>
#include <libetpan/libetpan.h>

#include <string.h>

static void every_row_is_found_by_its_own_code(void **state)
{
    (void)state;
    for (size_t i = 0; i < imap_fault_count; i++) {
        assert_ptr_equal(imap_fault_of(imap_faults[i].result), &imap_faults[i]);
        assert_true(imap_faults[i].drop && imap_faults[i].rc == RC_DEFERRED);
        assert_true(strlen(imap_faults[i].why) > 10);
    }
    for (size_t i = 0; i < imap_no_count; i++) {
        assert_ptr_equal(imap_no_of(imap_nos[i].code), &imap_nos[i]);
        assert_true(strlen(imap_nos[i].remedy) > 10);
    }
}

static void results_that_leave_the_stream_in_doubt_are_faults(void **state)
{
    static const int in_doubt[] = {MAILIMAP_ERROR_STREAM, MAILIMAP_ERROR_PARSE,
                                   MAILIMAP_ERROR_MEMORY, MAILIMAP_ERROR_PROTOCOL};
    static const int no[] = {MAILIMAP_NO_ERROR, MAILIMAP_ERROR_SELECT, MAILIMAP_ERROR_UID_MOVE,
                             MAILIMAP_ERROR_APPEND, MAILIMAP_ERROR_UID_FETCH};

    (void)state;
    for (size_t i = 0; i < LENGTH(in_doubt); i++)
        assert_non_null(imap_fault_of(in_doubt[i]));
    for (size_t i = 0; i < LENGTH(no); i++)
        assert_null(imap_fault_of(no[i]));
}

static void a_no_means_what_its_code_says(void **state)
{
    static const struct {
        const char *name;
        enum rc rc;
        bool drop;
    } rows[] = {
        {"TRYCREATE", RC_NOT_FOUND, false},
        {"NONEXISTENT", RC_NOT_FOUND, false},
        {"nonexistent", RC_NOT_FOUND, false},
        {"OVERQUOTA", RC_DEFERRED, false},
        {"INUSE", RC_DEFERRED, false},
        {"LIMIT", RC_DEFERRED, false},
        {"UNAVAILABLE", RC_DEFERRED, false},
        {"NOPERM", RC_REFUSED, false},
        {"CANNOT", RC_REFUSED, false},
        {"EXPIRED", RC_DEFERRED, true},
        {"AUTHENTICATIONFAILED", RC_REFUSED, true},
        {"ALREADYEXISTS", RC_CONFLICT, false},
        {"X-NEVER-HEARD", RC_DEFERRED, false},
        {"", RC_DEFERRED, false},
    };

    (void)state;
    FOR_EACH(row, rows) {
        assert_int_equal(imap_no_of(row->name)->rc, row->rc);
        assert_int_equal(imap_no_of(row->name)->drop, row->drop);
    }
    assert_int_equal(imap_no_of(NULL)->rc, RC_DEFERRED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_found_by_its_own_code),
        cmocka_unit_test(results_that_leave_the_stream_in_doubt_are_faults),
        cmocka_unit_test(a_no_means_what_its_code_says),
    };

    return RUN_TESTS(tests);
}
