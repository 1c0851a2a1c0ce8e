/* SPDX-License-Identifier: Apache-2.0 */
/* links: config core */
#include "reading.h"

#include <testing.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NAME "/etc/onecase/onecase.yaml"
#define TOP       "data_dir: /var/lib/onecase\n"
#define MAILBOX                                                                                    \
    "mailboxes: [{id: help, imap: {host: imap.example.org, username: help, password: x}}]\n"
#define ANSWERS "acknowledgement: {smtp: {host: smtp.example.org}, from: help@example.org}\n"
#define SILENT  "acknowledgement: {enabled: false}\n"
#define WHOLE   TOP MAILBOX ANSWERS /* three lines */

static struct config *load(const char *text, struct str *problems)
{
    CLEANUP(problems_clear) struct problems found = {NULL, 0};
    struct config *config = reading_config(FILE_NAME, slice_z(text), "", &found);

    problems_print(&found, "f", problems);
    return config;
}

static struct config *load_good(const char *text)
{
    CLEANUP(str_clear) struct str problems = STR_INIT;
    struct config *config = load(text, &problems);

    if (config == NULL)
        fail_msg("%s", str_z(&problems));
    assert_string_equal(str_z(&problems), "");
    return config;
}

static void assert_problems(const char *text, const char *expected)
{
    CLEANUP(str_clear) struct str problems = STR_INIT;
    CLEANUP(config_free) struct config *config = load(text, &problems);

    assert_string_equal(str_z(&problems), expected);
    assert_null(config);
}

/* What is wrong, and where */

struct wrong {
    const char *name;
    const char *text;
    const char *problems;
};

static void assert_all(const struct wrong *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        print_message("    %s\n", rows[i].name);
        assert_problems(rows[i].text, rows[i].problems);
    }
}

static void what_is_no_plain_yaml_is_refused_at_its_place(void **state)
{
    static const struct wrong rows[] = {
        {"nothing", "",
         "f:1:1: the file is empty: expected settings, such as \"data_dir: /var/lib/onecase\"\n"},
        {"only a comment", "# nothing\n",
         "f:1:1: the file is empty: expected settings, such as \"data_dir: /var/lib/onecase\"\n"},
        {"a list", "\n- data_dir: /d\n",
         "f:2:1: not settings: expected settings, such as \"data_dir: /var/lib/onecase\"\n"},
        {"a bracket left open", "staff: [a@example.org\n",
         "f:2:1: not YAML: did not find expected ',' or ']' while parsing a flow sequence\n"},
        {"a tab", "disk:\n\treserve: 1GB\n",
         "f:2:1: not YAML: found character that cannot start any token while scanning for the "
         "next token\n"},
        {"two colons", "name: a: b\n",
         "f:1:8: not YAML: mapping values are not allowed in this context\n"},
        {"Latin-1", "name: x\nowner: J\xfcrg\n",
         "f:2:9: not a text in UTF-8 without control characters\n"},
        {"a control character", "name: \x1b[31m\n",
         "f:1:7: not a text in UTF-8 without control characters\n"},
        {"an alias", "name: *n\n",
         "f:1:7: aliases (*name) are not used here: write the value where it belongs\n"},
        {"an anchor and a tag", WHOLE "name: &n x\nowner: !!str y\n",
         "f:4:7: anchors (&name) are not used here: write each value where it belongs\n"
         "f:5:8: tags (!name) are not used here: write the value alone\n"},
        {"an anchored block", WHOLE "disk: &d {reserve: 1GB}\n",
         "f:4:7: anchors (&name) are not used here: write each value where it belongs\n"},
        {"a key twice", WHOLE "name: a\ndisk: {reserve: 1GB, reserve: 2GB}\nname: b\n",
         "f:5:22: \"reserve\" is here twice: keep one of them\n"
         "f:6:1: \"name\" is here twice: keep one of them\n"},
        {"a list as a key", "? [a]\n: b\n",
         "f:1:3: a key must be one of the words that are settings\n"},
        {"a second document", WHOLE "---\nname: x\n",
         "f:4:1: a second document begins: there may be one\n"},
        {"seventeen levels", "staff: [[[[[[[[[[[[[[[[a]]]]]]]]]]]]]]]]\n",
         "f:1:23: more than 16 levels of blocks and lists\n"},
    };

    (void)state;
    assert_all(rows, LENGTH(rows));
}

static void a_hostile_file_is_bounded_before_anything_grows_with_it(void **state)
{
    CLEANUP(str_clear) struct str entries = STR_INIT;
    CLEANUP(str_clear) struct str keys = STR_INIT;

    (void)state;
    str_addz(&entries, "threading: {staff: [");
    while (entries.len < 100000)
        str_addz(&entries, "a,");
    assert_problems(str_z(&entries), "f:1:40011: more than 20000 entries in the file\n");
    for (int i = 0; i < 300; i++)
        str_addf(&keys, "k%d: x\n", i);
    assert_problems(str_z(&keys), "f:257:1: more than 256 keys in one block\n");
}

static void keys_that_are_none_are_told_with_what_was_meant(void **state)
{
    static const struct wrong rows[] = {
        {"a letter wrong", WHOLE "lesae: 5m\n",
         "f:4:1: unknown key \"lesae\": did you mean \"lease\"?\n"},
        {"in a block", WHOLE "retry: {first_dealy: 5s}\n",
         "f:4:9: unknown key \"first_dealy\" in retry: did you mean \"first_delay\"?\n"},
        {"nothing like it", WHOLE "disk: {size: 5}\n",
         "f:4:8: unknown key \"size\" in disk: expected one of reserve\n"},
        {"a merge key", WHOLE "copies:\n  <<: {list: propose}\n",
         "f:5:3: unknown key \"<<\" in copies: expected one of list, gateway\n"},
        {"in one mailbox of several",
         TOP SILENT "mailboxes:\n"
                    "  - {id: a, imap: {host: h, username: u, password: p}}\n"
                    "  - id: b\n"
                    "    imap:\n"
                    "      host: h\n"
                    "      user: b\n"
                    "      username: v\n"
                    "      password: p\n"
                    "    folder: {}\n",
         "f:8:7: unknown key \"user\" in mailboxes.imap: expected one of host, port, security, "
         "allow_plaintext, ca_file, proxy, username, password, password_file, auth, timeout\n"
         "f:11:5: unknown key \"folder\" in mailboxes: did you mean \"folders\"?\n"},
        {"a line end in it", WHOLE "\"na\\nme\": x\n",
         "f:4:1: unknown key \"na?me\": did you mean \"name\"?\n"},
    };

    (void)state;
    assert_all(rows, LENGTH(rows));
}

static void values_are_held_to_their_type_and_range(void **state)
{
    static const struct wrong rows[] = {
        {"a port that is none",
         TOP SILENT
         "mailboxes: [{id: a, imap: {host: h, port: 70000, username: u, password: p}}]\n",
         "f:3:43: mailboxes.imap.port: \"70000\" is not a number from 1 to 65535\n"},
        {"too short a duration", WHOLE "lease: 10ms\n",
         "f:4:8: lease: \"10ms\" is not a duration from 1s to 1d, such as 90s, 15m, 1h or 7d\n"},
        {"a duration without a unit", WHOLE "lease: 300\n",
         "f:4:8: lease: \"300\" is not a duration from 1s to 1d, such as 90s, 15m, 1h or 7d\n"},
        {"a size", WHOLE "disk: {reserve: 1 GB}\n",
         "f:4:17: disk.reserve: \"1 GB\" is not a size from 0B to 64TB, such as 500KB, 50MB or "
         "1GB\n"},
        {"a size beyond all bounds", WHOLE "disk: {reserve: 9999999999999999999TB}\n",
         "f:4:17: disk.reserve: \"9999999999999999999TB\" is not a size from 0B to 64TB, such as "
         "500KB, 50MB or 1GB\n"},
        {"a limit", WHOLE "case: {per_sender_limit: 30/hour}\n",
         "f:4:26: case.per_sender_limit: \"30/hour\" is not a limit such as 10/1h (at most 10 in "
         "an "
         "hour), or 0 for none\n"},
        {"a choice", WHOLE "threading:\n  closed: open\n",
         "f:5:11: threading.closed: \"open\" is not one of reopen, new-case\n"},
        {"a choice of one", WHOLE "threading: {strangers: append}\n",
         "f:4:24: threading.strangers: \"append\" is not new-case\n"},
        {"a flag", TOP MAILBOX "acknowledgement: {enabled: yes, smtp: {host: h}, from: a@b}\n",
         "f:3:28: acknowledgement.enabled: \"yes\" is not true or false\n"},
        {"an address", WHOLE "threading: {staff: [anna@example.org, bert]}\n",
         "f:4:39: threading.staff: this is not an address such as help@example.org, or a pattern "
         "such as "
         "*@example.org\n"},
        {"a list where one value belongs", WHOLE "name: [a]\n",
         "f:4:7: name: expected a text of 1 to 64 octets on one line, not a list\n"},
        {"one value where a list belongs", WHOLE "threading: {staff: anna@example.org}\n",
         "f:4:20: threading.staff: expected a list in [ ], each of it an address such as "
         "help@example.org, or a pattern such as *@example.org, not a single value\n"},
        {"one value where a block belongs", WHOLE "disk: 1GB\n",
         "f:4:7: disk: expected a block of settings, not a single value\n"},
        {"nothing where something belongs", WHOLE "lease:\nowner: ~\ndisk:\n",
         "f:4:7: lease: expected a duration from 1s to 1d, such as 90s, 15m, 1h or 7d, not "
         "nothing\n"
         "f:5:8: owner: expected a text of 0 to 128 octets on one line, not nothing\n"
         "f:6:6: disk: expected a block of settings, not nothing\n"},
        {"a time zone", WHOLE "timezone: Mars/Olympus\n",
         "f:4:11: timezone: \"Mars/Olympus\" is no time zone of this machine (see "
         "/usr/share/zoneinfo)\n"},
        {"a time zone that climbs", WHOLE "timezone: ../../../etc/passwd\n",
         "f:4:11: timezone: \"../../../etc/passwd\" is no time zone of this machine (see "
         "/usr/share/zoneinfo)\n"},
        {"a prefix", WHOLE "case: {reference_prefix: \"[HD] \"}\n",
         "f:4:26: case.reference_prefix: \"[HD] \" is not up to 12 of A-Z, a-z, 0-9, \"-\", \"_\", "
         "\".\" "
         "and \"#\"\n"},
        {"a ledger", WHOLE "ledger: mysql://root:secret@db/onecase\n",
         "f:4:9: ledger: this is not sqlite, or postgresql://USER@HOST/DATABASE\n"},
        {"an address to listen at", WHOLE "console: {listen: 8025}\n",
         "f:4:19: console.listen: \"8025\" is not address and port, such as 127.0.0.1:8025, "
         "[::1]:8025, or \"\"\n"},
        {"two lines in one value", WHOLE "owner: |\n  a\n  b\n",
         "f:4:8: owner: this is not a text of 0 to 128 octets on one line\n"},
    };

    (void)state;
    assert_all(rows, LENGTH(rows));
}

static void what_must_be_given_is_missed(void **state)
{
    static const struct wrong rows[] = {
        {"everything", "name: x\n",
         "f:1:1: data_dir is missing: expected the path of a folder\n"
         "f:1:1: mailboxes is missing: expected a list of 1 to 1000 blocks of settings\n"},
        {"the parts of a mailbox",
         TOP "acknowledgement: {enabled: false}\nmailboxes:\n  - addresses: []\n",
         "f:4:5: a secret is missing: expected one of password, password_file, and auth with a "
         "token\n"
         "f:4:5: mailboxes.id is missing: expected a name of up to 64 of a-z, 0-9, \".\", \"_\" "
         "and \"-\" that "
         "begins with a letter or digit\n"
         "f:4:5: mailboxes.imap.host is missing: expected a host name or an address\n"
         "f:4:5: mailboxes.imap.username is missing: expected a text of 1 to 320 octets on one "
         "line\n"},
        {"the server and sender of acknowledgements", TOP MAILBOX,
         "f:1:1: acknowledgement.from is missing: expected the address that acknowledgements come "
         "from, or enabled: false\n"
         "f:1:1: acknowledgement.smtp.host is missing: expected the mail server that "
         "acknowledgements leave by, or enabled: false\n"},
        {"for one mailbox of two",
         TOP SILENT
         "mailboxes:\n"
         "  - {id: a, imap: {host: h, username: u, password: p}}\n"
         "  - {id: b, imap: {host: i, username: u, password: p}, acknowledgement: {enabled: true,\n"
         "     smtp: {host: s}}}\n",
         "f:5:73: acknowledgement.from is missing: expected the address that acknowledgements come "
         "from, or enabled: false\n"},
        {"no mailbox", TOP SILENT "mailboxes: []\n",
         "f:3:12: mailboxes: expected a list of 1 to 1000 blocks of settings, not of 0\n"},
    };

    (void)state;
    assert_all(rows, LENGTH(rows));
}

#define DESK(more)                                                                                 \
    WHOLE "destinations:\n  - {name: desk, url: \"https://desk.example.org\", " more               \
          "create: {method: POST, path: /}}\n"
#define ONE(imap) TOP SILENT "mailboxes:\n  - id: help\n    imap: {" imap "}\n"

static void secrets_are_given_once_and_never_shown(void **state)
{
    static const struct wrong rows[] = {
        {"none", ONE("host: h, username: u"),
         "f:5:31: a secret is missing: expected one of password, password_file, and auth with a "
         "token\n"},
        {"two", ONE("host: h, username: u, password: a, password_file: /dev/null"),
         "f:5:62: \"/dev/null\" holds no secret: expected one line and nothing else\n"
         "f:5:62: one secret too many: expected one of password, password_file, and auth with a "
         "token\n"},
        {"a file that is missing", ONE("host: h, username: u, password_file: /nonexistent/secret"),
         "f:5:49: mailboxes.imap.password_file: \"/nonexistent/secret\" cannot be read: No such "
         "file "
         "or directory\n"},
        {"an empty password", ONE("host: h, username: u, password: \"\""),
         "f:5:44: mailboxes.imap.password: this is not a text of 1 to 512 octets on one line\n"},
        {"a password of two lines", ONE("host: h, username: u, password: \"secret\\nline\""),
         "f:5:44: mailboxes.imap.password: this is not a text of 1 to 512 octets on one line\n"},
        {"a password that is a list", ONE("host: h, username: u, password: [secret]"),
         "f:5:44: mailboxes.imap.password: expected a text of 1 to 512 octets on one line, not a "
         "list\n"},
        {"a token from nowhere", ONE("host: h, username: u, auth: {method: xoauth2}"),
         "f:5:40: auth: expected one of token_file, token_command and token_url\n"},
        {"a token without a method", ONE("host: h, username: u, auth: {token_command: x}"),
         "f:5:40: mailboxes.imap.auth.method is missing: expected one of password, "
         "scram-sha-256, scram-sha-1, cram-md5, plain, login, xoauth2, oauthbearer\n"},
        {"half of a client",
         ONE("host: h, username: u, auth: {method: xoauth2, token_url: https://x, client_id: a}"),
         "f:5:40: token_url: expected client_id with client_secret_file or refresh_token_file, or "
         "key_file\n"},
        {"a client and a key",
         ONE("host: h, username: u, auth: {method: xoauth2, token_url: https://x, client_id: a, "
             "key_file: /dev/null}"),
         "f:5:104: key_file: expected it alone, or client_id with client_secret_file or "
         "refresh_token_file\n"},
        {"a token with a password's method",
         ONE("host: h, username: u, password: p, auth: {method: plain, token_file: /dev/null}"),
         "f:5:62: auth: a token is shown by method xoauth2 or oauthbearer\n"},
        {"a method without its password", ONE("host: h, username: u, auth: {method: plain}"),
         "f:5:31: a secret is missing: expected one of password, password_file, and auth with a "
         "token\n"},
        {"a token and a password",
         ONE("host: h, username: u, password: p, auth: {method: xoauth2, token_file: /dev/null}"),
         "f:5:53: one secret too many: expected one of password, password_file, and auth with a "
         "token\n"},
        {"a date that is none",
         ONE("host: h, username: u, password: p, auth: {method: plain, expires: 2027-13-01}"),
         "f:5:78: mailboxes.imap.auth.expires: \"2027-13-01\" is not a date such as 2027-06-30\n"},
        {"a token in clear",
         ONE("host: h, username: u, auth: {method: oauthbearer, token_url: http://x, client_id: a, "
             "client_secret_file: /etc/hostname}"),
         "f:5:73: token_url: expected a URL that begins with https://\n"},
        {"a user of SMTP without a secret",
         TOP MAILBOX "acknowledgement: {from: a@b, smtp: {host: s, username: u}}\n",
         "f:3:56: a secret is missing: expected one of password, password_file, and auth with a "
         "token\n"},
        {"a secret of SMTP without a user",
         TOP MAILBOX "acknowledgement: {from: a@b, smtp: {host: s, password: u}}\n",
         "f:3:56: a secret without a username: expected both or none\n"},
    };

    (void)state;
    assert_all(rows, LENGTH(rows));
}

static void plain_text_never_leaves_this_machine_unasked(void **state)
{
    static const struct wrong rows[] = {
        {"IMAP", ONE("host: imap.example.org, username: u, password: p, security: none"),
         "f:5:72: security: none is for this machine alone (localhost, 127.0.0.1, ::1): expected "
         "tls "
         "or starttls, or allow_plaintext: true\n"},
        {"a name that only looks local",
         ONE("host: 127.example.org, username: u, password: p, security: none"),
         "f:5:71: security: none is for this machine alone (localhost, 127.0.0.1, ::1): expected "
         "tls "
         "or starttls, or allow_plaintext: true\n"},
        {"SMTP", TOP MAILBOX "acknowledgement: {from: a@b, smtp: {host: s, security: none}}\n",
         "f:3:56: security: none is for this machine alone (localhost, 127.0.0.1, ::1): expected "
         "tls "
         "or starttls, or allow_plaintext: true\n"},
    };
    static const char *const good[] = {
        ONE("host: localhost, username: u, password: p, security: none"),
        ONE("host: 127.0.0.1, username: u, password: p, security: none"),
        ONE("host: \"::1\", username: u, password: p, security: none"),
        ONE("host: mail.localhost, username: u, password: p, security: none"),
        ONE("host: imap.example.org, username: u, password: p, security: none, allow_plaintext: "
            "true"),
    };

    (void)state;
    assert_all(rows, LENGTH(rows));
    for (size_t i = 0; i < LENGTH(good); i++) {
        CLEANUP(config_free) struct config *config = load_good(good[i]);

        assert_int_equal(config->mailboxes.at[0].imap.security, CONFIG_PLAINTEXT);
    }
}

#define TWO(a, b)                                                                                  \
    TOP SILENT "mailboxes:\n"                                                                      \
               "  - {id: a, imap: {host: h, username: u, password: p}" a "}\n"                     \
               "  - {id: " b "}\n"
#define SAME_ACCOUNT ", imap: {host: H, username: u, password: p}"

static void mailboxes_do_not_get_into_each_others_way(void **state)
{
    static const struct wrong rows[] = {
        {"an id twice", TWO("", "a, imap: {host: i, username: u, password: p}"),
         "f:5:10: the id \"a\" is taken by another mailbox: expected one of its own\n"},
        {"an inbox twice", TWO("", "b" SAME_ACCOUNT),
         "f:5:5: mailbox \"a\" watches the same inbox of the same account\n"},
        {"an inbox twice in other letters", TWO("", "b" SAME_ACCOUNT ", folders: {inbox: Inbox}"),
         "f:5:73: mailbox \"a\" watches the same inbox of the same account\n"},
        {"filing into its own inbox",
         TWO(", folders: {inbox: Desk, processed: Desk}", "b" SAME_ACCOUNT),
         "f:4:90: \"Desk\" is the watched inbox of mailbox \"a\": expected another folder, or what "
         "is "
         "filed would be taken in again\n"},
        {"filing into another's inbox",
         TWO("", "b" SAME_ACCOUNT ", folders: {inbox: Processed, processed: Done}"),
         "f:4:5: \"Processed\" is the watched inbox of mailbox \"b\": expected another folder, or "
         "what "
         "is filed would be taken in again\n"},
        {"the claim in an inbox",
         TWO(", folders: {claim: inbox}", "b, imap: {host: i, username: u, password: p}"),
         "f:4:73: \"inbox\" is the watched inbox of mailbox \"a\": expected another folder, or "
         "what is "
         "filed would be taken in again\n"},
        {"an id from before that is in use",
         TWO("", "b, previously: a, imap: {host: i, username: u, password: p}"),
         "f:5:25: previously: \"a\" is a mailbox of today: expected an id that is used no more\n"},
    };

    (void)state;
    assert_all(rows, LENGTH(rows));
}

static void settings_that_contradict_each_other_are_told(void **state)
{
    static const struct wrong rows[] = {
        {"delays", WHOLE "retry: {max_delay: 1s}\n",
         "f:4:20: retry.max_delay is shorter than retry.first_delay: expected at least as long\n"},
        {"a destination that is none", WHOLE "case: {destination: jira}\n",
         "f:4:21: destination: expected ledger, or the name of one of `destinations`\n"},
        {"a destination nobody can ask", DESK(""),
         "f:5:5: guarantee: none without find: where nobody knows whether a case was made only a "
         "person can tell; expected unknown: reconcile, or find, or another guarantee\n"},
        {"an object store and nothing about it", WHOLE "blobs: s3://mail/x\n",
         "f:4:8: blobs: s3://… needs the block s3: expected it with endpoint, region, access_key "
         "and secret_key or secret_key_file\n"},
        {"an object store over a plain wire",
         WHOLE "blobs: s3://mail/x\ns3: {endpoint: \"http://s3.example.org\", access_key: a, "
               "secret_key: b}\n",
         "f:5:16: endpoint: http:// is for this machine alone (localhost, 127.0.0.1): expected "
         "https://\n"},
        {"an object store without a secret",
         WHOLE "blobs: s3://mail/x\ns3: {endpoint: \"https://s3.example.org\", access_key: a}\n",
         "f:5:5: expected one of secret_key and secret_key_file\n"},
        {"an object store whose address holds a secret",
         WHOLE "blobs: s3://mail/x\ns3: {endpoint: \"https://a:b@s3.example.org\", access_key: a, "
               "secret_key: b}\n",
         "f:5:16: endpoint: expected a URL such as https://s3.example.org\n"},
        {"a bucket that none may have", WHOLE "blobs: s3://Mail\n",
         "f:4:8: blobs: \"s3://Mail\" is not file, or s3://BUCKET/PREFIX, of a-z, 0-9, \".\" and "
         "\"-\", in "
         "PREFIX also A-Z, \"_\", \"~\" and \"/\"\n"},
        {"a prefix that leads elsewhere", WHOLE "blobs: s3://mail/a/../b\n",
         "f:4:8: blobs: \"s3://mail/a/../b\" is not file, or s3://BUCKET/PREFIX, of a-z, 0-9, "
         "\".\" and \"-\", in "
         "PREFIX also A-Z, \"_\", \"~\" and \"/\"\n"},
        {"a destination over a plain wire",
         WHOLE
         "destinations:\n  - {name: desk, url: \"http://desk.example.org\", unknown: reconcile,"
         " create: {method: POST, path: /}}\n",
         "f:5:23: url: http:// is for this machine alone (localhost, 127.0.0.1): expected "
         "https://\n"},
        {"a destination without a URL",
         WHOLE "destinations:\n  - {name: desk, url: \"desk.example.org\", unknown: reconcile,"
               " create: {method: POST, path: /}}\n",
         "f:5:23: url: expected a URL that begins with https://\n"},
        {"a destination with half a sign-in", DESK("unknown: reconcile, username: u, "),
         "f:5:81: expected one of username with password or password_file, authorization, "
         "authorization_file and oauth\n"},
        {"a method",
         WHOLE "destinations:\n  - {name: desk, url: \"https://d\", unknown: reconcile,"
               " create: {method: post, path: /}}\n",
         "f:5:73: destinations.create.method: \"post\" is not GET, POST, PUT, PATCH or DELETE\n"},
        {"a proxy", ONE("host: h, username: u, password: p, proxy: proxy.example.org:1080"),
         "f:5:54: proxy: expected a URL that begins with http://, https://, socks4://, socks4a://, "
         "socks5:// or socks5h://\n"},
        {"a rule without a number", WHOLE "key_rules:\n  - {from: a@b, namespace: n}\n",
         "f:5:5: a key rule says where the number is: expected one of header, subject and use: "
         "digest\n"},
        {"a rule with two",
         WHOLE "key_rules:\n  - {from: a@b, namespace: n, header: X-A, subject: (a)}\n",
         "f:5:5: a key rule says where the number is: expected one of header, subject and use: "
         "digest\n"},
        {"a rule without a namespace", WHOLE "key_rules:\n  - {from: a@b, header: X-A}\n",
         "f:5:5: namespace is missing: expected a name for these numbers, such as \"orders\"\n"},
        {"a rule that trusts a server without a name",
         WHOLE "key_rules:\n  - {from: a@b, namespace: n, header: X-A, require: dmarc-pass}\n",
         "f:5:53: require needs authentication.authserv_id: expected the name that your mail "
         "server "
         "writes into its Authentication-Results fields\n"},
        {"a requirement that is none",
         WHOLE "key_rules:\n  - {from: a@b, use: digest, require: dkim}\n",
         "f:5:39: key_rules.require: \"dkim\" is not one of none, dmarc-pass\n"},
        {"a server without a name", WHOLE "authentication: {hops: 2, skip_on_fail: true}\n",
         "f:4:41: skip_on_fail needs authserv_id: expected the name that your mail server writes "
         "into "
         "its Authentication-Results fields\n"},
        {"no hop at all", WHOLE "authentication: {authserv_id: a, hops: 0}\n",
         "f:4:40: authentication.hops: \"0\" is not a number from 1 to 100\n"},
        {"a pattern that is none",
         WHOLE "key_rules:\n  - {from: a@b, namespace: n, subject: \"a(\"}\n",
         "f:5:40: key_rules.subject: \"a(\" is no extended regular expression: Unmatched ( or "
         "\\(\n"},
        {"a pattern that refers back",
         WHOLE "key_rules:\n  - {from: a@b, namespace: n, subject: '(a*)\\1'}\n",
         "f:5:40: key_rules.subject: \"(a*)\\1\" refers back to a group, which may take for "
         "ever\n"},
        {"a pattern of repetitions within repetitions",
         WHOLE "key_rules:\n  - {from: a@b, namespace: n, subject: '(.{0,200}){0,20}'}\n",
         "f:5:40: key_rules.subject: \"(.{0,200}){0,20}\" repeats by numbers more than 1000 times, "
         "which may take for ever\n"},
        {"a pattern without a group",
         WHOLE "key_rules:\n  - {from: a@b, namespace: n, subject: \"Order [0-9]+\"}\n",
         "f:5:40: key_rules.subject: \"Order [0-9]+\" has no ( ) around the number\n"},
    };

    (void)state;
    assert_all(rows, LENGTH(rows));
}

/* What is read */

static void what_is_not_said_has_its_default(void **state)
{
    CLEANUP(config_free) struct config *c = load_good(WHOLE);
    const struct config_mailbox *m = config_find_mailbox(c, "help");
    const struct config_acknowledgement *a = &m->acknowledgement;

    (void)state;
    assert_string_equal(c->path, FILE_NAME);
    assert_true(c->name[0] != '\0');
    assert_string_equal(c->environment, "production");
    assert_string_equal(c->ledger, "sqlite");
    assert_string_equal(c->blobs, "file");
    assert_int_equal(c->mailboxes.count, 1);
    assert_int_equal(m->mode, CONFIG_ACTIVE);
    assert_int_equal(m->imap.port, 993);
    assert_int_equal(m->imap.security, CONFIG_TLS);
    assert_int_equal(m->imap.method, CONFIG_PASSWORD);
    assert_int_equal(m->imap.timeout_ms, 60000);
    assert_string_equal(m->folders.inbox, "INBOX");
    assert_string_equal(m->folders.processed, "Processed");
    assert_string_equal(m->folders.duplicates, "Processed");
    assert_string_equal(m->folders.unprocessable, "");
    assert_string_equal(m->folders.claim, "onecase");
    assert_int_equal(m->first_import_recent_ms, 3600000);
    assert_int_equal(m->poll_interval_ms, 60000);
    assert_int_equal(m->idle_interval_ms, 4 * 60000);
    assert_int_equal(m->max_message_size, 50 * 1024 * 1024);
    assert_true(a->enabled);
    assert_int_equal(a->smtp.port, 587);
    assert_int_equal(a->smtp.security, CONFIG_STARTTLS);
    assert_int_equal(a->smtp.method, CONFIG_NO_SIGN_IN);
    assert_int_equal(a->smtp.timeout_ms, 60000);
    assert_string_equal(a->envelope_from, "help@example.org");
    assert_string_equal(a->templates[COMPLETION_ACCEPTED], "acknowledgement.txt");
    assert_string_equal(a->templates[COMPLETION_ACCEPTED_WITH_EXCEPTIONS], "acknowledgement.txt");
    assert_string_equal(a->templates[COMPLETION_APPENDED], "");
    assert_string_equal(a->templates[COMPLETION_CLOSED], "");
    assert_int_equal(a->connections, 2);
    assert_int_equal(a->rate, 0);
    assert_int_equal(a->final_timeout_ms, 600000);
    assert_string_equal(a->evidence.folder, "");
    assert_int_equal(a->evidence.wait_ms, 900000);
    assert_int_equal(a->per_recipient_limit.count, 10);
    assert_int_equal(a->total_limit.count, 3000);
    assert_int_equal(a->total_limit.window_ms, 3600000);
    assert_int_equal(a->max_age_ms, 7 * 86400000);
    assert_string_equal(c->reference_prefix, "HD-");
    assert_int_equal(c->per_sender_limit.count, 30);
    assert_int_equal(c->attachment_max_size, 25 * 1024 * 1024);
    assert_int_equal(c->list_copies, COPY_DUPLICATE);
    assert_int_equal(c->gateway_copies, COPY_PROPOSE);
    assert_int_equal(c->closed, CONFIG_REOPEN);
    assert_int_equal(c->first_delay_ms, 5000);
    assert_int_equal(c->max_delay_ms, 900000);
    assert_int_equal(c->give_up_after_ms, 172800000);
    assert_int_equal(c->lease_ms, 300000);
    assert_int_equal(c->stop_timeout_ms, 90000);
    assert_int_equal(c->disk_reserve, 1024 * 1024 * 1024);
    assert_string_equal(c->listen, "127.0.0.1:8025");
    assert_null(config_find_mailbox(c, "other"));
}

static void a_port_that_is_not_said_follows_security(void **state)
{
    static const struct {
        const char *name;
        const char *security;
        unsigned imap, smtp;
    } rows[] = {
        {"TLS from the first octet", "tls", 993, 465},
        {"STARTTLS", "starttls", 143, 587},
        {"none", "none", 143, 25},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str text = STR_INIT;

        str_addf(&text,
                 TOP
                 "mailboxes: [{id: a, imap: {host: localhost, username: u, password: p, security: "
                 "%s}}]\n"
                 "acknowledgement: {from: a@b, smtp: {host: localhost, security: %s}}\n",
                 row->security, row->security);
        CLEANUP(config_free) struct config *c = load_good(str_z(&text));

        assert_int_equal(c->mailboxes.at[0].imap.port, row->imap);
        assert_int_equal(c->mailboxes.at[0].acknowledgement.smtp.port, row->smtp);
    }
}

static void everything_that_is_said_lands_in_its_place(void **state)
{
    CLEANUP(config_free)
    struct config *c = load_good(
        "name: desk\nenvironment: test\nowner: Ägidius\ntimezone: UTC\ndata_dir: data\n"
        "ledger: postgresql://u:p@h/onecase\nblobs: s3://bucket/x\n"
        "s3: {endpoint: \"https://s3.example.org\", region: eu-1, path_style: false, access_key: "
        "k,\n"
        "  secret_key: s, timeout: 9s, part_size: 5MB}\n"
        "mailboxes:\n"
        "  - id: a.b_c-1\n"
        "    mode: look-only\n"
        "    previously: old\n"
        "    imap: {host: h, port: 1993, username: a b, timeout: 5s, proxy: \"socks5h://p:1\",\n"
        "           auth: {method: oauthbearer, token_command: get-token}}\n"
        "    addresses: [Desk@Example.ORG]\n"
        "    folders: {inbox: In, processed: Done, unprocessable: Bad, claim: claim}\n"
        "    first_import: {recent: 2d}\n"
        "    poll_interval: 250ms\n"
        "    idle_interval: 9m\n"
        "    max_message_size: 12345\n"
        "acknowledgement:\n"
        "  smtp: {host: s}\n"
        "  from: \"\\\"Desk, Service\\\" <Help@Example.org>\"\n"
        "  envelope_from: <>\n"
        "  templates: {accepted: a.txt, accepted_with_exceptions: \"\", appended: b.txt, closed: "
        "c.txt}\n"
        "  connections: 7\n  rate: 30\n  final_timeout: 1m\n"
        "  evidence: {folder: Sent, copy_to: Proof@example.org, wait: 0s}\n"
        "  per_recipient_limit: 0\n  total_limit: 5/30s\n  max_age: 1d\n  own_lists: "
        "[Desk.Example.Org]\n"
        "case: {reference_prefix: \"#\", per_sender_limit: 1/1d}\n"
        "attachments: {max_size: 1KB, refuse_types: [Application/X-MSDownload, video/*]}\n"
        "key_rules:\n"
        "  - {namespace: portal, from: \"*@Portal.example.org\", header: X-Request-Id}\n"
        "  - {namespace: orders, from: erp@supplier.example, subject: \"Order ([A-Z]+-[0-9]+)\"}\n"
        "  - {from: printer@example.org, use: digest, require: dmarc-pass}\n"
        "authentication: {authserv_id: MX.Example.org, hops: 3, placed: below, skip_on_fail: "
        "true}\n"
        "copies: {list: propose, gateway: conflict}\n"
        "threading: {strangers: new-case, closed: new-case, staff: [\"*@Staff.example.org\"]}\n"
        "retry: {first_delay: 1s, max_delay: 1m, give_up_after: 1h}\n"
        "lease: 30s\nstop_timeout: 0s\ndisk: {reserve: 0}\nconsole: {listen: \"\"}\n");
    const struct config_mailbox *m = &c->mailboxes.at[0];
    const struct config_acknowledgement *a = &m->acknowledgement;
    const struct config_key_rule *rule = c->key_rules.at;

    (void)state;
    assert_string_equal(c->name, "desk");
    assert_string_equal(c->owner, "Ägidius");
    assert_string_equal(c->data_dir, "/etc/onecase/data");
    assert_string_equal(c->ledger, "postgresql://u:p@h/onecase");
    assert_string_equal(c->s3.endpoint, "https://s3.example.org");
    assert_string_equal(c->s3.region, "eu-1");
    assert_false(c->s3.path_style);
    assert_string_equal(c->s3.access_key, "k");
    assert_string_equal(c->s3.secret_key, "s");
    assert_int_equal(c->s3.timeout_ms, 9000);
    assert_int_equal(c->s3.part_size, 5 << 20);
    assert_string_equal(m->id, "a.b_c-1");
    assert_int_equal(m->mode, CONFIG_LOOK_ONLY);
    assert_string_equal(m->previously, "old");
    assert_int_equal(m->imap.port, 1993);
    assert_int_equal(m->imap.method, CONFIG_OAUTHBEARER);
    assert_string_equal(m->imap.auth.token_command, "get-token");
    assert_string_equal(m->imap.proxy, "socks5h://p:1");
    assert_int_equal(m->imap.timeout_ms, 5000);
    assert_string_equal(m->folders.duplicates, "Done");
    assert_string_equal(m->folders.unprocessable, "Bad");
    assert_int_equal(m->first_import_recent_ms, 2 * 86400000);
    assert_int_equal(m->poll_interval_ms, 250);
    assert_int_equal(m->idle_interval_ms, 9 * 60000);
    assert_int_equal(m->max_message_size, 12345);
    assert_string_equal(a->from_name, "Desk, Service");
    assert_string_equal(a->from_address, "Help@Example.org");
    assert_string_equal(a->envelope_from, "<>");
    assert_string_equal(a->templates[COMPLETION_ACCEPTED_WITH_EXCEPTIONS], "");
    assert_string_equal(a->templates[COMPLETION_CLOSED], "c.txt");
    assert_int_equal(a->connections, 7);
    assert_int_equal(a->rate, 30);
    assert_string_equal(a->evidence.copy_to, "proof@example.org");
    assert_int_equal(a->evidence.wait_ms, 0);
    assert_int_equal(a->per_recipient_limit.count, 0);
    assert_int_equal(a->total_limit.count, 5);
    assert_int_equal(a->total_limit.window_ms, 30000);
    assert_string_equal(a->own_lists.at[0], "desk.example.org");
    assert_int_equal(m->own_addresses.count, 2);
    assert_string_equal(m->own_addresses.at[0], "desk@example.org");
    assert_string_equal(m->own_addresses.at[1], "help@example.org");
    assert_int_equal(c->refuse_types.count, 2);
    assert_string_equal(c->refuse_types.at[0], "application/x-msdownload");
    assert_int_equal(c->key_rules.count, 3);
    assert_string_equal(rule[0].from, "*@portal.example.org");
    assert_string_equal(rule[0].header, "X-Request-Id");
    assert_string_equal(rule[1].space, "orders");
    assert_string_equal(rule[1].subject, "Order ([A-Z]+-[0-9]+)");
    assert_int_equal(rule[1].require, CONFIG_REQUIRE_NONE);
    assert_int_equal(rule[2].use, CONFIG_USE_DIGEST);
    assert_int_equal(rule[2].require, CONFIG_REQUIRE_DMARC_PASS);
    assert_string_equal(c->authentication.authserv_id, "mx.example.org");
    assert_int_equal(c->list_copies, COPY_PROPOSE);
    assert_int_equal(c->gateway_copies, COPY_CONFLICT);
    assert_int_equal(c->closed, CONFIG_NEW_CASE);
    assert_string_equal(c->staff.at[0], "*@staff.example.org");
    assert_int_equal(c->disk_reserve, 0);
    assert_string_equal(c->listen, "");
}

static void a_mailbox_takes_over_what_it_does_not_say_of_acknowledgements(void **state)
{
    CLEANUP(config_free)
    struct config *c =
        load_good(TOP "mailboxes:\n"
                      "  - {id: a, imap: {host: h, username: u, password: p}}\n"
                      "  - {id: b, imap: {host: i, username: u, password: p},\n"
                      "     acknowledgement: {from: b@example.org, templates: {appended: b.txt}, "
                      "smtp: {username: v, "
                      "auth: {method: xoauth2, token_command: t}}}}\n"
                      "  - {id: c, imap: {host: j, username: c@example.org, password: p}, "
                      "acknowledgement: {enabled: "
                      "false}}\n"
                      "acknowledgement:\n"
                      "  from: Desk <a@example.org>\n"
                      "  rate: 9\n"
                      "  smtp: {host: s, port: 26, username: w, password: q, security: tls}\n"
                      "  templates: {closed: closed.txt}\n");
    const struct config_acknowledgement *a = &c->mailboxes.at[0].acknowledgement;
    const struct config_acknowledgement *b = &c->mailboxes.at[1].acknowledgement;

    (void)state;
    assert_string_equal(a->from_address, "a@example.org");
    assert_string_equal(a->smtp.password, "q");
    assert_int_equal(a->smtp.method, CONFIG_PASSWORD);
    assert_string_equal(b->from_address, "b@example.org");
    assert_string_equal(b->from_name, "");
    assert_string_equal(b->envelope_from, "b@example.org");
    assert_int_equal(b->rate, 9);
    assert_string_equal(b->templates[COMPLETION_ACCEPTED], "acknowledgement.txt");
    assert_string_equal(b->templates[COMPLETION_APPENDED], "b.txt");
    assert_string_equal(b->templates[COMPLETION_CLOSED], "closed.txt");
    assert_string_equal(b->smtp.host, "s");
    assert_int_equal(b->smtp.port, 26);
    assert_int_equal(b->smtp.security, CONFIG_TLS);
    assert_string_equal(b->smtp.username, "v");
    assert_string_equal(b->smtp.password, "");
    assert_int_equal(b->smtp.method, CONFIG_XOAUTH2);
    assert_false(c->mailboxes.at[2].acknowledgement.enabled);
    assert_string_equal(c->mailboxes.at[2].own_addresses.at[1], "c@example.org");
}

static void variables_stand_for_what_the_environment_holds(void **state)
{
    static const struct wrong rows[] = {
        {"one that is not set", WHOLE "owner: a ${ONECASE_NONE}\n",
         "f:4:8: owner: the environment variable ONECASE_NONE is not set\n"},
        {"one without a name", WHOLE "owner: a${}\n",
         "f:4:8: owner: \"${\" begins no variable: expected ${NAME}, or $${ for ${ itself\n"},
        {"one that does not end", WHOLE "owner: \"a${ONECASE_A\"\n",
         "f:4:8: owner: \"${\" begins no variable: expected ${NAME}, or $${ for ${ itself\n"},
        {"one of several lines", WHOLE "owner: ${ONECASE_LINES}\n",
         "f:4:8: owner: the environment variable ONECASE_LINES holds control characters, such as "
         "line "
         "ends\n"},
        {"one that holds what is not allowed, and is not shown", WHOLE "lease: ${ONECASE_A}\n",
         "f:4:8: lease: \"${ONECASE_A}\" is not a duration from 1s to 1d, such as 90s, 15m, 1h or "
         "7d\n"},
    };

    (void)state;
    setenv("ONECASE_A", "hidden ${ONECASE_A}", 1);
    setenv("ONECASE_LINES", "a\nb", 1);
    setenv("ONECASE_LEASE", "42s", 1);
    unsetenv("ONECASE_NONE");
    assert_all(rows, LENGTH(rows));

    CLEANUP(config_free)
    struct config *c =
        load_good(WHOLE "owner: a${ONECASE_A}$$${b$${c}$\nlease: ${ONECASE_LEASE}\n");

    assert_string_equal(c->owner, "ahidden ${ONECASE_A}$${b${c}$");
    assert_int_equal(c->lease_ms, 42000);
}

static void the_policy_of_a_mailbox_is_what_was_said(void **state)
{
    CLEANUP(config_free)
    struct config *c = load_good(WHOLE "threading: {closed: new-case, staff: [a@example.org]}\n"
                                       "case: {reference_prefix: X}\n");
    struct policy p;

    (void)state;
    config_policy(c, &c->mailboxes.at[0], &p);
    assert_string_equal(p.mailbox, "help");
    assert_string_equal(p.reference_prefix, "X");
    assert_false(p.look_only);
    assert_true(p.tells[COMPLETION_ACCEPTED]);
    assert_true(p.tells[COMPLETION_ACCEPTED_WITH_EXCEPTIONS]);
    assert_false(p.tells[COMPLETION_APPENDED]);
    assert_false(p.tells[COMPLETION_CLOSED]);
    assert_false(p.tells[COMPLETION_NONE]);
    assert_false(p.reopen_closed);
    assert_int_equal(p.per_recipient.count, 10);
    assert_int_equal(p.per_sender.count, 30);
    assert_int_equal(p.max_age_ms, 7 * 86400000);
    assert_string_equal(p.staff.at[0], "a@example.org");
    assert_string_equal(p.folder_processed, "Processed");
    assert_string_equal(p.authentication.authserv_id, "");
    assert_int_equal(p.authentication.hops, 1);
    assert_false(p.authentication.below);
    assert_false(p.skip_dmarc_fail);
    assert_string_equal(p.destination, "ledger");
    assert_int_equal(p.attachment_max, 25 * 1024 * 1024);

    CLEANUP(config_free)
    struct config *trusting = load_good(WHOLE "authentication: {authserv_id: mx, hops: 2, "
                                              "placed: below, skip_on_fail: true}\n");

    config_policy(trusting, &trusting->mailboxes.at[0], &p);
    assert_string_equal(p.authentication.authserv_id, "mx");
    assert_int_equal(p.authentication.hops, 2);
    assert_true(p.authentication.below);
    assert_true(p.skip_dmarc_fail);

    CLEANUP(config_free) struct config *silent = load_good(TOP MAILBOX SILENT);

    config_policy(silent, &silent->mailboxes.at[0], &p);
    assert_false(p.tells[COMPLETION_ACCEPTED]);
}

static void some_changes_need_a_new_start(void **state)
{
    CLEANUP(config_free) struct config *old = load_good(WHOLE);
    CLEANUP(config_free) struct config *new = load_good(WHOLE "lease: 1m\n");
    CLEANUP(config_free)
    struct config *other = load_good("data_dir: /d\nledger: postgres://h/d\n" MAILBOX ANSWERS);
    CLEANUP(str_clear) struct str names = STR_INIT;

    (void)state;
    config_needs_restart(old, new, &names);
    assert_string_equal(str_z(&names), "");
    config_needs_restart(old, other, &names);
    assert_string_equal(str_z(&names), "data_dir, ledger");
}

/* Files */

struct folder {
    char path[64];
};

static void folder_clear(struct folder *f)
{
    static const char *const names[] = {"onecase.yaml", "imap.password", "smtp.password",
                                        "templates/acknowledgement.txt", "templates"};
    char path[128];

    for (size_t i = 0; i < LENGTH(names); i++) {
        snprintf(path, sizeof path, "%s/%s", f->path, names[i]);
        remove(path);
    }
    rmdir(f->path);
}

static struct folder folder_new(void)
{
    struct folder f = {"/tmp/onecase-test-XXXXXX"};

    assert_non_null(mkdtemp(f.path));
    return f;
}

/* The path it wrote to; good until the next call. */
static const char *write_file(const struct folder *f, const char *name, struct slice octets)
{
    static char path[128];

    snprintf(path, sizeof path, "%s/%s", f->path, name);
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(octets.at, 1, octets.len, file), octets.len);
    fclose(file);
    return path;
}

static void assert_file_problems(const char *path, const char *templates, const char *expected)
{
    CLEANUP(str_clear) struct str problems = STR_INIT;
    CLEANUP(str_clear) struct str whole = STR_INIT;
    CLEANUP(config_free) struct config *c = NULL;

    assert_int_equal(config_load(path, templates, &c, &problems), RC_USAGE);
    assert_null(c);
    str_addf(&whole, "%s:%s", path, expected);
    assert_string_equal(str_z(&problems), str_z(&whole));
}

static void a_file_that_cannot_be_read_is_told_like_any_mistake(void **state)
{
    CLEANUP(folder_clear) struct folder f = folder_new();
    CLEANUP(str_clear) struct str large = STR_INIT;

    (void)state;
    assert_file_problems("/nonexistent/onecase.yaml", "",
                         "1:1: the configuration cannot be read: No such file or directory; name "
                         "another file with -c or $ONECASE_CONFIG\n");
    assert_file_problems(
        f.path, "",
        "1:1: the configuration cannot be read: Is a directory; name another file with "
        "-c or $ONECASE_CONFIG\n");
    str_addz(&large, WHOLE "#");
    while (large.len <= TREE_OCTETS_MAX)
        str_addz(&large, "##################################################################");
    assert_file_problems(write_file(&f, "onecase.yaml", str_slice(&large)), "",
                         "1:1: larger than 1 MB, which no configuration is\n");
}

static void secrets_and_templates_come_from_files_beside_the_configuration(void **state)
{
    static const char text[] =
        TOP "mailboxes: [{id: a, imap: {host: h, username: u, password_file: imap.password}}]\n"
            "acknowledgement: {from: a@b, smtp: {host: s}}\ntemplates_dir: templates\n";
    CLEANUP(folder_clear) struct folder f = folder_new();
    CLEANUP(str_clear) struct str problems = STR_INIT;
    CLEANUP(config_free) struct config *c = NULL;
    char path[128];

    (void)state;
    snprintf(path, sizeof path, "%s/templates", f.path);
    assert_int_equal(mkdir(path, 0700), 0);
    write_file(&f, "imap.password", SLICE("hush: \"it\" #1\r\n"));
    write_file(&f, "templates/acknowledgement.txt", SLICE("x"));
    assert_int_equal(
        config_load(write_file(&f, "onecase.yaml", slice_z(text)), "/nonexistent", &c, &problems),
        RC_OK);
    assert_string_equal(c->mailboxes.at[0].imap.password, "hush: \"it\" #1");
    assert_string_equal(c->templates_dir, path);
}

static void missing_templates_and_empty_secrets_are_told(void **state)
{
    static const char text[] =
        TOP "mailboxes: [{id: a, imap: {host: h, username: u, password_file: imap.password}}]\n"
            "acknowledgement: {from: a@b, smtp: {host: s}, templates: {closed: bye.txt}}\n";
    CLEANUP(folder_clear) struct folder f = folder_new();
    CLEANUP(str_clear) struct str expected = STR_INIT;
    const char *path;

    (void)state;
    write_file(&f, "imap.password", SLICE("one\ntwo\n"));
    path = write_file(&f, "onecase.yaml", slice_z(text));
    str_addf(
        &expected,
        "2:65: \"%s/imap.password\" holds no secret: expected one line and nothing else\n"
        "%s:3:18: there is no template \"acknowledgement.txt\" that can be read in /nonexistent\n"
        "%s:3:67: there is no template \"bye.txt\" that can be read in /nonexistent\n",
        f.path, path, path);
    assert_file_problems(path, "/nonexistent", str_z(&expected));
}

/* Secrets that expire */

static void a_secret_is_spoken_of_from_thirty_days_before_on(void **state)
{
    static const struct {
        const char *name;
        int64_t now_ms;
        size_t count;
        bool over;
        const char *text;
    } rows[] = {
        {"31 days before", INT64_C(1814227200000) - INT64_C(86400000) * 31, 0, false, ""},
        {"30 days before", INT64_C(1814227200000) - INT64_C(86400000) * 30, 1, false,
         "the secret for its IMAP server expires on 2027-06-29, in 30 days"},
        {"a day and a half before", INT64_C(1814227200000) - INT64_C(129600000), 1, false,
         "the secret for its IMAP server expires on 2027-06-29, in 1 day"},
        {"on the day", INT64_C(1814227200000), 1, true,
         "the secret for its IMAP server has expired on 2027-06-29"},
    };
    CLEANUP(config_free)
    struct config *c =
        load_good(TOP SILENT "mailboxes:\n  - id: help\n    imap: {host: h, username: u, "
                             "password: p, auth: {method: plain, expires: 2027-06-29}}\n");

    (void)state;
    FOR_EACH(row, rows) {
        struct expiring out[EXPIRING_MOST] = {{false, ""}, {false, ""}};

        assert_int_equal(config_expiring(&c->mailboxes.at[0], row->now_ms, out), row->count);
        assert_int_equal(out[0].over, row->over);
        assert_string_equal(out[0].text, row->text);
    }
}

/* The examples */

/* A file of the source tree; this one stands in tests/unit/. */
static void read_source(const char *name, struct str *out)
{
    CLEANUP(str_clear) struct str path = STR_INIT;
    char piece[4096];
    size_t got;

    str_add(&path,
            slice_cut(slice_z(__FILE__), 0, strlen(__FILE__) - strlen("tests/unit/test_config.c")));
    str_addz(&path, name);
    FILE *file = fopen(str_z(&path), "r");

    assert_non_null(file);
    while ((got = fread(piece, 1, sizeof piece, file)) > 0)
        str_add(out, (struct slice){piece, got});
    fclose(file);
}

static void the_reference_is_what_the_table_prints(void **state)
{
    CLEANUP(str_clear) struct str kept = STR_INIT;
    char *printed = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&printed, &length);

    (void)state;
    assert_non_null(file);
    config_print_reference(file);
    fclose(file);
    read_source("config/onecase.reference.yaml", &kept);
    if (!slice_eq(str_slice(&kept), (struct slice){printed, length})) {
        write_file(&(struct folder){"."}, "onecase.reference.yaml",
                   (struct slice){printed, length});
        fail_msg("copy ./onecase.reference.yaml to config/");
    }
    free(printed);
}

/* Its defaults are then the program's, and every line of it is one that is allowed. */
static void the_reference_is_a_configuration_that_says_the_defaults(void **state)
{
    CLEANUP(str_clear) struct str text = STR_INIT;

    (void)state;
    setenv("IMAP_PASSWORD", "x", 1);
    read_source("config/onecase.reference.yaml", &text);

    CLEANUP(config_free) struct config *said = load_good(str_z(&text));
    CLEANUP(config_free) struct config *unsaid = load_good(WHOLE);
    struct policy a;
    struct policy b;

    config_policy(said, &said->mailboxes.at[0], &a);
    config_policy(unsaid, &unsaid->mailboxes.at[0], &b);
    assert_int_equal(a.max_age_ms, b.max_age_ms);
    assert_memory_equal(a.tells, b.tells, sizeof a.tells);
    assert_int_equal(said->lease_ms, unsaid->lease_ms);
    assert_int_equal(said->mailboxes.at[0].imap.port, unsaid->mailboxes.at[0].imap.port);
    assert_string_equal(said->timezone, unsaid->timezone);
}

static void the_examples_of_providers_work_as_they_are(void **state)
{
    static const struct {
        const char *name;
        enum config_method imap, smtp;
        unsigned rate;
    } rows[] = {
        {"config/microsoft-365.yaml", CONFIG_XOAUTH2, CONFIG_XOAUTH2, 25},
        {"config/google.yaml", CONFIG_XOAUTH2, CONFIG_XOAUTH2, 0},
        {"config/google-refresh-token.yaml", CONFIG_XOAUTH2, CONFIG_NO_SIGN_IN, 0},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(folder_clear) struct folder f = folder_new();
        CLEANUP(str_clear) struct str text = STR_INIT;
        CLEANUP(str_clear) struct str problems = STR_INIT;
        CLEANUP(config_free) struct config *c = NULL;

        write_file(&f, "client.secret", SLICE("a\n"));
        write_file(&f, "service-account.json", SLICE("{}"));
        write_file(&f, "refresh-token", SLICE("b\n"));
        read_source(row->name, &text);
        const char *path = write_file(&f, "onecase.yaml", str_slice(&text));
        enum rc rc = config_load(path, "", &c, &problems);

        assert_string_equal(str_z(&problems), "");
        assert_int_equal(rc, RC_OK);
        assert_int_equal(c->mailboxes.at[0].imap.method, row->imap);
        assert_int_equal(c->mailboxes.at[0].imap.port, 993);
        assert_int_equal(c->acknowledgement.smtp.method, row->smtp);
        assert_int_equal(c->acknowledgement.smtp.port, 587);
        assert_int_equal(c->acknowledgement.rate, row->rate);
    }
}

static void the_small_example_works_as_it_is(void **state)
{
    CLEANUP(folder_clear) struct folder f = folder_new();
    CLEANUP(str_clear) struct str text = STR_INIT;
    CLEANUP(str_clear) struct str problems = STR_INIT;
    CLEANUP(config_free) struct config *c = NULL;

    (void)state;
    write_file(&f, "imap.password", SLICE("a\n"));
    write_file(&f, "smtp.password", SLICE("b\n"));
    read_source("config/onecase.example.yaml", &text);
    enum rc rc = config_load(write_file(&f, "onecase.yaml", str_slice(&text)), "", &c, &problems);

    assert_string_equal(str_z(&problems), "");
    assert_int_equal(rc, RC_OK);
    assert_string_equal(c->mailboxes.at[0].acknowledgement.smtp.password, "b");
}

/* The table */

static void assert_block(const struct block *b, const char *name)
{
    for (size_t i = 0; i < b->rows; i++) {
        const struct setting *s = &b->row[i];
        bool inner = s->type == VALUE_BLOCK || s->type == VALUE_BLOCKS;
        size_t sentence = strlen(s->says);

        print_message("    %s.%s\n", name, s->key);
        assert_ptr_equal(block_find(b, slice_z(s->key)), s);
        assert_true(sentence > 5 && strchr(".or", s->says[sentence - 1]) != NULL);
        assert_true(s->at < b->size);
        assert_int_equal(inner, s->block != NULL);
        assert_int_equal(s->type == VALUE_CHOICE, s->words != NULL);
        assert_true(inner || s->preset != NULL || s->example != NULL);
        assert_true((s->flags & FIXED) == 0 || b == &settings);
        if (inner)
            assert_block(s->block, s->key);
    }
}

static void every_row_of_the_table_is_whole(void **state)
{
    (void)state;
    assert_block(&settings, "");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_plain_yaml_is_refused_at_its_place),
        cmocka_unit_test(a_hostile_file_is_bounded_before_anything_grows_with_it),
        cmocka_unit_test(keys_that_are_none_are_told_with_what_was_meant),
        cmocka_unit_test(values_are_held_to_their_type_and_range),
        cmocka_unit_test(what_must_be_given_is_missed),
        cmocka_unit_test(secrets_are_given_once_and_never_shown),
        cmocka_unit_test(plain_text_never_leaves_this_machine_unasked),
        cmocka_unit_test(mailboxes_do_not_get_into_each_others_way),
        cmocka_unit_test(settings_that_contradict_each_other_are_told),
        cmocka_unit_test(what_is_not_said_has_its_default),
        cmocka_unit_test(a_port_that_is_not_said_follows_security),
        cmocka_unit_test(everything_that_is_said_lands_in_its_place),
        cmocka_unit_test(a_mailbox_takes_over_what_it_does_not_say_of_acknowledgements),
        cmocka_unit_test(variables_stand_for_what_the_environment_holds),
        cmocka_unit_test(the_policy_of_a_mailbox_is_what_was_said),
        cmocka_unit_test(some_changes_need_a_new_start),
        cmocka_unit_test(a_file_that_cannot_be_read_is_told_like_any_mistake),
        cmocka_unit_test(secrets_and_templates_come_from_files_beside_the_configuration),
        cmocka_unit_test(missing_templates_and_empty_secrets_are_told),
        cmocka_unit_test(a_secret_is_spoken_of_from_thirty_days_before_on),
        cmocka_unit_test(the_reference_is_what_the_table_prints),
        cmocka_unit_test(the_reference_is_a_configuration_that_says_the_defaults),
        cmocka_unit_test(the_examples_of_providers_work_as_they_are),
        cmocka_unit_test(the_small_example_works_as_it_is),
        cmocka_unit_test(every_row_of_the_table_is_whole),
    };

    return RUN_TESTS(tests);
}
