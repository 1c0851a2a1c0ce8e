/* SPDX-License-Identifier: Apache-2.0 */
#include "postgres_fault.h"

#include <string.h>

/* An ERROR that answers COMMIT is no commit; but where the answer came from a server that goes down,
 * or whose standby did not confirm, the commit may stand: it is read back. */
/* clang-format off */
const struct postgres_fault postgres_faults[] = {
/*    state    rc           at commit    passing what to do */
    { "",      RC_DEFERRED, RC_UNKNOWN,  true,  "the connection was lost" },
    { "08",    RC_DEFERRED, RC_UNKNOWN,  true,  "the connection was lost" },
    { "22",    RC_REFUSED,  RC_REFUSED,  false, "the schema forbids such a value" },
    { "23505", RC_CONFLICT, RC_CONFLICT, false, "it is there already" },
    { "23",    RC_REFUSED,  RC_REFUSED,  false, "the schema forbids such a row" },
    { "25006", RC_DEFERRED, RC_UNKNOWN,  false, "its server takes no writes: it is a standby, or being moved" },
    { "25P02", RC_DEFERRED, RC_DEFERRED, false, "the transaction was rolled back" },
    { "25P03", RC_DEFERRED, RC_DEFERRED, false, "the transaction stood still too long" },
    { "26",    RC_DEFERRED, RC_UNKNOWN,  true,  "a pooler lost a prepared statement" },
    { "28",    RC_BROKEN,   RC_UNKNOWN,  false, "it does not let this role in: see the user and the password in `ledger`, and the server's pg_hba.conf" },
    { "3D000", RC_BROKEN,   RC_UNKNOWN,  false, "there is no such database: CREATE DATABASE onecase OWNER onecase ENCODING 'UTF8' TEMPLATE template0" },
    { "40",    RC_DEFERRED, RC_UNKNOWN,  true,  "others wrote meanwhile" },
    { "40001", RC_DEFERRED, RC_DEFERRED, true,  "others wrote meanwhile" },
    { "40P01", RC_DEFERRED, RC_DEFERRED, true,  "others wrote meanwhile" },
    { "42501", RC_BROKEN,   RC_UNKNOWN,  false, "its role lacks a right: ALTER DATABASE onecase OWNER TO onecase, or as doc/several-machines.md says" },
    { "53",    RC_DEFERRED, RC_UNKNOWN,  false, "its server has no memory or no connections left" },
    { "53100", RC_DEFERRED, RC_UNKNOWN,  false, "its server's disk is full: make room there" },
    { "54",    RC_REFUSED,  RC_REFUSED,  false, "it is larger than a row may be" },
    { "55",    RC_DEFERRED, RC_UNKNOWN,  false, "another process holds it" },
    { "57",    RC_DEFERRED, RC_UNKNOWN,  true,  "its server is being stopped or started" },
    { "57014", RC_DEFERRED, RC_UNKNOWN,  false, "it was broken off" },
    { "58",    RC_BROKEN,   RC_UNKNOWN,  false, "its server's disk failed: see the server's log" },
    { "XX001", RC_BROKEN,   RC_UNKNOWN,  false, "it is damaged: stop the service and restore the database's last backup" },
    { "XX002", RC_BROKEN,   RC_UNKNOWN,  false, "it is damaged: stop the service and restore the database's last backup" },
};
/* clang-format on */

const size_t postgres_fault_count = LENGTH(postgres_faults);

static const struct postgres_fault *find(const char *state, size_t len)
{
    for (size_t i = 0; i < postgres_fault_count; i++)
        if (strlen(postgres_faults[i].state) == len &&
            strncmp(postgres_faults[i].state, state, len) == 0)
            return &postgres_faults[i];
    return NULL;
}

const struct postgres_fault *postgres_fault_of(const char *state)
{
    static const struct postgres_fault other = {"", RC_BROKEN, RC_UNKNOWN, false,
                                                "this program and its ledger do not fit together"};
    size_t len = state != NULL ? strlen(state) : 0;
    const struct postgres_fault *found = find(state != NULL ? state : "", len);

    if (found == NULL && len > 2)
        found = find(state, 2);
    return found != NULL ? found : &other;
}

const char *postgres_became(enum rc rc)
{
    if (rc == RC_DEFERRED)
        return "; nothing was written, and later it may be";
    return rc == RC_UNKNOWN ? "; whether it was written is not known" : "";
}

const struct postgres_fault *postgres_refusal_of(const char *message)
{
    static const struct {
        const char *words;
        const char *state;
    } refusals[] = {
        {"authentication failed", "28"}, {"no password supplied", "28"},
        {"no pg_hba.conf entry", "28"},  {"role \"", "28"},
        {"database \"", "3D000"},        {"session is read-only", "25006"},
    };
    static const struct postgres_fault nobody = {
        NO_SQLSTATE, RC_DEFERRED, RC_UNKNOWN, false,
        "its server does not answer, or lets nobody in yet"};

    static const struct postgres_fault stranger = {
        NO_SQLSTATE, RC_BROKEN, RC_UNKNOWN, false,
        "its server does not prove who it is: sslrootcert=FILE in `ledger` names an authority, and "
        "its"
        " certificate the host"};

    static const struct postgres_fault no_url = {
        NO_SQLSTATE, RC_BROKEN, RC_UNKNOWN, false,
        "`ledger` is no such URL: expected postgresql://USER@HOST:PORT/DATABASE"};

    if (strstr(message, "invalid ") != NULL && strstr(message, "connection option") != NULL)
        return &no_url;
    if (strstr(message, "certificate") != NULL || strstr(message, "does not support SSL") != NULL)
        return &stranger;
    for (size_t i = 0; i < LENGTH(refusals); i++)
        if (strstr(message, refusals[i].words) != NULL)
            return postgres_fault_of(refusals[i].state);
    return &nobody;
}
