/* SPDX-License-Identifier: Apache-2.0
 *
 * config - what the operator wrote (contract section 7), read once, checked whole, never changed.
 *
 * The file is YAML of the plain kind: no aliases, anchors, tags or second document. Every key is a
 * row of one table (src/config/settings.c), from which the reader, its error texts, the defaults
 * and the printed reference are made. All that is wrong is found in one reading. Secrets are read
 * from their files while loading; a token's file or command is asked at each sign-in.
 *
 * A relative path is relative to the folder of the configuration file. `${NAME}` in a value is the
 * environment variable NAME; "$${" writes "${". Texts are UTF-8 without control characters; lists
 * of addresses, types and list ids are in lower case. "" is none.
 *
 * The struct owns all it points to (config_free); a mailbox's acknowledgement is whole: what it
 * does not say stands in it from the general one.
 */
#pragma once

#include <onecase/policy.h>
#include <onecase/retention.h>

#include <stdio.h>

enum config_security { CONFIG_TLS, CONFIG_STARTTLS, CONFIG_PLAINTEXT };
enum config_method {
    CONFIG_NO_SIGN_IN,
    CONFIG_PASSWORD, /* the strongest way offered */
    CONFIG_SCRAM_SHA_256,
    CONFIG_SCRAM_SHA_1,
    CONFIG_CRAM_MD5,
    CONFIG_PLAIN,
    CONFIG_LOGIN,
    CONFIG_XOAUTH2,
    CONFIG_OAUTHBEARER,
};
enum config_mode { CONFIG_ACTIVE, CONFIG_LOOK_ONLY };
enum config_closed { CONFIG_REOPEN, CONFIG_NEW_CASE };
enum config_strangers { CONFIG_STRANGERS_NEW_CASE };
enum config_approval { CONFIG_ONE_PERSON, CONFIG_TWO_PERSON };
enum config_failover { CONFIG_FAILOVER_REFUSED, CONFIG_FAILOVER_ACCEPTED };
enum config_too_large { CONFIG_TOO_LARGE_REFUSE, CONFIG_TOO_LARGE_ACCEPT };
enum config_use { CONFIG_USE_VALUE, CONFIG_USE_DIGEST };
enum config_require { CONFIG_REQUIRE_NONE, CONFIG_REQUIRE_DMARC_PASS };
enum config_placed { CONFIG_PLACED_ABOVE, CONFIG_PLACED_BELOW };

/* How to sign in, and where an access token comes from: the one of file, command and URL that is not
 * "". */
struct config_auth {
    enum config_method method; /* CONFIG_NO_SIGN_IN: no `auth` block */
    const char *token_file, *token_command;
    const char *token_url, *client_id, *client_secret_file, *scope;
    const char *refresh_token_file, *key_file, *subject;
    const char *client_secret; /* what the file holds */
    int64_t expires_ms;        /* of the secret, or of the password; 0: it was not said */
};

struct config_server {
    const char *host;
    unsigned port;
    enum config_security security;
    bool allow_plaintext;
    enum config_method method; /* of signing in, whatever way it was written */
    const char *username;
    const char *password; /* also where it came from password_file */
    const char *password_file;
    struct config_auth auth;
    const char *ca_file, *proxy;
    int64_t timeout_ms; /* of each step */
};

struct config_evidence {
    const char *folder, *copy_to;
    int64_t wait_ms;
};

struct config_acknowledgement {
    bool enabled;
    struct config_server smtp;
    const char *from;                        /* as written, "Name <address>" or an address */
    const char *from_name, *from_address;    /* its two halves */
    const char *envelope_from;               /* "<>" is the null reverse path */
    const char *templates[COMPLETION_COUNT]; /* "": none is sent */
    const char *language;                    /* where a mail says none; "" is the templates' own */
    struct texts languages;                  /* others are not spoken; empty: every one there is */
    struct {
        struct language_rule *at;
        size_t count;
    } language_rules;
    bool html; /* an HTML alternative goes along */
    unsigned connections;
    unsigned rate; /* a minute; 0 is no limit */
    int64_t final_timeout_ms;
    struct config_evidence evidence;
    struct limit per_recipient_limit, total_limit;
    int64_t max_age_ms;
    struct texts own_lists;
};

struct config_scan {
    const char *socket; /* of clamd: a path, or "HOST:PORT"; "" is no scanning */
    int64_t timeout_ms; /* of each step */
    enum config_too_large too_large;
};

struct config_folders {
    const char *inbox, *processed, *duplicates, *unprocessable, *claim;
};

struct config_mailbox {
    const char *id;
    enum config_mode mode;
    const char *previously; /* the id under which the ledger knows this account */
    struct config_server imap;
    struct texts addresses;     /* as written */
    struct texts own_addresses; /* these, and those of `from`, envelope and user names */
    struct config_folders folders;
    int64_t first_import_recent_ms;
    int64_t poll_interval_ms, idle_interval_ms;
    int64_t max_message_size;
    unsigned quota_warning; /* percent */
    struct config_acknowledgement acknowledgement;
};

/* What a mail may be: limits of message_reader.h by the names that people use. */
struct config_reader {
    int64_t header, field, decoded, text, html, memory; /* octets */
    unsigned header_lines, parameters, multiparts, comparisons, parts, attachments, repairs;
    unsigned name_length, addresses, references;
    int64_t time_ms, cpu_time_ms;
};

struct config_key_rule {
    const char *space;  /* `namespace` */
    const char *from;   /* pattern of the senders it is for */
    const char *header; /* whose whole value is the number; or */
    const char
        *subject; /* extended regular expression for the whole; its first group is the number */
    enum config_use use; /* CONFIG_USE_DIGEST sets the Message-ID aside */
    enum config_require require;
};

/* Whose word on a sender counts (authentication.h). */
struct config_authentication {
    const char *authserv_id; /* "": nobody's */
    unsigned hops;
    enum config_placed placed;
    bool skip_on_fail;
};

enum config_guarantee {
    CONFIG_GUARANTEE_NONE,
    CONFIG_UNIQUE_KEY,
    CONFIG_CONDITIONAL,
    CONFIG_IDEMPOTENCY_KEY
};
enum config_upload { CONFIG_UPLOAD_BASE64, CONFIG_UPLOAD_RAW, CONFIG_UPLOAD_FORM };
enum config_unknown { CONFIG_LOOK_UP, CONFIG_RECONCILE };

/* Where a part of a request stands in the file; line 0: it is not there. */
struct config_place {
    size_t line, column;
};

/* The parts of a request that are checked by whoever makes requests of them. */
#define CONFIG_PART_LIST(X)                                                                        \
    X(path)                                                                                        \
    X(headers)                                                                                     \
    X(body) X(id) X(key) X(list) X(match) X(sha256) X(field) X(done) X(exists) X(later) X(refused)
#define CONFIG_PART_COUNT 13

/* A request to a destination; method "" is none. Templates, pointers and statuses as they are written. */
struct config_request {
    const char *method, *path;
    struct texts headers;
    const char *body, *id, *key;
    struct texts done, exists, later, refused;
    enum config_guarantee guarantee;   /* of append and attach */
    const char *list, *match, *sha256; /* of look-ups; NULL where it is none */
    bool whole;
    enum config_upload upload; /* of attach */
    const char *field;
    struct config_place place[CONFIG_PART_COUNT]; /* in the order of CONFIG_PART_LIST */
};

struct config_destination {
    const char *name, *url;
    const char *username, *password, *password_file; /* Basic */
    const char *authorization, *authorization_file;  /* the whole value of that header */
    struct config_auth oauth;                        /* its token_url is "": none */
    struct config_request session;                   /* its `field` is the header that shows one */
    enum config_guarantee guarantee;
    enum config_unknown unknown;
    int64_t idempotency_life_ms, settle_ms, timeout_ms;
    unsigned rate; /* a minute; 0 is no limit */
    unsigned max_subject, max_text;
    struct config_request create, find, read, append, appended, attach, attached, close, remove;
    const char *ca_file, *proxy;
};

/* Who is told when something is the matter. */
enum config_report { CONFIG_REPORT_NEVER, CONFIG_REPORT_MONTHLY };

struct config_notify {
    struct texts to; /* addresses; none: no mail */
    const char *from, *from_name, *from_address;
    const char *envelope_from; /* "<>" is the null reverse path */
    const char *webhook;       /* "": none */
    const char *webhook_secret_file;
    const char *webhook_secret; /* what it holds */
    struct texts events;        /* decisions, trouble, clear */
    int64_t waiting_ms;         /* for how long a decision waits before somebody is told */
    int64_t digest_ms, remind_ms;
    struct limit rate;
    enum config_report report;
};

/* Another program that is told of mails and cases. */
struct config_webhook {
    const char *name, *url, *secret_file;
    const char *secret;             /* what it holds */
    struct texts events, mailboxes; /* as written; mailboxes: none is all */
    bool personal_data;
    int64_t timeout_ms, give_up_after_ms;
    const char *ca_file, *proxy;
};

/* For how long each content is kept after its mail was complete; 0 is for ever. */
struct config_retention {
    int64_t keep_ms[CONTENT_COUNT];
    bool only_closed;
    const char *archive; /* a folder; "" is none */
};

/* Where blobs: s3://… is; `region` "" where there is no such block. */
struct config_s3 {
    const char *endpoint, *region;
    bool path_style;
    const char *access_key, *secret_key, *secret_key_file;
    const char *ca_file, *proxy;
    int64_t timeout_ms, part_size;
};

struct config {
    const char *path;
    const char *name, *environment, *owner, *timezone;
    const char *data_dir, *ledger, *blobs, *templates_dir;
    struct config_s3 s3;
    enum config_approval approval; /* of what a person decides */
    enum config_failover async_failover;
    struct texts merge_across; /* mailboxes whose same mail is one; none: each for itself */
    struct {
        struct config_mailbox *at;
        size_t count;
    } mailboxes;
    struct config_acknowledgement acknowledgement; /* the general one */
    const char *reference_prefix, *destination;
    struct {
        struct config_destination *at;
        size_t count;
    } destinations;
    struct limit per_sender_limit;
    int64_t attachment_max_size;
    unsigned attachment_max_count, attachment_max_name;
    struct texts refuse_types;
    struct config_scan scan;
    struct config_reader reader;
    struct config_authentication authentication;
    struct {
        struct config_key_rule *at;
        size_t count;
    } key_rules;
    enum copy_rule list_copies, gateway_copies;
    enum config_strangers strangers;
    enum config_closed closed;
    struct texts staff;
    int64_t first_delay_ms, max_delay_ms, give_up_after_ms;
    int64_t lease_ms, stop_timeout_ms;
    int64_t disk_reserve;
    int64_t backup_age_ms; /* from which on the last backup is warned of; 0: never */
    const char
        *backup_recipient; /* a file of certificates that what leaves is sealed to; "" none */
    struct config_retention retention;
    struct config_notify notify;
    struct {
        struct config_webhook *at;
        size_t count;
    } webhooks;
    const char *listen; /* "ADDRESS:PORT" of the console; "" is no console */
    const char *tls_cert, *tls_key;
    bool behind_proxy;
    int64_t ledger_timeout_ms; /* of the console */
    int64_t session_idle_ms, session_whole_ms;
    struct config_memory *memory;
};

/* Reads and checks the file. RC_USAGE: `problems` got a line for each thing that is wrong, in the
 * order of the file: "FILE:LINE:COLUMN: what is wrong and what is allowed", LF at its end. No line
 * holds a secret. `templates_dir` is the installed one, where the file names none. */
enum rc
config_load(const char *path, const char *templates_dir, struct config **out, struct str *problems)
    MUST_CHECK;
void config_free(struct config **config); /* for CLEANUP */

/* Is it one of the values of `blobs`? */
bool config_is_blobs(const char *place);
bool config_is_ledger(const char *place); /* and of `ledger` */
/* Blots out every secret of a server: for a process that talks to none. */
void config_forget_secrets(struct config *config);

const struct config_mailbox *config_find_mailbox(const struct config *config, const char *id);

/* Where cases are made besides the ledger, or NULL. */
const struct config_destination *config_find_destination(const struct config *config);

/* Where the part stands that a text such as "body: ..." begins with; else where the request does. */
struct config_place config_part_place(const struct config_request *request, const char *text);

/* NULL: there is none of that name. */
const struct config_webhook *config_find_webhook(const struct config *config, const char *name);

/* Its name where it closes cases, or takes them away; NULL: it does not. */
const char *config_act_there(const struct config *config, bool closes);

/* Whose word on a sender counts; borrows from `config`. */
struct authentication config_authentication(const struct config *config);

/* The settings of one mailbox that decide about its mail; borrows from `config`. */
void config_policy(const struct config *config,
                   const struct config_mailbox *mailbox,
                   struct policy *out);

/* The names of the settings that differ and are taken up only by a new start, joined by ", ". */
void config_needs_restart(const struct config *old, const struct config *new, struct str *out);

/* A secret of a mailbox's servers that expires within 30 days, or has. */
struct expiring {
    bool over;
    char text[120]; /* "the secret for its IMAP server expires on 2027-06-30, in 12 days" */
};

#define EXPIRING_MOST 2
#define EXPIRING_REMEDY                                                                            \
    "have a new one made, put it in the place of the old one, write its date as `expires`, and "   \
    "reload"

size_t config_expiring(const struct config_mailbox *mailbox,
                       int64_t now_ms,
                       struct expiring out[EXPIRING_MOST]);

/* The complete example: every setting with its sentence, what is allowed, and its default. */
void config_print_reference(FILE *out);
