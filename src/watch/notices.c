/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/front.h>
#include <onecase/notices.h>
#include <onecase/when.h>
#include <stdlib.h>
#include <string.h>

/* What comes and goes is not worth a notice each time. */
#define LASTED MINUTES(5)

/* After a failure: five minutes, doubled up to an hour; where somebody must change something, an hour. */
#define RETRY_FIRST MINUTES(5)
#define RETRY_MOST  HOURS(1)

/* clang-format off */
static const struct { const char *kind; int64_t lasted_ms; const char *over; } kinds[] = {
    { "claim-lost",  0,      "is this deployment's again"              },
    { "imap-server", LASTED, "the IMAP server works again"             },
    { "smtp-server", LASTED, "the SMTP server works again"             },
    { "destination", LASTED, "the destination works again"             },
    { "scanner",     LASTED, "the virus scanner works again"           },
    { "silence",     LASTED, "it is looked at again"                   },
    { "waiting",     0,      "nothing waits for a decision"            },
    { "waiting-age", 0,      "nothing waits long for a decision"       },
    { "not-told",    0,      "every sender was told"                   },
    { "choice",      0,      "the choice about mail from before stands" },
    { "backlog",     LASTED, "the backlog is worked off"               },
    { "oldest",      LASTED, "no mail is incomplete for long"          },
    { "imap-secret", 0,      "the secret for its IMAP server is new"   },
    { "smtp-secret", 0,      "the secret for its SMTP server is new"   },
    { "quota",       0,      "the mailbox has room again"              },
    { "disk",        0,      "the disk has room again"                 },
    { "backup",      0,      "there is a new backup"                   },
    { "webhook",     LASTED, "webhooks work again"                     },
    { "webhook-dead",0,      "no dead letter of a webhook is left"     },
    { "died",        0,      "no process died lately"                  },
};
/* clang-format on */

static const char *const level_words[LEVEL_COUNT] = {"", "warning", "critical"};

struct turning {
    const struct operations *ops;
    const struct config_notify *set;
    const struct notifier *notifier;
    const struct troubles *now;
    int64_t now_ms;
    struct notice_memory *memory; /* of before */
    size_t memories;
    struct notice_memory *next; /* once what is said has been taken */
    size_t nexts;
    struct notice_memory *seen; /* where nothing is said, or it is not taken */
    size_t seens;
    struct notice_line *line;
    size_t lines;
    bool urgent;
};

static void turning_clear(struct turning *t)
{
    free(t->memory);
    free(t->next);
    free(t->seen);
    free(t->line);
}

/* ---- what is to be said ------------------------------------------------------------------------------- */

static bool wants(const struct config_notify *set, const char *event)
{
    for (size_t i = 0; i < set->events.count; i++)
        if (strcmp(set->events.at[i], event) == 0)
            return true;
    return false;
}

/* A channel that fails cannot tell of itself, and what a person did on purpose is known. */
static bool is_told(const struct turning *t, const struct trouble *trouble)
{
    if (trouble->sort == SORT_QUIET || strcmp(trouble->kind, "notices") == 0)
        return false;
    return wants(t->set, trouble->sort == SORT_DECISION ? "decisions" : "trouble");
}

static const struct notice_memory *remembered(const struct turning *t,
                                              const struct trouble *trouble)
{
    for (size_t i = 0; i < t->memories; i++)
        if (strcmp(t->memory[i].trouble, trouble->kind) == 0 &&
            strcmp(t->memory[i].mailbox, trouble->mailbox) == 0)
            return &t->memory[i];
    return NULL;
}

static void keep(struct notice_memory **list, size_t *count, const struct notice_memory *one)
{
    *list = mem_grow(*list, *count + 1, sizeof **list);
    (*list)[(*count)++] = *one;
}

static void add_line(struct turning *t, const struct notice_line *line)
{
    t->line = mem_grow(t->line, t->lines + 1, sizeof *t->line);
    t->line[t->lines++] = *line;
}

static int64_t lasted_of(const char *kind)
{
    for (size_t i = 0; i < LENGTH(kinds); i++)
        if (strcmp(kinds[i].kind, kind) == 0)
            return kinds[i].lasted_ms;
    return LASTED;
}

static enum level level_of(const char *word)
{
    for (int i = LEVEL_CRITICAL; i > LEVEL_OK; i--)
        if (strcmp(level_words[i], word) == 0)
            return (enum level)i;
    return LEVEL_OK;
}

/* One that is there: it is new, worse than it was told, told again after a while, or known. */
static void one_trouble(struct turning *t, const struct trouble *trouble)
{
    const struct notice_memory *before = remembered(t, trouble);
    struct notice_memory m = {.since_ms = t->now_ms};
    if (before)
        m = *before;
    text_copy(m.trouble, sizeof m.trouble, trouble->kind);
    text_copy(m.mailbox, sizeof m.mailbox, trouble->mailbox);
    keep(&t->seen, &t->seens, &m);
    bool worse = trouble->level > level_of(m.told);
    bool lasted = t->now_ms - m.since_ms >= lasted_of(trouble->kind);
    int64_t stage = t->set->remind_ms > 0 ? (t->now_ms - m.since_ms) / t->set->remind_ms : 0;
    bool again = m.told[0] && stage > m.stage;
    if ((worse && lasted) || again) {
        int64_t since = trouble->since_ms != NOT_DUE ? trouble->since_ms : m.since_ms;
        const struct notice_line line = {.state = worse ? NOTICE_NEW : NOTICE_STILL,
                                         .kind = trouble->kind,
                                         .mailbox = trouble->mailbox,
                                         .level = level_words[trouble->level],
                                         .text = trouble->text,
                                         .since_ms = since};
        add_line(t, &line);
        t->urgent |= worse && trouble->level == LEVEL_CRITICAL;
        text_copy(m.told, sizeof m.told, level_words[trouble->level]);
        m.stage = stage;
    }
    keep(&t->next, &t->nexts, &m);
}

static bool is_there(const struct turning *t, const struct notice_memory *m)
{
    for (size_t i = 0; i < t->now->count; i++)
        if (is_told(t, &t->now->trouble[i]) && strcmp(t->now->trouble[i].kind, m->trouble) == 0 &&
            strcmp(t->now->trouble[i].mailbox, m->mailbox) == 0)
            return true;
    return false;
}

/* One that was told and is over. What was never told goes without a word. */
static void one_over(struct turning *t, const struct notice_memory *m)
{
    if (is_there(t, m) || !m->told[0] || !wants(t->set, "clear"))
        return;
    keep(&t->seen, &t->seens, m);
    struct notice_line line = {
        .state = NOTICE_OVER, .mailbox = m->mailbox, .level = m->told, .since_ms = m->since_ms};
    for (size_t i = 0; i < LENGTH(kinds); i++)
        if (strcmp(kinds[i].kind, m->trouble) == 0) {
            line.kind = kinds[i].kind;
            line.text = kinds[i].over;
            add_line(t, &line);
        }
}

/* ---- in words ------------------------------------------------------------------------------------------ */

static void say_line(const struct turning *t, const struct notice_line *l, struct str *out)
{
    char since[32];
    period_text(l->since_ms, t->now_ms, since);
    str_addf(out, "  %s%s%s", l->mailbox, l->mailbox[0] ? ": " : "", l->text);
    if (l->state != NOTICE_OVER && !strstr(l->text, since))
        str_addf(out, " (since %s)", since);
    if (l->state != NOTICE_OVER && strcmp(l->level, "critical") == 0)
        str_addz(out, " !");
    str_addc(out, '\n');
}

static void
say_state(const struct turning *t, enum notice_state state, const char *head, struct str *out)
{
    bool first = true;
    for (size_t i = 0; i < t->lines; i++) {
        if (t->line[i].state != state)
            continue;
        if (first)
            str_addf(out, "%s\n", head);
        first = false;
        say_line(t, &t->line[i], out);
    }
    if (!first)
        str_addc(out, '\n');
}

static void say_text(const struct turning *t, struct str *out)
{
    const struct config *c = t->ops->config;
    str_addf(out, "onecase, deployment %s (%s):\n\n", c->name, c->environment);
    say_state(t, NOTICE_NEW, "New", out);
    say_state(t, NOTICE_STILL, "Still so", out);
    say_state(t, NOTICE_OVER, "Over", out);
    str_addz(out, "What to type there: onecase status; onecase decide, where a decision waits.\n"
                  "Nothing of any mail stands in this message, and nobody reads answers to it.\n");
}

static void say_subject(const struct turning *t, struct str *out)
{
    const struct notice_line *l = &t->line[0];
    str_addf(out, "[onecase %s] %s%s%s%s", t->ops->config->name,
             l->state == NOTICE_OVER ? "over: " : "", l->mailbox, l->mailbox[0] ? ": " : "",
             l->text);
    if (t->lines > 1)
        str_addf(out, ", and %zu more", t->lines - 1);
}

/* The same for the same troubles, whatever their words are by now: who got it twice can see it. */
static void id_of(const struct turning *t, char out[33])
{
    CLEANUP(str_clear) struct str all = STR_INIT;
    char hex[DIGEST_HEX_SIZE];
    str_addz(&all, t->notifier->channel);
    for (size_t i = 0; i < t->lines; i++) {
        const struct notice_line *l = &t->line[i];
        str_addf(&all, "\n%s %s %s %s %lld", notice_state_text(l->state), l->kind, l->mailbox,
                 l->level, (long long)l->since_ms);
    }
    const struct digest digest = sha256_of(str_slice(&all));
    digest_hex(&digest, hex);
    text_copy(out, 33, hex);
}

/* ---- one channel --------------------------------------------------------------------------------------- */

bool notices_use(const struct config *config, const char *channel)
{
    const struct config_notify *n = &config->notify;
    if (strcmp(channel, "mail") == 0)
        return n->to.count > 0 || n->report != CONFIG_REPORT_NEVER;
    return n->webhook[0] != '\0';
}

enum outcome notices_outcome(enum rc rc)
{
    if (rc == RC_OK)
        return OUTCOME_DONE;
    return rc == RC_UNKNOWN    ? OUTCOME_UNKNOWN
           : rc == RC_DEFERRED ? OUTCOME_DEFERRED
                               : OUTCOME_REFUSED;
}

/* May one leave now? */
static enum rc may_leave(const struct turning *t, bool *out, struct err *err)
{
    const struct ledger *l = t->ops->ledger;
    struct notice_record r;
    TRY(l->notices->record(l->self, t->notifier->channel, t->now_ms - t->set->rate.window_ms, &r,
                           err));
    int64_t pause = RETRY_FIRST;
    for (int64_t i = 1; i < r.failures && pause < RETRY_MOST; i++)
        pause *= 2;
    bool early = r.failures > 0 && t->now_ms - r.last_try_ms < pause;
    bool soon = !t->urgent && r.last_done_ms > 0 && t->now_ms - r.last_done_ms < t->set->digest_ms;
    bool many = t->set->rate.count > 0 && r.sent >= t->set->rate.count;
    *out = !early && !soon && !many;
    return RC_OK;
}

static enum rc say(struct turning *t, bool *taken, struct err *err)
{
    CLEANUP(str_clear) struct str subject = STR_INIT;
    CLEANUP(str_clear) struct str text = STR_INIT;
    const struct ledger *l = t->ops->ledger;
    struct err why = ERR_INIT;
    say_subject(t, &subject);
    say_text(t, &text);
    struct notice notice = {.deployment = t->ops->config->name,
                            .environment = t->ops->config->environment,
                            .at_ms = t->now_ms,
                            .subject = str_z(&subject),
                            .text = str_z(&text),
                            .line = t->line,
                            .lines = t->lines};
    id_of(t, notice.id);
    enum rc rc = t->notifier->send(t->notifier->self, &notice, &why);
    *taken = rc == RC_OK;
    const struct notice_try tried = {t->notifier->channel, notices_outcome(rc), "troubles",
                                     rc == RC_OK ? "" : why.text, t->now_ms};
    return l->notices->tried(l->self, &tried, err);
}

static bool same(const struct turning *t, const struct notice_memory *list, size_t count)
{
    if (count != t->memories)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct notice_memory *m = &list[i];
        const struct trouble as = {.kind = m->trouble};
        struct trouble find = as;
        text_copy(find.mailbox, sizeof find.mailbox, m->mailbox);
        const struct notice_memory *before = remembered(t, &find);
        if (!before || before->since_ms != m->since_ms || before->stage != m->stage ||
            strcmp(before->told, m->told) != 0)
            return false;
    }
    return true;
}

static enum rc store_memory(const struct turning *t,
                            const struct notice_memory *list,
                            size_t count,
                            struct err *err)
{
    const struct ledger *l = t->ops->ledger;
    if (same(t, list, count))
        return RC_OK;
    return l->notices->remember(l->self, t->notifier->channel, list, count, err);
}

static enum rc one_channel(struct turning *t, struct err *err)
{
    const struct ledger *l = t->ops->ledger;
    bool leaves = false, taken = false;
    TRY(l->notices->recall(l->self, t->notifier->channel, &t->memory, &t->memories, err));
    for (size_t i = 0; i < t->now->count; i++)
        if (is_told(t, &t->now->trouble[i]))
            one_trouble(t, &t->now->trouble[i]);
    for (size_t i = 0; i < t->memories; i++)
        one_over(t, &t->memory[i]);
    if (t->lines > 0)
        TRY(may_leave(t, &leaves, err));
    if (leaves)
        TRY(say(t, &taken, err));
    return taken ? store_memory(t, t->next, t->nexts, err)
                 : store_memory(t, t->seen, t->seens, err);
}

enum rc notices_turn(const struct operations *ops,
                     const struct notifier *notifier,
                     size_t notifiers,
                     int64_t now_ms,
                     struct err *err)
{
    CLEANUP(troubles_clear) struct troubles troubles = {.count = 0};
    struct limits limits = limits_default;
    limits.at[MEASURE_WAITING][LEVEL_WARNING] = 0;
    limits.at[MEASURE_WAITING_AGE][LEVEL_WARNING] = ops->config->notify.waiting_ms / 1000;
    TRY(troubles_find(ops, &limits, NULL, now_ms, &troubles, err));
    for (size_t i = 0; i < notifiers; i++) {
        CLEANUP(turning_clear)
        struct turning t = {.ops = ops,
                            .set = &ops->config->notify,
                            .notifier = &notifier[i],
                            .now = &troubles,
                            .now_ms = now_ms};
        TRY(one_channel(&t, err));
    }
    return RC_OK;
}
