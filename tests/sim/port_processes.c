/* SPDX-License-Identifier: Apache-2.0 */
#include "gate.h"
#include "ports.h"
#include "world.h"

#include <stdio.h>
#include <string.h>

static struct instant now(void *self)
{
    const struct run *run = self;

    return machine_now(run->world, run->machine);
}

static uint32_t random_of(void *self)
{
    struct run *run = self;

    return (uint32_t)(rng_next(&run->world->rng) >> 32);
}

static void boot_id(const struct machine *machine, char *out, size_t size)
{
    snprintf(out, size, "boot-%s-%u", machine->host, machine->boots);
}

static enum rc take_lock(struct run *run, struct run_facts *out)
{
    *out = (struct run_facts){.pid = 1000 + (long)run->number};
    snprintf(out->id, sizeof out->id, "%016llx%08x%08x",
             (unsigned long long)rng_next(&run->world->rng), run->number, run->number);
    snprintf(out->host, sizeof out->host, "%s", run->machine->host);
    boot_id(run->machine, out->boot_id, sizeof out->boot_id);
    run->facts = *out;
    run->has_lock = true;
    return RC_OK;
}

static enum rc enter(void *self, struct run_facts *out, struct err *err)
{
    struct run *run = self;

    THROUGH_GATE(run, CALL_PROCESSES_ENTER, err, take_lock(run, out));
}

/* A free lock, or a boot that has passed, of this host. */
static enum proof proof_of(const struct run *run, const struct run_facts *other)
{
    const struct world *world = run->world;
    char boot[64];

    if (strcmp(other->host, run->machine->host) != 0)
        return PROOF_NONE;
    boot_id(run->machine, boot, sizeof boot);
    if (strcmp(other->boot_id, boot) != 0)
        return PROOF_DEAD;
    for (size_t i = 0; i < world->runs; i++)
        if (strcmp(world->run[i]->facts.id, other->id) == 0 && world->run[i]->has_lock)
            return PROOF_ALIVE;
    return PROOF_DEAD;
}

static enum proof dead(void *self, const struct run_facts *other)
{
    struct run *run = self;
    struct err err = ERR_INIT;

    if (gate_open(run, CALL_PROCESSES_DEAD) != ANSWER_TRUE)
        return PROOF_NONE;
    enum proof proof = proof_of(run, other);

    return gate_close(run, CALL_PROCESSES_DEAD, RC_OK, &err) == RC_OK ? proof : PROOF_NONE;
}

static void leave(void *self, const struct run_facts *facts)
{
    struct run *run = self;
    struct err err = ERR_INIT;

    (void)facts;
    if (gate_open(run, CALL_PROCESSES_LEAVE) != ANSWER_TRUE)
        return;
    run->has_lock = false;
    (void)gate_close(run, CALL_PROCESSES_LEAVE, RC_OK, &err);
}

struct clock port_clock(struct run *run)
{
    return (struct clock){.self = run, .now = now};
}

struct processes port_processes(struct run *run)
{
    return (struct processes){
        .self = run, .enter = enter, .dead = dead, .random = random_of, .leave = leave};
}
