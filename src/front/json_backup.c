/* SPDX-License-Identifier: Apache-2.0 */
#include "json_p.h"

static json_t *facts(const struct backup_facts *f)
{
    json_t *o = json_object();
    put(o, "backup", text(f->name));
    put(o, "taken_at", when(f->taken_ms));
    put(o, "version", text(f->version));
    put_int(o, "event", f->event);
    put_int(o, "mails", f->mails);
    put_int(o, "files", f->files);
    put_int(o, "octets", f->octets);
    put(o, "sealed", json_boolean(f->sealed));
    return o;
}

void json_backup(const struct backup_made *made, struct str *out)
{
    json_t *o = facts(&made->facts);
    put_int(o, "new_files", made->new_files);
    put_int(o, "new_octets", made->new_octets);
    put_int(o, "backups_removed", made->backups_removed);
    put_int(o, "files_removed", made->files_removed);
    put(o, "missing", parts(str_slice(&made->missing), '\n'));
    finish(o, out);
}

void json_restored(const struct restored *restored, struct str *out)
{
    json_t *o = facts(&restored->facts);
    put_int(o, "generation", restored->generation);
    finish(o, out);
}

void json_files_moved(const struct files_moved *moved, struct str *out)
{
    json_t *o = json_object();
    put(o, "from", text(moved->from));
    put(o, "to", text(moved->to));
    put_int(o, "files", moved->files);
    put_int(o, "copied", moved->copied);
    put_int(o, "octets", moved->octets);
    put_int(o, "already", moved->already);
    put(o, "service_runs", json_boolean(moved->runs > 0));
    put(o, "missing", parts(str_slice(&moved->missing), '\n'));
    finish(o, out);
}

void json_ledger_moved(const struct ledger_moved *moved, struct str *out)
{
    json_t *o = json_object();
    put_int(o, "tables", moved->tables);
    put_int(o, "copied", moved->copied);
    put_int(o, "followed", moved->followed);
    put_int(o, "rows", moved->rows);
    put_int(o, "event", moved->last_event);
    put_int(o, "milliseconds", moved->took_ms);
    put(o, "moved", json_boolean(moved->ended));
    put_int(o, "left", moved->left);
    finish(o, out);
}
