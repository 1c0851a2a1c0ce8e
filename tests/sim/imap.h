/* SPDX-License-Identifier: Apache-2.0
 *
 * imap - the mail server's account: folders, messages, and what happened to them.
 *
 * Here is what other clients, people and the server itself do to it. What the program does comes
 * through port_mailbox.c, which calls imap_move and the like with the run that asked.
 */
#pragma once

#include "mails.h"

#include <stdint.h>

struct run;

/* One message in a folder. */
struct copy {
    uint32_t uid;
    int64_t internal_ms;
    struct mail *mail;
    bool deleted; /* carries \Deleted */
    bool copied;  /* a move without MOVE got as far as its COPY */
};

struct folder {
    const char *name;
    uint32_t uidvalidity, uidnext;
    struct copy *copy;
    size_t count, room;
    unsigned changes; /* how often something in it changed */
};

/* A message that left the inbox. */
struct departure {
    const struct mail *mail;
    int64_t internal_ms;
    uint32_t uidvalidity, uid;
    bool by_person; /* another client, or the server; else a run's move */
};

#define FOLDERS_MAX    6
#define DEPARTURES_MAX 64

struct imap {
    struct folder folder[FOLDERS_MAX];
    size_t folders;
    bool has_move; /* MOVE; else COPY, \Deleted, EXPUNGE */
    bool down;
    struct departure departure[DEPARTURES_MAX];
    size_t departures;
};

/* How far a move gets. Without MOVE the steps are apart, and a connection may end between them. */
enum move_reach { MOVE_NOTHING, MOVE_COPIED, MOVE_MARKED, MOVE_WHOLE };

void imap_begin(struct world *world);
void imap_end(struct world *world);
struct folder *imap_folder(struct imap *imap, const char *name); /* NULL: there is none */
struct folder *imap_make_folder(struct world *world, const char *name);
struct copy *imap_find(struct folder *folder, uint32_t uid);
/* Puts a message into a folder; INTERNALDATE is now unless given. */
struct copy *
imap_put(struct world *world, const char *folder, struct mail *mail, int64_t internal_ms);
void imap_take_out(struct folder *folder, uint32_t uid);
/* The program removes a message: its own, or the source of a move that stopped half-way. */
void imap_remove(struct world *world, struct folder *folder, uint32_t uid);
/* Moves one message; returns its new UID, 0 where it was not copied. */
uint32_t imap_move(struct world *world,
                   struct folder *from,
                   uint32_t uid,
                   const char *to,
                   enum move_reach reach,
                   bool by_person);

/* What the server or other clients do. Each returns false where it cannot be done now. */
bool imap_person_deletes(struct world *world);
bool imap_person_files(struct world *world);
bool imap_person_drags_back(struct world *world);
bool imap_new_uidvalidity(struct world *world, const char *folder);
void imap_falls_back(struct world *world, uint32_t back);

/* Has a copy of the mail left the inbox by a person's hand? */
bool imap_taken_by_person(const struct world *world, const struct mail *mail);
size_t imap_count(struct imap *imap, const char *folder, const struct mail *mail);
