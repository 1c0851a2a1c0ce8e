/* SPDX-License-Identifier: Apache-2.0 */
#include "service_p.h"

#include <onecase/when.h>

/* An inbox in which nothing happens is asked for news, and nothing else is read or written. Whatever is to be
 * done is done by a whole turn, which reads the claim folder before any step: whose the mailbox is, and that the
 * ledger is what it was, need not be known before. */

/* How long a server is believed that nothing has changed, and another deployment may go unseen that takes the
 * mailbox over while nothing comes. */
#define LOOK_ANEW_MS MINUTES(5)

/* Nothing in the ledger asks for a step, and nobody has changed what the last whole look left. */
static bool stands(const struct service *s)
{
    const struct quiet *q = &s->quiet;
    return q->known && !s->result->moved && s->record.version == q->version &&
           s->ledger.last_event == q->event && s->ledger.generation == q->generation &&
           service_now(s).boot_ms - q->looked_boot_ms < LOOK_ANEW_MS;
}

static enum rc something_due(struct service *s, bool *out, struct err *err)
{
    const struct ledger *l = s->port->ledger;
    struct instant now = service_now(s);
    CLEANUP(mem_free) struct doubt *doubt = NULL;
    size_t doubts = 0;
    int64_t due = NOT_DUE;
    *out = false;
    if (s->set->policy.look_only)
        return RC_OK;
    TRY(l->work->next_due(l->self, s->record.id, now, &due, err));
    if (s->set->evidence_folder[0] && now.boot_ms >= s->late_rests_boot_ms) /* at each poll */
        TRY(l->work->doubts(l->self, s->record.id, "", 1, &doubt, &doubts, err));
    *out = doubts > 0 || (due != NOT_DUE && due <= now.wall_ms);
    return RC_OK;
}

enum rc quiet_check(struct service *s, bool *out, struct err *err)
{
    const struct mailbox *m = s->port->mailbox;
    bool due = true;
    struct err why = ERR_INIT;
    *out = false;
    if (!stands(s))
        return RC_OK;
    TRY(something_due(s, &due, err));
    if (due)
        return RC_OK;
    if (m->unchanged(m->self, s->set->inbox, out, &why) != RC_OK)
        *out = false; /* the look that follows says what is wrong */
    return RC_OK;
}

/* Left for another turn: messages that were not given or could not be recorded, and all that is not ordinary. */
static bool settled(const struct service *s)
{
    const struct tick_result *r = s->result;
    const struct mailbox_record *m = &s->record;
    bool looked = !r->moved && !r->mailbox_failed && !r->disk_full && !r->other_owner[0];
    bool marked = s->set->policy.look_only || !s->set->claim_folder[0] ||
                  s->ledger.last_event <= m->marked_event;
    return looked && s->claim_read && !s->left_over && marked && !s->careful && !m->paused &&
           !m->hold_folder[0] && !m->scanning && m->backlog == 0 &&
           m->generation == s->ledger.generation &&
           m->circuit[CIRCUIT_IMAP].state == CIRCUIT_CLOSED;
}

void quiet_note(struct service *s)
{
    s->quiet = (struct quiet){
        .known = settled(s),
        .looked_boot_ms = service_now(s).boot_ms,
        .event = s->ledger.last_event,
        .generation = s->ledger.generation,
        .version = s->record.version,
    };
}
