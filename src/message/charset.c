/* SPDX-License-Identifier: Apache-2.0 */
#include "charset.h"
#include "charset_labels.h"
#include "charset_pieces.h"
#include "iso2022.h"

#include <errno.h>
#include <gmime/gmime.h>
#include <iconv.h>

#define REPLACEMENT SLICE("\xEF\xBF\xBD")
#define CONVERTERS  64

/* The converters of each row of the table, opened at most once in a process: opening one reads the
 * disk, which the reader's child may not. */
static struct converter {
    iconv_t with;
    bool tried, usable;
} converters[CONVERTERS][2];

static const struct converter *converter_of(size_t charset, bool second)
{
    struct converter *c = &converters[charset][second ? 1 : 0];
    const char *name = second ? charsets[charset].second : charsets[charset].converter;

    if (!c->tried && name != NULL) {
        c->with = iconv_open("UTF-8", name);
        c->usable = c->with != (iconv_t)-1; /* NOLINT(performance-no-int-to-ptr): its own idiom */
        c->tried = true;
    }
    return c;
}

void charset_prepare(void)
{
    for (size_t i = 0; i < charset_count; i++) {
        converter_of(i, false);
        converter_of(i, true);
    }
}

/* UTF-8 */

bool utf8_fits(struct slice octets)
{
    while (octets.len > 0) {
        const char *end;

        if (g_utf8_validate_len(octets.at, octets.len, &end))
            return true;
        octets = slice_cut(octets, (size_t)(end - octets.at), octets.len);
        if (octets.at[0] != '\0') /* to glib, NUL is no character */
            return false;
        octets = slice_cut(octets, 1, octets.len);
    }
    return true;
}

struct slice utf8_beginning(struct slice text, size_t most)
{
    if (text.len <= most)
        return text;
    while (most > 0 && ((uint8_t)text.at[most] & 0xC0) == 0x80)
        most--;
    return slice_cut(text, 0, most);
}

/* Adds the characters at the front that are some; `rest` begins with what is none, or is empty. */
static void add_characters(struct slice *rest, struct str *out)
{
    const char *end;

    g_utf8_validate_len(rest->at, rest->len, &end);

    size_t good = (size_t)(end - rest->at);

    str_add(out, slice_cut(*rest, 0, good));
    *rest = slice_cut(*rest, good, rest->len);
}

static void add_utf8(struct slice octets, struct str *out)
{
    while (octets.len > 0) {
        add_characters(&octets, out);
        if (octets.len > 0)
            str_add(out, REPLACEMENT);
        octets = slice_cut(octets, 1, octets.len);
    }
}

/* How many characters of several octets are right, and how many octets are of none. */
static void count_utf8(struct slice octets, size_t *right, size_t *wrong)
{
    *right = *wrong = 0;
    for (size_t i = 0; i < octets.len; i++) {
        gunichar c;

        if ((uint8_t)octets.at[i] < 0x80)
            continue;
        c = g_utf8_get_char_validated(octets.at + i, (gssize)(octets.len - i));
        *right += c < 0x110000;
        *wrong += c >= 0x110000;
        i += c < 0x110000 ? (size_t)g_unichar_to_utf8(c, NULL) - 1 : 0;
    }
}

/* It was UTF-8 once: a label says so and anything agrees, or all but a little agrees, as where a
 * mail program cut a name in the middle of a character. */
static bool is_damaged_utf8(struct slice octets, bool labelled)
{
    size_t right;
    size_t wrong;

    count_utf8(octets, &right, &wrong);
    return right > 0 && (labelled || right >= 4 * wrong);
}

static bool is_letter(struct slice octets, size_t at)
{
    return at < octets.len && ((octets.at[at] >= 'a' && octets.at[at] <= 'z') ||
                               (octets.at[at] >= 'A' && octets.at[at] <= 'Z'));
}

/* Takes the octets from `at` on that are not of ASCII. Do they stand in a word, and does none of
 * them begin a character of UTF-8? */
static bool is_of_word(struct slice octets, size_t *at)
{
    bool of_word = *at > 0 && is_letter(octets, *at - 1);
    bool begins = false;

    for (; *at < octets.len && (uint8_t)octets.at[*at] >= 0x80; ++*at)
        begins |= (uint8_t)octets.at[*at] >= 0xC0 &&
                  (*at + 1 == octets.len || ((uint8_t)octets.at[*at + 1] & 0xC0) == 0x80);
    return (of_word || is_letter(octets, *at)) && !begins;
}

/* It was never UTF-8, whatever the label says: nothing agrees, and what does not stands in words, as
 * the letters of windows-1252 would. */
static bool is_windows_1252(struct slice octets)
{
    size_t right;
    size_t wrong;
    size_t of_words = 0;
    size_t others = 0;

    count_utf8(octets, &right, &wrong);
    for (size_t at = 0; right == 0 && at < octets.len;) {
        if ((uint8_t)octets.at[at] < 0x80)
            at++;
        else if (is_of_word(octets, &at))
            of_words++;
        else
            others++;
    }
    return of_words > 3 * others;
}

/* Converters */

struct conversion {
    iconv_t with;
    char *in;
    size_t in_left;
    size_t faults;
    struct str out;
};

static void conversion_clear(struct conversion *c)
{
    str_clear(&c->out);
}

/* Converts up to a fault or the end. False at a fault. Without input (NULL) it lets out what was held
 * back for a mark that might have followed, as in Hebrew and Vietnamese. */
static bool convert_some(struct conversion *c, char **in)
{
    char into[4096];
    bool more = true;

    while (more) {
        char *to = into;
        size_t room = sizeof into;
        size_t result = iconv(c->with, in, &c->in_left, &to, &room);

        more = result == (size_t)-1 && errno == E2BIG;
        str_add(&c->out, (struct slice){into, sizeof into - room});
        if (result == (size_t)-1 && !more)
            return false;
    }
    return true;
}

static void convert(struct conversion *c, struct slice octets)
{
    union {
        const char *is;
        char *named; /* iconv takes it without const, and does not write */
    } in = {octets.at};

    c->in = in.named;
    c->in_left = octets.len;
    iconv(c->with, NULL, NULL, NULL, NULL);
    while (!convert_some(c, &c->in) && c->in_left > 0) {
        c->faults++;
        str_add(&c->out, REPLACEMENT);
        c->in++;
        c->in_left--;
    }
    c->in_left = 0;
    convert_some(c, NULL);
    c->in = NULL;
}

/* The end of a mail may have been cut off in the middle of a character: EINVAL is such a fault. */

static void convert_pieces(size_t charset, struct slice octets, struct conversion *c)
{
    CLEANUP(str_clear) struct str piece = STR_INIT;
    bool second = false;

    while (charset_piece(charsets[charset].form, &octets, &piece, &second)) {
        const struct converter *converter = converter_of(charset, second);

        if (!converter->usable) {
            c->faults = SIZE_MAX;
            return;
        }
        c->with = converter->with;
        convert(c, str_slice(&piece));
        str_empty(&piece);
    }
}

static void convert_by(size_t charset, struct slice octets, struct conversion *c)
{
    CLEANUP(str_clear) struct str euc = STR_INIT;

    if (charsets[charset].form == FORM_ISO_2022_JP) {
        iso2022_jp_to_euc(octets, &euc);
        octets = str_slice(&euc);
    } else if (charsets[charset].form == FORM_HZ) {
        hz_to_euc(octets, &euc);
        octets = str_slice(&euc);
    }
    convert_pieces(charset, octets, c);
}

/* How many octets are not of ASCII, or are of a charset that writes all in ASCII. */
static bool few_faults(size_t faults, struct slice octets)
{
    size_t odd = 0;

    for (size_t i = 0; i < octets.len; i++)
        odd += (uint8_t)octets.at[i] >= 0x80 || octets.at[i] == '\x1B';
    return faults != SIZE_MAX && faults <= odd / 8 + 1 && faults < odd;
}

/* What is read */

/* clang-format off */
static const struct {
    struct slice mark;
    const char *label;
} marks[] = {
    {SLICE_INIT("\xEF\xBB\xBF"), "utf-8"},
    {SLICE_INIT("\xFF\xFE\0\0"), "utf-32le"},
    {SLICE_INIT("\0\0\xFE\xFF"), "utf-32be"},
    {SLICE_INIT("\xFF\xFE"),     "utf-16le"},
    {SLICE_INIT("\xFE\xFF"),     "utf-16be"},
};
/* clang-format on */

static size_t charset_of(struct slice label, struct slice *octets)
{
    for (size_t i = 0; i < LENGTH(marks); i++) {
        if (!slice_eq(slice_cut(*octets, 0, marks[i].mark.len), marks[i].mark))
            continue;
        *octets = slice_cut(*octets, marks[i].mark.len, octets->len);
        return charset_find(slice_z(marks[i].label));
    }
    return charset_find(label);
}

static void add_labelled(size_t charset, struct slice octets, bool utf8, struct str *out)
{
    CLEANUP(conversion_clear) struct conversion c = {.out = STR_INIT};
    CLEANUP(conversion_clear) struct conversion last = {.out = STR_INIT};

    convert_by(charset, octets, &c);
    if (c.faults > 0 && utf8) {
        str_add(out, octets);
    } else if (c.faults == 0 || few_faults(c.faults, octets)) {
        str_add(out, str_slice(&c.out));
    } else {
        convert_by(charset_find(SLICE("windows-1252")), octets, &last);
        str_add(out, str_slice(&last.out));
    }
}

/* Text that should be UTF-8, or may be, and is not. */
static void
add_damaged(enum charset_form form, struct slice octets, enum charset_use use, struct str *out)
{
    bool labelled = form == FORM_UTF8;

    if ((labelled && use == CHARSET_TEXT && !is_windows_1252(octets)) ||
        is_damaged_utf8(octets, labelled))
        add_utf8(octets, out);
    else
        add_labelled(charset_find(SLICE("windows-1252")), octets, false, out);
}

/* Of two octets or four a character there would be a NUL somewhere. */
static bool is_never_utf16(enum charset_form form, struct slice octets)
{
    return form == FORM_UTF16 && utf8_fits(octets) && slice_find(octets, '\0', 0) == octets.len;
}

static void add_text(size_t charset, struct slice octets, enum charset_use use, struct str *out)
{
    enum charset_form form = charset == CHARSET_NONE ? FORM_ASCII : charsets[charset].form;
    bool utf8 = utf8_fits(octets);

    if (is_never_utf16(form, octets))
        form = FORM_UTF8;
    if (form == FORM_ASCII && iso2022_jp_likely(octets))
        add_labelled(charset_find(SLICE("iso-2022-jp")), octets, utf8, out);
    else if (form != FORM_UTF8 && form != FORM_ASCII)
        add_labelled(charset, octets, utf8, out);
    else if (utf8)
        str_add(out, octets);
    else
        add_damaged(form, octets, use, out);
}

/* No database takes a NUL in a text, and in C it would end it. */
static void add_without_nul(struct slice text, struct str *out)
{
    while (text.len > 0) {
        size_t nul = slice_find(text, '\0', 0);

        str_add(out, slice_cut(text, 0, nul));
        if (nul < text.len)
            str_add(out, REPLACEMENT);
        text = slice_cut(text, nul + 1, text.len);
    }
}

void charset_decode(struct slice label, struct slice octets, enum charset_use use, struct str *out)
{
    CLEANUP(str_clear) struct str text = STR_INIT;

    add_text(charset_of(label, &octets), octets, use, &text);
    add_without_nul(str_slice(&text), out);
}

void charset_decode_raw(struct slice octets, struct str *out)
{
    charset_decode(SLICE_EMPTY, octets, CHARSET_HEADER, out);
}

bool charset_known(struct slice label)
{
    return charset_find(label) != CHARSET_NONE;
}
