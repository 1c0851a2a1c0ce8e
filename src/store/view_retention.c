/* SPDX-License-Identifier: Apache-2.0 */
#include "retention.h"
#include "views_p.h"

#include <onecase/blobs.h>
#include <string.h>

/* What is left of an item, and what keeps it. */
#define LEFT_OF_ITEM                                                                               \
    "item.key, item.mailbox, COALESCE(case_record.reference, '') AS reference,"                    \
    " COALESCE(item.completed_at, item.created_at) AS ended,"                                      \
    " CASE WHEN item.original_kept = 1 AND item.octets <> '' AND item.original_gone IS NULL"       \
    "  THEN 1 ELSE 0 END AS original,"                                                             \
    " CASE WHEN EXISTS (SELECT 1 FROM attachment WHERE attachment.key = item.key"                  \
    "  AND attachment.status = 'stored' AND attachment.gone IS NULL) THEN 1 ELSE 0 END AS files,"  \
    " CASE WHEN item.text_gone IS NULL THEN 1 ELSE 0 END AS texts,"                                \
    " CASE WHEN item.personal_gone IS NULL THEN 1 ELSE 0 END AS personal,"                         \
    " CASE WHEN " ITEM_IS_HELD " THEN 'held' WHEN NOT " ITEM_IS_OVER " THEN 'incomplete'"          \
    "  ELSE '' END AS kept_by"                                                                     \
    " FROM item LEFT JOIN case_record ON case_record.key = item.case_key"

static unsigned contents_left(struct stmt *s)
{
    return (col_int(s, "original") ? CONTENT(CONTENT_ORIGINAL) : 0) |
           (col_int(s, "files") ? CONTENT(CONTENT_ATTACHMENTS) : 0) |
           (col_int(s, "texts") ? CONTENT(CONTENT_TEXT) : 0) |
           (col_int(s, "personal") ? CONTENT(CONTENT_PERSONAL) : 0);
}

/* The personal fields go last: with them goes all that is left. */
static unsigned due_now(const struct retention_rule *rule, unsigned left, int64_t ended_ms)
{
    unsigned due = 0;

    for (unsigned c = 0; c < CONTENT_COUNT; c++)
        if (ended_ms < rule->before_ms[c])
            due |= CONTENT(c);
    return (due & CONTENT(CONTENT_PERSONAL) ? CONTENT_ALL : due) & left;
}

static void add_row(struct stmt *s, struct view *view, struct view_rows *rows, unsigned contents)
{
    struct view_retained *r = view_rows_add(view, rows);

    r->key = view_text(view, col_text(s, "key"));
    r->mailbox = view_text(view, col_text(s, "mailbox"));
    r->reference = view_text(view, col_text(s, "reference"));
    r->kept_by = view_text(view, col_text(s, "kept_by"));
    r->ended_ms = col_int(s, "ended");
    r->contents = contents;
}

static int64_t latest(const struct retention_rule *rule)
{
    int64_t at = 0;

    for (unsigned c = 0; c < CONTENT_COUNT; c++)
        if (rule->before_ms[c] > at)
            at = rule->before_ms[c];
    return at;
}

enum rc
view_retained(void *self, const struct retention_rule *rule, struct view *out, struct err *err)
{
    static const char find[] =
        "SELECT " LEFT_OF_ITEM " WHERE item.state = 'complete' AND item.personal_gone IS NULL"
        " AND COALESCE(item.completed_at, item.created_at) < $1"
        " AND ($2 = 0 OR case_record.key IS NULL OR case_record.state = 'closed')"
        " AND " ITEM_IS_OVER " AND NOT " ITEM_IS_HELD
        " ORDER BY COALESCE(item.completed_at, item.created_at), item.key";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_retained));
    enum rc rc;

    TRY(stmt_open(store->db, find, &s, err));
    stmt_int(s, 1, latest(rule));
    stmt_int(s, 2, rule->only_closed);
    EACH_ROW(s, rc, err)
    {
        unsigned due = due_now(rule, contents_left(s), col_int(s, "ended"));

        if (due != 0)
            add_row(s, out, &rows, due);
    }
    out->row = rows.at;
    out->count = rows.count;
    return END_OF_ROWS(rc);
}

enum rc view_of_person(void *self, const char *address, struct view *out, struct err *err)
{
    static const char find[] =
        "SELECT " LEFT_OF_ITEM " WHERE item.sender_plain = $1 OR item.recipient_plain = $1"
        " ORDER BY COALESCE(item.completed_at, item.created_at), item.key";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_retained));
    enum rc rc;

    TRY(stmt_open(store->db, find, &s, err));
    stmt_text(s, 1, address);
    EACH_ROW(s, rc, err)
    add_row(s, out, &rows, contents_left(s));
    out->row = rows.at;
    out->count = rows.count;
    return END_OF_ROWS(rc);
}

static void add_leaving(struct stmt *s, struct view *view, struct view_leaving_file *f)
{
    char path[BLOB_PATH_SIZE];

    f->key = view_text(view, col_text(s, "key"));
    f->name = view_text(view, col_text(s, "name"));
    if (f->name[0])
        blob_path_attachment(f->key, f->name, path);
    else
        blob_path_original(f->key, path);
    f->path = view_text(view, path);
}

enum rc view_leaving(void *self, struct view *out, struct err *err)
{
    static const char find[] = "SELECT key, name FROM leaving ORDER BY key, name";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_leaving_file));
    enum rc rc;

    TRY(stmt_open(store->db, find, &s, err));
    EACH_ROW(s, rc, err)
    add_leaving(s, out, view_rows_add(out, &rows));
    out->row = rows.at;
    out->count = rows.count;
    return END_OF_ROWS(rc);
}

enum rc view_erasures(void *self, struct view *out, struct err *err)
{
    static const char find[] =
        "SELECT subject, person, why, mails, erased_at FROM erasure ORDER BY id DESC";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_erasure));
    enum rc rc;

    TRY(stmt_open(store->db, find, &s, err));
    EACH_ROW(s, rc, err)
    {
        struct view_erasure *e = view_rows_add(out, &rows);

        e->subject = view_text(out, col_text(s, "subject"));
        e->by = view_text(out, col_text(s, "person"));
        e->why = view_text(out, col_text(s, "why"));
        e->mails = col_int(s, "mails");
        e->erased_ms = col_int(s, "erased_at");
    }
    out->row = rows.at;
    out->count = rows.count;
    return END_OF_ROWS(rc);
}
