/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include <onecase/acceptance.h>
#include <testing.h>

#include <string.h>

/* Everything that any disposition asks for. */
static struct acceptance_facts perfect(enum disposition disposition)
{
    return (struct acceptance_facts){
        .disposition = disposition,
        .case_read_back = true,
        .files_planned = 3,
        .files_hashed = 3,
        .has_acknowledgement = true,
        .acknowledgement = EFFECT_DONE,
        .recorded = true,
        .decided = true,
    };
}

static const struct acceptance_condition *find(const struct acceptance *a, const char *name)
{
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->condition[i].name, name) == 0)
            return &a->condition[i];
    return NULL;
}

static void conditions_are_those_of_the_disposition(void **state)
{
    static const struct {
        const char *name;
        enum disposition disposition;
        const char *conditions[4];
    } rows[] = {
        {"case", DISPOSITION_CASE, {"case", "attachments", "acknowledgement", NULL}},
        {"append", DISPOSITION_APPEND, {"case", "attachments", "acknowledgement", NULL}},
        {"report", DISPOSITION_REPORT, {"record", NULL}},
        {"evidence", DISPOSITION_EVIDENCE, {"record", NULL}},
        {"held", DISPOSITION_HELD, {"decision", NULL}},
        {"dismissed", DISPOSITION_DISMISSED, {"decision", NULL}},
    };

    (void)state;
    FOR_EACH(row, rows) {
        struct acceptance_facts f = perfect(row->disposition);
        struct acceptance a;
        size_t count = 0;

        acceptance_judge(&f, &a);
        while (row->conditions[count]) {
            assert_non_null(find(&a, row->conditions[count]));
            count++;
        }
        assert_int_equal(a.count, count);
        assert_true(a.holds);
    }
}

static void nothing_holds_for_what_is_never_filed(void **state)
{
    struct acceptance_facts adopted = perfect(DISPOSITION_ADOPTED);
    struct acceptance_facts nonsense = perfect(DISPOSITION_COUNT);
    struct acceptance a;

    (void)state;
    acceptance_judge(&adopted, &a);
    assert_false(a.holds);
    assert_int_equal(a.count, 0);
    acceptance_judge(&nonsense, &a);
    assert_false(a.holds);
    assert_int_equal(a.count, 0);
}

static void an_acknowledgement_must_be_settled(void **state)
{
    static const struct {
        const char *name;
        enum effect_status status;
        bool holds;
    } rows[] = {
        {"planned", EFFECT_PLANNED, false},   {"attempting", EFFECT_ATTEMPTING, false},
        {"done", EFFECT_DONE, true},          {"skipped", EFFECT_SKIPPED, true},
        {"deferred", EFFECT_DEFERRED, false}, {"refused", EFFECT_REFUSED, true},
        {"unknown", EFFECT_UNKNOWN, false},
    };

    (void)state;
    assert_int_equal(LENGTH(rows), EFFECT_STATUS_COUNT);
    FOR_EACH(row, rows) {
        struct acceptance_facts f = perfect(DISPOSITION_CASE);
        struct acceptance a;

        f.acknowledgement = row->status;
        acceptance_judge(&f, &a);
        assert_int_equal(a.holds, row->holds);
        assert_int_equal(find(&a, "acknowledgement")->holds, row->holds);
        assert_string_equal(find(&a, "acknowledgement")->value, row->name);
    }
}

static void none_planned_is_no_obstacle(void **state)
{
    struct acceptance_facts f = perfect(DISPOSITION_APPEND);
    struct acceptance a;

    (void)state;
    f.has_acknowledgement = false;
    f.acknowledgement = EFFECT_UNKNOWN;
    acceptance_judge(&f, &a);
    assert_true(a.holds);
    assert_string_equal(find(&a, "acknowledgement")->value, "none planned");
}

static void every_planned_file_must_have_been_read_back(void **state)
{
    static const struct {
        const char *name;
        unsigned planned, hashed, exceptions;
        bool holds;
        const char *value;
    } rows[] = {
        {"none", 0, 0, 0, true, "0 of 0 hashed, 0 exceptions"},
        {"all", 3, 3, 0, true, "3 of 3 hashed, 0 exceptions"},
        {"all but one", 3, 2, 0, false, "2 of 3 hashed, 0 exceptions"},
        {"an exception makes up for nothing", 3, 2, 1, false, "2 of 3 hashed, 1 exceptions"},
        {"exceptions only", 0, 0, 2, true, "0 of 0 hashed, 2 exceptions"},
        {"one that was not planned", 2, 3, 0, false, "3 of 2 hashed, 0 exceptions"},
    };

    (void)state;
    FOR_EACH(row, rows) {
        struct acceptance_facts f = perfect(DISPOSITION_CASE);
        struct acceptance a;

        f.files_planned = row->planned;
        f.files_hashed = row->hashed;
        f.exceptions = row->exceptions;
        acceptance_judge(&f, &a);
        assert_int_equal(a.holds, row->holds);
        assert_string_equal(find(&a, "attachments")->value, row->value);
    }
}

/* One fact at a time is taken away. */
static void each_condition_alone_keeps_the_message(void **state)
{
    static const struct {
        const char *name;
        enum disposition disposition;
        bool read_back, recorded, decided;
        const char *condition, *value;
    } rows[] = {
        {"case", DISPOSITION_CASE, false, true, true, "case", "not found"},
        {"append", DISPOSITION_APPEND, false, true, true, "case", "not found"},
        {"report", DISPOSITION_REPORT, true, false, true, "record", "not recorded"},
        {"evidence", DISPOSITION_EVIDENCE, true, false, true, "record", "not recorded"},
        {"held", DISPOSITION_HELD, true, true, false, "decision", "not decided"},
        {"dismissed", DISPOSITION_DISMISSED, true, true, false, "decision", "not decided"},
    };

    (void)state;
    FOR_EACH(row, rows) {
        struct acceptance_facts f = perfect(row->disposition);
        struct acceptance a;

        f.case_read_back = row->read_back;
        f.recorded = row->recorded;
        f.decided = row->decided;
        acceptance_judge(&f, &a);
        assert_false(a.holds);
        for (size_t i = 0; i < a.count; i++)
            assert_int_equal(a.condition[i].holds,
                             strcmp(a.condition[i].name, row->condition) != 0);
        assert_string_equal(find(&a, row->condition)->value, row->value);
    }
}

static void what_holds_says_so(void **state)
{
    struct acceptance_facts f = perfect(DISPOSITION_CASE);
    struct acceptance a;

    (void)state;
    acceptance_judge(&f, &a);
    assert_string_equal(find(&a, "case")->value, "read back");
    f = perfect(DISPOSITION_REPORT);
    acceptance_judge(&f, &a);
    assert_string_equal(find(&a, "record")->value, "recorded");
    f = perfect(DISPOSITION_DISMISSED);
    acceptance_judge(&f, &a);
    assert_string_equal(find(&a, "decision")->value, "decided");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_are_those_of_the_disposition),
        cmocka_unit_test(nothing_holds_for_what_is_never_filed),
        cmocka_unit_test(an_acknowledgement_must_be_settled),
        cmocka_unit_test(none_planned_is_no_obstacle),
        cmocka_unit_test(every_planned_file_must_have_been_read_back),
        cmocka_unit_test(each_condition_alone_keeps_the_message),
        cmocka_unit_test(what_holds_says_so),
    };

    return RUN_TESTS(tests);
}
