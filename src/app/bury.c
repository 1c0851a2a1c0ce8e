/* SPDX-License-Identifier: Apache-2.0 */
#include "bury.h"

static enum rc bury_all(struct wired_data *data, const struct processes *p, struct err *err)
{
    const struct ledger *l = &data->ledger;
    struct clock clock = system_clock();
    CLEANUP(mem_free) struct run_facts *run = NULL;
    size_t count = 0;
    TRY(l->runs->others(l->self, "", &run, &count, err));
    for (size_t i = 0; i < count; i++)
        if (p->dead(p->self, &run[i]) == PROOF_DEAD)
            TRY(l->runs->bury(l->self, run[i].id, "", clock_now(&clock), err));
    return RC_OK;
}

enum rc bury_dead(const struct config *config, struct wired_data *data, struct err *err)
{
    CLEANUP(system_processes_close) struct system_processes *system = NULL;
    TRY(system_processes_open(config->data_dir, &system, err));
    struct processes port = system_processes_port(system);
    return bury_all(data, &port, err);
}

enum rc
count_alive(const struct config *config, struct wired_data *data, size_t *out, struct err *err)
{
    const struct ledger *l = &data->ledger;
    CLEANUP(mem_free) struct run_facts *run = NULL;
    TRY(bury_dead(config, data, err));
    return l->runs->others(l->self, "", &run, out, err);
}
