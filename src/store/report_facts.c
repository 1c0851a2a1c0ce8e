/* SPDX-License-Identifier: Apache-2.0 */
#include "report_facts.h"

#include <stdlib.h>
#include <string.h>

struct telling {
    struct db *db;
    const struct report_period *period;
    void (*tell)(void *ctx, const struct report_fact *fact);
    void *ctx;
};

/* What a mail adds to each of its arrivals. */
struct mail {
    const char *key, *reference, *domain, *decided;
    enum disposition arrived_as, is;
    bool has_case;
    struct mail *next; /* in its slot */
};

struct mails {
    struct view room;
    struct mail *slot[1 << 14];
};

static void mails_free(struct mails **mails)
{
    if (*mails)
        view_clear(&(*mails)->room);
    mem_free(mails);
}

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
    "CASE WHEN item.arrived_as <> 'held' THEN '' ELSE"                                             \
    " COALESCE((SELECT approval.decision FROM approval WHERE approval.key = item.key"              \
    " AND approval.decided_at < $2"                                                                \
    " AND (approval.undone_at IS NULL OR approval.undone_at >= $2)"                                \
    " AND (approval.decision LIKE 'conflict-%' OR approval.decision LIKE 'unprocessable-%'"        \
    "      OR approval.decision LIKE 'flood-%') ORDER BY approval.id DESC LIMIT 1),"               \
    " CASE WHEN item.disposition = 'dismissed' AND NOT EXISTS (SELECT 1 FROM approval"             \
    "  WHERE approval.key = item.key) THEN 'flood-mute' ELSE '' END) END"

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

static enum fate fate_of(const struct mail *m, const struct report_fact *f, bool won)
{
    bool asks = f->class == CLASS_CONFLICT || f->class == CLASS_GATEWAY_COPY ||
                (f->class == CLASS_FIRST && f->arrived_as == DISPOSITION_HELD);

    if (!asks || !won)
        return FATE_NONE;
    if (f->arrived_as != DISPOSITION_HELD)
        return f->arrived_as == DISPOSITION_DISMISSED ? FATE_DISMISSED
                                                      : fate_decided("", DISPOSITION_HELD);
    return fate_decided(m->decided, m->is);
}

/* A held mail has a case from a decision on; every other has its own from its arrival on. */
static bool had_case(const struct mail *m)
{
    if (!m->has_case)
        return false;
    if (m->arrived_as != DISPOSITION_HELD)
        return true;
    enum fate fate = fate_decided(m->decided, m->is);
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

static enum rc read_mail(struct stmt *s, struct view *room, struct mail *m, struct err *err)
{
    const char *at = strrchr(col_text(s, "sender_plain"), '@');

    if (!disposition_parse(col_text(s, "arrived_as"), &m->arrived_as) ||
        !disposition_parse(col_text(s, "disposition"), &m->is))
        return FAIL(err, RC_BROKEN, "ledger: an arrival holds a word that is in no table");
    m->domain = view_text(room, at ? at + 1 : "");
    m->reference = view_text(room, col_text(s, "reference"));
    m->decided = view_text(room, col_text(s, "decided"));
    m->has_case = col_int(s, "has_case") != 0;
    return RC_OK;
}

static enum rc
load_mail(const struct telling *t, struct mails *mails, struct mail *m, struct err *err)
{
    static const char find[] =
        "SELECT item.arrived_as, item.disposition, item.sender_plain,"
        " item.case_key IS NOT NULL AS has_case,"
        " COALESCE(case_record.reference, '') AS reference, " DECIDED_BY_THEN " AS decided"
        " FROM item LEFT JOIN case_record ON case_record.key = item.case_key WHERE item.key = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(t->db, find, &s, err));
    stmt_text(s, 1, m->key);
    stmt_int(s, 2, t->period->until_ms);
    TRY(stmt_row(s, err));
    return read_mail(s, &mails->room, m, err);
}

/* A mail that came ten times is read once. */
static enum rc mail_of(const struct telling *t,
                       struct mails *mails,
                       const char *key,
                       const struct mail **out,
                       struct err *err)
{
    char start[9];

    text_copy(start, sizeof start, key); /* digits of a digest, so as good as any hash */
    size_t at = strtoul(start, NULL, 16) % LENGTH(mails->slot);
    struct mail *m = mails->slot[at];

    while (m && strcmp(m->key, key) != 0)
        m = m->next;
    if (!m) {
        struct view_rows row = view_rows_begin(&mails->room, sizeof *m);

        m = view_rows_add(&mails->room, &row);
        m->key = view_text(&mails->room, key);
        TRY(load_mail(t, mails, m, err));
        m->next = mails->slot[at];
        mails->slot[at] = m;
    }
    *out = m;
    return RC_OK;
}

static enum rc arrival_of(const struct telling *t,
                          struct mails *mails,
                          struct stmt *s,
                          struct report_fact *f,
                          struct err *err)
{
    const struct mail *m = NULL;

    *f = (struct report_fact){.kind = FACT_ARRIVAL};
    if (!delivery_class_parse(col_text(s, "class"), &f->class))
        return FAIL(err, RC_BROKEN, "ledger: an arrival holds a word that is in no table");
    f->id = col_int(s, "id");
    f->at_ms = col_int(s, "at");
    f->mailbox = col_text(s, "mailbox");
    TRY(mail_of(t, mails, col_text(s, "key"), &m, err));
    f->key = m->key;
    f->arrived_as = m->arrived_as;
    f->domain = m->domain;
    f->fate = fate_of(m, f, col_int(s, "won") != 0);
    f->had_case = had_case(m);
    f->reference = f->had_case ? m->reference : "";
    return RC_OK;
}

static enum rc arrivals(const struct telling *t, struct err *err)
{
    static const char find[] = "SELECT id, seen_at AS at, key, mailbox, class, won FROM delivery"
                               " WHERE seen_at >= $1 AND seen_at < $2 ORDER BY seen_at, id";
    CLEANUP(mails_free) struct mails *mails = mem_new(1, sizeof *mails);
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum rc rc;

    TRY(open_period(t, find, &s, err));
    EACH_ROW(s, rc, err)
    {
        struct report_fact f;
        TRY(arrival_of(t, mails, s, &f, err));
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
        " EXISTS (SELECT 1 FROM event WHERE " OF_ITEM(
            "event") "  AND event.subject = 'effect ' || effect.id AND event.at = attempt.ended_at"
                     "  AND event.to_state = 'unknown' AND event.from_state <> 'attempting') AS "
                     "forgotten,"
                     " attempt.phase = 'lost' AND (run.ended_at IS NULL OR run.ended_at > "
                     "attempt.ended_at)"
                     " AND EXISTS (SELECT 1 FROM event WHERE " OF_ITEM(
                         "event") "  AND event.subject = 'effect ' || effect.id AND event.at = "
                                  "attempt.ended_at"
                                  "  AND event.to_state = 'unknown' AND event.run <> attempt.run) "
                                  "AS taken"
                                  " FROM attempt CROSS JOIN effect CROSS JOIN item CROSS JOIN run"
                                  " LEFT JOIN case_record ON case_record.key = item.case_key"
                                  " WHERE effect.id = attempt.effect AND item.key = effect.key AND "
                                  "run.id = attempt.run"
                                  " AND attempt.outcome = 'unknown' AND attempt.ended_at >= $1 AND "
                                  "attempt.ended_at < $2"
                                  " AND effect.kind IN ('acknowledgement', 'case') AND NOT EXISTS "
                                  "(SELECT 1 FROM attempt AS "
                                  "later"
                                  "  WHERE later.effect = attempt.effect AND later.number > "
                                  "attempt.number"
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
        " FROM attempt AS lost CROSS JOIN effect CROSS JOIN item"
        " CROSS JOIN attempt AS later CROSS JOIN evidence AS proof"
        " LEFT JOIN case_record ON case_record.key = item.case_key"
        " WHERE effect.id = lost.effect AND item.key = effect.key AND later.effect = effect.id"
        "  AND later.number > lost.number AND later.outcome = 'done'"
        "  AND proof.key = effect.key AND proof.effect = effect.id AND proof.found = 1 AND "
        "(proof.kind = 'late-reply' OR proof.seen_at < later.ended_at"
        "  OR EXISTS (SELECT 1 FROM evidence AS copy WHERE copy.key = effect.key"
        "   AND copy.effect = effect.id AND copy.found = 1 AND copy.kind = proof.kind"
        "   AND copy.kind IN ('blind-copy', 'evidence-folder') AND copy.place <> proof.place"
        "   AND copy.seen_at <= proof.seen_at))"
        " AND lost.outcome = 'unknown' AND lost.ended_at > 0 AND effect.kind = 'acknowledgement'"
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

/* ---- found at the destination ---------------------------------------------------------------- */

/* It was to be made, and the destination answered that it has it. */
static enum rc found_there(const struct telling *t, struct err *err)
{
    static const char find[] =
        "SELECT effect.id, attempt.ended_at AS at, effect.key, item.mailbox,"
        " COALESCE(case_record.reference, '') AS reference"
        " FROM effect CROSS JOIN attempt CROSS JOIN item"
        " LEFT JOIN case_record ON case_record.key = item.case_key"
        " WHERE effect.reason = 'adopted' AND effect.kind = 'case'"
        " AND attempt.effect = effect.id AND attempt.outcome = 'done' AND item.key = effect.key"
        " AND attempt.ended_at >= $1 AND attempt.ended_at < $2"
        " ORDER BY attempt.ended_at, effect.id";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum rc rc;

    TRY(open_period(t, find, &s, err));
    EACH_ROW(s, rc, err)
    {
        struct report_fact f = {.kind = FACT_FOUND_THERE, .domain = ""};
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
    TRY(doubles(&t, err));
    return found_there(&t, err);
}
