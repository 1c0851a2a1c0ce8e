/* SPDX-License-Identifier: Apache-2.0 */
#include "gate.h"
#include "ports.h"
#include "world.h"

#include <string.h>

#define PLENTY (INT64_C(100) << 30)

static enum rc files_create(void *self, const char *path, struct slice octets, struct err *err)
{
    struct run *run = self;

    THROUGH_GATE(run, CALL_FILES_CREATE, err, disk_create(disk_of(run, path), path, octets, err));
}

/* A disk that fills up takes what it has room for. */
static enum rc files_append(void *self, const char *path, struct slice octets, struct err *err)
{
    struct run *run = self;
    enum answer answer = gate_open(run, CALL_FILES_APPEND);

    if (answer == ANSWER_HALF &&
        disk_append(disk_of(run, path), path, slice_cut(octets, 0, octets.len / 2), NULL) == RC_OK)
        return answer_fail(CALL_FILES_APPEND, answer, err);
    if (answer != ANSWER_TRUE)
        return answer_fail(CALL_FILES_APPEND, answer, err);
    return gate_close(run, CALL_FILES_APPEND, disk_append(disk_of(run, path), path, octets, err),
                      err);
}

/* One by one: the program may die between two of them. */
static enum rc sync_file(struct run *run, const char *path, struct err *err)
{
    THROUGH_GATE(run, CALL_FILES_SYNC, err, disk_sync(disk_of(run, path), path, err));
}

static enum rc files_sync_files(void *self, const char *const *path, size_t count, struct err *err)
{
    for (size_t i = 0; i < count; i++)
        if (!is_object(self, path[i]))
            TRY(sync_file(self, path[i], err));
    return RC_OK;
}

static enum rc files_link(void *self, const char *from, const char *to, struct err *err)
{
    struct run *run = self;

    if (is_object(run, to))
        return object_put(run, from, to, err);
    THROUGH_GATE(run, CALL_FILES_LINK, err, disk_link(disk_of(run, to), from, to, err));
}

static enum rc files_make_folder(void *self, const char *path, struct err *err)
{
    struct run *run = self;

    if (is_object(run, path))
        return RC_OK;
    THROUGH_GATE(run, CALL_FILES_FOLDER, err, disk_make_folder(disk_of(run, path), path, err));
}

static enum rc sync_folder(struct run *run, const char *path, struct err *err)
{
    THROUGH_GATE(run, CALL_FILES_SYNC_FOLDER, err, disk_sync_folder(disk_of(run, path), path, err));
}

static enum rc
files_sync_folders(void *self, const char *const *path, size_t count, struct err *err)
{
    for (size_t i = 0; i < count; i++)
        if (!is_object(self, path[i]))
            TRY(sync_folder(self, path[i], err));
    return RC_OK;
}

static enum rc read_disk(struct run *run, const char *path, struct slice *out, struct err *err)
{
    if (disk_look(disk_of(run, path), path, out))
        return RC_OK;
    return FAIL(err, RC_NOT_FOUND, "disk: '%s' is not there", path);
}

static enum rc files_read(void *self,
                          const char *path,
                          int64_t offset,
                          char *into,
                          size_t room,
                          size_t *got,
                          struct err *err)
{
    struct run *run = self;
    struct slice octets;

    if (is_object(run, path))
        return object_get(run, path, offset, into, room, got, err);
    enum answer answer = gate_open(run, CALL_FILES_READ);

    if (answer != ANSWER_TRUE)
        return answer_fail(CALL_FILES_READ, answer, err);
    TRY(read_disk(run, path, &octets, err));
    octets = slice_cut(octets, (size_t)offset, room);
    memcpy(into, octets.at, octets.len);
    *got = octets.len;
    return gate_close(run, CALL_FILES_READ, RC_OK, err);
}

static enum rc files_remove(void *self, const char *path, struct err *err)
{
    struct run *run = self;

    if (is_object(run, path))
        return object_remove(run, path, err);
    THROUGH_GATE(run, CALL_FILES_REMOVE, err, disk_remove(disk_of(run, path), path, err));
}

static enum rc measure(struct run *run, int64_t *out)
{
    *out = disk_of(run, "tmp")->full ? 0 : PLENTY;
    return RC_OK;
}

static enum rc files_space(void *self, int64_t *out, struct err *err)
{
    struct run *run = self;

    THROUGH_GATE(run, CALL_FILES_SPACE, err, measure(run, out));
}

struct files port_files(struct run *run)
{
    return (struct files){
        .self = run,
        .create = files_create,
        .append = files_append,
        .sync_files = files_sync_files,
        .link = files_link,
        .make_folder = files_make_folder,
        .sync_folders = files_sync_folders,
        .read = files_read,
        .remove = files_remove,
        .space = files_space,
    };
}
