/* SPDX-License-Identifier: Apache-2.0 */
#include "webhooks.h"

#include "wire.h"

#include <onecase/log.h>
#include <onecase/webhook_http.h>
#include <onecase/webhooks.h>
#include <onecase/when.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How soon what has happened is told, where nothing else is under way. */
#define LOOK_MS 500

#define FOLDER "webhooks"

/* For what is done before and after a post, and for clocks that differ. */
#define HOLD_MARGIN_MS SECONDS(60)

/* ---- who is configured ---------------------------------------------------------------------------- */

/* A ledger need not be opened for those who never had any. */
static bool were_any(const struct config *config)
{
    CLEANUP(str_clear) struct str path = STR_INIT;
    str_addf(&path, "%s/" FOLDER, config->data_dir);
    return access(str_z(&path), F_OK) == 0;
}

enum rc webhooks_enlist(const struct config *config, struct err *err)
{
    CLEANUP(wire_data_close) struct wired_data data = {.store = NULL};
    CLEANUP(mem_free) const char **name = mem_new(config->webhooks.count + 1, sizeof *name);
    struct clock clock = system_clock();
    if (config->webhooks.count == 0 && !were_any(config))
        return RC_OK;
    for (size_t i = 0; i < config->webhooks.count; i++)
        name[i] = config->webhooks.at[i].name;
    TRY(wire_data(config, true, &data, err));
    const struct ledger *l = &data.ledger;
    return l->webhooks->enlist(l->self, name, config->webhooks.count, clock_now(&clock), err);
}

/* ---- one at a time -------------------------------------------------------------------------------- */

static void lock_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* RC_CONFLICT: another process of this data_dir has it. */
static enum rc lock_take(const struct config *config, const char *name, int *fd, struct err *err)
{
    CLEANUP(str_clear) struct str path = STR_INIT;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    str_addf(&path, "%s/" FOLDER, config->data_dir);
    if (mkdir(str_z(&path), 0700) != 0 && errno != EEXIST)
        return FAIL(err, RC_DEFERRED, "webhooks: cannot make '%s'", str_z(&path));
    str_addf(&path, "/%s.lock", name);
    *fd = open(str_z(&path), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (*fd < 0)
        return FAIL(err, RC_DEFERRED, "webhooks: cannot open '%s'", str_z(&path));
    if (fcntl(*fd, F_SETLK, &lock) != 0)
        return FAIL(err, RC_CONFLICT, "webhook %s: another process has it in hand", name);
    return RC_OK;
}

/* ---- telling -------------------------------------------------------------------------------------- */

struct telling {
    struct wired_data data;
    struct clock clock;
    struct http_client *client;
    struct webhook_http http;
    struct poster poster;
    struct webhook_ports ports;
    struct webhook_settings settings;
    char by[320];
    bool failing; /* the log has said so */
};

static void telling_close(struct telling *t)
{
    http_client_free(&t->client);
    wire_data_close(&t->data);
}

/* One folder has one teller, whatever process that is; another machine may have the same path. */
static void name_ourselves(const struct config *config, char *out, size_t room)
{
    char host[256] = "";
    if (gethostname(host, sizeof host - 1) != 0)
        host[0] = '\0';
    snprintf(out, room, "%s:%s", host, config->data_dir);
}

static unsigned wished(const struct texts *events)
{
    unsigned all = 0;
    enum webhook_event event;
    for (size_t i = 0; i < events->count; i++)
        if (webhook_event_parse(events->at[i], &event))
            all |= 1u << event;
    return all;
}

static enum rc telling_open(struct telling *t,
                            const struct config *config,
                            const struct config_webhook *w,
                            struct err *err)
{
    t->clock = system_clock();
    TRY(wire_data(config, true, &t->data, err));
    t->client = http_client_new();
    t->http = (struct webhook_http){.client = t->client,
                                    .deployment = config->name,
                                    .environment = config->environment,
                                    .url = w->url,
                                    .secret = w->secret,
                                    .ca_file = w->ca_file,
                                    .proxy = w->proxy,
                                    .timeout_ms = w->timeout_ms,
                                    .personal = w->personal_data};
    t->poster = webhook_http_port(&t->http);
    t->ports = (struct webhook_ports){&t->data.ledger, &t->poster, &t->clock};
    name_ourselves(config, t->by, sizeof t->by);
    t->settings = (struct webhook_settings){
        .by = t->by,
        .hold_ms = w->timeout_ms + HOLD_MARGIN_MS,
        .wish = {w->name, wished(&w->events), w->mailboxes.at, w->mailboxes.count},
        .pause = {config->first_delay_ms, config->max_delay_ms},
        .give_up_after_ms = w->give_up_after_ms};
    return RC_OK;
}

/* Once when it begins to fail, and once when it is over. */
static void say(struct telling *t, const struct webhook_turn *turn)
{
    const char *name = t->settings.wish.name;
    if (turn->rc == RC_NOT_FOUND)
        return;
    if (turn->rc == RC_REFUSED)
        log_event(LOG_ERROR, "webhook.refused", "webhook=%s why=\"%s\"", name, turn->why);
    else if (turn->rc != RC_OK && !t->failing)
        log_event(LOG_ERROR, "webhook.fails", "webhook=%s why=\"%s\"", name, turn->why);
    else if (turn->rc == RC_OK && t->failing)
        log_event(LOG_NOTE, "webhook.works", "webhook=%s", name);
    if (turn->rc != RC_REFUSED)
        t->failing = turn->rc != RC_OK;
}

static int64_t rest_ms(const struct telling *t, const struct webhook_turn *turn)
{
    int64_t until = turn->wake_ms - clock_now(&t->clock).wall_ms;
    if (turn->wake_ms == NOT_DUE || until > LOOK_MS)
        return LOOK_MS;
    return until > 0 ? until : 0;
}

/* A ledger that is busy is waited for. */
static enum rc one_turn(struct telling *t, struct webhook_turn *turn, struct err *err)
{
    struct err why = ERR_INIT;
    *turn = (struct webhook_turn){.wake_ms = NOT_DUE, .rc = RC_NOT_FOUND};
    enum rc rc = webhook_turn(&t->ports, &t->settings, turn, &why);
    if (rc == RC_OK || rc == RC_DEFERRED || rc == RC_CONFLICT) {
        say(t, turn);
        return RC_OK;
    }
    return FAIL(err, rc, "webhook %s: %s", t->settings.wish.name, why.text);
}

/* Within a turn or two of its end: whoever may be ended at any moment repeats one post at most. */
static enum rc turns(struct telling *t, bool once, struct err *err)
{
    struct webhook_turn turn;
    do {
        TRY(one_turn(t, &turn, err));
        if (!turn.moved && !once)
            system_rest(rest_ms(t, &turn));
    } while (!once || turn.moved);
    return RC_OK;
}

enum rc webhook_run(const struct config *config,
                    const struct config_webhook *webhook,
                    bool once,
                    struct err *err)
{
    CLEANUP(telling_close) struct telling t = {.failing = false};
    CLEANUP(lock_close) int lock = -1;
    if (once) /* `run --once` says what it did by its summary */
        log_threshold(LOG_WARN);
    TRY(telling_open(&t, config, webhook, err));
    enum rc rc = lock_take(config, webhook->name, &lock, err);
    if (rc != RC_CONFLICT)
        return rc == RC_OK ? turns(&t, once, err) : rc;
    if (once) /* the one that has it will tell */
        return RC_OK;
    while (rc == RC_CONFLICT) {
        system_rest(SECONDS(1));
        lock_close(&lock);
        rc = lock_take(config, webhook->name, &lock, err);
    }
    return rc == RC_OK ? turns(&t, once, err) : rc;
}
