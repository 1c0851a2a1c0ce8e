/* SPDX-License-Identifier: Apache-2.0
 *
 * doctor_p - what doctor.c and doctor_send.c share.
 */
#pragma once

#include "doctor.h"

struct examining {
    const struct config *config;
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
/* Sends one test letter and finds it again where sent copies are looked for. */
void doctor_send(struct examining *x, const struct config_mailbox *mailbox, const char *to);
