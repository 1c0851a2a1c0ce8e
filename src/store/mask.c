/* SPDX-License-Identifier: Apache-2.0 */
#include "commit.h"

static bool in_address(char c)
{
    unsigned char u = (unsigned char)c;

    return u > ' ' && u != 0x7f && c != '<' && c != '>' && c != '(' && c != ')' && c != '[' &&
           c != ']' && c != ',' && c != ';' && c != '"';
}

static char shown(char c)
{
    return c >= ' ' && c <= '~' ? c : '?';
}

/* The length of what looks like an address at the front of `text`, with the place of its last "@". */
static size_t address_length(struct slice text, size_t *last_at)
{
    size_t length = 0;

    *last_at = text.len;
    while (length < text.len && in_address(text.at[length])) {
        if (text.at[length] == '@')
            *last_at = length;
        length++;
    }
    return length;
}

void addresses_mask(struct slice text, struct str *out)
{
    while (text.len > 0) {
        size_t last_at;
        size_t length = address_length(text, &last_at);
        size_t from = 0;

        if (length == 0)
            length = 1;
        if (last_at < length) {
            str_addz(out, "***");
            from = last_at;
        }
        for (size_t i = from; i < length; i++)
            str_addc(out, shown(text.at[i]));
        text = slice_cut(text, length, text.len);
    }
}
