/* SPDX-License-Identifier: Apache-2.0 */
#include "parameters.h"
#include "charset.h"
#include "transfer.h"
#include "words.h"

#include <stdlib.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static void drop(struct slice *rest, size_t count)
{
    *rest = slice_cut(*rest, count, rest->len);
}

static void skip_blanks(struct slice *rest)
{
    while (rest->len > 0 && is_blank(rest->at[0]))
        drop(rest, 1);
}

/* Takes a comment off the front, if there is one and it ends. */
static bool take_comment(struct slice *rest)
{
    size_t depth = 0;

    if (rest->len == 0 || rest->at[0] != '(')
        return false;
    for (size_t at = 0; at < rest->len; at++) {
        if (rest->at[at] == '\\')
            at++;
        else if (rest->at[at] == '(')
            depth++;
        else if (rest->at[at] == ')' && --depth == 0) {
            drop(rest, at + 1);
            return true;
        }
    }
    return false;
}

/* A quoted value. A backslash quotes a quote or a backslash; before anything else it is a part of a
 * path, as mail programs that quote nothing write it. */
static void take_quoted(struct slice *rest, struct str *out)
{
    size_t at = 1;

    for (; at < rest->len && rest->at[at] != '"'; at++) {
        if (rest->at[at] == '\\' && at + 1 < rest->len &&
            (rest->at[at + 1] == '"' || rest->at[at + 1] == '\\'))
            at++;
        str_addc(out, rest->at[at]);
    }
    drop(rest, at + 1);
}

/* Does "name=" stand here? Then the parameter before it had no semicolon. */
static bool begins_parameter(struct slice s)
{
    size_t at = 0;

    while (at < s.len && at < 64 &&
           ((lower(s.at[at]) >= 'a' && lower(s.at[at]) <= 'z') || s.at[at] == '-' ||
            s.at[at] == '*' || (at > 0 && s.at[at] >= '0' && s.at[at] <= '9')))
        at++;
    return at > 1 && at < s.len && s.at[at] == '=';
}

/* The value itself: "type/subtype", "attachment". It ends where a parameter begins, too, and may be
 * left out. */
static void take_value(struct slice *rest, struct str *out)
{
    skip_blanks(rest);
    if (begins_parameter(*rest))
        return;
    while (rest->len > 0 && rest->at[0] != ';') {
        bool blank = is_blank(rest->at[0]);

        if (rest->at[0] == '(' && take_comment(rest))
            continue;
        if (rest->at[0] == '(') {
            *rest = slice_cut(*rest, slice_find(*rest, ';', 0), rest->len);
            break;
        }
        if (!blank && rest->at[0] != '"')
            str_addc(out, lower(rest->at[0]));
        drop(rest, 1);
        if (blank && out->len > 0 && begins_parameter(*rest))
            break;
    }
}

/* Up to the semicolon, blanks within included, as in `filename=my report.pdf`. */
static void take_bare(struct slice *rest, struct str *out)
{
    size_t to = 0;

    while (to < rest->len && rest->at[to] != ';' &&
           !(to > 0 && is_blank(rest->at[to - 1]) &&
             begins_parameter(slice_cut(*rest, to, rest->len))))
        to++;
    str_add(out, slice_trim(slice_cut(*rest, 0, to)));
    drop(rest, to);
}

/* A comment after a bare value is none of it; but in a file name it is what it looks like. */
static void drop_comment(struct parameter *p)
{
    struct slice value = str_slice(&p->value);
    struct slice name = str_slice(&p->name);
    size_t open = slice_find(value, '(', 0);

    if (open == 0 || open == value.len || value.at[value.len - 1] != ')' ||
        slice_eqz(name, "name") || slice_eqz(name, "filename"))
        return;
    p->value.len = slice_trim(slice_cut(value, 0, open)).len;
    p->value.at[p->value.len] = '\0';
}

/* "name", "name*", "name*1", "name*1*" */
static void set_name(struct slice raw, struct parameter *p)
{
    size_t star = slice_find(raw, '*', 0);
    struct slice section = slice_cut(raw, star + 1, raw.len);

    for (size_t i = 0; i < star; i++)
        if (!is_blank(raw.at[i]))
            str_addc(&p->name, lower(raw.at[i]));
    p->section = -1;
    p->encoded = raw.len > 0 && raw.at[raw.len - 1] == '*';
    for (size_t i = 0; i < section.len && section.at[i] >= '0' && section.at[i] <= '9'; i++)
        if (p->section < 100000)
            p->section = (p->section < 0 ? 0 : p->section) * 10 + (section.at[i] - '0');
}

static void skip_separators(struct slice *rest)
{
    while (rest->len > 0 && (rest->at[0] == ';' || is_blank(rest->at[0]) || take_comment(rest)))
        if (rest->len > 0 && (rest->at[0] == ';' || is_blank(rest->at[0])))
            drop(rest, 1);
}

/* What stands after the "=", if there is one. */
static void take_parameter_value(struct slice *rest, struct parameter *p)
{
    if (rest->len == 0 || rest->at[0] != '=')
        return;
    drop(rest, 1);
    skip_blanks(rest);
    if (rest->len > 0 && rest->at[0] == '"') {
        take_quoted(rest, &p->value);
    } else {
        take_bare(rest, &p->value);
        drop_comment(p);
    }
}

/* False where there is no further parameter. */
static bool take_parameter(struct slice *rest, struct parameter *p)
{
    size_t to = 0;

    skip_separators(rest);
    while (to < rest->len && rest->at[to] != '=' && rest->at[to] != ';')
        to++;
    if (rest->len == 0)
        return false;
    set_name(slice_trim(slice_cut(*rest, 0, to)), p);
    drop(rest, to);
    take_parameter_value(rest, p);
    return true;
}

void parameters_read(struct slice raw, size_t most, struct parameters *out)
{
    CLEANUP(str_clear) struct str unfolded = STR_INIT;

    parameters_clear(out);
    words_unfold(raw, &unfolded);

    struct slice rest = str_slice(&unfolded);

    take_value(&rest, &out->value);
    for (;;) {
        struct parameter p = {.name = STR_INIT};

        if (out->count < most && take_parameter(&rest, &p)) {
            if ((out->count & (out->count - 1)) == 0)
                out->at = mem_grow(out->at, out->count > 0 ? 2 * out->count : 1, sizeof p);
            out->at[out->count++] = p;
            continue;
        }
        out->cut = rest.len > 0;
        return;
    }
}

/* The parameter `name` of section `section` (-1: in one piece), or NULL. */
static const struct parameter *
find(const struct parameters *p, const char *name, int section, bool encoded)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->at[i].section == section && (p->at[i].encoded || !encoded) &&
            slice_eqz(str_slice(&p->at[i].name), name))
            return &p->at[i];
    return NULL;
}

static void percent_decode(struct slice s, struct str *out)
{
    for (size_t i = 0; i < s.len; i++) {
        int high = s.at[i] == '%' && i + 2 < s.len ? hex_value(s.at[i + 1]) : -1;
        int low = high >= 0 ? hex_value(s.at[i + 2]) : -1;

        str_addc(out, low >= 0 ? (char)(high * 16 + low) : s.at[i]);
        i += low >= 0 ? 2 : 0;
    }
}

/* Takes "charset'language'" off the front; one quote is taken for both, and none for no charset. */
static struct slice take_charset(struct slice *value)
{
    size_t first = slice_find(*value, '\'', 0);
    size_t second = slice_find(*value, '\'', first + 1);
    struct slice label = slice_cut(*value, 0, first);

    if (first == value->len)
        return SLICE_EMPTY;
    if (second == value->len || second - first > 16) {
        if (!charset_known(label))
            return SLICE_EMPTY;
        second = first;
    }
    drop(value, second + 1);
    return label;
}

static void
add_piece(const struct parameter *p, bool first, struct slice *label, struct str *octets)
{
    struct slice value = str_slice(&p->value);

    if (p->encoded && first)
        *label = take_charset(&value);
    if (p->encoded)
        percent_decode(value, octets);
    else
        str_add(octets, value);
}

/* The first of the sections with the lowest number above `above`, or NULL. */
static const struct parameter *next_section(const struct parameters *p, const char *name, int above)
{
    const struct parameter *next = NULL;

    for (size_t i = 0; i < p->count; i++)
        if (p->at[i].section > above && (next == NULL || p->at[i].section < next->section) &&
            slice_eqz(str_slice(&p->at[i].name), name))
            next = &p->at[i];
    return next;
}

/* Joins the sections in the order of their numbers, from 0 (or 1, as some count) on. One that is lost
 * takes no other with it: the extension stands in the last. */
static bool
join(const struct parameters *p, const char *name, struct slice *label, struct str *octets)
{
    const struct parameter *whole = find(p, name, -1, true);
    const struct parameter *first = whole != NULL ? whole : next_section(p, name, -1);

    *label = SLICE_EMPTY;
    if (first == NULL || (first->section > 1 && find(p, name, -1, false) != NULL))
        return false;
    add_piece(first, true, label, octets);
    for (const struct parameter *at = first; whole == NULL && at != NULL;) {
        at = next_section(p, name, at->section);
        if (at != NULL)
            add_piece(at, false, label, octets);
    }
    return true;
}

bool parameters_text(const struct parameters *p, const char *name, struct str *out)
{
    CLEANUP(str_clear) struct str octets = STR_INIT;
    CLEANUP(str_clear) struct str text = STR_INIT;
    const struct parameter *plain = find(p, name, -1, false);
    struct slice label;

    if (!join(p, name, &label, &octets)) {
        if (plain == NULL)
            return false;
        str_add(&octets, str_slice(&plain->value));
    }
    if (words_present(str_slice(&octets)))
        words_decode(str_slice(&octets), &text);
    else
        charset_decode(label, str_slice(&octets), CHARSET_HEADER, &text);
    words_plain(&text);
    str_empty(out);
    str_add(out, slice_trim(str_slice(&text)));
    return true;
}

bool parameters_raw(const struct parameters *p, const char *name, struct str *out)
{
    const struct parameter *plain = find(p, name, -1, false);
    struct slice label;

    str_empty(out);
    if (join(p, name, &label, out))
        return true;
    if (plain == NULL)
        return false;
    str_add(out, str_slice(&plain->value));
    return true;
}

void parameters_clear(struct parameters *p)
{
    for (size_t i = 0; i < p->count; i++) {
        str_clear(&p->at[i].name);
        str_clear(&p->at[i].value);
    }
    free(p->at);
    str_clear(&p->value);
    *p = (struct parameters){.value = STR_INIT};
}
