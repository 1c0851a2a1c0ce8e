/* SPDX-License-Identifier: Apache-2.0 */
#include "commit.h"

#include "effect_follows.h"
#include "elsewhere.h"
#include "evidence.h"
#include "mailboxes.h"
#include "store_p.h"

#include <string.h>

/* ---- guards -------------------------------------------------------------------------------- */

static bool needs_no_fence(const struct change *c)
{
    enum effect_event effect = c->effect.on;
    enum item_event item = c->item.on;

    switch (c->what) {
    case CHANGE_EFFECT:
        return effect == ON_EVIDENCE || effect == ON_EVERYBODY;
    case CHANGE_ITEM:
        return !c->item.keep && (item == ITEM_ON_EVIDENCE || item == ITEM_ON_REOPEN);
    case CHANGE_EVIDENCE:
    case CHANGE_NOTE:
    case CHANGE_WORDS:
    case CHANGE_CIRCUIT:
        return true;
    case CHANGE_ORIGINAL:
    case CHANGE_ACCEPTANCE:
        return false;
    }
    return false;
}

/* An earlier change of the same item has passed: what it did to the lease is this batch's doing. */
static bool guarded_before(const struct changes *c, size_t at)
{
    const struct change *now = &c->at[at];

    for (size_t i = at; i-- > 0;) {
        const struct change *before = &c->at[i];

        if (before->key && before->fence == now->fence && strcmp(before->key, now->key) == 0)
            return true;
    }
    return false;
}

static enum rc guard(struct writing *w, const struct change *c, struct err *err)
{
    static const char find[] =
        "SELECT 1 AS one FROM item WHERE key = $1 AND fence = $2 AND lease_run = $3"
        " /* FOR UPDATE */";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, find, &s, err));
    stmt_text(s, 1, c->key);
    stmt_int(s, 2, c->fence);
    stmt_text(s, 3, w->run);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_NOT_FOUND)
        return FAIL(err, RC_CONFLICT, "ledger: item %.12s is no longer this run's", c->key);
    return rc;
}

static enum rc guard_one(struct writing *w, const struct changes *c, size_t at, struct err *err)
{
    const struct change *change = &c->at[at];

    if (change->fence == NO_FENCE && needs_no_fence(change))
        return RC_OK;
    if (change->fence == NO_FENCE && change->what == CHANGE_EFFECT)
        return elsewhere_guard(w, &change->effect, err);
    if (change->fence == NO_FENCE || !change->key)
        return FAIL(err, RC_USAGE, "ledger: such a change needs a lease");
    return guarded_before(c, at) ? RC_OK : guard(w, change, err);
}

/* ---- changes ------------------------------------------------------------------------------- */

/* A letter's copy answers what a person is asked; a message's, found where it was filed, does not. */
static enum rc answers(struct db *db, const struct change *c, bool *out, struct err *err)
{
    static const char find[] = "SELECT 1 AS one FROM effect WHERE id = $1 AND elsewhere = ''";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    *out = false;
    if (c->effect.on != ON_EVIDENCE || c->fence != NO_FENCE)
        return RC_OK;
    TRY(stmt_open(db, find, &s, err));
    stmt_int(s, 1, c->effect.effect);
    enum rc rc = stmt_row(s, err);

    *out = rc == RC_OK;
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static enum rc change_effect(struct writing *w, const struct change *c, struct err *err)
{
    bool answered;

    TRY(step_effect(w, c->key, &c->effect, err));
    TRY(effect_follows(w, c->key, &c->effect, err));
    TRY(answers(w->store->db, c, &answered, err));
    return answered ? evidence_answers(w, c->key, err) : RC_OK;
}

/* A copy may have come since the item was read: a complete item with an open move is due for it. */
static enum rc due_for_copies(struct writing *w, const char *key, struct err *err)
{
    static const char update[] =
        "UPDATE item SET next_due = (SELECT MIN(COALESCE(effect.due, $1)) FROM effect"
        " WHERE " OF_ITEM(
            "effect") " AND effect.kind = 'move' AND effect.elsewhere = ''"
                      " AND effect.status IN ('planned', 'deferred', 'attempting', 'unknown'))"
                      " WHERE key = $2 AND state = 'complete' AND next_due IS NULL";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_int(s, 1, w->now.wall_ms);
    stmt_text(s, 2, key);
    return stmt_run(s, NULL, err);
}

/* The effect that was settled without a lease took its item along. */
static enum rc went_on(struct db *db, const struct change *c, bool *out, struct err *err)
{
    static const char find[] = "SELECT 1 AS one FROM item WHERE key = $1 AND state = 'in_progress'";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    *out = false;
    if (c->fence != NO_FENCE || c->item.on != ITEM_ON_EVIDENCE)
        return RC_OK;
    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, c->key);
    enum rc rc = stmt_row(s, err);

    *out = rc == RC_OK;
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* What must still stand so that there is something to ask; NULL: nothing else can answer it. */
static const char *asked_about(enum reason reason)
{
#define EFFECT_OF "SELECT 1 AS one FROM effect WHERE " OF_KEY("effect", "$1") " AND "
    if (reason == REASON_UNKNOWN_SENT)
        return EFFECT_OF "kind = 'acknowledgement' AND status = 'unknown'";
    if (reason == REASON_CASE_REFUSED)
        return EFFECT_OF "kind = 'case' AND status = 'refused'";
    if (reason == REASON_DESTINATION_GONE)
        return EFFECT_OF "kind IN ('case', 'attachment') AND status IN ('deferred', 'unknown')";
    return NULL;
#undef EFFECT_OF
}

/* Evidence or a replay may have settled it since the caller looked: there is nothing to ask then. */
static enum rc still_a_question(struct db *db, const struct change *c, struct err *err)
{
    const char *find = asked_about(c->item.reason);
    CLEANUP(stmt_done) struct stmt *s = NULL;

    if (c->item.keep || c->item.on != ITEM_ON_WAIT || !find)
        return RC_OK;
    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, c->key);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_NOT_FOUND)
        return FAIL(err, RC_CONFLICT, "ledger: what a person would be asked of item %.12s is known",
                    c->key);
    return rc;
}

/* A person may have planned a step since the caller looked, such as the closing of its case. */
static enum rc has_more_to_do(struct db *db, const struct change *c, bool *out, struct err *err)
{
    static const char find[] = "SELECT 1 AS one FROM effect WHERE " OF_KEY(
        "effect", "$1") " AND status IN ('planned', 'deferred')"
                        " AND ((kind = 'case' AND target LIKE '%/%')"
                        " OR (kind = 'acknowledgement' AND target = 'closed'))";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    *out = false;
    if (c->item.keep || c->item.on != ITEM_ON_COMPLETE)
        return RC_OK;
    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, c->key);
    enum rc rc = stmt_row(s, err);

    *out = rc == RC_OK;
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static enum rc change_item(struct writing *w, const struct change *c, struct err *err)
{
    const struct item_change soon = {
        .keep = true, .from = c->item.from, .release = true, .due_ms = w->now.wall_ms};
    bool on_its_way, more;

    TRY(went_on(w->store->db, c, &on_its_way, err));
    if (on_its_way)
        return RC_OK;
    TRY(has_more_to_do(w->store->db, c, &more, err));
    if (more)
        return step_item(w, c->key, &soon, err);
    TRY(still_a_question(w->store->db, c, err));
    TRY(step_item(w, c->key, &c->item, err));
    return c->item.due_ms == NOT_DUE ? due_for_copies(w, c->key, err) : RC_OK;
}

static enum rc change_original(struct writing *w, const struct change *c, struct err *err)
{
    static const char update[] = "UPDATE item SET original_kept = 1 WHERE key = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_text(s, 1, c->key);
    return stmt_one(s, "an item", err);
}

static enum rc
change_note(struct writing *w, const struct change *c, const char *about, struct err *err)
{
    CLEANUP(str_clear) struct str masked = STR_INIT;

    addresses_mask(slice_z(c->note), &masked);
    return note_add(w, c->key, about, str_z(&masked), err);
}

/* ---- acceptance ---------------------------------------------------------------------------- */

static enum rc forget_conditions(struct writing *w, const char *key, struct err *err)
{
    static const char remove[] = "DELETE FROM acceptance WHERE " OF_KEY("acceptance", "$1");
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, remove, &s, err));
    stmt_text(s, 1, key);
    return stmt_run(s, NULL, err);
}

static enum rc add_condition(struct writing *w,
                             const char *key,
                             const struct acceptance_condition *c,
                             struct err *err)
{
    static const char insert[] =
        "INSERT INTO acceptance (key, name, holds, value, judged_at, item_number)"
        " VALUES ($1, $2, $3, $4, $5, " NUMBER_OF("$1") ")";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, insert, &s, err));
    stmt_text(s, 1, key);
    stmt_text(s, 2, c->name);
    stmt_int(s, 3, c->holds);
    stmt_text(s, 4, c->value);
    stmt_int(s, 5, w->now.wall_ms);
    return stmt_run(s, NULL, err);
}

static enum rc change_acceptance(struct writing *w, const struct change *c, struct err *err)
{
    TRY(forget_conditions(w, c->key, err));
    for (size_t i = 0; i < c->acceptance->count; i++)
        TRY(add_condition(w, c->key, &c->acceptance->condition[i], err));
    return RC_OK;
}

/* Does this change file a message, or end its item? */
static bool takes_leave(const struct change *c)
{
    if (c->what == CHANGE_ITEM)
        return !c->item.keep && c->item.on == ITEM_ON_COMPLETE;
    return c->what == CHANGE_EFFECT && c->effect.on == ON_ARM;
}

#define CONDITIONS_OF_ITEM "SELECT 1 FROM acceptance WHERE " OF_ITEM("acceptance")
#define EFFECTS_OF_ITEM    "SELECT 1 FROM effect WHERE " OF_ITEM("effect")

/* A move was armed: do all the conditions that are stored now hold? And is the acknowledgement that
 * they speak of still settled, also where the item completes? A direct copy may have come since they
 * were judged, whose sender is to be told. A row: they do not. */
static enum rc accepted(struct writing *w, const struct change *c, struct err *err)
{
    static const char unaccepted[] =
        "SELECT 1 AS one FROM item WHERE key = $1"
        " AND (EXISTS (SELECT 1 FROM effect WHERE id = $2 AND kind = 'move')"
        "  AND (NOT EXISTS (" CONDITIONS_OF_ITEM ") OR EXISTS (" CONDITIONS_OF_ITEM
        " AND holds = 0))"
        " OR ($2 = 0 OR EXISTS (SELECT 1 FROM effect WHERE id = $2 AND kind = 'move'))"
        "  AND EXISTS (" CONDITIONS_OF_ITEM " AND acceptance.name = 'acknowledgement')"
        "  AND EXISTS (" EFFECTS_OF_ITEM " AND effect.kind = 'acknowledgement'"
        "   AND effect.target <> 'closed' AND effect.status NOT IN ('done', 'skipped', "
        "'refused')))";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    if (!takes_leave(c))
        return RC_OK;
    TRY(stmt_open(w->store->db, unaccepted, &s, err));
    stmt_text(s, 1, c->key);
    stmt_int(s, 2, c->what == CHANGE_EFFECT ? c->effect.effect : 0);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_OK)
        return FAIL(err, RC_CONFLICT, "ledger: item %.12s is not accepted: it is not filed",
                    c->key);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* ---- all of them --------------------------------------------------------------------------- */

static enum rc apply_one(struct writing *w, const struct changes *all, size_t at, struct err *err)
{
    const struct change *c = &all->at[at];

    TRY(guard_one(w, all, at, err));
    switch (c->what) {
    case CHANGE_EFFECT:
        return change_effect(w, c, err);
    case CHANGE_ITEM:
        return change_item(w, c, err);
    case CHANGE_ORIGINAL:
        return change_original(w, c, err);
    case CHANGE_ACCEPTANCE:
        return change_acceptance(w, c, err);
    case CHANGE_EVIDENCE:
        return evidence_add(w, c->key, &c->evidence, err);
    case CHANGE_NOTE:
        return change_note(w, c, "item", err);
    case CHANGE_WORDS:
        return change_note(w, c, "destination", err);
    case CHANGE_CIRCUIT:
        return circuits_write(w, c->mailbox, err);
    }
    return FAIL(err, RC_USAGE, "ledger: there is no such change");
}

enum rc changes_apply(struct writing *w, const struct changes *c, size_t *failed, struct err *err)
{
    enum rc rc = RC_OK;

    for (*failed = 0; *failed < c->count; (*failed)++)
        if ((rc = apply_one(w, c, *failed, err)) != RC_OK)
            return rc;
    for (*failed = 0; *failed < c->count; (*failed)++)
        if ((rc = accepted(w, &c->at[*failed], err)) != RC_OK)
            return rc;
    return RC_OK;
}
