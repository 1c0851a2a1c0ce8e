/* SPDX-License-Identifier: Apache-2.0 */
#include "service_p.h"

#include <onecase/when.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The claim folder holds a deed (who owns this mailbox: the lowest UID) and a mark (how far this
 * ledger had come) for each mailbox. Contract section 4. */

#define NOTES_TRIES 3

/* ---- reading notes ---------------------------------------------------------------------------- */

static void field(struct slice header, const char *name, char *out, size_t room)
{
    struct slice raw;
    CLEANUP(str_clear) struct str value = STR_INIT;
    if (header_first(header, name, &raw))
        header_unfold(raw, &value);
    text_copy(out, room, str_z(&value));
}

static int64_t number(struct slice header, const char *name)
{
    char text[32];
    field(header, name, text, sizeof text);
    return strtoll(text, NULL, 10);
}

static bool note_read(struct slice header, uint32_t uid, struct claim_note *out)
{
    struct slice raw;
    *out = (struct claim_note){.uid = uid};
    out->mark = header_first(header, "X-Onecase-Event", &raw);
    field(header, "X-Onecase-Ledger", out->ledger, sizeof out->ledger);
    field(header, "X-Onecase-Mailbox", out->mailbox, sizeof out->mailbox);
    field(header, "X-Onecase-Inbox", out->inbox, sizeof out->inbox);
    field(header, "X-Onecase-Name", out->name, sizeof out->name);
    field(header, "X-Onecase-Environment", out->environment, sizeof out->environment);
    field(header, "X-Onecase-Owner", out->owner, sizeof out->owner);
    out->generation = number(header, "X-Onecase-Generation");
    out->event = number(header, "X-Onecase-Event");
    field(header, "X-Onecase-Hash", out->hash, sizeof out->hash);
    return out->ledger[0] != '\0';
}

static const struct claim_note *remembered(const struct service *s, uint32_t uid)
{
    for (size_t i = 0; i < s->notes; i++)
        if (s->note[i].uid == uid)
            return &s->note[i];
    return NULL;
}

static enum rc note_of(
    struct service *s, uint32_t uidvalidity, uint32_t uid, struct claim_note *out, struct err *err)
{
    const struct claim_note *known =
        uidvalidity == s->claim_uidvalidity ? remembered(s, uid) : NULL;
    CLEANUP(str_clear) struct str header = STR_INIT;
    if (known) {
        *out = *known;
        return RC_OK;
    }
    struct place place = {s->set->claim_folder, uidvalidity};
    TRY(fetch_header(s, &place, uid, &header, err));
    if (!note_read(str_slice(&header), uid, out))
        *out =
            (struct claim_note){.uid = uid}; /* somebody else's message: remembered as nobody's */
    return RC_OK;
}

/* Notes of the messages of `line`; RC_NOT_FOUND where one of them has left since they were listed. */
static enum rc notes_of(struct service *s,
                        uint32_t uidvalidity,
                        const struct mail_line *line,
                        size_t count,
                        struct err *err)
{
    struct claim_note *note = mem_new(count + 1, sizeof *note);
    enum rc rc = RC_OK;
    for (size_t i = 0; i < count && rc == RC_OK; i++)
        rc = note_of(s, uidvalidity, line[i].uid, &note[i], err);
    if (rc != RC_OK) {
        free(note);
        return rc;
    }
    free(s->note);
    s->note = note;
    s->notes = count;
    s->claim_uidvalidity = uidvalidity;
    return RC_OK;
}

static enum rc notes_read_once(struct service *s, struct err *err)
{
    const struct mailbox *m = s->port->mailbox;
    struct folder_state f = {0};
    CLEANUP(mem_free) struct mail_line *line = NULL;
    size_t count = 0;
    enum rc rc = m->open(m->self, s->set->claim_folder, &f, err);
    if (rc == RC_OK)
        TRY(m->list(m->self, s->set->claim_folder, f.uidvalidity, 1, &line, &count, err));
    else if (rc != RC_NOT_FOUND)
        return rc;
    return notes_of(s, f.uidvalidity, line, count, err);
}

/* All of them or none: who misses a deed may take the mailbox for his own. A note leaves while they are
 * read where another installation takes over, or writes its mark anew. */
static enum rc notes_read(struct service *s, struct err *err)
{
    struct err why = ERR_INIT;
    enum rc rc = RC_NOT_FOUND;
    for (int tries = 0; tries < NOTES_TRIES && rc == RC_NOT_FOUND; tries++)
        rc = notes_read_once(s, &why);
    if (rc == RC_NOT_FOUND)
        return FAIL(err, RC_DEFERRED, "claim: messages leave folder '%s' while it is read",
                    s->set->claim_folder);
    return rc == RC_OK ? RC_OK : FAIL(err, rc, "%s", why.text);
}

/* ---- writing notes ---------------------------------------------------------------------------- */

static void line(struct str *out, const char *name, const char *value)
{
    str_addf(out, "X-Onecase-%s: ", name);
    for (; *value; value++)
        if ((unsigned char)*value >= ' ' && *value != 0x7f)
            str_addc(out, *value);
    str_addz(out, "\r\n");
}

static void line_number(struct str *out, const char *name, int64_t value)
{
    str_addf(out, "X-Onecase-%s: %lld\r\n", name, (long long)value);
}

static void note_write(const struct service *s, bool mark, struct str *out)
{
    char date[WHEN_TEXT_SIZE];
    when_mail_text(service_now(s).wall_ms, date);
    str_addf(out, "Date: %s\r\nFrom: onecase <onecase@onecase.invalid>\r\n", date);
    str_addf(out, "Subject: onecase: %s of mailbox %s\r\n", mark ? "mark" : "deed", s->record.id);
    str_addf(out, "Message-ID: <%s.%s.%s.%lld@onecase.invalid>\r\n", mark ? "mark" : "deed",
             s->ledger.id, s->record.id,
             (long long)(mark ? s->ledger.last_event : s->ledger.generation));
    str_addz(out, "Auto-Submitted: auto-generated\r\n");
    line(out, "Ledger", s->ledger.id);
    line(out, "Mailbox", s->record.id);
    line(out, "Inbox", s->set->inbox);
    line_number(out, "Generation", s->ledger.generation);
    line(out, "Name", s->set->name);
    line(out, "Environment", s->set->environment);
    line(out, "Owner", s->set->owner);
    if (mark)
        line_number(out, "Event", s->ledger.last_event);
    if (mark)
        line(out, "Hash", s->ledger.last_hash);
    str_addz(out, "\r\nThis message belongs to onecase, which takes in this mailbox. Please leave "
                  "it here.\r\n");
}

static enum rc note_append(struct service *s, bool mark, struct err *err)
{
    const struct mailbox *m = s->port->mailbox;
    CLEANUP(str_clear) struct str octets = STR_INIT;
    note_write(s, mark, &octets);
    return m->append(m->self, s->set->claim_folder, str_slice(&octets), err);
}

/* ---- whose mailbox is it? --------------------------------------------------------------------- */

static bool ours(const struct service *s, const struct claim_note *n)
{
    return strcmp(n->ledger, s->ledger.id) == 0 && strcmp(n->mailbox, s->record.id) == 0;
}

static bool own_deed(const struct service *s)
{
    for (size_t i = 0; i < s->notes; i++)
        if (!s->note[i].mark && ours(s, &s->note[i]))
            return true;
    return false;
}

/* The deed with the lowest UID among those for this inbox. */
static const struct claim_note *owner(const struct service *s)
{
    const struct claim_note *first = NULL;
    for (size_t i = 0; i < s->notes; i++) {
        const struct claim_note *n = &s->note[i];
        bool deed = !n->mark && n->ledger[0] && strcmp(n->inbox, s->set->inbox) == 0;
        if (deed && (!first || n->uid < first->uid))
            first = n;
    }
    return first;
}

/* Append, then read, before any effect. */
static enum rc claim_make(struct service *s, struct err *err)
{
    TRY(notes_read(s, err));
    if (own_deed(s))
        return RC_OK;
    TRY(note_append(s, false, err));
    TRY(notes_read(s, err));
    return own_deed(s) ? RC_OK : FAIL(err, RC_DEFERRED, "claim: our deed cannot be read back");
}

static void claim_lost(struct service *s, const struct claim_note *to)
{
    snprintf(s->result->other_owner, sizeof s->result->other_owner, "%s (%s)",
             to->name[0] ? to->name : to->ledger, to->environment);
    if (strcmp(s->record.claim_owner, s->result->other_owner) != 0) {
        log_event(LOG_ERROR, "claim.lost", "mailbox=%s owner=\"%s\"", s->record.id,
                  s->result->other_owner);
        text_copy(s->record.claim_owner, sizeof s->record.claim_owner, s->result->other_owner);
        s->record_changed = true;
    }
}

static enum rc
take_over(struct service *s, const struct claim_note *from, bool *taken, struct err *err)
{
    const struct mailbox *m = s->port->mailbox;
    *taken = s->set->take_over[0] && strcmp(s->set->take_over, from->name) == 0;
    if (!*taken)
        return RC_OK;
    log_event(LOG_WARN, "claim.taken-over", "mailbox=%s from=\"%s\"", s->record.id, from->name);
    text_copy(s->record.taken_from, sizeof s->record.taken_from, from->name);
    TRY(m->remove(m->self, s->set->claim_folder, s->claim_uidvalidity, from->uid, err));
    return notes_read(s, err);
}

/* ---- did the ledger go back in time? ---------------------------------------------------------- */

/* The ledger that wrote this mark had come so far: has this one? By the line's hash, since a ledger
 * that was restored has lines of its own under these numbers as soon as somebody enters it. */
static enum rc
mark_stands(struct service *s, const struct claim_note *mark, bool *out, struct err *err)
{
    const struct ledger *l = s->port->ledger;
    *out = mark->generation < s->ledger.generation;
    if (mark->generation != s->ledger.generation)
        return RC_OK;
    enum rc rc = l->runs->knows(l->self, mark->event, mark->hash, err);
    *out = rc == RC_OK;
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static enum rc marks_stand(struct service *s, bool *out, struct err *err)
{
    *out = true;
    for (size_t i = 0; i < s->notes && *out; i++)
        if (s->note[i].mark && ours(s, &s->note[i]))
            TRY(mark_stands(s, &s->note[i], out, err));
    return RC_OK;
}

/* The highest that a mark of ours has seen: a generation is never used twice. */
static int64_t generation_seen(const struct service *s)
{
    int64_t seen = 0;
    for (size_t i = 0; i < s->notes; i++)
        if (s->note[i].mark && ours(s, &s->note[i]) && s->note[i].generation > seen)
            seen = s->note[i].generation;
    return seen;
}

/* From this commit on nothing that may have been sent is sent by itself, and what Processed holds
 * beyond what the ledger remembers gets its case. */
static enum rc rewind_mailbox(struct service *s, struct err *err)
{
    const struct mailbox *m = s->port->mailbox;
    const struct ledger *l = s->port->ledger;
    struct folder_state f = {0};
    TRY(m->open(m->self, s->set->inbox, &f, err));
    s->record.rewind = (struct rewind){f.uidvalidity, f.uidnext, service_now(s).wall_ms};
    s->record.scanning = s->set->policy.folder_processed[0] != '\0';
    if (generation_seen(s) > s->record.generation)
        s->record.generation = generation_seen(s);
    TRY(l->mailboxes->rewind(l->self, &s->record, service_now(s), err));
    s->result->moved = true;
    TRY(l->runs->facts(l->self, &s->ledger, err));
    log_event(LOG_ERROR, "ledger.went-back", "mailbox=%s generation=%lld", s->record.id,
              (long long)s->ledger.generation);
    return RC_OK;
}

static enum rc rewind_if_needed(struct service *s, bool forced, struct err *err)
{
    const struct ledger *l = s->port->ledger;
    bool fresh = s->record.generation == 0 && s->record.import_before_ms == 0;
    bool stand;
    if (fresh) {
        s->record.generation = s->ledger.generation;
        s->record_changed = true;
    }
    if (s->record.generation !=
        s->ledger.generation) /* or another run raised it in this very turn */
        TRY(l->runs->facts(l->self, &s->ledger, err));
    TRY(marks_stand(s, &stand, err));
    if (forced || !stand || s->record.generation != s->ledger.generation)
        return rewind_mailbox(s, err);
    return RC_OK;
}

static enum rc claim_judge(struct service *s, struct err *err)
{
    bool taken = false;
    TRY(claim_make(s, err));
    const struct claim_note *first = owner(s);
    if (first && strcmp(first->ledger, s->ledger.id) != 0)
        TRY(take_over(s, first, &taken, err));
    first = owner(s);
    if (first && strcmp(first->ledger, s->ledger.id) != 0) {
        claim_lost(s, first);
        return RC_OK;
    }
    s->record_changed |= !s->record.claimed || s->record.claim_owner[0];
    s->record.claimed = true;
    s->record.claim_owner[0] = '\0';
    return rewind_if_needed(s, taken, err);
}

static bool claims(const struct service *s)
{
    return s->set->claim_folder[0] && !s->set->policy.look_only;
}

enum rc claim_check(struct service *s, struct err *err)
{
    s->claim_read |= !claims(s);
    if (!claims(s))
        return RC_OK;
    struct err why = ERR_INIT;
    enum rc rc = claim_judge(s, &why);
    if (rc ==
        RC_OK) /* whose it is holds until somebody has looked again, whatever fails in between */
        s->claim_read = !s->result->other_owner[0];
    if (rc == RC_DEFERRED || rc == RC_REFUSED || rc == RC_UNKNOWN || rc == RC_NOT_FOUND) {
        service_mailbox_fault(s, &why);
        return RC_OK;
    }
    if (rc == RC_CONFLICT) { /* another run was quicker; the next turn looks again */
        s->result->mailbox_failed = true;
        s->result->moved = true;
        return RC_OK;
    }
    return rc == RC_OK ? RC_OK : FAIL(err, rc, "%s", why.text);
}

/* ---- the mark: how far this ledger has come --------------------------------------------------- */

static enum rc mark_replace(struct service *s, struct err *err)
{
    const struct mailbox *m = s->port->mailbox;
    TRY(note_append(s, true, err));
    s->record.marked_event = s->ledger.last_event;
    s->record_changed = true;
    for (size_t i = 0; i < s->notes; i++) {
        const struct claim_note *n = &s->note[i];
        if (n->mark && ours(s, n))
            TRY(m->remove(m->self, s->set->claim_folder, s->claim_uidvalidity, n->uid, err));
    }
    return RC_OK;
}

enum rc claim_mark(struct service *s, struct err *err)
{
    if (!claims(s) || s->result->mailbox_failed || s->result->other_owner[0])
        return RC_OK;
    const struct ledger *l = s->port->ledger;
    TRY(l->runs->facts(l->self, &s->ledger, err));
    if (s->ledger.last_event <= s->record.marked_event)
        return RC_OK;
    struct err why = ERR_INIT;
    enum rc rc = mark_replace(s, &why);
    if (rc == RC_BROKEN)
        return FAIL(err, rc, "%s", why.text);
    if (rc != RC_OK)
        service_mailbox_fault(s, &why);
    s->marked_boot_ms = service_now(s).boot_ms;
    return RC_OK;
}
