/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports store */
#include "store_fixture.h"

#define ITEM(column) column " AS v FROM item WHERE key = $1"
#define ACK(column)  column " AS v FROM effect WHERE key = $1 AND kind = 'acknowledgement'"

static int64_t number(const char *text)
{
    return strtoll(text, NULL, 10);
}

/* ---- claiming ------------------------------------------------------------------------------ */

static void what_a_run_reserved_comes_to_it_under_the_same_fence(void **state)
{
    struct desk *d = *state;
    struct reservation r = ARRIVE(d, .id = "<a1@x>", .uid = 1);
    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN_A, 10);

    assert_int_equal(c.count, 1);
    assert_string_equal(c.item[0].key, r.key);
    assert_int_equal(c.item[0].fence, 1);
    assert_int_equal(c.item[0].state, ITEM_IN_PROGRESS);
    assert_int_equal(c.item[0].worker_deaths, 0);
    assert_int_equal(COUNT(d, "event WHERE key = $1 AND what = 'claim'", r.key), 1);
}

static void what_it_has_in_hand_comes_again_without_being_touched(void **state)
{
    struct desk *d = *state;

    ARRIVE(d, .id = "<a1@x>", .uid = 1);

    CLEANUP(claimed_clear) struct claimed first = claim(d, RUN_A, 10);
    int64_t events = COUNT(d, "event", NULL);
    CLEANUP(claimed_clear) struct claimed again = claim(d, RUN_A, 10);

    assert_int_equal(again.count, 1);
    assert_int_equal(again.item[0].fence, first.item[0].fence);
    assert_int_equal(COUNT(d, "event", NULL), events);
}

static void a_live_runs_items_are_left_to_it(void **state)
{
    struct desk *d = *state;

    ARRIVE(d, .id = "<a1@x>", .uid = 1);

    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN_B, 10);

    assert_int_equal(c.count, 0);
}

static void a_buried_runs_items_are_taken_over_at_once_and_its_death_counts(void **state)
{
    struct desk *d = *state;

    ARRIVE(d, .id = "<a1@x>", .uid = 1);
    must(d, d->l.runs->bury(d->store, RUN_A, RUN_B, d->now, &d->err));

    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN_B, 10);

    assert_int_equal(c.count, 1);
    assert_int_equal(c.item[0].fence, 2);
    assert_int_equal(c.item[0].worker_deaths, 1);
    assert_string_equal(LOOK(d, ITEM("lease_run"), c.item[0].key), RUN_B);
}

static void a_lease_that_ended_is_taken_over_without_a_death(void **state)
{
    struct desk *d = *state;

    ARRIVE(d, .id = "<a1@x>", .uid = 1);
    pass(d, LEASE);

    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN_B, 10);

    assert_int_equal(c.count, 1);
    assert_int_equal(c.item[0].fence, 2);
    assert_int_equal(c.item[0].worker_deaths, 0);
}

static void a_clock_that_jumps_forward_ends_no_lease(void **state)
{
    struct desk *d = *state;

    ARRIVE(d, .id = "<a1@x>", .uid = 1);
    d->now.wall_ms += DAYS(1);

    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN_B, 10);

    assert_int_equal(c.count, 0);
}

static void a_run_of_an_earlier_boot_holds_nothing(void **state)
{
    struct desk *d = *state;

    enter(d, "cccccccccccccccccccccccccccccccc", "desk", "the next boot");
    ARRIVE(d, .id = "<a1@x>", .uid = 1);

    CLEANUP(claimed_clear) struct claimed c = claim(d, "cccccccccccccccccccccccccccccccc", 10);

    assert_int_equal(c.count, 1);
}

static void a_run_on_another_host_holds_its_lease_by_the_wall_clock(void **state)
{
    struct desk *d = *state;

    enter(d, "cccccccccccccccccccccccccccccccc", "another", "its boot");
    ARRIVE(d, .id = "<a1@x>", .uid = 1);

    CLEANUP(claimed_clear) struct claimed early = claim(d, "cccccccccccccccccccccccccccccccc", 10);

    assert_int_equal(early.count, 0);
    d->now.wall_ms += LEASE;

    CLEANUP(claimed_clear) struct claimed late = claim(d, "cccccccccccccccccccccccccccccccc", 10);

    assert_int_equal(late.count, 1);
}

static void what_another_left_attempting_is_unknown_after_the_takeover(void **state)
{
    struct desk *d = *state;
    struct reservation r = ARRIVE(d, .id = "<a1@x>", .uid = 1);
    CLEANUP(claimed_clear) struct claimed mine = claim(d, RUN_A, 1);

    COMMIT(d, RUN_A, arm(mine.item, effect_in(mine.item, EFFECT_ACKNOWLEDGEMENT)));
    must(d, d->l.runs->bury(d->store, RUN_A, RUN_B, d->now, &d->err));

    CLEANUP(claimed_clear) struct claimed theirs = claim(d, RUN_B, 1);
    struct work_effect *ack = effect_in(theirs.item, EFFECT_ACKNOWLEDGEMENT);

    assert_int_equal(ack->status, EFFECT_UNKNOWN);
    assert_string_equal(ack->attempt_run, RUN_A);
    assert_int_equal(ack->armed_ms, NOON);
    assert_int_equal(COUNT(d, "attempt WHERE phase = 'lost' AND outcome = 'unknown'", NULL), 1);
    assert_int_equal(COUNT(d, "event WHERE key = $1 AND what = 'lose'", r.key), 1);
}

static void what_a_run_could_not_report_is_unknown_when_it_claims_again(void **state)
{
    struct desk *d = *state;

    ARRIVE(d, .id = "<a1@x>", .uid = 1);

    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN_A, 1);

    COMMIT(d, RUN_A, arm(c.item, effect_in(c.item, EFFECT_ACKNOWLEDGEMENT)));

    CLEANUP(claimed_clear) struct claimed again = claim(d, RUN_A, 1);

    assert_int_equal(effect_in(again.item, EFFECT_ACKNOWLEDGEMENT)->status, EFFECT_UNKNOWN);
    assert_int_equal(again.item[0].fence, 1);
}

static void its_own_lease_is_renewed_when_half_of_it_has_passed(void **state)
{
    struct desk *d = *state;

    ARRIVE(d, .id = "<a1@x>", .uid = 1);
    pass(d, LEASE * 2);

    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN_A, 1);

    assert_int_equal(c.item[0].fence, 1);
    assert_int_equal(number(LOOK(d, ITEM("lease_boot"), c.item[0].key)), d->now.boot_ms + LEASE);
}

static void a_paused_mailbox_gives_nothing_and_one_paused_for_a_kind_does(void **state)
{
    struct desk *d = *state;
    int64_t due;

    ARRIVE(d, .id = "<a1@x>", .uid = 1);
    scene(d, "UPDATE mailbox SET paused = 1");

    CLEANUP(claimed_clear) struct claimed none = claim(d, RUN_A, 10);

    assert_int_equal(none.count, 0);
    must(d, d->l.work->next_due(d->store, "help", d->now, &due, &d->err));
    assert_int_equal(due, NOT_DUE);
    scene(d, "UPDATE mailbox SET paused_effects = 4");

    CLEANUP(claimed_clear) struct claimed some = claim(d, RUN_A, 10);

    assert_int_equal(some.count, 1);
}

static void reserve_many(struct desk *d, const char *run, uint32_t from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char id[30];

        snprintf(id, sizeof id, "<many%u@x>", from + i);
        arrive(d, run, &(struct mail){.id = id, .uid = from + i});
    }
}

static void the_oldest_comes_first_and_neither_new_nor_old_is_starved(void **state)
{
    struct desk *d = *state;

    reserve_many(d, RUN_B, 1, 8);
    must(d, d->l.runs->leave(d->store, RUN_B, d->now, &d->err));
    pass(d, 1000);
    reserve_many(d, RUN_A, 100, 8);

    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN_A, 6);
    int64_t new_ones = 0;

    assert_int_equal(c.count, 6);
    for (size_t i = 0; i < c.count; i++)
        new_ones += c.item[i].delivery[0].uid >= 100;
    assert_int_equal(new_ones, 3);
}

/* L07: it would wait for as long as the clock jumped. */
static void L07_after_the_clock_went_back_nothing_waits_longer_than_the_longest_delay(void **state)
{
    struct desk *d = *state;
    int64_t due;

    ARRIVE(d, .id = "<a1@x>", .uid = 1);
    {
        CLEANUP(claimed_clear) struct claimed c = claim(d, RUN_A, 10);
        struct work_effect *ack = effect_in(c.item, EFFECT_ACKNOWLEDGEMENT);
        struct change later = ended(c.item, ack, OUTCOME_DEFERRED);

        later.effect.from = EFFECT_PLANNED;
        later.effect.due_ms = d->now.wall_ms + MINUTES(5);
        COMMIT(d, RUN_A, later, give_back(c.item, d->now.wall_ms + MINUTES(5)));
    }
    d->now.wall_ms -= HOURS(1);
    d->store->longest_delay_ms = MINUTES(15);
    CLEANUP(claimed_clear) struct claimed none = claim(d, RUN_A, 10);
    assert_int_equal(none.count, 0);
    must(d, d->l.work->next_due(d->store, "help", d->now, &due, &d->err));
    assert_int_equal(due, d->now.wall_ms + MINUTES(15));
    d->now.wall_ms += MINUTES(15);
    CLEANUP(claimed_clear) struct claimed one = claim(d, RUN_A, 10);
    assert_int_equal(one.count, 1);
    assert_int_equal(effect_in(one.item, EFFECT_ACKNOWLEDGEMENT)->due_ms, d->now.wall_ms);
}

static void what_is_not_due_does_not_come(void **state)
{
    struct desk *d = *state;

    ARRIVE(d, .id = "<a1@x>", .uid = 1);

    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN_A, 1);

    COMMIT(d, RUN_A, give_back(c.item, NOON + 5000));

    CLEANUP(claimed_clear) struct claimed early = claim(d, RUN_A, 1);

    assert_int_equal(early.count, 0);
    pass(d, 5000);

    CLEANUP(claimed_clear) struct claimed late = claim(d, RUN_A, 1);

    assert_int_equal(late.count, 1);
    assert_int_equal(late.item[0].fence, 2);
}

static void a_complete_item_comes_for_its_copy_and_stays_complete(void **state)
{
    struct desk *d = *state;
    struct reservation first = ARRIVE(d, .id = "<a1@x>", .uid = 1);

    complete(d, RUN_A);
    ARRIVE(d, .id = "<a1@x>", .uid = 2, .transport = "relay 2");

    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN_A, 1);

    assert_int_equal(c.count, 1);
    assert_int_equal(c.item[0].state, ITEM_COMPLETE);
    assert_int_equal(c.item[0].deliveries, 2);
    assert_string_equal(LOOK(d, ITEM("state"), first.key), "complete");
}

/* ---- when to wake -------------------------------------------------------------------------- */

static void next_due_is_the_first_own_time_or_the_end_of_anothers_lease(void **state)
{
    struct desk *d = *state;
    int64_t due;

    must(d, d->l.work->next_due(d->store, "help", d->now, &due, &d->err));
    assert_int_equal(due, NOT_DUE);
    arrive(d, RUN_B, &(struct mail){.id = "<a1@x>", .uid = 1});
    must(d, d->l.work->next_due(d->store, "help", d->now, &due, &d->err));
    assert_int_equal(due, NOON + LEASE);
    ARRIVE(d, .id = "<a2@x>", .uid = 2);

    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN_A, 1);

    COMMIT(d, RUN_A, give_back(c.item, NOON + 5000));
    must(d, d->l.work->next_due(d->store, "help", d->now, &due, &d->err));
    assert_int_equal(due, NOON + 5000);
    must(d, d->l.work->next_due(d->store, "sales", d->now, &due, &d->err));
    assert_int_equal(due, NOT_DUE);
}

/* ---- looking ------------------------------------------------------------------------------- */

static void an_item_is_loaded_with_everything(void **state)
{
    struct desk *d = *state;
    CLEANUP(work_item_clear) struct work_item item = {0};
    struct mail mail = {
        .id = "<a1@x>", .uid = 4, .reply_to = "desk@other.org", .attachment = "list.csv"};
    struct digest octets = sent(&mail), file = sha256_of(SLICE("list.csv"));
    struct reservation r = arrive(d, RUN_A, &mail);

    must(d, d->l.work->load(d->store, r.key, &item, &d->err));
    assert_int_equal(item.disposition, DISPOSITION_CASE);
    assert_string_equal(item.reference, r.reference);
    assert_string_equal(item.case_key, r.key);
    assert_true(digest_eq(&item.octets, &octets));
    assert_string_equal(item.message_id, "<a1@x>");
    assert_string_equal(item.recipient, "desk@other.org");
    assert_string_equal(item.sender, "ann@example.com");
    assert_string_equal(item.subject, "Printer");
    assert_string_equal(item.text, "It has jammed.");
    assert_int_equal(item.received_ms, NOON);
    assert_false(item.original_kept || item.decided);
    assert_int_equal(item.effects, 4);
    assert_int_equal(item.effect[0].kind, EFFECT_CASE);
    assert_int_equal(item.effect[1].kind, EFFECT_ATTACHMENT);
    assert_string_equal(item.effect[1].target, item.attachment[0].stored_name);
    assert_int_equal(item.effect[3].kind, EFFECT_MOVE);
    assert_int_equal(item.deliveries, 1);
    assert_int_equal(item.delivery[0].uid, 4);
    assert_true(item.delivery[0].won);
    assert_string_equal(item.delivery[0].move_to, "Processed");
    assert_int_equal(item.attachments, 1);
    assert_string_equal(item.attachment[0].name, "list.csv");
    assert_true(digest_eq(&item.attachment[0].sha256, &file));
    assert_int_equal(d->l.work->load(d->store, "none", &item, &d->err), RC_NOT_FOUND);
}

static void copies_that_were_filed_are_no_longer_loaded(void **state)
{
    struct desk *d = *state;
    struct reservation r = ARRIVE(d, .id = "<a1@x>", .uid = 1);
    CLEANUP(work_item_clear) struct work_item item = {0};

    ARRIVE(d, .id = "<a1@x>", .uid = 2, .transport = "relay 2");
    complete(d, RUN_A);
    must(d, d->l.work->load(d->store, r.key, &item, &d->err));
    assert_int_equal(item.deliveries, 1);
    assert_true(item.delivery[0].won);
    assert_int_equal(item.effects, 3);
}

static void a_case_stands_where_its_record_and_its_message_do(void **state)
{
    struct desk *d = *state;
    struct reservation r = ARRIVE(d, .id = "<a1@x>", .uid = 1);
    struct reservation held = ARRIVE(d, .id = "<a2@x>", .uid = 2, .unreadable = true);

    must(d, d->l.work->case_stands(d->store, r.key, &d->err));
    assert_int_equal(d->l.work->case_stands(d->store, held.key, &d->err), RC_NOT_FOUND);
    scene(d, "DELETE FROM case_message");
    assert_int_equal(d->l.work->case_stands(d->store, r.key, &d->err), RC_NOT_FOUND);
}

static void leave_in_doubt(struct desk *d, struct work_item *item)
{
    struct work_effect *ack = effect_in(item, EFFECT_ACKNOWLEDGEMENT);
    struct change asks = item_step_to(item, ITEM_ON_WAIT);

    asks.item.reason = REASON_UNKNOWN_SENT;
    COMMIT(d, RUN_A, arm(item, ack));
    COMMIT(d, RUN_A, ended(item, ack, OUTCOME_UNKNOWN), asks);
}

static void doubts_that_a_person_is_asked_about_are_listed_some_at_a_time(void **state)
{
    struct desk *d = *state;
    char ack_id[EFFECT_ID_SIZE];
    char last[KEY_SIZE] = "";
    size_t found = 0, count = 1;

    for (uint32_t uid = 1; uid <= 3; uid++)
        ARRIVE(d, .id = uid == 1 ? "<a1@x>" : uid == 2 ? "<a2@x>" : "<a3@x>", .uid = uid);
    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN_A, 3);
    for (size_t i = 0; i < 3; i++)
        leave_in_doubt(d, &c.item[i]);
    ARRIVE(d, .id = "<a4@x>", .uid = 4, .before_rewind = true); /* nobody is asked yet */
    for (; count > 0; found += count) {
        struct doubt *doubt = NULL;

        must(d, d->l.work->doubts(d->store, "help", last, 2, &doubt, &count, &d->err));
        assert_true(count <= 2);
        for (size_t i = 0; i < count; i++) {
            assert_true(strcmp(doubt[i].key, last) > 0);
            acknowledgement_id(doubt[i].key, "accepted", ack_id);
            assert_string_equal(doubt[i].effect_id, ack_id);
            memcpy(last, doubt[i].key, sizeof last);
        }
        free(doubt);
    }
    assert_int_equal(found, 3);
}

static void nothing_is_in_doubt_in_another_mailbox(void **state)
{
    struct desk *d = *state;
    struct doubt *doubt = NULL;
    size_t count;

    ARRIVE(d, .id = "<a1@x>", .uid = 1);
    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN_A, 1);
    leave_in_doubt(d, &c.item[0]);
    must(d, d->l.work->doubts(d->store, "sales", "", 10, &doubt, &count, &d->err));
    assert_int_equal(count, 0);
    free(doubt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AT_DESK(what_a_run_reserved_comes_to_it_under_the_same_fence),
        AT_DESK(what_it_has_in_hand_comes_again_without_being_touched),
        AT_DESK(a_live_runs_items_are_left_to_it),
        AT_DESK(a_buried_runs_items_are_taken_over_at_once_and_its_death_counts),
        AT_DESK(a_lease_that_ended_is_taken_over_without_a_death),
        AT_DESK(a_clock_that_jumps_forward_ends_no_lease),
        AT_DESK(a_run_of_an_earlier_boot_holds_nothing),
        AT_DESK(a_run_on_another_host_holds_its_lease_by_the_wall_clock),
        AT_DESK(what_another_left_attempting_is_unknown_after_the_takeover),
        AT_DESK(what_a_run_could_not_report_is_unknown_when_it_claims_again),
        AT_DESK(its_own_lease_is_renewed_when_half_of_it_has_passed),
        AT_DESK(a_paused_mailbox_gives_nothing_and_one_paused_for_a_kind_does),
        AT_DESK(the_oldest_comes_first_and_neither_new_nor_old_is_starved),
        AT_DESK(L07_after_the_clock_went_back_nothing_waits_longer_than_the_longest_delay),
        AT_DESK(what_is_not_due_does_not_come),
        AT_DESK(a_complete_item_comes_for_its_copy_and_stays_complete),
        AT_DESK(next_due_is_the_first_own_time_or_the_end_of_anothers_lease),
        AT_DESK(an_item_is_loaded_with_everything),
        AT_DESK(copies_that_were_filed_are_no_longer_loaded),
        AT_DESK(a_case_stands_where_its_record_and_its_message_do),
        AT_DESK(doubts_that_a_person_is_asked_about_are_listed_some_at_a_time),
        AT_DESK(nothing_is_in_doubt_in_another_mailbox),
    };

    return RUN_TESTS(tests);
}
