/* SPDX-License-Identifier: Apache-2.0 */
#include "deployment.h"
#include "gate.h"
#include "ports.h"
#include "reached.h"
#include "world.h"

/* The real ledger behind gates: intake and work. What a call has handed out is freed again where
 * its run died before it could take it. */

static struct ledger *real(struct run *run)
{
    return &run->real;
}

/* ---- intake ---------------------------------------------------------------------------------- */

static enum rc unseen(void *self,
                      const char *mailbox,
                      const char *folder,
                      uint32_t uidvalidity,
                      struct sighting *at,
                      size_t count,
                      struct err *err)
{
    struct run *run = self;

    THROUGH_GATE(
        run, CALL_LEDGER_UNSEEN, err,
        real(run)->intake->unseen(real(run)->self, mailbox, folder, uidvalidity, at, count, err));
}

static enum rc reused(void *self,
                      const char *mailbox,
                      const char *folder,
                      uint32_t uidvalidity,
                      const struct sighting *at,
                      const struct digest *octets,
                      struct instant now,
                      bool *out,
                      struct err *err)
{
    struct run *run = self;

    THROUGH_GATE(run, CALL_LEDGER_REUSED, err,
                 real(run)->intake->reused(real(run)->self, mailbox, folder, uidvalidity, at,
                                           octets, now, out, err));
}

/* It changes nothing and decides nothing: no gate, so that the schedules stay what they are. */
static enum rc missing(void *self,
                       const char *mailbox,
                       const char *folder,
                       uint32_t uidvalidity,
                       const uint32_t *uid,
                       size_t count,
                       int64_t *out,
                       struct err *err)
{
    const struct run *run = self;

    return run->real.intake->missing(run->real.self, mailbox, folder, uidvalidity, uid, count, out,
                                     err);
}

static void tell_reservations(struct run *run,
                              const struct arrival *arrival,
                              const struct reservation *out,
                              size_t count)
{
    static const char *const words[] = {"is its own", "is held by another", "is settled"};

    for (size_t i = 0; i < count; i++)
        tell(run->world, "run %u reserves UID %u of %s: %s, %s, %s; it %s", run->number,
             arrival[i].uid, arrival[i].folder, mail_label(run->world, out[i].key),
             delivery_class_text(out[i].class), disposition_text(out[i].disposition),
             words[out[i].reserved]);
}

static enum rc reserve(void *self,
                       const char *who,
                       struct instant now,
                       int64_t lease_ms,
                       const struct policy *policy,
                       const struct arrival *arrival,
                       size_t count,
                       struct reservation *out,
                       struct err *err)
{
    struct run *run = self;
    enum answer answer = gate_open(run, CALL_LEDGER_RESERVE);

    if (answer != ANSWER_TRUE && answer != ANSWER_HAD)
        return answer_fail(CALL_LEDGER_RESERVE, answer, err);
    enum rc rc = real(run)->intake->reserve(real(run)->self, who, now, lease_ms, policy, arrival,
                                            count, out, err);

    if (rc == RC_OK)
        tell_reservations(run, arrival, out, count);
    if (rc == RC_OK && answer == ANSWER_HAD)
        rc = answer_fail(CALL_LEDGER_RESERVE, answer, err);
    return gate_close(run, CALL_LEDGER_RESERVE, rc, err);
}

static enum rc octets_known(void *self,
                            const char *mailbox,
                            const struct digest *octets,
                            int64_t *delivery,
                            struct err *err)
{
    struct run *run = self;

    THROUGH_GATE(run, CALL_LEDGER_OCTETS, err,
                 real(run)->intake->octets_known(real(run)->self, mailbox, octets, delivery, err));
}

static enum rc begin_reading(
    void *self, const char *mailbox, const struct digest *octets, unsigned *deaths, struct err *err)
{
    struct run *run = self;

    THROUGH_GATE(run, CALL_LEDGER_READING, err,
                 real(run)->intake->begin_reading(real(run)->self, mailbox, octets, deaths, err));
}

static enum rc
end_reading(void *self, const char *mailbox, const struct digest *octets, struct err *err)
{
    struct run *run = self;

    THROUGH_GATE(run, CALL_LEDGER_READ, err,
                 real(run)->intake->end_reading(real(run)->self, mailbox, octets, err));
}

static enum rc
told_apart(void *self, const char *mailbox, struct slice sender, bool *out, struct err *err)
{
    struct run *run = self;

    return real(run)->intake->told_apart(real(run)->self, mailbox, sender, out, err);
}

const struct ledger_intake port_intake = {unseen,       reused,        missing,     reserve,
                                          octets_known, begin_reading, end_reading, told_apart};

/* ---- work ------------------------------------------------------------------------------------ */

static bool was_of_another_version(const struct run *run, const char *key)
{
    return run->world->scenario.server &&
           sql_number(run->deployment,
                      "SELECT count(*) FROM event v JOIN run r ON r.id = v.run JOIN run me"
                      " ON me.id = ?2 WHERE v.key = ?1 AND r.version <> me.version",
                      key, run->facts.id, NULL) > 0;
}

static enum rc claim(void *self,
                     const char *who,
                     const char *mailbox,
                     struct instant now,
                     int64_t lease_ms,
                     size_t limit,
                     struct work_item **out,
                     size_t *count,
                     struct err *err)
{
    struct run *run = self;
    struct work_item *item = NULL;
    size_t items = 0;
    enum answer answer = gate_open(run, CALL_LEDGER_CLAIM);

    if (answer != ANSWER_TRUE && answer != ANSWER_HAD)
        return answer_fail(CALL_LEDGER_CLAIM, answer, err);
    TRY(real(run)->work->claim(real(run)->self, who, mailbox, now, lease_ms, limit, &item, &items,
                               err));
    for (size_t i = 0; i < items; i++) {
        tell(run->world, "run %u claims %s", run->number, mail_label(run->world, item[i].key));
        if (was_of_another_version(run, item[i].key))
            reached_row("K10");
    }
    enum rc rc = answer == ANSWER_HAD ? answer_fail(CALL_LEDGER_CLAIM, answer, err) : RC_OK;

    rc = gate_close(run, CALL_LEDGER_CLAIM, rc, err);
    if (rc == RC_OK) {
        *out = item;
        *count = items;
    } else {
        work_items_free(item, items);
    }
    return rc;
}

static void tell_changes(struct run *run, const struct change *change, size_t count)
{
    struct world *world = run->world;

    for (size_t i = 0; i < count && world->story.on; i++) {
        const struct change *c = &change[i];
        const char *label = c->key == NULL ? "" : mail_label(world, c->key);

        if (c->what == CHANGE_EFFECT)
            tell(world, "run %u commits: effect %lld of %s, %s, %s", run->number,
                 (long long)c->effect.effect, label, effect_event_text(c->effect.on),
                 effect_status_text(c->effect.from));
        else if (c->what == CHANGE_ITEM && !c->item.keep)
            tell(world, "run %u commits: %s, %s %s", run->number, label,
                 item_event_text(c->item.on), reason_text(c->item.reason));
        else if (c->what == CHANGE_EVIDENCE)
            tell(world, "run %u commits: it looked in %s (%s) for %s and %s", run->number,
                 c->evidence.where, c->evidence.kind, label,
                 c->evidence.found ? "found it" : "found nothing");
        else if (c->what == CHANGE_CIRCUIT)
            tell(world, "run %u commits: the circuits are %s (IMAP), %s (SMTP)", run->number,
                 circuit_state_text(c->mailbox->circuit[CIRCUIT_IMAP].state),
                 circuit_state_text(c->mailbox->circuit[CIRCUIT_SMTP].state));
        else if (c->what == CHANGE_ACCEPTANCE)
            tell(world, "run %u commits: the conditions of %s %s", run->number, label,
                 c->acceptance->holds ? "hold" : "do not hold");
    }
}

static enum rc commit(void *self,
                      const char *who,
                      struct instant now,
                      const struct change *change,
                      size_t count,
                      size_t *failed,
                      struct err *err)
{
    struct run *run = self;
    enum answer answer = gate_open(run, CALL_LEDGER_COMMIT);

    if (answer != ANSWER_TRUE && answer != ANSWER_HAD)
        return answer_fail(CALL_LEDGER_COMMIT, answer, err);
    enum rc rc = real(run)->work->commit(real(run)->self, who, now, change, count, failed, err);

    if (rc == RC_OK)
        tell_changes(run, change, count);
    else if (run->world->story.on)
        tell(run->world, "run %u's commit is refused: %s", run->number, err->text);
    if (rc == RC_OK && answer == ANSWER_HAD)
        rc = answer_fail(CALL_LEDGER_COMMIT, answer, err);
    return gate_close(run, CALL_LEDGER_COMMIT, rc, err);
}

static enum rc load(void *self, const char *key, struct work_item *out, struct err *err)
{
    struct run *run = self;
    enum answer answer = gate_open(run, CALL_LEDGER_LOAD);

    if (answer != ANSWER_TRUE)
        return answer_fail(CALL_LEDGER_LOAD, answer, err);
    struct work_item item;

    TRY(real(run)->work->load(real(run)->self, key, &item, err));
    enum rc rc = gate_close(run, CALL_LEDGER_LOAD, RC_OK, err);

    if (rc == RC_OK)
        *out = item;
    else
        work_item_clear(&item);
    return rc;
}

static enum rc
next_due(void *self, const char *mailbox, struct instant now, int64_t *out, struct err *err)
{
    struct run *run = self;

    THROUGH_GATE(run, CALL_LEDGER_DUE, err,
                 real(run)->work->next_due(real(run)->self, mailbox, now, out, err));
}

static enum rc doubts(void *self,
                      const char *mailbox,
                      const char *after,
                      size_t limit,
                      struct doubt **out,
                      size_t *count,
                      struct err *err)
{
    struct run *run = self;
    CLEANUP(mem_free) struct doubt *found = NULL;
    enum answer answer = gate_open(run, CALL_LEDGER_DOUBTS);

    if (answer != ANSWER_TRUE)
        return answer_fail(CALL_LEDGER_DOUBTS, answer, err);
    TRY(real(run)->work->doubts(real(run)->self, mailbox, after, limit, &found, count, err));
    TRY(gate_close(run, CALL_LEDGER_DOUBTS, RC_OK, err));
    *out = STEAL(found);
    return RC_OK;
}

static enum rc
filing_taken(void *self, const char *mailbox, const char *external_id, struct err *err)
{
    struct run *run = self;

    THROUGH_GATE(run, CALL_LEDGER_FILING, err,
                 real(run)->work->filing_taken(real(run)->self, mailbox, external_id, err));
}

static enum rc case_stands(void *self, const char *key, struct err *err)
{
    struct run *run = self;

    THROUGH_GATE(run, CALL_LEDGER_STANDS, err,
                 real(run)->work->case_stands(real(run)->self, key, err));
}

const struct ledger_work port_work = {claim,  commit,       load,       next_due,
                                      doubts, filing_taken, case_stands};
