/* SPDX-License-Identifier: Apache-2.0 */
#include "case_act.h"

#define OF_CASE " FROM effect WHERE " OF_KEY("effect", "$1") " AND kind = 'case'"
#define MADE    OF_KEY("made", "$1")

/* A case that is closed a second time is closed there a second time: a step of its own. What is still to
 * be done is not planned twice. */
enum rc case_there(struct acting *a, const char *what, struct err *err)
{
    static const char insert[] =
        "INSERT INTO effect (key, kind, target, status, external_id, reason, due, item_number)"
        " SELECT made.key, 'case', made.target || '/' || $3 || CASE (SELECT COUNT(*)" OF_CASE
        " AND target LIKE $2 || '/' || $3 || '%') WHEN 0 THEN ''"
        " ELSE '-' || (SELECT COUNT(*) + 1" OF_CASE " AND target LIKE $2 || '/' || $3 || '%') END,"
        " 'planned', '', '', $4, made.item_number FROM effect AS made WHERE " MADE
        " AND made.kind = 'case' AND made.target = $2"
        " AND made.status NOT IN ('skipped', 'refused') AND ($3 = 'closed' OR made.status = 'done')"
        " AND NOT EXISTS (SELECT 1" OF_CASE
        " AND (target = $2 || '/removed' OR (target LIKE $2 || '/' || $3 || '%'"
        " AND status NOT IN ('done', 'skipped')))) RETURNING id";
    int64_t id;

    if (!a->request->there)
        return RC_OK;
    {
        CLEANUP(stmt_done) struct stmt *s = NULL;

        TRY(stmt_open(a->w->store->db, insert, &s, err));
        stmt_text(s, 1, a->key);
        stmt_text(s, 2, a->request->there);
        stmt_text(s, 3, what);
        stmt_int(s, 4, a->w->now.wall_ms);
        enum rc rc = stmt_row(s, err);

        if (rc != RC_OK)
            return rc == RC_NOT_FOUND ? RC_OK : rc;
        id = col_int(s, "id");
        TRY(stmt_run(s, NULL, err));
    }
    const struct subject subject = subject_of("effect", id);

    a->out->there = true;
    return event_add(a->w,
                     &(struct event){.mailbox = a->mailbox,
                                     .key = a->key,
                                     .subject = subject.text,
                                     .what = "plan",
                                     .to = effect_status_text(EFFECT_PLANNED),
                                     .actor = actor_text(BY_PERSON)},
                     err);
}
