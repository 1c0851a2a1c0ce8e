/* SPDX-License-Identifier: Apache-2.0 */
#include "decide.h"
#include "mailboxes.h"
#include "replay.h"
#include "retention.h"
#include "sender_rule.h"

#include <onecase/when.h>
#include <stdio.h>
#include <string.h>

enum rc people_named(const char *by, const char *why, struct err *err)
{
    if (by == NULL || slice_trim(slice_z(by)).len == 0)
        return FAIL(err, RC_USAGE, "a decision needs a name (--by)");
    if (why == NULL || slice_trim(slice_z(why)).len == 0)
        return FAIL(err, RC_USAGE, "a decision needs a reason (--reason)");
    return RC_OK;
}

enum rc people_note(struct writing *w,
                    const char *key,
                    const char *about,
                    const char *by,
                    const char *why,
                    struct err *err)
{
    CLEANUP(str_clear) struct str text = STR_INIT;

    str_addf(&text, "%s: %s", by, why);
    return note_add(w, key, about, str_z(&text), err);
}

/* ---- what was decided before --------------------------------------------------------------- */

/* Marks what answers an effect of that kind and status. */
static void possible_about(const char *kind, const char *status, bool possible[DECISION_COUNT])
{
    for (size_t i = 0; i < decision_rule_count; i++) {
        const struct decision_rule *r = &decision_rules[i];

        if (r->kind != EFFECT_KIND_COUNT && strcmp(effect_kind_text(r->kind), kind) == 0 &&
            strcmp(effect_status_text(r->status), status) == 0)
            possible[r->decision] = true;
    }
}

static enum rc find_possible(struct deciding *d, bool possible[DECISION_COUNT], struct err *err)
{
    static const char all[] =
        "SELECT kind, status FROM effect WHERE " OF_KEY("effect", "$1") " ORDER BY id";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum rc rc;

    for (size_t i = 0; i < decision_rule_count; i++)
        if (decision_rules[i].kind == EFFECT_KIND_COUNT && d->reason != REASON_NONE &&
            decision_rules[i].reason == d->reason)
            possible[decision_rules[i].decision] = true;
    TRY(stmt_open(d->w->store->db, all, &s, err));
    stmt_text(s, 1, d->request->key);
    while ((rc = stmt_row(s, err)) == RC_OK)
        possible_about(col_text(s, "kind"), col_text(s, "status"), possible);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* What could be decided about the item as it stands. */
static enum rc say_possible(struct deciding *d, struct str *out, struct err *err)
{
    bool possible[DECISION_COUNT] = {false};

    TRY(find_possible(d, possible, err));
    for (enum decision i = 0; i < DECISION_COUNT; i++)
        if (possible[i])
            str_addf(out, "%s%s", out->len > 0 ? ", " : "", decision_text(i));
    return RC_OK;
}

static enum rc say_last(struct deciding *d, struct str *out, struct err *err)
{
    static const char last[] = "SELECT decision, person, decided_at FROM approval WHERE key = $1"
                               " AND undone_at IS NULL ORDER BY id DESC LIMIT 1";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    char at[WHEN_TEXT_SIZE];

    TRY(stmt_open(d->w->store->db, last, &s, err));
    stmt_text(s, 1, d->request->key);
    enum rc rc = stmt_row(s, err);

    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    when_text(col_int(s, "decided_at"), at);
    str_addf(out, "; '%s' was decided at %s by %.80s", col_text(s, "decision"), at,
             col_text(s, "person"));
    return RC_OK;
}

enum rc decided_already(struct deciding *d, const char *what, const char *state, struct err *err)
{
    CLEANUP(str_clear) struct str last = STR_INIT;
    CLEANUP(str_clear) struct str possible = STR_INIT;

    TRY(say_last(d, &last, err));
    TRY(say_possible(d, &possible, err));
    return FAIL(err, RC_CONFLICT, "decide: the %s is %s: '%s' is no answer to that%s; possible: %s",
                what, state, decision_text(d->request->decision), str_z(&last),
                possible.len > 0 ? str_z(&possible) : "nothing");
}

/* ---- the item ------------------------------------------------------------------------------ */

static enum rc find_item(struct deciding *d, struct err *err)
{
    static const char find[] = "SELECT item.mailbox, item.state, item.reason,"
                               " COALESCE(case_record.reference, '') AS reference,"
                               " CASE WHEN " ITEM_HAS_LET_GO " THEN 1 ELSE 0 END AS gone FROM item"
                               " LEFT JOIN case_record ON case_record.key = item.case_key"
                               " WHERE item.key = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(d->w->store->db, find, &s, err));
    stmt_text(s, 1, d->request->key);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_NOT_FOUND)
        return FAIL(err, rc, "decide: there is no item %.12s", d->request->key);
    if (rc != RC_OK)
        return rc;
    TRY(COL_COPY(s, "mailbox", d->mailbox, err));
    TRY(COL_COPY(s, "reference", d->out->reference, err));
    if (!item_state_parse(col_text(s, "state"), &d->state) ||
        !reason_parse(col_text(s, "reason"), &d->reason))
        return FAIL(err, RC_BROKEN, "decide: item %.12s is in no state", d->request->key);
    d->out->state = d->state;
    if (col_int(s, "gone") != 0)
        return FAIL(err, RC_CONFLICT,
                    "decide: contents of item %.12s were let go by retention: nothing is decided "
                    "about it any more",
                    d->request->key);
    return RC_OK;
}

enum rc decide_step(struct deciding *d, enum item_event on, enum reason reason, struct err *err)
{
    TRY(item_step(d->state, on, &d->out->state, err));
    bool waits = d->out->state == ITEM_NEEDS_RECONCILIATION;
    const struct item_change change = {.from = d->state,
                                       .on = on,
                                       .reason = waits ? reason : REASON_NONE,
                                       .release = waits,
                                       .due_ms = waits ? NOT_DUE : d->w->now.wall_ms};

    return step_item(d->w, d->request->key, &change, err);
}

/* ---- who decided, and why ------------------------------------------------------------------ */

/* An undo is over with the act: it decides nothing that could be taken back. */
static enum rc add_approval(struct deciding *d, int64_t *id, struct err *err)
{
    static const char insert[] = "INSERT INTO approval (key, decision, effect, from_status, "
                                 "from_state, from_reason, attempts,"
                                 " person, decided_at, undone_at, second)"
                                 " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"
                                 " RETURNING id";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(d->w->store->db, insert, &s, err));
    stmt_text(s, 1, d->request->key);
    stmt_text(s, 2, decision_text(d->request->decision));
    if (d->effect != 0)
        stmt_int(s, 3, d->effect);
    stmt_text(s, 4, d->effect != 0 ? effect_status_text(d->status) : "");
    stmt_text(s, 5, item_state_text(d->state));
    stmt_text(s, 6, reason_text(d->reason));
    stmt_int(s, 7, d->attempts);
    stmt_text(s, 8, d->request->by);
    stmt_int(s, 9, d->w->now.wall_ms);
    stmt_when(s, 10, d->request->decision == DECIDE_UNDO ? d->w->now.wall_ms : NOT_DUE);
    stmt_text(s, 11, d->request->second ? d->request->second : "");
    return stmt_id(s, id, err);
}

static enum rc record(struct deciding *d, struct err *err)
{
    int64_t id;

    TRY(add_approval(d, &id, err));
    const struct subject subject = subject_of("approval", id);
    const struct event event = {.mailbox = d->mailbox,
                                .key = d->request->key,
                                .subject = subject.text,
                                .what = decision_text(d->request->decision),
                                .from = item_state_text(d->state),
                                .to = item_state_text(d->out->state),
                                .actor = actor_text(BY_PERSON)};

    TRY(note_add(d->w, d->request->key, subject.text, d->request->why, err));
    return event_add(d->w, &event, err);
}

/* ---- the decision -------------------------------------------------------------------------- */

static bool about_effect(enum decision decision)
{
    for (size_t i = 0; i < decision_rule_count; i++)
        if (decision_rules[i].decision == decision)
            return decision_rules[i].kind != EFFECT_KIND_COUNT;
    return false;
}

static enum rc take(struct deciding *d, struct err *err)
{
    if (d->request->decision == DECIDE_UNDO)
        return decide_undo(d, err);
    return about_effect(d->request->decision) ? decide_effect(d, err) : decide_held(d, err);
}

static enum rc check(const struct decision_request *request, struct err *err)
{
    if (request->key == NULL || request->decision >= DECISION_COUNT)
        return FAIL(err, RC_USAGE, "decide: an item and a decision are needed");
    if (request->always && request->decision != DECIDE_NEW_CASE)
        return FAIL(err, RC_USAGE, "decide: what is always done goes with a new case alone");
    return people_named(request->by, request->why, err);
}

static enum rc decide(struct deciding *d, struct err *err)
{
    TRY(find_item(d, err));
    TRY(take(d, err));
    TRY(record(d, err));
    if (!d->request->always)
        return RC_OK;
    return sender_rule_make(d->w, d->request->key, d->request->by, d->request->why, err);
}

static enum rc decide_once(void *self,
                           const struct decision_request *request,
                           struct instant now,
                           struct decision_result *out,
                           struct err *err)
{
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;
    struct deciding d = {.w = &w, .request = request, .out = out};

    *out = (struct decision_result){.possible_from_ms = 0};
    TRY(check(request, err));
    TRY(writing_begin(store, store->run, now, &w, err));
    TRY(decide(&d, err));
    return writing_finish(&w, err);
}

static enum rc people_decide(void *self,
                             const struct decision_request *request,
                             struct instant now,
                             struct decision_result *out,
                             struct err *err)
{
    return WRITE(self, decide_once(self, request, now, out, err));
}

/* ---- pause --------------------------------------------------------------------------------- */

static enum rc
write_pause(struct writing *w, const char *mailbox, bool paused, unsigned effects, struct err *err)
{
    static const char update[] = "UPDATE mailbox SET paused = $1, paused_effects = $2,"
                                 " version = version + 1 WHERE id = $3";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    int64_t changed;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_int(s, 1, paused);
    stmt_int(s, 2, paused ? effects : 0);
    stmt_text(s, 3, mailbox);
    TRY(stmt_run(s, &changed, err));
    if (changed == 0)
        return FAIL(err, RC_NOT_FOUND, "pause: there is no mailbox '%s'", mailbox);
    return RC_OK;
}

static enum rc pause_event(struct writing *w, const char *mailbox, bool paused, struct err *err)
{
    const struct event event = {.what = paused ? "pause" : "resume",
                                .to = paused ? "paused" : "active",
                                .actor = actor_text(BY_PERSON)};

    return mailbox_event(w, mailbox, &event, err);
}

/* NOLINTNEXTLINE(readability-function-size): the port's shape */
static enum rc pause_once(void *self,
                          const char *mailbox,
                          bool paused,
                          unsigned effects,
                          const char *by,
                          const char *why,
                          struct instant now,
                          struct err *err)
{
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    TRY(people_named(by, why, err));
    TRY(writing_begin(store, store->run, now, &w, err));
    TRY(write_pause(&w, mailbox, paused, effects, err));
    TRY(pause_event(&w, mailbox, paused, err));
    TRY(mailbox_note(&w, by, why, err));
    return writing_finish(&w, err);
}

/* NOLINTNEXTLINE(readability-function-size): the port's shape */
static enum rc people_pause(void *self,
                            const char *mailbox,
                            bool paused,
                            unsigned effects,
                            const char *by,
                            const char *why,
                            struct instant now,
                            struct err *err)
{
    return WRITE(self, pause_once(self, mailbox, paused, effects, by, why, now, err));
}

const struct ledger_people store_people = {
    .decide = people_decide,
    .replay = people_replay,
    .pause = people_pause,
};
