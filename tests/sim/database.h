/* SPDX-License-Identifier: Apache-2.0
 *
 * database - the ledger's database as it is on a server that several machines share.
 *
 * Written with SQLite's driver; what a server adds is played here, in the place of PostgreSQL's driver: a clock
 * that all share and that leases are measured by, commits that are taken back because others wrote, commits
 * whose answer is lost (then it is read back), and a timeline that is another one when a standby has taken
 * over. A statement that only reads meets the new server unnoticed, as it does there.
 */
#pragma once

#include "rng.h"

#include <stdbool.h>
#include <stdint.h>

#define DATABASE_SCHEME "simulated:"

struct world;

struct database {
    const char *path;
    struct world *world;
    struct rng rng;
    bool server; /* false: a file on one machine */
    int64_t timeline;
    unsigned commit_one_in; /* goes wrong; 0 never */
};

/* From now on what is opened by this path, after DATABASE_SCHEME, is this one. It stays where it is. */
void database_register(struct database *database);
/* A new schedule: connections that are kept know nothing of the last one. */
void database_begin(struct database *database, struct world *world);
/* A standby has taken over. */
void database_taken_over(struct database *database);
/* What is opened anew knows nothing of a server before. */
struct store;
void database_opened(struct database *database, struct store *store);
/* Its clock; 0 where it has none. */
int64_t database_now(const struct database *database);
