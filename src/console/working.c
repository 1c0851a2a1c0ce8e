/* SPDX-License-Identifier: Apache-2.0
 *
 * working - what the console does beside answering: replays of many that were begun or gone on with here.
 *
 * A few mails at a time between two looks at the connections, so nobody waits for them. Each mail is a
 * transaction of the ledger's: a console that ends leaves a replay that goes on where it ended, here or at
 * the terminal, and two that do the same one do each mail once.
 */
#include "console_p.h"

#include <onecase/when.h>
#include <string.h>

#define SLICE_MS 20
#define AGAIN_MS SECONDS(2) /* after what later may work */

static struct work *free_place(struct console *c)
{
    for (size_t i = 0; i < LENGTH(c->work); i++)
        if (!c->work[i].goes_on)
            return &c->work[i];
    return NULL;
}

const struct work *work_of(const struct console *c, int64_t bulk)
{
    for (size_t i = 0; i < LENGTH(c->work); i++)
        if (c->work[i].bulk == bulk)
            return &c->work[i];
    return NULL;
}

bool work_begin(struct console *c, int64_t bulk)
{
    const struct work *is = work_of(c, bulk);
    if (is && is->goes_on)
        return true;
    struct work *place = is ? &c->work[is - c->work] : free_place(c);
    if (!place)
        return false;
    *place = (struct work){.bulk = bulk, .goes_on = true};
    return true;
}

void work_stop(struct console *c, int64_t bulk)
{
    for (size_t i = 0; i < LENGTH(c->work); i++)
        if (c->work[i].bulk == bulk)
            c->work[i] = (struct work){.bulk = 0};
}

/* It is over, or cannot go on; what later may work is tried again by itself. */
static void judge(struct work *w, enum rc rc, const struct err *err, int64_t boot_ms)
{
    w->goes_on = rc == RC_DEFERRED;
    w->due_ms = boot_ms + AGAIN_MS;
    if (rc == RC_NOT_FOUND)
        *w = (struct work){.bulk = 0};
    else
        text_copy(w->why, sizeof w->why, err_words(err));
}

static void work_some(const struct console *c, struct work *w, int64_t until_ms)
{
    const struct ledger *l = c->ops->ledger;
    struct bulk bulk = {.id = w->bulk};
    struct replay_result result;
    struct err err = ERR_INIT;
    struct instant now = clock_now(c->settings->clock);
    enum rc rc = RC_OK;
    while (rc == RC_OK && now.boot_ms < until_ms) {
        rc = l->operators->bulk_next(l->self, &bulk, now, &result, &err);
        now = clock_now(c->settings->clock);
    }
    if (rc != RC_OK)
        judge(w, rc, &err, now.boot_ms);
    else
        w->why[0] = '\0';
}

int64_t work(struct console *c)
{
    int64_t next = INT64_MAX;
    for (size_t i = 0; i < LENGTH(c->work); i++) {
        struct work *w = &c->work[i];
        int64_t now = clock_now(c->settings->clock).boot_ms;
        if (w->goes_on && w->due_ms <= now)
            work_some(c, w, now + SLICE_MS);
        if (w->goes_on && w->due_ms < next)
            next = w->due_ms;
    }
    return next;
}
