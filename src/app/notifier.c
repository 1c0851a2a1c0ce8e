/* SPDX-License-Identifier: Apache-2.0 */
#include "notifier.h"

#include "wake.h"
#include "wire.h"

#include <onecase/log.h>
#include <onecase/notice_mail.h>
#include <onecase/notice_webhook.h>
#include <onecase/notices.h>
#include <onecase/when.h>
#include <signal.h>
#include <string.h>

#define TURN_MS    SECONDS(30)
#define WEBHOOK_MS SECONDS(30)
#define NULL_PATH  "<>"

struct telling {
    const struct config *config;
    struct wired_data data;
    struct clock clock;
    struct smtp_courier *smtp;
    struct courier courier;
    struct http_client *client;
    struct notice_mail mail;
    struct notice_webhook webhook;
    struct notifier notifier[2];
    size_t notifiers;
    struct operations ops;
};

bool notifier_wanted(const struct config *config)
{
    const struct config_notify *n = &config->notify;
    return n->to.count > 0 || n->webhook[0] || n->report != CONFIG_REPORT_NEVER;
}

static void telling_close(struct telling *t)
{
    smtp_courier_free(t->smtp);
    http_client_free(&t->client);
    wire_data_close(&t->data);
}

static void look(void *self, struct installation *out)
{
    const struct telling *t = self;
    const struct files *files = &t->data.files;
    struct err err = ERR_INIT;
    *out = (struct installation){.version = ONECASE_VERSION, .disk_free = -1};
    if (files->space(files->self, &out->disk_free, &err) != RC_OK)
        out->disk_free = -1;
}

/* One letter at a time, through the same server as the acknowledgements. */
static void open_mail(struct telling *t)
{
    const struct config_notify *n = &t->config->notify;
    struct smtp_settings settings = wire_smtp(&t->config->acknowledgement);
    settings.connections = 1;
    settings.rate = 0;
    t->smtp = smtp_courier_new(&settings, &t->clock);
    t->courier = smtp_courier_port(t->smtp);
    t->mail = (struct notice_mail){
        .courier = &t->courier,
        .clock = &t->clock,
        .from_name = n->from_name,
        .from_address = n->from_address,
        .sender = strcmp(n->envelope_from, NULL_PATH) == 0 ? "" : n->envelope_from,
        .to = n->to,
    };
    if (n->to.count > 0)
        t->notifier[t->notifiers++] = notice_mail_port(&t->mail);
}

static void open_webhook(struct telling *t)
{
    const struct config_notify *n = &t->config->notify;
    t->client = http_client_new();
    t->webhook = (struct notice_webhook){t->client, n->webhook, n->webhook_secret, WEBHOOK_MS};
    t->notifier[t->notifiers++] = notice_webhook_port(&t->webhook);
}

static enum rc telling_open(struct telling *t, struct err *err)
{
    TRY(wire_data(t->config, true, &t->data, err));
    t->ops = (struct operations){.self = t,
                                 .config = t->config,
                                 .ledger = &t->data.ledger,
                                 .views = &t->data.views,
                                 .look = look};
    if (notices_use(t->config, "mail"))
        open_mail(t);
    if (notices_use(t->config, "webhook"))
        open_webhook(t);
    return RC_OK;
}

static enum rc turn(struct telling *t, struct err *err)
{
    int64_t now_ms = clock_now(&t->clock).wall_ms;
    enum rc rc = notices_turn(&t->ops, t->notifier, t->notifiers, now_ms, err);
    const struct notifier mail = notice_mail_port(&t->mail);
    if (rc == RC_OK)
        rc = notices_monthly(&t->ops, &mail, now_ms, err);
    if (rc != RC_OK)
        log_event(LOG_ERROR, "notices.failed", "rc=%s why=\"%s\"", rc_text(rc), err->text);
    return rc;
}

enum rc notifier_run(const struct config *config, bool once, struct err *err)
{
    CLEANUP(telling_close)
    struct telling t = {.config = config, .clock = system_clock()};
    TRY(telling_open(&t, err));
    if (once)
        return turn(&t, err);
    for (;;) {
        struct err why = ERR_INIT;
        enum rc rc = turn(&t, &why);
        if (rc == RC_BROKEN)
            return FAIL(err, rc, "%s", why.text);
        system_rest(TURN_MS);
    }
}
