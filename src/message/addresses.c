/* SPDX-License-Identifier: Apache-2.0 */
#include "addresses.h"
#include "address_entry.h"
#include "charset.h"
#include "words.h"

static bool is_white(char c)
{
    return c == ' ' || c == '\t';
}

/* Addresses */

/* Removes blanks beside dots and at signs, and all others in brackets. */
static void close_up(struct slice s, bool all, struct str *out)
{
    struct address_walk w = {.text = s};

    while (w.at < s.len) {
        size_t from = w.at;
        struct slice t = address_token(&w);
        char next = w.at < s.len ? s.at[w.at] : '\0';
        char last = out->len > 0 ? out->at[out->len - 1] : '.';

        if (t.len == 1 && is_white(t.at[0]) &&
            (all || next == '.' || next == '@' || is_white(next) || last == '.' || last == '@' ||
             from == 0))
            continue;
        if (!token_is_comment(t))
            str_add(out, t);
    }
}

/* Of bare words, the one with the at sign; the others, if any, are the name. */
static struct slice pick_word(struct slice words, struct str *name)
{
    struct address_walk w = {.text = words};
    struct slice picked = SLICE_EMPTY;

    while (w.at < words.len) {
        size_t from = w.at;
        bool at_sign = false;

        while (w.at < words.len && !is_white(words.at[w.at])) {
            struct slice t = address_token(&w);

            at_sign |= token_is(t, '@');
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

    charset_decode_raw(raw, &text);
    words_plain(&text); /* first, as a control character hides what stands behind it */
    str_add(out, slice_trim(strip(slice_trim(str_slice(&text)))));
}

/* Removes quotes and the backslashes within, then decodes. */
static void set_name(struct slice raw, struct str *out)
{
    CLEANUP(str_clear) struct str bare = STR_INIT;
    struct address_walk w = {.text = slice_trim(raw)};

    while (w.at < w.text.len) {
        struct slice t = address_token(&w);

        if (!token_is_quoted(t)) {
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

static void read_bare(const struct address_entry *e, struct mailbox_name *out)
{
    CLEANUP(str_clear) struct str closed = STR_INIT;
    CLEANUP(str_clear) struct str name = STR_INIT;

    close_up(str_slice(&e->before), false, &closed);

    struct slice address = pick_word(str_slice(&closed), &name);

    set_address(address, &out->address);
    set_name(str_slice(name.len > 0 && slice_trim(str_slice(&name)).len > 0 ? &name : &e->comment),
             &out->name);
}

/* Everything is in quotes, and what they hold is nothing but an address. */
static void unquote_address(struct mailbox_name *who)
{
    struct slice name = str_slice(&who->name);
    size_t at = slice_find(name, '@', 0);

    if (who->address.len > 0 || at == 0 || at + 1 >= name.len)
        return;
    for (size_t i = 0; i < name.len; i++)
        if (is_white(name.at[i]) || slice_find(SLICE("\"<>()[],;:\\"), name.at[i], 0) < 10 ||
            (name.at[i] == '@' && i != at))
            return;
    str_add(&who->address, name);
    str_empty(&who->name);
}

static void read_bracket(const struct address_entry *e, struct mailbox_name *out)
{
    CLEANUP(str_clear) struct str closed = STR_INIT;

    close_up(str_slice(&e->within), true, &closed);
    set_address(str_slice(&closed), &out->address);
    set_name(str_slice(slice_trim(str_slice(&e->before)).len > 0 ? &e->before : &e->comment),
             &out->name);
}

/* A bracket without an address does not hide one beside it. */
static void read_entry(const struct address_entry *e, struct mailbox_name *out)
{
    str_empty(&out->address);
    str_empty(&out->name);
    if (e->bracket && (has_at_sign(str_slice(&e->within)) || !has_at_sign(str_slice(&e->before))))
        read_bracket(e, out);
    else
        read_bare(e, out);
    unquote_address(out);
}

/* The list */

bool addresses_next(struct addresses *a, struct mailbox_name *out)
{
    CLEANUP(address_entry_clear) struct address_entry e = {.before = STR_INIT};
    struct address_walk w = {str_slice(&a->text), a->at, a->quote_open, a->comment_open};

    while (address_entry_take(&w, &e)) {
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
        found = has_at_sign(str_slice(&who.address));
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
    if (!has_at_sign(str_slice(&decoded)))
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
