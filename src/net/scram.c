/* SPDX-License-Identifier: Apache-2.0 */
#include "scram.h"

#include <onecase/base64.h>

#include <onecase/digest.h>
#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>

#define NO_BINDING "n,,"

/* What the server's first text holds. */
struct challenge {
    struct slice nonce;
    struct str salt;
    int iterations;
};

static void challenge_clear(struct challenge *c)
{
    str_clear(&c->salt);
}

static const EVP_MD *hash_of(const struct scram *s)
{
    return s->hash == SCRAM_SHA_1 ? EVP_sha1() : EVP_sha256();
}

static size_t size_of(const struct scram *s)
{
    return s->hash == SCRAM_SHA_1 ? 20 : 32;
}

static const unsigned char *octets(struct slice text)
{
    return (const unsigned char *)text.at;
}

static void must(bool success)
{
    if (!success)
        abort();
}

void secret_clear(struct str *s)
{
    if (s->at != NULL)
        OPENSSL_cleanse(s->at, s->len);
    str_clear(s);
}

void scram_clear(struct scram *s)
{
    secret_clear(&s->password);
    str_clear(&s->first);
    *s = (struct scram){.hash = s->hash};
}

static void make_nonce(struct scram *s)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    struct digest random;

    if (s->nonce[0] != '\0')
        return;
    digest_random(&random);
    base64_add(&text, (struct slice){(const char *)random.octet, sizeof random.octet});
    text_copy(s->nonce, sizeof s->nonce, str_z(&text));
}

void scram_begin(struct scram *s, const char *user, struct slice password, struct str *out)
{
    make_nonce(s);
    str_add(&s->password, password);
    str_addz(&s->first, "n=");
    for (const char *at = user; *at != '\0'; at++) {
        if (*at == ',' || *at == '=')
            str_addf(&s->first, "=%02X", (unsigned)*at);
        else
            str_addc(&s->first, *at);
    }
    str_addf(&s->first, ",r=%s", s->nonce);
    str_addz(out, NO_BINDING);
    str_add(out, str_slice(&s->first));
}

/* "r=VALUE" at the front of `rest`, up to the comma. */
static bool take_field(struct slice *rest, char name, struct slice *out)
{
    struct slice field;

    if (!slice_next(rest, ',', &field) || field.len < 2 || field.at[0] != name ||
        field.at[1] != '=')
        return false;
    *out = slice_cut(field, 2, field.len);
    return true;
}

static bool read_count(struct slice text, int *out)
{
    int count = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] < '0' || text.at[i] > '9' || count > SCRAM_ITERATIONS_MAX)
            return false;
        count = count * 10 + (text.at[i] - '0');
    }
    *out = count;
    return count >= SCRAM_ITERATIONS_MIN && count <= SCRAM_ITERATIONS_MAX;
}

static const char *read_challenge(const struct scram *s, struct slice said, struct challenge *out)
{
    struct slice ours = slice_z(s->nonce);
    struct slice salt;
    struct slice count;

    if (!take_field(&said, 'r', &out->nonce) || !take_field(&said, 's', &salt) ||
        !take_field(&said, 'i', &count) || !base64_take(salt, &out->salt) || out->salt.len == 0)
        return "its challenge is no SCRAM";
    if (out->nonce.len <= ours.len || !slice_eq(slice_cut(out->nonce, 0, ours.len), ours))
        return "its challenge is not the answer to ours: somebody may be between";
    if (!read_count(count, &out->iterations))
        return "it asks for fewer than 4096 or more than 1000000 rounds of hashing";
    return NULL;
}

static void
keyed(const struct scram *s, const unsigned char *key, struct slice text, unsigned char *out)
{
    must(HMAC(hash_of(s), key, (int)size_of(s), octets(text), text.len, out, NULL) != NULL);
}

/* The proof for the server, and what it must prove to us. */
static void
prove(struct scram *s, const struct challenge *c, struct slice dialogue, unsigned char *proof)
{
    unsigned char salted[SCRAM_DIGEST_MAX];
    unsigned char client[SCRAM_DIGEST_MAX];
    unsigned char stored[SCRAM_DIGEST_MAX];
    unsigned char server[SCRAM_DIGEST_MAX];

    must(s->password.len <= INT_MAX && c->salt.len <= INT_MAX);
    must(PKCS5_PBKDF2_HMAC(str_z(&s->password), (int)s->password.len, octets(str_slice(&c->salt)),
                           (int)c->salt.len, c->iterations, hash_of(s), (int)size_of(s),
                           salted) == 1);
    keyed(s, salted, SLICE("Client Key"), client);
    must(EVP_Digest(client, size_of(s), stored, NULL, hash_of(s), NULL) == 1);
    keyed(s, stored, dialogue, proof);
    for (size_t i = 0; i < size_of(s); i++)
        proof[i] ^= client[i];
    keyed(s, salted, SLICE("Server Key"), server);
    keyed(s, server, dialogue, s->expected);
    OPENSSL_cleanse(salted, sizeof salted);
    OPENSSL_cleanse(client, sizeof client);
    OPENSSL_cleanse(server, sizeof server);
}

static const char *answer_first(struct scram *s, struct slice said, struct str *out)
{
    CLEANUP(challenge_clear) struct challenge c = {.salt = STR_INIT};
    CLEANUP(str_clear) struct str dialogue = STR_INIT;
    unsigned char proof[SCRAM_DIGEST_MAX];
    const char *wrong = read_challenge(s, said, &c);

    if (wrong != NULL)
        return wrong;
    str_addz(out, "c=");
    base64_add(out, SLICE(NO_BINDING));
    str_addz(out, ",r=");
    str_add(out, c.nonce);
    str_add(&dialogue, str_slice(&s->first));
    str_addc(&dialogue, ',');
    str_add(&dialogue, said);
    str_addc(&dialogue, ',');
    str_add(&dialogue, str_slice(out));
    prove(s, &c, str_slice(&dialogue), proof);
    str_addz(out, ",p=");
    base64_add(out, (struct slice){(const char *)proof, size_of(s)});
    s->answered = true;
    return NULL;
}

static const char *judge_last(struct scram *s, struct slice said)
{
    CLEANUP(str_clear) struct str signature = STR_INIT;
    struct slice value;

    if (slice_starts_nocase(said, SLICE("e=")))
        return NULL; /* it says in its own words that it refuses */
    if (!take_field(&said, 'v', &value) || !base64_take(value, &signature) ||
        signature.len != size_of(s) || CRYPTO_memcmp(signature.at, s->expected, size_of(s)) != 0)
        return "it did not prove that it knows the password: it is another server than it says";
    s->proven = true;
    return NULL;
}

const char *scram_answer(struct scram *s, struct slice said, struct str *out)
{
    return s->answered ? judge_last(s, said) : answer_first(s, said, out);
}

void cram_md5_answer(const char *user, struct slice password, struct slice said, struct str *out)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned length = 0;

    must(password.len <= INT_MAX);
    must(HMAC(EVP_md5(), password.at, (int)password.len, octets(said), said.len, digest, &length) !=
         NULL);
    str_addf(out, "%s ", user);
    for (unsigned i = 0; i < length; i++)
        str_addf(out, "%02x", digest[i]);
}
