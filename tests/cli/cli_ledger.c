/* SPDX-License-Identifier: Apache-2.0
 *
 * cli_ledger FILE - makes a ledger in which everything that the pages can show has happened once: mails
 * that are done, in doubt, refused, waiting, held and decided, and a second mailbox whose mail server
 * fails. The times are of 2 March 2026, so that what is printed of it is always the same.
 */
#include "store_fixture.h"

#include <onecase/view_memory.h>

#define RUN       RUN_A
#define ANN       "ann@example.com"
#define PROCESSED 9

static const struct acceptance accepted = {
    .condition = {{"case", true, "read back"},
                  {"attachments", true, "0 of 0 hashed, 0 exceptions"},
                  {"acknowledgement", true, "done"}},
    .count = 3,
    .holds = true};

static void open_ledger(struct desk *d, const char *path)
{
    struct store_options options = {
        .path = path, .create = true, .secret_seed = sha256_of(SLICE("seed")), .now_ms = NOON};
    struct mailbox_record record;

    d->now = (struct instant){NOON, HOURS(1)};
    fill_policy(&d->policy);
    must(d, store_open(&options, &d->store, &d->err));
    d->l = store_ledger(d->store);
    must(d, d->l.mailboxes->load(d->store, "help", &record, &d->err));
    must(d, d->l.mailboxes->load(d->store, "sales", &record, &d->err));
    enter(d, RUN, "desk", BOOT);
}

/* ---- what becomes of one mail ------------------------------------------------------------------ */

static struct change ended_with(const struct work_item *item,
                                const struct work_effect *e,
                                enum outcome outcome,
                                int code)
{
    struct change c = ended(item, e, outcome);

    c.effect.code = code;
    if (e->kind != EFFECT_ACKNOWLEDGEMENT)
        c.effect.stage = STAGE_CONNECT;
    return c;
}

static void do_step(struct desk *d, struct work_item *item, struct work_effect *e)
{
    bool letter = e->kind == EFFECT_ACKNOWLEDGEMENT;

    COMMIT(d, RUN, arm(item, e));
    pass(d, SECONDS(1));
    COMMIT(d, RUN, ended_with(item, e, OUTCOME_DONE, letter ? 250 : 0));
}

/* Does what is planned, but for what `not_this` names. */
static void do_all(struct desk *d, struct work_item *item, enum effect_kind not_this)
{
    for (size_t i = 0; i < item->effects; i++) {
        struct work_effect *e = &item->effect[i];

        if (e->status == EFFECT_PLANNED && e->kind != not_this && e->kind != EFFECT_MOVE)
            do_step(d, item, e);
    }
}

static void file_it(struct desk *d, struct work_item *item)
{
    COMMIT(d, RUN, accept_item(item, &accepted));
    for (size_t i = 0; i < item->effects; i++)
        if (item->effect[i].kind == EFFECT_MOVE && item->effect[i].status == EFFECT_PLANNED)
            do_step(d, item, &item->effect[i]);
    if (item->state == ITEM_IN_PROGRESS)
        COMMIT(d, RUN, item_step_to(item, ITEM_ON_COMPLETE));
    else
        COMMIT(d, RUN, give_back(item, NOT_DUE));
}

static void goes_well(struct desk *d)
{
    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN, 1);

    do_all(d, c.item, EFFECT_KIND_COUNT);
    file_it(d, c.item);
    pass(d, MINUTES(7));
}

/* What is held has its original kept, and waits. */
static void is_held(struct desk *d)
{
    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN, 1);

    COMMIT(d, RUN, {.what = CHANGE_ORIGINAL, .key = c.item->key, .fence = c.item->fence},
           give_back(c.item, NOT_DUE));
    pass(d, MINUTES(5));
}

static void wait_for_a_person(struct desk *d, struct work_item *item, enum reason reason)
{
    struct change c = item_step_to(item, ITEM_ON_WAIT);

    c.item.reason = reason;
    COMMIT(d, RUN, c);
}

/* The connection broke after the end-of-data line, and no copy was found. */
static void is_in_doubt(struct desk *d)
{
    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN, 1);
    struct work_effect *letter = effect_in(c.item, EFFECT_ACKNOWLEDGEMENT);

    COMMIT(d, RUN, arm(c.item, letter));
    pass(d, SECONDS(40));

    struct change lost = ended_with(c.item, letter, OUTCOME_UNKNOWN, 0);
    const struct change looked = {
        .what = CHANGE_EVIDENCE,
        .key = c.item->key,
        .fence = c.item->fence,
        .evidence = {.effect = letter->id, .kind = "evidence-folder", .where = "Sent"}};

    lost.effect.closed = true;
    COMMIT(d, RUN, lost);
    pass(d, MINUTES(15));
    COMMIT(d, RUN, looked);
    wait_for_a_person(d, c.item, REASON_UNKNOWN_SENT);
    pass(d, MINUTES(3));
}

static void is_refused(struct desk *d)
{
    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN, 1);
    struct work_effect *letter = effect_in(c.item, EFFECT_ACKNOWLEDGEMENT);

    COMMIT(d, RUN, arm(c.item, letter));

    struct change refused = ended_with(c.item, letter, OUTCOME_REFUSED, 550);

    refused.effect.stage = STAGE_RCPT;
    COMMIT(d, RUN, refused);
    file_it(d, c.item);
    pass(d, MINUTES(4));
}

static void is_greylisted(struct desk *d)
{
    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN, 1);
    struct work_effect *letter = effect_in(c.item, EFFECT_ACKNOWLEDGEMENT);
    int64_t due = NOON + HOURS(7);

    COMMIT(d, RUN, arm(c.item, letter));

    struct change later = ended_with(c.item, letter, OUTCOME_DEFERRED, 450);

    later.effect.stage = STAGE_RCPT;
    later.effect.due_ms = due;
    COMMIT(d, RUN, later, give_back(c.item, due));
    pass(d, MINUTES(2));
}

static void
a_person_decides(struct desk *d, const char *key, enum decision decision, const char *why)
{
    const struct decision_request request = {.decision = decision,
                                             .key = key,
                                             .by = "bob (root)",
                                             .why = why,
                                             .policy = &d->policy,
                                             .final_timeout_ms = MINUTES(10),
                                             .evidence_wait_ms = MINUTES(15)};
    struct decision_result result;

    must(d, d->l.people->decide(d->store, &request, d->now, &result, &d->err));
    pass(d, MINUTES(1));
}

/* ---- the day ------------------------------------------------------------------------------------ */

static void mails_that_go_well(struct desk *d)
{
    ARRIVE(d, .id = "<a1@example.com>", .uid = 1, .from = ANN, .attachment = "Büro, 3. Stock.csv",
           .subject = "The printer on floor 3 has jammed", .to = "help@example.org");
    goes_well(d);
    ARRIVE(d, .id = "<a1@example.com>", .uid = 2, .from = ANN, .attachment = "Büro, 3. Stock.csv",
           .subject = "The printer on floor 3 has jammed", .to = "help@example.org",
           .transport = "by another way");
    goes_well(d);
    ARRIVE(d, .id = "<a2@example.jp>", .uid = 3, .from = "yamada@example.jp",
           .subject = "東京のプリンターが動きません \xF0\x9F\x96\xA8 できるだけ早くお願いします");
    goes_well(d);
    ARRIVE(d, .id = "<a3@example.net>", .uid = 4, .from = "dora@example.net",
           .subject = "Out of office", .text = "I am away.", .signs = SIGN_AUTO_SUBMITTED);
    goes_well(d);
    ARRIVE(d, .id = "<a4@example.com>", .uid = 5, .from = ANN, .in_reply_to = "<a1@example.com>",
           .subject = "Re: The printer on floor 3 has jammed", .text = "Still jammed.");
    goes_well(d);
}

static void mails_that_wait(struct desk *d)
{
    ARRIVE(d, .id = "<a1@example.com>", .uid = 6, .from = "carl@example.net", .subject = "Lunch?",
           .text = "Another mail under the same identifier.");
    is_held(d);
    ARRIVE(d, .id = "<a5@example.net>", .uid = 7, .from = "fay@example.net",
           .subject = "Invoice 4711 is wrong");
    is_in_doubt(d);
    ARRIVE(d, .id = "<a6@example.net>", .uid = 8, .from = "no-such-user@example.net",
           .subject = "Who am I?");
    is_refused(d);
    ARRIVE(d, .id = "<a7@example.net>", .uid = 9, .from = "gil@example.net",
           .subject = "A new \033[31mred\033[0m chair \xE2\x80\xAE"
                      "please");
    is_greylisted(d);
    ARRIVE(d, .id = "<a8@example.net>", .uid = 10, .unreadable = true);
    is_held(d);
}

static void a_doubt_that_a_person_ends(struct desk *d)
{
    struct reservation r = ARRIVE(d, .id = "<a9@example.net>", .uid = 11, .from = "hal@example.net",
                                  .subject = "The door does not open");

    is_in_doubt(d);
    a_person_decides(d, r.key, DECIDE_SENT, "Hal has it: he rang.");
    goes_well(d);
}

static void another_mailbox_that_fails(struct desk *d)
{
    struct mailbox_record r;

    must(d, d->l.mailboxes->load(d->store, "sales", &r, &d->err));
    r.awaiting = 8;
    r.import = IMPORT_WAITING;
    r.backlog = 3;
    r.claimed = true;
    text_copy(r.last_error, sizeof r.last_error,
              "smtp.example.org:587: the connection was refused");
    must(d, d->l.mailboxes->save(d->store, &r, d->now, &d->err));
    r.circuit[CIRCUIT_SMTP] = (struct circuit){.state = CIRCUIT_OPEN,
                                               .failures = 4,
                                               .since_ms = NOON + HOURS(1),
                                               .next_probe_ms = NOON + HOURS(7),
                                               .reason = "MAIL 454"};
    COMMIT(d, RUN, {.what = CHANGE_CIRCUIT, .fence = NO_FENCE, .mailbox = &r});
    must(d, d->l.people->pause(d->store, "sales", true, 0, "bob (root)", "the template is wrong",
                               d->now, &d->err));
}

static void help_was_looked_at(struct desk *d)
{
    struct mailbox_record r;

    must(d, d->l.mailboxes->load(d->store, "help", &r, &d->err));
    r.claimed = true;
    r.last_success_ms = d->now.wall_ms;
    must(d, d->l.mailboxes->save(d->store, &r, d->now, &d->err));
}

static void the_day(void **state)
{
    struct desk d = {.store = NULL};

    open_ledger(&d, *state);
    mails_that_go_well(&d);
    mails_that_wait(&d);
    a_doubt_that_a_person_ends(&d);
    another_mailbox_that_fails(&d);
    help_was_looked_at(&d);
    must(&d, store_check_chain(d.store, &d.err));
    store_close(&d.store);
}

static const char *file;

static int give_file(void **state)
{
    *state = (void *)(uintptr_t)file;
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_day)};

    if (argc != 2)
        return 64;
    file = argv[1];
    return cmocka_run_group_tests_name("cli_ledger", tests, give_file, NULL);
}
