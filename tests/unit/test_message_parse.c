/* SPDX-License-Identifier: Apache-2.0 */
/* links: message core */
#include "message_bench.h"

#define HEAD  "From: ann@example.com\r\nSubject: x\r\n"
#define MIXED HEAD "Content-Type: multipart/mixed; boundary=b\r\n\r\n"
#define PLAIN "--b\r\nContent-Type: text/plain\r\n\r\nhello\r\n"
#define PDF                                                                                        \
    "--b\r\nContent-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: "              \
    "base64\r\n\r\naGVsbG8=\r\n"

/* What comes of a mail: its text, and its parts as "role type name octets" lines, where role is a
 * (attachment) or t (text), and "-" is no name. */
static const struct {
    const char *name;
    struct slice mail;
    const char *text, *parts;
} rows[] = {
    /* clang-format off */
    {"a text", SLICE_INIT(HEAD "\r\nhello\r\n"),
     "hello", "t text/plain - [hello\n]\n"},
    {"a text and a file", SLICE_INIT(MIXED PLAIN PDF "--b--\r\n"),
     "hello", "t text/plain - [hello]\na application/pdf a.pdf [hello]\n"},
    {"the end is missing", SLICE_INIT(MIXED PLAIN PDF),
     "hello", "t text/plain - [hello]\na application/pdf a.pdf [hello]\n"},
    {"the end is missing within a file", SLICE_INIT(MIXED PLAIN "--b\r\nContent-Type: application/x\r\n\r\nabc"),
     "hello", "t text/plain - [hello]\na application/x - [abc]\n"},
    {"LF alone", SLICE_INIT("Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nhello\n--b\nContent-Type: a/b\n\nc\n--b--\n"),
     "hello", "t text/plain - [hello]\na a/b - [c]\n"},
    {"ends of both kinds: the content's is CRLF", SLICE_INIT(MIXED "--b\r\nContent-Type: a/b\r\n\r\nabc\r\n--b\n\nhello\n--b--\n"),
     "hello", "a a/b - [abc]\nt text/plain - [hello]\n"},
    {"ends of both kinds: the content's is LF", SLICE_INIT(MIXED "--b\r\nContent-Type: a/b\r\n\r\nabc\n--b--\r\n"),
     "", "a a/b - [abc]\n"},
    {"text before and after the parts is none", SLICE_INIT(MIXED "before\r\n" PLAIN "--b--\r\nafter\r\n"),
     "hello", "t text/plain - [hello]\n"},
    {"a boundary that begins like another", SLICE_INIT(MIXED "--b\r\nContent-Type: multipart/alternative; boundary=b1\r\n\r\n--b1\r\n\r\nhello\r\n--b1--\r\n" PDF "--b--\r\n"),
     "hello", "t text/plain - [hello]\na application/pdf a.pdf [hello]\n"},
    {"blanks after a delimiter", SLICE_INIT(MIXED "--b  \t\r\n\r\nhello\r\n--b-- \r\n"),
     "hello", "t text/plain - [hello]\n"},
    {"the same boundary at two levels", SLICE_INIT(MIXED "--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nhello\r\n--b--\r\n"),
     "hello", "t text/plain - [hello]\n"},
    {"a boundary that is a quote", SLICE_INIT(HEAD "Content-Type: multipart/mixed; boundary=\"\\\"\"\r\n\r\n--\"\r\n\r\nhello\r\n--\"--\r\n"),
     "hello", "t text/plain - [hello]\n"},
    {"an extended boundary", SLICE_INIT(HEAD "Content-Type: multipart/mixed; boundary*=us-ascii''b%3Db\r\n\r\n--b=b\r\n\r\nhello\r\n--b=b--\r\n"),
     "hello", "t text/plain - [hello]\n"},
    {"two semicolons before it", SLICE_INIT(HEAD "Content-Type: multipart/mixed;; boundary=b\r\n\r\n" PLAIN "--b--\r\n"),
     "hello", "t text/plain - [hello]\n"},
    {"another boundary than the body has", SLICE_INIT(HEAD "Content-Type: multipart/mixed; boundary=a\r\n\r\n" PLAIN PDF "--b--\r\n"),
     "hello", "t text/plain - [hello]\na application/pdf a.pdf [hello]\n"},
    {"no boundary, but the body has one", SLICE_INIT(HEAD "Content-Type: multipart/mixed\r\n\r\n" PLAIN PDF "--b--\r\n"),
     "hello", "t text/plain - [hello]\na application/pdf a.pdf [hello]\n"},
    {"no boundary anywhere: the body is a text", SLICE_INIT(HEAD "Content-Type: multipart/mixed\r\n\r\nhello\r\n"),
     "hello", "t text/plain - [hello\n]\n"},
    {"nothing but an end", SLICE_INIT(MIXED "--b--\r\nafter\r\n"),
     "", "t text/plain - []\n"},
    {"text and an end", SLICE_INIT(MIXED "hello\r\n--b--\r\n"),
     "hello", "t text/plain - [hello]\n"},
    {"CR alone", SLICE_INIT("Subject: x\rContent-Type: multipart/mixed; boundary=b\r\r--b\r\rhello\r--b\rContent-Type: a/b\rContent-Transfer-Encoding: base64\r\raGVsbG8=\r--b--\r"),
     "hello", "t text/plain - [hello]\na a/b - [hello]\n"},
    {"an empty body in parts", SLICE_INIT(MIXED),
     "", "t text/plain - []\n"},
    {"an inner multipart without parts", SLICE_INIT(MIXED "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\nhello\r\n" PDF "--b--\r\n"),
     "hello", "t text/plain - [hello]\na application/pdf a.pdf [hello]\n"},
    {"the first Content-Type counts", SLICE_INIT(HEAD "Content-Type: multipart/mixed; boundary=b\r\nContent-Type: text/html\r\n\r\n" PLAIN "--b--\r\n"),
     "hello", "t text/plain - [hello]\n"},
    {"a multipart of no known kind", SLICE_INIT(HEAD "Content-Type: multipart/*; boundary=b\r\n\r\n" PLAIN PDF "--b--\r\n"),
     "hello", "t text/plain - [hello]\na application/pdf a.pdf [hello]\n"},
    {"an encoding on a multipart is none", SLICE_INIT(HEAD "Content-Type: multipart/mixed; boundary=\"==12==\"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n--==12==\r\n\r\nhello=20\r\n--==12==--\r\n"),
     "hello=20", "t text/plain - [hello=20]\n"},
    {"a type of one word", SLICE_INIT(HEAD "Content-Type: text\r\n\r\nhello"),
     "hello", "t text/plain - [hello]\n"},
    {"one word for several parts", SLICE_INIT(HEAD "Content-Type: multipart; boundary=b\r\n\r\n" PLAIN PDF "--b--\r\n"),
     "hello", "t text/plain - [hello]\na application/pdf a.pdf [hello]\n"},
    {"a word for a type, with a name", SLICE_INIT(MIXED PLAIN "--b\r\nContent-Type: BINARY; name=x.bin\r\n\r\nabc\r\n--b--\r\n"),
     "hello", "t text/plain - [hello]\na text/plain x.bin [abc]\n"},
    {"no header at all", SLICE_INIT("hello there\r\nhow are you\r\n"),
     "hello there\nhow are you", "t text/plain - [hello there\nhow are you\n]\n"},
    {"nothing at all", SLICE_INIT(""),
     "", "t text/plain - []\n"},
    {"a header and no body", SLICE_INIT(HEAD),
     "", "t text/plain - []\n"},
    {"an mbox line, blank lines and a mark before it", SLICE_INIT("\r\n\xEF\xBB\xBF" "From ann Mon Mar  2 09:15:00 2026\r\n" HEAD "\r\nhello"),
     "hello", "t text/plain - [hello]\n"},
    {"the empty line after the header is missing", SLICE_INIT(HEAD "hello there\r\nhow are you\r\n"),
     "hello there\nhow are you", "t text/plain - [hello there\nhow are you\n]\n"},
    {"junk within the header is none of the text", SLICE_INIT("From: a@b.c\r\njunk here\r\nSubject: x\r\n\r\nhello"),
     "hello", "t text/plain - [hello]\n"},
    {"the empty line is missing before the first delimiter", SLICE_INIT(HEAD "Content-Type: multipart/mixed; boundary=\"b\"\r\n \r\n" PLAIN PDF "--b--\r\n"),
     "hello", "t text/plain - [hello]\na application/pdf a.pdf [hello]\n"},
    {"a part has two types", SLICE_INIT(MIXED "--b\r\nContent-Type: multipart/alternative; boundary=c\r\nContent-Type: text/plain\r\n\r\nhello\r\n--b--\r\n"),
     "hello", "t text/plain - [hello]\n"},
    {"a type without its semicolon", SLICE_INIT(MIXED PLAIN "--b\r\nContent-Type: application/pdf name=\"a.pdf\"\r\n\r\nx\r\n--b--\r\n"),
     "hello", "t text/plain - [hello]\na application/pdf a.pdf [x]\n"},
    {"the empty line after a part's header is missing", SLICE_INIT(MIXED "--b\r\nContent-Type: text/plain\r\nhello there\r\nhow are you\r\n" PDF "--b--\r\n"),
     "hello there\nhow are you", "t text/plain - [hello there\nhow are you]\na application/pdf a.pdf [hello]\n"},
    {"in two parts", SLICE_INIT(MIXED "--b\r\nContent-Type: text/plain\r\nhello there\r\n--b\r\nContent-Type: a/b\r\nsome octets\r\n--b--\r\n"),
     "hello there", "t text/plain - [hello there]\na a/b - [some octets]\n"},
    {"NUL within a part's header", SLICE_INIT(MIXED "--b\r\nContent-Type: a/b\0; name=\"x\0y\"\r\n\r\nhello\r\n--b--\r\n"),
     "hello", "a text/plain x\xEF\xBF\xBDy [hello]\n"},
    {"an empty header below text with dashes", SLICE_INIT(MIXED "--b\r\n\r\n-- \r\n\r\nContent-Type: a/b\r\n\r\n--b\r\n\r\nhello\r\n--b--\r\n"),
     "-- \n\nContent-Type: a/b\n\nhello", "t text/plain - [-- \n\nContent-Type: a/b\n]\nt text/plain - [hello]\n"},
    {"junk within a part's header", SLICE_INIT(MIXED "--b\r\nContent-Type: a/b\r\njunk here\r\nContent-Transfer-Encoding: base64\r\n\r\naGVsbG8=\r\n--b--\r\n"),
     "", "a a/b - [hello]\n"},

    {"an alternative", SLICE_INIT(HEAD "Content-Type: multipart/alternative; boundary=b\r\n\r\n" PLAIN "--b\r\nContent-Type: text/html\r\n\r\n<p>hi\r\n--b--\r\n"),
     "hello", "t text/plain - [hello]\nt text/html - [<p>hi]\n"},
    {"its HTML has a name", SLICE_INIT(HEAD "Content-Type: multipart/alternative; boundary=b\r\n\r\n" PLAIN "--b\r\nContent-Type: text/html; name=x.html\r\n\r\n<p>hi\r\n--b--\r\n"),
     "hello", "t text/plain - [hello]\nt text/html x.html [<p>hi]\n"},
    {"its plain text has a name", SLICE_INIT(HEAD "Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain; name=x.txt\r\n\r\nhello\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>hi\r\n--b--\r\n"),
     "hello", "a text/plain x.txt [hello]\nt text/html - [<p>hi]\n"},
    {"its plain text is blank", SLICE_INIT(HEAD "Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\n\r\n \r\n--b\r\nContent-Type: text/html\r\n\r\n<p>hi\r\n--b--\r\n"),
     "hi", "t text/plain - [ ]\nt text/html - [<p>hi]\n"},
    {"a file in its HTML branch", SLICE_INIT(HEAD "Content-Type: multipart/alternative; boundary=a\r\n\r\n--a\r\n\r\nhello\r\n--a\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>hi\r\n" PDF "--b--\r\n--a--\r\n"),
     "hello", "t text/plain - [hello]\nt text/html - [<p>hi]\na application/pdf a.pdf [hello]\n"},
    {"only HTML, with a picture", SLICE_INIT(HEAD "Content-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>hi<img src=cid:1>\r\n--b\r\nContent-Type: image/png\r\nContent-ID: <1>\r\n\r\nPNG\r\n--b--\r\n"),
     "hi", "t text/html - [<p>hi<img src=cid:1>]\na image/png - [PNG]\n"},
    {"HTML, and a list's plain footer", SLICE_INIT(MIXED "--b\r\nContent-Type: text/html\r\n\r\n<p>hi\r\n--b\r\n\r\nfooter\r\n--b--\r\n"),
     "hi\n\nfooter", "t text/html - [<p>hi]\nt text/plain - [footer]\n"},
    {"a text attached before the text", SLICE_INIT(MIXED "--b\r\nContent-Disposition: attachment; filename=server.log\r\n\r\nfault\r\n" PLAIN "--b--\r\n"),
     "hello", "a text/plain server.log [fault]\nt text/plain - [hello]\n"},
    {"text, file, text", SLICE_INIT(MIXED PLAIN PDF "--b\r\n\r\nbye\r\n--b--\r\n"),
     "hello\n\nbye", "t text/plain - [hello]\na application/pdf a.pdf [hello]\nt text/plain - [bye]\n"},
    {"an attached text without a name", SLICE_INIT(MIXED PLAIN "--b\r\nContent-Disposition: attachment\r\n\r\nfault\r\n--b--\r\n"),
     "hello", "t text/plain - [hello]\na text/plain - [fault]\n"},
    {"nothing but an inline text with a name", SLICE_INIT(HEAD "Content-Type: text/plain; name=message.txt\r\n\r\nhello"),
     "hello", "a text/plain message.txt [hello]\n"},
    {"nothing but a text of another kind", SLICE_INIT(HEAD "Content-Type: text/markdown\r\n\r\n# hello"),
     "# hello", "a text/markdown - [# hello]\n"},
    {"nothing but an enriched text", SLICE_INIT(HEAD "Content-Type: text/enriched\r\n\r\n<bold>he</bold>l<<lo <color><param>red</param>x</color> a < b"),
     "hel<lo x a < b", "a text/enriched - [<bold>he</bold>l<<lo <color><param>red</param>x</color> a < b]\n"},
    {"nothing but a text that nobody reads", SLICE_INIT(HEAD "Content-Type: text/rtf\r\n\r\n{\\rtf1}"),
     "", "a text/rtf - [{\\rtf1}]\n"},
    {"lines that flow", SLICE_INIT(HEAD "Content-Type: text/plain; format=Flowed\r\n\r\nhe \r\nllo\r\n\r\n> a \r\n> b\r\n>> c \r\nd \r\n-- \r\n  e\r\n"),
     "he llo\n\n> a b\n>> c \nd \n-- \n e", "t text/plain - [he \nllo\n\n> a \n> b\n>> c \nd \n-- \n  e\n]\n"},
    {"and lose the blank they were broken at", SLICE_INIT(HEAD "Content-Type: text/plain; format=flowed; delsp=yes\r\n\r\nhe \r\nllo \r\n\r\nx"),
     "hello\nx", "t text/plain - [he \nllo \n\nx]\n"},
    {"nothing but an attached text", SLICE_INIT(HEAD "Content-Disposition: attachment; filename=message.txt\r\n\r\nhello"),
     "", "a text/plain message.txt [hello]\n"},
    {"nothing but a file", SLICE_INIT(HEAD "Content-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\naGVsbG8="),
     "", "a application/pdf a.pdf [hello]\n"},
    {"the disposition's name counts more", SLICE_INIT(MIXED "--b\r\nContent-Type: a/b; name=x\r\nContent-Disposition: inline; filename=y\r\n\r\nc\r\n--b--\r\n"),
     "", "a a/b y [c]\n"},
    {"an empty name does not", SLICE_INIT(MIXED "--b\r\nContent-Type: a/b; name=x\r\nContent-Disposition: inline; filename=\"\"\r\n\r\nc\r\n--b--\r\n"),
     "", "a a/b x [c]\n"},
    {"a name is composed (NFC)", SLICE_INIT(MIXED "--b\r\nContent-Type: a/b; name=\"a\xCC\x88.pdf\"\r\n\r\nc\r\n--b--\r\n"),
     "", "a a/b ä.pdf [c]\n"},
    {"a message in a message is kept", SLICE_INIT(MIXED PLAIN "--b\r\nContent-Type: message/rfc822\r\n\r\nFrom: x@y.z\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n\r\nother\r\n--c--\r\n--b--\r\n"),
     "hello", "t text/plain - [hello]\na message/rfc822 - [From: x@y.z\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n\r\nother\r\n--c--]\n"},
    {"one that is encoded is decoded", SLICE_INIT(MIXED PLAIN "--b\r\nContent-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\nRnJvbTogeEB5LnoNCg0KaGk=\r\n--b--\r\n"),
     "hello", "t text/plain - [hello]\na message/rfc822 - [From: x@y.z\r\n\r\nhi]\n"},
    {"a digest's parts are messages", SLICE_INIT(HEAD "Content-Type: multipart/digest; boundary=b\r\n\r\n--b\r\n\r\nSubject: y\r\n\r\nhi\r\n--b--\r\n"),
     "", "a message/rfc822 - [Subject: y\r\n\r\nhi]\n"},
    {"a piece of a message is kept", SLICE_INIT(HEAD "Content-Type: message/partial; number=1; total=2; id=x\r\n\r\nSubject: y\r\n\r\nhal"),
     "", "a message/partial part 1 of 2.eml [Subject: y\r\n\r\nhal]\n"},
    {"a signature is a file", SLICE_INIT(HEAD "Content-Type: multipart/signed; boundary=b\r\n\r\n" PLAIN "--b\r\nContent-Type: application/pkcs7-signature; name=smime.p7s\r\n\r\nSIG\r\n--b--\r\n"),
     "hello", "t text/plain - [hello]\na application/pkcs7-signature smime.p7s [SIG]\n"},
    {"an invitation is a file", SLICE_INIT(HEAD "Content-Type: multipart/alternative; boundary=b\r\n\r\n" PLAIN "--b\r\nContent-Type: text/calendar; method=REQUEST\r\n\r\nBEGIN:VCALENDAR\r\n--b--\r\n"),
     "hello", "t text/plain - [hello]\na text/calendar - [BEGIN:VCALENDAR]\n"},

    {"a text in its charset", SLICE_INIT(HEAD "Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=80 40"),
     "€ 40", "t text/plain - [€ 40]\n"},
    {"an attached text keeps its octets", SLICE_INIT(MIXED "--b\r\nContent-Type: text/plain; charset=iso-8859-1; name=x\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\na=\r\nb=0D=0A\r\n--b--\r\n"),
     "ab", "a text/plain x [ab\r\n]\n"},
    {"an encoding that is a charset", SLICE_INIT(HEAD "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: utf-8\r\n\r\nhe=6Clo"),
     "he=6Clo", "t text/plain - [he=6Clo]\n"},
    {"HTML says its charset itself", SLICE_INIT(HEAD "Content-Type: text/html\r\n\r\n<meta charset=windows-1251><p>\xEF\xF0"),
     "пр", "t text/html - [<meta charset=windows-1251><p>пр]\n"},
    {"base64 that is none", SLICE_INIT(HEAD "Content-Transfer-Encoding: base64\r\n\r\nThis text was never encoded by anybody, it only says so.\r\nIt is lost where it is decoded.\r\n"),
     "This text was never encoded by anybody, it only says so.\nIt is lost where it is decoded.", "t text/plain - [This text was never encoded by anybody, it only says so.\nIt is lost where it is decoded.\n]\n"},
    {"lines that end with CR", SLICE_INIT("Subject: x\r\rhello\rthere"),
     "hello\nthere", "t text/plain - [hello\nthere]\n"},
    {"NUL in a text", SLICE_INIT(HEAD "\r\nbefore\0after"),
     "before\xEF\xBF\xBD" "after", "t text/plain - [before\xEF\xBF\xBD" "after]\n"},
    {"NUL in a file", SLICE_INIT(HEAD "Content-Type: a/b\r\n\r\nx\0y"),
     "", "a a/b - [x?y]\n"},
    /* clang-format on */
};

static void describe(const struct bench *b, struct str *out)
{
    for (size_t i = 0; i < b->message.part_count; i++) {
        const struct message_part *part = &b->message.parts[i];
        struct slice name = message_slice(&b->message, part->name);

        str_addz(out, part->role == PART_TEXT ? "t " : "a ");
        str_add(out, message_slice(&b->message, part->type));
        str_addc(out, ' ');
        str_add(out, name.len > 0 ? name : SLICE("-"));
        str_addz(out, " [");
        str_add(out, str_slice(&b->spooled[i]));
        str_addz(out, "]\n");
    }
    for (size_t i = 0; i < out->len; i++)
        if (out->at[i] == '\0')
            out->at[i] = '?';
}

static void a_mail_has_a_text_and_parts(void **state)
{
    static struct bench b;

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str parts = STR_INIT;

        bench_read(&b, row->mail);
        describe(&b, &parts);
        assert_string_equal(str_z(&parts), row->parts);
        bench_assert_text(&b, b.message.text, row->text);
    }
    bench_clear(&b);
}

/* What was lost, guessed or left out is said. */
static void what_is_not_whole_is_said(void **state)
{
    static const struct {
        const char *name;
        struct slice mail;
        bool incomplete;
    } mails[] = {
        {"whole", SLICE_INIT(MIXED PLAIN PDF "--b--\r\n"), false},
        {"cut off", SLICE_INIT(MIXED PLAIN PDF), true},
        {"a guessed boundary", SLICE_INIT(HEAD "Content-Type: multipart/mixed\r\n\r\n" PLAIN),
         true},
        {"a mended header", SLICE_INIT(HEAD "hello\r\n"), true},
        {"a part's mended header", SLICE_INIT(MIXED "--b\r\nA: b\r\nhello\r\n--b--\r\n"), true},
        {"no header", SLICE_INIT("hello"), true},
    };
    static struct bench b;

    (void)state;
    FOR_EACH(row, mails) {
        bench_read(&b, row->mail);
        assert_int_equal((b.message.signs & SIGN_INCOMPLETE) != 0, row->incomplete);
    }
    bench_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mail_has_a_text_and_parts),
        cmocka_unit_test(what_is_not_whole_is_said),
    };

    return RUN_TESTS(tests);
}
