/* SPDX-License-Identifier: Apache-2.0 */
#include "addresses.h"
#include "charset.h"
#include "words.h"

/* A field is walked once, by tokens: quoted strings, comments, encoded words and single octets.
 * What opens and never closes is an octet like any other; that nothing closes it is found once and
 * holds for all that follows (`open`), which keeps the walk linear. */

struct walk {
    struct slice text;
    size_t at;
    bool quote_open, comment_open;
};

static bool is_white(char c)
{
    return c == ' ' || c == '\t';
}

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
static struct slice token(struct walk *w)
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

static bool is_quoted(struct slice token)
{
    return token.len > 1 && token.at[0] == '"';
}

static bool is_comment(struct slice token)
{
    return token.len > 1 && token.at[0] == '(';
}

static bool is_octet(struct slice token, char c)
{
    return token.len == 1 && token.at[0] == c;
}

static bool has_at(struct slice s)
{
    return slice_find(s, '@', 0) < s.len;
}

/* One entry of the list, still raw: what stands before its bracket, in it, and in its comment. */
struct entry {
    struct str before, within, comment;
    bool bracket;
};

static void entry_clear(struct entry *e)
{
    str_clear(&e->before);
    str_clear(&e->within);
    str_clear(&e->comment);
}

static void entry_empty(struct entry *e)
{
    str_empty(&e->before);
    str_empty(&e->within);
    str_empty(&e->comment);
    e->bracket = false;
}

static void add_token(struct entry *e, struct slice t, bool inside)
{
    if (is_comment(t) && e->comment.len == 0)
        str_add(&e->comment, slice_cut(t, 1, t.len - 2));
    else if (is_comment(t))
        str_addc(inside ? &e->within : &e->before, ' ');
    else
        str_add(inside ? &e->within : &e->before, t);
}

/* A bracket opens. If one was closed before it, what stood in that belongs to the name. */
static void open_bracket(struct entry *e)
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
static void colon(struct entry *e)
{
    if (slice_find(str_slice(&e->before), '@', 0) < e->before.len)
        str_addc(&e->before, ':');
    else
        entry_empty(e);
}

/* After a bracket with an address a word, a quoted string or a bracket begins the next mailbox: the
 * comma between the two is missing. */
static bool begins_another(const struct entry *e, struct slice t)
{
    return has_at(str_slice(&e->within)) && !is_comment(t) &&
           slice_find(SLICE(" \t>,;"), t.at[0], 0) == 5;
}

/* Takes what stands up to the next separator. False where nothing is left. */
static bool take_entry(struct walk *w, struct entry *e)
{
    bool inside = false;

    entry_empty(e);
    if (w->at >= w->text.len)
        return false;
    while (w->at < w->text.len) {
        struct slice t = token(w);

        if (!inside && begins_another(e, t)) {
            w->at -= t.len;
            break;
        }
        if (is_octet(t, '<')) {
            open_bracket(e);
            inside = true;
        } else if (is_octet(t, '>')) {
            inside = false;
        } else if (is_octet(t, ':') && !e->bracket) {
            colon(e);
        } else if ((is_octet(t, ',') || is_octet(t, ';')) &&
                   !(inside && e->within.len > 0 && e->within.at[0] == '@')) {
            break;
        } else {
            add_token(e, t, inside);
        }
    }
    return true;
}

/* Addresses */

/* Removes blanks beside dots and at signs, and all others in brackets. */
static void close_up(struct slice s, bool all, struct str *out)
{
    struct walk w = {.text = s};

    while (w.at < s.len) {
        size_t from = w.at;
        struct slice t = token(&w);
        char next = w.at < s.len ? s.at[w.at] : '\0';
        char last = out->len > 0 ? out->at[out->len - 1] : '.';

        if (t.len == 1 && is_white(t.at[0]) &&
            (all || next == '.' || next == '@' || is_white(next) || last == '.' || last == '@' ||
             from == 0))
            continue;
        if (!is_comment(t))
            str_add(out, t);
    }
}

/* Of bare words, the one with the at sign; the others, if any, are the name. */
static struct slice pick_word(struct slice words, struct str *name)
{
    struct walk w = {.text = words};
    struct slice picked = SLICE_EMPTY;

    while (w.at < words.len) {
        size_t from = w.at;
        bool at_sign = false;

        while (w.at < words.len && !is_white(words.at[w.at])) {
            struct slice t = token(&w);

            at_sign |= is_octet(t, '@');
        }
        if (at_sign && picked.len == 0)
            picked = slice_cut(words, from, w.at - from);
        else
            str_add(name, slice_cut(words, from, w.at - from));
        if (w.at < words.len) {
            str_addc(name, ' ');
            w.at++;
        }
    }
    return picked;
}

/* What nobody means to be a part of an address, though it stands around it. */
static struct slice strip(struct slice a)
{
    static const struct slice fronts[] = {SLICE_INIT("mailto:"), SLICE_INIT("smtp:")};

    for (size_t i = 0; i < LENGTH(fronts); i++)
        if (slice_starts_nocase(a, fronts[i]))
            a = slice_cut(a, fronts[i].len, a.len);
    if (a.len > 0 && a.at[0] == '@' && slice_find(a, ':', 0) < a.len)
        a = slice_cut(a, slice_find(a, ':', 0) + 1, a.len);
    while (a.len > 0 && slice_find(SLICE("'[<"), a.at[0], 0) < 3)
        a = slice_cut(a, 1, a.len);
    while (a.len > 0 && slice_find(SLICE("'>.,;"), a.at[a.len - 1], 0) < 5)
        a.len--;
    if (a.len > 0 && a.at[a.len - 1] == ']' && slice_find(a, '[', 0) == a.len)
        a.len--;
    return a;
}

static void set_address(struct slice raw, struct str *out)
{
    CLEANUP(str_clear) struct str text = STR_INIT;

    charset_decode_raw(strip(slice_trim(raw)), &text);
    words_plain(&text);
    str_add(out, slice_trim(str_slice(&text)));
}

/* Removes quotes and the backslashes within, then decodes. */
static void set_name(struct slice raw, struct str *out)
{
    CLEANUP(str_clear) struct str bare = STR_INIT;
    struct walk w = {.text = slice_trim(raw)};

    while (w.at < w.text.len) {
        struct slice t = token(&w);

        if (!is_quoted(t)) {
            str_add(&bare, t);
            continue;
        }
        for (size_t i = 1; i + 1 < t.len; i++) {
            i += t.at[i] == '\\' && i + 2 < t.len ? 1 : 0;
            str_addc(&bare, t.at[i]);
        }
    }
    words_text(str_slice(&bare), out);
    words_plain(out);
}

static void read_bare(const struct entry *e, struct mailbox_name *out)
{
    CLEANUP(str_clear) struct str closed = STR_INIT;
    CLEANUP(str_clear) struct str name = STR_INIT;

    close_up(str_slice(&e->before), false, &closed);

    struct slice address = pick_word(str_slice(&closed), &name);

    set_address(address, &out->address);
    set_name(str_slice(name.len > 0 && slice_trim(str_slice(&name)).len > 0 ? &name : &e->comment),
             &out->name);
}

static void read_bracket(const struct entry *e, struct mailbox_name *out)
{
    CLEANUP(str_clear) struct str closed = STR_INIT;

    close_up(str_slice(&e->within), true, &closed);
    set_address(str_slice(&closed), &out->address);
    set_name(str_slice(slice_trim(str_slice(&e->before)).len > 0 ? &e->before : &e->comment),
             &out->name);
}

/* A bracket without an address does not hide one beside it. */
static void read_entry(const struct entry *e, struct mailbox_name *out)
{
    str_empty(&out->address);
    str_empty(&out->name);
    if (e->bracket && (has_at(str_slice(&e->within)) || !has_at(str_slice(&e->before))))
        read_bracket(e, out);
    else
        read_bare(e, out);
}

/* The list */

bool addresses_next(struct addresses *a, struct mailbox_name *out)
{
    CLEANUP(entry_clear) struct entry e = {.before = STR_INIT};
    struct walk w = {str_slice(&a->text), a->at, a->quote_open, a->comment_open};

    while (take_entry(&w, &e)) {
        a->at = w.at;
        a->quote_open = w.quote_open;
        a->comment_open = w.comment_open;
        read_entry(&e, out);
        if (out->address.len > 0 || out->name.len > 0)
            return true;
    }
    return false;
}

static void rewind_to_start(struct addresses *a)
{
    a->at = 0;
    a->quote_open = a->comment_open = false;
}

static bool has_address(struct addresses *a)
{
    struct mailbox_name who = {.address = STR_INIT};
    bool found = false;

    while (!found && addresses_next(a, &who))
        found = who.address.len > 0;
    mailbox_name_clear(&who);
    rewind_to_start(a);
    return found;
}

/* Where there is no address in the whole field, but encoded words: what if they hide one? */
void addresses_begin(struct addresses *a, struct slice raw)
{
    CLEANUP(str_clear) struct str decoded = STR_INIT;

    *a = (struct addresses){.text = STR_INIT};
    words_unfold(raw, &a->text);
    if (!words_present(str_slice(&a->text)) || has_address(a))
        return;
    words_text(str_slice(&a->text), &decoded);
    if (!has_at(str_slice(&decoded)))
        return;
    str_empty(&a->text);
    str_add(&a->text, str_slice(&decoded));
}

void addresses_clear(struct addresses *a)
{
    str_clear(&a->text);
}

void mailbox_name_clear(struct mailbox_name *m)
{
    str_clear(&m->address);
    str_clear(&m->name);
}
