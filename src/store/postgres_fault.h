/* SPDX-License-Identifier: Apache-2.0
 *
 * postgres_fault - what PostgreSQL's SQLSTATEs mean for a caller: the one place where they are known.
 *
 * A row is found by the longest beginning that is in the table. `rc` is for every statement, where a
 * failure means that nothing was written; `at_commit` for COMMIT, where it may have been.
 */
#pragma once

#include <onecase/err.h>

#include <stdbool.h>

#define NO_SQLSTATE "" /* the connection was lost: there is no answer */

struct postgres_fault {
    const char *state; /* five characters, or the two of a class */
    enum rc rc;
    enum rc at_commit;
    bool passing;       /* a transaction that met it may be repeated at once */
    const char *remedy; /* what is wrong and what to do, for a person */
};

extern const struct postgres_fault postgres_faults[];
extern const size_t postgres_fault_count;

/* What became of what was asked, to end the sentence with: "" where the remedy says it. */
const char *postgres_became(enum rc rc);

/* Total: a state that has no row is RC_BROKEN, and RC_UNKNOWN at COMMIT. NULL is NO_SQLSTATE. */
const struct postgres_fault *postgres_fault_of(const char *state);

/* What a server says of a connection that it refuses, for which libpq knows no SQLSTATE: a wrong
 * password or database stays wrong. */
const struct postgres_fault *postgres_refusal_of(const char *message);
