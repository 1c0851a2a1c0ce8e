/* SPDX-License-Identifier: Apache-2.0
 *
 * run - one process life of the program: its ports, its coroutine, and how it ends.
 */
#pragma once

#include "smtp.h"
#include "timeline.h"

#include <onecase/courier.h>
#include <onecase/ledger.h>
#include <onecase/processes.h>

struct blob_store;
struct coroutine;
struct deployment;
struct store;
struct world;

enum life {
    LIFE_READY,   /* can go on */
    LIFE_ASLEEP,  /* until wake_ms */
    LIFE_STALLED, /* stopped from outside (SIGSTOP) until wake_ms; it holds its lock */
    LIFE_KILLED,  /* dead, and not yet unwound */
    LIFE_OVER,
};

#define CONNECTIONS 2

#define CALL_LOG 2000

#define LETTERS ((size_t)2 * CONNECTIONS) /* one a connection, and one behind its line */

enum letter_state { LETTER_NONE, LETTER_ON_ITS_WAY, LETTER_READY, LETTER_LEFT, LETTER_HANDED_BACK };

struct letter_under_way {
#define CALL_LOG 2000

    enum letter_state state;
    int64_t id;
    char effect[EFFECT_ID_SIZE];
    struct str octets;
    const struct fate *fate;
    struct line *line; /* once it has left */
    int64_t due_ms;    /* when there is something to say; -1: not by itself */
    int64_t ready_ms;
    const struct letter_under_way
        *before; /* whose line it comes behind; NULL: it has its connection */
};

struct run {
    struct world *world;
    struct deployment *deployment;
    struct machine *machine;
    unsigned number; /* from 1, in the story */
    struct coroutine *co;
    enum life life;
    int64_t wake_ms;
    unsigned stopped_call; /* the call in which it was last stopped */
    bool clock_stood;      /* and its boot clock, too: it cannot tell */
    bool stands_by;        /* in its last turn the mailbox was another's */
    bool asked_to_stop;
    bool failed; /* ended by itself: this installation cannot go on */
    bool has_lock;
    bool session_lost;   /* its connection to the IMAP server is gone, and it does not know yet */
    bool session_missed; /* it knows; the server is back for its next turn */
    char listed[16];     /* the folder that is open and was listed whole; "" is none */
    unsigned listed_changes;
    struct run_facts facts;
    char node[RUN_ID_SIZE]; /* "": the ledger is its machine's own */
    unsigned calls;         /* port calls while it lived */
    unsigned calls_after_death;
    unsigned char call_log[CALL_LOG]; /* the first of them */
    unsigned ticks, idle_ticks;
    unsigned looks; /* turns in which the mailbox was another's: they are many, and short */
    unsigned spools;
    struct store *store;
    struct ledger real; /* the ledger itself; the service gets port_ledger */
    struct blob_store *blob_store;
    struct letter_under_way letter[LETTERS];
};

struct run *run_start(struct world *world, struct deployment *deployment, struct machine *machine);
/* SIGKILL. It is unwound when the scheduler comes round to it. */
void run_kill(struct run *run, const char *why);
void run_stall(struct run *run, int64_t ms);
/* From inside: sleeps until that time of the world, or is killed. */
void run_sleep(struct run *run, int64_t until_ms);
/* From inside: lets others go on. */
void run_yield(struct run *run);
bool run_lives(const struct run *run);
/* Frees what is left of one that is over. */
void run_free(struct run **run);
