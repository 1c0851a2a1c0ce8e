/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/secret.h>

#include <inttypes.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_N    15u
#define BLOCK    8u
#define PARALLEL 1u
#define MEMORY   (UINT64_C(64) << 20)

struct kept {
    unsigned log_n, block, parallel;
    struct digest salt, hash;
};

static bool derive(struct slice password, const struct kept *k, struct digest *out)
{
    if (k->log_n < 10 || k->log_n > 20 || k->block < 1 || k->block > 16 || k->parallel != PARALLEL)
        return false;
    return EVP_PBE_scrypt(password.at, password.len, k->salt.octet, DIGEST_SIZE,
                          UINT64_C(1) << k->log_n, k->block, k->parallel,
                          k->log_n <= LOG_N && k->block <= BLOCK ? MEMORY : UINT64_C(1) << 31,
                          out->octet, DIGEST_SIZE) == 1;
}

static void write_kept(const struct kept *k, char out[SECRET_SIZE])
{
    char salt[DIGEST_HEX_SIZE], hash[DIGEST_HEX_SIZE];
    digest_hex(&k->salt, salt);
    digest_hex(&k->hash, hash);
    snprintf(out, SECRET_SIZE, "scrypt$%u$%u$%u$%s$%s", k->log_n, k->block, k->parallel, salt,
             hash);
}

static bool take_number(struct slice *rest, unsigned *out)
{
    struct slice word;
    *out = 0;
    if (!slice_next(rest, '$', &word) || word.len == 0 || word.len > 2)
        return false;
    for (size_t i = 0; i < word.len; i++) {
        if (word.at[i] < '0' || word.at[i] > '9')
            return false;
        *out = *out * 10 + (unsigned)(word.at[i] - '0');
    }
    return true;
}

static bool read_kept(const char *text, struct kept *out)
{
    struct slice rest = slice_z(text), word;
    return slice_next(&rest, '$', &word) && slice_eqz(word, "scrypt") &&
           take_number(&rest, &out->log_n) && take_number(&rest, &out->block) &&
           take_number(&rest, &out->parallel) && slice_next(&rest, '$', &word) &&
           digest_from_hex(word, &out->salt) && digest_from_hex(rest, &out->hash);
}

void secret_keep(struct slice password, char out[SECRET_SIZE])
{
    struct kept k = {.log_n = LOG_N, .block = BLOCK, .parallel = PARALLEL};
    digest_random(&k.salt);
    if (!derive(password, &k, &k.hash))
        abort();
    write_kept(&k, out);
}

void secret_of_nobody(char out[SECRET_SIZE])
{
    struct kept k = {.log_n = LOG_N, .block = BLOCK, .parallel = PARALLEL};
    digest_random(&k.salt);
    digest_random(&k.hash);
    write_kept(&k, out);
}

bool secret_matches(struct slice password, const char *kept)
{
    char nobody[SECRET_SIZE];
    struct kept k = {.log_n = 0};
    struct digest hash;
    bool known = read_kept(kept, &k);
    if (!known) {
        secret_of_nobody(nobody);
        (void)read_kept(nobody, &k);
    }
    return derive(password, &k, &hash) && digest_eq(&hash, &k.hash) && known;
}

/* ---- tokens -------------------------------------------------------------------------------------- */

void token_new(char out[TOKEN_SIZE])
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    struct digest random;
    unsigned held = 0, bits = 0;
    size_t at = 0;
    digest_random(&random);
    for (size_t i = 0; i < TOKEN_SIZE - 1; i++) {
        if (bits < 6) {
            held = held << 8 | (at < DIGEST_SIZE ? random.octet[at] : 0u);
            at++;
            bits += 8;
        }
        bits -= 6;
        out[i] = letters[held >> bits & 63];
    }
    out[TOKEN_SIZE - 1] = '\0';
}

struct digest token_digest(struct slice token)
{
    return sha256_of(token);
}
