/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* ---- which mails -------------------------------------------------------------------------------------- */

static enum rc choose_one(const struct call *call, struct replay_plan *p, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    TRY(one_item(call, &view, err));
    return replay_plan_one(call->ops, view.row, args_has(&call->args, "--resend-acknowledgement"),
                           p, err);
}

static enum rc choose(const struct call *call, struct replay_plan *p, struct err *err)
{
    const char *key = args_get(&call->args, "KEY");
    const struct replay_choice choice = {.state = args_get(&call->args, "--state"),
                                         .where = args_get(&call->args, "--where"),
                                         .resend =
                                             args_has(&call->args, "--resend-acknowledgement")};
    if (!key == !choice.state || (key && choice.where))
        return FAIL(err, RC_USAGE, "replay takes a KEY, or --state S with or without --where");
    return key ? choose_one(call, p, err) : replay_plan_many(call->ops, &choice, p, err);
}

/* ---- the plan ------------------------------------------------------------------------------------------ */

static void page(const struct call *call, const struct replay_plan *c)
{
    /* clang-format off */
    static const struct column columns[] = {
        { "CASE", 0, 0, false }, { "STATE",     8, 0, false }, { "RUNS AGAIN", 0, 2, true },
        { "DONE", 0, 3, true },  { "NOT KNOWN", 0, 1, true },
    };
    /* clang-format on */
    CLEANUP(table_free) struct table *t = table_of(columns, LENGTH(columns));
    for (size_t i = 0; i < c->count && i < 50; i++) {
        const struct replay_shown *s = &c->item[i];
        char key[13], again[24], done[24], doubt[24];
        text_copy(key, sizeof key, s->key);
        snprintf(again, sizeof again, "%u", s->result.run_again);
        snprintf(done, sizeof done, "%u", s->result.proven_done);
        snprintf(doubt, sizeof doubt, "%u", s->result.in_doubt);
        const char *cell[] = {s->reference[0] ? s->reference : key, label("state", s->state), again,
                              done, doubt};
        table_row(t, cell);
    }
    table_print(t, table_width(call), call->terminal, stdout);
    if (c->count > 50)
        printf("… and %zu more (--json shows all)\n", c->count - 50);
}

static void told_of_programs(const struct replay_result *sum)
{
    if (sum->of_programs > 0)
        printf(
            "Lists and programs are answered by none of many: %u left alone. Who wants one of them "
            "answered names that mail alone.\n",
            sum->of_programs);
}

static void told(const struct call *call, const struct replay_plan *c)
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    str_addf(&text,
             "Steps that run again: %u. Proven done, left alone: %u. Not known, left alone: "
             "%u.",
             c->sum.run_again, c->sum.proven_done, c->sum.in_doubt);
    plain_wrap(str_z(&text), 0, call->width, stdout);
    told_of_programs(&c->sum);
}

static void steps(const struct call *call, const char *key)
{
    CLEANUP(view_clear) struct view view = {0};
    struct err err = ERR_INIT;
    const struct views *v = call->ops->views;
    if (v->item(v->self, key, &view, &err) != RC_OK)
        return;
    const struct view_item *i = view.row;
    for (size_t n = 0; n < i->effects; n++)
        printf("  %-14s%s\n", label("effect", i->effect[n].kind),
               label("status", i->effect[n].status));
}

static int show(const struct call *call, const struct replay_plan *c)
{
    CLEANUP(str_clear) struct str out = STR_INIT;
    if (call->json) {
        json_replay(c->item, c->count, c->plan, &out);
        print(&out);
        return EXIT_DONE;
    }
    if (c->count > 0)
        page(call, c);
    if (c->count == 1)
        steps(call, c->item[0].key);
    told(call, c);
    CLEANUP(str_clear) struct str how = STR_INIT;
    str_addf(
        &how,
        "Nothing was done. --approve --by NAME --reason TEXT does it; with --plan %.16s only if "
        "nothing has changed since.",
        c->plan);
    plain_wrap(str_z(&how), 0, call->width, stdout);
    return EXIT_DONE;
}

/* ---- doing it ------------------------------------------------------------------------------------------- */

struct doing {
    struct call *call;
    struct replay_plan *chosen;
    const char *by, *why;
    struct second_person person;
};

static int changed_since(const char *plan)
{
    fprintf(stderr, "onecase: the plan has changed since; it is %s now. Nothing was done.\n", plan);
    return EXIT_NOT_ALLOWED;
}

static void said_after(const struct replay_result *r)
{
    if (r->was_complete && r->run_again == 0)
        printf("It was complete: it is read back, nothing runs again. The replay is recorded.\n");
    else
        printf("Recorded. The service goes on with it in its next turn.\n");
}

static int replay_one(struct doing *d)
{
    const struct ledger *l = d->call->ops->ledger;
    struct replay_plan *c = d->chosen;
    struct replay_shown *s = &c->item[0];
    struct instant now = {.wall_ms = d->call->now_ms};
    struct err err = ERR_INIT;
    if (!d->call->json) {
        printf("Replays one mail. ");
        told(d->call, c);
        fflush(stdout);
    }
    const struct replay_request request = {.key = s->key,
                                           .by = d->person.first,
                                           .why = d->why,
                                           .second = d->person.second,
                                           .plan = c->plan,
                                           .resend = c->resend};
    enum rc rc = l->operators->replay(l->self, &request, now, &s->result, &err);
    if (rc == RC_CONFLICT) {
        fprintf(stderr, "onecase: %s\n", err.text);
        return EXIT_NOT_ALLOWED;
    }
    if (rc != RC_OK)
        return failed(&err);
    if (d->call->json)
        return show(d->call, c);
    said_after(&s->result);
    return EXIT_DONE;
}

static void progress(const struct bulk *b)
{
    bool terminal = isatty(STDERR_FILENO) == 1;
    if (terminal)
        fprintf(stderr, "\r%" PRId64 " of %" PRId64 "%s", b->done, b->all,
                b->done == b->all ? "\n" : "");
    else if (b->done % 100 == 0 || b->done == b->all)
        fprintf(stderr, "%" PRId64 " of %" PRId64 "\n", b->done, b->all);
}

static int go_through(struct doing *d, struct bulk *b)
{
    const struct ledger *l = d->call->ops->ledger;
    struct replay_result one, sum = {.run_again = 0};
    struct instant now = {.wall_ms = d->call->now_ms};
    struct err err = ERR_INIT;
    int64_t before = b->done;
    enum rc rc;
    while ((rc = l->operators->bulk_next(l->self, b, now, &one, &err)) == RC_OK) {
        sum.run_again += one.run_again;
        sum.proven_done += one.proven_done;
        sum.in_doubt += one.in_doubt;
        progress(b);
        now.wall_ms = d->call->host->now_ms(d->call->host->self);
    }
    if (rc != RC_NOT_FOUND)
        return failed(&err);
    printf("%" PRId64 " mails replayed. Steps that run again: %u. Proven done, left alone: %u. Not "
           "known, left alone: %u.\n",
           b->done - before, sum.run_again, sum.proven_done, sum.in_doubt);
    return EXIT_DONE;
}

static int go_on_with(struct doing *d, struct bulk *b)
{
    char when[32];
    CLEANUP(str_clear) struct str by = STR_INIT;
    when_cell(d->call, b->begun_ms, when);
    plain_text(b->by, &by);
    printf("Goes on with the replay that %s began at %s: %" PRId64 " of %" PRId64 " are done.\n",
           str_z(&by), when, b->done, b->all);
    fflush(stdout);
    return go_through(d, b);
}

static int replay_many(struct doing *d)
{
    const struct decided_by decided = {d->person.first, d->why, d->person.second};
    struct replay_plan *c = d->chosen;
    struct instant now = {.wall_ms = d->call->now_ms};
    struct err err = ERR_INIT;
    struct bulk b;
    printf("Replays %zu mails. ", c->count);
    told(d->call, c);
    fflush(stdout);
    if (replay_begin(d->call->ops, c, &decided, now, &b, &err) != RC_OK)
        return failed(&err);
    return go_through(d, &b);
}

static int approve(struct doing *d)
{
    const struct replay_plan *c = d->chosen;
    const char *plan = args_get(&d->call->args, "--plan");
    bool one = args_has(&d->call->args, "KEY");
    if (plan && (strlen(plan) < 16 || strncmp(plan, c->plan, strlen(plan)) != 0))
        return changed_since(c->plan);
    CLEANUP(str_clear) struct str subject = STR_INIT;
    replay_subject(c, &subject);
    const struct decided decided = {str_z(&subject), one ? c->item[0].key : "", d->by, d->why,
                                    args_has(&d->call->args, "--approve")};
    int status = second_person(d->call, &decided, &d->person);
    if (!d->person.go_on)
        return status;
    return one ? replay_one(d) : replay_many(d);
}

int cmd_replay(struct call *call)
{
    CLEANUP(replay_plan_clear) struct replay_plan chosen = {.selection = STR_INIT};
    CLEANUP(str_clear) struct str by = STR_INIT;
    struct doing doing = {.call = call, .chosen = &chosen};
    const struct ledger *l = call->ops->ledger;
    struct bulk b;
    struct err err = ERR_INIT;
    bool does = args_has(&call->args, "--approve");
    if ((does && decider(call, &by, &doing.why, &err) != RC_OK) ||
        choose(call, &chosen, &err) != RC_OK)
        return failed(&err);
    doing.by = str_z(&by);
    if (!does)
        return show(call, &chosen);
    enum rc rc = l->operators->bulk_find(l->self, str_z(&chosen.selection), &b, &err);
    if (rc != RC_OK && rc != RC_NOT_FOUND)
        return failed(&err);
    return rc == RC_OK ? go_on_with(&doing, &b) : approve(&doing);
}
