/* SPDX-License-Identifier: Apache-2.0 */
#include "effect_follows.h"

#include "evidence.h"
#include "store_p.h"

static enum rc left_folder(struct writing *w, int64_t effect, struct err *err)
{
    static const char update[] =
        "UPDATE delivery SET left_folder = 1 WHERE id = (SELECT CAST(target AS BIGINT)"
        " FROM effect WHERE effect.id = $1 AND kind = 'move' AND status = 'done')";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_int(s, 1, effect);
    return stmt_run(s, NULL, err);
}

static enum rc attachment_ended(struct writing *w, const char *key, int64_t effect, struct err *err)
{
    static const char update[] =
        "UPDATE attachment SET (status, reason) = (SELECT CASE effect.status WHEN 'done'"
        " THEN 'stored' ELSE CASE effect.reason WHEN 'infected' THEN 'quarantined' ELSE 'refused'"
        " END END, effect.reason FROM effect WHERE effect.id = $1)"
        " WHERE key = $2 AND stored_name = (SELECT target FROM effect WHERE effect.id = $1"
        " AND kind = 'attachment' AND effect.status IN ('done', 'refused'))";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    TRY(stmt_open(w->store->db, update, &s, err));
    stmt_int(s, 1, effect);
    stmt_text(s, 2, key);
    return stmt_run(s, NULL, err);
}

enum rc effect_follows(struct writing *w,
                       const char *key,
                       const struct effect_change *change,
                       struct err *err)
{
    bool done = change->on == ON_DONE || change->on == ON_EVIDENCE;

    if (change->on == ON_LOSE)
        return evidence_settle(w, key, change->effect, err);
    if (done)
        TRY(left_folder(w, change->effect, err));
    if (done || change->on == ON_REFUSE)
        TRY(attachment_ended(w, key, change->effect, err));
    return RC_OK;
}
