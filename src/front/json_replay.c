/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/front.h>
#include <jansson.h>
#include <stdlib.h>

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
    char *dump = json_dumps(o, JSON_INDENT(2));
    str_addz(out, dump ? dump : "null");
    str_addc(out, '\n');
    free(dump);
    json_decref(o);
}
