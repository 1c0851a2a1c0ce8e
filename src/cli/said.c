/* SPDX-License-Identifier: Apache-2.0
 *
 * rules, proposals: what persons have said that is not over.
 */
#include "cli_p.h"

#include <onecase/when.h>
#include <inttypes.h>
#include <stdlib.h>

/* One number that an option gives. */
static enum rc asked_id(const struct call *call, const char *option, int64_t *out, struct err *err)
{
    char *end;
    const char *text = args_get(&call->args, option);
    *out = strtoll(text, &end, 10);
    return *out > 0 && !*end ? RC_OK : FAIL(err, RC_USAGE, "%s takes the ID of the list", option);
}

/* ---- rules --------------------------------------------------------------------------------------------- */

/* clang-format off */
static const struct sheet_column rule_columns[] = {
    { "id",      "ID",      NULL, SHEET_NUMBER },
    { "sender",  "SENDER",  NULL, SHEET_TEXT   },
    { "mailbox", "MAILBOX", NULL, SHEET_TEXT   },
    { "made_at", "SINCE",   NULL, SHEET_WHEN   },
    { "by",      "BY",      NULL, SHEET_TEXT   },
    { "reason",  "WHY",     NULL, SHEET_TEXT   },
    { "case",    "CASE",    NULL, SHEET_TEXT   },
    { "key",     "KEY",     NULL, SHEET_TEXT   },
};

static const struct sheet_column proposal_columns[] = {
    { "id",          "ID",      NULL, SHEET_NUMBER },
    { "what",        "WHAT",    NULL, SHEET_TEXT   },
    { "case",        "CASE",    NULL, SHEET_TEXT   },
    { "by",          "BY",      NULL, SHEET_TEXT   },
    { "proposed_at", "SINCE",   NULL, SHEET_WHEN   },
    { "reason",      "WHY",     NULL, SHEET_TEXT   },
    { "key",         "KEY",     NULL, SHEET_TEXT   },
};
/* clang-format on */

static const char *or_null(const char *text)
{
    return text[0] ? text : NULL;
}

static int list_rules(const struct call *call)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(sheet_free)
    struct sheet *sheet = sheet_new("Rules", rule_columns, LENGTH(rule_columns));
    const struct views *v = call->ops->views;
    struct err err = ERR_INIT;
    if (v->sender_rules(v->self, 0, 0, &view, &err) != RC_OK)
        return failed(&err);
    const struct view_sender_rule *r = view.row;
    for (size_t i = 0; i < view.count; i++) {
        char id[24], made[WHEN_TEXT_SIZE];
        snprintf(id, sizeof id, "%" PRId64, r[i].id);
        when_text(r[i].made_ms, made);
        const char *cell[] = {
            id,      r[i].sender, r[i].mailbox, made, r[i].by, r[i].why, or_null(r[i].reference),
            r[i].key};
        sheet_row(sheet, cell);
    }
    if (view.count > 0 || call->json)
        return show_sheet(call, sheet, call->json ? SHEET_JSON : SHEET_TABLE);
    printf("There are none.\n");
    return EXIT_DONE;
}

/* What the ledger ends by its number, in a person's name. */
typedef enum rc end_one(
    void *self, int64_t id, const char *by, const char *why, struct instant now, struct err *err);

static int end_it(const struct call *call, const char *option, end_one *end, const char *done)
{
    CLEANUP(str_clear) struct str by = STR_INIT;
    struct instant now = {.wall_ms = call->now_ms};
    const char *why;
    int64_t id;
    struct err err = ERR_INIT;
    if (asked_id(call, option, &id, &err) != RC_OK || decider(call, &by, &why, &err) != RC_OK ||
        end(call->ops->ledger->self, id, str_z(&by), why, now, &err) != RC_OK)
        return failed(&err);
    printf("%s\n", done);
    return EXIT_DONE;
}

int cmd_rules(struct call *call)
{
    if (!args_has(&call->args, "--remove"))
        return list_rules(call);
    return end_it(call, "--remove", call->ops->ledger->operators->rule_end,
                  "Removed. Later mail of that sender is asked about again.");
}

/* ---- proposals ----------------------------------------------------------------------------------------- */

static int list_proposals(const struct call *call)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(sheet_free)
    struct sheet *sheet = sheet_new("Proposals", proposal_columns, LENGTH(proposal_columns));
    const struct views *v = call->ops->views;
    struct err err = ERR_INIT;
    if (v->proposals(v->self, 0, 0, &view, &err) != RC_OK)
        return failed(&err);
    const struct view_proposal *p = view.row;
    for (size_t i = 0; i < view.count; i++) {
        CLEANUP(str_clear) struct str what = STR_INIT;
        char id[24], at[WHEN_TEXT_SIZE];
        snprintf(id, sizeof id, "%" PRId64, p[i].id);
        when_text(p[i].proposed_ms, at);
        proposal_words(&p[i], &what);
        const char *cell[] = {id, str_z(&what), or_null(p[i].reference), p[i].by,
                              at, p[i].why,     or_null(p[i].key)};
        sheet_row(sheet, cell);
    }
    if (view.count > 0 || call->json)
        return show_sheet(call, sheet, call->json ? SHEET_JSON : SHEET_TABLE);
    printf("There are none.\n");
    return EXIT_DONE;
}

int cmd_proposals(struct call *call)
{
    if (!args_has(&call->args, "--refuse"))
        return list_proposals(call);
    return end_it(call, "--refuse", call->ops->ledger->operators->refuse,
                  "Refused: nothing comes of it.");
}
