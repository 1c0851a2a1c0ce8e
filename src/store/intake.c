/* SPDX-License-Identifier: Apache-2.0 */
#include "mailboxes.h"
#include "reserve.h"
#include "store_p.h"

#include <string.h>

static enum rc unseen_one(struct stmt *s, uint32_t uid, bool *out, struct err *err)
{
    stmt_int(s, 4, uid);
    enum rc rc = stmt_row(s, err);

    *out = rc == RC_NOT_FOUND;
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* NOLINTNEXTLINE(readability-function-size): the port's shape */
static enum rc intake_unseen(void *self,
                             const char *mailbox,
                             const char *folder,
                             uint32_t uidvalidity,
                             const uint32_t *uid,
                             size_t count,
                             bool *out,
                             struct err *err)
{
    static const char find[] =
        "SELECT id FROM delivery WHERE mailbox = $1 AND folder = $2 AND uidvalidity = $3"
        " AND uid = $4 AND class <> 'replayed' AND stale = 0";
    struct store *store = self;

    for (size_t i = 0; i < count; i++) {
        CLEANUP(stmt_done) struct stmt *s = NULL;

        TRY(stmt_open(store->db, find, &s, err));
        stmt_text(s, 1, mailbox);
        stmt_text(s, 2, folder);
        stmt_int(s, 3, uidvalidity);
        TRY(unseen_one(s, uid[i], &out[i], err));
    }
    return RC_OK;
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
    CLEANUP(writing_end) struct writing w = WRITING_NONE;
    const struct reserving r = {&w, policy, lease_ms};

    if (count == 0)
        return RC_OK;
    TRY(writing_begin(self, run, now, &w, err));
    for (size_t i = 0; i < count; i++)
        TRY(enter_one(&r, &arrival[i], &out[i], err));
    /* From this commit on the items exist, with their cases and their plans; before it, a restart
     * sees the messages as new. */
    return writing_finish(&w, err);
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

static enum rc intake_begin_reading(
    void *self, const char *mailbox, const struct digest *octets, unsigned *deaths, struct err *err)
{
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;
    char hex[DIGEST_HEX_SIZE];
    unsigned counted;

    digest_hex(octets, hex);
    TRY(writing_begin(store, store->run, (struct instant){0, 0}, &w, err));
    TRY(mark(&w, mailbox, hex, &counted, err));
    TRY(writing_finish(&w, err));
    *deaths = counted;
    return RC_OK;
}

static enum rc
intake_end_reading(void *self, const char *mailbox, const struct digest *octets, struct err *err)
{
    static const char remove[] = "DELETE FROM reading WHERE mailbox = $1 AND octets = $2";
    CLEANUP(writing_end) struct writing w = WRITING_NONE;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct store *store = self;
    char hex[DIGEST_HEX_SIZE];

    digest_hex(octets, hex);
    TRY(writing_begin(store, store->run, (struct instant){0, 0}, &w, err));
    TRY(stmt_open(store->db, remove, &s, err));
    stmt_text(s, 1, mailbox);
    stmt_text(s, 2, hex);
    TRY(stmt_run(s, NULL, err));
    return writing_finish(&w, err);
}

const struct ledger_intake store_intake = {
    .unseen = intake_unseen,
    .missing = intake_missing,
    .reserve = intake_reserve,
    .octets_known = intake_octets_known,
    .begin_reading = intake_begin_reading,
    .end_reading = intake_end_reading,
};
