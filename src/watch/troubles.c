/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/front.h>
#include <onecase/metrics.h>
#include <onecase/notices.h>
#include <onecase/troubles.h>
#include <onecase/when.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* A process that died is talked about for so long. */
#define DIED_LATELY HOURS(1)

struct finding_troubles {
    const struct operations *ops;
    const struct limits *limits;
    const struct view_numbers *numbers;
    int64_t now_ms;
    struct troubles *out;
};

/* ---- limits -------------------------------------------------------------------------------------------- */

#define MEASURE_DEFAULT(name, word, warning, critical, time) [name] = {0, warning, critical},
const struct limits limits_default = {.at = {MEASURE_LIST(MEASURE_DEFAULT)}};

#define MEASURE_ROW(name, word, warning, critical, time) {word, time},
static const struct {
    const char *word;
    bool is_time;
} measures[] = {MEASURE_LIST(MEASURE_ROW)};

const char *measure_text(enum measure measure)
{
    return measures[measure].word;
}

static bool number_of(struct slice text, bool is_time, int64_t *out)
{
    CLEANUP(str_clear) struct str copy = STR_INIT;
    char *end;
    int64_t ms;
    if (is_time && when_duration(text, &ms)) {
        *out = ms / 1000;
        return true;
    }
    str_add(&copy, text);
    *out = strtoll(str_z(&copy), &end, 10);
    return !is_time && end != str_z(&copy) && *end == '\0' && *out >= 0 && *out < INT64_C(1) << 40;
}

static enum rc limit_parse(struct slice one, enum level level, struct limits *out, struct err *err)
{
    size_t at = slice_find(one, '=', 0);
    for (size_t i = 0; i < MEASURE_COUNT; i++) {
        struct slice value = slice_cut(one, at + 1, one.len);
        if (!slice_eqz(slice_cut(one, 0, at), measures[i].word))
            continue;
        if (number_of(value, measures[i].is_time, &out->at[i][level]))
            return RC_OK;
        return FAIL(err, RC_USAGE, "%s takes %s", measures[i].word,
                    measures[i].is_time ? "a duration such as 4h" : "a number");
    }
    return FAIL(err, RC_USAGE,
                "limits are written waiting=1,waiting-age=4h,not-told=1,choice=1,backlog=1000,"
                "oldest=1d");
}

enum rc limits_parse(const char *text, enum level level, struct limits *out, struct err *err)
{
    struct slice rest = slice_z(text), one;
    while (rest.len > 0 && slice_next(&rest, ',', &one))
        TRY(limit_parse(one, level, out, err));
    return RC_OK;
}

/* ---- telling ------------------------------------------------------------------------------------------- */

static struct trouble *add(struct finding_troubles *f,
                           const char *kind,
                           const char *mailbox,
                           enum level level,
                           enum trouble_sort sort)
{
    struct troubles *t = f->out;
    t->trouble = mem_grow(t->trouble, t->count + 1, sizeof *t->trouble);
    struct trouble *one = &t->trouble[t->count++];
    *one = (struct trouble){.kind = kind, .level = level, .sort = sort, .since_ms = NOT_DUE};
    text_copy(one->mailbox, sizeof one->mailbox, mailbox);
    return one;
}

static void words(struct trouble *t, const char *format, ...) PRINTF(2, 3);
static void words(struct trouble *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(t->text, sizeof t->text, format, args);
    va_end(args);
}

/* ---- a mailbox ----------------------------------------------------------------------------------------- */

static void claim(struct finding_troubles *f, const struct view_mailbox *m)
{
    if (m->claim_owner[0])
        words(add(f, "claim-lost", m->id, LEVEL_CRITICAL, SORT_SERVICE),
              "belongs to another deployment: %.100s", m->claim_owner);
}

static void servers(struct finding_troubles *f, const struct view_mailbox *m)
{
    static const struct {
        const char *kind, *name;
    } rows[] = {{"imap-server", "the IMAP server"},
                {"smtp-server", "the SMTP server"},
                {"destination", "the destination"},
                {"scanner", "the virus scanner"}};
    static_assert(LENGTH(rows) == CIRCUIT_OF_COUNT, "each has its words");
    for (size_t i = 0; i < CIRCUIT_OF_COUNT; i++) {
        const struct circuit *c = &m->circuit[i];
        char since[32];
        if (c->state == CIRCUIT_CLOSED)
            continue;
        struct trouble *t = add(f, rows[i].kind, m->id, LEVEL_CRITICAL, SORT_SERVICE);
        period_text(c->since_ms, f->now_ms, since);
        t->since_ms = c->since_ms;
        words(t, "%s fails since %s (%s)", rows[i].name, since, label("fault", c->reason));
    }
}

static void silence(struct finding_troubles *f, const struct view_mailbox *m)
{
    char age[32];
    if (m->last_success_ms == 0) {
        words(add(f, "silence", m->id, LEVEL_CRITICAL, SORT_SERVICE), "never looked at yet");
        return;
    }
    if (f->now_ms - m->last_success_ms <= watch_silence_ms(f->ops->config, m->id))
        return;
    struct trouble *t = add(f, "silence", m->id, LEVEL_CRITICAL, SORT_SERVICE);
    t->since_ms = m->last_success_ms;
    period_age(f->now_ms - m->last_success_ms, age);
    words(t, "last looked at %s ago; is the service running?", age);
}

static void paused(struct finding_troubles *f, const struct view_mailbox *m)
{
    if (m->paused)
        words(add(f, "paused", m->id, LEVEL_WARNING, SORT_QUIET), "paused");
}

/* Since when the longest has waited; NOT_DUE: none does. */
static int64_t longest_wait(const struct finding_troubles *f, const char *mailbox)
{
    int64_t oldest = NOT_DUE;
    for (size_t i = 0; i < f->numbers->waiting.count; i++) {
        const struct view_number *n = &f->numbers->waiting.at[i];
        if (strcmp(n->mailbox, mailbox) == 0 && n->oldest_ms != NOT_DUE &&
            (oldest == NOT_DUE || n->oldest_ms < oldest))
            oldest = n->oldest_ms;
    }
    return oldest;
}

static int64_t age(const struct finding_troubles *f, int64_t at_ms)
{
    return at_ms == NOT_DUE || at_ms > f->now_ms ? 0 : (f->now_ms - at_ms) / 1000;
}

static struct measured *measure(struct finding_troubles *f, const struct view_mailbox *m)
{
    struct troubles *t = f->out;
    t->measured = mem_grow(t->measured, t->mailboxes + 1, sizeof *t->measured);
    struct measured *out = &t->measured[t->mailboxes++];
    *out = (struct measured){.value = {
                                 [MEASURE_WAITING] = m->state[ITEM_NEEDS_RECONCILIATION],
                                 [MEASURE_WAITING_AGE] = age(f, longest_wait(f, m->id)),
                                 [MEASURE_NOT_TOLD] = m->not_told,
                                 [MEASURE_CHOICE] = m->awaiting_choice,
                                 [MEASURE_BACKLOG] = m->backlog,
                                 [MEASURE_OLDEST] = age(f, m->oldest_incomplete_ms),
                             }};
    text_copy(out->mailbox, sizeof out->mailbox, m->id);
    return out;
}

static enum level level_of(const struct limits *limits, enum measure measure, int64_t value)
{
    const int64_t *at = limits->at[measure];
    if (at[LEVEL_CRITICAL] > 0 && value >= at[LEVEL_CRITICAL])
        return LEVEL_CRITICAL;
    return at[LEVEL_WARNING] > 0 && value >= at[LEVEL_WARNING] ? LEVEL_WARNING : LEVEL_OK;
}

static void measure_words(struct trouble *t, enum measure m, int64_t n)
{
    /* clang-format off */
    static const struct { const char *one, *many; } texts[MEASURE_COUNT] = {
        [MEASURE_WAITING]  = { "mail needs your decision",           "mails need your decision"            },
        [MEASURE_NOT_TOLD] = { "sender was not told",                "senders were not told"               },
        [MEASURE_CHOICE]   = { "mail from before awaits the choice", "mails from before await the choice"  },
        [MEASURE_BACKLOG]  = { "message is seen, not yet taken in",  "messages are seen, not yet taken in" },
    };
    /* clang-format on */
    char span[32];
    period_age(n * 1000, span);
    if (m == MEASURE_WAITING_AGE)
        words(t, "a mail has waited %s for your decision", span);
    else if (m == MEASURE_OLDEST)
        words(t, "a mail is not complete for %s", span);
    else
        words(t, "%" PRId64 " %s", n, n == 1 ? texts[m].one : texts[m].many);
}

static void measures_of(struct finding_troubles *f, const struct view_mailbox *m)
{
    const struct measured *measured = measure(f, m);
    for (size_t i = 0; i < MEASURE_COUNT; i++) {
        int64_t value = measured->value[i];
        enum level level = level_of(f->limits, (enum measure)i, value);
        bool asked = i != MEASURE_BACKLOG && i != MEASURE_OLDEST;
        if (level == LEVEL_OK)
            continue;
        struct trouble *t =
            add(f, measures[i].word, m->id, level, asked ? SORT_DECISION : SORT_SERVICE);
        measure_words(t, (enum measure)i, value);
        if (i == MEASURE_WAITING || i == MEASURE_WAITING_AGE)
            t->since_ms = longest_wait(f, m->id);
        else if (i == MEASURE_OLDEST)
            t->since_ms = m->oldest_incomplete_ms;
    }
}

/* From the same share on as doctor warns; a full one takes no mail, and files none. */
static void
quota(struct finding_troubles *f, const struct config_mailbox *m, const struct view_mailbox *row)
{
    const struct quota_part part = quota_fullest(&row->quota);
    if (part.limit == 0 || part.percent < (int64_t)m->quota_warning)
        return;
    CLEANUP(str_clear) struct str text = STR_INIT;
    bool full = part.percent >= 100;
    quota_words(&part, &text);
    words(add(f, "quota", m->id, full ? LEVEL_CRITICAL : LEVEL_WARNING, SORT_SERVICE), "%s%s",
          str_z(&text), full ? ": nothing comes in" : "");
}

/* A kind of its own for each, so that one that is renewed does not hide the other. */
static void secrets(struct finding_troubles *f, const struct config_mailbox *m)
{
    struct expiring expiring[EXPIRING_MOST];
    size_t count = config_expiring(m, f->now_ms, expiring);
    for (size_t i = 0; i < count; i++) {
        bool imap = strstr(expiring[i].text, "IMAP") != NULL;
        enum level level = expiring[i].over ? LEVEL_CRITICAL : LEVEL_WARNING;
        words(add(f, imap ? "imap-secret" : "smtp-secret", m->id, level, SORT_SERVICE), "%s",
              expiring[i].text);
    }
}

/* ---- the installation ---------------------------------------------------------------------------------- */

static void disk(struct finding_troubles *f)
{
    struct installation here;
    f->ops->look(f->ops->self, &here);
    int64_t reserve = f->ops->config->disk_reserve;
    if (here.disk_free < 0 || reserve <= 0 || here.disk_free >= 2 * reserve)
        return;
    bool full = here.disk_free < reserve;
    words(add(f, "disk", "", full ? LEVEL_CRITICAL : LEVEL_WARNING, SORT_SERVICE),
          "the disk has %" PRId64 " MB left%s", here.disk_free >> 20,
          full ? ": nothing new is taken in" : "");
}

/* Who has never made one may save it by other means. */
static void backups(struct finding_troubles *f)
{
    int64_t at_ms = f->numbers->backup_ms, most_ms = f->ops->config->backup_age_ms;
    char span[32];
    if (at_ms == NOT_DUE || most_ms == 0 || f->now_ms - at_ms <= most_ms)
        return;
    struct trouble *t = add(f, "backup", "", LEVEL_WARNING, SORT_SERVICE);
    t->since_ms = at_ms;
    period_age(f->now_ms - at_ms, span);
    words(t, "the last backup is %s old", span);
}

static void deaths(struct finding_troubles *f)
{
    char when[32];
    if (f->numbers->died_ms == NOT_DUE || f->now_ms - f->numbers->died_ms > DIED_LATELY)
        return;
    struct trouble *t = add(f, "died", "", LEVEL_WARNING, SORT_SERVICE);
    t->since_ms = f->numbers->died_ms;
    period_text(f->numbers->died_ms, f->now_ms, when);
    words(t, "a process died at %s", when);
}

static enum rc notices(struct finding_troubles *f, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *v = f->ops->views;
    TRY(v->channels(v->self, &view, err));
    const struct view_channel *c = view.row;
    for (size_t i = 0; i < view.count; i++) {
        char since[32];
        if (c[i].failing_since_ms == NOT_DUE || !notices_use(f->ops->config, c[i].channel))
            continue;
        struct trouble *t = add(f, "notices", "", LEVEL_WARNING, SORT_SERVICE);
        t->since_ms = c[i].failing_since_ms;
        period_text(c[i].failing_since_ms, f->now_ms, since);
        words(t, "notices by %s fail since %s (%.100s)", c[i].channel, since, c[i].why);
    }
    return RC_OK;
}

/* Of all webhooks together: the one that has failed for longest gives its name. */
static void webhooks_fail(struct finding_troubles *f)
{
    const struct view_webhook *worst = NULL;
    char since[32];
    for (size_t i = 0; i < f->numbers->webhooks; i++) {
        const struct view_webhook *w = &f->numbers->webhook[i];
        if (w->failing_since_ms != NOT_DUE &&
            (!worst || w->failing_since_ms < worst->failing_since_ms))
            worst = w;
    }
    if (!worst)
        return;
    struct trouble *t = add(f, "webhook", "", LEVEL_WARNING, SORT_SERVICE);
    t->since_ms = worst->failing_since_ms;
    period_text(worst->failing_since_ms, f->now_ms, since);
    words(t, "the webhook %s fails since %s (%.100s)", worst->name, since, worst->why);
}

static void dead_letters(struct finding_troubles *f)
{
    int64_t dead = 0;
    for (size_t i = 0; i < f->numbers->webhooks; i++)
        dead += f->numbers->webhook[i].dead;
    if (dead > 0)
        words(add(f, "webhook-dead", "", LEVEL_WARNING, SORT_SERVICE),
              "%" PRId64 " %s to webhooks %s taken (onecase webhooks)", dead,
              dead == 1 ? "post" : "posts", dead == 1 ? "was not" : "were not");
}

/* ---- all ----------------------------------------------------------------------------------------------- */

static const struct view_mailbox *seen(const struct view *view, const char *id)
{
    const struct view_mailbox *row = view->row;
    for (size_t i = 0; i < view->count; i++)
        if (strcmp(row[i].id, id) == 0)
            return &row[i];
    return NULL;
}

static void
one_mailbox(struct finding_troubles *f, const struct view *view, const struct config_mailbox *m)
{
    static void (*const parts[])(struct finding_troubles *, const struct view_mailbox *) = {
        claim, servers, silence, paused, measures_of};
    static const struct circuit closed[CIRCUIT_OF_COUNT];
    const struct view_mailbox unseen = {
        .id = m->id, .circuit = closed, .claim_owner = "", .oldest_incomplete_ms = NOT_DUE};
    const struct view_mailbox *row = seen(view, m->id);
    for (size_t i = 0; i < LENGTH(parts); i++)
        parts[i](f, row ? row : &unseen);
    quota(f, m, row ? row : &unseen);
    secrets(f, m);
}

enum rc troubles_find(const struct operations *ops,
                      const struct limits *limits,
                      const char *mailbox,
                      int64_t now_ms,
                      struct troubles *out,
                      struct err *err)
{
    CLEANUP(view_clear) struct view mailboxes = {0};
    CLEANUP(view_clear) struct view numbers = {0};
    const struct views *v = ops->views;
    struct finding_troubles f = {.ops = ops, .limits = limits, .now_ms = now_ms, .out = out};
    *out = (struct troubles){.count = 0};
    TRY(v->mailboxes(v->self, now_ms, &mailboxes, err));
    TRY(v->numbers(v->self, &numbers, err));
    f.numbers = numbers.row;
    for (size_t i = 0; i < ops->config->mailboxes.count; i++) {
        const struct config_mailbox *m = &ops->config->mailboxes.at[i];
        if (!mailbox || strcmp(mailbox, m->id) == 0)
            one_mailbox(&f, &mailboxes, m);
    }
    disk(&f);
    backups(&f);
    deaths(&f);
    webhooks_fail(&f);
    dead_letters(&f);
    return notices(&f, err);
}

void troubles_clear(struct troubles *t)
{
    free(t->trouble);
    free(t->measured);
    *t = (struct troubles){.count = 0};
}
