/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_rows.h"

#include "case_rows.h"
#include "evidence.h"
#include "store_p.h"
#include "told.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- attachments --------------------------------------------------------------------------- */

static enum rc add_attachment(struct writing *w,
                              const struct planned *p,
                              const struct planned_attachment *a,
                              struct err *err)
{
    static const char insert[] = "INSERT INTO attachment (key, number, part, name, stored_name,"
                                 " type, size, sha256, status, reason)"
                                 " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    const struct message *m = p->arrival->message;
    const struct message_part *part = &m->parts[a->part];
    CLEANUP(stmt_done) struct stmt *s = NULL;
    char sha256[DIGEST_HEX_SIZE];

    digest_hex(&part->sha256, sha256);
    TRY(stmt_open(w->store->db, insert, &s, err));
    stmt_text(s, 1, p->key);
    stmt_int(s, 2, a->number);
    stmt_int(s, 3, (int64_t)a->part);
    stmt_slice(s, 4, message_slice(m, part->name));
    stmt_text(s, 5, a->stored_name);
    stmt_slice(s, 6, message_slice(m, part->type));
    stmt_int(s, 7, part->size);
    stmt_text(s, 8, sha256);
    stmt_text(s, 9, a->refused ? "refused" : "planned");
    stmt_text(s, 10, a->reason);
    return stmt_run(s, NULL, err);
}

static bool has_exceptions(const struct plan *plan)
{
    for (size_t i = 0; i < plan->attachments; i++)
        if (plan->attachment[i].refused)
            return true;
    return false;
}

/* ---- effects ------------------------------------------------------------------------------- */

struct effect_row {
    char target[EFFECT_TARGET_SIZE];
    const char *external_id;
    char ack_id[EFFECT_ID_SIZE];
    int64_t due_ms;
};

static enum rc insert_effect(struct writing *w,
                             const struct planned *p,
                             const struct planned_effect *e,
                             const struct effect_row *row,
                             int64_t *id,
                             struct err *err)
{
    static const char insert[] =
        "INSERT INTO effect (key, kind, target, status, external_id, reason, due, ack_id,"
        " elsewhere, item_number) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, CASE WHEN $2 = 'move' "
        "AND $9 <>"
        " (SELECT mailbox FROM item WHERE key = $1) THEN $9 ELSE '' END, " NUMBER_OF(
            "$1") ") RETURNING id";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, insert, &s, err));
    stmt_text(s, 1, p->key);
    stmt_text(s, 2, effect_kind_text(e->kind));
    stmt_text(s, 3, row->target);
    stmt_text(s, 4, effect_status_text(e->status));
    stmt_text(s, 5, row->external_id);
    stmt_text(s, 6, e->reason);
    stmt_when(s, 7, row->due_ms);
    stmt_text(s, 8, row->ack_id);
    stmt_text(s, 9, p->arrival->mailbox);
    TRY(stmt_row(s, err));
    *id = col_int(s, "id");
    return stmt_run(s, NULL, err);
}

/* Planned steps need no line of their own: the item's says that it has its plan. */
static enum rc add_line(struct writing *w,
                        const struct planned *p,
                        const struct planned_effect *e,
                        int64_t id,
                        struct err *err)
{
    struct subject subject = subject_of("effect", id);

    if (e->status == EFFECT_PLANNED)
        return RC_OK;
    return event_add(w,
                     &(struct event){.mailbox = p->arrival->mailbox,
                                     .key = p->key,
                                     .subject = subject.text,
                                     .what = "plan",
                                     .to = effect_status_text(e->status),
                                     .actor = actor_text(BY_SERVICE)},
                     err);
}

static enum rc
fix_completion(struct writing *w, const char *key, const char *completion, struct err *err)
{
    static const char update[] = "UPDATE item SET completion = $1 WHERE key = $2";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_text(s, 1, completion);
    stmt_text(s, 2, key);
    return stmt_one(s, "an item", err);
}

/* A ledger that has forgotten may have sent it: what it would have told is fixed, a lost try armed
 * now stands for the one forgotten, and what has named it since settles it. */
static enum rc doubt(struct writing *w,
                     const struct planned *p,
                     const struct effect_row *row,
                     int64_t id,
                     struct err *err)
{
    TRY(attempt_doubt(w, id, 0, err));
    TRY(fix_completion(w, p->key, row->target, err));
    return evidence_named(w, p->key, id, row->ack_id, err);
}

static void fill_acknowledgement(const struct planned *p,
                                 const struct planned_effect *e,
                                 int64_t now_ms,
                                 struct effect_row *row)
{
    enum completion told = completion_of(p->verdict->disposition, has_exceptions(p->plan));

    if (e->status == EFFECT_DEFERRED)
        row->due_ms = now_ms + p->wait_ms;
    if (e->status != EFFECT_UNKNOWN)
        return;
    snprintf(row->target, sizeof row->target, "%s", completion_text(told));
    acknowledgement_id(p->key, row->target, row->ack_id);
}

static enum rc add_effect(struct writing *w,
                          const struct planned *p,
                          const struct planned_effect *e,
                          const char *reference,
                          struct err *err)
{
    struct effect_row row = {.external_id = ""};
    int64_t id;

    snprintf(row.target, sizeof row.target, "%s", e->target);
    row.due_ms = e->status == EFFECT_PLANNED ? w->now.wall_ms : NOT_DUE;
    if (e->kind == EFFECT_MOVE)
        snprintf(row.target, sizeof row.target, "%" PRId64, p->delivery);
    if (e->kind == EFFECT_CASE && e->status == EFFECT_DONE)
        row.external_id = reference;
    if (e->kind == EFFECT_ACKNOWLEDGEMENT)
        fill_acknowledgement(p, e, w->now.wall_ms, &row);
    TRY(insert_effect(w, p, e, &row, &id, err));
    TRY(add_line(w, p, e, id, err));
    if (e->kind == EFFECT_ACKNOWLEDGEMENT && e->status == EFFECT_UNKNOWN)
        return doubt(w, p, &row, id, err);
    return RC_OK;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static bool tells(const struct plan *plan)
{
    for (size_t i = 0; i < plan->effects; i++)
        if (plan->effect[i].kind == EFFECT_ACKNOWLEDGEMENT)
            return plan->effect[i].status != EFFECT_SKIPPED;
    return false;
}

static enum rc
update_item(struct writing *w, const struct planned *p, const char *case_key, struct err *err)
{
    static const char update[] = "UPDATE item SET case_key = $1, tells = $2 WHERE key = $3";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_text(s, 1, case_key);
    stmt_int(s, 2, tells(p->plan));
    stmt_text(s, 3, p->key);
    TRY(stmt_one(s, "an item", err));
    if (!tells(p->plan))
        return RC_OK;
    return told_add(w, p->arrival->mailbox, p->arrival->internal_ms, err);
}

static enum rc add_attachments(struct writing *w, const struct planned *p, struct err *err)
{
    for (size_t i = 0; i < p->plan->attachments; i++)
        TRY(add_attachment(w, p, &p->plan->attachment[i], err));
    return RC_OK;
}

static enum rc
add_effects(struct writing *w, const struct planned *p, const char *reference, struct err *err)
{
    for (size_t i = 0; i < p->plan->effects; i++)
        TRY(add_effect(w, p, &p->plan->effect[i], reference, err));
    return RC_OK;
}

enum rc plan_rows_add(struct writing *w,
                      const struct planned *p,
                      char reference[REFERENCE_SIZE],
                      struct err *err)
{
    const char *case_key = NULL;

    TRY(case_rows_add(w, p, &case_key, reference, err));
    if (case_key || tells(p->plan))
        TRY(update_item(w, p, case_key, err));
    TRY(add_attachments(w, p, err));
    return add_effects(w, p, reference, err);
}

enum rc plan_rows_move(struct writing *w, const struct planned *p, struct err *err)
{
    for (size_t i = 0; i < p->plan->effects; i++)
        if (p->plan->effect[i].kind == EFFECT_MOVE)
            TRY(add_effect(w, p, &p->plan->effect[i], "", err));
    return RC_OK;
}
