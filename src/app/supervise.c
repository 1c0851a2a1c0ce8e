/* SPDX-License-Identifier: Apache-2.0 */
#include "supervise.h"

#include "console.h"
#include "desk.h"
#include "inherited.h"
#include "notifier.h"
#include "notify.h"
#include "wake.h"
#include "webhooks.h"
#include "wire.h"
#include "worker.h"

#include <onecase/backoff.h>
#include <onecase/log.h>
#include <onecase/system.h>
#include <onecase/when.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* A worker that lived this long was well: its next death starts the pauses anew. */
#define WELL_AFTER_MS MINUTES(1)

#define TOLD_ONCE_WITHIN_MS SECONDS(60)

/* What a worker hands back through its pipe. */
struct report {
    enum rc rc;
    struct run_summary sum;
    struct err err;
};

/* No mailbox has such an id. */
#define PAGES   "the console"
#define WEBHOOK "webhook "

struct worker {
    const struct config_mailbox *mailbox; /* NULL: it tells people or programs, or shows pages */
    const struct config_webhook *webhook; /* whose receiver it tells; NULL: none */
    char id[sizeof WEBHOOK + NAME_SIZE]; /* the mailbox's; "", PAGES, WEBHOOK and a name likewise */
    bool configured;                     /* else it only has to end */
    pid_t pid;                           /* 0: not running */
    int64_t kill_at_ms; /* boot time; it was told to end, and is ended then; 0: it was not */
    int pipe;           /* its report; -1 is none */
    unsigned deaths;
    int64_t started_ms, start_at_ms; /* boot time */
    struct report report;
    bool reported;
};

struct supervisor {
    struct config *config;
    const struct run_request *request;
    struct worker *worker;
    size_t workers;
    struct clock clock;
    char node[RUN_ID_SIZE];
    bool stopping;
};

static volatile sig_atomic_t told_to_stop, told_to_reload;

static void note_signal(int signal)
{
    if (signal == SIGHUP)
        told_to_reload = 1;
    else if (signal != SIGCHLD)
        told_to_stop = 1;
    wake_up();
}

static const int heard[] = {SIGTERM, SIGINT, SIGHUP, SIGCHLD};

static void listen_for_signals(void)
{
    struct sigaction act = {.sa_handler = note_signal};
    wake_open();
    sigemptyset(&act.sa_mask);
    for (size_t i = 0; i < LENGTH(heard); i++)
        sigaction(heard[i], &act, NULL);
}

/* A worker must not hear with our ears: signals wait while it is made, until it listens itself. */
static void hold_signals(bool hold)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < LENGTH(heard); i++)
        sigaddset(&set, heard[i]);
    sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

static int64_t boot(const struct supervisor *s)
{
    return clock_now(&s->clock).boot_ms;
}

/* ---- a worker's life ---------------------------------------------------------------------------- */

/* A worker outlives no supervisor, whatever became of that. */
static void end_with(pid_t parent)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        raise(SIGTERM);
}

/* Who tells may be ended at any moment: what it tells may be told twice. */
static void teller_listen(void)
{
    wake_open();
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
}

static enum rc tell(const struct supervisor *s, const struct worker *w, struct err *err)
{
    return w->webhook ? webhook_run(s->config, w->webhook, s->request->once, err)
                      : notifier_run(s->config, s->request->once, err);
}

static const char *name_of(const struct worker *w)
{
    return w->id[0] ? w->id : "notices";
}

static bool shows_pages(const struct worker *w)
{
    return strcmp(w->id, PAGES) == 0;
}

/* What was sent while it was made is heard once signals are let in, so by then it listens as it means to. */
static void listen_as(const struct worker *w)
{
    if (w->mailbox)
        worker_listen();
    else if (shows_pages(w))
        console_listen();
    else
        teller_listen();
}

static int child(const struct supervisor *s, const struct worker *w, pid_t parent, int report_to)
{
    struct report r = {.err = ERR_INIT};
    signal(SIGHUP, SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
    if (!shows_pages(w))
        inherited_drop();
    listen_as(w);
    hold_signals(false);
    end_with(parent);
    r.rc = w->mailbox       ? worker_run(s->config, w->mailbox, s->request, s->node, &r.sum, &r.err)
           : shows_pages(w) ? console_run(s->config, &r.err)
                            : tell(s, w, &r.err);
    r.err.where = NULL;
    ssize_t n = write(report_to, &r, sizeof r);
    return n == (ssize_t)sizeof r && r.rc == RC_OK ? 0 : 1;
}

static void start(struct supervisor *s, struct worker *w)
{
    int ends[2];
    if (pipe(ends) != 0) {
        w->start_at_ms = boot(s) + SECONDS(1);
        return;
    }
    fflush(NULL);
    pid_t parent = getpid();
    hold_signals(true);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        exit(child(s, w, parent, ends[1]));
    }
    hold_signals(false);
    close(ends[1]);
    w->pipe = ends[0];
    w->pid = pid > 0 ? pid : 0;
    w->started_ms = boot(s);
    w->start_at_ms = w->started_ms + SECONDS(1); /* in case the fork failed */
    w->reported = false;
}

static void take_report(struct worker *w)
{
    if (w->pipe >= 0) {
        w->reported = read(w->pipe, &w->report, sizeof w->report) == (ssize_t)sizeof w->report;
        w->report.err.where = "worker";
        close(w->pipe);
    }
    w->pipe = -1;
    w->pid = 0;
}

static void ended(struct supervisor *s, struct worker *w, int status)
{
    struct backoff pause = {.first_ms = SECONDS(1), .max_ms = MINUTES(5)};
    take_report(w);
    bool well = w->reported && w->report.rc == RC_OK;
    bool told = w->kill_at_ms != 0;
    w->kill_at_ms = 0;
    w->start_at_ms = boot(s);
    if (told || s->stopping || s->request->once)
        return;
    if (boot(s) - w->started_ms >= WELL_AFTER_MS)
        w->deaths = 0;
    w->start_at_ms = boot(s) + backoff_delay(&pause, w->deaths++, 0);
    if (!well)
        log_event(LOG_ERROR, "worker.ended", "mailbox=%s %s=%d why=\"%s\"", name_of(w),
                  WIFSIGNALED(status) ? "signal" : "exit",
                  WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
                  w->reported ? w->report.err.text : "it died without a word");
}

static void reap(struct supervisor *s)
{
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        for (size_t i = 0; i < s->workers; i++)
            if (s->worker[i].pid == pid)
                ended(s, &s->worker[i], status);
}

static size_t running(const struct supervisor *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->workers; i++)
        n += s->worker[i].pid > 0;
    return n;
}

static void send_all(const struct supervisor *s, int signal)
{
    for (size_t i = 0; i < s->workers; i++)
        if (s->worker[i].pid > 0)
            kill(s->worker[i].pid, signal);
}

/* ---- all of them -------------------------------------------------------------------------------- */

static bool wanted(const struct supervisor *s, const struct config_mailbox *m)
{
    return !s->request->only || strcmp(s->request->only, m->id) == 0;
}

static struct worker *worker_of(struct supervisor *s, const char *id)
{
    for (size_t i = 0; i < s->workers; i++)
        if (strcmp(s->worker[i].id, id) == 0)
            return &s->worker[i];
    return NULL;
}

static struct worker *
add_worker(struct supervisor *s, const char *id, const struct config_mailbox *mailbox)
{
    struct worker *w = worker_of(s, id);
    if (!w) {
        s->worker = mem_grow(s->worker, s->workers + 1, sizeof *s->worker);
        w = &s->worker[s->workers++];
        *w = (struct worker){.pipe = -1};
        text_copy(w->id, sizeof w->id, id);
    }
    w->mailbox = mailbox;
    w->webhook = NULL;
    w->configured = true;
    w->deaths = 0;
    return w;
}

/* A run of one mailbox among others leaves the pages to them. */
static bool has_console(const struct supervisor *s)
{
    return !s->request->once && !s->request->only && s->config->listen[0];
}

static void add_webhook(struct supervisor *s, const struct config_webhook *webhook)
{
    char id[sizeof((struct worker *)0)->id];
    snprintf(id, sizeof id, WEBHOOK "%s", webhook->name);
    add_worker(s, id, NULL)->webhook = webhook;
}

/* A ledger that cannot be written to now is one that nothing happens in. */
static void enlist_webhooks(const struct supervisor *s)
{
    struct err err = ERR_INIT;
    if (webhooks_enlist(s->config, &err) != RC_OK)
        log_event(LOG_ERROR, "webhooks.failed", "why=\"%s\"", err.text);
}

/* One worker for each mailbox of the configuration, one for people, and one for each webhook. Those that run go on as they
 * are, also where they are none of it any more. */
static size_t enlist(struct supervisor *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->workers; i++)
        s->worker[i].configured = false;
    for (size_t i = 0; i < s->config->mailboxes.count; i++) {
        const struct config_mailbox *m = &s->config->mailboxes.at[i];
        if (!wanted(s, m))
            continue;
        add_worker(s, m->id, m);
        count++;
    }
    if (count > 0 && !s->request->once && notifier_wanted(s->config))
        add_worker(s, "", NULL);
    if (count > 0 && has_console(s))
        add_worker(s, PAGES, NULL);
    for (size_t i = 0; count > 0 && !s->request->once && i < s->config->webhooks.count; i++)
        add_webhook(s, &s->config->webhooks.at[i]);
    enlist_webhooks(s);
    return count;
}

static void start_due(struct supervisor *s)
{
    for (size_t i = 0; i < s->workers; i++)
        if (s->worker[i].configured && s->worker[i].pid == 0 && boot(s) >= s->worker[i].start_at_ms)
            start(s, &s->worker[i]);
}

/* Each by itself: one that hangs keeps no other from being started anew. */
static void tell_to_end(struct supervisor *s)
{
    for (size_t i = 0; i < s->workers; i++)
        if (s->worker[i].pid > 0)
            s->worker[i].kill_at_ms = boot(s) + s->config->stop_timeout_ms;
    send_all(s, SIGTERM);
}

static void kill_overdue(struct supervisor *s)
{
    for (size_t i = 0; i < s->workers; i++) {
        struct worker *w = &s->worker[i];
        if (w->pid == 0 || w->kill_at_ms == 0 || boot(s) < w->kill_at_ms)
            continue;
        log_event(LOG_WARN, "worker.killed", "mailbox=%s", name_of(w));
        kill(w->pid, SIGKILL);
        w->kill_at_ms = boot(s) + SECONDS(1);
    }
}

/* When this worker needs us next: to be started, or to be ended. */
static int64_t next_of(const struct worker *w)
{
    if (w->pid == 0)
        return w->configured ? w->start_at_ms : INT64_MAX;
    return w->kill_at_ms != 0 ? w->kill_at_ms : INT64_MAX;
}

/* How long there is nothing to do. */
static int64_t quiet_ms(const struct supervisor *s)
{
    int64_t watched_ms = notify_watched_ms();
    int64_t now_ms = boot(s), next_ms = now_ms + (watched_ms ? watched_ms : MINUTES(1));
    for (size_t i = 0; i < s->workers; i++)
        if (next_of(&s->worker[i]) < next_ms)
            next_ms = next_of(&s->worker[i]);
    return next_ms > now_ms ? next_ms - now_ms : 0;
}

/* Ends every worker: politely, and after stop_timeout by force. */
static void stop_all(struct supervisor *s)
{
    int64_t until = boot(s) + s->config->stop_timeout_ms;
    s->stopping = true;
    send_all(s, SIGTERM);
    while (running(s) > 0 && boot(s) < until) {
        wake_rest(100);
        reap(s);
    }
    if (running(s) > 0)
        log_event(LOG_WARN, "workers.killed", "count=%zu", running(s));
    send_all(s, SIGKILL);
    while (running(s) > 0) {
        wake_rest(10);
        reap(s);
    }
    s->stopping = false;
}

static void reload(struct supervisor *s)
{
    CLEANUP(str_clear) struct str problems = STR_INIT;
    struct config *fresh = NULL;
    notify_manager("RELOADING=1");
    if (config_load(s->config->path, s->config->templates_dir, &fresh, &problems) != RC_OK ||
        wire_check_letters(fresh, &problems) != RC_OK || desk_check(fresh, &problems) != RC_OK) {
        config_free(&fresh);
        log_event(LOG_ERROR, "configuration.refused", "the old one stays: %s", str_z(&problems));
        notify_manager("READY=1");
        return;
    }
    tell_to_end(s);
    config_free(&s->config);
    s->config = fresh;
    log_event(LOG_NOTE, "configuration.read", "mailboxes=%zu", enlist(s));
    notify_manager("READY=1");
}

static enum rc serve(struct supervisor *s)
{
    notify_manager("READY=1");
    while (!told_to_stop) {
        if (told_to_reload) {
            told_to_reload = 0;
            reload(s);
        }
        start_due(s);
        notify_alive();
        wake_rest(quiet_ms(s));
        reap(s);
        kill_overdue(s);
    }
    notify_manager("STOPPING=1");
    stop_all(s);
    return RC_OK;
}

/* ---- once --------------------------------------------------------------------------------------- */

static void sum_up(const struct worker *w, struct run_summary *out)
{
    const struct run_summary *one = &w->report.sum;
    out->deliveries += one->deliveries;
    out->new_items += one->new_items;
    out->duplicates += one->duplicates;
    out->conflicts += one->conflicts;
    out->completed += one->completed;
    out->deferred += one->deferred;
    out->needs_reconciliation += one->needs_reconciliation;
    out->awaiting_choice += one->awaiting_choice;
    out->mailbox_failed |= one->mailbox_failed;
    out->disk_failed |= one->disk_failed;
    if (one->other_owner[0])
        text_copy(out->other_owner, sizeof out->other_owner, one->other_owner);
}

/* Those that tell take the place of those that worked. */
static void enlist_tellers(struct supervisor *s)
{
    s->workers = 0;
    if (notifier_wanted(s->config))
        add_worker(s, "", NULL);
    for (size_t i = 0; i < s->config->webhooks.count; i++)
        add_webhook(s, &s->config->webhooks.at[i]);
}

/* What a run finds is told at its end; a server that is slow then is not waited for. */
static void tell_once(struct supervisor *s)
{
    int64_t until = boot(s) + TOLD_ONCE_WITHIN_MS;
    enlist_tellers(s);
    if (told_to_stop)
        return;
    for (size_t i = 0; i < s->workers; i++)
        start(s, &s->worker[i]);
    while (running(s) > 0 && boot(s) < until && !told_to_stop) {
        wake_rest(SECONDS(1));
        reap(s);
    }
    send_all(s, SIGKILL);
    while (running(s) > 0) {
        wake_rest(10);
        reap(s);
    }
}

static void await_all(struct supervisor *s)
{
    while (running(s) > 0) {
        if (told_to_stop)
            send_all(s, SIGTERM);
        wake_rest(SECONDS(1));
        reap(s);
    }
}

static bool merged(const struct supervisor *s, const struct worker *w)
{
    const struct texts *group = &s->config->merge_across;
    for (size_t i = 0; i < group->count; i++)
        if (strcmp(group->at[i], w->id) == 0)
            return true;
    return false;
}

/* Has one of the mailboxes that are one done something that another's copy may wait for? */
static bool copies_may_wait(const struct supervisor *s)
{
    bool moved = false;
    size_t members = 0;
    for (size_t i = 0; i < s->workers; i++) {
        const struct worker *w = &s->worker[i];
        if (!merged(s, w))
            continue;
        if (!w->reported || w->report.rc != RC_OK)
            return false;
        members++;
        moved |= w->report.sum.deliveries + w->report.sum.completed > 0;
    }
    return moved && members > 1 && !told_to_stop;
}

/* What both turns did; what waits, as it is after the second. */
static void add_earlier(struct worker *w, const struct run_summary *earlier)
{
    struct run_summary *sum = &w->report.sum;
    sum->deliveries += earlier->deliveries;
    sum->new_items += earlier->new_items;
    sum->duplicates += earlier->duplicates;
    sum->conflicts += earlier->conflicts;
    sum->completed += earlier->completed;
}

/* A copy is filed once its item is complete, and that may have been in the hands of another mailbox when
 * its own had nothing left to do. */
static void file_copies(struct supervisor *s)
{
    CLEANUP(mem_free) struct run_summary *earlier = mem_new(s->workers + 1, sizeof *earlier);
    if (!copies_may_wait(s))
        return;
    for (size_t i = 0; i < s->workers; i++) {
        earlier[i] = s->worker[i].report.sum;
        if (merged(s, &s->worker[i]))
            start(s, &s->worker[i]);
    }
    await_all(s);
    for (size_t i = 0; i < s->workers; i++)
        if (merged(s, &s->worker[i]) && s->worker[i].reported)
            add_earlier(&s->worker[i], &earlier[i]);
}

static enum rc once(struct supervisor *s, struct run_summary *out, struct err *err)
{
    enum rc rc = RC_OK;
    *out = (struct run_summary){0};
    start_due(s);
    await_all(s);
    file_copies(s);
    for (size_t i = 0; i < s->workers; i++) {
        const struct worker *w = &s->worker[i];
        if (!w->reported)
            rc = FAIL(err, RC_BROKEN, "%s: its worker died without a word; run it again", w->id);
        else if (w->report.rc != RC_OK)
            rc = FAIL(err, w->report.rc, "%s: %s", w->id, w->report.err.text);
        if (w->reported)
            sum_up(w, out);
    }
    tell_once(s);
    return rc;
}

static void name_node(char node[RUN_ID_SIZE])
{
    char hex[DIGEST_HEX_SIZE];
    struct digest random;
    digest_random(&random);
    digest_hex(&random, hex);
    memcpy(node, hex, RUN_ID_SIZE - 1);
    node[RUN_ID_SIZE - 1] = '\0';
}

enum rc supervise(struct config **config,
                  const struct run_request *request,
                  struct run_summary *out,
                  struct err *err)
{
    struct supervisor s = {.config = STEAL(*config), .request = request, .clock = system_clock()};
    name_node(s.node);
    listen_for_signals();
    enum rc rc =
        enlist(&s) == 0 ? FAIL(err, RC_USAGE, "run: there is no mailbox of that name") : RC_OK;
    if (rc == RC_OK)
        rc = request->once ? once(&s, out, err) : serve(&s);
    free(s.worker);
    config_free(&s.config);
    return rc;
}
