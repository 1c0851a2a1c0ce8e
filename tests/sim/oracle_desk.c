/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle_p.h"
#include "settings.h"

#include <string.h>

/* ---- at once --------------------------------------------------------------------------------- */

void oracle_before_append(struct run *run, const struct case_facts *facts)
{
    if (!helpdesk_has(run->world, facts->id))
        broke(run->world, "V2", "%s is about a case '%s' that the help desk does not have",
              mail_label(run->world, facts->key), facts->id);
}

static void told_after_its_files(struct run *run, const char *effect)
{
    struct sqlite3_stmt *s =
        sql_open(run->deployment,
                 "SELECT a.key, substr(c.target, length('desk/') + 1) FROM effect a"
                 " JOIN effect c USING (key) WHERE a.ack_id = ?1 AND c.kind = 'attachment'"
                 " AND c.target LIKE 'desk/%' AND c.status NOT IN ('skipped', 'refused')",
                 effect, NULL);

    while (sql_row(s))
        if (helpdesk_children(run->world, sql_text(s, 0), sql_text(s, 1)) == 0)
            broke(run->world, "V6", "the sender of %s is told before its file is at the help desk",
                  mail_label(run->world, sql_text(s, 0)));
}

void oracle_told_after_its_case(struct run *run, const char *effect)
{
    struct sqlite3_stmt *s =
        sql_open(run->deployment,
                 "SELECT a.key FROM effect a JOIN effect c USING (key) WHERE a.ack_id = ?1"
                 " AND c.kind = 'case' AND c.target = 'desk' AND c.status <> 'skipped'",
                 effect, NULL);

    while (sql_row(s))
        if (helpdesk_count(run->world, sql_text(s, 0)) == 0)
            broke(run->world, "V6", "the sender of %s is told, and the help desk has nothing of it",
                  mail_label(run->world, sql_text(s, 0)));
    told_after_its_files(run, effect);
}

/* ---- at rest --------------------------------------------------------------------------------- */

/* More than one only where a person has said so, who was mistaken. */
static void one_of_each(struct world *world)
{
    for (size_t i = 0; i < world->helpdesk.records; i++) {
        const char *key = world->helpdesk.record[i].key;
        size_t count = helpdesk_count(world, key);

        if (count > 1 + helpdesk_allowed(world, key, ""))
            broke(world, "V2", "%s stands %zu times at the help desk", mail_label(world, key),
                  count);
    }
}

static void one_of_each_file(struct world *world)
{
    for (size_t i = 0; i < world->helpdesk.children; i++) {
        const struct child *c = &world->helpdesk.child[i];
        size_t count = helpdesk_children(world, c->key, c->file);

        if (count > 1 + helpdesk_allowed(world, c->key, c->file))
            broke(world, "V3", "a file of %s stands %zu times at the help desk",
                  mail_label(world, c->key), count);
    }
}

static void what_is_done_of_files_stands(struct world *world, struct deployment *d)
{
    struct sqlite3_stmt *s =
        sql_open(d,
                 "SELECT key, substr(target, length('desk/') + 1) FROM effect"
                 " WHERE kind = 'attachment' AND target LIKE 'desk/%' AND status = 'done'",
                 NULL);

    while (sql_row(s))
        if (helpdesk_children(world, sql_text(s, 0), sql_text(s, 1)) == 0)
            broke(world, "V3", "a file of %s is said to stand at the help desk",
                  mail_label(world, sql_text(s, 0)));
}

static void what_is_closed_is_closed_there(struct world *world, struct deployment *d)
{
    struct sqlite3_stmt *s =
        sql_open(d,
                 "SELECT e.key FROM effect e JOIN case_record c ON c.key = e.key"
                 " WHERE e.kind = 'case' AND e.target LIKE 'desk/closed%' AND e.status = 'done'"
                 " AND c.state = 'closed'",
                 NULL);

    while (sql_row(s))
        if (!helpdesk_has_closed(world, sql_text(s, 0)))
            broke(world, "V2", "the case of %s is said to be closed at the help desk",
                  mail_label(world, sql_text(s, 0)));
}

static void what_is_done_stands(struct world *world, struct deployment *d)
{
    struct sqlite3_stmt *s = sql_open(d,
                                      "SELECT key FROM effect WHERE kind = 'case'"
                                      " AND target = 'desk' AND status = 'done'",
                                      NULL);

    while (sql_row(s))
        if (helpdesk_count(world, sql_text(s, 0)) == 0)
            broke(world, "V2", "%s is said to stand at the help desk",
                  mail_label(world, sql_text(s, 0)));
}

static bool clocks_jumped(const struct world *world)
{
    return machine_now(world, &world->machine[0]).wall_ms != world_wall_ms(world);
}

/* A person who is asked before `settle` is over would believe the look-up, too. */
static void nobody_is_asked_too_soon(struct world *world, struct deployment *d)
{
    if (world->scenario.desk_kind != DESK_LOOK || clocks_jumped(world))
        return;
    struct sqlite3_stmt *s = sql_open(
        d,
        "SELECT i.key, (SELECT max(at) FROM event v WHERE v.key = i.key AND v.to_state = i.state),"
        " (SELECT max(armed_at) FROM attempt a JOIN effect e ON e.id = a.effect"
        " WHERE e.key = i.key AND e.kind = 'case' AND e.target = 'desk')"
        " FROM item i WHERE state = 'needs_reconciliation' AND reason = 'case-unknown'",
        NULL);

    while (sql_row(s))
        if (sql_int(s, 1) - sql_int(s, 2) < SETTLE)
            broke(world, "V2", "a person is asked of %s before the help desk has settled",
                  mail_label(world, sql_text(s, 0)));
}

/* What a person planned while its mail was about to be complete is done all the same. */
static void nothing_is_left_behind(struct world *world, struct deployment *d)
{
    struct sqlite3_stmt *s =
        sql_open(d,
                 "SELECT e.key, e.target FROM effect e JOIN item i ON i.key = e.key"
                 " WHERE i.state = 'complete' AND e.kind IN ('case', 'attachment')"
                 " AND e.status NOT IN ('done', 'skipped', 'refused')",
                 NULL);

    while (sql_row(s))
        broke(world, "V9", "%s is complete, and '%s' is still to be done",
              mail_label(world, sql_text(s, 0)), sql_text(s, 1));
}

/* A ledger that went back may have forgotten whom it is of. */
static void nothing_is_strange(struct world *world, struct deployment *d)
{
    if (d->went_back > 0)
        return;
    for (size_t i = 0; i < world->helpdesk.records; i++)
        if (sql_number(d, "SELECT count(*) FROM item WHERE key = ?1", world->helpdesk.record[i].key,
                       NULL) == 0)
            broke(world, "V2", "the help desk has a case of a mail that the ledger does not know");
}

void oracle_v2_at_the_desk(struct world *world, struct deployment *d)
{
    if (!world->scenario.desk)
        return;
    one_of_each(world);
    one_of_each_file(world);
    what_is_done_of_files_stands(world, d);
    what_is_closed_is_closed_there(world, d);
    what_is_done_stands(world, d);
    nobody_is_asked_too_soon(world, d);
    nothing_is_strange(world, d);
    nothing_is_left_behind(world, d);
}
