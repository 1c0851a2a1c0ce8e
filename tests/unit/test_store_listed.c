/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports store blobs */
#include "store_fixture.h"

/* What a test says of a case; NULL is absent. */
struct old_case {
    const char *reference, *ids, *from, *subject;
    int64_t later_ms; /* after noon; -1: no date */
    bool closed;
};

#define NO_DATE (-1)

static enum rc
list(struct desk *d, const struct old_case *old, size_t count, bool dry, enum listed_fate *fate)
{
    struct listed_case *c = mem_new(count, sizeof *c);
    struct listed l = {.at = c, .count = count};
    const struct listed_request request = {c, count, dry, "ann", "the old desk doubled them"};

    for (size_t i = 0; i < count; i++) {
        c[i].policy = &d->policy;
        snprintf(c[i].reference, sizeof c[i].reference, "%s", old[i].reference);
        str_addz(&c[i].message_ids, old[i].ids ? old[i].ids : "");
        str_addz(&c[i].from, old[i].from ? old[i].from : "");
        str_addz(&c[i].subject, old[i].subject ? old[i].subject : "");
        c[i].has_date = old[i].later_ms != NO_DATE;
        c[i].date_ms = NOON + old[i].later_ms;
        c[i].closed = old[i].closed;
    }
    enum rc rc = d->l.operators->list_cases(d->store, &request, d->now, fate, &d->err);

    listed_cases_clear(&l);
    return rc;
}

#define ANN "ann@example.com"

/* The first two are one mail, of which the old desk made two cases. */
static const struct old_case some[] = {
    {"OLD-1", "<a@x>\n<a2@x>\n", ANN, "Printer", 0, false},
    {"OLD-2", "<a@x>\n", ANN, "Printer", 60000, false},
    {"OLD-3", NULL, ANN, "Scanner", 0, true},
    {"OLD-4", NULL, ANN, "Re: scanner", HOURS(2), false},
    {"OLD-5", "<e@x>\n", NULL, NULL, NO_DATE, false},
};

static int64_t lines(struct desk *d)
{
    return COUNT(d, "event", NULL);
}

static void list_some(struct desk *d)
{
    enum listed_fate fate[LENGTH(some)];

    must(d, list(d, some, LENGTH(some), false, fate));
    assert_int_equal(fate[0], LISTED_NEW);
    assert_int_equal(fate[1], LISTED_DOUBLED);
    assert_int_equal(fate[2], LISTED_NEW);
    assert_int_equal(fate[3], LISTED_DOUBLED);
    assert_int_equal(fate[4], LISTED_NEW);
}

static void a_list_taken_in_twice_changes_nothing(void **state)
{
    struct desk *d = *state;
    enum listed_fate fate[LENGTH(some)];

    list_some(d);
    int64_t before = lines(d);

    pass(d, HOURS(1));
    must(d, list(d, some, LENGTH(some), false, fate));
    for (size_t i = 0; i < LENGTH(some); i++)
        assert_int_equal(fate[i], LISTED_THERE);
    assert_int_equal(lines(d), before);
    assert_int_equal(COUNT(d, "case_record", NULL), 5);
    assert_int_equal(COUNT(d, "item", NULL), 6);
    assert_int_equal(COUNT(d, "approval", NULL), 1);
}

static void a_dry_run_says_the_same_and_writes_nothing(void **state)
{
    struct desk *d = *state;
    enum listed_fate fate[LENGTH(some)];
    int64_t before = lines(d);

    must(d, list(d, some, LENGTH(some), true, fate));
    assert_int_equal(fate[1], LISTED_DOUBLED);
    assert_int_equal(COUNT(d, "item", NULL), 0);
    assert_int_equal(lines(d), before);
    list_some(d);
}

/* On a ledger that has some of them, one more mail of one, doubles of it and of each other, and what is only like
 * another by its words, on both sides of a day. */
static void a_dry_run_on_what_is_known_says_what_is_then_done(void **state)
{
    static const struct old_case more[] = {
        {"OLD-1", "<a@x>\n<a3@x>\n", ANN, "Printer", 0, false},
        {"OLD-6", "<a3@x>\n", ANN, "Printer", 0, false},
        {"OLD-7", "<g@x>\n<a2@x>\n", NULL, NULL, NO_DATE, false},
        {"OLD-7", "<g2@x>\n", NULL, NULL, NO_DATE, false},
        {"OLD-8", NULL, ANN, "Copier", 0, false},
        {"OLD-9", NULL, ANN, "Copier", HOURS(24), false},
        {"OLD-10", NULL, ANN, "Copier", HOURS(49), false},
        {"OLD-11", NULL, ANN, "Copier", NO_DATE, false},
        {"OLD-3", NULL, ANN, "Scanner", 0, true},
        {"OLD-12", "<g2@x>\n", ANN, "Fax", 0, true},
        {"OLD-12", "<k@x>\n", ANN, "Fax", 0, true},
    };
    struct desk *d = *state;
    enum listed_fate dry[LENGTH(more)], done[LENGTH(more)];

    list_some(d);
    must(d, list(d, more, LENGTH(more), true, dry));
    must(d, list(d, more, LENGTH(more), false, done));
    assert_memory_equal(dry, done, sizeof done);
    assert_int_equal(done[0], LISTED_MORE);
    assert_int_equal(done[5], LISTED_DOUBLED);
    assert_int_equal(done[6], LISTED_NEW);
    assert_int_equal(done[8], LISTED_THERE);
}

static void what_is_half_there_is_gone_on_with(void **state)
{
    struct desk *d = *state;
    const struct old_case more = {"OLD-1", "<a@x>\n<a3@x>\n", ANN, "Printer", 0, false};
    enum listed_fate fate[2];

    must(d, list(d, some, 2, false, fate));
    must(d, list(d, &more, 1, false, fate));
    assert_int_equal(fate[0], LISTED_MORE);
    assert_string_equal(LOOK(d,
                             "case_record.reference AS v FROM item JOIN case_record ON "
                             "case_record.key = item.case_key"
                             " WHERE item.key = $1",
                             identity_message_id("help", SLICE("<a3@x>")).key),
                        "OLD-1");
}

static void nobody_is_told_of_what_is_listed(void **state)
{
    struct desk *d = *state;

    list_some(d);
    assert_int_equal(
        COUNT(d, "effect WHERE kind = 'acknowledgement' AND status <> 'skipped'", NULL), 0);
    assert_int_equal(
        COUNT(d, "item WHERE recipient <> '' OR tells <> 0 OR next_due IS NOT NULL", NULL), 0);
    assert_int_equal(COUNT(d, "case_record WHERE state = 'closed'", NULL), 1);
    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN_A, 10);

    assert_int_equal(c.count, 0);
}

static void a_late_copy_joins_and_is_filed_and_nobody_is_told(void **state)
{
    struct desk *d = *state;

    list_some(d);
    struct reservation r = ARRIVE(d, .id = "<a@x>", .uid = 1, .subject = "Printer", .from = ANN);

    assert_int_equal(r.class, CLASS_REDELIVERED);
    assert_string_equal(r.reference, "OLD-1");
    assert_int_equal(COUNT(d, "case_record", NULL), 5);
    complete(d, RUN_A);
    assert_string_equal(LOOK(d, "status AS v FROM effect WHERE kind = 'move' AND key = $1", r.key),
                        "done");
    assert_string_equal(LOOK(d, "move_to AS v FROM delivery WHERE key = $1", r.key), "Duplicates");
    assert_string_equal(LOOK(d, "state AS v FROM item WHERE key = $1", r.key), "complete");
    assert_int_equal(
        COUNT(d, "effect WHERE kind = 'acknowledgement' AND status <> 'skipped'", NULL), 0);
}

static void without_a_Message_ID_it_is_known_by_its_words_to_the_second(void **state)
{
    struct desk *d = *state;

    list_some(d);
    struct reservation r =
        ARRIVE(d, .id = "<other@x>", .uid = 1, .subject = "Scanner", .from = ANN);

    assert_string_equal(r.reference, "OLD-3");
    assert_int_equal(r.class, CLASS_REDELIVERED);
    scene(d, "UPDATE item SET sent_at = sent_at - 1000 WHERE subject = 'Scanner'");
    r = ARRIVE(d, .id = "<new@x>", .uid = 2, .subject = "Scanner", .from = ANN, .text = "another");
    assert_int_equal(r.class, CLASS_FIRST);
}

static void the_same_id_with_other_words_waits_for_a_person(void **state)
{
    struct desk *d = *state;

    list_some(d);
    struct reservation r = ARRIVE(d, .id = "<a@x>", .uid = 1, .subject = "A raise", .from = ANN);

    assert_int_equal(r.class, CLASS_CONFLICT);
    assert_int_equal(r.state, ITEM_NEEDS_RECONCILIATION);
}

/* A form of the web gives each of its mails the same one. */
static void an_id_that_the_list_gives_to_several_mails_names_none(void **state)
{
    static const struct old_case form[] = {
        {"OLD-1", "<form@x>\n", ANN, "Contact", 0, false},
        {"OLD-2", "<form@x>\n", ANN, "Contact", HOURS(30), false},
        {"OLD-3", "<words@x>\n", ANN, "Contact", 0, false},
        {"OLD-4", "<words@x>\n", ANN, "Complaint", 0, false},
        {"OLD-5", "<once@x>\n", ANN, "Contact", 0, false},
    };
    struct desk *d = *state;
    enum listed_fate fate[LENGTH(form)];

    must(d, list(d, form, LENGTH(form), false, fate));
    struct reservation r = ARRIVE(d, .id = "<form@x>", .uid = 1, .subject = "Contact", .from = ANN);

    assert_string_equal(r.reference, "OLD-1"); /* to the second it is that one */
    assert_int_equal(r.class, CLASS_REDELIVERED);
    scene(d, "UPDATE item SET sent_at = sent_at - 1000");
    r = ARRIVE(d, .id = "<form@x>", .uid = 2, .subject = "Contact", .from = ANN, .text = "another");
    assert_int_equal(r.class, CLASS_CONFLICT);
    r = ARRIVE(d, .id = "<words@x>", .uid = 3, .subject = "Contact", .from = ANN,
               .text = "a third");
    assert_int_equal(r.class, CLASS_CONFLICT);
    r = ARRIVE(d, .id = "<once@x>", .uid = 4, .subject = "Contact", .from = ANN,
               .text = "a fourth");
    assert_int_equal(r.class, CLASS_REDELIVERED);
}

static void a_reply_joins_a_listed_case(void **state)
{
    struct desk *d = *state;

    list_some(d);
    struct reservation r = ARRIVE(d, .id = "<reply@x>", .uid = 1, .subject = "Re: Printer",
                                  .from = ANN, .in_reply_to = "<a2@x>", .text = "more");

    assert_int_equal(r.disposition, DISPOSITION_APPEND);
    assert_string_equal(r.reference, "OLD-1");
}

static void doubles_are_suspects_of_each_other_and_can_be_joined(void **state)
{
    struct desk *d = *state;
    struct view view = {0};
    const struct views v = store_views(d->store);
    struct case_request request = {
        .act = CASE_AUTHORITATIVE, .reference = "OLD-1", .by = "ann", .why = "first"};
    struct case_result result;
    char by_id[DIGEST_HEX_SIZE];

    list_some(d);
    listed_by_id(SLICE("<a@x>"), by_id);
    assert_int_equal(COUNT(d, "listed WHERE known_by = $1", by_id), 2);
    must(d, v.suspects(v.self, NULL, &view, &d->err));
    assert_int_equal(view.count, 4);
    view_clear(&view);
    must(d, d->l.operators->case_act(d->store, &request, d->now, &result, &d->err));
    assert_int_equal(result.others, 1);
    request = (struct case_request){
        .act = CASE_MERGE, .reference = "OLD-4", .into = "OLD-3", .by = "ann", .why = "same"};
    must(d, d->l.operators->case_act(d->store, &request, d->now, &result, &d->err));
    must(d, v.suspects(v.self, NULL, &view, &d->err));
    assert_int_equal(view.count, 0);
    view_clear(&view);
}

static void a_mail_that_has_its_case_here_is_a_double_of_it(void **state)
{
    struct desk *d = *state;
    struct reservation r = ARRIVE(d, .id = "<a@x>", .uid = 1, .subject = "Printer", .from = ANN);
    const struct views v = store_views(d->store);
    struct view view = {0};
    enum listed_fate fate[2];

    must(d, list(d, &some[1], 1, false, fate));
    assert_int_equal(fate[0], LISTED_DOUBLED);
    must(d, v.suspects(v.self, r.key, &view, &d->err));
    assert_int_equal(view.count, 2);
    view_clear(&view);
}

static void a_reference_of_another_mailbox_or_of_our_own_is_refused(void **state)
{
    struct desk *d = *state;
    struct reservation r = ARRIVE(d, .id = "<a@x>", .uid = 1);
    struct old_case ours = {r.reference, "<b@x>\n", NULL, NULL, NO_DATE, false};
    struct mailbox_record record;
    enum listed_fate fate[2];

    must(d, list(d, &ours, 1, false, fate));
    assert_int_equal(fate[0], LISTED_REFUSED);
    must(d, list(d, &some[4], 1, false, fate));
    must(d, d->l.mailboxes->load(d->store, "sales", &record, &d->err));
    d->policy.mailbox = "sales";
    must(d, list(d, &some[4], 1, false, fate));
    assert_int_equal(fate[0], LISTED_REFUSED);
}

static void nothing_contradicts_itself(void **state)
{
    struct desk *d = *state;
    const struct views v = store_views(d->store);
    struct view view = {0};

    list_some(d);
    must(d, v.contradictions(v.self, &view, &d->err));
    assert_int_equal(view.count, 0);
    view_clear(&view);
}

static void what_names_a_sender_is_let_go_and_a_late_copy_is_known_all_the_same(void **state)
{
    struct desk *d = *state;
    const struct identity id = identity_message_id("help", SLICE("<a@x>"));
    const char *key = id.key;

    list_some(d);

    const struct letting_go all = {.key = key, .contents = CONTENT_ALL, .erased = true};

    must(d, d->l.keeping->let_go(d->store, &all, d->now, &d->err));
    assert_string_equal(LOOK(d, "words AS v FROM listed WHERE key = $1", key), "");
    assert_int_equal(ARRIVE(d, .id = "<a@x>", .uid = 1, .subject = "Printer", .from = ANN).class,
                     CLASS_REDELIVERED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AT_DESK(a_list_taken_in_twice_changes_nothing),
        AT_DESK(a_dry_run_says_the_same_and_writes_nothing),
        AT_DESK(a_dry_run_on_what_is_known_says_what_is_then_done),
        AT_DESK(what_is_half_there_is_gone_on_with),
        AT_DESK(nobody_is_told_of_what_is_listed),
        AT_DESK(a_late_copy_joins_and_is_filed_and_nobody_is_told),
        AT_DESK(without_a_Message_ID_it_is_known_by_its_words_to_the_second),
        AT_DESK(the_same_id_with_other_words_waits_for_a_person),
        AT_DESK(an_id_that_the_list_gives_to_several_mails_names_none),
        AT_DESK(a_reply_joins_a_listed_case),
        AT_DESK(doubles_are_suspects_of_each_other_and_can_be_joined),
        AT_DESK(a_mail_that_has_its_case_here_is_a_double_of_it),
        AT_DESK(a_reference_of_another_mailbox_or_of_our_own_is_refused),
        AT_DESK(nothing_contradicts_itself),
        AT_DESK(what_names_a_sender_is_let_go_and_a_late_copy_is_known_all_the_same),
    };

    return RUN_TESTS(tests);
}
