/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/metrics.h>
#include <onecase/notices.h>
#include <onecase/when.h>
#include <inttypes.h>
#include <string.h>

struct metric;

/* All that the numbers are taken from, and the text that they become. */
struct writing {
    const struct config *config;
    const struct view_mailbox *mailbox;
    size_t mailboxes;
    const struct view_channel *channel;
    size_t channels;
    const struct view_numbers *numbers;
    struct installation here;
    int64_t now_ms;
    struct str *out;
};

struct metric {
    const char *name, *type, *help;
    void (*write)(struct writing *w, const struct metric *m);
    /* For those that have one number a mailbox. */
    int64_t (*of_mailbox)(const struct writing *w, const struct view_mailbox *m);
};

/* ---- lines --------------------------------------------------------------------------------------------- */

/* Backslash, quote and line feed are what a label must escape; no word of ours has another control. */
static void add_value(struct str *out, const char *value)
{
    for (; *value; value++) {
        if (*value == '\n') {
            str_addz(out, "\\n");
            continue;
        }
        if (*value == '\\' || *value == '"')
            str_addc(out, '\\');
        str_addc(out, *value);
    }
}

struct label_of {
    const char *name, *value;
};

static void add_labels(struct str *out, const struct label_of *label, size_t labels)
{
    for (size_t i = 0; i < labels; i++) {
        str_addf(out, "%s%s=\"", i > 0 ? "," : "{", label[i].name);
        add_value(out, label[i].value);
        str_addc(out, '"');
    }
    if (labels > 0)
        str_addc(out, '}');
}

static void line(const struct writing *w,
                 const struct metric *m,
                 const struct label_of *label,
                 size_t labels,
                 int64_t n)
{
    str_addz(w->out, m->name);
    add_labels(w->out, label, labels);
    str_addf(w->out, " %" PRId64 "\n", n);
}

#define LINE(w, m, n, ...)                                                                         \
    line(w, m, (const struct label_of[]){__VA_ARGS__},                                             \
         LENGTH(((const struct label_of[]){__VA_ARGS__})), n)

/* ---- where a number comes from ----------------------------------------------------------------------- */

static void each_mailbox(struct writing *w, const struct metric *m)
{
    for (size_t i = 0; i < w->mailboxes; i++)
        LINE(w, m, m->of_mailbox(w, &w->mailbox[i]), {"mailbox", w->mailbox[i].id});
}

static int64_t seconds_since(const struct writing *w, int64_t at_ms)
{
    return at_ms == NOT_DUE || at_ms > w->now_ms ? 0 : (w->now_ms - at_ms) / 1000;
}

static int64_t not_told_of(const struct writing *w, const struct view_mailbox *m)
{
    (void)w;
    return m->not_told;
}

static int64_t backlog_of(const struct writing *w, const struct view_mailbox *m)
{
    (void)w;
    return m->backlog;
}

static int64_t awaiting_of(const struct writing *w, const struct view_mailbox *m)
{
    (void)w;
    return m->awaiting_choice;
}

static int64_t difference_of(const struct writing *w, const struct view_mailbox *m)
{
    (void)w;
    return m->difference;
}

static int64_t paused_of(const struct writing *w, const struct view_mailbox *m)
{
    (void)w;
    return m->paused;
}

static int64_t lost_of(const struct writing *w, const struct view_mailbox *m)
{
    (void)w;
    return m->claim_owner[0] != '\0';
}

static int64_t oldest_of(const struct writing *w, const struct view_mailbox *m)
{
    return seconds_since(w, m->oldest_incomplete_ms);
}

static int64_t last_success_of(const struct writing *w, const struct view_mailbox *m)
{
    (void)w;
    return m->last_success_ms / 1000;
}

static int64_t up_of(const struct writing *w, const struct view_mailbox *m)
{
    return m->last_success_ms > 0 && m->circuit[CIRCUIT_IMAP].state == CIRCUIT_CLOSED &&
           !m->claim_owner[0] &&
           w->now_ms - m->last_success_ms <= watch_silence_ms(w->config, m->id);
}

static int64_t longest_wait_of(const struct writing *w, const struct view_mailbox *m)
{
    int64_t longest = 0;
    for (size_t i = 0; i < w->numbers->waiting.count; i++) {
        const struct view_number *n = &w->numbers->waiting.at[i];
        int64_t waited = seconds_since(w, n->oldest_ms);
        if (strcmp(n->mailbox, m->id) == 0 && waited > longest)
            longest = waited;
    }
    return longest;
}

static void items(struct writing *w, const struct metric *m)
{
    for (size_t i = 0; i < w->mailboxes; i++) {
        const struct view_mailbox *box = &w->mailbox[i];
        for (size_t s = 0; s < ITEM_STATE_COUNT; s++)
            LINE(w, m, box->state[s], {"mailbox", box->id},
                 {"state", item_state_text((enum item_state)s)});
        LINE(w, m, box->duplicates, {"mailbox", box->id}, {"state", "duplicate"});
    }
}

/* How many of a list have this mailbox and this word; a word that does not occur counts 0, so that no
 * series begins by its first happening. */
static int64_t count_of(const struct view_numbers_list *list, const char *mailbox, const char *word)
{
    int64_t sum = 0;
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->at[i].mailbox, mailbox) == 0 && strcmp(list->at[i].word, word) == 0)
            sum += list->at[i].count;
    return sum;
}

static void waiting(struct writing *w, const struct metric *m)
{
    for (size_t i = 0; i < w->mailboxes; i++)
        for (size_t r = 0; r < REASON_COUNT; r++) {
            const char *word = reason_text((enum reason)r);
            if (r != REASON_NONE)
                LINE(w, m, count_of(&w->numbers->waiting, w->mailbox[i].id, word),
                     {"mailbox", w->mailbox[i].id}, {"reason", word});
        }
}

static void deliveries(struct writing *w, const struct metric *m)
{
    for (size_t i = 0; i < w->mailboxes; i++)
        for (size_t c = 0; c < DELIVERY_CLASS_COUNT; c++) {
            const char *word = delivery_class_text((enum delivery_class)c);
            LINE(w, m, count_of(&w->numbers->deliveries, w->mailbox[i].id, word),
                 {"mailbox", w->mailbox[i].id}, {"class", word});
        }
}

static void attempts(struct writing *w, const struct metric *m)
{
    static const enum outcome outcomes[] = {OUTCOME_DONE, OUTCOME_REFUSED, OUTCOME_DEFERRED,
                                            OUTCOME_UNKNOWN};
    const struct view_numbers_list *list = &w->numbers->attempts;
    for (size_t k = 0; k < EFFECT_KIND_COUNT; k++)
        for (size_t o = 0; o < LENGTH(outcomes); o++) {
            const char *kind = effect_kind_text((enum effect_kind)k);
            int64_t n = 0;
            for (size_t i = 0; i < list->count; i++)
                if (strcmp(list->at[i].word, kind) == 0 &&
                    strcmp(list->at[i].other, outcome_text(outcomes[o])) == 0)
                    n = list->at[i].count;
            LINE(w, m, n, {"kind", kind}, {"outcome", outcome_text(outcomes[o])});
        }
}

static void steps(struct writing *w, const struct metric *m)
{
    const struct view_numbers_list *list = &w->numbers->steps;
    for (size_t i = 0; i < list->count; i++)
        if (config_find_mailbox(w->config, list->at[i].mailbox))
            LINE(w, m, list->at[i].count, {"mailbox", list->at[i].mailbox},
                 {"kind", list->at[i].word}, {"status", list->at[i].other});
}

static void decisions(struct writing *w, const struct metric *m)
{
    for (size_t d = 0; d < DECISION_COUNT; d++) {
        const char *word = decision_text((enum decision)d);
        LINE(w, m, count_of(&w->numbers->decisions, "", word), {"decision", word});
    }
}

static void replays(struct writing *w, const struct metric *m)
{
    line(w, m, NULL, 0, count_of(&w->numbers->decisions, "", "replay"));
}

static void latency(struct writing *w, const struct metric *m)
{
    const struct view_numbers *n = w->numbers;
    for (size_t i = 0; i < n->latency_bounds; i++)
        str_addf(w->out, "%s_bucket{le=\"%" PRId64 "\"} %" PRId64 "\n", m->name,
                 n->latency_bound_ms[i] / 1000, n->latency[i]);
    str_addf(w->out, "%s_bucket{le=\"+Inf\"} %" PRId64 "\n", m->name, n->latency_count);
    str_addf(w->out, "%s_sum %" PRId64 ".%03d\n", m->name, n->latency_sum_ms / 1000,
             (int)(n->latency_sum_ms % 1000));
    str_addf(w->out, "%s_count %" PRId64 "\n", m->name, n->latency_count);
}

static void circuits(struct writing *w, const struct metric *m)
{
    static const char *const service[] = {CIRCUIT_OF_LIST(CIRCUIT_WORD)};
    for (size_t i = 0; i < w->mailboxes; i++)
        for (size_t c = 0; c < CIRCUIT_OF_COUNT; c++)
            LINE(w, m, w->mailbox[i].circuit[c].state != CIRCUIT_CLOSED,
                 {"mailbox", w->mailbox[i].id}, {"service", service[c]});
}

static void runs(struct writing *w, const struct metric *m)
{
    LINE(w, m, count_of(&w->numbers->runs, "", "left"), {"ended", "left"});
    LINE(w, m, count_of(&w->numbers->runs, "", "dead"), {"ended", "dead"});
}

static void running(struct writing *w, const struct metric *m)
{
    line(w, m, NULL, 0, count_of(&w->numbers->runs, "", ""));
}

static void events(struct writing *w, const struct metric *m)
{
    line(w, m, NULL, 0, w->numbers->events);
}

static void disk_free(struct writing *w, const struct metric *m)
{
    if (w->here.disk_free >= 0)
        line(w, m, NULL, 0, w->here.disk_free);
}

static void disk_reserve(struct writing *w, const struct metric *m)
{
    line(w, m, NULL, 0, w->config->disk_reserve);
}

static void last_backup(struct writing *w, const struct metric *m)
{
    line(w, m, NULL, 0, w->numbers->backup_ms == NOT_DUE ? 0 : w->numbers->backup_ms / 1000);
}

/* Of those whose server has QUOTA and says such a limit. */
static void quota(struct writing *w, const struct metric *m)
{
    for (size_t i = 0; i < w->mailboxes; i++)
        if (m->of_mailbox(w, &w->mailbox[i]) >= 0)
            LINE(w, m, m->of_mailbox(w, &w->mailbox[i]), {"mailbox", w->mailbox[i].id});
}

static int64_t used_octets_of(const struct writing *w, const struct view_mailbox *m)
{
    (void)w;
    return m->quota.limit_octets > 0 ? m->quota.used_octets : -1;
}

static int64_t limit_octets_of(const struct writing *w, const struct view_mailbox *m)
{
    (void)w;
    return m->quota.limit_octets > 0 ? m->quota.limit_octets : -1;
}

static int64_t used_messages_of(const struct writing *w, const struct view_mailbox *m)
{
    (void)w;
    return m->quota.limit_messages > 0 ? m->quota.used_messages : -1;
}

static int64_t limit_messages_of(const struct writing *w, const struct view_mailbox *m)
{
    (void)w;
    return m->quota.limit_messages > 0 ? m->quota.limit_messages : -1;
}

/* Of those whose end was said. */
static void secrets(struct writing *w, const struct metric *m)
{
    for (size_t i = 0; i < w->config->mailboxes.count; i++) {
        const struct config_mailbox *box = &w->config->mailboxes.at[i];
        int64_t imap = box->imap.auth.expires_ms;
        int64_t smtp = box->acknowledgement.enabled ? box->acknowledgement.smtp.auth.expires_ms : 0;
        if (imap != 0)
            LINE(w, m, imap / 1000, {"mailbox", box->id}, {"service", "imap"});
        if (smtp != 0)
            LINE(w, m, smtp / 1000, {"mailbox", box->id}, {"service", "smtp"});
    }
}

static void notices(struct writing *w, const struct metric *m)
{
    const struct view_numbers_list *list = &w->numbers->notices;
    for (size_t i = 0; i < list->count; i++)
        LINE(w, m, list->at[i].count, {"channel", list->at[i].word},
             {"outcome", list->at[i].other});
}

static void notices_failing(struct writing *w, const struct metric *m)
{
    for (size_t i = 0; i < w->channels; i++)
        if (notices_use(w->config, w->channel[i].channel))
            LINE(w, m, seconds_since(w, w->channel[i].failing_since_ms),
                 {"channel", w->channel[i].channel});
}

static void webhooks_waiting(struct writing *w, const struct metric *m)
{
    for (size_t i = 0; i < w->numbers->webhooks; i++)
        LINE(w, m, w->numbers->webhook[i].waiting, {"webhook", w->numbers->webhook[i].name});
}

static void webhooks_dead(struct writing *w, const struct metric *m)
{
    for (size_t i = 0; i < w->numbers->webhooks; i++)
        LINE(w, m, w->numbers->webhook[i].dead, {"webhook", w->numbers->webhook[i].name});
}

static void webhooks_told(struct writing *w, const struct metric *m)
{
    for (size_t i = 0; i < w->numbers->webhooks; i++)
        LINE(w, m, w->numbers->webhook[i].done, {"webhook", w->numbers->webhook[i].name});
}

static void webhooks_failing(struct writing *w, const struct metric *m)
{
    for (size_t i = 0; i < w->numbers->webhooks; i++)
        LINE(w, m, seconds_since(w, w->numbers->webhook[i].failing_since_ms),
             {"webhook", w->numbers->webhook[i].name});
}

static void build(struct writing *w, const struct metric *m)
{
    LINE(w, m, 1, {"version", w->here.version});
}

/* ---- the table ----------------------------------------------------------------------------------------- */

#define EACH(fn) each_mailbox, fn

/* A new metric: its row, and its row in the table of deploy/monitoring/README.md. */
/* clang-format off */
static const struct metric metrics[] = {
/*    name                                      type         what it says                                                                                 where it comes from */
    { "onecase_up",                             "gauge",     "1 where the mailbox was looked at lately and is this deployment's.",                        EACH(up_of)           },
    { "onecase_items",                          "gauge",     "Mails by state; duplicate counts further arrivals of one.",                                 items, NULL           },
    { "onecase_waiting",                        "gauge",     "Mails that wait for a person, by reason.",                                                  waiting, NULL         },
    { "onecase_waiting_oldest_seconds",         "gauge",     "For how long the longest of them has waited.",                                              EACH(longest_wait_of) },
    { "onecase_not_told",                       "gauge",     "Senders whose confirmation was refused or given up.",                                       EACH(not_told_of)     },
    { "onecase_deliveries_total",               "counter",   "Arrivals by class.",                                                                        deliveries, NULL      },
    { "onecase_effect_attempts_total",          "counter",   "Tries of steps by kind and outcome.",                                                       attempts, NULL        },
    { "onecase_open_effects",                   "gauge",     "Steps under way, put off, refused or in doubt.",                                            steps, NULL           },
    { "onecase_oldest_incomplete_seconds",      "gauge",     "Age of the oldest mail that is not complete.",                                              EACH(oldest_of)       },
    { "onecase_backlog_messages",               "gauge",     "Messages seen in the inbox and not yet taken in.",                                          EACH(backlog_of)      },
    { "onecase_awaiting_choice_messages",       "gauge",     "Messages from before the first start that wait for the choice.",                            EACH(awaiting_of)     },
    { "onecase_mailbox_difference",             "gauge",     "Messages still to be filed that the inbox had no more at the last look.",                   EACH(difference_of)   },
    { "onecase_mailbox_quota_used_bytes",       "gauge",     "What the mailbox's server counts to its quota, where it says one.",                         quota, used_octets_of },
    { "onecase_mailbox_quota_limit_bytes",      "gauge",     "The quota: with more than this the server takes no mail for it.",                           quota, limit_octets_of },
    { "onecase_mailbox_quota_used_messages",    "gauge",     "Messages that the server counts, where it limits their number.",                            quota, used_messages_of },
    { "onecase_mailbox_quota_limit_messages",   "gauge",     "How many messages the server lets the mailbox have.",                                       quota, limit_messages_of },
    { "onecase_replays_total",                  "counter",   "Replays by a person.",                                                                      replays, NULL         },
    { "onecase_decisions_total",                "counter",   "Decisions by a person.",                                                                    decisions, NULL       },
    { "onecase_acknowledgement_latency_seconds","histogram", "From arrival in the mailbox to acceptance by the mail server.",                             latency, NULL         },
    { "onecase_circuit_open",                   "gauge",     "1 where a server fails for everybody and is left alone but for one probe at a time.",       circuits, NULL        },
    { "onecase_paused",                         "gauge",     "1 where a person has paused the mailbox.",                                                  EACH(paused_of)       },
    { "onecase_claim_lost",                     "gauge",     "1 where the mailbox belongs to another deployment.",                                        EACH(lost_of)         },
    { "onecase_last_success_timestamp_seconds", "gauge",     "When the mailbox was last looked at without a failure; 0 is never.",                        EACH(last_success_of) },
    { "onecase_runs",                           "gauge",     "Processes that are not known to have ended.",                                               running, NULL         },
    { "onecase_runs_ended_total",               "counter",   "Processes that left in order, or were found dead.",                                         runs, NULL            },
    { "onecase_events_total",                   "counter",   "Lines of the ledger's chain of events.",                                                    events, NULL          },
    { "onecase_disk_free_bytes",                "gauge",     "Room on the disk of data_dir.",                                                             disk_free, NULL       },
    { "onecase_disk_reserve_bytes",             "gauge",     "With less room than this nothing new is taken in.",                                         disk_reserve, NULL    },
    { "onecase_last_backup_timestamp_seconds",  "gauge",     "When the last backup was taken; 0 is never.",                                               last_backup, NULL     },
    { "onecase_secret_expires_timestamp_seconds","gauge",    "When the secret for a server expires, where the configuration says it.",                    secrets, NULL         },
    { "onecase_notices_total",                  "counter",   "Tries of notices by channel and outcome.",                                                  notices, NULL         },
    { "onecase_notices_failing_seconds",        "gauge",     "For how long notices by a channel have failed; 0 where the last went well.",                notices_failing, NULL },
    { "onecase_webhook_waiting",                "gauge",     "Posts to a webhook that are still to be taken.",                                            webhooks_waiting, NULL },
    { "onecase_webhook_dead",                   "gauge",     "Posts to a webhook that nobody tries any more, until a person acts.",                       webhooks_dead, NULL   },
    { "onecase_webhook_done_total",             "counter",   "Posts that a webhook's receiver has taken.",                                                webhooks_told, NULL   },
    { "onecase_webhook_failing_seconds",        "gauge",     "For how long a webhook has failed; 0 where the last post was taken.",                       webhooks_failing, NULL },
    { "onecase_build_info",                     "gauge",     "1, with the version.",                                                                      build, NULL           },
};
/* clang-format on */

const char *metrics_name(size_t number)
{
    return number < LENGTH(metrics) ? metrics[number].name : NULL;
}

int64_t watch_silence_ms(const struct config *config, const char *mailbox)
{
    const struct config_mailbox *m = config_find_mailbox(config, mailbox);
    int64_t polls = m ? 5 * m->poll_interval_ms : 0;
    return polls > MINUTES(5) ? polls : MINUTES(5);
}

static void write_all(struct writing *w)
{
    for (size_t i = 0; i < LENGTH(metrics); i++) {
        const struct metric *m = &metrics[i];
        str_addf(w->out, "# HELP %s %s\n# TYPE %s %s\n", m->name, m->help, m->name, m->type);
        m->write(w, m);
    }
}

/* Those of the configuration: one that was never looked at has no row in the ledger, and is down; one that
 * is configured no more is nobody's trouble. */
static size_t
configured(const struct config *config, const struct view *view, struct view_mailbox *out)
{
    static const struct circuit closed[CIRCUIT_OF_COUNT];
    const struct view_mailbox *seen = view->row;
    for (size_t i = 0; i < config->mailboxes.count; i++) {
        const char *id = config->mailboxes.at[i].id;
        out[i] = (struct view_mailbox){
            .id = id, .circuit = closed, .claim_owner = "", .oldest_incomplete_ms = NOT_DUE};
        for (size_t k = 0; k < view->count; k++)
            if (strcmp(seen[k].id, id) == 0)
                out[i] = seen[k];
    }
    return config->mailboxes.count;
}

enum rc metrics_text(const struct operations *ops, int64_t now_ms, struct str *out, struct err *err)
{
    CLEANUP(view_clear) struct view mailboxes = {0};
    CLEANUP(view_clear) struct view numbers = {0};
    CLEANUP(view_clear) struct view channels = {0};
    CLEANUP(mem_free) struct view_mailbox *all = NULL;
    struct writing w = {.config = ops->config, .now_ms = now_ms, .out = out};
    const struct views *v = ops->views;
    TRY(v->mailboxes(v->self, now_ms, &mailboxes, err));
    TRY(v->numbers(v->self, &numbers, err));
    TRY(v->channels(v->self, &channels, err));
    all = mem_new(ops->config->mailboxes.count + 1, sizeof *all);
    ops->look(ops->self, &w.here);
    w.mailbox = all;
    w.mailboxes = configured(ops->config, &mailboxes, all);
    w.channel = channels.row;
    w.channels = channels.count;
    w.numbers = numbers.row;
    write_all(&w);
    return RC_OK;
}
