/* SPDX-License-Identifier: Apache-2.0 */
#include "gate.h"
#include "ports.h"
#include "world.h"

/* The real ledger behind gates: runs, mailboxes, people. */

static struct ledger *real(struct run *run)
{
    return &run->real;
}

static enum rc facts(void *self, struct ledger_facts *out, struct err *err)
{
    struct run *run = self;

    THROUGH_GATE(run, CALL_LEDGER_FACTS, err, real(run)->runs->facts(real(run)->self, out, err));
}

static enum rc enter(void *self, const struct run_facts *who, struct instant now, struct err *err)
{
    struct run *run = self;

    THROUGH_GATE(run, CALL_LEDGER_ENTER, err,
                 real(run)->runs->enter(real(run)->self, who, now, err));
}

static enum rc
others(void *self, const char *who, struct run_facts **out, size_t *count, struct err *err)
{
    struct run *run = self;
    CLEANUP(mem_free) struct run_facts *found = NULL;
    enum answer answer = gate_open(run, CALL_LEDGER_OTHERS);

    if (answer != ANSWER_TRUE)
        return answer_fail(CALL_LEDGER_OTHERS, answer, err);
    TRY(real(run)->runs->others(real(run)->self, who, &found, count, err));
    TRY(gate_close(run, CALL_LEDGER_OTHERS, RC_OK, err));
    *out = STEAL(found);
    return RC_OK;
}

static enum rc
bury(void *self, const char *dead, const char *by, struct instant now, struct err *err)
{
    struct run *run = self;

    THROUGH_GATE(run, CALL_LEDGER_BURY, err,
                 real(run)->runs->bury(real(run)->self, dead, by, now, err));
}

static enum rc
renew(void *self, const char *who, struct instant now, int64_t lease_ms, struct err *err)
{
    struct run *run = self;

    THROUGH_GATE(run, CALL_LEDGER_RENEW, err,
                 real(run)->runs->renew(real(run)->self, who, now, lease_ms, err));
}

static enum rc leave(void *self, const char *who, struct instant now, struct err *err)
{
    struct run *run = self;

    THROUGH_GATE(run, CALL_LEDGER_LEAVE, err,
                 real(run)->runs->leave(real(run)->self, who, now, err));
}

static enum rc knows(void *self, int64_t event, const char *hash, struct err *err)
{
    struct run *run = self;

    THROUGH_GATE(run, CALL_LEDGER_KNOWS, err,
                 real(run)->runs->knows(real(run)->self, event, hash, err));
}

/* On one machine every run works on its mailbox, and nothing is asked. */
static enum rc share(
    void *self, const char *who, const char *mailbox, int64_t lease_ms, bool *ours, struct err *err)
{
    struct run *run = self;

    if (!run->world->scenario.server)
        return real(run)->runs->share(real(run)->self, who, mailbox, lease_ms, ours, err);
    THROUGH_GATE(run, CALL_LEDGER_SHARE, err,
                 real(run)->runs->share(real(run)->self, who, mailbox, lease_ms, ours, err));
}

static const struct ledger_runs port_runs = {facts, enter, others, bury,
                                             renew, leave, knows,  share};

static enum rc load(void *self, const char *mailbox, struct mailbox_record *out, struct err *err)
{
    struct run *run = self;

    THROUGH_GATE(run, CALL_LEDGER_MAILBOX, err,
                 real(run)->mailboxes->load(real(run)->self, mailbox, out, err));
}

static enum rc save(void *self, struct mailbox_record *record, struct instant now, struct err *err)
{
    struct run *run = self;

    THROUGH_GATE(run, CALL_LEDGER_SAVE, err,
                 real(run)->mailboxes->save(real(run)->self, record, now, err));
}

static enum rc
rewind_mailbox(void *self, struct mailbox_record *record, struct instant now, struct err *err)
{
    struct run *run = self;

    tell(run->world, "run %u notices that the ledger went back in time", run->number);
    THROUGH_GATE(run, CALL_LEDGER_REWIND, err,
                 real(run)->mailboxes->rewind(real(run)->self, record, now, err));
}

static enum rc renumber(void *self,
                        struct mailbox_record *record,
                        const char *folder,
                        struct instant now,
                        struct err *err)
{
    struct run *run = self;

    tell(run->world, "run %u notes that %s has new UIDs", run->number, folder);
    THROUGH_GATE(run, CALL_LEDGER_RENUMBER, err,
                 real(run)->mailboxes->renumber(real(run)->self, record, folder, now, err));
}

static enum rc choose_import(void *self,
                             const char *mailbox,
                             enum import_choice choice,
                             const char *by,
                             struct instant now,
                             struct err *err)
{
    struct run *run = self;

    THROUGH_GATE(
        run, CALL_LEDGER_IMPORT, err,
        real(run)->mailboxes->choose_import(real(run)->self, mailbox, choice, by, now, err));
}

static enum rc note_quota(
    void *self, const char *mailbox, const struct quota *quota, struct instant now, struct err *err)
{
    struct run *run = self;

    THROUGH_GATE(run, CALL_LEDGER_SAVE, err,
                 real(run)->mailboxes->note_quota(real(run)->self, mailbox, quota, now, err));
}

static const struct ledger_mailboxes port_mailboxes = {load,     save,          rewind_mailbox,
                                                       renumber, choose_import, note_quota};

struct ledger port_ledger(struct run *run)
{
    return (struct ledger){.self = run,
                           .runs = &port_runs,
                           .mailboxes = &port_mailboxes,
                           .intake = &port_intake,
                           .work = &port_work,
                           .people = NULL}; /* people have tools of their own */
}
