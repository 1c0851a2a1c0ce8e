/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports store */
#include "commit.h"
#include "store_fixture.h"

#define ITEM(column) column " AS v FROM item WHERE key = $1"
#define ACK(column)  column " AS v FROM effect WHERE key = $1 AND kind = 'acknowledgement'"
#define MOVE(column) column " AS v FROM effect WHERE key = $1 AND kind = 'move'"

static struct claimed one_in_hand(struct desk *d)
{
    ARRIVE(d, .id = "<a1@x>", .uid = 1, .attachment = "list.csv");
    return claim(d, RUN_A, 1);
}

/* ---- fences -------------------------------------------------------------------------------- */

static void a_late_write_fails_and_changes_nothing(void **state)
{
    struct desk *d = *state;
    CLEANUP(claimed_clear) struct claimed mine = one_in_hand(d);
    struct work_effect *ack = effect_in(mine.item, EFFECT_ACKNOWLEDGEMENT);

    pass(d, LEASE);

    CLEANUP(claimed_clear) struct claimed theirs = claim(d, RUN_B, 1);
    const struct change late[] = {
        arm(mine.item, ack), {.what = CHANGE_NOTE, .key = mine.item->key, .fence = 1, .note = "x"}};
    int64_t events = COUNT(d, "event", NULL);
    size_t failed = 99;

    assert_int_equal(theirs.count, 1);
    assert_int_equal(d->l.work->commit(d->store, RUN_A, d->now, late, 2, &failed, &d->err),
                     RC_CONFLICT);
    assert_int_equal(failed, 0);
    assert_string_equal(LOOK(d, ACK("status"), mine.item->key), "planned");
    assert_int_equal(COUNT(d, "event", NULL), events);
    assert_int_equal(COUNT(d, "note", NULL), 0);
}

static void another_run_with_the_right_fence_is_still_another_run(void **state)
{
    struct desk *d = *state;
    CLEANUP(claimed_clear) struct claimed mine = one_in_hand(d);
    const struct change stolen[] = {give_back(mine.item, NOON)};

    assert_int_equal(try_commit(d, RUN_B, stolen, 1), RC_CONFLICT);
}

static void a_lease_that_ended_and_nobody_took_still_writes(void **state)
{
    struct desk *d = *state;
    CLEANUP(claimed_clear) struct claimed mine = one_in_hand(d);

    pass(d, 10 * LEASE);
    COMMIT(d, RUN_A, arm(mine.item, effect_in(mine.item, EFFECT_ACKNOWLEDGEMENT)));
    assert_string_equal(LOOK(d, ACK("status"), mine.item->key), "attempting");
}

static void all_changes_or_none_and_the_first_that_fails_is_named(void **state)
{
    struct desk *d = *state;
    CLEANUP(claimed_clear) struct claimed c = one_in_hand(d);
    struct work_effect *ack = effect_in(c.item, EFFECT_ACKNOWLEDGEMENT);
    const struct change all[] = {{.what = CHANGE_ORIGINAL, .key = c.item->key, .fence = 1},
                                 arm(c.item, ack),
                                 step(c.item, ack, EFFECT_PLANNED, ON_ARM),
                                 give_back(c.item, NOON)};
    size_t failed = 99;

    assert_int_equal(d->l.work->commit(d->store, RUN_A, d->now, all, 4, &failed, &d->err),
                     RC_CONFLICT);
    assert_int_equal(failed, 2);
    assert_string_equal(LOOK(d, ITEM("original_kept"), c.item->key), "0");
    assert_string_equal(LOOK(d, ACK("status"), c.item->key), "planned");
    assert_int_equal(COUNT(d, "attempt", NULL), 0);
}

static void what_follows_the_giving_back_in_one_batch_is_still_ours(void **state)
{
    struct desk *d = *state;
    CLEANUP(claimed_clear) struct claimed c = one_in_hand(d);

    COMMIT(d, RUN_A, give_back(c.item, NOON),
           {.what = CHANGE_NOTE, .key = c.item->key, .fence = c.item->fence, .note = "later"});
    assert_string_equal(LOOK(d, ITEM("lease_run"), c.item->key), "(null)");
    assert_int_equal(COUNT(d, "note", NULL), 1);
}

static void evidence_needs_no_fence_and_other_changes_do(void **state)
{
    struct desk *d = *state;
    CLEANUP(claimed_clear) struct claimed c = one_in_hand(d);
    struct work_effect *ack = effect_in(c.item, EFFECT_ACKNOWLEDGEMENT);
    struct change asks = item_step_to(c.item, ITEM_ON_WAIT);
    struct change armed = arm(c.item, ack);
    struct change shown = step(c.item, ack, EFFECT_UNKNOWN, ON_EVIDENCE);
    struct change goes_on = item_step_to(c.item, ITEM_ON_EVIDENCE);

    armed.fence = NO_FENCE;
    assert_int_equal(try_commit(d, RUN_A, &armed, 1), RC_USAGE);
    armed.fence = c.item->fence;
    asks.item.reason = REASON_UNKNOWN_SENT;
    COMMIT(d, RUN_A, armed);
    COMMIT(d, RUN_A, ended(c.item, ack, OUTCOME_UNKNOWN), asks);

    shown.fence = goes_on.fence = NO_FENCE;
    goes_on.item.from = ITEM_NEEDS_RECONCILIATION;
    goes_on.item.release = false;
    goes_on.item.due_ms = NOON;
    COMMIT(d, RUN_B, shown, goes_on);
    assert_string_equal(LOOK(d, ACK("status"), c.item->key), "done");
    assert_string_equal(LOOK(d, ITEM("state"), c.item->key), "in_progress");
    assert_int_equal(COUNT(d, "event WHERE key = $1 AND what = 'evidence'", c.item->key), 2);
}

/* An operator replays what a run still has in hand: what it would ask is answered by then. */
static void a_case_that_was_refused_is_asked_about_only_while_it_is(void **state)
{
    struct desk *d = *state;
    struct replay_result result;

    d->policy.destination = "crm";
    CLEANUP(claimed_clear) struct claimed c = one_in_hand(d);
    struct work_effect *made = effect_in(c.item, EFFECT_CASE);
    struct change asks = item_step_to(c.item, ITEM_ON_WAIT);

    asks.item.reason = REASON_CASE_REFUSED;
    COMMIT(d, RUN_A, arm(c.item, made));
    COMMIT(d, RUN_A, ended(c.item, made, OUTCOME_REFUSED));
    must(d, d->l.people->replay(d->store, c.item->key, "ann", "again", d->now, &result, &d->err));
    assert_string_equal(
        LOOK(d, "status AS v FROM effect WHERE key = $1 AND target = 'crm'", c.item->key),
        "planned");
    assert_int_equal(try_commit(d, RUN_A, &asks, 1), RC_CONFLICT);
    assert_string_equal(LOOK(d, ITEM("state"), c.item->key), "in_progress");
}

static void what_met_everybody_is_taken_back_without_a_lease(void **state)
{
    struct desk *d = *state;
    CLEANUP(claimed_clear) struct claimed c = one_in_hand(d);
    struct work_effect *ack = effect_in(c.item, EFFECT_ACKNOWLEDGEMENT);

    COMMIT(d, RUN_A, arm(c.item, ack));
    COMMIT(d, RUN_A, ended(c.item, ack, OUTCOME_REFUSED), item_step_to(c.item, ITEM_ON_COMPLETE));

    struct change back = step(c.item, ack, EFFECT_REFUSED, ON_EVERYBODY);
    struct change open = item_step_to(c.item, ITEM_ON_REOPEN);

    back.fence = open.fence = NO_FENCE;
    back.effect.due_ms = open.item.due_ms = NOON + 5000;
    open.item.from = ITEM_COMPLETE;
    COMMIT(d, RUN_A, back, open);
    assert_string_equal(LOOK(d, ACK("status"), c.item->key), "deferred");
    assert_string_equal(LOOK(d, ITEM("state"), c.item->key), "in_progress");
}

/* ---- effects ------------------------------------------------------------------------------- */

static void arming_fixes_the_completion_state_its_id_and_the_letters_date(void **state)
{
    struct desk *d = *state;
    CLEANUP(claimed_clear) struct claimed c = one_in_hand(d);
    char ack_id[EFFECT_ID_SIZE];

    COMMIT(d, RUN_A, arm(c.item, effect_in(c.item, EFFECT_ACKNOWLEDGEMENT)));
    acknowledgement_id(c.item->key, "accepted", ack_id);
    assert_string_equal(LOOK(d, ACK("target"), c.item->key), "accepted");
    assert_string_equal(LOOK(d, ACK("ack_id"), c.item->key), ack_id);
    assert_string_equal(LOOK(d, ITEM("completion"), c.item->key), "accepted");
    assert_string_equal(LOOK(d, ITEM("letter_date"), c.item->key), "1772452800000");
    assert_int_equal(COUNT(d, "attempt WHERE phase = 'armed' AND run = '" RUN_A "'", NULL), 1);
}

/* What is sent again is what was armed first, and is handed out only where it may be sent again. */
static void a_letter_is_kept_as_it_was_first_armed(void **state)
{
    struct desk *d = *state;
    CLEANUP(claimed_clear) struct claimed c = one_in_hand(d);
    struct work_effect *ack = effect_in(c.item, EFFECT_ACKNOWLEDGEMENT);
    static const char *const letters[] = {"as it was", "as it would be now"};

    for (size_t i = 0; i < LENGTH(letters); i++) {
        CLEANUP(work_item_clear) struct work_item seen = {0};
        struct change armed = arm(c.item, ack);
        struct change later = step(c.item, ack, EFFECT_ATTEMPTING, ON_DEFER);

        armed.effect.letter = slice_z(letters[i]);
        armed.effect.from = i == 0 ? EFFECT_PLANNED : EFFECT_DEFERRED;
        later.effect.outcome = OUTCOME_DEFERRED;
        later.effect.due_ms = NOON;
        COMMIT(d, RUN_A, armed);
        must(d, d->l.work->load(d->store, c.item->key, &seen, &d->err));
        assert_int_equal(effect_in(&seen, EFFECT_ACKNOWLEDGEMENT)->letter.len, 0);
        work_item_clear(&seen);
        COMMIT(d, RUN_A, later);
        must(d, d->l.work->load(d->store, c.item->key, &seen, &d->err));
        assert_string_equal(str_z(&effect_in(&seen, EFFECT_ACKNOWLEDGEMENT)->letter), letters[0]);
    }
}

static void no_item_can_have_a_second_acknowledgement_but_that_of_closing(void **state)
{
    struct desk *d = *state;
    CLEANUP(claimed_clear) struct claimed c = one_in_hand(d);

    assert_non_null(c.item);
    assert_int_equal(
        db_run(d->store->db,
               "INSERT INTO effect (key, kind, target, status, item_number)"
               " SELECT key, 'acknowledgement', 'appended', 'planned', number FROM item",
               &d->err),
        RC_CONFLICT);
    scene(d, "INSERT INTO effect (key, kind, target, status, item_number)"
             " SELECT key, 'acknowledgement', 'closed', 'planned', number FROM item");
}

/* Else what is unique among the rows of an item would be so in two indices, and not in all. */
static void what_belongs_to_an_item_has_its_number_or_none_where_it_has_none(void **state)
{
#define SECOND_ANSWER                                                                              \
    "INSERT INTO effect (key, kind, target, status, item_number)"                                  \
    " SELECT key, 'acknowledgement', 'appended', 'planned', "
#define SECOND_WINNER                                                                              \
    "INSERT INTO delivery (key, mailbox, folder, uidvalidity, uid, internal_ms, size, octets,"     \
    " class, won, move_to, run, seen_at, item_number) SELECT key, mailbox, '', 0, 0, 0, 0, '',"    \
    " 'replayed', 1, '', NULL, 0, "
    static const struct {
        const char *name, *sql;
        enum rc rc;
    } rows[] = {
        {"a step without", SECOND_ANSWER "NULL FROM item", RC_REFUSED},
        {"a step of another", SECOND_ANSWER "number + 1 FROM item", RC_REFUSED},
        {"a second one", SECOND_ANSWER "number FROM item", RC_CONFLICT},
        {"an arrival without", SECOND_WINNER "NULL FROM item", RC_REFUSED},
        {"an arrival of another", SECOND_WINNER "number + 1 FROM item", RC_REFUSED},
        {"a second that won", SECOND_WINNER "number FROM item", RC_CONFLICT},
        {"the item's taken away", "UPDATE item SET number = NULL", RC_OK},
        {"a step that has one", SECOND_ANSWER "7 FROM item", RC_REFUSED},
        {"an arrival that has one", SECOND_WINNER "7 FROM item", RC_REFUSED},
    };
    struct desk *d = *state;
    CLEANUP(claimed_clear) struct claimed c = one_in_hand(d);

    assert_non_null(c.item);
    FOR_EACH(row, rows) {
        assert_int_equal(db_run(d->store->db, row->sql, &d->err), row->rc);
    }
}

static void a_try_that_failed_before_it_was_armed_is_recorded(void **state)
{
    struct desk *d = *state;
    CLEANUP(claimed_clear) struct claimed c = one_in_hand(d);
    struct change deferred =
        step(c.item, effect_in(c.item, EFFECT_ACKNOWLEDGEMENT), EFFECT_PLANNED, ON_DEFER);

    deferred.effect.outcome = OUTCOME_DEFERRED;
    deferred.effect.stage = STAGE_RCPT;
    deferred.effect.code = 450;
    deferred.effect.due_ms = NOON + 60000;
    COMMIT(d, RUN_A, deferred, give_back(c.item, NOON + 60000));
    assert_int_equal(
        COUNT(d, "attempt WHERE stage = 'RCPT' AND code = 450 AND phase = 'ended'", NULL), 1);
    assert_string_equal(LOOK(d, ACK("attempts"), c.item->key), "1");
}

static void a_move_is_armed_only_where_acceptance_is_stored_as_held(void **state)
{
    struct desk *d = *state;
    CLEANUP(claimed_clear) struct claimed c = one_in_hand(d);
    struct work_effect *move = effect_in(c.item, EFFECT_MOVE);
    const struct acceptance fails = {
        .condition = {{"case", true, "read back"}, {"attachments", false, "0 of 1"}}, .count = 2};
    const struct change early[] = {arm(c.item, move)};
    const struct change failing[] = {accept_item(c.item, &fails), arm(c.item, move)};
    const struct change in_any_order[] = {arm(c.item, move), accept_item(c.item, &held_acceptance)};

    assert_int_equal(try_commit(d, RUN_A, early, 1), RC_CONFLICT);
    assert_int_equal(try_commit(d, RUN_A, failing, 2), RC_CONFLICT);
    assert_string_equal(LOOK(d, MOVE("status"), c.item->key), "planned");
    must(d, try_commit(d, RUN_A, in_any_order, 2));
    assert_string_equal(LOOK(d, MOVE("status"), c.item->key), "attempting");
    assert_int_equal(COUNT(d, "acceptance WHERE key = $1", c.item->key), 1);
}

static void a_move_keeps_where_processed_stood_and_takes_its_delivery_out(void **state)
{
    struct desk *d = *state;
    CLEANUP(claimed_clear) struct claimed c = one_in_hand(d);
    struct work_effect *move = effect_in(c.item, EFFECT_MOVE);
    struct change armed = arm(c.item, move);
    struct change done = ended(c.item, move, OUTCOME_DONE);
    CLEANUP(work_item_clear) struct work_item seen = {0};

    armed.effect.processed_uidvalidity = 3;
    armed.effect.processed_uidnext = 44;
    COMMIT(d, RUN_A, accept_item(c.item, &held_acceptance), armed);
    must(d, d->l.work->load(d->store, c.item->key, &seen, &d->err));
    assert_int_equal(effect_in(&seen, EFFECT_MOVE)->processed_uidvalidity, 3);
    assert_int_equal(effect_in(&seen, EFFECT_MOVE)->processed_uidnext, 44);
    assert_int_equal(d->l.work->filing_taken(d->store, "help", "3:44", &d->err), RC_NOT_FOUND);
    done.effect.external_id = "3:44";
    COMMIT(d, RUN_A, done);
    assert_string_equal(LOOK(d, "left_folder AS v FROM delivery WHERE key = $1", c.item->key), "1");
    must(d, d->l.work->filing_taken(d->store, "help", "3:44", &d->err));
    assert_int_equal(d->l.work->filing_taken(d->store, "sales", "3:44", &d->err), RC_NOT_FOUND);
}

static void a_stored_attachment_says_so(void **state)
{
    struct desk *d = *state;
    CLEANUP(claimed_clear) struct claimed c = one_in_hand(d);
    struct work_effect *file = effect_in(c.item, EFFECT_ATTACHMENT);

    COMMIT(d, RUN_A, arm(c.item, file), ended(c.item, file, OUTCOME_DONE));
    assert_string_equal(LOOK(d, "status AS v FROM attachment WHERE key = $1", c.item->key),
                        "stored");
}

/* ---- items --------------------------------------------------------------------------------- */

static void a_copy_that_came_meanwhile_keeps_a_completed_item_due(void **state)
{
    struct desk *d = *state;
    CLEANUP(claimed_clear) struct claimed c = one_in_hand(d);

    ARRIVE(d, .id = "<a1@x>", .uid = 2, .attachment = "list.csv", .transport = "relay 2");
    pass(d, 1000);
    COMMIT(d, RUN_A, item_step_to(c.item, ITEM_ON_COMPLETE));
    assert_string_equal(LOOK(d, ITEM("state"), c.item->key), "complete");
    assert_int_equal(strtoll(LOOK(d, ITEM("next_due"), c.item->key), NULL, 10), NOON);
}

static void work_that_is_not_done_cannot_be_left_without_a_time(void **state)
{
    struct desk *d = *state;
    CLEANUP(claimed_clear) struct claimed c = one_in_hand(d);
    struct change keeps = give_back(c.item, NOT_DUE);
    const struct change released[] = {give_back(c.item, NOT_DUE)};

    keeps.item.release = false;
    assert_int_equal(try_commit(d, RUN_A, released, 1), RC_REFUSED);
    assert_int_equal(try_commit(d, RUN_A, &keeps, 1), RC_REFUSED);
}

static void a_servers_reply_is_kept_without_addresses(void **state)
{
    struct desk *d = *state;
    CLEANUP(claimed_clear) struct claimed c = one_in_hand(d);

    COMMIT(d, RUN_A,
           {.what = CHANGE_NOTE,
            .key = c.item->key,
            .fence = c.item->fence,
            .note = "550 5.1.1 <ann.lee@example.com>: unknown"});
    assert_string_equal(LOOK(d, "text AS v FROM note WHERE key = $1", c.item->key),
                        "550 5.1.1 <***@example.com>: unknown");
}

static void addresses_are_masked_wherever_they_stand(void **state)
{
    static const struct {
        const char *name, *text, *masked;
    } rows[] = {
        {"none", "250 2.0.0 Ok: queued as 4F", "250 2.0.0 Ok: queued as 4F"},
        {"bare, at both ends", "a@x b@y", "***@x ***@y"},
        {"with a tag and a colon", "rcpt:ann+1@x.org;gone", "***@x.org;gone"},
        {"an address in an address", "bounce=ann@x@y", "***@y"},
        {"an at sign alone", "at @ least", "at ***@ least"},
        {"not ASCII", "r\xC3\xA9ponse\r\n", "r??ponse??"},
        {"nothing", "", ""},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(str_clear) struct str out = STR_INIT;

        addresses_mask(slice_z(row->text), &out);
        assert_string_equal(str_z(&out), row->masked);
    }
}

static void a_circuit_is_written_with_the_results_that_moved_it(void **state)
{
    struct desk *d = *state;
    CLEANUP(claimed_clear) struct claimed c = one_in_hand(d);
    struct mailbox_record record, seen;

    must(d, d->l.mailboxes->load(d->store, "help", &record, &d->err));
    record.circuit[CIRCUIT_SMTP] =
        (struct circuit){.state = CIRCUIT_OPEN, .failures = 2, .reason = "MAIL 454"};
    COMMIT(d, RUN_A, give_back(c.item, NOON),
           {.what = CHANGE_CIRCUIT, .fence = NO_FENCE, .mailbox = &record});
    must(d, d->l.mailboxes->load(d->store, "help", &seen, &d->err));
    assert_int_equal(seen.circuit[CIRCUIT_SMTP].state, CIRCUIT_OPEN);
    assert_string_equal(seen.circuit[CIRCUIT_SMTP].reason, "MAIL 454");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AT_DESK(a_late_write_fails_and_changes_nothing),
        AT_DESK(another_run_with_the_right_fence_is_still_another_run),
        AT_DESK(a_lease_that_ended_and_nobody_took_still_writes),
        AT_DESK(all_changes_or_none_and_the_first_that_fails_is_named),
        AT_DESK(what_follows_the_giving_back_in_one_batch_is_still_ours),
        AT_DESK(evidence_needs_no_fence_and_other_changes_do),
        AT_DESK(a_case_that_was_refused_is_asked_about_only_while_it_is),
        AT_DESK(what_met_everybody_is_taken_back_without_a_lease),
        AT_DESK(arming_fixes_the_completion_state_its_id_and_the_letters_date),
        AT_DESK(a_letter_is_kept_as_it_was_first_armed),
        AT_DESK(no_item_can_have_a_second_acknowledgement_but_that_of_closing),
        AT_DESK(what_belongs_to_an_item_has_its_number_or_none_where_it_has_none),
        AT_DESK(a_try_that_failed_before_it_was_armed_is_recorded),
        AT_DESK(a_move_is_armed_only_where_acceptance_is_stored_as_held),
        AT_DESK(a_move_keeps_where_processed_stood_and_takes_its_delivery_out),
        AT_DESK(a_stored_attachment_says_so),
        AT_DESK(a_copy_that_came_meanwhile_keeps_a_completed_item_due),
        AT_DESK(work_that_is_not_done_cannot_be_left_without_a_time),
        AT_DESK(a_servers_reply_is_kept_without_addresses),
        AT_DESK(a_circuit_is_written_with_the_results_that_moved_it),
        cmocka_unit_test(addresses_are_masked_wherever_they_stand),
    };

    return RUN_TESTS(tests);
}
