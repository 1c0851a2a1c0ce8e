/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports store */
#include "store_fixture.h"

#define ITEM(column) column " AS v FROM item WHERE key = $1"
#define ACK(column)  column " AS v FROM effect WHERE key = $1 AND kind = 'acknowledgement'"

/* ---- threading ----------------------------------------------------------------------------- */

static void a_participants_reply_joins_the_case(void **state)
{
    struct desk *d = *state;
    struct reservation first = ARRIVE(d, .id = "<a1@x>", .uid = 1, .to = "help@example.org");
    struct reservation reply =
        ARRIVE(d, .id = "<a2@x>", .uid = 2, .in_reply_to = "<a1@x>", .from = "Ann+x@example.com");

    assert_int_equal(reply.disposition, DISPOSITION_APPEND);
    assert_string_equal(reply.reference, first.reference);
    assert_string_equal(LOOK(d, ITEM("case_key"), reply.key), first.key);
    assert_int_equal(COUNT(d, "case_message WHERE case_key = $1", first.key), 2);
    assert_string_equal(
        LOOK(d, "external_id AS v FROM effect WHERE key = $1 AND kind = 'case'", reply.key),
        first.reference);
}

static void who_stood_in_cc_or_reply_to_may_reply_and_own_addresses_never_take_part(void **state)
{
    struct desk *d = *state;
    struct reservation first = ARRIVE(d, .id = "<a1@x>", .uid = 1, .reply_to = "ann@home.example",
                                      .to = "Help+desk@example.org");

    assert_int_equal(COUNT(d, "case_participant WHERE case_key = $1", first.key), 2);
    assert_int_equal(
        ARRIVE(d, .id = "<a2@x>", .uid = 2, .references = "<a1@x>", .from = "ann@home.example")
            .disposition,
        DISPOSITION_APPEND);
}

static void of_mail_by_a_list_only_its_sender_takes_part(void **state)
{
    struct desk *d = *state;
    struct reservation first = ARRIVE(d, .id = "<a1@x>", .uid = 1, .to = "team@lists.example",
                                      .reply_to = "team@lists.example", .signs = SIGN_LIST_HEADER);

    assert_int_equal(COUNT(d, "case_participant WHERE case_key = $1", first.key), 1);
    assert_string_equal(
        LOOK(d, "address AS v FROM case_participant WHERE case_key = $1", first.key),
        "ann@example.com");
}

static void a_strangers_reply_is_a_case_of_its_own_linked(void **state)
{
    struct desk *d = *state;
    struct reservation first = ARRIVE(d, .id = "<a1@x>", .uid = 1);
    struct reservation other =
        ARRIVE(d, .id = "<a2@x>", .uid = 2, .in_reply_to = "<a1@x>", .from = "eve@example.net");

    assert_int_equal(other.disposition, DISPOSITION_CASE);
    assert_string_not_equal(other.reference, first.reference);
    assert_string_equal(
        LOOK(d, "to_key AS v FROM case_link WHERE from_key = $1 AND kind = 'stranger'", other.key),
        first.key);
}

static void the_reference_in_the_subject_names_the_case(void **state)
{
    struct desk *d = *state;
    struct reservation first = ARRIVE(d, .id = "<a1@x>", .uid = 1);
    char subject[200];

    snprintf(subject, sizeof subject, "Re: HD-00000000 and [%s] Printer", first.reference);
    assert_string_equal(ARRIVE(d, .id = "<a2@x>", .uid = 2, .subject = subject).reference,
                        first.reference);
}

static void the_nearest_of_many_references_counts_and_a_flood_of_them_is_bounded(void **state)
{
    struct desk *d = *state;
    struct reservation one = ARRIVE(d, .id = "<a1@x>", .uid = 1);
    struct reservation two = ARRIVE(d, .id = "<a2@x>", .uid = 2);
    CLEANUP(str_clear) struct str references = STR_INIT;

    str_addz(&references, "<a1@x>");
    for (int i = 0; i < 500; i++)
        str_addf(&references, "\n<nobody%d@x>", i);
    str_addz(&references, "\n<a2@x>");

    struct mail mail = {.id = "<a3@x>", .uid = 3};
    struct arriving a;
    struct reservation r;

    write_arrival(&mail, &a);
    a.message.references = message_keep(&a.message, str_slice(&references));
    must(d, d->l.intake->reserve(d->store, RUN_A, d->now, LEASE, &d->policy, &a.arrival, 1, &r,
                                 &d->err));
    message_clear(&a.message);
    assert_string_equal(r.reference, two.reference);
    assert_string_not_equal(r.reference, one.reference);
}

static void a_reply_opens_a_closed_case_with_a_line_in_the_chain(void **state)
{
    struct desk *d = *state;
    struct reservation first = ARRIVE(d, .id = "<a1@x>", .uid = 1);

    scene(d, "UPDATE case_record SET state = 'closed'");
    ARRIVE(d, .id = "<a2@x>", .uid = 2, .in_reply_to = "<a1@x>");
    assert_string_equal(LOOK(d, "state AS v FROM case_record WHERE key = $1", first.key), "open");
    assert_int_equal(COUNT(d, "event WHERE key = $1 AND what = 'reopen'", first.key), 1);
}

static void automatic_mail_never_opens_a_closed_case(void **state)
{
    struct desk *d = *state;
    struct reservation first = ARRIVE(d, .id = "<a1@x>", .uid = 1);

    scene(d, "UPDATE case_record SET state = 'closed'");

    struct reservation r =
        ARRIVE(d, .id = "<a2@x>", .uid = 2, .in_reply_to = "<a1@x>", .signs = SIGN_AUTO_SUBMITTED);

    assert_string_equal(LOOK(d, "state AS v FROM case_record WHERE key = $1", first.key), "closed");
    assert_string_equal(
        LOOK(d, "to_key AS v FROM case_link WHERE from_key = $1 AND kind = 'closed'", r.key),
        first.key);
}

static void a_reply_to_a_merged_case_joins_the_one_it_was_merged_into(void **state)
{
    struct desk *d = *state;
    struct reservation one = ARRIVE(d, .id = "<a1@x>", .uid = 1);
    struct reservation two = ARRIVE(d, .id = "<a2@x>", .uid = 2, .from = "bob@example.com");
    CLEANUP(stmt_done) struct stmt *s = NULL;

    must(d, stmt_open(d->store->db, "UPDATE case_record SET merged_into = $1 WHERE key = $2", &s,
                      &d->err));
    stmt_text(s, 1, two.key);
    stmt_text(s, 2, one.key);
    must(d, stmt_run(s, NULL, &d->err));
    stmt_done(&s);
    assert_string_equal(ARRIVE(d, .id = "<a3@x>", .uid = 3, .in_reply_to = "<a1@x>").reference,
                        two.reference);
}

/* ---- what names an acknowledgement --------------------------------------------------------- */

/* One mail whose acknowledgement was armed and whose outcome was lost; a person is asked. */
static struct reservation in_doubt(struct desk *d, char message_id[80], char ack_id[EFFECT_ID_SIZE])
{
    struct reservation r = ARRIVE(d, .id = "<a1@x>", .uid = 1);
    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN_A, 1);
    struct work_effect *ack = effect_in(c.item, EFFECT_ACKNOWLEDGEMENT);
    struct change asks = item_step_to(c.item, ITEM_ON_WAIT);

    asks.item.reason = REASON_UNKNOWN_SENT;
    COMMIT(d, RUN_A, arm(c.item, ack));
    COMMIT(d, RUN_A, ended(c.item, ack, OUTCOME_UNKNOWN), asks);
    acknowledgement_id(r.key, "accepted", ack_id);
    snprintf(message_id, 80, "<ack.%s@example.org>", ack_id);
    return r;
}

static void
a_reply_that_names_a_doubtful_acknowledgement_settles_it_and_its_item_goes_on(void **state)
{
    struct desk *d = *state;
    char named[80], ack_id[EFFECT_ID_SIZE];
    struct reservation first = in_doubt(d, named, ack_id);
    struct reservation reply = ARRIVE(d, .id = "<a2@x>", .uid = 2, .in_reply_to = named);

    assert_int_equal(reply.disposition, DISPOSITION_APPEND);
    assert_string_equal(LOOK(d, ACK("status"), first.key), "done");
    assert_string_equal(LOOK(d, ITEM("state"), first.key), "in_progress");
    assert_string_equal(LOOK(d, ITEM("reason"), first.key), "");
    assert_string_equal(LOOK(d, "kind AS v FROM evidence WHERE key = $1 AND found = 1", first.key),
                        "reply");
    assert_int_equal(strtoll(LOOK(d, ITEM("next_due"), first.key), NULL, 10), NOON);
}

static void a_delivery_report_is_recorded_with_the_acknowledgement_and_is_evidence(void **state)
{
    struct desk *d = *state;
    char named[80], ack_id[EFFECT_ID_SIZE];
    struct reservation first = in_doubt(d, named, ack_id);
    struct reservation report = ARRIVE(
        d, .id = "<r1@x>", .uid = 2, .in_reply_to = named, .from = "mailer-daemon@mx.example",
        .signs = SIGN_DELIVERY_REPORT | SIGN_NULL_PATH, .action = "failed");

    assert_int_equal(report.disposition, DISPOSITION_REPORT);
    assert_string_equal(report.reference, first.reference);
    assert_string_equal(LOOK(d, "action AS v FROM bounce WHERE key = $1", first.key), "failed");
    assert_string_equal(LOOK(d, ACK("status"), first.key), "done");
    assert_int_equal(COUNT(d, "case_message WHERE case_key = $1", first.key), 1);
}

static void our_own_copy_with_its_proof_is_evidence(void **state)
{
    struct desk *d = *state;
    char named[80], ack_id[EFFECT_ID_SIZE];
    struct reservation first = in_doubt(d, named, ack_id);
    struct reservation copy = ARRIVE(d, .id = named, .uid = 2, .from = "help@example.org",
                                     .acknowledgement = ack_id, .proven = true);

    assert_int_equal(copy.disposition, DISPOSITION_EVIDENCE);
    assert_string_equal(LOOK(d, ACK("status"), first.key), "done");
    assert_string_equal(LOOK(d, "kind AS v FROM evidence WHERE key = $1", first.key), "blind-copy");
}

static void
our_own_copy_of_what_the_ledger_forgot_is_evidence_for_when_it_knows_it_again(void **state)
{
    struct desk *d = *state;
    char key[KEY_SIZE], ack_id[EFFECT_ID_SIZE], named[80];

    intake_key("help", SLICE("<a1@x>"), key);
    acknowledgement_id(key, "accepted", ack_id);
    snprintf(named, sizeof named, "<ack.%s@example.org>", ack_id);

    struct reservation copy = ARRIVE(d, .id = named, .uid = 2, .from = "help@example.org",
                                     .acknowledgement = ack_id, .proven = true);

    assert_int_equal(copy.disposition, DISPOSITION_EVIDENCE);
    assert_string_equal(copy.reference, "");
    must(d, d->l.work->case_stands(d->store, copy.key, &d->err));
    ARRIVE(d, .id = "<a1@x>", .uid = 3, .before_rewind = true);
    assert_string_equal(LOOK(d, ACK("status"), key), "done");
}

static void a_reply_to_what_the_ledger_forgot_settles_it_once_the_loss_is_noticed(void **state)
{
    struct desk *d = *state;
    struct reservation first = ARRIVE(d, .id = "<a1@x>", .uid = 1);
    char ack_id[EFFECT_ID_SIZE], named[80];
    struct mailbox_record record;

    acknowledgement_id(first.key, "accepted", ack_id);
    snprintf(named, sizeof named, "<ack.%s@example.org>", ack_id);
    ARRIVE(d, .id = "<a2@x>", .uid = 2, .in_reply_to = named);
    assert_string_equal(LOOK(d, ACK("status"), first.key), "planned");
    must(d, d->l.mailboxes->load(d->store, "help", &record, &d->err));
    must(d, d->l.mailboxes->rewind(d->store, &record, d->now, &d->err));
    assert_string_equal(LOOK(d, ACK("status"), first.key), "done");
}

static void a_copy_without_proof_is_ordinary_mail_and_shows_nothing(void **state)
{
    struct desk *d = *state;
    char named[80], ack_id[EFFECT_ID_SIZE];
    struct reservation first = in_doubt(d, named, ack_id);
    struct reservation forged =
        ARRIVE(d, .id = named, .uid = 2, .from = "eve@example.net", .acknowledgement = ack_id);

    assert_int_equal(forged.disposition, DISPOSITION_CASE);
    assert_string_equal(LOOK(d, ACK("status"), first.key), "unknown");
    assert_string_equal(LOOK(d, ITEM("state"), first.key), "needs_reconciliation");
}

static void evidence_while_the_answer_is_awaited_settles_it_should_it_be_lost(void **state)
{
    struct desk *d = *state;
    char named[80], ack_id[EFFECT_ID_SIZE];
    struct reservation r = ARRIVE(d, .id = "<a1@x>", .uid = 1);
    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN_A, 1);
    struct work_effect *ack = effect_in(c.item, EFFECT_ACKNOWLEDGEMENT);

    COMMIT(d, RUN_A, arm(c.item, ack));
    acknowledgement_id(r.key, "accepted", ack_id);
    snprintf(named, sizeof named, "<ack.%s@example.org>", ack_id);
    ARRIVE(d, .id = "<a2@x>", .uid = 2, .in_reply_to = named);
    assert_string_equal(LOOK(d, ACK("status"), r.key), "attempting");
    COMMIT(d, RUN_A, ended(c.item, ack, OUTCOME_UNKNOWN));
    assert_string_equal(LOOK(d, ACK("status"), r.key), "done");
}

/* ---- a list's copy and a direct one -------------------------------------------------------- */

#define BY_LIST                                                                                    \
    .id = "<a1@x>", .uid = 1, .subject = "[team] Printer", .reply_to = "team@lists.example",       \
    .text = "It has jammed.\nteam mailing list", .signs = SIGN_LIST_HEADER
#define DIRECT .id = "<a1@x>", .uid = 2, .subject = "Printer", .transport = "direct"

static void a_direct_copy_after_a_lists_is_answered_once(void **state)
{
    struct desk *d = *state;
    struct reservation list = ARRIVE(d, BY_LIST);

    assert_string_equal(LOOK(d, ACK("reason"), list.key), "list");
    complete(d, RUN_A);

    struct reservation direct = ARRIVE(d, DIRECT);

    assert_int_equal(direct.class, CLASS_LIST_COPY);
    assert_string_equal(direct.key, list.key);
    assert_string_equal(LOOK(d, ACK("status"), list.key), "planned");
    assert_string_equal(LOOK(d, ACK("reason"), list.key), "");
    assert_string_equal(LOOK(d, ITEM("state"), list.key), "in_progress");
    assert_string_equal(LOOK(d, ITEM("recipient"), list.key), "ann@example.com");
    assert_string_equal(LOOK(d, ITEM("tells"), list.key), "1");
}

static void a_direct_copy_that_asks_for_no_answer_gets_none(void **state)
{
    struct desk *d = *state;
    struct reservation list = ARRIVE(d, BY_LIST);

    ARRIVE(d, DIRECT, .signs = SIGN_SUPPRESS);
    assert_string_equal(LOOK(d, ACK("status"), list.key), "skipped");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AT_DESK(a_participants_reply_joins_the_case),
        AT_DESK(who_stood_in_cc_or_reply_to_may_reply_and_own_addresses_never_take_part),
        AT_DESK(of_mail_by_a_list_only_its_sender_takes_part),
        AT_DESK(a_strangers_reply_is_a_case_of_its_own_linked),
        AT_DESK(the_reference_in_the_subject_names_the_case),
        AT_DESK(the_nearest_of_many_references_counts_and_a_flood_of_them_is_bounded),
        AT_DESK(a_reply_opens_a_closed_case_with_a_line_in_the_chain),
        AT_DESK(automatic_mail_never_opens_a_closed_case),
        AT_DESK(a_reply_to_a_merged_case_joins_the_one_it_was_merged_into),
        AT_DESK(a_reply_that_names_a_doubtful_acknowledgement_settles_it_and_its_item_goes_on),
        AT_DESK(a_delivery_report_is_recorded_with_the_acknowledgement_and_is_evidence),
        AT_DESK(our_own_copy_with_its_proof_is_evidence),
        AT_DESK(our_own_copy_of_what_the_ledger_forgot_is_evidence_for_when_it_knows_it_again),
        AT_DESK(a_reply_to_what_the_ledger_forgot_settles_it_once_the_loss_is_noticed),
        AT_DESK(a_copy_without_proof_is_ordinary_mail_and_shows_nothing),
        AT_DESK(evidence_while_the_answer_is_awaited_settles_it_should_it_be_lost),
        AT_DESK(a_direct_copy_after_a_lists_is_answered_once),
        AT_DESK(a_direct_copy_that_asks_for_no_answer_gets_none),
    };

    return RUN_TESTS(tests);
}
