/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/digest.h>

#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <stdlib.h>

struct sha256 {
    EVP_MD_CTX *context;
};

static void must(int success)
{
    if (success != 1)
        abort();
}

struct sha256 *sha256_new(void)
{
    struct sha256 *h = mem_new(1, sizeof *h);

    h->context = EVP_MD_CTX_new();
    must(h->context != NULL);
    must(EVP_DigestInit_ex(h->context, EVP_sha256(), NULL));
    return h;
}

void sha256_add(struct sha256 *h, struct slice what)
{
    must(EVP_DigestUpdate(h->context, what.at, what.len));
}

struct digest sha256_done(struct sha256 **h)
{
    struct digest d;

    must(EVP_DigestFinal_ex((*h)->context, d.octet, NULL));
    sha256_drop(h);
    return d;
}

void sha256_drop(struct sha256 **h)
{
    if (*h == NULL)
        return;
    EVP_MD_CTX_free((*h)->context);
    free(*h);
    *h = NULL;
}

struct digest sha256_of(struct slice what)
{
    struct digest d;

    must(EVP_Digest(what.at, what.len, d.octet, NULL, EVP_sha256(), NULL));
    return d;
}

struct digest hmac_sha256(struct slice secret, struct slice what)
{
    struct digest d;
    const unsigned char *octets = (const unsigned char *)what.at;

    must(secret.len <= INT_MAX);
    must(HMAC(EVP_sha256(), secret.at, (int)secret.len, octets, what.len, d.octet, NULL) != NULL);
    return d;
}

bool digest_eq(const struct digest *a, const struct digest *b)
{
    return CRYPTO_memcmp(a->octet, b->octet, DIGEST_SIZE) == 0;
}

bool digest_is_zero(const struct digest *d)
{
    return digest_eq(d, &(struct digest){{0}});
}

void digest_hex(const struct digest *d, char out[DIGEST_HEX_SIZE])
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < DIGEST_SIZE; i++) {
        out[2 * i] = digits[d->octet[i] >> 4];
        out[2 * i + 1] = digits[d->octet[i] & 0x0F];
    }
    out[DIGEST_HEX_SIZE - 1] = '\0';
}

/* The value of a hexadecimal digit, or -1. */
static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool digest_from_hex(struct slice hex, struct digest *out)
{
    struct digest d;

    if (hex.len != DIGEST_HEX_SIZE - 1)
        return false;
    for (size_t i = 0; i < DIGEST_SIZE; i++) {
        int high = hex_value(hex.at[2 * i]);
        int low = hex_value(hex.at[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        d.octet[i] = (uint8_t)(high * 16 + low);
    }
    *out = d;
    return true;
}

void digest_random(struct digest *out)
{
    must(RAND_bytes(out->octet, DIGEST_SIZE));
}
