/* SPDX-License-Identifier: Apache-2.0 */
#include "iso2022.h"

#define ESC '\x1B'

enum set { SET_ASCII, SET_KATAKANA, SET_KANJI, SET_KANJI_MORE };

/* clang-format off */
static const struct {
    struct slice escape;
    enum set set;
} escapes[] = {
    {SLICE_INIT("\x1B(B"),  SET_ASCII},
    {SLICE_INIT("\x1B(J"),  SET_ASCII},        /* JIS X 0201 Roman: yen and overline for \ and ~ */
    {SLICE_INIT("\x1B(H"),  SET_ASCII},        /* written for (J by old programs */
    {SLICE_INIT("\x1B(I"),  SET_KATAKANA},
    {SLICE_INIT("\x1B$@"),  SET_KANJI},
    {SLICE_INIT("\x1B$B"),  SET_KANJI},
    {SLICE_INIT("\x1B$(@"), SET_KANJI},
    {SLICE_INIT("\x1B$(B"), SET_KANJI},
    {SLICE_INIT("\x1B$(D"), SET_KANJI_MORE},   /* JIS X 0212 */
    {SLICE_INIT("\x1B$(Q"), SET_KANJI},        /* JIS X 0213, first plane: nearly the same */
};
/* clang-format on */

/* The length of the escape at the front, or 0. */
static size_t escape_at(struct slice text, enum set *out)
{
    for (size_t i = 0; i < LENGTH(escapes); i++) {
        struct slice escape = escapes[i].escape;

        if (!slice_eq(slice_cut(text, 0, escape.len), escape))
            continue;
        *out = escapes[i].set;
        return escape.len;
    }
    return 0;
}

static bool is_graphic(char c)
{
    return c > ' ' && c < 0x7F;
}

static char high(char c)
{
    return (char)((uint8_t)c | 0x80);
}

/* Adds one character and says how many octets it took. */
static size_t add_character(struct slice text, enum set set, struct str *out)
{
    bool pair = text.len > 1 && is_graphic(text.at[0]) && is_graphic(text.at[1]);

    if (set == SET_KATAKANA && is_graphic(text.at[0])) {
        str_addc(out, '\x8E');
        str_addc(out, high(text.at[0]));
        return 1;
    }
    if ((set == SET_KANJI || set == SET_KANJI_MORE) && pair) {
        if (set == SET_KANJI_MORE)
            str_addc(out, '\x8F');
        str_addc(out, high(text.at[0]));
        str_addc(out, high(text.at[1]));
        return 2;
    }
    str_addc(out, text.at[0]);
    return 1;
}

void iso2022_jp_to_euc(struct slice text, struct str *out)
{
    enum set set = SET_ASCII;

    while (text.len > 0) {
        size_t taken = text.at[0] == ESC ? escape_at(text, &set) : 0;

        if (text.at[0] == '\n')
            set = SET_ASCII; /* every line begins in ASCII, so damage ends with its line */
        if (taken == 0)
            taken = add_character(text, set, out);
        text = slice_cut(text, taken, text.len);
    }
}

bool iso2022_jp_likely(struct slice text)
{
    bool found = false;
    enum set set;

    for (size_t i = 0; i < text.len; i++) {
        if ((uint8_t)text.at[i] >= 0x80)
            return false;
        if (text.at[i] == ESC && escape_at(slice_cut(text, i, text.len), &set) > 0)
            found = true;
    }
    return found;
}

/* What a tilde and the octet after it mean; false where they mean themselves. */
static bool take_tilde(char next, bool *pairs, struct str *out)
{
    if (next == '{' || next == '}')
        *pairs = next == '{';
    else if (*pairs || (next != '~' && next != '\n'))
        return false;
    else if (next == '~')
        str_addc(out, '~');
    return true;
}

/* "~{" begins and "~}" ends pairs, "~~" is a tilde, "~" and a line end is nothing. */
void hz_to_euc(struct slice text, struct str *out)
{
    bool pairs = false;

    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];
        char next = i + 1 < text.len ? text.at[i + 1] : '\0';

        if (c == '~' && take_tilde(next, &pairs, out)) {
            i++;
        } else if (pairs && is_graphic(c) && is_graphic(next)) {
            str_addc(out, high(c));
            str_addc(out, high(next));
            i++;
        } else {
            pairs &= c != '\n';
            str_addc(out, c);
        }
    }
}
