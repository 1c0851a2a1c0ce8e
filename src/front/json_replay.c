/* SPDX-License-Identifier: Apache-2.0 */
#include "json_p.h"

static json_t *counted(const struct replay_result *r)
{
    return json_pack("{sIsIsIsIsb}", "run_again", (json_int_t)r->run_again, "proven_done",
                     (json_int_t)r->proven_done, "in_doubt", (json_int_t)r->in_doubt, "of_programs",
                     (json_int_t)r->of_programs, "was_complete", (int)r->was_complete);
}

static json_t *one(const struct replay_shown *i)
{
    json_t *o = counted(&i->result);
    put(o, "key", text(i->key));
    put(o, "case", text_or_null(i->reference));
    put(o, "state", text(i->state));
    return o;
}

void json_replay(const struct replay_shown *item, size_t count, const char *plan, struct str *out)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, one(&item[i]));
    json_t *o = json_object();
    put(o, "plan", text(plan));
    put_int(o, "items", (json_int_t)count);
    put(o, "list", list);
    finish(o, out);
}

/* ---- those of many that were begun ------------------------------------------------------------------- */

static json_t *bulk(const struct view_bulk *b)
{
    json_t *o = json_object();
    put_int(o, "id", b->id);
    put(o, "selection", text(b->selection));
    put_int(o, "items", b->all);
    put_int(o, "done", b->done);
    put(o, "by", text(b->by));
    put(o, "second", text_or_null(b->second));
    put(o, "why", text(b->why));
    put(o, "begun_at", when(b->begun_ms));
    put(o, "ended_at", when(b->ended_ms));
    return o;
}

void json_bulk(const struct view_bulk *b, struct str *out)
{
    finish(bulk(b), out);
}

void json_bulks(const struct view *view, struct str *out)
{
    const struct view_bulk *b = view->row;
    json_t *list = json_array();
    for (size_t i = 0; i < view->count; i++)
        json_array_append_new(list, bulk(&b[i]));
    finish(list, out);
}
