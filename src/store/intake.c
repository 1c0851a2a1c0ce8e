/* SPDX-License-Identifier: Apache-2.0 */
#include "mailboxes.h"
#include "reserve.h"
#include "sender_rule.h"
#include "store_p.h"

#include <string.h>

static enum rc unseen_one(struct stmt *s, struct sighting *at, struct err *err)
{
    stmt_int(s, 4, at->uid);
    enum rc rc = stmt_row(s, err);

    at->unseen = rc == RC_NOT_FOUND;
    at->otherwise = rc == RC_OK && (col_int(s, "left_folder") == 1 ||
                                    col_int(s, "internal_ms") != at->internal_ms);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* NOLINTNEXTLINE(readability-function-size): the port's shape */
static enum rc intake_unseen(void *self,
                             const char *mailbox,
                             const char *folder,
                             uint32_t uidvalidity,
                             struct sighting *at,
                             size_t count,
                             struct err *err)
{
    static const char find[] =
        "SELECT internal_ms, left_folder FROM delivery WHERE mailbox = $1 AND folder = $2"
        " AND uidvalidity = $3 AND uid = $4 AND class <> 'replayed' AND stale = 0";
    struct store *store = self;

    for (size_t i = 0; i < count; i++) {
        CLEANUP(stmt_done) struct stmt *s = NULL;

        TRY(stmt_open(store->db, find, &s, err));
        stmt_text(s, 1, mailbox);
        stmt_text(s, 2, folder);
        stmt_int(s, 3, uidvalidity);
        TRY(unseen_one(s, &at[i], err));
    }
    return RC_OK;
}

/* ---- a UID that was given again ------------------------------------------------------------ */

/* The delivery that has the UID, and what is known of what stood under it. */
struct holder {
    int64_t id;
    char key[KEY_SIZE];
    char octets[DIGEST_HEX_SIZE];
    bool left, came_back;
};

static enum rc find_holder(struct db *db,
                           const struct arrival *at,
                           const char *octets,
                           struct holder *out,
                           struct err *err)
{
    static const char find[] =
        "SELECT id, key, octets, left_folder, EXISTS (SELECT 1 FROM delivery AS before"
        " WHERE before.mailbox = delivery.mailbox AND before.folder = delivery.folder"
        " AND before.uidvalidity = delivery.uidvalidity AND before.uid = delivery.uid"
        " AND before.stale = 1 AND before.octets = $5) AS came_back FROM delivery"
        " WHERE mailbox = $1 AND folder = $2 AND uidvalidity = $3 AND uid = $4"
        " AND class <> 'replayed' AND stale = 0";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, at->mailbox);
    stmt_text(s, 2, at->folder);
    stmt_int(s, 3, at->uidvalidity);
    stmt_int(s, 4, at->uid);
    stmt_text(s, 5, octets);
    TRY(stmt_row(s, err));
    out->id = col_int(s, "id");
    out->left = col_int(s, "left_folder") == 1;
    out->came_back = col_int(s, "came_back") == 1;
    TRY(COL_COPY(s, "key", out->key, err));
    return COL_COPY(s, "octets", out->octets, err);
}

static enum rc take_date_over(struct writing *w, int64_t id, int64_t internal_ms, struct err *err)
{
    static const char update[] = "UPDATE delivery SET internal_ms = $1 WHERE id = $2";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_int(s, 1, internal_ms);
    stmt_int(s, 2, id);
    return stmt_one(s, "a delivery", err);
}

static enum rc
be_stale(struct writing *w, const struct arrival *at, const struct holder *holder, struct err *err)
{
    static const char update[] = "UPDATE delivery SET stale = 1 WHERE id = $1 AND stale = 0";
    struct subject subject = subject_of("delivery", holder->id);
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_int(s, 1, holder->id);
    TRY(stmt_one(s, "a delivery", err));
    return event_add(w,
                     &(struct event){.mailbox = at->mailbox,
                                     .key = holder->key,
                                     .subject = subject.text,
                                     .what = "renumbered",
                                     .actor = actor_text(BY_SERVICE)},
                     err);
}

static enum rc judge_reused(struct writing *w, const struct arrival *at, bool *out, struct err *err)
{
    struct holder holder;
    char octets[DIGEST_HEX_SIZE];

    digest_hex(&at->octets, octets);

    enum rc rc = find_holder(w->store->db, at, octets, &holder, err);

    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    bool same = strcmp(holder.octets, octets) == 0;

    if (same && (!holder.left || holder.came_back))
        return take_date_over(w, holder.id, at->internal_ms, err);
    *out = true;
    return be_stale(w, at, &holder, err);
}

/* NOLINTNEXTLINE(readability-function-size): the port's shape */
static enum rc reused_once(void *self,
                           const char *mailbox,
                           const char *folder,
                           uint32_t uidvalidity,
                           const struct sighting *at,
                           const struct digest *octets,
                           struct instant now,
                           bool *out,
                           struct err *err)
{
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;
    const struct arrival seen = {.mailbox = mailbox,
                                 .folder = folder,
                                 .uidvalidity = uidvalidity,
                                 .uid = at->uid,
                                 .internal_ms = at->internal_ms,
                                 .octets = *octets};
    bool reused = false;

    TRY(writing_begin_turn(store, store->run, now, &w, err));
    TRY(judge_reused(&w, &seen, &reused, err));
    TRY(writing_finish(&w, err));
    *out = reused;
    return RC_OK;
}

/* NOLINTNEXTLINE(readability-function-size): the port's shape */
static enum rc intake_reused(void *self,
                             const char *mailbox,
                             const char *folder,
                             uint32_t uidvalidity,
                             const struct sighting *at,
                             const struct digest *octets,
                             struct instant now,
                             bool *out,
                             struct err *err)
{
    return WRITE(self, reused_once(self, mailbox, folder, uidvalidity, at, octets, now, out, err));
}

/* Both ascend. */
static bool is_among(const uint32_t *uid, size_t count, size_t *at, int64_t wanted)
{
    while (*at < count && uid[*at] < wanted)
        ++*at;
    return *at < count && uid[*at] == wanted;
}

/* NOLINTNEXTLINE(readability-function-size): the port's shape */
static enum rc intake_missing(void *self,
                              const char *mailbox,
                              const char *folder,
                              uint32_t uidvalidity,
                              const uint32_t *uid,
                              size_t count,
                              int64_t *out,
                              struct err *err)
{
    static const char find[] =
        "SELECT uid FROM delivery WHERE mailbox = $1 AND folder = $2 AND uidvalidity = $3"
        " AND left_folder = 0 AND stale = 0 AND class <> 'replayed' AND move_to <> '' ORDER BY uid";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    size_t at = 0;
    enum rc rc;

    TRY(stmt_open(store->db, find, &s, err));
    stmt_text(s, 1, mailbox);
    stmt_text(s, 2, folder);
    stmt_int(s, 3, uidvalidity);
    for (*out = 0; (rc = stmt_row(s, err)) == RC_OK;)
        *out += !is_among(uid, count, &at, col_int(s, "uid"));
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static enum rc enter_one(const struct reserving *r,
                         const struct arrival *arrival,
                         struct reservation *out,
                         struct err *err)
{
    TRY(reserve_one(r, arrival, out, err));
    return mailbox_numbers(r->w, arrival, err);
}

struct arriving_batch {
    const struct policy *policy;
    int64_t lease_ms;
    const struct arrival *arrival;
    size_t count;
};

static enum rc reserve_batch(struct store *store,
                             const char *run,
                             struct instant now,
                             const struct arriving_batch *b,
                             struct reservation *out,
                             struct err *err)
{
    CLEANUP(writing_end) struct writing w = WRITING_NONE;
    const struct reserving r = {&w, b->policy, b->lease_ms};

    TRY(writing_begin_turn(store, run, now, &w, err));
    for (size_t i = 0; i < b->count; i++)
        TRY(enter_one(&r, &b->arrival[i], &out[i], err));
    /* From this commit on the items exist, with their cases and their plans; before it, a restart
     * sees the messages as new. */
    return writing_finish(&w, err);
}

/* NOLINTNEXTLINE(readability-function-size): the port's shape */
static enum rc intake_reserve(void *self,
                              const char *run,
                              struct instant now,
                              int64_t lease_ms,
                              const struct policy *policy,
                              const struct arrival *arrival,
                              size_t count,
                              struct reservation *out,
                              struct err *err)
{
    const struct arriving_batch batch = {policy, lease_ms, arrival, count};

    return count == 0 ? RC_OK : WRITE(self, reserve_batch(self, run, now, &batch, out, err));
}

static enum rc intake_octets_known(void *self,
                                   const char *mailbox,
                                   const struct digest *octets,
                                   int64_t *delivery,
                                   struct err *err)
{
    static const char find[] = "SELECT id FROM delivery WHERE mailbox = $1 AND octets = $2"
                               " ORDER BY left_folder, id LIMIT 1";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    char hex[DIGEST_HEX_SIZE];

    digest_hex(octets, hex);
    TRY(stmt_open(store->db, find, &s, err));
    stmt_text(s, 1, mailbox);
    stmt_text(s, 2, hex);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_NOT_FOUND)
        return FAIL(err, rc, "ledger: no delivery has these octets");
    if (rc == RC_OK)
        *delivery = col_int(s, "id");
    return rc;
}

/* ---- octets that a worker is reading ------------------------------------------------------- */

/* A mark that stands was left by a run: dead without an end of its own, it died of them; otherwise
 * it gave up, or is reading them now. */
static enum rc
mark(struct writing *w, const char *mailbox, const char *octets, unsigned *deaths, struct err *err)
{
    static const char upsert[] =
        "INSERT INTO reading (mailbox, octets, run) VALUES ($1, $2, $3)"
        " ON CONFLICT (mailbox, octets) DO UPDATE SET run = excluded.run,"
        " deaths = reading.deaths + CASE WHEN reading.run <> excluded.run AND EXISTS (SELECT 1"
        " FROM run WHERE run.id = reading.run AND run.ended_how = 'dead') THEN 1 ELSE 0 END"
        " RETURNING deaths";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, upsert, &s, err));
    stmt_text(s, 1, mailbox);
    stmt_text(s, 2, octets);
    stmt_text(s, 3, w->run);
    TRY(stmt_row(s, err));
    *deaths = (unsigned)col_int(s, "deaths");
    return stmt_run(s, NULL, err);
}

static enum rc begin_reading(struct store *store,
                             const char *mailbox,
                             const struct digest *octets,
                             unsigned *deaths,
                             struct err *err)
{
    CLEANUP(writing_end) struct writing w = WRITING_NONE;
    char hex[DIGEST_HEX_SIZE];
    unsigned counted;

    digest_hex(octets, hex);
    TRY(writing_begin_turn(store, store->run, (struct instant){0, 0}, &w, err));
    TRY(mark(&w, mailbox, hex, &counted, err));
    TRY(writing_finish(&w, err));
    *deaths = counted;
    return RC_OK;
}

static enum rc intake_begin_reading(
    void *self, const char *mailbox, const struct digest *octets, unsigned *deaths, struct err *err)
{
    return WRITE(self, begin_reading(self, mailbox, octets, deaths, err));
}

static enum rc
end_reading(struct store *store, const char *mailbox, const struct digest *octets, struct err *err)
{
    static const char remove[] = "DELETE FROM reading WHERE mailbox = $1 AND octets = $2";
    CLEANUP(writing_end) struct writing w = WRITING_NONE;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    char hex[DIGEST_HEX_SIZE];

    digest_hex(octets, hex);
    TRY(writing_begin_turn(store, store->run, (struct instant){0, 0}, &w, err));
    TRY(stmt_open(store->db, remove, &s, err));
    stmt_text(s, 1, mailbox);
    stmt_text(s, 2, hex);
    TRY(stmt_run(s, NULL, err));
    return writing_finish(&w, err);
}

static enum rc
intake_end_reading(void *self, const char *mailbox, const struct digest *octets, struct err *err)
{
    return WRITE(self, end_reading(self, mailbox, octets, err));
}

const struct ledger_intake store_intake = {
    .unseen = intake_unseen,
    .reused = intake_reused,
    .missing = intake_missing,
    .reserve = intake_reserve,
    .octets_known = intake_octets_known,
    .begin_reading = intake_begin_reading,
    .end_reading = intake_end_reading,
    .told_apart = intake_told_apart,
};
