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

struct standing {
    const struct config *config;
    struct wired_data *data;
    const struct ledger_move *request;
};

static enum rc stands(void *ctx, bool *out, struct err *err)
{
    const struct standing *s = ctx;
    size_t alive;
    TRY(count_alive(s->config, s->data, &alive, err));
    *out = alive == 0;
    return RC_OK;
}

static void tell(void *ctx, const char *table, int64_t rows)
{
    const struct standing *s = ctx;
    s->request->progress(s->request->ctx, table, rows);
}

static enum rc move_between(const struct store_options *source,
                            const struct store_options *target,
                            struct standing *standing,
                            struct ledger_moved *out,
                            struct err *err)
{
    struct clock clock = system_clock();
    struct store_moved moved;
    const struct store_move move = {
        .from = source, .to = target, .stands = stands, .tell = tell, .ctx = standing};
    int64_t began_ms = clock_now(&clock).boot_ms;
    TRY(store_move(&move, &moved, err));
    *out = (struct ledger_moved){.tables = moved.tables,
                                 .copied = moved.copied,
                                 .followed = moved.followed,
                                 .rows = moved.rows,
                                 .last_event = moved.last_event,
                                 .ended = moved.ended,
                                 .left = moved.left,
                                 .took_ms = clock_now(&clock).boot_ms - began_ms};
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
    struct standing standing = {config, data, request};
    *out = (struct ledger_moved){.ended = false};
    TRY(upkeep_lock(config->data_dir, &lock, err));
    if (!request->to)
        return store_move_abandon(data->store, err);
    TRY(check_places(config, request->to, err));
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
    return move_between(&source, &target, &standing, out, err);
}
