/* SPDX-License-Identifier: Apache-2.0 */
#include "mustache.h"

#include <string.h>

#define DEPTH_MAX 8

enum tag { TAG_END, TAG_VALUE, TAG_SECTION, TAG_INVERTED, TAG_CLOSE, TAG_COMMENT, TAG_WRONG };

struct token {
    struct slice before; /* plain text up to the tag */
    enum tag tag;
    struct slice name;
    size_t next; /* where reading goes on */
};

/* clang-format off */
static const struct { char sign; enum tag tag; } signs[] = {
    { '#', TAG_SECTION }, { '^', TAG_INVERTED }, { '/', TAG_CLOSE }, { '!', TAG_COMMENT },
    { '&', TAG_VALUE   }, { '>', TAG_WRONG    }, { '=', TAG_WRONG }, { '{', TAG_WRONG   },
};
/* clang-format on */

static enum tag tag_of(struct slice *inner)
{
    for (size_t i = 0; i < LENGTH(signs); i++) {
        if (inner->len > 0 && inner->at[0] == signs[i].sign) {
            *inner = slice_cut(*inner, 1, inner->len);
            return signs[i].tag;
        }
    }
    return TAG_VALUE;
}

static size_t find_pair(struct slice text, char c, size_t from)
{
    for (size_t i = slice_find(text, c, from); i + 1 < text.len; i = slice_find(text, c, i + 1))
        if (text.at[i + 1] == c)
            return i;
    return text.len;
}

static bool stands_alone(enum tag tag)
{
    return tag == TAG_SECTION || tag == TAG_INVERTED || tag == TAG_CLOSE || tag == TAG_COMMENT;
}

/* A section tag alone on its line takes the line with it, as the Mustache specification says. */
static void swallow_line(struct slice text, struct token *t)
{
    size_t start = t->before.len;
    while (start > 0 && (t->before.at[start - 1] == ' ' || t->before.at[start - 1] == '\t'))
        start--;
    bool opens_line = start > 0 ? t->before.at[start - 1] == '\n' : t->before.at == text.at;
    if (start == 0 && t->before.at > text.at)
        opens_line = t->before.at[-1] == '\n';
    size_t end = t->next;
    while (end < text.len && (text.at[end] == ' ' || text.at[end] == '\t' || text.at[end] == '\r'))
        end++;
    if (!opens_line || (end < text.len && text.at[end] != '\n'))
        return;
    t->before.len = start;
    t->next = end < text.len ? end + 1 : end;
}

static struct token next_token(struct slice text, size_t from)
{
    struct token t = {.tag = TAG_END, .next = text.len};
    size_t open = find_pair(text, '{', from);
    t.before = slice_cut(text, from, open - from);
    if (open == text.len)
        return t;
    size_t close = find_pair(text, '}', open + 2);
    if (close == text.len) {
        t.tag = TAG_WRONG;
        return t;
    }
    struct slice inner = slice_cut(text, open + 2, close - open - 2);
    t.tag = tag_of(&inner);
    t.name = slice_trim(inner);
    t.next = close + 2;
    if (stands_alone(t.tag))
        swallow_line(text, &t);
    return t;
}

/* ---- checking ---------------------------------------------------------------------------------- */

static int line_of(struct slice text, struct slice before)
{
    int line = 1;
    for (const char *p = text.at; p < before.at + before.len; p++)
        line += *p == '\n';
    return line;
}

static bool is_known(struct slice name, const char *const *known)
{
    for (; *known; known++)
        if (slice_eqz(name, *known))
            return true;
    return false;
}

enum rc mustache_check(struct slice text, const char *const *known, struct err *err)
{
    struct slice open[DEPTH_MAX];
    size_t depth = 0;
    for (size_t at = 0; at < text.len;) {
        struct token t = next_token(text, at);
        int line = line_of(text, t.before);
        at = t.next;
        if (t.tag == TAG_END || t.tag == TAG_COMMENT)
            continue;
        if (t.tag == TAG_WRONG)
            return FAIL(
                err, RC_REFUSED,
                "%d: only {{name}}, {{#name}}, {{^name}}, {{/name}} and {{!comment}} are allowed",
                line);
        if (!is_known(t.name, known))
            return FAIL(err, RC_REFUSED, "%d: there is no field of the name '%.*s'", line,
                        (int)t.name.len, t.name.at);
        if (t.tag == TAG_CLOSE && (depth == 0 || !slice_eq(open[--depth], t.name)))
            return FAIL(err, RC_REFUSED, "%d: {{/%.*s}} closes nothing that is open", line,
                        (int)t.name.len, t.name.at);
        if (t.tag == TAG_SECTION || t.tag == TAG_INVERTED) {
            if (depth == DEPTH_MAX)
                return FAIL(err, RC_REFUSED, "%d: sections are nested deeper than %d", line,
                            DEPTH_MAX);
            open[depth++] = t.name;
        }
    }
    if (depth > 0)
        return FAIL(err, RC_REFUSED, "%d: {{#%.*s}} is never closed",
                    line_of(text, open[depth - 1]), (int)open[depth - 1].len, open[depth - 1].at);
    return RC_OK;
}

/* ---- rendering --------------------------------------------------------------------------------- */

static const struct mustache_value *find(const struct mustache_scope *scope, struct slice name)
{
    for (size_t i = 0; i < scope->count; i++)
        if (slice_eqz(name, scope->value[i].name))
            return &scope->value[i];
    return NULL;
}

static bool truthy(const struct mustache_value *v)
{
    return v && (v->items > 0 || v->text.len > 0);
}

/* The octets up to the tag that closes `name`, and where reading goes on after it. */
static struct slice section_body(struct slice text, size_t from, struct slice name, size_t *after)
{
    int depth = 1;
    for (size_t at = from; at < text.len;) {
        struct token t = next_token(text, at);
        bool same = slice_eq(t.name, name);
        at = t.next;
        if (same && (t.tag == TAG_SECTION || t.tag == TAG_INVERTED))
            depth++;
        if (same && t.tag == TAG_CLOSE && --depth == 0) {
            *after = t.next;
            return (struct slice){text.at + from,
                                  (size_t)(t.before.at - text.at) + t.before.len - from};
        }
    }
    *after = text.len;
    return slice_cut(text, from, text.len);
}

static void
render(struct slice text, const struct mustache_scope *scope, int depth, struct str *out);

/* A list repeats its section; inside, {{name}} is the item. */
static void render_list(struct slice body,
                        const struct mustache_value *list,
                        const struct mustache_scope *scope,
                        int depth,
                        struct str *out)
{
    for (size_t i = 0; i < list->items; i++) {
        struct mustache_value *inner = mem_new(scope->count + 1, sizeof *inner);
        inner[0] = (struct mustache_value){.name = "name", .text = slice_z(list->item[i])};
        memcpy(inner + 1, scope->value, scope->count * sizeof *inner);
        struct mustache_scope nested = {inner, scope->count + 1};
        render(body, &nested, depth + 1, out);
        mem_free(&inner);
    }
}

static size_t render_section(struct slice text,
                             const struct token *t,
                             const struct mustache_scope *scope,
                             int depth,
                             struct str *out)
{
    size_t after;
    struct slice body = section_body(text, t->next, t->name, &after);
    const struct mustache_value *v = find(scope, t->name);
    if (t->tag == TAG_INVERTED ? truthy(v) : !truthy(v))
        return after;
    if (t->tag == TAG_SECTION && v->item)
        render_list(body, v, scope, depth, out);
    else
        render(body, scope, depth + 1, out);
    return after;
}

static void
render(struct slice text, const struct mustache_scope *scope, int depth, struct str *out)
{
    for (size_t at = 0; at < text.len && depth <= DEPTH_MAX;) {
        struct token t = next_token(text, at);
        str_add(out, t.before);
        at = t.next;
        const struct mustache_value *v = t.tag == TAG_VALUE ? find(scope, t.name) : NULL;
        if (v)
            str_add(out, v->text);
        if (t.tag == TAG_SECTION || t.tag == TAG_INVERTED)
            at = render_section(text, &t, scope, depth, out);
    }
}

void mustache_render(struct slice text, const struct mustache_scope *scope, struct str *out)
{
    render(text, scope, 0, out);
}
