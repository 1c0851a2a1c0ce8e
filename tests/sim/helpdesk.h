/* SPDX-License-Identifier: Apache-2.0
 *
 * helpdesk - a further destination of each kind, and the cases, replies and files that truly stand there.
 */
#pragma once

#include <onecase/destination.h>
#include <onecase/policy.h>

struct world;

#define RECORDS_MAX 64

/* A case, or a reply to one: no mail is both. */
struct record {
    char key[KEY_SIZE];
    char effect[EFFECT_ID_SIZE]; /* the Idempotency-Key it was made with */
    char id[EXTERNAL_ID_SIZE];
    bool visible; /* a look-up finds it */
    bool closed;
};

/* A file of a case or reply. */
struct child {
    char key[KEY_SIZE]; /* of the mail that it came with */
    char effect[EFFECT_ID_SIZE];
    char file[STORED_NAME_SIZE]; /* NN-NAME */
    char id[EXTERNAL_ID_SIZE];
    bool visible;
};

/* A person said that none was made, whatever the truth. */
struct permission {
    char key[KEY_SIZE];
    char file[STORED_NAME_SIZE]; /* "": of the case or reply */
};

struct helpdesk {
    struct record record[RECORDS_MAX];
    size_t records;
    struct child child[RECORDS_MAX];
    size_t children;
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
struct child *helpdesk_attach(struct world *world,
                              const struct case_facts *facts,
                              int64_t visible_after_ms,
                              bool *adopted);
/* The case with that id is closed: it may have been already. */
void helpdesk_close(struct world *world, const char *id);
bool helpdesk_has_closed(const struct world *world, const char *key);
struct child *helpdesk_child(struct world *world, const char *key, const char *file);
size_t helpdesk_children(const struct world *world, const char *key, const char *file);
struct record *helpdesk_find(struct world *world, const char *key); /* visible or not */
bool helpdesk_has(const struct world *world, const char *id);
size_t helpdesk_count(const struct world *world, const char *key);
/* One more may be made of it. */
void helpdesk_allow(struct world *world, const char *key, const char *file);
size_t helpdesk_allowed(const struct world *world, const char *key, const char *file);
