/* SPDX-License-Identifier: Apache-2.0 */
#include "address_entry.h"
#include "words.h"

/* Where the quoted string that begins at `at` ends (after its quote), or 0 if it does not. */
static size_t quoted_end(struct slice s, size_t at)
{
    for (size_t i = at + 1; i < s.len; i++) {
        if (s.at[i] == '\\')
            i++;
        else if (s.at[i] == '"')
            return i + 1;
    }
    return 0;
}

static size_t comment_end(struct slice s, size_t at)
{
    size_t depth = 0;

    for (size_t i = at; i < s.len; i++) {
        if (s.at[i] == '\\')
            i++;
        else if (s.at[i] == '(')
            depth++;
        else if (s.at[i] == ')' && --depth == 0)
            return i + 1;
    }
    return 0;
}

/* Takes the next token; its kind is its first octet. */
struct slice address_token(struct address_walk *w)
{
    size_t from = w->at;
    char c = w->text.at[from];
    size_t end = 0;

    if (c == '"' && !w->quote_open) {
        end = quoted_end(w->text, from);
        w->quote_open = end == 0;
    } else if (c == '(' && !w->comment_open) {
        end = comment_end(w->text, from);
        w->comment_open = end == 0;
    } else if (c == '\\' && from + 1 < w->text.len) {
        end = from + 2;
    } else if (c == '=') { /* what an encoded word holds parts nothing */
        size_t word = words_length(slice_cut(w->text, from, w->text.len));

        end = word > 0 ? from + word : 0;
    }
    w->at = end > 0 ? end : from + 1;
    return slice_cut(w->text, from, w->at - from);
}

bool token_is_quoted(struct slice token)
{
    return token.len > 1 && token.at[0] == '"';
}

bool token_is_comment(struct slice token)
{
    return token.len > 1 && token.at[0] == '(';
}

bool token_is(struct slice token, char c)
{
    return token.len == 1 && token.at[0] == c;
}

bool has_at_sign(struct slice s)
{
    return slice_find(s, '@', 0) < s.len;
}

void address_entry_clear(struct address_entry *e)
{
    str_clear(&e->before);
    str_clear(&e->within);
    str_clear(&e->comment);
}

static void entry_empty(struct address_entry *e)
{
    str_empty(&e->before);
    str_empty(&e->within);
    str_empty(&e->comment);
    e->bracket = false;
}

static void add_token(struct address_entry *e, struct slice t, bool inside)
{
    if (token_is_comment(t) && e->comment.len == 0)
        str_add(&e->comment, slice_cut(t, 1, t.len - 2));
    else if (token_is_comment(t))
        str_addc(inside ? &e->within : &e->before, ' ');
    else
        str_add(inside ? &e->within : &e->before, t);
}

/* A bracket opens. If one was closed before it, what stood in that belongs to the name. */
static void open_bracket(struct address_entry *e)
{
    if (e->within.len > 0 && slice_find(str_slice(&e->within), '@', 0) == e->within.len) {
        str_addc(&e->before, '<');
        str_add(&e->before, str_slice(&e->within));
        str_addc(&e->before, '>');
    }
    str_empty(&e->within);
    e->bracket = true;
}

/* "Group:" and "mailto:" are forgotten; after an at sign a colon is of an address literal. */
static void colon(struct address_entry *e)
{
    if (slice_find(str_slice(&e->before), '@', 0) < e->before.len)
        str_addc(&e->before, ':');
    else
        entry_empty(e);
}

/* After a bracket with an address a word, a quoted string or a bracket begins the next mailbox: the
 * comma between the two is missing. */
static bool begins_another(const struct address_entry *e, struct slice t)
{
    return has_at_sign(str_slice(&e->within)) && !token_is_comment(t) &&
           slice_find(SLICE(" \t>,;"), t.at[0], 0) == 5;
}

/* Takes what stands up to the next separator. False where nothing is left. */
bool address_entry_take(struct address_walk *w, struct address_entry *e)
{
    bool inside = false;

    entry_empty(e);
    if (w->at >= w->text.len)
        return false;
    while (w->at < w->text.len) {
        struct slice t = address_token(w);

        if (!inside && begins_another(e, t)) {
            w->at -= t.len;
            break;
        }
        if (token_is(t, '<')) {
            open_bracket(e);
            inside = true;
        } else if (token_is(t, '>')) {
            inside = false;
        } else if (token_is(t, ':') && !e->bracket) {
            colon(e);
        } else if ((token_is(t, ',') || token_is(t, ';')) &&
                   !(inside && e->within.len > 0 && e->within.at[0] == '@')) {
            break;
        } else {
            add_token(e, t, inside);
        }
    }
    return true;
}
