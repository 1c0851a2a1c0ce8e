/* SPDX-License-Identifier: Apache-2.0 */
#include "tree.h"

#include <stdlib.h>
#include <yaml.h>

#define NODES_MAX 20000
#define KEYS_MAX  256 /* of one block: many more than there are settings */

struct reading {
    yaml_parser_t parser;
    struct problems *problems;
    struct node *open[TREE_DEPTH_MAX];
    size_t depth;
    struct node *root;
    size_t nodes;
    bool ended; /* the file was read to its end */
};

/* Nodes */

/* NOLINTNEXTLINE(misc-no-recursion): as deep as TREE_DEPTH_MAX */
void tree_free(struct node **node)
{
    if (*node == NULL)
        return;
    for (size_t i = 0; i < (*node)->items; i++)
        tree_free(&(*node)->item[i]);
    free((*node)->item);
    str_clear(&(*node)->text);
    free(*node);
    *node = NULL;
}

const struct node *tree_find(const struct node *block, const char *key)
{
    if (block == NULL)
        return NULL;
    for (size_t i = 0; i + 1 < block->items; i += 2)
        if (slice_eqz(str_slice(&block->item[i]->text), key))
            return block->item[i + 1];
    return NULL;
}

bool tree_is_empty(const struct node *value)
{
    static const char *const words[] = {"", "~", "null"};

    for (size_t i = 0; i < LENGTH(words); i++)
        if (value->kind == NODE_VALUE && value->plain &&
            slice_eqz(str_slice(&value->text), words[i]))
            return true;
    return false;
}

static struct place place_of(const yaml_mark_t *mark)
{
    return (struct place){mark->line + 1, mark->column + 1};
}

static bool is_key(const struct node *parent)
{
    return parent->kind == NODE_BLOCK && parent->items % 2 == 0;
}

/* Each of these returns false where reading must stop. */

static bool check_key(struct reading *r, const struct node *block, const struct node *key)
{
    if (key->kind != NODE_VALUE) {
        problem_at(r->problems, key->place, "a key must be one of the words that are settings");
        return false;
    }
    if (block->items >= (size_t)2 * KEYS_MAX) {
        problem_at(r->problems, key->place, "more than %d keys in one block", KEYS_MAX);
        return false;
    }
    if (tree_find(block, str_z(&key->text)) != NULL)
        problem_at(r->problems, key->place, "\"%s\" is here twice: keep one of them",
                   str_z(&key->text));
    return true;
}

static bool attach(struct reading *r, struct node *node)
{
    if (r->depth == 0) {
        r->root = node;
        return true;
    }
    struct node *parent = r->open[r->depth - 1];
    bool good = !is_key(parent) || check_key(r, parent, node);

    if ((parent->items & (parent->items - 1)) == 0) /* room is a power of two */
        parent->item = mem_grow(parent->item, 2 * parent->items + 1, sizeof(struct node *));
    parent->item[parent->items++] = node;
    return good;
}

/* Takes the node, whatever comes of it. */
static bool add(struct reading *r, struct node *node)
{
    bool good = attach(r, node);

    if (++r->nodes <= NODES_MAX)
        return good;
    problem_at(r->problems, node->place, "more than %d entries in the file", NODES_MAX);
    return false;
}

/* Events */

static struct node *new_node(enum node_kind kind, const yaml_event_t *e)
{
    struct node *node = mem_new(1, sizeof *node);

    node->kind = kind;
    node->place = place_of(&e->start_mark);
    return node;
}

static void refuse(struct reading *r,
                   const yaml_event_t *e,
                   const unsigned char *anchor,
                   const unsigned char *tag)
{
    if (anchor != NULL)
        problem_at(r->problems, place_of(&e->start_mark),
                   "anchors (&name) are not used here: write each value where it belongs");
    if (tag != NULL)
        problem_at(r->problems, place_of(&e->start_mark),
                   "tags (!name) are not used here: write the value alone");
}

static bool on_value(struct reading *r, const yaml_event_t *e)
{
    struct node *node = new_node(NODE_VALUE, e);

    refuse(r, e, e->data.scalar.anchor, e->data.scalar.tag);
    node->plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    str_add(&node->text, (struct slice){(const char *)e->data.scalar.value, e->data.scalar.length});
    return add(r, node);
}

static bool open_node(struct reading *r, enum node_kind kind, const yaml_event_t *e)
{
    struct node *node = new_node(kind, e);

    if (!add(r, node))
        return false;
    if (r->depth == TREE_DEPTH_MAX) {
        problem_at(r->problems, node->place, "more than %d levels of blocks and lists",
                   TREE_DEPTH_MAX);
        return false;
    }
    r->open[r->depth++] = node;
    return true;
}

static bool on_block(struct reading *r, const yaml_event_t *e)
{
    refuse(r, e, e->data.mapping_start.anchor, e->data.mapping_start.tag);
    return open_node(r, NODE_BLOCK, e);
}

static bool on_list(struct reading *r, const yaml_event_t *e)
{
    refuse(r, e, e->data.sequence_start.anchor, e->data.sequence_start.tag);
    return open_node(r, NODE_LIST, e);
}

static bool on_close(struct reading *r, const yaml_event_t *e)
{
    (void)e;
    r->depth--;
    return true;
}

static bool on_alias(struct reading *r, const yaml_event_t *e)
{
    problem_at(r->problems, place_of(&e->start_mark),
               "aliases (*name) are not used here: write the value where it belongs");
    return false;
}

static bool on_document(struct reading *r, const yaml_event_t *e)
{
    if (r->root == NULL)
        return true;
    problem_at(r->problems, place_of(&e->start_mark), "a second document begins: there may be one");
    return false;
}

static bool pass(struct reading *r, const yaml_event_t *e)
{
    (void)r;
    (void)e;
    return true;
}

static bool on_end(struct reading *r, const yaml_event_t *e)
{
    (void)e;
    r->ended = true;
    return false;
}

/* clang-format off */
static bool (*const handlers[])(struct reading *r, const yaml_event_t *e) = {
    [YAML_NO_EVENT]             = on_end,
    [YAML_STREAM_START_EVENT]   = pass,
    [YAML_STREAM_END_EVENT]     = on_end,
    [YAML_DOCUMENT_START_EVENT] = on_document,
    [YAML_DOCUMENT_END_EVENT]   = pass,
    [YAML_ALIAS_EVENT]          = on_alias,
    [YAML_SCALAR_EVENT]         = on_value,
    [YAML_SEQUENCE_START_EVENT] = on_list,
    [YAML_SEQUENCE_END_EVENT]   = on_close,
    [YAML_MAPPING_START_EVENT]  = on_block,
    [YAML_MAPPING_END_EVENT]    = on_close,
};
/* clang-format on */

/* What the parser itself found */

static struct place place_of_offset(struct slice text, size_t offset)
{
    struct place place = {1, 1};

    for (size_t i = 0; i < offset && i < text.len; i++) {
        bool end = text.at[i] == '\n';

        place.line += end;
        place.column = end ? 1 : place.column + 1;
    }
    return place;
}

static void add_parser_problem(struct reading *r, struct slice text)
{
    const yaml_parser_t *p = &r->parser;

    if (p->error == YAML_READER_ERROR)
        problem_at(r->problems, place_of_offset(text, p->problem_offset),
                   "not a text in UTF-8 without control characters");
    else
        problem_at(r->problems, place_of(&p->problem_mark), "not YAML: %s%s%s", p->problem,
                   p->context != NULL ? " " : "", p->context != NULL ? p->context : "");
}

/* False at the end, after a problem or not. */
static bool next_event(struct reading *r, struct slice text)
{
    yaml_event_t event;

    if (yaml_parser_parse(&r->parser, &event) == 0) {
        add_parser_problem(r, text);
        return false;
    }
    bool on = handlers[event.type](r, &event);

    yaml_event_delete(&event);
    return on;
}

static bool check_root(const struct reading *r)
{
    static const char allowed[] = "expected settings, such as \"data_dir: /var/lib/onecase\"";

    if (r->root != NULL && r->root->kind == NODE_BLOCK)
        return true;
    if (r->root == NULL)
        problem_at(r->problems, (struct place){1, 1}, "the file is empty: %s", allowed);
    else
        problem_at(r->problems, r->root->place, "not settings: %s", allowed);
    return false;
}

struct node *yaml_tree_read(struct slice text, struct problems *problems)
{
    struct reading r = {.problems = problems};

    if (text.len > TREE_OCTETS_MAX) {
        problem_at(problems, (struct place){1, 1}, "larger than 1 MB, which no configuration is");
        return NULL;
    }
    if (yaml_parser_initialize(&r.parser) == 0)
        abort();
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text.at, text.len);
    while (next_event(&r, text))
        ;
    yaml_parser_delete(&r.parser);
    if (!r.ended || !check_root(&r))
        tree_free(&r.root);
    return r.root;
}
