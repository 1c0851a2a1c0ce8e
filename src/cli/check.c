/* SPDX-License-Identifier: Apache-2.0
 *
 * check - one line for monitoring, and an exit code that Nagios and its kin understand.
 */
#include "cli_p.h"

#include <onecase/troubles.h>
#include <inttypes.h>

/* clang-format off */
static const struct sheet_column columns[] = {
    { "status",               "STATUS",   NULL, SHEET_TEXT   },
    { "text",                 "WHAT",     NULL, SHEET_TEXT   },
    { "needs_reconciliation", "ASKED",    NULL, SHEET_NUMBER },
    { "not_told",             "NOT TOLD", NULL, SHEET_NUMBER },
};
/* clang-format on */

static const char *const level_words[LEVEL_COUNT] = {"OK", "WARNING", "CRITICAL"};

/* The worst first, as the one line may be cut where it is shown. */
static enum level say_all(const struct troubles *t, struct str *out)
{
    enum level worst = LEVEL_OK;
    for (int level = LEVEL_CRITICAL; level > LEVEL_OK; level--)
        for (size_t i = 0; i < t->count; i++) {
            const struct trouble *one = &t->trouble[i];
            if ((int)one->level != level)
                continue;
            str_addf(out, "%s%s%s%s", out->len > 0 ? "; " : "", one->mailbox,
                     one->mailbox[0] ? ": " : "", one->text);
            worst = one->level > worst ? one->level : worst;
        }
    return worst;
}

static int64_t sum_of(const struct troubles *t, enum measure measure)
{
    int64_t sum = 0;
    for (size_t i = 0; i < t->mailboxes; i++)
        sum += t->measured[i].value[measure];
    return sum;
}

/* "; warning ; critical" of a number, as the plug-in guidelines have it; times are in seconds. */
static void one_number(const struct limits *limits, const struct measured *m, enum measure measure)
{
    const int64_t *at = limits->at[measure];
    bool is_time = measure == MEASURE_WAITING_AGE || measure == MEASURE_OLDEST;
    printf(" '%s %s'=%" PRId64 "%s;", m->mailbox, measure_text(measure), m->value[measure],
           is_time ? "s" : "");
    if (at[LEVEL_WARNING] > 0)
        printf("%" PRId64, at[LEVEL_WARNING]);
    printf(";");
    if (at[LEVEL_CRITICAL] > 0)
        printf("%" PRId64, at[LEVEL_CRITICAL]);
    printf(";0");
}

static void numbers(const struct limits *limits, const struct troubles *t)
{
    printf(" | mailboxes=%zu needs_reconciliation=%" PRId64 " not_told=%" PRId64, t->mailboxes,
           sum_of(t, MEASURE_WAITING), sum_of(t, MEASURE_NOT_TOLD));
    for (size_t i = 0; i < t->mailboxes; i++)
        for (size_t m = 0; m < MEASURE_COUNT; m++)
            one_number(limits, &t->measured[i], (enum measure)m);
}

static int conclude(const struct call *call, const struct limits *limits, const struct troubles *t)
{
    CLEANUP(str_clear) struct str said = STR_INIT;
    CLEANUP(str_clear) struct str plain = STR_INIT;
    enum level level = say_all(t, &said);
    plain_text(said.len > 0 ? str_z(&said) : "all is well", &plain);
    for (size_t i = 0; i < plain.len; i++)
        if (plain.at[i] == '|') /* where the numbers begin */
            plain.at[i] = '/';
    if (!call->json) {
        printf("onecase %s - %s", level_words[level], str_z(&plain));
        numbers(limits, t);
        printf("\n");
        return (int)level;
    }
    char asked[24], not_told[24];
    CLEANUP(sheet_free) struct sheet *sheet = sheet_new("Check", columns, LENGTH(columns));
    snprintf(asked, sizeof asked, "%" PRId64, sum_of(t, MEASURE_WAITING));
    snprintf(not_told, sizeof not_told, "%" PRId64, sum_of(t, MEASURE_NOT_TOLD));
    const char *cell[] = {level_words[level], str_z(&plain), asked, not_told};
    sheet_row(sheet, cell);
    sheet_print(sheet, SHEET_JSON, call->now_ms, 0, stdout);
    return (int)level;
}

int cmd_check(struct call *call)
{
    CLEANUP(troubles_clear) struct troubles troubles = {.count = 0};
    struct limits limits = limits_default;
    const char *mailbox, *warning = args_get(&call->args, "--warning"),
                         *critical = args_get(&call->args, "--critical");
    struct err err = ERR_INIT;
    if (asked_mailbox(call, &mailbox, &err) != RC_OK ||
        limits_parse(warning ? warning : "", LEVEL_WARNING, &limits, &err) != RC_OK ||
        limits_parse(critical ? critical : "", LEVEL_CRITICAL, &limits, &err) != RC_OK ||
        troubles_find(call->ops, &limits, mailbox, call->now_ms, &troubles, &err) != RC_OK)
        return check_unknown(err.text);
    return conclude(call, &limits, &troubles);
}

int check_unknown(const char *why)
{
    CLEANUP(str_clear) struct str plain = STR_INIT;
    plain_text(why, &plain);
    printf("onecase UNKNOWN - %s\n", str_z(&plain));
    return 3;
}
