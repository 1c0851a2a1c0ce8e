/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include <onecase/source.h>
#include <testing.h>

/* A literal with its length, since octets may be NUL. */
#define IS(raw, id) SLICE_INIT(raw), SLICE_INIT(id)

static const struct {
    const char *name;
    struct slice raw, id;
} rows[] = {
    /* clang-format off */
    {"an id in brackets is kept",                  IS(" <a1@example.org>", "<a1@example.org>")},
    {"white space around it is none of it",        IS(" \t <a@b> \t\r\n", "<a@b>")},
    {"it may begin on the next line",              IS(" \r\n  <fold.7781@m.example>  ", "<fold.7781@m.example>")},
    {"with LF ends too",                           IS("\n\t<fold@m.example>", "<fold@m.example>")},
    {"white space inside goes",                    IS("<a \t b\r\n c@d >", "<abc@d>")},
    {"a bare CR inside is white space",            IS("<a\rb@c>", "<ab@c>")},
    {"two at signs are opaque",                    IS("<113c01$53bb@appmgr@example.com>", "<113c01$53bb@appmgr@example.com>")},
    {"no at sign at all",                          IS("<x>", "<x>")},
    {"case is kept",                               IS("<AbC@Example.ORG>", "<AbC@Example.ORG>")},
    {"8-bit octets are kept",                      IS("<gr\xC3\xB6\xDF@x>", "<gr\xC3\xB6\xDF@x>")},
    {"NUL is kept",                                IS("<a\0b@c>", "<a\0b@c>")},
    {"a no-break space is no white space",         IS("<a\xC2\xA0@c>", "<a\xC2\xA0@c>")},
    {"it ends at the bracket",                     IS("<glued.3@example.com>MIME-Version: 1.0", "<glued.3@example.com>")},
    {"text before the bracket is left out",        IS("Re: your <a@b>", "<a@b>")},
    {"the first of two counts",                    IS("<a@b> <c@d>", "<a@b>")},
    {"to the end where no bracket closes",         IS("<a@b", "<a@b>")},
    {"to the end with white space inside",         IS("<a @ b ", "<a@b>")},
    {"the next closing bracket closes",            IS("<<a@b>>", "<<a@b>")},
    {"a closing bracket before is no matter",      IS("> <a@b>", "<a@b>")},
    {"comment after",                              IS("<c0ffee.9@x> (added by relay@y)", "<c0ffee.9@x>")},
    {"comment before",                             IS("(for <her@x> only) <a@b>", "<a@b>")},
    {"nested comments",                            IS("(a (b <c@d>) e <f@g>) <h@i>", "<h@i>")},
    {"a quoted parenthesis does not close",        IS("(a \\) <c@d>) <h@i>", "<h@i>")},
    {"nor does it open",                           IS("(a \\( <c@d>) <h@i>", "<h@i>")},
    {"two backslashes quote each other",           IS("(a \\\\) <c@d>", "<c@d>")},
    {"an unclosed comment is none",                IS("(added <a@b>", "<a@b>")},
    {"a closed one within an unclosed one is",     IS("(x (y <a@b>) <c@d>", "<c@d>")},
    {"one that never closes for a backslash",      IS("(x \\) <a@b>", "<a@b>")},
    {"a comment may swallow all",                  IS("(<a@b>)", "")},
    {"parentheses in the brackets are kept",       IS("<a(b)c@d>", "<a(b)c@d>")},
    {"also one alone",                             IS("<a(b@c> (d)", "<a(b@c>")},
    {"also closing ones",                          IS("<a)b@c>", "<a)b@c>")},
    {"a closing parenthesis before is no matter",  IS(") <a@b>", "<a@b>")},
    {"comments folded over lines",                 IS("(a\r\n b <x>\r\n c)\r\n <a@b>", "<a@b>")},
    {"without brackets they are added",            IS(" faff5b13cc@mail.example.com", "<faff5b13cc@mail.example.com>")},
    {"without brackets the first run counts",      IS(" a@b c@d", "<a@b>")},
    {"without brackets a comment is skipped",      IS("(x) a@b", "<a@b>")},
    {"without brackets a comment ends the run",    IS("a@b(added by c@d)", "<a@b>")},
    {"without brackets an unclosed one is text",   IS("(a@b", "<(a@b>")},
    {"without brackets on the next line",          IS("\r\n a@b\r\n c", "<a@b>")},
    {"nothing",                                    IS("", "")},
    {"white space only",                           IS(" \t \r\n ", "")},
    {"empty brackets",                             IS("<>", "")},
    {"white space in brackets",                    IS("< \t >", "")},
    {"an open bracket",                            IS("<", "")},
    {"the first brackets empty, others not",       IS("<> <a@b>", "")},
    {"a comment only",                             IS("(none)", "")},
    /* clang-format on */
};

static void a_message_id_is_normalised(void **state)
{
    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str id = STR_INIT;

        str_addz(&id, "what stood there before");
        message_id_normalise(row->raw, &id);
        assert_int_equal(id.len, row->id.len);
        assert_memory_equal(str_z(&id), row->id.at, row->id.len);
    }
}

static void what_is_normal_stays(void **state)
{
    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str once = STR_INIT;
        CLEANUP(str_clear) struct str twice = STR_INIT;

        message_id_normalise(row->raw, &once);
        message_id_normalise(str_slice(&once), &twice);
        assert_true(slice_eq(str_slice(&once), str_slice(&twice)));
    }
}

static void any_length_is_kept_whole(void **state)
{
    CLEANUP(str_clear) struct str raw = STR_INIT;
    CLEANUP(str_clear) struct str id = STR_INIT;

    (void)state;
    str_addc(&raw, '<');
    for (int i = 0; i < 100000; i++)
        str_addf(&raw, "%d!&/+=", i);
    str_addz(&raw, "@example.com>");
    message_id_normalise(str_slice(&raw), &id);
    assert_true(slice_eq(str_slice(&raw), str_slice(&id)));
}

/* Were it quadratic, a megabyte would take minutes, and the test its time limit. */
static void hostile_comments_cost_no_more_than_their_length(void **state)
{
    static const char *const pieces[] = {"(", "()", "(()", "\\(", "(\\", ")(", "\\"};

    (void)state;
    for (size_t i = 0; i < LENGTH(pieces); i++) {
        CLEANUP(str_clear) struct str raw = STR_INIT;
        CLEANUP(str_clear) struct str id = STR_INIT;

        while (raw.len < 1000000)
            str_addz(&raw, pieces[i]);
        str_addz(&raw, " <a@b>");
        message_id_normalise(str_slice(&raw), &id);
        assert_string_equal(str_z(&id), "<a@b>");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_id_is_normalised),
        cmocka_unit_test(what_is_normal_stays),
        cmocka_unit_test(any_length_is_kept_whole),
        cmocka_unit_test(hostile_comments_cost_no_more_than_their_length),
    };

    return RUN_TESTS(tests);
}
