/* SPDX-License-Identifier: Apache-2.0 */
#include "console_p.h"

#include <onecase/log.h>
#include <onecase/notices.h>
#include <onecase/when.h>
#include <inttypes.h>
#include <string.h>
#include <sys/statvfs.h>

#define PAGE_ROWS 50

/* ---- mails ---------------------------------------------------------------------------------------------------- */

static const char *asked_mailbox(const struct visit *v)
{
    const char *id = form_get(&v->request->query, "mailbox");
    return config_find_mailbox(v->ops->config, id) ? id : NULL;
}

static const char *asked_state(const struct visit *v)
{
    const char *state = form_get(&v->request->query, "state");
    enum item_state known;
    return item_state_parse(state, &known) ? state : NULL;
}

static void put_choices(struct visit *v, const char *mailbox, const char *state)
{
    const struct config *c = v->ops->config;
    for (size_t i = 0; i < c->mailboxes.count; i++) {
        struct fields *row = put_row(v->page, "mailboxes");
        put(row, "id", c->mailboxes.at[i].id);
        put_flag(row, "chosen", mailbox && strcmp(mailbox, c->mailboxes.at[i].id) == 0);
    }
    for (size_t i = 0; i < ITEM_STATE_COUNT; i++) {
        const char *word = item_state_text((enum item_state)i);
        struct fields *row = put_row(v->page, "states");
        put(row, "word", word);
        put(row, "label", label("state", word));
        put_flag(row, "chosen", state && strcmp(state, word) == 0);
    }
}

static enum rc mails(struct visit *v, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = v->ops->views;
    struct view_page page = {
        .limit = PAGE_ROWS + 1, .mailbox = asked_mailbox(v), .state = asked_state(v)};
    char path[200];
    (void)page_after(v, &page);
    put_choices(v, page.mailbox, page.state);
    put_flag(v->page, "may_replay", may(v, ROLE_OPERATOR));
    put_format(v->page, "replay_link", "/mails/replay?state=%s&only=%s%s",
               page.state ? page.state : "", page.mailbox ? "mailbox%3D" : "",
               page.mailbox ? page.mailbox : "");
    TRY(views->item_page(views->self, &page, &view, err));
    const struct view_item *i = view.row;
    size_t shown = view.count > PAGE_ROWS ? PAGE_ROWS : view.count;
    for (size_t n = 0; n < shown; n++)
        put_item(v, put_row(v->page, "mails"), &i[n]);
    put_flag(v->page, "empty", shown == 0);
    snprintf(path, sizeof path, "/mails?mailbox=%s&state=%s", page.mailbox ? page.mailbox : "",
             page.state ? page.state : "");
    if (shown > 0)
        put_paging(v, path, i[shown - 1].first_seen_ms, i[shown - 1].key, view.count > PAGE_ROWS);
    return RC_OK;
}

void page_items(struct visit *v)
{
    struct err err = ERR_INIT;
    if (!looked(v, "mails", ""))
        return;
    if (mails(v, &err) != RC_OK)
        refuse_err(v, &err);
    else
        show(v, "mails", "Mails");
}

/* ---- the rows behind a figure of the report --------------------------------------------------------------------- */

/* "another copy on 2026-03-02", "copies in help" */
static void put_figure_name(struct visit *v, const char *name)
{
    const char *value = strchr(name, ':'), *slash = strchr(name, '/');
    if (value && slash && strncmp(name, "day:", 4) == 0)
        put_format(v->page, "figure", "%.10s: %s", value + 1, label("class", slash + 1));
    else
        put(v->page, "figure", value ? value + 1 : label("figure", name));
}

static void put_figure_row(struct visit *v, const struct view_report_row *r)
{
    struct fields *row = put_row(v->page, "rows");
    char room[16];
    text_copy(room, 13, r->key);
    put(row, "name", room);
    put(row, "shown_name", r->reference[0] ? r->reference : "a mail without a case");
    put(row, "mailbox", r->mailbox);
    put(row, "what", label("class", r->what));
    put_when(row, "at", r->at_ms, v->now.wall_ms);
}

static enum rc figure(struct visit *v, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(str_clear) struct str path = STR_INIT;
    const struct views *views = v->ops->views;
    const struct form *query = &v->request->query;
    const struct view_figure asked = {.number = form_get(query, "figure"),
                                      .since_ms = number_of(form_get(query, "since"), 0),
                                      .until_ms =
                                          number_of(form_get(query, "until"), v->now.wall_ms),
                                      .below = number_of(form_get(query, "after"), 0),
                                      .limit = PAGE_ROWS + 1};
    TRY(views->duplicate_rows(views->self, &asked, &view, err));
    const struct view_report_row *r = view.row;
    size_t shown = view.count > PAGE_ROWS ? PAGE_ROWS : view.count;
    for (size_t i = 0; i < shown; i++)
        put_figure_row(v, &r[i]);
    put_figure_name(v, asked.number);
    put_when(v->page, "since", asked.since_ms, v->now.wall_ms);
    put_when(v->page, "until", asked.until_ms, v->now.wall_ms);
    put_flag(v->page, "empty", shown == 0);
    str_addz(&path, "/arrivals?figure=");
    url_add(&path, asked.number);
    str_addf(&path, "&since=%" PRId64 "&until=%" PRId64, asked.since_ms, asked.until_ms);
    put_pages_by(v, str_z(&path), shown > 0 ? r[shown - 1].id : 0, view.count > PAGE_ROWS);
    return RC_OK;
}

void page_deliveries(struct visit *v)
{
    struct err err = ERR_INIT;
    if (figure(v, &err) != RC_OK)
        refuse_err(v, &err);
    else
        show(v, "arrivals", "Behind the figure");
}

/* ---- not told ----------------------------------------------------------------------------------------------------- */

static void put_why(struct fields *f, const struct view_item *i)
{
    const struct view_effect *e = letter_of(i);
    CLEANUP(str_clear) struct str why = STR_INIT;
    if (e)
        step_why_words(e, &why);
    put(f, "why", why.len > 0 ? str_z(&why) : label("reason", i->reason));
    put_flag(f, "can_resend", decision_fitting(DECIDE_RESEND, i) != NULL);
    put_number(f, "tries", e ? e->attempts : 0);
}

static enum rc not_told(struct visit *v, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = v->ops->views;
    struct view_page page = {.of = PAGE_NOT_TOLD, .limit = PAGE_ROWS + 1};
    (void)page_after(v, &page);
    TRY(put_waiting(v, "not-told", err));
    TRY(views->item_page(views->self, &page, &view, err));
    const struct view_item *i = view.row;
    size_t shown = view.count > PAGE_ROWS ? PAGE_ROWS : view.count;
    for (size_t n = 0; n < shown; n++) {
        struct fields *row = put_row(v->page, "mails");
        char room[16];
        text_copy(room, sizeof room, i[n].key);
        put_item(v, row, &i[n]);
        put_why(row, &i[n]);
        put_flag(row, "chosen", form_has_value(&v->request->form, "mail", item_name(&i[n], room)));
    }
    put_flag(v->page, "empty", shown == 0);
    put_here(v);
    if (shown > 0)
        put_paging(v, "/not-told", i[shown - 1].first_seen_ms, i[shown - 1].key,
                   view.count > PAGE_ROWS);
    return RC_OK;
}

static void not_told_page(struct visit *v)
{
    struct err err = ERR_INIT;
    put(v->page, "typed_reason", form_get(&v->request->form, "reason"));
    if (!looked(v, "not-told", ""))
        return;
    if (not_told(v, &err) != RC_OK)
        refuse_err(v, &err);
    else
        show(v, "not-told", "Not told");
}

void page_not_told(struct visit *v)
{
    put(v->page, "said", notice_of(form_get(&v->request->query, "said")));
    not_told_page(v);
}

static enum rc resend(struct visit *v, const char *name, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(str_clear) struct str by = STR_INIT;
    const struct views *views = v->ops->views;
    const char *decision = form_get(&v->request->form, "decision");
    struct decision_result result;
    TRY(views->item(views->self, name, &view, err));
    const struct view_item *i = view.row;
    decider_name(v, &by);
    const struct decision_request request = {
        .decision = strcmp(decision, decision_text(DECIDE_NONE)) == 0 ? DECIDE_NONE : DECIDE_RESEND,
        .key = i->key,
        .by = str_z(&by),
        .why = form_get(&v->request->form, "reason")};
    return decide_about(v->ops, &request, 0, v->now, &result, err);
}

static void again(struct visit *v, unsigned status, const char *problem)
{
    v->response->status = status;
    put(v->page, "problem", problem);
    not_told_page(v);
}

static void put_not_done(struct visit *v, const char *name, const struct err *err)
{
    struct fields *row = put_row(v->page, "not_done");
    put(row, "name", name);
    put(row, "why", err_words(err));
}

/* Each is a decision of its own: where one fails, the others stand, and the rest can be sent once more. */
void act_resend(struct visit *v)
{
    const struct form *form = &v->request->form;
    size_t at = 0, chosen = 0, done = 0;
    char problem[200];
    if (v->ops->config->approval == CONFIG_TWO_PERSON) {
        again(v, 409, "Where two persons are asked for, each is decided on the mail's own page.");
        return;
    }
    if (slice_trim(slice_z(form_get(form, "reason"))).len == 0 || !form_has(form, "mail")) {
        again(v, 400, "Choose at least one, and say why in a few words. Nothing was changed.");
        return;
    }
    for (const char *name; (name = form_next(form, "mail", &at)); chosen++) {
        struct err err = ERR_INIT;
        if (resend(v, name, &err) == RC_OK)
            done++;
        else
            put_not_done(v, name, &err);
    }
    if (done == chosen) {
        redirect(v, "/not-told?said=recorded");
        return;
    }
    snprintf(problem, sizeof problem,
             "%zu of %zu are recorded, and the service goes on with them. Of these nothing was "
             "changed; those still listed are still chosen:",
             done, chosen);
    again(v, 409, problem);
}

/* ---- deployments -------------------------------------------------------------------------------------------------- */

static void put_run(struct visit *v, const struct view_run *r)
{
    struct fields *row = put_row(v->page, "runs");
    bool silent = !r->ended[0] && v->now.wall_ms - r->beat_ms > 2 * v->ops->config->lease_ms;
    put(row, "deployment_name", r->name);
    put(row, "environment", r->environment);
    put(row, "owner", r->owner);
    put(row, "mailboxes", r->mailboxes);
    put(row, "version", r->version);
    put(row, "host", r->host);
    put_number(row, "process", r->pid);
    put_flag(row, "active", !r->ended[0] && !silent);
    put_flag(row, "silent", silent);
    put_flag(row, "died", strcmp(r->ended, "dead") == 0);
    put_when(row, "since", r->entered_ms, v->now.wall_ms);
    put_when(row, "seen", r->beat_ms, v->now.wall_ms);
    put_when(row, "ended", r->ended_ms, v->now.wall_ms);
}

void page_deployments(struct visit *v)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = v->ops->views;
    const char *after = form_get(&v->request->query, "after");
    struct err err = ERR_INIT;
    if (v->ops->prove_runs(v->ops->self, &err) != RC_OK ||
        views->runs(views->self, after[0] ? after : NULL, PAGE_ROWS + 1, &view, &err) != RC_OK) {
        refuse_err(v, &err);
        return;
    }
    const struct view_run *r = view.row;
    size_t shown = view.count > PAGE_ROWS ? PAGE_ROWS : view.count;
    for (size_t i = 0; i < shown; i++)
        put_run(v, &r[i]);
    put_flag(v->page, "empty", shown == 0);
    put_pages(v, "/deployments", shown > 0 ? r[shown - 1].id : "", view.count > PAGE_ROWS);
    show(v, "deployments", "Deployments");
}

/* ---- audit -------------------------------------------------------------------------------------------------------- */

static void put_decision(struct visit *v, const struct view_decision *d)
{
    struct fields *row = put_row(v->page, "decisions");
    char room[16];
    text_copy(room, 13, d->key);
    put(row, "name", room);
    put(row, "shown_name", d->reference[0] ? d->reference : "a mail without a case");
    put(row, "decision", label("decision", d->decision));
    put(row, "by", d->by);
    put(row, "second", d->second);
    put(row, "why", d->why);
    put(row, "reason", label("reason", d->reason));
    put_when(row, "at", d->decided_ms, v->now.wall_ms);
    put_when(row, "undone", d->undone_ms, v->now.wall_ms);
}

/* All, or those that a figure of the report counts: of its period, by one person or asked. */
static struct view_audit audited_of(const struct visit *v)
{
    const struct form *query = &v->request->query;
    const char *by = form_get(query, "by");
    struct view_page page = {0};
    bool further = page_after(v, &page);
    return (struct view_audit){.since_ms = number_of(form_get(query, "since"), 0),
                               .until_ms = number_of(form_get(query, "until"), INT64_MAX),
                               .by = by[0] ? by : NULL,
                               .asked = form_has(query, "asked"),
                               .after_ms = page.after_ms,
                               .after_id = further ? number_of(page.after_key, 0) : 0,
                               .limit = PAGE_ROWS + 1};
}

static void audit_path(const struct view_audit *a, struct str *out)
{
    str_addf(out, "/audit?since=%" PRId64, a->since_ms);
    if (a->until_ms < INT64_MAX)
        str_addf(out, "&until=%" PRId64, a->until_ms);
    if (a->asked)
        str_addz(out, "&asked=1");
    if (a->by) {
        str_addz(out, "&by=");
        url_add(out, a->by);
    }
}

static enum rc decisions(struct visit *v, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(str_clear) struct str path = STR_INIT;
    const struct views *views = v->ops->views;
    const struct view_audit a = audited_of(v);
    char after[24] = "";
    TRY(views->audit(views->self, &a, &view, err));
    const struct view_decision *d = view.row;
    size_t shown = view.count > PAGE_ROWS ? PAGE_ROWS : view.count;
    for (size_t i = 0; i < shown; i++)
        put_decision(v, &d[i]);
    put_flag(v->page, "empty", shown == 0);
    put_when(v->page, "since", a.since_ms, v->now.wall_ms);
    put_when(v->page, "until", a.until_ms < INT64_MAX ? a.until_ms : NOT_DUE, v->now.wall_ms);
    audit_path(&a, &path);
    if (shown > 0)
        snprintf(after, sizeof after, "%" PRId64, d[shown - 1].id);
    put_paging(v, str_z(&path), shown > 0 ? d[shown - 1].decided_ms : 0, after,
               view.count > PAGE_ROWS);
    return RC_OK;
}

static enum rc put_looks(struct visit *v, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct sessions *s = v->ops->sessions;
    int64_t below = number_of(form_get(&v->request->query, "looks"), 0);
    if (!may(v, ROLE_ADMIN))
        return RC_OK;
    TRY(s->looks(s->self, below, PAGE_ROWS + 1, &view, err));
    const struct view_look *l = view.row;
    struct fields *f = put_row(v->page, "looked_at");
    for (size_t i = 0; i < view.count && i < PAGE_ROWS; i++) {
        struct fields *row = put_row(f, "looks");
        put(row, "person", l[i].person);
        put(row, "page_name", l[i].page);
        put(row, "reference", l[i].reference);
        put_when(row, "at", l[i].at_ms, v->now.wall_ms);
    }
    if (view.count > PAGE_ROWS)
        put_format(f, "earlier_looks", "/audit?looks=%" PRId64, l[PAGE_ROWS - 1].id);
    return RC_OK;
}

void page_audit(struct visit *v)
{
    struct err err = ERR_INIT;
    if (decisions(v, &err) != RC_OK || put_looks(v, &err) != RC_OK)
        refuse_err(v, &err);
    else
        show(v, "audit", "Audit");
}

/* ---- health ------------------------------------------------------------------------------------------------------- */

static void check(struct visit *v, const char *what, bool good, const char *says)
{
    struct fields *row = put_row(v->page, "checks");
    put(row, "what", what);
    put_flag(row, "good", good);
    put(row, "says", says);
}

static void check_disk(struct visit *v)
{
    const struct config *c = v->ops->config;
    struct statvfs st;
    char says[160];
    if (statvfs(c->data_dir, &st) != 0) {
        check(v, "Disk", false, "Its free room cannot be found out.");
        return;
    }
    int64_t left = (int64_t)st.f_bavail * (int64_t)st.f_frsize;
    snprintf(says, sizeof says,
             "%" PRId64 " MB are free; below %" PRId64 " MB nothing new is taken in.",
             left / (INT64_C(1024) * 1024), c->disk_reserve / (INT64_C(1024) * 1024));
    check(v, "Disk", left >= c->disk_reserve, says);
}

static void check_servers(struct visit *v, const struct view_mailbox *m)
{
    static const char *const names[] = {"IMAP server", "mail server", "destination", "scanner"};
    static_assert(LENGTH(names) == CIRCUIT_OF_COUNT, "each has its name");
    for (size_t i = 0; i < CIRCUIT_OF_COUNT; i++) {
        char what[200], says[300];
        bool good = m->circuit[i].state == CIRCUIT_CLOSED;
        if (good && i >= CIRCUIT_DESTINATION)
            continue;
        snprintf(what, sizeof what, "%s: %s", m->id, names[i]);
        snprintf(says, sizeof says, "%s%s",
                 good ? "No trouble is known." : "It fails: ", good ? "" : m->circuit[i].reason);
        check(v, what, good, says);
    }
}

static void check_silence(struct visit *v, const struct view_mailbox *m)
{
    const struct config_mailbox *c = config_find_mailbox(v->ops->config, m->id);
    char what[200], says[200], age[32];
    int64_t most = c ? 5 * c->poll_interval_ms : MINUTES(5);
    int64_t silent = v->now.wall_ms - m->last_success_ms;
    most = most > MINUTES(5) ? most : MINUTES(5);
    period_age(silent, age);
    snprintf(what, sizeof what, "%s: watched", m->id);
    if (m->last_success_ms == 0)
        snprintf(says, sizeof says, "It was never looked at. Is 'onecase run' running?");
    else
        snprintf(says, sizeof says, "Last looked at %s ago.%s", age,
                 silent > most ? " Is 'onecase run' running?" : "");
    check(v, what, m->last_success_ms > 0 && silent <= most, says);
}

/* Those that end soon, or have ended. */
static void check_secrets(struct visit *v, const char *mailbox)
{
    const struct config_mailbox *m = config_find_mailbox(v->ops->config, mailbox);
    struct expiring expiring[EXPIRING_MOST];
    size_t count = m ? config_expiring(m, v->now.wall_ms, expiring) : 0;
    char what[200], says[400];
    for (size_t i = 0; i < count; i++) {
        snprintf(what, sizeof what, "%s: secret", mailbox);
        snprintf(says, sizeof says, "%s; %s.", expiring[i].text, EXPIRING_REMEDY);
        check(v, what, false, says);
    }
}

/* Where its server says it. */
static void check_quota(struct visit *v, const struct view_mailbox *m)
{
    const struct config_mailbox *c = config_find_mailbox(v->ops->config, m->id);
    const struct quota_part part = quota_fullest(&m->quota);
    CLEANUP(str_clear) struct str says = STR_INIT;
    bool good = c && part.percent < (int64_t)c->quota_warning;
    char what[200];
    if (part.limit == 0)
        return;
    quota_words(&part, &says);
    str_addz(&says, good ? "." : "; make room in it, or have its quota raised.");
    snprintf(what, sizeof what, "%s: room", m->id);
    check(v, what, good, str_z(&says));
}

static enum rc check_notices(struct visit *v, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = v->ops->views;
    TRY(views->channels(views->self, &view, err));
    const struct view_channel *c = view.row;
    for (size_t i = 0; i < view.count; i++) {
        char what[64], says[300], since[32];
        bool good = c[i].failing_since_ms == NOT_DUE;
        if (!notices_use(v->ops->config, c[i].channel))
            continue;
        period_text(good ? c[i].last_done_ms : c[i].failing_since_ms, v->now.wall_ms, since);
        snprintf(what, sizeof what, "Notices by %s", c[i].channel);
        snprintf(says, sizeof says, "%s %s%s%s",
                 good ? "The last one was taken at" : "They fail since", since, good ? "." : ": ",
                 good ? "" : c[i].why);
        check(v, what, good, says);
    }
    return RC_OK;
}

static enum rc health(struct visit *v, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = v->ops->views;
    TRY(views->mailboxes(views->self, v->now.wall_ms, &view, err));
    check(v, "Ledger", true, "It can be read.");
    check_disk(v);
    const struct view_mailbox *m = view.row;
    for (size_t i = 0; i < view.count; i++) {
        if (!config_find_mailbox(v->ops->config, m[i].id))
            continue;
        check_silence(v, &m[i]);
        check_servers(v, &m[i]);
        check_secrets(v, m[i].id);
        check_quota(v, &m[i]);
    }
    return check_notices(v, err);
}

void page_health(struct visit *v)
{
    struct err err = ERR_INIT;
    if (health(v, &err) != RC_OK)
        refuse_err(v, &err);
    else
        show(v, "health", "Health");
}
