/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/front.h>
#include <onecase/when.h>
#include <jansson.h>
#include <stdlib.h>

static void put_out(json_t *o, struct str *out)
{
    char *dump = json_dumps(o, JSON_INDENT(2));
    str_addz(out, dump ? dump : "null");
    str_addc(out, '\n');
    free(dump);
    json_decref(o);
}

static json_t *counted(const struct replay_result *r)
{
    return json_pack("{sIsIsIsIsb}", "run_again", (json_int_t)r->run_again, "proven_done",
                     (json_int_t)r->proven_done, "in_doubt", (json_int_t)r->in_doubt, "of_programs",
                     (json_int_t)r->of_programs, "was_complete", (int)r->was_complete);
}

static json_t *one(const struct replay_shown *i)
{
    json_t *o = counted(&i->result);
    json_object_set_new(o, "key", json_string(i->key));
    json_object_set_new(o, "case", i->reference[0] ? json_string(i->reference) : json_null());
    json_object_set_new(o, "state", json_string(i->state));
    return o;
}

void json_replay(const struct replay_shown *item, size_t count, const char *plan, struct str *out)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, one(&item[i]));
    json_t *o = json_pack("{sssIso}", "plan", plan, "items", (json_int_t)count, "list", list);
    put_out(o, out);
}

/* ---- those of many that were begun ------------------------------------------------------------------- */

static json_t *when(int64_t at_ms)
{
    char out[WHEN_TEXT_SIZE];
    if (at_ms == NOT_DUE)
        return json_null();
    when_text(at_ms, out);
    return json_string(out);
}

static json_t *bulk(const struct view_bulk *b)
{
    json_t *o = json_object();
    json_object_set_new(o, "id", json_integer(b->id));
    json_object_set_new(o, "selection", json_string(b->selection));
    json_object_set_new(o, "items", json_integer(b->all));
    json_object_set_new(o, "done", json_integer(b->done));
    json_object_set_new(o, "by", json_string(b->by));
    json_object_set_new(o, "second", b->second[0] ? json_string(b->second) : json_null());
    json_object_set_new(o, "why", json_string(b->why));
    json_object_set_new(o, "begun_at", when(b->begun_ms));
    json_object_set_new(o, "ended_at", when(b->ended_ms));
    return o;
}

void json_bulk(const struct view_bulk *b, struct str *out)
{
    put_out(bulk(b), out);
}

void json_bulks(const struct view *view, struct str *out)
{
    const struct view_bulk *b = view->row;
    json_t *list = json_array();
    for (size_t i = 0; i < view->count; i++)
        json_array_append_new(list, bulk(&b[i]));
    put_out(list, out);
}
