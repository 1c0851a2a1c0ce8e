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

static int value_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    if (c == '+')
        return 62;
    return c == '/' ? 63 : -1;
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
