/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle_p.h"

#include <onecase/when.h>

#include <stdio.h>
#include <string.h>

/* ---- V6 -------------------------------------------------------------------------------------- */

struct leaving {
    char key[KEY_SIZE];
    char disposition[24], state[24], acknowledgement[16];
    int64_t delivery, conditions, failed, decisions, recorded;
    bool won;
    bool armed;      /* the move's intent is written */
    bool told_later; /* a direct copy came after it: since then its sender is to be told */
};

/* The delivery of these octets in this place, and what the ledger says of its item. */
static bool
look_up(struct run *run, const struct folder *folder, const struct copy *copy, struct leaving *out)
{
    char uidvalidity[16];
    char uid[16];
    char octets[DIGEST_HEX_SIZE];

    snprintf(uidvalidity, sizeof uidvalidity, "%u", folder->uidvalidity);
    snprintf(uid, sizeof uid, "%u", copy->uid);
    digest_hex(&copy->mail->digest, octets);
    struct sqlite3_stmt *s = sql_open(
        run->deployment,
        "SELECT i.key, i.disposition, i.state, d.id, d.won,"
        " coalesce((SELECT status FROM effect e WHERE e.key = i.key AND e.kind = "
        "'acknowledgement' AND e.target <> 'closed'), ''),"
        " (SELECT count(*) FROM acceptance a WHERE a.key = i.key),"
        " (SELECT count(*) FROM acceptance a WHERE a.key = i.key AND a.holds = 0),"
        " (SELECT count(*) FROM approval a WHERE a.key = i.key AND a.undone_at IS NULL),"
        " (SELECT count(*) FROM effect e JOIN attempt a ON a.effect = e.id"
        "  WHERE e.key = i.key AND e.kind = 'move' AND e.target = '' || d.id"
        "  AND a.armed_at IS NOT NULL) AS armed,"
        " (SELECT count(*) FROM event t WHERE t.key = i.key AND t.what = 'direct-copy'"
        "  AND t.number > (SELECT max(m.number) FROM event m JOIN effect e"
        "   ON m.subject = 'effect ' || e.id WHERE m.key = i.key AND m.what = 'arm'"
        "   AND e.key = i.key AND e.kind = 'move' AND e.target = '' || d.id)) AS told_later,"
        " (SELECT count(*) FROM case_record c WHERE c.key = i.case_key)"
        "  * (i.disposition = 'evidence'"
        "     OR (SELECT count(*) FROM bounce b WHERE b.report_key = i.key))"
        " FROM delivery d JOIN item i USING (key) WHERE d.folder = ?1"
        " AND d.uidvalidity = cast(?2 AS INTEGER) AND d.uid = cast(?3 AS INTEGER)"
        " AND d.octets IN ('', ?4) ORDER BY armed DESC, d.id DESC LIMIT 1",
        folder->name, uidvalidity, uid, octets, NULL);

    if (!sql_row(s))
        return false;
    *out = (struct leaving){.delivery = sql_int(s, 3),
                            .won = sql_int(s, 4) != 0,
                            .conditions = sql_int(s, 6),
                            .failed = sql_int(s, 7),
                            .decisions = sql_int(s, 8),
                            .armed = sql_int(s, 9) > 0,
                            .told_later = sql_int(s, 10) > 0,
                            .recorded = sql_int(s, 11)};
    snprintf(out->key, sizeof out->key, "%s", sql_text(s, 0));
    snprintf(out->disposition, sizeof out->disposition, "%s", sql_text(s, 1));
    snprintf(out->state, sizeof out->state, "%s", sql_text(s, 2));
    snprintf(out->acknowledgement, sizeof out->acknowledgement, "%s", sql_text(s, 5));
    sql_done(s);
    return true;
}

static bool is(const char *text, const char *other)
{
    return strcmp(text, other) == 0;
}

/* What the contract's table says must hold before it leaves; by the world, not only by the ledger. */
static void judge_case(struct run *run, const struct leaving *l)
{
    struct world *world = run->world;
    const char *label = mail_label(world, l->key);
    char what[200] = "";
    bool settled = is(l->acknowledgement, "done") || is(l->acknowledgement, "skipped") ||
                   is(l->acknowledgement, "refused");

    if (l->conditions == 0 || l->failed > 0)
        broke(world, "V6", "%s leaves the inbox before its conditions hold", label);
    if (l->acknowledgement[0] != '\0' && !settled && l->won && !l->told_later)
        broke(world, "V6", "%s leaves the inbox while its acknowledgement is %s", label,
              l->acknowledgement);
    if (!oracle_files_stand(run->deployment, l->key, what))
        broke(world, "V6", "%s leaves the inbox without its file %s", label, what);
    if (world->scenario.desk && is(l->disposition, "case") && helpdesk_count(world, l->key) == 0)
        broke(world, "V6", "%s leaves the inbox without its case at the help desk", label);
}

void oracle_before_move(struct run *run, const struct folder *folder, const struct copy *copy)
{
    struct world *world = run->world;
    struct leaving l;

    if (strcmp(folder->name, INBOX) != 0 ||
        oracle_was_forgotten(run, world->timeline.now_ms - MINUTES(1)))
        return;
    if (!look_up(run, folder, copy, &l)) {
        broke(world, "V6", "run %u moves m%u (UID %u), which is not recorded", run->number,
              copy->mail->number, copy->uid);
        return;
    }
    if (l.armed && run_lives(run))
        oracle_within_its_lease(run, l.key, "files a message");
    if (!l.armed && run->life != LIFE_KILLED)
        broke(world, "V6", "run %u moves m%u (UID %u) without having written that it will",
              run->number, copy->mail->number, copy->uid);
    if (!l.won && !is(l.state, "complete") && is(l.disposition, "held"))
        broke(world, "V6", "a copy of %s is filed while that waits for a decision",
              mail_label(world, l.key));
    if (is(l.disposition, "held") || is(l.disposition, "adopted"))
        broke(world, "V6", "%s leaves the inbox although it is %s", mail_label(world, l.key),
              l.disposition);
    if (is(l.disposition, "case") || is(l.disposition, "append"))
        judge_case(run, &l);
    /* A ledger that went back knows our own letter by its proof, and its case perhaps no more. */
    bool forgotten = is(l.disposition, "evidence") && run->deployment->went_back > 0;
    if ((is(l.disposition, "report") || is(l.disposition, "evidence")) && l.recorded == 0 &&
        !forgotten)
        broke(world, "V6", "%s leaves the inbox without being recorded with its case",
              mail_label(world, l.key));
}

/* At rest: whatever left by our hand belongs to an item that is complete, or waits for a person after
 * it had been filed by right. */
void oracle_v6_filed_by_right(struct world *world, struct deployment *d)
{
    if (d->went_back > 0) /* what was filed in the time that is lost may be something else now */
        return;
    for (size_t i = 0; i < world->imap.departures; i++) {
        const struct departure *gone = &world->imap.departure[i];
        char octets[DIGEST_HEX_SIZE];

        digest_hex(&gone->mail->digest, octets);
        if (!gone->by_person &&
            sql_number(d,
                       "SELECT count(*) FROM delivery v JOIN item i USING (key) WHERE v.octets = ?1"
                       " AND i.disposition NOT IN ('held', 'adopted')",
                       octets, NULL) == 0)
            broke(world, "V6", "m%u was filed, and its item says that it stays",
                  gone->mail->number);
    }
}
