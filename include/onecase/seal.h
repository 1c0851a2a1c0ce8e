/* SPDX-License-Identifier: Apache-2.0
 *
 * seal - octets for the holder of a key alone: CMS (RFC 5652, RFC 5083) for the certificates of
 * recipients, AES-256 in GCM, so that a change is noticed; through OpenSSL.
 *
 * What comes out is what `openssl cms -encrypt -aes-256-gcm -outform DER` makes, and `openssl cms
 * -decrypt -inform DER` opens it. Sealing needs no more room however long the octets are. Opening takes
 * them into memory as a whole, so whoever means to open them here seals them in pieces.
 */
#pragma once

#include <onecase/digest.h>
#include <onecase/err.h>

#define SEAL_RECIPIENTS 8
#define SEAL_NAMES_SIZE (SEAL_RECIPIENTS * DIGEST_HEX_SIZE) /* "HEX HEX" */

struct recipients; /* owned by who read them */

/* The certificates of a PEM file. RC_USAGE: it cannot be read, holds none or too many, or a private
 * key, or one that nothing can be sealed to: expired, or with no RSA or EC key meant for that. */
enum rc recipients_read(const char *file, int64_t now_ms, struct recipients **out, struct err *err)
    MUST_CHECK;
/* SHA-256 of each certificate, a blank between them; borrowed. */
const char *recipients_names(const struct recipients *recipients);
/* When the first of them expires. */
int64_t recipients_end_ms(const struct recipients *recipients);
void recipients_free(struct recipients **recipients); /* for CLEANUP */

struct sealing; /* one sealed text being made; owned by who began it */

/* What is sealed so far is added to `out`, also by the calls after it; the caller may empty it between
 * two of them. */
enum rc seal_begin(const struct recipients *to, struct sealing **out, struct err *err) MUST_CHECK;
enum rc seal_add(struct sealing *s, struct slice octets, struct str *out, struct err *err)
    MUST_CHECK;
enum rc seal_end(struct sealing **s, struct str *out, struct err *err) MUST_CHECK; /* nulls */
void seal_drop(struct sealing **s);                                                /* for CLEANUP */

struct seal_key; /* a private key; owned by who read it */

/* Where the passphrase of a key comes from, which is asked only of one that has any. */
struct seal_asking {
    void *ctx;
    enum rc (*passphrase)(void *ctx, struct str *out, struct err *err);
};

/* From a PEM file. RC_USAGE: it cannot be read, holds no key, or the passphrase is another. */
enum rc seal_key_read(const char *file,
                      const struct seal_asking *asking,
                      struct seal_key **out,
                      struct err *err) MUST_CHECK;
void seal_key_free(struct seal_key **key); /* for CLEANUP */
/* RC_REFUSED: it is sealed to others, or is not what was sealed; nothing was added to `out`. */
enum rc seal_open(const struct seal_key *key, struct slice sealed, struct str *out, struct err *err)
    MUST_CHECK;
