/* SPDX-License-Identifier: Apache-2.0 */
#include "service_p.h"

#include <stdlib.h>
#include <string.h>

/* Contract section 8, pause --hold: while a mailbox is paused its new mail is moved aside, recorded
 * first, and brought back once it goes on. A delivery keeps its place in the ledger: what is moved is
 * known where it lies. A death between the move and its record leaves a message that is known by its
 * octets: it is brought back all the same, and seen as one more copy. */

static enum rc soften(struct service *s, enum rc rc, const struct err *why, struct err *err)
{
    if (rc == RC_OK || rc == RC_CONFLICT || rc == RC_NOT_FOUND)
        return RC_OK;
    if (rc == RC_BROKEN)
        return FAIL(err, rc, "%s", why->text);
    service_mailbox_fault(s, why);
    return RC_OK;
}

static enum rc record_moves(struct service *s,
                            const struct held_message *message,
                            const struct move_result *moved,
                            size_t count,
                            const char *to,
                            struct err *err)
{
    const struct ledger *l = s->port->ledger;
    bool back = strcmp(to, s->set->inbox) == 0;
    for (size_t i = 0; i < count; i++) {
        const struct held_message now_there = {message[i].delivery, moved[i].new_uidvalidity,
                                               moved[i].new_uid};
        if (moved[i].moved != MOVED_YES || moved[i].new_uid == 0 || message[i].delivery == 0)
            continue;
        TRY(l->operators->hold_moved(l->self, &now_there, to, back, service_now(s), err));
    }
    return RC_OK;
}

/* Moves what is named, all under one UIDVALIDITY, and records where each lies now. */
static enum rc move_all(struct service *s,
                        const struct place *from,
                        const struct held_message *message,
                        size_t count,
                        const char *to,
                        struct err *err)
{
    const struct mailbox *m = s->port->mailbox;
    CLEANUP(mem_free) struct move_result *moved = mem_new(count + 1, sizeof *moved);
    struct err why = ERR_INIT;
    if (count == 0)
        return RC_OK;
    for (size_t i = 0; i < count; i++)
        moved[i] = (struct move_result){.uid = message[i].uid};
    enum rc rc = m->move(m->self, from->folder, from->uidvalidity, moved, count, to, &why);
    s->result->moved = true;
    TRY(record_moves(s, message, moved, count, to, err));
    return soften(s, rc, &why, err);
}

/* Leaves those that the place's UIDs mean. */
static size_t keep_current(struct held_message *message, size_t count, uint32_t uidvalidity)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (message[i].uidvalidity == uidvalidity)
            message[kept++] = message[i];
    return kept;
}

/* ---- while it is paused -------------------------------------------------------------------------------- */

enum rc hold_new(struct service *s, struct err *err)
{
    const struct ledger *l = s->port->ledger;
    CLEANUP(mem_free) struct held_message *message = NULL;
    size_t count = 0;
    if (!s->record.paused || !s->record.hold_folder[0] || s->result->mailbox_failed ||
        s->set->policy.look_only)
        return RC_OK;
    const struct place inbox = {s->set->inbox, s->record.uidvalidity};
    int64_t asked_boot_ms = service_now(s).boot_ms;
    TRY(l->operators->held(l->self, s->record.id, inbox.folder, true, &message, &count, err));
    count = keep_current(message, count, inbox.uidvalidity);
    if (!service_in_time(s, asked_boot_ms)) /* the pause may be over */
        return RC_OK;
    return move_all(s, &inbox, message, count, s->record.hold_folder, err);
}

/* ---- once it goes on ----------------------------------------------------------------------------------- */

static int64_t delivery_at(const struct held_message *known, size_t count, uint32_t uid)
{
    for (size_t i = 0; i < count; i++)
        if (known[i].uid == uid)
            return known[i].delivery;
    return 0;
}

/* What lies in the folder, and what of it is ours. */
struct aside {
    struct place place;
    struct mail_line *line; /* owned */
    size_t lines;
    struct held_message *ours; /* owned */
    size_t count;
};

static void aside_clear(struct aside *a)
{
    free(a->line);
    free(a->ours);
}

/* Ours by its place, or by its octets; what somebody else put into the folder stays there. */
static enum rc choose_ours(struct service *s, struct aside *a, struct err *err)
{
    const struct ledger *l = s->port->ledger;
    CLEANUP(mem_free) struct held_message *known = NULL;
    CLEANUP(mem_free) struct digest *digest = mem_new(a->lines + 1, sizeof *digest);
    size_t knowns = 0;
    TRY(l->operators->held(l->self, s->record.id, a->place.folder, false, &known, &knowns, err));
    knowns = keep_current(known, knowns, a->place.uidvalidity);
    TRY(fetch_digests(s, &a->place, a->line, a->lines, digest, err));
    a->ours = mem_new(a->lines + 1, sizeof *a->ours);
    for (size_t i = 0; i < a->lines; i++) {
        int64_t any, delivery = delivery_at(known, knowns, a->line[i].uid);
        if (delivery == 0 &&
            l->intake->octets_known(l->self, s->record.id, &digest[i], &any, err) != RC_OK)
            continue;
        a->ours[a->count++] = (struct held_message){delivery, a->place.uidvalidity, a->line[i].uid};
    }
    return RC_OK;
}

static enum rc bring_back(struct service *s, const struct folder_state *f, struct err *err)
{
    const struct mailbox *m = s->port->mailbox;
    CLEANUP(aside_clear) struct aside a = {.place = {s->record.hold_folder, f->uidvalidity}};
    struct err why = ERR_INIT;
    enum rc rc = m->list(m->self, a.place.folder, a.place.uidvalidity, 1, &a.line, &a.lines, &why);
    if (rc == RC_OK)
        rc = choose_ours(s, &a, &why);
    if (rc != RC_OK)
        return soften(s, rc, &why, err);
    return move_all(s, &a.place, a.ours, a.count, s->set->inbox, err);
}

enum rc hold_back(struct service *s, struct err *err)
{
    const struct mailbox *m = s->port->mailbox;
    const struct ledger *l = s->port->ledger;
    struct folder_state f = {0};
    struct err why = ERR_INIT;
    if (s->record.paused || !s->record.hold_folder[0] || s->result->mailbox_failed)
        return RC_OK;
    enum rc rc = m->open(m->self, s->record.hold_folder, &f, &why);
    if (rc == RC_OK)
        TRY(bring_back(s, &f, err));
    else if (rc != RC_NOT_FOUND)
        return soften(s, rc, &why, err);
    if (s->result->mailbox_failed)
        return RC_OK;
    TRY(l->operators->hold_over(l->self, s->record.id, service_now(s), err));
    s->record.hold_folder[0] = '\0';
    return l->mailboxes->load(l->self, s->set->policy.mailbox, &s->record, err);
}
