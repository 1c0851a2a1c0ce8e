/* SPDX-License-Identifier: Apache-2.0 */
#include "case_rows.h"
#include "views_p.h"

/* ---- what people decided ------------------------------------------------------------------- */

/* When a person was asked what was decided: the last time the item came to wait before it. */
#define ASKED                                                                                      \
    "(SELECT MAX(event.at) FROM event WHERE event.key = approval.key AND event.what = 'wait'"      \
    " AND event.at <= approval.decided_at) AS asked_at"

static void decision_row(struct stmt *s, struct view *view, struct view_decision *d)
{
    d->id = col_int(s, "id");
    d->key = view_text(view, col_text(s, "key"));
    d->reference = view_text(view, col_text(s, "reference"));
    d->mailbox = view_text(view, col_text(s, "mailbox"));
    d->decision = view_text(view, col_text(s, "decision"));
    d->by = view_text(view, col_text(s, "person"));
    d->second = view_text(view, col_text(s, "second"));
    d->why = view_text(view, col_text(s, "why"));
    d->state = view_text(view, col_text(s, "from_state"));
    d->reason = view_text(view, col_text(s, "from_reason"));
    d->plan = view_text(view, col_text(s, "plan_hash"));
    d->decided_ms = col_int(s, "decided_at");
    d->undone_ms = col_when(s, "undone_at");
    d->asked_ms = col_when(s, "asked_at");
    if (d->undone_ms == d->decided_ms) /* over with the act */
        d->undone_ms = NOT_DUE;
}

#define ITS_NOTE "(SELECT note.text FROM note WHERE " OF_ITEM("note")
#define WHY      "COALESCE(" ITS_NOTE " AND note.about = 'approval ' || approval.id), '')"

#define DECISIONS                                                                                  \
    "SELECT approval.id, approval.key, COALESCE(case_record.reference, '') AS reference,"          \
    " item.mailbox, approval.decision, approval.person, approval.second, approval.from_state,"     \
    " approval.from_reason, approval.plan_hash, approval.decided_at, approval.undone_at, " ASKED   \
    ", " WHY " AS why FROM approval JOIN item ON item.key = approval.key"                          \
    " LEFT JOIN case_record ON case_record.key = item.case_key"
#define IN_ORDER " ORDER BY approval.decided_at, approval.id"

enum rc view_decisions(
    void *self, int64_t since_ms, int64_t until_ms, bool replays, struct view *out, struct err *err)
{
    static const char find[] =
        DECISIONS " WHERE approval.decided_at >= $1 AND approval.decided_at < $2"
                  " AND CASE WHEN approval.decision = 'replay' THEN 1 ELSE 0 END = $3" IN_ORDER;
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_decision));
    enum rc rc;

    TRY(stmt_open(store->db, find, &s, err));
    stmt_int(s, 1, since_ms);
    stmt_int(s, 2, until_ms);
    stmt_int(s, 3, replays);
    EACH_ROW(s, rc, err)
    decision_row(s, out, view_rows_add(out, &rows));
    out->row = rows.at;
    out->count = rows.count;
    return END_OF_ROWS(rc);
}

/* Behind the decision of before; from the beginning that is one that no other is after. */
enum rc view_audit(void *self, const struct view_audit *page, struct view *out, struct err *err)
{
    static const char find[] =
        DECISIONS " WHERE approval.decided_at >= $1 AND approval.decided_at < $2"
                  " AND (approval.decided_at, approval.id) < ($3, $4)"
                  " AND approval.decision <> 'replay' AND ($5 = '' OR approval.person = $5)"
                  " AND ($6 = 0 OR EXISTS (SELECT 1 FROM event WHERE event.key = approval.key"
                  "  AND event.what = 'wait' AND event.at <= approval.decided_at))"
                  " ORDER BY approval.decided_at DESC, approval.id DESC LIMIT $7";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_decision));
    enum rc rc;

    TRY(stmt_open(store->db, find, &s, err));
    stmt_int(s, 1, page->since_ms);
    stmt_int(s, 2, page->until_ms);
    stmt_int(s, 3, page->after_id ? page->after_ms : INT64_MAX);
    stmt_int(s, 4, page->after_id);
    stmt_text(s, 5, page->by ? page->by : "");
    stmt_int(s, 6, page->asked);
    stmt_int(s, 7, page->limit ? (int64_t)page->limit : INT64_MAX);
    EACH_ROW(s, rc, err)
    decision_row(s, out, view_rows_add(out, &rows));
    out->row = rows.at;
    out->count = rows.count;
    return END_OF_ROWS(rc);
}

enum rc
view_late_decisions(struct db *db, struct view *view, struct view_duplicates *d, struct err *err)
{
    static const char find[] = DECISIONS
        " WHERE approval.decided_at >= $2 AND approval.decision <> 'replay'"
        " AND EXISTS (SELECT 1 FROM delivery WHERE " OF_ITEM(
            "delivery") "  AND delivery.seen_at >= $1 AND delivery.seen_at < $2)" IN_ORDER;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(view, sizeof(struct view_decision));
    enum rc rc;

    TRY(stmt_open(db, find, &s, err));
    stmt_int(s, 1, d->since_ms);
    stmt_int(s, 2, d->until_ms);
    EACH_ROW(s, rc, err)
    decision_row(s, view, view_rows_add(view, &rows));
    d->late = rows.at;
    d->late_count = rows.count;
    return END_OF_ROWS(rc);
}

/* ---- runs ---------------------------------------------------------------------------------- */

static void run_row(struct stmt *s, struct view *view, struct view_run *r)
{
    r->id = view_text(view, col_text(s, "id"));
    r->host = view_text(view, col_text(s, "host"));
    r->version = view_text(view, col_text(s, "version"));
    r->name = view_text(view, col_text(s, "name"));
    r->environment = view_text(view, col_text(s, "environment"));
    r->owner = view_text(view, col_text(s, "owner"));
    r->mailboxes = view_text(view, col_text(s, "mailbox"));
    r->ended = view_text(view, col_text(s, "ended_how"));
    r->pid = col_int(s, "pid");
    r->entered_ms = col_int(s, "entered_at");
    r->beat_ms = col_int(s, "beat_at");
    r->ended_ms = col_when(s, "ended_at");
}

/* A run serves one mailbox; of runs from before that was recorded, by what they took in or tried. */
static enum rc mailbox_of(struct db *db, struct view *view, struct view_run *r, struct err *err)
{
    static const char find[] =
        "SELECT mailbox FROM delivery WHERE run = $1 UNION"
        " SELECT item.mailbox FROM attempt JOIN effect ON effect.id = attempt.effect"
        " JOIN item ON item.key = effect.key WHERE attempt.run = $1 ORDER BY mailbox";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    CLEANUP(str_clear) struct str joined = STR_INIT;
    enum rc rc;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, r->id);
    EACH_ROW(s, rc, err)
    str_addf(&joined, "%s%s", joined.len ? "," : "", col_text(s, "mailbox"));
    r->mailboxes = view_text(view, str_z(&joined));
    return END_OF_ROWS(rc);
}

static enum rc name_mailboxes(struct db *db, struct view *runs, struct err *err)
{
    struct view_run *run = runs->row;

    for (size_t i = 0; i < runs->count; i++)
        if (!run[i].mailboxes[0])
            TRY(mailbox_of(db, runs, &run[i], err));
    return RC_OK;
}

static enum rc entered_of(struct db *db, const char *run, int64_t *out, struct err *err)
{
    static const char find[] = "SELECT entered_at FROM run WHERE id = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, run);
    enum rc rc = stmt_row(s, err);
    if (rc == RC_NOT_FOUND)
        return FAIL(err, rc, "there is no run '%s'", run);
    if (rc == RC_OK)
        *out = col_int(s, "entered_at");
    return rc;
}

enum rc view_runs(void *self, const char *after, size_t limit, struct view *out, struct err *err)
{
    static const char find[] =
        "SELECT id, host, version, name, environment, owner, mailbox, pid, entered_at, beat_at,"
        " ended_at, ended_how FROM run WHERE (entered_at, id) < ($1, $2)"
        " ORDER BY entered_at DESC, id DESC LIMIT $3";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_run));
    int64_t entered_ms = INT64_MAX;
    enum rc rc;

    if (after)
        TRY(entered_of(store->db, after, &entered_ms, err));
    TRY(stmt_open(store->db, find, &s, err));
    stmt_int(s, 1, entered_ms);
    stmt_text(s, 2, after ? after : "");
    stmt_int(s, 3, limit ? (int64_t)limit : INT64_MAX);
    EACH_ROW(s, rc, err)
    run_row(s, out, view_rows_add(out, &rows));
    out->row = rows.at;
    out->count = rows.count;
    return rc == RC_NOT_FOUND ? name_mailboxes(store->db, out, err) : rc;
}

/* ---- suspects ------------------------------------------------------------------------------ */

/* Cases of the same words under other identifiers, but for those that a person has told apart or
 * joined; a copy of one that stands is no question any more. */
#define ALIKE                                                                                      \
    "SELECT 1 FROM item AS other JOIN case_record AS second ON second.key = other.key"             \
    " WHERE other.fingerprint = item.fingerprint AND other.mailbox || '' = item.mailbox"           \
    " AND other.key <> item.key AND second.merged_into IS NULL AND NOT " IS_COPY(                  \
        "other") " AND NOT " IS_COPY("item") " AND NOT EXISTS"                                     \
                                             " (SELECT 1 FROM case_link WHERE case_link.kind IN "  \
                                             "('authoritative', 'different')"                      \
                                             " AND ((case_link.from_key = item.key AND "           \
                                             "case_link.to_key = other.key)"                       \
                                             " OR (case_link.from_key = other.key AND "            \
                                             "case_link.to_key = item.key)))"

/* Those of fingerprints that `which` gives, one row each. */
#define SUSPECTS(which)                                                                            \
    "SELECT item.key, case_record.reference, item.mailbox, item.sender, item.subject,"             \
    " item.fingerprint, case_record.state, case_record.created_at FROM (" which ") AS shared"      \
    " CROSS JOIN item CROSS JOIN case_record"                                                      \
    " WHERE item.fingerprint = shared.fingerprint AND case_record.key = item.key"                  \
    " AND case_record.merged_into IS NULL AND item.fingerprint <> ''"                              \
    " AND EXISTS (" ALIKE ") ORDER BY item.fingerprint, case_record.created_at, item.key"

enum rc view_suspects(void *self, const char *key, struct view *out, struct err *err)
{
    static const char all[] = SUSPECTS("SELECT fingerprint FROM shared_fingerprint");
    static const char like[] = SUSPECTS("SELECT fingerprint FROM item WHERE key = $1");
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_suspect));
    enum rc rc;

    TRY(stmt_open(store->db, key ? like : all, &s, err));
    if (key)
        stmt_text(s, 1, key);
    EACH_ROW(s, rc, err)
    {
        struct view_suspect *v = view_rows_add(out, &rows);
        v->key = view_text(out, col_text(s, "key"));
        v->reference = view_text(out, col_text(s, "reference"));
        v->mailbox = view_text(out, col_text(s, "mailbox"));
        v->from = view_text(out, col_text(s, "sender"));
        v->subject = view_text(out, col_text(s, "subject"));
        v->fingerprint = view_text(out, col_text(s, "fingerprint"));
        v->state = view_text(out, col_text(s, "state"));
        v->created_ms = col_int(s, "created_at");
    }
    out->row = rows.at;
    out->count = rows.count;
    return END_OF_ROWS(rc);
}
