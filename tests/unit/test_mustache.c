/* SPDX-License-Identifier: Apache-2.0 */
/* links: base */
#include <onecase/mustache.h>

#include <testing.h>

#include <string.h>

static const char *const known[] = {"reference",           "exceptions", "exceptions.name",
                                    "exceptions.infected", "subject",    NULL};

static const struct {
    const char *name, *result;
} rendered[] = {
    {"plain text", "plain text"},
    {"case {{reference}}.", "case HD-1."},
    {"{{ reference }}", "HD-1"},
    {"{{&reference}}", "HD-1"},
    {"{{!nothing}}x", "x"},
    {"{{#reference}}has {{reference}}{{/reference}}", "has HD-1"},
    {"{{^reference}}none{{/reference}}", ""},
    {"{{^subject}}none{{/subject}}", "none"},
    {"{{#subject}}some{{/subject}}", ""},
    {"{{#exceptions}}[{{name}}]{{/exceptions}}", "[a.exe][b.zip]"},
    {"{{#exceptions}}{{reference}} {{/exceptions}}", "HD-1 HD-1 "},
    {"a\n{{#exceptions}}\n- {{name}}\n{{/exceptions}}\nb\n", "a\n- a.exe\n- b.zip\nb\n"},
    {"{{#reference}}a{{#exceptions}}{{name}}{{/exceptions}}b{{/reference}}", "aa.exeb.zipb"},
    {"{{#exceptions}}{{name}}{{#infected}}!{{/infected}}{{^infected}}?{{/infected}}{{/exceptions}}",
     "a.exe?b.zip!"},
    {"a } b { c }} d", "a } b { c }} d"},
};

static const struct {
    const char *name, *says;
} refused[] = {
    {"a\nb {{nobody}}",
     "2: there is no field of the name 'nobody'; here there are reference, exceptions, subject"},
    {"{{name}}", "1: there is no field of the name 'name'; here there are reference,"},
    {"{{#exceptions}}{{#infected}}{{nam}}",
     "'nam'; here there are reference, exceptions, name, infected, subject"},
    {"{{#exceptions}}{{/exceptions}}\n{{name}}", "2: there is no field of the name 'name'"},
    {"{{#reference}}", "1: a section is never closed: 'reference'"},
    {"{{/reference}}", "1: nothing is open that could be closed by 'reference'"},
    {"{{#reference}}{{/subject}}", "1: nothing is open that could be closed by 'subject'"},
    {"\n\n{{>partial}}", "3: only"},
    {"{{=<% %>=}}", "1: only"},
    {"{{{reference}}}", "1: only"},
    {"{{reference", "1: only"},
};

static void a_template_gives_its_text(void **state)
{
    static const struct mustache_value first[] = {{.name = "name", .text = SLICE_INIT("a.exe")}};
    static const struct mustache_value second[] = {{.name = "name", .text = SLICE_INIT("b.zip")},
                                                   {.name = "infected", .text = SLICE_INIT("1")}};
    static const struct mustache_scope files[] = {{first, 1}, {second, 2}};
    const struct mustache_value value[] = {
        {.name = "reference", .text = SLICE_INIT("HD-1")},
        {.name = "subject", .text = SLICE_INIT("")},
        {.name = "exceptions", .row = files, .rows = 2},
    };
    const struct mustache_scope scope = {value, LENGTH(value)};

    (void)state;
    FOR_EACH(row, rendered) {
        CLEANUP(str_clear) struct str out = STR_INIT;
        struct err err = ERR_INIT;

        assert_int_equal(mustache_check(slice_z(row->name), known, &err), RC_OK);
        mustache_render(slice_z(row->name), &scope, &out);
        assert_string_equal(str_z(&out), row->result);
    }
}

static const struct {
    const char *name, *result;
} pages[] = {
    {"<p>{{text}}</p>", "<p>&lt;b title=&quot;x&quot;&gt; &amp; &#39;</p>"},
    {"{{&text}}", "&lt;b title=&quot;x&quot;&gt; &amp; &#39;"},
    {"{{body}}", "<i>as it is</i>"},
    {"{{#rows}}{{n}}{{text}}{{#inner}}({{n}}{{m}}){{/inner}};{{/rows}}",
     "1<i>(1a)(2b);2&lt;b title=&quot;x&quot;&gt; &amp; &#39;;"},
    {"{{^none}}no rows{{/none}}", "no rows"},
};

static void in_a_page_every_value_is_escaped_but_markup(void **state)
{
    static const struct mustache_value inner[][2] = {
        {{.name = "m", .text = SLICE_INIT("a")}, {.name = "x"}},
        {{.name = "m", .text = SLICE_INIT("b")}, {.name = "n", .text = SLICE_INIT("2")}}};
    static const struct mustache_scope inner_row[] = {{inner[0], 2}, {inner[1], 2}};
    static const struct mustache_value first[] = {
        {.name = "n", .text = SLICE_INIT("1")},
        {.name = "text", .text = SLICE_INIT("<i>"), .markup = true},
        {.name = "inner", .row = inner_row, .rows = 2}};
    static const struct mustache_value second[] = {{.name = "n", .text = SLICE_INIT("2")}};
    static const struct mustache_scope row[] = {{first, 3}, {second, 1}};
    static const struct mustache_value value[] = {
        {.name = "text", .text = SLICE_INIT("<b title=\"x\"> & '")},
        {.name = "body", .text = SLICE_INIT("<i>as it is</i>"), .markup = true},
        {.name = "rows", .row = row, .rows = 2},
        {.name = "none", .row = row, .rows = 0}};
    const struct mustache_scope scope = {value, LENGTH(value)};

    (void)state;
    FOR_EACH(page, pages) {
        CLEANUP(str_clear) struct str out = STR_INIT;
        struct err err = ERR_INIT;

        assert_int_equal(mustache_check(slice_z(page->name), NULL, &err), RC_OK);
        mustache_render_page(slice_z(page->name), &scope, &out);
        assert_string_equal(str_z(&out), page->result);
    }
}

static void what_a_letter_does_not_know_is_refused_with_its_line(void **state)
{
    (void)state;
    FOR_EACH(row, refused) {
        struct err err = ERR_INIT;

        assert_int_equal(mustache_check(slice_z(row->name), known, &err), RC_REFUSED);
        assert_non_null(strstr(err.text, row->says));
    }
}

static void a_value_is_never_a_directive(void **state)
{
    const struct mustache_value value[] = {
        {.name = "subject", .text = SLICE_INIT("{{reference}} {{#x}}")},
        {.name = "reference", .text = SLICE_INIT("HD-1")}};
    const struct mustache_scope scope = {value, LENGTH(value)};
    CLEANUP(str_clear) struct str out = STR_INIT;

    (void)state;
    mustache_render(SLICE("<{{subject}}>"), &scope, &out);
    assert_string_equal(str_z(&out), "<{{reference}} {{#x}}>");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_template_gives_its_text),
        cmocka_unit_test(in_a_page_every_value_is_escaped_but_markup),
        cmocka_unit_test(what_a_letter_does_not_know_is_refused_with_its_line),
        cmocka_unit_test(a_value_is_never_a_directive),
    };

    return RUN_TESTS(tests);
}
