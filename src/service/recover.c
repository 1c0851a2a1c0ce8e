/* SPDX-License-Identifier: Apache-2.0 */
#include "service_p.h"

#include <stdlib.h>

/* A dead run's leases are void at once; what it had armed becomes unknown when its items are claimed. */
static enum rc bury(struct service *s, const struct run_facts *dead, struct err *err)
{
    const struct ledger *l = s->port->ledger;
    log_event(LOG_WARN, "run.found-dead", "run=%s", dead->id);
    s->careful = true;
    s->result->moved = true;
    return l->runs->bury(l->self, dead->id, s->run.id, service_now(s), err);
}

enum rc recover(struct service *s, struct err *err)
{
    const struct ledger *l = s->port->ledger;
    const struct processes *p = s->port->processes;
    TRY(service_renew(s, err));
    CLEANUP(mem_free) struct run_facts *other = NULL;
    size_t count = 0;
    TRY(l->runs->others(l->self, s->run.id, &other, &count, err));
    for (size_t i = 0; i < count; i++)
        if (p->dead(p->self, &other[i]) == PROOF_DEAD)
            TRY(bury(s, &other[i], err));
    return RC_OK;
}
