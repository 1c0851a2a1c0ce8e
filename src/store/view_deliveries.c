/* SPDX-License-Identifier: Apache-2.0 */
#include "views_p.h"

#include <string.h>

#define DELIVERY_COLUMNS                                                                           \
    "delivery.id, delivery.key, delivery.mailbox, delivery.folder, delivery.uidvalidity,"          \
    " delivery.uid, delivery.class, delivery.internal_ms, delivery.size, delivery.seen_at,"        \
    " COALESCE(delivery.run, '') AS run, COALESCE(case_record.reference, '') AS reference,"        \
    " CASE WHEN delivery.won = 1 THEN item.state ELSE 'duplicate' END AS state"                    \
    " FROM delivery JOIN item ON item.key = delivery.key"                                          \
    " LEFT JOIN case_record ON case_record.key = item.case_key"

void view_delivery_row(struct stmt *s, struct view *view, struct view_delivery *out)
{
    out->id = col_int(s, "id");
    out->key = view_text(view, col_text(s, "key"));
    out->mailbox = view_text(view, col_text(s, "mailbox"));
    out->folder = view_text(view, col_text(s, "folder"));
    out->uidvalidity = (uint32_t)col_int(s, "uidvalidity");
    out->uid = (uint32_t)col_int(s, "uid");
    out->class = view_text(view, col_text(s, "class"));
    out->internal_ms = col_int(s, "internal_ms");
    out->size = col_int(s, "size");
    out->seen_ms = col_int(s, "seen_at");
    out->run = view_text(view, col_text(s, "run"));
    out->reference = view_text(view, col_text(s, "reference"));
    out->state = view_text(view, col_text(s, "state"));
}

/* Each goes along an index of its own. Those of a state are found from its mails; nearly all are complete,
 * so these are met on the way. */
#define BELOW         " AND delivery.id < $2 ORDER BY delivery.id DESC LIMIT $1"
#define IN_MAILBOX(n) " AND delivery.mailbox = $" n
#define ANY           "SELECT " DELIVERY_COLUMNS " WHERE 1 = 1"
#define COPIES        "SELECT " DELIVERY_COLUMNS " WHERE delivery.won = 0"
#define OF_COMPLETE   "SELECT " DELIVERY_COLUMNS " WHERE delivery.won = 1 AND item.state = $3"
#define OF_STATE                                                                                   \
    "SELECT " DELIVERY_COLUMNS " WHERE delivery.won = 1 AND delivery.id IN"                        \
    " (SELECT won.id FROM item AS waits CROSS JOIN delivery AS won WHERE waits.state = $3 AND "    \
    "won.won = 1"                                                                                  \
    " AND (won.item_number = waits.number OR (won.item_number IS NULL AND won.key = waits.key)))"

static bool of_copies(const struct view_filter *filter)
{
    return filter->state && strcmp(filter->state, "duplicate") == 0;
}

static const char *list_sql(const struct view_filter *filter)
{
    static const char *const all[] = {ANY BELOW, ANY IN_MAILBOX("3") BELOW};
    static const char *const copies[] = {COPIES BELOW, COPIES IN_MAILBOX("3") BELOW};
    static const char *const complete[] = {OF_COMPLETE BELOW, OF_COMPLETE IN_MAILBOX("4") BELOW};
    static const char *const of_state[] = {OF_STATE BELOW, OF_STATE IN_MAILBOX("4") BELOW};
    size_t which = filter->mailbox ? 1 : 0;

    if (!filter->state)
        return all[which];
    if (of_copies(filter))
        return copies[which];
    if (strcmp(filter->state, item_state_text(ITEM_COMPLETE)) == 0)
        return complete[which];
    return of_state[which];
}

enum rc
view_deliveries(void *self, const struct view_filter *filter, struct view *out, struct err *err)
{
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_delivery));
    int at = 3;
    enum rc rc;

    TRY(stmt_open(store->db, list_sql(filter), &s, err));
    stmt_int(s, 1, filter->limit ? (int64_t)filter->limit : INT64_MAX);
    stmt_int(s, 2, filter->below > 0 ? filter->below : INT64_MAX);
    if (filter->state && !of_copies(filter))
        stmt_text(s, at++, filter->state);
    if (filter->mailbox)
        stmt_text(s, at, filter->mailbox);
    EACH_ROW(s, rc, err)
    view_delivery_row(s, out, view_rows_add(out, &rows));
    out->row = rows.at;
    out->count = rows.count;
    return END_OF_ROWS(rc);
}

enum rc view_arrivals(struct db *db,
                      const char *key,
                      struct view *view,
                      const struct view_delivery **out,
                      size_t *count,
                      struct err *err)
{
    static const char find[] =
        "SELECT " DELIVERY_COLUMNS " WHERE " OF_KEY("delivery", "$1") " ORDER BY delivery.id";
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(view, sizeof(struct view_delivery));
    enum rc rc;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, key);
    EACH_ROW(s, rc, err)
    view_delivery_row(s, view, view_rows_add(view, &rows));
    *out = rows.at;
    *count = rows.count;
    return END_OF_ROWS(rc);
}
