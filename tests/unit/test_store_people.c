/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports store */
#include "store_fixture.h"

#define FINAL MINUTES(10)
#define WAIT  MINUTES(15)

struct asked {
    const char *key;
    enum decision decision;
    bool run_gone, always;
    const char *external_id;
    const struct message *message;
    const char *by, *why; /* NULL: "ann", "she looked" */
};

static struct decision_result result;

static enum rc decide(struct desk *d, const struct asked *asked)
{
    const struct decision_request request = {
        .decision = asked->decision,
        .key = asked->key,
        .by = asked->by ? asked->by : "ann",
        .why = asked->why ? asked->why : "she looked",
        .run_gone = asked->run_gone,
        .always = asked->always,
        .external_id = asked->external_id,
        .policy = &d->policy,
        .message = asked->message,
        .final_timeout_ms = FINAL,
        .evidence_wait_ms = WAIT,
    };

    return d->l.people->decide(d->store, &request, d->now, &result, &d->err);
}

#define DECIDE(d, ...) decide((d), &(struct asked){__VA_ARGS__})
#define assert_conflict(rc, words)                                                                 \
    do {                                                                                           \
        assert_int_equal((rc), RC_CONFLICT);                                                       \
        assert_non_null(strstr(d->err.text, (words)));                                             \
    } while (0)

static const char *ack_of(struct desk *d, const char *key)
{
    return LOOK(d, "status AS v FROM effect WHERE kind = 'acknowledgement' AND key = $1", key);
}

static const char *item_of(struct desk *d, const char *key)
{
    return LOOK(d, "state || ' ' || reason AS v FROM item WHERE key = $1", key);
}

/* A mail whose acknowledgement was armed by RUN_A and whose connection was lost; asked about. */
static struct reservation doubtful(struct desk *d, bool closed)
{
    struct reservation r = ARRIVE(d, .id = "<a@x>", .uid = 1);

    pass(d, LEASE + 1);
    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN_A, 1);
    struct work_effect *ack = effect_in(c.item, EFFECT_ACKNOWLEDGEMENT);
    struct change lost = ended(c.item, ack, OUTCOME_UNKNOWN);
    struct change wait = item_step_to(c.item, ITEM_ON_WAIT);

    lost.effect.closed = closed;
    wait.item.reason = REASON_UNKNOWN_SENT;
    COMMIT(d, RUN_A, arm(c.item, ack), lost, wait);
    return r;
}

/* ---- was it sent? -------------------------------------------------------------------------- */

static void not_sent_is_taken_only_once_nothing_can_carry_it(void **state)
{
    static const struct {
        const char *name;
        bool closed, buried, gone;
        int64_t after_ms;
        enum rc rc;
        const char *says;
    } rows[] = {
        {"its run may be alive", false, false, false, HOURS(9), RC_DEFERRED, "--run-gone"},
        {"its connection is closed, too early", true, false, false, FINAL + WAIT - 1, RC_DEFERRED,
         "possible from 2026-03-02T12:30:00.001Z"},
        {"its connection is closed", true, false, false, FINAL + WAIT, RC_OK, ""},
        {"its run is dead, too early", false, true, false, FINAL + WAIT - 1, RC_DEFERRED,
         "possible from"},
        {"its run is dead", false, true, false, FINAL + WAIT, RC_OK, ""},
        {"a person says so, too early", false, false, true, FINAL + WAIT - 1, RC_DEFERRED,
         "possible from"},
        {"a person says so", false, false, true, FINAL + WAIT, RC_OK, ""},
    };

    (void)state;
    FOR_EACH(row, rows) {
        void *desk;

        open_desk(&desk);
        struct desk *d = desk;
        struct reservation r = doubtful(d, row->closed);

        if (row->buried)
            must(d, d->l.runs->bury(d->store, RUN_A, RUN_B, d->now, &d->err));
        pass(d, row->after_ms);
        enum rc rc = DECIDE(d, .key = r.key, .decision = DECIDE_NOT_SENT, .run_gone = row->gone);

        assert_int_equal(rc, row->rc);
        if (rc != RC_OK)
            assert_non_null(strstr(d->err.text, row->says));
        assert_string_equal(ack_of(d, r.key), rc == RC_OK ? "deferred" : "unknown");
        close_desk(&desk);
    }
}

static void set_ack_id(struct desk *d, const char *ack_id)
{
    char sql[200];

    snprintf(sql, sizeof sql, "UPDATE effect SET ack_id = '%s' WHERE kind = 'acknowledgement'",
             ack_id);
    scene(d, sql);
}

/* The try that follows meets a server that takes it later, until nobody waits any more. */
static void put_off(struct desk *d, bool gave_up)
{
    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN_A, 1);
    struct work_effect *ack = effect_in(c.item, EFFECT_ACKNOWLEDGEMENT);
    struct change later = ended(c.item, ack, OUTCOME_DEFERRED);
    struct change wait = item_step_to(c.item, ITEM_ON_WAIT);

    later.effect.from = EFFECT_DEFERRED;
    later.effect.due_ms = d->now.wall_ms + MINUTES(5);
    wait.item.reason = REASON_GAVE_UP;
    COMMIT(d, RUN_A, later, gave_up ? wait : give_back(c.item, d->now.wall_ms + MINUTES(5)));
}

/* Another try may be alive, though the last one is not. */
static void every_try_in_doubt_must_be_over(void **state)
{
    struct desk *d = *state;
    struct reservation r = doubtful(d, true);
    struct mailbox_record record;

    scene(d, "UPDATE attempt SET connection_closed = 0");
    must(d, d->l.mailboxes->load(d->store, "help", &record, &d->err));
    must(d, d->l.mailboxes->rewind(d->store, &record, d->now, &d->err));
    pass(d, HOURS(9));
    assert_int_equal(DECIDE(d, .key = r.key, .decision = DECIDE_NOT_SENT), RC_DEFERRED);
    assert_true(result.possible_from_ms == INT64_MAX);
    must(d, d->l.runs->bury(d->store, RUN_A, RUN_B, d->now, &d->err));
    must(d, DECIDE(d, .key = r.key, .decision = DECIDE_NOT_SENT));
}

/* E02, E05: what shows that the first went out may come after a person has said that it did not. */
static void what_is_found_after_not_sent_and_before_it_is_sent_again_prevents_that(void **state)
{
    static const struct {
        const char *name;
        bool copy, tried, gave_up;
    } rows[] = {
        {"E02 our own copy", true, false, false},
        {"E05 a report or reply", false, false, false},
        {"after a further try was put off", false, true, false},
        {"after it was given up", true, true, true},
    };

    (void)state;
    FOR_EACH(row, rows) {
        void *desk;
        char ack_id[EFFECT_ID_SIZE], named[80];

        open_desk(&desk);
        struct desk *d = desk;
        struct reservation r = doubtful(d, true);

        scene(d, "UPDATE effect SET target = 'accepted' WHERE kind = 'acknowledgement'");
        acknowledgement_id(r.key, "accepted", ack_id);
        snprintf(named, sizeof named, "<ack.%s@example.org>", ack_id);
        set_ack_id(d, ack_id);
        pass(d, FINAL + WAIT);
        must(d, DECIDE(d, .key = r.key, .decision = DECIDE_NOT_SENT));
        assert_string_equal(ack_of(d, r.key), "deferred");
        if (row->tried)
            put_off(d, row->gave_up);
        ARRIVE(d, .id = row->copy ? named : "<b@x>", .uid = 2,
               .from = row->copy ? "help@example.org" : "ann@example.com",
               .in_reply_to = row->copy ? NULL : named,
               .acknowledgement = row->copy ? ack_id : NULL, .proven = row->copy);
        assert_string_equal(ack_of(d, r.key), "done");
        assert_string_equal(item_of(d, r.key), "in_progress ");
        close_desk(&desk);
    }
}

static void O03_not_sent_sends_once_more(void **state)
{
    struct desk *d = *state;
    struct reservation r = doubtful(d, true);

    pass(d, FINAL + WAIT);
    must(d, DECIDE(d, .key = r.key, .decision = DECIDE_NOT_SENT));
    assert_int_equal(result.state, ITEM_IN_PROGRESS);
    assert_int_equal(result.status, EFFECT_DEFERRED);
    assert_string_equal(result.reference, r.reference);
    assert_string_equal(item_of(d, r.key), "in_progress ");
    assert_int_equal(COUNT(d, "item WHERE next_due IS NOT NULL AND key = $1", r.key), 1);
    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN_B, 1);
    struct work_effect *ack = effect_in(c.item, EFFECT_ACKNOWLEDGEMENT);

    assert_string_equal(ack->target, "accepted");
    COMMIT(d, RUN_B, arm(c.item, ack), ended(c.item, ack, OUTCOME_DONE));
    assert_int_equal(COUNT(d, "attempt WHERE outcome = 'done'", NULL), 1);
}

/* clang-format off */
static const struct {
    const char *name;
    enum decision decision;
    const char *before;
    const char *after;
    const char *reason;
} answers[] = {
    { "it was sent",                    DECIDE_SENT,   "unknown",  "done",     "" },
    { "the sender shall get none",      DECIDE_NONE,   "unknown",  "skipped",  "said-none" },
    { "none, while it waits",           DECIDE_NONE,   "deferred", "skipped",  "said-none" },
    { "none, before it began",          DECIDE_NONE,   "planned",  "skipped",  "said-none" },
    { "none, seen that it was refused", DECIDE_NONE,   "refused",  "skipped",  "said-none" },
    { "although it was refused",        DECIDE_RESEND, "refused",  "planned",  "" },
    { "although it was skipped",        DECIDE_RESEND, "skipped",  "planned",  "" },
    { "although it was given up",       DECIDE_RESEND, "deferred", "planned",  "" },
};
/* clang-format on */

static void set_ack(struct desk *d, const char *status)
{
    static const char update[] = "UPDATE effect SET status = $1 WHERE kind = 'acknowledgement'";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    must(d, stmt_open(d->store->db, update, &s, &d->err));
    stmt_text(s, 1, status);
    must(d, stmt_one(s, "it", &d->err));
}

static void an_answer_moves_the_acknowledgement(void **state)
{
    (void)state;
    FOR_EACH(row, answers) {
        void *desk;

        open_desk(&desk);
        struct desk *d = desk;
        struct reservation r = doubtful(d, true);

        set_ack(d, row->before);
        must(d, DECIDE(d, .key = r.key, .decision = row->decision));
        assert_string_equal(ack_of(d, r.key), row->after);
        assert_string_equal(LOOK(d, "reason AS v FROM effect WHERE kind = 'acknowledgement'", NULL),
                            row->reason);
        assert_string_equal(item_of(d, r.key), "in_progress ");
        close_desk(&desk);
    }
}

static void E01_what_was_found_meanwhile_is_a_conflict(void **state)
{
    struct desk *d = *state;
    struct reservation r = doubtful(d, true);

    set_ack(d, "done");
    pass(d, FINAL + WAIT);
    assert_conflict(DECIDE(d, .key = r.key, .decision = DECIDE_NOT_SENT),
                    "acknowledgement is done");
    assert_int_equal(COUNT(d, "approval", NULL), 0);
}

/* ---- who decided --------------------------------------------------------------------------- */

static void a_decision_says_who_and_why(void **state)
{
    struct desk *d = *state;
    struct reservation r = doubtful(d, true);

    must(d, DECIDE(d, .key = r.key, .decision = DECIDE_SENT, .by = "bob",
                   .why = "the sender said so"));
    assert_string_equal(
        LOOK(d,
             "decision || ' ' || from_status || ' ' || from_state || ' ' || from_reason"
             " || ' ' || attempts || ' ' || person AS v FROM approval WHERE key = $1",
             r.key),
        "acknowledgement-sent unknown needs_reconciliation acknowledgement-unknown 1 bob");
    assert_string_equal(LOOK(d, "about || ': ' || text AS v FROM note WHERE key = $1", r.key),
                        "approval 1: the sender said so");
    assert_string_equal(LOOK(d,
                             "subject || ' ' || what || ' ' || actor AS v FROM event"
                             " WHERE key = $1 ORDER BY number DESC",
                             r.key),
                        "approval 1 acknowledgement-sent person");
    assert_int_equal(COUNT(d, "event WHERE hash || actor || subject LIKE '%bob%'", NULL), 0);
}

static void O06_without_a_name_or_a_reason_nothing_happens(void **state)
{
    static const struct {
        const char *name;
        const char *by, *why;
    } rows[] = {{"no name", "", "why"}, {"a blank name", "  ", "why"}, {"no reason", "ann", ""}};
    struct desk *d = *state;
    struct reservation r = doubtful(d, true);

    FOR_EACH(row, rows)
        assert_int_equal(
            DECIDE(d, .key = r.key, .decision = DECIDE_SENT, .by = row->by, .why = row->why),
            RC_USAGE);
    assert_string_equal(ack_of(d, r.key), "unknown");
    assert_int_equal(COUNT(d, "approval", NULL), 0);
    assert_int_equal(COUNT(d, "note", NULL), 0);
}

static void K05_of_two_people_the_second_hears_of_the_first(void **state)
{
    struct desk *d = *state;
    struct reservation r = doubtful(d, true);

    must(d, DECIDE(d, .key = r.key, .decision = DECIDE_SENT));
    pass(d, MINUTES(1));
    assert_conflict(DECIDE(d, .key = r.key, .decision = DECIDE_NONE), "acknowledgement is done");
    assert_non_null(
        strstr(d->err.text, "'acknowledgement-sent' was decided at 2026-03-02T12:05:00.001Z"));
    assert_int_equal(COUNT(d, "approval", NULL), 1);
}

static void an_item_that_is_not_there_is_not_found(void **state)
{
    struct desk *d = *state;

    assert_int_equal(DECIDE(d, .key = "none", .decision = DECIDE_SENT), RC_NOT_FOUND);
}

/* ---- taken back ---------------------------------------------------------------------------- */

static void O07_a_decision_is_taken_back_before_anything_left(void **state)
{
    static const struct {
        const char *name;
        enum decision decision;
    } rows[] = {{"sent", DECIDE_SENT}, {"not sent", DECIDE_NOT_SENT}, {"none", DECIDE_NONE}};

    (void)state;
    FOR_EACH(row, rows) {
        void *desk;

        open_desk(&desk);
        struct desk *d = desk;
        struct reservation r = doubtful(d, true);

        pass(d, FINAL + WAIT);
        must(d, DECIDE(d, .key = r.key, .decision = row->decision));
        must(d, DECIDE(d, .key = r.key, .decision = DECIDE_UNDO));
        assert_string_equal(ack_of(d, r.key), "unknown");
        assert_string_equal(item_of(d, r.key), "needs_reconciliation acknowledgement-unknown");
        assert_int_equal(COUNT(d, "approval WHERE undone_at IS NULL", NULL), 0);
        assert_conflict(DECIDE(d, .key = r.key, .decision = DECIDE_UNDO),
                        "nothing that was decided");
        must(d, DECIDE(d, .key = r.key, .decision = row->decision));
        close_desk(&desk);
    }
}

static void O07_a_decision_is_not_taken_back_after_something_left(void **state)
{
    struct desk *d = *state;
    struct reservation r = doubtful(d, true);

    pass(d, FINAL + WAIT);
    must(d, DECIDE(d, .key = r.key, .decision = DECIDE_NOT_SENT));
    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN_B, 1);
    struct work_effect *ack = effect_in(c.item, EFFECT_ACKNOWLEDGEMENT);

    COMMIT(d, RUN_B, arm(c.item, ack));
    assert_conflict(DECIDE(d, .key = r.key, .decision = DECIDE_UNDO), "something has left");
    COMMIT(d, RUN_B, ended(c.item, ack, OUTCOME_DEFERRED));
    assert_conflict(DECIDE(d, .key = r.key, .decision = DECIDE_UNDO), "something has left");
    assert_string_equal(ack_of(d, r.key), "deferred");
}

static void none_taken_back_goes_on_where_it_was(void **state)
{
    struct desk *d = *state;
    struct reservation r = doubtful(d, true);

    set_ack(d, "deferred");
    must(d, DECIDE(d, .key = r.key, .decision = DECIDE_NONE));
    must(d, DECIDE(d, .key = r.key, .decision = DECIDE_UNDO));
    assert_string_equal(ack_of(d, r.key), "planned");
    assert_string_equal(item_of(d, r.key), "in_progress ");
}

static void what_may_have_left_at_once_is_not_taken_back(void **state)
{
    struct desk *d = *state;
    struct reservation r = doubtful(d, true);

    set_ack(d, "refused");
    must(d, DECIDE(d, .key = r.key, .decision = DECIDE_RESEND));
    assert_conflict(DECIDE(d, .key = r.key, .decision = DECIDE_UNDO), "cannot be taken back");
}

/* ---- held mail ----------------------------------------------------------------------------- */

static const struct mail first = {.id = "<a@x>", .uid = 1, .text = "It has jammed."};
static const struct mail other = {.id = "<a@x>",
                                  .uid = 2,
                                  .text = "Quite another thing.",
                                  .from = "bob@example.com",
                                  .subject = "Keyboard",
                                  .attachment = "keys.csv"};

struct conflict {
    struct reservation first, second;
    struct arriving mail; /* of the second, read again */
};

static struct conflict conflicting(struct desk *d)
{
    struct conflict c = {.first = arrive(d, RUN_A, &first)};

    c.second = arrive(d, RUN_A, &other);
    write_arrival(&other, &c.mail);
    assert_int_equal(c.second.disposition, DISPOSITION_HELD);
    assert_string_equal(item_of(d, c.second.key), "needs_reconciliation conflict");
    return c;
}

static void O04_a_conflict_becomes_a_case_of_its_own(void **state)
{
    struct desk *d = *state;
    struct conflict c = conflicting(d);

    must(d,
         DECIDE(d, .key = c.second.key, .decision = DECIDE_NEW_CASE, .message = &c.mail.message));
    assert_string_equal(item_of(d, c.second.key), "in_progress ");
    assert_string_equal(LOOK(d,
                             "disposition || ' ' || arrived_as || ' ' || CASE WHEN case_key = key "
                             "THEN 1 ELSE 0 END AS v FROM item"
                             " WHERE key = $1",
                             c.second.key),
                        "case held 1");
    assert_string_equal(LOOK(d, "reference AS v FROM case_record WHERE key = $1", c.second.key),
                        result.reference);
    assert_string_not_equal(result.reference, c.first.reference);
    assert_string_equal(ack_of(d, c.second.key), "planned");
    assert_int_equal(COUNT(d, "attachment WHERE status = 'planned' AND key = $1", c.second.key), 1);
    assert_string_equal(LOOK(d,
                             "target || ' ' || effect.status AS v FROM effect JOIN delivery"
                             " ON delivery.id = CAST(target AS INTEGER) WHERE kind = 'move'"
                             " AND delivery.uid = 2 AND effect.key = $1",
                             c.second.key),
                        "2 planned");
    assert_string_equal(LOOK(d, "move_to AS v FROM delivery WHERE key = $1", c.second.key),
                        "Processed");
    assert_conflict(DECIDE(d, .key = c.second.key, .decision = DECIDE_DISMISS),
                    "item is in_progress");
    message_clear(&c.mail.message);
}

static void what_is_always_done_is_said_with_the_decision_or_not_at_all(void **state)
{
    struct desk *d = *state;
    struct conflict c = conflicting(d);

    assert_int_equal(DECIDE(d, .key = c.second.key, .decision = DECIDE_DISMISS, .always = true),
                     RC_USAGE);
    scene(d, "UPDATE item SET sender_plain = '' WHERE disposition = 'held'");
    assert_int_equal(DECIDE(d, .key = c.second.key, .decision = DECIDE_NEW_CASE,
                            .message = &c.mail.message, .always = true),
                     RC_USAGE);
    assert_string_equal(item_of(d, c.second.key), "needs_reconciliation conflict");
    assert_int_equal(COUNT(d, "approval", NULL), 0);
    scene(d, "UPDATE item SET sender_plain = 'ann@x' WHERE disposition = 'held'");
    must(d, DECIDE(d, .key = c.second.key, .decision = DECIDE_NEW_CASE, .message = &c.mail.message,
                   .always = true));
    assert_string_equal(
        LOOK(d, "sender || ' ' || person AS v FROM sender_rule WHERE key = $1", c.second.key),
        "ann@x ann");
    assert_int_equal(COUNT(d, "event WHERE what = $1", "rule"), 1);
    message_clear(&c.mail.message);
}

/* Said twice, it stands once. */
static void what_is_always_done_already_is_as_good(void **state)
{
    struct desk *d = *state;
    struct conflict c = conflicting(d);

    scene(d, "UPDATE item SET sender_plain = 'ann@x'");
    scene(d, "INSERT INTO sender_rule (mailbox, sender, key, person, made_at)"
             " SELECT mailbox, sender_plain, key, 'bob', 1 FROM item WHERE disposition = 'case'");
    must(d, DECIDE(d, .key = c.second.key, .decision = DECIDE_NEW_CASE, .message = &c.mail.message,
                   .always = true));
    assert_int_equal(COUNT(d, "sender_rule", NULL), 1);
    assert_int_equal(COUNT(d, "approval", NULL), 1);
    message_clear(&c.mail.message);
}

static void O04_a_conflict_is_appended_to_the_first_mails_case(void **state)
{
    struct desk *d = *state;
    struct conflict c = conflicting(d);

    scene(d, "UPDATE case_record SET state = 'closed'");
    d->policy.reopen_closed = false;
    must(d, DECIDE(d, .key = c.second.key, .decision = DECIDE_APPEND, .message = &c.mail.message));
    assert_string_equal(result.reference, c.first.reference);
    assert_string_equal(
        LOOK(d, "disposition || ' ' || case_key AS v FROM item WHERE key = $1", c.second.key) +
            strlen("append "),
        c.first.key);
    assert_int_equal(COUNT(d, "case_message WHERE case_key = $1", c.first.key), 2);
    assert_int_equal(COUNT(d, "case_record WHERE state = 'open'", NULL), 1);
    assert_int_equal(COUNT(d, "effect WHERE kind = 'acknowledgement' AND key = $1", c.second.key),
                     0);
    message_clear(&c.mail.message);
}

static void O04_a_conflict_is_dismissed_and_its_copy_filed(void **state)
{
    struct desk *d = *state;
    struct conflict c = conflicting(d);

    message_clear(&c.mail.message);
    must(d, DECIDE(d, .key = c.second.key, .decision = DECIDE_DISMISS));
    assert_string_equal(LOOK(d, "disposition AS v FROM item WHERE key = $1", c.second.key),
                        "dismissed");
    assert_int_equal(COUNT(d, "effect WHERE key = $1", c.second.key), 1);
    assert_string_equal(LOOK(d, "move_to AS v FROM delivery WHERE key = $1", c.second.key),
                        "Duplicates");
    assert_int_equal(COUNT(d, "case_record", NULL), 1);
    pass(d, LEASE + 1);
    complete(d, RUN_A);
    complete(d, RUN_A);
    assert_string_equal(item_of(d, c.second.key), "complete ");
}

static void a_dismissal_is_taken_back_before_the_copy_was_filed(void **state)
{
    struct desk *d = *state;
    struct conflict c = conflicting(d);

    must(d, DECIDE(d, .key = c.second.key, .decision = DECIDE_DISMISS));
    must(d, DECIDE(d, .key = c.second.key, .decision = DECIDE_UNDO));
    assert_string_equal(item_of(d, c.second.key), "needs_reconciliation conflict");
    assert_string_equal(LOOK(d, "disposition AS v FROM item WHERE key = $1", c.second.key), "held");
    assert_string_equal(LOOK(d, "status AS v FROM effect WHERE key = $1", c.second.key), "skipped");
    must(d,
         DECIDE(d, .key = c.second.key, .decision = DECIDE_NEW_CASE, .message = &c.mail.message));
    assert_string_equal(
        LOOK(d, "status AS v FROM effect WHERE kind = 'move' AND key = $1", c.second.key),
        "planned");
    assert_string_equal(LOOK(d, "move_to AS v FROM delivery WHERE key = $1", c.second.key),
                        "Processed");
    assert_int_equal(COUNT(d, "effect WHERE key = $1", c.second.key), 4);
    message_clear(&c.mail.message);
}

static void a_dismissal_is_not_taken_back_once_the_copy_may_have_moved(void **state)
{
    struct desk *d = *state;
    struct conflict c = conflicting(d);

    message_clear(&c.mail.message);
    must(d, DECIDE(d, .key = c.second.key, .decision = DECIDE_DISMISS));
    scene(d, "UPDATE item SET state = 'complete', next_due = NULL, lease_run = NULL, lease_boot = "
             "NULL WHERE "
             "disposition = 'case'");
    pass(d, LEASE + 1);
    CLEANUP(claimed_clear) struct claimed claimed = claim(d, RUN_B, 1);

    assert_int_equal(claimed.count, 1);
    COMMIT(d, RUN_B, accept_item(claimed.item, &held_acceptance),
           arm(claimed.item, &claimed.item->effect[0]));
    assert_conflict(DECIDE(d, .key = c.second.key, .decision = DECIDE_UNDO), "something has left");
}

static void a_case_made_of_a_conflict_is_not_taken_back(void **state)
{
    struct desk *d = *state;
    struct conflict c = conflicting(d);

    must(d,
         DECIDE(d, .key = c.second.key, .decision = DECIDE_NEW_CASE, .message = &c.mail.message));
    assert_conflict(DECIDE(d, .key = c.second.key, .decision = DECIDE_UNDO),
                    "cannot be taken back");
    message_clear(&c.mail.message);
}

static void held_mail_needs_its_original_to_become_a_case(void **state)
{
    struct desk *d = *state;
    struct conflict c = conflicting(d);

    message_clear(&c.mail.message);
    assert_int_equal(DECIDE(d, .key = c.second.key, .decision = DECIDE_NEW_CASE), RC_USAGE);
    d->policy.look_only = true;
    assert_conflict(DECIDE(d, .key = c.second.key, .decision = DECIDE_DISMISS), "look-only");
    assert_string_equal(item_of(d, c.second.key), "needs_reconciliation conflict");
}

/* clang-format off */
static const struct {
    const char *name;
    enum reason reason;
    enum decision decision;
    const char *disposition;
    int64_t cases;
} helds[] = {
    { "read once more",                 REASON_UNPROCESSABLE, DECIDE_READ_AGAIN,  "case",      1 },
    { "read with a larger limit",       REASON_OVERSIZE,      DECIDE_READ_AGAIN,  "case",      1 },
    { "no request",                     REASON_UNPROCESSABLE, DECIDE_DROP,        "dismissed", 0 },
    { "no request, and too large",      REASON_OVERSIZE,      DECIDE_DROP,        "dismissed", 0 },
    { "let through",                    REASON_CASE_FLOOD,    DECIDE_LET_THROUGH, "case",      1 },
    { "muted",                          REASON_CASE_FLOOD,    DECIDE_MUTE,        "dismissed", 0 },
};
/* clang-format on */

static void set_reason(struct desk *d, enum reason reason)
{
    static const char update[] = "UPDATE item SET reason = $1";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    must(d, stmt_open(d->store->db, update, &s, &d->err));
    stmt_text(s, 1, reason_text(reason));
    must(d, stmt_one(s, "it", &d->err));
}

static void held_mail_becomes_what_a_person_says(void **state)
{
    (void)state;
    FOR_EACH(row, helds) {
        static const struct mail unread = {.id = "<u@x>", .uid = 1, .unreadable = true};
        void *desk;

        open_desk(&desk);
        struct desk *d = desk;
        struct reservation r = arrive(d, RUN_A, &unread);
        struct arriving a;

        set_reason(d, row->reason);
        write_arrival(&unread, &a);
        must(d, DECIDE(d, .key = r.key, .decision = row->decision, .message = &a.message));
        message_clear(&a.message);
        assert_string_equal(LOOK(d, "disposition AS v FROM item", NULL), row->disposition);
        assert_int_equal(COUNT(d, "case_record", NULL), row->cases);
        assert_int_equal(
            COUNT(d, "effect WHERE kind = 'acknowledgement' AND status = 'planned'", NULL),
            row->cases);
        assert_int_equal(COUNT(d, "effect WHERE kind = 'move' AND status = 'planned'", NULL), 1);
        assert_int_equal(COUNT(d,
                               "item WHERE recipient = 'ann@example.com' AND payload_digest <> ''"
                               " AND subject = 'Printer'",
                               NULL),
                         row->cases);
        close_desk(&desk);
    }
}

static void a_reply_that_is_read_at_last_joins_its_case(void **state)
{
    static const struct mail asked = {.id = "<q@x>", .uid = 1};
    static const struct mail reply = {
        .id = "<r@x>", .uid = 2, .in_reply_to = "<q@x>", .unreadable = true};
    struct desk *d = *state;
    struct reservation q = arrive(d, RUN_A, &asked);
    struct reservation r = arrive(d, RUN_A, &reply);
    struct arriving a;

    write_arrival(&reply, &a);
    must(d, DECIDE(d, .key = r.key, .decision = DECIDE_READ_AGAIN, .message = &a.message));
    message_clear(&a.message);
    assert_string_equal(
        LOOK(d, "disposition || ' ' || case_key AS v FROM item WHERE key = $1", r.key) +
            strlen("append "),
        q.key);
    assert_string_equal(result.reference, q.reference);
}

/* ---- a case elsewhere ---------------------------------------------------------------------- */

static struct reservation case_elsewhere(struct desk *d, const char *status)
{
    static const char update[] =
        "UPDATE effect SET status = $1 WHERE kind = 'case' AND target = 'crm'";
    CLEANUP(stmt_done) struct stmt *s = NULL;

    d->policy.destination = "crm";
    struct reservation r = ARRIVE(d, .id = "<a@x>", .uid = 1);

    must(d, stmt_open(d->store->db, update, &s, &d->err));
    stmt_text(s, 1, status);
    must(d, stmt_one(s, "it", &d->err));
    scene(d, "UPDATE item SET state = 'needs_reconciliation', reason = 'case-unknown'");
    return r;
}

static void a_case_made_elsewhere_is_taken_for_this_mails(void **state)
{
    struct desk *d = *state;
    struct reservation r = case_elsewhere(d, "unknown");

    assert_int_equal(DECIDE(d, .key = r.key, .decision = DECIDE_CASE_MADE), RC_USAGE);
    must(d, DECIDE(d, .key = r.key, .decision = DECIDE_CASE_MADE, .external_id = "4711"));
    assert_string_equal(
        LOOK(d, "status || ' ' || external_id AS v FROM effect WHERE target = 'crm'", NULL),
        "done 4711");
    must(d, DECIDE(d, .key = r.key, .decision = DECIDE_UNDO));
    assert_string_equal(item_of(d, r.key), "needs_reconciliation case-unknown");
}

static void a_case_not_made_elsewhere_is_made(void **state)
{
    struct desk *d = *state;
    struct reservation r = case_elsewhere(d, "unknown");

    must(d, DECIDE(d, .key = r.key, .decision = DECIDE_CASE_NOT_MADE));
    assert_string_equal(LOOK(d, "status AS v FROM effect WHERE target = 'crm'", NULL), "deferred");
    assert_string_equal(item_of(d, r.key), "in_progress ");
}

/* ---- replay -------------------------------------------------------------------------------- */

static struct replay_result replay(struct desk *d, const char *key)
{
    struct replay_result out;

    must(d, d->l.people->replay(d->store, key, "ann", "again", d->now, &out, &d->err));
    return out;
}

static void O01_a_complete_item_runs_nothing_again(void **state)
{
    struct desk *d = *state;
    struct reservation r = ARRIVE(d, .id = "<a@x>", .uid = 1);

    pass(d, LEASE + 1);
    complete(d, RUN_A);
    struct replay_result out = replay(d, r.key);

    assert_true(out.was_complete);
    assert_int_equal(out.run_again, 0);
    assert_int_equal(out.proven_done, 3);
    assert_string_equal(item_of(d, r.key), "complete ");
    assert_string_equal(
        LOOK(d,
             "class || ' ' || CASE WHEN run IS NULL THEN 1 ELSE 0 END || won AS v FROM delivery"
             " WHERE folder = '' AND key = $1",
             r.key),
        "replayed 00");
    assert_string_equal(LOOK(d, "text AS v FROM note WHERE about LIKE 'delivery %'", NULL),
                        "ann: again");
    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN_A, 1);

    assert_int_equal(c.count, 0);
}

static void O08_what_is_done_or_in_doubt_is_left_alone(void **state)
{
    /* clang-format off */
    static const struct {
        const char *name;
        const char *ack, *item;
        unsigned again, done, doubt;
        const char *after, *item_after;
    } rows[] = {
        { "sent",       "done",     "in_progress ",                                 1, 2, 0, "done",     "in_progress " },
        { "in doubt",   "unknown",  "needs_reconciliation acknowledgement-unknown", 1, 1, 1, "unknown",  "in_progress " },
        { "under way",  "attempting", "in_progress ",                               1, 1, 1, "attempting", "in_progress " },
        { "refused",    "refused",  "in_progress ",                                 1, 2, 0, "refused",  "in_progress " },
        { "waiting",    "deferred", "in_progress ",                                 2, 1, 0, "deferred", "in_progress " },
        { "given up",   "deferred", "needs_reconciliation gave-up",                 1, 1, 0, "deferred", "in_progress " },
        { "not begun",  "planned",  "received ",                                    2, 1, 0, "planned",  "received " },
    };
    /* clang-format on */

    (void)state;
    FOR_EACH(row, rows) {
        static const char update[] = "UPDATE item SET state = $1, reason = $2";
        void *desk;

        open_desk(&desk);
        struct desk *d = desk;
        struct reservation r = ARRIVE(d, .id = "<a@x>", .uid = 1);
        CLEANUP(stmt_done) struct stmt *s = NULL;

        set_ack(d, row->ack);
        must(d, stmt_open(d->store->db, update, &s, &d->err));
        stmt_slice(s, 1, slice_cut(slice_z(row->item), 0, strcspn(row->item, " ")));
        stmt_text(s, 2, strchr(row->item, ' ') + 1);
        must(d, stmt_one(s, "it", &d->err));
        stmt_done(&s);
        struct replay_result out = replay(d, r.key);

        assert_false(out.was_complete);
        assert_int_equal(out.run_again, row->again);
        assert_int_equal(out.proven_done, row->done);
        assert_int_equal(out.in_doubt, row->doubt);
        assert_string_equal(ack_of(d, r.key), row->after);
        assert_string_equal(item_of(d, r.key), row->item_after);
        close_desk(&desk);
    }
}

static void a_replay_decides_nothing_about_held_mail(void **state)
{
    struct desk *d = *state;
    struct conflict c = conflicting(d);

    message_clear(&c.mail.message);
    struct replay_result out = replay(d, c.second.key);

    assert_int_equal(out.run_again, 0);
    assert_string_equal(item_of(d, c.second.key), "needs_reconciliation conflict");
    assert_int_equal(COUNT(d, "approval WHERE decision <> 'replay'", NULL), 0);
}

static void a_replay_needs_a_name_a_reason_and_an_item(void **state)
{
    struct desk *d = *state;
    struct replay_result out;
    struct reservation r = ARRIVE(d, .id = "<a@x>", .uid = 1);

    const struct {
        const char *name;
        struct replay_request request;
        enum rc rc;
    } rows[] = {
        {"no name", {.key = r.key, .by = "", .why = "x"}, RC_USAGE},
        {"no reason", {.key = r.key, .by = "x"}, RC_USAGE},
        {"no item", {.key = "none", .by = "x", .why = "x"}, RC_NOT_FOUND},
    };

    FOR_EACH(row, rows)
        assert_int_equal(d->l.operators->replay(d->store, &row->request, d->now, &out, &d->err),
                         row->rc);
    assert_int_equal(COUNT(d, "delivery WHERE class = 'replayed'", NULL), 0);
}

/* A command has entered no run. */
static void a_replay_by_a_command_has_no_run(void **state)
{
    struct desk *d = *state;
    struct reservation r = ARRIVE(d, .id = "<a@x>", .uid = 1);

    d->store->run[0] = '\0';
    replay(d, r.key);
    assert_int_equal(COUNT(d, "delivery WHERE class = 'replayed' AND run IS NULL", NULL), 1);
}

/* ---- pause --------------------------------------------------------------------------------- */

static void a_pause_stands_until_it_is_lifted(void **state)
{
    struct desk *d = *state;
    struct mailbox_record record;

    must(d, d->l.people->pause(d->store, "help", true, KIND(EFFECT_MOVE), "ann", "audit", d->now,
                               &d->err));
    must(d, d->l.mailboxes->load(d->store, "help", &record, &d->err));
    assert_true(record.paused);
    assert_int_equal(record.paused_effects, KIND(EFFECT_MOVE));
    assert_string_equal(LOOK(d, "text AS v FROM note", NULL), "ann: audit");
    must(d, d->l.people->pause(d->store, "help", false, 0, "ann", "over", d->now, &d->err));
    must(d, d->l.mailboxes->load(d->store, "help", &record, &d->err));
    assert_false(record.paused);
    assert_int_equal(COUNT(d, "event WHERE what IN ('pause', 'resume') AND actor = 'person'", NULL),
                     2);
    assert_int_equal(d->l.people->pause(d->store, "none", true, 0, "ann", "x", d->now, &d->err),
                     RC_NOT_FOUND);
    assert_int_equal(d->l.people->pause(d->store, "help", true, 0, "", "x", d->now, &d->err),
                     RC_USAGE);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(not_sent_is_taken_only_once_nothing_can_carry_it),
        AT_DESK(every_try_in_doubt_must_be_over),
        cmocka_unit_test(what_is_found_after_not_sent_and_before_it_is_sent_again_prevents_that),
        AT_DESK(O03_not_sent_sends_once_more),
        cmocka_unit_test(an_answer_moves_the_acknowledgement),
        AT_DESK(E01_what_was_found_meanwhile_is_a_conflict),
        AT_DESK(a_decision_says_who_and_why),
        AT_DESK(O06_without_a_name_or_a_reason_nothing_happens),
        AT_DESK(K05_of_two_people_the_second_hears_of_the_first),
        AT_DESK(an_item_that_is_not_there_is_not_found),
        cmocka_unit_test(O07_a_decision_is_taken_back_before_anything_left),
        AT_DESK(O07_a_decision_is_not_taken_back_after_something_left),
        AT_DESK(none_taken_back_goes_on_where_it_was),
        AT_DESK(what_may_have_left_at_once_is_not_taken_back),
        AT_DESK(O04_a_conflict_becomes_a_case_of_its_own),
        AT_DESK(what_is_always_done_is_said_with_the_decision_or_not_at_all),
        AT_DESK(what_is_always_done_already_is_as_good),
        AT_DESK(O04_a_conflict_is_appended_to_the_first_mails_case),
        AT_DESK(O04_a_conflict_is_dismissed_and_its_copy_filed),
        AT_DESK(a_dismissal_is_taken_back_before_the_copy_was_filed),
        AT_DESK(a_dismissal_is_not_taken_back_once_the_copy_may_have_moved),
        AT_DESK(a_case_made_of_a_conflict_is_not_taken_back),
        AT_DESK(held_mail_needs_its_original_to_become_a_case),
        cmocka_unit_test(held_mail_becomes_what_a_person_says),
        AT_DESK(a_reply_that_is_read_at_last_joins_its_case),
        AT_DESK(a_case_made_elsewhere_is_taken_for_this_mails),
        AT_DESK(a_case_not_made_elsewhere_is_made),
        AT_DESK(O01_a_complete_item_runs_nothing_again),
        cmocka_unit_test(O08_what_is_done_or_in_doubt_is_left_alone),
        AT_DESK(a_replay_decides_nothing_about_held_mail),
        AT_DESK(a_replay_needs_a_name_a_reason_and_an_item),
        AT_DESK(a_replay_by_a_command_has_no_run),
        AT_DESK(a_pause_stands_until_it_is_lifted),
    };

    return RUN_TESTS(tests);
}
