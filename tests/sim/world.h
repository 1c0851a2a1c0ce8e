/* SPDX-License-Identifier: Apache-2.0
 *
 * world - everything outside the program, and the truth about it: the mail server's folders, what
 * the SMTP server took in, the disks, the machines and their clocks, the runs of the program.
 *
 * One world is one schedule. It is made from one seed and thrown away; all that lives in it comes
 * from world_new and goes with it. Parts: timeline.h imap.h smtp.h disk.h helpdesk.h mails.h run.h
 * deployment.h people.h. What the program may see of it goes through the ports (port_*.c), each call
 * of which passes a gate (gate.h), where anything else may happen first.
 */
#pragma once

#include "disk.h"
#include "helpdesk.h"
#include "imap.h"
#include "mails.h"
#include "rng.h"
#include "run.h"
#include "scenario.h"
#include "smtp.h"
#include "story.h"
#include "timeline.h"

#include <onecase/identity.h>

#define MAILBOX_ID  "help"
#define OWN_ADDRESS "help@example.org"
#define OWN_DOMAIN  "example.org"
#define PREFIX      "HD-"
#define INBOX       "INBOX"
#define PROCESSED   "Processed"
#define SENT        "Sent"
#define CLAIM       "onecase"

#define RUNS_MAX        96 /* lives, also those that ended */
#define DEPLOYMENTS_MAX 2
#define MACHINES        2

/* What went wrong, if anything: the invariant's name and a sentence. */
struct verdict_of_world {
    bool broken;
    const char *invariant;
    char text[400];
};

struct world {
    uint64_t seed;
    struct rng rng;
    struct rng withholding; /* for scenario.withhold_one_in */
    struct rng elsewhere;   /* for servers and machines */
    struct scenario scenario;
    struct story story;
    struct timeline timeline;
    struct machine machine[MACHINES];
    struct imap imap;
    struct smtp smtp;
    struct helpdesk helpdesk;
    struct mails mails;
    struct deployment *deployment[DEPLOYMENTS_MAX]; /* deployment.h; outlive the world */
    size_t deployments;
    struct run *run[RUNS_MAX];
    size_t runs;
    struct run *inside; /* the run that is executing; NULL: the scheduler is */
    int64_t restart_ms; /* when the supervisor starts a run in the place of a dead one; 0: never */
    struct plan_of_faults *faults;
    bool calm; /* faults are over */
    bool no_more_mail;
    unsigned troubles; /* that happened */
    bool has_restored;
    unsigned long moved;    /* counts everything that changed outside a ledger */
    unsigned long calls;    /* port calls of all runs */
    unsigned busy_calls[2]; /* of the first two runs, until the first rest */
    struct verdict_of_world verdict;
    void *memory; /* of world_new */
};
