/* SPDX-License-Identifier: Apache-2.0
 *
 * mails - what people and machines send, and what the contract makes of each: the truth that the
 * oracle compares with.
 *
 * A mail is one content; the same one may lie in several folders, or several times in one. The
 * program reads it through its reader port (port_reader.c), which knows the small format written
 * here: header, empty line, text, then for each attachment a line "=attachment NAME TYPE" and its
 * octets.
 */
#pragma once

#include <onecase/digest.h>
#include <onecase/identity.h>
#include <onecase/str.h>

struct world;

/* clang-format off */
#define MAIL_KIND_LIST(X) \
/*    name               what it is */                                                        \
    X(MAIL_REQUEST,      "a request")                                                         \
    X(MAIL_CONFLICT,     "another text under a Message-ID that is taken")                     \
    X(MAIL_LIST_COPY,    "a mailing list's copy of a request")                                \
    X(MAIL_REPLY,        "a participant's reply to an acknowledgement")                       \
    X(MAIL_STRANGER,     "a stranger's reply to an acknowledgement")                          \
    X(MAIL_BOUNCE,       "a delivery report about an acknowledgement")                        \
    X(MAIL_ABSENCE,      "an out-of-office answer to an acknowledgement")                     \
    X(MAIL_ECHO,         "our own acknowledgement, in a watched inbox")                       \
    X(MAIL_FORGED,       "a mail that pretends to be our acknowledgement")                    \
    X(MAIL_AUTOMATIC,    "an automatic mail that must not be answered")                       \
    X(MAIL_NAMELESS,     "a request without a Message-ID")                                    \
    X(MAIL_EXCEPTIONS,   "a request with an attachment of a type that is refused")            \
    X(MAIL_OLD,          "a request from before the first start")                             \
    X(MAIL_UNREADABLE,   "a mail that the reader cannot read")                                \
    X(MAIL_OURS,         "written by the program: a deed, a mark, a copy of an acknowledgement")
/* clang-format on */

#define MAIL_KIND_ENUM(name, what) name,
enum mail_kind { MAIL_KIND_LIST(MAIL_KIND_ENUM) MAIL_KIND_COUNT };
#undef MAIL_KIND_ENUM

#define MAIL_ATTACHMENTS_MAX 3

struct mail_attachment {
    const char *name; /* also its safe name */
    const char *type;
    bool refused; /* by the settings */
    struct digest sha256;
};

struct mail {
    struct mail *next;
    unsigned number; /* m1, m2 … in the story; 0 for the program's own */
    enum mail_kind kind;
    const char *about; /* the subject without Re and tags */
    const char *from;
    int64_t date_ms;
    struct str octets;
    struct digest digest;
    struct str message_id;       /* with brackets; empty where there is none */
    char key[KEY_SIZE];          /* the intake key of its own identity */
    char conflict_key[KEY_SIZE]; /* the key it has where it conflicts */
    struct mail_attachment attachment[MAIL_ATTACHMENTS_MAX];
    size_t attachments;
    const struct mail *of; /* the mail that it copies, conflicts with, answers; NULL is none */
    char effect[EFFECT_ID_SIZE]; /* the acknowledgement that it names; "" is none */
    bool arrived;                /* was put into the inbox at least once */
};

struct mails {
    struct mail *first;
    unsigned count;
};

void mails_end(struct world *world);
/* Writes a mail of that kind; `of` as in struct mail; `effect` "" or the acknowledgement named. */
struct mail *
mail_write(struct world *world, enum mail_kind kind, const struct mail *of, const char *effect);
/* Takes in octets that the program wrote. */
struct mail *mail_of_ours(struct world *world, struct slice octets);
struct mail *mail_by_octets(const struct world *world, const struct digest *octets);
const char *mail_kind_text(enum mail_kind kind);
/* "m3" for its key, conflict key too; the key's first digits where it is none of them. */
const char *mail_label(const struct world *world, const char *key);
