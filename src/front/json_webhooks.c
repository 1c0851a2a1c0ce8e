/* SPDX-License-Identifier: Apache-2.0 */
#include "json_p.h"

static json_t *webhook(const struct view_webhook *w)
{
    json_t *o = json_object();
    put(o, "name", text(w->name));
    put(o, "configured", json_boolean(w->enlisted));
    put_int(o, "waiting", w->waiting);
    put_int(o, "dead", w->dead);
    put_int(o, "done", w->done);
    put(o, "oldest", when(w->oldest_ms));
    put(o, "failing_since", when(w->failing_since_ms));
    put(o, "next_try", when(w->due_ms));
    put(o, "last_success", when(w->last_done_ms));
    put(o, "why", text_or_null(w->why));
    return o;
}

static json_t *dead_letter(const struct view_dead_letter *d)
{
    json_t *o = json_object();
    put(o, "id", text(d->id));
    put(o, "webhook", text(d->webhook));
    put(o, "event", text(d->event));
    put(o, "mailbox", text(d->mailbox));
    put(o, "key", text(d->key));
    put(o, "case", text_or_null(d->reference));
    put_int(o, "attempts", d->attempts);
    put(o, "code", d->code ? json_integer(d->code) : json_null());
    put(o, "why", text_or_null(d->why));
    put(o, "created_at", when(d->created_ms));
    put(o, "given_up_at", when(d->ended_ms));
    return o;
}

void json_webhooks(const struct view *webhooks, const struct view *dead, struct str *out)
{
    const struct view_webhook *w = webhooks->row;
    const struct view_dead_letter *d = dead->row;
    json_t *o = json_object(), *names = json_array(), *letters = json_array();
    for (size_t i = 0; i < webhooks->count; i++)
        json_array_append_new(names, webhook(&w[i]));
    for (size_t i = 0; i < dead->count; i++)
        json_array_append_new(letters, dead_letter(&d[i]));
    put(o, "webhooks", names);
    put(o, "dead", letters);
    finish(o, out);
}
