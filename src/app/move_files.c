/* SPDX-License-Identifier: Apache-2.0 */
#include "move_files.h"

#include "backup_folder.h"
#include "bury.h"
#include "compared.h"
#include "wake.h"

#include <onecase/when.h>
#include <string.h>

#define TRIES 6 /* of one file, while its store asks to slow down */

struct moving {
    struct stored from, to;
    struct compared *compared; /* by an earlier call */
    struct files_moved *out;
};

static void moving_clear(struct moving *m)
{
    compared_close(&m->compared);
    stored_close(&m->from);
    stored_close(&m->to);
}

/* ---- from where to where ------------------------------------------------------------------------- */

static bool is_file(const char *place)
{
    return strcmp(place, "file") == 0;
}

/* The other one of the two that are configured, unless it is said. */
static const char *source_of(const struct config *config, const struct files_move *request)
{
    if (request->from)
        return request->from;
    if (strcmp(config->blobs, request->to) != 0)
        return config->blobs;
    return is_file(request->to) ? NULL : "file";
}

static enum rc check_place(const struct config *config, const char *place, struct err *err)
{
    if (!config_is_blobs(place))
        return FAIL(err, RC_USAGE, "expected file, or s3://BUCKET/PREFIX");
    if (!is_file(place) && (!config->s3.endpoint || !config->s3.endpoint[0]))
        return FAIL(err, RC_BROKEN,
                    "an object store needs the block s3 in the configuration: endpoint, region, "
                    "access_key and secret_key or secret_key_file");
    return RC_OK;
}

static enum rc open_both(const struct config *config,
                         const struct files_move *request,
                         struct moving *m,
                         struct err *err)
{
    const char *from = source_of(config, request);
    if (!from)
        return FAIL(err, RC_USAGE, "--from is missing: expected s3://BUCKET/PREFIX");
    TRY(check_place(config, request->to, err));
    TRY(check_place(config, from, err));
    if (strcmp(from, request->to) == 0)
        return FAIL(err, RC_USAGE, "that is from a place to itself");
    text_copy(m->out->from, sizeof m->out->from, from);
    text_copy(m->out->to, sizeof m->out->to, request->to);
    TRY(stored_open(config, from, &m->from, err));
    return stored_open(config, request->to, &m->to, err);
}

/* ---- a file -------------------------------------------------------------------------------------- */

static enum rc
copy_file(struct moving *m, const char *path, const struct digest *octets, struct err *err)
{
    struct digest found;
    int64_t size;
    struct err why = ERR_INIT;
    enum rc rc = blob_digest(&m->to.blobs, path, &found, &size, &why);
    if (rc == RC_OK && digest_eq(&found, octets)) {
        m->out->already++;
        return compared_add(m->compared, path, octets, size, err);
    }
    if (rc != RC_OK && rc != RC_NOT_FOUND)
        return FAIL(err, rc, "%s", why.text);
    TRY(blob_copy(m->to.store, path, &m->from.blobs, path, octets, err)); /* never over another */
    TRY(blob_digest(&m->to.blobs, path, &found, &size, err));
    if (!digest_eq(&found, octets))
        return FAIL(err, RC_BROKEN, "a file that was copied is not there as it was");
    m->out->copied++;
    m->out->octets += size;
    return compared_add(m->compared, path, octets, size, err);
}

/* A store that asks to slow down gets a pause, each longer than the one before. */
static enum rc
copy_patiently(struct moving *m, const char *path, const struct digest *octets, struct err *err)
{
    struct err why = ERR_INIT;
    enum rc rc = RC_DEFERRED;
    for (int tried = 0; rc == RC_DEFERRED && tried < TRIES; tried++) {
        if (tried > 0)
            wake_rest(INT64_C(250) << tried);
        rc = copy_file(m, path, octets, &why);
    }
    return rc == RC_OK ? RC_OK : FAIL(err, rc, "%s", why.text);
}

static enum rc move_one(struct moving *m, const struct view_file *f, struct err *err)
{
    struct digest octets;
    struct err why = ERR_INIT;
    if (!digest_from_hex(slice_z(f->sha256), &octets))
        return FAIL(err, RC_BROKEN, "ledger: a file has no digest");
    if (compared_before(m->compared, f->path, &octets)) {
        m->out->already++;
        return RC_OK;
    }
    enum rc rc = copy_patiently(m, f->path, &octets, &why);
    if (rc == RC_OK || (rc != RC_NOT_FOUND && rc != RC_REFUSED))
        return rc == RC_OK ? RC_OK : FAIL(err, rc, "%s", why.text);
    str_addf(&m->out->missing, "%s %s\n", f->path,
             rc == RC_NOT_FOUND ? "is not there" : "is not what was stored");
    return RC_OK;
}

/* ---- all of it ----------------------------------------------------------------------------------- */

static enum rc move_all(struct moving *m,
                        const struct wired_data *data,
                        const struct files_move *request,
                        struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    TRY(data->views.files(data->views.self, "", &view, err));
    const struct view_file *f = view.row;
    m->out->files = (int64_t)view.count;
    if (request->begins)
        request->begins(request->ctx, m->out);
    for (size_t i = 0; i < view.count; i++) {
        TRY(move_one(m, &f[i], err));
        if (request->progress)
            request->progress(request->ctx, (int64_t)i + 1, m->out->files);
    }
    return RC_OK;
}

enum rc move_files(const struct config *config,
                   struct wired_data *data,
                   const struct files_move *request,
                   struct files_moved *out,
                   struct err *err)
{
    CLEANUP(upkeep_unlock) int lock = -1;
    CLEANUP(moving_clear) struct moving m = {.out = out};
    *out = (struct files_moved){.missing = STR_INIT};
    TRY(open_both(config, request, &m, err));
    TRY(upkeep_lock(config->data_dir, &lock, err));
    TRY(count_alive(config, data, &out->runs,
                    err)); /* before: who ends meanwhile may have kept more */
    TRY(compared_open(config->data_dir, &m.to, out->to, &m.compared, err));
    TRY(move_all(&m, data, request, err));
    if (out->runs == 0 && out->missing.len == 0)
        compared_forget(m.compared);
    return RC_OK;
}
