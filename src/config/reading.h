/* SPDX-License-Identifier: Apache-2.0
 *
 * reading - one configuration on its way from tree to struct.
 *
 * Remembers where each member was written, by the member's address, so that what is only seen when
 * all is read can still be told at its place.
 */
#pragma once

#include "problems.h"
#include "settings.h"
#include "tree.h"
#include "values.h"

#include <onecase/config.h>

struct reading {
    struct problems *problems;
    struct config *config;
    struct value_context context;
    struct str path;    /* of the block at work: "mailboxes.imap" */
    struct place top;   /* where the settings begin */
    struct mark *marks; /* where members were written */
    size_t mark_count;
};

/* The whole way, from the octets of the file; NULL after problems. */
struct config *reading_config(const char *path,
                              struct slice text,
                              const char *templates_dir,
                              struct problems *problems);

/* Fills `config` from the tree: defaults, then what is written. */
void reading_all(struct reading *r, const struct node *root);
void reading_clear(struct reading *r);

void reading_mark(struct reading *r, const void *member, struct place place, bool block);
bool reading_has(const struct reading *r, const void *member);
bool reading_has_block(const struct reading *r, const void *block);
/* Where the first of the members that was written stands; else their block, or the file's top. */
#define PLACE_OF(r, block, ...)                                                                    \
    reading_place((r), (block), (const void *const[]){__VA_ARGS__, NULL})
struct place reading_place(const struct reading *r, const void *block, const void *const members[]);
/* The members stand a second time, elsewhere; or they no longer stand. */
void reading_copy(struct reading *r, const void *from, const void *to, size_t size);
void reading_forget(struct reading *r, const void *from, size_t size);

/* Replaces ${NAME} by what the environment holds; false after a problem. */
bool expand(struct reading *r, const struct node *value, struct str *out);

/* What follows from other settings: ports, addresses, secrets. */
void derive_all(struct reading *r, const char *templates_dir);
/* What no row can say alone. */
void check_all(struct reading *r);
