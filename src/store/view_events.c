/* SPDX-License-Identifier: Apache-2.0 */
#include "views_p.h"

static void event_row(struct stmt *s, struct view *view, struct view_event *e)
{
    e->number = col_int(s, "number");
    e->at_ms = col_int(s, "at");
    e->run = view_text(view, col_text(s, "run"));
    e->mailbox = view_text(view, col_text(s, "mailbox"));
    e->key = view_text(view, col_text(s, "key"));
    e->subject = view_text(view, col_text(s, "subject"));
    e->what = view_text(view, col_text(s, "what"));
    e->from = view_text(view, col_text(s, "from_state"));
    e->to = view_text(view, col_text(s, "to_state"));
    e->actor = view_text(view, col_text(s, "actor"));
    e->previous = view_text(view, col_text(s, "previous"));
    e->hash = view_text(view, col_text(s, "hash"));
}

enum rc view_events(void *self, const char *key, struct view *out, struct err *err)
{
    static const char find[] =
        "SELECT number, at, run, mailbox, key, subject, what, from_state, to_state, actor,"
        " previous, hash FROM event WHERE " OF_KEY("event", "$1") " ORDER BY number";
    struct store *store = self;
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct view_rows rows = view_rows_begin(out, sizeof(struct view_event));
    enum rc rc;

    TRY(stmt_open(store->db, find, &s, err));
    stmt_text(s, 1, key);
    EACH_ROW(s, rc, err)
    event_row(s, out, view_rows_add(out, &rows));
    out->row = rows.at;
    out->count = rows.count;
    return END_OF_ROWS(rc);
}
