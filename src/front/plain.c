/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* wcwidth; NOLINT(readability-identifier-naming): the C library's */

#include <onecase/front.h>
#include <onecase/utf8.h>
#include <locale.h>
#include <stdint.h>
#include <wchar.h>

#define ELLIPSIS    "\xE2\x80\xA6"
#define REPLACEMENT "\xEF\xBF\xBD"

/* ---- characters ------------------------------------------------------------------------------------ */

/* Takes the next character off the text, or one octet that begins none: UTF8_BAD. */
static uint32_t take(struct slice *rest, struct slice *octets)
{
    struct slice before = *rest;
    uint32_t c = utf8_next(rest);
    *octets = slice_cut(before, 0, before.len - rest->len);
    return c;
}

/* Controls of either set, and what is invisible or turns the direction of text around. */
static bool harmful(uint32_t c)
{
    /* clang-format off */
    static const struct { uint32_t first, last; } ranges[] = {
        { 0x0000, 0x001F }, { 0x007F, 0x009F }, { 0x061C, 0x061C },   { 0x200B, 0x200F },
        { 0x2028, 0x202E }, { 0x2060, 0x206F }, { 0xFEFF, 0xFEFF },   { 0xFFF9, 0xFFFB },
        { 0xE0000, 0xE007F },
    };
    /* clang-format on */
    for (size_t i = 0; i < LENGTH(ranges); i++)
        if (c >= ranges[i].first && c <= ranges[i].last)
            return true;
    return false;
}

void plain_text(const char *text, struct str *out)
{
    struct slice rest = slice_z(text), octets;
    while (rest.len > 0) {
        uint32_t c = take(&rest, &octets);
        if (c == UTF8_BAD)
            str_addz(out, REPLACEMENT);
        else if (harmful(c))
            str_addc(out, ' ');
        else
            str_add(out, octets);
    }
}

/* ---- columns --------------------------------------------------------------------------------------- */

/* The widths are the C library's, for UTF-8, whatever locale the program was started in. */
struct widths {
    locale_t mine, before;
};

static struct widths widths_begin(void)
{
    struct widths w = {.mine = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0)};
    if (w.mine)
        w.before = uselocale(w.mine);
    return w;
}

static void widths_end(const struct widths *w)
{
    if (!w->mine)
        return;
    uselocale(w->before);
    freelocale(w->mine);
}

static size_t width_of(uint32_t c)
{
    int width = c == UTF8_BAD ? 1 : wcwidth((wchar_t)c);
    return width < 0 ? 1 : (size_t)width;
}

size_t plain_columns(const char *text)
{
    struct widths widths = widths_begin();
    struct slice rest = slice_z(text), octets;
    size_t columns = 0;
    while (rest.len > 0)
        columns += width_of(take(&rest, &octets));
    widths_end(&widths);
    return columns;
}

/* Takes the characters that fit off the text; gives how many columns they take. */
static size_t take_fitting(struct slice *text, size_t columns, struct str *out)
{
    struct widths widths = widths_begin();
    size_t used = 0;
    while (text->len > 0) {
        struct slice rest = *text, octets;
        size_t width = width_of(take(&rest, &octets));
        if (used + width > columns)
            break;
        used += width;
        str_add(out, octets);
        *text = rest;
    }
    widths_end(&widths);
    return used;
}

void plain_cut(const char *text, size_t columns, struct str *out)
{
    struct slice rest = slice_z(text);
    bool fits = plain_columns(text) <= columns;
    if (!fits && columns == 0)
        return;
    take_fitting(&rest, fits ? columns : columns - 1, out);
    str_addz(out, fits ? "" : ELLIPSIS);
}

/* ---- lines ----------------------------------------------------------------------------------------- */

struct lines {
    size_t indent, width, used; /* used: of the line that is being filled */
    struct str *out;
};

static void next_line(struct lines *l)
{
    str_addf(l->out, "\n%*s", (int)l->indent, "");
    l->used = l->indent;
}

/* A word that is longer than a line is broken where the line ends. */
static void add_word(struct lines *l, const char *word)
{
    size_t columns = plain_columns(word);
    struct slice rest = slice_z(word);
    if (l->used > l->indent && l->used + 1 + columns > l->width) {
        next_line(l);
    } else if (l->used > l->indent) {
        str_addc(l->out, ' ');
        l->used++;
    }
    while (l->used + columns > l->width) {
        size_t taken = take_fitting(&rest, l->width - l->used, l->out);
        columns -= taken;
        if (taken == 0)
            break;
        next_line(l);
    }
    str_add(l->out, rest);
    l->used += columns;
}

void plain_wrap(const char *text, size_t indent, size_t width, FILE *out)
{
    CLEANUP(str_clear) struct str plain = STR_INIT;
    CLEANUP(str_clear) struct str text_out = STR_INIT;
    bool narrow = width > 0 && width < indent + 10;
    struct lines l = {.indent = narrow ? 0 : indent,
                      .used = indent,
                      .width = width ? width : SIZE_MAX,
                      .out = &text_out};
    plain_text(text, &plain);
    struct slice rest = str_slice(&plain), word;
    if (narrow)
        next_line(&l);
    while (rest.len > 0 && slice_next(&rest, ' ', &word)) {
        CLEANUP(str_clear) struct str one = STR_INIT;
        str_add(&one, word);
        if (word.len > 0)
            add_word(&l, str_z(&one));
    }
    fprintf(out, "%s\n", str_z(&text_out));
}
