/* SPDX-License-Identifier: Apache-2.0 */
#include "decorate.h"

#include "point.h"

#include <stdio.h>

static struct ledger_runs real_runs;
static struct ledger_mailboxes real_mailboxes;
static struct ledger_intake real_intake;
static struct ledger_work real_work;
static struct ledger_people real_people;

/* ---- runs --------------------------------------------------------------------------------------- */

AT_POINT(runs, facts, (void *self, struct ledger_facts *out, struct err *err), self, out, err)
AT_POINT(runs,
         enter,
         (void *self, const struct run_facts *run, struct instant now, struct err *err),
         self,
         run,
         now,
         err)
AT_POINT(runs,
         others,
         (void *self, const char *run, struct run_facts **out, size_t *count, struct err *err),
         self,
         run,
         out,
         count,
         err)
AT_POINT(runs,
         bury,
         (void *self, const char *dead, const char *by, struct instant now, struct err *err),
         self,
         dead,
         by,
         now,
         err)
AT_POINT(runs,
         renew,
         (void *self, const char *run, struct instant now, int64_t lease_ms, struct err *err),
         self,
         run,
         now,
         lease_ms,
         err)
AT_POINT(runs,
         leave,
         (void *self, const char *run, struct instant now, struct err *err),
         self,
         run,
         now,
         err)

AT_POINT(runs,
         knows,
         (void *self, int64_t event, const char *hash, struct err *err),
         self,
         event,
         hash,
         err)

AT_POINT(runs,
         share,
         (void *self,
          const char *run,
          const char *mailbox,
          int64_t lease_ms,
          bool *ours,
          struct err *err),
         self,
         run,
         mailbox,
         lease_ms,
         ours,
         err)

static const struct ledger_runs runs = {
    runs_facts, runs_enter, runs_others, runs_bury, runs_renew, runs_leave, runs_knows, runs_share,
};

/* ---- mailboxes ---------------------------------------------------------------------------------- */

AT_POINT(mailboxes,
         load,
         (void *self, const char *mailbox, struct mailbox_record *out, struct err *err),
         self,
         mailbox,
         out,
         err)
AT_POINT(mailboxes,
         save,
         (void *self, struct mailbox_record *record, struct instant now, struct err *err),
         self,
         record,
         now,
         err)
AT_POINT(mailboxes,
         rewind,
         (void *self, struct mailbox_record *record, struct instant now, struct err *err),
         self,
         record,
         now,
         err)
AT_POINT(mailboxes,
         renumber,
         (void *self,
          struct mailbox_record *record,
          const char *folder,
          struct instant now,
          struct err *err),
         self,
         record,
         folder,
         now,
         err)
AT_POINT(mailboxes,
         choose_import,
         (void *self,
          const char *mailbox,
          enum import_choice choice,
          const char *by,
          struct instant now,
          struct err *err),
         self,
         mailbox,
         choice,
         by,
         now,
         err)

AT_POINT(mailboxes,
         note_quota,
         (void *self,
          const char *mailbox,
          const struct quota *quota,
          struct instant now,
          struct err *err),
         self,
         mailbox,
         quota,
         now,
         err)

static const struct ledger_mailboxes mailboxes = {
    mailboxes_load,     mailboxes_save,          mailboxes_rewind,
    mailboxes_renumber, mailboxes_choose_import, mailboxes_note_quota,
};

/* ---- intake ------------------------------------------------------------------------------------- */

AT_POINT(intake,
         unseen,
         (void *self,
          const char *mailbox,
          const char *folder,
          uint32_t uidvalidity,
          struct sighting *at,
          size_t count,
          struct err *err),
         self,
         mailbox,
         folder,
         uidvalidity,
         at,
         count,
         err)
AT_POINT(intake,
         reused,
         (void *self,
          const char *mailbox,
          const char *folder,
          uint32_t uidvalidity,
          const struct sighting *at,
          const struct digest *octets,
          struct instant now,
          bool *out,
          struct err *err),
         self,
         mailbox,
         folder,
         uidvalidity,
         at,
         octets,
         now,
         out,
         err)
AT_POINT(intake,
         reserve,
         (void *self,
          const char *run,
          struct instant now,
          int64_t lease_ms,
          const struct policy *policy,
          const struct arrival *arrival,
          size_t count,
          struct reservation *out,
          struct err *err),
         self,
         run,
         now,
         lease_ms,
         policy,
         arrival,
         count,
         out,
         err)
AT_POINT(intake,
         octets_known,
         (void *self,
          const char *mailbox,
          const struct digest *octets,
          int64_t *delivery,
          struct err *err),
         self,
         mailbox,
         octets,
         delivery,
         err)
AT_POINT(intake,
         begin_reading,
         (void *self,
          const char *mailbox,
          const struct digest *octets,
          unsigned *deaths,
          struct err *err),
         self,
         mailbox,
         octets,
         deaths,
         err)
AT_POINT(intake,
         end_reading,
         (void *self, const char *mailbox, const struct digest *octets, struct err *err),
         self,
         mailbox,
         octets,
         err)

AT_POINT(intake,
         missing,
         (void *self,
          const char *mailbox,
          const char *folder,
          uint32_t uidvalidity,
          const uint32_t *uid,
          size_t count,
          int64_t *out,
          struct err *err),
         self,
         mailbox,
         folder,
         uidvalidity,
         uid,
         count,
         out,
         err)

/* It reads one row, and nothing leaves because of it. */
static enum rc
intake_told_apart(void *self, const char *mailbox, struct slice sender, bool *out, struct err *err)
{
    return real_intake.told_apart(self, mailbox, sender, out, err);
}

static const struct ledger_intake intake = {
    intake_unseen,       intake_reused,        intake_missing,     intake_reserve,
    intake_octets_known, intake_begin_reading, intake_end_reading, intake_told_apart,
};

/* ---- work --------------------------------------------------------------------------------------- */

AT_POINT(work,
         claim,
         (void *self,
          const char *run,
          const char *mailbox,
          struct instant now,
          int64_t lease_ms,
          size_t limit,
          struct work_item **out,
          size_t *count,
          struct err *err),
         self,
         run,
         mailbox,
         now,
         lease_ms,
         limit,
         out,
         count,
         err)
AT_POINT(work,
         load,
         (void *self, const char *key, struct work_item *out, struct err *err),
         self,
         key,
         out,
         err)
AT_POINT(work,
         next_due,
         (void *self, const char *mailbox, struct instant now, int64_t *out, struct err *err),
         self,
         mailbox,
         now,
         out,
         err)
AT_POINT(work,
         doubts,
         (void *self,
          const char *mailbox,
          const char *after,
          size_t limit,
          struct doubt **out,
          size_t *count,
          struct err *err),
         self,
         mailbox,
         after,
         limit,
         out,
         count,
         err)
AT_POINT(work,
         filing_taken,
         (void *self, const char *mailbox, const char *external_id, struct err *err),
         self,
         mailbox,
         external_id,
         err)
AT_POINT(work, case_stands, (void *self, const char *key, struct err *err), self, key, err)

/* Only an acknowledgement fixes the date of its letter when it is armed. */
static bool arms_letter(const struct change *c)
{
    return c->what == CHANGE_EFFECT && c->effect.on == ON_ARM && c->effect.letter_date_ms != 0;
}

/* Says in the trace how many acknowledgements this commit arms, and of how many it records what
 * became of them. */
static void letters_of(const struct change *change, size_t count, char *note, size_t room)
{
    static int64_t armed[256];
    static size_t arms;
    size_t before = arms, settles = 0;
    for (size_t i = 0; i < count; i++) {
        const struct effect_change *c = &change[i].effect;
        if (change[i].what != CHANGE_EFFECT)
            continue;
        for (size_t k = 0; k < before; k++)
            settles += armed[k] == c->effect && c->from == EFFECT_ATTEMPTING;
        if (arms_letter(&change[i]) && arms < LENGTH(armed))
            armed[arms++] = c->effect;
    }
    snprintf(note, room, "arms=%zu settles=%zu", arms - before, settles);
}

static enum rc work_commit(void *self,
                           const char *run,
                           struct instant now,
                           const struct change *change,
                           size_t count,
                           size_t *failed,
                           struct err *err)
{
    char note[64];
    letters_of(change, count, note, sizeof note);
    struct point point = point_at("work.commit", note);
    if (point.answers)
        return point_answer(&point, err);
    return point_over(&point, real_work.commit(self, run, now, change, count, failed, err), err);
}

static const struct ledger_work work = {
    work_claim,  work_commit,       work_load,        work_next_due,
    work_doubts, work_filing_taken, work_case_stands,
};

/* ---- people: the service asks nothing of it ----------------------------------------------------- */

AT_POINT(people,
         decide,
         (void *self,
          const struct decision_request *request,
          struct instant now,
          struct decision_result *out,
          struct err *err),
         self,
         request,
         now,
         out,
         err)
AT_POINT(people,
         replay,
         (void *self,
          const char *key,
          const char *by,
          const char *why,
          struct instant now,
          struct replay_result *out,
          struct err *err),
         self,
         key,
         by,
         why,
         now,
         out,
         err)
AT_POINT(people,
         pause,
         (void *self,
          const char *mailbox,
          bool paused,
          unsigned effects,
          const char *by,
          const char *why,
          struct instant now,
          struct err *err),
         self,
         mailbox,
         paused,
         effects,
         by,
         why,
         now,
         err)

static const struct ledger_people people = {people_decide, people_replay, people_pause};

const struct ledger *decorated_ledger(const struct ledger *real)
{
    static struct ledger ledger;
    real_runs = *real->runs;
    real_mailboxes = *real->mailboxes;
    real_intake = *real->intake;
    real_work = *real->work;
    real_people = *real->people;
    ledger = *real;
    ledger.runs = &runs;
    ledger.mailboxes = &mailboxes;
    ledger.intake = &intake;
    ledger.work = &work;
    ledger.people = &people;
    return &ledger;
}
