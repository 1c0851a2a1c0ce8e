/* SPDX-License-Identifier: Apache-2.0
 *
 * save - a copy of the ledger that can be used in its place, and what becomes of one that is.
 */
#include "store_p.h"

#include <string.h>

/* ---- saving ------------------------------------------------------------------------------------- */

static enum rc copy_into(struct store *store, const char *path, struct store *out, struct err *err)
{
    const struct store_options options = {.path = path, .create = true, .busy_timeout_ms = 1000};
    bool any;

    TRY(db_open(&options, &out->db, err));
    TRY(db_has_table(out->db, NULL, &any, err));
    if (any)
        return FAIL(err, RC_CONFLICT, "ledger '%s': there is one already", path);
    return db_copy(out->db, store->db, err);
}

enum rc store_save(struct store *store, const char *path, struct ledger_facts *out, struct err *err)
{
    struct store copy = {.db = NULL};
    enum rc rc = copy_into(store, path, &copy, err);

    if (rc == RC_OK)
        rc = store_check(&copy, err);
    if (rc == RC_OK)
        rc = store_check_chain(&copy, err);
    if (rc == RC_OK)
        rc = store_runs.facts(&copy, out, err);
    if (copy.db != NULL)
        db_close(&copy.db);
    return rc;
}

/* ---- what is written about it ---------------------------------------------------------------------- */

static enum rc set_meta(struct writing *w, const char *name, const char *value, struct err *err)
{
    static const char set[] = "INSERT INTO meta (name, value) VALUES ($1, $2)"
                              " ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, set, &s, err));
    stmt_text(s, 1, name);
    stmt_text(s, 2, value);
    return stmt_run(s, NULL, err);
}

static enum rc tell(struct writing *w, const char *what, const char *to, struct err *err)
{
    return event_add(
        w,
        &(struct event){
            .subject = "ledger", .what = what, .to = to, .actor = actor_text(BY_PERSON)},
        err);
}

static enum rc
saved_once(struct store *store, const char *name, struct instant now, struct err *err)
{
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    TRY(writing_begin(store, store->run, now, &w, err));
    TRY(set_meta(&w, "last_backup", name, err));
    TRY(tell(&w, "backup", "kept", err));
    return writing_finish(&w, err);
}

enum rc store_saved(struct store *store, const char *name, struct instant now, struct err *err)
{
    return WRITE(store, saved_once(store, name, now, err));
}

static enum rc restored_once(struct store *store, struct instant now, struct err *err)
{
    CLEANUP(writing_end) struct writing w = WRITING_NONE;
    struct ledger_facts facts;

    TRY(store_runs.facts(store, &facts, err));
    struct subject to = subject_of("generation", facts.generation + 1);

    TRY(writing_begin(store, store->run, now, &w, err));
    TRY(set_meta(&w, "generation", to.text + strlen("generation "), err));
    TRY(tell(&w, "restore", to.text, err));
    return writing_finish(&w, err);
}

/* A move that was under way has brought over what is forgotten now. */
static enum rc no_move(struct store *store, struct err *err)
{
    struct err none = ERR_INIT;
    enum rc rc = store_move_abandon(store, &none);

    return rc == RC_OK || rc == RC_NOT_FOUND ? RC_OK : FAIL(err, rc, "%s", none.text);
}

enum rc store_restored(struct store *store, struct instant now, struct err *err)
{
    TRY(no_move(store, err));
    return WRITE(store, restored_once(store, now, err));
}
