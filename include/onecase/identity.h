/* SPDX-License-Identifier: Apache-2.0
 *
 * identity - the name of a business instruction: immutable id, intake key, reference, effect ids.
 *
 * A key says which instruction this is, carries no personal data and never changes: not with a
 * host name, a library, a configuration or a restore. Contract section 2 is the law.
 */
#pragma once

#include <onecase/digest.h>
#include <onecase/str.h>

#define KEY_SIZE             DIGEST_HEX_SIZE /* 64 lower-case hex digits and NUL */
#define NAME_SIZE            65              /* mailbox id or NAMESPACE: at most 64, and NUL */
#define REFERENCE_SIZE       64              /* prefix, digits, NUL */
#define REFERENCE_DIGITS     8               /* Crockford digits at first */
#define REFERENCE_DIGITS_MAX 50              /* all whole digits of the key's 256 bits, less one */
#define EFFECT_ID_SIZE       33              /* 32 lower-case hex digits and NUL */

/* clang-format off */
#define KEY_SOURCE_LIST(X) \
/*    name             text           where the immutable id comes from */                        \
    X(KEY_REFERENCE,   "reference",   "a key rule: the sender's own number")                      \
    X(KEY_MESSAGE_ID,  "message-id",  "the Message-ID, normalised")                               \
    X(KEY_DIGEST,      "digest",      "no Message-ID, or a rule sets it aside: the source digest")\
    X(KEY_CONFLICT,    "conflict",    "another mail under a key that is taken")                   \
    X(KEY_DELIVERY,    "delivery",    "the octets cannot be had: UIDVALIDITY and UID")
/* clang-format on */

#define KEY_SOURCE_ENUM(name, text, meaning) name,
enum key_source { KEY_SOURCE_LIST(KEY_SOURCE_ENUM) KEY_SOURCE_COUNT };
#undef KEY_SOURCE_ENUM

const char *key_source_text(enum key_source source);

struct identity {
    enum key_source source;
    char key[KEY_SIZE];
};

/* mailbox ids and namespaces match [a-z0-9][a-z0-9._-]{0,63} */
bool name_valid(struct slice name);

/* SHA-256 of mailbox + ":" + immutable_id, as hex. */
void intake_key(const char *mailbox, struct slice immutable_id, char out[KEY_SIZE]);

struct identity identity_reference(const char *mailbox, const char *space, struct slice value);
struct identity identity_message_id(const char *mailbox, struct slice normalised);
struct identity identity_digest(const char *mailbox, const struct digest *source_digest);
struct identity identity_conflict(const char *mailbox, const struct digest *source_digest);
/* Of a case that an older system made, where its mail's Message-ID is not known or another's. */
struct identity identity_listed(const char *mailbox, const char *reference);
struct identity identity_delivery(const char *mailbox, uint32_t uidvalidity, uint32_t uid);

/* prefix + the first `digits` (1 to REFERENCE_DIGITS_MAX) Crockford base-32 digits (0-9 A-Z without
 * I L O U) of the key's bits, most significant first. A collision takes two digits more. What does
 * not fit into REFERENCE_SIZE is left out: prefixes are short. */
void reference_of(const char *prefix, const char *key, int digits, char out[REFERENCE_SIZE]);
/* Finds prefix + at least 8 Crockford digits as a word of a text such as a subject, in any case,
 * with O for 0 and I or L for 1; false where there is none. `out` is in canonical form. `*at` is the
 * place to search from and then where it was found: go on from *at + 1. */
bool reference_find(const char *prefix, struct slice text, size_t *at, char out[REFERENCE_SIZE]);

/* The first 32 hex digits of SHA-256 of key + ":acknowledgement:" + completion_state. */
void acknowledgement_id(const char *key, const char *completion_state, char out[EFFECT_ID_SIZE]);
/* "<ack.EFFECT@domain>", and back: false where `message_id` is not of that form (any domain). */
void acknowledgement_message_id(const char *effect, const char *domain, struct str *out);
bool acknowledgement_named(struct slice message_id, char out[EFFECT_ID_SIZE]);
/* X-Onecase-Proof: hex HMAC-SHA-256 of the effect id under the ledger's secret. */
void acknowledgement_proof(struct slice secret, const char *effect, char out[DIGEST_HEX_SIZE]);
bool acknowledgement_proven(struct slice secret, const char *effect, struct slice proof);
