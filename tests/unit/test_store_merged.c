/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports store */
/* Mailboxes whose same mail is one (merge_across): help and sales. */
#include "store_fixture.h"

static const char *const members[] = {"help", "sales"};

static int open_merged(void **state)
{
    struct mailbox_record record;

    open_desk(state);

    struct desk *d = *state;

    must(d, d->l.mailboxes->load(d->store, "sales", &record, &d->err));
    d->policy.merge_across = (struct texts){members, LENGTH(members)};
    return 0;
}

#define AT_MERGED(test) cmocka_unit_test_setup_teardown(test, open_merged, close_desk)

/* Arrives in that mailbox; `merged`: the group is configured by now. */
static struct reservation
arrives_in(struct desk *d, const char *mailbox, bool merged, const struct mail *mail)
{
    struct arriving a;
    struct identity member[LENGTH(members)];
    struct policy policy = d->policy;
    struct reservation out;

    write_arrival(mail, &a);
    for (size_t i = 0; i < LENGTH(members); i++)
        member[i] = identity_message_id(members[i], slice_z(mail->id));
    a.arrival.mailbox = policy.mailbox = mailbox;
    a.arrival.member = merged ? member : NULL;
    a.arrival.identity = identity_message_id(merged ? members[0] : mailbox, slice_z(mail->id));
    if (!merged)
        policy.merge_across = (struct texts){NULL, 0};
    must(d, d->l.intake->reserve(d->store, RUN_A, d->now, LEASE, &policy, &a.arrival, 1, &out,
                                 &d->err));
    message_clear(&a.message);
    return out;
}

#define ARRIVES_IN(d, mailbox, ...) arrives_in((d), (mailbox), true, &(struct mail){__VA_ARGS__})
#define CAME_TO(d, mailbox, ...)    arrives_in((d), (mailbox), false, &(struct mail){__VA_ARGS__})

static struct claimed claim_for(struct desk *d, const char *mailbox, const char *run)
{
    struct claimed c;

    must(d, d->l.work->claim(d->store, run, mailbox, d->now, LEASE, 9, &c.item, &c.count, &d->err));
    return c;
}

static enum rc arm_it(struct desk *d, const char *run, struct claimed *c)
{
    const struct change armed = arm(c->item, c->item->effect);

    return try_commit(d, run, &armed, 1);
}

static enum rc end_it(struct desk *d, const char *run, struct claimed *c)
{
    const struct change done = ended(c->item, c->item->effect, OUTCOME_DONE);

    return try_commit(d, run, &done, 1);
}

static int64_t due_in(struct desk *d, const char *mailbox)
{
    int64_t due;

    must(d, d->l.work->next_due(d->store, mailbox, d->now, &due, &d->err));
    return due;
}

/* ---- names --------------------------------------------------------------------------------- */

static void the_same_mail_to_two_mailboxes_is_one_item_of_the_first_that_has_it(void **state)
{
    struct desk *d = *state;
    struct reservation first = ARRIVES_IN(d, "sales", .id = "<a1@x>", .uid = 1);
    struct reservation copy = ARRIVES_IN(d, "help", .id = "<a1@x>", .uid = 1, .transport = "b");
    struct identity key = identity_message_id("help", SLICE("<a1@x>"));

    assert_string_equal(first.key, key.key);
    assert_string_equal(copy.key, first.key);
    assert_int_equal(copy.class, CLASS_REDELIVERED);
    assert_int_equal(copy.reserved, RESERVED_HELD);
    assert_string_equal(LOOK(d, "mailbox AS v FROM item WHERE key = $1", first.key), "sales");
    assert_int_equal(COUNT(d, "case_record", NULL), 1);
    assert_int_equal(COUNT(d, "effect WHERE key = $1 AND kind = 'acknowledgement'", first.key), 1);
    assert_int_equal(COUNT(d, "effect WHERE key = $1 AND elsewhere = 'help'", first.key), 1);
}

static void mail_seen_before_the_group_keeps_its_key(void **state)
{
    struct desk *d = *state;
    struct reservation before = CAME_TO(d, "sales", .id = "<a1@x>", .uid = 1);
    struct reservation copy = ARRIVES_IN(d, "help", .id = "<a1@x>", .uid = 1, .transport = "b");

    assert_string_equal(before.key, identity_message_id("sales", SLICE("<a1@x>")).key);
    assert_string_equal(copy.key, before.key);
    assert_int_equal(copy.class, CLASS_REDELIVERED);
    assert_int_equal(COUNT(d, "item", NULL), 1);
}

static void what_was_two_before_stays_two_and_a_further_copy_is_its_own_mailboxs(void **state)
{
    struct desk *d = *state;
    struct reservation help = CAME_TO(d, "help", .id = "<a1@x>", .uid = 1);
    struct reservation sales = CAME_TO(d, "sales", .id = "<a1@x>", .uid = 1, .transport = "b");

    assert_string_not_equal(help.key, sales.key);
    assert_string_equal(ARRIVES_IN(d, "sales", .id = "<a1@x>", .uid = 2).key, sales.key);
    assert_string_equal(ARRIVES_IN(d, "help", .id = "<a1@x>", .uid = 2).key, help.key);
    assert_int_equal(COUNT(d, "item", NULL), 2);
}

static void another_mail_under_the_id_is_compared_with_all_that_any_member_has(void **state)
{
    struct desk *d = *state;
    struct reservation a = CAME_TO(d, "help", .id = "<a1@x>", .uid = 1);
    struct reservation b = CAME_TO(d, "sales", .id = "<a1@x>", .uid = 1, .text = "Another.");
    struct reservation third = ARRIVES_IN(d, "help", .id = "<a1@x>", .uid = 2, .text = "Another.");
    struct reservation fourth = ARRIVES_IN(d, "sales", .id = "<a1@x>", .uid = 2, .text = "New.");

    assert_string_equal(third.key, b.key);
    assert_int_equal(third.class, CLASS_REDELIVERED);
    assert_int_equal(fourth.class, CLASS_CONFLICT);
    assert_string_equal(LOOK(d, "first_key AS v FROM item WHERE key = $1", fourth.key), b.key);
    assert_string_not_equal(a.key, b.key);
}

/* ---- each files its own -------------------------------------------------------------------- */

static void the_other_mailboxs_copy_holds_up_nothing(void **state)
{
    struct desk *d = *state;
    struct reservation first = ARRIVES_IN(d, "help", .id = "<a1@x>", .uid = 1);

    ARRIVES_IN(d, "sales", .id = "<a1@x>", .uid = 1, .transport = "b");
    complete(d, RUN_A);
    assert_string_equal(LOOK(d, "state AS v FROM item WHERE key = $1", first.key), "complete");
    assert_int_equal(COUNT(d, "effect WHERE key = $1 AND status = 'planned'", first.key), 1);
    assert_int_equal(due_in(d, "help"), NOT_DUE);
}

static void the_copy_is_filed_by_its_own_mailbox_once_the_item_is_complete(void **state)
{
    struct desk *d = *state;
    struct reservation copy;
    CLEANUP(claimed_clear) struct claimed early = {0}, due = {0}, none = {0};

    ARRIVES_IN(d, "help", .id = "<a1@x>", .uid = 1);
    copy = ARRIVES_IN(d, "sales", .id = "<a1@x>", .uid = 5, .transport = "b");
    early = claim_for(d, "sales", RUN_B);
    assert_int_equal(early.count, 0);
    assert_int_equal(due_in(d, "sales"), NOON + 1000);
    complete(d, RUN_A);
    due = claim_for(d, "sales", RUN_B);
    assert_int_equal(due.count, 1);
    assert_true(due.item->elsewhere);
    assert_int_equal(due.item->deliveries, 1);
    assert_int_equal(due.item->delivery->uid, 5);
    assert_int_equal(due.item->delivery->id, copy.delivery);
    must(d, arm_it(d, RUN_B, &due));
    must(d, end_it(d, RUN_B, &due));
    assert_int_equal(COUNT(d, "delivery WHERE left_folder = 1 AND mailbox = 'sales'", NULL), 1);
    assert_int_equal(due_in(d, "sales"), NOT_DUE);
    none = claim_for(d, "sales", RUN_B);
    assert_int_equal(none.count, 0);
}

static void a_copy_of_a_complete_item_does_not_wake_the_items_mailbox(void **state)
{
    struct desk *d = *state;
    struct reservation first = ARRIVES_IN(d, "help", .id = "<a1@x>", .uid = 1);

    complete(d, RUN_A);
    assert_int_equal(ARRIVES_IN(d, "sales", .id = "<a1@x>", .uid = 5, .transport = "b").reserved,
                     RESERVED_SETTLED);
    assert_string_equal(LOOK(d, "next_due AS v FROM item WHERE key = $1", first.key), "(null)");
}

static void only_who_armed_the_move_ends_it(void **state)
{
    struct desk *d = *state;
    CLEANUP(claimed_clear) struct claimed a = {0}, b = {0}, late = {0};

    ARRIVES_IN(d, "help", .id = "<a1@x>", .uid = 1);
    ARRIVES_IN(d, "sales", .id = "<a1@x>", .uid = 5, .transport = "b");
    complete(d, RUN_A);
    a = claim_for(d, "sales", RUN_A);
    b = claim_for(d, "sales", RUN_B);
    must(d, arm_it(d, RUN_A, &a));
    assert_int_equal(arm_it(d, RUN_B, &b), RC_CONFLICT);
    assert_int_equal(end_it(d, RUN_B, &b), RC_CONFLICT);
    late = claim_for(d, "sales", RUN_B);
    assert_int_equal(late.count, 0);
    must(d, end_it(d, RUN_A, &a));
}

static void a_dead_runs_move_is_unknown_and_its_late_word_is_not_taken(void **state)
{
    struct desk *d = *state;
    CLEANUP(claimed_clear) struct claimed a = {0}, b = {0};

    ARRIVES_IN(d, "help", .id = "<a1@x>", .uid = 1);
    ARRIVES_IN(d, "sales", .id = "<a1@x>", .uid = 5, .transport = "b");
    complete(d, RUN_A);
    a = claim_for(d, "sales", RUN_A);
    must(d, arm_it(d, RUN_A, &a));
    must(d, d->l.runs->bury(d->store, RUN_A, RUN_B, d->now, &d->err));
    b = claim_for(d, "sales", RUN_B);
    assert_int_equal(b.count, 1);
    assert_int_equal(b.item->effect->status, EFFECT_UNKNOWN);
    assert_int_equal(end_it(d, RUN_A, &a), RC_CONFLICT);
}

static void an_item_that_is_opened_again_keeps_its_copy_where_it_is(void **state)
{
    struct desk *d = *state;
    CLEANUP(claimed_clear) struct claimed due = {0};
    struct reservation first = ARRIVES_IN(d, "help", .id = "<a1@x>", .uid = 1);

    ARRIVES_IN(d, "sales", .id = "<a1@x>", .uid = 5, .transport = "b");
    complete(d, RUN_A);
    due = claim_for(d, "sales", RUN_B);

    struct change reopen = {
        .what = CHANGE_ITEM,
        .key = first.key,
        .fence = NO_FENCE,
        .item = {.from = ITEM_COMPLETE, .on = ITEM_ON_REOPEN, .due_ms = d->now.wall_ms}};

    COMMIT(d, RUN_A, reopen);
    assert_int_equal(arm_it(d, RUN_B, &due), RC_CONFLICT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AT_MERGED(the_same_mail_to_two_mailboxes_is_one_item_of_the_first_that_has_it),
        AT_MERGED(mail_seen_before_the_group_keeps_its_key),
        AT_MERGED(what_was_two_before_stays_two_and_a_further_copy_is_its_own_mailboxs),
        AT_MERGED(another_mail_under_the_id_is_compared_with_all_that_any_member_has),
        AT_MERGED(the_other_mailboxs_copy_holds_up_nothing),
        AT_MERGED(the_copy_is_filed_by_its_own_mailbox_once_the_item_is_complete),
        AT_MERGED(a_copy_of_a_complete_item_does_not_wake_the_items_mailbox),
        AT_MERGED(only_who_armed_the_move_ends_it),
        AT_MERGED(a_dead_runs_move_is_unknown_and_its_late_word_is_not_taken),
        AT_MERGED(an_item_that_is_opened_again_keeps_its_copy_where_it_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
