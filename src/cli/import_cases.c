/* SPDX-License-Identifier: Apache-2.0
 *
 * import-cases: cases that an older system made become known, from its list.
 *
 * The list is read and checked whole, and the ledger, which is only read for that, says whether it takes
 * each case, before anything is written. Then it is taken in by so many at a time, each a transaction: one that was interrupted goes on
 * when it is called again.
 */
#include "cli_p.h"

#include <stdlib.h>
#include <string.h>

#define AT_ONCE 200 /* cases of one transaction: nobody waits for long */

struct importing {
    struct call *call;
    const char *path;
    struct policy *policy; /* one a mailbox */
    struct listed list;
    enum listed_fate *fate;
    size_t done, of_fate[LISTED_FATE_COUNT];
};

static void importing_clear(struct importing *i)
{
    listed_cases_clear(&i->list);
    free(i->policy);
    free(i->fate);
}

/* ---- the list ----------------------------------------------------------------------------------------- */

static enum rc read_file(const char *path, struct str *out, struct err *err)
{
    char piece[16384];
    FILE *f = fopen(path, "re");
    if (!f)
        return FAIL(err, RC_NOT_FOUND,
                    "'%s' cannot be read: there is no such file, or it may not be read", path);
    for (size_t n; out->len <= LISTED_OCTETS && (n = fread(piece, 1, sizeof piece, f)) > 0;)
        str_add(out, (struct slice){piece, n});
    bool broken = ferror(f) != 0;
    (void)fclose(f);
    if (broken)
        return FAIL(err, RC_NOT_FOUND, "'%s' cannot be read", path);
    if (out->len > LISTED_OCTETS)
        return FAIL(err, RC_USAGE, "'%s' is larger than 32 MB: split it", path);
    return RC_OK;
}

static enum rc read_list(struct importing *i, struct err *err)
{
    const struct config *c = i->call->ops->config;
    struct listed_settings settings = {.policies = c->mailboxes.count};
    CLEANUP(str_clear) struct str text = STR_INIT;
    TRY(asked_mailbox(i->call, &settings.mailbox, err));
    if (!settings.mailbox && c->mailboxes.count == 1)
        settings.mailbox = c->mailboxes.at[0].id;
    TRY(read_file(i->path, &text, err));
    i->policy = mem_new(c->mailboxes.count, sizeof *i->policy);
    for (size_t m = 0; m < c->mailboxes.count; m++)
        config_policy(c, &c->mailboxes.at[m], &i->policy[m]);
    settings.policy = i->policy;
    listed_read(str_slice(&text), &settings, &i->list);
    i->fate = mem_new(i->list.count, sizeof *i->fate);
    return RC_OK;
}

/* ---- what is wrong ------------------------------------------------------------------------------------ */

static void told_wrong(size_t wrong, const char *taken)
{
    fprintf(stderr, "onecase: %zu %s wrong; %s\n", wrong, wrong == 1 ? "thing is" : "things are",
            taken);
}

static bool list_is_wrong(const struct importing *i)
{
    struct slice rest = str_slice(&i->list.problems), line;
    while (rest.len > 0 && slice_next(&rest, '\n', &line))
        fprintf(stderr, "%s:%.*s\n", i->path, (int)line.len, line.at);
    if (i->list.problem_count > 0)
        told_wrong(i->list.problem_count, "nothing was taken in");
    return i->list.problem_count > 0;
}

static bool ledger_refuses(const struct importing *i, const char *taken)
{
    size_t wrong = 0;
    for (size_t n = 0; n < i->list.count; n++) {
        if (i->fate[n] != LISTED_REFUSED)
            continue;
        wrong++;
        fprintf(
            stderr,
            "%s:%u:1: reference: it is that of a case of another mailbox, or of a case made here; "
            "put a word before it\n",
            i->path, i->list.at[n].line);
    }
    if (wrong > 0)
        told_wrong(wrong, taken);
    return wrong > 0;
}

/* ---- taking it in ------------------------------------------------------------------------------------- */

/* `most` cases a transaction. */
static enum rc
take_in(struct importing *i, struct listed_request *request, size_t most, struct err *err)
{
    const struct ledger *l = i->call->ops->ledger;
    const struct instant now = {.wall_ms = i->call->now_ms};
    for (i->done = 0; i->done < i->list.count; i->done += request->count) {
        size_t left = i->list.count - i->done;
        request->at = &i->list.at[i->done];
        request->count = left < most ? left : most;
        TRY(l->operators->list_cases(l->self, request, now, &i->fate[i->done], err));
    }
    return RC_OK;
}

static void count(struct importing *i)
{
    for (size_t n = 0; n < i->list.count; n++)
        i->of_fate[i->fate[n]]++;
}

static void say_number(const struct importing *i, enum listed_fate fate)
{
    if (i->of_fate[fate] > 0)
        printf("%8zu  %s\n", i->of_fate[fate], label("listed", listed_fate_text(fate)));
}

static void say_text(const struct importing *i, bool dry_run)
{
    CLEANUP(str_clear) struct str unused = STR_INIT;
    printf("%s\n", dry_run ? "Nothing was taken in; it would be:" : "Taken in:");
    for (enum listed_fate f = LISTED_NEW; f < LISTED_FATE_COUNT; f++)
        say_number(i, f);
    if (i->list.count == 0)
        printf("       0  cases\n");
    plain_text(str_z(&i->list.unused), &unused);
    if (unused.len > 0)
        printf("Columns that are not used: %s.\n", str_z(&unused));
    if (i->of_fate[LISTED_DOUBLED] > 0)
        printf("'onecase suspects' %s the doubles beside each other.\n",
               dry_run ? "would list" : "lists");
}

static int say(struct importing *i, bool dry_run)
{
    CLEANUP(str_clear) struct str out = STR_INIT;
    count(i);
    if (!i->call->json) {
        say_text(i, dry_run);
        return EXIT_DONE;
    }
    json_listed(i->of_fate, &i->list, dry_run, &out);
    print(&out);
    return EXIT_DONE;
}

static int half_way(const struct importing *i, const struct err *err)
{
    int exit = failed(err);
    fprintf(
        stderr,
        "onecase: of %zu cases %zu were taken in; the same command goes on, and takes none twice\n",
        i->list.count, i->done);
    return exit;
}

static int import(struct importing *i)
{
    bool dry_run = args_has(&i->call->args, "--dry-run");
    CLEANUP(str_clear) struct str by = STR_INIT;
    struct listed_request request = {.dry_run = true};
    struct err err = ERR_INIT;
    if (!dry_run && decider(i->call, &by, &request.why, &err) != RC_OK)
        return failed(&err);
    if (read_list(i, &err) != RC_OK)
        return failed(&err);
    if (list_is_wrong(i))
        return EXIT_NO;
    request.by = str_z(&by);
    if (take_in(i, &request, LISTED_MOST, &err) != RC_OK)
        return failed(&err);
    if (ledger_refuses(i, "nothing was taken in"))
        return EXIT_NO;
    request.dry_run = false;
    if (!dry_run && take_in(i, &request, AT_ONCE, &err) != RC_OK)
        return half_way(i, &err);
    /* such a case was made meanwhile */
    if (ledger_refuses(i, "all else was taken in"))
        return EXIT_NO;
    return say(i, dry_run);
}

int cmd_import_cases(struct call *call)
{
    CLEANUP(importing_clear)
    struct importing i = {.call = call, .path = args_get(&call->args, "FILE")};
    return import(&i);
}
