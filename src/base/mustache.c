/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/mustache.h>

#include <string.h>

#define DEPTH_MAX 12

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

struct checking {
    struct slice text;
    const char *const *known;
    struct slice open[DEPTH_MAX];
    size_t depth;
};

static bool is_open(const struct checking *c, struct slice list)
{
    for (size_t i = 0; i < c->depth; i++)
        if (slice_eq(c->open[i], list))
            return true;
    return false;
}

/* "list.name" is a name that stands only in the section of a list. */
static struct slice list_of(const char *known)
{
    struct slice whole = slice_z(known);
    size_t dot = slice_find(whole, '.', 0);
    return dot < whole.len ? slice_cut(whole, 0, dot) : SLICE_EMPTY;
}

static struct slice name_of(const char *known)
{
    struct slice list = list_of(known);
    return slice_z(known + (list.len > 0 ? list.len + 1 : 0));
}

static bool stands_here(const struct checking *c, const char *known)
{
    struct slice list = list_of(known);
    return list.len == 0 || is_open(c, list);
}

static bool is_known(const struct checking *c, struct slice name)
{
    if (!c->known)
        return name.len > 0;
    for (size_t i = 0; c->known[i]; i++)
        if (slice_eq(name, name_of(c->known[i])) && stands_here(c, c->known[i]))
            return true;
    return false;
}

static const char no_field[] = "there is no field of the name";

/* What a tag does wrong where it stands; NULL: nothing. */
static const char *wrong(struct checking *c, const struct token *t)
{
    if (t->tag == TAG_WRONG)
        return "only {{name}}, {{#name}}, {{^name}}, {{/name}} and {{!comment}} are allowed, not";
    if (!is_known(c, t->name))
        return no_field;
    if (t->tag == TAG_CLOSE)
        return c->depth > 0 && slice_eq(c->open[--c->depth], t->name)
                   ? NULL
                   : "nothing is open that could be closed by";
    if (t->tag == TAG_VALUE)
        return NULL;
    if (c->depth == DEPTH_MAX)
        return "sections are nested too deep at";
    c->open[c->depth++] = t->name;
    return NULL;
}

/* Which field is meant is easier to see where those that there are stand beside it. */
static void say_what_there_is(const struct checking *c, struct str *out)
{
    for (size_t i = 0; c->known && c->known[i]; i++)
        if (stands_here(c, c->known[i])) {
            str_addz(out, out->len > 0 ? ", " : "; here there are ");
            str_add(out, name_of(c->known[i]));
        }
}

static enum rc says(const struct checking *c,
                    struct slice before,
                    const char *what,
                    struct slice name,
                    struct err *err)
{
    CLEANUP(str_clear) struct str there = STR_INIT;
    struct slice shown = slice_cut(name, 0, 64);
    if (what == no_field)
        say_what_there_is(c, &there);
    return FAIL(err, RC_REFUSED, "%d: %s '%.*s'%s", line_of(c->text, before), what, (int)shown.len,
                shown.at, str_z(&there));
}

enum rc mustache_check(struct slice text, const char *const *known, struct err *err)
{
    struct checking c = {.text = text, .known = known};
    for (size_t at = 0; at < text.len;) {
        struct token t = next_token(text, at);
        at = t.next;
        if (t.tag == TAG_END || t.tag == TAG_COMMENT)
            continue;
        const char *what = wrong(&c, &t);
        if (what)
            return says(&c, t.before, what, t.name, err);
    }
    if (c.depth > 0)
        return says(&c, c.open[c.depth - 1], "a section is never closed:", c.open[c.depth - 1],
                    err);
    return RC_OK;
}

/* ---- rendering --------------------------------------------------------------------------------- */

/* An open section: the text between its tags, and which row of its list is being written. */
struct frame {
    struct slice text;
    size_t at;                         /* where reading goes on */
    const struct mustache_value *list; /* NULL: not a list */
    size_t row;
};

struct rendering {
    const struct mustache_scope *scope;
    struct frame frame[DEPTH_MAX + 1];
    size_t depth;
    bool page;
    struct str *out;
};

static const struct mustache_value *find_in(const struct mustache_scope *scope, struct slice name)
{
    for (size_t i = 0; i < scope->count; i++)
        if (slice_eqz(name, scope->value[i].name))
            return &scope->value[i];
    return NULL;
}

static const struct mustache_value *find(const struct rendering *r, struct slice name)
{
    const struct mustache_value *v = NULL;
    for (size_t i = r->depth; !v && i > 0; i--) {
        const struct frame *f = &r->frame[i - 1];
        if (f->list)
            v = find_in(&f->list->row[f->row], name);
    }
    return v ? v : find_in(r->scope, name);
}

static bool truthy(const struct mustache_value *v)
{
    return v && (v->rows > 0 || v->text.len > 0);
}

static void write_escaped(struct slice text, struct str *out)
{
    /* clang-format off */
    static const struct { char c; const char *as; } escapes[] = {
        { '&', "&amp;" }, { '<', "&lt;" }, { '>', "&gt;" }, { '"', "&quot;" }, { '\'', "&#39;" },
    };
    /* clang-format on */
    size_t from = 0;
    for (size_t i = 0; i < text.len; i++)
        for (size_t k = 0; k < LENGTH(escapes); k++)
            if (text.at[i] == escapes[k].c) {
                str_add(out, slice_cut(text, from, i - from));
                str_addz(out, escapes[k].as);
                from = i + 1;
            }
    str_add(out, slice_cut(text, from, text.len));
}

static void write_value(struct rendering *r, struct slice name)
{
    const struct mustache_value *v = find(r, name);
    struct slice text = v ? v->text : SLICE_EMPTY;
    if (r->page && !(v && v->markup))
        write_escaped(text, r->out);
    else
        str_add(r->out, text);
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
            size_t end = (size_t)(t.before.at - text.at) + t.before.len;
            return slice_cut(text, from, end - from);
        }
    }
    *after = text.len;
    return slice_cut(text, from, text.len);
}

static void open_section(struct rendering *r, const struct token *t)
{
    struct frame *f = &r->frame[r->depth - 1];
    const struct mustache_value *v = find(r, t->name);
    struct slice body = section_body(f->text, t->next, t->name, &f->at);
    bool inverted = t->tag == TAG_INVERTED;
    if (inverted == truthy(v) || r->depth > DEPTH_MAX)
        return;
    r->frame[r->depth++] = (struct frame){.text = body, .list = !inverted && v->row ? v : NULL};
}

/* The end of a frame: once more for the next row of its list, or back to the one around it. */
static void end_of_frame(struct rendering *r)
{
    struct frame *f = &r->frame[r->depth - 1];
    f->at = 0;
    if (!f->list || ++f->row >= f->list->rows)
        r->depth--;
}

static void step(struct rendering *r)
{
    struct frame *f = &r->frame[r->depth - 1];
    if (f->at >= f->text.len) {
        end_of_frame(r);
        return;
    }
    struct token t = next_token(f->text, f->at);
    str_add(r->out, t.before);
    f->at = t.next;
    if (t.tag == TAG_VALUE)
        write_value(r, t.name);
    else if (t.tag == TAG_SECTION || t.tag == TAG_INVERTED)
        open_section(r, &t);
}

static void
render(struct slice text, const struct mustache_scope *scope, bool page, struct str *out)
{
    struct rendering r = {.scope = scope, .depth = 1, .page = page, .out = out};
    r.frame[0] = (struct frame){.text = text};
    while (r.depth > 0)
        step(&r);
}

void mustache_render(struct slice text, const struct mustache_scope *scope, struct str *out)
{
    render(text, scope, false, out);
}

void mustache_render_page(struct slice text, const struct mustache_scope *scope, struct str *out)
{
    render(text, scope, true, out);
}
