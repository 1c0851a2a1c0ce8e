/* SPDX-License-Identifier: Apache-2.0
 *
 * digest - SHA-256 and HMAC-SHA-256 (FIPS 180-4, RFC 2104), through OpenSSL.
 *
 * struct digest is 32 octets and compares with digest_eq. sha256_new/add/done hash a stream;
 * sha256_of hashes what is at hand. Failure of the crypto library aborts: it means a broken build.
 */
#pragma once

#include <onecase/scope.h>
#include <onecase/str.h>

#define DIGEST_SIZE     32
#define DIGEST_HEX_SIZE 65 /* 64 lower-case digits and NUL */

struct digest {
    uint8_t octet[DIGEST_SIZE];
};

struct sha256; /* a running hash; owned by who made it */

struct sha256 *sha256_new(void) MUST_CHECK;
void sha256_add(struct sha256 *h, struct slice what);
struct digest sha256_done(struct sha256 **h); /* frees and nulls */
void sha256_drop(struct sha256 **h);          /* frees without a result; for CLEANUP */

struct digest sha256_of(struct slice what);
struct digest hmac_sha256(struct slice secret, struct slice what);

bool digest_eq(const struct digest *a, const struct digest *b); /* in constant time */
bool digest_is_zero(const struct digest *d);
void digest_hex(const struct digest *d, char out[DIGEST_HEX_SIZE]);
bool digest_from_hex(struct slice hex, struct digest *out); /* 64 digits, either case */

/* 32 octets that nobody can guess, for secrets. Aborts where there is no randomness. */
void digest_random(struct digest *out);
