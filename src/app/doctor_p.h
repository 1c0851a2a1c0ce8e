/* SPDX-License-Identifier: Apache-2.0
 *
 * doctor_p - what the doctor's files share.
 */
#pragma once

#include "doctor.h"

#include <onecase/imap.h>

struct examining {
    const struct config *config;
    bool since_last;
    void (*tell)(void *ctx, const struct check_result *result);
    void *ctx;
    bool bad;
};

/* Tells one finding: "which: what". */
void doctor_found(struct examining *x,
                  enum finding finding,
                  const char *mend,
                  const char *what,
                  const char *which);
/* The same for a result: good, or bad with its text. */
bool doctor_judge(
    struct examining *x, enum rc rc, const struct err *err, const char *what, const char *which);
/* Sends one test letter and finds it again where copies of sent mail stand, or where it arrives. */
void doctor_send(struct examining *x, const struct config_mailbox *mailbox, const char *to);
/* What the account may do on an IMAP server that answers: rights, quota, junk, a probe in folders of its
 * own. `facts` gets a line, LF at its end, for each that may change from one day to another. */
void doctor_rights(struct examining *x,
                   const struct config_mailbox *mailbox,
                   struct imap_mailbox *imap,
                   struct str *facts);
/* Remembers the facts in data_dir/doctor, and with since_last tells what is new or gone since then. */
void doctor_since_last(struct examining *x, const char *mailbox, const struct str *facts);
