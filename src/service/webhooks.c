/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/webhooks.h>

struct telling {
    const struct webhook_ports *port;
    const struct webhook_settings *set;
    struct webhook_post post;
};

static void telling_clear(struct telling *t)
{
    webhook_post_clear(&t->post);
}

static bool too_long(const struct telling *t, int64_t now_ms)
{
    return t->post.first_try_ms != NOT_DUE &&
           now_ms - t->post.first_try_ms >= t->set->give_up_after_ms;
}

static enum post_event event_of(const struct telling *t, enum rc rc, int64_t now_ms)
{
    if (rc == RC_OK)
        return POST_ON_TAKEN;
    return rc == RC_REFUSED || too_long(t, now_ms) ? POST_ON_GIVE_UP : POST_ON_LATER;
}

static unsigned tries_of(int64_t count)
{
    return count < 30 ? (unsigned)count : 30;
}

/* The receiver's own word on when to come again may make a pause longer, never shorter. */
static int64_t pause(const struct telling *t, int64_t tries, int64_t said_ms)
{
    int64_t own_ms = backoff_delay(&t->set->pause, tries_of(tries), 0);
    int64_t most_ms = t->set->pause.max_ms > said_ms ? said_ms : t->set->pause.max_ms;
    return own_ms > most_ms ? own_ms : most_ms;
}

static enum rc record(const struct telling *t,
                      enum rc rc,
                      const struct posted *posted,
                      const char *why,
                      struct err *err)
{
    const struct ledger *l = t->port->ledger;
    struct instant now = clock_now(t->port->clock);
    struct webhook_try tried = {.post = &t->post,
                                .on = event_of(t, rc, now.wall_ms),
                                .code = posted->code,
                                .why = rc == RC_OK ? "" : why,
                                .due_ms = NOT_DUE,
                                .webhook_due_ms = NOT_DUE};
    /* One that is refused for good says nothing of the next. */
    if (rc != RC_OK && rc != RC_REFUSED)
        tried.webhook_due_ms = now.wall_ms + pause(t, t->post.failures, posted->retry_after_ms);
    if (tried.on == POST_ON_LATER)
        tried.due_ms = now.wall_ms + pause(t, t->post.attempts, posted->retry_after_ms);
    return l->webhooks->tried(l->self, &tried, now, err);
}

static enum rc tell(struct telling *t, struct webhook_turn *out, struct err *err)
{
    struct posted posted = {.code = 0};
    struct err why = ERR_INIT;
    const struct poster *p = t->port->poster;
    out->rc = p->post(p->self, &t->post, clock_now(t->port->clock), &posted, &why);
    text_copy(out->why, sizeof out->why, out->rc == RC_OK ? "" : why.text);
    out->moved = true;
    return record(t, out->rc, &posted, why.text, err);
}

enum rc webhook_turn(const struct webhook_ports *port,
                     const struct webhook_settings *set,
                     struct webhook_turn *out,
                     struct err *err)
{
    const struct ledger *l = port->ledger;
    CLEANUP(telling_clear) struct telling t = {.port = port, .set = set};
    struct instant now = clock_now(port->clock);
    *out = (struct webhook_turn){.wake_ms = NOT_DUE, .rc = RC_NOT_FOUND};
    TRY(l->webhooks->derive(l->self, &set->wish, now, &out->moved, err));
    const struct webhook_hold hold = {set->wish.name, set->by, now.wall_ms + set->hold_ms};
    enum rc rc = l->webhooks->next(l->self, &hold, now, &t.post, &out->wake_ms, err);
    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    return tell(&t, out, err);
}
