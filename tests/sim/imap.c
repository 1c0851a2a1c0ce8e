/* SPDX-License-Identifier: Apache-2.0 */
#include "imap.h"

#include "world.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void imap_begin(struct world *world)
{
    world->imap.has_move = world->scenario.has_move;
    imap_make_folder(world, INBOX);
    if (world->scenario.evidence_folder)
        imap_make_folder(world, SENT);
}

void imap_end(struct world *world)
{
    for (size_t i = 0; i < world->imap.folders; i++)
        free(world->imap.folder[i].copy);
}

struct folder *imap_folder(struct imap *imap, const char *name)
{
    for (size_t i = 0; i < imap->folders; i++)
        if (strcmp(imap->folder[i].name, name) == 0)
            return &imap->folder[i];
    return NULL;
}

static const char *folder_names[] = {INBOX, PROCESSED, SENT, CLAIM, "Other"};

struct folder *imap_make_folder(struct world *world, const char *name)
{
    struct imap *imap = &world->imap;
    struct folder *folder = imap_folder(imap, name);
    const char *kept = NULL;

    if (folder != NULL)
        return folder;
    for (size_t i = 0; i < LENGTH(folder_names); i++)
        if (strcmp(folder_names[i], name) == 0)
            kept = folder_names[i];
    assert(kept != NULL && imap->folders < FOLDERS_MAX);
    folder = &imap->folder[imap->folders++];
    *folder = (struct folder){.name = kept,
                              .uidvalidity = 1000 + rng_below(&world->rng, 1000),
                              .uidnext = 1 + rng_below(&world->rng, 3)};
    return folder;
}

struct copy *imap_find(struct folder *folder, uint32_t uid)
{
    for (size_t i = 0; i < folder->count; i++)
        if (folder->copy[i].uid == uid)
            return &folder->copy[i];
    return NULL;
}

struct copy *imap_put(struct world *world, const char *name, struct mail *mail, int64_t internal_ms)
{
    struct folder *folder = imap_make_folder(world, name);

    if (folder->count == folder->room) {
        folder->room = folder->room == 0 ? 8 : 2 * folder->room;
        folder->copy = mem_grow(folder->copy, folder->room, sizeof *folder->copy);
    }
    folder->copy[folder->count] = (struct copy){
        .uid = folder->uidnext++, .internal_ms = internal_ms, .mail = mail, .deleted = false};
    folder->changes++;
    if (strcmp(name, INBOX) == 0)
        mail->arrived = true;
    if (strcmp(name, CLAIM) != 0)
        world->moved++;
    return &folder->copy[folder->count++];
}

static void note_departure(struct world *world,
                           const struct folder *from,
                           const struct copy *copy,
                           bool by_person)
{
    struct imap *imap = &world->imap;

    if (strcmp(from->name, INBOX) != 0)
        return;
    assert(imap->departures < DEPARTURES_MAX);
    imap->departure[imap->departures++] = (struct departure){.mail = copy->mail,
                                                             .internal_ms = copy->internal_ms,
                                                             .uidvalidity = from->uidvalidity,
                                                             .uid = copy->uid,
                                                             .by_person = by_person};
}

void imap_remove(struct world *world, struct folder *folder, uint32_t uid)
{
    const struct copy *copy = imap_find(folder, uid);

    if (copy == NULL)
        return;
    if (!copy->deleted)
        note_departure(world, folder, copy, false);
    imap_take_out(folder, uid);
    world->moved++;
}

void imap_take_out(struct folder *folder, uint32_t uid)
{
    struct copy *copy = imap_find(folder, uid);

    if (copy == NULL)
        return;
    size_t at = (size_t)(copy - folder->copy);

    folder->changes++;
    memmove(copy, copy + 1, (folder->count - at - 1) * sizeof *copy);
    folder->count--;
}

uint32_t imap_move(struct world *world,
                   struct folder *from,
                   uint32_t uid,
                   const char *to,
                   enum move_reach reach,
                   bool by_person)
{
    struct copy *copy = imap_find(from, uid);
    uint32_t new_uid = 0;

    if (copy == NULL || reach == MOVE_NOTHING)
        return 0;
    world->moved++;
    new_uid = imap_put(world, to, copy->mail, copy->internal_ms)->uid;
    copy->copied = true;
    if (reach == MOVE_COPIED)
        return new_uid;
    note_departure(world, from, copy, by_person);
    from->changes++;
    if (reach == MOVE_MARKED)
        copy->deleted = true;
    else
        imap_take_out(from, uid);
    return new_uid;
}

/* A message of the inbox that people can see. */
static struct copy *any_in_inbox(struct world *world)
{
    struct folder *inbox = imap_folder(&world->imap, INBOX);

    if (inbox->count == 0)
        return NULL;
    struct copy *copy = &inbox->copy[rng_below(&world->rng, (uint32_t)inbox->count)];

    return copy->deleted ? NULL : copy;
}

bool imap_person_deletes(struct world *world)
{
    struct copy *copy = any_in_inbox(world);
    struct folder *inbox = imap_folder(&world->imap, INBOX);

    if (copy == NULL)
        return false;
    tell(world, "a person deletes m%u (UID %u) from the inbox", copy->mail->number, copy->uid);
    note_departure(world, inbox, copy, true);
    imap_take_out(inbox, copy->uid);
    world->moved++;
    return true;
}

bool imap_person_files(struct world *world)
{
    struct copy *copy = any_in_inbox(world);
    const char *to = rng_one_in(&world->rng, 2) ? PROCESSED : "Other";

    if (copy == NULL)
        return false;
    tell(world, "a person moves m%u (UID %u) to %s", copy->mail->number, copy->uid, to);
    imap_move(world, imap_folder(&world->imap, INBOX), copy->uid, to, MOVE_WHOLE, true);
    return true;
}

bool imap_person_drags_back(struct world *world)
{
    struct folder *processed = imap_folder(&world->imap, PROCESSED);

    if (processed == NULL || processed->count == 0 || world->no_more_mail)
        return false;
    const struct copy *copy = &processed->copy[rng_below(&world->rng, (uint32_t)processed->count)];

    tell(world, "a person drags m%u back from Processed into the inbox", copy->mail->number);
    imap_move(world, processed, copy->uid, INBOX, MOVE_WHOLE, true);
    return true;
}

bool imap_new_uidvalidity(struct world *world, const char *name)
{
    struct folder *folder = imap_folder(&world->imap, name);

    if (folder == NULL)
        return false;
    folder->changes++;
    folder->uidvalidity += 1 + rng_below(&world->rng, 5);
    for (size_t i = 0; i < folder->count; i++)
        folder->copy[i].uid = (uint32_t)i + 1;
    folder->uidnext = (uint32_t)folder->count + 1;
    world->moved++;
    tell(world, "the server gives %s a new UIDVALIDITY %u and new UIDs", name, folder->uidvalidity);
    return true;
}

/* The inbox as it was restored from a copy of some time ago: what came since is gone, and its UIDs
 * are given again. No server does that under an open session, nor within one turn: those end, and the
 * server is back for the next. */
void imap_falls_back(struct world *world, uint32_t back)
{
    struct folder *inbox = imap_folder(&world->imap, INBOX);

    for (size_t i = 0; i < world->runs; i++)
        world->run[i]->session_lost = true;
    inbox->changes++;
    inbox->uidnext -= back;
    while (inbox->count > 0 && inbox->copy[inbox->count - 1].uid >= inbox->uidnext) {
        struct copy *last = &inbox->copy[inbox->count - 1];

        if (!last->deleted)
            note_departure(world, inbox, last, true);
        imap_take_out(inbox, last->uid);
    }
    world->moved++;
    tell(world, "the inbox is restored from an older copy: UIDNEXT is %u again", inbox->uidnext);
}

bool imap_taken_by_person(const struct world *world, const struct mail *mail)
{
    for (size_t i = 0; i < world->imap.departures; i++)
        if (world->imap.departure[i].mail == mail && world->imap.departure[i].by_person)
            return true;
    return false;
}

size_t imap_count(struct imap *imap, const char *name, const struct mail *mail)
{
    const struct folder *folder = imap_folder(imap, name);
    size_t count = 0;

    for (size_t i = 0; folder != NULL && i < folder->count; i++)
        count += folder->copy[i].mail == mail && !folder->copy[i].deleted;
    return count;
}
