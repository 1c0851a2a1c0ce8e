/* SPDX-License-Identifier: Apache-2.0 */
#include "imap_p.h"

/* A server says what has changed in the folder that is open when it is spoken to (RFC 9051 section 7): a NOOP
 * is all that it takes. */
enum rc imap_unchanged(void *self, const char *folder, bool *out, struct err *err)
{
    struct imap_mailbox *m = self;
    bool known = m->just_waited;

    *out = false;
    if (m->connection == NULL || !select_listed(m, folder))
        return RC_OK;
    if (!connection_alive(m->connection))
        return RC_OK;
    if (!known) {
        command_begin(m, BUDGET_SMALL);
        TRY(command_end(m, mailimap_noop(m->session), "ask for news", err));
    }
    *out = select_listed(m, folder);
    return RC_OK;
}
