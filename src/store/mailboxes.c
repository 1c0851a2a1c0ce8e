/* SPDX-License-Identifier: Apache-2.0 */
#include "mailboxes.h"

#include <stdio.h>
#include <string.h>

/* ---- reading ------------------------------------------------------------------------------- */

static void split(struct slice text, char digest[STREAK_LENGTH][DIGEST_HEX_SIZE])
{
    struct slice item;

    for (size_t i = 0; i < STREAK_LENGTH && slice_next(&text, ' ', &item); i++)
        snprintf(digest[i], DIGEST_HEX_SIZE, "%.*s", (int)item.len, item.at);
}

static void streak_of(struct stmt *s, struct streak *streak)
{
    streak->code = (int)col_int(s, "streak_code");
    streak->length = (unsigned)col_int(s, "streak_length");
    split(col_slice(s, "streak_recipients"), streak->recipient);
    split(col_slice(s, "streak_keys"), streak->effect);
}

static enum rc record_of(struct stmt *s, struct mailbox_record *out, struct err *err)
{
    TRY(COL_COPY(s, "id", out->id, err));
    out->version = col_int(s, "version");
    out->uidvalidity = (uint32_t)col_int(s, "uidvalidity");
    out->uidnext = (uint32_t)col_int(s, "uidnext");
    out->numbering = col_int(s, "numbering");
    out->processed_uidvalidity = (uint32_t)col_int(s, "processed_uidvalidity");
    out->processed_uidnext = (uint32_t)col_int(s, "processed_uidnext");
    if (!import_parse(col_text(s, "import_choice"), &out->import))
        return FAIL(err, RC_BROKEN, "ledger: mailbox %s has an unknown choice", out->id);
    out->import_uidvalidity = (uint32_t)col_int(s, "import_uidvalidity");
    out->import_uidnext = (uint32_t)col_int(s, "import_uidnext");
    out->import_before_ms = col_int(s, "import_before");
    out->awaiting = col_int(s, "awaiting");
    out->backlog = col_int(s, "backlog");
    out->difference = col_int(s, "difference");
    out->paused = col_int(s, "paused") != 0;
    out->paused_effects = (unsigned)col_int(s, "paused_effects");
    TRY(COL_COPY(s, "hold_folder", out->hold_folder, err));
    out->generation = col_int(s, "generation");
    out->rewind.uidvalidity = (uint32_t)col_int(s, "rewind_uidvalidity");
    out->rewind.uidnext = (uint32_t)col_int(s, "rewind_uidnext");
    out->rewind.at_ms = col_int(s, "rewind_at");
    out->scanning = col_int(s, "scanning") != 0;
    out->claimed = col_int(s, "claimed") != 0;
    TRY(COL_COPY(s, "claim_owner", out->claim_owner, err));
    out->marked_event = col_int(s, "marked_event");
    streak_of(s, &out->streak);
    out->last_success_ms = col_int(s, "last_success");
    return COL_COPY(s, "last_error", out->last_error, err);
}

static enum rc find(struct db *db, const char *mailbox, struct mailbox_record *out, struct err *err)
{
    static const char find_row[] = "SELECT * FROM mailbox WHERE id = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct mailbox_record record = {.version = 0};

    TRY(stmt_open(db, find_row, &s, err));
    stmt_text(s, 1, mailbox);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_NOT_FOUND)
        return FAIL(err, rc, "ledger: there is no mailbox '%s'", mailbox);
    if (rc != RC_OK)
        return rc;
    TRY(record_of(s, &record, err));
    TRY(circuits_read(db, &record, err));
    *out = record;
    return RC_OK;
}

/* A new one agrees with the ledger as it is. */
static enum rc make_once(struct store *store, const char *mailbox, struct err *err)
{
    static const char insert[] =
        "INSERT INTO mailbox (id, generation)"
        " SELECT $1, CAST(value AS BIGINT) FROM meta WHERE name = 'generation'"
        " ON CONFLICT (id) DO NOTHING";
    CLEANUP(writing_end) struct writing w = WRITING_NONE;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(writing_begin(store, store->run, (struct instant){0, 0}, &w, err));
    TRY(stmt_open(store->db, insert, &s, err));
    stmt_text(s, 1, mailbox);
    TRY(stmt_run(s, NULL, err));
    return writing_finish(&w, err);
}

static enum rc make(struct store *store, const char *mailbox, struct err *err)
{
    return WRITE(store, make_once(store, mailbox, err));
}

static enum rc
mailboxes_load(void *self, const char *mailbox, struct mailbox_record *out, struct err *err)
{
    struct store *store = self;
    struct err missing = ERR_INIT;
    enum rc rc = find(store->db, mailbox, out, &missing);

    if (rc == RC_OK)
        return rc;
    if (rc != RC_NOT_FOUND)
        return FAIL(err, rc, "%s", missing.text);
    TRY(make(store, mailbox, err));
    return find(store->db, mailbox, out, err);
}

/* ---- writing ------------------------------------------------------------------------------- */

static void bind_record(struct stmt *s, const struct mailbox_record *r)
{
    stmt_text(s, 1, r->id);
    stmt_int(s, 2, r->version);
    stmt_int(s, 3, r->uidvalidity);
    stmt_int(s, 4, r->uidnext);
    stmt_int(s, 5, r->processed_uidvalidity);
    stmt_int(s, 6, r->processed_uidnext);
    stmt_int(s, 7, r->import_uidvalidity);
    stmt_int(s, 8, r->import_uidnext);
    stmt_int(s, 9, r->import_before_ms);
    stmt_int(s, 10, r->awaiting);
    stmt_int(s, 11, r->backlog);
    stmt_int(s, 12, r->generation);
    stmt_int(s, 13, r->rewind.uidvalidity);
    stmt_int(s, 14, r->rewind.uidnext);
    stmt_int(s, 15, r->scanning);
    stmt_int(s, 16, r->claimed);
    stmt_text(s, 17, r->claim_owner);
    stmt_int(s, 18, r->marked_event);
    stmt_int(s, 19, r->last_success_ms);
    stmt_text(s, 20, r->last_error);
    stmt_int(s, 21, r->difference);
    stmt_int(s, 22, r->rewind.at_ms);
}

enum rc mailbox_write(struct writing *w, const struct mailbox_record *record, struct err *err)
{
    static const char update[] =
        "UPDATE mailbox SET version = version + 1, uidvalidity = $3,"
        " uidnext = CASE WHEN uidvalidity = $3 AND uidnext > $4 THEN uidnext ELSE $4 END,"
        " processed_uidvalidity = $5, processed_uidnext = $6, import_uidvalidity = $7,"
        " import_uidnext = $8, import_before = $9, awaiting = $10, backlog = $11, generation = $12,"
        " rewind_uidvalidity = $13, rewind_uidnext = $14, scanning = $15, claimed = $16,"
        " claim_owner = $17, marked_event = $18, last_success = $19, last_error = $20,"
        " difference = $21, rewind_at = $22,"
        " import_choice = CASE WHEN import_choice = '' AND $10 > 0 THEN 'waiting'"
        "                 ELSE import_choice END"
        " WHERE id = $1 AND version = $2";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, update, &s, err));
    bind_record(s, record);
    return stmt_one(s, "the mailbox", err);
}

static enum rc
save(struct store *store, const struct mailbox_record *record, struct instant now, struct err *err)
{
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    TRY(writing_begin_turn(store, store->run, now, &w, err));
    TRY(mailbox_write(&w, record, err));
    return writing_finish(&w, err);
}

static enum rc
mailboxes_save(void *self, struct mailbox_record *record, struct instant now, struct err *err)
{
    TRY(WRITE(self, save(self, record, now, err)));
    record->version++;
    if (record->import == IMPORT_NOT_ASKED && record->awaiting > 0)
        record->import = IMPORT_WAITING;
    return RC_OK;
}

enum rc
mailbox_event(struct writing *w, const char *mailbox, const struct event *event, struct err *err)
{
    struct event line = *event;

    line.mailbox = mailbox;
    line.subject = "mailbox";
    return event_add(w, &line, err);
}

enum rc mailbox_note(struct writing *w, const char *by, const char *why, struct err *err)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    int64_t number;

    TRY(event_number(w, &number, err));
    const struct subject about = subject_of("event", number);

    str_addf(&text, "%s: %s", by, why);
    return note_add(w, "", about.text, str_z(&text), err);
}

static enum rc count_numbering(struct writing *w, const struct mailbox_record *r, struct err *err)
{
    static const char update[] =
        "UPDATE mailbox SET numbering = numbering + 1, uidvalidity = $1, uidnext = $2"
        " WHERE id = $3 AND numbering = $4";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_int(s, 1, r->uidvalidity);
    stmt_int(s, 2, r->uidnext);
    stmt_text(s, 3, r->id);
    stmt_int(s, 4, r->numbering);
    return stmt_one(s, "the mailbox", err);
}

static enum rc
stale_all(struct writing *w, const char *mailbox, const char *folder, struct err *err)
{
    static const char update[] =
        "UPDATE delivery SET stale = 1 WHERE mailbox = $1 AND folder = $2 AND stale = 0";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_text(s, 1, mailbox);
    stmt_text(s, 2, folder);
    return stmt_run(s, NULL, err);
}

static enum rc renumber_once(void *self,
                             struct mailbox_record *record,
                             const char *folder,
                             struct instant now,
                             struct err *err)
{
    const struct event renumbered = {
        .what = "renumber", .to = "stale", .actor = actor_text(BY_PEER)};
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    TRY(writing_begin_turn(store, store->run, now, &w, err));
    TRY(count_numbering(&w, record, err));
    TRY(stale_all(&w, record->id, folder, err));
    TRY(mailbox_event(&w, record->id, &renumbered, err));
    TRY(writing_finish(&w, err));
    record->numbering++;
    return RC_OK;
}

static enum rc mailboxes_renumber(void *self,
                                  struct mailbox_record *record,
                                  const char *folder,
                                  struct instant now,
                                  struct err *err)
{
    return WRITE(self, renumber_once(self, record, folder, now, err));
}

/* What was listed before the UIDs came to mean other messages is not written; what is written raises
 * UIDNEXT here and now, so that a fall below it is seen also by a run that comes after a death, and is no
 * backlog any more. */
enum rc mailbox_numbers(struct writing *w, const struct arrival *arrival, struct err *err)
{
    static const char update[] =
        "UPDATE mailbox SET uidnext = CASE WHEN uidvalidity = $1 AND uidnext < $2 THEN $2"
        " ELSE uidnext END, backlog = CASE WHEN backlog > 0 THEN backlog - 1 ELSE 0 END"
        " WHERE id = $3 AND numbering = $4";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    if (arrival->filed)
        return RC_OK;
    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_int(s, 1, arrival->uidvalidity);
    stmt_int(s, 2, (int64_t)arrival->uid + 1);
    stmt_text(s, 3, arrival->mailbox);
    stmt_int(s, 4, arrival->numbering);
    return stmt_one(s, "the numbering of the inbox", err);
}

/* ---- what a person sets -------------------------------------------------------------------- */

static enum rc
write_choice(struct writing *w, const char *mailbox, enum import_choice choice, struct err *err)
{
    static const char update[] = "UPDATE mailbox SET import_choice = $1, version = version + 1"
                                 " WHERE id = $2 AND import_choice IN ('', 'waiting')";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_text(s, 1, import_text(choice));
    stmt_text(s, 2, mailbox);
    return stmt_one(s, "the choice", err);
}

static enum rc choose(struct writing *w,
                      const char *mailbox,
                      enum import_choice choice,
                      const char *by,
                      struct err *err)
{
    struct mailbox_record record;

    TRY(find(w->store->db, mailbox, &record, err));
    if (record.import != IMPORT_NOT_ASKED && record.import != IMPORT_WAITING)
        return FAIL(err, RC_CONFLICT, "first-import: '%s' was chosen for mailbox '%s' already",
                    import_text(record.import), mailbox);
    TRY(write_choice(w, mailbox, choice, err));
    const struct event event = {.what = "first-import",
                                .from = import_text(record.import),
                                .to = import_text(choice),
                                .actor = actor_text(BY_PERSON)};

    TRY(mailbox_event(w, mailbox, &event, err));
    return mailbox_note(w, by, import_text(choice), err);
}

static enum rc choose_import_once(void *self,
                                  const char *mailbox,
                                  enum import_choice choice,
                                  const char *by,
                                  struct instant now,
                                  struct err *err)
{
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    if (choice == IMPORT_NOT_ASKED || choice == IMPORT_WAITING || slice_trim(slice_z(by)).len == 0)
        return FAIL(err, RC_USAGE, "first-import: cases, full or adopt, and a name");
    TRY(writing_begin(store, store->run, now, &w, err));
    TRY(choose(&w, mailbox, choice, by, err));
    return writing_finish(&w, err);
}

static enum rc mailboxes_choose_import(void *self,
                                       const char *mailbox,
                                       enum import_choice choice,
                                       const char *by,
                                       struct instant now,
                                       struct err *err)
{
    return WRITE(self, choose_import_once(self, mailbox, choice, by, now, err));
}

/* ---- how full it is -------------------------------------------------------------------------- */

static enum rc write_quota(struct store *store,
                           const char *mailbox,
                           const struct quota *quota,
                           struct instant now,
                           struct err *err)
{
    static const char update[] =
        "UPDATE mailbox SET quota_used_octets = $2, quota_limit_octets = $3,"
        " quota_used_messages = $4, quota_limit_messages = $5, quota_at = $6 WHERE id = $1";
    CLEANUP(writing_end) struct writing w = WRITING_NONE;
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(writing_begin_turn(store, store->run, now, &w, err));
    TRY(stmt_open(store->db, update, &s, err));
    stmt_text(s, 1, mailbox);
    stmt_int(s, 2, quota->used_octets);
    stmt_int(s, 3, quota->limit_octets);
    stmt_int(s, 4, quota->used_messages);
    stmt_int(s, 5, quota->limit_messages);
    stmt_when(s, 6, now.wall_ms);
    TRY(stmt_one(s, "the mailbox", err));
    return writing_finish(&w, err);
}

static enum rc mailboxes_note_quota(
    void *self, const char *mailbox, const struct quota *quota, struct instant now, struct err *err)
{
    return WRITE(self, write_quota(self, mailbox, quota, now, err));
}

const struct ledger_mailboxes store_mailboxes = {
    .load = mailboxes_load,
    .save = mailboxes_save,
    .rewind = mailboxes_rewind,
    .renumber = mailboxes_renumber,
    .choose_import = mailboxes_choose_import,
    .note_quota = mailboxes_note_quota,
};
