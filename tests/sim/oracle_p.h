/* SPDX-License-Identifier: Apache-2.0
 *
 * oracle_p - one function an invariant, each over one deployment at rest.
 */
#pragma once

#include "deployment.h"
#include "oracle.h"
#include "world.h"

/* oracle_stored.c */
void oracle_v1_every_message_is_listed(struct world *world, struct deployment *d);
void oracle_v2_one_case(struct world *world, struct deployment *d);
void oracle_v3_files_are_the_plan(struct world *world, struct deployment *d);
/* oracle_desk.c */
void oracle_v2_at_the_desk(struct world *world, struct deployment *d);
/* V6: whoever is told has their case, or their reply, at the help desk. */
void oracle_told_after_its_case(struct run *run, const char *effect);
/* oracle.c, K03: what leaves, leaves within the run's lease of that item, by the clock of the ledger's server. */
void oracle_within_its_lease(struct run *run, const char *key, const char *what);
/* oracle_told.c */
void oracle_v4_told_once(struct world *world, struct deployment *d);
void oracle_v5_unknown_is_left_by_a_person(struct world *world, struct deployment *d);
void oracle_v8_every_try_is_written(struct world *world, struct deployment *d);
/* oracle_filed.c */
void oracle_v6_filed_by_right(struct world *world, struct deployment *d);
/* oracle.c */
void oracle_v7_what_waits_is_visible(struct world *world, struct deployment *d);
void oracle_v9_comes_to_an_end(struct world *world, struct deployment *d, bool answered);

/* Every attachment that the ledger says is stored stands on the disk, durable, with its digest. */
bool oracle_files_stand(struct deployment *d, const char *key, char what[200]);
