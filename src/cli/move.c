/* SPDX-License-Identifier: Apache-2.0
 *
 * migrate-blobs, migrate-ledger - what is copied from where to where, and what to do after it.
 */
#include "cli_p.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

static const char *shown(const struct call *call, const char *place)
{
    return strcmp(place, "file") == 0 ? call->ops->config->data_dir : place;
}

/* ---- files ---------------------------------------------------------------------------------------- */

static void begins(void *ctx, const struct files_moved *plan)
{
    const struct call *call = ctx;
    if (call->json)
        return;
    printf("Copies %" PRId64
           " file%s that the ledger counts on from '%s' to '%s': each is read back and compared by "
           "its SHA-256, and what is there already is compared alone. Nothing is removed.\n",
           plan->files, plural(plan->files), shown(call, plan->from), shown(call, plan->to));
    fflush(stdout);
}

static void progress(void *ctx, int64_t done, int64_t total)
{
    const struct call *call = ctx;
    if (!call->json && isatty(STDERR_FILENO) && (done % 100 == 0 || done == total))
        fprintf(stderr, "\r%" PRId64 " of %" PRId64 "%s", done, total, done == total ? "\n" : "");
}

static void what_next(const struct call *call, const struct files_moved *m)
{
    if (m->runs > 0)
        printf(
            "The service runs, and what it keeps from now on it keeps in '%s'. Stop it and run "
            "this command once more, which copies the rest; then set `blobs: %s` and start it.\n",
            shown(call, call->ops->config->blobs), m->to);
    else if (strcmp(call->ops->config->blobs, m->to) != 0)
        printf("No service runs: set `blobs: %s` and start it. The way back is "
               "'onecase migrate-blobs --to %s'. What stands in '%s' stays, also what is erased or "
               "let "
               "go later: remove it when you are sure.\n",
               m->to, m->from, shown(call, m->from));
}

static int moved(const struct call *call, const struct files_moved *m)
{
    CLEANUP(str_clear) struct str out = STR_INIT;
    if (call->json) {
        json_files_moved(m, &out);
        print(&out);
    } else {
        printf("Copied %" PRId64 " of %" PRId64 " octets; %" PRId64 " stood there already.\n",
               m->copied, m->octets, m->already);
        if (m->missing.len == 0)
            what_next(call, m);
    }
    if (m->missing.len == 0)
        return EXIT_DONE;
    fprintf(
        stderr,
        "onecase: files that the ledger counts on and that cannot be had ('onecase verify' says "
        "more):\n%s",
        str_z(&m->missing));
    return EXIT_NO;
}

int cmd_migrate_blobs(struct call *call)
{
    const struct files_move request = {.from = args_get(&call->args, "--from"),
                                       .to = args_get(&call->args, "--to"),
                                       .begins = begins,
                                       .progress = progress,
                                       .ctx = call};
    struct files_moved m = {.missing = STR_INIT};
    struct err err = ERR_INIT;
    if (call->ops->no_ledger)
        return EXIT_NO; /* that there is none was said */
    enum rc rc = call->ops->move_files(call->ops->self, &request, &m, &err);
    int status = rc == RC_OK ? moved(call, &m) : failed(&err);
    str_clear(&m.missing);
    return status;
}

/* ---- the ledger ----------------------------------------------------------------------------------- */

struct telling {
    const struct call *call;
    const char *to;
    int64_t rows;
};

static void ledger_begins(void *ctx)
{
    const struct telling *t = ctx;
    CLEANUP(str_clear) struct str to = STR_INIT;
    plain_text(t->to, &to);
    if (t->call->json)
        return;
    printf(
        "Copies the ledger to '%s': row by row, then each is compared, and the event chain walked. "
        "Nothing of the old one is changed.\n",
        str_z(&to));
    fflush(stdout);
}

static void ledger_progress(void *ctx, const char *table, int64_t rows)
{
    struct telling *t = ctx;
    t->rows += rows;
    if (rows > 0 && !t->call->json && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%" PRId64 " rows, now of %s\033[K", t->rows, table);
}

static void say_ledger(const struct telling *t, const struct ledger_moved *m)
{
    const char *data_dir = t->call->ops->config->data_dir;
    bool back = strcmp(t->to, "sqlite") == 0;
    CLEANUP(str_clear) struct str to = STR_INIT;
    plain_text(t->to, &to);
    printf("Copied %" PRId64 " rows, and compared all %" PRId64 " of %" PRId64
           " tables, in %.1f s (%.0f rows a second); the event chain is whole up to line %" PRId64
           ".\n",
           m->copied, m->rows, m->tables, (double)m->took_ms / 1000,
           (double)m->rows * 1000 / (double)(m->took_ms > 0 ? m->took_ms : 1), m->last_event);
    printf("Set `ledger: %s` and start the service. The old ledger stays as it was: nothing may "
           "run on "
           "it any more, or mail that was filed since looks new to it. ",
           str_z(&to));
    if (back)
        printf("Drop its database when you are sure.\n");
    else
        printf("Move '%s/ledger.db' away when you are sure; the way back, without it there, is "
               "'onecase migrate-ledger --to sqlite'.\n",
               data_dir);
}

int cmd_migrate_ledger(struct call *call)
{
    struct telling t = {.call = call, .to = args_get(&call->args, "--to")};
    const struct ledger_move request = {
        .to = t.to, .begins = ledger_begins, .progress = ledger_progress, .ctx = &t};
    CLEANUP(str_clear) struct str out = STR_INIT;
    struct ledger_moved m;
    struct err err = ERR_INIT;
    if (call->ops->no_ledger)
        return EXIT_NO; /* that there is none was said */
    enum rc rc = call->ops->move_ledger(call->ops->self, &request, &m, &err);
    if (t.rows > 0 && !call->json && isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    if (rc != RC_OK)
        return failed(&err);
    if (call->json) {
        json_ledger_moved(&m, &out);
        print(&out);
    } else {
        say_ledger(&t, &m);
    }
    return EXIT_DONE;
}
