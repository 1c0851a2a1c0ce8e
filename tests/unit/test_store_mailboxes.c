/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports store blobs */
#include "mailboxes.h"
#include "store_testing.h"

#include <onecase/when.h>

static int open_store(void **state)
{
    *state = store_with_run();
    return 0;
}

static int close_store(void **state)
{
    struct store *store = *state;
    struct err err = ERR_INIT;

    assert_ok(store_check_chain(store, &err));
    store_close(&store);
    return 0;
}

static struct mailbox_record load(struct store *store)
{
    struct mailbox_record record;
    struct err err = ERR_INIT;

    assert_ok(store_ledger(store).mailboxes->load(store, "help", &record, &err));
    return record;
}

/* ---- the row ------------------------------------------------------------------------------- */

static void a_new_one_agrees_with_the_ledger(void **state)
{
    struct store *store = *state;
    struct mailbox_record record = load(store);

    assert_string_equal(record.id, "help");
    assert_int_equal(record.version, 0);
    assert_int_equal(record.generation, 1);
    assert_int_equal(record.import, IMPORT_NOT_ASKED);
    for (size_t i = 0; i < CIRCUIT_OF_COUNT; i++)
        assert_int_equal(record.circuit[i].state, CIRCUIT_CLOSED);
}

#define SAME(field) assert_true(a->field == b->field)

static void assert_same(const struct mailbox_record *a, const struct mailbox_record *b)
{
    SAME(version);
    SAME(uidvalidity);
    SAME(uidnext);
    SAME(processed_uidvalidity);
    SAME(processed_uidnext);
    SAME(import_uidvalidity);
    SAME(import_uidnext);
    SAME(import_before_ms);
    SAME(awaiting);
    SAME(backlog);
    SAME(difference);
    SAME(generation);
    SAME(rewind.uidvalidity);
    SAME(rewind.uidnext);
    SAME(rewind.at_ms);
    SAME(scanning);
    SAME(claimed);
    SAME(marked_event);
    SAME(last_success_ms);
    assert_string_equal(a->claim_owner, b->claim_owner);
    assert_string_equal(a->last_error, b->last_error);
}

static void what_is_saved_is_loaded(void **state)
{
    struct store *store = *state;
    struct err err = ERR_INIT;
    struct mailbox_record saved = load(store);

    saved.uidvalidity = 4000000000;
    saved.uidnext = 2;
    saved.processed_uidvalidity = 3;
    saved.processed_uidnext = 4;
    saved.import_uidvalidity = 5;
    saved.import_uidnext = 6;
    saved.import_before_ms = 7;
    saved.backlog = 9;
    saved.difference = 4;
    saved.rewind = (struct rewind){10, 11, 12345};
    saved.scanning = true;
    saved.claimed = true;
    snprintf(saved.claim_owner, sizeof saved.claim_owner, "another");
    saved.marked_event = 1;
    saved.last_success_ms = 13;
    snprintf(saved.last_error, sizeof saved.last_error, "imap: refused");
    assert_ok(store_ledger(store).mailboxes->save(store, &saved, at_ms(0), &err));
    assert_int_equal(saved.version, 1);

    struct mailbox_record loaded = load(store);

    assert_same(&loaded, &saved);
}

static struct quota seen_at(struct store *store, int64_t now_ms)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views views = store_views(store);
    struct err err = ERR_INIT;

    assert_ok(views.mailboxes(views.self, now_ms, &view, &err));
    assert_int_equal(view.count, 1);
    return ((const struct view_mailbox *)view.row)->quota;
}

static void a_quota_is_shown_for_a_day_and_is_no_change_of_the_record(void **state)
{
    struct store *store = *state;
    const struct quota quota = {INT64_C(10239999999998976), INT64_C(10239999999998976), 3, 4};
    const struct instant now = at_ms(1000);
    struct mailbox_record record = load(store);
    struct err err = ERR_INIT;

    assert_int_equal(seen_at(store, now.wall_ms).limit_octets, 0);
    assert_ok(store_ledger(store).mailboxes->note_quota(store, record.id, &quota, now, &err));
    struct quota seen = seen_at(store, now.wall_ms + DAYS(1));

    assert_memory_equal(&seen, &quota, sizeof quota);
    assert_int_equal(seen_at(store, now.wall_ms + DAYS(1) + 1).limit_octets, 0);
    assert_ok(store_ledger(store).mailboxes->save(store, &record, now, &err));
}

static void the_second_of_two_loads_again(void **state)
{
    struct store *store = *state;
    const struct ledger_mailboxes *mailboxes = store_ledger(store).mailboxes;
    struct err err = ERR_INIT;
    struct mailbox_record one = load(store);
    struct mailbox_record two = load(store);

    one.backlog = 1;
    two.backlog = 2;
    assert_ok(mailboxes->save(store, &one, at_ms(0), &err));
    assert_rc(mailboxes->save(store, &two, at_ms(0), &err), RC_CONFLICT);
    assert_int_equal(two.version, 0);
    assert_int_equal(load(store).backlog, 1);
    two = load(store);
    assert_ok(mailboxes->save(store, &two, at_ms(0), &err));
}

static void saving_leaves_what_has_ways_of_its_own(void **state)
{
    struct store *store = *state;
    struct err err = ERR_INIT;
    struct mailbox_record record = load(store);

    record.import = IMPORT_ADOPT;
    record.paused = true;
    record.circuit[CIRCUIT_SMTP].state = CIRCUIT_OPEN;
    record.streak.code = 554;
    assert_ok(store_ledger(store).mailboxes->save(store, &record, at_ms(0), &err));
    record = load(store);
    assert_int_equal(record.import, IMPORT_NOT_ASKED);
    assert_false(record.paused);
    assert_int_equal(record.circuit[CIRCUIT_SMTP].state, CIRCUIT_CLOSED);
    assert_int_equal(record.streak.code, 0);
}

static void assert_same_circuit(const struct circuit *a, const struct circuit *b)
{
    SAME(state);
    SAME(failures);
    SAME(since_ms);
    SAME(next_probe_ms);
    assert_string_equal(a->reason, b->reason);
}

static void circuits_and_streak_are_written_with_the_results(void **state)
{
    struct store *store = *state;
    CLEANUP(writing_end) struct writing w = WRITING_NONE;
    struct err err = ERR_INIT;
    struct mailbox_record record = load(store);

    record.circuit[CIRCUIT_SMTP] = (struct circuit){CIRCUIT_PROBING, 3, 4, 5, "MAIL 454"};
    record.circuit[CIRCUIT_IMAP] = (struct circuit){CIRCUIT_OPEN, 1, 2, 3, "login refused"};
    record.streak = (struct streak){554, 2, {"r1", "r2"}, {"k1", "k2"}};
    assert_ok(writing_begin(store, TEST_RUN, at_ms(0), &w, &err));
    assert_ok(circuits_write(&w, &record, &err));
    assert_ok(writing_finish(&w, &err));

    struct mailbox_record loaded = load(store);

    for (size_t i = 0; i < CIRCUIT_OF_COUNT; i++)
        assert_same_circuit(&loaded.circuit[i], &record.circuit[i]);
    assert_int_equal(loaded.streak.code, 554);
    assert_int_equal(loaded.streak.length, 2);
    assert_string_equal(loaded.streak.recipient[1], "r2");
    assert_string_equal(loaded.streak.effect[0], "k1");
    assert_string_equal(loaded.streak.effect[2], "");
}

static void renumbering_makes_old_deliveries_stale(void **state)
{
    struct store *store = *state;
    struct mailbox_record record = load(store);
    struct mailbox_record late = record;
    struct err err = ERR_INIT;

    item_by_hand(store);
    record.uidvalidity = 8;
    record.uidnext = 3;
    assert_ok(store_ledger(store).mailboxes->renumber(store, &record, "elsewhere", at_ms(0), &err));
    assert_int_equal(number_of(store, "SELECT stale AS n FROM delivery"), 0);
    assert_ok(store_ledger(store).mailboxes->renumber(store, &record, "INBOX", at_ms(0), &err));
    assert_int_equal(number_of(store, "SELECT stale AS n FROM delivery"), 1);
    assert_int_equal(load(store).uidvalidity, 8);
    assert_int_equal(load(store).numbering, 2);
    assert_rc(store_ledger(store).mailboxes->renumber(store, &late, "INBOX", at_ms(0), &err),
              RC_CONFLICT);
}

/* ---- the choice about mail from before ----------------------------------------------------- */

static void mail_that_waits_makes_the_choice_wait(void **state)
{
    struct store *store = *state;
    struct err err = ERR_INIT;
    struct mailbox_record record = load(store);

    record.awaiting = 3;
    assert_ok(store_ledger(store).mailboxes->save(store, &record, at_ms(0), &err));
    assert_int_equal(record.import, IMPORT_WAITING);
    assert_int_equal(load(store).import, IMPORT_WAITING);
}

static void a_choice_stands_and_says_so(void **state)
{
    struct store *store = *state;
    const struct ledger_mailboxes *mailboxes = store_ledger(store).mailboxes;
    struct err err = ERR_INIT;
    struct mailbox_record before = load(store);

    assert_ok(mailboxes->choose_import(store, "help", IMPORT_CASES, "ann", at_ms(0), &err));
    assert_int_equal(load(store).import, IMPORT_CASES);
    assert_rc(mailboxes->choose_import(store, "help", IMPORT_ADOPT, "bob", at_ms(0), &err),
              RC_CONFLICT);
    assert_says("'cases' was chosen");
    assert_rc(mailboxes->save(store, &before, at_ms(0), &err), RC_CONFLICT);
    assert_text(store, "SELECT text AS t FROM note", "ann: cases");
    assert_int_equal(number_of(store, "SELECT COUNT(*) AS n FROM event WHERE what = 'first-import'"
                                      " AND actor = 'person'"),
                     1);
}

static void a_choice_needs_a_name_a_mailbox_and_is_one_of_three(void **state)
{
    static const struct {
        const char *name;
        const char *mailbox;
        enum import_choice choice;
        const char *by;
        enum rc rc;
    } rows[] = {
        {"no name", "help", IMPORT_FULL, "", RC_USAGE},
        {"nobody", "help", IMPORT_FULL, NULL, RC_USAGE},
        {"no choice", "help", IMPORT_NOT_ASKED, "ann", RC_USAGE},
        {"waiting is none", "help", IMPORT_WAITING, "ann", RC_USAGE},
        {"no such mailbox", "halp", IMPORT_FULL, "ann", RC_NOT_FOUND},
    };
    struct store *store = *state;
    struct err err = ERR_INIT;

    FOR_EACH(row, rows)
        assert_rc(store_ledger(store).mailboxes->choose_import(store, row->mailbox, row->choice,
                                                               row->by, at_ms(0), &err),
                  row->rc);
    assert_int_equal(load(store).import, IMPORT_NOT_ASKED);
}

/* ---- a ledger that went back in time ------------------------------------------------------- */

/* clang-format off */
static const struct {
    const char *name;
    const char *status;
    const char *state, *reason;
    const char *now, *item_now;
    int64_t lost;    /* attempts that are lost, armed now */
} doubted[] = {
    { "L09 planned: it may have been sent",   "planned",    "in_progress", "", "unknown", "in_progress ", 1 },
    { "L09 deferred",                         "deferred",   "in_progress", "", "unknown", "in_progress ", 1 },
    { "L09 under way",                        "attempting", "in_progress", "", "unknown", "in_progress ", 1 },
    { "L09 in doubt already",                 "unknown",    "needs_reconciliation", "acknowledgement-unknown",
                                              "unknown", "needs_reconciliation acknowledgement-unknown", 1 },
    { "L09 given up: asked another question", "deferred",   "needs_reconciliation", "gave-up",
                                              "unknown", "needs_reconciliation acknowledgement-unknown", 1 },
    { "L09 another question stays",           "planned",    "needs_reconciliation", "file-differs",
                                              "unknown", "needs_reconciliation file-differs", 1 },
    { "L09 done stays done",                  "done",       "complete", "", "done", "complete ", 0 },
    { "L09 skipped stays skipped",            "skipped",    "complete", "", "skipped", "complete ", 0 },
    { "L09 refused stays refused",            "refused",    "complete", "", "refused", "complete ", 0 },
};
/* clang-format on */

static void put(struct store *store, const char *sql, const char *one, const char *two)
{
    CLEANUP(stmt_done) struct stmt *s = NULL;
    struct err err = ERR_INIT;

    assert_ok(stmt_open(store->db, sql, &s, &err));
    stmt_text(s, 1, one);
    if (two != NULL)
        stmt_text(s, 2, two);
    assert_ok(stmt_run(s, NULL, &err));
}

static void prepare(struct store *store, const char *status, const char *state, const char *reason)
{
    static const char effect[] = "UPDATE effect SET status = $1 WHERE id = 1";
    static const char item[] = "UPDATE item SET state = $1, reason = $2";
    static const char armed[] =
        "INSERT INTO attempt (effect, number, run, phase, outcome, started_at,"
        " armed_at) SELECT 1, 1, $1, CASE status WHEN 'unknown' THEN 'lost'"
        " ELSE 'armed' END, CASE status WHEN 'unknown' THEN 'unknown' ELSE '' END,"
        " 1, 1 FROM effect WHERE id = 1 AND status IN ('attempting', 'unknown')";

    item_by_hand(store);
    put(store, effect, status, NULL);
    put(store, item, state, reason);
    put(store, armed, TEST_RUN, NULL);
    by_hand(store, "UPDATE effect SET attempts = (SELECT COUNT(*) FROM attempt) WHERE id = 1");
}

static void L09_every_acknowledgement_not_settled_is_in_doubt_from_now_on(void **state)
{
    (void)state;
    FOR_EACH(row, doubted) {
        CLEANUP(store_close) struct store *store = store_with_run();
        struct mailbox_record record = load(store);
        struct err err = ERR_INIT;

        prepare(store, row->status, row->state, row->reason);
        assert_ok(store_ledger(store).mailboxes->rewind(store, &record, at_ms(900), &err));
        assert_text(store, "SELECT status AS t FROM effect WHERE id = 1", row->now);
        assert_text(store, "SELECT state || ' ' || reason AS t FROM item", row->item_now);
        assert_int_equal(number_of(store,
                                   "SELECT COUNT(*) AS n FROM attempt WHERE phase = 'lost'"
                                   " AND armed_at = 1767225600900 AND connection_closed = 1"),
                         row->lost);
        assert_int_equal(
            number_of(store, "SELECT COUNT(*) AS n FROM attempt WHERE phase = 'armed'"), 0);
        assert_int_equal(
            number_of(store, "SELECT attempts = (SELECT COALESCE(MAX(number), 0) FROM attempt)"
                             " AS n FROM effect WHERE id = 1"),
            1);
        assert_text(store, "SELECT status AS t FROM effect WHERE id = 2", "planned");
        assert_ok(store_check_chain(store, &err));
    }
}

static void L09_what_would_have_been_told_is_what_is_looked_for(void **state)
{
    static const struct {
        const char *name;
        const char *refused;
        const char *told;
    } rows[] = {
        {"everything was stored", "stored", "accepted"},
        {"one attachment was refused", "refused", "accepted_with_exceptions"},
    };

    (void)state;
    FOR_EACH(row, rows) {
        static const char attachment[] = "INSERT INTO attachment (key, number, part, name, "
                                         "stored_name, type, size, sha256, status)"
                                         " VALUES ($2, 1, 1, 'a', '01-a', 'x/y', 1, '', $1)";
        CLEANUP(store_close) struct store *store = store_with_run();
        struct mailbox_record record = load(store);
        struct err err = ERR_INIT;

        item_by_hand(store);
        put(store, attachment, row->refused, KEY_A);
        assert_ok(store_ledger(store).mailboxes->rewind(store, &record, at_ms(900), &err));
        assert_text(store, "SELECT target AS t FROM effect WHERE id = 1", row->told);
        assert_text(store, "SELECT completion AS t FROM item", row->told);
        assert_int_equal(number_of(store, "SELECT length(ack_id) AS n FROM effect WHERE id = 1"),
                         32);
    }
}

static void L09_the_generation_rises_once_for_all_mailboxes(void **state)
{
    struct store *store = *state;
    const struct ledger_mailboxes *mailboxes = store_ledger(store).mailboxes;
    struct mailbox_record help = load(store);
    struct mailbox_record sales;
    struct ledger_facts facts;
    struct err err = ERR_INIT;

    assert_ok(mailboxes->load(store, "sales", &sales, &err));
    assert_ok(mailboxes->rewind(store, &help, at_ms(1), &err));
    assert_int_equal(help.generation, 2);
    assert_int_equal(help.version, 1);
    assert_int_equal(sales.generation, 1);
    assert_ok(mailboxes->rewind(store, &sales, at_ms(2), &err));
    assert_int_equal(sales.generation, 2);
    assert_ok(store_ledger(store).runs->facts(store, &facts, &err));
    assert_int_equal(facts.generation, 2);
    assert_ok(mailboxes->rewind(store, &help, at_ms(3), &err));
    assert_int_equal(help.generation, 3);
}

static void a_rewind_of_an_old_record_is_a_conflict_and_changes_nothing(void **state)
{
    struct store *store = *state;
    struct mailbox_record old = load(store);
    struct mailbox_record record = old;
    struct ledger_facts facts;
    struct err err = ERR_INIT;

    assert_ok(store_ledger(store).mailboxes->save(store, &record, at_ms(0), &err));
    assert_rc(store_ledger(store).mailboxes->rewind(store, &old, at_ms(1), &err), RC_CONFLICT);
    assert_int_equal(old.generation, 1);
    assert_ok(store_ledger(store).runs->facts(store, &facts, &err));
    assert_int_equal(facts.generation, 1);
}

#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, open_store, close_store)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        WITH_STORE(a_new_one_agrees_with_the_ledger),
        WITH_STORE(what_is_saved_is_loaded),
        WITH_STORE(a_quota_is_shown_for_a_day_and_is_no_change_of_the_record),
        WITH_STORE(the_second_of_two_loads_again),
        WITH_STORE(saving_leaves_what_has_ways_of_its_own),
        WITH_STORE(circuits_and_streak_are_written_with_the_results),
        WITH_STORE(renumbering_makes_old_deliveries_stale),
        WITH_STORE(mail_that_waits_makes_the_choice_wait),
        WITH_STORE(a_choice_stands_and_says_so),
        WITH_STORE(a_choice_needs_a_name_a_mailbox_and_is_one_of_three),
        cmocka_unit_test(L09_every_acknowledgement_not_settled_is_in_doubt_from_now_on),
        cmocka_unit_test(L09_what_would_have_been_told_is_what_is_looked_for),
        WITH_STORE(L09_the_generation_rises_once_for_all_mailboxes),
        WITH_STORE(a_rewind_of_an_old_record_is_a_conflict_and_changes_nothing),
    };

    return RUN_TESTS(tests);
}
