/* SPDX-License-Identifier: Apache-2.0
 *
 * sqlite_fault - what SQLite's result codes mean for a caller: the one place where they are known.
 *
 * A row is found by the extended code, else by its primary code. `rc` is for every statement, where a
 * failure means that nothing was written; `at_commit` for COMMIT, where it may have been.
 */
#pragma once

#include <onecase/err.h>

struct sqlite_fault {
    int code; /* extended or primary */
    enum rc rc;
    enum rc at_commit;
    const char *remedy; /* what is wrong and what to do, for a person */
};

extern const struct sqlite_fault sqlite_faults[];
extern const size_t sqlite_fault_count;

/* Total: a code that has no row is RC_BROKEN, and RC_UNKNOWN at COMMIT. */
const struct sqlite_fault *sqlite_fault_of(int code);
