/* SPDX-License-Identifier: Apache-2.0 */
#include "recipients.h"

#include <onecase/when.h>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

#define RSA_LEAST 2048

/* ---- may anything be sealed to it? --------------------------------------------------------------- */

static const char *wrong_with_key(X509 *certificate)
{
    EVP_PKEY *key = X509_get0_pubkey(certificate); /* borrowed */
    uint32_t usage = X509_get_key_usage(certificate);

    if (key != NULL && EVP_PKEY_is_a(key, "RSA")) {
        if (EVP_PKEY_get_bits(key) < RSA_LEAST)
            return "its RSA key has less than 2048 bits";
        return usage & KU_KEY_ENCIPHERMENT ? NULL : "its key usage has no keyEncipherment";
    }
    if (key != NULL && EVP_PKEY_is_a(key, "EC"))
        return usage & KU_KEY_AGREEMENT ? NULL : "its key usage has no keyAgreement";
    return "its key is neither RSA nor EC";
}

/* When it ends; 0 where that is no time. */
static int64_t end_of(const X509 *certificate, int64_t now_ms)
{
    ASN1_TIME *now = ASN1_TIME_set(NULL, (time_t)(now_ms / 1000));
    int days = 0, seconds = 0;
    int is_time =
        now != NULL && ASN1_TIME_diff(&days, &seconds, now, X509_get0_notAfter(certificate)) == 1;

    ASN1_TIME_free(now);
    return is_time ? now_ms + DAYS(days) + SECONDS(seconds) : 0;
}

static enum rc
check(const char *file, X509 *certificate, int64_t end_ms, int64_t now_ms, struct err *err)
{
    char end[WHEN_TEXT_SIZE], subject[96] = "";
    const char *wrong = wrong_with_key(certificate);

    (void)X509_NAME_oneline(X509_get_subject_name(certificate), subject, sizeof subject);
    if (wrong != NULL)
        return FAIL(err, RC_USAGE,
                    "nothing can be sealed to the certificate %s in '%s': %s: name one with an RSA "
                    "or EC key for that",
                    subject, file, wrong);
    when_text(end_ms, end);
    if (now_ms > end_ms)
        return FAIL(err, RC_USAGE,
                    "the certificate %s in '%s' has expired on %.10s: put a new one there, and "
                    "keep the old one's key for what is sealed to it",
                    subject, file, end);
    return RC_OK;
}

/* ---- the file ------------------------------------------------------------------------------------ */

struct block { /* of a PEM file */
    char *name, *header;
    unsigned char *octets;
    long size;
};

static void block_clear(struct block *b)
{
    OPENSSL_free(b->name);
    OPENSSL_free(b->header);
    OPENSSL_clear_free(b->octets, (size_t)b->size);
    *b = (struct block){0};
}

static void bio_free(BIO **bio)
{
    BIO_free_all(*bio);
}

static void name(struct recipients *r, X509 *certificate)
{
    struct digest digest;
    size_t len = strlen(r->names);

    if (X509_digest(certificate, EVP_sha256(), digest.octet, NULL) != 1)
        abort();
    if (len > 0)
        r->names[len++] = ' ';
    digest_hex(&digest, r->names + len);
}

static enum rc take_certificate(
    struct recipients *r, const char *file, const struct block *b, int64_t now_ms, struct err *err)
{
    const unsigned char *at = b->octets;
    X509 *certificate = d2i_X509(NULL, &at, b->size);

    if (certificate == NULL || r->count == SEAL_RECIPIENTS) {
        X509_free(certificate);
        return FAIL(err, RC_USAGE, "'%s' holds %s", file,
                    certificate == NULL ? "a certificate that cannot be read"
                                        : "more than eight certificates");
    }
    r->certificate[r->count++] = certificate;
    name(r, certificate);
    int64_t end_ms = end_of(certificate, now_ms);
    if (r->count == 1 || end_ms < r->end_ms)
        r->end_ms = end_ms;
    return check(file, certificate, end_ms, now_ms, err);
}

static enum rc take_block(
    struct recipients *r, const char *file, const struct block *b, int64_t now_ms, struct err *err)
{
    if (strstr(b->name, "PRIVATE KEY") != NULL)
        return FAIL(err, RC_USAGE,
                    "'%s' holds a private key: put the certificate alone there, and the key where "
                    "no onecase runs",
                    file);
    if (strcmp(b->name, PEM_STRING_X509) != 0)
        return RC_OK;
    return take_certificate(r, file, b, now_ms, err);
}

static enum rc read_all(struct recipients *r, const char *file, int64_t now_ms, struct err *err)
{
    CLEANUP(bio_free) BIO *from = BIO_new_file(file, "r");
    int more = 1;

    if (from == NULL)
        return FAIL(err, RC_USAGE, "'%s' cannot be read: expected certificates in PEM", file);
    while (more) {
        CLEANUP(block_clear) struct block b = {0};

        more = PEM_read_bio(from, &b.name, &b.header, &b.octets, &b.size);
        if (more)
            TRY(take_block(r, file, &b, now_ms, err));
    }
    if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE)
        return FAIL(err, RC_USAGE, "'%s' holds what begins as PEM and cannot be read: was it cut?",
                    file);
    if (r->count > 0)
        return RC_OK;
    return FAIL(err, RC_USAGE, "'%s' holds no certificate: expected one or more in PEM", file);
}

enum rc recipients_read(const char *file, int64_t now_ms, struct recipients **out, struct err *err)
{
    CLEANUP(recipients_free) struct recipients *r = mem_new(1, sizeof *r);

    ERR_clear_error();
    TRY(read_all(r, file, now_ms, err));
    ERR_clear_error(); /* that no block follows the last is no failure */
    *out = STEAL(r);
    return RC_OK;
}

const char *recipients_names(const struct recipients *recipients)
{
    return recipients->names;
}

int64_t recipients_end_ms(const struct recipients *recipients)
{
    return recipients->end_ms;
}

void recipients_free(struct recipients **recipients)
{
    struct recipients *r = *recipients;

    for (size_t i = 0; r != NULL && i < r->count; i++)
        X509_free(r->certificate[i]);
    mem_free(recipients);
}
