/* SPDX-License-Identifier: Apache-2.0 */
/* links: message core */
#include "message_bench.h"

#include <sys/resource.h>

#define MEGABYTE (1 << 20)

/* A mail that is `first`, then `again` until it has `size` octets, then `last`. */
static const struct {
    const char *name;
    const char *first, *again;
    size_t size;
    const char *last;
    const char *refused; /* a word of what is said; NULL: it is read */
} rows[] = {
    /* clang-format off */
    {"a million header lines", "", "X-H: v\r\n", 7 * MEGABYTE, "\r\nbody", "lines"},
    {"a long header line", "X: ", "aaaaaaaa", 2 * MEGABYTE, "\r\n\r\nbody", "field"},
    {"a long folded field", "X: a", "\r\n aaaaaaaaaaaaaaaa", 300000, "\r\n\r\nbody", "field"},
    {"a long header", "X: y\r\n", "X: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n", 2 * MEGABYTE, "\r\nbody", "header"},
    {"a long line that is no field", "A: b\r\n", "aaaaaaaa", 2 * MEGABYTE, "\r\n\r\nbody", "field"},
    {"a long subject", "Subject: ", "a ", 200000, "\r\n\r\nbody", NULL},
    {"a subject of words", "Subject:", "\r\n =?utf-8?B?w6TDtsO8?=", 200000, "\r\n\r\nbody", NULL},
    {"a thousand colons in From", "From: ", "a:", 10000, "\r\n\r\nbody", NULL},
    {"a hundred thousand", "From: ", "a:", 200000, "\r\n\r\nbody", NULL},
    {"comments that open", "From: ", "(", 200000, "a@b.c\r\n\r\nbody", NULL},
    {"brackets that open", "From: ", "<", 200000, "a@b.c\r\n\r\nbody", NULL},
    {"ten thousand addresses", "From: a@b.c\r\nTo: a@b.c", ",\r\n a@b.c", 100000, "\r\n\r\nbody", NULL},
    {"many references", "References:", "\r\n <a@b>", 150000, "\r\n\r\nbody", NULL},
    {"many parameters", "Content-Type: text/plain", ";\r\n p=v", 20000, "\r\n\r\nbody", "parameters"},
    {"many sections of a name", "Content-Disposition: attachment", ";\r\n filename*0*=%41b", 15000, "\r\n\r\nbody", NULL},
    {"many parts", "Content-Type: multipart/mixed; boundary=b\r\n\r\n", "--b\r\n\r\nx\r\n", 10 * MEGABYTE, "--b--\r\n", "parts"},
    {"many parts with headers", "Content-Type: multipart/mixed; boundary=b\r\n\r\n", "--b\r\nContent-Type: a/b\r\n\r\nx\r\n", 100000, "--b--\r\n", "parts"},
    {"more leaves than are kept", "Content-Type: multipart/mixed; boundary=b\r\n\r\n", "--b\r\n\r\nx\r\n", 12000, "--b--\r\n", "texts"},
    {"lines like delimiters", "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n", "--c\r\n", MEGABYTE, "--b--\r\n", "parts"},
    {"a text with lines drawn across", "Content-Type: text/plain\r\n\r\n", "----\r\n\r\nx\r\n", MEGABYTE, "", NULL},
    {"a nest of messages", "", "Content-Type: message/rfc822\r\n\r\n", 320000, "Subject: x\r\n\r\nx", NULL},
    {"one line", "A: b\r\n\r\n", "aaaaaaaa", 8 * MEGABYTE, "\r\n", NULL},
    {"no delimiter to be found", "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n", "a line of text that goes on\r\n", 8 * MEGABYTE, "", NULL},
    {"no boundary", "Content-Type: multipart/mixed\r\n\r\n--b\r\n\r\n", "a line of text that goes on\r\n", 8 * MEGABYTE, "", NULL},
    {"lines in a part's header", "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nA: b\r\n", "a line of text\r\n", 200000, "--b--\r\n", NULL},
    {"empty lines", "", "\r\n", 2 * MEGABYTE, "Subject: x\r\n\r\nx", NULL},
    {"base64 that pads each group", "Content-Transfer-Encoding: base64\r\n\r\n", "YQ==\r\n", 2 * MEGABYTE, "", NULL},
    {"equal signs", "Content-Transfer-Encoding: quoted-printable\r\n\r\n", "=", 2 * MEGABYTE, "", NULL},
    {"blanks after an equal sign", "Content-Transfer-Encoding: quoted-printable\r\n\r\n=", " ", 2 * MEGABYTE, "x", NULL},
    /* clang-format on */
};

static double cpu_seconds(void)
{
    struct rusage used;

    getrusage(RUSAGE_SELF, &used);
    return (double)used.ru_utime.tv_sec + (double)used.ru_utime.tv_usec / 1e6;
}

static void pathological_mails_cost_little(void **state)
{
    static struct bench b;

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str mail = STR_INIT;
        double before;
        enum rc rc;

        str_addz(&mail, row->first);
        while (mail.len < row->size)
            str_addz(&mail, row->again);
        str_addz(&mail, row->last);
        before = cpu_seconds();
        rc = bench_parse(&b, str_slice(&mail), &reader_limits_default);
        assert_true(cpu_seconds() - before < 10); /* with sanitizers; a tenth of it without */
        assert_int_equal(rc, row->refused != NULL ? RC_REFUSED : RC_OK);
        if (row->refused != NULL && strstr(b.err.text, row->refused) == NULL)
            fail_msg("%s", b.err.text);
    }
    bench_clear(&b);
}

static void add_nest(struct str *mail, int depth)
{
    for (int i = 0; i < depth; i++)
        str_addf(mail, "Content-Type: multipart/mixed; boundary=\"b%d\"\r\n\r\n--b%d\r\n", i, i);
    str_addz(mail, "Content-Type: text/plain\r\n\r\ndeep\r\n");
    for (int i = depth; i-- > 0;)
        str_addf(mail, "--b%d--\r\n", i);
}

static void a_nest_is_read_as_deep_as_is_sane(void **state)
{
    static const struct {
        const char *name;
        int depth;
        enum rc rc;
    } nests[] = {{"20", 20, RC_OK},
                 {"49", 49, RC_OK},
                 {"1,000", 1000, RC_OK},
                 {"10,000", 10000, RC_REFUSED}};
    static struct bench b;

    (void)state;
    FOR_EACH(row, nests) {
        CLEANUP(str_clear) struct str mail = STR_INIT;

        add_nest(&mail, row->depth);
        assert_int_equal(bench_parse(&b, str_slice(&mail), &reader_limits_default), row->rc);
        if (row->rc == RC_OK)
            bench_assert_text(&b, b.message.text, "deep");
    }
    bench_clear(&b);
}

#define LIMIT(member) offsetof(struct reader_limits, member)

/* Each limit by itself, set so that this mail is just beyond it, or not. */
static void each_limit_has_its_own_text(void **state)
{
    static const char mail[] =
        "From: ann@example.com\r\nTo: a@b.c, d@e.f\r\nReferences: <1@x> <2@x> <3@x>\r\n"
        "Content-Type: multipart/mixed; boundary=b; a=1; b=2\r\n\r\n"
        "--b\r\n\r\nhello hello\r\n"
        "--b\r\nContent-Type: text/html\r\n\r\n<p>hello hello</p>\r\n"
        "--b\r\nContent-Type: a/b; name=\"a long name.pdf\"\r\n\r\n0123456789\r\n--b--\r\n";
    static const struct {
        const char *name;
        size_t limit;
        int64_t too_few, enough;
        const char *refused; /* NULL: less is taken */
    } limits[] = {
        /* clang-format off */
        {"message_octets", LIMIT(message_octets), sizeof mail - 2, sizeof mail - 1, "the message is longer than"},
        {"header_octets",  LIMIT(header_octets), 116, 117, "a header is longer than"},
        {"header_lines",   LIMIT(header_lines),   5, 6, "its headers have more than"},
        {"field_octets",   LIMIT(field_octets),   50, 52, "a header field is longer than"},
        {"parameters",     LIMIT(parameters),     2, 3, "a header field has more than"},
        {"boundaries",     LIMIT(boundaries),     0, 1, "it has more than"},
        {"comparisons",    LIMIT(comparisons),    3, 4, "telling its parts apart took more than"},
        {"leaves",         LIMIT(leaves),         2, 3, "it has more than"},
        {"decoded_octets", LIMIT(decoded_octets), 38, 39, "its parts are longer than"},
        {"text_octets",    LIMIT(text_octets),    10, 30, NULL},
        {"html_octets",    LIMIT(html_octets),    10, 18, NULL},
        {"name_octets",    LIMIT(name_octets),    14, 15, NULL},
        {"addresses",      LIMIT(addresses),      1, 2, NULL},
        {"references",     LIMIT(references),     2, 3, NULL},
        /* clang-format on */
    };
    static struct bench b;

    (void)state;
    FOR_EACH(row, limits) {
        struct reader_limits few = reader_limits_default;
        struct reader_limits enough = reader_limits_default;

        memcpy((char *)&few + row->limit, &row->too_few, sizeof row->too_few);
        memcpy((char *)&enough + row->limit, &row->enough, sizeof row->enough);
        assert_int_equal(bench_parse(&b, SLICE(mail), &enough), RC_OK);
        assert_false(b.message.signs & SIGN_INCOMPLETE);
        assert_int_equal(bench_parse(&b, SLICE(mail), &few), row->refused ? RC_REFUSED : RC_OK);
        if (row->refused == NULL)
            assert_true(b.message.signs & SIGN_INCOMPLETE);
        else if (strstr(b.err.text, row->refused) == NULL)
            fail_msg("%s", b.err.text);
    }
    bench_clear(&b);
}

static void what_is_cut_keeps_what_matters(void **state)
{
    struct reader_limits limits = reader_limits_default;
    static struct bench b;

    (void)state;
    limits.name_octets = 12;
    limits.references = 3;
    limits.text_octets = 4;
    assert_int_equal(
        bench_parse(
            &b,
            SLICE("References: <1@x> <2@x> <3@x> <4@x> <5@x>\r\n"
                  "Content-Type: multipart/mixed; boundary=b\r\n\r\n"
                  "--b\r\n\r\nabc\xC3\xBC\r\n"
                  "--b\r\nContent-Type: a/b; name=\"a very long name.pdf\"\r\n\r\nx\r\n--b--\r\n"),
            &limits),
        RC_OK);
    bench_assert_text(&b, b.message.references, "<1@x>\n<4@x>\n<5@x>\n");
    bench_assert_text(&b, b.message.text, "abc");
    bench_assert_text(&b, b.message.parts[1].name, "a very l.pdf");
    bench_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pathological_mails_cost_little),
        cmocka_unit_test(a_nest_is_read_as_deep_as_is_sane),
        cmocka_unit_test(each_limit_has_its_own_text),
        cmocka_unit_test(what_is_cut_keeps_what_matters),
    };

    return RUN_TESTS(tests);
}
