/* SPDX-License-Identifier: Apache-2.0
 *
 * message - one mail as its sender meant it: decoded, flat, serialisable.
 *
 * Made by a reader (port reader.h) from hostile octets in a process of its own, so it holds no
 * library's pointers: every text is a span of one pool, every part's octets stand in a spool file
 * beside it. Texts are UTF-8; NUL and undecodable octets were replaced. A span of length 0 is
 * "absent". Lists are items ended by LF; message_next walks them.
 *
 * The struct owns pool and parts (message_clear). It says nothing of identity: keys come from the
 * original octets (source.h), so they do not change with a reader.
 */
#pragma once

#include <onecase/digest.h>
#include <onecase/err.h>
#include <onecase/str.h>

struct span {
    uint32_t at, len; /* into message.pool */
};

/* clang-format off */
/* Signs in the header that decide whether a mail may be acknowledged, and what it is. */
#define SIGN_LIST(X) \
/*    name                   bit        what was seen */                                            \
    X(SIGN_AUTO_SUBMITTED,   1u << 0,  "Auto-Submitted other than no (RFC 3834), or as plain a sign") \
    X(SIGN_LIST_HEADER,      1u << 1,  "a List-* header (RFC 2369, RFC 2919)")                      \
    X(SIGN_BULK,             1u << 2,  "Precedence bulk, list or junk")                             \
    X(SIGN_NULL_PATH,        1u << 3,  "a null or mailer-daemon return path")                       \
    X(SIGN_DELIVERY_REPORT,  1u << 4,  "a delivery report (RFC 3464)")                              \
    X(SIGN_OTHER_REPORT,     1u << 5,  "another report, such as a read receipt (RFC 8098)")         \
    X(SIGN_SUPPRESS,         1u << 6,  "X-Auto-Response-Suppress All, OOF or AutoReply")            \
    X(SIGN_INCOMPLETE,       1u << 7,  "the reader could not make sense of the whole message")      \
    X(SIGN_SIGNED,           1u << 8,  "signed (S/MIME, PGP)")                                      \
    X(SIGN_ENCRYPTED,        1u << 9,  "encrypted (S/MIME, PGP)")                                   \
    X(SIGN_PIECE,            1u << 10, "a piece of a larger message (message/partial)")              \
    X(SIGN_DMARC_PASS,       1u << 11, "the own servers say DMARC pass (authentication.h)")          \
    X(SIGN_DMARC_FAIL,       1u << 12, "the own servers say DMARC fail")
/* clang-format on */

/* What no reader says: who runs one sets them (authentication_mark). */
#define SIGNS_OF_SERVERS (SIGN_DMARC_PASS | SIGN_DMARC_FAIL)

#define SIGN_ENUM(name, bit, meaning) name = bit,
enum message_sign { SIGN_LIST(SIGN_ENUM) };
#undef SIGN_ENUM

enum part_role {
    PART_TEXT,       /* the text shown, or an alternative of it; not an attachment */
    PART_ATTACHMENT, /* contract section 3 says when */
};

struct message_part {
    enum part_role role;
    struct span type; /* "type/subtype", lower case */
    struct span name; /* decoded, NFC, as the sender wrote it; absent where there is none */
    struct span seen; /* the type that its first octets show, lower case; absent where none */
    struct span file; /* the spool file with an attachment's decoded octets; absent of a text */
    int64_t size;     /* of the decoded octets; text parts as UTF-8 */
    struct digest sha256;
};

struct message {
    struct str pool;
    struct span from, from_name; /* addr-spec and display name of the first From */
    struct span reply_to;        /* list: addr-specs */
    struct span to, cc;          /* lists: addr-specs */
    struct span author;          /* list: addr-specs of X-Original-From and X-Original-Sender, where
                                          a list put its own address into From */
    struct span subject;         /* unfolded, decoded, trimmed */
    struct span text;            /* what a person reads: first text/plain, else from HTML */
    struct span message_id;      /* as source.h normalises it */
    struct span in_reply_to;     /* list: message ids with brackets */
    struct span references;      /* list: the same */
    struct span list_id;         /* the value between the brackets of List-Id */
    struct span acknowledgement; /* X-Onecase-Acknowledgement, or the EFFECT of an own
                                          Message-ID that it carries in its top header */
    struct span proof;           /* X-Onecase-Proof */
    struct span reported;        /* list: message ids that a report is about */
    struct span report_action;   /* failed, delayed, delivered, relayed, expanded */
    struct span language;        /* tags of Content-Language with blanks between (language.h) */
    bool has_date;
    int64_t date_ms;            /* RFC 5322 Date, if valid */
    uint32_t signs;             /* of enum message_sign */
    struct message_part *parts; /* leaves in order */
    size_t part_count;
};

#define MESSAGE_INIT                                                                               \
    {                                                                                              \
        .pool = STR_INIT                                                                           \
    }

void message_clear(struct message *m); /* for CLEANUP */

/* Puts text into the pool and says where it stands. The pool may move: slices taken before die.
 * What does not fit into 4 GiB is absent. */
struct span message_keep(struct message *m, struct slice text);
struct slice message_slice(const struct message *m, struct span where); /* borrowed */
struct message_part *message_add_part(struct message *m);               /* zeroed; borrowed */
/* Adds one item to a list, which stands last in the pool then; an LF in the item becomes a blank. */
void message_list_add(struct message *m, struct span *list, struct slice item);
/* Takes the next item off a list; false at its end. Start with message_slice(m, m->to). */
bool message_next(struct slice *rest, struct slice *item);

/* The flat form that crosses from the reader's process: self-contained, versioned, checked.
 * message_read: RC_REFUSED where the octets are not a whole, consistent message of this version
 * (a child is not trusted: every span is held against the pool, every count against the length).
 * Consistent means also: texts are UTF-8 without NUL, and those that may come to stand in a header
 * (addresses, list id, proof, types) without CR and LF; lists end with LF; ids may hold any octets;
 * `file` is a name of letters, digits, "-", "_" and ".", or a path of such names below "tmp/", none
 * beginning with a dot; all texts together are at most twice as long as the pool.
 * `out` is MESSAGE_INIT or a former result. */
void message_write(const struct message *m, struct str *out);
enum rc message_read(struct slice octets, struct message *out, struct err *err) MUST_CHECK;

/* Digest over what the sender said: From address, Subject, Date and, of every leaf in order, type,
 * name and octets (by their SHA-256). Transport headers are not in it. Digests of different
 * versions are never compared. */
#define PAYLOAD_DIGEST_VERSION 1
struct digest message_payload_digest(const struct message *m);

/* Finds suspects, decides nothing: sender, subject without Re/Fwd/tags, text with folded white
 * space, attachment hashes; neither Date nor Message-ID. */
struct digest message_fingerprint(const struct message *m);

/* The subject without reply and forward prefixes and without [tags] at either end, for comparing;
 * what would leave nothing stays. Borrowed. */
struct slice subject_core(struct slice subject);
/* Is it forwarded, by the first of its prefixes? */
bool subject_is_forward(struct slice subject);
