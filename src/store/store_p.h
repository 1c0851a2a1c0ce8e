/* SPDX-License-Identifier: Apache-2.0
 *
 * store_p - what the files of this folder share: the open ledger and its vtables.
 *
 * `self` of every port function is a struct store. A connection is one thread's.
 */
#pragma once

#include "chain.h"
#include "db.h"
#include "numbers.h"
#include "steps.h"

struct waiting_times {
    char mailbox[NAME_SIZE];
    char turn[NAME_SIZE];
    int64_t final_timeout_ms, evidence_wait_ms;
};

struct store {
    struct db *db;
    struct waiting_times *wait;
    size_t waits;
    int64_t longest_delay_ms;
    struct store_upgrade upgrade; /* from 0: there was none */
    bool listens;                 /* store_heard was called */
    struct move_plan *plan;       /* of a snapshot that was made of it (move.h); NULL: none was */
    char run[RUN_ID_SIZE];        /* that entered by this store; "" before: a tool's */
    char turn[NAME_SIZE];         /* in which that one writes; "": in the whole ledger's */
};

extern const struct ledger_runs store_runs;
enum rc runs_share(
    void *self, const char *run, const char *mailbox, int64_t lease_ms, bool *ours, struct err *err)
    MUST_CHECK; /* share.c */
extern const struct ledger_mailboxes store_mailboxes;
extern const struct ledger_intake store_intake;
extern const struct ledger_work store_work;
extern const struct ledger_people store_people;
extern const struct ledger_operators store_operators;
extern const struct ledger_notices store_notices;
extern const struct ledger_webhooks store_webhooks;
extern const struct ledger_keeping store_keeping;
