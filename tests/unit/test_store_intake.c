/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports store */
#include "store_fixture.h"

#define ITEM(column) column " AS v FROM item WHERE key = $1"

/* ---- mine, held, settled ------------------------------------------------------------------- */

static void a_new_mail_is_mine_with_its_case_and_its_plan(void **state)
{
    struct desk *d = *state;
    struct reservation r = ARRIVE(d, .id = "<a1@x>", .uid = 1, .attachment = "list.csv");

    assert_int_equal(r.reserved, RESERVED_MINE);
    assert_true(r.new_item && r.new_delivery);
    assert_int_equal(r.class, CLASS_FIRST);
    assert_int_equal(r.disposition, DISPOSITION_CASE);
    assert_int_equal(r.state, ITEM_RECEIVED);
    assert_string_equal(LOOK(d, ITEM("lease_run"), r.key), RUN_A);
    assert_string_equal(LOOK(d, ITEM("fence"), r.key), "1");
    assert_int_equal(strtoll(LOOK(d, ITEM("next_due"), r.key), NULL, 10), NOON);
    assert_int_equal(strtoll(LOOK(d, ITEM("lease_boot"), r.key), NULL, 10), HOURS(1) + LEASE);
    assert_string_equal(LOOK(d, "reference AS v FROM case_record WHERE key = $1", r.key),
                        r.reference);
    assert_int_equal(COUNT(d, "case_message WHERE key = $1 AND case_key = key", r.key), 1);
    assert_int_equal(COUNT(d, "attachment WHERE key = $1 AND status = 'planned'", r.key), 1);
    assert_int_equal(COUNT(d, "effect WHERE key = $1", r.key), 4);
}

static void the_ledgers_case_is_done_in_the_reservation_itself(void **state)
{
    struct desk *d = *state;
    struct reservation r = ARRIVE(d, .id = "<a1@x>", .uid = 1);

    assert_string_equal(LOOK(d, "status AS v FROM effect WHERE key = $1 AND kind = 'case'", r.key),
                        "done");
    assert_string_equal(
        LOOK(d, "external_id AS v FROM effect WHERE key = $1 AND kind = 'case'", r.key),
        r.reference);
    assert_int_equal(
        COUNT(d, "event WHERE key = $1 AND what = 'plan' AND to_state = 'done'", r.key), 1);
}

static void a_moves_target_is_the_delivery(void **state)
{
    struct desk *d = *state;
    struct reservation r = ARRIVE(d, .id = "<a1@x>", .uid = 1);

    assert_int_equal(
        strtoll(LOOK(d, "target AS v FROM effect WHERE key = $1 AND kind = 'move'", r.key), NULL,
                10),
        r.delivery);
    assert_string_equal(LOOK(d, "move_to AS v FROM delivery WHERE key = $1", r.key), "Processed");
}

static void the_same_delivery_is_one_row_however_often_it_is_seen(void **state)
{
    struct desk *d = *state;
    struct reservation first = ARRIVE(d, .id = "<a1@x>", .uid = 1);
    struct reservation again = ARRIVE(d, .id = "<a1@x>", .uid = 1);

    assert_false(again.new_delivery);
    assert_false(again.new_item);
    assert_int_equal(again.reserved, RESERVED_HELD);
    assert_int_equal(again.delivery, first.delivery);
    assert_string_equal(again.reference, first.reference);
    assert_int_equal(COUNT(d, "delivery", NULL), 1);
}

static void a_copy_is_held_until_its_item_is_complete(void **state)
{
    struct desk *d = *state;
    struct reservation first = ARRIVE(d, .id = "<a1@x>", .uid = 1);
    struct reservation copy = ARRIVE(d, .id = "<a1@x>", .uid = 2, .transport = "relay 2");

    assert_int_equal(copy.reserved, RESERVED_HELD);
    assert_true(copy.new_delivery);
    assert_false(copy.new_item);
    assert_int_equal(copy.class, CLASS_REDELIVERED);
    assert_string_equal(copy.key, first.key);
    assert_int_equal(COUNT(d, "effect WHERE key = $1 AND kind = 'move'", first.key), 2);
    assert_int_equal(COUNT(d, "effect WHERE key = $1 AND kind = 'acknowledgement'", first.key), 1);
    assert_int_equal(COUNT(d, "case_record", NULL), 1);
    assert_int_equal(COUNT(d, "delivery WHERE won = 1", NULL), 1);
}

static void octets_are_wanted_until_the_original_is_made_of_them(void **state)
{
    struct desk *d = *state;
    struct reservation first = ARRIVE(d, .id = "<a1@x>", .uid = 1);

    assert_true(first.octets_wanted);
    assert_true(ARRIVE(d, .id = "<a1@x>", .uid = 2).octets_wanted);
    assert_false(ARRIVE(d, .id = "<a1@x>", .uid = 3, .transport = "relay 2").octets_wanted);

    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN_A, 1);

    COMMIT(d, RUN_A,
           ((struct change){.what = CHANGE_ORIGINAL, .key = c.item->key, .fence = c.item->fence}));
    assert_false(ARRIVE(d, .id = "<a1@x>", .uid = 4).octets_wanted);
}

static void a_copy_of_a_complete_item_is_settled_and_due_to_be_filed(void **state)
{
    struct desk *d = *state;
    struct reservation first = ARRIVE(d, .id = "<a1@x>", .uid = 1);

    complete(d, RUN_A);
    assert_string_equal(LOOK(d, ITEM("next_due"), first.key), "(null)");
    pass(d, 1000);

    struct reservation copy = ARRIVE(d, .id = "<a1@x>", .uid = 2, .transport = "relay 2");

    assert_int_equal(copy.reserved, RESERVED_SETTLED);
    assert_int_equal(copy.state, ITEM_COMPLETE);
    assert_int_equal(strtoll(LOOK(d, ITEM("next_due"), first.key), NULL, 10), NOON + 1000);
    assert_string_equal(LOOK(d, "move_to AS v FROM delivery WHERE won = 0 AND key = $1", first.key),
                        "Duplicates");
}

static void the_same_mail_twice_in_one_batch_is_one_item(void **state)
{
    struct desk *d = *state;
    const struct mail both[] = {{.id = "<a1@x>", .uid = 1},
                                {.id = "<a1@x>", .uid = 2, .transport = "relay 2"},
                                {.id = "<a2@x>", .uid = 3}};
    struct reservation r[3];

    must(d, try_batch(d, RUN_A, both, LENGTH(both), r));
    assert_int_equal(r[0].reserved, RESERVED_MINE);
    assert_int_equal(r[1].reserved, RESERVED_HELD);
    assert_int_equal(r[2].reserved, RESERVED_MINE);
    assert_string_equal(r[0].key, r[1].key);
    assert_int_equal(COUNT(d, "item", NULL), 2);
}

static void another_run_is_told_that_it_is_held(void **state)
{
    struct desk *d = *state;
    struct mail mail = {.id = "<a1@x>", .uid = 1};
    struct reservation mine = arrive(d, RUN_A, &mail);
    struct reservation theirs = arrive(d, RUN_B, &mail);
    struct mail copy = {.id = "<a1@x>", .uid = 2, .transport = "relay 2"};

    assert_int_equal(mine.reserved, RESERVED_MINE);
    assert_int_equal(theirs.reserved, RESERVED_HELD);
    assert_int_equal(arrive(d, RUN_B, &copy).reserved, RESERVED_HELD);
    assert_string_equal(LOOK(d, ITEM("lease_run"), mine.key), RUN_A);
}

static void a_batch_with_one_bad_row_fails_whole(void **state)
{
    struct desk *d = *state;
    const struct mail batch[] = {{.id = "<a1@x>", .uid = 1},
                                 {.id = "<a2@x>", .uid = 2, .folder = "elsewhere"}};
    struct reservation r[2];

    assert_int_equal(try_batch(d, RUN_A, batch, 2, r), RC_REFUSED);
    assert_int_equal(COUNT(d, "item", NULL), 0);
    assert_int_equal(COUNT(d, "delivery", NULL), 0);
    assert_int_equal(COUNT(d, "event WHERE what = 'reserve'", NULL), 0);
    must(d, try_batch(d, RUN_A, batch, 1, r));
}

static void what_cannot_be_read_is_held_for_a_person_and_its_original_is_ours_to_keep(void **state)
{
    struct desk *d = *state;
    struct reservation r = ARRIVE(d, .id = "<a1@x>", .uid = 1, .unreadable = true);

    assert_int_equal(r.reserved, RESERVED_MINE);
    assert_int_equal(r.disposition, DISPOSITION_HELD);
    assert_int_equal(r.state, ITEM_NEEDS_RECONCILIATION);
    assert_string_equal(r.reference, "");
    assert_string_equal(LOOK(d, ITEM("reason"), r.key), "unprocessable");
    assert_string_equal(LOOK(d, ITEM("lease_run"), r.key), RUN_A);
    assert_int_equal(COUNT(d, "effect WHERE key = $1", r.key), 0);
}

static void look_only_remembers_and_plans_nothing(void **state)
{
    struct desk *d = *state;

    d->policy.look_only = true;

    struct reservation r = ARRIVE(d, .id = "<a1@x>", .uid = 1);

    assert_int_equal(r.reserved, RESERVED_SETTLED);
    assert_int_equal(r.disposition, DISPOSITION_ADOPTED);
    assert_false(r.octets_wanted);
    assert_string_equal(LOOK(d, ITEM("lease_run"), r.key), "(null)");
    assert_string_equal(LOOK(d, ITEM("next_due"), r.key), "(null)");
    assert_int_equal(COUNT(d, "effect WHERE key = $1", r.key), 0);
}

/* ---- conflicts ----------------------------------------------------------------------------- */

static void another_mail_under_a_taken_key_is_an_item_of_its_own_linked_to_the_first(void **state)
{
    struct desk *d = *state;
    struct reservation first = ARRIVE(d, .id = "<a1@x>", .uid = 1);
    struct reservation other = ARRIVE(d, .id = "<a1@x>", .uid = 2, .text = "Something else.");

    assert_string_not_equal(other.key, first.key);
    assert_int_equal(other.class, CLASS_CONFLICT);
    assert_int_equal(other.state, ITEM_NEEDS_RECONCILIATION);
    assert_string_equal(LOOK(d, ITEM("first_key"), other.key), first.key);
    assert_string_equal(LOOK(d, ITEM("key_source"), other.key), "conflict");
    assert_int_equal(COUNT(d, "case_link WHERE from_key = $1 AND kind = 'conflict'", other.key), 1);
}

static void further_equal_copies_are_duplicates_of_the_conflict(void **state)
{
    struct desk *d = *state;

    ARRIVE(d, .id = "<a1@x>", .uid = 1);

    struct reservation other = ARRIVE(d, .id = "<a1@x>", .uid = 2, .text = "Something else.");
    struct reservation again =
        ARRIVE(d, .id = "<a1@x>", .uid = 3, .text = "Something else.", .transport = "relay 2");

    assert_string_equal(again.key, other.key);
    assert_int_equal(again.class, CLASS_REDELIVERED);
    assert_int_equal(again.reserved, RESERVED_HELD);
    assert_false(again.new_item);
}

static void one_mail_in_conflict_under_two_keys_is_one_item(void **state)
{
    struct desk *d = *state;

    ARRIVE(d, .id = "<a1@x>", .uid = 1);
    ARRIVE(d, .id = "<a2@x>", .uid = 2);

    struct reservation one = ARRIVE(d, .id = "<a1@x>", .uid = 3, .text = "Something else.");
    struct reservation two = ARRIVE(d, .id = "<a2@x>", .uid = 4, .text = "Something else.");

    assert_int_equal(one.class, CLASS_CONFLICT);
    assert_int_equal(two.class, CLASS_REDELIVERED);
    assert_string_equal(two.key, one.key);
    assert_int_equal(COUNT(d, "item", NULL), 3);
}

static void the_same_mail_under_another_kind_of_key_is_a_duplicate(void **state)
{
    struct desk *d = *state;
    struct reservation first = ARRIVE(d, .id = "<a1@x>", .uid = 1, .reference_key = "77");
    struct reservation copy = ARRIVE(d, .id = "<a1@x>", .uid = 2, .transport = "relay 2");

    assert_string_equal(copy.key, first.key);
    assert_int_equal(copy.class, CLASS_REDELIVERED);
}

static void equal_text_under_another_message_id_is_a_mail_of_its_own(void **state)
{
    struct desk *d = *state;
    struct reservation first = ARRIVE(d, .id = "<a1@x>", .uid = 1);
    struct reservation other = ARRIVE(d, .id = "<a2@x>", .uid = 2);

    assert_string_not_equal(other.key, first.key);
    assert_int_equal(other.reserved, RESERVED_MINE);
}

static void many_conflicts_under_one_key_do_not_hide_an_equal_one(void **state)
{
    struct desk *d = *state;
    char text[40];

    ARRIVE(d, .id = "<a1@x>", .uid = 1);
    for (uint32_t i = 0; i < 60; i++) {
        snprintf(text, sizeof text, "Scan number %u", i);
        ARRIVE(d, .id = "<a1@x>", .uid = 100 + i, .text = text);
    }
    for (uint32_t i = 0; i < 60; i += 7) {
        snprintf(text, sizeof text, "Scan number %u", i);
        assert_int_equal(
            ARRIVE(d, .id = "<a1@x>", .uid = 200 + i, .text = text, .transport = "r").class,
            CLASS_REDELIVERED);
    }
}

/* ---- the message itself, seen again -------------------------------------------------------- */

static void a_message_under_a_new_uidvalidity_is_reobserved(void **state)
{
    struct desk *d = *state;
    struct reservation first = ARRIVE(d, .id = "<a1@x>", .uid = 1);
    struct reservation again = ARRIVE(d, .id = "<a1@x>", .uid = 1, .uidvalidity = 8);

    assert_int_equal(again.class, CLASS_REOBSERVED);
    assert_string_equal(again.key, first.key);
    assert_int_equal(COUNT(d, "effect WHERE key = $1 AND kind = 'move'", first.key), 2);
}

static void a_uid_of_a_renumbered_folder_is_new(void **state)
{
    struct desk *d = *state;
    struct mailbox_record record;
    struct sighting at = {.uid = 1, .internal_ms = NOON};

    ARRIVE(d, .id = "<a1@x>", .uid = 1);
    must(d, d->l.mailboxes->load(d->store, "help", &record, &d->err));
    must(d, d->l.mailboxes->renumber(d->store, &record, "INBOX", d->now, &d->err));
    must(d, d->l.intake->unseen(d->store, "help", "INBOX", 7, &at, 1, &d->err));
    assert_true(at.unseen);
    assert_int_equal(ARRIVE(d, .id = "<a2@x>", .uid = 1, .numbering = 1).class, CLASS_FIRST);
    assert_int_equal(ARRIVE(d, .id = "<a1@x>", .uid = 2, .numbering = 1).class, CLASS_REOBSERVED);
}

static void what_was_listed_before_a_renumbering_is_not_recorded(void **state)
{
    struct desk *d = *state;
    struct mail late = {.id = "<a1@x>", .uid = 1};
    struct mailbox_record record;
    struct reservation out;

    must(d, d->l.mailboxes->load(d->store, "help", &record, &d->err));
    must(d, d->l.mailboxes->renumber(d->store, &record, "INBOX", d->now, &d->err));
    assert_int_equal(try_batch(d, RUN_A, &late, 1, &out), RC_CONFLICT);
    assert_int_equal(COUNT(d, "delivery WHERE key <> $1", ""), 0);
}

static void what_is_recorded_raises_uidnext_at_once(void **state)
{
    struct desk *d = *state;
    struct mailbox_record record;

    must(d, d->l.mailboxes->load(d->store, "help", &record, &d->err));
    record.uidvalidity = 7;
    record.uidnext = 2;
    must(d, d->l.mailboxes->save(d->store, &record, d->now, &d->err));
    ARRIVE(d, .id = "<a1@x>", .uid = 4);
    must(d, d->l.mailboxes->save(d->store, &record, d->now, &d->err));
    must(d, d->l.mailboxes->load(d->store, "help", &record, &d->err));
    assert_int_equal(record.uidnext, 5);
}

static void equal_octets_at_another_place_of_the_same_folder_are_a_copy(void **state)
{
    struct desk *d = *state;

    ARRIVE(d, .id = "<a1@x>", .uid = 1);
    assert_int_equal(ARRIVE(d, .id = "<a1@x>", .uid = 2).class, CLASS_REDELIVERED);
}

static void a_filed_message_that_is_dragged_back_is_returned_and_filed_again(void **state)
{
    struct desk *d = *state;
    struct reservation first = ARRIVE(d, .id = "<a1@x>", .uid = 1);

    complete(d, RUN_A);

    struct reservation back = ARRIVE(d, .id = "<a1@x>", .uid = 9);

    assert_int_equal(back.class, CLASS_RETURNED);
    assert_int_equal(back.reserved, RESERVED_SETTLED);
    assert_int_equal(
        COUNT(d, "effect WHERE key = $1 AND kind = 'move' AND status = 'planned'", first.key), 1);
}

/* ---- limits -------------------------------------------------------------------------------- */

static void one_sender_behind_many_tags_meets_the_case_limit(void **state)
{
    struct desk *d = *state;

    d->policy.per_sender = (struct limit){2, HOURS(1)};
    ARRIVE(d, .id = "<a1@x>", .uid = 1, .from = "Ann+1@example.com");
    ARRIVE(d, .id = "<a2@x>", .uid = 2, .from = "ann+2@example.com");

    struct reservation third = ARRIVE(d, .id = "<a3@x>", .uid = 3, .from = "ann@Example.com");
    struct reservation later =
        ARRIVE(d, .id = "<a4@x>", .uid = 4, .from = "ann@example.com", .later_ms = HOURS(1) + 1);

    assert_int_equal(third.disposition, DISPOSITION_HELD);
    assert_string_equal(LOOK(d, ITEM("reason"), third.key), "case-flood");
    assert_int_equal(later.disposition, DISPOSITION_CASE);
}

static void one_recipient_behind_many_tags_meets_its_limit(void **state)
{
    struct desk *d = *state;

    d->policy.per_recipient = (struct limit){1, HOURS(1)};

    struct reservation first = ARRIVE(d, .id = "<a1@x>", .uid = 1, .reply_to = "desk+a@other.org");
    struct reservation second = ARRIVE(d, .id = "<a2@x>", .uid = 2, .reply_to = "Desk+b@other.org");

    assert_string_equal(LOOK(d, ITEM("tells"), first.key), "1");
    assert_string_equal(LOOK(d, ITEM("tells"), second.key), "0");
    assert_string_equal(
        LOOK(d, "reason AS v FROM effect WHERE key = $1 AND kind = 'acknowledgement'", second.key),
        "recipient-limit");
}

static void above_the_total_limit_acknowledgements_wait_window_by_window(void **state)
{
    struct desk *d = *state;
    static const int64_t windows[] = {0, 0, 1, 1, 2};

    d->policy.total = (struct limit){2, HOURS(1)};
    for (uint32_t i = 0; i < LENGTH(windows); i++) {
        char id[20], from[30];

        snprintf(id, sizeof id, "<a%u@x>", i);
        snprintf(from, sizeof from, "person%u@example.com", i);

        struct reservation r = ARRIVE(d, .id = id, .uid = i + 1, .from = from);
        int64_t due = strtoll(
            LOOK(d, "due AS v FROM effect WHERE key = $1 AND kind = 'acknowledgement'", r.key),
            NULL, 10);

        assert_int_equal(due, NOON + windows[i] * HOURS(1));
        assert_string_equal(
            LOOK(d, "status AS v FROM effect WHERE key = $1 AND kind = 'acknowledgement'", r.key),
            windows[i] ? "deferred" : "planned");
    }
}

/* ---- the plan ------------------------------------------------------------------------------ */

static void a_taken_reference_takes_two_digits_more(void **state)
{
    struct desk *d = *state;
    char taken[REFERENCE_SIZE], key[KEY_SIZE];

    ARRIVE(d, .id = "<other@x>", .uid = 9);
    intake_key("help", SLICE("<a1@x>"), key);
    reference_of("HD-", key, REFERENCE_DIGITS, taken);
    must(d, RC_OK);

    CLEANUP(stmt_done) struct stmt *s = NULL;

    must(d, stmt_open(d->store->db, "UPDATE case_record SET reference = $1", &s, &d->err));
    stmt_text(s, 1, taken);
    must(d, stmt_run(s, NULL, &d->err));
    stmt_done(&s);

    struct reservation r = ARRIVE(d, .id = "<a1@x>", .uid = 1);

    assert_string_equal(r.key, key);
    assert_int_equal(strlen(r.reference), strlen(taken) + 2);
    assert_memory_equal(r.reference, taken, strlen(taken));
}

static void a_refused_attachment_is_recorded_with_its_reason(void **state)
{
    struct desk *d = *state;
    struct reservation r = ARRIVE(d, .id = "<a1@x>", .uid = 1, .attachment = "big.csv");

    assert_string_equal(LOOK(d, "status AS v FROM attachment WHERE key = $1", r.key), "refused");
    assert_string_equal(LOOK(d, "reason AS v FROM attachment WHERE key = $1", r.key), "max-size");
    assert_string_equal(
        LOOK(d, "status AS v FROM effect WHERE key = $1 AND kind = 'attachment'", r.key),
        "refused");
}

static void mail_from_before_a_rewind_starts_in_doubt_about_a_fixed_answer(void **state)
{
    struct desk *d = *state;
    struct reservation r =
        ARRIVE(d, .id = "<a1@x>", .uid = 1, .before_rewind = true, .attachment = "big.csv");
    char ack_id[EFFECT_ID_SIZE];

    acknowledgement_id(r.key, "accepted_with_exceptions", ack_id);
    assert_string_equal(
        LOOK(d, "status AS v FROM effect WHERE key = $1 AND kind = 'acknowledgement'", r.key),
        "unknown");
    assert_string_equal(
        LOOK(d, "ack_id AS v FROM effect WHERE key = $1 AND kind = 'acknowledgement'", r.key),
        ack_id);
    assert_string_equal(LOOK(d, ITEM("completion"), r.key), "accepted_with_exceptions");
    assert_int_equal(
        COUNT(d,
              "attempt JOIN effect ON effect.id = attempt.effect AND effect.attempts = 1"
              " WHERE effect.key = $1 AND phase = 'lost' AND outcome = 'unknown'"
              " AND armed_at = 1772452800000",
              r.key),
        1);
}

static void what_named_an_acknowledgement_before_the_ledger_knew_it_settles_it(void **state)
{
    struct desk *d = *state;
    char key[KEY_SIZE], ack_id[EFFECT_ID_SIZE], named[80];

    intake_key("help", SLICE("<a1@x>"), key);
    acknowledgement_id(key, "accepted", ack_id);
    snprintf(named, sizeof named, "<ack.%s@example.org>", ack_id);
    ARRIVE(d, .id = "<r1@x>", .uid = 5, .in_reply_to = named, .text = "Thanks");
    ARRIVE(d, .id = "<a1@x>", .uid = 6, .before_rewind = true);
    assert_string_equal(
        LOOK(d, "status AS v FROM effect WHERE key = $1 AND kind = 'acknowledgement'", key),
        "done");
}

static void what_is_found_filed_is_not_moved_again(void **state)
{
    struct desk *d = *state;
    struct reservation r = ARRIVE(d, .id = "<a1@x>", .uid = 1, .folder = "Processed", .filed = true,
                                  .before_rewind = true);

    assert_string_equal(LOOK(d, "status AS v FROM effect WHERE key = $1 AND kind = 'move'", r.key),
                        "done");
    assert_string_equal(LOOK(d, "left_folder AS v FROM delivery WHERE key = $1", r.key), "1");
}

/* ---- the other functions ------------------------------------------------------------------- */

static void unseen_says_which_uids_have_no_row(void **state)
{
    struct desk *d = *state;
    struct sighting at[] = {{.uid = 1, .internal_ms = NOON},
                            {.uid = 2, .internal_ms = NOON},
                            {.uid = 3, .internal_ms = NOON}};

    ARRIVE(d, .id = "<a2@x>", .uid = 2);
    must(d, d->l.intake->unseen(d->store, "help", "INBOX", 7, at, 3, &d->err));
    assert_true(at[0].unseen && !at[1].unseen && at[2].unseen);
    assert_false(at[1].otherwise);
    must(d, d->l.intake->unseen(d->store, "help", "INBOX", 8, at, 3, &d->err));
    assert_true(at[1].unseen);
    must(d, d->l.intake->unseen(d->store, "sales", "INBOX", 7, at, 3, &d->err));
    assert_true(at[1].unseen);
}

/* ---- a UID that was given again ------------------------------------------------------------ */

/* What is known of UID 1, listed with that INTERNALDATE; then whether it is to be seen anew, holding `octets`. */
static bool given_again(struct desk *d, int64_t internal_ms, const struct digest *octets)
{
    struct sighting at = {.uid = 1, .internal_ms = internal_ms};
    bool again = false;

    must(d, d->l.intake->unseen(d->store, "help", "INBOX", 7, &at, 1, &d->err));
    assert_false(at.unseen);
    if (at.otherwise)
        must(d, d->l.intake->reused(d->store, "help", "INBOX", 7, &at, octets, d->now, &again,
                                    &d->err));
    return again;
}

static void i20_another_mail_on_a_used_uid_is_seen(void **state)
{
    struct desk *d = *state;
    struct digest other = sha256_of(SLICE("another mail"));

    ARRIVE(d, .id = "<a1@x>", .uid = 1);
    assert_false(given_again(d, NOON, &other));
    assert_true(given_again(d, NOON + 5000, &other));
    assert_int_equal(ARRIVE(d, .id = "<a2@x>", .uid = 1, .later_ms = 5000).class, CLASS_FIRST);
    assert_int_equal(COUNT(d, "item", NULL), 2);
}

static void i20_a_filed_mail_that_a_restore_brings_back_is_filed_again_once(void **state)
{
    struct desk *d = *state;
    struct mail mail = {.id = "<a1@x>", .uid = 1};
    struct digest octets = sent(&mail);

    arrive(d, RUN_A, &mail);
    complete(d, RUN_A);
    assert_true(given_again(d, NOON, &octets));
    assert_int_equal(arrive(d, RUN_A, &mail).class, CLASS_RETURNED);
    assert_int_equal(COUNT(d, "item", NULL), 1);
    complete(d, RUN_A);
    assert_false(given_again(d, NOON, &octets));
}

static void a_server_that_changes_a_date_changes_nothing_else(void **state)
{
    struct desk *d = *state;
    struct mail mail = {.id = "<a1@x>", .uid = 1};
    struct digest octets = sent(&mail);
    struct sighting at = {.uid = 1, .internal_ms = NOON + 3600000};

    arrive(d, RUN_A, &mail);
    assert_false(given_again(d, NOON + 3600000, &octets));
    must(d, d->l.intake->unseen(d->store, "help", "INBOX", 7, &at, 1, &d->err));
    assert_false(at.unseen || at.otherwise);
    assert_int_equal(COUNT(d, "delivery", NULL), 1);
}

static int64_t missing(struct desk *d, const uint32_t *uid, size_t count)
{
    int64_t n;

    must(d, d->l.intake->missing(d->store, "help", "INBOX", 7, uid, count, &n, &d->err));
    return n;
}

/* What stays in the inbox is looked for by nobody, and what is filed is not there any more. */
static void missing_is_what_is_to_be_filed_and_is_not_there(void **state)
{
    struct desk *d = *state;
    const uint32_t uid[] = {2, 4, 6};

    for (uint32_t i = 2; i <= 5; i++)
        ARRIVE(d,
               .id = i == 2   ? "<b2@x>"
                     : i == 3 ? "<b3@x>"
                     : i == 4 ? "<b4@x>"
                              : "<b5@x>",
               .uid = i);
    assert_int_equal(missing(d, uid, 3), 2);
    assert_int_equal(missing(d, uid, 0), 4);
    must(d, db_run(d->store->db, "UPDATE delivery SET left_folder = 1 WHERE uid = 3", &d->err));
    assert_int_equal(missing(d, uid, 3), 1);
    must(d, db_run(d->store->db, "UPDATE delivery SET move_to = '' WHERE uid = 5", &d->err));
    assert_int_equal(missing(d, uid, 3), 0);
}

static void octets_are_known_whatever_their_folder(void **state)
{
    struct desk *d = *state;
    struct mail mail = {.id = "<a1@x>", .uid = 1};
    struct digest octets = sent(&mail), other = sha256_of(SLICE("other"));
    int64_t delivery;
    struct reservation r = arrive(d, RUN_A, &mail);

    must(d, d->l.intake->octets_known(d->store, "help", &octets, &delivery, &d->err));
    assert_int_equal(delivery, r.delivery);
    assert_int_equal(d->l.intake->octets_known(d->store, "help", &other, &delivery, &d->err),
                     RC_NOT_FOUND);
    assert_int_equal(d->l.intake->octets_known(d->store, "sales", &octets, &delivery, &d->err),
                     RC_NOT_FOUND);
}

static unsigned begin(struct desk *d)
{
    struct digest octets = sha256_of(SLICE("poison"));
    unsigned deaths = 99;

    must(d, d->l.intake->begin_reading(d->store, "help", &octets, &deaths, &d->err));
    return deaths;
}

static void a_dead_run_that_was_reading_is_a_death_and_a_live_one_is_not(void **state)
{
    struct desk *d = *state;
    struct digest octets = sha256_of(SLICE("poison"));

    assert_int_equal(begin(d), 0);
    assert_int_equal(begin(d), 0);
    enter(d, "cccccccccccccccccccccccccccccccc", "desk", BOOT);
    assert_int_equal(begin(d), 0);
    must(d, d->l.runs->bury(d->store, "cccccccccccccccccccccccccccccccc", RUN_A, d->now, &d->err));
    enter(d, "dddddddddddddddddddddddddddddddd", "desk", BOOT);
    assert_int_equal(begin(d), 1);
    must(d, d->l.runs->bury(d->store, "dddddddddddddddddddddddddddddddd", RUN_A, d->now, &d->err));
    enter(d, "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "desk", BOOT);
    assert_int_equal(begin(d), 2);
    must(d, d->l.intake->end_reading(d->store, "help", &octets, &d->err));
    assert_int_equal(begin(d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AT_DESK(a_new_mail_is_mine_with_its_case_and_its_plan),
        AT_DESK(the_ledgers_case_is_done_in_the_reservation_itself),
        AT_DESK(a_moves_target_is_the_delivery),
        AT_DESK(the_same_delivery_is_one_row_however_often_it_is_seen),
        AT_DESK(a_copy_is_held_until_its_item_is_complete),
        AT_DESK(octets_are_wanted_until_the_original_is_made_of_them),
        AT_DESK(a_copy_of_a_complete_item_is_settled_and_due_to_be_filed),
        AT_DESK(the_same_mail_twice_in_one_batch_is_one_item),
        AT_DESK(another_run_is_told_that_it_is_held),
        AT_DESK(a_batch_with_one_bad_row_fails_whole),
        AT_DESK(what_cannot_be_read_is_held_for_a_person_and_its_original_is_ours_to_keep),
        AT_DESK(look_only_remembers_and_plans_nothing),
        AT_DESK(another_mail_under_a_taken_key_is_an_item_of_its_own_linked_to_the_first),
        AT_DESK(further_equal_copies_are_duplicates_of_the_conflict),
        AT_DESK(one_mail_in_conflict_under_two_keys_is_one_item),
        AT_DESK(the_same_mail_under_another_kind_of_key_is_a_duplicate),
        AT_DESK(equal_text_under_another_message_id_is_a_mail_of_its_own),
        AT_DESK(many_conflicts_under_one_key_do_not_hide_an_equal_one),
        AT_DESK(a_message_under_a_new_uidvalidity_is_reobserved),
        AT_DESK(a_uid_of_a_renumbered_folder_is_new),
        AT_DESK(what_was_listed_before_a_renumbering_is_not_recorded),
        AT_DESK(what_is_recorded_raises_uidnext_at_once),
        AT_DESK(equal_octets_at_another_place_of_the_same_folder_are_a_copy),
        AT_DESK(a_filed_message_that_is_dragged_back_is_returned_and_filed_again),
        AT_DESK(one_sender_behind_many_tags_meets_the_case_limit),
        AT_DESK(one_recipient_behind_many_tags_meets_its_limit),
        AT_DESK(above_the_total_limit_acknowledgements_wait_window_by_window),
        AT_DESK(a_taken_reference_takes_two_digits_more),
        AT_DESK(a_refused_attachment_is_recorded_with_its_reason),
        AT_DESK(mail_from_before_a_rewind_starts_in_doubt_about_a_fixed_answer),
        AT_DESK(what_named_an_acknowledgement_before_the_ledger_knew_it_settles_it),
        AT_DESK(what_is_found_filed_is_not_moved_again),
        AT_DESK(unseen_says_which_uids_have_no_row),
        AT_DESK(i20_another_mail_on_a_used_uid_is_seen),
        AT_DESK(i20_a_filed_mail_that_a_restore_brings_back_is_filed_again_once),
        AT_DESK(a_server_that_changes_a_date_changes_nothing_else),
        AT_DESK(missing_is_what_is_to_be_filed_and_is_not_there),
        AT_DESK(octets_are_known_whatever_their_folder),
        AT_DESK(a_dead_run_that_was_reading_is_a_death_and_a_live_one_is_not),
    };

    return RUN_TESTS(tests);
}
