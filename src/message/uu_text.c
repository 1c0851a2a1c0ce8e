/* SPDX-License-Identifier: Apache-2.0 */
#include "uu_text.h"
#include "transfer.h"

/* Takes a line off the front, its end included; `line` is without it. */
static bool take_line(struct slice *rest, struct slice *line)
{
    if (!slice_next(rest, '\n', line))
        return false;
    while (line->len > 0 && line->at[line->len - 1] == '\r')
        line->len--;
    return true;
}

/* "begin 644 report.pdf": three or four octal digits, and a name. */
static bool is_begin(struct slice line, struct slice *name)
{
    size_t at = 6;

    if (!slice_eq(slice_cut(line, 0, 6), SLICE("begin ")))
        return false;
    while (at < line.len && line.at[at] >= '0' && line.at[at] <= '7')
        at++;
    if (at < 9 || at > 10 || at >= line.len || line.at[at] != ' ')
        return false;
    *name = slice_trim(slice_cut(line, at, line.len));
    return name->len > 0;
}

/* A line says by its first character how many octets it has; blanks at its end may have been lost,
 * and a checksum may follow. */
static bool is_data(struct slice line, size_t *octets)
{
    if (line.len == 0 || line.at[0] < ' ' || line.at[0] > '`')
        return false;
    *octets = ((size_t)line.at[0] - ' ') & 63;
    if (line.len > 1 + (*octets + 2) / 3 * 4 + 1)
        return false;
    for (size_t i = 1; i < line.len; i++)
        if (line.at[i] < ' ' || line.at[i] > '`')
            return false;
    return true;
}

/* The length of the block at the front, or 0; `any` needs one line that has octets. */
static size_t block_length(struct slice text, size_t most)
{
    struct slice rest = text;
    struct slice line;
    bool any = false;
    size_t total = 0;
    size_t octets = 0;

    if (!take_line(&rest, &line))
        return 0;
    while (take_line(&rest, &line)) {
        if (any && slice_eqz(slice_trim(line), "end"))
            return text.len - rest.len;
        if (!is_data(line, &octets))
            return 0;
        any |= line.len > 1;
        total += octets;
        if (total > most)
            return 0;
    }
    return any ? text.len : 0;
}

bool uu_text_next(
    struct slice *rest, size_t most, struct slice *before, struct str *name, struct str *octets)
{
    struct slice ahead = *rest;
    struct slice line;
    struct slice named;

    for (struct slice here = ahead; take_line(&ahead, &line); here = ahead) {
        size_t length = is_begin(line, &named) ? block_length(here, most) : 0;

        if (length == 0)
            continue;
        *before = slice_cut(*rest, 0, rest->len - here.len);
        str_empty(name);
        str_add(name, named);
        str_empty(octets);
        transfer_decode(TRANSFER_UU, slice_cut(here, 0, length), octets);
        if (octets->len > most) { /* the last line may give more than it says */
            octets->len = most;
            octets->at[most] = '\0';
        }
        *rest = slice_cut(here, length, here.len);
        return true;
    }
    return false;
}
