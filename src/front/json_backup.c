/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/front.h>
#include <onecase/when.h>
#include <jansson.h>
#include <stdlib.h>

static json_t *facts(const struct backup_facts *f)
{
    char at[WHEN_TEXT_SIZE];
    json_t *o = json_object();
    when_text(f->taken_ms, at);
    json_object_set_new(o, "backup", json_string(f->name));
    json_object_set_new(o, "taken_at", json_string(at));
    json_object_set_new(o, "version", json_string(f->version));
    json_object_set_new(o, "event", json_integer(f->event));
    json_object_set_new(o, "mails", json_integer(f->mails));
    json_object_set_new(o, "files", json_integer(f->files));
    json_object_set_new(o, "octets", json_integer(f->octets));
    json_object_set_new(o, "sealed", json_boolean(f->sealed));
    return o;
}

static void dump(json_t *o, struct str *out)
{
    char *text = json_dumps(o, JSON_INDENT(2));
    str_addz(out, text ? text : "null");
    str_addc(out, '\n');
    free(text);
    json_decref(o);
}

static json_t *lines(struct slice all)
{
    struct slice one;
    json_t *list = json_array();
    while (slice_next(&all, '\n', &one)) {
        CLEANUP(str_clear) struct str mended = STR_INIT;
        plain_mend(one, &mended);
        json_array_append_new(list, json_stringn(str_z(&mended), mended.len));
    }
    return list;
}

void json_backup(const struct backup_made *made, struct str *out)
{
    json_t *o = facts(&made->facts);
    json_object_set_new(o, "new_files", json_integer(made->new_files));
    json_object_set_new(o, "new_octets", json_integer(made->new_octets));
    json_object_set_new(o, "backups_removed", json_integer(made->backups_removed));
    json_object_set_new(o, "files_removed", json_integer(made->files_removed));
    json_object_set_new(o, "missing", lines(str_slice(&made->missing)));
    dump(o, out);
}

void json_restored(const struct restored *restored, struct str *out)
{
    json_t *o = facts(&restored->facts);
    json_object_set_new(o, "generation", json_integer(restored->generation));
    dump(o, out);
}

void json_files_moved(const struct files_moved *moved, struct str *out)
{
    json_t *o = json_object();
    json_object_set_new(o, "from", json_string(moved->from));
    json_object_set_new(o, "to", json_string(moved->to));
    json_object_set_new(o, "files", json_integer(moved->files));
    json_object_set_new(o, "copied", json_integer(moved->copied));
    json_object_set_new(o, "octets", json_integer(moved->octets));
    json_object_set_new(o, "already", json_integer(moved->already));
    json_object_set_new(o, "service_runs", json_boolean(moved->runs > 0));
    json_object_set_new(o, "missing", lines(str_slice(&moved->missing)));
    dump(o, out);
}

void json_ledger_moved(const struct ledger_moved *moved, struct str *out)
{
    json_t *o = json_object();
    json_object_set_new(o, "tables", json_integer(moved->tables));
    json_object_set_new(o, "copied", json_integer(moved->copied));
    json_object_set_new(o, "followed", json_integer(moved->followed));
    json_object_set_new(o, "rows", json_integer(moved->rows));
    json_object_set_new(o, "event", json_integer(moved->last_event));
    json_object_set_new(o, "milliseconds", json_integer(moved->took_ms));
    json_object_set_new(o, "moved", json_boolean(moved->ended));
    json_object_set_new(o, "left", json_integer(moved->left));
    dump(o, out);
}
