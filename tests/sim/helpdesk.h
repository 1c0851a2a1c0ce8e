/* SPDX-License-Identifier: Apache-2.0
 *
 * helpdesk - a further destination, and the cases that truly stand there.
 */
#pragma once

#include <onecase/destination.h>

struct world;

#define RECORDS_MAX 64

struct record {
    char key[KEY_SIZE];
    char id[EXTERNAL_ID_SIZE];
    bool visible; /* a look-up finds it */
};

struct helpdesk {
    struct record record[RECORDS_MAX];
    size_t records;
};

/* Makes a record unless uniqueness is enforced and there is one; `visible_after_ms`: it shows later. */
struct record *helpdesk_make(struct world *world, const char *key, int64_t visible_after_ms);
struct record *helpdesk_find(struct world *world, const char *key); /* visible or not */
size_t helpdesk_count(const struct world *world, const char *key);
