/* SPDX-License-Identifier: Apache-2.0
 *
 * scram - signing in without showing the password (RFC 5802, RFC 7677), and having the server prove
 * that it knows it, too; and CRAM-MD5 (RFC 2195), which proves nothing and hides little.
 *
 * Texts of the server go in, ours come out; nothing is sent here. What a server may make us compute is
 * bounded. User and password come prepared (prepare.h).
 *
 * Without channel binding (SCRAM-…-PLUS), on purpose: it guards against somebody between who has a
 * certificate that we accept, where the certificate was verified by chain and name already; it needs the
 * finished message or exporter of the TLS session, which libcurl does not give, and Dovecot 2.3, Cyrus and
 * Courier of Debian 12 do not offer it. "n" says to the server that we cannot, so none is stripped of it.
 */
#pragma once

#include <onecase/str.h>

enum scram_hash { SCRAM_SHA_1, SCRAM_SHA_256 };

#define SCRAM_DIGEST_MAX     32
#define SCRAM_NONCE_SIZE     45
#define SCRAM_ITERATIONS_MIN 4096    /* fewer would make the proof easy to guess from */
#define SCRAM_ITERATIONS_MAX 1000000 /* about a second's work */

struct scram {
    enum scram_hash hash;
    char nonce[SCRAM_NONCE_SIZE]; /* ours; "" until the first text, which then makes one */
    struct str password;
    struct str first;                         /* ours, without the channel's part */
    unsigned char expected[SCRAM_DIGEST_MAX]; /* what the server must say in the end */
    bool answered;
    bool proven; /* the server knows the password */
};

/* Gives the first text. The password is kept until scram_clear. */
void scram_begin(struct scram *s, const char *user, struct slice password, struct str *out);

/* Gives the answer to the server's next text, "" to its last. NULL, or what is wrong with it. */
const char *scram_answer(struct scram *s, struct slice said, struct str *out) MUST_CHECK;

void scram_clear(struct scram *s);

void cram_md5_answer(const char *user, struct slice password, struct slice said, struct str *out);

/* Overwrites and frees. */
void secret_clear(struct str *s);
