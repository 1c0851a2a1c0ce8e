/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/base64.h>

#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static unsigned long octet(struct slice s, size_t at)
{
    return at < s.len ? (unsigned char)s.at[at] : 0;
}

void base64_add(struct str *out, struct slice octets)
{
    for (size_t at = 0; at < octets.len; at += 3) {
        size_t left = octets.len - at;
        unsigned long bits =
            octet(octets, at) << 16 | octet(octets, at + 1) << 8 | octet(octets, at + 2);

        str_addc(out, digits[bits >> 18 & 63]);
        str_addc(out, digits[bits >> 12 & 63]);
        str_addc(out, left > 1 ? digits[bits >> 6 & 63] : '=');
        str_addc(out, left > 2 ? digits[bits & 63] : '=');
    }
}

static int value_of(char c)
{
    const char *at = c != '\0' ? strchr(digits, c) : NULL;

    return at != NULL ? (int)(at - digits) : -1;
}

/* Four characters, of which the last `padding` are "=". */
static bool take_four(struct slice text, size_t padding, struct str *out)
{
    unsigned long bits = 0;

    for (size_t i = 0; i < 4; i++) {
        int value = i < 4 - padding ? value_of(text.at[i]) : 0;

        if (value < 0)
            return false;
        bits = bits << 6 | (unsigned long)value;
    }
    for (size_t i = 0; i < 3 - padding; i++)
        str_addc(out, (char)(bits >> (16 - 8 * i) & 255));
    return true;
}

bool base64_take(struct slice text, struct str *out)
{
    if (text.len % 4 != 0)
        return false;
    for (size_t at = 0; at < text.len; at += 4) {
        struct slice four = slice_cut(text, at, 4);
        bool last = at + 4 == text.len;
        size_t padding = !last || four.at[3] != '=' ? 0 : four.at[2] != '=' ? 1 : 2;

        if (!take_four(four, padding, out))
            return false;
    }
    return true;
}
