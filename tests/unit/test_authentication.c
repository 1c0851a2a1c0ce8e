/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include <onecase/authentication.h>
#include <testing.h>

#include <string.h>

#define RESULTS  "Authentication-Results: "
#define OURS     RESULTS "mx.example.org; "
#define RECEIVED "Received: from a by mx.example.org; Mon, 2 Mar 2026 01:02:03 +0000\r\n"
#define FOREIGN  "Received: from b by a.example.com; Mon, 2 Mar 2026 01:02:02 +0000\r\n"
#define REST     "From: ann@example.com\r\nSubject: Printer\r\n\r\nBody\r\n"

static const struct authentication own = {"mx.example.org", 1, false};

static enum dmarc said(const struct authentication *trusted, const char *above, const char *rest)
{
    CLEANUP(str_clear) struct str mail = STR_INIT;

    str_addf(&mail, "%s%s", above, rest);
    return authentication_dmarc(trusted, str_slice(&mail));
}

static void one_field_says(void **state)
{
    /* clang-format off */
    static const struct {
        const char *name, *field;
        enum dmarc says;
    } rows[] = {
        {"nothing",                         "",                                                                DMARC_UNSAID},
        {"pass",                            OURS "dmarc=pass\r\n",                                             DMARC_PASS},
        {"fail",                            OURS "dmarc=fail\r\n",                                             DMARC_FAIL},
        {"with comment and property",       OURS "dmarc=pass (p=none) header.from=example.com\r\n",            DMARC_PASS},
        {"with policy properties",          OURS "dmarc=fail (p=reject dis=none) policy.x=\"y\" header.from=a.b\r\n", DMARC_FAIL},
        {"with a reason",                   OURS "dmarc=fail reason=\"dmarc=pass; x\" header.from=a.b\r\n",    DMARC_FAIL},
        {"after others",                    OURS "dkim=pass header.d=a.b header.s=s; spf=fail; dmarc=pass\r\n", DMARC_PASS},
        {"before others",                   OURS "dmarc=fail; dkim=pass; spf=pass\r\n",                        DMARC_FAIL},
        {"only others",                     OURS "dkim=fail; spf=fail smtp.mailfrom=dmarc=fail\r\n",           DMARC_UNSAID},
        {"in capitals",                     "AUTHENTICATION-RESULTS: MX.Example.ORG; DMARC=Pass\r\n",          DMARC_PASS},
        {"folded",                          "Authentication-Results:\r\n mx.example.org;\r\n\tdmarc\r\n =\r\n fail\r\n", DMARC_FAIL},
        {"folded, with bare line feeds",    "Authentication-Results:\n mx.example.org;\n\tdmarc=fail\n",       DMARC_FAIL},
        {"without blanks",                  RESULTS "mx.example.org;dmarc=fail;spf=pass\r\n",                  DMARC_FAIL},
        {"comments everywhere",             RESULTS "(a (b) \\) ;) mx.example.org (;dmarc=pass) 1 (c);(d)dmarc(e)/(f)1(g)=(h)fail(i)\r\n", DMARC_FAIL},
        {"in a comment only",               OURS "spf=pass (dmarc=fail; dmarc=fail)\r\n",                      DMARC_UNSAID},
        {"in a quoted text only",           OURS "spf=pass reason=\"a\\\"; dmarc=fail\"\r\n",                  DMARC_UNSAID},
        {"none at all",                     OURS "none\r\n",                                                   DMARC_UNSAID},
        {"no policy",                       OURS "dmarc=none\r\n",                                             DMARC_OTHER},
        {"an error",                        OURS "dmarc=temperror\r\n",                                        DMARC_OTHER},
        {"a longer word",                   OURS "dmarc=passed\r\n",                                           DMARC_OTHER},
        {"a word with a dot",               OURS "dmarc=pass.example\r\n",                                     DMARC_OTHER},
        {"in quotes",                       OURS "dmarc=\"pass\"\r\n",                                         DMARC_OTHER},
        {"without result",                  OURS "dmarc=; spf=pass\r\n",                                       DMARC_OTHER},
        {"without an equals sign",          OURS "dmarc pass\r\n",                                             DMARC_OTHER},
        {"of another version of the method", OURS "dmarc/2=pass\r\n",                                          DMARC_OTHER},
        {"a method that only begins so",    OURS "dmarc-arc=fail; xdmarc=fail\r\n",                            DMARC_UNSAID},
        {"pass, then fail",                 OURS "dmarc=pass; dmarc=fail\r\n",                                 DMARC_FAIL},
        {"fail, then pass",                 OURS "dmarc=fail; dmarc=pass\r\n",                                 DMARC_FAIL},
        {"none, then pass by the sender",   OURS "spf=pass smtp.mailfrom=x;dmarc=pass; dmarc=none\r\n",        DMARC_OTHER},
        {"an open quote after pass",        OURS "dmarc=pass; spf=pass smtp.mailfrom=\"x; dmarc=fail\r\n",     DMARC_OTHER},
        {"an open comment after pass",      OURS "dmarc=pass (x; dmarc=fail\r\n",                              DMARC_OTHER},
        {"a backslash at the end",          OURS "dmarc=pass \"\\\r\n",                                        DMARC_OTHER},
        {"an open quote after fail",        OURS "dmarc=fail \"\r\n",                                          DMARC_FAIL},
        {"another server",                  RESULTS "mx.example.com; dmarc=fail\r\n",                          DMARC_UNSAID},
        {"a server that begins so",         RESULTS "mx.example.org.evil.example; dmarc=pass\r\n",             DMARC_UNSAID},
        {"a server that ends so",           RESULTS "a.mx.example.org; dmarc=pass\r\n",                        DMARC_UNSAID},
        {"ours in a comment",               RESULTS "evil.example (mx.example.org); dmarc=pass\r\n",           DMARC_UNSAID},
        {"its name in quotes",              RESULTS "\"mx.example.org\"; dmarc=pass\r\n",                      DMARC_PASS},
        {"version 1",                       RESULTS "mx.example.org 1; dmarc=pass\r\n",                        DMARC_PASS},
        {"another version",                 RESULTS "mx.example.org 2; dmarc=pass\r\n",                        DMARC_UNSAID},
        {"no semicolon",                    RESULTS "mx.example.org dmarc=pass\r\n",                           DMARC_UNSAID},
        {"no name",                         RESULTS "; dmarc=pass\r\n",                                        DMARC_UNSAID},
        {"empty",                           "Authentication-Results:\r\n",                                     DMARC_UNSAID},
        {"garbage",                         OURS ";;=;/dmarc=\xFF;\x01 @<>[]?=\\,:\r\n",                       DMARC_UNSAID},
        {"of ARC",                          "ARC-Authentication-Results: i=1; mx.example.org; dmarc=fail\r\n", DMARC_UNSAID},
        {"of another field",                "X-Authentication-Results: mx.example.org; dmarc=fail\r\n",        DMARC_UNSAID},
        {"a field that goes on",            OURS "dmarc=pass\r\nX: y; dmarc=fail\r\n",                         DMARC_PASS},
    };
    /* clang-format on */

    (void)state;
    FOR_EACH(row, rows)
        assert_int_equal(said(&own, row->field, RECEIVED FOREIGN REST), row->says);
}

static void the_worst_of_several_counts(void **state)
{
    static const struct {
        const char *name, *fields;
        enum dmarc says;
    } rows[] = {
        {"pass twice", OURS "dmarc=pass\r\n" OURS "dmarc=pass\r\n", DMARC_PASS},
        {"pass and nothing", OURS "dmarc=pass\r\n" OURS "spf=fail\r\n", DMARC_PASS},
        {"pass and fail", OURS "dmarc=pass\r\n" OURS "dmarc=fail\r\n", DMARC_FAIL},
        {"fail and pass", OURS "dmarc=fail\r\n" OURS "dmarc=pass\r\n", DMARC_FAIL},
        {"pass and none", OURS "dmarc=pass\r\n" OURS "dmarc=none\r\n", DMARC_OTHER},
        {"none and fail", OURS "dmarc=none\r\n" OURS "dmarc=fail\r\n", DMARC_FAIL},
        {"one that is not ours", OURS "dmarc=pass\r\n" RESULTS "x.example; dmarc=fail\r\n",
         DMARC_PASS},
    };

    (void)state;
    FOR_EACH(row, rows)
        assert_int_equal(said(&own, row->fields, RECEIVED REST), row->says);
}

/* F: a field that says fail, where it stands; what a stranger writes stands below. */
static void only_what_stands_where_the_own_servers_write_counts(void **state)
{
#define F OURS "dmarc=fail\r\n"
    /* clang-format off */
    static const struct {
        const char *name, *header;
        unsigned hops;
        bool below;
        enum dmarc says;
    } rows[] = {
        {"above the first",                      F RECEIVED FOREIGN REST,          1, false, DMARC_FAIL},
        {"below the first",                      RECEIVED F FOREIGN REST,          1, false, DMARC_UNSAID},
        {"below the first, which is allowed",    RECEIVED F FOREIGN REST,          1, true,  DMARC_FAIL},
        {"above the first is allowed then too",  F RECEIVED FOREIGN REST,          1, true,  DMARC_FAIL},
        {"below the second",                     RECEIVED FOREIGN F REST,          1, true,  DMARC_UNSAID},
        {"between the two of our own",           RECEIVED F RECEIVED FOREIGN REST, 2, false, DMARC_FAIL},
        {"below the two of our own",             RECEIVED RECEIVED F FOREIGN REST, 2, false, DMARC_UNSAID},
        {"below both, which is allowed",         RECEIVED RECEIVED F FOREIGN REST, 2, true,  DMARC_FAIL},
        {"not through the own servers",          F REST,                           1, false, DMARC_UNSAID},
        {"not through the own servers, below",   F REST,                           1, true,  DMARC_UNSAID},
        {"not through all of them",              RECEIVED F REST,                  2, true,  DMARC_UNSAID},
        {"through one, and no other",            RECEIVED F REST,                  1, true,  DMARC_FAIL},
        {"in the body",                          "X: y\r\n\r\n" F RECEIVED,        1, false, DMARC_UNSAID},
        {"a Received in the body",               F "\r\n" RECEIVED,                1, false, DMARC_UNSAID},
        {"a line that is no field above",        "broken\r\n" F RECEIVED REST,     1, false, DMARC_FAIL},
        {"folded into another field",            "X: y\r\n " F RECEIVED REST,      1, false, DMARC_UNSAID},
        {"a Received that is folded into one",   "X: y\r\n " RECEIVED F RECEIVED REST, 1, false, DMARC_FAIL},
        {"Received-SPF is no hop",               "Received-SPF: fail\r\n" F RECEIVED REST, 1, false, DMARC_FAIL},
        {"received in lower case",               "received: x\r\n" F RECEIVED REST, 1, false, DMARC_UNSAID},
    };
    /* clang-format on */
#undef F

    (void)state;
    FOR_EACH(row, rows) {
        const struct authentication trusted = {"mx.example.org", row->hops, row->below};

        assert_int_equal(said(&trusted, "", row->header), row->says);
    }
}

static void without_a_name_nothing_counts(void **state)
{
    static const struct authentication nobody = {"", 1, true};

    (void)state;
    assert_int_equal(said(&nobody, RESULTS "; dmarc=fail\r\n", RECEIVED REST), DMARC_UNSAID);
    assert_int_equal(said(&nobody, RESULTS "\"\"; dmarc=fail\r\n", RECEIVED REST), DMARC_UNSAID);
    assert_int_equal(said(&(struct authentication){0}, OURS "dmarc=fail\r\n", RECEIVED REST),
                     DMARC_UNSAID);
}

/* What stood there before was a reader's word, and nobody asked it. */
static void a_mail_is_marked_with_it(void **state)
{
    static const struct {
        const char *name, *field;
        uint32_t signs;
    } rows[] = {
        {"pass", OURS "dmarc=pass\r\n", SIGN_DMARC_PASS},
        {"fail", OURS "dmarc=fail\r\n", SIGN_DMARC_FAIL},
        {"none", OURS "dmarc=none\r\n", 0},
        {"unsaid", "", 0},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str mail = STR_INIT;
        CLEANUP(message_clear) struct message m = MESSAGE_INIT;

        str_addf(&mail, "%s%s", row->field, RECEIVED REST);
        m.signs = SIGN_BULK | SIGN_DMARC_PASS | SIGN_DMARC_FAIL;
        authentication_mark(&own, str_slice(&mail), &m);
        assert_int_equal(m.signs, SIGN_BULK | row->signs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_field_says),
        cmocka_unit_test(the_worst_of_several_counts),
        cmocka_unit_test(only_what_stands_where_the_own_servers_write_counts),
        cmocka_unit_test(without_a_name_nothing_counts),
        cmocka_unit_test(a_mail_is_marked_with_it),
    };

    return RUN_TESTS(tests);
}
