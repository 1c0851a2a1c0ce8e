/* SPDX-License-Identifier: Apache-2.0 */
#include "html_references.h"
#include "charset.h"
#include "transfer.h"

#include <libxml/HTMLparser.h>

#define NAMES_MAX  128
#define DIGITS_MAX 8

/* Names that need no semicolon: those of HTML 4 up to 255, and these. */
static const char *const capitals[] = {"AMP", "LT", "GT", "QUOT", "COPY", "REG"};
static struct slice names[NAMES_MAX];
static size_t name_count;

void html_references_prepare(void)
{
    name_count = 0;
    for (unsigned value = 0; value < 256; value++) {
        const htmlEntityDesc *entity = value != '\'' ? htmlEntityValueLookup(value) : NULL;

        if (entity != NULL)
            names[name_count++] = slice_z(entity->name);
    }
    for (size_t i = 0; i < LENGTH(capitals); i++)
        names[name_count++] = slice_z(capitals[i]);
}

/* The longest of the names that `rest` begins with, or nothing. */
static struct slice name_at(struct slice rest)
{
    struct slice longest = SLICE_EMPTY;

    for (size_t i = 0; i < name_count; i++)
        if (names[i].len > longest.len && rest.len >= names[i].len &&
            rest.at[0] == names[i].at[0] && slice_eq(slice_cut(rest, 0, names[i].len), names[i]))
            longest = names[i];
    return longest;
}

static bool is_name_octet(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static size_t name_length(struct slice rest)
{
    size_t len = 0;

    while (len < rest.len && len < 40 && is_name_octet(rest.at[len]))
        len++;
    return len;
}

/* "#146;" or "#x92": its value, and how long it is; 0 where it is none. */
static size_t number_at(struct slice rest, unsigned *value)
{
    bool hexadecimal = rest.len > 1 && (rest.at[1] == 'x' || rest.at[1] == 'X');
    size_t from = hexadecimal ? 2 : 1;
    size_t at = from;

    *value = 0;
    for (; at < rest.len && at < from + DIGITS_MAX; at++) {
        int digit = hex_value(rest.at[at]);

        if (digit < 0 || (digit > 9 && !hexadecimal))
            break;
        *value = *value * (hexadecimal ? 16 : 10) + (unsigned)digit;
    }
    if (at == from)
        return 0;
    return at < rest.len && rest.at[at] == ';' ? at + 1 : at;
}

/* Adds what stands after an "&" as far as it is a reference that has to be mended; says how much. */
static size_t add_reference(struct slice rest, struct str *out)
{
    unsigned value;
    size_t number = rest.len > 0 && rest.at[0] == '#' ? number_at(rest, &value) : 0;
    size_t whole = name_length(rest);
    struct slice name = SLICE_EMPTY;

    if (number > 0 && value >= 0x80 && value < 0xA0) {
        char octet = (char)(uint8_t)value;

        out->len--;
        charset_decode(SLICE("windows-1252"), (struct slice){&octet, 1}, CHARSET_TEXT, out);
        return number;
    }
    if (whole > 0 && (whole == rest.len || rest.at[whole] != ';'))
        name = name_at(slice_cut(rest, 0, whole));
    str_add(out, name);
    if (name.len > 0)
        str_addc(out, ';');
    return name.len;
}

void html_references_mend(struct slice html, struct str *out)
{
    for (size_t at = 0; at < html.len;) {
        size_t mark = slice_find(html, '&', at);

        str_add(out, slice_cut(html, at, mark - at));
        at = mark;
        if (at == html.len)
            break;
        str_addc(out, '&');
        at += 1 + add_reference(slice_cut(html, at + 1, html.len), out);
    }
}
