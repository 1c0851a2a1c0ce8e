/* SPDX-License-Identifier: Apache-2.0 */
#include "names.h"

#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+,";

void name_space_clear(struct name_space *ns)
{
    str_clear(&ns->prefix);
    str_clear(&ns->others);
    ns->delimiter = '\0';
    ns->utf8 = false;
}

/* How many octets a character has whose first is this; 0 where none begins so. */
static size_t length_of(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first < 0xC0 || first >= 0xF8)
        return 0;
    return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

/* The next character of UTF-8 text; false for what is none. Overlong forms and surrogates are none. */
static bool next_character(struct slice *text, uint32_t *out)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = (unsigned char)text->at[0];
    size_t len = length_of(first);
    uint32_t c = len == 1 ? first : first & (0xFFU >> (len + 1));

    if (len == 0 || len > text->len)
        return false;
    for (size_t i = 1; i < len; i++) {
        unsigned char more = (unsigned char)text->at[i];

        if ((more & 0xC0) != 0x80)
            return false;
        c = c << 6 | (more & 0x3F);
    }
    *text = slice_cut(*text, len, text->len);
    *out = c;
    return c >= least[len] && c <= 0x10FFFF && !(c >= 0xD800 && c < 0xE000);
}

/* Base 64 of 16-bit units; `bits` of `held` wait to be written. */
struct run {
    uint32_t held;
    unsigned bits;
    bool open;
};

static void add_unit(struct run *run, struct str *out, uint32_t unit)
{
    run->held = run->held << 16 | unit;
    for (run->bits += 16; run->bits >= 6; run->bits -= 6)
        str_addc(out, digits[run->held >> (run->bits - 6) & 63]);
}

static void add_wide(struct run *run, struct str *out, uint32_t c)
{
    if (!run->open)
        str_addc(out, '&');
    run->open = true;
    if (c < 0x10000) {
        add_unit(run, out, c);
    } else {
        add_unit(run, out, 0xD800 + ((c - 0x10000) >> 10));
        add_unit(run, out, 0xDC00 + ((c - 0x10000) & 0x3FF));
    }
}

static void end_run(struct run *run, struct str *out)
{
    if (!run->open)
        return;
    if (run->bits > 0)
        str_addc(out, digits[run->held << (6 - run->bits) & 63]);
    str_addc(out, '-');
    *run = (struct run){0, 0, false};
}

static void add_plain(const struct name_space *ns, struct str *out, char c)
{
    if (c == '/' && ns->delimiter != '\0')
        str_addc(out, ns->delimiter);
    else
        str_addc(out, c);
    if (c == '&' && !ns->utf8)
        str_addc(out, '-');
}

static bool encode(const struct name_space *ns, const char *folder, struct str *out)
{
    struct slice rest = slice_z(folder);
    struct run run = {0, 0, false};
    uint32_t c;

    while (rest.len > 0) {
        struct slice before = rest;

        if (!next_character(&rest, &c) || c < ' ' || (c >= 0x7F && c < 0xA0))
            return false;
        if (c >= 0x80 && ns->utf8) {
            str_add(out, slice_cut(before, 0, before.len - rest.len));
        } else if (c >= 0x80) {
            add_wide(&run, out, c);
        } else {
            end_run(&run, out);
            add_plain(ns, out, (char)c);
        }
    }
    end_run(&run, out);
    return out->len > 0;
}

static void add_character(struct str *out, uint32_t c)
{
    static const struct {
        uint32_t below;
        unsigned more, first;
    } rows[] = {{0x80, 0, 0}, {0x800, 1, 0xC0}, {0x10000, 2, 0xE0}, {0x110000, 3, 0xF0}};
    size_t row = 0;

    if (c < ' ' || (c >= 0x7F && c < 0xA0))
        return;
    while (c >= rows[row].below)
        row++;
    str_addc(out, (char)(rows[row].first | c >> (6 * rows[row].more)));
    for (unsigned i = rows[row].more; i > 0; i--)
        str_addc(out, (char)(0x80 | (c >> (6 * (i - 1)) & 0x3F)));
}

/* A 16-bit unit of UTF-16; the first half of a pair waits in `*high` for its second. */
static void take_unit(uint32_t unit, uint32_t *high, struct str *out)
{
    if (unit >= 0xD800 && unit < 0xDC00) {
        *high = unit;
        return;
    }
    if (unit < 0xDC00 || unit >= 0xE000)
        add_character(out, unit);
    else if (*high != 0)
        add_character(out, 0x10000 + ((*high - 0xD800) << 10) + (unit - 0xDC00));
    *high = 0;
}

/* What stands between "&" and "-". */
static void add_decoded(struct slice run, struct str *out)
{
    uint32_t held = 0;
    uint32_t high = 0;
    unsigned bits = 0;

    for (size_t i = 0; i < run.len; i++) {
        const char *digit = memchr(digits, run.at[i], sizeof digits - 1);

        held = held << 6 | (uint32_t)(digit != NULL ? digit - digits : 0);
        bits += 6;
        if (bits < 16)
            continue;
        bits -= 16;
        take_unit(held >> bits & 0xFFFF, &high, out);
    }
}

static void add_shown(const struct name_space *ns, char c, struct str *out)
{
    unsigned char octet = (unsigned char)c;

    if (octet >= ' ' && octet != 0x7F)
        str_addc(out, c == ns->delimiter ? '/' : c);
}

void name_from_wire(const struct name_space *ns, struct slice wire, struct str *out)
{
    struct slice prefix = str_slice(&ns->prefix);

    if (prefix.len > 0 && wire.len > prefix.len && slice_starts_nocase(wire, prefix))
        wire = slice_cut(wire, prefix.len, wire.len);
    for (size_t at = 0; at < wire.len; at++) {
        size_t end = slice_find(wire, '-', at);

        if (ns->utf8 || wire.at[at] != '&' || end == wire.len) {
            add_shown(ns, wire.at[at], out);
            continue;
        }
        if (end == at + 1)
            str_addc(out, '&');
        add_decoded(slice_cut(wire, at + 1, end - at - 1), out);
        at = end;
    }
}

static bool is_under(struct slice name, const char *top, char delimiter)
{
    size_t len = strlen(top);

    return slice_starts_nocase(name, slice_z(top)) && delimiter != '\0' && name.len > len &&
           name.at[len] == delimiter;
}

static bool starts(struct slice name, struct slice prefix)
{
    return prefix.len > 0 && slice_eq(slice_cut(name, 0, prefix.len), prefix);
}

/* Whether the name says itself in whose namespace it is. */
static bool is_placed(const struct name_space *ns, struct slice name)
{
    struct slice others = str_slice(&ns->others);
    struct slice prefix;

    while (slice_next(&others, '\n', &prefix))
        if (starts(name, prefix))
            return true;
    return starts(name, str_slice(&ns->prefix)) || is_under(name, "INBOX", ns->delimiter);
}

enum rc
name_to_wire(const struct name_space *ns, const char *folder, struct str *out, struct err *err)
{
    CLEANUP(str_clear) struct str name = STR_INIT;

    if (!encode(ns, folder, &name))
        return FAIL(err, RC_REFUSED,
                    "imap: a folder's name is empty, no UTF-8, or holds control characters; check "
                    "`folders`");
    if (slice_eq_nocase(str_slice(&name), SLICE("INBOX"))) {
        str_addz(out, "INBOX");
        return RC_OK;
    }
    if (!is_placed(ns, str_slice(&name)))
        str_add(out, str_slice(&ns->prefix));
    if (is_under(str_slice(&name), "INBOX", ns->delimiter))
        memcpy(name.at, "INBOX", strlen("INBOX"));
    str_add(out, str_slice(&name));
    return RC_OK;
}
