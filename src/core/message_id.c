/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/source.h>

/* Comments are found from both ends, so that the work is linear whatever they look like: going
 * back from the end tells which "(" is closed at all, going forward then skips those. */

static bool is_white(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Quoted is what has an odd number of backslashes right before it (RFC 5322, quoted-pair). */
static bool is_quoted(struct slice text, size_t at)
{
    size_t before = at;

    while (before > 0 && text.at[before - 1] == '\\')
        before--;
    return (at - before) % 2 == 1;
}

static bool is_parenthesis(struct slice text, size_t at, char which)
{
    return text.at[at] == which && !is_quoted(text, at);
}

/* One octet for each of `text`: not 0 where a comment begins that is closed. Owned by the caller. */
static char *find_comments(struct slice text)
{
    char *begins = mem_new(text.len, 1);
    size_t closing = 0;

    for (size_t i = text.len; i-- > 0;) {
        if (is_parenthesis(text, i, ')')) {
            closing++;
        } else if (closing > 0 && is_parenthesis(text, i, '(')) {
            closing--;
            begins[i] = 1;
        }
    }
    return begins;
}

/* Where the text goes on after the closed comment that begins at `at`. */
static size_t comment_end(struct slice text, size_t at)
{
    size_t depth = 0;

    do {
        if (is_parenthesis(text, at, '('))
            depth++;
        else if (is_parenthesis(text, at, ')'))
            depth--;
        at++;
    } while (depth > 0 && at < text.len);
    return at;
}

/* The position of the first "<" outside comments, or the length of the text. */
static size_t find_bracket(struct slice text, const char *comments)
{
    size_t at = 0;

    while (at < text.len && text.at[at] != '<')
        at = comments[at] != 0 ? comment_end(text, at) : at + 1;
    return at;
}

/* Without brackets: the first run without white space, a comment counting as such. */
static struct slice first_run(struct slice text, const char *comments)
{
    size_t from = 0;

    while (from < text.len && (is_white(text.at[from]) || comments[from] != 0))
        from = comments[from] != 0 ? comment_end(text, from) : from + 1;

    size_t to = from;

    while (to < text.len && !is_white(text.at[to]) && comments[to] == 0)
        to++;
    return slice_cut(text, from, to - from);
}

void message_id_normalise(struct slice raw, struct str *out)
{
    CLEANUP(mem_free) char *comments = find_comments(raw);
    size_t bracket = find_bracket(raw, comments);
    struct slice id = first_run(raw, comments);

    if (bracket < raw.len)
        id = slice_cut(raw, bracket + 1, slice_find(raw, '>', bracket) - bracket - 1);
    str_empty(out);
    str_addc(out, '<');
    for (size_t i = 0; i < id.len; i++)
        if (!is_white(id.at[i]))
            str_addc(out, id.at[i]);
    if (out->len == 1)
        str_empty(out);
    else
        str_addc(out, '>');
}
