/* SPDX-License-Identifier: Apache-2.0 */
#include "replay.h"

#include "decide.h"

#include <string.h>

/* ---- beginning ----------------------------------------------------------------------------- */

static enum rc
add_bulk(struct writing *w, const struct bulk_request *b, int64_t *id, struct err *err)
{
    static const char insert[] = "INSERT INTO bulk (selection, resend, person, second, begun_at)"
                                 " VALUES ($1, $2, $3, $4, $5) RETURNING id";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, insert, &s, err));
    stmt_text(s, 1, b->selection);
    stmt_int(s, 2, b->resend);
    stmt_text(s, 3, b->by);
    stmt_text(s, 4, b->second ? b->second : "");
    stmt_int(s, 5, w->now.wall_ms);
    return stmt_id(s, id, err);
}

static enum rc add_item(struct writing *w, int64_t bulk, const char *key, struct err *err)
{
    static const char insert[] = "INSERT INTO bulk_item (bulk, key) VALUES ($1, $2)";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, insert, &s, err));
    stmt_int(s, 1, bulk);
    stmt_text(s, 2, key);
    return stmt_run(s, NULL, err);
}

static enum rc
bulk_event(struct writing *w, int64_t bulk, const char *from, const char *to, struct err *err)
{
    const struct subject subject = subject_of("bulk", bulk);

    return event_add(w,
                     &(struct event){.subject = subject.text,
                                     .what = "replay",
                                     .from = from,
                                     .to = to,
                                     .actor = actor_text(BY_PERSON)},
                     err);
}

static enum rc
begin(struct writing *w, const struct bulk_request *request, int64_t *id, struct err *err)
{
    TRY(add_bulk(w, request, id, err));
    for (size_t i = 0; i < request->keys; i++)
        TRY(add_item(w, *id, request->key[i], err));
    const struct subject subject = subject_of("bulk", *id);

    TRY(note_add(w, "", subject.text, request->why, err));
    return bulk_event(w, *id, "", "begun", err);
}

/* ---- how far it is ------------------------------------------------------------------------- */

enum rc operators_bulk_find(void *self, const char *selection, struct bulk *out, struct err *err)
{
    static const char find[] =
        "SELECT id, person, begun_at,"
        " (SELECT COUNT(*) FROM bulk_item WHERE bulk_item.bulk = bulk.id) AS of,"
        " (SELECT COUNT(*) FROM bulk_item WHERE bulk_item.bulk = bulk.id"
        "  AND bulk_item.done_at IS NULL) AS waiting"
        " FROM bulk WHERE selection = $1 AND ended_at IS NULL";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(store->db, find, &s, err));
    stmt_text(s, 1, selection);
    TRY(stmt_row(s, err));
    *out = (struct bulk){
        .id = col_int(s, "id"), .all = col_int(s, "of"), .begun_ms = col_int(s, "begun_at")};
    out->done = out->all - col_int(s, "waiting");
    text_copy(out->by, sizeof out->by, col_text(s, "person"));
    return RC_OK;
}

static enum rc bulk_begin_once(void *self,
                               const struct bulk_request *request,
                               struct instant now,
                               struct bulk *out,
                               struct err *err)
{
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;
    int64_t id;

    TRY(people_named(request->by, request->why, err));
    TRY(writing_begin(store, store->run, now, &w, err));
    enum rc rc = operators_bulk_find(self, request->selection, out, err);

    if (rc == RC_OK)
        return FAIL(err, RC_CONFLICT, "replay: one of the same mails is not ended yet");
    if (rc != RC_NOT_FOUND)
        return rc;
    TRY(begin(&w, request, &id, err));
    TRY(writing_finish(&w, err));
    *out = (struct bulk){.id = id, .all = (int64_t)request->keys, .begun_ms = now.wall_ms};
    text_copy(out->by, sizeof out->by, request->by);
    return RC_OK;
}

enum rc operators_bulk_begin(void *self,
                             const struct bulk_request *request,
                             struct instant now,
                             struct bulk *out,
                             struct err *err)
{
    return WRITE(self, bulk_begin_once(self, request, now, out, err));
}

/* ---- one after the other ------------------------------------------------------------------- */

struct next {
    char key[KEY_SIZE], by[200], second[200], why[NOTE_SIZE];
    bool resend;
};

static enum rc find_next(struct writing *w, int64_t bulk, struct next *out, struct err *err)
{
    static const char find[] =
        "SELECT bulk_item.key, bulk.person, bulk.second, bulk.resend,"
        " COALESCE((SELECT note.text FROM note WHERE note.item_number IS NULL AND note.key = ''"
        " AND note.about = 'bulk ' || bulk.id), 'replay of many') AS why"
        " FROM bulk_item JOIN bulk ON bulk.id = bulk_item.bulk"
        " WHERE bulk_item.bulk = $1 AND bulk_item.done_at IS NULL ORDER BY bulk_item.key LIMIT 1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, find, &s, err));
    stmt_int(s, 1, bulk);
    TRY(stmt_row(s, err));
    TRY(COL_COPY(s, "key", out->key, err));
    text_copy(out->by, sizeof out->by, col_text(s, "person"));
    text_copy(out->second, sizeof out->second, col_text(s, "second"));
    text_copy(out->why, sizeof out->why, col_text(s, "why"));
    out->resend = col_int(s, "resend") == 1;
    return RC_OK;
}

static enum rc mark_done(struct writing *w, int64_t bulk, const char *key, struct err *err)
{
    static const char update[] =
        "UPDATE bulk_item SET done_at = $1 WHERE bulk = $2 AND key = $3 AND done_at IS NULL";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_int(s, 1, w->now.wall_ms);
    stmt_int(s, 2, bulk);
    stmt_text(s, 3, key);
    return stmt_one(s, "the replay", err);
}

static enum rc end(struct writing *w, int64_t bulk, struct err *err)
{
    static const char update[] = "UPDATE bulk SET ended_at = $1 WHERE id = $2 AND ended_at IS NULL";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    int64_t changed;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_int(s, 1, w->now.wall_ms);
    stmt_int(s, 2, bulk);
    TRY(stmt_run(s, &changed, err));
    return changed == 1 ? bulk_event(w, bulk, "begun", "ended", err) : RC_OK;
}

static enum rc
replay_next(struct writing *w, int64_t bulk, struct replay_result *out, struct err *err)
{
    struct next next = {.resend = false};

    TRY(find_next(w, bulk, &next, err));
    const struct replay_request request = {.key = next.key,
                                           .by = next.by,
                                           .why = next.why,
                                           .second = next.second,
                                           .resend = next.resend,
                                           .many = true};

    TRY(replay_item(w, &request, out, err));
    return mark_done(w, bulk, next.key, err);
}

static enum rc bulk_next_once(
    void *self, struct bulk *bulk, struct instant now, struct replay_result *out, struct err *err)
{
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    TRY(writing_begin(store, store->run, now, &w, err));
    enum rc rc = replay_next(&w, bulk->id, out, err);

    if (rc != RC_OK && rc != RC_NOT_FOUND)
        return rc;
    if (rc == RC_NOT_FOUND)
        TRY(end(&w, bulk->id, err));
    TRY(writing_finish(&w, err));
    bulk->done += rc == RC_OK;
    return rc;
}

enum rc operators_bulk_next(
    void *self, struct bulk *bulk, struct instant now, struct replay_result *out, struct err *err)
{
    return WRITE(self, bulk_next_once(self, bulk, now, out, err));
}
