/* SPDX-License-Identifier: Apache-2.0
 *
 * What is asked of others over HTTP: a destination by the service, and webhooks by a process of their own. Its
 * points count from its first turn on, and are those of the ports alone.
 */
#include "decorate.h"

#include "point.h"
#include "wrap.h"

static struct destination real_destination;
static struct ledger_webhooks real_webhooks;
static struct poster real_poster;

/* ---- destination -------------------------------------------------------------------------------- */

AT_POINT(destination,
         act,
         (void *self,
          enum destination_step step,
          const struct case_facts *facts,
          struct destination_answer *out,
          struct err *err),
         self,
         step,
         facts,
         out,
         err)
AT_POINT(destination,
         look,
         (void *self,
          enum destination_step step,
          const struct case_facts *facts,
          struct destination_answer *out,
          struct err *err),
         self,
         step,
         facts,
         out,
         err)

const struct destination *decorated_destination(const struct destination *real)
{
    static struct destination decorated;
    if (!real)
        return NULL;
    real_destination = *real;
    decorated = *real;
    decorated.act = destination_act;
    decorated.look = destination_look;
    return &decorated;
}

/* ---- webhooks ----------------------------------------------------------------------------------- */

AT_POINT(
    webhooks,
    derive,
    (void *self, const struct webhook_wish *wish, struct instant now, bool *more, struct err *err),
    self,
    wish,
    now,
    more,
    err)
AT_POINT(webhooks,
         next,
         (void *self,
          const struct webhook_hold *hold,
          struct instant now,
          struct webhook_post *out,
          int64_t *wake_ms,
          struct err *err),
         self,
         hold,
         now,
         out,
         wake_ms,
         err)
AT_POINT(webhooks,
         tried,
         (void *self, const struct webhook_try *tried, struct instant now, struct err *err),
         self,
         tried,
         now,
         err)
AT_POINT(poster,
         post,
         (void *self,
          const struct webhook_post *post,
          struct instant now,
          struct posted *out,
          struct err *err),
         self,
         post,
         now,
         out,
         err)

enum rc __wrap_webhook_turn(const struct webhook_ports *port,
                            const struct webhook_settings *set,
                            struct webhook_turn *out,
                            struct err *err)
{
    real_webhooks = *port->ledger->webhooks;
    real_poster = *port->poster;
    struct ledger_webhooks webhooks = real_webhooks;
    struct ledger ledger = *port->ledger;
    struct poster poster = {real_poster.self, poster_post};
    const struct webhook_ports decorated = {&ledger, &poster, port->clock};
    webhooks.derive = webhooks_derive;
    webhooks.next = webhooks_next;
    webhooks.tried = webhooks_tried;
    ledger.webhooks = &webhooks;
    return __real_webhook_turn(&decorated, set, out, err);
}
