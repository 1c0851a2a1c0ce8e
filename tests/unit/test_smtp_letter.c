/* SPDX-License-Identifier: Apache-2.0 */
/* links: smtp core */
#include "letter.h"

#include <testing.h>

#include <string.h>

#define GOOD "A: b\r\n\r\nx\r\n"

static void what_may_not_be_sent_is_refused(void **state)
{
    static const struct {
        const char *name;
        struct slice octets;
        const char *sender;
        const char *recipient;
        const char *copy_to;
        enum rc rc;
    } rows[] = {
        {"a good one", SLICE_INIT(GOOD), "a@x", "b@y", NULL, RC_OK},
        {"the null sender", SLICE_INIT(GOOD), "", "b@y", NULL, RC_OK},
        {"a quoted local part", SLICE_INIT(GOOD), "", "\"b c<>\\\"\"@y", NULL, RC_OK},
        {"a last line without end", SLICE_INIT("A: b"), "", "b@y", NULL, RC_OK},
        {"nothing", SLICE_INIT(""), "", "b@y", NULL, RC_REFUSED},
        {"a bare LF", SLICE_INIT("A: b\n"), "", "b@y", NULL, RC_REFUSED},
        {"a bare LF at the start", SLICE_INIT("\nA: b\r\n"), "", "b@y", NULL, RC_REFUSED},
        {"a bare CR", SLICE_INIT("A: b\rc\r\n"), "", "b@y", NULL, RC_REFUSED},
        {"CR CR LF", SLICE_INIT("A: b\r\r\n"), "", "b@y", NULL, RC_REFUSED},
        {"CR at the end", SLICE_INIT("A: b\r"), "", "b@y", NULL, RC_REFUSED},
        {"a NUL", SLICE_INIT("A: \0b\r\n"), "", "b@y", NULL, RC_REFUSED},
        {"no recipient", SLICE_INIT(GOOD), "", "", NULL, RC_REFUSED},
        {"two recipients", SLICE_INIT(GOOD), "", "b@y><c@z", NULL, RC_REFUSED},
        {"a line break", SLICE_INIT(GOOD), "", "b@y\r\nDATA", NULL, RC_REFUSED},
        {"a parameter", SLICE_INIT(GOOD), "", "b@y NOTIFY=NEVER", NULL, RC_REFUSED},
        {"an open quote", SLICE_INIT(GOOD), "", "\"b@y", NULL, RC_REFUSED},
        {"a sender in brackets", SLICE_INIT(GOOD), "<a@x>", "b@y", NULL, RC_REFUSED},
        {"a copy that breaks the line", SLICE_INIT(GOOD), "", "b@y", "c@z\n", RC_REFUSED},
    };

    (void)state;
    FOR_EACH(row, rows) {
        struct letter letter = {.octets = row->octets,
                                .sender = row->sender,
                                .recipient = row->recipient,
                                .copy_to = row->copy_to};
        struct needs needs;
        struct err err = ERR_INIT;

        assert_int_equal(letter_check(&letter, &needs, &err), row->rc);
        assert_null(strstr(err.text, "@"));
    }
}

static void a_line_may_have_998_octets(void **state)
{
    char octets[1002];
    struct letter letter = {.sender = "", .recipient = "b@y"};
    struct needs needs;

    (void)state;
    memset(octets, 'x', sizeof octets);
    memcpy(octets + 998, "\r\n", 2);
    letter.octets = (struct slice){octets, 1000};
    assert_int_equal(letter_check(&letter, &needs, NULL), RC_OK);
    memcpy(octets + 998, "x\r\n", 3);
    letter.octets = (struct slice){octets, 1001};
    assert_int_equal(letter_check(&letter, &needs, NULL), RC_REFUSED);
}

static void what_is_needed_is_offered_or_missing(void **state)
{
    static const struct {
        const char *name;
        struct slice octets;
        const char *recipient;
        const char *offers;
        const char *missing; /* a word of it; NULL: nothing is */
        const char *mail;
    } rows[] = {
        {"nothing needed or offered", SLICE_INIT(GOOD), "b@y", "peer", NULL, "MAIL FROM:<>\r\n"},
        {"size said", SLICE_INIT(GOOD), "b@y", "peer\nSIZE", NULL, "MAIL FROM:<> SIZE=11\r\n"},
        {"size enough", SLICE_INIT(GOOD), "b@y", "peer\nSIZE 11", NULL, "MAIL FROM:<> SIZE=11\r\n"},
        {"size 0 is any", SLICE_INIT(GOOD), "b@y", "peer\nSIZE 0", NULL,
         "MAIL FROM:<> SIZE=11\r\n"},
        {"too large", SLICE_INIT(GOOD), "b@y", "peer\nSIZE 10", "SIZE", NULL},
        {"8-bit body", SLICE_INIT("A: b\r\n\r\n\xFF\r\n"), "b@y", "peer\n8bitmime", NULL,
         "MAIL FROM:<> BODY=8BITMIME\r\n"},
        {"8-bit body, not taken", SLICE_INIT("A: b\r\n\r\n\xFF\r\n"), "b@y", "peer\nSMTPUTF8",
         "8BITMIME", NULL},
        {"wide address", SLICE_INIT(GOOD), "\xC3\xA4@y", "peer\nSMTPUTF8\n8BITMIME", NULL,
         "MAIL FROM:<> SMTPUTF8\r\n"},
        {"wide address, not taken", SLICE_INIT(GOOD), "\xC3\xA4@y", "peer\n8BITMIME", "SMTPUTF8",
         NULL},
        {"wide header", SLICE_INIT("A: \xC3\xA4\r\n\r\n"), "b@y", "peer\n8BITMIME", "SMTPUTF8",
         NULL},
    };

    (void)state;
    FOR_EACH(row, rows) {
        struct letter letter = {.octets = row->octets, .sender = "", .recipient = row->recipient};
        struct offers offers = offers_of(slice_z(row->offers));
        CLEANUP(str_clear) struct str mail = STR_INIT;
        struct needs needs;
        const char *missing;

        assert_int_equal(letter_check(&letter, &needs, NULL), RC_OK);
        missing = letter_missing(&needs, &offers);
        assert_int_equal(missing == NULL, row->missing == NULL);
        if (missing != NULL) {
            assert_non_null(strstr(missing, row->missing));
            continue;
        }
        letter_mail("", &needs, &offers, &mail);
        assert_string_equal(str_z(&mail), row->mail);
    }
}

static void dots_are_doubled_wherever_a_piece_ends(void **state)
{
    CLEANUP(str_clear) struct str octets = STR_INIT;
    CLEANUP(str_clear) struct str expected = STR_INIT;
    CLEANUP(str_clear) struct str out = STR_INIT;
    size_t from = 0;
    size_t pieces = 0;

    (void)state;
    for (size_t i = 0; i < 9000; i++) {
        str_addf(&octets, "%s%zu.\r\n", i % 3 == 0 ? "." : "", i);
        str_addf(&expected, "%s%zu.\r\n", i % 3 == 0 ? ".." : "", i);
    }
    str_addz(&octets, ".end");
    str_addz(&expected, "..end\r\n");
    while (from < octets.len) {
        size_t before = out.len;

        letter_body(str_slice(&octets), &from, &out);
        assert_true(out.len - before <= LETTER_PIECE + 1000);
        pieces++;
    }
    assert_true(pieces > 2);
    assert_int_equal(out.len, expected.len);
    assert_memory_equal(out.at, expected.at, out.len);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_may_not_be_sent_is_refused),
        cmocka_unit_test(a_line_may_have_998_octets),
        cmocka_unit_test(what_is_needed_is_offered_or_missing),
        cmocka_unit_test(dots_are_doubled_wherever_a_piece_ends),
    };

    return RUN_TESTS(tests);
}
