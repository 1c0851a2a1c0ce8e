/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_child - the process that reads: made, spoken to until a deadline, and ended.
 */
#pragma once

#include "child.h"
#include "frame.h"

#include <sys/types.h>

#define NOBODY ((pid_t)0)

struct reader_child {
    child_fn *run;                      /* what it is; NULL: this program anew */
    const struct reader_limits *limits; /* borrowed */
    pid_t pid;                          /* or NOBODY */
    int socket;
    unsigned served;     /* mails that it was asked to read */
    int64_t deadline_ms; /* of what is under way */
};

/* Makes the process if there is none, and waits until it is ready. RC_BROKEN: it does not start. */
enum rc reader_child_start(struct reader_child *c, struct err *err) MUST_CHECK;
/* Ends it, if there is one, and says by which signal it had ended by itself, or 0. */
int reader_child_end(struct reader_child *c);

void reader_child_start_clock(struct reader_child *c); /* limits.seconds from now */
bool reader_child_is_late(struct reader_child *c);
struct channel reader_child_channel(struct reader_child *c); /* waits until the deadline */

/* The rc of a failure that it reports, and its sentence. It may report only what is of the mail or of
 * the disk: anything else is nonsense, which is RC_REFUSED. Never RC_OK. */
enum rc reader_child_failure(const struct frame *f, struct err *err) MUST_CHECK;
