/* SPDX-License-Identifier: Apache-2.0 */
#include "copy_rows.h"

#include "evidence.h"
#include "store_p.h"
#include "told.h"

#include <stdio.h>

/* ---- its move ------------------------------------------------------------------------------ */

/* An item that is complete has nobody coming by; any other files its copies when it is. A copy in
 * another mailbox is that one's to file. */
static enum rc wake_complete(struct writing *w, const struct planned *p, struct err *err)
{
    static const char update[] = "UPDATE item SET next_due = $1 WHERE key = $2"
                                 " AND state = 'complete' AND (next_due IS NULL OR next_due > $1)"
                                 " AND mailbox = $3";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_int(s, 1, w->now.wall_ms);
    stmt_text(s, 2, p->key);
    stmt_text(s, 3, p->arrival->mailbox);
    return stmt_run(s, NULL, err);
}

static enum rc plan_move(const struct reserving *r, const struct planned *p, struct err *err)
{
    if (p->plan->effects == 0)
        return RC_OK;
    TRY(plan_rows_move(r->w, p, err));
    return p->arrival->filed ? RC_OK : wake_complete(r->w, p, err);
}

/* ---- a direct copy after a list's ---------------------------------------------------------- */

struct unanswered {
    int64_t effect; /* 0: it was answered, or not because of a list */
    enum item_state state;
    char mailbox[NAME_SIZE]; /* the item's */
    char target[32];         /* what its sender would be told */
};

static enum rc
find_unanswered(struct db *db, const char *key, struct unanswered *out, struct err *err)
{
    static const char find[] =
        "SELECT effect.id, item.state, item.mailbox, item.disposition, EXISTS (SELECT 1 FROM "
        "attachment"
        " WHERE attachment.key = item.key AND attachment.status IN ('refused', 'quarantined'))"
        " AS exceptions FROM effect JOIN item ON item.key = effect.key"
        " WHERE " OF_KEY("effect",
                         "$1") " AND effect.kind = 'acknowledgement' AND effect.target <> 'closed'"
                               " AND effect.status = 'skipped' AND effect.reason IN ('list', "
                               "'bulk', 'list-copy')";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum disposition disposition;

    *out = (struct unanswered){0};
    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, key);
    enum rc rc = stmt_row(s, err);

    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    out->effect = col_int(s, "id");
    TRY(COL_COPY(s, "mailbox", out->mailbox, err));
    if (!item_state_parse(col_text(s, "state"), &out->state) ||
        !disposition_parse(col_text(s, "disposition"), &disposition))
        return FAIL(err, RC_BROKEN, "ledger: item %.12s is in no state", key);
    snprintf(out->target, sizeof out->target, "%s",
             completion_text(completion_of(disposition, col_int(s, "exceptions") != 0)));
    return RC_OK;
}

/* The list's Reply-To is the list's; the direct copy's is the sender's. */
static enum rc answer_directly(struct writing *w,
                               const char *key,
                               const struct unanswered *list,
                               const struct arrival *arrival,
                               struct err *err)
{
    static const char update[] =
        "UPDATE item SET recipient = $1, recipient_plain = $2, tells = 1,"
        " next_due = CASE WHEN next_due IS NULL OR next_due > $3 THEN $3 ELSE next_due END"
        " WHERE key = $4";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    CLEANUP(str_clear) struct str plain = STR_INIT;

    address_canonical(policy_recipient(arrival->message), &plain);
    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_slice(s, 1, policy_recipient(arrival->message));
    stmt_slice(s, 2, str_slice(&plain));
    stmt_int(s, 3, w->now.wall_ms);
    stmt_text(s, 4, key);
    TRY(stmt_one(s, "an item", err));
    return told_add(w, list->mailbox, arrival->internal_ms, err);
}

/* A ledger that has forgotten may have answered that copy already: whoever has named the answer since
 * settles it, else a person does. */
static enum rc
doubt_answer(struct writing *w, const char *key, const struct unanswered *list, struct err *err)
{
    const struct effect_change lost = {.effect = list->effect,
                                       .from = EFFECT_PLANNED,
                                       .on = ON_LOSE,
                                       .target = list->target,
                                       .due_ms = w->now.wall_ms};
    char ack_id[EFFECT_ID_SIZE];

    TRY(step_effect(w, key, &lost, err));
    acknowledgement_id(key, list->target, ack_id);
    return evidence_named(w, key, list->effect, ack_id, err);
}

/* Would it be answered if it were the only one? */
static bool answerable(const struct reserving *r, const struct arrival *arrival)
{
    static const struct known nothing;
    struct verdict alone;

    policy_judge(r->policy, arrival, &nothing, r->w->now.wall_ms, &alone);
    return alone.disposition == DISPOSITION_CASE && alone.skip == SKIP_NONE;
}

static enum rc
plan_answer(struct writing *w, const char *key, const struct unanswered *list, struct err *err)
{
    const struct effect_change change = {.effect = list->effect,
                                         .from = EFFECT_SKIPPED,
                                         .on = ON_DIRECT_COPY,
                                         .reason = "",
                                         .due_ms = w->now.wall_ms};
    const struct item_change reopen = {
        .from = ITEM_COMPLETE, .on = ITEM_ON_REOPEN, .due_ms = w->now.wall_ms};

    TRY(step_effect(w, key, &change, err));
    return list->state == ITEM_COMPLETE ? step_item(w, key, &reopen, err) : RC_OK;
}

static enum rc answer_direct_copy(const struct reserving *r,
                                  const struct arrival *arrival,
                                  const char *key,
                                  struct err *err)
{
    struct unanswered list;

    if (!arrival->message || !answerable(r, arrival))
        return RC_OK;
    TRY(find_unanswered(r->w->store->db, key, &list, err));
    if (list.effect == 0)
        return RC_OK;
    TRY(plan_answer(r->w, key, &list, err));
    TRY(answer_directly(r->w, key, &list, arrival, err));
    return arrival->before_rewind ? doubt_answer(r->w, key, &list, err) : RC_OK;
}

enum rc copy_add(const struct reserving *r,
                 const struct arrival *arrival,
                 const struct verdict *verdict,
                 const char *key,
                 struct err *err)
{
    CLEANUP(plan_clear) struct plan plan;
    struct planned p = {
        .key = key, .policy = r->policy, .arrival = arrival, .verdict = verdict, .plan = &plan};

    plan_make(r->policy, arrival, verdict, &plan);

    struct delivery_row delivery = {key, verdict->class, false, plan.move_to};

    TRY(delivery_add(r->w, arrival, &delivery, &p.delivery, err));
    TRY(plan_move(r, &p, err));
    return verdict->direct_copy ? answer_direct_copy(r, arrival, key, err) : RC_OK;
}
