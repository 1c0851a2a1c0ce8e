/* SPDX-License-Identifier: Apache-2.0 */
#include "load.h"
#include "numbers.h"

#include <string.h>

static char *text_of(struct stmt *s, const char *column)
{
    struct slice text = col_slice(s, column);
    char *copy = mem_new(text.len + 1, 1);

    memcpy(copy, text.at, text.len);
    return copy;
}

/* Nothing, or a digest that could not be had: zero. */
static void digest_of(struct stmt *s, const char *column, struct digest *out)
{
    if (!digest_from_hex(col_slice(s, column), out))
        *out = (struct digest){{0}};
}

/* ---- the item ------------------------------------------------------------------------------ */

static enum rc read_words(struct stmt *s, struct work_item *out, struct err *err)
{
    if (!item_state_parse(col_text(s, "state"), &out->state) ||
        !disposition_parse(col_text(s, "disposition"), &out->disposition) ||
        !reason_parse(col_text(s, "reason"), &out->reason) ||
        !completion_parse(col_text(s, "completion"), &out->completion))
        return FAIL(err, RC_BROKEN, "ledger: item %.12s holds a word that is in no table",
                    out->key);
    return RC_OK;
}

static enum rc read_item(struct stmt *s, struct work_item *out, struct err *err)
{
    TRY(COL_COPY(s, "key", out->key, err));
    TRY(read_words(s, out, err));
    out->fence = col_int(s, "fence");
    digest_of(s, "octets", &out->octets);
    out->original_kept = col_int(s, "original_kept") == 1;
    out->message_id = text_of(s, "message_id");
    out->recipient = text_of(s, "recipient");
    out->subject = text_of(s, "subject");
    out->sender = text_of(s, "sender");
    out->text = text_of(s, "text");
    out->received_ms = col_int(s, "internal_ms");
    out->letter_date_ms = col_int(s, "letter_date");
    out->worker_deaths = (unsigned)col_int(s, "worker_deaths");
    out->decided = col_int(s, "decided") == 1;
    TRY(COL_COPY(s, "languages", out->languages, err));
    TRY(COL_COPY(s, "case_key", out->case_key, err));
    return COL_COPY(s, "reference", out->reference, err);
}

static enum rc load_item(struct db *db, const char *key, struct work_item *out, struct err *err)
{
    static const char find[] =
        "SELECT item.key, item.state, item.disposition, item.reason, item.completion, item.fence,"
        " item.octets, item.original_kept, item.message_id, item.recipient, item.subject,"
        " item.sender, item.text, item.languages, item.internal_ms, item.letter_date,"
        " item.worker_deaths,"
        " CASE WHEN item.disposition = 'dismissed' OR EXISTS (SELECT 1 FROM approval"
        " WHERE approval.key = item.key AND approval.undone_at IS NULL) THEN 1 ELSE 0 END"
        " AS decided, item.case_key, case_record.reference FROM item"
        " LEFT JOIN case_record ON case_record.key = item.case_key WHERE item.key = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, key);
    enum rc rc = stmt_row(s, err);

    if (rc == RC_NOT_FOUND)
        return FAIL(err, rc, "ledger: there is no item %.12s", key);
    return rc == RC_OK ? read_item(s, out, err) : rc;
}

/* ---- effects ------------------------------------------------------------------------------- */

static enum rc read_effect(struct stmt *s, struct work_effect *e, struct err *err)
{
    e->id = col_int(s, "id");
    if (!effect_kind_parse(col_text(s, "kind"), &e->kind) ||
        !effect_status_parse(col_text(s, "status"), &e->status))
        return FAIL(err, RC_BROKEN, "ledger: step %lld is of no kind or status", (long long)e->id);
    TRY(COL_COPY(s, "target", e->target, err));
    TRY(COL_COPY(s, "external_id", e->external_id, err));
    TRY(COL_COPY(s, "reason", e->reason, err));
    e->attempts = (unsigned)col_int(s, "attempts");
    e->due_ms = col_when(s, "due");
    e->first_try_ms = col_when(s, "first_try");
    e->server_faults = (unsigned)col_int(s, "server_faults");
    e->first_doubt_ms = col_when(s, "first_doubt");
    return RC_OK;
}

static enum rc read_attempt(struct stmt *s, struct work_effect *e, struct err *err)
{
    if (e->status != EFFECT_ATTEMPTING && e->status != EFFECT_UNKNOWN)
        return RC_OK;
    e->attempt = col_int(s, "attempt");
    TRY(COL_COPY(s, "run", e->attempt_run, err));
    e->armed_ms = col_int(s, "armed_at");
    e->processed_uidvalidity = (uint32_t)col_int(s, "processed_uidvalidity");
    e->processed_uidnext = (uint32_t)col_int(s, "processed_uidnext");
    return RC_OK;
}

static enum rc add_effects(struct stmt *s, struct work_item *out, struct err *err)
{
    enum rc rc;

    while ((rc = stmt_row(s, err)) == RC_OK) {
        struct work_effect e = {0};

        TRY(read_effect(s, &e, err));
        TRY(read_attempt(s, &e, err));
        str_add(&e.letter, col_slice(s, "letter"));
        out->effect = mem_grow(out->effect, out->effects + 1, sizeof e);
        out->effect[out->effects++] = e;
    }
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

#define EFFECTS                                                                                    \
    "SELECT effect.id, effect.kind, effect.status, effect.target, effect.external_id,"             \
    " effect.reason, effect.attempts, effect.due, effect.first_try, effect.server_faults,"         \
    " CASE WHEN effect.status IN ('planned', 'deferred') THEN letter.octets END AS letter,"        \
    " attempt.id AS attempt, attempt.run, attempt.armed_at, attempt.processed_uidvalidity,"        \
    " attempt.processed_uidnext, (SELECT MIN(lost.armed_at) FROM attempt AS lost"                  \
    " WHERE lost.effect = effect.id AND lost.outcome = 'unknown') AS first_doubt FROM effect"      \
    " LEFT JOIN attempt ON attempt.effect = effect.id AND attempt.number = effect.attempts"        \
    " LEFT JOIN letter ON letter.effect = effect.id"

static enum rc load_effects(struct db *db, struct work_item *out, struct err *err)
{
    static const char find[] = EFFECTS " WHERE " OF_KEY(
        "effect", "$1") " AND effect.elsewhere = ''"
                        " AND (effect.kind <> 'move' OR effect.status <> 'done'"
                        " OR effect.target = (SELECT CAST(delivery.id AS TEXT) FROM delivery"
                        " WHERE " OF_KEY("delivery",
                                         "$1") " AND delivery.won = 1)) ORDER BY effect.id";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, out->key);
    return add_effects(s, out, err);
}

static enum rc load_move(struct db *db, int64_t move, struct work_item *out, struct err *err)
{
    static const char find[] = EFFECTS " WHERE " OF_KEY("effect", "$1") " AND effect.id = $2";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, out->key);
    stmt_int(s, 2, move);
    return add_effects(s, out, err);
}

/* ---- deliveries and attachments ------------------------------------------------------------ */

static enum rc add_deliveries(struct stmt *s, struct work_item *out, struct err *err)
{
    enum rc rc;

    while ((rc = stmt_row(s, err)) == RC_OK) {
        struct work_delivery d = {.id = col_int(s, "id"),
                                  .uidvalidity = (uint32_t)col_int(s, "uidvalidity"),
                                  .uid = (uint32_t)col_int(s, "uid"),
                                  .internal_ms = col_int(s, "internal_ms"),
                                  .won = col_int(s, "won") == 1,
                                  .stale = col_int(s, "stale") == 1};

        TRY(COL_COPY(s, "folder", d.folder, err));
        TRY(COL_COPY(s, "move_to", d.move_to, err));
        digest_of(s, "octets", &d.octets);
        out->delivery = mem_grow(out->delivery, out->deliveries + 1, sizeof d);
        out->delivery[out->deliveries++] = d;
    }
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

#define DELIVERIES                                                                                 \
    "SELECT id, folder, uidvalidity, uid, octets, internal_ms, won, move_to, stale FROM delivery"

static enum rc load_deliveries(struct db *db, struct work_item *out, struct err *err)
{
    /* EXISTS, so that nobody looks through all of a mailbox, in the order of `id`, for one key */
    static const char find[] = DELIVERIES " WHERE " OF_KEY(
        "delivery", "$1") " AND class <> 'replayed' AND (won = 1 OR left_folder = 0)"
                          " AND EXISTS (SELECT 1 FROM item"
                          " WHERE item.key = delivery.key AND item.mailbox = delivery.mailbox)"
                          " ORDER BY id";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, out->key);
    return add_deliveries(s, out, err);
}

static enum rc load_moved(struct db *db, int64_t move, struct work_item *out, struct err *err)
{
    static const char find[] =
        DELIVERIES " WHERE " OF_KEY("delivery", "$1") " AND id = (SELECT"
                                                      " CAST(effect.target AS BIGINT) FROM effect"
                                                      " WHERE effect.id = $2)";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, out->key);
    stmt_int(s, 2, move);
    return add_deliveries(s, out, err);
}

static enum rc load_attachments(struct db *db, struct work_item *out, struct err *err)
{
    static const char find[] =
        "SELECT number, part, name, type, stored_name, size, sha256, status, reason"
        " FROM attachment WHERE key = $1 ORDER BY number";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    enum rc rc;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, out->key);
    while ((rc = stmt_row(s, err)) == RC_OK) {
        const char *status = col_text(s, "status");
        struct work_attachment a = {.refused = strcmp(status, "refused") == 0 ||
                                               strcmp(status, "quarantined") == 0};

        a.number = (unsigned)col_int(s, "number");
        a.part = (size_t)col_int(s, "part");
        a.size = col_int(s, "size");
        digest_of(s, "sha256", &a.sha256);
        TRY(COL_COPY(s, "stored_name", a.stored_name, err));
        TRY(COL_COPY(s, "reason", a.reason, err));
        a.name = text_of(s, "name");
        a.type = text_of(s, "type");
        out->attachment = mem_grow(out->attachment, out->attachments + 1, sizeof a);
        out->attachment[out->attachments++] = a;
    }
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

enum rc item_load(struct db *db, const char *key, struct work_item *out, struct err *err)
{
    CLEANUP(work_item_clear) struct work_item item = {0};

    TRY(load_item(db, key, &item, err));
    TRY(load_effects(db, &item, err));
    TRY(load_deliveries(db, &item, err));
    TRY(load_attachments(db, &item, err));
    *out = item;
    item = (struct work_item){0};
    return RC_OK;
}

enum rc
item_load_copy(struct db *db, const char *key, int64_t move, struct work_item *out, struct err *err)
{
    CLEANUP(work_item_clear) struct work_item item = {0};

    TRY(load_item(db, key, &item, err));
    TRY(load_move(db, move, &item, err));
    TRY(load_moved(db, move, &item, err));
    item.elsewhere = true;
    item.fence = NO_FENCE;
    *out = item;
    item = (struct work_item){0};
    return RC_OK;
}
