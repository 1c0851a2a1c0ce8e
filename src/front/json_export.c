/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/front.h>
#include <jansson.h>
#include <stdlib.h>

/* Names of files are anybody's: what is no UTF-8 in them is replaced, visibly. */
static json_t *text(struct slice value)
{
    CLEANUP(str_clear) struct str mended = STR_INIT;
    plain_mend(value, &mended);
    return json_stringn(str_z(&mended), mended.len);
}

static json_t *lines(const char *all)
{
    struct slice rest = slice_z(all), one;
    json_t *list = json_array();
    while (rest.len > 0 && slice_next(&rest, '\n', &one))
        json_array_append_new(list, text(one));
    return list;
}

void json_exported(const struct exported *exported, struct str *out)
{
    char hex[DIGEST_HEX_SIZE];
    json_t *o = json_object();
    digest_hex(&exported->digest, hex);
    json_object_set_new(o, "file", text(slice_z(exported->file)));
    json_object_set_new(o, "folder",
                        exported->folder ? text(slice_z(exported->folder)) : json_null());
    json_object_set_new(o, "sha256", json_string(hex));
    json_object_set_new(o, "size", json_integer(exported->size));
    json_object_set_new(o, "items", json_integer(exported->items));
    json_object_set_new(o, "files", json_integer(exported->files));
    json_object_set_new(o, "missing", lines(exported->missing));
    char *dump = json_dumps(o, JSON_INDENT(2));
    str_addz(out, dump ? dump : "null");
    str_addc(out, '\n');
    free(dump);
    json_decref(o);
}
