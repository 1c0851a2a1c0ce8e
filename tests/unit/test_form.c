/* SPDX-License-Identifier: Apache-2.0 */
/* links: front console */
#include "form.h"

#include <testing.h>

#include <string.h>

static const struct {
    const char *name, *field, *value;
} read[] = {
    {"a=1&b=2", "b", "2"},
    {"a=1&a=2", "a", "1"},
    {"a=x+y%20z%2B", "a", "x y z+"},
    {"a%5B%5D=1", "a[]", "1"},
    {"a=b=c&&", "a", "b=c"},
    {"a", "a", ""},
    {"=1", "", "1"},
    {"a=%zz%4", "a", "%zz%4"},
    {"a=x%00y", "a", "x?y"},
    {"a=%ff", "a", "\xEF\xBF\xBD"},
    {"a=%C3%BC", "a", "\xC3\xBC"},
    {"", "a", ""},
};

static void a_form_gives_its_values(void **state)
{
    (void)state;
    FOR_EACH(row, read) {
        CLEANUP(form_clear) struct form form = {.count = 0};
        struct err err = ERR_INIT;

        assert_int_equal(form_parse(slice_z(row->name), &form, &err), RC_OK);
        assert_string_equal(form_get(&form, row->field), row->value);
    }
}

static void a_name_that_comes_often_gives_all_its_values(void **state)
{
    CLEANUP(form_clear) struct form form = {.count = 0};
    struct err err = ERR_INIT;
    size_t at = 0;

    (void)state;
    assert_int_equal(form_parse(SLICE("m=1&x=0&m=2&m=3"), &form, &err), RC_OK);
    assert_string_equal(form_next(&form, "m", &at), "1");
    assert_string_equal(form_next(&form, "m", &at), "2");
    assert_string_equal(form_next(&form, "m", &at), "3");
    assert_null(form_next(&form, "m", &at));
    assert_true(form_has_value(&form, "m", "2"));
    assert_false(form_has_value(&form, "m", "4") || form_has_value(&form, "n", "2"));
    assert_true(form_has(&form, "x") && !form_has(&form, "y"));
}

static void too_many_fields_are_refused(void **state)
{
    CLEANUP(form_clear) struct form form = {.count = 0};
    CLEANUP(str_clear) struct str text = STR_INIT;
    struct err err = ERR_INIT;

    (void)state;
    for (int i = 0; i <= FORM_FIELDS_MAX; i++)
        str_addz(&text, "a=1&");
    assert_int_equal(form_parse(str_slice(&text), &form, &err), RC_USAGE);
}

static void what_stands_in_a_path_is_escaped(void **state)
{
    CLEANUP(str_clear) struct str out = STR_INIT;

    (void)state;
    url_add(&out, "a/b?c=\"\xC3\xBC\r\n");
    assert_string_equal(str_z(&out), "a%2Fb%3Fc%3D%22%C3%BC%0D%0A");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_form_gives_its_values),
        cmocka_unit_test(a_name_that_comes_often_gives_all_its_values),
        cmocka_unit_test(too_many_fields_are_refused),
        cmocka_unit_test(what_stands_in_a_path_is_escaped),
    };

    return RUN_TESTS(tests);
}
