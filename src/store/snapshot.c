/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot.h"

#include <onecase/when.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define MARK       ".schema-"
#define UNFINISHED ".new"
#define STAMP_LEN  16 /* "20260302T183000Z" */

static enum rc failed(const char *act, const char *path, struct err *err)
{
    return FAIL(err, RC_BROKEN, "ledger: the snapshot before its upgrade cannot be %s '%s': %s",
                act, path, strerror(errno));
}

static void folder_of(const char *file, struct str *out)
{
    const char *slash = strrchr(file, '/');

    if (slash == NULL)
        str_addz(out, ".");
    else
        str_add(out, (struct slice){file, (size_t)(slash - file)});
}

static const char *name_in(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? path : slash + 1;
}

static void name_it(const char *file, size_t schema, int64_t now_ms, struct str *out)
{
    char at[WHEN_TEXT_SIZE];

    when_text(now_ms / 1000 * 1000, at);
    str_addf(out, "%s" MARK "%zu.", file, schema);
    for (const char *c = at; *c != '\0'; c++)
        if (*c != '-' && *c != ':')
            str_addf(out, "%c", *c);
}

/* ---- room ---------------------------------------------------------------------------------------- */

/* For the copy, and for what a migration may write before it is folded in. */
static enum rc check_room(struct db *db, const char *folder, struct err *err)
{
    struct statvfs facts;
    int64_t size;

    TRY(db_size(db, &size, err));
    if (statvfs(folder, &facts) != 0)
        return failed("made in", folder, err);
    int64_t room = (int64_t)facts.f_bavail * (int64_t)facts.f_frsize;

    if (room >= 2 * size)
        return RC_OK;
    return FAIL(err, RC_BROKEN,
                "ledger '%s': its schema is older than this program, and '%s' has no room for the"
                " snapshot and the upgrade: %lld MiB are free, %lld are needed; nothing was"
                " changed",
                db_path(db), folder, (long long)(room >> 20), (long long)(2 * size >> 20) + 1);
}

/* ---- the copy ------------------------------------------------------------------------------------ */

static enum rc make_empty(const char *path, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);

    if (fd < 0)
        return failed("made as", path, err);
    close(fd);
    return RC_OK;
}

/* By a connection that only reads: the one that has the write lock cannot be copied from. */
static enum rc copy(const char *file, const char *path, struct err *err)
{
    const struct store_options from = {.path = file, .read_only = true, .busy_timeout_ms = 1000};
    const struct store_options to = {.path = path, .busy_timeout_ms = 1000};
    CLEANUP(db_close) struct db *theirs = NULL;
    CLEANUP(db_close) struct db *ours = NULL;

    TRY(make_empty(path, err));
    TRY(db_open(&from, &theirs, err));
    TRY(db_open(&to, &ours, err));
    TRY(db_copy(ours, theirs, err));
    return db_check(ours, false, err);
}

static enum rc sync_folder(const char *folder, struct err *err)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool done = fd >= 0 && fsync(fd) == 0;

    if (fd >= 0)
        close(fd);
    return done ? RC_OK : failed("made durable in", folder, err);
}

static enum rc give_name(const char *from, const char *to, const char *folder, struct err *err)
{
    if (rename(from, to) != 0)
        return failed("named", to, err);
    return sync_folder(folder, err);
}

/* ---- those that are older ------------------------------------------------------------------------ */

struct found {
    char **name;
    size_t names;
};

static void found_clear(struct found *f)
{
    for (size_t i = 0; i < f->names; i++)
        free(f->name[i]);
    free(f->name);
}

/* By when they were taken, which is the end of their names. */
static int by_time(const void *a, const void *b)
{
    const char *one = *(const char *const *)a;
    const char *two = *(const char *const *)b;

    return strcmp(one + strlen(one) - STAMP_LEN, two + strlen(two) - STAMP_LEN);
}

static bool is_snapshot(const char *name, const char *of)
{
    size_t len = strlen(of);
    size_t whole = strlen(name);

    return strncmp(name, of, len) == 0 && strncmp(name + len, MARK, strlen(MARK)) == 0 &&
           whole > len + strlen(MARK) + STAMP_LEN && name[whole - 1] == 'Z';
}

static enum rc find_all(const char *folder, const char *of, struct found *out, struct err *err)
{
    DIR *listing = opendir(folder);
    const struct dirent *entry;

    if (listing == NULL)
        return failed("looked for in", folder, err);
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
    while ((entry = readdir(listing)) != NULL) {
        if (!is_snapshot(entry->d_name, of))
            continue;
        out->name = mem_grow(out->name, out->names + 1, sizeof *out->name);
        out->name[out->names++] = mem_text(entry->d_name);
    }
    closedir(listing);
    if (out->names > 0)
        qsort(out->name, out->names, sizeof *out->name, by_time);
    return RC_OK;
}

/* The new one stays also where the clock went back, and it is not the newest by its name. */
static enum rc
prune(const char *folder, const char *of, const char *fresh, size_t keep, struct err *err)
{
    CLEANUP(found_clear) struct found all = {0};

    TRY(find_all(folder, of, &all, err));
    for (size_t i = 0, left = all.names; i < all.names && left > keep; i++) {
        CLEANUP(str_clear) struct str path = STR_INIT;

        if (strcmp(all.name[i], fresh) == 0)
            continue;
        left--;
        str_addf(&path, "%s/%s", folder, all.name[i]);
        if (unlink(str_z(&path)) != 0)
            return failed("removed:", str_z(&path), err);
    }
    return RC_OK;
}

/* ---- all of it ------------------------------------------------------------------------------------ */

/* What a copy that was cut off, or that failed, has left. */
static void remove_unfinished(const char *path)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};

    for (size_t i = 0; i < LENGTH(suffixes); i++) {
        CLEANUP(str_clear) struct str one = STR_INIT;

        str_addf(&one, "%s%s", path, suffixes[i]);
        (void)unlink(str_z(&one));
    }
}

static enum rc take(struct db *db,
                    const char *file,
                    const char *path,
                    const struct store_options *options,
                    struct err *err)
{
    CLEANUP(str_clear) struct str folder = STR_INIT;
    CLEANUP(str_clear) struct str unfinished = STR_INIT;

    folder_of(file, &folder);
    str_addf(&unfinished, "%s" MARK UNFINISHED, file);
    TRY(check_room(db, str_z(&folder), err));
    remove_unfinished(str_z(&unfinished));
    enum rc rc = copy(file, str_z(&unfinished), err);

    if (rc == RC_OK)
        rc = give_name(str_z(&unfinished), path, str_z(&folder), err);
    if (rc == RC_OK)
        rc = prune(str_z(&folder), name_in(file), name_in(path), options->snapshots, err);
    if (rc != RC_OK)
        remove_unfinished(str_z(&unfinished));
    return rc;
}

enum rc snapshot_take(struct db *db,
                      size_t schema,
                      const struct store_options *options,
                      struct str *path,
                      struct err *err)
{
    CLEANUP(str_clear) struct str file = STR_INIT;

    str_clear(path);
    if (options->snapshots == 0 || !db_file(db, &file))
        return RC_OK;
    name_it(str_z(&file), schema, options->now_ms, path);
    return take(db, str_z(&file), str_z(path), options, err);
}
