/* SPDX-License-Identifier: Apache-2.0 */
#include "charset_pieces.h"

/* The length of the character at the front, and whether the first converter lacks it. */
struct character {
    size_t length;
    bool second;
};

static uint8_t at(struct slice text, size_t i)
{
    return i < text.len ? (uint8_t)text.at[i] : 0;
}

static struct character big5(struct slice text)
{
    unsigned pair = at(text, 0) * 256u + at(text, 1);

    if (pair < 0x8100 || text.len < 2)
        return (struct character){1, false};
    return (struct character){2,
                              pair < 0xA140 || (pair > 0xC67E && pair < 0xC940) || pair > 0xF9FE};
}

static struct character euc_jp(struct slice text)
{
    uint8_t lead = at(text, 0);
    bool pair = lead >= 0xA1 && lead < 0xFF && at(text, 1) >= 0xA1 && at(text, 1) < 0xFF;

    if (lead == 0x8F)
        return (struct character){text.len < 3 ? text.len : 3, false};
    return (struct character){pair ? 2 : 1, pair && lead >= 0xF9 && lead <= 0xFC};
}

static struct character gbk(struct slice text)
{
    bool pair = at(text, 0) > 0x80 && at(text, 1) >= 0x30;

    return (struct character){pair ? 2 : 1, at(text, 0) == 0x80};
}

static struct character character_of(enum charset_form form, struct slice text)
{
    switch (form) {
    case FORM_BIG5:
        return big5(text);
    case FORM_EUC_JP:
    case FORM_ISO_2022_JP:
        return euc_jp(text);
    case FORM_GBK:
        return gbk(text);
    case FORM_PLAIN:
    case FORM_UTF8:
    case FORM_ASCII:
    case FORM_UTF16:
    case FORM_HZ:
        break;
    }
    return (struct character){text.len, false};
}

/* Two rows of 94 make one of Shift_JIS. */
static void add_as_shift_jis(struct slice pair, struct str *out)
{
    unsigned row = at(pair, 0) - 0xA1u;
    unsigned cell = at(pair, 1) - 0xA1u;

    cell += row % 2 * 94;
    str_addc(out, (char)(uint8_t)(row / 2 + (row < 62 ? 0x81 : 0xC1)));
    str_addc(out, (char)(uint8_t)(cell + (cell < 63 ? 0x40 : 0x41)));
}

static void add_second(enum charset_form form, struct slice character, struct str *out)
{
    if (form == FORM_EUC_JP || form == FORM_ISO_2022_JP)
        add_as_shift_jis(character, out);
    else
        str_add(out, character);
}

bool charset_piece(enum charset_form form, struct slice *rest, struct str *out, bool *second)
{
    struct slice begun = *rest;

    if (rest->len == 0)
        return false;
    for (bool any = false; rest->len > 0; any = true) {
        struct character c = character_of(form, *rest);

        if (any && c.second != *second)
            break;
        *second = c.second;
        if (c.second)
            add_second(form, slice_cut(*rest, 0, c.length), out);
        *rest = slice_cut(*rest, c.length, rest->len);
    }
    if (!*second)
        str_add(out, slice_cut(begun, 0, begun.len - rest->len));
    return true;
}
