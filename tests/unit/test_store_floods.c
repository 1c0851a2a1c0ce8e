/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports store blobs */
#include "store_fixture.h"

#define ITEM(column) column " AS v FROM item WHERE key = $1"
#define ANN          "ann@example.com"

static void limit_of(struct desk *d, unsigned count)
{
    d->policy.per_sender = (struct limit){count, HOURS(1)};
}

static struct reservation mail_of(struct desk *d, const char *from, uint32_t uid, int64_t later_ms)
{
    char id[32];

    snprintf(id, sizeof id, "<%u@x>", (unsigned)uid);
    return ARRIVE(d, .id = id, .uid = uid, .from = from, .text = id, .later_ms = later_ms);
}

/* Three are held: one above the limit of one, and two more. */
static struct reservation flooded(struct desk *d)
{
    limit_of(d, 1);
    mail_of(d, ANN, 1, 0);
    struct reservation first = mail_of(d, "Ann+1@example.com", 2, 0);

    assert_int_equal(mail_of(d, ANN, 3, 0).disposition, DISPOSITION_HELD);
    assert_int_equal(mail_of(d, ANN, 4, 0).disposition, DISPOSITION_HELD);
    return first;
}

static void say(struct desk *d, const char *key, enum decision decision)
{
    CLEANUP(message_clear) struct message m = MESSAGE_INIT;
    struct decision_result result;

    m.from = message_keep(&m, SLICE(ANN));

    const struct decision_request request = {.decision = decision,
                                             .key = key,
                                             .by = "bob",
                                             .why = "a loop",
                                             .policy = &d->policy,
                                             .message = &m};

    must(d, d->l.people->decide(d->store, &request, d->now, &result, &d->err));
}

static void a_flood_is_one_line_of_the_list_and_one_question(void **state)
{
    struct desk *d = *state;
    struct reservation first = flooded(d);
    struct views views = store_views(d->store);
    struct view_filter filter = {.state = "needs_reconciliation", .older_than_ms = NOT_DUE};
    CLEANUP(view_clear) struct view all = {0};
    CLEANUP(view_clear) struct view folded = {0};
    CLEANUP(view_clear) struct view like = {0};

    mail_of(d, "bo@example.com", 5, 0);
    assert_int_equal(mail_of(d, "bo@example.com", 6, 0).disposition, DISPOSITION_HELD);
    must(d, views.items(views.self, &filter, &all, &d->err));
    assert_int_equal(all.count, 4);
    filter.fold_floods = true;
    must(d, views.items(views.self, &filter, &folded, &d->err));
    assert_int_equal(folded.count, 2);

    const struct view_item *row = folded.row;
    const struct view_item *ann = strcmp(row[0].sender, "bo@example.com") == 0 ? &row[1] : &row[0];

    assert_int_equal(ann->flood, 3);
    must(d, views.alike(views.self, first.key, &like, &d->err));
    assert_int_equal(like.count, 2); /* Bo's is another */
}

static void a_muted_sender_is_filed_until_the_flood_has_paused(void **state)
{
    struct desk *d = *state;
    struct reservation first = flooded(d);

    say(d, first.key, DECIDE_MUTE);

    struct reservation next = mail_of(d, ANN, 7, MINUTES(50));
    struct reservation after = mail_of(d, ANN, 8, MINUTES(100)); /* the window slides */
    struct reservation other = mail_of(d, "bo@example.com", 9, MINUTES(100));
    struct reservation later = mail_of(d, ANN, 10, MINUTES(161));

    assert_int_equal(next.disposition, DISPOSITION_DISMISSED);
    assert_string_equal(LOOK(d, ITEM("arrived_as"), next.key), "held");
    assert_int_equal(COUNT(d, "effect WHERE key = $1 AND kind = 'move'", next.key), 1);
    assert_int_equal(COUNT(d, "effect WHERE key = $1 AND kind <> 'move'", next.key), 0);
    assert_int_equal(after.disposition, DISPOSITION_DISMISSED);
    assert_int_equal(other.disposition, DISPOSITION_CASE);
    assert_int_equal(later.disposition, DISPOSITION_CASE);
    assert_int_equal(COUNT(d, "item WHERE reason = 'case-flood'", NULL), 2); /* those before */
}

static void a_muted_mail_counts_as_decided(void **state)
{
    struct desk *d = *state;
    struct reservation first = flooded(d);
    CLEANUP(work_item_clear) struct work_item item = {0};

    say(d, first.key, DECIDE_MUTE);
    struct reservation next = mail_of(d, ANN, 7, 0);

    must(d, d->l.work->load(d->store, next.key, &item, &d->err));
    assert_true(item.decided);
}

static void a_flood_that_is_let_through_makes_cases(void **state)
{
    struct desk *d = *state;
    struct reservation first = flooded(d);

    say(d, first.key, DECIDE_LET_THROUGH);
    assert_int_equal(mail_of(d, ANN, 7, 0).disposition, DISPOSITION_CASE);
    assert_int_equal(mail_of(d, ANN, 8, 0).disposition, DISPOSITION_CASE);
}

static void what_is_let_through_meets_the_recipients_limit_all_the_same(void **state)
{
    struct desk *d = *state;
    struct reservation first = flooded(d);

    d->policy.per_recipient = (struct limit){1, HOURS(1)};
    say(d, first.key, DECIDE_LET_THROUGH);
    assert_string_equal(
        LOOK(d, "reason AS v FROM effect WHERE key = $1 AND kind = 'acknowledgement'", first.key),
        "recipient-limit");
}

static void a_mute_that_is_taken_back_asks_again(void **state)
{
    struct desk *d = *state;
    struct reservation first = flooded(d);

    say(d, first.key, DECIDE_MUTE);
    say(d, first.key, DECIDE_UNDO);
    assert_int_equal(mail_of(d, ANN, 7, 0).disposition, DISPOSITION_HELD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AT_DESK(a_flood_is_one_line_of_the_list_and_one_question),
        AT_DESK(a_muted_sender_is_filed_until_the_flood_has_paused),
        AT_DESK(a_muted_mail_counts_as_decided),
        AT_DESK(a_flood_that_is_let_through_makes_cases),
        AT_DESK(what_is_let_through_meets_the_recipients_limit_all_the_same),
        AT_DESK(a_mute_that_is_taken_back_asks_again),
    };

    return RUN_TESTS(tests);
}
