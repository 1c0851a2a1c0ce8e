/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports store blobs */
#include "store_fixture.h"

#include <inttypes.h>

#define MANY 7 /* rows of each list, two of each instant */
#define PAGE 3

/* The last row of the page before. */
struct last {
    bool any;
    int64_t id, at_ms;
    char name[80];
};

struct list {
    const char *name;
    const char *row; /* SQL that writes one; takes its number, its name and its instant */
    enum rc (*page)(const struct views *v,
                    const struct last *last,
                    struct view *out,
                    struct err *err);
    void (*said)(const struct view *view, size_t at, struct last *out);
};

static enum rc
runs(const struct views *v, const struct last *last, struct view *out, struct err *err)
{
    return v->runs(v->self, last->any ? last->name : NULL, PAGE, out, err);
}

static void run_said(const struct view *view, size_t at, struct last *out)
{
    const struct view_run *r = view->row;
    snprintf(out->name, sizeof out->name, "%s", r[at].id);
}

static enum rc
dead(const struct views *v, const struct last *last, struct view *out, struct err *err)
{
    return v->dead_letters(v->self, last->any ? last->name : NULL, PAGE, out, err);
}

static void dead_said(const struct view *view, size_t at, struct last *out)
{
    const struct view_dead_letter *d = view->row;
    snprintf(out->name, sizeof out->name, "%s", d[at].id);
}

static enum rc
bulks(const struct views *v, const struct last *last, struct view *out, struct err *err)
{
    return v->bulks(v->self, last->id, PAGE, out, err);
}

static void bulk_said(const struct view *view, size_t at, struct last *out)
{
    const struct view_bulk *b = view->row;
    out->id = b[at].id;
    snprintf(out->name, sizeof out->name, "%s", b[at].selection);
}

static enum rc
rules(const struct views *v, const struct last *last, struct view *out, struct err *err)
{
    return v->sender_rules(v->self, last->id, PAGE, out, err);
}

static void rule_said(const struct view *view, size_t at, struct last *out)
{
    const struct view_sender_rule *r = view->row;
    out->id = r[at].id;
    snprintf(out->name, sizeof out->name, "%s", r[at].sender);
}

static enum rc
proposals(const struct views *v, const struct last *last, struct view *out, struct err *err)
{
    return v->proposals(v->self, last->id, PAGE, out, err);
}

static void proposal_said(const struct view *view, size_t at, struct last *out)
{
    const struct view_proposal *p = view->row;
    out->id = p[at].id;
    snprintf(out->name, sizeof out->name, "%s", p[at].subject);
}

static enum rc
audit(const struct views *v, const struct last *last, struct view *out, struct err *err)
{
    const struct view_audit page = {
        .until_ms = INT64_MAX, .after_ms = last->at_ms, .after_id = last->id, .limit = PAGE};
    return v->audit(v->self, &page, out, err);
}

static void decision_said(const struct view *view, size_t at, struct last *out)
{
    const struct view_decision *d = view->row;
    out->id = d[at].id;
    out->at_ms = d[at].decided_ms;
    snprintf(out->name, sizeof out->name, "%s", d[at].by);
}

/* clang-format off */
static const struct list lists[] = {
    { "runs", "INSERT INTO run (id, host, boot_id, pid, version, name, environment, owner, entered_at, beat_at)"
              " VALUES ('%2$s', 'desk', 'b', %1$zu, '1', 'desk', '', '', %3$" PRId64 ", %3$" PRId64 ")", runs, run_said },
    { "dead letters", "INSERT INTO webhook_outbox (id, message_id, webhook, key, event, type, reason, status, created_at, ended_at)"
              " SELECT %1$zu, '%2$s', 'chat', key, (SELECT MIN(number) FROM event), 'created', '', 'refused', %3$" PRId64 ","
              " %3$" PRId64 " FROM item", dead, dead_said },
    { "replays of many", "INSERT INTO bulk (id, selection, resend, person, begun_at) VALUES (%1$zu, '%2$s', 0, 'ann', %3$" PRId64 ")",
              bulks, bulk_said },
    { "rules", "INSERT INTO sender_rule (id, mailbox, sender, key, person, made_at) SELECT %1$zu, 'help', '%2$s', key, 'ann',"
              " %3$" PRId64 " FROM item", rules, rule_said },
    { "proposals", "INSERT INTO proposal (id, subject, key, person, account, proposed_at)"
              " SELECT %1$zu, '%2$s', key, 'ann', 'ann', %3$" PRId64 " FROM item", proposals, proposal_said },
    { "audit", "INSERT INTO approval (id, key, decision, from_state, person, decided_at)"
              " SELECT %1$zu, key, 'conflict-dismiss', 'received', '%2$s', %3$" PRId64 " FROM item", audit, decision_said },
};
/* clang-format on */

static void name_of(size_t n, char out[80])
{
    snprintf(out, 80, "%zu of %d", n * 4 % MANY, MANY); /* by no order of their making */
}

static void fill(struct desk *d, const struct list *list)
{
    char sql[600], name[80];
    for (size_t n = 1; n <= MANY; n++) {
        name_of(n, name);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(sql, sizeof sql, list->row, n, name, NOON + (int64_t)(n / 2));
#pragma GCC diagnostic pop
        scene(d, sql);
    }
}

#define SEEN_MOST 40

struct seen {
    char name[SEEN_MOST][80];
    size_t count;
};

static size_t times(const struct seen *seen, const char *name)
{
    size_t found = 0;
    for (size_t i = 0; i < seen->count; i++)
        found += strcmp(seen->name[i], name) == 0;
    return found;
}

/* One page; gives how many rows it had. */
static size_t
read_page(struct desk *d, const struct list *list, struct last *last, struct seen *seen)
{
    const struct views v = store_views(d->store);
    CLEANUP(view_clear) struct view view = {0};
    must(d, list->page(&v, last, &view, &d->err));
    for (size_t i = 0; i < view.count; i++) {
        list->said(&view, i, last);
        snprintf(seen->name[seen->count++], sizeof seen->name[0], "%s", last->name);
    }
    last->any = true;
    return view.count;
}

static void check_list(struct desk *d, const struct list *list)
{
    struct last last = {.any = false};
    struct seen seen = {.count = 0};
    char name[80];
    ARRIVE(d, .id = "<a@x>", .uid = 1);
    fill(d, list);
    while (read_page(d, list, &last, &seen) == PAGE && seen.count + PAGE <= SEEN_MOST)
        ;
    for (size_t n = 1; n <= MANY; n++) {
        name_of(n, name);
        if (times(&seen, name) != 1)
            fail_msg("%s: '%s' %zu times", list->name, name, times(&seen, name));
    }
}

static void a_list_gives_each_row_once_page_by_page(void **state)
{
    (void)state;
    FOR_EACH(list, lists) {
        void *desk;
        open_desk(&desk);
        check_list(desk, list);
        close_desk(&desk);
    }
}

static void behind_what_is_not_there_is_nothing(void **state)
{
    struct desk *d = *state;
    const struct views v = store_views(d->store);
    CLEANUP(view_clear) struct view view = {0};

    assert_int_equal(v.runs(v.self, "none", 0, &view, &d->err), RC_NOT_FOUND);
    assert_int_equal(v.dead_letters(v.self, "none", 0, &view, &d->err), RC_NOT_FOUND);
    assert_int_equal(v.one_bulk(v.self, 1, &view, &d->err), RC_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_gives_each_row_once_page_by_page),
        AT_DESK(behind_what_is_not_there_is_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
