/* SPDX-License-Identifier: Apache-2.0
 *
 * processes (port) - who we are, and proof that another run is dead.
 *
 * A run holds a lock on its run file for as long as it lives; the kernel frees the lock with the
 * process, so a free lock on this host, or a boot id that has passed, is proof. About a run on
 * another host nothing can be proven from here: its lease must end.
 */
#pragma once

#include <onecase/err.h>
#include <stdint.h>

#define RUN_ID_SIZE 33 /* 32 lower-case hex digits of randomness, and NUL */

struct run_facts {
    char id[RUN_ID_SIZE];
    char host[65];
    char boot_id[64];
    long pid;
    char version[32];
    char name[65], environment[65], owner[129]; /* of the deployment, as configured */
    char mailbox[65];                           /* that it serves */
    char node
        [RUN_ID_SIZE]; /* the process that started it: its siblings share their mailboxes out by it */
};

enum proof { PROOF_DEAD, PROOF_ALIVE, PROOF_NONE };

struct processes {
    void *self;
    /* Fills a new run's facts and takes its lock. RC_BROKEN where the lock cannot be had. */
    enum rc (*enter)(void *self, struct run_facts *out, struct err *err);
    /* Is that run dead? Never guesses: PROOF_NONE for another host. */
    enum proof (*dead)(void *self, const struct run_facts *run);
    /* Randomness for ids and jitter; not for secrets. */
    uint32_t (*random)(void *self);
    /* The orderly end: frees the lock. */
    void (*leave)(void *self, const struct run_facts *run);
};
