/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/utf8.h>

#include <string.h>

/* clang-format off */
static const struct {
    uint8_t mask, lead;    /* a first octet is of this row if (octet & mask) == lead */
    unsigned more;         /* octets after it */
    uint32_t smallest;     /* anything below has a shorter form */
} forms[] = {
    {0x80, 0x00, 0, 0x0000},
    {0xE0, 0xC0, 1, 0x0080},
    {0xF0, 0xE0, 2, 0x0800},
    {0xF8, 0xF0, 3, 0x10000},
};
/* clang-format on */

static bool continues(char c)
{
    return ((uint8_t)c & 0xC0) == 0x80;
}

/* The character of `1 + more` octets at the front, if they are one. */
static uint32_t compose(struct slice text, uint8_t mask, unsigned more)
{
    uint32_t character = (uint8_t)text.at[0] & (uint8_t)~mask;

    if (more >= text.len)
        return UTF8_BAD;
    for (unsigned i = 1; i <= more; i++) {
        if (!continues(text.at[i]))
            return UTF8_BAD;
        character = character << 6 | ((uint8_t)text.at[i] & 0x3F);
    }
    return character;
}

static bool is_character(uint32_t c, uint32_t smallest)
{
    return c >= smallest && c <= 0x10FFFF && !(c >= 0xD800 && c <= 0xDFFF);
}

uint32_t utf8_next(struct slice *rest)
{
    uint32_t character = UTF8_BAD;
    unsigned more = 0;

    for (size_t i = 0; i < LENGTH(forms); i++) {
        if (((uint8_t)rest->at[0] & forms[i].mask) != forms[i].lead)
            continue;
        character = compose(*rest, forms[i].mask, forms[i].more);
        if (is_character(character, forms[i].smallest))
            more = forms[i].more;
        else
            character = UTF8_BAD;
        break;
    }
    *rest = slice_cut(*rest, 1 + more, rest->len);
    return character;
}

/* Most of most texts. */
static size_t ascii_length(struct slice text)
{
    size_t len = 0;
    uint64_t eight;

    for (; text.len - len >= sizeof eight; len += sizeof eight) {
        memcpy(&eight, text.at + len, sizeof eight);
        if ((eight & UINT64_C(0x8080808080808080)) != 0)
            break;
    }
    return len;
}

bool utf8_valid(struct slice text)
{
    for (size_t skip = ascii_length(text); text.len > skip; skip = ascii_length(text)) {
        text = slice_cut(text, skip, text.len);
        if (utf8_next(&text) == UTF8_BAD)
            return false;
    }
    return true;
}

bool utf8_boundary(struct slice text, size_t at)
{
    return at >= text.len || !continues(text.at[at]);
}

struct slice utf8_cut(struct slice text, size_t most)
{
    if (text.len <= most)
        return text;
    while (most > 0 && !utf8_boundary(text, most))
        most--;
    return slice_cut(text, 0, most);
}

void utf8_mend(struct slice text, struct str *out)
{
    while (text.len > 0) {
        struct slice before = text;

        if (utf8_next(&text) == UTF8_BAD)
            str_addz(out, "\xEF\xBF\xBD");
        else
            str_add(out, slice_cut(before, 0, before.len - text.len));
    }
}
