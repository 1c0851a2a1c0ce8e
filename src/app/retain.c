/* SPDX-License-Identifier: Apache-2.0 */
#include "retain.h"

#include "backup_folder.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct retaining {
    const struct config *config;
    const struct wired_data *data;
    struct let_gone *out;
};

/* ---- files that leave ------------------------------------------------------------------------- */

/* What has no file any more needs no folder; one that has others stays, by rmdir's own rule. */
static void remove_folders(const struct retaining *r, const char *path)
{
    CLEANUP(str_clear) struct str whole = STR_INIT;
    str_addf(&whole, "%s/%s", r->config->data_dir, path);
    for (int depth = 0; depth < 2; depth++) {
        char *slash = strrchr(whole.at, '/');
        if (!slash || strlen(slash) <= 3) /* items/KK stays */
            return;
        *slash = '\0';
        const char *name = strrchr(whole.at, '/');
        if (!name || strlen(name + 1) <= 2 || rmdir(whole.at) != 0)
            return;
    }
}

static void folder_of(const char *path, char out[BLOB_PATH_SIZE])
{
    text_copy(out, BLOB_PATH_SIZE, path);
    char *slash = strrchr(out, '/');
    if (slash)
        *slash = '\0';
}

static enum rc
remove_file(const struct retaining *r, const struct view_leaving_file *leaving, struct err *err)
{
    const struct files *f = &r->data->files;
    const struct ledger *l = &r->data->ledger;
    struct clock clock = system_clock();
    char folder[BLOB_PATH_SIZE];
    struct err why = ERR_INIT;
    folder_of(leaving->path, folder);
    TRY(f->remove(f->self, leaving->path, err));
    enum rc rc = sync_folder_of(f, folder, &why);
    if (rc != RC_OK && rc != RC_NOT_FOUND)
        return FAIL(err, rc, "%s", why.text);
    remove_folders(r, leaving->path);
    r->out->files++;
    return l->keeping->left(l->self, leaving->key, leaving->name, clock_now(&clock), err);
}

static enum rc remove_leaving(const struct retaining *r, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *v = &r->data->views;
    TRY(v->leaving(v->self, &view, err));
    const struct view_leaving_file *f = view.row;
    for (size_t i = 0; i < view.count; i++)
        TRY(remove_file(r, &f[i], err));
    return RC_OK;
}

/* ---- all of it -------------------------------------------------------------------------------- */

/* One that came back to work since it was looked for, or that somebody holds now, stays. */
static enum rc let_go(const struct retaining *r, const struct letting_go *what, struct err *err)
{
    const struct ledger *l = &r->data->ledger;
    struct clock clock = system_clock();
    struct err why = ERR_INIT;
    enum rc rc = l->keeping->let_go(l->self, what, clock_now(&clock), &why);
    r->out->mails += rc == RC_OK;
    r->out->kept += rc == RC_CONFLICT;
    return rc == RC_OK || rc == RC_CONFLICT ? RC_OK : FAIL(err, rc, "%s", why.text);
}

enum rc retain_let_go(const struct config *config,
                      const struct wired_data *data,
                      const struct letting_go *what,
                      size_t count,
                      struct let_gone *out,
                      struct err *err)
{
    CLEANUP(upkeep_unlock) int lock = -1;
    const struct retaining r = {.config = config, .data = data, .out = out};
    *out = (struct let_gone){.mails = 0};
    TRY(upkeep_lock(config->data_dir, &lock, err));
    TRY(remove_leaving(&r, err));
    for (size_t i = 0; i < count; i++)
        TRY(let_go(&r, &what[i], err));
    TRY(remove_leaving(&r, err));
    if (out->mails > 0)
        data->ledger.keeping->forget(data->ledger.self);
    return RC_OK;
}
