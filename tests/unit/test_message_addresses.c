/* SPDX-License-Identifier: Apache-2.0 */
/* links: message */
#include "addresses.h"

#include <testing.h>

static const struct {
    const char *name;
    const char *raw;
    const char *list; /* "name|address" each, a line end between */
} rows[] = {
    /* clang-format off */
    {"an address",                     "ann@example.com", "|ann@example.com"},
    {"in brackets",                    "<ann@example.com>", "|ann@example.com"},
    {"with a name",                    "Ann Lee <ann@example.com>", "Ann Lee|ann@example.com"},
    {"glued to it",                    "Ann<ann@example.com>", "Ann|ann@example.com"},
    {"with a quoted name",             "\"Lee, Ann (home)\" <ann@example.com>", "Lee, Ann (home)|ann@example.com"},
    {"with quotes in the name",        "\"Ann \\\"A\\\" Lee\" <ann@example.com>", "Ann \"A\" Lee|ann@example.com"},
    {"with a comment for a name",      "dana@example.com (Dana Ruiz)", "Dana Ruiz|dana@example.com"},
    {"with comments inside",           "dana(x)@(y)example.com", "x|dana@example.com"},
    {"two",                            "a@example.com, b@example.net", "|a@example.com\n|b@example.net"},
    {"with semicolons",                "a@example.com; b@example.net;", "|a@example.com\n|b@example.net"},
    {"with empty ones",                ", a@example.com,, b@example.net,", "|a@example.com\n|b@example.net"},
    {"a group",                        "Team: a@example.com, B <b@example.net>;", "|a@example.com\nB|b@example.net"},
    {"an empty group",                 "undisclosed-recipients:;", ""},
    {"a group, then one more",         "T: a@example.com;, c@example.org", "|a@example.com\n|c@example.org"},
    {"a source route",                 "Old <@relay.example.net:eve@example.com>", "Old|eve@example.com"},
    {"a longer one",                   "<@a.example,@b.example:eve@example.com>", "|eve@example.com"},
    {"a quoted local part",            "\"eve tan\"@example.com", "|\"eve tan\"@example.com"},
    {"in brackets too",                "Eve <\"eve, tan\"@example.com>", "Eve|\"eve, tan\"@example.com"},
    {"blanks around dots",             "eve . tan @ example . com", "|eve.tan@example.com"},
    {"blanks in brackets",             "< eve@ example.com >", "|eve@example.com"},
    {"folded",                         "Eve\r\n Tan\r\n <eve@example.com>", "Eve Tan|eve@example.com"},
    {"an encoded name",                "=?utf-8?Q?J=C3=B6rg?= <j@example.com>", "Jörg|j@example.com"},
    {"an encoded name in quotes",      "\"=?utf-8?Q?J=C3=B6rg?=\" <j@example.com>", "Jörg|j@example.com"},
    {"an encoded comma parts nothing", "=?utf-8?Q?a,_b?= <j@example.com>", "a, b|j@example.com"},
    {"an encoded address is a name",   "=?utf-8?Q?x=0D=0ABcc:_victim@example.net?= <safe@example.com>", "x  Bcc: victim@example.net|safe@example.com"},
    {"all of it encoded",              "=?utf-8?Q?Ann_=3Cann=40example.com=3E?=", "Ann|ann@example.com"},
    {"a raw name",                     "J\xF6rg <j@example.com>", "Jörg|j@example.com"},
    {"an address beyond ASCII",        "J <j\xC3\xB6rg@ex\xC3\xA4mple.com>", "J|jörg@exämple.com"},
    {"no address",                     "MAILER-DAEMON <>", "MAILER-DAEMON|"},
    {"no domain",                      "root", "root|"},
    {"empty brackets",                 "<>", ""},
    {"nothing",                        "", ""},
    {"blanks",                         " \r\n ", ""},
    {"an unclosed bracket",            "Ann <ann@example.com", "Ann|ann@example.com"},
    {"a stray closing one",            "ann@example.com>", "|ann@example.com"},
    {"doubled brackets",               "Ann <<ann@example.com>>", "Ann|ann@example.com"},
    {"an address as a name",           "\"ann@example.com\" <ann@example.net>", "ann@example.com|ann@example.net"},
    {"without its quotes",             "ann@example.com <ann@example.net>", "ann@example.com|ann@example.net"},
    {"brackets without an address",    "Ann <home> <ann@example.com>", "Ann  <home>|ann@example.com"},
    {"the name in brackets",           "ann@example.com <Ann>", "|ann@example.com"},
    {"a word beside it",               "Ann ann@example.com", "Ann|ann@example.com"},
    {"all of it in quotes",            "\"ann@example.com\"", "|ann@example.com"},
    {"more than it in quotes",         "\"ann@example.com, Ann\"", "ann@example.com, Ann|"},
    {"encoded in brackets",            "Ann <=?utf-8?Q?ann=40example.com?=>", "Ann|ann@example.com"},
    {"mailto",                         "<mailto:ann@example.com>", "|ann@example.com"},
    {"bare mailto",                    "mailto:ann@example.com", "|ann@example.com"},
    {"single quotes",                  "'ann@example.com'", "|ann@example.com"},
    {"an unclosed quote",              "\"Ann <ann@example.com>", "\"Ann|ann@example.com"},
    {"an unclosed comment",            "Ann (home <ann@example.com>", "Ann (home|ann@example.com"},
    {"nested comments",                "ann@example.com (a (b) c)", "a (b) c|ann@example.com"},
    {"an address literal",             "ann@[192.0.2.1]", "|ann@[192.0.2.1]"},
    {"one with colons",                "ann@[IPv6:2001:db8::1]", "|ann@[IPv6:2001:db8::1]"},
    {"two at signs",                   "<a@b@example.com>", "|a@b@example.com"},
    {"a comma in a bare name",         "Lee, Ann <ann@example.com>", "Lee|\nAnn|ann@example.com"},
    {"no comma between two",           "Bob <bob@example.com> Eve <eve@example.com>", "Bob|bob@example.com\nEve|eve@example.com"},
    {"one before a source route",      "<\x0b@a.example:eve@example.com>", "|eve@example.com"},
    {"a control character",            "Eve\x07 <e\x01ve@example.com>", "Eve|e ve@example.com"},
    /* clang-format on */
};

static void read_all(struct slice raw, struct str *out)
{
    struct addresses list;
    struct mailbox_name who = {.address = STR_INIT};

    addresses_begin(&list, raw);
    while (addresses_next(&list, &who))
        str_addf(out, "%s%s|%s", out->len > 0 ? "\n" : "", str_z(&who.name), str_z(&who.address));
    addresses_clear(&list);
    mailbox_name_clear(&who);
}

static void a_field_is_a_list(void **state)
{
    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str list = STR_INIT;

        read_all(slice_z(row->raw), &list);
        assert_string_equal(str_z(&list), row->list);
    }
}

/* What makes a parser of addresses recurse, or look at the same octets again and again. */
static void long_fields_cost_little(void **state)
{
    static const struct {
        const char *name;
    } pieces[] = {{"a:"}, {"("}, {"\""}, {"<"},    {"(,"}, {"\","},
                  {"<,"}, {"@"}, {"\\"}, {"a@b,"}, {"=?"}};

    (void)state;
    FOR_EACH(row, pieces) {
        CLEANUP(str_clear) struct str raw = STR_INIT;
        CLEANUP(str_clear) struct str list = STR_INIT;

        while (raw.len < 262144)
            str_addz(&raw, row->name);
        read_all(str_slice(&raw), &list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_field_is_a_list),
        cmocka_unit_test(long_fields_cost_little),
    };

    return RUN_TESTS(tests);
}
