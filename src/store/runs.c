/* SPDX-License-Identifier: Apache-2.0 */
#include "lease.h"
#include "store_p.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum rc run_event(struct writing *w,
                         const char *run,
                         const char *what,
                         const char *from,
                         const char *to,
                         struct err *err)
{
    char subject[8 + RUN_ID_SIZE];

    snprintf(subject, sizeof subject, "run %.*s", RUN_ID_SIZE - 1, run);
    return event_add(w,
                     &(struct event){.subject = subject,
                                     .what = what,
                                     .from = from,
                                     .to = to,
                                     .actor = actor_text(BY_SERVICE)},
                     err);
}

/* ---- facts --------------------------------------------------------------------------------- */

static enum rc facts_of(struct stmt *s, struct ledger_facts *out, struct err *err)
{
    struct ledger_facts facts = {.generation = col_int(s, "generation"),
                                 .last_event = col_int(s, "last_event")};

    TRY(COL_COPY(s, "id", facts.id, err));
    TRY(COL_COPY(s, "last_hash", facts.last_hash, err));
    if (!digest_from_hex(col_slice(s, "secret"), &facts.secret) || facts.generation < 1)
        return FAIL(err, RC_BROKEN, "ledger: it has no secret or no generation");
    *out = facts;
    return RC_OK;
}

/* A server that was promoted, or a database that was restored, has another timeline from then on, and may
 * have forgotten the last commits: whatever it is, the ledger is taken for one that went back. */
static enum rc set_timeline(struct db *db, int64_t timeline, int64_t *changed, struct err *err)
{
    static const char set[] = "INSERT INTO meta (name, value) VALUES ('timeline', CAST($1 AS TEXT))"
                              " ON CONFLICT (name) DO UPDATE SET value = excluded.value"
                              " WHERE meta.value <> excluded.value";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, set, &s, err));
    stmt_int(s, 1, timeline);
    return stmt_run(s, changed, err);
}

static enum rc raise_generation(struct db *db, struct err *err)
{
    static const char raise[] =
        "UPDATE meta SET value = CAST(CAST(value AS BIGINT) + 1 AS TEXT) WHERE name = 'generation'";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, raise, &s, err));
    return stmt_run(s, NULL, err);
}

/* `first`: none was known before, and nothing follows from it. */
static enum rc note_timeline(struct store *store, int64_t timeline, bool first, struct err *err)
{
    CLEANUP(tx_end) struct tx tx = TX_NONE;
    int64_t changed;

    TRY(tx_begin(store->db, &tx, err));
    TRY(set_timeline(store->db, timeline, &changed, err));
    if (changed > 0 && !first)
        TRY(raise_generation(store->db, err));
    return tx_commit_plain(&tx, err);
}

static enum rc read_timeline(struct db *db, int64_t *out, struct err *err)
{
    static const char find[] = "SELECT CAST(value AS BIGINT) AS timeline FROM meta"
                               " WHERE name = 'timeline'";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    *out = 0;
    TRY(stmt_open(db, find, &s, err));
    enum rc rc = stmt_row(s, err);

    if (rc == RC_OK)
        *out = col_int(s, "timeline");
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* What a person reads may come from a copy that nobody can write to. The server's own is looked at last: it
 * is that of the server which gave the other one, also where that had to be looked for anew. */
static enum rc look_at_timeline(struct store *store, struct err *err)
{
    int64_t known;

    if (db_timeline(store->db) == 0 || db_read_only(store->db) || store->run[0] == '\0')
        return RC_OK;
    TRY(read_timeline(store->db, &known, err));
    TRY(db_stayed(store->db, err));
    int64_t now = db_timeline(store->db);

    if (known == now)
        return RC_OK;
    return WRITE(store, note_timeline(store, now, known == 0, err));
}

static enum rc runs_facts(void *self, struct ledger_facts *out, struct err *err)
{
    static const char find[] =
        "SELECT (SELECT value FROM meta WHERE name = 'ledger_id') AS id,"
        " (SELECT value FROM meta WHERE name = 'secret') AS secret,"
        " CAST((SELECT value FROM meta WHERE name = 'generation') AS BIGINT) AS generation,"
        " COALESCE((SELECT MAX(number) FROM event), 0) AS last_event,"
        " COALESCE((SELECT hash FROM event ORDER BY number DESC LIMIT 1), '') AS last_hash";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(look_at_timeline(store, err));
    TRY(stmt_open(store->db, find, &s, err));
    TRY(stmt_row(s, err));
    return facts_of(s, out, err);
}

static enum rc runs_knows(void *self, int64_t event, const char *hash, struct err *err)
{
    static const char find[] = "SELECT 1 AS one FROM event WHERE number = $1 AND hash = $2";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(store->db, find, &s, err));
    stmt_int(s, 1, event);
    stmt_text(s, 2, hash);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_NOT_FOUND)
        return FAIL(err, rc, "ledger: line %lld of the event chain is not that one",
                    (long long)event);
    return rc;
}

/* ---- the beginning ------------------------------------------------------------------------- */

static enum rc insert_run(struct writing *w, const struct run_facts *run, struct err *err)
{
    static const char insert[] =
        "INSERT INTO run (id, host, boot_id, pid, version, name, environment, owner, mailbox,"
        " entered_at, beat_at, lease_clock, node)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $10, $9, $9, $11, $12)";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, insert, &s, err));
    stmt_text(s, 1, run->id);
    stmt_text(s, 2, run->host);
    stmt_text(s, 3, run->boot_id);
    stmt_int(s, 4, run->pid);
    stmt_text(s, 5, run->version);
    stmt_text(s, 6, run->name);
    stmt_text(s, 7, run->environment);
    stmt_text(s, 8, run->owner);
    stmt_int(s, 9, w->now.wall_ms);
    stmt_text(s, 10, run->mailbox);
    stmt_text(s, 11, db_began(w->store->db) != 0 ? "ledger" : "");
    stmt_text(s, 12, run->node);
    return stmt_run(s, NULL, err);
}

static enum rc
enter(struct store *store, const struct run_facts *run, struct instant now, struct err *err)
{
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    TRY(writing_begin(store, run->id, now, &w, err));
    TRY(insert_run(&w, run, err));
    TRY(run_event(&w, run->id, "enter", "", "alive", err));
    return writing_finish(&w, err);
}

static void find_turn(struct store *store, const char *mailbox)
{
    text_copy(store->turn, sizeof store->turn, mailbox);
    for (size_t i = 0; i < store->waits; i++)
        if (strcmp(store->wait[i].mailbox, mailbox) == 0)
            memcpy(store->turn, store->wait[i].turn, sizeof store->turn);
}

static enum rc
runs_enter(void *self, const struct run_facts *run, struct instant now, struct err *err)
{
    struct store *store = self;

    TRY(WRITE(store, enter(store, run, now, err)));
    db_stay(store->db);
    snprintf(store->run, sizeof store->run, "%s", run->id);
    find_turn(store, run->mailbox);
    return RC_OK;
}

static enum rc deployment_of(struct stmt *s, struct run_facts *out, struct err *err)
{
    TRY(COL_COPY(s, "version", out->version, err));
    TRY(COL_COPY(s, "name", out->name, err));
    TRY(COL_COPY(s, "environment", out->environment, err));
    return COL_COPY(s, "owner", out->owner, err);
}

static enum rc run_of(struct stmt *s, struct run_facts *out, struct err *err)
{
    *out = (struct run_facts){.pid = (long)col_int(s, "pid")};
    TRY(COL_COPY(s, "id", out->id, err));
    TRY(COL_COPY(s, "host", out->host, err));
    TRY(COL_COPY(s, "boot_id", out->boot_id, err));
    return deployment_of(s, out, err);
}

static enum rc
runs_others(void *self, const char *run, struct run_facts **out, size_t *count, struct err *err)
{
    static const char find[] = "SELECT id, host, boot_id, pid, version, name, environment, owner"
                               " FROM run WHERE ended_at IS NULL AND id <> $1 ORDER BY entered_at";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    CLEANUP(mem_free) struct run_facts *found = NULL;
    size_t n = 0;
    enum rc rc;

    TRY(stmt_open(store->db, find, &s, err));
    stmt_text(s, 1, run);
    while ((rc = stmt_row(s, err)) == RC_OK) {
        found = mem_grow(found, n + 1, sizeof *found);
        TRY(run_of(s, &found[n++], err));
    }
    if (rc != RC_NOT_FOUND)
        return rc;
    *out = STEAL(found);
    *count = n;
    return RC_OK;
}

/* ---- leases -------------------------------------------------------------------------------- */

enum rc lease_now(struct store *store, struct instant now, int64_t *out, struct err *err)
{
    TRY(db_now(store->db, out, err));
    if (*out == 0)
        *out = now.boot_ms;
    return RC_OK;
}

static enum rc beat(struct writing *w, const char *run, struct err *err)
{
    static const char update[] = "UPDATE run SET beat_at = $1 WHERE id = $2 AND ended_at IS NULL";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    int64_t changed;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_int(s, 1, w->now.wall_ms);
    stmt_text(s, 2, run);
    TRY(stmt_run(s, &changed, err));
    if (changed == 0)
        return FAIL(err, RC_CONFLICT, "ledger: run %.8s was taken for dead; its leases are void",
                    run);
    return RC_OK;
}

/* What it is counted by among those that share, and the mailbox that it works on. */
static enum rc renew_share(struct writing *w, const char *run, int64_t until, struct err *err)
{
    static const char alive[] = "UPDATE run SET live_until = $1 WHERE id = $2 AND live_until > 0";
    static const char lease[] = "UPDATE mailbox_lease SET until = $1 WHERE run = $2";
    static const char *const both[] = {alive, lease};

    for (size_t i = 0; i < LENGTH(both); i++) {
        CLEANUP(stmt_done) struct stmt *s = NULL;

        TRY(stmt_open(w->store->db, both[i], &s, err));
        stmt_int(s, 1, until);
        stmt_text(s, 2, run);
        TRY(stmt_run(s, NULL, err));
    }
    return RC_OK;
}

/* As many rows as the run holds items. A statement that can only roll all back keeps no copies in memory of
 * what it changes. */
static enum rc
renew(struct store *store, const char *run, struct instant now, int64_t lease_ms, struct err *err)
{
    static const char update[] = "UPDATE OR ROLLBACK item SET lease_boot = $1 WHERE lease_run = $2";
    CLEANUP(writing_end) struct writing w = WRITING_NONE;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(writing_begin_turn(store, run, now, &w, err));
    TRY(beat(&w, run, err));
    TRY(stmt_open(store->db, update, &s, err));
    stmt_int(s, 1, w.lease_now_ms + lease_ms);
    stmt_text(s, 2, run);
    TRY(stmt_run(s, NULL, err));
    if (db_began(store->db) != 0)
        TRY(renew_share(&w, run, w.lease_now_ms + lease_ms, err));
    return writing_finish(&w, err);
}

static enum rc
runs_renew(void *self, const char *run, struct instant now, int64_t lease_ms, struct err *err)
{
    return WRITE(self, renew(self, run, now, lease_ms, err));
}

/* ---- the end ------------------------------------------------------------------------------- */

/* False where its end is recorded already. */
static enum rc end_run(struct writing *w,
                       const char *run,
                       const char *how,
                       const char *by,
                       bool *ended,
                       struct err *err)
{
    static const char update[] = "UPDATE run SET ended_at = $1, ended_how = $2, buried_by = $3"
                                 " WHERE id = $4 AND ended_at IS NULL";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    int64_t changed;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_int(s, 1, w->now.wall_ms);
    stmt_text(s, 2, how);
    stmt_text(s, 3, by);
    stmt_text(s, 4, run);
    TRY(stmt_run(s, &changed, err));
    *ended = changed == 1;
    return RC_OK;
}

static enum rc give_back_some(struct db *db, const char *run, int64_t *changed, struct err *err)
{
    static const char update[] = "UPDATE item SET lease_run = NULL, lease_boot = NULL WHERE key IN"
                                 " (SELECT key FROM item WHERE lease_run = $1 LIMIT 200)";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, update, &s, err));
    stmt_text(s, 1, run);
    return stmt_run(s, changed, err);
}

/* What a statement changes is kept in memory until it ends, so each changes some. */
static enum rc give_back(struct db *db, const char *run, struct err *err)
{
    int64_t changed;

    do
        TRY(give_back_some(db, run, &changed, err));
    while (changed > 0);
    return RC_OK;
}

/* What it held is suspected of having killed it. */
static enum rc count_deaths(struct writing *w, const char *run, struct err *err)
{
    static const char update[] =
        "UPDATE OR ROLLBACK item SET worker_deaths = worker_deaths + 1 WHERE lease_run = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_text(s, 1, run);
    return stmt_run(s, NULL, err);
}

/* Those that stand by. */
static enum rc tell_of_its_mailbox(struct writing *w, const char *run, struct err *err)
{
    static const char find[] = "SELECT mailbox FROM mailbox_lease WHERE run = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum rc rc;

    TRY(stmt_open(w->store->db, find, &s, err));
    stmt_text(s, 1, run);
    while ((rc = stmt_row(s, err)) == RC_OK)
        writing_tell(w, col_text(s, "mailbox"));
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static enum rc bury(struct writing *w, const char *dead, struct err *err)
{
    bool ended;

    TRY(end_run(w, dead, "dead", w->run, &ended, err));
    if (!ended)
        return RC_OK;
    TRY(count_deaths(w, dead, err));
    TRY(tell_of_its_mailbox(w, dead, err));
    return run_event(w, dead, "bury", "alive", "dead", err);
}

static enum rc bury_once(
    struct store *store, const char *dead, const char *by, struct instant now, struct err *err)
{
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    TRY(writing_begin(store, by, now, &w, err));
    TRY(bury(&w, dead, err));
    return writing_finish(&w, err);
}

static enum rc
runs_bury(void *self, const char *dead, const char *by, struct instant now, struct err *err)
{
    return WRITE(self, bury_once(self, dead, by, now, err));
}

static enum rc nothing_armed(struct db *db, const char *run, struct err *err)
{
    static const char find[] =
        "SELECT effect FROM attempt WHERE run = $1 AND phase = 'armed' LIMIT 1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, run);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_OK)
        return FAIL(err, RC_CONFLICT, "ledger: step %lld is armed by run %.8s yet",
                    (long long)col_int(s, "effect"), run);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static enum rc leave_mailbox(struct writing *w, const char *run, struct err *err)
{
    static const char remove[] = "DELETE FROM mailbox_lease WHERE run = $1 RETURNING mailbox";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum rc rc;

    TRY(stmt_open(w->store->db, remove, &s, err));
    stmt_text(s, 1, run);
    while ((rc = stmt_row(s, err)) == RC_OK)
        writing_tell(w, col_text(s, "mailbox"));
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static enum rc leave(struct writing *w, const char *run, struct err *err)
{
    bool ended;

    TRY(nothing_armed(w->store->db, run, err));
    TRY(give_back(w->store->db, run, err));
    TRY(leave_mailbox(w, run, err));
    TRY(end_run(w, run, "left", NULL, &ended, err));
    if (!ended)
        return FAIL(err, RC_CONFLICT, "ledger: the end of run %.8s is recorded already", run);
    return run_event(w, run, "leave", "alive", "left", err);
}

static enum rc leave_once(struct store *store, const char *run, struct instant now, struct err *err)
{
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    TRY(writing_begin(store, run, now, &w, err));
    TRY(leave(&w, run, err));
    return writing_finish(&w, err);
}

static enum rc runs_leave(void *self, const char *run, struct instant now, struct err *err)
{
    return WRITE(self, leave_once(self, run, now, err));
}

const struct ledger_runs store_runs = {
    .facts = runs_facts,
    .enter = runs_enter,
    .others = runs_others,
    .bury = runs_bury,
    .renew = runs_renew,
    .leave = runs_leave,
    .knows = runs_knows,
    .share = runs_share,
};
