/* SPDX-License-Identifier: Apache-2.0
 *
 * oracle - the invariants V1 to V9 of the fault matrix, judged from the world's truth and, by SQL of
 * its own, from the ledger; never by asking the program.
 *
 * Some are judged when something happens (a message is moved, an end-of-data line leaves), the rest
 * whenever everything has come to rest.
 */
#pragma once

#include "imap.h"

struct deployment;
struct run;
struct world;

/* V6, and record before act: a run is about to move this message. */
void oracle_before_move(struct run *run, const struct folder *folder, const struct copy *copy);
/* V8, and arm at the dot: a run is about to send this acknowledgement's end-of-data line. */
void oracle_before_line(struct run *run, const char *effect);

/* A standby took over after that: what was written down then is known no more. */
bool oracle_was_forgotten(const struct run *run, int64_t since_ms);

/* V2: a run adds a reply to a case, which must stand there. */
struct case_facts;
void oracle_before_append(struct run *run, const struct case_facts *facts);

/* V4: a person says that an acknowledgement was not sent, and it was taken. */
void oracle_not_sent_taken(struct world *world, struct deployment *deployment, const char *effect);

/* All of them, at rest. `answered`: people have answered what they were asked. */
void oracle_judge(struct world *world, bool answered);
void oracle_v9_moves_for_ever(struct world *world);

/* SQL: an item that waits for its case at the help desk, whose first mail has lost a file: it goes on when a
 * person has ended that, and looks for it until then. */
#define ORACLE_ENDLESS                                                                             \
    " EXISTS (SELECT 1 FROM item AS first WHERE first.key = item.case_key AND first.key <> "       \
    "item.key"                                                                                     \
    "  AND first.state = 'needs_reconciliation'"                                                   \
    "  AND first.reason IN ('file-differs', 'original-lost')) "

/* Another deployment owns the mailbox: this one stands still, and that is right. */
bool oracle_is_idle_by_right(struct world *world, struct deployment *deployment);

/* The end state as text: the same for every order of events that comes to the same. */
void oracle_summary(struct world *world, struct str *out);
