/* SPDX-License-Identifier: Apache-2.0 */
#include "place_p.h"

#include <onecase/when.h>

/* A tenth of a minute's requests may come at once, and the rest evenly, so that in no minute there are
 * more than are allowed. */

static int64_t at_once(unsigned rate)
{
    return rate < 10 ? 1 : rate / 10;
}

static int64_t pause_ms(unsigned rate)
{
    int64_t evenly = rate < 10 ? rate : rate - rate / 10;
    return (MINUTES(1) + evenly - 1) / evenly;
}

bool rate_allows(const struct service *s, int64_t *at)
{
    unsigned rate = s->set->destination_rate;
    struct instant now = service_now(s);
    if (rate == 0)
        return true;
    int64_t from = s->asked_boot_ms - (at_once(rate) - 1) * pause_ms(rate);
    *at = now.wall_ms + (from - now.boot_ms);
    return now.boot_ms >= from;
}

void rate_spend(struct service *s, unsigned requests)
{
    unsigned rate = s->set->destination_rate;
    int64_t now = service_now(s).boot_ms;
    if (rate > 0)
        s->asked_boot_ms =
            (s->asked_boot_ms > now ? s->asked_boot_ms : now) + (int64_t)requests * pause_ms(rate);
}
