/* SPDX-License-Identifier: Apache-2.0 */
#include "reading.h"
#include "texts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* What a BLOCKS row lands in: config.h's pairs of pointer and count. */
struct blocks {
    char *at;
    size_t count;
};

/* The path says which setting a problem is about. */

static size_t enter(struct reading *r, const char *key)
{
    size_t length = r->path.len;

    str_addf(&r->path, "%s%s", length > 0 ? "." : "", key);
    return length;
}

static void leave(struct reading *r, size_t length)
{
    r->path.len = length;
    r->path.at[length] = '\0';
}

static const char *path_of(struct reading *r, const char *key, struct str *out)
{
    str_addf(out, "%s%s%s", str_z(&r->path), r->path.len > 0 ? "." : "", key);
    return str_z(out);
}

static bool may_be_shown(const struct setting *s, struct slice text)
{
    return (s->flags & SECRET) == 0 && s->type != VALUE_ADDRESS && s->type != VALUE_PATTERN &&
           s->type != VALUE_SENDER && s->type != VALUE_REVERSE_PATH && text.len <= 128 &&
           is_plain(text);
}

/* Shown as it was written: what a variable holds may be a secret. */
static void
not_allowed(struct reading *r, const struct setting *s, const struct node *node, const char *why)
{
    CLEANUP(str_clear) struct str text = STR_INIT;

    if (may_be_shown(s, str_slice(&node->text)))
        str_addf(&text, "\"%s\"", str_z(&node->text));
    else
        str_addz(&text, "this");
    str_addf(&text, " %s", why);
    if (why[0] == '\0') {
        str_addz(&text, "is not ");
        value_allowed(s, &text);
    }
    problem_at(r->problems, node->place, "%s: %s", str_z(&r->path), str_z(&text));
}

static void not_this_kind(struct reading *r, const struct setting *s, const struct node *node)
{
    static const char *const kinds[] = {"a single value", "a list", "a block of settings"};
    CLEANUP(str_clear) struct str text = STR_INIT;

    str_addf(&text, "%s: expected ", str_z(&r->path));
    if ((s->flags & MANY) != 0)
        str_addz(&text, "a list in [ ], each of it ");
    value_allowed(s, &text);
    if (s->type == VALUE_BLOCKS && node->kind == NODE_LIST)
        str_addf(&text, ", not of %zu", node->items);
    else
        str_addf(&text, ", not %s", tree_is_empty(node) ? "nothing" : kinds[node->kind]);
    problem_at(r->problems, node->place, "%s", str_z(&text));
}

static void is_missing(struct reading *r, const struct setting *s, struct place place)
{
    CLEANUP(str_clear) struct str allowed = STR_INIT;
    CLEANUP(str_clear) struct str path = STR_INIT;

    value_allowed(s, &allowed);
    problem_at(r->problems, place, "%s is missing: expected %s", path_of(r, s->key, &path),
               str_z(&allowed));
}

static void is_unknown(struct reading *r, const struct block *b, const struct node *key)
{
    const char *nearest = block_nearest(b, str_slice(&key->text));
    CLEANUP(str_clear) struct str text = STR_INIT;

    str_addf(&text, "unknown key \"%.64s\"", str_z(&key->text));
    if (r->path.len > 0)
        str_addf(&text, " in %s", str_z(&r->path));
    if (nearest != NULL)
        str_addf(&text, ": did you mean \"%s\"?", nearest);
    else
        for (size_t i = 0; i < b->rows; i++)
            str_addf(&text, "%s%s", i > 0 ? ", " : ": expected one of ", b->row[i].key);
    problem_at(r->problems, key->place, "%s", str_z(&text));
}

/* Values */

static void
read_one(struct reading *r, const struct setting *s, const struct node *node, void *into)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    CLEANUP(str_clear) struct str why = STR_INIT;

    if (node->kind != NODE_VALUE || tree_is_empty(node))
        not_this_kind(r, s, node);
    else if (expand(r, node, &text) && !value_read(&r->context, s, str_slice(&text), into, &why))
        not_allowed(r, s, node, str_z(&why));
}

static void
read_many(struct reading *r, const struct setting *s, const struct node *node, struct texts *into)
{
    if (node->kind != NODE_LIST) {
        not_this_kind(r, s, node);
        return;
    }
    const char **at = memory_get(r->context.memory, node->items, sizeof *at);

    for (size_t i = 0; i < node->items; i++) {
        at[i] = "";
        read_one(r, s, node->item[i], &at[i]);
    }
    *into = (struct texts){at, node->items};
}

/* NOLINTBEGIN(misc-no-recursion): as deep as the table */

static void preset_block(struct reading *r, const struct block *b, char *base);

/* "[a, b]" as the list that it is. */
static void preset_list(struct reading *r, const struct setting *s, struct texts *into)
{
    struct slice rest = slice_cut(slice_z(s->preset), 1, strlen(s->preset) - 2), one;
    const char **at = memory_get(r->context.memory, rest.len + 1, sizeof *at);
    size_t count = 0;

    while (rest.len > 0 && slice_next(&rest, ',', &one))
        at[count++] = memory_text(r->context.memory, slice_trim(one));
    *into = (struct texts){at, count};
}

static void preset(struct reading *r, const struct setting *s, char *into)
{
    CLEANUP(str_clear) struct str why = STR_INIT;

    assert((s->type == VALUE_BLOCK) <= (s->block != NULL));
    if (s->type == VALUE_BLOCK && (s->flags & INHERITS) != 0) {
        memcpy(into, &r->config->acknowledgement, s->block->size);
        reading_copy(r, &r->config->acknowledgement, into, s->block->size);
    } else if (s->type == VALUE_BLOCK) {
        preset_block(r, s->block, into);
    } else if (s->preset != NULL && (s->flags & MANY) == 0) {
        bool good = value_read(&r->context, s, slice_z(s->preset), into, &why);

        assert(good);
    } else if (s->preset != NULL && strlen(s->preset) > 2) {
        preset_list(r, s, (struct texts *)(void *)into);
    } else if (value_is_text(s->type) && (s->flags & MANY) == 0) {
        value_put(&r->context, SLICE_EMPTY, into);
    }
}

static void preset_block(struct reading *r, const struct block *b, char *base)
{
    for (size_t i = 0; i < b->rows; i++)
        preset(r, &b->row[i], base + b->row[i].at);
}

/* Blocks */

static void read_block(struct reading *r,
                       const struct block *b,
                       const struct node *node,
                       char *base,
                       struct place place);

static void
read_inner_block(struct reading *r, const struct setting *s, const struct node *node, char *base)
{
    if (node->kind == NODE_BLOCK)
        read_block(r, s->block, node, base, node->place);
    else
        not_this_kind(r, s, node);
}

/* Filled in place, since members are known by their addresses. */
static void
read_blocks(struct reading *r, const struct setting *s, const struct node *node, char *base)
{
    struct blocks blocks = {NULL, node->items};

    if (node->kind != NODE_LIST || (int64_t)node->items < s->min || (int64_t)node->items > s->max) {
        not_this_kind(r, s, node);
        return;
    }
    blocks.at = memory_get(r->context.memory, blocks.count, s->block->size);
    for (size_t i = 0; i < blocks.count; i++) {
        char *element = blocks.at + i * s->block->size;

        reading_mark(r, element, node->item[i]->place, true);
        preset_block(r, s->block, element);
        read_inner_block(r, s, node->item[i], element);
    }
    memcpy(base, &blocks, sizeof blocks);
}

/* A block that was not written is where it would stand. One at 0 lies in the one around. */
static void mark_row(struct reading *r,
                     const struct setting *s,
                     const struct node *node,
                     const char *into,
                     struct place place)
{
    bool block = s->type == VALUE_BLOCK;

    if (block && s->at == 0)
        return;
    if (node != NULL)
        reading_mark(r, into, node->place, block);
    else if (block && (s->flags & OPTIONAL) == 0)
        reading_mark(r, into, place, true);
}

static void read_row(struct reading *r,
                     const struct setting *s,
                     const struct node *node,
                     char *into,
                     struct place place)
{
    size_t length = enter(r, s->key);

    mark_row(r, s, node, into, place);
    if (s->type == VALUE_BLOCKS && node != NULL)
        read_blocks(r, s, node, into);
    else if (s->type == VALUE_BLOCK && node != NULL)
        read_inner_block(r, s, node, into);
    else if (s->type == VALUE_BLOCK && (s->flags & OPTIONAL) == 0)
        read_block(r, s->block, NULL, into, place);
    else if (node != NULL && (s->flags & MANY) != 0)
        read_many(r, s, node, (struct texts *)(void *)into);
    else if (node != NULL)
        read_one(r, s, node, into);
    leave(r, length);
}

static void forget_row(struct reading *r, const struct setting *s, char *into)
{
    size_t size = s->block != NULL ? s->block->size : sizeof(const char *);

    memset(into, 0, size);
    reading_forget(r, into, size);
    preset(r, s, into);
}

/* One way to sign in takes the place of another that came from elsewhere. */
static void
forget_sign_in(struct reading *r, const struct block *b, const struct node *node, char *base)
{
    bool any = false;

    for (size_t i = 0; i < b->rows; i++)
        any |= (b->row[i].flags & SIGN_IN) != 0 && tree_find(node, b->row[i].key) != NULL;
    for (size_t i = 0; any && i < b->rows; i++)
        if ((b->row[i].flags & SIGN_IN) != 0)
            forget_row(r, &b->row[i], base + b->row[i].at);
}

/* `node` is NULL where the block was not written: its required settings are missing all the same.
 * Lists of blocks come last, since they begin as what stands beside them. */
static void read_block(struct reading *r,
                       const struct block *b,
                       const struct node *node,
                       char *base,
                       struct place place)
{
    forget_sign_in(r, b, node, base);
    for (int last = 0; last <= 1; last++) {
        for (size_t i = 0; i < b->rows; i++) {
            const struct setting *s = &b->row[i];
            const struct node *value = tree_find(node, s->key);

            if ((s->type == VALUE_BLOCKS) != last)
                continue;
            if (value == NULL && (s->flags & REQUIRED) != 0)
                is_missing(r, s, place);
            read_row(r, s, value, base + s->at, place);
        }
    }
    for (size_t i = 0; node != NULL && i + 1 < node->items; i += 2)
        if (block_find(b, str_slice(&node->item[i]->text)) == NULL)
            is_unknown(r, b, node->item[i]);
}

/* NOLINTEND(misc-no-recursion) */

void reading_all(struct reading *r, const struct node *root)
{
    char *base = (char *)r->config;

    r->top = root->place;
    preset_block(r, &settings, base);
    read_block(r, &settings, root, base, root->place);
}
