/* SPDX-License-Identifier: Apache-2.0 */
#include "worker.h"

#include "wake.h"
#include "wire.h"

#include <onecase/log.h>
#include <onecase/views.h>
#include <onecase/when.h>
#include <signal.h>
#include <string.h>

static volatile sig_atomic_t told_to_stop;
static struct service
    *volatile stoppable; /* the service that a signal stops in the middle of a tick */

static void stop(int signal)
{
    (void)signal;
    told_to_stop = 1;
    if (stoppable)
        service_stop(stoppable);
    wake_up();
}

void worker_listen(void)
{
    struct sigaction act = {.sa_handler = stop};
    wake_open();
    sigemptyset(&act.sa_mask);
    sigaction(SIGTERM, &act, NULL);
    sigaction(SIGINT, &act, NULL);
}

static void add_up(const struct tick_result *r, struct run_summary *sum)
{
    sum->deliveries += r->deliveries;
    sum->new_items += r->new_items;
    sum->duplicates += r->duplicates;
    sum->conflicts += r->conflicts;
    sum->completed += r->completed;
    sum->awaiting_choice = r->awaiting_choice;
    sum->mailbox_failed = r->mailbox_failed;
    sum->disk_failed = r->disk_full;
    text_copy(sum->other_owner, sizeof sum->other_owner, r->other_owner);
}

/* A ledger that is busy, or a disk that is full, is waited for; `once` says so and ends. */
static enum rc one_turn(struct service *service, struct tick_result *r, struct err *err)
{
    struct err why = ERR_INIT;
    enum rc rc = service_tick(service, r, &why);
    if (rc == RC_OK)
        return RC_OK;
    log_event(LOG_ERROR, "turn.failed", "rc=%s why=\"%s\"", rc_text(rc), why.text);
    return FAIL(err, rc, "%s", why.text);
}

/* What is not done when it ends, whichever run began it. */
static enum rc still_waiting(const struct wired *w, struct run_summary *sum, struct err *err)
{
    const struct views *v = &w->data.views;
    int64_t state[ITEM_STATE_COUNT];
    TRY(v->states(v->self, w->mailbox->id, state, err));
    sum->deferred = state[ITEM_RECEIVED] + state[ITEM_IN_PROGRESS];
    sum->needs_reconciliation = state[ITEM_NEEDS_RECONCILIATION];
    return RC_OK;
}

struct talking {
    const struct run_request *request;
    const char *mailbox;
};

static void say_taken_in(void *ctx, int64_t done, int64_t total)
{
    const struct talking *t = ctx;
    t->request->progress(t->request->ctx, t->mailbox, done, total);
}

/* At the start, and then every hour; whatever comes of it, the mailbox works. True: asked, and what the
 * server announced in its answer may have been news. */
static bool ask_for_quota(const struct wired *w, const struct tick_result *r, int64_t *due_boot_ms)
{
    struct instant now = clock_now(&w->clock);
    struct err err = ERR_INIT;
    struct quota quota;
    if (r->mailbox_failed || r->other_owner[0] || now.boot_ms < *due_boot_ms || told_to_stop)
        return false;
    *due_boot_ms = now.boot_ms + HOURS(1);
    enum rc rc = imap_mailbox_quota(w->imap, w->mailbox->folders.inbox, &quota, &err);
    if (rc == RC_NOT_FOUND)
        return false;
    const struct ledger *ledger = &w->data.ledger;
    if (rc == RC_OK && quota_fullest(&quota).limit > 0)
        rc = ledger->mailboxes->note_quota(ledger->self, w->mailbox->id, &quota, now, &err);
    if (rc != RC_OK)
        log_event(LOG_NOTE, "quota.unknown", "mailbox=%s why=\"%s\"", w->mailbox->id, err.text);
    return true;
}

static enum rc run_once(const struct wired *w,
                        struct service *service,
                        const struct run_request *request,
                        struct run_summary *sum,
                        struct err *err)
{
    struct tick_result r = {.moved = true};
    int64_t due = 0;
    while (r.moved && !told_to_stop) {
        TRY(one_turn(service, &r, err));
        add_up(&r, sum);
        if (request->progress)
            request->progress(request->ctx, w->mailbox->id, sum->completed, 0);
    }
    (void)ask_for_quota(w, &r, &due);
    return still_waiting(w, sum, err);
}

static void wait_for_news(struct wired *w, const struct tick_result *r)
{
    struct err err = ERR_INIT;
    int64_t wait =
        r->wake_ms == NOT_DUE ? w->settings.poll_ms : r->wake_ms - clock_now(&w->clock).wall_ms;
    if (wait > w->settings.poll_ms)
        wait = w->settings.poll_ms;
    struct store *store = w->data.store;
    int fd = -1;
    if (wait <= 0 || told_to_stop || store_heard(store, w->mailbox->id, &fd))
        return;
    wake_also(fd);
    if (r->mailbox_failed || r->another_has_it ||
        w->imap_port.wait(w->imap_port.self, w->settings.inbox, wait, &err) != RC_OK)
        wake_rest(wait);
    wake_also(-1);
    (void)store_heard(store, w->mailbox->id,
                      &fd); /* what comes from here on is for the next wait */
}

/* At the start, and then every day, so that a log that is kept for a week has it. */
static void warn_of_secrets(const struct wired *w, int64_t *warned_ms)
{
    struct expiring expiring[EXPIRING_MOST];
    int64_t now = clock_now(&w->clock).wall_ms;
    if (*warned_ms != 0 && now >= *warned_ms && now < *warned_ms + DAYS(1))
        return;
    *warned_ms = now;
    size_t count = config_expiring(w->mailbox, now, expiring);
    for (size_t i = 0; i < count; i++)
        log_event(expiring[i].over ? LOG_ERROR : LOG_WARN, "secret.expires",
                  "mailbox=%s what=\"%s\" mend=\"%s\"", w->mailbox->id, expiring[i].text,
                  EXPIRING_REMEDY);
}

/* ---- leftovers ------------------------------------------------------------------------------------ */

#define LONG_ENOUGH DAYS(1) /* nothing that is in use is that old */

struct leaving {
    const struct views *views;
    int64_t before_ms;
};

/* What is recorded, and wanted by no item any more, is a leftover of a removal that failed or of a run
 * that was killed before it, or overtaken. What is not recorded may be another run's that is about to
 * record it. Should one be taken from a run all the same, it fetches the mail once more. */
static bool is_leftover(void *ctx, const char *name, int64_t written_ms)
{
    const struct leaving *l = ctx;
    struct err err = ERR_INIT;
    bool recorded, wanted;
    if (l->views->incoming(l->views->self, name, &recorded, &wanted, &err) != RC_OK)
        return false;
    return recorded ? !wanted : written_ms < l->before_ms;
}

/* What killed runs left under tmp/ and incoming/, and half-way into an object store. */
static void sweep(const struct wired *w)
{
    struct err err = ERR_INIT;
    struct leaving leaving = {&w->data.views, clock_now(&w->clock).wall_ms - LONG_ENOUGH};
    const char *data_dir = w->config->data_dir;
    if (posix_files_sweep(data_dir, leaving.before_ms, &err) != RC_OK)
        log_event(LOG_WARN, "tmp.left", "why=\"%s\"", err.text);
    if (posix_files_sweep_incoming(data_dir, is_leftover, &leaving, &err) != RC_OK)
        log_event(LOG_WARN, "incoming.left", "why=\"%s\"", err.text);
    if (w->data.stored.s3 && s3_files_sweep(w->data.stored.s3, leaving.before_ms, &err) != RC_OK)
        log_event(LOG_WARN, "uploads.left", "why=\"%s\"", err.text);
}

static void sweep_now_and_then(const struct wired *w, int64_t *swept_boot_ms)
{
    int64_t now = clock_now(&w->clock).boot_ms;
    if (now - *swept_boot_ms < HOURS(1))
        return;
    *swept_boot_ms = now;
    sweep(w);
}

/* One may come while a connection lasts. A server that cannot be asked is the next turn's matter. */
static enum rc look_for_standbys(const struct wired *w, int64_t *looked_boot_ms, struct err *err)
{
    struct err why = ERR_INIT;
    int64_t now = clock_now(&w->clock).boot_ms;
    if (w->config->async_failover != CONFIG_FAILOVER_REFUSED ||
        now - *looked_boot_ms < w->config->lease_ms)
        return RC_OK;
    *looked_boot_ms = now;
    return store_standbys(w->data.store, &why) == RC_BROKEN ? FAIL(err, RC_BROKEN, "%s", why.text)
                                                            : RC_OK;
}

static enum rc run_on(struct wired *w, struct service *service, struct err *err)
{
    int64_t warned_ms = 0;
    int64_t quota_due = 0;
    int64_t swept = clock_now(&w->clock).boot_ms;
    int64_t looked = swept;
    while (!told_to_stop) {
        warn_of_secrets(w, &warned_ms);
        TRY(look_for_standbys(w, &looked, err));
        struct tick_result r = {.wake_ms = NOT_DUE};
        enum rc rc = one_turn(service, &r, err);
        if (rc != RC_OK && rc != RC_DEFERRED)
            return rc;
        if (rc == RC_DEFERRED)
            wake_rest(w->config->first_delay_ms);
        else if (!r.moved && (r.another_has_it || !ask_for_quota(w, &r, &quota_due)))
            wait_for_news(w, &r);
        sweep_now_and_then(w, &swept);
    }
    return RC_OK;
}

enum rc worker_run(const struct config *config,
                   const struct config_mailbox *mailbox,
                   const struct run_request *request,
                   const char *node,
                   struct run_summary *out,
                   struct err *err)
{
    CLEANUP(wire_close) struct wired wired = {0};
    CLEANUP(service_free) struct service *service = NULL;
    *out = (struct run_summary){0};
    if (request->once) /* the summary says it; what went wrong is still logged */
        log_threshold(LOG_WARN);
    TRY(wire_open(config, mailbox, &wired, err));
    if (config->async_failover == CONFIG_FAILOVER_REFUSED)
        TRY(store_refuse_standbys(wired.data.store, err));
    sweep(&wired);
    wired.settings.node = request->once ? "" : node; /* what is to be done once is done here */
    if (request->take_over)
        wired.settings.take_over = request->take_over;
    struct talking talking = {request, mailbox->id};
    if (request->once && request->progress) {
        wired.settings.taken_in = say_taken_in;
        wired.settings.taken_in_ctx = &talking;
    }
    TRY(service_new(&wired.ports, &wired.settings, &service, err));
    stoppable = service;
    enum rc rc =
        request->once ? run_once(&wired, service, request, out, err) : run_on(&wired, service, err);
    stoppable = NULL;
    return rc;
}
