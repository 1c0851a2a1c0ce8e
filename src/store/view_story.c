/* SPDX-License-Identifier: Apache-2.0 */
#include "views_p.h"

#include <stdio.h>
#include <string.h>

static void step_row(struct stmt *s, struct view *view, struct view_effect *e)
{
    char code[32] = "";

    if (col_int(s, "code") != 0 && strcmp(col_text(s, "status"), "done") != 0)
        snprintf(code, sizeof code, "%lld", (long long)col_int(s, "code"));
    e->kind = view_text(view, col_text(s, "kind"));
    e->target = view_text(view, col_text(s, "target"));
    e->status = view_text(view, col_text(s, "status"));
    e->external_id = view_text(view, col_text(s, "external_id"));
    e->reason = view_text(view, col_text(s, "reason"));
    e->error = view_text(view, code);
    e->attempts = col_int(s, "attempts");
    e->due_ms = col_when(s, "due");
}

static enum rc add_steps(struct db *db,
                         const char *find,
                         const char *key,
                         struct view *view,
                         struct view_rows *rows,
                         struct err *err)
{
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum rc rc;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, key);
    EACH_ROW(s, rc, err)
    step_row(s, view, view_rows_add(view, rows));
    return END_OF_ROWS(rc);
}

/* All that a webhook is told of a mail is one step of it, which stands as the post that is worst off. */
enum rc view_effects(struct db *db,
                     const char *key,
                     struct view *view,
                     const struct view_effect **out,
                     size_t *count,
                     struct err *err)
{
    static const char planned[] =
        "SELECT kind, target, status, external_id, reason, code, attempts, due FROM effect"
        " WHERE " OF_KEY("effect", "$1") " ORDER BY id";
    static const char told[] =
        "SELECT 'webhook' AS kind, webhook AS target, '' AS external_id, '' AS reason,"
        " CASE MAX(CASE status WHEN 'refused' THEN 3 WHEN 'deferred' THEN 2"
        "  WHEN 'planned' THEN 1 ELSE 0 END) WHEN 3 THEN 'refused' WHEN 2 THEN 'deferred'"
        "  WHEN 1 THEN 'planned' ELSE 'done' END AS status,"
        " MAX(CASE WHEN status = 'done' THEN 0 ELSE code END) AS code,"
        " SUM(attempts) AS attempts, MIN(CASE WHEN status = 'deferred' THEN due END) AS due"
        " FROM webhook_outbox WHERE key = $1 GROUP BY webhook ORDER BY webhook";
    struct view_rows rows = view_rows_begin(view, sizeof(struct view_effect));

    TRY(add_steps(db, planned, key, view, &rows, err));
    TRY(add_steps(db, told, key, view, &rows, err));
    *out = rows.at;
    *count = rows.count;
    return RC_OK;
}

static enum rc attempts(struct db *db, struct view *view, struct view_item *item, struct err *err)
{
    static const char find[] =
        "SELECT effect.kind, effect.target, attempt.run, attempt.phase, attempt.outcome,"
        " attempt.stage, attempt.number, attempt.code, attempt.started_at, attempt.armed_at,"
        " attempt.ended_at FROM attempt JOIN effect ON effect.id = attempt.effect"
        " WHERE " OF_KEY("effect", "$1") " ORDER BY attempt.id";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(view, sizeof(struct view_attempt));
    enum rc rc;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, item->key);
    EACH_ROW(s, rc, err)
    {
        struct view_attempt *a = view_rows_add(view, &rows);
        a->kind = view_text(view, col_text(s, "kind"));
        a->target = view_text(view, col_text(s, "target"));
        a->run = view_text(view, col_text(s, "run"));
        a->phase = view_text(view, col_text(s, "phase"));
        a->outcome = view_text(view, col_text(s, "outcome"));
        a->stage = view_text(view, col_text(s, "stage"));
        a->number = col_int(s, "number");
        a->code = col_int(s, "code");
        a->started_ms = col_int(s, "started_at");
        a->armed_ms = col_when(s, "armed_at");
        a->ended_ms = col_when(s, "ended_at");
    }
    item->attempt = rows.at;
    item->attempt_count = rows.count;
    return END_OF_ROWS(rc);
}

static enum rc findings(struct db *db, struct view *view, struct view_item *item, struct err *err)
{
    static const char find[] =
        "SELECT effect.kind, effect.target, evidence.kind AS evidence, evidence.found,"
        " evidence.place, evidence.seen_at FROM evidence JOIN effect ON effect.id = evidence.effect"
        " WHERE evidence.key = $1 ORDER BY evidence.id";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(view, sizeof(struct view_evidence));
    enum rc rc;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, item->key);
    EACH_ROW(s, rc, err)
    {
        struct view_evidence *e = view_rows_add(view, &rows);
        e->kind = view_text(view, col_text(s, "kind"));
        e->target = view_text(view, col_text(s, "target"));
        e->evidence = view_text(view, col_text(s, "evidence"));
        e->place = view_text(view, col_text(s, "place"));
        e->found = col_int(s, "found") == 1;
        e->seen_ms = col_int(s, "seen_at");
    }
    item->evidence = rows.at;
    item->evidence_count = rows.count;
    return END_OF_ROWS(rc);
}

static void report_row(struct stmt *s, struct view *view, struct view_report *r)
{
    const char *action = col_text(s, "action");
    r->action = view_text(view, action[0] ? action : "answered");
    r->key = view_text(view, col_text(s, "report_key"));
    r->seen_ms = col_int(s, "recorded_at");
}

#define REPORTS "SELECT action, report_key, recorded_at FROM bounce WHERE key "

enum rc view_reports(struct db *db,
                     const char *key,
                     bool whole_case,
                     struct view *view,
                     struct view_reports *out,
                     struct err *err)
{
    static const char of_item[] = REPORTS "= $1 ORDER BY id";
    static const char of_case[] = REPORTS
        "IN (SELECT c.key FROM case_record AS c WHERE c.key = $1 OR c.merged_into = $1"
        " UNION SELECT item.key FROM case_record AS c JOIN item ON item.case_key <> item.key"
        " AND item.case_key = c.key WHERE c.key = $1 OR c.merged_into = $1) ORDER BY id";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(view, sizeof(struct view_report));
    enum rc rc;

    TRY(stmt_open(db, whole_case ? of_case : of_item, &s, err));
    stmt_text(s, 1, key);
    EACH_ROW(s, rc, err)
    report_row(s, view, view_rows_add(view, &rows));
    *out = (struct view_reports){rows.at, rows.count};
    return END_OF_ROWS(rc);
}

static enum rc decisions(struct db *db, struct view *view, struct view_item *item, struct err *err)
{
    static const char find[] =
        "SELECT approval.decision, approval.person, approval.second, approval.decided_at,"
        " approval.undone_at, COALESCE((SELECT note.text FROM note WHERE " OF_KEY(
            "note", "approval.key") " AND note.about = 'approval ' || approval.id), '') AS why"
                                    " FROM approval WHERE approval.key = $1 ORDER BY approval.id";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(view, sizeof(struct view_approval));
    enum rc rc;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, item->key);
    EACH_ROW(s, rc, err)
    {
        struct view_approval *a = view_rows_add(view, &rows);
        a->decision = view_text(view, col_text(s, "decision"));
        a->by = view_text(view, col_text(s, "person"));
        a->second = view_text(view, col_text(s, "second"));
        a->why = view_text(view, col_text(s, "why"));
        a->decided_ms = col_int(s, "decided_at");
        a->undone_ms = col_when(s, "undone_at");
        if (a->undone_ms == a->decided_ms) /* over with the act, such as a replay */
            a->undone_ms = NOT_DUE;
    }
    item->approval = rows.at;
    item->approval_count = rows.count;
    return END_OF_ROWS(rc);
}

static enum rc conditions(struct db *db, struct view *view, struct view_item *item, struct err *err)
{
    static const char find[] = "SELECT name, value, holds FROM acceptance WHERE " OF_KEY(
        "acceptance", "$1") " ORDER BY name";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(view, sizeof(struct view_condition));
    enum rc rc;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, item->key);
    EACH_ROW(s, rc, err)
    {
        struct view_condition *c = view_rows_add(view, &rows);
        c->name = view_text(view, col_text(s, "name"));
        c->value = view_text(view, col_text(s, "value"));
        c->holds = col_int(s, "holds") == 1;
    }
    item->condition = rows.at;
    item->condition_count = rows.count;
    return END_OF_ROWS(rc);
}

static enum rc notes(struct db *db, struct view *view, struct view_item *item, struct err *err)
{
    static const char find[] = "SELECT text, noted_at FROM note WHERE " OF_KEY(
        "note", "$1") " AND about IN ('person', 'destination') AND erased = 0 ORDER BY id";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(view, sizeof(struct view_note));
    enum rc rc;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, item->key);
    EACH_ROW(s, rc, err)
    {
        struct view_note *n = view_rows_add(view, &rows);
        n->text = view_text(view, col_text(s, "text"));
        n->noted_ms = col_int(s, "noted_at");
    }
    item->note = rows.at;
    item->note_count = rows.count;
    return END_OF_ROWS(rc);
}

static enum rc words(struct db *db, struct view *view, struct view_item *item, struct err *err)
{
    static const char find[] = "SELECT text FROM item WHERE key = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, item->key);
    TRY(stmt_row(s, err));
    item->text = view_text(view, col_text(s, "text"));
    return RC_OK;
}

enum rc view_story(struct db *db, struct view *view, struct view_item *item, struct err *err)
{
    TRY(attempts(db, view, item, err));
    TRY(findings(db, view, item, err));
    TRY(view_reports(db, item->key, false, view, &item->reports, err));
    TRY(decisions(db, view, item, err));
    TRY(notes(db, view, item, err));
    TRY(words(db, view, item, err));
    return conditions(db, view, item, err);
}
