/* SPDX-License-Identifier: Apache-2.0 */
#include "settings.h"

#include <onecase/config.h>
#include <onecase/when.h>

#define KB INT64_C(1024)
#define MB (1024 * KB)
#define GB (1024 * MB)
#define TB (1024 * GB)

#define BLOCK_OF(rows, type)                                                                       \
    {                                                                                              \
        (rows), LENGTH(rows), sizeof(type)                                                         \
    }
#define SAME 0 /* its members stand in the struct around it */

static const char *const security_words[] = {"tls", "starttls", "none", NULL};
static const char *const method_words[] = {"password", "scram-sha-256", "scram-sha-1",
                                           "cram-md5", "plain",         "login",
                                           "xoauth2",  "oauthbearer",   NULL};
static const char *const mode_words[] = {"active", "look-only", NULL};
static const char *const copy_words[] = {"duplicate", "propose", "conflict", NULL};
static const char *const closed_words[] = {"reopen", "new-case", NULL};
static const char *const stranger_words[] = {"new-case", NULL};
static const char *const approval_words[] = {"one-person", "two-person", NULL};
static const char *const guarantee_words[] = {"none", "unique-key", "conditional",
                                              "idempotency-key", NULL};
static const char *const upload_words[] = {"base64", "raw", "form", NULL};
static const char *const unknown_words[] = {"look-up", "reconcile", NULL};
static const char *const report_words[] = {"never", "monthly", NULL};
static const char *const use_words[] = {"value", "digest", NULL};
static const char *const require_words[] = {"none", "dmarc-pass", NULL};
static const char *const placed_words[] = {"above", "below", NULL};
static const char *const failover_words[] = {"refused", "accepted", NULL};
static const char *const too_large_words[] = {"refuse", "accept", NULL};

/* clang-format off */

/* key, what it may be, flags, where it lands, default, min, max, and what a person is told. */

/* Signing in */

#define AT(member) offsetof(struct config_auth, member)
static const struct setting auth_rows[] = {
    {"method",             VALUE_CHOICE, REQUIRED, AT(method),             NULL, CONFIG_PASSWORD, 0,
     .says = "How to sign in; no weaker way is ever taken. password is the strongest that the server offers, the next five are that one alone; xoauth2 and oauthbearer show a token.",
     .example = "xoauth2", .words = method_words},
    {"token_file",         VALUE_FILE,   0,        AT(token_file),         "",   0,              0,
     .says = "The token stands in this file, which is read at each sign-in.", .example = "/run/onecase/token"},
    {"token_command",      VALUE_TEXT,   SECRET,   AT(token_command),      "",   0,              1024,
     .says = "This program prints the token; it is run at each sign-in, its words divided at blanks, without a shell.",
     .example = "/usr/local/bin/mail-token"},
    {"token_url",          VALUE_TEXT,   0,        AT(token_url),          "",   0,              1024,
     .says = "The token is fetched here (OAuth 2.0), with what follows, by the same ca_file and proxy as its server, and kept until shortly before it expires.",
     .example = "https://login.example.org/oauth2/token"},
    {"client_id",          VALUE_TEXT,   0,        AT(client_id),          "",   0,              256,
     .says = "The id of this client at token_url.", .example = "onecase"},
    {"client_secret_file", VALUE_FILE,   0,        AT(client_secret_file), "",   0,              0,
     .says = "A file whose first line is the secret of this client.", .example = "/etc/onecase/client.secret"},
    {"refresh_token_file", VALUE_FILE,   0,        AT(refresh_token_file), "",   0,              0,
     .says = "A file with a refresh token, to be used in place of the client's own rights; where token_url gives another one, that replaces it, so file and folder must be writable.",
     .example = "/var/lib/onecase/refresh-token"},
    {"key_file",           VALUE_FILE,   0,        AT(key_file),           "",   0,              0,
     .says = "The key of a service account, as Google hands it out (JSON), in place of client_id and client_secret_file.",
     .example = "/etc/onecase/service-account.json"},
    {"subject",            VALUE_TEXT,   0,        AT(subject),            "",   0,              320,
     .says = "The account that the service account acts for.", .example = "help@example.org"},
    {"scope",              VALUE_TEXT,   0,        AT(scope),              "",   0,              1024,
     .says = "What the token is asked for.", .example = "https://mail.example.org/.default"},
    {"expires",            VALUE_DATE,   0,        AT(expires_ms),         NULL, 0,              0,
     .says = "When the secret above expires: from 30 days before on, doctor, status, check and the log say so.",
     .example = "2027-06-30"},
};
#undef AT
static const struct block auth = BLOCK_OF(auth_rows, struct config_auth);

/* Servers */

#define AT(member) offsetof(struct config_server, member)
static const struct setting imap_rows[] = {
    {"host",            VALUE_HOST,     REQUIRED,                 AT(host),            NULL,    0,          0,
     .says = "Its name or address; its certificate must be made out to it.", .example = "imap.example.org"},
    {"port",            VALUE_NUMBER,   0,                        AT(port),            NULL,    1,          65535,
     .says = "By default 993, with starttls or none 143.", .example = "993"},
    {"security",        VALUE_CHOICE,   0,                        AT(security),        "tls",   CONFIG_TLS, 0,
     .says = "tls from the first octet, starttls (never without), or none, for this machine alone.",
     .words = security_words},
    {"allow_plaintext", VALUE_FLAG,     0,                        AT(allow_plaintext), "false", 0,          0,
     .says = "Lets security be none towards other machines: all on the way can read and change the mail."},
    {"ca_file",         VALUE_FILE,     0,                        AT(ca_file),         "",      0,          0,
     .says = "Certificates of authorities to trust besides the system's."},
    {"proxy",           VALUE_TEXT,     SECRET,                   AT(proxy),           "",      0,          1024,
     .says = "A proxy to go by, such as socks5h://proxy.example.org:1080."},
    {"username",        VALUE_TEXT,     REQUIRED,                 AT(username),        NULL,    1,          320,
     .says = "The account to sign in as.", .example = "help"},
    {"password",        VALUE_TEXT,     SECRET | SIGN_IN | SHOWN, AT(password),        NULL,    1,          512,
     .says = "Its password; better in a file, or in a variable as here.", .example = "${IMAP_PASSWORD}"},
    {"password_file",   VALUE_FILE,     SIGN_IN,                  AT(password_file),   NULL,    0,          0,
     .says = "A file whose first line is the password.", .example = "/etc/onecase/imap.password"},
    {"auth",            VALUE_BLOCK,    OPTIONAL | SIGN_IN,       AT(auth),            NULL,    0,          0,
     .says = "How to sign in, where that is not by a password in the strongest way offered: one way alone, or a token (OAuth 2.0).", .block = &auth},
    {"timeout",         VALUE_DURATION, 0,                        AT(timeout_ms),      "60s",   SECONDS(1), HOURS(1),
     .says = "How long the server may keep silent."},
};
#undef AT
static const struct block imap = BLOCK_OF(imap_rows, struct config_server);

#define AT(member) offsetof(struct config_server, member)
static const struct setting smtp_rows[] = {
    {"host",            VALUE_HOST,   SHOWN,              AT(host),            NULL,       0,          0,
     .says = "Its name or address; its certificate must be made out to it.", .example = "smtp.example.org"},
    {"port",            VALUE_NUMBER, 0,                  AT(port),            NULL,       1,          65535,
     .says = "By default 587, with tls 465, with none 25.", .example = "587"},
    {"security",        VALUE_CHOICE, 0,                  AT(security),        "starttls", CONFIG_TLS, 0,
     .says = "tls from the first octet, starttls (never without), or none, for this machine alone.",
     .words = security_words},
    {"allow_plaintext", VALUE_FLAG,   0,                  AT(allow_plaintext), "false",    0,          0,
     .says = "Lets security be none towards other machines: all on the way can read and change the mail."},
    {"ca_file",         VALUE_FILE,   0,                  AT(ca_file),         "",         0,          0,
     .says = "Certificates of authorities to trust besides the system's."},
    {"proxy",           VALUE_TEXT,   SECRET,             AT(proxy),           "",         0,          1024,
     .says = "A proxy to go by, such as socks5h://proxy.example.org:1080."},
    {"username",        VALUE_TEXT,   0,                  AT(username),        NULL,       1,          320,
     .says = "The account to sign in as; none where the server asks for none.", .example = "help"},
    {"password",        VALUE_TEXT,   SECRET | SIGN_IN,   AT(password),        NULL,       1,          512,
     .says = "Its password; better in a file, or in a variable as here.", .example = "${SMTP_PASSWORD}"},
    {"password_file",   VALUE_FILE,   SIGN_IN,            AT(password_file),   NULL,       0,          0,
     .says = "A file whose first line is the password.", .example = "/etc/onecase/smtp.password"},
    {"auth",            VALUE_BLOCK,  OPTIONAL | SIGN_IN, AT(auth),            NULL,       0,          0,
     .says = "How to sign in, where that is not by a password in the strongest way offered: one way alone, or a token (OAuth 2.0).", .block = &auth},
};
#undef AT
static const struct block smtp = BLOCK_OF(smtp_rows, struct config_server);

/* Acknowledgements */

#define AT(member) offsetof(struct config_acknowledgement, member)
static const struct setting templates_rows[] = {
    {"accepted",                 VALUE_TEMPLATE, BLANK, AT(templates[COMPLETION_ACCEPTED]),                 "acknowledgement.txt", 0, 0,
     .says = "For a case of its own."},
    {"accepted_with_exceptions", VALUE_TEMPLATE, BLANK, AT(templates[COMPLETION_ACCEPTED_WITH_EXCEPTIONS]), "acknowledgement.txt", 0, 0,
     .says = "For a case some of whose attachments were refused; it names them."},
    {"appended",                 VALUE_TEMPLATE, 0,     AT(templates[COMPLETION_APPENDED]),                 "",                    0, 0,
     .says = "For a reply that was added to its case."},
    {"closed",                   VALUE_TEMPLATE, 0,     AT(templates[COMPLETION_CLOSED]),                   "",                    0, 0,
     .says = "For the sender of a case that is closed."},
};
#undef AT
static const struct block templates = BLOCK_OF(templates_rows, struct config_acknowledgement);

#define AT(member) offsetof(struct language_rule, member)
static const struct setting language_rule_rows[] = {
    {"from",     VALUE_PATTERN,  0,        AT(from),     "",   0, 0,
     .says = "Mail from these senders; * is any text.", .example = "*@example.at"},
    {"to",       VALUE_PATTERN,  0,        AT(to),       "",   0, 0,
     .says = "Mail to this address of ours; with `from` both must match.", .example = "hilfe@example.org"},
    {"language", VALUE_LANGUAGE, REQUIRED, AT(language), NULL, 0, 0,
     .says = "What they are told in.", .example = "de"},
};
#undef AT
static const struct block language_rule = BLOCK_OF(language_rule_rows, struct language_rule);

#define AT(member) offsetof(struct config_evidence, member)
static const struct setting evidence_rows[] = {
    {"folder",  VALUE_TEXT,     0, AT(folder),  "",    0, 255,
     .says = "The folder of this account where the server keeps what was sent, such as Sent."},
    {"copy_to", VALUE_ADDRESS,  0, AT(copy_to), "",    0, 0,
     .says = "A blind copy of each goes here, where onecase can see it; a refusal is only noted."},
    {"wait",    VALUE_DURATION, 0, AT(wait_ms), "15m", 0, DAYS(7),
     .says = "How long to look before a person is asked."},
};
#undef AT
static const struct block evidence = BLOCK_OF(evidence_rows, struct config_evidence);

#define AT(member) offsetof(struct config_acknowledgement, member)
static const struct setting acknowledgement_rows[] = {
    {"enabled",             VALUE_FLAG,         0,     AT(enabled),             "true",    0,          0,
     .says = "Whether senders are told that their mail has arrived."},
    {"smtp",                VALUE_BLOCK,        0,     AT(smtp),                NULL,      0,          0,
     .says = "The server that acknowledgements leave by; its host must be given where they are enabled.",
     .block = &smtp},
    {"from",                VALUE_SENDER,       SHOWN, AT(from),                NULL,      0,          0,
     .says = "Whom they come from; must be given where they are enabled.", .example = "Service Desk <help@example.org>"},
    {"envelope_from",       VALUE_REVERSE_PATH, 0,     AT(envelope_from),       NULL,      0,          0,
     .says = "Where they bounce to; by default the address of `from`. With <> nothing bounces back.",
     .example = "help@example.org"},
    {"templates",           VALUE_BLOCK,        0,     SAME,                    NULL,      0,          0,
     .says = "Files of templates_dir, by what the sender is told. NAME.de.txt beside NAME.txt is for mail in German.",
     .block = &templates},
    {"language",            VALUE_LANGUAGE,     0,     AT(language),            "",        0,          0,
     .says = "What is told in where neither a rule nor the mail's Content-Language says; \"\" is that of NAME.txt itself.",
     .example = "de"},
    {"languages",           VALUE_LANGUAGE,     MANY,  AT(languages),           "[]",      0,          0,
     .says = "No others are spoken; [] is every one that has a template."},
    {"language_rules",      VALUE_BLOCKS,       0,     AT(language_rules),      NULL,      0,          1000,
     .says = "Languages by address, whatever the mail says; the first rule that matches.", .block = &language_rule},
    {"html",                VALUE_FLAG,         0,     AT(html),                "false",   0,          0,
     .says = "Whether an HTML alternative goes along: NAME.html beside each NAME.txt."},
    {"connections",         VALUE_NUMBER,       0,     AT(connections),         "2",       1,          64,
     .says = "How many are under way at once."},
    {"rate",                VALUE_NUMBER,       0,     AT(rate),                "0",       0,          100000,
     .says = "How many are sent in a minute; 0 is no limit."},
    {"timeout",             VALUE_DURATION,     0,     AT(smtp.timeout_ms),     "60s",     SECONDS(1), HOURS(1),
     .says = "How long the server may take for each step."},
    {"final_timeout",       VALUE_DURATION,     0,     AT(final_timeout_ms),    "10m",     SECONDS(1), HOURS(1),
     .says = "How long it may take to answer the end of a message; after that nobody knows whether it was sent."},
    {"evidence",            VALUE_BLOCK,        0,     AT(evidence),            NULL,      0,          0,
     .says = "Where to look when it is not known whether one was sent.", .block = &evidence},
    {"per_recipient_limit", VALUE_LIMIT,        0,     AT(per_recipient_limit), "10/1h",   0,          0,
     .says = "Beyond so many to one address they are skipped."},
    {"total_limit",         VALUE_LIMIT,        0,     AT(total_limit),         "3000/1h", 0,          0,
     .says = "Beyond so many in all they wait."},
    {"max_age",             VALUE_DURATION,     0,     AT(max_age_ms),          "7d",      SECONDS(1), DAYS(36500),
     .says = "Older mail gets its case and no acknowledgement."},
    {"own_lists",           VALUE_LOWER,        MANY,  AT(own_lists),           "[]",      1,          255,
     .says = "List-Ids of mailing lists whose posters are told nevertheless."},
};
#undef AT
static const struct block acknowledgement = BLOCK_OF(acknowledgement_rows, struct config_acknowledgement);

/* Mailboxes */

#define AT(member) offsetof(struct config_folders, member)
static const struct setting folders_rows[] = {
    {"inbox",         VALUE_TEXT, 0, AT(inbox),         "INBOX",     1, 255,
     .says = "The folder that is watched."},
    {"processed",     VALUE_TEXT, 0, AT(processed),     "Processed", 1, 255,
     .says = "Where a message goes once its case stands."},
    {"duplicates",    VALUE_TEXT, 0, AT(duplicates),    NULL,        0, 255,
     .says = "Where another copy goes; by default the folder of `processed`.", .example = "Processed"},
    {"unprocessable", VALUE_TEXT, 0, AT(unprocessable), "",          0, 255,
     .says = "Where a message goes that cannot be read; \"\" leaves it in the inbox."},
    {"claim",         VALUE_TEXT, 0, AT(claim),         "onecase",   1, 255,
     .says = "The folder where this deployment signs that the mailbox is its own."},
};
#undef AT
static const struct block folders = BLOCK_OF(folders_rows, struct config_folders);

#define AT(member) offsetof(struct config_mailbox, member)
static const struct setting first_import_rows[] = {
    {"recent", VALUE_DURATION, 0, AT(first_import_recent_ms), "1h", 0, DAYS(36500),
     .says = "What is older than this waits for `onecase first-import`."},
};
#undef AT
static const struct block first_import = BLOCK_OF(first_import_rows, struct config_mailbox);

#define AT(member) offsetof(struct config_mailbox, member)
static const struct setting mailbox_rows[] = {
    {"id",               VALUE_NAME,     REQUIRED,            AT(id),               NULL,     0,             0,
     .says = "Its name for ever: it is in the key of each of its mails.", .example = "help"},
    {"mode",             VALUE_CHOICE,   0,                   AT(mode),             "active", CONFIG_ACTIVE, 0,
     .says = "active, or look-only: record and plan, change nothing anywhere.", .words = mode_words},
    {"previously",       VALUE_NAME,     0,                   AT(previously),       "",       0,             0,
     .says = "The id that this account had before."},
    {"imap",             VALUE_BLOCK,    0,                   AT(imap),             NULL,     0,             0,
     .says = "The server that the mail comes to.", .block = &imap},
    {"addresses",        VALUE_ADDRESS,  MANY,                AT(addresses),        "[]",     0,             0,
     .says = "Its own addresses; that of `from`, and user names that are addresses, are added."},
    {"folders",          VALUE_BLOCK,    0,                   AT(folders),          NULL,     0,             0,
     .says = "The folders of the account; missing ones are created.", .block = &folders},
    {"first_import",     VALUE_BLOCK,    0,                   SAME,                 NULL,     0,             0,
     .says = "Mail that was there before the first start.", .block = &first_import},
    {"poll_interval",    VALUE_DURATION, 0,                   AT(poll_interval_ms), "60s",    10,            DAYS(1),
     .says = "How often to look for new mail, besides what the server reports by itself (IDLE)."},
    {"idle_interval",    VALUE_DURATION, 0,                   AT(idle_interval_ms), "4m",     1000,          MINUTES(29),
     .says = "How often waiting for news (IDLE) is begun anew: before a router forgets the connection."},
    {"max_message_size", VALUE_OCTETS,   0,                   AT(max_message_size), "50MB",   1,             4 * GB,
     .says = "A larger message is not fetched; it is held for a person."},
    {"quota_warning",    VALUE_NUMBER,   0,                   AT(quota_warning),    "90",     1,             100,
     .says = "From so many percent of the mailbox's quota on, doctor, check and notices warn."},
    {"acknowledgement",  VALUE_BLOCK,    OPTIONAL | INHERITS, AT(acknowledgement),  NULL,     0,             0,
     .says = "As the general one below, for this mailbox alone; what is not said here is taken from there.",
     .block = &acknowledgement},
};
#undef AT
static const struct block mailbox = BLOCK_OF(mailbox_rows, struct config_mailbox);

/* Cases */

#define AT(member) offsetof(struct config, member)
static const struct setting case_rows[] = {
    {"reference_prefix", VALUE_PREFIX, 0, AT(reference_prefix), "HD-",    0, 0,
     .says = "What case references begin with."},
    {"destination",      VALUE_NAME,   0, AT(destination),      "ledger", 0, 0,
     .says = "Where cases are made; ledger is the record that onecase always keeps."},
    {"per_sender_limit", VALUE_LIMIT,  0, AT(per_sender_limit), "30/1h",  0, 0,
     .says = "Beyond so many from one sender, mails are held for a person."},
};
#undef AT
static const struct block case_block = BLOCK_OF(case_rows, struct config);

#define AT(member) offsetof(struct config, scan.member)
static const struct setting scan_rows[] = {
    {"socket",    VALUE_SOCKET,   0, AT(socket),     "",       0,          0,
     .says = "Where clamd listens; \"\" is no scanning. While it cannot be reached, attachments wait.",
     .example = "/run/clamav/clamd.ctl"},
    {"timeout",   VALUE_DURATION, 0, AT(timeout_ms), "60s",    SECONDS(1), MINUTES(10),
     .says = "How long it may take for each step, its answer included."},
    {"too_large", VALUE_CHOICE,   0, AT(too_large),  "refuse", CONFIG_TOO_LARGE_REFUSE, 0,
     .says = "What becomes of an attachment that is larger than its StreamMaxLength: not stored, or stored unscanned.",
     .words = too_large_words},
};
#undef AT
static const struct block scan = BLOCK_OF(scan_rows, struct config);

#define AT(member) offsetof(struct config, member)
static const struct setting attachments_rows[] = {
    {"max_size",     VALUE_OCTETS,    0,    AT(attachment_max_size), "25MB", 1, 4 * GB,
     .says = "A larger attachment is not stored by itself; the original has it."},
    {"max_count",    VALUE_NUMBER,    0,    AT(attachment_max_count), "100", 1, 1000,
     .says = "So many of one mail are stored, the first ones."},
    {"max_name",     VALUE_NUMBER,    0,    AT(attachment_max_name), "1000", 1, 1000,
     .says = "One with a longer name, in octets of UTF-8, is not stored; what is stored has at most 120 of it."},
    {"refuse_types", VALUE_MIME_TYPE, MANY, AT(refuse_types),        "[]",   0, 0,
     .says = "Types that are refused, such as application/x-msdownload or video/*, and extensions, such as .exe. A type is "
             "met by what the mail says, by the file's extension and by its first octets."},
    {"scan",         VALUE_BLOCK,     0,    SAME,                    NULL,   0, 0,
     .says = "Whether attachments are scanned for viruses before they are stored.", .block = &scan},
};
#undef AT
static const struct block attachments = BLOCK_OF(attachments_rows, struct config);

#define AT(member) offsetof(struct config_reader, member)
static const struct setting reader_rows[] = {
    {"header",       VALUE_OCTETS,   0, AT(header),       "1MB",        4 * KB,     16 * MB,
     .says = "Of a header, the mail's or a part's: so many octets."},
    {"header_lines", VALUE_NUMBER,   0, AT(header_lines), "20000",      100,        10000000,
     .says = "Of all headers together: so many lines."},
    {"field",        VALUE_OCTETS,   0, AT(field),        "256KB",      1 * KB,     1 * MB,
     .says = "Of one field of a header, its folds included: so many octets."},
    {"parameters",   VALUE_NUMBER,   0, AT(parameters),   "1000",       10,         100000,
     .says = "Of one field: so many parameters."},
    {"multiparts",   VALUE_NUMBER,   0, AT(multiparts),   "1000",       10,         1000,
     .says = "Parts that hold parts; the parser itself stops at a depth of 1024."},
    {"comparisons",  VALUE_NUMBER,   0, AT(comparisons),  "200000000",  1000000,    2000000000,
     .says = "Lines that look like delimiters, each times the multiparts before it."},
    {"parts",        VALUE_NUMBER,   0, AT(parts),        "2000",       10,         1000000,
     .says = "Parts, empty ones too."},
    {"attachments",  VALUE_NUMBER,   0, AT(attachments),  "1000",       10,         1000000,
     .says = "Texts and attachments."},
    {"decoded",      VALUE_OCTETS,   0, AT(decoded),      "100MB",      1 * MB,     4 * GB,
     .says = "All texts and attachments together, decoded."},
    {"text",         VALUE_OCTETS,   0, AT(text),         "1MB",        1 * KB,     4 * MB,
     .says = "Of a text so much is shown; the rest is in the original."},
    {"html",         VALUE_OCTETS,   0, AT(html),         "4MB",        1 * KB,     64 * MB,
     .says = "Of an HTML text so much is made into the text that is shown."},
    {"name_length",  VALUE_NUMBER,   0, AT(name_length),  "1000",       32,         10000,
     .says = "Octets of a file name; what is left out stood before its extension."},
    {"addresses",    VALUE_NUMBER,   0, AT(addresses),    "1000",       1,          100000,
     .says = "Of a field so many addresses are taken."},
    {"references",   VALUE_NUMBER,   0, AT(references),   "200",        2,          10000,
     .says = "Of References so many message ids are taken: the first and the last."},
    {"repairs",      VALUE_NUMBER,   0, AT(repairs),      "16",         0,          1000,
     .says = "How often a damaged structure is mended and read again."},
    {"time",         VALUE_DURATION, 0, AT(time_ms),      "60s",        SECONDS(1), HOURS(1),
     .says = "How long a mail may take."},
    {"cpu_time",     VALUE_DURATION, 0, AT(cpu_time_ms),  "30s",        SECONDS(1), HOURS(1),
     .says = "How much of the processor's time."},
    {"memory",       VALUE_OCTETS,   0, AT(memory),       "1GB",        256 * MB,   64 * GB,
     .says = "How much memory the process that reads may have."},
};
#undef AT
static const struct block reader = BLOCK_OF(reader_rows, struct config_reader);

#define AT(member) offsetof(struct config_key_rule, member)
static const struct setting key_rule_rows[] = {
    {"namespace", VALUE_NAME,    0,        AT(space),   "",      0,                0,
     .says = "The name of these numbers; needed with header or subject.", .example = "portal"},
    {"from",      VALUE_PATTERN, REQUIRED, AT(from),    NULL,    0,                0,
     .says = "The senders it is for; * is any text.", .example = "*@portal.example.org"},
    {"header",    VALUE_HEADER,  0,        AT(header),  "",      0,                0,
     .says = "The header field whose whole value is the sender's own number; or", .example = "X-Request-Id"},
    {"subject",   VALUE_REGEX,   0,        AT(subject), "",      0,                0,
     .says = "a POSIX extended regular expression for the whole subject, whose first ( ) is the number.",
     .example = "Order ([A-Z]+-[0-9]+)"},
    {"use",       VALUE_CHOICE,  0,        AT(use),     "value", CONFIG_USE_VALUE, 0,
     .says = "digest: these senders use Message-IDs again, so the content is the key.", .words = use_words},
    {"require",   VALUE_CHOICE,  0,        AT(require), "none",  CONFIG_REQUIRE_NONE, 0,
     .says = "dmarc-pass: only where the servers of `authentication` say so; else the rule does not apply.",
     .words = require_words},
};
#undef AT
static const struct block key_rule = BLOCK_OF(key_rule_rows, struct config_key_rule);

#define AT(member) offsetof(struct config_authentication, member)
static const struct setting authentication_rows[] = {
    {"authserv_id",  VALUE_LOWER,  0, AT(authserv_id),  "",      0,                   255,
     .says = "The name that they write into their Authentication-Results fields; \"\" is none, and no field counts.",
     .example = "mx.example.org"},
    {"hops",         VALUE_NUMBER, 0, AT(hops),         "1",     1,                   100,
     .says = "How many Received fields the own servers add at the top of each mail; what stands below is a stranger's."},
    {"placed",       VALUE_CHOICE, 0, AT(placed),       "above", CONFIG_PLACED_ABOVE, 0,
     .says = "Where their field stands by the last of these: above it, or below, where milters of Postfix put it. Below, the server must remove those that come with its name.",
     .words = placed_words},
    {"skip_on_fail", VALUE_FLAG,   0, AT(skip_on_fail), "false", 0,                   0,
     .says = "Whether mail of which they say DMARC fail gets its case and no acknowledgement."},
};
#undef AT
static const struct block authentication = BLOCK_OF(authentication_rows, struct config_authentication);

#define AT(member) offsetof(struct config, member)
static const struct setting copies_rows[] = {
    {"list",    VALUE_CHOICE, 0, AT(list_copies),    "duplicate", COPY_DUPLICATE, 0,
     .says = "The same mail by way of a mailing list: filed as a duplicate, proposed as one, or a conflict.",
     .words = copy_words},
    {"gateway", VALUE_CHOICE, 0, AT(gateway_copies), "propose",   COPY_DUPLICATE, 0,
     .says = "The same mail with text that a gateway added: the same choice.", .words = copy_words},
};
#undef AT
static const struct block copies = BLOCK_OF(copies_rows, struct config);

#define AT(member) offsetof(struct config, member)
static const struct setting threading_rows[] = {
    {"strangers", VALUE_CHOICE,  0,    AT(strangers), "new-case", CONFIG_STRANGERS_NEW_CASE, 0,
     .says = "A reply to a case by somebody who is not in it is a case of its own, linked.", .words = stranger_words},
    {"closed",    VALUE_CHOICE,  0,    AT(closed),    "reopen",   CONFIG_REOPEN,             0,
     .says = "A reply to a closed case opens it again, or is a case of its own, linked.", .words = closed_words},
    {"staff",     VALUE_PATTERN, MANY, AT(staff),     "[]",       0,                         0,
     .says = "Addresses of those who answer; they may reply to any case and are never acknowledged."},
};
#undef AT
static const struct block threading = BLOCK_OF(threading_rows, struct config);

/* Destinations */

#define AT(member) offsetof(struct config_request, member)
#define REQUEST_ROWS(method_example, path_example, names, body_example)                                                                       \
    {"method",  VALUE_METHOD, REQUIRED, AT(method),  NULL, 0, 0,                                                                              \
     .says = "GET, POST, PUT, PATCH or DELETE.", .example = (method_example)},                                                                \
    {"path",    VALUE_TEXT,   REQUIRED, AT(path),    NULL, 1, 2048,                                                                           \
     .says = "Added to url; values in {{ }} are percent-encoded.", .example = (path_example)},                                                \
    {"headers", VALUE_TEXT,   MANY,     AT(headers), "[]", 1, 2048,                                                                           \
     .says = "Further headers, each \"Name: value\"."},                                                                                       \
    {"body",    VALUE_LINES,  0,        AT(body),    "",   0, 65536,                                                                          \
     .says = "JSON, whose texts may hold {{ }}: " names ".", .example = (body_example)},                                                      \
    {"done",    VALUE_TEXT,   MANY,     AT(done),    "[]", 3, 3,                                                                              \
     .says = "Statuses besides 2xx that mean done, such as \"304\" or \"3xx\"."},                                                             \
    {"exists",  VALUE_TEXT,   MANY,     AT(exists),  "[]", 3, 3,                                                                              \
     .says = "Statuses besides 409 and 412 that mean: it is there already; of close and remove, that nothing is left to do."},                                                                 \
    {"later",   VALUE_TEXT,   MANY,     AT(later),   "[]", 3, 3,                                                                              \
     .says = "Statuses besides 408, 425, 429 and 503 that mean: surely not done, try later."},                                                \
    {"refused", VALUE_TEXT,   MANY,     AT(refused), "[]", 3, 3,                                                                              \
     .says = "Statuses besides 4xx that mean: surely not done; of a look-up, that there is none."}
#define ID_ROW(what, example_)                                                                                                                \
    {"id",      VALUE_TEXT,   0,        AT(id),      "",   0, 256, .says = "JSON pointer to " what, .example = (example_)}
#define KEY_ROW(what, example_)                                                                                                               \
    {"key",     VALUE_TEXT,   0,        AT(key),     "",   0, 256, .says = "JSON pointer to " what, .example = (example_)}
#define GUARANTEE_ROW                                                                                                                         \
    {"guarantee", VALUE_CHOICE, 0,      AT(guarantee), "none", CONFIG_GUARANTEE_NONE, 0,                                                      \
     .says = "Why a second such request adds nothing; by default what the destination says, where that is idempotency-key.",                  \
     .words = guarantee_words}
#define LIST_ROW                                                                                                                              \
    {"list",    VALUE_TEXT,   0,        AT(list),    "",   0, 256,                                                                            \
     .says = "JSON pointer to a list in the answer, of whose members id and key speak; \"/\" is the whole answer.", .example = "/items"}
#define MATCH_ROW(usual, example_)                                                                                                            \
    {"match",   VALUE_TEXT,   0,        AT(match),   "",   0, 256,                                                                            \
     .says = "What key must be; * at an end is anything. By default " usual ".", .example = (example_)}
#define NEW_NAMES  "key, effect, correlation, reference, from, subject, text, html (the text as HTML)"
#define CASE_NAMES NEW_NAMES ", id"
#define FILE_NAMES CASE_NAMES ", number, file, name, type, size, sha256"

static const struct setting create_rows[] = {
    REQUEST_ROWS("POST", "/tickets", NEW_NAMES, "{\"subject\": \"{{subject}}\", \"key\": \"{{key}}\"}"),
    ID_ROW("the case's id in the answer; by default the case goes by our key.", "/ticket/id"),
    KEY_ROW("our key in the answer, which is compared.", "/ticket/key"),
};
static const struct block create = BLOCK_OF(create_rows, struct config_request);

static const struct setting find_rows[] = {
    REQUEST_ROWS("GET", "/tickets?key={{key}}", NEW_NAMES, ""),
    ID_ROW("the case's id in the answer, or in a member of its list.", "/id"),
    KEY_ROW("our key there, which is compared.", "/key"),
    LIST_ROW,
    MATCH_ROW("{{key}}", "{{key}}"),
};
static const struct block find = BLOCK_OF(find_rows, struct config_request);

static const struct setting read_rows[] = {
    REQUEST_ROWS("GET", "/tickets/{{id}}", CASE_NAMES, ""),
    ID_ROW("the case's id in the answer.", "/id"),
    KEY_ROW("our key there, which is compared.", "/key"),
};
static const struct block read = BLOCK_OF(read_rows, struct config_request);

static const struct setting append_rows[] = {
    REQUEST_ROWS("POST", "/tickets/{{id}}/notes", CASE_NAMES, "{\"text\": \"{{text}}\", \"ref\": \"{{effect}}\"}"),
    ID_ROW("the id of what was added; by default it goes by {{effect}}.", "/note/id"),
    KEY_ROW("{{effect}} in the answer, which is compared.", "/note/ref"),
    GUARANTEE_ROW,
};
static const struct block append = BLOCK_OF(append_rows, struct config_request);

static const struct setting appended_rows[] = {
    REQUEST_ROWS("GET", "/tickets/{{id}}/notes", CASE_NAMES, ""),
    ID_ROW("its id in the answer, or in a member of its list.", "/id"),
    KEY_ROW("what is compared.", "/ref"),
    LIST_ROW,
    MATCH_ROW("{{effect}}", "*{{effect}}*"),
};
static const struct block appended = BLOCK_OF(appended_rows, struct config_request);

static const struct setting attach_rows[] = {
    REQUEST_ROWS("POST", "/tickets/{{id}}/files", FILE_NAMES ", content", "{\"name\": \"{{file}}\", \"data\": \"{{content}}\"}"),
    {"upload",  VALUE_CHOICE, 0,        AT(upload),  "base64", CONFIG_UPLOAD_BASE64, 0,
     .says = "How the file is sent: base64, as {{content}} of the body; raw, as the whole body; form, as a field of a form, after the body's members.",
     .words = upload_words},
    {"field",   VALUE_TEXT,   0,        AT(field),   "file", 0, 128,
     .says = "With upload: form, the name of the file's field."},
    ID_ROW("the file's id in the answer; by default it goes by its name.", "/file/id"),
    KEY_ROW("the file's name in the answer, which is compared with {{file}}.", "/file/name"),
    GUARANTEE_ROW,
};
static const struct block attach = BLOCK_OF(attach_rows, struct config_request);

static const struct setting attached_rows[] = {
    REQUEST_ROWS("GET", "/tickets/{{id}}/files", FILE_NAMES, ""),
    ID_ROW("its id in the answer, or in a member of its list.", "/id"),
    KEY_ROW("what is compared.", "/name"),
    LIST_ROW,
    MATCH_ROW("{{file}}", "{{file}}"),
    {"sha256",  VALUE_TEXT,   0,        AT(sha256),  "",      0, 256,
     .says = "JSON pointer to the file's SHA-256, in hexadecimal digits: it is compared after each upload.", .example = "/sha256"},
    {"whole",   VALUE_FLAG,   0,        AT(whole),   "false", 0, 0,
     .says = "The answer is the file itself: it is compared after each upload."},
};
static const struct block attached = BLOCK_OF(attached_rows, struct config_request);

static const struct setting close_rows[] = {
    REQUEST_ROWS("PATCH", "/tickets/{{id}}", CASE_NAMES, "{\"state\": \"closed\"}"),
};
static const struct block close_case = BLOCK_OF(close_rows, struct config_request);

static const struct setting remove_rows[] = {
    REQUEST_ROWS("DELETE", "/tickets/{{id}}", CASE_NAMES, ""),
};
static const struct block remove_case = BLOCK_OF(remove_rows, struct config_request);
#undef AT

#define AT(member) offsetof(struct config_auth, member)
static const struct setting oauth_rows[] = {
    {"token_url",          VALUE_TEXT, REQUIRED, AT(token_url),          NULL, 1, 1024,
     .says = "The token is fetched here (OAuth 2.0 client credentials), and kept until shortly before it expires.",
     .example = "https://login.example.org/oauth2/token"},
    {"client_id",          VALUE_TEXT, REQUIRED, AT(client_id),          NULL, 1, 256,
     .says = "The id of this client at token_url.", .example = "onecase"},
    {"client_secret_file", VALUE_FILE, REQUIRED, AT(client_secret_file), NULL, 0, 0,
     .says = "A file whose first line is the secret of this client.", .example = "/etc/onecase/client.secret"},
    {"scope",              VALUE_TEXT, 0,        AT(scope),              "",   0, 1024,
     .says = "What the token is asked for.", .example = "https://desk.example.org/.default"},
};
#undef AT
static const struct block oauth = BLOCK_OF(oauth_rows, struct config_auth);

#define AT(member) offsetof(struct config_request, member)
static const struct setting session_rows[] = {
    {"path",    VALUE_TEXT, REQUIRED, AT(path),    NULL, 1, 2048,
     .says = "Added to url; GET there opens a session.", .example = "/initSession"},
    {"headers", VALUE_TEXT, MANY,     AT(headers), "[]", 1, 2048,
     .says = "Further headers, each \"Name: value\"."},
    {"id",      VALUE_TEXT, REQUIRED, AT(id),      NULL, 1, 256,
     .says = "JSON pointer to the session's token in the answer.", .example = "/session_token"},
    {"header",  VALUE_TEXT, REQUIRED, AT(field),   NULL, 1, 100,
     .says = "The header that shows it.", .example = "Session-Token"},
};
#undef AT
static const struct block session = BLOCK_OF(session_rows, struct config_request);

#define AT(member) offsetof(struct config_destination, member)
static const struct setting destination_rows[] = {
    {"name",               VALUE_NAME,     REQUIRED,                 AT(name),                NULL,      0,                     0,
     .says = "Its name for ever: case.destination names it, and so does each of its steps.", .example = "desk"},
    {"url",                VALUE_TEXT,     REQUIRED,                 AT(url),                 NULL,      8,                     1024,
     .says = "What every path is added to.", .example = "https://desk.example.org/api"},
    {"username",           VALUE_TEXT,     0,                        AT(username),            NULL,      1,                     320,
     .says = "With a password: HTTP Basic.", .example = "onecase"},
    {"password",           VALUE_TEXT,     SIGN_IN | SECRET,         AT(password),            NULL,      1,                     1024,
     .says = "Better password_file.", .example = "a secret"},
    {"password_file",      VALUE_FILE,     SIGN_IN,                  AT(password_file),       NULL,      0,                     0,
     .says = "A file whose first line is the password.", .example = "/etc/onecase/desk.password"},
    {"authorization",      VALUE_TEXT,     SIGN_IN | SECRET,         AT(authorization),       NULL,      1,                     4096,
     .says = "The whole value of the header Authorization. Better authorization_file.", .example = "Bearer a-secret"},
    {"authorization_file", VALUE_FILE,     SIGN_IN,                  AT(authorization_file),  NULL,      0,                     0,
     .says = "A file whose first line is that value; read again when the destination refuses it.",
     .example = "/etc/onecase/desk.authorization"},
    {"oauth",              VALUE_BLOCK,    OPTIONAL | SIGN_IN,       AT(oauth),               NULL,      0,                     0,
     .says = "A token, shown as Authorization: Bearer.", .block = &oauth},
    {"session",            VALUE_BLOCK,    OPTIONAL,                 AT(session),             NULL,      0,                     0,
     .says = "Where the sign-in opens a session, which every other request shows in its place; opened again when it is refused.",
     .block = &session},
    {"guarantee",          VALUE_CHOICE,   0,                        AT(guarantee),           "none",    CONFIG_GUARANTEE_NONE, 0,
     .says = "Why a second request makes no second case: unique-key, conditional (If-None-Match: *), idempotency-key, or none.",
     .words = guarantee_words},
    {"idempotency_life",   VALUE_DURATION, 0,                        AT(idempotency_life_ms), "24h",     SECONDS(1),            DAYS(36500),
     .says = "How long it remembers an Idempotency-Key."},
    {"unknown",            VALUE_CHOICE,   0,                        AT(unknown),             "look-up", CONFIG_LOOK_UP,        0,
     .says = "What happens where nobody knows whether a case was made: look-up, or reconcile, at once a person.",
     .words = unknown_words},
    {"settle",             VALUE_DURATION, 0,                        AT(settle_ms),           "5m",      0,                     DAYS(7),
     .says = "How long a look-up that finds nothing is repeated where nothing is guaranteed."},
    {"timeout",            VALUE_DURATION, 0,                        AT(timeout_ms),          "60s",     SECONDS(1),            HOURS(1),
     .says = "How long a request may take."},
    {"ca_file",            VALUE_FILE,     0,                        AT(ca_file),             "",        0,                     0,
     .says = "Certificates of authorities to trust besides the system's."},
    {"proxy",              VALUE_TEXT,     SECRET,                   AT(proxy),               "",        0,                     1024,
     .says = "A proxy to go by, such as socks5h://proxy.example.org:1080."},
    {"rate",               VALUE_NUMBER,   0,                        AT(rate),                "0",       0,                     100000,
     .says = "How many requests a minute at most, over all mailboxes; 0 is no limit."},
    {"max_subject",        VALUE_NUMBER,   0,                        AT(max_subject),         "0",       0,                     1000000,
     .says = "How many characters of a subject it takes; a longer one is cut, and ends in [...]; 0 is no limit."},
    {"max_text",           VALUE_NUMBER,   0,                        AT(max_text),            "0",       0,                     10000000,
     .says = "The same of a mail's text."},
    {"create",             VALUE_BLOCK,    REQUIRED,                 AT(create),              NULL,      0,                     0,
     .says = "Makes a case.", .block = &create},
    {"find",               VALUE_BLOCK,    OPTIONAL,                 AT(find),                NULL,      0,                     0,
     .says = "Looks a case up by our key.", .block = &find},
    {"read",               VALUE_BLOCK,    OPTIONAL,                 AT(read),                NULL,      0,                     0,
     .says = "Reads a case by its {{id}}, so that its key is compared after it was made.", .block = &read},
    {"append",             VALUE_BLOCK,    OPTIONAL,                 AT(append),              NULL,      0,                     0,
     .says = "Adds a reply to its case. Without it replies stand in the ledger alone.", .block = &append},
    {"appended",           VALUE_BLOCK,    OPTIONAL,                 AT(appended),            NULL,      0,                     0,
     .says = "Looks up whether a reply was added.", .block = &appended},
    {"attach",             VALUE_BLOCK,    OPTIONAL,                 AT(attach),              NULL,      0,                     0,
     .says = "Adds one attachment to its case. Without it attachments stand in data_dir alone.", .block = &attach},
    {"attached",           VALUE_BLOCK,    OPTIONAL,                 AT(attached),            NULL,      0,                     0,
     .says = "Looks up whether an attachment was added, and is the one.", .block = &attached},
    {"close",              VALUE_BLOCK,    OPTIONAL,                 AT(close),               NULL,      0,                     0,
     .says = "Closes a case there when it is closed here. A second such request must change nothing.", .block = &close_case},
    {"remove",             VALUE_BLOCK,    OPTIONAL,                 AT(remove),              NULL,      0,                     0,
     .says = "Takes a case away: a test's, or where a person decides so. A second such request must change nothing.", .block = &remove_case},
};
#undef AT
static const struct block destination = BLOCK_OF(destination_rows, struct config_destination);

/* The service */

#define AT(member) offsetof(struct config, member)
static const struct setting retry_rows[] = {
    {"first_delay",   VALUE_DURATION, 0, AT(first_delay_ms),   "5s",  10,         DAYS(1),
     .says = "The pause after the first failure; it doubles."},
    {"max_delay",     VALUE_DURATION, 0, AT(max_delay_ms),     "15m", 10,         DAYS(7),
     .says = "The longest pause."},
    {"give_up_after", VALUE_DURATION, 0, AT(give_up_after_ms), "48h", SECONDS(1), DAYS(365),
     .says = "When a person is asked about a mail that still fails."},
};
#undef AT
static const struct block retry = BLOCK_OF(retry_rows, struct config);

#define AT(member) offsetof(struct config, member)
static const struct setting disk_rows[] = {
    {"reserve", VALUE_OCTETS, 0, AT(disk_reserve), "1GB", 0, 64 * TB,
     .says = "With less room than this nothing new is taken in, until there is more again."},
};
#undef AT
static const struct block disk = BLOCK_OF(disk_rows, struct config);

#define AT(member) offsetof(struct config, member)
static const struct setting backup_rows[] = {
    {"warn_after", VALUE_DURATION, 0, AT(backup_age_ms),    "2d", 0, DAYS(365),
     .says = "check and notices warn where the last backup is older; 0s is never. Where none was ever made nobody is warned."},
    {"recipient",  VALUE_FILE,     0, AT(backup_recipient), "",   0, 0,
     .says = "A file of certificates (PEM, up to eight) that backups, and what retain archives, are sealed to: without a key of theirs nobody reads them.",
     .example = "/etc/onecase/recipient.pem"},
};
#undef AT
static const struct block backup = BLOCK_OF(backup_rows, struct config);

#define AT(member) offsetof(struct config_retention, member)
static const struct setting retention_rows[] = {
    {"originals",   VALUE_DURATION, 0, AT(keep_ms[CONTENT_ORIGINAL]),    "0s",    0, DAYS(36500),
     .says = "How long a mail as it was fetched is kept after it was complete; 0s is for ever."},
    {"attachments", VALUE_DURATION, 0, AT(keep_ms[CONTENT_ATTACHMENTS]), "0s",    0, DAYS(36500),
     .says = "The files beside it."},
    {"texts",       VALUE_DURATION, 0, AT(keep_ms[CONTENT_TEXT]),        "0s",    0, DAYS(36500),
     .says = "Its text, and what its sender was told."},
    {"personal",    VALUE_DURATION, 0, AT(keep_ms[CONTENT_PERSONAL]),    "0s",    0, DAYS(36500),
     .says = "Addresses, subject, file names, notes; with them goes all that is left of it but key, reference and states, also the posts of it that webhooks have taken."},
    {"only_closed", VALUE_FLAG,     0, AT(only_closed),                  "false", 0, 0,
     .says = "Only of cases that are closed."},
    {"archive",     VALUE_FOLDER,   0, AT(archive),                      "",      0, 0,
     .says = "A folder of onecase's account; what is let go goes there first, as one tar file a run.",
     .example = "/var/lib/onecase-archive"},
};
#undef AT
static const struct block retention = BLOCK_OF(retention_rows, struct config_retention);

#define AT(member) offsetof(struct config_notify, member)
static const struct setting notify_rows[] = {
    {"to",                  VALUE_ADDRESS,      MANY,   AT(to),                  "[]",    0,          0,
     .says = "Who gets notices by mail, through the general acknowledgement's SMTP server; no watched address."},
    {"from",                VALUE_SENDER,       0,      AT(from),                NULL,    0,          0,
     .says = "Whom they come from; by default the address of acknowledgement.from, under the name of onecase.",
     .example = "onecase <onecase@example.org>"},
    {"envelope_from",       VALUE_REVERSE_PATH, 0,      AT(envelope_from),       "<>",    0,          0,
     .says = "Where they bounce to; by default nowhere, so that none comes back as mail."},
    {"webhook",             VALUE_TEXT,         SECRET, AT(webhook),             "",      0,          1024,
     .says = "A URL that notices are posted to as JSON.", .example = "https://chat.example.org/hooks/onecase"},
    {"webhook_secret_file", VALUE_FILE,         0,      AT(webhook_secret_file), "",      0,          0,
     .says = "A file whose first line is the secret that the webhook's posts are signed with (Standard Webhooks).",
     .example = "/etc/onecase/webhook.secret"},
    {"events",              VALUE_LOWER,        MANY,   AT(events),              "[decisions, trouble, clear]", 1, 16,
     .says = "What is told: decisions that wait, trouble of the service itself, and that either is over."},
    {"waiting",             VALUE_DURATION,     0,      AT(waiting_ms),          "4h",    SECONDS(1), DAYS(365),
     .says = "For how long a decision waits before somebody is told."},
    {"remind",              VALUE_DURATION,     0,      AT(remind_ms),           "24h",   0,          DAYS(365),
     .says = "What goes on is told again after so long; 0s is never."},
    {"digest",              VALUE_DURATION,     0,      AT(digest_ms),           "15m",   0,          DAYS(7),
     .says = "What is not critical is gathered for so long between two notices."},
    {"rate",                VALUE_LIMIT,        0,      AT(rate),                "6/1h",  0,          0,
     .says = "No more notices than these; what waits is told with the next."},
    {"report",              VALUE_CHOICE,       0,      AT(report),              "never", CONFIG_REPORT_NEVER, 0,
     .says = "monthly: the duplicate report of the last month by mail, to `owner` where that is an address, else to `to`.",
     .words = report_words},
};
#undef AT
static const struct block notify = BLOCK_OF(notify_rows, struct config_notify);

#define AT(member) offsetof(struct config_webhook, member)
static const struct setting webhook_rows[] = {
    {"name",          VALUE_NAME,     REQUIRED,          AT(name),             NULL,    0,          0,
     .says = "Its name for ever: what waits for it goes by that name.", .example = "chat"},
    {"url",           VALUE_TEXT,     REQUIRED | SECRET, AT(url),              NULL,    8,          1024,
     .says = "Where events are posted to, as JSON.", .example = "https://automation.example.org/onecase"},
    {"secret_file",   VALUE_FILE,     REQUIRED,          AT(secret_file),      NULL,    0,          0,
     .says = "A file whose first line is the secret that posts are signed with (Standard Webhooks); whsec_ and base 64, or any text.",
     .example = "/etc/onecase/chat.secret"},
    {"events",        VALUE_LOWER,    MANY,              AT(events),           "[created, complete, duplicate, conflict, needs_reconciliation, closed]", 1, 32,
     .says = "What it is told of."},
    {"mailboxes",     VALUE_NAME,     MANY,              AT(mailboxes),        "[]",    0,          0,
     .says = "Of which mailboxes; [] is every one."},
    {"personal_data", VALUE_FLAG,     0,                 AT(personal_data),    "false", 0,          0,
     .says = "Whether sender and subject stand in what it is told; else it gets keys, references and states alone."},
    {"timeout",       VALUE_DURATION, 0,                 AT(timeout_ms),       "15s",   SECONDS(1), MINUTES(10),
     .says = "How long it may take to answer."},
    {"give_up_after", VALUE_DURATION, 0,                 AT(give_up_after_ms), "72h",   SECONDS(1), DAYS(365),
     .says = "When a post that it does not take becomes a dead letter, which a person can have sent again."},
    {"ca_file",       VALUE_FILE,     0,                 AT(ca_file),          "",      0,          0,
     .says = "Certificates of authorities to trust besides the system's."},
    {"proxy",         VALUE_TEXT,     SECRET,            AT(proxy),            "",      0,          1024,
     .says = "A proxy to go by, such as socks5h://proxy.example.org:1080."},
};
#undef AT
static const struct block webhook = BLOCK_OF(webhook_rows, struct config_webhook);

#define AT(member) offsetof(struct config, member)
static const struct setting console_rows[] = {
    {"listen",       VALUE_LISTEN,   BLANK, AT(listen),           "127.0.0.1:8025", 0,          0,
     .says = "Address and port of its pages; \"\" is no console."},
    {"tls_cert",     VALUE_FILE,     0,     AT(tls_cert),         "",               0,          0,
     .says = "Its certificate with the chain, as PEM; with tls_key it speaks TLS.", .example = "/etc/onecase/console.crt"},
    {"tls_key",      VALUE_FILE,     0,     AT(tls_key),          "",               0,          0,
     .says = "The certificate's key, as PEM.", .example = "/etc/onecase/console.key"},
    {"behind_proxy", VALUE_FLAG,     0,     AT(behind_proxy),     "false",          0,          0,
     .says = "A proxy on this machine speaks TLS for it, and says in X-Forwarded-For for whom."},
    {"ledger_timeout", VALUE_DURATION, 0,   AT(ledger_timeout_ms), "10s",           SECONDS(1), MINUTES(10),
     .says = "How long one question to the ledger may take; a page that needs longer says so, and what to do."},
    {"session_idle", VALUE_DURATION, 0,     AT(session_idle_ms),  "30m",            MINUTES(1), HOURS(24),
     .says = "Who does nothing for so long signs in anew."},
    {"session_max",  VALUE_DURATION, 0,     AT(session_whole_ms), "12h",            MINUTES(1), DAYS(7),
     .says = "And everybody after so long."},
};
#undef AT
static const struct block console = BLOCK_OF(console_rows, struct config);

/* Where files are kept beside data_dir */

#define AT(member) offsetof(struct config_s3, member)
static const struct setting s3_rows[] = {
    {"endpoint",        VALUE_TEXT,     REQUIRED,       AT(endpoint),        NULL,        8,             1024,
     .says = "Where the store is asked, without the bucket; https://, or http:// on this machine alone.",
     .example = "https://s3.eu-central-1.amazonaws.com"},
    {"region",          VALUE_NAME,     0,              AT(region),          "us-east-1", 0,             0,
     .says = "Which region requests are signed for."},
    {"path_style",      VALUE_FLAG,     0,              AT(path_style),      "true",      0,             0,
     .says = "The bucket stands in the path, as most stores have it; false: in the name of the host."},
    {"access_key",      VALUE_TEXT,     REQUIRED,       AT(access_key),      NULL,        1,             256,
     .says = "The id of the account's key.", .example = "${AWS_ACCESS_KEY_ID}"},
    {"secret_key",      VALUE_TEXT,     SECRET | SHOWN, AT(secret_key),      NULL,        1,             512,
     .says = "Its secret; better in a file, or in a variable as here.", .example = "${AWS_SECRET_ACCESS_KEY}"},
    {"secret_key_file", VALUE_FILE,     0,              AT(secret_key_file), NULL,        0,             0,
     .says = "A file whose first line is the secret.", .example = "/etc/onecase/s3.secret"},
    {"ca_file",         VALUE_FILE,     0,              AT(ca_file),         "",          0,             0,
     .says = "Certificates of authorities to trust besides the system's."},
    {"proxy",           VALUE_TEXT,     SECRET,         AT(proxy),           "",          0,             1024,
     .says = "A proxy to go by, such as socks5h://proxy.example.org:1080."},
    {"timeout",         VALUE_DURATION, 0,              AT(timeout_ms),      "60s",       SECONDS(1),    HOURS(1),
     .says = "How long a request may take, with what it sends or fetches."},
    {"part_size",       VALUE_OCTETS,   0,              AT(part_size),       "16MB",      5 * MB,        GB,
     .says = "A file that is longer is sent in parts of this size."},
};
#undef AT
static const struct block s3 = BLOCK_OF(s3_rows, struct config_s3);

/* The file */

#define AT(member) offsetof(struct config, member)
static const struct setting top_rows[] = {
    {"name",            VALUE_TEXT,     0,                AT(name),            NULL,         1,          64,
     .says = "This deployment, as `deployments` shows it; by default the name of the machine.", .example = "help-desk"},
    {"environment",     VALUE_TEXT,     0,                AT(environment),     "production", 1,          64,
     .says = "What it is for."},
    {"owner",           VALUE_TEXT,     0,                AT(owner),           "",           0,          128,
     .says = "Who answers for it.", .example = "service-desk@example.org"},
    {"timezone",        VALUE_ZONE,     0,                AT(timezone),        "",           0,          0,
     .says = "For reports and pages; by default that of the machine. JSON and logs are in UTC.",
     .example = "Australia/Perth"},
    {"data_dir",        VALUE_FOLDER,   REQUIRED | FIXED, AT(data_dir),        NULL,         0,          0,
     .says = "Where everything is kept; for the account that runs onecase alone (0700).",
     .example = "/var/lib/onecase"},
    {"ledger",          VALUE_LEDGER,   SECRET | FIXED,   AT(ledger),          "sqlite",     0,          0,
     .says = "sqlite, in data_dir, or postgresql://USER@HOST/DATABASE (TLS, verified)."},
    {"async_failover",  VALUE_CHOICE,   0,                AT(async_failover),  "refused",    CONFIG_FAILOVER_REFUSED, 0,
     .says = "Whether a ledger in PostgreSQL may have standbys that can take over without its last commits.",
     .words = failover_words},
    {"blobs",           VALUE_BLOBS,    FIXED,            AT(blobs),           "file",       0,          0,
     .says = "Where originals and attachments are kept: file, in data_dir, or s3://BUCKET/PREFIX."},
    {"s3",              VALUE_BLOCK,    OPTIONAL | FIXED, AT(s3),              NULL,         0,          0,
     .says = "The object store that blobs names.", .block = &s3},
    {"templates_dir",   VALUE_FOLDER,   0,                AT(templates_dir),   NULL,         0,          0,
     .says = "Where the templates are; by default those that were installed.", .example = "/etc/onecase/templates"},
    {"approval",        VALUE_CHOICE,   0,                AT(approval),        "one-person", CONFIG_ONE_PERSON, 0,
     .says = "Whether a decision or a replay takes a second person, under another account of the system.",
     .words = approval_words},
    {"mailboxes",       VALUE_BLOCKS,   REQUIRED,         AT(mailboxes),       NULL,         1,          1000,
     .says = "The watched mailboxes.", .block = &mailbox},
    {"merge_across",    VALUE_LOWER,    MANY,             AT(merge_across),    "[]",         1,          64,
     .says = "Mailboxes to which the same mail is one case; by default it is one in each. The first goes into new keys."},
    {"acknowledgement", VALUE_BLOCK,    0,                AT(acknowledgement), NULL,         0,          0,
     .says = "What senders are told.", .block = &acknowledgement},
    {"case",            VALUE_BLOCK,    0,                SAME,                NULL,         0,          0,
     .says = "What a mail becomes.", .block = &case_block},
    {"destinations",    VALUE_BLOCKS,   0,                AT(destinations),    NULL,         0,          16,
     .says = "Help desks over HTTP; case.destination names the one in use.", .block = &destination},
    {"attachments",     VALUE_BLOCK,    0,                SAME,                NULL,         0,          0,
     .says = "What is stored beside it.", .block = &attachments},
    {"reader",          VALUE_BLOCK,    0,                AT(reader),          NULL,         0,          0,
     .says = "What a mail may be. Beyond one of these it is held for a person, or less of it is shown; its original is kept in any case.",
     .block = &reader},
    {"key_rules",       VALUE_BLOCKS,   0,                AT(key_rules),       NULL,         0,          1000,
     .says = "Senders whose own number is the key in place of the Message-ID; the first rule that matches.",
     .block = &key_rule},
    {"authentication",  VALUE_BLOCK,    0,                AT(authentication),  NULL,         0,          0,
     .says = "What the own mail servers say of a mail's sender (RFC 8601).", .block = &authentication},
    {"copies",          VALUE_BLOCK,    0,                SAME,                NULL,         0,          0,
     .says = "Other mail under the same Message-ID.", .block = &copies},
    {"threading",       VALUE_BLOCK,    0,                SAME,                NULL,         0,          0,
     .says = "Replies.", .block = &threading},
    {"retry",           VALUE_BLOCK,    0,                SAME,                NULL,         0,          0,
     .says = "When something fails that may work later.", .block = &retry},
    {"lease",           VALUE_DURATION, 0,                AT(lease_ms),        "5m",         SECONDS(1), HOURS(24),
     .says = "How long a run that has died elsewhere holds up its mails."},
    {"stop_timeout",    VALUE_DURATION, 0,                AT(stop_timeout_ms), "90s",        0,          HOURS(1),
     .says = "How long a stop waits for what is in flight."},
    {"disk",            VALUE_BLOCK,    0,                SAME,                NULL,         0,          0,
     .says = "Room on the disk of data_dir.", .block = &disk},
    {"backup",          VALUE_BLOCK,    0,                SAME,                NULL,         0,          0,
     .says = "What `onecase backup` has saved last.", .block = &backup},
    {"retention",       VALUE_BLOCK,    0,                AT(retention),       NULL,         0,          0,
     .says = "What `onecase retain` lets go, and when; by default nothing.", .block = &retention},
    {"notify",          VALUE_BLOCK,    0,                AT(notify),          NULL,         0,          0,
     .says = "Who is told when decisions wait or something is the matter.", .block = &notify},
    {"webhooks",        VALUE_BLOCKS,   0,                AT(webhooks),        NULL,         0,          16,
     .says = "Other programs that are told of mails and cases, in order for each mail and at least once.", .block = &webhook},
    {"console",         VALUE_BLOCK,    0,                SAME,                NULL,         0,          0,
     .says = "The operator's pages.", .block = &console},
};
#undef AT
const struct block settings = BLOCK_OF(top_rows, struct config);
/* clang-format on */
