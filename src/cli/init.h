/* SPDX-License-Identifier: Apache-2.0
 *
 * init - what is asked for a first configuration, and the files that are written of the answers.
 */
#pragma once

#include "cli_p.h"

#include <sys/types.h>

enum answer {
    ANSWER_ADDRESS,
    ANSWER_IMAP,
    ANSWER_IMAP_USER,
    ANSWER_IMAP_PASSWORD,
    ANSWER_SMTP,
    ANSWER_SMTP_USER,
    ANSWER_SMTP_PASSWORD,
    ANSWER_FROM,
    ANSWER_OWNER,
    ANSWER_SENT,
    ANSWER_DATA,
    ANSWER_COUNT
};

struct answers {
    struct str given[ANSWER_COUNT];
    /* Options that are not asked; may be NULL. */
    const char *imap_security, *smtp_security, *ca_file;
};

/* Said of the user name at the SMTP server, and of the folder of sent copies. */
#define NONE "-"

/* ---- init_write.c ---------------------------------------------------------------------------------- */

/* The files of one configuration, in a folder of their own until they have been tried. */
struct draft {
    struct str folder; /* where they will stand */
    struct str trial;  /* where they stand now; "" where none does */
    const char *path;  /* of the configuration, as it will be */
    bool relays;       /* the SMTP server wants no sign-in: it has no password */
    uid_t owner;       /* who reads them */
    gid_t group;
};

/* RC_CONFLICT: something that would be written is there already. */
enum rc draft_check(const char *path, struct err *err) MUST_CHECK;
/* Writes the answers, as they are to stand, readable by the data folder's owner alone; makes that folder
 * where it is missing. */
enum rc draft_write(struct draft *d, const char *path, const struct answers *a, struct err *err)
    MUST_CHECK;
/* `onecase doctor` on them, as that owner; gives its exit code. */
int draft_try(const struct draft *d);
/* Gives them their names; overwrites nothing. */
enum rc draft_keep(struct draft *d, struct err *err) MUST_CHECK;
void draft_clear(struct draft *d); /* removes what was not kept; for CLEANUP */
