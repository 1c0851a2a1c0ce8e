/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/identity.h>

#include <assert.h>
#include <string.h>

/* Crockford's base 32: no I L O U, which are misread or spell words. */
static const char crockford[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

static_assert(5 * REFERENCE_DIGITS_MAX <= 8 * DIGEST_SIZE, "a key has that many bits");

static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

/* The digit a person meant, or NUL: what looks like 0 or 1 is taken for it. */
static char digit_meant(char c)
{
    c = upper(c);
    if (c == 'O')
        return '0';
    if (c == 'I' || c == 'L')
        return '1';
    return c != '\0' && strchr(crockford, c) != NULL ? c : '\0';
}

static bool is_alphanumeric(char c)
{
    c = upper(c);
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
}

/* Five bits of the digest from bit `at` on, the first being the most significant. */
static unsigned five_bits(const struct digest *d, size_t at)
{
    size_t octet = at / 8;
    unsigned next = octet + 1 < DIGEST_SIZE ? d->octet[octet + 1] : 0;
    unsigned two = (unsigned)d->octet[octet] << 8 | next;

    return two >> (11 - at % 8) & 0x1F;
}

/* Adds to a text of at most REFERENCE_SIZE; what does not fit is left out. */
static void add(char out[REFERENCE_SIZE], size_t *len, char c)
{
    if (*len + 1 < REFERENCE_SIZE)
        out[(*len)++] = c;
    out[*len] = '\0';
}

void reference_of(const char *prefix, const char *key, int digits, char out[REFERENCE_SIZE])
{
    struct digest d;
    bool is_key = digest_from_hex(slice_z(key), &d);
    size_t len = 0;

    assert(is_key);
    assert(digits > 0 && digits <= REFERENCE_DIGITS_MAX);
    out[0] = '\0';
    for (; *prefix != '\0'; prefix++)
        add(out, &len, *prefix);
    for (size_t i = 0; i < (size_t)digits; i++)
        add(out, &len, crockford[five_bits(&d, 5 * i)]);
}

/* The reference that stands at `at` and ends where its word ends. */
static bool
reference_at(struct slice prefix, struct slice text, size_t at, char out[REFERENCE_SIZE])
{
    struct slice word = slice_cut(text, at, text.len);
    size_t digits = 0;
    size_t len = 0;

    if (!slice_starts_nocase(word, prefix))
        return false;
    word = slice_cut(word, prefix.len, word.len);
    while (digits < word.len && digit_meant(word.at[digits]) != '\0')
        if (++digits > REFERENCE_DIGITS_MAX)
            return false;
    if (digits < REFERENCE_DIGITS || (digits < word.len && is_alphanumeric(word.at[digits])))
        return false;
    for (size_t i = 0; i < prefix.len; i++)
        add(out, &len, prefix.at[i]);
    for (size_t i = 0; i < digits; i++)
        add(out, &len, digit_meant(word.at[i]));
    return true;
}

bool reference_find(const char *prefix, struct slice text, size_t *at, char out[REFERENCE_SIZE])
{
    for (size_t i = *at; i < text.len; i++) {
        if (i > 0 && is_alphanumeric(text.at[i - 1]) && is_alphanumeric(text.at[i]))
            continue;
        if (!reference_at(slice_z(prefix), text, i, out))
            continue;
        *at = i;
        return true;
    }
    return false;
}
