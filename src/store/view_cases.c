/* SPDX-License-Identifier: Apache-2.0 */
#include "views_p.h"

#include <onecase/blobs.h>
#include <string.h>

/* The messages of a case and of those that were merged into it: what came to them, and what made them. */
#define OF_CASE(case_)                                                                             \
    "case_message.id IN (SELECT came.id FROM case_record AS c JOIN case_message AS came"           \
    " ON came.case_key <> came.key AND came.case_key = c.key"                                      \
    " WHERE c.key = " case_ " OR c.merged_into = " case_ " UNION ALL SELECT made.id"               \
    " FROM case_record AS c JOIN item ON item.key = c.key JOIN case_message AS made"               \
    " ON made.case_key = c.key AND " OF_ITEM("made") " WHERE c.key = " case_                       \
                                                     " OR c.merged_into = " case_ ")"

#define CASE_COLUMNS                                                                               \
    "case_record.key, case_record.reference, case_record.mailbox, case_record.state,"              \
    " case_record.created_at, item.sender, item.subject,"                                          \
    " COALESCE((SELECT other.reference FROM case_record AS other"                                  \
    " WHERE other.key = case_record.merged_into), '') AS merged_into,"                             \
    " (SELECT COUNT(*) FROM case_message WHERE " OF_CASE(                                          \
        "case_record.key") " AND case_message.direction = 'in') AS messages"
#define CASES CASE_COLUMNS " FROM case_record JOIN item ON item.key = case_record.key"

/* ---- what belongs to a case ------------------------------------------------------------------------ */

static void attachment_row(struct stmt *s, struct view *view, struct view_attachment *a)
{
    char path[BLOB_PATH_SIZE] = "";
    a->name = view_text(view, col_text(s, "name"));
    a->type = view_text(view, col_text(s, "type"));
    a->sha256 = view_text(view, col_text(s, "sha256"));
    a->status = view_text(view, col_text(s, "status"));
    a->reason = view_text(view, col_text(s, "reason"));
    a->size = col_int(s, "size");
    if (strcmp(a->status, "stored") == 0)
        blob_path_attachment(col_text(s, "key"), col_text(s, "stored_name"), path);
    a->path = view_text(view, path);
}

static enum rc attachments(struct db *db, struct view *view, struct view_case *c, struct err *err)
{
    static const char find[] =
        "SELECT attachment.key, attachment.name, attachment.stored_name, attachment.type,"
        " attachment.size, attachment.sha256, attachment.reason, CASE WHEN attachment.gone IS NULL"
        " THEN attachment.status ELSE 'removed' END AS status FROM attachment"
        " JOIN case_message ON case_message.key = attachment.key AND case_message.direction = 'in'"
        " WHERE " OF_CASE("$1") " ORDER BY case_message.id, attachment.number";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(view, sizeof(struct view_attachment));
    enum rc rc;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, c->key);
    EACH_ROW(s, rc, err)
    attachment_row(s, view, view_rows_add(view, &rows));
    c->attachment = rows.at;
    c->attachments = rows.count;
    return END_OF_ROWS(rc);
}

static enum rc messages(struct db *db, struct view *view, struct view_case *c, struct err *err)
{
    static const char find[] =
        "SELECT key, sender, reply_to, subject, text, direction, sent_at,"
        " (SELECT signs FROM item WHERE item.key = case_message.key) AS signs FROM case_message"
        " WHERE " OF_CASE("$1") " ORDER BY id";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(view, sizeof(struct view_message));
    enum rc rc;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, c->key);
    EACH_ROW(s, rc, err)
    {
        struct view_message *m = view_rows_add(view, &rows);
        m->key = view_text(view, col_text(s, "key"));
        m->from = view_text(view, col_text(s, "sender"));
        m->reply_to = view_text(view, col_text(s, "reply_to"));
        m->subject = view_text(view, col_text(s, "subject"));
        m->text = view_text(view, col_text(s, "text"));
        m->direction = view_text(view, col_text(s, "direction"));
        m->date_ms = col_when(s, "sent_at");
        if (strcmp(m->direction, "in") == 0)
            m->signs = (uint32_t)col_int(s, "signs");
    }
    c->message = rows.at;
    c->message_count = rows.count;
    return END_OF_ROWS(rc);
}

/* ---- cases ------------------------------------------------------------------------------------------ */

static void read_row(struct stmt *s, struct view *view, struct view_case *c)
{
    c->key = view_text(view, col_text(s, "key"));
    c->reference = view_text(view, col_text(s, "reference"));
    c->mailbox = view_text(view, col_text(s, "mailbox"));
    c->from = view_text(view, col_text(s, "sender"));
    c->subject = view_text(view, col_text(s, "subject"));
    c->state = view_text(view, col_text(s, "state"));
    c->merged_into = view_text(view, col_text(s, "merged_into"));
    c->created_ms = col_int(s, "created_at");
    c->messages = col_int(s, "messages");
}

static enum rc
read_case(struct db *db, struct stmt *s, struct view *view, struct view_case *c, struct err *err)
{
    read_row(s, view, c);
    return attachments(db, view, c, err);
}

static enum rc read_page_row(struct db *db,
                             struct stmt *s,
                             const struct view_page *page,
                             struct view *view,
                             struct view_case *c,
                             struct err *err)
{
    read_row(s, view, c);
    return page->attachments ? attachments(db, view, c, err) : RC_OK;
}

enum rc view_cases(void *self, const struct view_filter *filter, struct view *out, struct err *err)
{
    static const char find[] = "SELECT " CASES " WHERE ($1 IS NULL OR case_record.state = $1)"
                               " AND ($2 IS NULL OR case_record.mailbox = $2)"
                               " ORDER BY case_record.created_at DESC, case_record.key LIMIT $3";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_case));
    enum rc rc;

    TRY(stmt_open(store->db, find, &s, err));
    stmt_text(s, 1, filter->state);
    stmt_text(s, 2, filter->mailbox);
    stmt_int(s, 3, filter->limit ? (int64_t)filter->limit : INT64_MAX);
    EACH_ROW(s, rc, err)
    TRY(read_case(store->db, s, out, view_rows_add(out, &rows), err));
    out->row = rows.at;
    out->count = rows.count;
    return END_OF_ROWS(rc);
}

/* ---- page by page ---------------------------------------------------------------------------------- */

/* Every word must be found, at the beginning of one. */
static void words_to_match(const char *text, struct str *out)
{
    struct slice rest = slice_z(text), word;
    while (rest.len > 0 && slice_next(&rest, ' ', &word)) {
        if (word.len == 0)
            continue;
        str_addz(out, out->len ? " \"" : "\"");
        for (size_t i = 0; i < word.len; i++)
            if (word.at[i] != '"')
                str_addc(out, word.at[i]);
        str_addz(out, "\"*");
    }
}

/* Each goes along an index of its own: a text for each choice of a mailbox (1), a state (2), both, whose
 * parameters follow those that all have. */
#define IN_MAILBOX(n) " AND case_record.mailbox = $" n
#define IN_STATE(n)   " AND case_record.state = $" n
#define BEHIND                                                                                     \
    " AND (case_record.created_at, case_record.key) < ($1, $2)"                                    \
    " ORDER BY case_record.created_at DESC, case_record.key DESC LIMIT $3"

/* Cases are numbered as they are made: what is found is read in that order, and no more of it. */
#define FOUND                                                                                      \
    "SELECT " CASE_COLUMNS " FROM case_search"                                                     \
    " CROSS JOIN case_number CROSS JOIN case_record CROSS JOIN item"                               \
    " WHERE case_number.number = case_search.rowid AND case_record.key = case_number.key"          \
    " AND item.key = case_record.key AND case_search MATCH $4"                                     \
    " AND case_search.rowid < COALESCE((SELECT n.number FROM case_number AS n WHERE " OF_KEY(      \
        "n", "$2") "), $1)"
#define FOUND_ORDER " ORDER BY case_search.rowid DESC LIMIT $3"

static const char *page_sql(const struct view_page *page, bool words)
{
    static const char *const all[] = {
        "SELECT " CASES " WHERE 1 = 1" BEHIND,
        "SELECT " CASES " WHERE 1 = 1" IN_MAILBOX("4") BEHIND,
        "SELECT " CASES " WHERE 1 = 1" IN_STATE("4") BEHIND,
        "SELECT " CASES " WHERE 1 = 1" IN_MAILBOX("4") IN_STATE("5") BEHIND,
    };
    static const char *const found[] = {
        FOUND FOUND_ORDER,
        FOUND IN_MAILBOX("5") FOUND_ORDER,
        FOUND IN_STATE("5") FOUND_ORDER,
        FOUND IN_MAILBOX("5") IN_STATE("6") FOUND_ORDER,
    };
    size_t which = (page->mailbox ? 1u : 0u) + (page->state ? 2u : 0u);

    return words ? found[which] : all[which];
}

static void bind_page(struct stmt *s, const struct view_page *page, const char *words)
{
    int at = 4;

    stmt_int(s, 1, page->after_key ? page->after_ms : INT64_MAX);
    stmt_text(s, 2, page->after_key ? page->after_key : "");
    stmt_int(s, 3, page->limit ? (int64_t)page->limit : INT64_MAX);
    if (words[0])
        stmt_text(s, at++, words);
    if (page->mailbox)
        stmt_text(s, at++, page->mailbox);
    if (page->state)
        stmt_text(s, at, page->state);
}

enum rc view_case_page(void *self, const struct view_page *page, struct view *out, struct err *err)
{
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    CLEANUP(str_clear) struct str words = STR_INIT;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_case));
    enum rc rc;

    words_to_match(page->text ? page->text : "", &words);
    TRY(stmt_open(store->db, page_sql(page, words.len > 0), &s, err));
    bind_page(s, page, str_z(&words));
    EACH_ROW(s, rc, err)
    TRY(read_page_row(store->db, s, page, out, view_rows_add(out, &rows), err));
    out->row = rows.at;
    out->count = rows.count;
    return END_OF_ROWS(rc);
}

enum rc view_one_case(void *self, const char *reference, struct view *out, struct err *err)
{
    static const char find[] = "SELECT " CASES " WHERE case_record.reference = $1";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_case));

    TRY(stmt_open(store->db, find, &s, err));
    stmt_text(s, 1, reference);
    enum rc rc = stmt_row(s, err);
    if (rc == RC_NOT_FOUND)
        return FAIL(err, rc, "there is no case '%s'; 'onecase cases' lists them", reference);
    if (rc != RC_OK)
        return rc;
    struct view_case *c = view_rows_add(out, &rows);
    TRY(read_case(store->db, s, out, c, err));
    TRY(messages(store->db, out, c, err));
    TRY(view_reports(store->db, c->key, true, out, &c->reports, err));
    out->row = rows.at;
    out->count = 1;
    return RC_OK;
}
