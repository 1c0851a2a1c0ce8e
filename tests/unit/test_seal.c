/* SPDX-License-Identifier: Apache-2.0
 *
 * Keys and certificates are made here, each in a file of a folder that goes with the test. What the
 * openssl command makes of them is tests/integration/test_sealed.py.
 */
/* links: seal */
#include <onecase/seal.h>
#include <onecase/when.h>
#include <testing.h>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOW   INT64_C(1772476200000)
#define LARGE ((size_t)3 << 20)

static char folder[] = "/tmp/onecase-seal-XXXXXX";

/* ---- what people put into files ------------------------------------------------------------------ */

static char *path_of(const char *name)
{
    static char path[128];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static EVP_PKEY *new_key(const char *type)
{
    if (strcmp(type, "EC") == 0)
        return EVP_EC_gen("P-256");
    if (strcmp(type, "ED25519") == 0)
        return EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    return EVP_RSA_gen(strcmp(type, "RSA-1024") == 0 ? 1024 : 2048);
}

static long next_serial = 1;

static X509 *new_certificate(EVP_PKEY *key, const char *usage, int64_t end_ms)
{
    X509 *c = X509_new();

    X509_set_version(c, 2);
    X509_set_pubkey(c, key);
    ASN1_INTEGER_set(X509_get_serialNumber(c), next_serial++);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(c), "CN", MBSTRING_ASC,
                               (const unsigned char *)"backups", -1, -1, 0);
    X509_set_issuer_name(c, X509_get_subject_name(c));
    ASN1_TIME_set(X509_getm_notBefore(c), (time_t)(NOW / 1000) - 3600);
    ASN1_TIME_set(X509_getm_notAfter(c), (time_t)(end_ms / 1000));
    if (usage[0]) {
        X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, NULL, NID_key_usage, usage);
        X509_add_ext(c, e, -1);
        X509_EXTENSION_free(e);
    }
    assert_true(X509_sign(c, key, EVP_PKEY_is_a(key, "ED25519") ? NULL : EVP_sha256()) > 0);
    return c;
}

/* NAME.key and NAME.pem */
static void
make(const char *name, const char *type, const char *usage, int64_t end_ms, char *passphrase)
{
    EVP_PKEY *key = new_key(type);
    X509 *certificate = new_certificate(key, usage, end_ms);
    char file[32];

    snprintf(file, sizeof file, "%s.key", name);
    FILE *f = fopen(path_of(file), "w");
    assert_int_equal(PEM_write_PKCS8PrivateKey(f, key, passphrase ? EVP_aes_256_cbc() : NULL, NULL,
                                               0, NULL, passphrase),
                     1);
    fclose(f);
    snprintf(file, sizeof file, "%s.pem", name);
    f = fopen(path_of(file), "w");
    assert_int_equal(PEM_write_X509(f, certificate), 1);
    fclose(f);
    X509_free(certificate);
    EVP_PKEY_free(key);
}

static void join(const char *to, const char *one, const char *other)
{
    char command[512], from[128], beside[128];

    snprintf(from, sizeof from, "%s", path_of(one));
    snprintf(beside, sizeof beside, "%s", path_of(other));
    snprintf(command, sizeof command, "cat %s %s >%s", from, beside, path_of(to));
    assert_int_equal(system(command), 0); /* NOLINT(concurrency-mt-unsafe,cert-env33-c) */
}

static int set_up(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    make("ec", "EC", "", NOW + DAYS(1), NULL);
    make("rsa", "RSA", "", NOW + DAYS(1), NULL);
    make("other", "EC", "", NOW + DAYS(1), NULL);
    join("both.pem", "rsa.pem", "ec.pem");
    return 0;
}

static int tear_down(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command); /* NOLINT(concurrency-mt-unsafe,cert-env33-c) */
}

/* ---- sealing and opening ------------------------------------------------------------------------- */

static enum rc asked(void *ctx, struct str *out, struct err *err)
{
    (void)err;
    assert_non_null(ctx);
    str_addz(out, ctx);
    return RC_OK;
}

static struct seal_key *key_of(const char *name)
{
    const struct seal_asking nobody = {NULL, asked};
    struct seal_key *key = NULL;
    struct err err = ERR_INIT;

    assert_int_equal(seal_key_read(path_of(name), &nobody, &key, &err), RC_OK);
    return key;
}

static void seal(const char *to, struct slice octets, struct str *out)
{
    CLEANUP(recipients_free) struct recipients *r = NULL;
    CLEANUP(seal_drop) struct sealing *s = NULL;
    struct err err = ERR_INIT;

    assert_int_equal(recipients_read(path_of(to), NOW, &r, &err), RC_OK);
    assert_int_equal(seal_begin(r, &s, &err), RC_OK);
    for (size_t at = 0; at < octets.len; at += 50000)
        assert_int_equal(seal_add(s, slice_cut(octets, at, 50000), out, &err), RC_OK);
    assert_int_equal(seal_end(&s, out, &err), RC_OK);
}

static enum rc open_with(const char *name, struct slice sealed, struct str *out)
{
    CLEANUP(seal_key_free) struct seal_key *key = key_of(name);
    struct err err = ERR_INIT;

    return seal_open(key, sealed, out, &err);
}

static const struct {
    const char *name, *to, *key;
    size_t size;
} sealed_to[] = {
    {"RSA", "rsa.pem", "rsa.key", 12},
    {"EC", "ec.pem", "ec.key", 12},
    {"the first of two", "both.pem", "rsa.key", 12},
    {"the second of two", "both.pem", "ec.key", 12},
    {"nothing at all", "ec.pem", "ec.key", 0},
    {"more than fits into any buffer", "ec.pem", "ec.key", LARGE},
};

static void what_was_sealed_is_opened_by_its_key_and_by_no_other(void **state)
{
    CLEANUP(mem_free) char *octets = mem_new(LARGE, 1);

    (void)state;
    snprintf(octets, LARGE, "plain octets");
    FOR_EACH(row, sealed_to) {
        CLEANUP(str_clear) struct str sealed = STR_INIT;
        CLEANUP(str_clear) struct str opened = STR_INIT;
        const struct slice plain = {octets, row->size};

        seal(row->to, plain, &sealed);
        assert_false(row->size > 0 && slice_has(str_slice(&sealed), SLICE("plain octets")));
        assert_int_equal(open_with("other.key", str_slice(&sealed), &opened), RC_REFUSED);
        assert_int_equal(opened.len, 0);
        assert_int_equal(open_with(row->key, str_slice(&sealed), &opened), RC_OK);
        assert_int_equal(opened.len, plain.len);
        assert_true(slice_eq(str_slice(&opened), plain));
    }
}

static void what_was_cut_or_changed_anywhere_is_refused(void **state)
{
    CLEANUP(str_clear) struct str sealed = STR_INIT;
    CLEANUP(str_clear) struct str opened = STR_INIT;
    CLEANUP(seal_key_free) struct seal_key *key = key_of("ec.key");
    const struct slice text = SLICE("a text that nobody may change");
    struct err err = ERR_INIT;

    (void)state;
    seal("ec.pem", text, &sealed);
    for (size_t cut = 1; cut < sealed.len; cut += 7)
        assert_int_equal(
            seal_open(key, slice_cut(str_slice(&sealed), 0, sealed.len - cut), &opened, &err),
            RC_REFUSED);
    assert_int_equal(seal_open(key, SLICE(""), &opened, &err), RC_REFUSED);
    assert_int_equal(opened.len, 0);
    /* Some of its lengths and tags may be said in two ways; what is read is the same in any case. */
    size_t refused = 0;
    for (size_t at = 0; at < sealed.len; at += 3) {
        sealed.at[at] ^= 1;
        refused += seal_open(key, str_slice(&sealed), &opened, &err) != RC_OK;
        sealed.at[at] ^= 1;
        assert_true(opened.len == 0 || slice_eq(str_slice(&opened), text));
        str_empty(&opened);
    }
    assert_true(refused > sealed.len / 3 / 2);
}

/* ---- what nothing is sealed to ------------------------------------------------------------------- */

static const struct {
    const char *name, *type, *usage;
    int64_t end_ms;
    const char *file, *said;
} refused[] = {
    {"one that ended yesterday", "EC", "", NOW - DAYS(1), "r.pem", "has expired on 2026-03-01"},
    {"one that signs only", "RSA", "digitalSignature", NOW + DAYS(1), "r.pem",
     "no keyEncipherment"},
    {"one of EC that signs only", "EC", "digitalSignature", NOW + DAYS(1), "r.pem",
     "no keyAgreement"},
    {"one that can only sign", "ED25519", "", NOW + DAYS(1), "r.pem", "neither RSA nor EC"},
    {"a short key", "RSA-1024", "", NOW + DAYS(1), "r.pem", "less than 2048 bits"},
    {"the key and not the certificate", "EC", "", NOW + DAYS(1), "r.key", "holds a private key"},
    {"a file that is not there", "EC", "", NOW + DAYS(1), "none", "cannot be read"},
};

static void a_certificate_that_nothing_can_be_sealed_to_is_refused_in_one_line(void **state)
{
    (void)state;
    FOR_EACH(row, refused) {
        struct recipients *r = NULL;
        struct err err = ERR_INIT;

        make("r", row->type, row->usage, row->end_ms, NULL);
        assert_int_equal(recipients_read(path_of(row->file), NOW, &r, &err), RC_USAGE);
        assert_non_null(strstr(err.text, row->said));
        assert_null(r);
    }
}

static void a_certificate_meant_for_it_is_taken_and_named_by_its_digest(void **state)
{
    CLEANUP(recipients_free) struct recipients *r = NULL;
    CLEANUP(recipients_free) struct recipients *both = NULL;
    struct err err = ERR_INIT;

    (void)state;
    make("meant", "EC", "keyAgreement", NOW + DAYS(1), NULL);
    assert_int_equal(recipients_read(path_of("meant.pem"), NOW, &r, &err), RC_OK);
    assert_int_equal(strlen(recipients_names(r)), 64);
    assert_int_equal(recipients_read(path_of("both.pem"), NOW, &both, &err), RC_OK);
    assert_int_equal(strlen(recipients_names(both)), 64 + 1 + 64);
}

/* Who is left out of it would find that out when it is to be brought back. */
static void a_file_that_was_cut_within_a_certificate_is_refused(void **state)
{
    char text[8192];
    FILE *f = fopen(path_of("both.pem"), "r");
    size_t len = fread(text, 1, sizeof text - 1, f);

    (void)state;
    fclose(f);
    text[len] = '\0';
    char *second = strstr(strstr(text, "-----END"), "-----BEGIN");
    size_t from = (size_t)(strchr(second, '\n') - text) + 1;

    for (size_t cut = from; cut < len - 2; cut += 7) {
        struct recipients *r = NULL;
        struct err err = ERR_INIT;

        f = fopen(path_of("cut.pem"), "w");
        assert_int_equal(fwrite(text, 1, cut, f), cut);
        fclose(f);
        assert_int_equal(recipients_read(path_of("cut.pem"), NOW, &r, &err), RC_USAGE);
        assert_non_null(strstr(err.text, "cannot be read"));
    }
}

static void a_passphrase_is_asked_for_where_there_is_one(void **state)
{
    struct seal_key *key = NULL;
    struct err err = ERR_INIT;
    char right[] = "open sesame", wrong[] = "open barley";
    const struct seal_asking knows = {right, asked}, guesses = {wrong, asked};

    (void)state;
    make("locked", "EC", "", NOW + DAYS(1), right);
    assert_int_equal(seal_key_read(path_of("locked.key"), &guesses, &key, &err), RC_USAGE);
    assert_non_null(strstr(err.text, "passphrase"));
    assert_int_equal(seal_key_read(path_of("ec.pem"), &knows, &key, &err), RC_USAGE);
    assert_null(key);
    assert_int_equal(seal_key_read(path_of("locked.key"), &knows, &key, &err), RC_OK);
    seal_key_free(&key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_sealed_is_opened_by_its_key_and_by_no_other),
        cmocka_unit_test(what_was_cut_or_changed_anywhere_is_refused),
        cmocka_unit_test(a_certificate_that_nothing_can_be_sealed_to_is_refused_in_one_line),
        cmocka_unit_test(a_certificate_meant_for_it_is_taken_and_named_by_its_digest),
        cmocka_unit_test(a_file_that_was_cut_within_a_certificate_is_refused),
        cmocka_unit_test(a_passphrase_is_asked_for_where_there_is_one),
    };
    return cmocka_run_group_tests_name(__FILE__, tests, set_up, tear_down);
}
