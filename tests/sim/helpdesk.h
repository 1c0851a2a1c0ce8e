/* SPDX-License-Identifier: Apache-2.0
 *
 * helpdesk - a further destination of each kind, and the cases and replies that truly stand there.
 */
#pragma once

#include <onecase/destination.h>

struct world;

#define RECORDS_MAX 64

/* A case, or a reply to one: no mail is both. */
struct record {
    char key[KEY_SIZE];
    char effect[EFFECT_ID_SIZE]; /* the Idempotency-Key it was made with */
    char id[EXTERNAL_ID_SIZE];
    bool visible; /* a look-up finds it */
};

/* A person said that none was made, whatever the truth. */
struct permission {
    char key[KEY_SIZE];
};

struct helpdesk {
    struct record record[RECORDS_MAX];
    size_t records;
    struct permission permission[RECORDS_MAX];
    size_t permissions;
};

/* Makes a record unless its guarantee says that this one is there already, which *adopted tells;
 * `visible_after_ms`: it shows later. */
struct record *helpdesk_make(struct world *world,
                             const struct case_facts *facts,
                             enum destination_step step,
                             int64_t visible_after_ms,
                             bool *adopted);
struct record *helpdesk_find(struct world *world, const char *key); /* visible or not */
bool helpdesk_has(const struct world *world, const char *id);
size_t helpdesk_count(const struct world *world, const char *key);
/* One more may be made of it. */
void helpdesk_allow(struct world *world, const char *key);
size_t helpdesk_allowed(const struct world *world, const char *key);
