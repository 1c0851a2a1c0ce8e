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
           "its SHA-256, and what is there already is compared alone, once. Nothing is removed.\n",
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
    printf("Copies the ledger to '%s': row by row, then each is compared, and the event chain "
           "walked.%s\n",
           str_z(&to),
           strcmp(t->to, "sqlite") == 0
               ? ""
               : " The service may go on: what it changes meanwhile is brought over, too.");
    fflush(stdout);
}

static void ledger_progress(void *ctx, const char *table, int64_t rows)
{
    struct telling *t = ctx;
    t->rows += rows;
    if (rows > 0 && !t->call->json && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%" PRId64 " rows copied or compared, now of %s\033[K", t->rows, table);
}

static void say_so_far(const struct ledger_moved *m)
{
    printf("Copied %" PRId64 " rows, brought over %" PRId64
           " that changed meanwhile, and compared %" PRId64 ", in %.1f s (%.0f rows a second).\n",
           m->copied, m->followed, m->rows, (double)m->took_ms / 1000,
           (double)m->rows * 1000 / (double)(m->took_ms > 0 ? m->took_ms : 1));
}

static void say_stop(const struct ledger_moved *m)
{
    printf("The service runs, and the ledger is where it was. Stop it and run this command once "
           "more: it brings over what changes until then (%" PRId64
           " row%s now), and nothing else. It may go on as long as it likes before that; 'onecase "
           "migrate-ledger --abandon' gives the move up.\n",
           m->left, plural(m->left));
}

static void say_moved(const struct telling *t, const struct ledger_moved *m)
{
    const char *data_dir = t->call->ops->config->data_dir;
    CLEANUP(str_clear) struct str to = STR_INIT;
    plain_text(t->to, &to);
    printf("The ledger is moved: all %" PRId64 " tables, its event chain whole up to line %" PRId64
           ". Set `ledger: %s` and start the service. The old ledger can be read, and no version "
           "writes into it any more. ",
           m->tables, m->last_event, str_z(&to));
    if (strcmp(t->to, "sqlite") == 0)
        printf("Drop its database when you are sure.\n");
    else
        printf("Move '%s/ledger.db' away when you are sure; the way back, without it there and "
               "with the service stopped, is 'onecase migrate-ledger --to sqlite'.\n",
               data_dir);
}

static void say_ledger(const struct telling *t, const struct ledger_moved *m)
{
    CLEANUP(str_clear) struct str out = STR_INIT;
    if (t->call->json) {
        json_ledger_moved(m, &out);
        print(&out);
        return;
    }
    say_so_far(m);
    if (m->ended)
        say_moved(t, m);
    else
        say_stop(m);
}

static void say_abandoned(const struct call *call)
{
    if (!call->json)
        printf("Given up: changes are noted no more. Nothing has changed for the service; drop the "
               "database that is half moved.\n");
}

int cmd_migrate_ledger(struct call *call)
{
    struct telling t = {.call = call, .to = args_get(&call->args, "--to")};
    const struct ledger_move request = {
        .to = t.to, .begins = ledger_begins, .progress = ledger_progress, .ctx = &t};
    struct ledger_moved m;
    struct err err = ERR_INIT;
    if (args_has(&call->args, "--abandon") == (t.to != NULL))
        return usage("migrate-ledger takes one of --to PLACE and --abandon");
    if (call->ops->no_ledger)
        return EXIT_NO; /* that there is none was said */
    enum rc rc = call->ops->move_ledger(call->ops->self, &request, &m, &err);
    if (t.rows > 0 && !call->json && isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    if (rc != RC_OK)
        return failed(&err);
    if (t.to)
        say_ledger(&t, &m);
    else
        say_abandoned(call);
    return EXIT_DONE;
}
