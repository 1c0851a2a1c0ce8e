/* SPDX-License-Identifier: Apache-2.0
 *
 * policy - what a mail is to us: new or a copy, what for, whether its sender is answered, the plan.
 *
 * Pure. The ledger gathers what it knows about an arrival inside the reserving transaction and asks
 * policy_judge; plan_make then writes down every effect, target and file name, and no later
 * configuration or program version recomputes them.
 */
#pragma once

#include <onecase/authentication.h>
#include <onecase/identity.h>
#include <onecase/item.h>
#include <onecase/language.h>
#include <onecase/message.h>
#include <onecase/safe_name.h>

/* clang-format off */
#define DELIVERY_CLASS_LIST(X) \
    X(CLASS_FIRST,        "first",        "the delivery that won its item")                          \
    X(CLASS_REDELIVERED,  "redelivered",  "another copy of a mail that has its item")                \
    X(CLASS_REOBSERVED,   "reobserved",   "the same message seen again under a new UIDVALIDITY")     \
    X(CLASS_RETURNED,     "returned",     "a filed message that somebody put back")                  \
    X(CLASS_LIST_COPY,    "list_copy",    "the same mail, by way of a mailing list")                 \
    X(CLASS_GATEWAY_COPY, "gateway_copy", "the same mail, changed by a gateway")                     \
    X(CLASS_REPLAYED,     "replayed",     "a person's replay")                                       \
    X(CLASS_CONFLICT,     "conflict",     "another mail under a key that is taken")

#define SKIP_LIST(X) \
    X(SKIP_NONE,            "",                 "answered")                                             \
    X(SKIP_NOT_CONFIGURED,  "not-configured",   "no acknowledgement is configured for this state")      \
    X(SKIP_AUTO_SUBMITTED,  "auto-submitted",   "Auto-Submitted other than no, or as plain a sign of a program") \
    X(SKIP_LIST_MAIL,       "list",             "List-* header of a list that is not one of own_lists; a direct copy is answered") \
    X(SKIP_BULK,            "bulk",             "Precedence bulk, list or junk")                        \
    X(SKIP_NULL_PATH,       "null-path",        "a null or mailer-daemon return path")                  \
    X(SKIP_REPORT,          "report",           "a report is never answered")                           \
    X(SKIP_SUPPRESS,        "suppress",         "the sender asks for no automatic answer")              \
    X(SKIP_DMARC_FAIL,      "dmarc-fail",       "the own servers say DMARC fail: somebody else may have written it") \
    X(SKIP_NO_ADDRESS,      "no-address",       "there is no usable address")                           \
    X(SKIP_OWN_ADDRESS,     "own-address",      "it would go to ourselves")                             \
    X(SKIP_STAFF,           "staff",            "staff is never answered")                              \
    X(SKIP_NO_REPLY,        "no-reply",         "mailer-daemon, postmaster and no-reply addresses")     \
    X(SKIP_TOO_OLD,         "too-old",          "older than acknowledgement.max_age")                   \
    X(SKIP_FROM_BEFORE,     "from-before",      "from before the first start; cases without answers were chosen") \
    X(SKIP_RECIPIENT_LIMIT, "recipient-limit",  "above per_recipient_limit")                            \
    X(SKIP_RETAINED,        "retained",         "what it would answer was let go by retention")         \
    X(SKIP_SAID_NONE,       "said-none",        "a person: the sender shall get none")

#define IMPORT_LIST(X) \
    X(IMPORT_NOT_ASKED, "",      "no message was from before the first start")          \
    X(IMPORT_WAITING,   "waiting", "messages from before wait for the choice")          \
    X(IMPORT_CASES,     "cases", "make cases of them, answer nobody")                   \
    X(IMPORT_FULL,      "full",  "treat them as if they had just come")                 \
    X(IMPORT_ADOPT,     "adopt", "remember them, do nothing")

/* Why an attachment is not taken; its sender is told. */
#define EXCEPTION_LIST(X) \
    X(EXCEPTION_NONE,        "",            "it is taken")                                             \
    X(EXCEPTION_TOO_LARGE,   "max-size",    "larger than attachments.max_size")                        \
    X(EXCEPTION_TYPE,        "type",        "one of attachments.refuse_types, by type, name or content") \
    X(EXCEPTION_TOO_MANY,    "max-count",   "beyond attachments.max_count of one mail")                \
    X(EXCEPTION_NAME,        "name-length", "its name is longer than attachments.max_name")            \
    X(EXCEPTION_INFECTED,    "infected",    "the virus scanner found something in it; the original alone has it") \
    X(EXCEPTION_NOT_SCANNED, "not-scanned", "larger than the virus scanner reads")                     \
    X(EXCEPTION_DESTINATION, "destination", "kept, but the destination does not take it")
/* clang-format on */

enum delivery_class { DELIVERY_CLASS_LIST(NAMED_ENUM) DELIVERY_CLASS_COUNT };
enum skip { SKIP_LIST(NAMED_ENUM) SKIP_COUNT };
enum import_choice { IMPORT_LIST(NAMED_ENUM) IMPORT_COUNT };
enum exception { EXCEPTION_LIST(NAMED_ENUM) EXCEPTION_COUNT };

/* What becomes of a list's or a gateway's copy: filed by itself, proposed to a person as a copy, or
 * held as any other conflict. */
enum copy_rule { COPY_DUPLICATE, COPY_PROPOSE, COPY_CONFLICT };

struct limit {
    unsigned count; /* 0: none */
    int64_t window_ms;
};

/* A list of lower-case texts (addresses, patterns with *, list ids); borrowed. */
struct texts {
    const char *const *at;
    size_t count;
};

/* Takes the sender's own number as the identity, for the senders it names (contract section 2). */
struct key_rule {
    const char *space;   /* NAMESPACE */
    const char *from;    /* pattern of the senders */
    const char *header;  /* whose whole value is the number; "" is none */
    const char *subject; /* extended regular expression for the whole subject; group 1 is it */
    bool digest;         /* set the Message-ID aside instead: the sender reuses one */
    bool dmarc_pass;     /* only where SIGN_DMARC_PASS proves the sender */
};

/* In which language its sender is told, for mail from or to such an address. */
struct language_rule {
    const char *from, *to; /* patterns; "" is any */
    const char *language;
};

/* The settings of one mailbox that decide about its mail. Borrowed from the configuration. */
struct policy {
    const char *mailbox;
    struct texts
        merge_across; /* mailboxes, it among them, whose same mail is one; none: it alone */
    const char *reference_prefix;
    struct texts own_addresses, staff, own_lists, refuse_types;
    const struct key_rule *key_rule; /* the first that matches counts */
    size_t key_rules;
    struct authentication authentication;
    bool skip_dmarc_fail;         /* nobody is told where the own servers say DMARC fail */
    bool look_only;               /* record and plan, change nothing */
    bool tells[COMPLETION_COUNT]; /* an acknowledgement is configured for it */
    int64_t max_age_ms;
    struct limit per_recipient, total, per_sender;
    enum copy_rule list_copies, gateway_copies;
    bool reopen_closed; /* threading.closed: reopen (else a linked case) */
    int64_t attachment_max;
    unsigned attachment_count, attachment_name_max; /* 0: no limit */
    const struct language_rule *language_rule;      /* the first that matches counts */
    size_t language_rules;
    const char *folder_processed, *folder_duplicates, *folder_unprocessable; /* "" is stay */
    const char *destination;                        /* "ledger", or the name of a further one */
    bool destination_appends, destination_attaches; /* replies and files go there too */
};

/* One observed message, as the service hands it to the ledger. Borrowed throughout. */
struct arrival {
    const char *mailbox, *folder;
    uint32_t uidvalidity, uid;
    int64_t numbering;   /* of the mailbox when it was listed; not of what is `filed` */
    int64_t internal_ms; /* INTERNALDATE */
    int64_t size;
    struct digest octets; /* zero where they could not be had */
    struct identity identity;
    const struct identity *member; /* the same in each of policy.merge_across; NULL: none */
    struct slice message_id;       /* normalised; empty where there is none */
    struct digest source_digest;   /* of an oversize one: over its size, From, Date and Subject */
    const struct message *message; /* NULL where it could not be read, or was not fetched */
    enum reason held;              /* REASON_NONE, _UNPROCESSABLE, _OVERSIZE */
    enum import_choice import;     /* what was chosen for mail from before; else NOT_ASKED */
    bool before_rewind;            /* from before the ledger went back in time */
    bool proven;                   /* its X-Onecase-Proof is ours */
    bool filed;                    /* found in Processed: it is not moved again */
};

/* What the ledger knows about an arrival. Gathered in the reserving transaction; borrowed. */
struct known_item {
    char key[KEY_SIZE];
    char first_key[KEY_SIZE]; /* of a conflict: the item it conflicts with; else "" */
    enum disposition disposition;
    enum item_state state;
    bool
        same_key; /* the arrival's own key, or a member's; else same Message-ID and source digest */
    bool
        listed; /* nothing is known of it but what an older system's list says: listed_is of listed.h */
    bool id_shared; /* listed, and its Message-ID is that of other mails, too */
    struct digest source_digest, payload_digest;
    int payload_version;
    uint32_t signs;
    struct slice from, subject, text;
    bool has_date;
    int64_t date_ms;
    struct slice author;         /* list: as of a message */
    struct slice recipient;      /* list of one: who is answered */
    struct texts attachment_hex; /* SHA-256 of each, stored or refused; not of containers */
};

struct known_case {
    char key[KEY_SIZE]; /* the item that made it */
    char reference[REFERENCE_SIZE];
    bool open;
    bool participant;                /* the sender is one */
    bool by_acknowledgement;         /* the arrival names our acknowledgement of it */
    char acknowledged_key[KEY_SIZE]; /* then: the item acknowledged */
};

/* What a person said about a flood of cases by this sender that is still going on. */
enum flood { FLOOD_UNDECIDED, FLOOD_MUTED, FLOOD_LET_THROUGH };

struct known {
    struct known_item *item; /* under the key, its conflicts, other keys with the same digest */
    size_t items;
    const char
        *same_octets_key; /* an item with a delivery of the same octets and INTERNALDATE, or NULL */
    bool same_octets_filed;   /* that delivery has left its folder */
    struct known_case *cases; /* that In-Reply-To, References or the subject name */
    size_t case_count;
    unsigned sender_cases; /* in per_sender's window, by INTERNALDATE */
    enum flood flood;
    unsigned recipient_told; /* in per_recipient's window */
    unsigned total_told;     /* in total's window */
};

struct verdict {
    enum delivery_class class;
    bool settled_by;          /* the arrival belongs to the item `of` */
    size_t of;                /* index into known.item */
    bool direct_copy;         /* to be answered, and its item came by a list: ON_DIRECT_COPY where
                                 that is why its acknowledgement was skipped (SKIP_LIST_MAIL) */
    bool files_copy;          /* this copy is filed once its item is complete */
    struct identity identity; /* of the new item; a conflict has one of its own */
    enum disposition disposition;
    enum item_state state;
    enum reason reason;
    bool joins;     /* the case `joined` gets it (append, report, evidence) */
    size_t joined;  /* index into known.cases */
    bool linked;    /* a stranger's reply, or a reply to a closed case: linked only */
    enum skip skip; /* why nobody is told */
    bool ack_waits; /* above total_limit: deferred */
    bool flood;     /* above the case rate, whatever becomes of it */
};

/* The mailbox id that goes into new keys: its own, or the first of merge_across. */
const char *policy_key_mailbox(const struct policy *policy);

void policy_judge(const struct policy *policy,
                  const struct arrival *arrival,
                  const struct known *known,
                  int64_t now_ms,
                  struct verdict *out);

/* The first rule that names the sender and finds its number in `header` (the raw header block) or in
 * the subject; `value` is the number. NULL where there is none. */
const struct key_rule *key_rule_find(const struct policy *policy,
                                     const struct message *message,
                                     struct slice header,
                                     struct str *value);
/* How one rule fits a mail: why it is not the one, or that it would be. */
#define RULE_FIT_LIST(X)                                                                           \
    X(RULE_FITS, "fits", "it names this sender and finds the number")                              \
    X(RULE_OTHER_SENDER, "other-sender", "it is for other senders")                                \
    X(RULE_NO_PASS, "no-dmarc-pass", "it requires dmarc-pass, and the own servers do not say so")  \
    X(RULE_NO_HEADER, "no-header", "the mail has no such header, or nothing in it")                \
    X(RULE_NO_SUBJECT, "no-subject", "the subject is not of its pattern, from end to end")
enum rule_fit { RULE_FIT_LIST(NAMED_ENUM) RULE_FIT_COUNT };

enum rule_fit key_rule_fit(const struct key_rule *rule,
                           const struct message *message,
                           struct slice header,
                           struct str *value);
const char *rule_fit_text(enum rule_fit fit);

/* Does any rule name this sender? Then its header block is worth reading. */
bool key_rule_names(const struct policy *policy, const struct message *message);

/* The address that an acknowledgement goes to: the first usable one of Reply-To, else From. Borrowed. */
struct slice policy_recipient(const struct message *message);
#define ADDRESS_MAX                                                                                \
    254 /* octets of an address that SMTP carries (RFC 5321 with its brackets: 256) */
bool address_usable(struct slice address);
/* For comparing addresses: without case, +tag and needless quotes, an international domain in its ASCII
 * form. Patterns are compared in the same form. */
void address_canonical(struct slice address, struct str *out);
bool address_matches(struct slice address, const struct texts *patterns);

/* A winmail.dat whose files stand beside it: no file of its own where copies are compared. */
bool attachment_is_container(struct slice type, struct slice name, uint32_t signs);

/* Two mails under one key: is one the list's or a gateway's copy of the other? */
enum delivery_class copy_compare(const struct known_item *first, const struct message *second);

/* In which languages its sender may be told, best first: a rule's, else those of Content-Language. */
void policy_languages(const struct policy *policy,
                      const struct message *message,
                      char out[LANGUAGES_SIZE]);

struct planned_effect {
    enum effect_kind kind;
    char target[EFFECT_TARGET_SIZE]; /* a move's target is filled with the delivery's id */
    enum effect_status status;
    char reason[32];
};

struct planned_attachment {
    unsigned number; /* NN, from 1 */
    size_t part;     /* index into message.parts */
    char stored_name[STORED_NAME_SIZE];
    bool refused;
    char reason[32]; /* of enum exception */
};

struct plan {
    struct planned_effect *effect;
    size_t effects;
    struct planned_attachment *attachment;
    size_t attachments;
    const char *move_to; /* where its message is filed; "" stays. Borrowed from policy */
};

/* For an arrival that is settled by a known item the plan is at most its move. The `case` effect with
 * target "ledger" is planned as done: the reservation itself makes the record. */
void plan_make(const struct policy *policy,
               const struct arrival *arrival,
               const struct verdict *verdict,
               struct plan *out);
void plan_clear(struct plan *plan); /* for CLEANUP */

const char *delivery_class_text(enum delivery_class class);
const char *skip_text(enum skip skip);
const char *import_text(enum import_choice choice);
const char *exception_text(enum exception exception);
bool exception_parse(const char *text, enum exception *out);
bool delivery_class_parse(const char *text, enum delivery_class *out);
bool skip_parse(const char *text, enum skip *out);
bool import_parse(const char *text, enum import_choice *out);
