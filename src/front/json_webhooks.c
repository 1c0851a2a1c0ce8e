/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/front.h>
#include <onecase/when.h>
#include <jansson.h>
#include <stdlib.h>

static json_t *when(int64_t at_ms)
{
    char out[WHEN_TEXT_SIZE];
    if (at_ms == NOT_DUE)
        return json_null();
    when_text(at_ms, out);
    return json_string(out);
}

static json_t *text_or_null(const char *value)
{
    return value[0] ? json_string(value) : json_null();
}

static json_t *webhook(const struct view_webhook *w)
{
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(w->name));
    json_object_set_new(o, "configured", json_boolean(w->enlisted));
    json_object_set_new(o, "waiting", json_integer(w->waiting));
    json_object_set_new(o, "dead", json_integer(w->dead));
    json_object_set_new(o, "done", json_integer(w->done));
    json_object_set_new(o, "oldest", when(w->oldest_ms));
    json_object_set_new(o, "failing_since", when(w->failing_since_ms));
    json_object_set_new(o, "next_try", when(w->due_ms));
    json_object_set_new(o, "last_success", when(w->last_done_ms));
    json_object_set_new(o, "why", text_or_null(w->why));
    return o;
}

static json_t *dead_letter(const struct view_dead_letter *d)
{
    json_t *o = json_object();
    json_object_set_new(o, "id", json_string(d->id));
    json_object_set_new(o, "webhook", json_string(d->webhook));
    json_object_set_new(o, "event", json_string(d->event));
    json_object_set_new(o, "mailbox", json_string(d->mailbox));
    json_object_set_new(o, "key", json_string(d->key));
    json_object_set_new(o, "case", text_or_null(d->reference));
    json_object_set_new(o, "attempts", json_integer(d->attempts));
    json_object_set_new(o, "code", d->code ? json_integer(d->code) : json_null());
    json_object_set_new(o, "why", text_or_null(d->why));
    json_object_set_new(o, "created_at", when(d->created_ms));
    json_object_set_new(o, "given_up_at", when(d->ended_ms));
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
    json_object_set_new(o, "webhooks", names);
    json_object_set_new(o, "dead", letters);
    char *dump = json_dumps(o, JSON_INDENT(2));
    str_addz(out, dump ? dump : "null");
    str_addc(out, '\n');
    free(dump);
    json_decref(o);
}
