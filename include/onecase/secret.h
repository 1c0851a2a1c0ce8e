/* SPDX-License-Identifier: Apache-2.0
 *
 * secret - what proves that somebody is who they say: passwords and tokens, through OpenSSL.
 *
 * A password is kept as scrypt (RFC 7914) of it with a salt of its own, "scrypt$15$8$1$SALT$HASH", and
 * never as it was said. To check one costs 32 MiB and a tenth of a second, whether it is right or not.
 * A token is 32 octets that nobody can guess; of it only the SHA-256 is kept.
 */
#pragma once

#include <onecase/digest.h>

#define SECRET_SIZE    200 /* of a kept password, with NUL */
#define TOKEN_SIZE     44  /* 43 letters, digits, - and _, and NUL */
#define PASSWORD_LEAST 10
#define PASSWORD_MOST  1000

/* Aborts where there is no randomness. */
void secret_keep(struct slice password, char out[SECRET_SIZE]);
/* Takes the same time whatever is wrong; a `kept` that is none is never matched. */
bool secret_matches(struct slice password, const char *kept);
/* One that no password matches, for whoever does not exist: to check against it takes as long. */
void secret_of_nobody(char out[SECRET_SIZE]);

void token_new(char out[TOKEN_SIZE]);
/* Under which it is kept. */
struct digest token_digest(struct slice token);
