/* SPDX-License-Identifier: Apache-2.0 */
#include "not_sent.h"
#include "retention.h"
#include "views_p.h"

#include <stdio.h>
#include <string.h>

/* A flood that waits is one question, whose first mail stands for all. */
#define IN_FLOOD "item.reason = 'case-flood'"
#define SAME_FLOOD                                                                                 \
    "f.mailbox = item.mailbox AND f.sender_plain = item.sender_plain AND f.reason = 'case-flood'"
#define FOLDED                                                                                     \
    "(" IN_FLOOD " AND EXISTS (SELECT 1 FROM item AS f WHERE " SAME_FLOOD                          \
    " AND (f.created_at < item.created_at"                                                         \
    " OR (f.created_at = item.created_at AND f.key < item.key))))"

#define ITEM_COLUMNS                                                                               \
    "item.key, item.key_source, item.mailbox, item.message_id, item.payload_digest, item.state,"   \
    " item.disposition, item.reason, item.completion, item.sender, item.subject, item.created_at," \
    " item.completed_at, item.next_due, item.first_key,"                                           \
    " COALESCE(case_record.reference, '') AS reference,"                                           \
    " (SELECT COUNT(*) FROM delivery WHERE " OF_ITEM(                                              \
        "delivery") ") AS deliveries,"                                                             \
                    " (SELECT COUNT(*) FROM delivery WHERE " OF_ITEM(                              \
                        "delivery") " AND delivery.won = 0)"                                       \
                                    " AS duplicates,"                                              \
                                    " (SELECT COALESCE(SUM(attempts), 0) FROM effect "             \
                                    "WHERE " OF_ITEM(                                              \
                                        "effect") ") AS attempts,"                                 \
                                                  " CASE WHEN " NOT_TOLD                           \
                                                  " THEN 1 ELSE 0 END AS not_told,"                \
                                                  " CASE WHEN " ITEM_HAS_LET_GO                    \
                                                  " THEN 1 ELSE 0 END AS let_go"                   \
                                                  " FROM item LEFT JOIN case_record ON "           \
                                                  "case_record.key = item.case_key"

/* ---- from when `not-sent` is possible -------------------------------------------------------- */

static bool in_doubt(const struct view_item *i)
{
    for (size_t n = 0; n < i->effects; n++)
        if (strcmp(i->effect[n].kind, effect_kind_text(EFFECT_ACKNOWLEDGEMENT)) == 0 &&
            strcmp(i->effect[n].status, effect_status_text(EFFECT_UNKNOWN)) == 0)
            return true;
    return false;
}

/* The one that a decision would be about. */
static enum rc doubt_of(struct db *db, const char *key, int64_t *effect, struct err *err)
{
    static const char find[] = "SELECT id FROM effect WHERE " OF_KEY(
        "effect", "$1") " AND kind = 'acknowledgement'"
                        " AND status = 'unknown' ORDER BY id DESC LIMIT 1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, key);
    TRY(stmt_row(s, err));
    *effect = col_int(s, "id");
    return RC_OK;
}

static enum rc not_sent_from(struct store *store, struct view_item *i, struct err *err)
{
    struct not_sent_facts facts = {.run_gone = false};
    int64_t effect;

    i->not_sent_from_ms = NOT_DUE;
    if (!in_doubt(i))
        return RC_OK;
    for (size_t n = 0; n < store->waits; n++)
        if (strcmp(store->wait[n].mailbox, i->mailbox) == 0) {
            facts.final_timeout_ms = store->wait[n].final_timeout_ms;
            facts.evidence_wait_ms = store->wait[n].evidence_wait_ms;
        }
    TRY(doubt_of(store->db, i->key, &effect, err));
    TRY(not_sent_tries(store->db, effect, &facts, err));
    i->not_sent_from_ms = decision_not_sent_from(&facts);
    return RC_OK;
}

/* ---- items ------------------------------------------------------------------------------------ */

static enum rc read_item(
    struct store *store, struct stmt *s, struct view *view, struct view_item *i, struct err *err)
{
    i->key = view_text(view, col_text(s, "key"));
    i->key_source = view_text(view, col_text(s, "key_source"));
    i->mailbox = view_text(view, col_text(s, "mailbox"));
    i->message_id = view_octets(view, col_slice(s, "message_id"));
    i->digest = view_text(view, col_text(s, "payload_digest"));
    i->state = view_text(view, col_text(s, "state"));
    i->disposition = view_text(view, col_text(s, "disposition"));
    i->reason = view_text(view, col_text(s, "reason"));
    i->completion_state = view_text(view, col_text(s, "completion"));
    i->sender = view_text(view, col_text(s, "sender"));
    i->subject = view_text(view, col_text(s, "subject"));
    i->reference = view_text(view, col_text(s, "reference"));
    i->first_key = view_text(view, col_text(s, "first_key"));
    i->first_seen_ms = col_int(s, "created_at");
    i->completed_ms = col_when(s, "completed_at");
    i->next_due_ms = col_when(s, "next_due");
    i->attempts = col_int(s, "attempts");
    i->deliveries = col_int(s, "deliveries");
    i->duplicates = col_int(s, "duplicates");
    i->not_told = col_int(s, "not_told") == 1;
    i->let_go = col_int(s, "let_go") == 1;
    TRY(view_effects(store->db, i->key, view, &i->effect, &i->effects, err));
    return not_sent_from(store, i, err);
}

static enum rc flood_size(struct db *db, struct view_item *i, struct err *err)
{
    static const char count[] =
        "SELECT COUNT(*) AS n FROM item JOIN item AS f ON " SAME_FLOOD " WHERE item.key = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    if (strcmp(i->reason, reason_text(REASON_CASE_FLOOD)) != 0)
        return RC_OK;
    TRY(stmt_open(db, count, &s, err));
    stmt_text(s, 1, i->key);
    TRY(stmt_row(s, err));
    i->flood = col_int(s, "n");
    return RC_OK;
}

enum rc view_items(void *self, const struct view_filter *filter, struct view *out, struct err *err)
{
    static const char find[] =
        "SELECT " ITEM_COLUMNS " WHERE ($1 IS NULL OR item.state = $1)"
        " AND ($2 IS NULL OR item.mailbox = $2) AND ($3 IS NULL OR item.created_at < $3)"
        " AND ($4 = 0 OR " NOT_TOLD ") AND ($6 = 0 OR NOT " FOLDED ")"
        " ORDER BY item.created_at DESC, item.key LIMIT $5";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_item));
    enum rc rc;

    TRY(stmt_open(store->db, find, &s, err));
    stmt_text(s, 1, filter->state);
    stmt_text(s, 2, filter->mailbox);
    stmt_when(s, 3, filter->older_than_ms);
    stmt_int(s, 4, filter->not_told);
    stmt_int(s, 5, filter->limit ? (int64_t)filter->limit : INT64_MAX);
    stmt_int(s, 6, filter->fold_floods);
    EACH_ROW(s, rc, err)
    {
        struct view_item *i = view_rows_add(out, &rows);
        TRY(read_item(store, s, out, i, err));
        if (filter->fold_floods)
            TRY(flood_size(store->db, i, err));
    }
    out->row = rows.at;
    out->count = rows.count;
    return END_OF_ROWS(rc);
}

/* ---- page by page ---------------------------------------------------------------------------------- */

/* Behind the row of before; from the beginning the row is one that no other is before. */
#define NEWEST_PAGE                                                                                \
    " AND (item.created_at, item.key) < ($1, $2)"                                                  \
    " ORDER BY item.created_at DESC, item.key DESC LIMIT $3"
#define OLDEST_PAGE                                                                                \
    " AND (item.created_at, item.key) > ($1, $2) AND NOT " FOLDED                                  \
    " ORDER BY item.created_at, item.key LIMIT $3"
#define IN_MAILBOX  " AND item.mailbox = $4"
#define IN_STATE(n) " AND item.state = $" n
#define ASKS        "SELECT " ITEM_COLUMNS " WHERE item.state = 'needs_reconciliation'"
#define UNTOLD      "SELECT " ITEM_COLUMNS " WHERE item.key IN (" NOT_TOLD_KEYS ")"
#define ANY         "SELECT " ITEM_COLUMNS " WHERE 1 = 1"
/* clang-format off */
#define CHOICES(from, page) \
    from page, from IN_MAILBOX page, from IN_STATE("4") page, from IN_MAILBOX IN_STATE("5") page
/* clang-format on */

/* Each list goes along an index of its own, so that a page costs its rows and no more: a text for each
 * choice of a mailbox (1), a state (2), both, whose parameters follow those that all have. */
static const char *page_sql(const struct view_page *page)
{
    static const char *const all[] = {CHOICES(ANY, NEWEST_PAGE)};
    static const char *const asks[] = {ASKS OLDEST_PAGE, ASKS IN_MAILBOX OLDEST_PAGE};
    static const char *const not_told[] = {CHOICES(UNTOLD, NEWEST_PAGE)};
    size_t which = (page->mailbox ? 1u : 0u) + (page->state ? 2u : 0u);

    return page->of == PAGE_ASKS       ? asks[which % 2]
           : page->of == PAGE_NOT_TOLD ? not_told[which]
                                       : all[which];
}

static void bind_page(struct stmt *s, const struct view_page *page)
{
    bool oldest_first = page->of == PAGE_ASKS;
    int at = 4;

    stmt_int(s, 1, page->after_key ? page->after_ms : oldest_first ? -1 : INT64_MAX);
    stmt_text(s, 2, page->after_key ? page->after_key : "");
    stmt_int(s, 3, page->limit ? (int64_t)page->limit : INT64_MAX);
    if (page->mailbox)
        stmt_text(s, at++, page->mailbox);
    if (page->state && !oldest_first)
        stmt_text(s, at, page->state);
}

enum rc view_item_page(void *self, const struct view_page *page, struct view *out, struct err *err)
{
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_item));
    enum rc rc;

    TRY(stmt_open(store->db, page_sql(page), &s, err));
    bind_page(s, page);
    EACH_ROW(s, rc, err)
    TRY(read_item(store, s, out, view_rows_add(out, &rows), err));
    out->row = rows.at;
    out->count = rows.count;
    return END_OF_ROWS(rc);
}

/* ---- those of a choice ----------------------------------------------------------------------------- */

#define CHOSEN(condition)                                                                          \
    "SELECT " ITEM_COLUMNS " WHERE item.state = $1" condition                                      \
    " ORDER BY item.created_at DESC, item.key DESC LIMIT $2"
#define OF_DOMAIN                                                                                  \
    " AND substr(lower(item.sender), length(item.sender) - length($3), length($3) + 1)"            \
    " = '@' || lower($3)"

enum rc view_chosen(void *self, const struct view_choice *choice, struct view *out, struct err *err)
{
    static const char *const find[CHOICE_OF_COUNT] = {
        [CHOICE_ALL] = CHOSEN(""),
        [CHOICE_FROM] = CHOSEN(" AND lower(item.sender) = lower($3)"),
        [CHOICE_DOMAIN] = CHOSEN(OF_DOMAIN),
        [CHOICE_MAILBOX] = CHOSEN(" AND item.mailbox = $3"),
        [CHOICE_REASON] = CHOSEN(" AND item.reason = $3"),
        [CHOICE_CASE] = CHOSEN(" AND case_record.reference = $3"),
    };
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_item));
    enum rc rc;

    TRY(stmt_open(store->db, find[choice->of], &s, err));
    stmt_text(s, 1, choice->state);
    stmt_int(s, 2, choice->limit ? (int64_t)choice->limit : INT64_MAX);
    if (choice->of != CHOICE_ALL)
        stmt_text(s, 3, choice->value);
    EACH_ROW(s, rc, err)
    TRY(read_item(store, s, out, view_rows_add(out, &rows), err));
    out->row = rows.at;
    out->count = rows.count;
    return END_OF_ROWS(rc);
}

static enum rc count_of(struct store *store, const char *count, int64_t *out, struct err *err)
{
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(store->db, count, &s, err));
    TRY(stmt_row(s, err));
    *out = col_int(s, "n");
    return RC_OK;
}

enum rc view_asked(void *self, int64_t *out, struct err *err)
{
    return count_of(self, "SELECT COUNT(*) AS n FROM item WHERE state = 'needs_reconciliation'",
                    out, err);
}

enum rc view_untold(void *self, int64_t *out, struct err *err)
{
    return count_of(self, "SELECT COUNT(*) AS n FROM item WHERE item.key IN (" NOT_TOLD_KEYS ")",
                    out, err);
}

/* ---- one of them, by a prefix of its key or by its case's reference ------------------------------- */

static enum rc find_by_key(struct db *db, const char *prefix, char out[KEY_SIZE], struct err *err)
{
    static const char find[] =
        "SELECT key FROM item WHERE key >= $1 AND key < $2 ORDER BY key LIMIT 2";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    CLEANUP(str_clear) struct str after = STR_INIT;

    str_addf(&after, "%sg", prefix); /* no hex digit is above f */
    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, prefix);
    stmt_slice(s, 2, str_slice(&after));
    TRY(stmt_row(s, err));
    TRY(col_copy(s, "key", out, KEY_SIZE, err));
    enum rc rc = stmt_row(s, err);
    if (rc == RC_OK)
        return FAIL(err, RC_CONFLICT, "'%s' stands for more than one mail; type more of its key",
                    prefix);
    return END_OF_ROWS(rc);
}

static enum rc
find_by_reference(struct db *db, const char *reference, char out[KEY_SIZE], struct err *err)
{
    static const char find[] = "SELECT key FROM case_record WHERE reference = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, reference);
    TRY(stmt_row(s, err));
    return col_copy(s, "key", out, KEY_SIZE, err);
}

static bool may_be_key(const char *text)
{
    size_t n = strspn(text, "0123456789abcdef");
    return n >= 8 && n < KEY_SIZE && text[n] == '\0';
}

static enum rc find_item(struct db *db, const char *name, char out[KEY_SIZE], struct err *err)
{
    enum rc rc = find_by_reference(db, name, out, err);
    if (rc == RC_NOT_FOUND && may_be_key(name))
        rc = find_by_key(db, name, out, err);
    if (rc == RC_NOT_FOUND)
        return FAIL(
            err, rc,
            "there is no mail '%s'; a case's reference or 8 digits or more of a key will do", name);
    return rc;
}

static enum rc read_size(struct db *db, struct view_item *i, struct err *err)
{
    static const char find[] = "SELECT sent_at, size FROM item WHERE key = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, i->key);
    TRY(stmt_row(s, err));
    i->sent_ms = col_when(s, "sent_at");
    i->size = col_int(s, "size");
    return RC_OK;
}

static enum rc
read_whole(struct store *store, struct view *out, struct view_item *i, struct err *err)
{
    TRY(read_size(store->db, i, err));
    TRY(view_arrivals(store->db, i->key, out, &i->delivery, &i->delivery_count, err));
    TRY(view_story(store->db, out, i, err));
    return flood_size(store->db, i, err);
}

enum rc view_one_item(void *self, const char *key, struct view *out, struct err *err)
{
    static const char find[] = "SELECT " ITEM_COLUMNS " WHERE item.key = $1";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_item));
    char whole[KEY_SIZE];

    TRY(find_item(store->db, key, whole, err));
    TRY(stmt_open(store->db, find, &s, err));
    stmt_text(s, 1, whole);
    TRY(stmt_row(s, err));
    struct view_item *i = view_rows_add(out, &rows);
    TRY(read_item(store, s, out, i, err));
    TRY(read_whole(store, out, i, err));
    out->row = rows.at;
    out->count = 1;
    return RC_OK;
}
