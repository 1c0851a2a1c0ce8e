/* SPDX-License-Identifier: Apache-2.0 */
#include "base64.h"

#include <limits.h>

/* Encoders that write in pieces pad each of them, so "=" does not end the octets. But a mailing
 * list may have put its footer after them, which is mostly letters of the alphabet too. After
 * padding, therefore, and after a line that is drawn across, a line counts only if it is nothing but
 * whole groups of four. */

#define PADDING    '='
#define DASHES_MIN 5
#define NO_DASHES  UINT_MAX /* something else stands in the line */

#define GROUPS 256 /* that are decoded at once */

/* clang-format off */
static const uint8_t values_and_one[256] = { /* 0: not of the alphabet */
    ['A'] = 1,  ['B'] = 2,  ['C'] = 3,  ['D'] = 4,  ['E'] = 5,  ['F'] = 6,  ['G'] = 7,  ['H'] = 8,
    ['I'] = 9,  ['J'] = 10, ['K'] = 11, ['L'] = 12, ['M'] = 13, ['N'] = 14, ['O'] = 15, ['P'] = 16,
    ['Q'] = 17, ['R'] = 18, ['S'] = 19, ['T'] = 20, ['U'] = 21, ['V'] = 22, ['W'] = 23, ['X'] = 24,
    ['Y'] = 25, ['Z'] = 26, ['a'] = 27, ['b'] = 28, ['c'] = 29, ['d'] = 30, ['e'] = 31, ['f'] = 32,
    ['g'] = 33, ['h'] = 34, ['i'] = 35, ['j'] = 36, ['k'] = 37, ['l'] = 38, ['m'] = 39, ['n'] = 40,
    ['o'] = 41, ['p'] = 42, ['q'] = 43, ['r'] = 44, ['s'] = 45, ['t'] = 46, ['u'] = 47, ['v'] = 48,
    ['w'] = 49, ['x'] = 50, ['y'] = 51, ['z'] = 52, ['0'] = 53, ['1'] = 54, ['2'] = 55, ['3'] = 56,
    ['4'] = 57, ['5'] = 58, ['6'] = 59, ['7'] = 60, ['8'] = 61, ['9'] = 62, ['+'] = 63, ['/'] = 64,
};
/* clang-format on */

static int value_of(char c)
{
    return values_and_one[(uint8_t)c] - 1;
}

/* Lets out the whole octets of a group that is not full. */
static void end_group(struct decoder *d, struct str *out)
{
    if (d->digits == 2) {
        str_addc(out, (char)(uint8_t)(d->bits >> 4));
    } else if (d->digits == 3) {
        str_addc(out, (char)(uint8_t)(d->bits >> 10));
        str_addc(out, (char)(uint8_t)(d->bits >> 2));
    }
    d->digits = 0;
    d->bits = 0;
}

static void digit(struct decoder *d, int value, struct str *out)
{
    d->bits = d->bits << 6 | (uint32_t)value;
    if (++d->digits < 4)
        return;
    str_addc(out, (char)(uint8_t)(d->bits >> 16));
    str_addc(out, (char)(uint8_t)(d->bits >> 8));
    str_addc(out, (char)(uint8_t)d->bits);
    d->digits = 0;
    d->bits = 0;
}

static void decode(struct decoder *d, char c, struct str *out)
{
    int value = value_of(c);

    if (value >= 0) {
        digit(d, value, out);
    } else if (c == PADDING) {
        d->padded |= d->digits > 0;
        end_group(d, out);
    }
}

static bool is_whole_groups(struct slice line)
{
    size_t digits = 0;

    while (line.len > 0 && (line.at[line.len - 1] == '\r' || line.at[line.len - 1] == ' ' ||
                            line.at[line.len - 1] == '\t'))
        line.len--;
    while (digits < line.len && value_of(line.at[digits]) >= 0)
        digits++;
    while (digits < line.len && line.at[digits] == PADDING)
        digits++;
    return digits == line.len && digits > 0 && digits % 4 == 0;
}

static void judge_line(struct decoder *d, struct str *out)
{
    if (is_whole_groups(str_slice(&d->held)))
        for (size_t i = 0; i < d->held.len; i++)
            decode(d, d->held.at[i], out);
    str_empty(&d->held);
}

/* Is it the end of a line of dashes? */
static bool ends_dashes(struct decoder *d, char c)
{
    unsigned dashes = d->dashes;

    if (c == '\n')
        d->dashes = 0;
    else if ((c == '_' || c == '-') && dashes != NO_DASHES)
        d->dashes++;
    else if (c != '\r' && c != ' ' && c != '\t')
        d->dashes = NO_DASHES;
    return c == '\n' && dashes != NO_DASHES && dashes >= DASHES_MIN;
}

/* The three octets of four digits; false where one of the four is no digit. */
static bool take_group(const char *at, char *out)
{
    uint32_t a = values_and_one[(uint8_t)at[0]] - 1U;
    uint32_t b = values_and_one[(uint8_t)at[1]] - 1U;
    uint32_t c = values_and_one[(uint8_t)at[2]] - 1U;
    uint32_t d = values_and_one[(uint8_t)at[3]] - 1U;
    uint32_t bits = a << 18 | b << 12 | c << 6 | d;

    if ((a | b | c | d) > 63)
        return false;
    out[0] = (char)(uint8_t)(bits >> 16);
    out[1] = (char)(uint8_t)(bits >> 8);
    out[2] = (char)(uint8_t)bits;
    return true;
}

/* Digits leave nothing to be judged but that their line is not drawn across. */
size_t base64_groups(struct decoder *d, struct slice octets, struct str *out)
{
    char decoded[3 * GROUPS];
    size_t groups = 0;

    if (d->judged || d->digits > 0)
        return 0;
    while (groups < GROUPS && octets.len - 4 * groups >= 4 &&
           take_group(octets.at + 4 * groups, decoded + 3 * groups))
        groups++;
    if (groups > 0)
        d->dashes = NO_DASHES;
    str_add(out, (struct slice){decoded, 3 * groups});
    return 4 * groups;
}

/* `judged` means that lines are held back, which begins at the first line end after padding, and
 * after dashes. */
void base64_octet(struct decoder *d, char c, struct str *out)
{
    if (d->judged && c == '\n')
        judge_line(d, out);
    else if (d->judged)
        str_addc(&d->held, c);
    else
        decode(d, c, out);
    d->judged |= ends_dashes(d, c) || (d->padded && c == '\n');
}

void base64_end(struct decoder *d, struct str *out)
{
    if (d->judged)
        judge_line(d, out);
    end_group(d, out);
}
