/* SPDX-License-Identifier: Apache-2.0 */
/* links: core template */
#include <onecase/identity.h>
#include <onecase/letter_writer.h>
#include <onecase/source.h>
#include <testing.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EFFECT "0123456789abcdef0123456789abcdef"

static char folder[] = "/tmp/letter-XXXXXX";

static void write_template(const char *name, const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static enum rc make(const char *file, struct letter_writer **out, struct err *err)
{
    struct letter_settings settings = {
        .from_name = "Service D\xc3\xa9sk",
        .from_address = "help@example.org",
        .domain = "example.org",
        .templates_dir = folder,
        .file = {[COMPLETION_ACCEPTED] = file},
    };
    return letter_writer_new(&settings, out, err);
}

static struct acknowledgement_facts facts(void)
{
    return (struct acknowledgement_facts){
        .mailbox = "help",
        .completion = COMPLETION_ACCEPTED,
        .effect = EFFECT,
        .proof = "5ec7e7",
        .reference = "HD-7K3M9QWX",
        .recipient = "ann@example.com",
        .subject = SLICE("the sender's"),
        .in_reply_to = SLICE("<a1@example.org>"),
        .received_ms = INT64_C(1772414100000),
        .date_ms = INT64_C(1772414100000),
    };
}

static void compose(const struct acknowledgement_facts *f, struct str *out)
{
    struct letter_writer *w = NULL;
    struct err err = ERR_INIT;
    assert_int_equal(make("good", &w, &err), RC_OK);
    struct composer c = letter_writer_port(w);
    assert_int_equal(c.compose(c.self, f, out, &err), RC_OK);
    letter_writer_free(&w);
}

static void assert_header(const struct str *letter, const char *name, const char *expected)
{
    struct slice raw;
    CLEANUP(str_clear) struct str value = STR_INIT;
    if (!expected) {
        assert_false(header_first(str_slice(letter), name, &raw));
        return;
    }
    assert_true(header_first(str_slice(letter), name, &raw));
    header_unfold(raw, &value);
    assert_string_equal(str_z(&value), expected);
}

static void it_carries_the_headers_of_the_contract(void **state)
{
    static const struct {
        const char *name, *value;
    } headers[] = {
        {"Message-ID", "<ack." EFFECT "@example.org>"},
        {"X-Onecase-Acknowledgement", EFFECT},
        {"X-Onecase-Proof", "5ec7e7"},
        {"In-Reply-To", "<a1@example.org>"},
        {"References", "<a1@example.org>"},
        {"Auto-Submitted", "auto-replied"},
        {"X-Auto-Response-Suppress", "All"},
        {"Subject", "[HD-7K3M9QWX] Got it"},
        {"From", "Service =?UTF-8?b?RMOpc2s=?= <help@example.org>"},
        {"To", "ann@example.com"},
        {"Date", "Mon, 02 Mar 2026 01:15:00 +0000"},
        {"Content-Type", "text/plain; charset=utf-8"},
    };
    CLEANUP(str_clear) struct str letter = STR_INIT;
    struct acknowledgement_facts f = facts();

    (void)state;
    compose(&f, &letter);
    FOR_EACH(row, headers)
        assert_header(&letter, row->name, row->value);
}

static void the_same_facts_give_the_same_octets(void **state)
{
    CLEANUP(str_clear) struct str a = STR_INIT;
    CLEANUP(str_clear) struct str b = STR_INIT;
    struct acknowledgement_facts f = facts();

    (void)state;
    compose(&f, &a);
    compose(&f, &b);
    assert_true(slice_eq(str_slice(&a), str_slice(&b)));
}

static void assert_lines_hold(const struct str *letter)
{
    size_t line = 0;
    for (size_t i = 0; i < letter->len; i++) {
        assert_true(letter->at[i] != '\0');
        if (letter->at[i] == '\n')
            assert_true(i > 0 && letter->at[i - 1] == '\r');
        line = letter->at[i] == '\n' ? 0 : line + 1;
        assert_true(line <= 999);
    }
}

static void no_value_can_add_a_header_or_a_recipient(void **state)
{
    static char long_name[3000];
    memset(long_name, 'x', sizeof long_name - 1);
    const struct exception_facts exceptions[] = {
        {"a\r\nBcc: x@example.net\r\n\r\n.\r\n", EXCEPTION_TYPE},
        {"\xff\xfe", EXCEPTION_TOO_LARGE},
        {long_name, EXCEPTION_NAME}};
    CLEANUP(str_clear) struct str letter = STR_INIT;
    struct acknowledgement_facts f = facts();

    (void)state;
    f.recipient = "ann@example.com\r\nBcc: eve@example.net";
    f.in_reply_to = SLICE("<a@b>\r\nBcc: eve@example.net");
    f.subject = SLICE("x\r\nBcc: eve@example.net");
    f.exception = exceptions;
    f.exceptions = LENGTH(exceptions);
    compose(&f, &letter);
    assert_header(&letter, "Bcc", NULL);
    assert_header(&letter, "In-Reply-To", NULL);
    assert_lines_hold(&letter);
}

static void the_id_that_it_answers_stands_as_the_sender_wrote_it(void **state)
{
    static char long_id[901];
    memset(long_id, 'x', sizeof long_id - 1);
    const struct {
        const char *name, *id;
    } ids[] = {
        {"two @", "<a@b@example.org>"},
        {"a comment", "<a(b)c@example.org>"},
        {"dots", "<.a..@[x>"},
        {"no @", "<no.at>"},
        {"not closed", "<a@b"},
        {"a quote", "<\"ab@example.org>"},
        {"long", long_id},
    };
    struct acknowledgement_facts f = facts();

    (void)state;
    FOR_EACH(row, ids) {
        CLEANUP(str_clear) struct str letter = STR_INIT;
        f.in_reply_to = slice_z(row->id);
        compose(&f, &letter);
        assert_header(&letter, "In-Reply-To", row->id);
        assert_header(&letter, "References", row->id);
        assert_lines_hold(&letter);
    }
}

static void a_bad_template_is_named_with_its_line(void **state)
{
    static const struct {
        const char *name, *text, *says;
    } bad[] = {
        {"unknown", "Subject: x\n\n{{nobody}}\n", "/unknown:3: there is no field"},
        {"nosubject", "Hello\n\nx\n", "/nosubject:1: the first line must be"},
        {"noblank", "Subject: x\nHello\n", "/noblank:2: an empty line"},
        {"onlysubject", "Subject: x", "/onlysubject:2: an empty line"},
        {"missing", NULL, "/missing:1: the template cannot be read"},
        {"nolanguage", "Subject: x\nContent-Language: <b>\n\nx",
         "/nolanguage:2: '<b>' is no language"},
        {"unended", "Subject: x\nContent-Language: de\nx", "/unended:3: an empty line"},
        {"plainname", "Subject: x\n\n{{name}}",
         "/plainname:3: there is no field of the name 'name'; here "
         "there are reference, received, mailbox, subject,"},
    };

    (void)state;
    FOR_EACH(row, bad) {
        struct letter_writer *w = NULL;
        struct err err = ERR_INIT;
        if (row->text)
            write_template(row->name, row->text);
        assert_int_equal(make(row->name, &w, &err), RC_REFUSED);
        assert_non_null(strstr(err.text, row->says));
        assert_null(w);
    }
}

static void a_state_without_template_is_refused(void **state)
{
    struct letter_writer *w = NULL;
    struct err err = ERR_INIT;
    CLEANUP(str_clear) struct str letter = STR_INIT;
    struct acknowledgement_facts f = facts();

    (void)state;
    f.completion = COMPLETION_CLOSED;
    assert_int_equal(make("good", &w, &err), RC_OK);
    struct composer c = letter_writer_port(w);
    assert_int_equal(c.compose(c.self, &f, &letter, &err), RC_REFUSED);
    letter_writer_free(&w);
}

/* ---- languages and HTML ------------------------------------------------------------------------- */

static struct letter_settings spoken(bool html)
{
    return (struct letter_settings){
        .from_name = "Desk",
        .from_address = "help@example.org",
        .domain = "example.org",
        .templates_dir = folder,
        .file = {[COMPLETION_ACCEPTED] = "ack.txt"},
        .html = html,
    };
}

static void speak(const struct letter_settings *settings,
                  const struct acknowledgement_facts *f,
                  struct str *out)
{
    CLEANUP(letter_writer_free) struct letter_writer *w = NULL;
    struct err err = ERR_INIT;
    assert_int_equal(letter_writer_new(settings, &w, &err), RC_OK);
    struct composer c = letter_writer_port(w);
    str_empty(out);
    assert_int_equal(c.compose(c.self, f, out, &err), RC_OK);
}

static void a_letter_is_in_the_language_that_is_wished_or_the_mailboxs_own(void **state)
{
    static const char *const only[] = {"de"};
    static const struct {
        const char *name, *wished, *own;
        bool few;
        const char *language;
    } rows[] = {
        {"nothing said", "", "", false, "en"},
        {"German", "de", "", false, "de"},
        {"Austrian is German", "de-at", "", false, "de"},
        {"Portuguese of another country", "pt-pt", "", false, "pt-br"},
        {"the first that is spoken", "ja de", "", false, "de"},
        {"none that is spoken", "ja", "", false, "en"},
        {"the mailbox's own", "ja", "de", false, "de"},
        {"wished before the mailbox's own", "en", "de", false, "en"},
        {"one that shall not be spoken", "pt-br", "de", true, "de"},
        {"nor the file's own", "en", "de", true, "de"},
    };
    struct acknowledgement_facts f = facts();

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str letter = STR_INIT;
        struct letter_settings settings = spoken(false);
        settings.language = row->own;
        if (row->few)
            settings.languages = (struct texts){only, 1};
        f.languages = row->wished;
        speak(&settings, &f, &letter);
        assert_header(&letter, "Content-Language", row->language);
    }
}

static void with_html_both_go_along_and_the_html_alone_is_escaped(void **state)
{
    const struct exception_facts exceptions[] = {{"<img src=x>&\".exe", EXCEPTION_INFECTED}};
    CLEANUP(str_clear) struct str letter = STR_INIT;
    CLEANUP(str_clear) struct str again = STR_INIT;
    struct letter_settings settings = spoken(true);
    struct acknowledgement_facts f = facts();

    (void)state;
    f.exception = exceptions;
    f.exceptions = 1;
    speak(&settings, &f, &letter);
    speak(&settings, &f, &again);
    assert_true(slice_eq(str_slice(&letter), str_slice(&again)));
    assert_header(&letter, "Content-Type", "multipart/alternative;\tboundary=\"=_" EFFECT "\"");
    assert_lines_hold(&letter);
    const char *text = strstr(str_z(&letter), "Content-Type: text/plain; charset=utf-8");
    const char *html = strstr(str_z(&letter), "Content-Type: text/html; charset=utf-8");
    assert_non_null(text);
    assert_non_null(html);
    assert_true(text < html);
    assert_non_null(strstr(text, "- <img src=3Dx>&\".exe infected\r\n"));
    assert_non_null(strstr(html, "<i>&lt;img src=3Dx&gt;&amp;&quot;.exe</i>"));
    assert_null(strstr(html, "<img"));
}

static void more_than_twenty_exceptions_are_counted(void **state)
{
    struct exception_facts exceptions[23];
    CLEANUP(str_clear) struct str letter = STR_INIT;
    struct letter_settings settings = spoken(false);
    struct acknowledgement_facts f = facts();

    (void)state;
    for (size_t i = 0; i < LENGTH(exceptions); i++)
        exceptions[i] =
            (struct exception_facts){i == 20 ? "late.txt" : "a.txt", EXCEPTION_TOO_MANY};
    f.exception = exceptions;
    f.exceptions = LENGTH(exceptions);
    speak(&settings, &f, &letter);
    assert_non_null(strstr(str_z(&letter), "and 3 more"));
    assert_null(strstr(str_z(&letter), "late.txt"));
}

static void a_name_is_shown_without_what_would_make_it_look_like_another(void **state)
{
    const struct exception_facts exceptions[] = {{"gnp\xe2\x80\xae"
                                                  "exe./../x\033[31m",
                                                  EXCEPTION_TYPE}};
    CLEANUP(str_clear) struct str letter = STR_INIT;
    struct letter_settings settings = spoken(false);
    struct acknowledgement_facts f = facts();

    (void)state;
    f.exception = exceptions;
    f.exceptions = 1;
    speak(&settings, &f, &letter);
    assert_non_null(strstr(str_z(&letter), "- x[31m=20\r\n"));
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    write_template("good", "Subject: Got it\n\n{{reference}} {{subject}}\n{{#exceptions}}\n- "
                           "{{name}}\n{{/exceptions}}\n");
    write_template("ack.txt",
                   "Subject: Got it\nContent-Language: en\n\n{{#exceptions}}\n- {{name}} "
                   "{{#infected}}infected{{/infected}}\n{{/exceptions}}\n"
                   "{{#more_exceptions}}and {{more_exceptions}} more{{/more_exceptions}}\n");
    write_template("ack.de.txt", "Subject: Da\n\nda\n");
    write_template("ack.pt-br.txt", "Subject: Aqui\nContent-Language: PT-BR\n\naqui\n");
    write_template("ack.html", "<p>{{#exceptions}}<i>{{name}}</i>{{/exceptions}}</p>\n");
    write_template("ack.de.html", "<p>da</p>\n");
    write_template("ack.pt-br.html", "<p>aqui</p>\n");
    return 0;
}

static int tear_down(void **state)
{
    static const char *const files[] = {
        "good",          "unknown",  "nosubject",   "noblank",       "onlysubject",
        "nolanguage",    "unended",  "plainname",   "ack.txt",       "ack.de.txt",
        "ack.pt-br.txt", "ack.html", "ack.de.html", "ack.pt-br.html"};
    (void)state;
    for (size_t i = 0; i < LENGTH(files); i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_carries_the_headers_of_the_contract),
        cmocka_unit_test(the_same_facts_give_the_same_octets),
        cmocka_unit_test(no_value_can_add_a_header_or_a_recipient),
        cmocka_unit_test(the_id_that_it_answers_stands_as_the_sender_wrote_it),
        cmocka_unit_test(a_bad_template_is_named_with_its_line),
        cmocka_unit_test(a_state_without_template_is_refused),
        cmocka_unit_test(a_letter_is_in_the_language_that_is_wished_or_the_mailboxs_own),
        cmocka_unit_test(with_html_both_go_along_and_the_html_alone_is_escaped),
        cmocka_unit_test(more_than_twenty_exceptions_are_counted),
        cmocka_unit_test(a_name_is_shown_without_what_would_make_it_look_like_another),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
