/* SPDX-License-Identifier: Apache-2.0 */
/* links: message */
#include "html.h"

#include <testing.h>

static const struct {
    const char *name;
    const char *html, *text;
} rows[] = {
    /* clang-format off */
    {"plain",                         "hello", "hello"},
    {"entities",                      "Gr&uuml;&szlig;e &amp; &lt;b&gt; &#8364; &#x20AC; &nope;", "Grüße & <b> € € &nope;"},
    {"numbers as browsers read them", "it&#146;s &#x80;5&#150;6 &#8217 &#0; &#129;", "it’s €5–6 ’ \xEF\xBF\xBD"},
    {"names without a semicolon",     "a &amp b &copy2026 AT&T &eacutet&eacute &nope &", "a & b ©2026 AT&T été &nope &"},
    {"what they mean is no mark",     "&lt;b&gt; &ltb&gt", "<b> <b>"},
    {"spaces that break no line",     "a&nbsp;&nbsp; b\xC2\xA0" "c", "a   b c"},
    {"white space",                   " a \r\n\t b ", "a b"},
    {"paragraphs",                    "<p>a</p><p>b</p>", "a\n\nb"},
    {"that do not close",             "<p>a<p>b", "a\n\nb"},
    {"breaks",                        "a<br>b<br/>c<BR>d", "a\nb\nc\nd"},
    {"no more than one empty line",   "a<br><br><br><br>b", "a\n\nb"},
    {"boxes",                         "<div>a</div><div><div>b</div></div>c", "a\nb\nc"},
    {"marks within a line",           "a <b>b</b><i>c</i> <a href='https://x.y/z'>d</a>", "a bc d"},
    {"lists",                         "<ul><li>a<li>b</ul>c", "- a\n- b\n\nc"},
    {"tables",                        "<table><tr><td>a</td><td>b</td></tr><tr><td>c<td>d</table>e", "a b\nc d\ne"},
    {"titles",                        "<h1>A</h1>b", "A\n\nb"},
    {"quotations",                    "a<blockquote>b<br>c<blockquote>d</blockquote></blockquote>e", "a\n\n> b\n> c\n\n> > d\n\ne"},
    {"preformatted",                  "<pre>a\n  b\n\nc</pre>d", "a\n  b\n\nc\n\nd"},
    {"pictures",                      "a <img src=x alt=' p '> b <img src=y>", "a [p] b"},
    {"head, title, style, script",    "<html><head><title>t</title><style>x{}</style></head><body>a<script>if (a < b) {}</script>b</body></html>", "ab"},
    {"a script in upper case",        "a<SCRIPT>evil()</SCRIPT>b", "ab"},
    {"comments",                      "a<!-- x --><!--[if mso]>y<![endif]-->b", "ab"},
    {"frames and objects",            "a<iframe src=x>y</iframe><object>z</object>b", "ab"},
    {"a tag that does not close",     "a<b", "a"},
    {"tags that were never opened",   "a</p></div></x>b", "ab"},
    {"crossed tags",                  "<b>a<i>b</b>c</i>d", "abcd"},
    {"a charset it does not have",    "<meta http-equiv=Content-Type content='text/html; charset=iso-8859-1'>\xC3\xBC", "ü"},
    {"beyond ASCII",                  "<p>\xE6\x97\xA5\xE6\x9C\xAC \xF0\x9F\x94\xA5</p>", "日本 🔥"},
    {"nothing",                       "", ""},
    {"nothing to see",                "<p> </p><br>", ""},
    /* clang-format on */
};

static void html_becomes_text(void **state)
{
    (void)state;
    html_prepare();
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str text = STR_INIT;

        assert_true(html_to_text(slice_z(row->html), 1000, &text));
        assert_string_equal(str_z(&text), row->text);
    }
}

static void it_is_cut_between_characters(void **state)
{
    static const struct {
        const char *name;
        size_t most;
        const char *text;
    } cuts[] = {
        {"before", 2, "ab"},
        {"within", 3, "ab"},
        {"further within", 4, "ab"},
        {"after", 5, "ab日"},
    };

    (void)state;
    FOR_EACH(row, cuts) {
        CLEANUP(str_clear) struct str text = STR_INIT;

        assert_false(html_to_text(SLICE("ab日本"), row->most, &text));
        assert_string_equal(str_z(&text), row->text);
    }
}

static void a_charset_is_declared(void **state)
{
    static const struct {
        const char *name;
        const char *html, *charset;
    } declared[] = {
        {"short", "<meta charset=utf-8>", "utf-8"},
        {"quoted", "<meta charset=\"koi8-r\">", "koi8-r"},
        {"long", "<meta content='text/html; charset=windows-1251'>", "windows-1251"},
        {"not", "<p>charset", ""},
    };

    (void)state;
    FOR_EACH(row, declared)
        assert_true(slice_eqz(html_charset(slice_z(row->html)), row->charset));
}

/* What makes a parser look at the same things again and again: 1 MB of each, in linear time. */
static void pathological_html_costs_little(void **state)
{
    static const struct {
        const char *name;
        const char *first, *again;
    } bad[] = {
        {"open elements", "", "<b>"},
        {"nested boxes", "", "<div>"},
        {"nested quotations", "", "<blockquote>"},
        {"nested objects", "", "<object>"},
        {"nested tables", "", "<table><tr><td>"},
        {"end tags of nothing", "<b><b><b>", "</x>"},
        {"attributes", "<a ", "b=c "},
        {"attributes of one name", "<a ", "b "},
        {"attributes without blanks", "<a ", "b='c'"},
        {"comments that open", "", "<!--"},
        {"tags that open", "", "<a"},
        {"brackets", "", "<"},
        {"entities that do not end", "", "&amp"},
        {"lines", "<pre>", "\n"},
        {"quotes in a tag", "<a b=\"", "'"},
    };

    (void)state;
    FOR_EACH(row, bad) {
        CLEANUP(str_clear) struct str html = STR_INIT;
        CLEANUP(str_clear) struct str text = STR_INIT;

        str_addz(&html, row->first);
        while (html.len < 1 << 20)
            str_addz(&html, row->again);
        html_to_text(str_slice(&html), 1 << 20, &text);
        assert_true(text.len <= 1 << 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(html_becomes_text),
        cmocka_unit_test(it_is_cut_between_characters),
        cmocka_unit_test(a_charset_is_declared),
        cmocka_unit_test(pathological_html_costs_little),
    };

    return RUN_TESTS(tests);
}
