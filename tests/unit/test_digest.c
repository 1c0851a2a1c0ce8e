/* SPDX-License-Identifier: Apache-2.0 */
/* links: base */
#include <onecase/digest.h>
#include <testing.h>

#include <string.h>

static void assert_digest(struct digest d, const char *hex)
{
    char text[DIGEST_HEX_SIZE];

    digest_hex(&d, text);
    assert_string_equal(text, hex);
}

static const char abc_hex[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/* The examples of FIPS 180-4, as NIST publishes them with the standard. */
static void sha256_gives_the_standards_examples(void **state)
{
    static const struct {
        const char *name;
        const char *hex;
    } rows[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", abc_hex},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmno"
         "pqr"
         "lmnopqrsmnopqrstnopqrstu",
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    };

    (void)state;
    FOR_EACH(row, rows)
        assert_digest(sha256_of(slice_z(row->name)), row->hex);
}

static void a_million_letters_hash_the_same_in_any_pieces(void **state)
{
    static const size_t piece_sizes[] = {1, 63, 64, 65, 1000, 1000000};
    CLEANUP(str_clear) struct str letters = STR_INIT;

    (void)state;
    for (int i = 0; i < 1000000; i++)
        str_addc(&letters, 'a');
    for (size_t i = 0; i < LENGTH(piece_sizes); i++) {
        CLEANUP(sha256_drop) struct sha256 *h = sha256_new();

        for (size_t from = 0; from < letters.len; from += piece_sizes[i])
            sha256_add(h, slice_cut(str_slice(&letters), from, piece_sizes[i]));
        assert_digest(sha256_done(&h),
                      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
        assert_null(h);
    }
}

static void a_hash_may_be_dropped_without_a_result(void **state)
{
    struct sha256 *h = sha256_new();

    (void)state;
    sha256_add(h, SLICE("abc"));
    sha256_drop(&h);
    assert_null(h);
    sha256_drop(&h);
}

/* RFC 4231, section 4; case 5 is left out, since it is about truncated results. */
static void hmac_gives_the_examples_of_rfc_4231(void **state)
{
    static const struct {
        const char *name;
        const char *key;
        int key_octet;
        size_t key_len;
        const char *data;
        int data_octet;
        size_t data_len;
        const char *hex;
    } rows[] = {
        {"case 1", NULL, 0x0b, 20, "Hi There", 0, 8,
         "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
        {"case 2: a key shorter than the result", "Jefe", 0, 4, "what do ya want for nothing?", 0,
         28, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
        {"case 3", NULL, 0xaa, 20, NULL, 0xdd, 50,
         "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
        {"case 4",
         "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15"
         "\x16"
         "\x17\x18\x19",
         0, 25, NULL, 0xcd, 50, "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
        {"case 6: a key longer than a block", NULL, 0xaa, 131,
         "Test Using Larger Than Block-Size Key - Hash Key First", 0, 54,
         "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
        {"case 7: both longer than a block", NULL, 0xaa, 131,
         "This is a test using a larger than block-size key and a larger than block-size data. "
         "The key needs to be hashed before being used by the HMAC algorithm.",
         0, 152, "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
    };

    (void)state;
    FOR_EACH(row, rows) {
        char key[256];
        char data[256];

        memset(key, row->key_octet, sizeof key);
        memset(data, row->data_octet, sizeof data);

        struct slice secret = {row->key != NULL ? row->key : key, row->key_len};
        struct slice what = {row->data != NULL ? row->data : data, row->data_len};

        assert_digest(hmac_sha256(secret, what), row->hex);
    }
}

static void hmac_takes_an_empty_secret_and_an_empty_message(void **state)
{
    (void)state;
    assert_digest(hmac_sha256(SLICE_EMPTY, SLICE_EMPTY),
                  "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

static void equal_means_every_octet(void **state)
{
    struct digest a = sha256_of(SLICE("abc"));

    (void)state;
    for (size_t i = 0; i < DIGEST_SIZE; i++) {
        struct digest b = a;

        assert_true(digest_eq(&a, &b));
        b.octet[i] ^= 1;
        assert_false(digest_eq(&a, &b));
    }
}

static void zero_means_no_octet_set(void **state)
{
    struct digest d = {{0}};

    (void)state;
    assert_true(digest_is_zero(&d));
    d.octet[DIGEST_SIZE - 1] = 1;
    assert_false(digest_is_zero(&d));
}

static void hex_is_read_in_either_case(void **state)
{
    char upper[] = "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD";
    struct digest d;

    (void)state;
    assert_true(digest_from_hex(slice_z(abc_hex), &d));
    assert_digest(d, abc_hex);
    assert_true(digest_from_hex(slice_z(upper), &d));
    assert_digest(d, abc_hex);
}

static void what_is_not_64_digits_is_refused_and_nothing_set(void **state)
{
    static const struct {
        const char *name;
    } rows[] = {
        {""},
        {"ba7816bf"},
        {"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015a"},
        {"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad0"},
        {"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ag"},
        {"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015:d"},
        {"0x7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    };
    struct digest d = {{0}};

    (void)state;
    FOR_EACH(row, rows) {
        assert_false(digest_from_hex(slice_z(row->name), &d));
        assert_true(digest_is_zero(&d));
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_gives_the_standards_examples),
        cmocka_unit_test(a_million_letters_hash_the_same_in_any_pieces),
        cmocka_unit_test(a_hash_may_be_dropped_without_a_result),
        cmocka_unit_test(hmac_gives_the_examples_of_rfc_4231),
        cmocka_unit_test(hmac_takes_an_empty_secret_and_an_empty_message),
        cmocka_unit_test(equal_means_every_octet),
        cmocka_unit_test(zero_means_no_octet_set),
        cmocka_unit_test(hex_is_read_in_either_case),
        cmocka_unit_test(what_is_not_64_digits_is_refused_and_nothing_set),
    };

    return RUN_TESTS(tests);
}
