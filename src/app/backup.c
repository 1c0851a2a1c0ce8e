/* SPDX-License-Identifier: Apache-2.0 */
#include "backup.h"

#include "backup_folder.h"
#include "backup_prune.h"
#include "backup_sealed.h"

#include <onecase/when.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SAVED "tmp/ledger.db"

struct saving {
    const struct config *config;
    struct wired_data *data;
    const struct backup_request *request;
    struct backup_folder folder;
    struct manifest manifest;
    struct recipients *to;     /* NULL: it is not sealed */
    struct manifest before;    /* the newest that is sealed to the same */
    struct manifest noted;     /* what one had sealed that was interrupted */
    struct manifest sealed;    /* the pieces of this one */
    struct sealed_files known; /* of all three */
    size_t ledger_pieces;      /* the first lines of `sealed` */
    struct backup_made *out;
    int64_t now_ms;
};

/* Where the ledger is saved first: what is not sealed never lies where the sealed goes. */
static const char *top_of(const struct saving *s)
{
    return s->to ? s->config->data_dir : s->folder.path;
}

static const struct blobs *blobs_of(const struct saving *s)
{
    return s->to ? &s->data->blobs : &s->folder.blobs;
}

/* ---- the ledger ------------------------------------------------------------------------------------ */

static void remove_saved(const struct saving *s)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < LENGTH(suffixes); i++) {
        CLEANUP(str_clear) struct str path = STR_INIT;
        str_addf(&path, "%s/" SAVED "%s", top_of(s), suffixes[i]);
        (void)unlink(str_z(&path));
    }
}

static void saving_clear(struct saving *s)
{
    if (s->folder.path)
        remove_saved(s);
    backup_folder_close(&s->folder);
    sealed_files_clear(&s->known);
    manifest_clear(&s->manifest);
    manifest_clear(&s->before);
    manifest_clear(&s->noted);
    manifest_clear(&s->sealed);
    recipients_free(&s->to);
}

/* ---- sealed or not ---------------------------------------------------------------------------------- */

/* Who takes the recipient out of the configuration does not mean to lay mail open beside what is sealed. */
static enum rc check_open(const struct saving *s, const struct manifest *last, struct err *err)
{
    if (!s->to && last->sealed_to[0])
        return FAIL(err, RC_USAGE,
                    "the backups in '%s' are sealed, and this one would not be: set "
                    "backup.recipient, or name another folder",
                    s->folder.path);
    return RC_OK;
}

/* What was sealed for the same recipients is not sealed again. */
static enum rc look_back(struct saving *s, struct err *err)
{
    const struct backup_folder *f = &s->folder;
    for (size_t i = f->names; i > 0; i--) {
        struct err why = ERR_INIT;
        manifest_clear(&s->before);
        if (backup_folder_read(f, f->name[i - 1], &s->before, &why) != RC_OK)
            continue;
        TRY(check_open(s, &s->before, err));
        if (!s->to || strcmp(s->before.sealed_to, recipients_names(s->to)) == 0)
            break;
    }
    if (s->to && strcmp(s->before.sealed_to, recipients_names(s->to)) == 0)
        sealed_files_learn(&s->known, &s->before, 0);
    return RC_OK;
}

/* A first backup may take hours. */
static enum rc go_on(struct saving *s, struct err *err)
{
    struct manifest *m = &s->noted;
    if (!s->to)
        return RC_OK;
    backup_folder_noted(&s->folder, m);
    if (strcmp(m->sealed_to, recipients_names(s->to)) != 0)
        manifest_clear(m);
    text_copy(m->sealed_to, sizeof m->sealed_to, recipients_names(s->to));
    sealed_files_learn(&s->known, m, 0);
    return backup_folder_note_begin(&s->folder, m, err);
}

static enum rc read_recipients(struct saving *s, struct err *err)
{
    if (!s->config->backup_recipient[0])
        return RC_OK;
    enum rc rc = recipients_read(s->config->backup_recipient, s->now_ms, &s->to, err);
    return rc == RC_OK ? RC_OK : err_prefix(err, "backup.recipient");
}

/* A folder that has the backups of another ledger is not mixed with ours. */
static enum rc check_kin(const struct saving *s, const char *ledger, struct err *err)
{
    CLEANUP(manifest_clear) struct manifest last = {0};
    struct err why = ERR_INIT;
    if (s->folder.names == 0)
        return RC_OK;
    const char *name = s->folder.name[s->folder.names - 1];
    if (backup_folder_read(&s->folder, name, &last, &why) != RC_OK)
        return RC_OK;
    if (strcmp(last.ledger, ledger) != 0)
        return FAIL(err, RC_USAGE, "'%s' holds backups of another ledger: name another folder",
                    s->folder.path);
    return RC_OK;
}

static void count_new(struct saving *s, int64_t size)
{
    s->out->new_files++;
    s->out->new_octets += size;
}

/* What is sealed bears a name that nothing else has. */
static void remove_pieces(const struct saving *s, const struct manifest *m, size_t count)
{
    const struct files *f = &s->folder.files;
    for (size_t i = 0; i < count; i++) {
        char pooled[BLOB_PATH_SIZE];
        struct err why = ERR_INIT;
        blob_path_pooled(&m->file[i].octets, pooled);
        (void)f->remove(f->self, pooled, &why);
    }
}

static enum rc seal_and_note(struct saving *s,
                             const char *from,
                             const struct digest *octets,
                             struct sealed_writing *w,
                             struct err *err)
{
    const struct blobs *blobs = &s->data->blobs;
    size_t first = s->sealed.files;
    TRY(blobs->read(blobs->self, from, &(struct blob_sink){w, sealed_add}, err));
    TRY(sealed_end(w, octets, &s->sealed, err));
    sealed_files_learn(&s->known, &s->sealed, first);
    return backup_folder_note(&s->folder, &s->sealed, first, err);
}

/* The pieces of a file that did not come to its end would fill a disk at each try. */
static enum rc seal_from(
    struct saving *s, const char *from, const struct digest *octets, int64_t *size, struct err *err)
{
    CLEANUP(sealed_drop) struct sealed_writing w;
    sealed_begin(&w, s->to, s->folder.store);
    enum rc rc = seal_and_note(s, from, octets, &w, err);
    if (rc != RC_OK) {
        remove_pieces(s, &w.pieces, w.pieces.files);
        return rc;
    }
    *size = w.size;
    count_new(s, *size);
    return RC_OK;
}

static enum rc
keep_ledger(struct saving *s, const struct digest *octets, int64_t size, struct err *err)
{
    char path[BLOB_PATH_SIZE];
    if (s->to)
        return seal_from(s, SAVED, octets, &size, err);
    blob_path_pooled(octets, path);
    TRY(blob_place(s->folder.store, SAVED, path, octets, err));
    count_new(s, size);
    return RC_OK;
}

static enum rc keep_saved(struct saving *s, struct err *err)
{
    struct digest octets;
    int64_t size;
    TRY(blob_digest(blobs_of(s), SAVED, &octets, &size, err));
    TRY(keep_ledger(s, &octets, size, err));
    s->ledger_pieces = s->sealed.files;
    manifest_add(&s->manifest, MANIFEST_LEDGER, &octets, size);
    return RC_OK;
}

static enum rc save_ledger(struct saving *s, struct err *err)
{
    CLEANUP(str_clear) struct str path = STR_INIT;
    struct ledger_facts facts;
    const struct files *f = &s->data->files;
    str_addf(&path, "%s/" SAVED, top_of(s));
    remove_saved(s);
    TRY(s->to ? f->make_folder(f->self, "tmp", err) : RC_OK);
    TRY(store_save(s->data->store, str_z(&path), &facts, err));
    TRY(check_kin(s, facts.id, err));
    text_copy(s->manifest.ledger, sizeof s->manifest.ledger, facts.id);
    text_copy(s->manifest.hash, sizeof s->manifest.hash, facts.last_hash);
    s->manifest.event = facts.last_event;
    return keep_saved(s, err);
}

/* ---- what the saved ledger counts on ----------------------------------------------------------------- */

static bool is_there(const struct saving *s, const char *pooled, int64_t *size)
{
    CLEANUP(str_clear) struct str path = STR_INIT;
    struct stat facts;
    str_addf(&path, "%s/%s", s->folder.path, pooled);
    if (stat(str_z(&path), &facts) != 0 || !S_ISREG(facts.st_mode))
        return false;
    *size = facts.st_size;
    return true;
}

/* With --read-all: what an earlier backup wrote is read, and removed where it is damaged. */
static enum rc
read_again(struct saving *s, const char *pooled, const struct digest *octets, struct err *err)
{
    struct digest found;
    int64_t size;
    const struct files *f = &s->folder.files;
    struct err why = ERR_INIT;
    if (!s->request->read_all)
        return RC_OK;
    if (blob_digest(&s->folder.blobs, pooled, &found, &size, &why) == RC_OK &&
        digest_eq(&found, octets))
        return RC_OK;
    return f->remove(f->self, pooled, err);
}

/* From any of the places where it may stand by now. */
static enum rc seal_any(struct saving *s,
                        const char *const *from,
                        const struct digest *octets,
                        int64_t *size,
                        struct err *err)
{
    enum rc rc = RC_NOT_FOUND;
    for (; *from && rc == RC_NOT_FOUND; from++)
        rc = seal_from(s, *from, octets, size, err);
    return rc;
}

static bool piece_stands(const struct saving *s, const struct manifest_file *piece)
{
    char pooled[BLOB_PATH_SIZE];
    struct digest found;
    int64_t size;
    struct err why = ERR_INIT;
    blob_path_pooled(&piece->octets, pooled);
    if (!is_there(s, pooled, &size) || size != piece->size)
        return false;
    return !s->request->read_all ||
           (blob_digest(&s->folder.blobs, pooled, &found, &size, &why) == RC_OK &&
            digest_eq(&found, &piece->octets));
}

static bool stands(const struct saving *s, const struct sealed_file *f)
{
    for (size_t i = 0; i < f->pieces; i++)
        if (!piece_stands(s, &f->in->file[f->first + i]))
            return false;
    return sealed_file_is_whole(f);
}

/* Lines of the backup before become lines of this one. */
static void take_over(struct saving *s, const struct sealed_file *f)
{
    size_t first = s->sealed.files;
    for (size_t i = 0; i < f->pieces; i++) {
        const struct manifest_file *piece = &f->in->file[f->first + i];
        manifest_add(&s->sealed, piece->path, &piece->octets, piece->size);
    }
    sealed_files_learn(&s->known, &s->sealed, first);
}

static enum rc keep_sealed(struct saving *s,
                           const char *const *from,
                           const struct digest *octets,
                           int64_t *size,
                           struct err *err)
{
    const struct sealed_file *f = sealed_files_find(&s->known, octets);
    if (!f || (f->in != &s->sealed && !stands(s, f)))
        return seal_any(s, from, octets, size, err);
    *size = f->size;
    if (f->in != &s->sealed)
        take_over(s, f);
    return RC_OK;
}

static enum rc copy_from(struct saving *s,
                         const char *pooled,
                         const char *const *from,
                         const struct digest *octets,
                         struct err *err)
{
    enum rc rc = RC_NOT_FOUND;
    for (; *from && rc == RC_NOT_FOUND; from++)
        rc = blob_copy(s->folder.store, pooled, &s->data->blobs, *from, octets, err);
    return rc;
}

static enum rc keep_plain(struct saving *s,
                          const char *const *from,
                          const struct digest *octets,
                          int64_t *size,
                          struct err *err)
{
    char pooled[BLOB_PATH_SIZE];
    blob_path_pooled(octets, pooled);
    TRY(read_again(s, pooled, octets, err));
    if (is_there(s, pooled, size))
        return RC_OK;
    TRY(copy_from(s, pooled, from, octets, err));
    if (!is_there(s, pooled, size))
        return FAIL(err, RC_BROKEN, "backup: a file that was copied is not there");
    count_new(s, *size);
    return RC_OK;
}

static enum rc save_file(struct saving *s,
                         const char *path,
                         const char *const *from,
                         const struct digest *octets,
                         struct err *err)
{
    int64_t size;
    struct err why = ERR_INIT;
    enum rc rc = s->to ? keep_sealed(s, from, octets, &size, &why)
                       : keep_plain(s, from, octets, &size, &why);
    if (rc == RC_NOT_FOUND || rc == RC_REFUSED) {
        str_addf(&s->out->missing, "%s %s\n", path,
                 rc == RC_NOT_FOUND ? "is not there" : "is not what was stored");
        return RC_OK;
    }
    if (rc != RC_OK)
        return FAIL(err, rc, "%s", why.text);
    manifest_add(&s->manifest, path, octets, size);
    return RC_OK;
}

static enum rc save_stored(struct saving *s, const struct views *saved, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    TRY(saved->files(saved->self, "", &view, err));
    const struct view_file *f = view.row;
    for (size_t i = 0; i < view.count; i++) {
        struct digest octets;
        const char *const from[] = {f[i].path, NULL};
        if (!digest_from_hex(slice_z(f[i].sha256), &octets))
            return FAIL(err, RC_BROKEN, "ledger: a file has no digest");
        TRY(save_file(s, f[i].path, from, &octets, err));
    }
    return RC_OK;
}

/* What was fetched and whose original was still to be kept: it may have become that meanwhile. */
static enum rc save_incoming(struct saving *s, const struct views *saved, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    TRY(saved->fetched(saved->self, &view, err));
    const struct view_file *f = view.row;
    for (size_t i = 0; i < view.count; i++) {
        struct digest octets;
        char original[BLOB_PATH_SIZE];
        const char *const from[] = {f[i].path, original, NULL};
        if (!digest_from_hex(slice_z(f[i].sha256), &octets))
            return FAIL(err, RC_BROKEN, "ledger: a mail has no digest");
        blob_path_original(f[i].key, original);
        TRY(save_file(s, f[i].path, from, &octets, err));
    }
    return RC_OK;
}

static enum rc save_counted(struct saving *s, struct err *err)
{
    CLEANUP(store_close) struct store *store = NULL;
    CLEANUP(str_clear) struct str path = STR_INIT;
    str_addf(&path, "%s/" SAVED, top_of(s));
    const struct store_options options = {
        .path = str_z(&path), .read_only = true, .skip_check = true};
    TRY(store_open(&options, &store, err));
    const struct views saved = store_views(store);
    TRY(saved.counted(saved.self, &s->manifest.mails, err));
    TRY(save_stored(s, &saved, err));
    return save_incoming(s, &saved, err);
}

/* The next backup has a ledger of its own. */
static enum rc save_files(struct saving *s, struct err *err)
{
    enum rc rc = save_counted(s, err);
    if (rc != RC_OK)
        remove_pieces(s, &s->sealed, s->ledger_pieces);
    return rc;
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

/* Two of one second would have one name. */
static void name_it(struct saving *s, char out[BACKUP_NAME_SIZE])
{
    char at[WHEN_TEXT_SIZE];
    size_t n = 0;
    when_text(s->now_ms / 1000 * 1000, at);
    for (const char *c = at; *c && n < BACKUP_NAME_SIZE - 1; c++)
        if (*c != '-' && *c != ':')
            out[n++] = *c;
    out[n] = '\0';
}

static bool is_taken(const struct backup_folder *folder, const char *name)
{
    for (size_t i = 0; i < folder->names; i++)
        if (strcmp(folder->name[i], name) == 0)
            return true;
    return false;
}

/* Which file is which is said inside alone; what lies open says enough to prune and to check by. */
static enum rc seal_manifest(struct saving *s, struct err *err)
{
    CLEANUP(sealed_drop) struct sealed_writing w;
    CLEANUP(str_clear) struct str text = STR_INIT;
    const struct manifest *inner = &s->manifest;
    struct manifest *m = &s->sealed;
    sealed_begin(&w, s->to, s->folder.store);
    manifest_write(inner, &text);
    TRY(sealed_add(&w, str_slice(&text), err));
    TRY(sealed_end(&w, NULL, m, err));
    m->taken_ms = inner->taken_ms;
    m->event = inner->event;
    m->mails = inner->mails;
    text_copy(m->version, sizeof m->version, inner->version);
    text_copy(m->ledger, sizeof m->ledger, inner->ledger);
    text_copy(m->hash, sizeof m->hash, inner->hash);
    text_copy(m->sealed_to, sizeof m->sealed_to, recipients_names(s->to));
    m->inside = (int64_t)inner->files;
    for (size_t i = 0; i < inner->files; i++)
        m->inside_octets += inner->file[i].size;
    return RC_OK;
}

static enum rc finish(struct saving *s, struct err *err)
{
    const struct manifest *m = s->to ? &s->sealed : &s->manifest;
    char name[BACKUP_NAME_SIZE];
    name_it(s, name);
    while (is_taken(&s->folder, name)) {
        s->now_ms += 1000;
        name_it(s, name);
    }
    s->manifest.taken_ms = s->now_ms;
    text_copy(s->manifest.version, sizeof s->manifest.version, ONECASE_VERSION);
    TRY(s->to ? seal_manifest(s, err) : RC_OK);
    TRY(backup_folder_write(&s->folder, name, m, err));
    TRY(s->to ? backup_folder_note_end(&s->folder, err) : RC_OK);
    backup_folder_facts(name, m, &s->out->facts);
    return RC_OK;
}

static enum rc make(struct saving *s, struct err *err)
{
    struct clock clock = system_clock();
    TRY(look_back(s, err));
    TRY(go_on(s, err));
    TRY(posix_files_sweep(s->folder.path, s->now_ms, err));
    TRY(save_ledger(s, err));
    TRY(save_files(s, err));
    remove_saved(s);
    TRY(finish(s, err));
    TRY(store_saved(s->data->store, s->out->facts.name, clock_now(&clock), err));
    return backup_prune(s->folder.path, s->request->keep, s->out, err);
}

enum rc backup_make(const struct config *config,
                    struct wired_data *data,
                    const struct backup_request *request,
                    struct backup_made *out,
                    struct err *err)
{
    CLEANUP(upkeep_unlock) int lock = -1;
    CLEANUP(saving_clear)
    struct saving s = {.config = config, .data = data, .request = request, .out = out};
    struct clock clock = system_clock();
    *out = (struct backup_made){.missing = STR_INIT};
    if (strcmp(config->ledger, "sqlite") != 0)
        return FAIL(err, RC_USAGE,
                    "backup is for a ledger on this disk: save a database by its own means, and "
                    "after it the files");
    s.now_ms = clock_now(&clock).wall_ms;
    TRY(read_recipients(&s, err));
    TRY(upkeep_lock(config->data_dir, &lock, err));
    TRY(backup_folder_open(request->folder, true, &s.folder, err));
    return make(&s, err);
}

enum rc backup_list(const char *path, struct backup_facts **out, size_t *count, struct err *err)
{
    CLEANUP(backup_folder_close) struct backup_folder folder = {0};
    *count = 0;
    TRY(backup_folder_open(path, false, &folder, err));
    *out = mem_new(folder.names + 1, sizeof **out);
    for (size_t i = 0; i < folder.names; i++) {
        CLEANUP(manifest_clear) struct manifest m = {0};
        struct err why = ERR_INIT;
        if (backup_folder_read(&folder, folder.name[i], &m, &why) == RC_OK)
            backup_folder_facts(folder.name[i], &m, &(*out)[(*count)++]);
    }
    return RC_OK;
}
