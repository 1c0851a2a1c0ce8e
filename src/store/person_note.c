/* SPDX-License-Identifier: Apache-2.0 */
#include "decide.h"
#include "replay.h"

static enum rc must_exist(struct db *db, const char *key, struct err *err)
{
    static const char find[] = "SELECT key FROM item WHERE key = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(db, find, &s, err));
    stmt_text(s, 1, key);
    enum rc rc = stmt_row(s, err);

    return rc == RC_NOT_FOUND ? FAIL(err, rc, "note: there is no mail %.12s", key) : rc;
}

static enum rc note_once(void *self,
                         const char *key,
                         const char *by,
                         const char *text,
                         struct instant now,
                         struct err *err)
{
    struct store *store = self;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;

    if (slice_trim(slice_z(by)).len == 0 || slice_trim(slice_z(text)).len == 0)
        return FAIL(err, RC_USAGE, "a note needs a name and a text");
    TRY(writing_begin(store, "", now, &w, err));
    TRY(must_exist(store->db, key, err));
    TRY(people_note(&w, key, "person", by, text, err));
    return writing_finish(&w, err);
}

enum rc operators_note(void *self,
                       const char *key,
                       const char *by,
                       const char *text,
                       struct instant now,
                       struct err *err)
{
    return WRITE(self, note_once(self, key, by, text, now, err));
}
