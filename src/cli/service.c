/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

#include <onecase/notices.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- run ---------------------------------------------------------------------------------------------- */

/* One line, written over and over; each by one write, since every mailbox has a process of its own. */
static void progress(void *ctx, const char *mailbox, int64_t done, int64_t total)
{
    CLEANUP(str_clear) struct str line = STR_INIT;
    (void)ctx;
    if (total > 0)
        str_addf(&line, "\r%s: %" PRId64 " of %" PRId64 " messages taken in\033[K", mailbox, done,
                 total);
    else
        str_addf(&line, "\r%s: %" PRId64 " mails complete\033[K", mailbox, done);
    fputs(str_z(&line), stderr);
}

/* ---- what a run would do ------------------------------------------------------------------------------ */

struct telling {
    const struct call *call;
    struct str list; /* in JSON, the objects so far */
};

static void telling_clear(struct telling *t)
{
    str_clear(&t->list);
}

static void would_words(const struct would_be *m, struct str *out)
{
    str_addz(out, m->copy ? label("class", m->class) : label("disposition", m->disposition));
    if (m->reference[0])
        str_addf(out, " %s", m->reference);
    if (m->reason[0])
        str_addf(out, ", %s", label("reason", m->reason));
    if (m->skip && m->skip[0])
        str_addf(out, ", no confirmation: %s", label("skip", m->skip));
    else if (m->skip)
        str_addz(out, ", confirmation to be sent");
}

static void would(void *ctx, const struct would_be *m)
{
    struct telling *t = ctx;
    CLEANUP(str_clear) struct str words = STR_INIT;
    CLEANUP(str_clear) struct str plain = STR_INIT;
    if (t->call->json) {
        json_would_be(m, &t->list);
        return;
    }
    would_words(m, &words);
    plain_text(str_z(&words), &plain);
    printf("%s UID %" PRIu32 ": %s\n", m->mailbox, m->uid, str_z(&plain));
}

static int would_be_json(const struct telling *t, const struct run_summary *s)
{
    CLEANUP(str_clear) struct str out = STR_INIT;
    json_would(str_slice(&t->list), s, &out);
    print(&out);
    return s->mailbox_failed ? EXIT_UNREACHABLE : EXIT_DONE;
}

static void summary(const struct call *call, const struct run_summary *s)
{
    /* clang-format off */
    const struct { int64_t n; const char *what; } rows[] = {
        { s->deliveries,           "arrivals"                                                },
        { s->new_items,            "new"                                                     },
        { s->duplicates,           "copies"                                                  },
        { s->conflicts,            "conflicts: another mail has the same identifier"         },
        { s->completed,            "completed"                                               },
        { s->deferred,             "waiting for the next try"                                },
        { s->needs_reconciliation, "need your decision (onecase items --state needs_reconciliation)" },
        { s->awaiting_choice,      "from before the first start, waiting for your choice (onecase first-import)" },
    };
    /* clang-format on */
    for (size_t i = 0; i < LENGTH(rows); i++) {
        printf("%6" PRId64 "  ", rows[i].n);
        plain_wrap(rows[i].what, 8, call->width, stdout);
    }
}

static int would_be_all(const struct run_summary *s)
{
    if (s->awaiting_choice > 0)
        printf("%" PRId64 " from before the first start: left alone until your choice (onecase "
               "first-import)\n",
               s->awaiting_choice);
    if (s->deliveries == 0 && s->awaiting_choice == 0)
        printf("Nothing new is there.\n");
    printf("Nothing was changed.\n");
    return s->mailbox_failed ? EXIT_UNREACHABLE : EXIT_DONE;
}

static int once_exit(const struct run_summary *s)
{
    if (s->other_owner[0]) {
        fprintf(
            stderr,
            "onecase: a mailbox belongs to the deployment '%s', and nothing was done there. Where "
            "that one is gone for good: onecase run --once --take-over '%s'\n",
            s->other_owner, s->other_owner);
        return EXIT_NOT_ALLOWED;
    }
    if (s->disk_failed)
        return EXIT_IO;
    return s->mailbox_failed ? EXIT_UNREACHABLE : EXIT_DONE;
}

/* The service is silent while all is well; whoever starts it by hand is told that it runs. */
static void greet(const struct call *call, const struct run_request *request)
{
    const struct config *c = call->ops->config;
    if (request->once || request->dry_run || !isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "onecase %s watches", call->host->version);
    for (size_t i = 0; i < c->mailboxes.count; i++)
        if (!request->only || strcmp(request->only, c->mailboxes.at[i].id) == 0)
            fprintf(stderr, " %s", c->mailboxes.at[i].id);
    fprintf(stderr, "; Ctrl-C ends it\n");
}

static int
ended(struct call *call, const struct run_request *request, const struct run_summary *sum)
{
    CLEANUP(str_clear) struct str out = STR_INIT;
    if (request->dry_run)
        return call->json ? would_be_json(request->ctx, sum) : would_be_all(sum);
    if (!request->once)
        return EXIT_DONE;
    if (call->json) {
        json_summary(sum, &out);
        print(&out);
    } else {
        summary(call, sum);
    }
    return once_exit(sum);
}

int cmd_run(struct call *call)
{
    bool talks = isatty(STDERR_FILENO) == 1 && !call->json;
    CLEANUP(telling_clear) struct telling telling = {.call = call, .list = STR_INIT};
    struct run_request request = {
        .once = args_has(&call->args, "--once"),
        .dry_run = args_has(&call->args, "--dry-run"),
        .take_over = args_get(&call->args, "--take-over"),
        .progress = talks ? progress : NULL,
        .would = would,
        .ctx = &telling,
    };
    struct run_summary sum = {0};
    struct err err = ERR_INIT;
    if (asked_mailbox(call, &request.only, &err) != RC_OK)
        return failed(&err);
    greet(call, &request);
    enum rc rc = call->ops->run(call->ops->self, &request, &sum, &err);
    if (request.progress && request.once)
        fputs("\r\033[K", stderr);
    if (rc != RC_OK)
        return rc == RC_DEFERRED ? (failed(&err), EXIT_UNREACHABLE) : failed(&err);
    return ended(call, &request, &sum);
}

/* ---- status ------------------------------------------------------------------------------------------- */

struct all {
    struct view_mailbox *row; /* those of the configuration first, in its order */
    size_t count;
};

static void all_clear(struct all *a)
{
    free(a->row);
}

static struct view_mailbox *add(struct all *a, const struct view_mailbox *row, const char *mode)
{
    a->row = mem_grow(a->row, a->count + 1, sizeof *a->row);
    a->row[a->count] = *row;
    a->row[a->count].mode = mode;
    return &a->row[a->count++];
}

static const struct view_mailbox *seen(const struct view *view, const char *id)
{
    const struct view_mailbox *row = view->row;
    for (size_t i = 0; i < view->count; i++)
        if (strcmp(row[i].id, id) == 0)
            return &row[i];
    return NULL;
}

static void config_says(struct view_mailbox *row, const struct config_mailbox *m)
{
    row->mode = m->mode == CONFIG_LOOK_ONLY ? "look-only" : "active";
    row->imap_secret_ms = m->imap.auth.expires_ms;
    row->smtp_secret_ms = m->acknowledgement.enabled ? m->acknowledgement.smtp.auth.expires_ms : 0;
}

/* The ledger knows only what was looked at, and some that the configuration has no more. People are
 * shown what is missing, too. */
static void gather(const struct call *call, const struct view *view, struct all *out)
{
    static const struct circuit closed[CIRCUIT_OF_COUNT];
    const struct config *c = call->ops->config;
    const struct view_mailbox *row = view->row;
    for (size_t i = 0; i < c->mailboxes.count; i++) {
        const struct config_mailbox *m = &c->mailboxes.at[i];
        struct view_mailbox unseen = {
            .id = m->id, .circuit = closed, .oldest_incomplete_ms = NOT_DUE, .claim_owner = ""};
        const struct view_mailbox *known = seen(view, m->id);
        if (known || !call->json)
            config_says(add(out, known ? known : &unseen, ""), m);
    }
    for (size_t i = 0; i < view->count; i++)
        if (!config_find_mailbox(c, row[i].id))
            add(out, &row[i], "gone");
}

static void count_line(const struct call *call, int64_t n, const char *what)
{
    printf("  %6" PRId64 "  ", n);
    plain_wrap(what, 10, call->width, stdout);
}

static void circuits(const struct call *call, const struct view_mailbox *m)
{
    static const char *const names[] = {CIRCUIT_OF_LIST(CIRCUIT_LABEL)};
    for (size_t i = 0; i < LENGTH(names); i++) {
        const struct circuit *c = &m->circuit[i];
        CLEANUP(str_clear) struct str line = STR_INIT;
        char when[32], since[32];
        if (c->state == CIRCUIT_CLOSED)
            continue;
        when_cell(call, c->next_probe_ms, when);
        when_cell(call, c->since_ms, since);
        str_addf(&line, "the %s fails since %s (%s); next try %s", names[i], since,
                 label("fault", c->reason), when);
        printf("  !       ");
        plain_wrap(str_z(&line), 10, call->width, stdout);
    }
}

static void waiting(const struct call *call, const struct view_mailbox *m)
{
    for (size_t i = 0; i < m->waiting_count; i++) {
        printf("            %4" PRId64 "  ", m->waiting[i].count);
        plain_wrap(label("reason", m->waiting[i].name), 18, call->width, stdout);
    }
}

static void states(const struct call *call, const struct view_mailbox *m)
{
    for (size_t i = 0; i < ITEM_STATE_COUNT; i++) {
        count_line(call, m->state[i], label("state", item_state_text((enum item_state)i)));
        if (i == ITEM_NEEDS_RECONCILIATION)
            waiting(call, m);
    }
    count_line(call, m->duplicates, m->duplicates == 1 ? "copy" : "copies");
}

static void asks(const struct call *call, const struct view_mailbox *m)
{
    CLEANUP(str_clear) struct str line = STR_INIT;
    if (m->not_told > 0)
        count_line(call, m->not_told,
                   m->not_told == 1 ? "sender was not told: onecase items --not-told"
                                    : "senders were not told: onecase items --not-told");
    str_addf(&line, "from before the first start: onecase first-import %s cases|full|adopt", m->id);
    if (m->awaiting_choice > 0)
        count_line(call, m->awaiting_choice, str_z(&line));
    if (m->backlog > 0)
        count_line(call, m->backlog, "seen, not yet taken in");
}

static void secrets(const struct call *call, const char *id)
{
    const struct config_mailbox *m = config_find_mailbox(call->ops->config, id);
    struct expiring expiring[EXPIRING_MOST];
    size_t count = m ? config_expiring(m, call->now_ms, expiring) : 0;
    for (size_t i = 0; i < count; i++)
        printf("  !       %s\n", expiring[i].text);
}

static void quota(const struct call *call, const struct view_mailbox *m)
{
    const struct config_mailbox *set = config_find_mailbox(call->ops->config, m->id);
    const struct quota_part part = quota_fullest(&m->quota);
    CLEANUP(str_clear) struct str text = STR_INIT;
    if (!set || part.limit == 0)
        return;
    quota_words(&part, &text);
    printf("  %s%s\n", part.percent >= (int64_t)set->quota_warning ? "!       " : "", str_z(&text));
}

static void mailbox_page(const struct call *call, const struct view_mailbox *m)
{
    char text[32];
    bool gone = strcmp(m->mode, "gone") == 0;
    printf("%s%s%s (%s)\n", call->terminal ? "\033[1m" : "", m->id, call->terminal ? "\033[0m" : "",
           gone ? "not in the configuration any more" : m->mode);
    states(call, m);
    asks(call, m);
    circuits(call, m);
    secrets(call, m->id);
    quota(call, m);
    if (m->paused)
        printf("  !       paused: onecase resume --mailbox %s --by NAME --reason TEXT\n", m->id);
    if (m->claim_owner[0])
        printf("  !       belongs to another deployment: %s\n", m->claim_owner);
    if (m->oldest_incomplete_ms != NOT_DUE) {
        period_age(call->now_ms - m->oldest_incomplete_ms, text);
        printf("  oldest that is not complete: %s\n", text);
    }
    when_cell(call, m->last_success_ms, text);
    printf("  last success: %s\n", text[0] ? text : "never");
    say_line(call, "  last error:", m->last_error);
}

/* Who is told of all this, where they cannot be. */
static enum rc untold(const struct call *call, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *v = call->ops->views;
    TRY(v->channels(v->self, &view, err));
    const struct view_channel *c = view.row;
    for (size_t i = 0; i < view.count; i++) {
        CLEANUP(str_clear) struct str line = STR_INIT;
        char since[32];
        if (c[i].failing_since_ms == NOT_DUE || !notices_use(call->ops->config, c[i].channel))
            continue;
        when_cell(call, c[i].failing_since_ms, since);
        str_addf(&line, "notices by %s fail since %s: %s", c[i].channel, since, c[i].why);
        printf("\n  !       ");
        plain_wrap(str_z(&line), 10, call->width, stdout);
    }
    return RC_OK;
}

static enum rc last_backup(const struct call *call, int64_t *out, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *v = call->ops->views;
    TRY(v->numbers(v->self, &view, err));
    const struct view_numbers *n = view.row;
    *out = n->backup_ms;
    return RC_OK;
}

/* Where there is one: others may save the ledger by other means. */
static enum rc backups(const struct call *call, struct err *err)
{
    int64_t most_ms = call->ops->config->backup_age_ms, at_ms;
    char text[32];
    TRY(last_backup(call, &at_ms, err));
    if (at_ms == NOT_DUE)
        return RC_OK;
    period_age(call->now_ms - at_ms, text);
    printf("\n  %slast backup: %s ago\n",
           most_ms > 0 && call->now_ms - at_ms > most_ms ? "!       " : "", text);
    return RC_OK;
}

static int status_json(const struct call *call, const struct all *all)
{
    const struct view shown = {.row = all->row, .count = all->count};
    CLEANUP(str_clear) struct str out = STR_INIT;
    struct err err = ERR_INIT;
    int64_t backup_ms;
    if (last_backup(call, &backup_ms, &err) != RC_OK)
        return failed(&err);
    json_status(&shown, backup_ms, call->now_ms, &out);
    print(&out);
    return EXIT_DONE;
}

int cmd_status(struct call *call)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(all_clear) struct all all = {.count = 0};
    struct err err = ERR_INIT;
    const struct views *v = call->ops->views;
    if (v->mailboxes(v->self, call->now_ms, &view, &err) != RC_OK)
        return failed(&err);
    gather(call, &view, &all);
    if (call->json)
        return status_json(call, &all);
    for (size_t i = 0; i < all.count; i++) {
        printf("%s", i > 0 ? "\n" : "");
        mailbox_page(call, &all.row[i]);
    }
    return backups(call, &err) == RC_OK && untold(call, &err) == RC_OK ? EXIT_DONE : failed(&err);
}
