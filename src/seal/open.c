/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/seal.h>

#include <limits.h>
#include <openssl/cms.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <string.h>

struct seal_key {
    EVP_PKEY *key;
};

static void bio_free(BIO **bio)
{
    BIO_free_all(*bio);
}

/* ---- the key ------------------------------------------------------------------------------------- */

struct asked {
    const struct seal_asking *asking;
    struct err *err;
    enum rc rc;
};

static int answer(char *into, int room, int writing, void *ctx)
{
    CLEANUP(str_wipe) struct str passphrase = STR_INIT;
    struct asked *a = ctx;

    (void)writing;
    a->rc = a->asking->passphrase(a->asking->ctx, &passphrase, a->err);
    if (a->rc != RC_OK || passphrase.len > (size_t)room)
        return -1;
    if (passphrase.len > 0)
        memcpy(into, passphrase.at, passphrase.len);
    return (int)passphrase.len;
}

enum rc seal_key_read(const char *file,
                      const struct seal_asking *asking,
                      struct seal_key **out,
                      struct err *err)
{
    CLEANUP(bio_free) BIO *from = BIO_new_file(file, "r");
    struct asked asked = {asking, err, RC_OK};

    if (from == NULL)
        return FAIL(err, RC_USAGE, "'%s' cannot be read: expected a private key in PEM", file);
    ERR_clear_error();
    EVP_PKEY *key = PEM_read_bio_PrivateKey(from, NULL, answer, &asked);

    ERR_clear_error();
    if (asked.rc != RC_OK)
        return asked.rc;
    if (key == NULL)
        return FAIL(err, RC_USAGE,
                    "'%s' holds no private key in PEM, or its passphrase is another one", file);
    *out = mem_new(1, sizeof **out);
    (*out)->key = key;
    return RC_OK;
}

void seal_key_free(struct seal_key **key)
{
    if (*key != NULL)
        EVP_PKEY_free((*key)->key);
    mem_free(key);
}

/* ---- opening ------------------------------------------------------------------------------------- */

static void message_free(CMS_ContentInfo **message)
{
    CMS_ContentInfo_free(*message);
}

/* Without "debug" a wrong key would be found out by the content alone. */
static bool opens(const struct seal_key *key, struct slice sealed, BIO *opened)
{
    CLEANUP(bio_free) BIO *from = BIO_new_mem_buf(sealed.at, (int)sealed.len);
    CLEANUP(message_free) CMS_ContentInfo *message = from ? d2i_CMS_bio(from, NULL) : NULL;

    return message != NULL &&
           CMS_decrypt(message, key->key, NULL, NULL, opened, CMS_BINARY | CMS_DEBUG_DECRYPT) == 1;
}

enum rc seal_open(const struct seal_key *key, struct slice sealed, struct str *out, struct err *err)
{
    CLEANUP(bio_free) BIO *opened = BIO_new(BIO_s_mem());
    char *at;

    if (opened == NULL)
        abort();
    bool is_open = sealed.len < INT_MAX && opens(key, sealed, opened);

    ERR_clear_error();
    if (!is_open)
        return FAIL(err, RC_REFUSED, "it is sealed to another key, or is not what was sealed");
    long size = BIO_get_mem_data(opened, &at);

    if (size > 0)
        str_add(out, (struct slice){at, (size_t)size});
    return RC_OK;
}
