/* SPDX-License-Identifier: Apache-2.0 */
#include "move_ledger.h"

#include "backup_folder.h"
#include "bury.h"

#include <string.h>

#define BUSY_TIMEOUT_MS 10000

static bool is_sqlite(const char *ledger)
{
    return strcmp(ledger, "sqlite") == 0;
}

/* Whoever lists the processes of this machine would see it. */
static bool has_password(const char *url)
{
    const char *user = strstr(url, "://");
    const char *at = user ? strchr(user, '@') : NULL;
    const char *colon = user ? strchr(user + 3, ':') : NULL;
    return (at && colon && colon < at) || strstr(url, "password=");
}

static enum rc check_places(const struct config *config, const char *to, struct err *err)
{
    if (!config_is_ledger(to))
        return FAIL(err, RC_USAGE, "expected sqlite, or postgresql://USER@HOST/DATABASE");
    if (has_password(to))
        return FAIL(
            err, RC_USAGE,
            "no password on the command line, where others see it: expected "
            "postgresql://USER@HOST/DATABASE?passfile=FILE, or ${NAME} in the configuration");
    if (is_sqlite(to) == is_sqlite(config->ledger))
        return FAIL(err, RC_USAGE,
                    "`ledger` is %s already: a ledger is moved from one to the other",
                    is_sqlite(to) ? "sqlite" : "in PostgreSQL");
    return RC_OK;
}

static void path_of(const struct config *config, const char *ledger, struct str *out)
{
    if (is_sqlite(ledger))
        str_addf(out, "%s/ledger.db", config->data_dir);
    else
        str_addz(out, ledger);
}

static enum rc check_runs(const struct config *config, struct wired_data *data, struct err *err)
{
    size_t alive;
    TRY(count_alive(config, data, &alive, err));
    if (alive > 0)
        return FAIL(err, RC_DEFERRED,
                    "the service runs: stop it first; 'onecase deployments' says where");
    return RC_OK;
}

enum rc move_ledger(const struct config *config,
                    struct wired_data *data,
                    const struct ledger_move *request,
                    struct ledger_moved *out,
                    struct err *err)
{
    CLEANUP(upkeep_unlock) int lock = -1;
    CLEANUP(str_clear) struct str from = STR_INIT;
    CLEANUP(str_clear) struct str to = STR_INIT;
    struct clock clock = system_clock();
    struct store_moved moved;
    TRY(check_places(config, request->to, err));
    TRY(upkeep_lock(config->data_dir, &lock, err));
    TRY(check_runs(config, data, err));
    path_of(config, config->ledger, &from);
    path_of(config, request->to, &to);
    if (request->begins)
        request->begins(request->ctx);
    const struct store_options source = {.path = str_z(&from), .busy_timeout_ms = BUSY_TIMEOUT_MS};
    struct store_options target = {.path = str_z(&to),
                                   .busy_timeout_ms = BUSY_TIMEOUT_MS,
                                   .create = true,
                                   .now_ms = clock_now(&clock).wall_ms};
    digest_random(&target.secret_seed);
    int64_t began_ms = clock_now(&clock).boot_ms;
    TRY(store_move(&source, &target, request->progress, request->ctx, &moved, err));
    *out = (struct ledger_moved){moved.tables, moved.copied, moved.rows, moved.last_event,
                                 clock_now(&clock).boot_ms - began_ms};
    return RC_OK;
}
