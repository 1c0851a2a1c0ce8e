/* SPDX-License-Identifier: Apache-2.0 */
/* links: net */
#include "offers.h"
#include "sign_in.h"
#include <onecase/base64.h>

#include <testing.h>

#include <string.h>

static const struct endpoint endpoint = {
    .host = "h", .port = 25, .username = "me", .security = SECURITY_TLS};

static void base64_is_padded(void **state)
{
    static const struct {
        const char *name;
        const char *text;
    } rows[] = {
        {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str out = STR_INIT;

        base64_add(&out, slice_z(row->name));
        assert_string_equal(str_z(&out), row->text);
    }
}

/* A whole dialogue: `said` are the server's lines, LF between; `sent` ours. */
static const struct dialogue {
    const char *name;
    enum protocol protocol;
    enum sign_in kind;
    const char *offers;
    const char *said;
    const char *sent;
    enum sign_in_came came;
} dialogues[] = {
    {"SMTP PLAIN", PROTOCOL_SMTP, SIGN_IN_PASSWORD, "AUTH PLAIN LOGIN", "235 ok",
     "AUTH PLAIN AG1lAHB3\r\n", SIGN_IN_ACCEPTED},
    {"SMTP LOGIN", PROTOCOL_SMTP, SIGN_IN_PASSWORD, "AUTH LOGIN",
     "334 VXNlcm5hbWU6\n334 UGFzc3dvcmQ6\n235 ok", "AUTH LOGIN\r\nbWU=\r\ncHc=\r\n",
     SIGN_IN_ACCEPTED},
    {"SMTP refused for good", PROTOCOL_SMTP, SIGN_IN_PASSWORD, "AUTH PLAIN",
     "535-5.7.8 no\n535 5.7.8 really", "AUTH PLAIN AG1lAHB3\r\n", SIGN_IN_NEVER},
    {"SMTP refused for now", PROTOCOL_SMTP, SIGN_IN_PASSWORD, "AUTH PLAIN", "454 4.7.0 later",
     "AUTH PLAIN AG1lAHB3\r\n", SIGN_IN_LATER},
    {"SMTP PLAIN asked once too often", PROTOCOL_SMTP, SIGN_IN_PASSWORD, "AUTH PLAIN",
     "334 \n501 cancelled", "AUTH PLAIN AG1lAHB3\r\n*\r\n", SIGN_IN_NEVER},
    {"SMTP XOAUTH2 refused", PROTOCOL_SMTP, SIGN_IN_XOAUTH2, "AUTH XOAUTH2",
     "334 eyJzIjoiNDAxIn0=\n535 no", "AUTH XOAUTH2 dXNlcj1tZQFhdXRoPUJlYXJlciBwdwEB\r\n\r\n",
     SIGN_IN_NEVER},
    {"SMTP OAUTHBEARER refused", PROTOCOL_SMTP, SIGN_IN_OAUTHBEARER, "AUTH OAUTHBEARER",
     "334 eyJzIjoiNDAxIn0=\n535 no",
     "AUTH OAUTHBEARER bixhPW1lLAFob3N0PWgBcG9ydD0yNQFhdXRoPUJlYXJlciBwdwEB\r\nAQ==\r\n",
     SIGN_IN_NEVER},
    {"IMAP PLAIN at once", PROTOCOL_IMAP, SIGN_IN_PASSWORD, "IMAP4rev1 SASL-IR AUTH=PLAIN",
     "* OK hello\nS1 OK in", "S1 AUTHENTICATE PLAIN AG1lAHB3\r\n", SIGN_IN_ACCEPTED},
    {"IMAP PLAIN when asked", PROTOCOL_IMAP, SIGN_IN_PASSWORD, "IMAP4rev1 AUTH=PLAIN",
     "+ \nS1 OK in", "S1 AUTHENTICATE PLAIN\r\nAG1lAHB3\r\n", SIGN_IN_ACCEPTED},
    {"IMAP LOGIN command", PROTOCOL_IMAP, SIGN_IN_PASSWORD, "IMAP4rev1", "+ go\n+ go\nS1 OK in",
     "S1 LOGIN {2}\r\nme {2}\r\npw\r\n", SIGN_IN_ACCEPTED},
    {"IMAP refused", PROTOCOL_IMAP, SIGN_IN_PASSWORD, "SASL-IR AUTH=PLAIN",
     "S1 NO [AUTHENTICATIONFAILED] no", "S1 AUTHENTICATE PLAIN AG1lAHB3\r\n", SIGN_IN_NEVER},
    {"IMAP not now", PROTOCOL_IMAP, SIGN_IN_PASSWORD, "SASL-IR AUTH=PLAIN",
     "S1 NO [UNAVAILABLE] no", "S1 AUTHENTICATE PLAIN AG1lAHB3\r\n", SIGN_IN_LATER},
    {"SMTP CRAM-MD5", PROTOCOL_SMTP, SIGN_IN_CRAM_MD5, "AUTH PLAIN CRAM-MD5", "334 PDE+\n235 ok",
     "AUTH CRAM-MD5\r\nbWUgNWZlODMyNmEzYTkzNDFkYzQ5ZmZmYjkzMDAzMjg1YTc=\r\n", SIGN_IN_ACCEPTED},
    {"CRAM-MD5 asks for nothing", PROTOCOL_SMTP, SIGN_IN_CRAM_MD5, "AUTH CRAM-MD5",
     "334 \n501 cancelled", "AUTH CRAM-MD5\r\n*\r\n", SIGN_IN_NEVER},
    {"SCRAM whose server proves nothing", PROTOCOL_IMAP, SIGN_IN_SCRAM_SHA_256,
     "SASL-IR AUTH=SCRAM-SHA-256", "S1 OK in", "S1 AUTHENTICATE SCRAM-SHA-256 biwsbj1tZSxyPU4=\r\n",
     SIGN_IN_NEVER},
    {"SCRAM whose challenge is nonsense", PROTOCOL_SMTP, SIGN_IN_SCRAM_SHA_1, "AUTH SCRAM-SHA-1",
     "334 eA==\n501 cancelled", "AUTH SCRAM-SHA-1 biwsbj1tZSxyPU4=\r\n*\r\n", SIGN_IN_NEVER},
    {"SCRAM whose challenge is no base 64", PROTOCOL_SMTP, SIGN_IN_SCRAM_SHA_1, "AUTH SCRAM-SHA-1",
     "334 x\n501 cancelled", "AUTH SCRAM-SHA-1 biwsbj1tZSxyPU4=\r\n*\r\n", SIGN_IN_NEVER},
    {"only what is named: PLAIN", PROTOCOL_SMTP, SIGN_IN_PLAIN, "AUTH SCRAM-SHA-256 PLAIN",
     "235 ok", "AUTH PLAIN AG1lAHB3\r\n", SIGN_IN_ACCEPTED},
    {"IMAP BAD", PROTOCOL_IMAP, SIGN_IN_PASSWORD, "SASL-IR AUTH=PLAIN", "S1 BAD no",
     "S1 AUTHENTICATE PLAIN AG1lAHB3\r\n", SIGN_IN_NEVER},
};

static enum sign_in_came
hold(struct sign_in_dialogue *d, const struct dialogue *row, struct str *sent)
{
    struct endpoint e = endpoint;
    struct err err = ERR_INIT;
    struct slice rest = slice_z(row->said);
    struct slice line;
    enum sign_in_came came = SIGN_IN_NOTHING;

    e.sign_in = row->kind;
    text_copy(d->scram.nonce, sizeof d->scram.nonce, "N");
    assert_int_equal(sign_in_begin(d, &e, SLICE("pw"), slice_z(row->offers), sent, &err), RC_OK);
    while (slice_next(&rest, '\n', &line))
        came = sign_in_line(d, line, sent);
    return came;
}

static void dialogues_are_held(void **state)
{
    (void)state;
    FOR_EACH(row, dialogues) {
        CLEANUP(sign_in_clear) struct sign_in_dialogue d = {.protocol = row->protocol};
        CLEANUP(str_clear) struct str sent = STR_INIT;

        assert_int_equal(hold(&d, row, &sent), row->came);
        assert_string_equal(str_z(&sent), row->sent);
    }
}

static void nothing_is_sent_where_the_configured_way_is_not_offered(void **state)
{
    static const struct {
        const char *name;
        enum protocol protocol;
        enum sign_in kind;
        const char *offers;
    } rows[] = {
        {"SMTP without AUTH", PROTOCOL_SMTP, SIGN_IN_PASSWORD, "SIZE 1\n8BITMIME"},
        {"a token, only passwords", PROTOCOL_SMTP, SIGN_IN_XOAUTH2, "AUTH PLAIN LOGIN"},
        {"a password, only tokens", PROTOCOL_SMTP, SIGN_IN_PASSWORD, "AUTH XOAUTH2"},
        {"the other kind of token", PROTOCOL_SMTP, SIGN_IN_OAUTHBEARER, "AUTH XOAUTH2"},
        {"IMAP that said nothing", PROTOCOL_IMAP, SIGN_IN_PASSWORD, ""},
        {"IMAP with LOGINDISABLED", PROTOCOL_IMAP, SIGN_IN_PASSWORD, "IMAP4rev1 LOGINDISABLED"},
        {"only the strong way, which is not offered", PROTOCOL_SMTP, SIGN_IN_SCRAM_SHA_256,
         "AUTH SCRAM-SHA-1 PLAIN"},
        {"only PLAIN, which is not offered", PROTOCOL_IMAP, SIGN_IN_PLAIN, "IMAP4rev1 AUTH=LOGIN"},
        {"a word that only begins so", PROTOCOL_SMTP, SIGN_IN_PASSWORD, "AUTH PLAIN-CLIENTTOKEN"},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(sign_in_clear) struct sign_in_dialogue d = {.protocol = row->protocol};
        CLEANUP(str_clear) struct str sent = STR_INIT;
        struct endpoint e = endpoint;
        struct err err = ERR_INIT;

        e.sign_in = row->kind;
        assert_int_equal(sign_in_begin(&d, &e, SLICE("pw"), slice_z(row->offers), &sent, &err),
                         RC_REFUSED);
        assert_int_equal(sent.len, 0);
        assert_non_null(strstr(err.text, "does not offer to sign in"));
    }
}

static void a_password_goes_by_the_strongest_way_offered(void **state)
{
    static const struct {
        const char *name;
        enum security security;
        const char *offers;
        const char *way;
    } rows[] = {
        {"all of them", SECURITY_TLS, "AUTH CRAM-MD5 LOGIN PLAIN SCRAM-SHA-1 SCRAM-SHA-256",
         "SCRAM-SHA-256"},
        {"the older hash", SECURITY_TLS, "AUTH PLAIN SCRAM-SHA-1", "SCRAM-SHA-1"},
        {"over TLS the password is safe, MD5 is not", SECURITY_TLS, "AUTH CRAM-MD5 PLAIN", "PLAIN"},
        {"over STARTTLS too", SECURITY_STARTTLS, "AUTH CRAM-MD5 LOGIN", "LOGIN"},
        {"without TLS it is not", SECURITY_NONE, "AUTH PLAIN CRAM-MD5", "CRAM-MD5"},
        {"without TLS SCRAM is better still", SECURITY_NONE, "AUTH SCRAM-SHA-1 CRAM-MD5",
         "SCRAM-SHA-1"},
        {"nothing better", SECURITY_TLS, "AUTH CRAM-MD5", "CRAM-MD5"},
        {"with channel binding is another", SECURITY_TLS, "AUTH SCRAM-SHA-256-PLUS PLAIN", "PLAIN"},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(sign_in_clear) struct sign_in_dialogue d = {.protocol = PROTOCOL_SMTP};
        CLEANUP(str_clear) struct str sent = STR_INIT;
        struct endpoint e = endpoint;
        struct err err = ERR_INIT;

        e.sign_in = SIGN_IN_PASSWORD;
        e.security = row->security;
        assert_int_equal(sign_in_begin(&d, &e, SLICE("pw"), slice_z(row->offers), &sent, &err),
                         RC_OK);
        assert_string_equal(sign_in_name(&d), row->way);
    }
}

static void why_a_token_is_refused_is_kept(void **state)
{
    CLEANUP(sign_in_clear) struct sign_in_dialogue d = {.protocol = PROTOCOL_SMTP};
    CLEANUP(str_clear) struct str sent = STR_INIT;
    const struct dialogue *row = dialogues;

    (void)state;
    while (strcmp(row->name, "SMTP XOAUTH2 refused") != 0)
        row++;
    assert_int_equal(hold(&d, row, &sent), SIGN_IN_NEVER);
    assert_string_equal(str_z(&d.said), "{\"s\":\"401\"}");
}

static void line_breaks_and_nothing_are_not_sent(void **state)
{
    static const struct {
        const char *name;
        struct slice secret;
        const char *user;
    } rows[] = {
        {"CR LF in the secret", SLICE_INIT("a\r\nb"), "me"},
        {"NUL in the secret", SLICE_INIT("a\0b"), "me"},
        {"an empty secret", SLICE_INIT(""), "me"},
        {"LF in the user", SLICE_INIT("pw"), "m\ne"},
        {"an empty user", SLICE_INIT("pw"), ""},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(sign_in_clear) struct sign_in_dialogue d = {.protocol = PROTOCOL_SMTP};
        CLEANUP(str_clear) struct str sent = STR_INIT;
        struct endpoint e = endpoint;
        struct err err = ERR_INIT;

        e.sign_in = SIGN_IN_PASSWORD;
        e.username = row->user;
        assert_int_equal(sign_in_begin(&d, &e, row->secret, SLICE("AUTH PLAIN"), &sent, &err),
                         RC_REFUSED);
        assert_int_equal(sent.len, 0);
    }
}

static void a_server_that_repeats_a_secret_is_masked(void **state)
{
    CLEANUP(sign_in_clear) struct sign_in_dialogue d = {.protocol = PROTOCOL_SMTP};
    CLEANUP(str_clear) struct str sent = STR_INIT;
    CLEANUP(str_clear) struct str words = STR_INIT;

    (void)state;
    assert_int_equal(hold(&d, &dialogues[0], &sent), SIGN_IN_ACCEPTED);
    str_addz(&words, "535 AG1lAHB3 and pw and xpwy");
    sign_in_mask(&d, SLICE("pw"), &words);
    assert_string_equal(str_z(&words), "535 *** and *** and x***y");
}

static void only_what_was_offered_last_counts(void **state)
{
    static const struct {
        const char *name;
        enum protocol protocol;
        const char *said;
        const char *offers;
    } rows[] = {
        {"one EHLO", PROTOCOL_SMTP, "220 hi\n250-me\n250-SIZE 5\n250 AUTH PLAIN",
         "me\nSIZE 5\nAUTH PLAIN\n"},
        {"before and after STARTTLS", PROTOCOL_SMTP,
         "220 hi\n250-me\n250-AUTH LOGIN\n250 STARTTLS\n220 go\n250-me\n250 AUTH PLAIN",
         "me\nAUTH PLAIN\n"},
        {"STARTTLS and nothing after", PROTOCOL_SMTP, "220 hi\n250 AUTH LOGIN\n220 go", ""},
        {"IMAP", PROTOCOL_IMAP, "* OK hi\n* CAPABILITY A B\nA001 OK", "A B\n"},
        {"IMAP before and after STARTTLS", PROTOCOL_IMAP,
         "* OK hi\n* CAPABILITY A B\nA001 OK\nA002 OK tls\n* CAPABILITY C\nA003 OK", "C\n"},
        {"IMAP, nothing after STARTTLS", PROTOCOL_IMAP,
         "* OK hi\n* CAPABILITY A B\nA001 OK\nA002 OK tls\nA003 OK", ""},
        {"IMAP refuses to say", PROTOCOL_IMAP, "* OK [CAPABILITY X] hi\nA001 NO", ""},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str offers = STR_INIT;
        struct slice rest = slice_z(row->said);
        struct slice line;
        bool fresh = false;

        while (slice_next(&rest, '\n', &line))
            offers_hear(row->protocol, line, &offers, &fresh);
        assert_string_equal(str_z(&offers), row->offers);
    }
}

static void a_servers_words_are_fit_to_show(void **state)
{
    static const struct {
        const char *name;
        const char *shown;
    } rows[] = {
        {"plain words", "plain words"},
        {"  a\r\n b\t\tc ", "a b c"},
        {"no <help@example.org>: unknown", "no (address) unknown"},
        {"gr\xC3\xBCn \x1B[31m", "gr??n [31m"},
        {"a text that is longer than the room there is", "a text that is longer than the r"},
    };

    (void)state;
    FOR_EACH(row, rows) {
        char shown[33];

        server_words(slice_z(row->name), shown, sizeof shown);
        assert_string_equal(shown, row->shown);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base64_is_padded),
        cmocka_unit_test(dialogues_are_held),
        cmocka_unit_test(nothing_is_sent_where_the_configured_way_is_not_offered),
        cmocka_unit_test(a_password_goes_by_the_strongest_way_offered),
        cmocka_unit_test(why_a_token_is_refused_is_kept),
        cmocka_unit_test(line_breaks_and_nothing_are_not_sent),
        cmocka_unit_test(a_server_that_repeats_a_secret_is_masked),
        cmocka_unit_test(only_what_was_offered_last_counts),
        cmocka_unit_test(a_servers_words_are_fit_to_show),
    };

    return RUN_TESTS(tests);
}
