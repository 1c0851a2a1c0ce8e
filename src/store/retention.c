/* SPDX-License-Identifier: Apache-2.0
 *
 * Each letting go is one transaction an item: its guard, what is emptied, the files that leave, and a
 * line of the event chain that says what went and nothing of what it was.
 */
#include "retention.h"

#include "decide.h"
#include "webhooks_p.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct going {
    struct writing *w;
    const struct letting_go *what;
};

/* One statement with the item's key as $1 and, where it has one, the instant as $2. */
static enum rc run(struct going *g, const char *sql, bool at, struct err *err)
{
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(g->w->store->db, sql, &s, err));
    stmt_text(s, 1, g->what->key);
    if (at)
        stmt_int(s, 2, g->w->now.wall_ms);
    return stmt_run(s, NULL, err);
}

static enum rc run_bare(struct going *g, const char *sql, struct err *err)
{
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(g->w->store->db, sql, &s, err));
    return stmt_run(s, NULL, err);
}

/* Only what is over, and held by nobody: looked at in the act. */
static enum rc check(struct going *g, char mailbox[NAME_SIZE], struct err *err)
{
    static const char find[] =
        "SELECT mailbox, CASE WHEN " ITEM_IS_OVER " THEN 1 ELSE 0 END AS over,"
        " CASE WHEN " ITEM_IS_HELD " THEN 1 ELSE 0 END AS held"
        " FROM item WHERE item.key = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(g->w->store->db, find, &s, err));
    stmt_text(s, 1, g->what->key);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_NOT_FOUND)
        return FAIL(err, rc, "retention: there is no item %.12s", g->what->key);
    if (rc != RC_OK)
        return rc;
    if (col_int(s, "held") != 0 || col_int(s, "over") == 0)
        return FAIL(err, RC_CONFLICT, "retention: item %.12s is %s", g->what->key,
                    col_int(s, "held") != 0 ? "held by a person" : "not complete");
    return col_copy(s, "mailbox", mailbox, NAME_SIZE, err);
}

/* ---- files ---------------------------------------------------------------------------------- */

static enum rc leaves(struct going *g, const char *name, struct err *err)
{
    static const char insert[] =
        "INSERT INTO leaving (key, name) VALUES ($1, $2) ON CONFLICT (key, name) DO NOTHING";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(g->w->store->db, insert, &s, err));
    stmt_text(s, 1, g->what->key);
    stmt_text(s, 2, name);
    return stmt_run(s, NULL, err);
}

static enum rc let_original_go(struct going *g, struct err *err)
{
    static const char update[] = "UPDATE item SET original_gone = $2 WHERE key = $1";

    TRY(leaves(g, "", err));
    return run(g, update, true, err);
}

struct named_file {
    int64_t number;
    char name[STORED_NAME_SIZE];
    bool stored;
};

static enum rc files_of(struct going *g, struct named_file **out, size_t *count, struct err *err)
{
    static const char find[] =
        "SELECT number, stored_name, CASE WHEN status = 'stored' AND gone IS NULL THEN 1 ELSE 0 END"
        " AS stored FROM attachment WHERE key = $1 ORDER BY number";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    CLEANUP(mem_free) struct named_file *found = NULL;
    size_t n = 0;
    enum rc rc;

    TRY(stmt_open(g->w->store->db, find, &s, err));
    stmt_text(s, 1, g->what->key);
    while ((rc = stmt_row(s, err)) == RC_OK) {
        found = mem_grow(found, n + 1, sizeof *found);
        found[n] = (struct named_file){.number = col_int(s, "number"),
                                       .stored = col_int(s, "stored") != 0};
        TRY(COL_COPY(s, "stored_name", found[n].name, err));
        n++;
    }
    if (rc != RC_NOT_FOUND)
        return rc;
    *out = STEAL(found);
    *count = n;
    return RC_OK;
}

static enum rc let_attachments_go(struct going *g, struct err *err)
{
    static const char update[] =
        "UPDATE attachment SET gone = $2 WHERE key = $1 AND status = 'stored' AND gone IS NULL";
    CLEANUP(mem_free) struct named_file *file = NULL;
    size_t count;

    TRY(files_of(g, &file, &count, err));
    for (size_t i = 0; i < count; i++)
        if (file[i].stored)
            TRY(leaves(g, file[i].name, err));
    return run(g, update, true, err);
}

/* ---- texts ---------------------------------------------------------------------------------- */

static enum rc let_text_go(struct going *g, struct err *err)
{
    static const char item[] = "UPDATE item SET text = '', text_gone = $2 WHERE key = $1";
    static const char message[] =
        "UPDATE case_message SET text = '' WHERE " OF_KEY("case_message", "$1");
    static const char letter[] =
        "DELETE FROM letter WHERE effect IN (SELECT id FROM effect WHERE " OF_KEY("effect",
                                                                                  "$1") ")";

    TRY(run(g, item, true, err));
    TRY(run(g, message, false, err));
    return run(g, letter, false, err);
}

/* ---- personal fields ------------------------------------------------------------------------ */

/* A file's name is its sender's: what is left of it is its number. */
static enum rc rename_file(struct going *g, const struct named_file *f, struct err *err)
{
    static const char step[] = "UPDATE effect SET target = $3 WHERE " OF_KEY(
        "effect", "$1") " AND kind = 'attachment' AND target = $2";
    static const char row[] =
        "UPDATE attachment SET name = '', stored_name = $3 WHERE key = $1 AND number = $2";
    char name[32];

    snprintf(name, sizeof name, "%02d-removed", (int)f->number);
    {
        CLEANUP(stmt_done) struct stmt *s = NULL;

        TRY(stmt_open(g->w->store->db, step, &s, err));
        stmt_text(s, 1, g->what->key);
        stmt_text(s, 2, f->name);
        stmt_text(s, 3, name);
        TRY(stmt_run(s, NULL, err));
    }
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(g->w->store->db, row, &s, err));
    stmt_text(s, 1, g->what->key);
    stmt_int(s, 2, f->number);
    stmt_text(s, 3, name);
    return stmt_run(s, NULL, err);
}

static enum rc rename_files(struct going *g, struct err *err)
{
    CLEANUP(mem_free) struct named_file *file = NULL;
    size_t count;

    TRY(files_of(g, &file, &count, err));
    for (size_t i = 0; i < count; i++)
        TRY(rename_file(g, &file[i], err));
    return RC_OK;
}

/* The case that it belongs to. */
#define CASE_OF "(SELECT mine.case_key FROM item AS mine WHERE mine.key = $1)"

/* Notes about it, and what webhooks were told of it: posts that wait, or that nobody took, stay. */
static enum rc let_told_go(struct going *g, struct err *err)
{
    static const char notes[] =
        "UPDATE note SET text = '', erased = 1 WHERE " OF_KEY("note", "$1") " AND erased = 0";

    TRY(run(g, notes, false, err));
    return webhooks_let_go(g->w->store->db, g->what->key, err);
}

/* Participants are the case's: they go with its last mail. */
static enum rc let_personal_go(struct going *g, struct err *err)
{
    static const char shared[] =
        "DELETE FROM shared_fingerprint WHERE fingerprint ="
        " (SELECT item.fingerprint FROM item WHERE item.key = $1) AND NOT EXISTS (SELECT 1"
        " FROM item AS other WHERE other.fingerprint = shared_fingerprint.fingerprint"
        " AND other.key <> $1)";
    static const char nothing[] = "DELETE FROM shared_fingerprint WHERE fingerprint = ''";
    static const char item[] =
        "UPDATE item SET sender = '', recipient = '', sender_plain = '', recipient_plain = '',"
        " subject = '', author = '', languages = '', fingerprint = '', personal_gone = $2"
        " WHERE key = $1";
    static const char message[] =
        "UPDATE case_message SET sender = '', reply_to = '', subject = '' WHERE " OF_KEY(
            "case_message", "$1");
    static const char search[] =
        "UPDATE case_search SET sender = '', subject = '' WHERE rowid ="
        " (SELECT number FROM case_number WHERE " OF_KEY("case_number", "$1") ")";
    static const char words[] = "UPDATE listed SET words = '' WHERE key = $1";
    static const char participants[] = "DELETE FROM case_participant WHERE " OF_KEY_AT(
        "case_participant", "case_key",
        CASE_OF) " AND NOT EXISTS (SELECT 1 FROM item AS other WHERE other.case_key = " CASE_OF
                 " AND (other.key = " CASE_OF
                 " OR (other.case_key <> other.key AND other.case_key = " CASE_OF
                 ")) AND other.personal_gone IS NULL)";
    static const char *const beside[] = {message, search, words, participants};

    TRY(run(g, shared, false, err));
    TRY(run(g, item, true, err));
    TRY(run_bare(g, nothing, err));
    for (size_t i = 0; i < LENGTH(beside); i++)
        TRY(run(g, beside[i], false, err));
    TRY(let_told_go(g, err));
    return rename_files(g, err);
}

/* A sender's Message-IDs may name the sender: on request they go, too. The key stays. */
static enum rc forget_message_id(struct going *g, struct err *err)
{
    static const char item[] = "UPDATE item SET message_id = $2 WHERE key = $1";
    static const char message[] = "UPDATE case_message SET message_id = $2 WHERE " OF_KEY(
        "case_message", "$1") " AND direction = 'in'";
    static const char *const both[] = {item, message};

    for (size_t i = 0; i < LENGTH(both); i++) {
        CLEANUP(stmt_done) struct stmt *s = NULL;

        TRY(stmt_open(g->w->store->db, both[i], &s, err));
        stmt_text(s, 1, g->what->key);
        stmt_blob(s, 2, SLICE_EMPTY);
        TRY(stmt_run(s, NULL, err));
    }
    return RC_OK;
}

/* ---- letting go ------------------------------------------------------------------------------- */

static enum rc tell(struct going *g, const char *mailbox, struct err *err)
{
    CLEANUP(str_clear) struct str contents = STR_INIT;

    contents_text(g->what->contents, &contents);
    return event_add(g->w,
                     &(struct event){.mailbox = mailbox,
                                     .key = g->what->key,
                                     .subject = "item",
                                     .what = g->what->erased ? "erase" : "retain",
                                     .from = str_z(&contents),
                                     .to = "gone",
                                     .actor = actor_text(g->what->erased ? BY_PERSON : BY_SERVICE)},
                     err);
}

static enum rc let_go(struct going *g, struct err *err)
{
    static enum rc (*const parts[CONTENT_COUNT])(struct going *, struct err *) = {
        [CONTENT_ORIGINAL] = let_original_go,
        [CONTENT_ATTACHMENTS] = let_attachments_go,
        [CONTENT_TEXT] = let_text_go,
        [CONTENT_PERSONAL] = let_personal_go,
    };
    char mailbox[NAME_SIZE];

    TRY(check(g, mailbox, err));
    for (unsigned c = 0; c < CONTENT_COUNT; c++)
        if (g->what->contents & CONTENT(c))
            TRY(parts[c](g, err));
    if (g->what->erased)
        TRY(forget_message_id(g, err));
    return tell(g, mailbox, err);
}

static enum rc
let_go_once(void *self, const struct letting_go *what, struct instant now, struct err *err)
{
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;
    struct going g = {.w = &w, .what = what};

    TRY(writing_begin(store, store->run, now, &w, err));
    TRY(let_go(&g, err));
    return writing_finish(&w, err);
}

static enum rc
keeping_let_go(void *self, const struct letting_go *what, struct instant now, struct err *err)
{
    return WRITE(self, let_go_once(self, what, now, err));
}

static enum rc
left_once(void *self, const char *key, const char *name, struct instant now, struct err *err)
{
    static const char remove[] = "DELETE FROM leaving WHERE key = $1 AND name = $2";
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(writing_begin(store, store->run, now, &w, err));
    TRY(stmt_open(store->db, remove, &s, err));
    stmt_text(s, 1, key);
    stmt_text(s, 2, name);
    TRY(stmt_run(s, NULL, err));
    return writing_finish(&w, err);
}

static enum rc
keeping_left(void *self, const char *key, const char *name, struct instant now, struct err *err)
{
    return WRITE(self, left_once(self, key, name, now, err));
}

/* ---- somebody's request ------------------------------------------------------------------------- */

/* Where an address stands beside the items that it sent: as a participant of cases, in what somebody
 * once typed to choose mails for a replay, and in what was said of all its later mail. */
static enum rc forget_elsewhere(struct writing *w, const char *address, struct err *err)
{
    static const char participant[] = "DELETE FROM case_participant WHERE address = $1";
    static const char bulk[] =
        "UPDATE bulk SET selection = 'erased ' || id WHERE ended_at IS NOT NULL"
        " AND lower(selection) LIKE '%' || $1 || '%'";
    static const char rule[] = "DELETE FROM sender_rule WHERE sender = $1";
    static const char *const all[] = {participant, bulk, rule};

    for (size_t i = 0; i < LENGTH(all); i++) {
        CLEANUP(stmt_done) struct stmt *s = NULL;

        TRY(stmt_open(w->store->db, all[i], &s, err));
        stmt_text(s, 1, address);
        TRY(stmt_run(s, NULL, err));
    }
    return RC_OK;
}

static enum rc subject_under_secret(struct store *store,
                                    const char *address,
                                    char out[DIGEST_HEX_SIZE],
                                    struct err *err)
{
    struct ledger_facts facts;

    TRY(store_runs.facts(store, &facts, err));
    const struct slice secret = {(const char *)facts.secret.octet, DIGEST_SIZE};
    const struct digest subject = hmac_sha256(secret, slice_z(address));

    digest_hex(&subject, out);
    return RC_OK;
}

static enum rc record(struct writing *w, const struct erasing *e, struct err *err)
{
    static const char insert[] = "INSERT INTO erasure (subject, person, why, mails, erased_at)"
                                 " VALUES ($1, $2, $3, $4, $5)";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    char subject[DIGEST_HEX_SIZE];

    TRY(subject_under_secret(w->store, e->address, subject, err));
    TRY(stmt_open(w->store->db, insert, &s, err));
    stmt_text(s, 1, subject);
    stmt_text(s, 2, e->by);
    stmt_text(s, 3, e->why);
    stmt_int(s, 4, e->mails);
    stmt_int(s, 5, w->now.wall_ms);
    return stmt_run(s, NULL, err);
}

static enum rc
erased_once(void *self, const struct erasing *erasing, struct instant now, struct err *err)
{
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    TRY(people_named(erasing->by, erasing->why, err));
    TRY(writing_begin(store, store->run, now, &w, err));
    TRY(forget_elsewhere(&w, erasing->address, err));
    TRY(record(&w, erasing, err));
    TRY(event_add(
        &w,
        &(struct event){
            .subject = "ledger", .what = "erase", .to = "recorded", .actor = actor_text(BY_PERSON)},
        err));
    return writing_finish(&w, err);
}

static enum rc
keeping_erased(void *self, const struct erasing *erasing, struct instant now, struct err *err)
{
    return WRITE(self, erased_once(self, erasing, now, err));
}

static void keeping_forget(void *self)
{
    struct store *store = self;

    db_forget(store->db);
}

const struct ledger_keeping store_keeping = {
    .forget = keeping_forget,
    .let_go = keeping_let_go,
    .left = keeping_left,
    .erased = keeping_erased,
};
