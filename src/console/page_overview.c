/* SPDX-License-Identifier: Apache-2.0 */
#include "console_p.h"

#include <onecase/when.h>
#include <string.h>

/* A mail that is not complete for longer than this is late. */
#define LATE HOURS(1)

/* ---- bars: arrivals and confirmations of the last day, an hour each ------------------------------------- */

#define BAR_HOURS  24
#define BAR_HEIGHT 60

struct bars {
    int64_t first_ms; /* the first hour */
    int64_t arrivals[BAR_HOURS], told[BAR_HOURS], most, sum_arrivals, sum_told;
};

static enum rc read_bars(struct visit *v, const char *mailbox, struct bars *out, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = v->ops->views;
    int64_t hour = v->now.wall_ms - v->now.wall_ms % HOURS(1);
    *out = (struct bars){.first_ms = hour - (BAR_HOURS - 1) * HOURS(1)};
    TRY(views->hours(views->self, mailbox, out->first_ms, &view, err));
    const struct view_hour *h = view.row;
    for (size_t i = 0; i < view.count; i++) {
        int64_t at = (h[i].start_ms - out->first_ms) / HOURS(1);
        if (at < 0 || at >= BAR_HOURS)
            continue;
        out->arrivals[at] = h[i].arrivals;
        out->told[at] = h[i].told;
        out->sum_arrivals += h[i].arrivals;
        out->sum_told += h[i].told;
        out->most = h[i].arrivals > out->most ? h[i].arrivals : out->most;
        out->most = h[i].told > out->most ? h[i].told : out->most;
    }
    return RC_OK;
}

static void put_bar(struct fields *f, const char *list, size_t x, int64_t n, int64_t most)
{
    int64_t height = most > 0 ? n * BAR_HEIGHT / most : 0;
    if (n > 0 && height == 0)
        height = 1;
    struct fields *row = put_row(f, list);
    put_number(row, "x", (int64_t)x);
    put_number(row, "y", BAR_HEIGHT - height);
    put_number(row, "height", height);
}

static void put_bars(struct visit *v, struct fields *f, const struct bars *b)
{
    put_number(f, "day_arrivals", b->sum_arrivals);
    put_number(f, "day_told", b->sum_told);
    if (b->sum_arrivals + b->sum_told == 0)
        return;
    struct fields *chart = put_row(f, "chart");
    put_number(chart, "most", b->most);
    put_when(chart, "from", b->first_ms, v->now.wall_ms);
    for (size_t i = 0; i < BAR_HOURS; i++) {
        char hour[32];
        struct fields *row = put_row(chart, "hours");
        period_exact(b->first_ms + (int64_t)i * HOURS(1), hour);
        hour[16] = '\0';
        put(row, "hour", hour + 11);
        put_number(row, "arrivals", b->arrivals[i]);
        put_number(row, "told", b->told[i]);
        put_bar(row, "arrived_bar", i * 12, b->arrivals[i], b->most);
        put_bar(row, "told_bar", i * 12 + 5, b->told[i], b->most);
    }
}

/* ---- a mailbox ------------------------------------------------------------------------------------------ */

static void put_age(struct fields *f, const char *name, int64_t ms)
{
    char age[32];
    if (ms < 0)
        return;
    period_age(ms, age);
    put(f, name, age);
}

static enum rc put_latency(struct visit *v, struct fields *f, const char *id, struct err *err)
{
    const struct views *views = v->ops->views;
    int64_t middle, most;
    TRY(views->latency(views->self, id, v->now.wall_ms - DAYS(1), &middle, &most, err));
    if (middle != NOT_DUE) {
        put_age(f, "latency_middle", middle);
        put_age(f, "latency_most", most);
    }
    return RC_OK;
}

static void put_circuits(struct visit *v, struct fields *f, const struct view_mailbox *m)
{
    static const char *const names[] = {"The IMAP server", "The mail server for confirmations",
                                        "The destination", "The scanner"};
    static_assert(LENGTH(names) == CIRCUIT_OF_COUNT, "each has its name");
    for (size_t i = 0; i < CIRCUIT_OF_COUNT; i++) {
        const struct circuit *c = &m->circuit[i];
        if (c->state == CIRCUIT_CLOSED)
            continue;
        struct fields *row = put_row(f, "failing");
        put(row, "what", names[i]);
        put(row, "why", c->reason);
        put_when(row, "since", c->since_ms, v->now.wall_ms);
        put_when(row, "next_probe", c->next_probe_ms, v->now.wall_ms);
    }
}

static void put_states(struct fields *f, const struct view_mailbox *m)
{
    /* clang-format off */
    static const struct { enum item_state state; const char *name; } rows[] = {
        { ITEM_RECEIVED, "received" }, { ITEM_IN_PROGRESS, "in_progress" },
        { ITEM_COMPLETE, "complete" }, { ITEM_NEEDS_RECONCILIATION, "asked" },
    };
    /* clang-format on */
    for (size_t i = 0; i < LENGTH(rows); i++)
        put_number(f, rows[i].name, m->state[rows[i].state]);
    put_number(f, "duplicate", m->duplicates);
    put_flag(f, "any_asked", m->state[ITEM_NEEDS_RECONCILIATION] > 0);
    for (size_t i = 0; i < m->waiting_count; i++) {
        struct fields *row = put_row(f, "waiting");
        put(row, "reason", label("reason", m->waiting[i].name));
        put_number(row, "count", m->waiting[i].count);
    }
}

static void put_mailbox(struct visit *v, struct fields *f, const struct view_mailbox *m)
{
    int64_t now = v->now.wall_ms;
    bool waits = m->oldest_incomplete_ms != NOT_DUE;
    put_states(f, m);
    put_number(f, "backlog", m->backlog);
    if (m->not_told > 0)
        put_number(f, "not_told", m->not_told);
    if (m->awaiting_choice > 0)
        put_number(f, "awaiting_choice", m->awaiting_choice);
    if (waits)
        put_age(f, "oldest", now - m->oldest_incomplete_ms);
    put_flag(f, "late", waits && now - m->oldest_incomplete_ms > LATE);
    put_when(f, "last_success", m->last_success_ms, now);
    put(f, "last_error", m->last_error);
    put(f, "other_owner", m->claim_owner);
    put_flag(f, "paused", m->paused);
    put_flag(f, "leads_to_asked", may(v, ROLE_OPERATOR) && m->state[ITEM_NEEDS_RECONCILIATION] > 0);
    put_circuits(v, f, m);
}

static const struct view_mailbox *seen_of(const struct view *view, const char *id)
{
    const struct view_mailbox *m = view->row;
    for (size_t i = 0; i < view->count; i++)
        if (strcmp(m[i].id, id) == 0)
            return &m[i];
    return NULL;
}

static enum rc overview(struct visit *v, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = v->ops->views;
    const struct config *c = v->ops->config;
    TRY(views->mailboxes(views->self, v->now.wall_ms, &view, err));
    for (size_t i = 0; i < c->mailboxes.count; i++) {
        const char *id = c->mailboxes.at[i].id;
        const struct view_mailbox *m = seen_of(&view, id);
        struct bars bars;
        struct fields *f = put_row(v->page, "mailboxes");
        put(f, "id", id);
        put_flag(f, "look_only", c->mailboxes.at[i].mode == CONFIG_LOOK_ONLY);
        put_flag(f, "may_pause", may(v, ROLE_OPERATOR));
        put_flag(f, "never_seen", !m);
        if (!m)
            continue;
        put_mailbox(v, f, m);
        TRY(read_bars(v, id, &bars, err));
        put_bars(v, f, &bars);
        TRY(put_latency(v, f, id, err));
    }
    return RC_OK;
}

void page_overview(struct visit *v)
{
    struct err err = ERR_INIT;
    if (overview(v, &err) != RC_OK)
        refuse_err(v, &err);
    else
        show(v, "overview", "Overview");
}

/* ---- pause ---------------------------------------------------------------------------------------------- */

static enum rc set_pause(struct visit *v, const char *id, bool paused, struct err *err)
{
    CLEANUP(str_clear) struct str by = STR_INIT;
    struct mailbox_record record;
    const struct ledger *l = v->ops->ledger;
    const char *why = form_get(&v->request->form, "reason");
    decider_name(v, &by);
    TRY(l->mailboxes->load(l->self, id, &record, err));
    return l->people->pause(l->self, id, paused, 0, str_z(&by), why, v->now, err);
}

void act_pause(struct visit *v)
{
    const struct form *form = &v->request->form;
    const char *id = form_get(form, "mailbox");
    struct err err = ERR_INIT;
    if (!config_find_mailbox(v->ops->config, id)) {
        refuse(v, 400, "That cannot be so", "There is no such mailbox in the configuration.");
        return;
    }
    if (slice_trim(slice_z(form_get(form, "reason"))).len == 0) {
        refuse(v, 400, "A reason is missing",
               "Nothing was changed. Go back and say why: others will read it.");
        return;
    }
    if (set_pause(v, id, strcmp(form_get(form, "to"), "pause") == 0, &err) != RC_OK)
        refuse_err(v, &err);
    else
        redirect(v, "/");
}
