/* SPDX-License-Identifier: Apache-2.0 */
#include "deployment.h"
#include "gate.h"
#include "ports.h"
#include "world.h"

#include <stdio.h>
#include <string.h>

/* What is kept, where it is in an object store: as s3_files.h says. An object appears whole or not at all, is
 * durable then, and is never written over; after RC_DEFERRED it may be there all the same. */

#define KEPT "items"

static bool is_kept(const char *path)
{
    return strcmp(path, KEPT) == 0 || strncmp(path, KEPT "/", sizeof KEPT) == 0;
}

bool is_object(const struct run *run, const char *path)
{
    return run->world->scenario.objects && is_kept(path);
}

/* Beside a store every machine has a disk of its own; without one they share that, too. */
struct disk *disk_of(struct run *run, const char *path)
{
    const struct scenario *s = &run->world->scenario;

    return s->server && s->objects && !is_kept(path) ? &run->machine->disk : &run->deployment->disk;
}

static enum rc deferred(enum call call, enum answer answer, struct err *err)
{
    return FAIL(err, answer == ANSWER_DEAD ? RC_BROKEN : RC_DEFERRED, "sim: %s: %s",
                call_rows[call].what, answer_text(answer));
}

/* A store has no folders; the disk that plays it does. */
static enum rc make_folders(struct disk *disk, const char *path, struct err *err)
{
    char folder[300];
    char above[300] = ".";

    for (const char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        TRY(disk_make_folder(disk, folder, err));
        TRY(disk_sync_folder(disk, above, err));
        memcpy(above, folder, sizeof above);
    }
    return disk_sync_folder(disk, above, err);
}

static enum rc put(struct run *run, const char *from, const char *to, struct err *err)
{
    struct disk *store = disk_of(run, to);
    struct slice octets;

    if (!disk_look(disk_of(run, from), from, &octets))
        return FAIL(err, RC_NOT_FOUND, "sim: '%s' is not there", from);
    TRY(make_folders(store, to, err));
    TRY(disk_create(store, to, octets, err));
    TRY(disk_sync(store, to, err));
    return make_folders(store, to, err);
}

enum rc object_put(struct run *run, const char *from, const char *to, struct err *err)
{
    enum answer answer = gate_open(run, CALL_OBJECT_PUT);

    if (answer != ANSWER_TRUE && answer != ANSWER_HAD)
        return deferred(CALL_OBJECT_PUT, answer, err);
    TRY(put(run, from, to, err));
    if (answer == ANSWER_HAD)
        return deferred(CALL_OBJECT_PUT, answer, err);
    return gate_close(run, CALL_OBJECT_PUT, RC_OK, err);
}

enum rc object_get(struct run *run,
                   const char *path,
                   int64_t offset,
                   char *into,
                   size_t room,
                   size_t *got,
                   struct err *err)
{
    struct slice octets;
    enum answer answer = gate_open(run, CALL_OBJECT_GET);

    if (answer != ANSWER_TRUE) /* a half answer is none */
        return deferred(CALL_OBJECT_GET, answer, err);
    if (!disk_look(disk_of(run, path), path, &octets))
        return FAIL(err, RC_NOT_FOUND, "sim: '%s' is not there", path);
    octets = slice_cut(octets, (size_t)offset, room);
    memcpy(into, octets.at, octets.len);
    *got = octets.len;
    return gate_close(run, CALL_OBJECT_GET, RC_OK, err);
}

enum rc object_remove(struct run *run, const char *path, struct err *err)
{
    enum answer answer = gate_open(run, CALL_OBJECT_REMOVE);

    if (answer != ANSWER_TRUE)
        return deferred(CALL_OBJECT_REMOVE, answer, err);
    return gate_close(run, CALL_OBJECT_REMOVE, disk_remove(disk_of(run, path), path, err), err);
}
