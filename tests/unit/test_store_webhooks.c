/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports store blobs */
#include "store_fixture.h"

static const struct webhook_wish all = {.name = "chat", .events = (1u << WEBHOOK_EVENT_COUNT) - 1};

static void enlist(struct desk *d, const char *const *name, size_t names)
{
    must(d, d->l.webhooks->enlist(d->store, name, names, d->now, &d->err));
}

static void enlist_chat(struct desk *d)
{
    enlist(d, (const char *const[]){"chat"}, 1);
}

static void derive(struct desk *d, const struct webhook_wish *wish)
{
    bool more = true;

    while (more)
        must(d, d->l.webhooks->derive(d->store, wish, d->now, &more, &d->err));
}

static enum rc next_for(struct desk *d, const char *by, struct webhook_post *post, int64_t *wake_ms)
{
    const struct webhook_hold hold = {"chat", by, d->now.wall_ms + SECONDS(30)};

    webhook_post_clear(post);
    return d->l.webhooks->next(d->store, &hold, d->now, post, wake_ms, &d->err);
}

static enum rc next(struct desk *d, struct webhook_post *post, int64_t *wake_ms)
{
    return next_for(d, "here", post, wake_ms);
}

/* What comes of a try; a failure holds up the post and its webhook for so long. */
static void
tried(struct desk *d, const struct webhook_post *post, enum post_event on, int64_t pause_ms)
{
    const struct webhook_try t = {
        .post = post,
        .on = on,
        .why = on == POST_ON_TAKEN ? "" : "it fell over",
        .due_ms = d->now.wall_ms + pause_ms,
        .webhook_due_ms = on == POST_ON_LATER ? d->now.wall_ms + pause_ms / 2 : NOT_DUE};

    must(d, d->l.webhooks->tried(d->store, &t, d->now, &d->err));
}

static int64_t replayed(struct desk *d, const char *webhook)
{
    const struct webhook_replay r = {.webhook = webhook, .by = "ann", .why = "mended"};
    int64_t count = 0;
    enum rc rc = d->l.webhooks->replay(d->store, &r, d->now, &count, &d->err);

    assert_true(rc == RC_OK || rc == RC_NOT_FOUND);
    return count;
}

/* ---- making posts -------------------------------------------------------------------------- */

static void what_happened_before_it_was_enlisted_is_not_told(void **state)
{
    struct desk *d = *state;

    ARRIVE(d, .id = "<before@x>", .uid = 1);
    enlist_chat(d);
    ARRIVE(d, .id = "<after@x>", .uid = 2, .text = "after");
    derive(d, &all);
    assert_int_equal(COUNT(d, "webhook_outbox WHERE type = 'created'", NULL), 1);
    enlist_chat(d); /* at the next start */
    derive(d, &all);
    assert_int_equal(COUNT(d, "webhook_outbox", NULL), 1);
}

static void a_line_is_made_a_post_once_and_only_where_it_is_wished_for(void **state)
{
    struct desk *d = *state;
    static const char *const sales[] = {"sales"};
    struct webhook_wish other = all, few = all;

    other.mailbox = sales;
    other.mailboxes = 1;
    few.events = 1u << WEBHOOK_CONFLICT;
    enlist_chat(d);
    ARRIVE(d, .id = "<a@x>", .uid = 1);
    derive(d, &other);
    assert_int_equal(COUNT(d, "webhook_outbox", NULL), 0);
    ARRIVE(d, .id = "<a@x>", .uid = 2, .text = "another", .subject = "another");
    derive(d, &few);
    derive(d, &few);
    assert_int_equal(
        COUNT(d, "webhook_outbox WHERE type = 'conflict' AND reason = 'conflict'", NULL), 1);
    assert_int_equal(COUNT(d, "webhook_outbox", NULL), 1);
}

static void who_is_not_enlisted_is_told_nothing(void **state)
{
    struct desk *d = *state;
    bool more;

    assert_int_equal(d->l.webhooks->derive(d->store, &all, d->now, &more, &d->err), RC_NOT_FOUND);
}

/* ---- trying them --------------------------------------------------------------------------- */

static void of_one_mail_nothing_is_told_before_what_came_first(void **state)
{
    struct desk *d = *state;
    struct webhook_post post = {.id = 0};
    int64_t wake_ms;

    enlist_chat(d);
    struct reservation r = ARRIVE(d, .id = "<a@x>", .uid = 1);
    complete(d, RUN_A);
    derive(d, &all);
    must(d, next(d, &post, &wake_ms));
    assert_int_equal(post.event, WEBHOOK_CREATED);
    assert_string_equal(post.key, r.key);
    assert_int_equal(post.reference[0] != '\0', 1);
    tried(d, &post, POST_ON_LATER, SECONDS(10));
    assert_int_equal(next(d, &post, &wake_ms), RC_NOT_FOUND);
    assert_int_equal(wake_ms, d->now.wall_ms + SECONDS(5)); /* the webhook's own pause */
    pass(d, SECONDS(6));
    assert_int_equal(next(d, &post, &wake_ms), RC_NOT_FOUND);
    assert_int_equal(wake_ms, d->now.wall_ms + SECONDS(4)); /* the first post's */
    pass(d, SECONDS(5));
    must(d, next(d, &post, &wake_ms));
    assert_int_equal(post.event, WEBHOOK_CREATED);
    assert_int_equal(post.attempts, 1);
    tried(d, &post, POST_ON_TAKEN, 0);
    must(d, next(d, &post, &wake_ms));
    assert_int_equal(post.event, WEBHOOK_COMPLETE);
    tried(d, &post, POST_ON_TAKEN, 0);
    assert_int_equal(next(d, &post, &wake_ms), RC_NOT_FOUND);
    assert_int_equal(wake_ms, NOT_DUE);
    webhook_post_clear(&post);
}

static void one_that_fails_holds_up_no_other_mail(void **state)
{
    struct desk *d = *state;
    struct webhook_post post = {.id = 0};
    int64_t wake_ms;

    enlist_chat(d);
    ARRIVE(d, .id = "<a@x>", .uid = 1);
    struct reservation other = ARRIVE(d, .id = "<b@x>", .uid = 2, .text = "b");
    derive(d, &all);
    must(d, next(d, &post, &wake_ms));
    tried(d, &post, POST_ON_LATER, SECONDS(1));
    pass(d, SECONDS(2)); /* both are due */
    must(d, next(d, &post, &wake_ms));
    assert_string_equal(post.key, other.key);
    webhook_post_clear(&post);
}

static void what_one_machine_tells_no_other_does_until_it_has_had_its_time(void **state)
{
    struct desk *d = *state;
    struct webhook_post post = {.id = 0}, other = {.id = 0};
    int64_t wake_ms;

    enlist_chat(d);
    ARRIVE(d, .id = "<one@x>", .uid = 1);
    derive(d, &all);
    must(d, next_for(d, "a", &post, &wake_ms));
    assert_int_equal(next_for(d, "b", &other, &wake_ms), RC_NOT_FOUND);
    assert_true(wake_ms == d->now.wall_ms + SECONDS(30));
    must(d, next_for(d, "a", &other, &wake_ms)); /* its process was killed, and another took over */
    assert_true(other.id == post.id);
    tried(d, &post, POST_ON_LATER, 1000);
    pass(d, 1000);
    must(d, next_for(d, "b", &other, &wake_ms));
    assert_true(other.id == post.id);
    assert_int_equal(next_for(d, "a", &post, &wake_ms), RC_NOT_FOUND);
    pass(d, SECONDS(30));
    must(d, next_for(d, "a", &post, &wake_ms));
    tried(d, &post, POST_ON_TAKEN, 0);
    assert_int_equal(next_for(d, "b", &other, &wake_ms), RC_NOT_FOUND);
    webhook_post_clear(&post);
    webhook_post_clear(&other);
}

static void a_paused_mailbox_is_not_told_of(void **state)
{
    struct desk *d = *state;
    struct webhook_post post = {.id = 0};
    int64_t wake_ms;

    enlist_chat(d);
    ARRIVE(d, .id = "<a@x>", .uid = 1);
    derive(d, &all);
    must(d, d->l.people->pause(d->store, "help", true, KIND(EFFECT_WEBHOOK), "ann", "why", d->now,
                               &d->err));
    assert_int_equal(next(d, &post, &wake_ms), RC_NOT_FOUND);
    must(d, d->l.people->pause(d->store, "help", true, KIND(EFFECT_MOVE), "ann", "why", d->now,
                               &d->err));
    must(d, next(d, &post, &wake_ms));
    webhook_post_clear(&post);
}

/* ---- dead letters -------------------------------------------------------------------------- */

static void a_dead_letter_is_tried_again_only_by_a_person_and_under_its_id(void **state)
{
    struct desk *d = *state;
    struct webhook_post post = {.id = 0};
    char id[WEBHOOK_ID_SIZE];
    int64_t wake_ms;

    enlist_chat(d);
    ARRIVE(d, .id = "<a@x>", .uid = 1);
    derive(d, &all);
    must(d, next(d, &post, &wake_ms));
    text_copy(id, sizeof id, post.message_id);
    tried(d, &post, POST_ON_GIVE_UP, 0);
    assert_int_equal(next(d, &post, &wake_ms), RC_NOT_FOUND);
    assert_int_equal(wake_ms, NOT_DUE);
    assert_int_equal(replayed(d, "mail"), 0);
    assert_int_equal(replayed(d, "chat"), 1);
    assert_int_equal(replayed(d, NULL), 0);
    assert_int_equal(COUNT(d, "event WHERE subject = 'webhook' AND what = 'replay'", NULL), 1);
    assert_int_equal(COUNT(d, "note WHERE text LIKE '%mended%'", NULL), 1);
    must(d, next(d, &post, &wake_ms));
    assert_string_equal(post.message_id, id);
    webhook_post_clear(&post);
}

static void what_waits_for_one_that_is_gone_is_a_dead_letter(void **state)
{
    struct desk *d = *state;

    enlist_chat(d);
    ARRIVE(d, .id = "<a@x>", .uid = 1);
    derive(d, &all);
    enlist(d, NULL, 0);
    assert_int_equal(COUNT(d, "webhook", NULL), 0);
    assert_int_equal(COUNT(d, "webhook_outbox WHERE status = 'refused'", NULL), 1);
    assert_int_equal(replayed(d, NULL), 0);
    enlist_chat(d);
    assert_int_equal(replayed(d, NULL), 1);
}

/* ---- letting go ---------------------------------------------------------------------------- */

static void let_personal_go(struct desk *d, const char *key)
{
    const struct letting_go what = {.key = key, .contents = CONTENT_ALL};

    must(d, d->l.keeping->let_go(d->store, &what, d->now, &d->err));
}

static void posts_that_were_taken_go_with_what_they_tell_of_and_no_other(void **state)
{
    struct desk *d = *state;
    struct webhook_post post = {.id = 0};
    struct views v = store_views(d->store);
    CLEANUP(view_clear) struct view webhooks = {0};
    int64_t wake_ms;

    enlist_chat(d);
    struct reservation r = ARRIVE(d, .id = "<a@x>", .uid = 1);
    complete(d, RUN_A);
    struct reservation dead = ARRIVE(d, .id = "<b@x>", .uid = 2, .text = "b");
    complete(d, RUN_A);
    ARRIVE(d, .id = "<c@x>", .uid = 3, .text = "c");
    complete(d, RUN_A);
    derive(d, &all);
    must(d, next(d, &post, &wake_ms)); /* created, of a */
    tried(d, &post, POST_ON_TAKEN, 0);
    let_personal_go(d, r.key);
    assert_int_equal(COUNT(d, "webhook_outbox WHERE key = $1", r.key), 1);
    must(d, next(d, &post, &wake_ms)); /* complete, of a: it waited, and goes once it is taken */
    assert_string_equal(post.key, r.key);
    tried(d, &post, POST_ON_TAKEN, 0);
    assert_int_equal(COUNT(d, "webhook_outbox WHERE key = $1", r.key), 0);
    must(d, next(d, &post, &wake_ms));
    assert_string_equal(post.key, dead.key);
    tried(d, &post, POST_ON_GIVE_UP, 0);
    let_personal_go(d, dead.key);
    assert_int_equal(COUNT(d, "webhook_outbox WHERE status = 'refused'", NULL), 1);
    must(d, next(d, &post, &wake_ms)); /* complete, of b */
    must(d, v.webhooks(v.self, &webhooks, &d->err));
    const struct view_webhook *w = webhooks.row;

    assert_int_equal(w->done, 2);
    assert_int_equal(w->waiting, 3);
    assert_int_equal(w->dead, 1);
    webhook_post_clear(&post);
}

/* ---- looking ------------------------------------------------------------------------------- */

static void what_is_shown_counts_them(void **state)
{
    struct desk *d = *state;
    struct webhook_post post = {.id = 0};
    struct views v = store_views(d->store);
    CLEANUP(view_clear) struct view webhooks = {0};
    CLEANUP(view_clear) struct view dead = {0};
    int64_t wake_ms;

    enlist_chat(d);
    ARRIVE(d, .id = "<a@x>", .uid = 1);
    ARRIVE(d, .id = "<b@x>", .uid = 2, .text = "b");
    ARRIVE(d, .id = "<c@x>", .uid = 3, .text = "c");
    derive(d, &all);
    must(d, next(d, &post, &wake_ms));
    tried(d, &post, POST_ON_TAKEN, 0);
    must(d, next(d, &post, &wake_ms));
    tried(d, &post, POST_ON_GIVE_UP, 0);
    webhook_post_clear(&post);
    must(d, v.webhooks(v.self, &webhooks, &d->err));
    must(d, v.dead_letters(v.self, NULL, 0, &dead, &d->err));
    const struct view_webhook *w = webhooks.row;
    const struct view_dead_letter *letter = dead.row;

    assert_int_equal(webhooks.count, 1);
    assert_true(w->enlisted && w->waiting == 1 && w->dead == 1 && w->done == 1);
    assert_int_equal(w->failing_since_ms, d->now.wall_ms);
    assert_int_equal(dead.count, 1);
    assert_string_equal(letter->event, "created");
    assert_string_equal(letter->why, "it fell over");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AT_DESK(what_happened_before_it_was_enlisted_is_not_told),
        AT_DESK(a_line_is_made_a_post_once_and_only_where_it_is_wished_for),
        AT_DESK(who_is_not_enlisted_is_told_nothing),
        AT_DESK(of_one_mail_nothing_is_told_before_what_came_first),
        AT_DESK(one_that_fails_holds_up_no_other_mail),
        AT_DESK(what_one_machine_tells_no_other_does_until_it_has_had_its_time),
        AT_DESK(a_paused_mailbox_is_not_told_of),
        AT_DESK(a_dead_letter_is_tried_again_only_by_a_person_and_under_its_id),
        AT_DESK(what_waits_for_one_that_is_gone_is_a_dead_letter),
        AT_DESK(posts_that_were_taken_go_with_what_they_tell_of_and_no_other),
        AT_DESK(what_is_shown_counts_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
