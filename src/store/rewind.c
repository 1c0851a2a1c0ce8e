/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence.h"
#include "mailboxes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* An acknowledgement that is not settled. */
struct open_letter {
    int64_t effect;
    char key[KEY_SIZE];
    enum effect_status status;
    int64_t attempts;
    enum item_state state;
    enum reason reason;
    char target[32]; /* "" where none was fixed: the one it would have had */
};

static enum rc letter_of(struct stmt *s, struct open_letter *out, struct err *err)
{
    enum disposition disposition;

    *out = (struct open_letter){.effect = col_int(s, "id"), .attempts = col_int(s, "attempts")};
    TRY(COL_COPY(s, "key", out->key, err));
    TRY(COL_COPY(s, "target", out->target, err));
    if (!effect_status_parse(col_text(s, "status"), &out->status) ||
        !disposition_parse(col_text(s, "disposition"), &disposition) ||
        !item_state_parse(col_text(s, "state"), &out->state) ||
        !reason_parse(col_text(s, "reason"), &out->reason))
        return FAIL(err, RC_BROKEN, "ledger: step %" PRId64 " is in no state", out->effect);
    if (out->target[0] == '\0')
        snprintf(out->target, sizeof out->target, "%s",
                 completion_text(completion_of(disposition, col_int(s, "exceptions") != 0)));
    return RC_OK;
}

static enum rc find_letters(
    struct db *db, const char *mailbox, struct open_letter **out, size_t *count, struct err *err)
{
    static const char find[] =
        "SELECT effect.id, effect.key, effect.status, effect.attempts, effect.target,"
        " item.disposition, item.state, item.reason, EXISTS (SELECT 1 FROM attachment WHERE "
        "attachment.key = item.key"
        " AND attachment.status IN ('refused', 'quarantined')) AS exceptions"
        " FROM item CROSS JOIN effect"
        " WHERE item.mailbox = $1 AND " OF_ITEM(
            "effect") " AND effect.kind = 'acknowledgement'"
                      " AND effect.status IN ('planned', 'deferred', 'attempting', 'unknown') "
                      "ORDER BY effect.id";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    CLEANUP(mem_free) struct open_letter *found = NULL;
    size_t n = 0;
    enum rc rc;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, mailbox);
    while ((rc = stmt_row(s, err)) == RC_OK) {
        if (n % 64 == 0)
            found = mem_grow(found, n + 64, sizeof *found);
        TRY(letter_of(s, &found[n++], err));
    }
    if (rc != RC_NOT_FOUND)
        return rc;
    *out = STEAL(found);
    *count = n;
    return RC_OK;
}

static enum rc make_due(struct writing *w, const char *key, struct err *err)
{
    static const char update[] = "UPDATE item SET next_due = $1 WHERE key = $2";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_int(s, 1, w->now.wall_ms);
    stmt_text(s, 2, key);
    return stmt_one(s, "an item", err);
}

/* An item in work is due, so that evidence is looked for. One whose question was about trying again,
 * or that seemed complete, asks now whether it was sent; another question stays. */
static enum rc tell_item(struct writing *w, const struct open_letter *letter, struct err *err)
{
    const struct item_change ask = {.from = letter->state,
                                    .on = ITEM_ON_WAIT,
                                    .reason = REASON_UNKNOWN_SENT,
                                    .due_ms = NOT_DUE};
    bool again = letter->reason == REASON_GAVE_UP || letter->reason == REASON_REPLY_WAITS;

    switch (letter->state) {
    case ITEM_RECEIVED:
    case ITEM_IN_PROGRESS:
        return make_due(w, letter->key, err);
    case ITEM_COMPLETE:
        return step_item(w, letter->key, &ask, err);
    case ITEM_NEEDS_RECONCILIATION:
        return again ? step_item(w, letter->key, &ask, err) : RC_OK;
    case ITEM_STATE_COUNT:
        break;
    }
    return FAIL(err, RC_BROKEN, "ledger: item %.12s is in no state", letter->key);
}

/* Every waiting time counts from now: what was sent in the time that is lost may be on its way yet. */
static enum rc doubt(struct writing *w, const struct open_letter *letter, struct err *err)
{
    const struct effect_change change = {.effect = letter->effect,
                                         .from = letter->status,
                                         .on = ON_LOSE,
                                         .target = letter->target,
                                         .due_ms = w->now.wall_ms};
    char ack_id[EFFECT_ID_SIZE];

    if (letter->status != EFFECT_UNKNOWN)
        TRY(step_effect(w, letter->key, &change, err));
    if (letter->status == EFFECT_UNKNOWN)
        TRY(attempt_doubt(w, letter->effect, letter->attempts, err));
    if (letter->status == EFFECT_ATTEMPTING)
        TRY(attempt_doubt(w, letter->effect, letter->attempts, err));
    TRY(tell_item(w, letter, err));
    acknowledgement_id(letter->key, letter->target, ack_id);
    return evidence_named(w, letter->key, letter->effect, ack_id, err);
}

static enum rc doubt_all(struct writing *w, const char *mailbox, struct err *err)
{
    CLEANUP(mem_free) struct open_letter *letter = NULL;
    size_t count = 0;

    TRY(find_letters(w->store->db, mailbox, &letter, &count, err));
    for (size_t i = 0; i < count; i++)
        TRY(doubt(w, &letter[i], err));
    return RC_OK;
}

/* Rises once for all mailboxes: a record that agrees with an older generation only catches up. */
static enum rc raise_generation(struct writing *w, int64_t noticed, int64_t *now, struct err *err)
{
    static const char update[] =
        "UPDATE meta SET value = CASE WHEN CAST(value AS BIGINT) > $1 THEN value"
        " ELSE CAST($1 + 1 AS TEXT) END WHERE name = 'generation' RETURNING CAST(value AS BIGINT) "
        "AS generation";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_int(s, 1, noticed);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_NOT_FOUND)
        return FAIL(err, RC_BROKEN, "ledger: it has no generation");
    if (rc != RC_OK)
        return rc;
    *now = col_int(s, "generation");
    return stmt_run(s, NULL, err);
}

static enum rc
rewind_event(struct writing *w, const struct mailbox_record *before, int64_t after, struct err *err)
{
    const struct subject from = subject_of("generation", before->generation);
    const struct subject to = subject_of("generation", after);

    return mailbox_event(
        w, before->id,
        &(struct event){
            .what = "rewind", .from = from.text, .to = to.text, .actor = actor_text(BY_EVIDENCE)},
        err);
}

/* A person has taken the mailbox over from a deployment that is gone. */
static enum rc
take_over_event(struct writing *w, const struct mailbox_record *record, struct err *err)
{
    if (!record->taken_from[0])
        return RC_OK;
    return mailbox_event(w, record->id,
                         &(struct event){.what = "take-over",
                                         .from = record->taken_from,
                                         .to = "ours",
                                         .actor = actor_text(BY_PERSON)},
                         err);
}

static enum rc rewind_mailbox(struct writing *w, struct mailbox_record *record, struct err *err)
{
    const struct mailbox_record before = *record;

    TRY(raise_generation(w, before.generation, &record->generation, err));
    TRY(mailbox_write(w, record, err));
    TRY(doubt_all(w, record->id, err));
    TRY(take_over_event(w, record, err));
    return rewind_event(w, &before, record->generation, err);
}

static enum rc
rewind_once(void *self, struct mailbox_record *record, struct instant now, struct err *err)
{
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;
    struct mailbox_record after = *record;

    if (store->run[0] == '\0')
        return FAIL(err, RC_USAGE, "ledger: only a run that has entered can take it for rewound");
    TRY(writing_begin(store, store->run, now, &w, err));
    TRY(rewind_mailbox(&w, &after, err));
    TRY(writing_finish(&w, err));
    after.version++;
    *record = after;
    return RC_OK;
}

enum rc
mailboxes_rewind(void *self, struct mailbox_record *record, struct instant now, struct err *err)
{
    return WRITE(self, rewind_once(self, record, now, err));
}
