/* SPDX-License-Identifier: Apache-2.0
 *
 * troubles - the table of what may go wrong around a run: its death, other clients, the server,
 * the disk, the clock, people, and the ledger that goes back in time.
 */
#pragma once

#include <stdbool.h>

struct run;
struct world;

/* Lets one of them happen, drawn by weight, at a gate of `at`. False where it could not. */
bool troubles_happen(struct world *world, struct run *at);
/* The machine of that run, and every run there. */
bool machine_stands_still(struct world *world, struct run *at);
/* There is room for another life. */
bool troubles_may_kill(const struct world *world);
