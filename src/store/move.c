/* SPDX-License-Identifier: Apache-2.0 */
#include "move.h"

#include "migrations.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows that are as good as none, and how often it is tried to come so near. */
#define LITTLE 100
#define ROUNDS 10

#define STEPS_BETWEEN_SWEEPS 64

/* ---- whose it is ----------------------------------------------------------------------------------- */

static enum rc has_any(struct db *db, bool *out, struct err *err)
{
    static const char find[] = "SELECT (SELECT COUNT(*) FROM event) + (SELECT COUNT(*) FROM item)"
                               " + (SELECT COUNT(*) FROM \"user\") AS rows";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    TRY(stmt_row(s, err));
    *out = col_int(s, "rows") > 0;
    return RC_OK;
}

/* What a newer version has added would stay behind. */
static enum rc check_schema(const struct store *store, struct err *err)
{
    if (!store_is_newer(store))
        return RC_OK;
    return FAIL(err, RC_USAGE,
                "ledger '%s': its schema is newer than this program: move it with the version that"
                " made it so",
                db_path(store->db));
}

static enum rc check_target(struct moving *m, bool *begun, struct err *err)
{
    CLEANUP(str_clear) struct str id = STR_INIT;
    CLEANUP(str_clear) struct str ours = STR_INIT;
    CLEANUP(str_clear) struct str moving = STR_INIT;
    bool any;

    TRY(move_meta_get(m->to->db, META_MOVING, &moving, err));
    TRY(move_meta_get(m->to->db, "ledger_id", &id, err));
    TRY(move_meta_get(m->from->db, "ledger_id", &ours, err));
    TRY(has_any(m->to->db, &any, err));
    *begun = moving.len > 0;
    m->step = *begun ? strtoul(str_z(&moving), NULL, 10) : 0;
    text_copy(m->out->id, sizeof m->out->id, str_z(&ours));
    if (*begun && !slice_eq(str_slice(&id), str_slice(&ours)))
        return FAIL(err, RC_CONFLICT,
                    "ledger '%s': another ledger is half moved there: name an empty database",
                    db_path(m->to->db));
    if (!*begun && any)
        return FAIL(err, RC_CONFLICT, "ledger '%s': there is a ledger already: %s",
                    db_path(m->to->db),
                    slice_eq(str_slice(&id), str_slice(&ours))
                        ? "this one, as it was when it was moved; move it away first"
                        : "another one; name an empty database");
    return RC_OK;
}

/* ---- which move it is ------------------------------------------------------------------------------- */

/* What the notes were begun for: another schema would have tables without triggers, and another generation is
 * of a ledger that was restored, and has forgotten what was brought over. */
static enum rc present(struct moving *m, struct str *out, struct err *err)
{
    CLEANUP(str_clear) struct str generation = STR_INIT;

    TRY(move_meta_get(m->from->db, "generation", &generation, err));
    str_addf(out, " %zu %s", migration_count, str_z(&generation));
    return RC_OK;
}

static enum rc
name_it(struct moving *m, const struct store_options *to, struct str *out, struct err *err)
{
    const struct slice seed = {(const char *)to->secret_seed.octet, DIGEST_SIZE};
    const struct digest name = hmac_sha256(seed, SLICE("move"));
    char hex[DIGEST_HEX_SIZE];

    digest_hex(&name, hex);
    str_addf(out, "%.16s", hex);
    return present(m, out, err);
}

static enum rc cannot_go_on(const struct moving *m, const char *why, struct err *err)
{
    return FAIL(err, RC_CONFLICT,
                "ledger '%s': what was moved there cannot be gone on with: %s. Empty that database,"
                " and call this again, which begins anew",
                db_path(m->to->db), why);
}

static bool ends_with(const struct str *text, const struct str *end)
{
    return text->len > end->len && memcmp(text->at + text->len - end->len, end->at, end->len) == 0;
}

static enum rc check_notes(struct moving *m, struct err *err)
{
    CLEANUP(str_clear) struct str noting = STR_INIT;
    CLEANUP(str_clear) struct str of = STR_INIT;
    CLEANUP(str_clear) struct str now = STR_INIT;

    TRY(move_meta_get(m->from->db, META_NOTING, &noting, err));
    TRY(move_meta_get(m->to->db, META_OF, &of, err));
    TRY(present(m, &now, err));
    if (noting.len == 0 || !slice_eq(str_slice(&noting), str_slice(&of)))
        return cannot_go_on(m, "changes since have not been noted for it", err);
    if (!ends_with(&noting, &now))
        return cannot_go_on(m, "the ledger was upgraded or restored since", err);
    return RC_OK;
}

static enum rc hash_of(struct db *db, int64_t number, char out[DIGEST_HEX_SIZE], struct err *err)
{
    static const char find[] = "SELECT hash FROM event WHERE number = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    out[0] = '\0';
    TRY(stmt_open(db, find, &s, err));
    stmt_int(s, 1, number);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_OK)
        snprintf(out, DIGEST_HEX_SIZE, "%s", col_text(s, "hash"));
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* A file that was put back to what it was has lines of its own, or none, where the new one's end. */
static enum rc check_chain_there(struct moving *m, struct err *err)
{
    struct ledger_facts facts;
    char ours[DIGEST_HEX_SIZE];
    char theirs[DIGEST_HEX_SIZE];

    TRY(store_runs.facts(m->to, &facts, err));
    if (facts.last_event == 0)
        return RC_OK;
    TRY(hash_of(m->from->db, facts.last_event, ours, err));
    TRY(hash_of(m->to->db, facts.last_event, theirs, err));
    return strcmp(ours, theirs) == 0 ? RC_OK
                                     : cannot_go_on(m, "the ledger went back in time since", err);
}

/* ---- its beginning ---------------------------------------------------------------------------------- */

static enum rc triggers(struct moving *m, bool fire, struct err *err)
{
    for (size_t i = 0; i < m->plan.tables; i++)
        TRY(db_triggers(m->to->db, m->plan.table[i].name, fire, err));
    return RC_OK;
}

/* What triggers would count there is copied like all else. */
static enum rc no_triggers(struct moving *m, struct err *err)
{
    CLEANUP(tx_end) struct tx tx = TX_NONE;

    TRY(tx_begin(m->to->db, &tx, err));
    TRY(triggers(m, false, err));
    return tx_commit_plain(&tx, err);
}

/* Its names and secret are taken over first, and that it is half moved is said beside them. */
static enum rc mark_target(struct moving *m, const char *name, struct err *err)
{
    CLEANUP(tx_end) struct tx tx = TX_NONE;

    TRY(tx_begin(m->to->db, &tx, err));
    TRY(move_meta_copy(m, err));
    TRY(move_meta_set(m->to->db, META_MOVING, "0", err));
    TRY(move_meta_set(m->to->db, META_OF, name, err));
    return tx_commit_plain(&tx, err);
}

static enum rc begin(struct moving *m, const struct store_options *to, struct err *err)
{
    CLEANUP(str_clear) struct str name = STR_INIT;

    TRY(name_it(m, to, &name, err));
    if (m->noting)
        TRY(move_note_begin(m, str_z(&name), err));
    return mark_target(m, str_z(&name), err);
}

/* An earlier call may have come so far: whole pages, in order of the key. */
static enum rc find_place(struct moving *m, struct err *err)
{
    const struct move_table *t = &m->plan.table[m->step];
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(m->to->db, str_z(&t->last), &s, err));
    enum rc rc = stmt_row(s, err);

    if (rc == RC_OK)
        place_keep(t, s, &m->place);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* Where nothing was noted all is compared anew. */
static enum rc go_on(struct moving *m, struct err *err)
{
    if (m->noting)
        TRY(check_notes(m, err));
    TRY(check_chain_there(m, err));
    if (!m->noting && m->step > m->plan.tables)
        m->step = m->plan.tables;
    return m->step < m->plan.tables ? find_place(m, err) : RC_OK;
}

/* ---- its steps -------------------------------------------------------------------------------------- */

static enum rc nothing_more(struct moving *m, struct err *err)
{
    (void)m;
    (void)err;
    return RC_OK;
}

static enum rc
step(struct moving *m, enum rc (*act)(struct moving *m, struct err *err), struct err *err)
{
    CLEANUP(tx_end) struct tx from = TX_NONE;
    CLEANUP(tx_end) struct tx to = TX_NONE;

    if (!m->alone)
        TRY(tx_read(m->from->db, &from, err));
    TRY(tx_begin(m->to->db, &to, err));
    TRY(move_follow(m, err));
    TRY(act(m, err));
    TRY(tx_commit_plain(&to, err));
    m->applied = m->upto;
    return RC_OK;
}

static enum rc walk_chain(struct moving *m, struct err *err)
{
    CLEANUP(tx_end) struct tx tx = TX_NONE;
    struct ledger_facts facts;
    char number[24];

    TRY(store_check_chain(m->to, err));
    TRY(store_runs.facts(m->to, &facts, err));
    snprintf(number, sizeof number, "%" PRId64, facts.last_event);
    TRY(tx_begin(m->to->db, &tx, err));
    TRY(move_meta_set(m->to->db, META_WALKED, number, err));
    TRY(move_next_step(m, err));
    return tx_commit_plain(&tx, err);
}

static enum rc sweep(struct moving *m, struct err *err)
{
    return m->noting && ++m->unswept >= STEPS_BETWEEN_SWEEPS ? move_note_sweep(m, err) : RC_OK;
}

static enum rc copy_all(struct moving *m, struct err *err)
{
    while (m->step < m->plan.tables) {
        TRY(step(m, move_copy_page, err));
        TRY(sweep(m, err));
    }
    return RC_OK;
}

static enum rc compare_all(struct moving *m, struct err *err)
{
    while (m->step < 2 * m->plan.tables) {
        TRY(step(m, move_compare_page, err));
        TRY(sweep(m, err));
    }
    return m->step == 2 * m->plan.tables ? walk_chain(m, err) : RC_OK;
}

/* Until little has changed meanwhile. */
static enum rc come_near(struct moving *m, struct err *err)
{
    m->out->left = m->noting ? INT64_MAX : 0;
    for (int i = 0; i < ROUNDS && m->out->left > LITTLE; i++) {
        TRY(step(m, nothing_more, err));
        TRY(move_note_sweep(m, err));
        TRY(move_note_count(m->from->db, &m->out->left, err));
    }
    return RC_OK;
}

/* ---- its end ---------------------------------------------------------------------------------------- */

/* What is no key, and yet each row has the next of. */
static bool counts_up(const struct move_table *t, const char *column)
{
    return strcmp(column, "rowid") == 0 ||
           (strcmp(t->name, "item") == 0 && strcmp(column, "number") == 0);
}

/* The next row gets the next number. */
static enum rc renumber(struct moving *m, const struct move_table *t, struct err *err)
{
    for (size_t i = 0; i < t->columns; i++)
        if (t->column[i].number && (t->column[i].key == 1 || counts_up(t, t->column[i].name)))
            TRY(db_renumber(m->to->db, t->name, t->column[i].name, err));
    return RC_OK;
}

static enum rc last_things(struct moving *m, struct err *err)
{
    for (size_t i = 0; i < m->plan.tables; i++)
        TRY(renumber(m, &m->plan.table[i], err));
    return move_meta_copy(m, err);
}

static enum rc check_runs(struct moving *m, struct err *err)
{
    static const char find[] = "SELECT EXISTS (SELECT 1 FROM run WHERE ended_at IS NULL) AS any";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(m->from->db, find, &s, err));
    TRY(stmt_row(s, err));
    if (col_int(s, "any") == 0)
        return RC_OK;
    return FAIL(err, RC_DEFERRED,
                "the service has been started meanwhile: stop it, and call this once more");
}

static enum rc check_end(struct moving *m, struct err *err)
{
    CLEANUP(str_clear) struct str walked = STR_INIT;
    struct ledger_facts ours;
    struct ledger_facts theirs;

    TRY(move_meta_get(m->to->db, META_WALKED, &walked, err));
    TRY(chain_check_after(m->to, strtoll(str_z(&walked), NULL, 10), err));
    TRY(store_runs.facts(m->from, &ours, err));
    TRY(store_runs.facts(m->to, &theirs, err));
    m->out->last_event = theirs.last_event;
    return ours.last_event == theirs.last_event ? check_chain_there(m, err)
                                                : cannot_go_on(m, "its chain ends before", err);
}

/* From this commit on nobody writes into it, whatever version they are. */
static enum rc close_source(struct moving *m, struct tx *tx, struct err *err)
{
    CLEANUP(str_clear) struct str name = STR_INIT;
    char oldest[24];

    TRY(move_meta_get(m->to->db, META_OF, &name, err));
    if (m->noting)
        TRY(move_note_end(m->from->db, err));
    snprintf(oldest, sizeof oldest, "%d", SCHEMA_MOVED);
    TRY(move_meta_set(m->from->db, META_MOVED, str_z(&name), err));
    TRY(move_meta_set(m->from->db, "oldest_schema", oldest, err));
    return tx_commit_plain(tx, err);
}

/* From this commit on it is the ledger. */
static enum rc open_target(struct moving *m, struct err *err)
{
    CLEANUP(tx_end) struct tx tx = TX_NONE;

    TRY(tx_begin(m->to->db, &tx, err));
    TRY(triggers(m, true, err));
    TRY(move_meta_forget(m->to->db, META_OF, err));
    TRY(move_meta_forget(m->to->db, META_WALKED, err));
    TRY(move_meta_forget(m->to->db, META_MOVING, err));
    TRY(tx_commit_plain(&tx, err));
    m->out->ended = true;
    return RC_OK;
}

/* Nobody writes into the old one meanwhile. */
static enum rc end(struct moving *m, struct tx *tx, struct err *err)
{
    if (!m->alone)
        TRY(tx_begin(m->from->db, tx, err));
    m->alone = true;
    TRY(check_runs(m, err));
    TRY(step(m, last_things, err));
    TRY(check_end(m, err));
    TRY(close_source(m, tx, err));
    m->out->left = 0;
    return open_target(m, err);
}

/* ---- all of it --------------------------------------------------------------------------------------- */

static enum rc read_plan(struct moving *m, struct err *err)
{
    CLEANUP(str_clear) struct str path = STR_INIT;
    bool from_file = db_file(m->from->db, &path);

    TRY(check_schema(m->from, err));
    TRY(check_schema(m->to, err));
    str_empty(&path);
    if (from_file == db_file(m->to->db, &path))
        return FAIL(err, RC_USAGE, "a ledger is moved from SQLite to PostgreSQL, or back");
    TRY(move_plan_read(from_file ? m->from->db : m->to->db, &m->plan, err));
    m->out->tables = (int64_t)m->plan.tables;
    m->noting = from_file;
    return RC_OK;
}

/* The last call's answer may have been lost: what it has opened is there, with all that the old one has. */
static enum rc is_over(struct moving *m, bool *out, struct err *err)
{
    CLEANUP(str_clear) struct str moved = STR_INIT;
    CLEANUP(str_clear) struct str moving = STR_INIT;
    CLEANUP(str_clear) struct str id = STR_INIT;
    struct ledger_facts ours;
    char theirs[DIGEST_HEX_SIZE];

    TRY(move_meta_get(m->from->db, META_MOVED, &moved, err));
    TRY(move_meta_get(m->to->db, META_MOVING, &moving, err));
    TRY(move_meta_get(m->to->db, "ledger_id", &id, err));
    TRY(store_runs.facts(m->from, &ours, err));
    TRY(hash_of(m->to->db, ours.last_event, theirs, err));
    *out = moved.len > 0 && moving.len == 0 && strcmp(str_z(&id), ours.id) == 0 &&
           strcmp(theirs, ours.last_hash) == 0;
    m->out->ended = *out;
    m->out->last_event = ours.last_event;
    return RC_OK;
}

/* One that was closed, and what it was moved into not opened: nothing else is left to do. */
static enum rc was_moved(struct moving *m, bool begun, bool *out, struct err *err)
{
    CLEANUP(str_clear) struct str moved = STR_INIT;
    CLEANUP(str_clear) struct str of = STR_INIT;
    struct ledger_facts facts;

    TRY(move_meta_get(m->from->db, META_MOVED, &moved, err));
    TRY(move_meta_get(m->to->db, META_OF, &of, err));
    *out = moved.len > 0;
    if (!*out)
        return RC_OK;
    if (!begun || !slice_eq(str_slice(&moved), str_slice(&of)))
        return FAIL(err, RC_CONFLICT, "ledger '%s': it was moved, and not to there",
                    db_path(m->from->db));
    TRY(store_runs.facts(m->to, &facts, err));
    m->out->last_event = facts.last_event;
    return open_target(m, err);
}

/* Up to where only its end is left. */
static enum rc
prepare(struct moving *m, const struct store_options *to, bool begun, struct err *err)
{
    TRY(begun ? go_on(m, err) : begin(m, to, err));
    TRY(no_triggers(m, err));
    TRY(copy_all(m, err));
    TRY(compare_all(m, err));
    return come_near(m, err);
}

/* Nothing is noted there. */
static enum rc begin_alone(struct moving *m, bool stands, struct tx *tx, struct err *err)
{
    if (!stands)
        return FAIL(err, RC_DEFERRED,
                    "the service runs: from PostgreSQL a ledger is moved with the service stopped;"
                    " 'onecase deployments' says where it runs");
    m->alone = true;
    return tx_begin(m->from->db, tx, err);
}

static enum rc go(struct moving *m, const struct store_move *move, bool begun, struct err *err)
{
    CLEANUP(tx_end) struct tx tx = TX_NONE;
    bool stands;

    TRY(move->stands(move->ctx, &stands, err));
    if (!m->noting)
        TRY(begin_alone(m, stands, &tx, err));
    TRY(prepare(m, move->to, begun, err));
    TRY(move->stands(move->ctx, &stands, err));
    return stands ? end(m, &tx, err) : RC_OK;
}

static enum rc move_whole(struct moving *m, const struct store_move *move, struct err *err)
{
    bool begun;
    bool moved;

    TRY(read_plan(m, err));
    TRY(is_over(m, &moved, err));
    if (moved)
        return RC_OK;
    TRY(check_target(m, &begun, err));
    TRY(was_moved(m, begun, &moved, err));
    return moved ? RC_OK : go(m, move, begun, err);
}

static void tell_nobody(void *ctx, const char *table, int64_t rows)
{
    (void)ctx;
    (void)table;
    (void)rows;
}

static enum rc copy_snapshot(struct moving *m, struct err *err)
{
    CLEANUP(tx_end) struct tx tx = TX_NONE;

    m->noting = false;
    m->alone = true;
    TRY(tx_read(m->from->db, &tx, err));
    TRY(mark_target(m, "snapshot", err));
    TRY(no_triggers(m, err));
    TRY(copy_all(m, err));
    return open_target(m, err);
}

/* Both connections prepare statements by the plan's texts: `from` keeps it until it is closed. */
enum rc move_snapshot(struct store *to, struct store *from, struct err *err)
{
    struct store_moved out = {.rows = 0};
    struct moving m = {.from = from, .to = to, .tell = tell_nobody, .out = &out};

    if (from->plan == NULL) {
        TRY(read_plan(&m, err));
        from->plan = mem_new(1, sizeof *from->plan);
        *from->plan = m.plan;
    }
    m.plan = *from->plan;
    enum rc rc = copy_snapshot(&m, err);

    place_clear(&m.place);
    return rc;
}

enum rc store_move(const struct store_move *move, struct store_moved *out, struct err *err)
{
    struct moving m = {.tell = move->tell, .ctx = move->ctx, .out = out};
    struct store_options target = *move->to;

    *out = (struct store_moved){.rows = 0};
    target.moving = true;
    enum rc rc = store_open(move->from, &m.from, err);

    if (rc == RC_OK)
        rc = store_open(&target, &m.to, err);
    if (rc == RC_OK)
        rc = move_whole(&m, move, err);
    store_close(&m.to);
    store_close(&m.from);
    place_clear(&m.place);
    move_plan_clear(&m.plan); /* its texts are prepared there */
    return rc;
}

enum rc store_move_abandon(struct store *from, struct err *err)
{
    CLEANUP(str_clear) struct str noting = STR_INIT;
    CLEANUP(tx_end) struct tx tx = TX_NONE;

    TRY(move_meta_get(from->db, META_NOTING, &noting, err));
    if (noting.len == 0)
        return FAIL(err, RC_NOT_FOUND, "no move of this ledger is under way");
    TRY(tx_begin(from->db, &tx, err));
    TRY(move_note_end(from->db, err));
    return tx_commit_plain(&tx, err);
}
