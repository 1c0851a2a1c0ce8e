/* SPDX-License-Identifier: Apache-2.0 */
#include "json_p.h"

static json_t *names(struct slice all)
{
    json_t *list = json_array();
    struct slice one;
    while (all.len > 0 && slice_next(&all, ',', &one))
        json_array_append_new(list, octets(slice_trim(one)));
    return list;
}

void json_listed(const size_t of_fate[LISTED_FATE_COUNT],
                 const struct listed *list,
                 bool dry_run,
                 struct str *out)
{
    json_t *o = json_object();
    put(o, "dry_run", json_boolean(dry_run));
    put_int(o, "cases", (json_int_t)list->count);
    for (enum listed_fate f = LISTED_NEW; f < LISTED_FATE_COUNT; f++)
        put(o, listed_fate_text(f), json_integer((json_int_t)of_fate[f]));
    put(o, "unused_columns", names(str_slice(&list->unused)));
    finish(o, out);
}
