/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports store blobs */
#include "store_fixture.h"

static struct replay_result result;

static enum rc replay(struct desk *d, const struct replay_request *request)
{
    return d->l.operators->replay(d->store, request, d->now, &result, &d->err);
}

#define REPLAY(d, ...)                                                                             \
    replay((d), &(struct replay_request){.by = "ann", .why = "again", __VA_ARGS__})

static const char *ack_of(struct desk *d, const char *key)
{
    return LOOK(d, "status AS v FROM effect WHERE kind = 'acknowledgement' AND key = $1", key);
}

static const char *item_of(struct desk *d, const char *key)
{
    return LOOK(d, "state || ' ' || reason AS v FROM item WHERE key = $1", key);
}

/* A complete item. */
static struct reservation completed(struct desk *d, const char *id, uint32_t uid)
{
    struct reservation r = ARRIVE(d, .id = id, .uid = uid, .text = id, .subject = id);

    pass(d, LEASE + 1);
    complete(d, RUN_A);
    return r;
}

/* ---- replay -------------------------------------------------------------------------------- */

static void a_plan_is_done_as_it_was_shown_or_not_at_all(void **state)
{
    struct desk *d = *state;
    struct reservation r = ARRIVE(d, .id = "<a@x>", .uid = 1);
    struct replay_result plan, again;

    must(d, d->l.operators->replay_plan(d->store, r.key, false, false, &plan, &d->err));
    must(d, d->l.operators->replay_plan(d->store, r.key, false, false, &again, &d->err));
    assert_string_equal(plan.plan, again.plan);
    assert_int_equal(plan.run_again, 2);
    must(d, d->l.operators->replay_plan(d->store, r.key, true, false, &again, &d->err));
    assert_string_not_equal(plan.plan, again.plan);
    scene(d, "UPDATE effect SET status = 'unknown' WHERE kind = 'acknowledgement'");
    assert_int_equal(REPLAY(d, .key = r.key, .plan = plan.plan), RC_CONFLICT);
    assert_int_equal(COUNT(d, "delivery WHERE class = 'replayed'", NULL), 0);
    assert_int_equal(COUNT(d, "approval", NULL), 0);
    must(d, d->l.operators->replay_plan(d->store, r.key, false, false, &plan, &d->err));
    must(d, REPLAY(d, .key = r.key, .plan = plan.plan));
    assert_int_equal(result.in_doubt, 1);
}

/* clang-format off */
static const struct {
    const char *name, *status;
    bool resend;
    const char *after;
} letters[] = {
    { "O08 done",                      "done",     true,  "done"    },
    { "O08 not known",                 "unknown",  true,  "unknown" },
    { "refused",                       "refused",  false, "refused" },
    { "skipped",                       "skipped",  false, "skipped" },
    { "refused, and a person says so", "refused",  true,  "planned" },
    { "skipped, and a person says so", "skipped",  true,  "planned" },
};
/* clang-format on */

static void O08_only_what_was_surely_not_sent_is_sent_and_only_where_a_person_says_so(void **state)
{
    (void)state;
    FOR_EACH(row, letters) {
        void *desk;

        open_desk(&desk);
        struct desk *d = desk;
        struct reservation r = completed(d, "<a@x>", 1);
        static const char update[] = "UPDATE effect SET status = $1 WHERE kind = 'acknowledgement'";
        {
            CLEANUP(stmt_done) struct stmt *s = NULL;

            must(d, stmt_open(d->store->db, update, &s, &d->err));
            stmt_text(s, 1, row->status);
            must(d, stmt_one(s, "it", &d->err));
        }
        must(d, REPLAY(d, .key = r.key, .resend = row->resend));
        assert_string_equal(ack_of(d, r.key), row->after);
        bool again = strcmp(row->after, "planned") == 0;

        assert_int_equal(result.run_again, again);
        assert_string_equal(item_of(d, r.key), again ? "in_progress " : "complete ");
        close_desk(&desk);
    }
}

static struct bulk begin(struct desk *d, const char (*key)[KEY_SIZE], size_t keys)
{
    const struct bulk_request request = {
        .selection = "all", .by = "ann", .why = "the disk", .key = key, .keys = keys};
    struct bulk bulk;

    must(d, d->l.operators->bulk_begin(d->store, &request, d->now, &bulk, &d->err));
    return bulk;
}

static void O05_a_replay_of_many_goes_on_where_it_was_interrupted(void **state)
{
    struct desk *d = *state;
    char key[3][KEY_SIZE];
    const char *const ids[] = {"<a@x>", "<b@x>", "<c@x>"};
    struct bulk bulk, found;

    for (uint32_t i = 0; i < 3; i++)
        memcpy(key[i], completed(d, ids[i], i + 1).key, KEY_SIZE);
    bulk = begin(d, (const char(*)[KEY_SIZE])key, 3);
    assert_int_equal(bulk.all, 3);
    must(d, d->l.operators->bulk_next(d->store, &bulk, d->now, &result, &d->err));
    must(d, d->l.operators->bulk_find(d->store, "all", &found, &d->err));
    assert_int_equal(found.id, bulk.id);
    assert_int_equal(found.done, 1);
    assert_string_equal(found.by, "ann");
    assert_int_equal(d->l.operators->bulk_find(d->store, "others", &found, &d->err), RC_NOT_FOUND);
    must(d, d->l.operators->bulk_next(d->store, &bulk, d->now, &result, &d->err));
    must(d, d->l.operators->bulk_next(d->store, &bulk, d->now, &result, &d->err));
    assert_int_equal(d->l.operators->bulk_next(d->store, &bulk, d->now, &result, &d->err),
                     RC_NOT_FOUND);
    assert_int_equal(d->l.operators->bulk_find(d->store, "all", &found, &d->err), RC_NOT_FOUND);
    assert_int_equal(COUNT(d, "delivery WHERE class = 'replayed'", NULL), 3);
    assert_int_equal(COUNT(d, "note WHERE text = 'the disk'", NULL), 4);
    assert_int_equal(begin(d, (const char(*)[KEY_SIZE])key, 1).all, 1);
}

static void of_two_replays_of_the_same_mails_one_is_begun(void **state)
{
    struct desk *d = *state;
    char key[1][KEY_SIZE];
    struct bulk bulk;

    memcpy(key[0], completed(d, "<a@x>", 1).key, KEY_SIZE);
    const struct bulk_request request = {.selection = "all",
                                         .by = "ann",
                                         .why = "x",
                                         .key = (const char(*)[KEY_SIZE])key,
                                         .keys = 1};

    begin(d, (const char(*)[KEY_SIZE])key, 1);
    assert_int_equal(d->l.operators->bulk_begin(d->store, &request, d->now, &bulk, &d->err),
                     RC_CONFLICT);
}

/* ---- two persons --------------------------------------------------------------------------- */

static enum rc propose(struct desk *d, const char *account, bool approve, struct proposal *out)
{
    const struct proposal_request request = {.subject = "resolve it",
                                             .key = "",
                                             .by = account,
                                             .account = account,
                                             .why = "x",
                                             .approve = approve};

    return d->l.operators->propose(d->store, &request, d->now, out, &d->err);
}

static void a_proposal_is_approved_by_another_account_only_and_once(void **state)
{
    struct desk *d = *state;
    struct proposal p;

    assert_int_equal(propose(d, "bob", true, &p), RC_NOT_FOUND);
    must(d, propose(d, "ann", false, &p));
    assert_int_equal(p.proposed, PROPOSED_NOW);
    must(d, propose(d, "ann", true, &p));
    assert_int_equal(p.proposed, PROPOSED_BY_YOURSELF);
    must(d, propose(d, "bob", false, &p));
    assert_int_equal(p.proposed, PROPOSED_BEFORE);
    assert_string_equal(p.by, "ann");
    must(d, propose(d, "bob", true, &p));
    assert_int_equal(p.proposed, PROPOSED_APPROVED);
    assert_string_equal(p.by, "ann");
    assert_int_equal(propose(d, "bob", true, &p), RC_NOT_FOUND);
}

/* ---- the others like it -------------------------------------------------------------------- */

static size_t alike(struct desk *d, const char *key, const char *but)
{
    CLEANUP(view_clear) struct view view = {0};
    struct views views = store_views(d->store);

    must(d, views.alike(views.self, key, &view, &d->err));
    const struct view_named *row = view.row;

    for (size_t i = 0; i < view.count; i++)
        assert_string_not_equal(row[i].key, but);
    return view.count;
}

static struct reservation unreadable(struct desk *d, const char *run, const char *id, uint32_t uid)
{
    return arrive(d, run, &(struct mail){.id = id, .uid = uid, .text = id, .unreadable = true});
}

static void alike_is_what_waits_for_the_same_and_broke_in_the_same_minute_or_run(void **state)
{
    struct desk *d = *state;
    struct reservation first = unreadable(d, RUN_A, "<a@x>", 1);

    unreadable(d, RUN_B, "<b@x>", 2); /* the same minute */
    ARRIVE(d, .id = "<other@x>", .uid = 3, .text = "waits for nobody");
    pass(d, MINUTES(2));
    unreadable(d, RUN_A, "<c@x>", 4); /* the same run */
    struct reservation far = unreadable(d, RUN_B, "<d@x>", 5);

    assert_int_equal(alike(d, first.key, far.key), 2);
    scene(d, "UPDATE item SET reason = 'case-flood' WHERE message_id = CAST('<b@x>' AS BLOB)");
    assert_int_equal(alike(d, first.key, far.key), 1);
    scene(d, "UPDATE item SET reason = '', state = 'complete', next_due = NULL, lease_run = NULL,"
             " lease_boot = NULL WHERE message_id = CAST('<a@x>' AS BLOB)");
    assert_int_equal(alike(d, first.key, far.key), 0);
}

/* ---- cases --------------------------------------------------------------------------------- */

static struct case_result acted;

static enum rc act(struct desk *d, enum case_act what, const char *reference, const char *into)
{
    const struct case_request request = {.act = what,
                                         .reference = reference,
                                         .into = into,
                                         .tells = true,
                                         .by = "ann",
                                         .why = "over"};

    return d->l.operators->case_act(d->store, &request, d->now, &acted, &d->err);
}

static void a_closing_is_told_once_in_the_life_of_a_case(void **state)
{
    struct desk *d = *state;
    struct reservation r = completed(d, "<a@x>", 1);

    must(d, act(d, CASE_CLOSE, r.reference, NULL));
    assert_true(acted.told);
    assert_string_equal(item_of(d, r.key), "in_progress ");
    assert_int_equal(act(d, CASE_CLOSE, r.reference, NULL), RC_CONFLICT);
    must(d, act(d, CASE_REOPEN, r.reference, NULL));
    assert_int_equal(COUNT(d, "effect WHERE target = 'closed' AND status = 'skipped'", NULL), 1);
    must(d, act(d, CASE_CLOSE, r.reference, NULL));
    assert_false(acted.told);
    assert_int_equal(COUNT(d, "effect WHERE target = 'closed'", NULL), 1);
    assert_int_equal(COUNT(d, "approval WHERE undone_at = decided_at", NULL), 3);
    assert_int_equal(act(d, CASE_CLOSE, "HD-0", NULL), RC_NOT_FOUND);
}

static void a_closing_is_not_told_to_who_was_not_to_be_told(void **state)
{
    struct desk *d = *state;
    struct reservation r = completed(d, "<a@x>", 1);

    scene(d, "UPDATE effect SET status = 'skipped', reason = 'list'"
             " WHERE kind = 'acknowledgement'");
    must(d, act(d, CASE_CLOSE, r.reference, NULL));
    assert_false(acted.told);
    assert_string_equal(LOOK(d, "reason AS v FROM effect WHERE target = 'closed'", NULL), "list");
    assert_string_equal(item_of(d, r.key), "complete ");
}

static void a_merge_makes_no_circle(void **state)
{
    struct desk *d = *state;
    struct reservation a = completed(d, "<a@x>", 1), b = completed(d, "<b@x>", 2),
                       c = completed(d, "<c@x>", 3);

    must(d, act(d, CASE_MERGE, a.reference, b.reference));
    assert_int_equal(act(d, CASE_MERGE, a.reference, c.reference), RC_CONFLICT);
    assert_int_equal(act(d, CASE_MERGE, b.reference, a.reference), RC_CONFLICT);
    assert_int_equal(act(d, CASE_MERGE, b.reference, c.reference), RC_CONFLICT);
    assert_int_equal(act(d, CASE_MERGE, c.reference, a.reference), RC_CONFLICT);
    assert_int_equal(act(d, CASE_MERGE, c.reference, c.reference), RC_USAGE);
    must(d, act(d, CASE_MERGE, c.reference, b.reference));
    must(d, act(d, CASE_UNMERGE, a.reference, NULL));
    assert_int_equal(COUNT(d, "case_record WHERE state = 'open'", NULL), 2);
    assert_int_equal(COUNT(d, "case_link WHERE kind = 'merge'", NULL), 2);
}

/* ---- boundaries ---------------------------------------------------------------------------- */

static struct view_duplicates report(struct desk *d)
{
    CLEANUP(view_clear) struct view view = {0};
    struct views views = store_views(d->store);

    must(d, views.duplicates(views.self, 0, INT64_MAX, &view, &d->err));
    return *(const struct view_duplicates *)view.row;
}

/* A letter that RUN_A armed, and what became of it. */
static struct reservation armed(struct desk *d)
{
    struct reservation r = ARRIVE(d, .id = "<a@x>", .uid = 1);

    pass(d, LEASE + 1);
    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN_A, 1);
    COMMIT(d, RUN_A, arm(c.item, effect_in(c.item, EFFECT_ACKNOWLEDGEMENT)));
    return r;
}

static void what_a_lost_answer_would_have_doubled_is_a_retry(void **state)
{
    struct desk *d = *state;
    struct reservation r = ARRIVE(d, .id = "<a@x>", .uid = 1);

    pass(d, LEASE + 1);
    CLEANUP(claimed_clear) struct claimed c = claim(d, RUN_A, 1);
    struct work_effect *ack = effect_in(c.item, EFFECT_ACKNOWLEDGEMENT);
    struct change lost = ended(c.item, ack, OUTCOME_UNKNOWN);

    lost.effect.closed = true;
    COMMIT(d, RUN_A, arm(c.item, ack), lost);
    must(d, REPLAY(d, .key = r.key));
    const struct view_duplicates v = report(d);

    assert_int_equal(v.acknowledgements_withheld, 1);
    assert_int_equal(v.by_retry, 1);
    assert_int_equal(v.by_replay, 1);
    assert_int_equal(v.by_concurrent_run + v.by_other_deployment + v.by_delivery, 0);
}

static void what_a_dead_run_left_is_a_retry_and_what_a_live_one_left_is_two_runs(void **state)
{
    (void)state;
    for (int dead = 0; dead < 2; dead++) {
        void *desk;

        open_desk(&desk);
        struct desk *d = desk;

        armed(d);
        if (dead)
            must(d, d->l.runs->bury(d->store, RUN_A, RUN_B, d->now, &d->err));
        pass(d, LEASE + 1);
        CLEANUP(claimed_clear) struct claimed c = claim(d, RUN_B, 1);
        assert_int_equal(c.count, 1);
        const struct view_duplicates v = report(d);

        assert_int_equal(v.by_retry, dead);
        assert_int_equal(v.by_concurrent_run, !dead);
        close_desk(&desk);
    }
}

static void what_a_forgotten_ledger_may_have_sent_is_another_installation(void **state)
{
    struct desk *d = *state;
    struct mailbox_record record;

    ARRIVE(d, .id = "<a@x>", .uid = 1);
    must(d, d->l.mailboxes->load(d->store, "help", &record, &d->err));
    must(d, d->l.mailboxes->rewind(d->store, &record, d->now, &d->err));
    const struct view_duplicates v = report(d);

    assert_int_equal(v.by_other_deployment, 1);
    assert_int_equal(v.by_retry + v.by_concurrent_run, 0);
}

static void what_arrived_twice_counts_by_its_arrival(void **state)
{
    struct desk *d = *state;

    completed(d, "<a@x>", 1);
    ARRIVE(d, .id = "<a@x>", .uid = 2, .text = "<a@x>", .subject = "<a@x>", .transport = "again");
    const struct view_duplicates v = report(d);

    assert_int_equal(v.by_delivery, 1);
    assert_int_equal(v.cases_prevented, 1);
}

/* ---- of many, lists and programs are left alone ------------------------------------------------ */

static void of_many_none_that_answers_a_list_or_a_program_is_sent(void **state)
{
    static const struct {
        const char *name;
        bool left;
    } rows[] = {
        {"list", true},   {"bulk", true},      {"auto-submitted", true},   {"suppress", true},
        {"report", true}, {"null-path", true}, {"own-address", true},      {"no-reply", true},
        {"staff", false}, {"too-old", false},  {"recipient-limit", false}, {"from-before", false},
    };

    (void)state;
    FOR_EACH(row, rows) {
        void *desk;
        char sql[200];
        struct replay_result alone, many;

        open_desk(&desk);
        struct desk *d = desk;
        struct reservation r = completed(d, "<a@x>", 1);

        snprintf(
            sql, sizeof sql,
            "UPDATE effect SET status = 'skipped', reason = '%s' WHERE kind = 'acknowledgement'",
            row->name);
        scene(d, sql);
        must(d, d->l.operators->replay_plan(d->store, r.key, true, false, &alone, &d->err));
        must(d, d->l.operators->replay_plan(d->store, r.key, true, true, &many, &d->err));
        assert_int_equal(alone.run_again, 1);
        assert_int_equal(alone.of_programs, 0);
        assert_int_equal(many.run_again, !row->left);
        assert_int_equal(many.of_programs, row->left);
        must(d, REPLAY(d, .key = r.key, .resend = true, .many = true));
        assert_string_equal(ack_of(d, r.key), row->left ? "skipped" : "planned");
        close_desk(&desk);
    }
}

/* ---- notes ----------------------------------------------------------------------------------- */

static void a_note_stands_with_its_mail_and_changes_nothing_else(void **state)
{
    struct desk *d = *state;
    struct reservation r = ARRIVE(d, .id = "<n1@x>", .uid = 1);
    CLEANUP(view_clear) struct view view = {0};
    struct views v = store_views(d->store);
    struct err err = ERR_INIT;

    must(d, d->l.operators->note(d->store, r.key, "ann", "asked Bob", d->now, &d->err));
    must(d, v.item(v.self, r.key, &view, &d->err));

    const struct view_item *item = view.row;

    assert_int_equal(item->note_count, 1);
    assert_string_equal(item->note[0].text, "ann: asked Bob");
    assert_string_equal(item->state, "received");
    assert_string_equal(item->text, "It has jammed.");
    assert_int_equal(d->l.operators->note(d->store, "none", "ann", "x", d->now, &err),
                     RC_NOT_FOUND);
    assert_int_equal(d->l.operators->note(d->store, r.key, " ", "x", d->now, &err), RC_USAGE);
    assert_int_equal(d->l.operators->note(d->store, r.key, "ann", "\n", d->now, &err), RC_USAGE);
}

/* A letter in doubt that a person said was not sent, and that was sent again an hour later. */
static void sent_again(struct desk *d)
{
    armed(d);
    must(d, d->l.runs->bury(d->store, RUN_A, RUN_B, d->now, &d->err));
    scene(d, "UPDATE attempt SET phase = 'lost', outcome = 'unknown', ended_at = started_at");
    scene(
        d,
        "INSERT INTO attempt (effect, number, run, phase, outcome, started_at, armed_at, ended_at)"
        " SELECT effect, 2, run, 'ended', 'done', started_at + 3600000, started_at + 3600000,"
        " started_at + 3600000 FROM attempt");
    scene(d, "UPDATE effect SET status = 'done', attempts = 2 WHERE kind = 'acknowledgement'");
}

static void a_double_is_one_only_where_the_first_went_out_for_sure(void **state)
{
    static const struct {
        const char *name, *evidence;
        int64_t doubles;
    } rows[] = {
        {"nothing found", "", 0},
        {"a copy, of one of the two", "('blind-copy', 'Sent:1:1', 7200000)", 0},
        {"two copies", "('blind-copy', 'Sent:1:1', 7200000), ('blind-copy', 'Sent:1:2', 7200001)",
         1},
        {"a report about one of the two", "('delivery-report', 'INBOX:1:1', 7200000)", 0},
        {"the server's late word", "('late-reply', 'reply 250', 7200000)", 1},
        {"a copy from before the second", "('blind-copy', 'Sent:1:1', 1800000)", 1},
    };

    (void)state;
    FOR_EACH(row, rows) {
        void *desk;
        char sql[600];

        open_desk(&desk);
        struct desk *d = desk;

        sent_again(d);
        snprintf(
            sql, sizeof sql,
            "WITH found (kind, place, after) AS (VALUES %s) INSERT INTO evidence"
            " (key, effect, kind, found, place, run, seen_at) SELECT effect.key, effect.id,"
            " found.kind, 1, found.place, 'r', attempt.started_at + found.after FROM found, effect"
            " JOIN attempt ON attempt.effect = effect.id AND attempt.number = 1",
            row->evidence);
        if (row->evidence[0])
            scene(d, sql);
        assert_int_equal(report(d).doubles, row->doubles);
        close_desk(&desk);
    }
}

/* ---- what is kept aside ---------------------------------------------------------------------- */

static size_t to_keep_aside(struct desk *d)
{
    CLEANUP(mem_free) struct held_message *message = NULL;
    size_t count;

    must(d, d->l.operators->held(d->store, "help", "INBOX", true, &message, &count, &d->err));
    return count;
}

/* A run that stood still may ask when all is over. */
static void k03_nothing_is_to_be_kept_aside_once_the_pause_is_over(void **state)
{
    struct desk *d = *state;

    must(d, d->l.people->pause(d->store, "help", true, 0, "ann", "why", d->now, &d->err));
    must(d, d->l.operators->hold(d->store, "help", "Aside", "ann", "why", d->now, &d->err));
    (void)ARRIVE(d, .id = "<a@x>", .uid = 1);
    assert_int_equal(to_keep_aside(d), 1);
    must(d, d->l.people->pause(d->store, "help", false, 0, "ann", "why", d->now, &d->err));
    assert_int_equal(to_keep_aside(d), 0);
    must(d, d->l.operators->hold_over(d->store, "help", d->now, &d->err));
    assert_int_equal(to_keep_aside(d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_many_none_that_answers_a_list_or_a_program_is_sent),
        AT_DESK(a_note_stands_with_its_mail_and_changes_nothing_else),
        cmocka_unit_test(a_double_is_one_only_where_the_first_went_out_for_sure),
        AT_DESK(a_plan_is_done_as_it_was_shown_or_not_at_all),
        cmocka_unit_test(O08_only_what_was_surely_not_sent_is_sent_and_only_where_a_person_says_so),
        AT_DESK(O05_a_replay_of_many_goes_on_where_it_was_interrupted),
        AT_DESK(of_two_replays_of_the_same_mails_one_is_begun),
        AT_DESK(a_proposal_is_approved_by_another_account_only_and_once),
        AT_DESK(alike_is_what_waits_for_the_same_and_broke_in_the_same_minute_or_run),
        AT_DESK(a_closing_is_told_once_in_the_life_of_a_case),
        AT_DESK(a_closing_is_not_told_to_who_was_not_to_be_told),
        AT_DESK(a_merge_makes_no_circle),
        AT_DESK(what_a_lost_answer_would_have_doubled_is_a_retry),
        cmocka_unit_test(what_a_dead_run_left_is_a_retry_and_what_a_live_one_left_is_two_runs),
        AT_DESK(what_a_forgotten_ledger_may_have_sent_is_another_installation),
        AT_DESK(what_arrived_twice_counts_by_its_arrival),
        AT_DESK(k03_nothing_is_to_be_kept_aside_once_the_pause_is_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
