/* SPDX-License-Identifier: Apache-2.0 */
#include "recipients.h"

#include <openssl/cms.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <stdlib.h>

struct sealing {
    CMS_ContentInfo *message;
    BIO *sealed; /* in memory: what has come out so far */
    BIO *into;   /* a chain whose last is `sealed`; NULL until there is something to seal */
};

static enum rc failed(const char *what, struct err *err)
{
    const char *why = ERR_reason_error_string(ERR_peek_last_error());
    enum rc rc =
        FAIL(err, RC_BROKEN, "cannot %s: %s", what, why ? why : "OpenSSL does not say why");

    ERR_clear_error();
    return rc;
}

/* ---- sealing ------------------------------------------------------------------------------------- */

/* With OAEP, which tells nobody by its failures what a key would open. */
static bool is_addressed(CMS_ContentInfo *message, X509 *certificate)
{
    CMS_RecipientInfo *to = CMS_add1_recipient_cert(message, certificate, CMS_KEY_PARAM);

    if (to == NULL || CMS_RecipientInfo_type(to) != CMS_RECIPINFO_TRANS)
        return to != NULL;
    EVP_PKEY_CTX *key = CMS_RecipientInfo_get0_pkey_ctx(to);

    return key != NULL && EVP_PKEY_CTX_set_rsa_padding(key, RSA_PKCS1_OAEP_PADDING) == 1 &&
           EVP_PKEY_CTX_set_rsa_oaep_md(key, EVP_sha256()) == 1;
}

static bool opens_all(struct sealing *s, const struct recipients *to)
{
    s->message = CMS_encrypt(NULL, NULL, EVP_aes_256_gcm(), CMS_STREAM | CMS_BINARY | CMS_PARTIAL);
    if (s->message == NULL)
        return false;
    for (size_t i = 0; i < to->count; i++)
        if (!is_addressed(s->message, to->certificate[i]))
            return false;
    s->sealed = BIO_new(BIO_s_mem());
    return s->sealed != NULL;
}

enum rc seal_begin(const struct recipients *to, struct sealing **out, struct err *err)
{
    CLEANUP(seal_drop) struct sealing *s = mem_new(1, sizeof *s);

    if (!opens_all(s, to))
        return failed("seal", err);
    *out = STEAL(s);
    return RC_OK;
}

static void take_sealed(struct sealing *s, struct str *out)
{
    char *at;
    long size = BIO_get_mem_data(s->sealed, &at);

    if (size > 0)
        str_add(out, (struct slice){at, (size_t)size});
    (void)BIO_reset(s->sealed);
}

static bool takes(struct sealing *s, struct slice octets)
{
    size_t done = 0;

    if (s->into == NULL)
        s->into = BIO_new_CMS(s->sealed, s->message);
    return s->into != NULL && BIO_write_ex(s->into, octets.at, octets.len, &done) == 1 &&
           done == octets.len;
}

enum rc seal_add(struct sealing *s, struct slice octets, struct str *out, struct err *err)
{
    if (octets.len == 0)
        return RC_OK;
    if (!takes(s, octets))
        return failed("seal", err);
    take_sealed(s, out);
    return RC_OK;
}

/* The library's stream cannot end where nothing went into it. */
static bool ends_empty(struct sealing *s)
{
    BIO *nothing = BIO_new_mem_buf("", 0);
    bool ended = nothing != NULL && CMS_final(s->message, nothing, NULL, CMS_BINARY) == 1 &&
                 i2d_CMS_bio(s->sealed, s->message) == 1;

    BIO_free(nothing);
    return ended;
}

enum rc seal_end(struct sealing **sealing, struct str *out, struct err *err)
{
    CLEANUP(seal_drop) struct sealing *s = STEAL(*sealing);

    if (s->into != NULL ? BIO_flush(s->into) != 1 : !ends_empty(s))
        return failed("seal", err);
    take_sealed(s, out);
    return RC_OK;
}

/* The chain was put before `sealed`, and is freed one by one, as its last is. */
void seal_drop(struct sealing **sealing)
{
    struct sealing *s = *sealing;

    if (s == NULL)
        return;
    BIO_free_all(s->into != NULL ? s->into : s->sealed);
    CMS_ContentInfo_free(s->message);
    mem_free(sealing);
}
