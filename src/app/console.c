/* SPDX-License-Identifier: Apache-2.0 */
#include "console.h"

#include "bury.h"
#include "inherited.h"
#include "original.h"
#include "wake.h"
#include "wire.h"

#include <onecase/console.h>
#include <onecase/log.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct showing {
    const struct config *config;
    struct wired_data data;
    struct clock clock;
};

static volatile sig_atomic_t told_to_stop;

static void stop(int signal)
{
    (void)signal;
    told_to_stop = 1;
    wake_up();
}

static bool stopped(void)
{
    return told_to_stop != 0;
}

void console_listen(void)
{
    struct sigaction act = {.sa_handler = stop};
    wake_open();
    sigemptyset(&act.sa_mask);
    sigaction(SIGTERM, &act, NULL);
    sigaction(SIGINT, &act, NULL);
}

/* ---- what it can do ----------------------------------------------------------------------------------- */

static enum rc read_original(void *self, const char *key, struct message *out, struct err *err)
{
    struct showing *s = self;
    return original_read(s->config, &s->data, key, out, err);
}

static enum rc fetch_original(void *self, const char *key, int64_t max_size, struct err *err)
{
    (void)self;
    (void)key;
    (void)max_size;
    return FAIL(err, RC_REFUSED,
                "the console talks to no mail server: onecase resolve KEY --unprocessable retry "
                "--max-size S fetches a large mail");
}

static enum rc open_stored(void *self, const char *path, int *fd, struct err *err)
{
    const struct showing *s = self;
    return stored_fetch(&s->data.stored, path, fd, err);
}

static enum rc size_stored(void *self, const char *path, int64_t *octets, struct err *err)
{
    const struct showing *s = self;
    return stored_size(&s->data.stored, path, octets, err);
}

static void place_stored(void *self, const char *path, struct str *out)
{
    const struct showing *s = self;
    stored_place(s->config, path, out);
}

static void look(void *self, struct installation *out)
{
    const struct showing *s = self;
    wire_look(&s->data, out);
}

static enum rc prove_runs(void *self, struct err *err)
{
    struct showing *s = self;
    return bury_dead(s->config, &s->data, err);
}

/* ---- the process -------------------------------------------------------------------------------------- */

static void templates_of(const struct config *config, struct str *out)
{
    str_addf(out, "%s/console", config->templates_dir);
    if (access(str_z(out), X_OK) == 0)
        return;
    str_empty(out);
    str_addz(out, TEMPLATES_DIR "/console"); /* a folder of letters alone has none */
}

static void close_showing(struct showing *s)
{
    wire_data_close(&s->data);
}

static enum rc serve(struct showing *s, struct err *err)
{
    CLEANUP(str_clear) struct str templates = STR_INIT;
    struct accounts accounts = store_accounts(s->data.store);
    struct sessions sessions = store_sessions(s->data.store);
    const struct operations ops = {
        .self = s,
        .config = s->config,
        .ledger = &s->data.ledger,
        .views = &s->data.views,
        .accounts = &accounts,
        .sessions = &sessions,
        .look = look,
        .prove_runs = prove_runs,
        .open_stored = open_stored,
        .stored_size = size_stored,
        .stored_place = place_stored,
        .read_original = read_original,
        .fetch_original = fetch_original,
    };
    templates_of(s->config, &templates);
    const struct console_settings settings = {.templates = str_z(&templates),
                                              .version = ONECASE_VERSION,
                                              .clock = &s->clock,
                                              .wake_fd = wake_fd(),
                                              .listen_fd = inherited_socket(),
                                              .stopped = stopped};
    return console_serve(&ops, &settings, err);
}

enum rc console_run(struct config *config, struct err *err)
{
    CLEANUP(close_showing) struct showing s = {.config = config, .clock = system_clock()};
    config_forget_secrets(config);
    TRY(wire_data(config, true, &s.data, err));
    TRY(store_limit(s.data.store, config->ledger_timeout_ms, &s.clock, err));
    return serve(&s, err);
}
