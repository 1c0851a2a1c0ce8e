/* SPDX-License-Identifier: Apache-2.0 */
#include "backup_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX       ".manifest"
#define MANIFEST_MAX (INT64_C(1) << 30)

static const char read_me[] =
    "Backups of onecase. `onecase restore FOLDER` makes one of them the data folder again.\n"
    "They hold mail, and the secret that proves confirmations: keep them as you keep the mailbox.\n"
    "\n"
    "NAME.manifest    one backup: a line for each of its files, SHA-256, size, path in the data "
    "folder\n"
    "files/KK/SHA256  the files, named by the SHA-256 of what is in them, each once\n"
    "\n"
    "One that begins with \"onecase sealed backup\" is for the keys of the certificates alone "
    "whose\n"
    "SHA-256 it names. Its paths are sealed/SHA256/SIZE/N: that line is piece N of a file with "
    "these\n"
    "octets. `openssl cms -decrypt -binary -inform DER -in FILE -inkey KEY` opens a piece; the "
    "pieces\n"
    "of one file one behind the other are the file, and those of \"manifest\" name all of them.\n"
    "\n"
    "Without the program, `sha256sum` checks a file, and the lines with a path say where each "
    "goes;\n"
    "ledger.db is an SQLite database. A data folder put together by hand works; that it is an old "
    "one\n"
    "is then noticed by the mark in the mailbox. `onecase restore` says it in any case.\n";

/* ---- names -------------------------------------------------------------------------------------- */

/* "20260302T183000Z" */
static bool is_name(const char *text)
{
    static const char form[] = "ddddddddTddddddZ";
    size_t i = 0;
    for (; form[i] && text[i]; i++)
        if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
            return false;
    return !form[i] && !text[i];
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void keep_name_of(struct backup_folder *folder, const char *entry)
{
    char name[BACKUP_NAME_SIZE];
    const char *dot = strchr(entry, '.');
    if (!dot || strcmp(dot, SUFFIX) != 0 || (size_t)(dot - entry) >= sizeof name)
        return;
    snprintf(name, sizeof name, "%.*s", (int)(dot - entry), entry);
    if (!is_name(name))
        return;
    folder->name = mem_grow(folder->name, folder->names + 1, sizeof *folder->name);
    memcpy(folder->name[folder->names++], name, sizeof name);
}

static enum rc list(struct backup_folder *folder, struct err *err)
{
    DIR *listing = opendir(folder->path);
    const struct dirent *entry;
    if (!listing)
        return FAIL(err, RC_BROKEN, "'%s' cannot be read: %s", folder->path, strerror(errno));
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
    while ((entry = readdir(listing)) != NULL)
        keep_name_of(folder, entry->d_name);
    closedir(listing);
    if (folder->names > 0)
        qsort(folder->name, folder->names, sizeof *folder->name, by_name);
    return RC_OK;
}

/* ---- the folder --------------------------------------------------------------------------------- */

static enum rc make(const struct backup_folder *folder, struct err *err)
{
    const struct files *f = &folder->files;
    enum rc rc = f->create(f->self, "README.txt", slice_z(read_me), err);
    TRY(rc == RC_CONFLICT ? RC_OK : rc);
    return f->make_folder(f->self, "tmp", err);
}

static enum rc open_it(struct backup_folder *out, bool make_it, struct err *err)
{
    struct stat facts;
    if (!make_it && (stat(out->path, &facts) != 0 || !S_ISDIR(facts.st_mode)))
        return FAIL(err, RC_USAGE, "'%s' is no folder with backups", out->path);
    TRY(posix_files_open(out->path, &out->posix, err));
    out->files = posix_files_port(out->posix);
    out->store = blob_store_new(&out->files);
    out->blobs = blob_store_port(out->store);
    if (make_it)
        TRY(make(out, err));
    return list(out, err);
}

enum rc
backup_folder_open(const char *path, bool make_it, struct backup_folder *out, struct err *err)
{
    *out = (struct backup_folder){.path = path};
    enum rc rc = open_it(out, make_it, err);
    if (rc != RC_OK)
        backup_folder_close(out);
    return rc;
}

void backup_folder_close(struct backup_folder *folder)
{
    blob_store_free(&folder->store);
    posix_files_close(&folder->posix);
    free(folder->name);
    folder->name = NULL;
}

/* ---- one backup --------------------------------------------------------------------------------- */

static enum rc read_whole(const struct files *f, const char *path, struct str *out, struct err *err)
{
    CLEANUP(mem_free) char *room = mem_new(1, 65536);
    size_t got = 0;
    do {
        TRY(f->read(f->self, path, (int64_t)out->len, room, 65536, &got, err));
        str_add(out, (struct slice){room, got});
    } while (got > 0 && (int64_t)out->len < MANIFEST_MAX);
    return RC_OK;
}

enum rc backup_folder_read(const struct backup_folder *folder,
                           const char *name,
                           struct manifest *out,
                           struct err *err)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    char path[BACKUP_NAME_SIZE + sizeof SUFFIX];
    snprintf(path, sizeof path, "%s" SUFFIX, name);
    TRY(read_whole(&folder->files, path, &text, err));
    enum rc rc = manifest_read(str_slice(&text), out, err);
    return rc == RC_OK ? RC_OK : err_prefix(err, "'%s/%s'", folder->path, path);
}

static enum rc
write_text(const struct files *f, const char *path, struct slice text, struct err *err)
{
    TRY(f->remove(f->self, path, err));
    TRY(f->create(f->self, path, text, err));
    return sync_file_of(f, path, err);
}

enum rc backup_folder_write(const struct backup_folder *folder,
                            const char *name,
                            const struct manifest *manifest,
                            struct err *err)
{
    static const char unfinished[] = "tmp/manifest";
    const struct files *f = &folder->files;
    CLEANUP(str_clear) struct str text = STR_INIT;
    char path[BACKUP_NAME_SIZE + sizeof SUFFIX];
    snprintf(path, sizeof path, "%s" SUFFIX, name);
    manifest_write(manifest, &text);
    TRY(write_text(f, unfinished, str_slice(&text), err));
    TRY(f->link(f->self, unfinished, path, err));
    TRY(sync_folder_of(f, FILES_TOP, err));
    return f->remove(f->self, unfinished, err);
}

/* ---- one that is not there yet ------------------------------------------------------------------ */

#define NOTES "unfinished"

enum rc backup_folder_note_begin(const struct backup_folder *folder,
                                 const struct manifest *noted,
                                 struct err *err)
{
    const struct files *f = &folder->files;
    CLEANUP(str_clear) struct str text = STR_INIT;
    manifest_write_head(noted, &text);
    manifest_write_files(noted, 0, &text);
    TRY(f->remove(f->self, NOTES, err));
    return f->create(f->self, NOTES, str_slice(&text), err);
}

enum rc backup_folder_note(const struct backup_folder *folder,
                           const struct manifest *sealed,
                           size_t first,
                           struct err *err)
{
    const struct files *f = &folder->files;
    CLEANUP(str_clear) struct str text = STR_INIT;
    manifest_write_files(sealed, first, &text);
    return f->append(f->self, NOTES, str_slice(&text), err);
}

/* The last line may have been cut. */
void backup_folder_noted(const struct backup_folder *folder, struct manifest *out)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    CLEANUP(str_clear) struct str whole = STR_INIT;
    struct err why = ERR_INIT;
    *out = (struct manifest){0};
    if (read_whole(&folder->files, NOTES, &text, &why) != RC_OK)
        return;
    size_t len = text.len;
    while (len > 0 && text.at[len - 1] != '\n')
        len--;
    str_add(&whole, slice_cut(str_slice(&text), 0, len));
    manifest_write_end(&whole);
    if (manifest_read(str_slice(&whole), out, &why) != RC_OK)
        *out = (struct manifest){0};
}

enum rc backup_folder_note_end(const struct backup_folder *folder, struct err *err)
{
    return folder->files.remove(folder->files.self, NOTES, err);
}

void backup_folder_facts(const char *name,
                         const struct manifest *manifest,
                         struct backup_facts *out)
{
    *out = (struct backup_facts){.taken_ms = manifest->taken_ms,
                                 .event = manifest->event,
                                 .mails = manifest->mails,
                                 .files = (int64_t)manifest->files,
                                 .sealed = manifest->sealed_to[0] != '\0'};
    text_copy(out->name, sizeof out->name, name);
    text_copy(out->version, sizeof out->version, manifest->version);
    for (size_t i = 0; i < manifest->files; i++)
        out->octets += manifest->file[i].size;
    if (out->sealed) {
        out->files = manifest->inside;
        out->octets = manifest->inside_octets;
    }
}

/* ---- one at a time ------------------------------------------------------------------------------ */

enum rc upkeep_lock(const char *data_dir, int *out, struct err *err)
{
    CLEANUP(str_clear) struct str path = STR_INIT;
    str_addf(&path, "%s/upkeep.lock", data_dir);
    int fd = open(str_z(&path), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return FAIL(err, RC_BROKEN, "'%s' cannot be opened: %s", str_z(&path), strerror(errno));
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        (void)close(fd);
        return FAIL(
            err, RC_DEFERRED,
            "a backup, retention, restore or move of '%s' is under way: try again when it has "
            "ended",
            data_dir);
    }
    *out = fd;
    return RC_OK;
}

void upkeep_unlock(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}
