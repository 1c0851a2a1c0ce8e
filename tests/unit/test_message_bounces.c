/* SPDX-License-Identifier: Apache-2.0 */
/* links: message core */
#include "bounces.h"
#include "message_bench.h"

#include <onecase/identity.h>

#define ACK  "<ack.0123456789abcdef0123456789abcdef@example.org>"
#define MARK "0123456789abcdef0123456789abcdef"

/* As their programs write them; the letter that came back is ours. */
static void what_mail_systems_write_is_a_report_of_our_letter(void **state)
{
    /* clang-format off */
    static const struct {
        const char *name;
        const char *mail;
        const char *action;
    } rows[] = {
        {"qmail",
         "Return-Path: <>\r\nFrom: MAILER-DAEMON@mx.example.net\r\nSubject: failure notice\r\n\r\n"
         "Hi. This is the qmail-send program at mx.example.net.\r\nI'm afraid I wasn't able to deliver your message to the following addresses.\r\n"
         "This is a permanent error; I've given up. Sorry it didn't work out.\r\n\r\n<ann@example.net>:\r\nSorry, no mailbox here by that name. (#5.1.1)\r\n\r\n"
         "--- Below this line is a copy of the message.\r\n\r\nReturn-Path: <help@example.org>\r\nReceived: (qmail 1 invoked by uid 2); 1 Mar 2026 00:00:00 -0000\r\nMessage-ID: " ACK "\r\nSubject: [HD-1] x\r\n\r\nhello\r\n",
         "failed"},
        {"Exim, in one text",
         "Return-path: <>\r\nX-Failed-Recipients: ann@example.net\r\nAuto-Submitted: auto-replied\r\nFrom: Mail Delivery System <Mailer-Daemon@mx.example.net>\r\nSubject: Mail delivery failed: returning message to sender\r\n\r\n"
         "This message was created automatically by mail delivery software.\r\n\r\nA message that you sent could not be delivered to one or more of its\r\nrecipients. This is a permanent error. The following address(es) failed:\r\n\r\n  ann@example.net\r\n    Unrouteable address\r\n\r\n"
         "------ This is a copy of the message, including all the headers. ------\r\n\r\nReturn-path: <help@example.org>\r\nFrom: help@example.org\r\nMessage-Id: " ACK "\r\n\r\nhello\r\n",
         "failed"},
        {"Exim, a warning",
         "Return-path: <>\r\nAuto-Submitted: auto-replied\r\nFrom: Mail Delivery System <Mailer-Daemon@mx.example.net>\r\nSubject: Warning: message 1abc-00 delayed 24 hours\r\n\r\n"
         "This message was created automatically by mail delivery software.\r\nA message that you sent has not yet been delivered to one or more of its\r\nrecipients after more than 24 hours on the queue on mx.example.net.\r\n\r\n"
         "The message identifier is:     1abc-00\r\nThe subject of the message is: [HD-1] x\r\n\r\nNo action is required on your part. Delivery attempts will continue for\r\nsome time.\r\n\r\nMessage-ID: " ACK "\r\n",
         "delayed"},
        {"sendmail, in one text",
         "From: MAILER-DAEMON (Mail Delivery Subsystem)\r\nSubject: Returned mail: User unknown\r\n\r\n"
         "The original message was received at Sun, 1 Mar 2026 09:00:00 GMT\r\n\r\n   ----- The following addresses had permanent fatal errors -----\r\n<ann@example.net>\r\n\r\n"
         "   ----- Original message follows -----\r\n\r\nReceived: from x by y; Sun, 1 Mar 2026 09:00:00 GMT\r\nFrom: help@example.org\r\nMessage-ID:\r\n " ACK "\r\n\r\nhello\r\n",
         "failed"},
        {"sendmail, a warning",
         "From: Mail Delivery Subsystem <MAILER-DAEMON@mx.example.net>\r\nSubject: Warning: could not send message for past 4 hours\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b\r\n\r\n"
         "    **********************************************\r\n    **      THIS IS A WARNING MESSAGE ONLY      **\r\n    **  YOU DO NOT NEED TO RESEND YOUR MESSAGE  **\r\n    **********************************************\r\n"
         "--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx\r\n\r\nFinal-Recipient: RFC822; ann@example.net\r\nAction: delayed\r\nStatus: 4.4.1\r\n"
         "--b\r\nContent-Type: message/rfc822\r\n\r\nMessage-ID: " ACK "\r\n\r\nhello\r\n--b--\r\n",
         "delayed"},
        {"Postfix, whose report somebody made flat",
         "Return-Path: <>\r\nFrom: MAILER-DAEMON@mx.example.net (Mail Delivery System)\r\nSubject: Undelivered Mail Returned to Sender\r\n\r\n"
         "This is the mail system at host mx.example.net.\r\n\r\nI'm sorry to have to inform you that your message could not\r\nbe delivered to one or more recipients. It's attached below.\r\n\r\n"
         "<ann@example.net>: host x said: 550 5.1.1 unknown (in reply to RCPT TO command)\r\n\r\n> From: help@example.org\r\n> Message-Id: " ACK "\r\n> Subject: x\r\n",
         "failed"},
        {"Exchange, its header quoted",
         "From: Microsoft Outlook <MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@example.net>\r\nSubject: Undeliverable: [HD-1] x\r\n\r\n"
         "Delivery has failed to these recipients or groups:\r\n\r\nann@example.net\r\nThe email address you entered couldn't be found.\r\n\r\nDiagnostic information for administrators:\r\n\r\nGenerating server: AB1\r\n\r\nOriginal message headers:\r\n\r\n"
         "Received: from a by b\r\n with Microsoft SMTP Server; Sun, 1 Mar 2026 09:00:00 +0000\r\nMessage-ID: " ACK "\r\nMIME-Version: 1.0\r\n",
         "failed"},
        {"Exchange, of the old form",
         "From: System Administrator <postmaster@example.net>\r\nContent-Class: urn:content-classes:dsn\r\nSubject: Undeliverable: x\r\n\r\n"
         "Your message\r\n\r\n  To:      ann@example.net\r\n  Subject: x\r\n\r\ndid not reach the following recipient(s):\r\n\r\nann@example.net\r\n    The recipient name is not recognized\r\n\r\nMessage ID: " ACK "\r\n",
         "failed"},
        {"Gmail, of the old form",
         "Return-Path: <>\r\nFrom: Mail Delivery Subsystem <mailer-daemon@googlemail.com>\r\nX-Failed-Recipients: ann@example.net\r\nSubject: Delivery Status Notification (Failure)\r\n\r\n"
         "Delivery to the following recipient failed permanently:\r\n\r\n     ann@example.net\r\n\r\n----- Original message -----\r\n\r\nReceived: by 10.0.0.1; Sun, 1 Mar 2026 09:00:00 -0800\r\nMessage-ID: " ACK "\r\n",
         "failed"},
        {"Gmail, a delay",
         "Return-Path: <>\r\nFrom: Mail Delivery Subsystem <mailer-daemon@googlemail.com>\r\nSubject: Delivery Status Notification (Delay)\r\n\r\n"
         "This is an automatically generated Delivery Status Notification\r\n\r\nTHIS IS A WARNING MESSAGE ONLY.\r\n\r\nYOU DO NOT NEED TO RESEND YOUR MESSAGE.\r\n\r\nMessage will be retried for 2 more day(s)\r\n\r\nMessage-ID: " ACK "\r\n",
         "delayed"},
        {"Yahoo",
         "Return-Path: <>\r\nFrom: MAILER-DAEMON@yahoo.example\r\nSubject: Failure Notice\r\n\r\n"
         "Sorry, we were unable to deliver your message to the following address.\r\n\r\n<ann@yahoo.example>:\r\n554: delivery error: dd This user doesn't have a yahoo.example account\r\n\r\n--- Below this line is a copy of the message.\r\n\r\nMessage-ID: " ACK "\r\n",
         "failed"},
        {"Notes",
         "From: Postmaster@example.net\r\nSubject: DELIVERY FAILURE: User ann (ann@example.net) not listed in Domino Directory\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n"
         "Your message\r\n\r\n  Subject: x\r\n\r\nwas not delivered to:\r\n\r\n  ann@example.net\r\n\r\nbecause:\r\n\r\n  User ann (ann@example.net) not listed in Domino Directory\r\n"
         "--b\r\nContent-Type: message/rfc822\r\n\r\nMessage-ID: " ACK "\r\n\r\nhello\r\n--b--\r\n",
         "failed"},
        {"a report that an appliance has wrapped",
         "Return-Path: <>\r\nFrom: MAILER-DAEMON@mx.example.net\r\nSubject: [EXTERNAL] x\r\nContent-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b\r\n\r\nsorry\r\n"
         "--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx\r\n\r\nFinal-Recipient: rfc822; ann@example.net\r\nAction: failed\r\n--b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: " ACK "\r\n--b--\r\n--a\r\n\r\nscanned\r\n--a--\r\n",
         "failed"},
        {"of a letter whose id was changed",
         "Return-Path: <>\r\nFrom: postmaster@example.net\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b\r\n\r\nsorry\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nx: y\r\n\r\nAction: failed\r\n"
         "--b\r\nContent-Type: message/rfc822\r\n\r\nX-Onecase-Acknowledgement: " MARK "\r\n\r\nhello\r\n--b--\r\n",
         "failed"},
        {"in German",
         "Return-Path: <>\r\nFrom: postmaster@example.net\r\nSubject: Unzustellbar: x\r\n\r\nDie Nachricht konnte nicht zugestellt werden.\r\n\r\nMessage-ID: " ACK "\r\n", "failed"},
        {"in French",
         "Return-Path: <>\r\nFrom: postmaster@example.net\r\nSubject: =?utf-8?Q?Non_remis=C2=A0:_x?=\r\n\r\nVotre message.\r\n\r\nMessage-ID: " ACK "\r\n", "failed"},
        {"in Spanish",
         "Return-Path: <>\r\nFrom: postmaster@example.net\r\nSubject: No se puede entregar: x\r\n\r\nSu mensaje.\r\n\r\nMessage-ID: " ACK "\r\n", "failed"},
        {"in German, a delay",
         "Return-Path: <>\r\nFrom: postmaster@example.net\r\nSubject: =?utf-8?Q?Verz=C3=B6gert:_x?=\r\n\r\nDie Zustellung wird weiterhin versucht.\r\n\r\nMessage-ID: " ACK "\r\n", "delayed"},
    };
    /* clang-format on */
    static struct bench b;

    (void)state;
    FOR_EACH(row, rows) {
        struct slice reported, id;
        char effect[EFFECT_ID_SIZE];

        bench_read(&b, slice_z(row->mail));
        reported = message_slice(&b.message, b.message.reported);
        assert_true(message_next(&reported, &id));
        assert_true(acknowledgement_named(id, effect));
        assert_string_equal(effect, MARK);
        bench_assert_text(&b, b.message.report_action, row->action);
        assert_true(b.message.signs & SIGN_DELIVERY_REPORT);
    }
    bench_clear(&b);
}

static void what_people_write_is_no_report(void **state)
{
    /* clang-format off */
    static const struct {
        const char *name;
        const char *mail;
    } rows[] = {
        {"a person who quotes one",
         "Return-Path: <ann@example.com>\r\nFrom: ann@example.com\r\nSubject: Undeliverable: x\r\n\r\nMy mail could not be delivered:\r\n\r\n> Message-ID: " ACK "\r\n"},
        {"a person who forwards one",
         "From: ann@example.com\r\nSubject: Fwd: failure notice\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nWhat is this?\r\n--b\r\nContent-Type: message/rfc822\r\n\r\nMessage-ID: " ACK "\r\n\r\n--b--\r\n"},
        {"a postmaster who writes himself",
         "From: postmaster@example.com\r\nSubject: Your mail server\r\n\r\nPlease look at your DNS. Yours, Bo\r\n"},
    };
    /* clang-format on */
    static struct bench b;

    (void)state;
    FOR_EACH(row, rows) {
        bench_read(&b, slice_z(row->mail));
        assert_int_equal(b.message.signs & SIGN_DELIVERY_REPORT, 0);
        assert_int_equal(b.message.reported.len, 0);
        assert_int_equal(b.message.report_action.len, 0);
    }
    bench_clear(&b);
}

static void words_say_whether_it_goes_on(void **state)
{
    static const struct {
        const char *name, *subject, *text, *action;
    } rows[] = {
        {"a subject", "Undeliverable: x", "", "failed"},
        {"a text", "x", "It could not\nbe delivered.", "failed"},
        {"a delay that says what has not happened", "Undeliverable: x",
         "It could not be delivered and will be retried.", "delayed"},
        {"neither", "x", "y", NULL},
        {"nothing", "", "", NULL},
    };

    (void)state;
    FOR_EACH(row, rows) {
        const char *action = bounce_action(slice_z(row->subject), slice_z(row->text));

        assert_int_equal(action == NULL, row->action == NULL);
        if (action != NULL)
            assert_string_equal(action, row->action);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_mail_systems_write_is_a_report_of_our_letter),
        cmocka_unit_test(what_people_write_is_no_report),
        cmocka_unit_test(words_say_whether_it_goes_on),
    };

    return RUN_TESTS(tests);
}
