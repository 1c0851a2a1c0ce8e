/* SPDX-License-Identifier: Apache-2.0 */
#include "imap_p.h"

enum rc folder_make(struct imap_mailbox *m, const char *wire, struct err *err)
{
    struct err why = ERR_INIT;
    enum rc rc;

    command_begin(m, BUDGET_SMALL);
    rc = command_end(m, mailimap_create(m->session, wire), "make a folder", &why);
    if (rc != RC_OK && rc != RC_CONFLICT) {
        *err = why;
        return rc == RC_NOT_FOUND ? RC_REFUSED : rc;
    }
    command_begin(m, BUDGET_SMALL);
    rc = command_end(m, mailimap_subscribe(m->session, wire), "subscribe to a folder", &why);
    if (m->session == NULL) {
        *err = why;
        return rc;
    }
    return RC_OK; /* a folder that cannot be subscribed to will do */
}

static enum rc
append_to(struct imap_mailbox *m, const char *wire, struct slice octets, struct err *err)
{
    int result;

    command_begin(m, BUDGET_SMALL);
    result = mailimap_append(m->session, wire, NULL, NULL, octets.at, octets.len);
    return command_end(m, result, "add a message", err);
}

/* Makes the folder where it is missing; some servers say so only by a plain no. */
static enum rc
append_or_make(struct imap_mailbox *m, const char *wire, struct slice octets, struct err *err)
{
    enum rc rc = append_to(m, wire, octets, err);

    if (rc != RC_NOT_FOUND && !(rc == RC_DEFERRED && folder_missing(m, wire)))
        return rc;
    TRY(folder_make(m, wire, err));
    return append_to(m, wire, octets, err);
}

enum rc imap_append(void *self, const char *folder, struct slice octets, struct err *err)
{
    struct imap_mailbox *m = self;
    CLEANUP(str_clear) struct str wire = STR_INIT;
    enum rc rc;

    if (octets.len == 0 || slice_find(octets, '\0', 0) < octets.len)
        return FAIL(err, RC_REFUSED, "imap: a message that is empty or holds a NUL is not added");
    TRY(session_ready(m, err));
    TRY(name_to_wire(&m->names, folder, &wire, err));
    TRY(select_for_append(m, folder, &wire, err));
    rc = append_or_make(m, str_z(&wire), octets, err);
    if (rc == RC_OK || m->answered)
        return rc;
    err->rc = RC_UNKNOWN; /* lost in the middle: it may be there */
    return RC_UNKNOWN;
}
