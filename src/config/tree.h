/* SPDX-License-Identifier: Apache-2.0
 *
 * tree - a YAML file of the plain kind as blocks, lists and values, each with its place.
 *
 * Refused, with their places: aliases, anchors, tags, a key used twice or that is no word, a second
 * document, more than 16 levels, more than 1 MB, and what is no YAML. Sizes are bounded before
 * anything grows with them, so a hostile file costs little.
 */
#pragma once

#include "problems.h"

enum node_kind { NODE_VALUE, NODE_LIST, NODE_BLOCK };

struct node {
    enum node_kind kind;
    struct place place;
    struct str text;    /* of a value */
    bool plain;         /* a value without quotes */
    struct node **item; /* of a list; of a block: key, value, key, value */
    size_t items;
};

#define TREE_OCTETS_MAX ((size_t)1024 * 1024)
#define TREE_DEPTH_MAX  16

/* NULL where the file could not be read to its end; otherwise a block, perhaps with problems. */
struct node *yaml_tree_read(struct slice text, struct problems *problems);
void tree_free(struct node **node); /* for CLEANUP */

/* The value of a block's key, or NULL; also where `block` is NULL. Borrowed. */
const struct node *tree_find(const struct node *block, const char *key);
/* A value without anything in it: `key:`, `key: ~` or `key: null`. */
bool tree_is_empty(const struct node *value);
