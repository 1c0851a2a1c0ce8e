/* SPDX-License-Identifier: Apache-2.0 */
#include "reply.h"

#include <string.h>

#define LINES_MOST 100

void reply_begin(struct reply *r)
{
    memset(r, 0, sizeof *r);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "250", "250 text", "250-text"; 0 for anything else. */
static int code_of(struct slice line)
{
    if (line.len < 3 || line.at[0] < '2' || line.at[0] > '5' || line.at[1] > '5' ||
        !is_digit(line.at[1]) || !is_digit(line.at[2]))
        return 0;
    if (line.len > 3 && line.at[3] != ' ' && line.at[3] != '-')
        return 0;
    return (line.at[0] - '0') * 100 + (line.at[1] - '0') * 10 + (line.at[2] - '0');
}

static size_t digits(struct slice s, size_t from)
{
    size_t at = from;

    while (at < s.len && is_digit(s.at[at]))
        at++;
    return at - from;
}

/* The length of "5.1.1" at the front of `text`, of the class of `code`; 0 where it is not there. */
static size_t enhanced_length(struct slice text, int code)
{
    size_t subject = digits(text, 2);
    size_t detail = digits(text, 3 + subject);
    size_t len = 3 + subject + detail;

    if (text.len < 5 || text.at[0] != (char)('0' + code / 100) || text.at[1] != '.' ||
        subject < 1 || subject > 3 || text.at[2 + subject] != '.' || detail < 1 || detail > 3)
        return 0;
    return len == text.len || text.at[len] == ' ' ? len : 0;
}

static void copy(char *into, size_t size, struct slice text)
{
    size_t len = text.len < size - 1 ? text.len : size - 1;

    for (size_t i = 0; i < len; i++)
        into[i] = (unsigned char)text.at[i] < ' ' || text.at[i] == 0x7F ? ' ' : text.at[i];
    into[len] = '\0';
}

enum reply_came reply_line(struct reply *r, struct slice line)
{
    int code = code_of(line);
    struct slice text = slice_cut(line, 4, line.len);
    size_t len = code != 0 ? enhanced_length(text, code) : 0;

    if (code == 0 || (r->lines > 0 && code != r->code) || r->lines == LINES_MOST)
        return REPLY_CAME_GARBAGE;
    r->code = code;
    if (r->lines++ == 0)
        copy(r->text, sizeof r->text, slice_trim(slice_cut(text, len, text.len)));
    if (r->enhanced[0] == '\0')
        copy(r->enhanced, sizeof r->enhanced, slice_cut(text, 0, len));
    return line.len > 3 && line.at[3] == '-' ? REPLY_CAME_PART : REPLY_CAME_WHOLE;
}
