/* SPDX-License-Identifier: Apache-2.0 */
#include "replay.h"

#include "decide.h"

#include <string.h>

/* Its time starts anew. */
static enum rc make_due(struct replaying *r, int64_t effect, struct err *err)
{
    static const char update[] = "UPDATE effect SET due = $1, first_try = NULL WHERE id = $2";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(r->db, update, &s, err));
    stmt_int(s, 1, r->w->now.wall_ms);
    stmt_int(s, 2, effect);
    return stmt_one(s, "a step", err);
}

static enum rc run_again(struct replaying *r, const struct replayed *e, struct err *err)
{
    const struct effect_change again = {
        .effect = e->effect, .from = e->status, .on = ON_RESEND, .due_ms = r->w->now.wall_ms};

    if (e->how == DUE_NOW)
        return make_due(r, e->effect, err);
    return e->how == PLANNED_AGAIN ? step_effect(r->w, r->key, &again, err) : RC_OK;
}

/* ---- the item ------------------------------------------------------------------------------ */

static enum rc make_item_due(struct replaying *r, struct err *err)
{
    static const char update[] = "UPDATE item SET next_due = $1 WHERE key = $2";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(r->db, update, &s, err));
    stmt_int(s, 1, r->w->now.wall_ms);
    stmt_text(s, 2, r->key);
    return stmt_one(s, "an item", err);
}

/* One that waits for a person, or is complete, goes on only if there is something to try. */
static enum rc go_on(struct replaying *r, struct err *err)
{
    const struct item_change change = {
        .from = r->state, .on = ITEM_ON_DECIDE, .reason = REASON_NONE, .due_ms = r->w->now.wall_ms};
    bool rests = r->state == ITEM_NEEDS_RECONCILIATION || r->state == ITEM_COMPLETE;

    if (r->out->run_again == 0)
        return RC_OK;
    return rests ? step_item(r->w, r->key, &change, err) : make_item_due(r, err);
}

/* ---- its record ---------------------------------------------------------------------------- */

static enum rc add_delivery(struct replaying *r, int64_t *id, struct err *err)
{
    static const char insert[] =
        "INSERT INTO delivery (key, mailbox, folder, uidvalidity, uid, internal_ms, size, octets,"
        " class, won, move_to, run, seen_at, item_number)"
        " SELECT key, mailbox, '', 0, 0, internal_ms, size, octets, 'replayed', 0, '', $1, $2, "
        "number"
        " FROM item WHERE key = $3 RETURNING id";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(r->db, insert, &s, err));
    stmt_text(s, 1, r->w->run[0] != '\0' ? r->w->run : NULL);
    stmt_int(s, 2, r->w->now.wall_ms);
    stmt_text(s, 3, r->key);
    return stmt_id(s, id, err);
}

/* It is over with the act: nothing of it could be taken back. */
static enum rc add_approval(struct replaying *r,
                            const struct replay_request *request,
                            int64_t *id,
                            struct err *err)
{
    static const char insert[] =
        "INSERT INTO approval (key, decision, from_state, from_reason, person, second, plan_hash,"
        " decided_at, undone_at) VALUES ($1, 'replay', $2, $3, $4, $5, $6, $7, $7) RETURNING id";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(r->db, insert, &s, err));
    stmt_text(s, 1, r->key);
    stmt_text(s, 2, item_state_text(r->state));
    stmt_text(s, 3, reason_text(r->reason));
    stmt_text(s, 4, request->by);
    stmt_text(s, 5, request->second ? request->second : "");
    stmt_text(s, 6, r->out->plan);
    stmt_int(s, 7, r->w->now.wall_ms);
    return stmt_id(s, id, err);
}

static enum rc record(struct replaying *r, const struct replay_request *request, struct err *err)
{
    int64_t delivery, approval;

    TRY(add_delivery(r, &delivery, err));
    TRY(add_approval(r, request, &approval, err));
    const struct subject subject = subject_of("delivery", delivery);
    const struct subject decision = subject_of("approval", approval);
    const struct event event = {.mailbox = r->mailbox,
                                .key = r->key,
                                .subject = subject.text,
                                .what = delivery_class_text(CLASS_REPLAYED),
                                .from = item_state_text(r->state),
                                .to = "duplicate",
                                .actor = actor_text(BY_PERSON)};

    TRY(people_note(r->w, r->key, subject.text, request->by, request->why, err));
    TRY(note_add(r->w, r->key, decision.text, request->why, err));
    return event_add(r->w, &event, err);
}

enum rc replay_item(struct writing *w,
                    const struct replay_request *request,
                    struct replay_result *out,
                    struct err *err)
{
    CLEANUP(replaying_clear)
    struct replaying r = {.db = w->store->db,
                          .w = w,
                          .key = request->key,
                          .resend = request->resend,
                          .many = request->many,
                          .out = out};

    TRY(replaying_plan(&r, err));
    if (request->plan != NULL && strcmp(request->plan, out->plan) != 0)
        return FAIL(err, RC_CONFLICT,
                    "replay: the plan for item %.12s is another one by now; look at it again",
                    request->key);
    for (size_t i = 0; i < r.effects; i++)
        TRY(run_again(&r, &r.effect[i], err));
    TRY(go_on(&r, err));
    return record(&r, request, err);
}

static enum rc replay_once(void *self,
                           const struct replay_request *request,
                           struct instant now,
                           struct replay_result *out,
                           struct err *err)
{
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;
    struct replay_result result;

    TRY(people_named(request->by, request->why, err));
    TRY(writing_begin(store, store->run, now, &w, err));
    TRY(replay_item(&w, request, &result, err));
    TRY(writing_finish(&w, err));
    *out = result;
    return RC_OK;
}

enum rc operators_replay(void *self,
                         const struct replay_request *request,
                         struct instant now,
                         struct replay_result *out,
                         struct err *err)
{
    return WRITE(self, replay_once(self, request, now, out, err));
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
    const struct replay_request request = {.key = key, .by = by, .why = why};

    return operators_replay(self, &request, now, out, err);
}
