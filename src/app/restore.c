/* SPDX-License-Identifier: Apache-2.0 */
#include "restore.h"

#include "backup_folder.h"
#include "backup_sealed.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RESTORING "restoring"
#define UNPACKED  "tmp/restored.db"

struct restoring {
    const struct config *config;
    struct backup_folder folder;
    struct manifest outer;    /* of one that is sealed */
    struct manifest manifest; /* which file is which */
    struct seal_key *key;
    struct sealed_reader reader;
    struct blobs from; /* what is in it, as it was saved */
    struct stored stored;
    struct restored *out;
    int lock;
};

static void restoring_clear(struct restoring *r)
{
    upkeep_unlock(&r->lock);
    sealed_reader_close(&r->reader);
    seal_key_free(&r->key);
    backup_folder_close(&r->folder);
    manifest_clear(&r->outer);
    manifest_clear(&r->manifest);
    stored_close(&r->stored);
}

static void path_of(const struct restoring *r, const char *path, struct str *out)
{
    str_addf(out, "%s/%s", r->config->data_dir, path);
}

/* ---- which, and where to ------------------------------------------------------------------------------ */

/* The one inside is not believed where the other says otherwise: it is then of another backup. */
static bool agree(const struct manifest *outer, const struct manifest *inner)
{
    return outer->taken_ms == inner->taken_ms && outer->event == inner->event &&
           strcmp(outer->ledger, inner->ledger) == 0 && strcmp(outer->hash, inner->hash) == 0;
}

static enum rc
damaged(const struct restoring *r, const char *path, const char *how, struct err *err)
{
    return FAIL(
        err, RC_BROKEN,
        "the backup is damaged: its file '%s' is %s: choose an older one with --backup%s%s%s", path,
        how, r->lock >= 0 ? ", after emptying '" : "", r->lock >= 0 ? r->config->data_dir : "",
        r->lock >= 0 ? "'" : "");
}

/* A piece that is whole and does not open is one for another key. */
static enum rc open_manifest(struct restoring *r, const char *key, struct err *err)
{
    struct err why = ERR_INIT;
    enum rc rc = sealed_reader_manifest(&r->reader, &r->manifest, &why);
    bool whole = rc == RC_OK && agree(&r->outer, &r->manifest);
    if (whole)
        return RC_OK;
    if (rc == RC_REFUSED && r->reader.opens_not)
        return FAIL(err, RC_USAGE,
                    "the key in '%s' does not open this backup: it is sealed to the certificates "
                    "with the SHA-256 %s",
                    key, r->outer.sealed_to);
    return damaged(r, r->reader.at, rc == RC_NOT_FOUND ? "not there" : "not what was saved", err);
}

static enum rc
open_sealed(struct restoring *r, const struct restore_request *request, struct err *err)
{
    const struct seal_asking asking = {request->ctx, request->passphrase};
    if (!request->key)
        return FAIL(err, RC_USAGE,
                    "this backup is sealed to the certificates with the SHA-256 %s: name the file "
                    "of such a one's private key with --key",
                    r->manifest.sealed_to);
    TRY(seal_key_read(request->key, &asking, &r->key, err));
    r->outer = r->manifest;
    r->manifest = (struct manifest){0};
    sealed_reader_open(&r->reader, &r->folder.blobs, &r->outer, r->key);
    r->from = sealed_reader_port(&r->reader);
    return open_manifest(r, request->key, err);
}

/* Before anything is brought back: what is missing or was cut needs no key to be seen. */
static enum rc check_sizes(const struct restoring *r, const struct manifest *m, struct err *err)
{
    for (size_t i = 0; i < m->files; i++) {
        CLEANUP(str_clear) struct str path = STR_INIT;
        char pooled[BLOB_PATH_SIZE];
        struct stat facts;
        blob_path_pooled(&m->file[i].octets, pooled);
        str_addf(&path, "%s/%s", r->folder.path, pooled);
        if (stat(str_z(&path), &facts) != 0)
            return damaged(r, pooled, "not there", err);
        if (facts.st_size != m->file[i].size)
            return damaged(r, pooled, "not what was saved", err);
    }
    return RC_OK;
}

static enum rc choose(struct restoring *r, const struct restore_request *request, struct err *err)
{
    const char *asked = request->backup;
    const struct backup_folder *f = &r->folder;
    if (f->names == 0)
        return FAIL(err, RC_NOT_FOUND, "there is no backup in '%s'", f->path);
    const char *name = f->name[f->names - 1];
    for (size_t i = 0; asked && i < f->names; i++)
        if (strcmp(f->name[i], asked) == 0)
            name = f->name[i];
    if (asked && strcmp(name, asked) != 0)
        return FAIL(err, RC_NOT_FOUND,
                    "there is no backup '%s' in '%s': 'onecase restore %s --list' names them",
                    asked, f->path, f->path);
    TRY(backup_folder_read(f, name, &r->manifest, err));
    backup_folder_facts(name, &r->manifest, &r->out->facts);
    TRY(check_sizes(r, &r->manifest, err));
    r->from = r->folder.blobs;
    return r->manifest.sealed_to[0] ? open_sealed(r, request, err) : RC_OK;
}

static bool is_unfinished(const char *data_dir)
{
    CLEANUP(str_clear) struct str path = STR_INIT;
    str_addf(&path, "%s/" RESTORING, data_dir);
    return access(str_z(&path), F_OK) == 0;
}

enum rc restore_check_finished(const char *data_dir, struct err *err)
{
    if (!is_unfinished(data_dir))
        return RC_OK;
    return FAIL(err, RC_BROKEN,
                "'%s' is being restored, or that was interrupted: run 'onecase restore' again",
                data_dir);
}

/* One that was interrupted is the same backup's, or its files would be of two. */
static enum rc check_same(const struct restoring *r, struct err *err)
{
    const struct files *f = &r->stored.files;
    char name[BACKUP_NAME_SIZE] = "";
    size_t got;
    TRY(f->read(f->self, RESTORING, 0, name, sizeof name - 1, &got, err));
    if (got == 0 || strcmp(name, r->out->facts.name) == 0)
        return RC_OK;
    return FAIL(err, RC_USAGE,
                "'%s' is half restored of %s: name that with --backup, or empty the folder first",
                r->config->data_dir, name);
}

static bool has_entries(const char *path)
{
    DIR *listing = opendir(path);
    const struct dirent *entry;
    bool any = false;
    if (!listing)
        return false;
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
    while (!any && (entry = readdir(listing)) != NULL)
        any = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(listing);
    return any;
}

static enum rc mark(struct restoring *r, bool unfinished, struct err *err)
{
    const struct files *f = &r->stored.files;
    if (unfinished)
        TRY(check_same(r, err));
    else
        TRY(f->create(f->self, RESTORING, slice_z(r->out->facts.name), err));
    TRY(sync_file_of(f, RESTORING, err));
    return sync_folder_of(f, FILES_TOP, err);
}

static enum rc begin(struct restoring *r, struct err *err)
{
    const char *data_dir = r->config->data_dir;
    bool unfinished = is_unfinished(data_dir);
    if (!unfinished && has_entries(data_dir))
        return FAIL(err, RC_CONFLICT, "'%s' is not empty: move it away first", data_dir);
    TRY(stored_open(r->config, r->config->blobs, &r->stored, err));
    TRY(mark(r, unfinished, err));
    return upkeep_lock(data_dir, &r->lock, err);
}

/* ---- files -------------------------------------------------------------------------------------------- */

static enum rc
bring(struct restoring *r, const struct manifest_file *f, const char *to, struct err *err)
{
    char pooled[BLOB_PATH_SIZE];
    struct err why = ERR_INIT;
    blob_path_pooled(&f->octets, pooled);
    enum rc rc = blob_copy(r->stored.store, to, &r->from, pooled, &f->octets, &why);
    if (rc == RC_OK)
        return RC_OK;
    if (rc == RC_NOT_FOUND || rc == RC_REFUSED)
        return damaged(r, r->key ? r->reader.at : pooled,
                       rc == RC_NOT_FOUND ? "not there" : "not what was saved", err);
    return FAIL(err, rc, "%s", why.text);
}

static enum rc bring_files(struct restoring *r, struct err *err)
{
    const struct manifest *m = &r->manifest;
    for (size_t i = 0; i < m->files; i++)
        if (strcmp(m->file[i].path, MANIFEST_LEDGER) != 0)
            TRY(bring(r, &m->file[i], m->file[i].path, err));
    return RC_OK;
}

/* ---- the ledger --------------------------------------------------------------------------------------- */

static void remove_unpacked(const struct restoring *r)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < LENGTH(suffixes); i++) {
        CLEANUP(str_clear) struct str path = STR_INIT;
        path_of(r, UNPACKED, &path);
        str_addz(&path, suffixes[i]);
        (void)unlink(str_z(&path));
    }
}

/* One of an older program is brought to this one's schema. */
static enum rc make_it_younger(struct restoring *r, const char *path, struct err *err)
{
    CLEANUP(store_close) struct store *store = NULL;
    const struct store_options options = {.path = path, .skip_check = true};
    struct clock clock = system_clock();
    struct ledger_facts facts;
    TRY(store_open(&options, &store, err));
    TRY(store_check(store, err));
    TRY(store_check_chain(store, err));
    TRY(store_restored(store, clock_now(&clock), err));
    struct ledger ledger = store_ledger(store);
    TRY(ledger.runs->facts(ledger.self, &facts, err));
    r->out->generation = facts.generation;
    return RC_OK;
}

static enum rc bring_ledger(struct restoring *r, struct err *err)
{
    CLEANUP(str_clear) struct str from = STR_INIT;
    CLEANUP(str_clear) struct str to = STR_INIT;
    const struct manifest_file *f = manifest_find(&r->manifest, MANIFEST_LEDGER);
    path_of(r, UNPACKED, &from);
    path_of(r, MANIFEST_LEDGER, &to);
    if (!f)
        return FAIL(err, RC_BROKEN, "the backup has no ledger: choose another with --backup");
    remove_unpacked(r);
    TRY(bring(r, f, UNPACKED, err));
    TRY(make_it_younger(r, str_z(&from), err));
    TRY(sync_file_of(&r->stored.files, UNPACKED, err));
    if (rename(str_z(&from), str_z(&to)) != 0)
        return FAIL(err, RC_BROKEN, "'%s' cannot be made: %s", str_z(&to), strerror(errno));
    return sync_folder_of(&r->stored.files, FILES_TOP, err);
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

static enum rc finish(struct restoring *r, struct err *err)
{
    TRY(r->stored.files.remove(r->stored.files.self, RESTORING, err));
    return sync_folder_of(&r->stored.files, FILES_TOP, err);
}

enum rc restore_backup(const struct config *config,
                       const struct restore_request *request,
                       struct restored *out,
                       struct err *err)
{
    CLEANUP(restoring_clear) struct restoring r = {.config = config, .out = out, .lock = -1};
    *out = (struct restored){.generation = 0};
    TRY(backup_folder_open(request->folder, false, &r.folder, err));
    TRY(choose(&r, request, err));
    TRY(begin(&r, err));
    TRY(bring_files(&r, err));
    TRY(bring_ledger(&r, err));
    return finish(&r, err);
}
