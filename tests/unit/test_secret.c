/* SPDX-License-Identifier: Apache-2.0 */
/* links: base */
#include <onecase/secret.h>

#include <testing.h>

#include <string.h>

static void a_password_is_kept_as_scrypt_with_a_salt_of_its_own(void **state)
{
    char kept[SECRET_SIZE], again[SECRET_SIZE];

    (void)state;
    secret_keep(SLICE("correct horse"), kept);
    secret_keep(SLICE("correct horse"), again);
    assert_memory_equal(kept, "scrypt$15$8$1$", 14);
    assert_string_not_equal(kept, again);
    assert_null(strstr(kept, "horse"));
    assert_true(secret_matches(SLICE("correct horse"), kept));
    assert_false(secret_matches(SLICE("correct horsf"), kept));
    assert_false(secret_matches(SLICE(""), kept));
}

/* RFC 7914, section 12, has no vector for these parameters; this one is of another implementation. */
static void a_secret_of_another_implementation_matches(void **state)
{
    static const char kept[] = "scrypt$14$8$1$"
                               "73616c7473616c7473616c7473616c7473616c7473616c7473616c7473616c74$"
                               "b1b88199a5be93e49495b0b40c444c24d9c29774fe778383fac946d6fc7c5a18";

    (void)state;
    assert_true(secret_matches(SLICE("pleaseletmein"), kept));
}

static const struct {
    const char *name;
} broken[] = {
    {""},
    {"scrypt"},
    {"scrypt$15$8$1$00$00"},
    {"scrypt$99$8$1$"
     "73616c7473616c7473616c7473616c7473616c7473616c7473616c7473616c74$"
     "73616c7473616c7473616c7473616c7473616c7473616c7473616c7473616c74"},
    {"plain$correct horse"},
    {"scrypt$a$8$1$$"},
};

static void what_is_no_secret_matches_nothing(void **state)
{
    char nobody[SECRET_SIZE];

    (void)state;
    FOR_EACH(row, broken)
        assert_false(secret_matches(SLICE("correct horse"), row->name));
    secret_of_nobody(nobody);
    assert_false(secret_matches(SLICE("correct horse"), nobody));
}

static void a_token_is_long_and_of_letters_that_need_no_escaping(void **state)
{
    char one[TOKEN_SIZE], other[TOKEN_SIZE];

    (void)state;
    token_new(one);
    token_new(other);
    assert_int_equal(strlen(one), 43);
    assert_string_not_equal(one, other);
    assert_int_equal(
        strspn(one, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"), 43);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_password_is_kept_as_scrypt_with_a_salt_of_its_own),
        cmocka_unit_test(a_secret_of_another_implementation_matches),
        cmocka_unit_test(what_is_no_secret_matches_nothing),
        cmocka_unit_test(a_token_is_long_and_of_letters_that_need_no_escaping),
    };

    return RUN_TESTS(tests);
}
