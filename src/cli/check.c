/* SPDX-License-Identifier: Apache-2.0
 *
 * check - one line for monitoring, and an exit code that Nagios and its kin understand.
 */
#include "cli_p.h"

#include <onecase/when.h>
#include <inttypes.h>

/* Silence of this many polls, and never less than five minutes, is no accident. */
#define SILENT_POLLS INT64_C(5)
#define SILENT_LEAST MINUTES(5)

enum level { LEVEL_OK, LEVEL_WARNING, LEVEL_CRITICAL };

struct checking {
    const struct call *call;
    enum level level;
    struct str said;
    int64_t asked, not_told;
};

static void say(struct checking *c, enum level level, const char *mailbox, const char *what)
{
    str_addf(&c->said, "%s%s: %s", c->said.len > 0 ? "; " : "", mailbox, what);
    if (level > c->level)
        c->level = level;
}

static void
say_number(struct checking *c, const char *mailbox, int64_t n, const char *one, const char *many)
{
    char text[160];
    if (n == 0)
        return;
    snprintf(text, sizeof text, "%" PRId64 " %s", n, n == 1 ? one : many);
    say(c, LEVEL_WARNING, mailbox, text);
}

static void check_servers(struct checking *c, const struct view_mailbox *m)
{
    static const char *const names[] = {"the IMAP server", "the SMTP server", "the destination",
                                        "the virus scanner"};
    for (size_t i = 0; i < CIRCUIT_OF_COUNT; i++) {
        char text[200], since[32];
        if (m->circuit[i].state == CIRCUIT_CLOSED)
            continue;
        when_cell(c->call, m->circuit[i].since_ms, since);
        snprintf(text, sizeof text, "%s fails since %s (%s)", names[i], since,
                 m->circuit[i].reason);
        say(c, LEVEL_CRITICAL, m->id, text);
    }
}

static void check_silence(struct checking *c, const struct view_mailbox *m, int64_t poll_ms)
{
    char age[32], text[80];
    int64_t most = poll_ms * SILENT_POLLS > SILENT_LEAST ? poll_ms * SILENT_POLLS : SILENT_LEAST;
    if (m->last_success_ms == 0) {
        say(c, LEVEL_CRITICAL, m->id, "never looked at yet");
        return;
    }
    if (c->call->now_ms - m->last_success_ms <= most)
        return;
    period_age(c->call->now_ms - m->last_success_ms, age);
    snprintf(text, sizeof text, "last looked at %s ago; is the service running?", age);
    say(c, LEVEL_CRITICAL, m->id, text);
}

static void check_mailbox(struct checking *c, const struct view_mailbox *m, int64_t poll_ms)
{
    char text[240];
    if (m->claim_owner && m->claim_owner[0]) {
        snprintf(text, sizeof text, "belongs to another deployment: %s", m->claim_owner);
        say(c, LEVEL_CRITICAL, m->id, text);
    }
    check_servers(c, m);
    check_silence(c, m, poll_ms);
    if (m->paused)
        say(c, LEVEL_WARNING, m->id, "paused");
    say_number(c, m->id, m->state[ITEM_NEEDS_RECONCILIATION], "mail needs your decision",
               "mails need your decision");
    say_number(c, m->id, m->not_told, "sender was not told", "senders were not told");
    say_number(c, m->id, m->awaiting_choice, "mail from before awaits the choice",
               "mails from before await the choice");
    c->asked += m->state[ITEM_NEEDS_RECONCILIATION];
    c->not_told += m->not_told;
}

static void check_secrets(struct checking *c, const struct config_mailbox *m)
{
    struct expiring expiring[EXPIRING_MOST];
    size_t count = config_expiring(m, c->call->now_ms, expiring);
    for (size_t i = 0; i < count; i++)
        say(c, expiring[i].over ? LEVEL_CRITICAL : LEVEL_WARNING, m->id, expiring[i].text);
}

static const struct view_mailbox *view_of(const struct view *view, const char *id)
{
    const struct view_mailbox *m = view->row;
    for (size_t i = 0; i < view->count; i++)
        if (slice_eqz(slice_z(m[i].id), id))
            return &m[i];
    return NULL;
}

/* clang-format off */
static const struct sheet_column columns[] = {
    { "status",               "STATUS",   NULL, SHEET_TEXT   },
    { "text",                 "WHAT",     NULL, SHEET_TEXT   },
    { "needs_reconciliation", "ASKED",    NULL, SHEET_NUMBER },
    { "not_told",             "NOT TOLD", NULL, SHEET_NUMBER },
};
/* clang-format on */

static int conclude(struct checking *c)
{
    static const char *const words[] = {"OK", "WARNING", "CRITICAL"};
    size_t mailboxes = c->call->ops->config->mailboxes.count;
    CLEANUP(str_clear) struct str plain = STR_INIT;
    plain_text(c->said.len > 0 ? str_z(&c->said) : "all is well", &plain);
    str_clear(&c->said);
    if (c->call->json) {
        char asked[24], not_told[24];
        CLEANUP(sheet_free) struct sheet *sheet = sheet_new("Check", columns, LENGTH(columns));
        snprintf(asked, sizeof asked, "%" PRId64, c->asked);
        snprintf(not_told, sizeof not_told, "%" PRId64, c->not_told);
        const char *cell[] = {words[c->level], str_z(&plain), asked, not_told};
        sheet_row(sheet, cell);
        sheet_print(sheet, SHEET_JSON, c->call->now_ms, 0, stdout);
        return (int)c->level;
    }
    printf("onecase %s - %s | mailboxes=%zu needs_reconciliation=%" PRId64 " not_told=%" PRId64
           "\n",
           words[c->level], str_z(&plain), mailboxes, c->asked, c->not_told);
    return (int)c->level;
}

int cmd_check(struct call *call)
{
    CLEANUP(view_clear) struct view view = {0};
    struct checking c = {.call = call, .said = STR_INIT};
    struct err err = ERR_INIT;
    const struct config *config = call->ops->config;
    const struct views *v = call->ops->views;
    if (v->mailboxes(v->self, call->now_ms, &view, &err) != RC_OK)
        return check_unknown(err.text);
    for (size_t i = 0; i < config->mailboxes.count; i++) {
        const struct config_mailbox *m = &config->mailboxes.at[i];
        const struct view_mailbox *row = view_of(&view, m->id);
        check_secrets(&c, m);
        if (row)
            check_mailbox(&c, row, m->poll_interval_ms);
        else
            say(&c, LEVEL_CRITICAL, m->id, "never looked at yet");
    }
    return conclude(&c);
}

int check_unknown(const char *why)
{
    CLEANUP(str_clear) struct str plain = STR_INIT;
    plain_text(why, &plain);
    printf("onecase UNKNOWN - %s\n", str_z(&plain));
    return 3;
}
