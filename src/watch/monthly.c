/* SPDX-License-Identifier: Apache-2.0
 *
 * The duplicate report of the last month, once, by mail.
 */
#include <onecase/front.h>
#include <onecase/notices.h>
#include <onecase/when.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#define RETRY_AFTER HOURS(1)

struct month {
    int64_t since_ms, until_ms;
    char name[16], subject[24]; /* "2026-02", "report 2026-02" */
};

/* The first of a month, of the zone in which people read. */
static int64_t first_of(struct tm day, int months)
{
    struct tm first = {
        .tm_year = day.tm_year, .tm_mon = day.tm_mon + months, .tm_mday = 1, .tm_isdst = -1};
    return (int64_t)mktime(&first) * 1000;
}

static bool last_month(int64_t now_ms, struct month *out)
{
    time_t now = (time_t)(now_ms / 1000), then;
    struct tm day;
    if (!localtime_r(&now, &day))
        return false;
    out->since_ms = first_of(day, -1);
    out->until_ms = first_of(day, 0);
    then = (time_t)(out->since_ms / 1000);
    if (!localtime_r(&then, &day) || strftime(out->name, sizeof out->name, "%Y-%m", &day) == 0)
        return false;
    snprintf(out->subject, sizeof out->subject, "report %.7s", out->name);
    return true;
}

static enum rc is_due(const struct operations *ops,
                      const char *channel,
                      const struct month *m,
                      int64_t now_ms,
                      bool *out,
                      struct err *err)
{
    const struct ledger *l = ops->ledger;
    struct notice_record r;
    bool sent;
    TRY(l->notices->was_sent(l->self, channel, m->subject, &sent, err));
    TRY(l->notices->record(l->self, channel, now_ms, &r, err));
    *out = !sent && (r.failures == 0 || now_ms - r.last_try_ms >= RETRY_AFTER);
    return RC_OK;
}

static void write_page(const struct operations *ops,
                       const struct view_duplicates *d,
                       int64_t now_ms,
                       struct str *out)
{
    const struct config *c = ops->config;
    struct installation here;
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    ops->look(ops->self, &here);
    const struct report_facts facts = {.deployment = c->name,
                                       .environment = c->environment,
                                       .version = here.version,
                                       .zone = c->timezone[0] ? c->timezone : "the machine's zone",
                                       .by = "onecase",
                                       .made_ms = now_ms};
    assert(memory);
    report_page(d, &facts, memory);
    fclose(memory);
    str_add(out, (struct slice){text, size});
    free(text);
}

static void write_text(const struct view_duplicates *d, const struct month *m, struct str *out)
{
    str_addf(out,
             "The duplicate report of %s is attached.\n\n"
             "  %6" PRId64 "  arrivals\n"
             "  %6" PRId64 "  second cases avoided\n"
             "  %6" PRId64 "  confirmations in doubt, not sent twice\n"
             "  %6" PRId64 "  doubles that did happen, after a person's decision\n\n"
             "%sThe same: onecase report duplicates. Nobody reads answers to this message.\n",
             m->name, d->deliveries, d->cases_prevented, d->acknowledgements_withheld, d->doubles,
             report_adds_up(d) ? "" : "These numbers do NOT add up: do not rely on them.\n\n");
}

static void id_of(const struct operations *ops, const struct month *m, char out[33])
{
    CLEANUP(str_clear) struct str all = STR_INIT;
    char hex[DIGEST_HEX_SIZE];
    str_addf(&all, "%s %s %s", ops->config->name, ops->config->environment, m->subject);
    const struct digest digest = sha256_of(str_slice(&all));
    digest_hex(&digest, hex);
    text_copy(out, 33, hex);
}

static enum rc send(const struct operations *ops,
                    const struct notifier *mail,
                    const struct view_duplicates *d,
                    const struct month *m,
                    int64_t now_ms,
                    struct err *err)
{
    CLEANUP(str_clear) struct str subject = STR_INIT;
    CLEANUP(str_clear) struct str text = STR_INIT;
    CLEANUP(str_clear) struct str page = STR_INIT;
    const struct config *c = ops->config;
    str_addf(&subject, "[onecase %s] duplicate report of %s", c->name, m->name);
    write_text(d, m, &text);
    write_page(ops, d, now_ms, &page);
    struct notice notice = {.deployment = c->name,
                            .environment = c->environment,
                            .at_ms = now_ms,
                            .subject = str_z(&subject),
                            .text = str_z(&text),
                            .page = &page,
                            .to = address_usable(slice_z(c->owner)) ? c->owner : NULL};
    id_of(ops, m, notice.id);
    return mail->send(mail->self, &notice, err);
}

enum rc notices_monthly(const struct operations *ops,
                        const struct notifier *mail,
                        int64_t now_ms,
                        struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct ledger *l = ops->ledger;
    const struct views *v = ops->views;
    struct month m;
    bool due;
    if (ops->config->notify.report != CONFIG_REPORT_MONTHLY || !last_month(now_ms, &m))
        return RC_OK;
    TRY(is_due(ops, mail->channel, &m, now_ms, &due, err));
    if (!due)
        return RC_OK;
    TRY(v->duplicates(v->self, m.since_ms, m.until_ms, &view, err));
    const struct view_duplicates *d = view.row;
    if (d->deliveries == 0)
        return RC_OK;
    struct err why = ERR_INIT;
    enum rc rc = send(ops, mail, d, &m, now_ms, &why);
    const struct notice_try tried = {mail->channel, notices_outcome(rc), m.subject,
                                     rc == RC_OK ? "" : why.text, now_ms};
    return l->notices->tried(l->self, &tried, err);
}
