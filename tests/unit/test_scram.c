/* SPDX-License-Identifier: Apache-2.0 */
/* links: net */
#include "prepare.h"
#include "scram.h"
#include "sign_in.h"
#include <onecase/base64.h>

#include <testing.h>

#include <string.h>

#define NONCE_1   "fyko+d2lbbFgONRv9qkxdawL"
#define NONCE_256 "rOprNGfwEbeRWgbNEkqO"

/* The examples of RFC 5802 and RFC 7677. */
static const struct vector {
    const char *name;
    enum scram_hash hash;
    const char *nonce;
    const char *first;
    const char *challenge;
    const char *proof;
    const char *signature;
} vectors[] = {
    {"SCRAM-SHA-1", SCRAM_SHA_1, NONCE_1, "n,,n=user,r=" NONCE_1,
     "r=" NONCE_1 "3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096",
     "c=biws,r=" NONCE_1 "3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=",
     "v=rmF9pqV8S7suAoZWja4dJRkFsKQ="},
    {"SCRAM-SHA-256", SCRAM_SHA_256, NONCE_256, "n,,n=user,r=" NONCE_256,
     "r=" NONCE_256 "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
     "c=biws,r=" NONCE_256
     "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
     "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="},
};

static void begin(struct scram *s, const struct vector *v, struct str *out)
{
    s->hash = v->hash;
    text_copy(s->nonce, sizeof s->nonce, v->nonce);
    scram_begin(s, "user", SLICE("pencil"), out);
}

static void the_examples_of_the_standards_come_out(void **state)
{
    (void)state;
    FOR_EACH(v, vectors) {
        CLEANUP(scram_clear) struct scram s = {.hash = v->hash};
        CLEANUP(str_clear) struct str first = STR_INIT;
        CLEANUP(str_clear) struct str proof = STR_INIT;
        CLEANUP(str_clear) struct str last = STR_INIT;

        begin(&s, v, &first);
        assert_string_equal(str_z(&first), v->first);
        assert_null(scram_answer(&s, slice_z(v->challenge), &proof));
        assert_string_equal(str_z(&proof), v->proof);
        assert_false(s.proven);
        assert_null(scram_answer(&s, slice_z(v->signature), &last));
        assert_true(s.proven);
        assert_int_equal(last.len, 0);
    }
}

static void a_server_that_does_not_know_the_password_is_not_believed(void **state)
{
    static const struct {
        const char *name;
    } rows[] = {
        {"v=rmF9pqV8S7suAoZWja4dJRkFsKQ="}, /* of another hash */
        {"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl96G4="},
        {"v="},
        {""},
        {"v=%%%%"},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(scram_clear) struct scram s = {.hash = SCRAM_SHA_256};
        CLEANUP(str_clear) struct str out = STR_INIT;

        begin(&s, &vectors[1], &out);
        str_empty(&out);
        assert_null(scram_answer(&s, slice_z(vectors[1].challenge), &out));
        assert_non_null(strstr(scram_answer(&s, slice_z(row->name), &out), "did not prove"));
        assert_false(s.proven);
    }
}

static void a_challenge_that_is_none_is_not_answered(void **state)
{
    static const struct {
        const char *name;
        const char *said;
        const char *why;
    } rows[] = {
        {"nothing", "", "no SCRAM"},
        {"an extension that must be understood", "m=x,r=" NONCE_256 "x,s=QQ==,i=4096", "no SCRAM"},
        {"no salt", "r=" NONCE_256 "x,s=,i=4096", "no SCRAM"},
        {"a salt that is no base 64", "r=" NONCE_256 "x,s=Q,i=4096", "no SCRAM"},
        {"no count", "r=" NONCE_256 "x,s=QQ==", "no SCRAM"},
        {"our nonce and nothing of its own", "r=" NONCE_256 ",s=QQ==,i=4096", "between"},
        {"another nonce", "r=xxxxxxxxxxxxxxxxxxxxxxxx,s=QQ==,i=4096", "between"},
        {"too few rounds", "r=" NONCE_256 "x,s=QQ==,i=4095", "rounds"},
        {"a thousand years of rounds", "r=" NONCE_256 "x,s=QQ==,i=99999999999999999999", "rounds"},
        {"rounds that are no number", "r=" NONCE_256 "x,s=QQ==,i=4096x", "rounds"},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(scram_clear) struct scram s = {.hash = SCRAM_SHA_256};
        CLEANUP(str_clear) struct str out = STR_INIT;
        const char *why;

        begin(&s, &vectors[1], &out);
        str_empty(&out);
        why = scram_answer(&s, slice_z(row->said), &out);
        assert_non_null(why);
        assert_non_null(strstr(why, row->why));
        assert_int_equal(out.len, 0);
    }
}

static void a_comma_in_the_users_name_is_escaped(void **state)
{
    CLEANUP(scram_clear) struct scram s = {.nonce = "N"};
    CLEANUP(str_clear) struct str out = STR_INIT;

    (void)state;
    scram_begin(&s, "a,b=c", SLICE("x"), &out);
    assert_string_equal(str_z(&out), "n,,n=a=2Cb=3Dc,r=N");
}

static void each_dialogue_has_a_nonce_of_its_own(void **state)
{
    CLEANUP(scram_clear) struct scram a = {.hash = SCRAM_SHA_1};
    CLEANUP(scram_clear) struct scram b = {.hash = SCRAM_SHA_1};
    CLEANUP(str_clear) struct str out = STR_INIT;

    (void)state;
    scram_begin(&a, "u", SLICE("x"), &out);
    scram_begin(&b, "u", SLICE("x"), &out);
    assert_int_equal(strlen(a.nonce), SCRAM_NONCE_SIZE - 1);
    assert_string_not_equal(a.nonce, b.nonce);
}

static void cram_md5_is_as_in_its_standard(void **state)
{
    CLEANUP(str_clear) struct str out = STR_INIT;

    (void)state;
    cram_md5_answer("tim", SLICE("tanstaaftanstaaf"),
                    SLICE("<1896.697170952@postoffice.reston.mci.net>"), &out);
    assert_string_equal(str_z(&out), "tim b913a602c7eda7a495b4e6e7334d3890");
}

static void base64_is_undone_or_refused(void **state)
{
    static const struct {
        const char *name;
        const char *plain; /* NULL: it is none */
    } rows[] = {
        {"", ""},          {"Zg==", "f"},  {"Zm8=", "fo"}, {"Zm9v", "foo"}, {"Zm9vYg==", "foob"},
        {"Zg=", NULL},     {"Zg", NULL},   {"Z===", NULL}, {"====", NULL},  {"Zg==Zg==", NULL},
        {"Z\x80==", NULL}, {"Zm9 ", NULL}, {"Z=9v", NULL},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str out = STR_INIT;

        assert_int_equal(base64_take(slice_z(row->name), &out), row->plain != NULL);
        if (row->plain != NULL)
            assert_string_equal(str_z(&out), row->plain);
    }
}

static void after_three_refusals_the_server_is_left_alone_for_half_an_hour(void **state)
{
    struct sign_in_guard g = {0, 0};

    (void)state;
    sign_in_guard_note(&g, false, 1000);
    sign_in_guard_note(&g, false, 2000);
    assert_true(sign_in_guard_allows(&g, 2001));
    sign_in_guard_note(&g, false, 3000);
    assert_false(sign_in_guard_allows(&g, 3000));
    assert_false(sign_in_guard_allows(&g, 2999 + SIGN_IN_PAUSE_MS));
    assert_true(sign_in_guard_allows(&g, 3000 + SIGN_IN_PAUSE_MS));
    sign_in_guard_note(&g, false, 3000 + SIGN_IN_PAUSE_MS);
    assert_false(sign_in_guard_allows(&g, 4000 + SIGN_IN_PAUSE_MS));
    sign_in_guard_note(&g, true, 5000 + SIGN_IN_PAUSE_MS);
    assert_true(sign_in_guard_allows(&g, 5000 + SIGN_IN_PAUSE_MS));
    sign_in_guard_note(&g, false, 6000 + SIGN_IN_PAUSE_MS);
    assert_true(sign_in_guard_allows(&g, 6000 + SIGN_IN_PAUSE_MS));
}

/* The examples of RFC 4013, and what people type. */
static void names_and_passwords_are_prepared(void **state)
{
    static const struct {
        const char *name, *text, *prepared; /* NULL: it cannot be */
    } rows[] = {
        {"a soft hyphen is nothing", "I\xC2\xADX", "IX"},
        {"what needs nothing", "user", "user"},
        {"case stays", "USER", "USER"},
        {"a form of a letter", "\xC2\xAA", "a"},
        {"a form of a number", "\xE2\x85\xA8", "IX"},
        {"a control character", "\x07", NULL},
        {"both directions", "\xD8\xA7\x31", NULL},
        {"a blank that does not break", "a\xC2\xA0z", "a z"},
        {"an accent of its own", "Cafe\xCC\x81", "Caf\xC3\xA9"},
        {"the same in one", "Caf\xC3\xA9", "Caf\xC3\xA9"},
        {"one that grows", "\xEF\xB7\xBA",
         "\xD8\xB5\xD9\x84\xD9\x89 \xD8\xA7\xD9\x84\xD9\x84\xD9\x87 "
         "\xD8\xB9\xD9\x84\xD9\x8A\xD9\x87 \xD9\x88\xD8\xB3\xD9\x84\xD9\x85"},
        {"no UTF-8", "Caf\xE9", NULL},
        {"newer than Unicode 3.2", "\xF0\x9F\x98\x80", NULL},
        {"nothing", "", NULL},
        {"what becomes nothing", "\xC2\xAD", NULL},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str out = STR_INIT;

        assert_int_equal(prepare_add(slice_z(row->text), &out), row->prepared != NULL);
        assert_string_equal(str_z(&out), row->prepared != NULL ? row->prepared : "");
    }
}

/* What cannot be carried is said, and no weaker way is taken in its place. */
static void a_password_that_scram_cannot_carry_is_not_shown_instead(void **state)
{
    struct endpoint e = {.host = "h", .sign_in = SIGN_IN_PASSWORD, .username = "me"};
    CLEANUP(sign_in_clear) struct sign_in_dialogue d = {.protocol = PROTOCOL_SMTP};
    CLEANUP(str_clear) struct str sent = STR_INIT;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(
        sign_in_begin(&d, &e, SLICE("Caf\xE9"), SLICE("AUTH PLAIN SCRAM-SHA-256"), &sent, &err),
        RC_REFUSED);
    assert_int_equal(sent.len, 0);
    assert_non_null(strstr(err.text, "SCRAM-SHA-256"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_of_the_standards_come_out),
        cmocka_unit_test(names_and_passwords_are_prepared),
        cmocka_unit_test(a_password_that_scram_cannot_carry_is_not_shown_instead),
        cmocka_unit_test(a_server_that_does_not_know_the_password_is_not_believed),
        cmocka_unit_test(a_challenge_that_is_none_is_not_answered),
        cmocka_unit_test(a_comma_in_the_users_name_is_escaped),
        cmocka_unit_test(each_dialogue_has_a_nonce_of_its_own),
        cmocka_unit_test(cram_md5_is_as_in_its_standard),
        cmocka_unit_test(base64_is_undone_or_refused),
        cmocka_unit_test(after_three_refusals_the_server_is_left_alone_for_half_an_hour),
    };

    return RUN_TESTS(tests);
}
