/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include <onecase/identity.h>
#include <testing.h>

#include <string.h>

/* Of the mailbox "help" and the Message-ID <a1@example.org>; reckoned apart from this program. */
#define KEY    "52c5e02266bde437f04b8e75644c3984fa4148b8cf0f4d028119c411edf5ddf8"
#define EFFECT "774d8f658b08c37c5fde12b05e706e88"
#define PROOF  "d20ebc3864d18d615f6c2651aa9825fb5cd6fb6a5e8bfd817d8bd391ee8a9072"

static struct digest digest_of_octets(uint8_t octet)
{
    struct digest d;

    memset(d.octet, octet, sizeof d.octet);
    return d;
}

/* Keys */

static void a_key_is_the_sha256_of_mailbox_colon_and_immutable_id(void **state)
{
    struct digest d = sha256_of(SLICE("help:<a1@example.org>"));
    char expected[DIGEST_HEX_SIZE];
    char key[KEY_SIZE];

    (void)state;
    digest_hex(&d, expected);
    intake_key("help", SLICE("<a1@example.org>"), key);
    assert_string_equal(key, expected);
    assert_string_equal(key, KEY);
}

static void each_source_has_its_immutable_id(void **state)
{
    struct digest d = digest_of_octets(0xAB);
    struct identity id = identity_message_id("help", SLICE("<a1@example.org>"));

    (void)state;
    assert_int_equal(id.source, KEY_MESSAGE_ID);
    assert_string_equal(id.key, KEY);
    id = identity_reference("help", "portal", SLICE("R-2026-17"));
    assert_int_equal(id.source, KEY_REFERENCE);
    assert_string_equal(id.key, "f6ebce5cd246f06bbf9376b3ba47c98e63a47733f2ad5b972d17fcbecb3a8e76");
    id = identity_digest("help", &d);
    assert_int_equal(id.source, KEY_DIGEST);
    assert_string_equal(id.key, "8bc5e08236ebf20d9a429c7594578358bdca2c4c4d739989f6b79dc9544dc2b3");
    id = identity_conflict("help", &d);
    assert_int_equal(id.source, KEY_CONFLICT);
    assert_string_equal(id.key, "3253f9d5d2230720282bbd3f9a7d0355eaa24e42fd68adb7dda94fc8d7cdad35");
    id = identity_delivery("help", UINT32_MAX, 7);
    assert_int_equal(id.source, KEY_DELIVERY);
    assert_string_equal(id.key, "93afc3cb6a957e3f4aa8f22cc9f662649829f1ae2954cc40c46e53dd88aa1108");
}

static void octets_after_a_nul_count(void **state)
{
    char one[KEY_SIZE];
    char other[KEY_SIZE];

    (void)state;
    intake_key("help", SLICE("<a\0b@c>"), one);
    intake_key("help", SLICE("<a\0c@c>"), other);
    assert_string_not_equal(one, other);
}

static void mailboxes_do_not_share_keys(void **state)
{
    char one[KEY_SIZE];
    char other[KEY_SIZE];

    (void)state;
    intake_key("help", SLICE("<a1@example.org>"), one);
    intake_key("sales", SLICE("<a1@example.org>"), other);
    assert_string_not_equal(one, other);
}

/* A normalised Message-ID has a bracket in front, so no sender can write another kind of id. */
static void a_message_id_cannot_pass_for_another_kind(void **state)
{
    struct digest d = digest_of_octets(0xAB);
    struct identity of_digest = identity_digest("help", &d);
    struct identity of_id = identity_message_id(
        "help", SLICE("<digest:abababababababababababababababababababababababababababababababab>"));

    (void)state;
    assert_string_not_equal(of_digest.key, of_id.key);
}

static void key_sources_have_their_words(void **state)
{
    (void)state;
    assert_string_equal(key_source_text(KEY_REFERENCE), "reference");
    assert_string_equal(key_source_text(KEY_MESSAGE_ID), "message-id");
    assert_string_equal(key_source_text(KEY_DIGEST), "digest");
    assert_string_equal(key_source_text(KEY_CONFLICT), "conflict");
    assert_string_equal(key_source_text(KEY_DELIVERY), "delivery");
    assert_string_equal(key_source_text(KEY_SOURCE_COUNT), "?");
}

static void names_are_short_lower_case_and_plain(void **state)
{
    static const struct {
        const char *name;
        bool valid;
    } rows[] = {
        {"help", true},
        {"a", true},
        {"0", true},
        {"a.b_c-d9", true},
        {"zebra", true},
        {"9", true},
        {"a234567890123456789012345678901234567890123456789012345678901234", true},
        {"a2345678901234567890123456789012345678901234567890123456789012345", false},
        {"", false},
        {".help", false},
        {"-help", false},
        {"_help", false},
        {"Help", false},
        {"he lp", false},
        {"he:lp", false},
        {"he/lp", false},
        {"h\xC3\xA9lp", false},
    };

    (void)state;
    FOR_EACH(row, rows)
        assert_int_equal(name_valid(slice_z(row->name)), row->valid);
    assert_false(name_valid(SLICE("help\0")));
}

/* References */

static void a_reference_is_the_first_bits_of_the_key_in_crockford_digits(void **state)
{
    static const struct {
        const char *name;
        const char *key;
        int digits;
        const char *reference;
    } rows[] = {
        {"eight digits", KEY, 8, "HD-AB2Y08K6"},
        {"two more where they collide", KEY, 10, "HD-AB2Y08K6QQ"},
        {"one", KEY, 1, "HD-A"},
        {"as many as a key has", KEY, REFERENCE_DIGITS_MAX,
         "HD-AB2Y08K6QQJ3FW2BHSTP8K1SGKX42J5RSW7MT0M137213VFNVQ"},
        {"each digit once", "00443214c74254b635cf84653a56d7c675be77df00000000000000000000abcd", 32,
         "HD-0123456789ABCDEFGHJKMNPQRSTVWXYZ"},
        {"all ones", "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", 8,
         "HD-ZZZZZZZZ"},
    };

    (void)state;
    FOR_EACH(row, rows) {
        char reference[REFERENCE_SIZE];

        reference_of("HD-", row->key, row->digits, reference);
        assert_string_equal(reference, row->reference);
    }
}

static void a_prefix_that_is_too_long_does_no_harm(void **state)
{
    char reference[REFERENCE_SIZE];

    (void)state;
    reference_of("a-prefix-of-twenty--", KEY, REFERENCE_DIGITS_MAX, reference);
    assert_int_equal(strlen(reference), REFERENCE_SIZE - 1);
    reference_of("", KEY, 8, reference);
    assert_string_equal(reference, "AB2Y08K6");
}

static void a_reference_is_found_in_a_text(void **state)
{
    static const struct {
        const char *name;
        size_t from;
        size_t at;
        const char *reference; /* NULL: none */
    } rows[] = {
        {"HD-AB2Y08K6", 0, 0, "HD-AB2Y08K6"},
        {"Re: [HD-AB2Y08K6] Printer", 0, 5, "HD-AB2Y08K6"},
        {"re: [hd-ab2y08k6] printer", 0, 5, "HD-AB2Y08K6"},
        {"HD-AB2Y08K6QQ longer", 0, 0, "HD-AB2Y08K6QQ"},
        {"misread: HD-ABZYO8KL", 0, 9, "HD-ABZY08K1"},
        {"misread: hd-abzyo8ki", 0, 9, "HD-ABZY08K1"},
        {"HD-AB2Y08K6 and HD-ZZZZZZZZ", 1, 16, "HD-ZZZZZZZZ"},
        {"HD-AB2Y08K HD-ZZZZZZZZ", 0, 11, "HD-ZZZZZZZZ"},
        {"(HD-AB2Y08K6)", 0, 1, "HD-AB2Y08K6"},
        {"\xC3\xA4HD-AB2Y08K6\xC3\xA4", 0, 2, "HD-AB2Y08K6"},
        {"HD-HD-AB2Y08K6", 0, 3, "HD-AB2Y08K6"},
        {"", 0, 0, NULL},
        {"HD-", 0, 0, NULL},
        {"seven: HD-AB2Y08K", 0, 0, NULL},
        {"no word end: HD-AB2Y08K6U", 0, 0, NULL},
        {"no word start: XHD-AB2Y08K6", 0, 0, NULL},
        {"another prefix: HE-AB2Y08K6", 0, 0, NULL},
        {"51 digits: HD-AB2Y08K6QQJ3FW2BHSTP8K1SGKX42J5RSW7MT0M137213VFNVQ0", 0, 0, NULL},
        {"behind us: HD-AB2Y08K6", 12, 0, NULL},
        {"HD-AB2Y08K6", 500, 0, NULL},
    };

    (void)state;
    FOR_EACH(row, rows) {
        char reference[REFERENCE_SIZE] = "unchanged";
        size_t at = row->from;
        bool found = reference_find("HD-", slice_z(row->name), &at, reference);

        assert_int_equal(found, row->reference != NULL);
        assert_string_equal(reference, found ? row->reference : "unchanged");
        assert_int_equal(at, found ? row->at : row->from);
    }
}

static void every_reference_is_found_again(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        CLEANUP(str_clear) struct str text = STR_INIT;
        char key[KEY_SIZE];
        char reference[REFERENCE_SIZE];
        char found[REFERENCE_SIZE];
        size_t at = 0;

        str_addf(&text, "<%d@example.org>", i);
        intake_key("help", str_slice(&text), key);
        reference_of("HD-", key, 8 + i % 43, reference);
        str_empty(&text);
        str_addf(&text, "AW: [%s] x", reference);
        assert_true(reference_find("HD-", str_slice(&text), &at, found));
        assert_string_equal(found, reference);
    }
}

static void a_long_text_of_digits_is_searched_quickly(void **state)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    char reference[REFERENCE_SIZE];
    size_t at = 0;

    (void)state;
    while (text.len < 1000000)
        str_addz(&text, "HD-00000000000000000000000000000000000000000000000000000000");
    assert_false(reference_find("HD-", str_slice(&text), &at, reference));
    at = 0;
    assert_false(reference_find("", str_slice(&text), &at, reference));
}

/* Acknowledgements */

static void an_acknowledgement_is_named_by_key_and_completion_state(void **state)
{
    char effect[EFFECT_ID_SIZE];

    (void)state;
    acknowledgement_id(KEY, "accepted", effect);
    assert_string_equal(effect, EFFECT);
    acknowledgement_id(KEY, "appended", effect);
    assert_string_equal(effect, "b08b3c6c927b7039cebafaa66d5a4dca");
}

static void its_message_id_leads_back_to_it(void **state)
{
    CLEANUP(str_clear) struct str id = STR_INIT;
    char effect[EFFECT_ID_SIZE];

    (void)state;
    acknowledgement_message_id(EFFECT, "example.org", &id);
    assert_string_equal(str_z(&id), "<ack." EFFECT "@example.org>");
    assert_true(acknowledgement_named(str_slice(&id), effect));
    assert_string_equal(effect, EFFECT);
}

static void a_domain_of_one_octet_will_do(void **state)
{
    char effect[EFFECT_ID_SIZE];

    (void)state;
    assert_true(acknowledgement_named(SLICE("<ack.0123456789abcdef0123456789abcdef@x>"), effect));
    assert_string_equal(effect, "0123456789abcdef0123456789abcdef");
}

static void other_message_ids_name_no_acknowledgement(void **state)
{
    static const struct {
        const char *name;
        const char *id;
    } rows[] = {
        {"none", ""},
        {"a sender's", "<a1@example.org>"},
        {"no brackets", "ack." EFFECT "@example.org"},
        {"no closing bracket", "<ack." EFFECT "@example.org"},
        {"text after it", "<ack." EFFECT "@example.org> x"},
        {"two brackets", "<ack." EFFECT "@example.org>>"},
        {"no domain", "<ack." EFFECT "@>"},
        {"no at sign", "<ack." EFFECT "example.org>"},
        {"only the beginning", "<ack." EFFECT},
        {"a digit short", "<ack.774d8f658b08c37c5fde12b05e706e8@example.org>"},
        {"a digit too many", "<ack.774d8f658b08c37c5fde12b05e706e888@example.org>"},
        {"no digit", "<ack.774d8f658b08c37c5fde12b05e706e8g@example.org>"},
        {"upper case", "<ack.774D8F658B08C37C5FDE12B05E706E88@example.org>"},
        {"another word", "<nak." EFFECT "@example.org>"},
    };

    (void)state;
    FOR_EACH(row, rows) {
        char effect[EFFECT_ID_SIZE] = "unchanged";

        assert_false(acknowledgement_named(slice_z(row->id), effect));
        assert_string_equal(effect, "unchanged");
    }
}

static void only_the_ledgers_secret_proves_an_acknowledgement(void **state)
{
    static const struct {
        const char *name;
        const char *secret, *effect, *proof;
        bool proven;
    } rows[] = {
        {"its own", "secret", EFFECT, PROOF, true},
        {"with white space from a header", "secret", EFFECT, " " PROOF "\r\n", true},
        {"another secret", "secret2", EFFECT, PROOF, false},
        {"another acknowledgement", "secret", "b08b3c6c927b7039cebafaa66d5a4dca", PROOF, false},
        {"another proof", "secret", EFFECT,
         "d20ebc3864d18d615f6c2651aa9825fb5cd6fb6a5e8bfd817d8bd391ee8a9073", false},
        {"a digit short", "secret", EFFECT,
         "d20ebc3864d18d615f6c2651aa9825fb5cd6fb6a5e8bfd817d8bd391ee8a907", false},
        {"none", "secret", EFFECT, "", false},
    };
    char proof[DIGEST_HEX_SIZE];

    (void)state;
    acknowledgement_proof(SLICE("secret"), EFFECT, proof);
    assert_string_equal(proof, PROOF);
    FOR_EACH(row, rows)
        assert_int_equal(
            acknowledgement_proven(slice_z(row->secret), row->effect, slice_z(row->proof)),
            row->proven);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_is_the_sha256_of_mailbox_colon_and_immutable_id),
        cmocka_unit_test(each_source_has_its_immutable_id),
        cmocka_unit_test(octets_after_a_nul_count),
        cmocka_unit_test(mailboxes_do_not_share_keys),
        cmocka_unit_test(a_message_id_cannot_pass_for_another_kind),
        cmocka_unit_test(key_sources_have_their_words),
        cmocka_unit_test(names_are_short_lower_case_and_plain),
        cmocka_unit_test(a_reference_is_the_first_bits_of_the_key_in_crockford_digits),
        cmocka_unit_test(a_prefix_that_is_too_long_does_no_harm),
        cmocka_unit_test(a_reference_is_found_in_a_text),
        cmocka_unit_test(every_reference_is_found_again),
        cmocka_unit_test(a_long_text_of_digits_is_searched_quickly),
        cmocka_unit_test(an_acknowledgement_is_named_by_key_and_completion_state),
        cmocka_unit_test(its_message_id_leads_back_to_it),
        cmocka_unit_test(a_domain_of_one_octet_will_do),
        cmocka_unit_test(other_message_ids_name_no_acknowledgement),
        cmocka_unit_test(only_the_ledgers_secret_proves_an_acknowledgement),
    };

    return RUN_TESTS(tests);
}
