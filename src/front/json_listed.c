/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/front.h>
#include <jansson.h>
#include <stdlib.h>

static json_t *names(struct slice all)
{
    json_t *list = json_array();
    struct slice one;
    while (all.len > 0 && slice_next(&all, ',', &one)) {
        one = slice_trim(one);
        json_array_append_new(list, json_stringn(one.at, one.len));
    }
    return list;
}

void json_listed(const size_t of_fate[LISTED_FATE_COUNT],
                 const struct listed *list,
                 bool dry_run,
                 struct str *out)
{
    json_t *o = json_object();
    json_object_set_new(o, "dry_run", json_boolean(dry_run));
    json_object_set_new(o, "cases", json_integer((json_int_t)list->count));
    for (enum listed_fate f = LISTED_NEW; f < LISTED_FATE_COUNT; f++)
        json_object_set_new(o, listed_fate_text(f), json_integer((json_int_t)of_fate[f]));
    json_object_set_new(o, "unused_columns", names(str_slice(&list->unused)));
    char *dump = json_dumps(o, JSON_INDENT(2));
    str_addz(out, dump ? dump : "null");
    str_addc(out, '\n');
    free(dump);
    json_decref(o);
}
