/* SPDX-License-Identifier: Apache-2.0 */
#include "backup.h"
#include "bury.h"
#include "console.h"
#include "desk.h"
#include "desk_test.h"
#include "doctor.h"
#include "dry_run.h"
#include "fetch_large.h"
#include "identify.h"
#include "inherited.h"
#include "letter_test.h"
#include "move_files.h"
#include "move_ledger.h"
#include "original.h"
#include "restore.h"
#include "retain.h"
#include "supervise.h"
#include "verify.h"
#include "wire.h"

#include <onecase/cli.h>
#include <onecase/log.h>
#include <malloc.h>
#include <pwd.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct program {
    struct config *config;
    struct wired_data data;
    struct accounts accounts;
    struct sessions sessions;
    const char *templates_dir;
};

/* ---- operations -------------------------------------------------------------------------------------- */

static enum rc dry_run_all(const struct config *config,
                           const struct run_request *request,
                           struct run_summary *out,
                           struct err *err)
{
    for (size_t i = 0; i < config->mailboxes.count; i++) {
        const struct config_mailbox *m = &config->mailboxes.at[i];
        if (!request->only || strcmp(request->only, m->id) == 0)
            TRY(dry_run(config, m, request, out, err));
    }
    return RC_OK;
}

/* The configuration goes over to the supervisor, which may replace it. A ledger that is open here does
 * not survive that the supervisor forks. */
static enum rc
run(void *self, const struct run_request *request, struct run_summary *out, struct err *err)
{
    struct program *p = self;
    if (request->dry_run)
        return dry_run_all(p->config, request, out, err);
    TRY(wire_check_not_moved(p->config, err));
    wire_data_close(&p->data);
    return supervise(&p->config, request, out, err);
}

static enum rc doctor(void *self,
                      const char *send_to,
                      bool since_last,
                      void (*tell)(void *ctx, const struct check_result *result),
                      void *ctx,
                      struct err *err)
{
    const struct program *p = self;
    return doctor_run(p->config, send_to, since_last, tell, ctx, err);
}

static enum rc test_destination(void *self,
                                const char *name,
                                void (*tell)(void *ctx, const struct check_result *result),
                                void *ctx,
                                struct err *err)
{
    const struct program *p = self;
    return desk_test(p->config, name, tell, ctx, err);
}

static enum rc
identify(void *self, const char *path, const char *mailbox, struct identified *out, struct err *err)
{
    const struct program *p = self;
    return identify_file(p->config, path, mailbox, out, err);
}

static enum rc test_letter(void *self,
                           const struct letter_question *question,
                           struct letter_shown *out,
                           struct err *err)
{
    const struct program *p = self;
    return letter_test(p->config, question, out, err);
}

static enum rc read_original(void *self, const char *key, struct message *out, struct err *err)
{
    const struct program *p = self;
    return original_read(p->config, &p->data, key, out, err);
}

static enum rc fetch_original(void *self, const char *key, int64_t max_size, struct err *err)
{
    struct program *p = self;
    if (max_size > RAISED_MAX)
        return FAIL(err, RC_USAGE, "--max-size takes at most 1GB");
    return fetch_large(p->config, &p->data, key, max_size, err);
}

static enum rc verify(void *self,
                      void (*tell)(void *ctx, const char *what),
                      void *ctx,
                      struct verified *out,
                      struct err *err)
{
    struct program *p = self;
    return verify_all(p->config, &p->data, tell, ctx, out, err);
}

static enum rc
backup(void *self, const struct backup_request *request, struct backup_made *out, struct err *err)
{
    struct program *p = self;
    return backup_make(p->config, &p->data, request, out, err);
}

static enum rc
backups(void *self, const char *folder, struct backup_facts **out, size_t *count, struct err *err)
{
    (void)self;
    return backup_list(folder, out, count, err);
}

static enum rc
restore(void *self, const struct restore_request *request, struct restored *out, struct err *err)
{
    const struct program *p = self;
    return restore_backup(p->config, request, out, err);
}

static enum rc
move(void *self, const struct files_move *request, struct files_moved *out, struct err *err)
{
    struct program *p = self;
    return move_files(p->config, &p->data, request, out, err);
}

static enum rc
move_rows(void *self, const struct ledger_move *request, struct ledger_moved *out, struct err *err)
{
    struct program *p = self;
    return move_ledger(p->config, &p->data, request, out, err);
}

static enum rc let_go(
    void *self, const struct letting_go *what, size_t count, struct let_gone *out, struct err *err)
{
    const struct program *p = self;
    return retain_let_go(p->config, &p->data, what, count, out, err);
}

static enum rc prove_runs(void *self, struct err *err)
{
    struct program *p = self;
    if (!wire_has_ledger(p->config)) /* nothing has run yet */
        return RC_OK;
    return bury_dead(p->config, &p->data, err);
}

static enum rc open_stored(void *self, const char *path, int *fd, struct err *err)
{
    const struct program *p = self;
    return stored_fetch(&p->data.stored, path, fd, err);
}

static enum rc size_stored(void *self, const char *path, int64_t *octets, struct err *err)
{
    const struct program *p = self;
    return stored_size(&p->data.stored, path, octets, err);
}

static void place_stored(void *self, const char *path, struct str *out)
{
    const struct program *p = self;
    stored_place(p->config, path, out);
}

static void look(void *self, struct installation *out)
{
    const struct program *p = self;
    wire_look(&p->data, out);
}

/* The service has one of its own; here it is the command. What is open here is opened anew. */
static enum rc console(void *self, struct err *err)
{
    struct program *p = self;
    wire_data_close(&p->data);
    console_listen();
    return console_run(p->config, err);
}

/* ---- what a command needs ----------------------------------------------------------------------------- */

/* What is freed while it is read is overwritten: pieces of the file hold secrets, and a process that
 * forgets them (the console's) shall have none. */
static enum rc load_config(struct program *p, const char *path, struct str *problems)
{
    (void)mallopt(M_PERTURB, 0x5a);
    enum rc rc = config_load(path, p->templates_dir, &p->config, problems);
    (void)mallopt(M_PERTURB, 0);
    return rc;
}

/* What root makes in the folder of another account, that account's service can neither read nor change. */
static enum rc check_account(const struct config *config, struct err *err)
{
    struct stat facts;
    if (geteuid() != 0 || stat(config->data_dir, &facts) != 0 || facts.st_uid == 0)
        return RC_OK;
    const struct passwd *owner = getpwuid(facts.st_uid);
    const char *name = owner ? owner->pw_name : "ITS-OWNER";
    return FAIL(err, RC_USAGE,
                "data_dir '%s' belongs to %s, whose service could not use what root makes there: "
                "runuser -u %s -- onecase ...",
                config->data_dir, name, name);
}

/* What people read is in their zone. */
static void take_zone(const struct config *config)
{
    if (!config->timezone || !config->timezone[0])
        return;
    setenv("TZ", config->timezone, 1);
    tzset();
}

static enum rc
open_ledger(struct program *p, enum needs needs, struct operations *out, struct err *err)
{
    out->no_ledger = needs == NEEDS_TO_READ && !wire_has_ledger(p->config);
    TRY(out->no_ledger ? wire_nothing(p->config, &p->data, err)
                       : wire_data(p->config, true, &p->data, err));
    out->ledger = &p->data.ledger;
    out->views = &p->data.views;
    p->accounts = store_accounts(p->data.store);
    p->sessions = store_sessions(p->data.store);
    out->accounts = &p->accounts;
    out->sessions = &p->sessions;
    return RC_OK;
}

static enum rc open_needs(void *self,
                          const char *config_path,
                          enum needs needs,
                          struct operations *out,
                          struct str *problems,
                          struct err *err)
{
    struct program *p = self;
    *out = (struct operations){.self = p,
                               .run = run,
                               .doctor = doctor,
                               .destination_test = test_destination,
                               .identify = identify,
                               .look = look,
                               .letter_test = test_letter,
                               .console = console,
                               .prove_runs = prove_runs,
                               .verify = verify,
                               .backup = backup,
                               .backups = backups,
                               .restore = restore,
                               .move_files = move,
                               .move_ledger = move_rows,
                               .let_go = let_go,
                               .fetch_original = fetch_original,
                               .open_stored = open_stored,
                               .stored_size = size_stored,
                               .stored_place = place_stored,
                               .read_original = read_original};
    if (needs == NEEDS_NOTHING)
        return RC_OK;
    TRY(load_config(p, config_path, problems));
    TRY(check_account(p->config, err));
    TRY(desk_check(p->config, problems));
    out->config = p->config;
    take_zone(p->config);
    if (needs == NEEDS_LETTERS)
        return wire_check_letters(p->config, problems);
    return needs == NEEDS_LEDGER || needs == NEEDS_TO_READ ? open_ledger(p, needs, out, err)
                                                           : RC_OK;
}

static void close_needs(void *self, struct operations *operations)
{
    struct program *p = self;
    (void)operations;
    wire_data_close(&p->data);
    config_free(&p->config);
}

static int64_t now_ms(void *self)
{
    struct clock clock = system_clock();
    (void)self;
    return clock_now(&clock).wall_ms;
}

/* systemd says by JOURNAL_STREAM which file its journal is; a terminal, a file or a pipe has no use for
 * priorities. */
static bool is_journal(int fd)
{
    const char *named = getenv("JOURNAL_STREAM");
    char own[64];
    struct stat facts;
    if (!named || fstat(fd, &facts) != 0)
        return false;
    snprintf(own, sizeof own, "%ju:%ju", (uintmax_t)facts.st_dev, (uintmax_t)facts.st_ino);
    return strcmp(named, own) == 0;
}

int main(int argc, char **argv)
{
    message_reader_main(argc, argv);

    struct program program = {.config = NULL, .templates_dir = getenv("ONECASE_TEMPLATES")};
    signal(SIGPIPE, SIG_IGN);
    inherited_take();
    log_for_journal(is_journal(STDERR_FILENO));
    if (!program.templates_dir || !program.templates_dir[0])
        program.templates_dir = TEMPLATES_DIR;
    struct cli_host host = {
        .self = &program,
        .open = open_needs,
        .close = close_needs,
        .now_ms = now_ms,
        .version = ONECASE_VERSION,
    };
    return cli_main(argc, argv, &host);
}
