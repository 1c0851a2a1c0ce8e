/* SPDX-License-Identifier: Apache-2.0 */
#include "run_file.h"

#include <onecase/system.h>
#include <onecase/when.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RUNS_AT_ONCE 4
#define KEPT_MS      DAYS(7)

struct system_processes {
    struct machine here;
    int runs; /* data_dir/runs */
    struct held {
        char id[RUN_ID_SIZE]; /* "" where the place is free */
        int fd;
    } held[RUNS_AT_ONCE];
};

/* A run of this very process; "" finds a free place. */
static struct held *find_held(struct system_processes *p, const char *id)
{
    for (size_t i = 0; i < LENGTH(p->held); i++)
        if (strcmp(p->held[i].id, id) == 0)
            return &p->held[i];
    return NULL;
}

static enum rc processes_enter(void *self, struct run_facts *out, struct err *err)
{
    struct system_processes *p = self;
    struct held *held = find_held(p, "");
    struct run_facts facts = {.pid = getpid()};

    if (held == NULL)
        return FAIL(err, RC_BROKEN, "system: too many runs in one process");
    random_run_id(facts.id);
    TRY(run_file_make(p->runs, facts.id, &p->here, &held->fd, err));
    memcpy(held->id, facts.id, sizeof held->id);
    memcpy(facts.host, p->here.host, sizeof facts.host);
    memcpy(facts.boot_id, p->here.boot_id, sizeof facts.boot_id);
    *out = facts;
    return RC_OK;
}

static bool is_run_id(const char *id)
{
    return strlen(id) == RUN_ID_SIZE - 1 && strspn(id, "0123456789abcdef") == RUN_ID_SIZE - 1;
}

static enum proof processes_dead(void *self, const struct run_facts *run)
{
    struct system_processes *p = self;

    if (strcmp(run->host, p->here.host) != 0 || !is_run_id(run->id))
        return PROOF_NONE;
    if (find_held(p, run->id) != NULL)
        return PROOF_ALIVE;
    return run_file_proves(p->runs, run->id, &p->here);
}

static uint32_t processes_random(void *self)
{
    uint32_t number;

    (void)self;
    random_fill(&number, sizeof number);
    return number;
}

/* The file stays: it is the proof that the run has ended. */
static void processes_leave(void *self, const struct run_facts *run)
{
    struct held *held = is_run_id(run->id) ? find_held(self, run->id) : NULL;

    if (held == NULL)
        return;
    fd_close(&held->fd);
    held->id[0] = '\0';
}

enum rc system_processes_open(const char *data_dir, struct system_processes **out, struct err *err)
{
    struct clock clock = system_clock();
    struct machine here;
    int runs;

    TRY(machine_read(&here, err));
    TRY(run_files_open(data_dir, &runs, err));
    run_files_sweep(runs, clock_now(&clock).wall_ms - KEPT_MS);
    *out = mem_new(1, sizeof **out);
    (*out)->here = here;
    (*out)->runs = runs;
    return RC_OK;
}

struct processes system_processes_port(struct system_processes *p)
{
    return (struct processes){
        .self = p,
        .enter = processes_enter,
        .dead = processes_dead,
        .random = processes_random,
        .leave = processes_leave,
    };
}

void system_processes_close(struct system_processes **p)
{
    if (*p == NULL)
        return;
    for (size_t i = 0; i < LENGTH((*p)->held); i++)
        if ((*p)->held[i].id[0] != '\0')
            fd_close(&(*p)->held[i].fd);
    fd_close(&(*p)->runs);
    free(*p);
    *p = NULL;
}
