/* SPDX-License-Identifier: Apache-2.0 */
#include "decide.h"

#include <string.h>

struct replaying {
    struct writing *w;
    const char *key;
    struct replay_result *out;
    char mailbox[NAME_SIZE];
    enum item_state state;
    enum reason reason;
    bool held;
};

static enum rc find_item(struct replaying *r, struct err *err)
{
    static const char find[] = "SELECT mailbox, state, reason, disposition = 'held' AS held"
                               " FROM item WHERE key = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(r->w->store->db, find, &s, err));
    stmt_text(s, 1, r->key);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_NOT_FOUND)
        return FAIL(err, rc, "replay: there is no item %.12s", r->key);
    if (rc != RC_OK)
        return rc;
    TRY(COL_COPY(s, "mailbox", r->mailbox, err));
    if (!item_state_parse(col_text(s, "state"), &r->state) ||
        !reason_parse(col_text(s, "reason"), &r->reason))
        return FAIL(err, RC_BROKEN, "replay: item %.12s is in no state", r->key);
    r->held = col_int(s, "held") != 0;
    return RC_OK;
}

/* ---- its effects --------------------------------------------------------------------------- */

struct replayed {
    int64_t effect;
    enum effect_kind kind;
    enum effect_status status;
};

static enum rc
find_effects(struct replaying *r, struct replayed **out, size_t *count, struct err *err)
{
    static const char find[] = "SELECT id, kind, status FROM effect WHERE key = $1 ORDER BY id";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    CLEANUP(mem_free) struct replayed *found = NULL;
    size_t n = 0;
    enum rc rc;

    TRY(stmt_open(r->w->store->db, find, &s, err));
    stmt_text(s, 1, r->key);
    while ((rc = stmt_row(s, err)) == RC_OK) {
        found = mem_grow(found, n + 1, sizeof *found);
        found[n].effect = col_int(s, "id");
        if (!effect_kind_parse(col_text(s, "kind"), &found[n].kind) ||
            !effect_status_parse(col_text(s, "status"), &found[n].status))
            return FAIL(err, RC_BROKEN, "replay: step %lld is of no kind or status",
                        (long long)found[n].effect);
        n++;
    }
    if (rc != RC_NOT_FOUND)
        return rc;
    *out = STEAL(found);
    *count = n;
    return RC_OK;
}

enum treatment { LEFT_DONE, LEFT_IN_DOUBT, LEFT_TO_A_PERSON, DUE_NOW, PLANNED_AGAIN };

/* An acknowledgement that was refused or given up is mailed again only where a person says just
 * that; an attachment is refused by a rule of its plan. What is held waits for its decision, and so
 * do the copies that follow it. */
static enum treatment treat(const struct replaying *r, const struct replayed *e)
{
    bool letter = e->kind == EFFECT_ACKNOWLEDGEMENT;
    bool given_up = r->reason == REASON_GAVE_UP || r->reason == REASON_REPLY_WAITS;

    if (r->held && !effect_settled(e->status))
        return LEFT_TO_A_PERSON;
    switch (e->status) {
    case EFFECT_PLANNED:
        return DUE_NOW;
    case EFFECT_DEFERRED:
        return letter && given_up ? LEFT_TO_A_PERSON : DUE_NOW;
    case EFFECT_REFUSED:
        return letter || e->kind == EFFECT_ATTACHMENT ? LEFT_DONE : PLANNED_AGAIN;
    case EFFECT_ATTEMPTING:
    case EFFECT_UNKNOWN:
        return LEFT_IN_DOUBT;
    case EFFECT_DONE:
    case EFFECT_SKIPPED:
    case EFFECT_STATUS_COUNT:
        return LEFT_DONE;
    }
    return LEFT_DONE;
}

/* Its time starts anew. */
static enum rc make_due(struct replaying *r, int64_t effect, struct err *err)
{
    static const char update[] = "UPDATE effect SET due = $1, first_try = NULL WHERE id = $2";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(r->w->store->db, update, &s, err));
    stmt_int(s, 1, r->w->now.wall_ms);
    stmt_int(s, 2, effect);
    return stmt_one(s, "a step", err);
}

static enum rc
run_again(struct replaying *r, const struct replayed *e, enum treatment how, struct err *err)
{
    const struct effect_change again = {
        .effect = e->effect, .from = e->status, .on = ON_RESEND, .due_ms = r->w->now.wall_ms};

    r->out->run_again++;
    if (how == DUE_NOW)
        return make_due(r, e->effect, err);
    return step_effect(r->w, r->key, &again, err);
}

static enum rc replay_effects(struct replaying *r, struct err *err)
{
    CLEANUP(mem_free) struct replayed *effect = NULL;
    size_t count = 0;

    TRY(find_effects(r, &effect, &count, err));
    for (size_t i = 0; i < count; i++) {
        enum treatment how = treat(r, &effect[i]);

        r->out->proven_done += how == LEFT_DONE;
        r->out->in_doubt += how == LEFT_IN_DOUBT;
        if (!r->out->was_complete && (how == DUE_NOW || how == PLANNED_AGAIN))
            TRY(run_again(r, &effect[i], how, err));
    }
    return RC_OK;
}

/* ---- the item ------------------------------------------------------------------------------ */

static enum rc make_item_due(struct replaying *r, struct err *err)
{
    static const char update[] = "UPDATE item SET next_due = $1 WHERE key = $2";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(r->w->store->db, update, &s, err));
    stmt_int(s, 1, r->w->now.wall_ms);
    stmt_text(s, 2, r->key);
    return stmt_one(s, "an item", err);
}

/* One that waits for a person goes on only if there is something to try. */
static enum rc go_on(struct replaying *r, struct err *err)
{
    const struct item_change change = {
        .from = r->state, .on = ITEM_ON_DECIDE, .reason = REASON_NONE, .due_ms = r->w->now.wall_ms};

    if (r->out->run_again == 0)
        return RC_OK;
    return r->state == ITEM_NEEDS_RECONCILIATION ? step_item(r->w, r->key, &change, err)
                                                 : make_item_due(r, err);
}

/* ---- its record ---------------------------------------------------------------------------- */

static enum rc add_delivery(struct replaying *r, int64_t *id, struct err *err)
{
    static const char insert[] =
        "INSERT INTO delivery (key, mailbox, folder, uidvalidity, uid, internal_ms, size, octets,"
        " class, won, move_to, run, seen_at)"
        " SELECT key, mailbox, '', 0, 0, internal_ms, size, octets, 'replayed', 0, '', $1, $2"
        " FROM item WHERE key = $3";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(r->w->store->db, insert, &s, err));
    stmt_text(s, 1, r->w->run[0] != '\0' ? r->w->run : NULL);
    stmt_int(s, 2, r->w->now.wall_ms);
    stmt_text(s, 3, r->key);
    TRY(stmt_one(s, "an item", err));
    *id = db_last_id(r->w->store->db);
    return RC_OK;
}

static enum rc record(struct replaying *r, const char *by, const char *why, struct err *err)
{
    int64_t id;

    TRY(add_delivery(r, &id, err));
    const struct subject subject = subject_of("delivery", id);
    const struct event event = {.mailbox = r->mailbox,
                                .key = r->key,
                                .subject = subject.text,
                                .what = delivery_class_text(CLASS_REPLAYED),
                                .from = item_state_text(r->state),
                                .to = "duplicate",
                                .actor = actor_text(BY_PERSON)};

    TRY(people_note(r->w, r->key, subject.text, by, why, err));
    return event_add(r->w, &event, err);
}

static enum rc replay(struct replaying *r, const char *by, const char *why, struct err *err)
{
    TRY(find_item(r, err));
    r->out->was_complete = r->state == ITEM_COMPLETE;
    TRY(replay_effects(r, err));
    TRY(go_on(r, err));
    return record(r, by, why, err);
}

/* NOLINTNEXTLINE(readability-function-size): the port's shape */
enum rc people_replay(void *self,
                      const char *key,
                      const char *by,
                      const char *why,
                      struct instant now,
                      struct replay_result *out,
                      struct err *err)
{
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;
    struct replay_result result = {.run_again = 0};
    struct replaying r = {.w = &w, .key = key, .out = &result};

    TRY(people_named(by, why, err));
    TRY(writing_begin(store, store->run, now, &w, err));
    TRY(replay(&r, by, why, err));
    TRY(writing_finish(&w, err));
    *out = result;
    return RC_OK;
}
