/* SPDX-License-Identifier: Apache-2.0 */
#include "service_p.h"

#include <stdlib.h>

/* A server that cannot be used now is remembered and left alone for a while; only the ledger's and
 * the disk's own failures end the turn. RC_CONFLICT: the folder was renumbered under our hands. */
static enum rc soften(struct service *s, enum rc rc, const struct err *why, struct err *err)
{
    if (rc == RC_OK || rc == RC_CONFLICT || rc == RC_NOT_FOUND)
        return RC_OK;
    if (rc == RC_BROKEN)
        return FAIL(err, rc, "%s", why->text);
    service_mailbox_fault(s, why);
    return RC_OK;
}

/* Another UIDVALIDITY, or a UIDNEXT that fell back: every UID we know means something else now. */
static enum rc notice_renumbering(struct service *s, const struct folder_state *f, struct err *err)
{
    struct mailbox_record *r = &s->record;
    bool known = r->uidvalidity != 0;
    bool renumbered = known && (f->uidvalidity != r->uidvalidity || f->uidnext < r->uidnext);
    s->record_changed |= f->uidvalidity != r->uidvalidity || f->uidnext != r->uidnext;
    r->uidvalidity = f->uidvalidity;
    r->uidnext = f->uidnext;
    if (!renumbered)
        return RC_OK;
    const struct ledger *l = s->port->ledger;
    TRY(l->mailboxes->renumber(l->self, r, s->set->inbox, service_now(s), err));
    s->result->moved = true;
    log_event(LOG_WARN, "mailbox.renumbered", "mailbox=%s uidvalidity=%u", r->id,
              (unsigned)f->uidvalidity);
    return RC_OK;
}

/* What stands in Processed before we file anything is nothing that a ledger could have forgotten. */
static enum rc first_look_filed(struct service *s, struct err *err)
{
    const struct mailbox *m = s->port->mailbox;
    const char *folder = s->set->policy.folder_processed;
    struct folder_state f = {0};
    struct err why = ERR_INIT;
    enum rc rc = folder[0] ? m->open(m->self, folder, &f, &why) : RC_OK;
    s->record.processed_uidvalidity = f.uidvalidity;
    s->record.processed_uidnext = f.uidnext;
    return soften(s, rc, &why, err);
}

/* The first look draws the line between mail from before and mail that comes while we watch. */
static enum rc first_look(struct service *s, const struct folder_state *f, struct err *err)
{
    struct mailbox_record *r = &s->record;
    if (r->import_before_ms != 0)
        return RC_OK;
    TRY(first_look_filed(s, err));
    if (s->result->mailbox_failed)
        return RC_OK;
    r->import_before_ms = service_now(s).wall_ms - s->set->first_import_recent_ms;
    r->import_uidvalidity = f->uidvalidity;
    r->import_uidnext = f->uidnext;
    r->uidvalidity = f->uidvalidity;
    r->uidnext = f->uidnext;
    const struct ledger *l = s->port->ledger;
    return l->mailboxes->save(l->self, r, service_now(s), err);
}

bool from_before(const struct mailbox_record *r, uint32_t uidvalidity, const struct mail_line *line)
{
    bool old = line->internal_ms < r->import_before_ms;
    return old && (uidvalidity != r->import_uidvalidity || line->uid < r->import_uidnext);
}

/* What somebody moved or deleted before it was filed. */
static enum rc compare(struct service *s,
                       const struct place *place,
                       const uint32_t *uid,
                       size_t count,
                       struct err *err)
{
    const struct ledger *l = s->port->ledger;
    int64_t missing;
    TRY(l->intake->missing(l->self, s->record.id, place->folder, place->uidvalidity, uid, count,
                           &missing, err));
    s->record_changed |= missing != s->record.difference;
    s->record.difference = missing;
    return RC_OK;
}

/* ---- what is new ------------------------------------------------------------------------------ */

/* A UID means one message as long as its UIDVALIDITY lasts; where a folder was restored from an old copy, and
 * its UIDNEXT has come back before anybody looked, it does not. What gives that away is read again. */
static enum rc look_again(struct service *s,
                          const struct place *place,
                          const struct mail_line *line,
                          struct sighting *at,
                          struct err *err)
{
    const struct ledger *l = s->port->ledger;
    struct digest octets = {{0}};
    struct err why = ERR_INIT;
    enum rc rc = fetch_digests(s, place, line, 1, &octets, &why);
    if (rc != RC_OK)
        return soften(s, rc, &why, err);
    TRY(l->intake->reused(l->self, s->record.id, place->folder, place->uidvalidity, at, &octets,
                          service_now(s), &at->unseen, err));
    if (at->unseen)
        log_event(LOG_WARN, "mailbox.uid-reused", "mailbox=%s uid=%u", s->record.id,
                  (unsigned)at->uid);
    return RC_OK;
}

/* Which of the folder's UIDs the ledger has not seen. */
static enum rc look_up(struct service *s,
                       const struct place *place,
                       const struct mail_line *line,
                       struct sighting *at,
                       size_t count,
                       struct err *err)
{
    const struct ledger *l = s->port->ledger;
    if (count == 0)
        return RC_OK;
    TRY(l->intake->unseen(l->self, s->record.id, place->folder, place->uidvalidity, at, count,
                          err));
    for (size_t i = 0; i < count; i++)
        if (at[i].otherwise && !s->result->mailbox_failed)
            TRY(look_again(s, place, &line[i], &at[i], err));
    return RC_OK;
}

/* Leaves in `line` what is new and may be recorded, and returns how many wait for the choice. */
static int64_t part(const struct service *s,
                    uint32_t uidvalidity,
                    struct mail_line *line,
                    const struct sighting *at,
                    size_t *count)
{
    bool undecided = s->record.import == IMPORT_NOT_ASKED || s->record.import == IMPORT_WAITING;
    size_t kept = 0;
    int64_t awaiting = 0;
    for (size_t i = 0; i < *count; i++) {
        if (!at[i].unseen)
            continue;
        if (undecided && from_before(&s->record, uidvalidity, &line[i]))
            awaiting++;
        else
            line[kept++] = line[i];
    }
    *count = kept;
    return awaiting;
}

static enum rc choose_new(struct service *s,
                          const struct place *place,
                          struct mail_line *line,
                          size_t *count,
                          struct err *err)
{
    CLEANUP(mem_free) uint32_t *uid = mem_new(*count + 1, sizeof *uid);
    CLEANUP(mem_free) struct sighting *at = mem_new(*count + 1, sizeof *at);
    for (size_t i = 0; i < *count; i++) {
        uid[i] = line[i].uid;
        at[i] = (struct sighting){.uid = line[i].uid, .internal_ms = line[i].internal_ms};
    }
    TRY(look_up(s, place, line, at, *count, err));
    TRY(compare(s, place, uid, *count, err));
    int64_t awaiting = part(s, place->uidvalidity, line, at, count);
    s->record_changed |= awaiting != s->record.awaiting || (int64_t)*count != s->record.backlog;
    s->record.awaiting = awaiting;
    s->record.backlog = (int64_t)*count;
    return RC_OK;
}

static bool room_on_disk(struct service *s)
{
    int64_t space = 0;
    struct err err = ERR_INIT;
    if (s->set->disk_reserve <= 0)
        return true;
    if (s->port->files->space(s->port->files->self, &space, &err) != RC_OK)
        return true;
    s->result->disk_full = space < s->set->disk_reserve;
    if (s->result->disk_full)
        log_event(LOG_ERROR, "disk.full", "mailbox=%s free=%lld", s->record.id, (long long)space);
    return !s->result->disk_full;
}

/* One set: what came is reserved, also where the connection broke behind it. What did not come of the inbox
 * is listed again; of Processed nothing may be left out, since it is looked through once. */
static enum rc take_set(struct service *s,
                        const struct place *place,
                        const struct mail_line *line,
                        size_t count,
                        bool filed,
                        struct err *err)
{
    CLEANUP(fetched_clear) struct fetched_set caught = {0};
    struct err why = ERR_INIT;
    enum rc fetch = fetch_messages(s, place, line, count, &caught, &why);
    if (fetch == RC_OK && filed && caught.count < count)
        fetch = FAIL(&why, RC_DEFERRED, "a message that '%s' lists is not given", place->folder);
    if (caught.count > 0)
        TRY(intake_reserve(s, place, &caught, filed, err));
    s->record.backlog -= (int64_t)caught.count;
    return soften(s, fetch, &why, err);
}

/* What is more than one set takes its time: how much there is stands in the ledger before it begins, and
 * falls with each that is recorded. */
static enum rc announce(struct service *s, size_t count, struct err *err)
{
    const struct ledger *l = s->port->ledger;
    struct err why = ERR_INIT;
    if (count <= s->set->batch)
        return RC_OK;
    enum rc rc = l->mailboxes->save(l->self, &s->record, service_now(s), &why);
    return rc == RC_OK || rc == RC_CONFLICT ? RC_OK : FAIL(err, rc, "%s", why.text);
}

static void tell_progress(const struct service *s, size_t done, size_t count)
{
    if (s->set->taken_in && count > s->set->batch)
        s->set->taken_in(s->set->taken_in_ctx, (int64_t)(done < count ? done : count),
                         (int64_t)count);
}

/* Fetches and reserves in sets, so that a broken connection repeats little. */
static enum rc take_in(struct service *s,
                       const struct place *place,
                       const struct mail_line *line,
                       size_t count,
                       bool filed,
                       struct err *err)
{
    size_t size = s->careful ? 1 : s->set->batch;
    for (size_t at = 0; at < count && !s->result->mailbox_failed; at += size) {
        if (s->stopping || !room_on_disk(s))
            return RC_OK;
        TRY(take_set(s, place, line + at, count - at < size ? count - at : size, filed, err));
        tell_progress(s, at + size, count);
        TRY(service_renew(s, err));
    }
    return RC_OK;
}

static enum rc take_new(struct service *s, const struct folder_state *f, struct err *err)
{
    const struct mailbox *m = s->port->mailbox;
    CLEANUP(mem_free) struct mail_line *line = NULL;
    size_t count = 0;
    struct err why = ERR_INIT;
    enum rc rc = m->list(m->self, s->set->inbox, f->uidvalidity, 1, &line, &count, &why);
    if (rc != RC_OK)
        return soften(s, rc, &why, err);
    struct place place = {s->set->inbox, f->uidvalidity};
    TRY(choose_new(s, &place, line, &count, err));
    TRY(announce(s, count, err));
    return take_in(s, &place, line, count, false, err);
}

enum rc observe(struct service *s, struct err *err)
{
    const struct mailbox *m = s->port->mailbox;
    struct folder_state f = {0};
    struct err why = ERR_INIT;
    enum rc rc = m->open(m->self, s->set->inbox, &f, &why);
    if (rc != RC_OK) {
        if (rc == RC_NOT_FOUND)
            service_mailbox_fault(s, &why);
        return soften(s, rc, &why, err);
    }
    TRY(first_look(s, &f, err));
    if (s->result->mailbox_failed)
        return RC_OK;
    TRY(notice_renumbering(s, &f, err));
    return take_new(s, &f, err);
}

/* ---- after the ledger went back in time: what is filed and forgotten ------------------------- */

/* Leaves in `line` what no delivery has the octets of. */
static enum rc choose_forgotten(struct service *s,
                                const struct place *place,
                                struct mail_line *line,
                                size_t *count,
                                struct err *err)
{
    const struct ledger *l = s->port->ledger;
    CLEANUP(mem_free) struct digest *digest = mem_new(*count + 1, sizeof *digest);
    size_t kept = 0;
    TRY(fetch_digests(s, place, line, *count, digest, err));
    for (size_t i = 0; i < *count; i++) {
        int64_t delivery;
        struct err why = ERR_INIT;
        enum rc rc = l->intake->octets_known(l->self, s->record.id, &digest[i], &delivery, &why);
        if (rc == RC_NOT_FOUND)
            line[kept++] = line[i];
        else if (rc != RC_OK && rc != RC_NOT_FOUND)
            return FAIL(err, rc, "%s", why.text);
    }
    *count = kept;
    return RC_OK;
}

static enum rc take_filed(struct service *s, const struct folder_state *f, struct err *err)
{
    const struct mailbox *m = s->port->mailbox;
    struct place place = {s->set->policy.folder_processed, f->uidvalidity};
    uint32_t from =
        f->uidvalidity == s->record.processed_uidvalidity ? s->record.processed_uidnext : 1;
    CLEANUP(mem_free) struct mail_line *line = NULL;
    size_t count = 0;
    struct err why = ERR_INIT;
    enum rc rc = m->list(m->self, place.folder, f->uidvalidity, from, &line, &count, &why);
    if (rc == RC_OK)
        rc = choose_forgotten(s, &place, line, &count, &why);
    if (rc != RC_OK)
        return soften(s, rc, &why, err);
    return take_in(s, &place, line, count, true, err);
}

static enum rc scan_ends(struct service *s, const struct folder_state *f, struct err *err)
{
    if (s->result->mailbox_failed || s->result->disk_full || s->stopping)
        return RC_OK;
    s->record.scanning = false;
    s->record.processed_uidvalidity = f->uidvalidity;
    s->record.processed_uidnext = f->uidnext;
    const struct ledger *l = s->port->ledger;
    return l->mailboxes->save(l->self, &s->record, service_now(s), err);
}

/* How far Processed is accounted for: everything below was filed by us or stands there otherwise. A
 * ledger that goes back in time reads on from what it remembers. */
enum rc observe_filed(struct service *s, struct err *err)
{
    const struct mailbox *m = s->port->mailbox;
    const char *folder = s->set->policy.folder_processed;
    if (!s->record.scanning || !folder[0])
        return RC_OK;
    struct folder_state f = {0};
    struct err why = ERR_INIT;
    enum rc rc = m->open(m->self, folder, &f, &why);
    if (rc == RC_NOT_FOUND)
        return scan_ends(s, &f, err);
    if (rc != RC_OK)
        return soften(s, rc, &why, err);
    TRY(take_filed(s, &f, err));
    return scan_ends(s, &f, err);
}
