/* SPDX-License-Identifier: Apache-2.0
 *
 * What persons have said and what is not over: rules about senders, proposals for a second person.
 */
#include "views_p.h"

enum rc
view_sender_rules(void *self, int64_t after, size_t limit, struct view *out, struct err *err)
{
    static const char find[] =
        "SELECT sender_rule.id, sender_rule.mailbox, sender_rule.sender, sender_rule.key,"
        " sender_rule.person, sender_rule.made_at,"
        " COALESCE(case_record.reference, '') AS reference,"
        " COALESCE((SELECT MIN(note.text) FROM note WHERE " OF_KEY(
            "note",
            "sender_rule.key") "  AND note.about = 'rule ' || sender_rule.id AND note.noted_at = "
                               "sender_rule.made_at), '')"
                               " AS why FROM sender_rule JOIN item ON item.key = sender_rule.key"
                               " LEFT JOIN case_record ON case_record.key = item.case_key"
                               " WHERE sender_rule.ended_at IS NULL AND sender_rule.id > $1 ORDER "
                               "BY sender_rule.id LIMIT "
                               "$2";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_sender_rule));
    enum rc rc;

    TRY(stmt_open(store->db, find, &s, err));
    stmt_int(s, 1, after);
    stmt_int(s, 2, limit ? (int64_t)limit : INT64_MAX);
    EACH_ROW(s, rc, err)
    {
        struct view_sender_rule *r = view_rows_add(out, &rows);
        r->id = col_int(s, "id");
        r->mailbox = view_text(out, col_text(s, "mailbox"));
        r->sender = view_text(out, col_text(s, "sender"));
        r->key = view_text(out, col_text(s, "key"));
        r->reference = view_text(out, col_text(s, "reference"));
        r->by = view_text(out, col_text(s, "person"));
        r->why = view_text(out, col_text(s, "why"));
        r->made_ms = col_int(s, "made_at");
    }
    out->row = rows.at;
    out->count = rows.count;
    return END_OF_ROWS(rc);
}

#define BULKS                                                                                      \
    "SELECT bulk.id, bulk.selection, bulk.person, bulk.second, bulk.begun_at, bulk.ended_at,"      \
    " (SELECT COUNT(*) FROM bulk_item WHERE bulk_item.bulk = bulk.id) AS of,"                      \
    " (SELECT COUNT(*) FROM bulk_item WHERE bulk_item.bulk = bulk.id"                              \
    "  AND bulk_item.done_at IS NULL) AS waiting,"                                                 \
    " COALESCE((SELECT MIN(note.text) FROM note WHERE note.item_number IS NULL AND note.key = ''"  \
    "  AND note.about = 'bulk ' || bulk.id), '') AS why FROM bulk"

static void bulk_row(struct stmt *s, struct view *view, struct view_bulk *b)
{
    b->id = col_int(s, "id");
    b->selection = view_text(view, col_text(s, "selection"));
    b->by = view_text(view, col_text(s, "person"));
    b->second = view_text(view, col_text(s, "second"));
    b->why = view_text(view, col_text(s, "why"));
    b->begun_ms = col_int(s, "begun_at");
    b->ended_ms = col_when(s, "ended_at");
    b->all = col_int(s, "of");
    b->done = b->all - col_int(s, "waiting");
}

enum rc view_one_bulk(void *self, int64_t id, struct view *out, struct err *err)
{
    static const char find[] = BULKS " WHERE bulk.id = $1";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_bulk));

    TRY(stmt_open(store->db, find, &s, err));
    stmt_int(s, 1, id);
    enum rc rc = stmt_row(s, err);
    if (rc == RC_NOT_FOUND)
        return FAIL(err, rc, "There is no such replay.");
    if (rc != RC_OK)
        return rc;
    bulk_row(s, out, view_rows_add(out, &rows));
    out->row = rows.at;
    out->count = rows.count;
    return RC_OK;
}

enum rc view_bulks(void *self, int64_t below, size_t limit, struct view *out, struct err *err)
{
    static const char find[] = BULKS " WHERE bulk.id < $1 ORDER BY bulk.id DESC LIMIT $2";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_bulk));
    enum rc rc;

    TRY(stmt_open(store->db, find, &s, err));
    stmt_int(s, 1, below ? below : INT64_MAX);
    stmt_int(s, 2, limit ? (int64_t)limit : INT64_MAX);
    EACH_ROW(s, rc, err)
    bulk_row(s, out, view_rows_add(out, &rows));
    out->row = rows.at;
    out->count = rows.count;
    return END_OF_ROWS(rc);
}

enum rc view_proposals(void *self, int64_t after, size_t limit, struct view *out, struct err *err)
{
    static const char find[] =
        "SELECT proposal.id, proposal.subject, proposal.key, proposal.person, proposal.account,"
        " proposal.proposed_at, COALESCE(case_record.reference, '') AS reference,"
        " COALESCE((SELECT MIN(note.text) FROM note WHERE " OF_KEY(
            "note", "proposal.key") "  AND note.about = 'proposal ' || proposal.id), '') AS why "
                                    "FROM proposal"
                                    " LEFT JOIN item ON item.key = proposal.key"
                                    " LEFT JOIN case_record ON case_record.key = item.case_key"
                                    " WHERE proposal.ended_at IS NULL AND proposal.id > $1 ORDER "
                                    "BY proposal.id LIMIT $2";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_proposal));
    enum rc rc;

    TRY(stmt_open(store->db, find, &s, err));
    stmt_int(s, 1, after);
    stmt_int(s, 2, limit ? (int64_t)limit : INT64_MAX);
    EACH_ROW(s, rc, err)
    {
        struct view_proposal *p = view_rows_add(out, &rows);
        p->id = col_int(s, "id");
        p->subject = view_text(out, col_text(s, "subject"));
        p->key = view_text(out, col_text(s, "key"));
        p->reference = view_text(out, col_text(s, "reference"));
        p->by = view_text(out, col_text(s, "person"));
        p->account = view_text(out, col_text(s, "account"));
        p->why = view_text(out, col_text(s, "why"));
        p->proposed_ms = col_int(s, "proposed_at");
    }
    out->row = rows.at;
    out->count = rows.count;
    return END_OF_ROWS(rc);
}
