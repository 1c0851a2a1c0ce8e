/* SPDX-License-Identifier: Apache-2.0 */
#include "report_facts.h"

#include <string.h>

struct telling {
    struct db *db;
    const struct report_period *period;
    void (*tell)(void *ctx, const struct report_fact *fact);
    void *ctx;
};

static enum rc
open_period(const struct telling *t, const char *sql, struct stmt **out, struct err *err)
{
    TRY(stmt_open(t->db, sql, out, err));
    stmt_int(*out, 1, t->period->since_ms);
    stmt_int(*out, 2, t->period->until_ms);
    return RC_OK;
}

/* ---- arrivals ------------------------------------------------------------------------------ */

/* The last decision about what a mail is that stood at the end of the period. Of a muted flood what came
 * later was decided when it came, by what had been said of the others. */
#define DECIDED_BY_THEN                                                                            \
    "COALESCE((SELECT approval.decision FROM approval WHERE approval.key = item.key"               \
    " AND approval.decided_at < $2"                                                                \
    " AND (approval.undone_at IS NULL OR approval.undone_at >= $2)"                                \
    " AND (approval.decision LIKE 'conflict-%' OR approval.decision LIKE 'unprocessable-%'"        \
    "      OR approval.decision LIKE 'flood-%') ORDER BY approval.id DESC LIMIT 1),"               \
    " CASE WHEN item.disposition = 'dismissed' AND NOT EXISTS (SELECT 1 FROM approval"             \
    "  WHERE approval.key = item.key) THEN 'flood-mute' ELSE '' END)"

/* A decision that made something of a mail is never taken back: what the mail is now, it was then. */
static enum fate fate_decided(const char *decision, enum disposition is)
{
    enum decision taken;

    if (!decision_parse(decision, &taken))
        return FATE_WAITING;
    for (size_t i = 0; i < decision_rule_count; i++)
        if (decision_rules[i].decision == taken &&
            decision_rules[i].becomes == DISPOSITION_DISMISSED)
            return FATE_DISMISSED;
    return is == DISPOSITION_CASE ? FATE_NEW_CASE : FATE_APPEND;
}

static enum fate fate_of(struct stmt *s, const struct report_fact *f, enum disposition is)
{
    bool asks = f->class == CLASS_CONFLICT || f->class == CLASS_GATEWAY_COPY ||
                (f->class == CLASS_FIRST && f->arrived_as == DISPOSITION_HELD);

    if (!asks || col_int(s, "won") == 0)
        return FATE_NONE;
    if (f->arrived_as != DISPOSITION_HELD)
        return f->arrived_as == DISPOSITION_DISMISSED ? FATE_DISMISSED
                                                      : fate_decided("", DISPOSITION_HELD);
    return fate_decided(col_text(s, "decided"), is);
}

/* A held mail has a case from a decision on; every other has its own from its arrival on. */
static bool had_case(struct stmt *s, const struct report_fact *f, enum disposition is)
{
    if (col_int(s, "has_case") == 0)
        return false;
    if (f->arrived_as != DISPOSITION_HELD)
        return true;
    enum fate fate = fate_decided(col_text(s, "decided"), is);
    return fate == FATE_NEW_CASE || fate == FATE_APPEND;
}

static void common(struct stmt *s, struct report_fact *f)
{
    f->id = col_int(s, "id");
    f->at_ms = col_int(s, "at");
    f->key = col_text(s, "key");
    f->mailbox = col_text(s, "mailbox");
    f->reference = col_text(s, "reference");
}

static enum rc arrival_of(struct stmt *s, struct report_fact *f, struct err *err)
{
    enum disposition is;

    *f = (struct report_fact){.kind = FACT_ARRIVAL};
    if (!delivery_class_parse(col_text(s, "class"), &f->class) ||
        !disposition_parse(col_text(s, "arrived_as"), &f->arrived_as) ||
        !disposition_parse(col_text(s, "disposition"), &is))
        return FAIL(err, RC_BROKEN, "ledger: an arrival holds a word that is in no table");
    common(s, f);
    const char *at = strrchr(col_text(s, "sender_plain"), '@');

    f->domain = at ? at + 1 : "";
    f->fate = fate_of(s, f, is);
    f->had_case = had_case(s, f, is);
    if (!f->had_case)
        f->reference = "";
    return RC_OK;
}

static enum rc arrivals(const struct telling *t, struct err *err)
{
    static const char find[] =
        "SELECT delivery.id, delivery.seen_at AS at, delivery.key, delivery.mailbox,"
        " delivery.class, delivery.won, item.arrived_as, item.disposition, item.sender_plain,"
        " item.case_key IS NOT NULL AS has_case,"
        " COALESCE(case_record.reference, '') AS reference, " DECIDED_BY_THEN " AS decided"
        " FROM delivery JOIN item ON item.key = delivery.key"
        " LEFT JOIN case_record ON case_record.key = item.case_key"
        " WHERE delivery.seen_at >= $1 AND delivery.seen_at < $2"
        " ORDER BY delivery.seen_at, delivery.id";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum rc rc;

    TRY(open_period(t, find, &s, err));
    EACH_ROW(s, rc, err)
    {
        struct report_fact f;
        TRY(arrival_of(s, &f, err));
        t->tell(t->ctx, &f);
    }
    return END_OF_ROWS(rc);
}

/* ---- tries in doubt ------------------------------------------------------------------------ */

static enum boundary boundary_of(struct stmt *s)
{
    if (col_int(s, "forgotten"))
        return BOUNDARY_OTHER_DEPLOYMENT;
    return col_int(s, "taken") ? BOUNDARY_CONCURRENT_RUN : BOUNDARY_RETRY;
}

/* A try came to be in doubt in the period, and none had been made after it by the end of it: elsewhere it
 * is done again. In doubt without a try of this ledger's: another installation, or a copy of this one that
 * had forgotten. Taken by another run while its own may have lived: two runs at once. Else the answer was
 * lost. */
static enum rc tries(const struct telling *t, struct err *err)
{
    static const char find[] =
        "SELECT attempt.id, attempt.ended_at AS at, effect.key, item.mailbox,"
        " effect.kind = 'acknowledgement' AS acknowledgement,"
        " COALESCE(case_record.reference, '') AS reference,"
        " EXISTS (SELECT 1 FROM event WHERE event.key = effect.key"
        "  AND event.subject = 'effect ' || effect.id AND event.at = attempt.ended_at"
        "  AND event.to_state = 'unknown' AND event.from_state <> 'attempting') AS forgotten,"
        " attempt.phase = 'lost' AND (run.ended_at IS NULL OR run.ended_at > attempt.ended_at)"
        " AND EXISTS (SELECT 1 FROM event WHERE event.key = effect.key"
        "  AND event.subject = 'effect ' || effect.id AND event.at = attempt.ended_at"
        "  AND event.to_state = 'unknown' AND event.run <> attempt.run) AS taken"
        " FROM attempt JOIN effect ON effect.id = attempt.effect"
        " JOIN item ON item.key = effect.key JOIN run ON run.id = attempt.run"
        " LEFT JOIN case_record ON case_record.key = item.case_key"
        " WHERE attempt.outcome = 'unknown' AND attempt.ended_at >= $1 AND attempt.ended_at < $2"
        " AND effect.kind IN ('acknowledgement', 'case') AND NOT EXISTS (SELECT 1 FROM attempt AS "
        "later"
        "  WHERE later.effect = attempt.effect AND later.number > attempt.number"
        "  AND later.outcome = 'done' AND later.ended_at < $2)"
        " ORDER BY attempt.ended_at, attempt.id";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum rc rc;

    TRY(open_period(t, find, &s, err));
    EACH_ROW(s, rc, err)
    {
        struct report_fact f = {.kind = FACT_TRY,
                                .acknowledgement = col_int(s, "acknowledgement") != 0,
                                .boundary = boundary_of(s),
                                .domain = ""};
        common(s, &f);
        t->tell(t->ctx, &f);
    }
    return END_OF_ROWS(rc);
}

/* ---- doubles ------------------------------------------------------------------------------- */

/* A person said not sent, it was sent again, and the first went out after all: its own late reply says
 * so, or a finding from before the second, or two copies in different places. It counts in the period in
 * which that came to be known. */
static enum rc doubles(const struct telling *t, struct err *err)
{
    static const char find[] =
        "SELECT effect.id, effect.key, item.mailbox,"
        " COALESCE(case_record.reference, '') AS reference, MIN(CASE"
        "  WHEN proof.seen_at > later.ended_at THEN proof.seen_at ELSE later.ended_at END) AS at"
        " FROM effect JOIN item ON item.key = effect.key"
        " LEFT JOIN case_record ON case_record.key = item.case_key"
        " JOIN attempt AS lost ON lost.effect = effect.id AND lost.outcome = 'unknown'"
        " JOIN attempt AS later ON later.effect = effect.id AND later.number > lost.number"
        "  AND later.outcome = 'done'"
        " JOIN evidence AS proof ON proof.key = effect.key AND proof.effect = effect.id"
        "  AND proof.found = 1 AND (proof.kind = 'late-reply' OR proof.seen_at < later.ended_at"
        "  OR EXISTS (SELECT 1 FROM evidence AS copy WHERE copy.key = effect.key"
        "   AND copy.effect = effect.id AND copy.found = 1 AND copy.kind = proof.kind"
        "   AND copy.kind IN ('blind-copy', 'evidence-folder') AND copy.place <> proof.place"
        "   AND copy.seen_at <= proof.seen_at))"
        " WHERE effect.kind = 'acknowledgement'"
        " GROUP BY effect.id, effect.key, item.mailbox, case_record.reference"
        " HAVING MIN(CASE WHEN proof.seen_at > later.ended_at THEN proof.seen_at"
        "  ELSE later.ended_at END) >= $1 AND MIN(CASE WHEN proof.seen_at > later.ended_at"
        "  THEN proof.seen_at ELSE later.ended_at END) < $2 ORDER BY at, effect.id";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum rc rc;

    TRY(open_period(t, find, &s, err));
    EACH_ROW(s, rc, err)
    {
        struct report_fact f = {.kind = FACT_DOUBLE, .domain = ""};
        common(s, &f);
        t->tell(t->ctx, &f);
    }
    return END_OF_ROWS(rc);
}

enum rc report_facts(struct db *db,
                     const struct report_period *period,
                     void (*tell)(void *ctx, const struct report_fact *fact),
                     void *ctx,
                     struct err *err)
{
    const struct telling t = {.db = db, .period = period, .tell = tell, .ctx = ctx};

    TRY(arrivals(&t, err));
    TRY(tries(&t, err));
    return doubles(&t, err);
}
