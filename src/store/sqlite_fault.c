/* SPDX-License-Identifier: Apache-2.0 */
#include "sqlite_fault.h"

#include <sqlite3.h>

/* A COMMIT that met an error of the disk may have happened: one that failed in fsync was there after
 * a restart. One that met a full disk has not: its last frame was never whole. */
/* clang-format off */
const struct sqlite_fault sqlite_faults[] = {
/*    code                            rc           at commit    what to do */
    { SQLITE_BUSY,                    RC_DEFERRED, RC_DEFERRED, "another process holds it; it is tried again" },
    { SQLITE_LOCKED,                  RC_DEFERRED, RC_DEFERRED, "another process holds it; it is tried again" },
    { SQLITE_PROTOCOL,                RC_DEFERRED, RC_UNKNOWN,  "other processes kept changing it; it is tried again" },
    { SQLITE_SCHEMA,                  RC_DEFERRED, RC_UNKNOWN,  "its schema is being changed; it is tried again" },
    { SQLITE_INTERRUPT,               RC_DEFERRED, RC_UNKNOWN,  "it was interrupted; it is tried again" },
    { SQLITE_ABORT,                   RC_DEFERRED, RC_UNKNOWN,  "it was rolled back; it is tried again" },
    { SQLITE_FULL,                    RC_DEFERRED, RC_DEFERRED, "the disk is full: make room in data_dir; it is tried again" },
    { SQLITE_READONLY,                RC_BROKEN,   RC_UNKNOWN,  "it cannot be written: the service's user must own the file and its directory" },
    { SQLITE_CANTOPEN,                RC_BROKEN,   RC_UNKNOWN,  "it cannot be opened: data_dir must exist and belong to the service's user" },
    { SQLITE_PERM,                    RC_BROKEN,   RC_UNKNOWN,  "access is denied: the service's user must own the file and its directory" },
    { SQLITE_AUTH,                    RC_BROKEN,   RC_UNKNOWN,  "access is denied: the service's user must own the file and its directory" },
    { SQLITE_NOTADB,                  RC_BROKEN,   RC_UNKNOWN,  "it is damaged or no ledger: stop the service and restore the last backup with `onecase restore DIR`" },
    { SQLITE_CORRUPT,                 RC_BROKEN,   RC_UNKNOWN,  "it is damaged: stop the service and restore the last backup with `onecase restore DIR`" },
    { SQLITE_IOERR,                   RC_BROKEN,   RC_UNKNOWN,  "the disk failed: see the system's log; nothing is tried until it works again" },
    { SQLITE_NOMEM,                   RC_BROKEN,   RC_UNKNOWN,  "memory ran out" },
    { SQLITE_CONSTRAINT_PRIMARYKEY,   RC_CONFLICT, RC_CONFLICT, "it is there already" },
    { SQLITE_CONSTRAINT_UNIQUE,       RC_CONFLICT, RC_CONFLICT, "it is there already" },
    { SQLITE_CONSTRAINT_ROWID,        RC_CONFLICT, RC_CONFLICT, "it is there already" },
    { SQLITE_CONSTRAINT,              RC_REFUSED,  RC_REFUSED,  "the schema forbids such a row" },
    { SQLITE_TOOBIG,                  RC_REFUSED,  RC_REFUSED,  "it is larger than a row may be" },
    { SQLITE_MISMATCH,                RC_REFUSED,  RC_REFUSED,  "the schema forbids such a value" },
};
/* clang-format on */

const size_t sqlite_fault_count = LENGTH(sqlite_faults);

static const struct sqlite_fault *find(int code)
{
    for (size_t i = 0; i < sqlite_fault_count; i++)
        if (sqlite_faults[i].code == code)
            return &sqlite_faults[i];
    return NULL;
}

const struct sqlite_fault *sqlite_fault_of(int code)
{
    static const struct sqlite_fault other = {SQLITE_ERROR, RC_BROKEN, RC_UNKNOWN,
                                              "this program and its ledger do not fit together"};
    const struct sqlite_fault *found = find(code);

    if (found == NULL)
        found = find(code & 0xFF);
    return found != NULL ? found : &other;
}
