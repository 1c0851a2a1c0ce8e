/* SPDX-License-Identifier: Apache-2.0 */
#include "extension.h"

#include <onecase/safe_name.h>
#include <onecase/utf8.h>

#include <stdio.h>
#include <string.h>

#define EXTENSION_MAX                                                                              \
    32 /* octets with the dot; a longer one is a part of the name like any other */

struct range {
    uint32_t first, last;
};

/* clang-format off */
/* Left out: it is not seen, and so makes a name look like what it is not. */
static const struct range unseen[] = {
    {0x0000, 0x001F},      /* controls */
    {0x007F, 0x009F},
    {0x00AD, 0x00AD},      /* soft hyphen */
    {0x061C, 0x061C},      /* bidirectional: Arabic letter mark */
    {0x180E, 0x180E},
    {0x200B, 0x200B},      /* zero width space; the joiners after it spell words and stay */
    {0x200E, 0x200F},      /* bidirectional: marks */
    {0x2028, 0x202E},      /* line and paragraph separator; bidirectional: embedding, override */
    {0x2060, 0x206F},      /* bidirectional: isolates, with invisible neighbours */
    {0xFEFF, 0xFEFF},      /* byte order mark */
    {0xFFF9, 0xFFFB},
    {0xFFFE, 0xFFFF},      /* no characters */
    {0xE0000, 0xE007F},    /* tags */
};

/* Blanks: none at either end. */
static const struct range blanks[] = {
    {0x0020, 0x0020},
    {0x00A0, 0x00A0},
    {0x1680, 0x1680},
    {0x2000, 0x200A},
    {0x202F, 0x202F},
    {0x205F, 0x205F},
    {0x3000, 0x3000},
};

/* May combine with a character before it (taken by whole blocks). Where something unseen kept the
 * two apart, something seen has to, or the name would not be NFC any more. */
static const struct range combining[] = {
    {0x0300, 0x036F},      /* diacritical marks */
    {0x0483, 0x0489},
    {0x0591, 0x05C7},      /* Hebrew points */
    {0x0610, 0x061A},
    {0x064B, 0x0670},      /* Arabic marks */
    {0x06D6, 0x06ED},
    {0x0711, 0x074A},
    {0x07A6, 0x1059},      /* Indic and South-East Asian signs */
    {0x1160, 0x11FF},      /* Hangul vowels and finals */
    {0x135D, 0x1DFF},
    {0x20D0, 0x20FF},
    {0x2CEF, 0x2DFF},
    {0x302A, 0x302F},
    {0x3099, 0x309A},      /* Kana voicing */
    {0xA66F, 0xABED},
    {0xFB1E, 0xFB1E},
    {0xFE20, 0xFE2F},
    {0x101FD, 0x11FFF},    /* historic and Indic scripts */
    {0x16AF0, 0x16FFF},
    {0x1BC9D, 0x1D244},    /* musical notation */
    {0x1E000, 0x1E94A},
};

/* Devices of DOS and Windows, which take a name for one whatever stands after its first dot. */
static const char *const devices[] = {
    "CON", "PRN", "AUX", "NUL", "CLOCK$", "CONIN$", "CONOUT$",
};
static const char *const numbered_devices[] = {"COM", "LPT"};
static const char *const device_numbers[] = {
    "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "\u00B9", "\u00B2", "\u00B3",
};
/* clang-format on */

static bool is_in(uint32_t c, const struct range ranges[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (c >= ranges[i].first && c <= ranges[i].last)
            return true;
    return false;
}

static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

/* The last component of a path of any system. */
static struct slice base_name(struct slice path)
{
    while (path.len > 0 && is_separator(path.at[path.len - 1]))
        path.len--;

    size_t from = path.len;

    while (from > 0 && !is_separator(path.at[from - 1]))
        from--;
    return slice_cut(path, from, path.len);
}

/* Leaves out what may not stand in a name. What is no UTF-8, and the colon, which parts a drive or
 * a stream from a name, become "_". */
static void clean(struct slice name, struct str *out)
{
    bool left_out = false;

    while (name.len > 0) {
        struct slice rest = name;
        uint32_t c = utf8_next(&rest);
        struct slice octets = slice_cut(name, 0, name.len - rest.len);

        name = rest;
        if (is_in(c, unseen, LENGTH(unseen))) {
            left_out = true;
            continue;
        }
        if (left_out && out->len > 0 && is_in(c, combining, LENGTH(combining)))
            str_addc(out, '_');
        left_out = false;
        str_add(out, c == UTF8_BAD || c == ':' ? SLICE("_") : octets);
    }
}

static bool is_trimmed(uint32_t c)
{
    return c == '.' || is_in(c, blanks, LENGTH(blanks));
}

/* Removes dots and blanks from both ends of what is UTF-8. */
static struct slice trim(struct slice name)
{
    struct slice rest = name;
    size_t from = name.len;
    size_t to = 0;

    while (rest.len > 0) {
        size_t at = name.len - rest.len;

        if (is_trimmed(utf8_next(&rest)))
            continue;
        if (from == name.len)
            from = at;
        to = name.len - rest.len;
    }
    return slice_cut(name, from, to - from);
}

static bool is_numbered_device(struct slice stem)
{
    for (size_t i = 0; i < LENGTH(numbered_devices); i++) {
        struct slice device = slice_z(numbered_devices[i]);

        if (!slice_starts_nocase(stem, device))
            continue;
        for (size_t n = 0; n < LENGTH(device_numbers); n++)
            if (slice_eqz(slice_cut(stem, device.len, stem.len), device_numbers[n]))
                return true;
    }
    return false;
}

static bool is_device(struct slice name)
{
    struct slice stem = trim(slice_cut(name, 0, slice_find(name, '.', 0)));

    for (size_t i = 0; i < LENGTH(devices); i++)
        if (slice_eq_nocase(stem, slice_z(devices[i])))
            return true;
    return is_numbered_device(stem);
}

/* What stands from the last dot on, or nothing where that is no extension. */
static struct slice extension(struct slice name)
{
    for (size_t len = 1; len < name.len && len <= EXTENSION_MAX; len++)
        if (name.at[name.len - len] == '.')
            return slice_cut(name, name.len - len, len);
    return SLICE_EMPTY;
}

/* Adds a name of at most `most` octets; what is cut off stood before the extension. */
static void add_short(struct str *out, struct slice name, size_t most)
{
    struct slice end = name.len > most ? extension(name) : SLICE_EMPTY;
    struct slice start = slice_cut(name, 0, name.len - end.len);

    str_add(out, trim(utf8_cut(start, most - end.len)));
    str_add(out, end);
}

/* The safe name in at most `most` octets, of which an extension leaves some. */
static void make_name(struct slice decoded, struct slice type, size_t most, struct str *out)
{
    CLEANUP(str_clear) struct str cleaned = STR_INIT;

    clean(base_name(decoded), &cleaned);

    struct slice name = trim(str_slice(&cleaned));

    str_empty(out);
    if (name.len == 0) {
        str_addz(out, "attachment");
        str_addz(out, extension_of(type));
        return;
    }
    add_short(out, name, most);
    if (is_device(str_slice(out))) { /* asked of the short name: a cut can leave a device of it */
        str_empty(out);
        str_addc(out, '_');
        add_short(out, name, most - 1);
    }
}

void safe_name(struct slice decoded, struct slice type, struct str *out)
{
    make_name(decoded, type, SAFE_NAME_MAX, out);
}

void stored_name(unsigned number,
                 struct slice decoded,
                 struct slice type,
                 char out[STORED_NAME_SIZE])
{
    CLEANUP(str_clear) struct str name = STR_INIT;
    int digits = snprintf(out, STORED_NAME_SIZE, "%02u-", number);
    size_t len = (size_t)digits;
    size_t room = STORED_NAME_SIZE - 1 - len;

    make_name(decoded, type, room < SAFE_NAME_MAX ? room : SAFE_NAME_MAX, &name);
    memcpy(out + len, str_z(&name), name.len + 1);
}
