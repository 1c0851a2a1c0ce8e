/* SPDX-License-Identifier: Apache-2.0 */
#include "token_p.h"

#include <jansson.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <string.h>

#define KEY_FILE_MOST  ((size_t)64 * 1024)
#define ASSERTION_LIFE 3600 /* seconds; the most that Google takes */
#define JWT_BEARER     "urn:ietf:params:oauth:grant-type:jwt-bearer"

/* ---- the form ------------------------------------------------------------------------------------- */

static void add_escaped(struct str *out, const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        unsigned char c = (unsigned char)*at;
        bool plain = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                     strchr("-._~", c) != NULL;

        if (plain)
            str_addc(out, *at);
        else
            str_addf(out, "%%%02X", (unsigned)c);
    }
}

static void add_field(struct str *out, const char *name, const char *value)
{
    if (!is_given(value))
        return;
    str_addf(out, "%s%s=", out->len > 0 ? "&" : "", name);
    add_escaped(out, value);
}

/* ---- the assertion of a service account (RFC 7515, 7519, 7523) -------------------------------------- */

static void add_base64url(struct str *out, struct slice octets)
{
    size_t length = (octets.len + 2) / 3 * 4;
    CLEANUP(mem_free) char *text = mem_new(length + 1, 1);

    (void)EVP_EncodeBlock((unsigned char *)text, (const unsigned char *)octets.at, (int)octets.len);
    for (size_t i = 0; i < length && text[i] != '='; i++)
        str_addc(out, text[i] == '+' ? '-' : text[i] == '/' ? '_' : text[i]);
}

static void add_part(struct str *out, json_t *part)
{
    char *text = json_dumps(part, JSON_COMPACT);

    if (text == NULL)
        abort(); /* out of memory */
    add_base64url(out, slice_z(text));
    free(text);
    json_decref(part);
}

static enum rc sign(const char *pem, struct str *text, struct err *err)
{
    BIO *bio = BIO_new_mem_buf(pem, -1);
    EVP_PKEY *key = bio != NULL ? PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL) : NULL;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    unsigned char signature[1024];
    size_t length = sizeof signature;
    bool done = key != NULL && context != NULL && EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA &&
                EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
                EVP_DigestSign(context, signature, &length, (const unsigned char *)str_z(text),
                               text->len) == 1;

    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    BIO_free(bio);
    if (!done)
        return FAIL(err, RC_REFUSED, "key_file: its private_key is no RSA key that can sign");
    str_addc(text, '.');
    add_base64url(text, (struct slice){(const char *)signature, length});
    return RC_OK;
}

static enum rc assert_with(
    const struct token_settings *s, json_t *key, int64_t wall_ms, struct str *out, struct err *err)
{
    const char *issuer = json_string_value(json_object_get(key, "client_email"));
    const char *pem = json_string_value(json_object_get(key, "private_key"));
    const char *id = json_string_value(json_object_get(key, "private_key_id"));
    json_int_t now = wall_ms / 1000;

    if (issuer == NULL || pem == NULL)
        return FAIL(
            err, RC_REFUSED,
            "key_file: it has no client_email or no private_key: expected the JSON file of a "
            "service account's key");
    add_part(out, json_pack("{s:s, s:s, s:s*}", "alg", "RS256", "typ", "JWT", "kid", id));
    str_addc(out, '.');
    add_part(out, json_pack("{s:s, s:s*, s:s, s:s*, s:I, s:I}", "iss", issuer, "scope", s->scope,
                            "aud", s->url, "sub", is_given(s->subject) ? s->subject : NULL, "iat",
                            now, "exp", now + ASSERTION_LIFE));
    return sign(pem, out, err);
}

static enum rc
assertion(const struct token_settings *s, int64_t wall_ms, struct str *out, struct err *err)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    enum rc rc;

    TRY(token_file_read("key_file", s->key_file, KEY_FILE_MOST, &text, err));
    json_t *key = json_loadb(str_z(&text), text.len, JSON_REJECT_DUPLICATES, NULL);
    rc = assert_with(s, key, wall_ms, out, err); /* of a NULL there is no member */
    json_decref(key);
    return rc;
}

enum rc token_grant_form(const struct token_settings *s,
                         const char *refresh,
                         int64_t wall_ms,
                         struct str *out,
                         struct err *err)
{
    CLEANUP(str_clear) struct str signed_text = STR_INIT;

    if (is_given(s->key_file)) {
        TRY(assertion(s, wall_ms, &signed_text, err));
        add_field(out, "grant_type", JWT_BEARER);
        add_field(out, "assertion", str_z(&signed_text));
        return RC_OK;
    }
    add_field(out, "grant_type", is_given(refresh) ? "refresh_token" : "client_credentials");
    add_field(out, "refresh_token", refresh);
    add_field(out, "client_id", s->client_id);
    add_field(out, "client_secret", s->client_secret);
    add_field(out, "scope", s->scope);
    return RC_OK;
}
