/* SPDX-License-Identifier: Apache-2.0
 *
 * people - who decides what the program asks, and who acts on it while it runs.
 *
 * A person here is truthful: they know what the receiving server has, and say it. What they may
 * say, and when, is up to the ledger (ledger.people); "not yet" they accept, and come back.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct deployment;
struct world;

/* Answers every question that is open and may be answered now. Returns how many were; `later` is
 * set where one may be answered later. */
size_t people_answer_questions(struct world *world, struct deployment *deployment, bool *later);
/* Makes the first-import choice where it is waited for. */
bool person_chooses_import(struct world *world, struct deployment *deployment);
/* An operator replays some item. */
bool person_replays(struct world *world, struct deployment *deployment);
/* Somebody closes each case that is open, here and at the help desk. */
void person_closes_cases(struct world *world, struct deployment *deployment);
bool person_pauses(struct world *world, struct deployment *deployment, bool paused);
