/* SPDX-License-Identifier: Apache-2.0 */
/* links: message core */
#include "message_bench.h"

static void add_list(const struct message *m, struct span list, struct str *out)
{
    struct slice rest = message_slice(m, list);
    struct slice item;

    for (bool first = true; message_next(&rest, &item); first = false) {
        str_addz(out, first ? "" : " ");
        str_add(out, item);
    }
}

static void assert_list(const struct bench *b, struct span list, const char *wanted)
{
    CLEANUP(str_clear) struct str text = STR_INIT;

    add_list(&b->message, list, &text);
    assert_string_equal(str_z(&text), wanted);
}

static void a_header_says_who_and_what(void **state)
{
    static struct bench b;

    (void)state;
    bench_read(&b, SLICE("Return-Path: <ann@example.com>\r\n"
                         "FROM:\"Lee, Ann\" <Ann@example.com>, bo@example.net\r\n"
                         "Reply-To: a1@example.net,\r\n\ta2@example.net\r\n"
                         "To: Team: help@example.org, x@example.org;\r\n"
                         "Cc: y@example.org\r\n"
                         "subject:\r\n =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\r\n"
                         "Subject: another\r\n"
                         "message-id:<a1@example.com>\r\n"
                         "In-Reply-To: Your mail <b1@x> of today\r\n"
                         "References: <c1@x>\r\n <c2@x><c 3@x>\r\n"
                         "List-Id: Our list <team.example.org>\r\n"
                         "Date: 1 Mar 26 09:00 EST\r\n"
                         "\r\nhello"));
    bench_assert_text(&b, b.message.from, "Ann@example.com");
    bench_assert_text(&b, b.message.from_name, "Lee, Ann");
    assert_list(&b, b.message.reply_to, "a1@example.net a2@example.net");
    assert_list(&b, b.message.to, "help@example.org x@example.org");
    assert_list(&b, b.message.cc, "y@example.org");
    bench_assert_text(&b, b.message.subject, "Grüße");
    bench_assert_text(&b, b.message.message_id, "<a1@example.com>");
    assert_list(&b, b.message.in_reply_to, "<b1@x>");
    assert_list(&b, b.message.references, "<c1@x> <c2@x> <c3@x>");
    bench_assert_text(&b, b.message.list_id, "team.example.org");
    assert_true(b.message.has_date);
    assert_int_equal(b.message.date_ms, INT64_C(1772373600000));
    bench_clear(&b);
}

static void what_is_not_there_is_absent(void **state)
{
    static struct bench b;

    (void)state;
    bench_read(
        &b,
        SLICE("From:\r\nReply-To: <>\r\nDate: jue ago 30 13:55:12 2007\r\nList-Id: <>\r\n\r\n"));
    assert_int_equal(b.message.from.len, 0);
    assert_int_equal(b.message.reply_to.len, 0);
    assert_int_equal(b.message.subject.len, 0);
    assert_int_equal(b.message.message_id.len, 0);
    assert_int_equal(b.message.list_id.len, 0);
    assert_int_equal(b.message.acknowledgement.len, 0);
    assert_false(b.message.has_date);
    bench_clear(&b);
}

static void a_header_has_signs(void **state)
{
    static const struct {
        const char *name;
        const char *header;
        uint32_t signs;
    } rows[] = {
        /* clang-format off */
        {"none",                              "Subject: x\r\n", 0},
        {"an automatic reply",                "Auto-Submitted: auto-replied\r\n", SIGN_AUTO_SUBMITTED},
        {"with parameters",                   "auto-submitted: auto-generated; x=y\r\n", SIGN_AUTO_SUBMITTED},
        {"written by a person",               "Auto-Submitted: no\r\n", 0},
        {"with a comment",                    "Auto-Submitted: NO (really)\r\n", 0},
        {"empty",                             "Auto-Submitted:\r\n", 0},
        {"both",                              "Auto-Submitted: no\r\nAuto-Submitted: auto-replied\r\n", SIGN_AUTO_SUBMITTED},
        {"an old automatic reply",            "X-Autoreply: yes\r\n", SIGN_AUTO_SUBMITTED},
        {"with a comment first",              "Auto-Submitted: (a person (really)) no\r\n", 0},
        {"a comment alone",                   "Auto-Submitted: (no)\r\n", 0},
        {"a comment that says no",            "Auto-Submitted: (no) auto-replied\r\n", SIGN_AUTO_SUBMITTED},
        {"a comment that never ends",         "Auto-Submitted: (auto-replied\r\n", SIGN_AUTO_SUBMITTED},
        {"folded",                            "AUTO-SUBMITTED:\r\n\tauto-notified;\r\n owner-email=\"a@b.c\"\r\n", SIGN_AUTO_SUBMITTED},
        {"another word",                      "Auto-Submitted: not-at-all\r\n", SIGN_AUTO_SUBMITTED},
        {"of a provider's vacation",          "X-Autoreply: yes\r\nPrecedence: bulk\r\n", SIGN_AUTO_SUBMITTED | SIGN_BULK},
        {"which is switched off",             "X-Autoreply: no\r\n", 0},
        {"of somebody",                       "X-AutoReply-From: no-reply@b.c\r\n", SIGN_AUTO_SUBMITTED},
        {"of a responder",                    "X-Autorespond: hello\r\n", SIGN_AUTO_SUBMITTED},
        {"of another",                        "X-Autoresponder: 1\r\n", SIGN_AUTO_SUBMITTED},
        {"of another",                        "X-Mail-Autoreply: 1\r\n", SIGN_AUTO_SUBMITTED},
        {"of another",                        "X-Autogenerated: Reply\r\n", SIGN_AUTO_SUBMITTED},
        {"of another",                        "X-POST-MessageClass: 9; Autoresponder\r\n", SIGN_AUTO_SUBMITTED},
        {"of another",                        "X-FC-MachineGenerated: true\r\n", SIGN_AUTO_SUBMITTED},
        {"of another",                        "Delivered-To: Autoresponder\r\n", SIGN_AUTO_SUBMITTED},
        {"for a person",                      "Delivered-To: ann@example.com\r\n", 0},
        {"of a mailbox rule",                 "X-MS-Exchange-Generated-Message-Source: Mailbox Rules Agent\r\n", SIGN_AUTO_SUBMITTED},
        {"a cron job's",                      "X-Cron-Env: <SHELL=/bin/sh>\r\n", SIGN_AUTO_SUBMITTED},
        {"another desk's",                    "X-RT-Loop-Prevention: desk\r\n", SIGN_AUTO_SUBMITTED},
        {"another desk's",                    "X-OTRS-Loop: yes\r\n", SIGN_AUTO_SUBMITTED},
        {"another desk like this one",        "X-Onecase-Acknowledgement: 00\r\n", SIGN_AUTO_SUBMITTED},
        {"an automatic reply by precedence",  "Precedence: auto_reply\r\n", SIGN_AUTO_SUBMITTED},
        {"an old list",                       "Mailing-List: contact x-help@y.z; run by ezmlm\r\n", SIGN_BULK},
        {"a list's",                          "List-Id: <a.b>\r\n", SIGN_LIST_HEADER},
        {"by any List field",                 "List-Unsubscribe: <mailto:x@y.z>\r\n", SIGN_LIST_HEADER},
        {"List without its hyphen",           "Listing: x\r\n", 0},
        {"bulk",                              "Precedence: Bulk\r\n", SIGN_BULK},
        {"junk",                              "Precedence: junk\r\n", SIGN_BULK},
        {"in an encoded word",                "Precedence: =?us-ascii?Q?bulk?=\r\n", SIGN_BULK},
        {"as an extension",                   "X-Precedence: junk\r\n", SIGN_BULK},
        {"first-class",                       "Precedence: first-class\r\n", 0},
        {"a null path",                       "Return-Path: <>\r\n", SIGN_NULL_PATH},
        {"with a blank",                      "Return-Path: < >\r\n", SIGN_NULL_PATH},
        {"empty",                             "Return-Path:\r\n", SIGN_NULL_PATH},
        {"a daemon's",                        "Return-Path: <MAILER-DAEMON>\r\n", SIGN_NULL_PATH},
        {"with its domain",                   "Return-Path: <mailer-daemon@mx.example.net>\r\n", SIGN_NULL_PATH},
        {"in quotes",                         "Return-Path: <\"\">\r\n", SIGN_NULL_PATH},
        {"twice in brackets",                 "Return-Path: <<>>\r\n", SIGN_NULL_PATH},
        {"quoted as a whole",                 "Return-Path: \"<>\"\r\n", SIGN_NULL_PATH},
        {"with a comment",                    "Return-Path: <> (mx.example.net)\r\n", SIGN_NULL_PATH},
        {"an at sign alone",                  "Return-Path: <@>\r\n", SIGN_NULL_PATH},
        {"a double bounce of qmail",          "Return-Path: <#@[]>\r\n", SIGN_NULL_PATH},
        {"a daemon's in capitals, no bracket","Return-Path: MAILER-DAEMON\r\n", SIGN_NULL_PATH},
        {"a daemon's, in twice the brackets", "Return-Path: <<MAILER-DAEMON>>\r\n", SIGN_NULL_PATH},
        {"a daemon's, in quotes",             "Return-Path: <\"MAILER-DAEMON\"@mx.example.net>\r\n", SIGN_NULL_PATH},
        {"a daemon's, with its name",         "Return-Path: Mail System <MAILER-DAEMON@mx.example.net>\r\n", SIGN_NULL_PATH},
        {"folded",                            "Return-Path:\r\n <>\r\n", SIGN_NULL_PATH},
        {"a bounce path of a person",         "Return-Path: <b+ann=example.com@example.net>\r\n", 0},
        {"of a local part that is quoted",    "Return-Path: <\"ann lee\"@example.com>\r\n", 0},
        {"a person's",                        "Return-Path: <ann@example.com>\r\n", 0},
        {"without brackets",                  "Return-Path: ann@example.com\r\n", 0},
        {"of this machine",                   "Return-Path: root\r\n", 0},
        {"asks for silence",                  "X-Auto-Response-Suppress: All\r\n", SIGN_SUPPRESS},
        {"in a list",                         "X-Auto-Response-Suppress: DR, OOF, AutoReply\r\n", SIGN_SUPPRESS},
        {"asks for no receipts only",         "X-Auto-Response-Suppress: DR, RN, NRN\r\n", 0},
        {"asks for nothing",                  "X-Auto-Response-Suppress: None\r\n", 0},
        {"a report of some servers",          "X-Failed-Recipients: x@y.z\r\n", SIGN_DELIVERY_REPORT},
        {"a report of an old Exchange",       "Content-Class: urn:content-classes:dsn\r\n", SIGN_DELIVERY_REPORT},
        {"a message of an old Exchange",      "Content-Class: urn:content-classes:message\r\n", 0},
        {"out of office, by its subject",     "Subject: Out of Office AutoReply: Printer\r\n", SIGN_AUTO_SUBMITTED},
        {"an automatic reply, by its subject","Subject: Automatic reply: Printer\r\n", SIGN_AUTO_SUBMITTED},
        {"in German",                         "Subject: =?utf-8?Q?Automatische_Antwort:_St=C3=B6rung?=\r\n", SIGN_AUTO_SUBMITTED},
        {"in French, with its blank",         "Subject: =?utf-8?Q?R=C3=A9ponse_automatique=C2=A0:_panne?=\r\n", SIGN_AUTO_SUBMITTED},
        {"in Japanese",                       "Subject: =?utf-8?B?6Ieq5YuV5b+c562UOiDlqIHlkpI=?=\r\n", SIGN_AUTO_SUBMITTED},
        {"of Notes",                          "Subject: AUTO: Bo Ek is out of the office (returning 03/02/2026)\r\n", SIGN_AUTO_SUBMITTED},
        {"of Notes, in German",               "Subject: =?iso-8859-1?Q?AUTO=3A_Bo_Ek_ist_au=DFer_Haus?=\r\n", SIGN_AUTO_SUBMITTED},
        {"about a car, in German",            "Subject: Auto: Reifenwechsel\r\n", 0},
        {"an answer to an automatic reply",   "Subject: Re: Automatic reply: Printer\r\n", 0},
        {"a question about them",             "Subject: Automatic replies do not stop\r\n", 0},
        {"a question about the office",       "Subject: Out of office assistant is broken\r\n", 0},
        {"a delivery report",                 "Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n", SIGN_DELIVERY_REPORT},
        {"a read receipt",                    "Content-Type: multipart/report; report-type=Disposition-Notification; boundary=b\r\n", SIGN_OTHER_REPORT},
        {"another report",                    "Content-Type: multipart/report; boundary=b\r\n", SIGN_OTHER_REPORT},
        {"encrypted",                         "Content-Type: application/pkcs7-mime; smime-type=enveloped-data\r\n", SIGN_ENCRYPTED},
        {"signed, and not to be read",        "Content-Type: application/x-pkcs7-mime; smime-type=Signed-Data\r\n", SIGN_SIGNED},
        {"compressed alone",                  "Content-Type: application/pkcs7-mime; smime-type=compressed-data\r\n", 0},
        {"clear-signed",                      "Content-Type: multipart/signed; boundary=b\r\n", SIGN_SIGNED},
        {"encrypted by PGP",                  "Content-Type: multipart/encrypted; boundary=b\r\n", SIGN_ENCRYPTED},
        {"a piece",                           "Content-Type: message/partial; number=1\r\n", SIGN_PIECE},
        {"encrypted within its text",         "\r\n-----BEGIN PGP MESSAGE-----\r\n", SIGN_ENCRYPTED},
        {"signed within its text",            "\r\n-----BEGIN PGP SIGNED MESSAGE-----\r\n", SIGN_SIGNED},
        {"a status alone",                    "Content-Type: message/delivery-status\r\n", SIGN_DELIVERY_REPORT},
        /* clang-format on */
    };
    static struct bench b;

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str mail = STR_INIT;

        str_addf(&mail, "From: a@b.c\r\n%s\r\n--b\r\n\r\nhello\r\n--b--\r\n", row->header);
        bench_read(&b, str_slice(&mail));
        assert_int_equal(b.message.signs, row->signs);
    }
    bench_clear(&b);
}

#define EFFECT "0123456789abcdef0123456789abcdef"

static void our_own_is_known_by_its_marks(void **state)
{
    static const struct {
        const char *name;
        const char *header;
        const char *acknowledgement, *proof;
    } rows[] = {
        {"by its field", "X-Onecase-Acknowledgement: " EFFECT "\r\nX-Onecase-Proof: ab12\r\n",
         EFFECT, "ab12"},
        {"by its id", "Message-ID: <ack." EFFECT "@example.org>\r\n", EFFECT, ""},
        {"by the id it had",
         "Message-ID: <x@y>\r\nX-Microsoft-Original-Message-ID: <ack." EFFECT "@x.y>\r\n", EFFECT,
         ""},
        {"not by the one it answers", "In-Reply-To: <ack." EFFECT "@example.org>\r\n", "", ""},
    };
    static struct bench b;

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str mail = STR_INIT;

        str_addf(&mail, "%s\r\nhello", row->header);
        bench_read(&b, str_slice(&mail));
        bench_assert_text(&b, b.message.acknowledgement, row->acknowledgement);
        bench_assert_text(&b, b.message.proof, row->proof);
    }
    bench_clear(&b);
}

#define REPORT(type)                                                                               \
    "From: MAILER-DAEMON@mx.example.net\r\n"                                                       \
    "Content-Type: multipart/report; report-type=" type "; boundary=b\r\n\r\n"                     \
    "--b\r\n\r\nIt failed.\r\n"

static void a_report_says_what_it_is_about(void **state)
{
    static const struct {
        const char *name;
        const char *mail;
        const char *reported, *action;
    } rows[] = {
        /* clang-format off */
        {"the message came back",
         REPORT("delivery-status") "--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx\r\n\r\nFinal-Recipient: rfc822; x@y.z\r\nAction: failed\r\nStatus: 5.1.1\r\n"
         "--b\r\nContent-Type: message/rfc822\r\n\r\nMessage-ID: <ack.1@x>\r\nSubject: y\r\n\r\nMessage-ID: <not@this>\r\n--b--\r\n",
         "<ack.1@x>", "failed"},
        {"only its header did",
         REPORT("delivery-status") "--b\r\nContent-Type: message/delivery-status\r\n\r\nAction: delayed\r\n"
         "--b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: <ack.1@x>\r\n--b--\r\n",
         "<ack.1@x>", "delayed"},
        {"the worst of several",
         REPORT("delivery-status") "--b\r\nContent-Type: message/delivery-status\r\n\r\nx: y\r\n\r\nAction: delivered\r\n\r\nAction: Failed\r\n\r\nAction: relayed\r\n--b--\r\n",
         "", "failed"},
        {"its id was changed on its way",
         REPORT("delivery-status") "--b\r\nContent-Type: message/rfc822\r\n\r\nMessage-ID: <new@x>\r\nX-Microsoft-Original-Message-ID: <ack.1@x>\r\n\r\n--b--\r\n",
         "<new@x> <ack.1@x>", ""},
        {"it came back in base64",
         REPORT("delivery-status") "--b\r\nContent-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\nTWVzc2FnZS1JRDogPGFjay4xQHg+DQoNCmhp\r\n--b--\r\n",
         "<ack.1@x>", ""},
        {"a read receipt",
         REPORT("disposition-notification") "--b\r\nContent-Type: message/disposition-notification\r\n\r\nOriginal-Message-ID: <ack.1@x>\r\nDisposition: manual-action/MDN-sent-manually; displayed\r\n--b--\r\n",
         "<ack.1@x>", ""},
        {"free text",
         "From: MAILER-DAEMON@mx\r\nReturn-Path: <>\r\n\r\nHi. It failed.\r\n\r\n--- Below this line is a copy\r\n\r\nSubject: y\r\nMessage-ID: <ack.1@x>\r\n",
         "<ack.1@x>", ""},
        {"free text of a person",
         "From: ann@example.com\r\nReturn-Path: <ann@example.com>\r\n\r\nMessage-ID: <ack.1@x>\r\n",
         "", ""},
        {"attached by a server that knows no reports",
         "From: postmaster@mx\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nfailed\r\n--b\r\nContent-Type: message/rfc822\r\n\r\nMessage-ID: <ack.1@x>\r\n\r\n--b--\r\n",
         "<ack.1@x>", ""},
        {"attached by a person",
         "From: ann@example.com\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nsee\r\n--b\r\nContent-Type: message/rfc822\r\n\r\nMessage-ID: <ack.1@x>\r\n\r\n--b--\r\n",
         "", ""},
        /* clang-format on */
    };
    static struct bench b;

    (void)state;
    FOR_EACH(row, rows) {
        bench_read(&b, slice_z(row->mail));
        assert_list(&b, b.message.reported, row->reported);
        bench_assert_text(&b, b.message.report_action, row->action);
    }
    bench_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_header_says_who_and_what),
        cmocka_unit_test(what_is_not_there_is_absent),
        cmocka_unit_test(a_header_has_signs),
        cmocka_unit_test(our_own_is_known_by_its_marks),
        cmocka_unit_test(a_report_says_what_it_is_about),
    };

    return RUN_TESTS(tests);
}
