/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle_p.h"

#include <onecase/when.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool oracle_is_idle_by_right(struct world *world, struct deployment *d)
{
    return world->deployments > 1 &&
           sql_number(d, "SELECT count(*) FROM mailbox WHERE claim_owner <> ''", NULL) > 0;
}

/* ---- K03 ------------------------------------------------------------------------------------- */

#define SLACK SECONDS(5) /* between a last look at the clock and the deed */

bool oracle_was_forgotten(const struct run *run, int64_t since_ms)
{
    return run->world->scenario.standby && run->deployment->went_back > 0 &&
           run->deployment->went_back_ms >= since_ms;
}

/* A run that was stopped between looking and doing could not know; nor one whose clock stood still, nor one
 * whose ledger was taken away then. */
static bool could_not_know(const struct run *run)
{
    bool stood = run->stopped_call == run->calls || run->clock_stood;

    return stood || oracle_was_forgotten(run, run->world->timeline.now_ms - SLACK);
}

void oracle_within_its_lease(struct run *run, const char *key, const char *what)
{
    char since[24];

    if (!run->world->scenario.server || could_not_know(run))
        return;
    snprintf(since, sizeof since, "%lld",
             (long long)(database_now(&run->deployment->database) - SLACK));
    if (sql_number(run->deployment,
                   "SELECT count(*) FROM item WHERE key = ?1 AND lease_run = ?2"
                   " AND lease_boot > cast(?3 AS INTEGER)",
                   key, run->facts.id, since, NULL) == 0)
        broke(run->world, "K03", "run %u %s of %s, which it has no lease of any more", run->number,
              what, mail_label(run->world, key));
}

/* ---- V7 -------------------------------------------------------------------------------------- */

void oracle_v7_what_waits_is_visible(struct world *world, struct deployment *d)
{
    struct sqlite3_stmt *s = sql_open(
        d, "SELECT key, state, reason, next_due IS NULL FROM item WHERE state <> 'complete'", NULL);

    while (sql_row(s)) {
        const char *label = mail_label(world, sql_text(s, 0));
        bool asks = strcmp(sql_text(s, 1), "needs_reconciliation") == 0;
        enum reason reason;

        if (asks && (!reason_parse(sql_text(s, 2), &reason) || reason == REASON_NONE))
            broke(world, "V7", "%s waits for a person for no reason that is listed ('%s')", label,
                  sql_text(s, 2));
        if (!asks && sql_int(s, 3) != 0)
            broke(world, "V7", "%s is %s, and nobody will ever go on with it", label,
                  sql_text(s, 1));
    }
    if (sql_number(d,
                   "SELECT count(*) FROM effect e WHERE kind = 'acknowledgement' AND status = "
                   "'refused' AND code = 0"
                   " AND reason = '' AND NOT EXISTS (SELECT 1 FROM note n WHERE n.key = e.key)",
                   NULL) > 0)
        broke(world, "V7", "a sender was not told, and it is not said why");
}

/* ---- V9 -------------------------------------------------------------------------------------- */

void oracle_v9_moves_for_ever(struct world *world)
{
    for (size_t i = 0; i < world->deployments; i++) {
        struct sqlite3_stmt *s = sql_open(
            world->deployment[i],
            "SELECT key, state, reason, next_due FROM item WHERE next_due IS NOT NULL", NULL);

        while (sql_row(s))
            broke(world, "V9", "%s is %s %s for ever", mail_label(world, sql_text(s, 0)),
                  sql_text(s, 1), sql_text(s, 2));
    }
    broke(world, "V9", "something moves for ever");
}

/* Nothing but a file that was lost waits once people have answered. */
void oracle_v9_comes_to_an_end(struct world *world, struct deployment *d, bool answered)
{
    struct sqlite3_stmt *s =
        sql_open(d,
                 "SELECT key, state, reason FROM item WHERE state NOT IN ('complete',"
                 " 'needs_reconciliation') AND NOT" ORACLE_ENDLESS,
                 NULL);

    while (sql_row(s))
        broke(world, "V9", "%s is still %s", mail_label(world, sql_text(s, 0)), sql_text(s, 1));
    if (!answered)
        return;
    s = sql_open(d,
                 "SELECT key, reason FROM item WHERE state = 'needs_reconciliation'"
                 " AND reason NOT IN ('file-differs', 'original-lost')",
                 NULL);
    while (sql_row(s))
        broke(world, "V9", "%s still waits (%s) although people have answered",
              mail_label(world, sql_text(s, 0)), sql_text(s, 1));
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void chain_holds(struct world *world, struct deployment *d)
{
    struct err err = ERR_INIT;

    if (store_check_chain(d->tool, &err) != RC_OK)
        broke(world, "chain", "%s", err.text);
}

void oracle_judge(struct world *world, bool answered)
{
    size_t active = 0;

    for (size_t i = 0; i < world->deployments; i++) {
        struct deployment *d = world->deployment[i];

        chain_holds(world, d);
        if (oracle_is_idle_by_right(world, d))
            continue;
        active++;
        oracle_v1_every_message_is_listed(world, d);
        oracle_v2_one_case(world, d);
        oracle_v2_at_the_desk(world, d);
        oracle_v3_files_are_the_plan(world, d);
        oracle_v4_told_once(world, d);
        oracle_v5_unknown_is_left_by_a_person(world, d);
        oracle_v6_filed_by_right(world, d);
        oracle_v7_what_waits_is_visible(world, d);
        oracle_v8_every_try_is_written(world, d);
        oracle_v9_comes_to_an_end(world, d, answered);
    }
    if (active != 1)
        broke(world, "K07", "%zu deployments work on the mailbox", active);
}

/* ---- the end state as text ------------------------------------------------------------------- */

static void add_rows(struct world *world, struct sqlite3_stmt *s, struct str *out)
{
    while (sql_row(s))
        str_addf(out, "%s %s %s %s %s\n", mail_label(world, sql_text(s, 0)), sql_text(s, 1),
                 sql_text(s, 2), sql_text(s, 3), sql_text(s, 4));
}

static int by_text(const void *a, const void *b)
{
    const char *const *one = a;
    const char *const *other = b;

    return strcmp(*one == NULL ? "" : *one, *other == NULL ? "" : *other);
}

/* What lies in a folder, without order. */
static void add_folder(struct world *world, const char *name, struct str *out)
{
    const struct folder *folder = imap_folder(&world->imap, name);
    char **line;

    if (folder == NULL)
        return;
    line = mem_new(folder->count + 1, sizeof *line);
    for (size_t i = 0; i < folder->count; i++) {
        struct str text = STR_INIT;

        if (!folder->copy[i].deleted)
            str_addf(&text, " m%u", folder->copy[i].mail->number);
        line[i] = STEAL(text.at);
    }
    qsort(line, folder->count, sizeof *line, by_text);
    str_addf(out, "%s:", name);
    for (size_t i = 0; i < folder->count; i++) {
        str_addz(out, line[i] == NULL ? "" : line[i]);
        free(line[i]);
    }
    str_addz(out, "\n");
    free(line);
}

void oracle_summary(struct world *world, struct str *out)
{
    for (size_t i = 0; i < world->deployments; i++) {
        struct deployment *d = world->deployment[i];

        add_rows(
            world,
            sql_open(d, "SELECT key, disposition, state, completion, reason FROM item ORDER BY key",
                     NULL),
            out);
        add_rows(world,
                 sql_open(d,
                          "SELECT key, kind, CASE WHEN kind = 'move' THEN '' ELSE target END, "
                          "status, '' FROM effect"
                          " ORDER BY key, kind, target, status",
                          NULL),
                 out);
        add_rows(
            world,
            sql_open(
                d,
                "SELECT key, stored_name, sha256, status, '' FROM attachment ORDER BY key, number",
                NULL),
            out);
        add_rows(
            world,
            sql_open(d, "SELECT key, reference, state, '', '' FROM case_record ORDER BY key", NULL),
            out);
    }
    add_folder(world, INBOX, out);
    add_folder(world, PROCESSED, out);
    str_addf(out, "told: %zu, at the help desk: %zu\n", smtp_accepted_all(world),
             world->helpdesk.records);
}
