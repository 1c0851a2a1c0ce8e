/* SPDX-License-Identifier: Apache-2.0 */
#include "hold.h"

#include "decide.h"
#include "mailboxes.h"

#include <string.h>

/* ---- begun by a person ------------------------------------------------------------------------ */

static enum rc
write_hold(struct writing *w, const char *mailbox, const char *folder, struct err *err)
{
    static const char update[] =
        "UPDATE mailbox SET hold_folder = $1, hold_since = $2, version = version + 1"
        " WHERE id = $3 AND hold_folder IN ('', $1)";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    int64_t changed;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_text(s, 1, folder);
    stmt_int(s, 2, w->now.wall_ms);
    stmt_text(s, 3, mailbox);
    TRY(stmt_run(s, &changed, err));
    if (changed == 0)
        return FAIL(err, RC_CONFLICT,
                    "pause: mail of mailbox '%s' is still held in another folder; resume brings it"
                    " back first",
                    mailbox);
    return RC_OK;
}

/* NOLINTNEXTLINE(readability-function-size): the port's shape */
static enum rc hold_once(void *self,
                         const char *mailbox,
                         const char *folder,
                         const char *by,
                         const char *why,
                         struct instant now,
                         struct err *err)
{
    const struct event event = {.what = "hold", .to = "held", .actor = actor_text(BY_PERSON)};
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    TRY(people_named(by, why, err));
    TRY(writing_begin(store, store->run, now, &w, err));
    TRY(write_hold(&w, mailbox, folder, err));
    TRY(mailbox_event(&w, mailbox, &event, err));
    TRY(mailbox_note(&w, by, why, err));
    return writing_finish(&w, err);
}

/* NOLINTNEXTLINE(readability-function-size): the port's shape */
enum rc operators_hold(void *self,
                       const char *mailbox,
                       const char *folder,
                       const char *by,
                       const char *why,
                       struct instant now,
                       struct err *err)
{
    return WRITE(self, hold_once(self, mailbox, folder, by, why, now, err));
}

/* ---- what lies where -------------------------------------------------------------------------- */

static enum rc
read_places(struct stmt *s, struct held_message **out, size_t *count, struct err *err)
{
    CLEANUP(mem_free) struct held_message *found = NULL;
    size_t n = 0;
    enum rc rc;

    while ((rc = stmt_row(s, err)) == RC_OK) {
        found = mem_grow(found, n + 1, sizeof *found);
        found[n++] = (struct held_message){.delivery = col_int(s, "id"),
                                           .uidvalidity = (uint32_t)col_int(s, "uidvalidity"),
                                           .uid = (uint32_t)col_int(s, "uid")};
    }
    *out = STEAL(found);
    *count = n;
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* In the inbox: what came since the pause, while it is one. In the hold folder: all of it. */
/* NOLINTNEXTLINE(readability-function-size): the port's shape */
enum rc operators_held(void *self,
                       const char *mailbox,
                       const char *folder,
                       bool since_pause,
                       struct held_message **out,
                       size_t *count,
                       struct err *err)
{
    static const char find[] =
        "SELECT delivery.id, delivery.uidvalidity, delivery.uid FROM delivery"
        " JOIN mailbox ON mailbox.id = delivery.mailbox"
        " WHERE delivery.mailbox = $1 AND delivery.folder = $2 AND delivery.class <> 'replayed'"
        " AND delivery.stale = 0 AND delivery.left_folder = 0"
        " AND ($3 = 0 OR (mailbox.paused = 1 AND mailbox.hold_folder <> ''"
        "  AND delivery.seen_at >= mailbox.hold_since)) ORDER BY delivery.uid";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(store->db, find, &s, err));
    stmt_text(s, 1, mailbox);
    stmt_text(s, 2, folder);
    stmt_int(s, 3, since_pause);
    return read_places(s, out, count, err);
}

/* ---- moved ------------------------------------------------------------------------------------ */

/* A place that another observation has taken is its own: this one is found gone when it is filed. */
static enum rc write_place(struct writing *w,
                           const struct held_message *m,
                           const char *folder,
                           bool *moved,
                           struct err *err)
{
    static const char update[] =
        "UPDATE delivery SET folder = $1, uidvalidity = $2, uid = $3 WHERE id = $4"
        " AND NOT EXISTS (SELECT 1 FROM delivery AS other WHERE other.mailbox = delivery.mailbox"
        " AND other.folder = $1 AND other.uidvalidity = $2 AND other.uid = $3"
        " AND other.class <> 'replayed' AND other.stale = 0)";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    int64_t changed;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_text(s, 1, folder);
    stmt_int(s, 2, m->uidvalidity);
    stmt_int(s, 3, m->uid);
    stmt_int(s, 4, m->delivery);
    TRY(stmt_run(s, &changed, err));
    *moved = changed == 1;
    return RC_OK;
}

static enum rc
add_line(struct writing *w, const struct held_message *m, const char *to, struct err *err)
{
    static const char find[] = "SELECT key, mailbox FROM delivery WHERE id = $1";
    const struct subject subject = subject_of("delivery", m->delivery);
    struct event event = {
        .subject = subject.text, .what = "hold", .to = to, .actor = actor_text(BY_SERVICE)};
    char key[KEY_SIZE], mailbox[NAME_SIZE];
    {
        CLEANUP(stmt_done) struct stmt *s = NULL;

        TRY(stmt_open(w->store->db, find, &s, err));
        stmt_int(s, 1, m->delivery);
        TRY(stmt_row(s, err));
        TRY(COL_COPY(s, "key", key, err));
        TRY(COL_COPY(s, "mailbox", mailbox, err));
    }
    event.key = key;
    event.mailbox = mailbox;
    return event_add(w, &event, err);
}

static enum rc hold_moved_once(void *self,
                               const struct held_message *message,
                               const char *folder,
                               bool back,
                               struct instant now,
                               struct err *err)
{
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;
    bool moved;

    TRY(writing_begin(store, store->run, now, &w, err));
    TRY(write_place(&w, message, folder, &moved, err));
    if (moved)
        TRY(add_line(&w, message, back ? "inbox" : "held", err));
    return writing_finish(&w, err);
}

enum rc operators_hold_moved(void *self,
                             const struct held_message *message,
                             const char *folder,
                             bool back,
                             struct instant now,
                             struct err *err)
{
    return WRITE(self, hold_moved_once(self, message, folder, back, now, err));
}

/* ---- over ------------------------------------------------------------------------------------- */

static enum rc hold_over_once(void *self, const char *mailbox, struct instant now, struct err *err)
{
    static const char update[] = "UPDATE mailbox SET hold_folder = '', version = version + 1"
                                 " WHERE id = $1 AND paused = 0";
    const struct event event = {
        .what = "hold", .from = "held", .to = "over", .actor = actor_text(BY_SERVICE)};
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    TRY(writing_begin(store, store->run, now, &w, err));
    {
        CLEANUP(stmt_done) struct stmt *s = NULL;

        TRY(stmt_open(store->db, update, &s, err));
        stmt_text(s, 1, mailbox);
        TRY(stmt_one(s, "the pause", err));
    }
    TRY(mailbox_event(&w, mailbox, &event, err));
    return writing_finish(&w, err);
}

enum rc operators_hold_over(void *self, const char *mailbox, struct instant now, struct err *err)
{
    return WRITE(self, hold_over_once(self, mailbox, now, err));
}
