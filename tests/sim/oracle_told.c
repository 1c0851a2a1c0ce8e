/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle_p.h"
#include "settings.h"

#include <stdio.h>
#include <string.h>

/* The EFFECT of an acknowledgement, by the contract's formula, not by the ledger's column. */
static void effect_id(const char *key, const char *completion, char out[EFFECT_ID_SIZE])
{
    acknowledgement_id(key, completion, out);
}

/* ---- V4 -------------------------------------------------------------------------------------- */

struct told {
    const char *key, *target, *status, *reason, *state;
    size_t accepted;
};

static void judge_told(struct world *world, const struct told *t)
{
    const char *label = mail_label(world, t->key);
    bool refused = strcmp(t->status, "refused") == 0;
    bool skipped = strcmp(t->status, "skipped") == 0;
    bool done = strcmp(t->status, "done") == 0;

    if (done && t->accepted == 0)
        broke(world, "V4",
              "the sender of %s is said to have been told, and the server took nothing in", label);
    if ((refused || skipped) && t->accepted > 0)
        broke(world, "V4", "the sender of %s is said not to have been told (%s), and was", label,
              t->status);
    if (skipped && t->reason[0] == '\0')
        broke(world, "V4", "the acknowledgement of %s was skipped for no reason", label);
    if (strcmp(t->state, "complete") == 0 && !done && !refused && !skipped)
        broke(world, "V4", "%s is complete while its acknowledgement is %s", label, t->status);
}

void oracle_v4_told_once(struct world *world, struct deployment *d)
{
    struct sqlite3_stmt *s =
        sql_open(d,
                 "SELECT e.key, e.target, e.status, e.reason, i.state FROM effect e JOIN item i"
                 " USING (key) WHERE e.kind = 'acknowledgement'",
                 NULL);

    while (sql_row(s)) {
        struct told t = {sql_text(s, 0), sql_text(s, 1), sql_text(s, 2),
                         sql_text(s, 3), sql_text(s, 4), 0};
        char effect[EFFECT_ID_SIZE];

        effect_id(t.key, t.target, effect);
        t.accepted = smtp_accepted(world, effect);
        judge_told(world, &t);
        if (t.accepted > 1 + smtp_allowed(world, effect))
            broke(world, "V4", "the sender of %s was told %zu times", mail_label(world, t.key),
                  t.accepted);
    }
    if (sql_number(d,
                   "SELECT count(*) FROM item i WHERE disposition = 'case' AND NOT EXISTS"
                   " (SELECT 1 FROM effect e WHERE e.key = i.key AND e.kind = 'acknowledgement')",
                   NULL) > 0)
        broke(world, "V4", "a case has no acknowledgement in its plan");
}

static bool may_still_leave(const struct world *world, const char *effect)
{
    for (size_t i = 0; i < world->runs; i++)
        for (size_t k = 0; k < LETTERS; k++) {
            const struct letter_under_way *letter = &world->run[i]->letter[k];

            if (run_lives(world->run[i]) && letter->state != LETTER_NONE &&
                strcmp(letter->effect, effect) == 0)
                return true;
        }
    return false;
}

/* Contract section 4: not while a connection may carry it, and not before its time. Called before the
 * decision is written down here; `since` is when the last try was armed. */
void oracle_not_sent_taken(struct world *world, struct deployment *d, const char *effect)
{
    int64_t since = sql_number(d,
                               "SELECT max(a.armed_at) FROM attempt a JOIN effect e"
                               " ON e.id = a.effect WHERE e.ack_id = ?1",
                               effect, NULL);
    int64_t now = machine_now(world, &world->machine[0]).wall_ms;

    if (may_still_leave(world, effect))
        broke(world, "V4",
              "'not sent' is taken of acknowledgement %.8s while a run can still send it", effect);
    if (now < since + FINAL_TIMEOUT + EVIDENCE_WAIT)
        broke(world, "V4", "'not sent' is taken of acknowledgement %.8s before its time", effect);
}

/* ---- V5 -------------------------------------------------------------------------------------- */

void oracle_v5_unknown_is_left_by_a_person(struct world *world, struct deployment *d)
{
    struct sqlite3_stmt *s =
        sql_open(d,
                 "SELECT v.key, v.what, v.to_state FROM event v JOIN effect e"
                 " ON v.subject = 'effect ' || e.id WHERE e.kind = 'acknowledgement'"
                 " AND v.from_state = 'unknown' AND v.actor NOT IN ('evidence', 'person')",
                 NULL);

    while (sql_row(s))
        broke(world, "V5",
              "the acknowledgement of %s left unknown for %s by '%s', and nobody decided",
              mail_label(world, sql_text(s, 0)), sql_text(s, 2), sql_text(s, 1));
}

/* ---- V8 -------------------------------------------------------------------------------------- */

void oracle_before_line(struct run *run, const char *effect)
{
    struct deployment *d = run->deployment;

    if (run->world->scenario.desk)
        oracle_told_after_its_case(run, effect);
    struct sqlite3_stmt *s = sql_open(d, "SELECT key FROM effect WHERE ack_id = ?1", effect, NULL);

    if (sql_row(s)) {
        char key[KEY_SIZE];

        snprintf(key, sizeof key, "%s", sql_text(s, 0));
        sql_done(s);
        oracle_within_its_lease(run, key, "sends an acknowledgement");
    }
    if (sql_number(
            d,
            "SELECT count(*) FROM attempt a JOIN effect e ON e.id = a.effect WHERE e.ack_id = ?1"
            " AND e.status = 'attempting' AND a.phase = 'armed' AND a.run = ?2",
            effect, run->facts.id, NULL) == 1)
        return;
    /* It may have been taken from this run while it stood between its commit and the line. */
    if (sql_number(
            d,
            "SELECT count(*) FROM attempt a JOIN effect e ON e.id = a.effect WHERE e.ack_id = ?1"
            " AND a.phase = 'lost' AND a.run = ?2",
            effect, run->facts.id, NULL) == 0)
        broke(run->world, "V8", "run %u sends the line of acknowledgement %.8s, which is not armed",
              run->number, effect);
}

static void
lines_are_written(struct world *world, struct deployment *d, const char *key, const char *target)
{
    char effect[EFFECT_ID_SIZE];

    effect_id(key, target, effect);
    for (size_t i = 0; i < world->smtp.lines; i++) {
        const struct line *line = &world->smtp.line[i];

        if (strcmp(line->effect, effect) != 0 || world->run[line->run - 1]->deployment != d)
            continue;
        if (sql_number(d,
                       "SELECT count(*) FROM attempt a JOIN effect e ON e.id = a.effect WHERE "
                       "e.ack_id = ?1"
                       " AND a.run = ?2 AND a.armed_at IS NOT NULL",
                       effect, world->run[line->run - 1]->facts.id, NULL) == 0)
            broke(world, "V8", "run %u sent acknowledgement %.8s, and no try of it is written",
                  line->run, effect);
    }
}

void oracle_v8_every_try_is_written(struct world *world, struct deployment *d)
{
    if (sql_number(d, "SELECT count(*) FROM attempt WHERE phase = 'armed'", NULL) > 0)
        broke(world, "V8", "a try is still said to be under way, and everything is at rest");
    if (d->went_back > 0) /* what the older copy did not know cannot be there */
        return;
    struct sqlite3_stmt *s = sql_open(
        d, "SELECT key, target FROM effect WHERE kind = 'acknowledgement' AND target <> ''", NULL);

    while (sql_row(s))
        lines_are_written(world, d, sql_text(s, 0), sql_text(s, 1));
    for (size_t i = 0; i < world->smtp.lines; i++) {
        const struct line *line = &world->smtp.line[i];

        if (world->run[line->run - 1]->deployment == d &&
            sql_number(d, "SELECT count(*) FROM effect WHERE ack_id = ?1", line->effect, NULL) == 0)
            broke(world, "V8", "run %u sent acknowledgement %.8s, which no plan has", line->run,
                  line->effect);
    }
}
