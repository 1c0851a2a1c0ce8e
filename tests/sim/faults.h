/* SPDX-License-Identifier: Apache-2.0
 *
 * faults - what goes wrong at a gate, by chance or by plan.
 *
 * By chance: the scenario says how often, troubles.c has the table. By plan: the exhaustive mode
 * names the run, the call and what happens there, and nothing else goes wrong.
 */
#pragma once

#include "calls.h"
#include "disk.h"

struct machine;
struct run;
struct world;

enum deed {
    DEED_KILL_BEFORE,
    DEED_KILL_AFTER,
    DEED_POWER_BEFORE, /* the power fails */
    DEED_POWER_AFTER,
    DEED_ANSWER,
};

struct planned_fault {
    unsigned run;  /* its number */
    unsigned call; /* its nth port call, from 1 */
    enum deed deed;
    enum answer answer;
    enum power_loss loss;
};

#define PLANNED_MAX 2

struct plan_of_faults {
    struct planned_fault fault[PLANNED_MAX];
    size_t count;
    size_t happened;
};

/* Before a call of a run that lives: others may act, the run may die. */
void faults_before(struct run *run, enum call call);
void faults_after(struct run *run, enum call call);
enum answer faults_answer(struct run *run, enum call call);
/* At `at`, or everywhere: all runs there die, what the disks had not made durable is lost, boot clocks begin anew. */
void faults_power(struct world *world, const struct machine *at, enum power_loss loss);
/* Faults stop: everything is well again, stalled runs go on. */
void faults_end(struct world *world);
