/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_mailbox - the mailbox port in memory: folders, messages, UIDs, and what another client does.
 *
 * Several ports may stand on one; each sees what the others did, as on a server. The members may be
 * set by the test at any time.
 */
#pragma once

#include <onecase/mailbox.h>

struct memory_mail {
    uint32_t uid;
    int64_t internal_ms;
    struct str octets;
    bool deleted; /* marked \Deleted */
};

struct memory_folder {
    char name[64];
    uint32_t uidvalidity, uidnext;
    struct memory_mail *mails;
    size_t count;
};

struct memory_mailbox {
    struct memory_folder *folders;
    size_t folder_count;
    int64_t now_ms;    /* INTERNALDATE of what comes in */
    enum rc fails_as;  /* the next call fails with it and does nothing; RC_OK: none */
    int64_t waited_ms; /* in all */
    char listed[64];   /* the folder that was last listed whole */
    uint64_t print;    /* of it, as it was then */
};

struct memory_mailbox *memory_mailbox_new(void) MUST_CHECK; /* with an empty INBOX */
void memory_mailbox_free(struct memory_mailbox **m);        /* for CLEANUP */
struct mailbox memory_mailbox_port(struct memory_mailbox *m);

/* Mail arrives; the folder is made where missing. Gives its UID. */
uint32_t memory_mailbox_put(struct memory_mailbox *m, const char *folder, struct slice octets);
/* NULL where there is none. Borrowed until the next change. */
struct memory_folder *memory_mailbox_folder(struct memory_mailbox *m, const char *folder);
struct memory_mail *memory_mailbox_mail(struct memory_folder *folder, uint32_t uid);
