/* SPDX-License-Identifier: Apache-2.0
 *
 * The replay of many: which mails, what would run again, and how far one is.
 */
#include "console_p.h"

#include <onecase/when.h>
#include <inttypes.h>
#include <string.h>

#define PLAN_MOST  2000 /* mails of which a page makes a plan */
#define PLAN_ROWS  50
#define BULKS_MOST 20 /* on a page */

/* ---- what is chosen ----------------------------------------------------------------------------------- */

/* `only` is a whole condition, "mailbox=help", or the kind of one whose value was typed. */
struct chosen {
    struct replay_choice choice;
    struct str where;
    const char *only, *value;
};

static void chosen_clear(struct chosen *c)
{
    str_clear(&c->where);
}

static void read_choice(const struct form *form, struct chosen *c)
{
    const char *only = form_get(form, "only"), *whole = strchr(only, '=');
    *c = (struct chosen){.where = STR_INIT, .only = only, .value = form_get(form, "value")};
    if (only[0]) {
        CLEANUP(str_clear) struct str value = STR_INIT;
        str_add(&value, slice_trim(slice_z(c->value)));
        str_addf(&c->where, "%s%s%s", only, whole ? "" : "=", whole ? "" : str_z(&value));
    }
    c->choice = (struct replay_choice){.state = form_get(form, "state"),
                                       .where = only[0] ? c->where.at : NULL,
                                       .resend = form_has(form, "resend"),
                                       .most = PLAN_MOST};
}

static void link_to(const struct replay_choice *choice, struct str *out)
{
    str_addz(out, "/mails/replay?state=");
    url_add(out, choice->state);
    str_addz(out, "&only=");
    url_add(out, choice->where ? choice->where : "");
    str_addz(out, choice->resend ? "&resend=1" : "");
}

void replay_link(const char *selection, struct str *out)
{
    CLEANUP(str_clear) struct str room = STR_INIT;
    struct replay_choice choice;
    if (replay_choice_parse(selection, &room, &choice))
        link_to(&choice, out);
}

static void put_option(
    struct fields *f, const char *list, const char *word, const char *text, const char *chosen)
{
    struct fields *row = put_row(f, list);
    put(row, "word", word);
    put(row, "label", text);
    put_flag(row, "chosen", strcmp(word, chosen) == 0);
}

static void put_mailboxes(struct visit *v, const struct chosen *c)
{
    const struct config *config = v->ops->config;
    for (size_t i = 0; i < config->mailboxes.count; i++) {
        char word[NAME_SIZE + 16];
        snprintf(word, sizeof word, "mailbox=%s", config->mailboxes.at[i].id);
        put_option(v->page, "mailboxes", word, config->mailboxes.at[i].id, c->only);
    }
}

static void put_reasons(struct visit *v, const struct chosen *c)
{
    for (enum reason r = REASON_NONE + 1; r < REASON_COUNT; r++) {
        char word[80];
        snprintf(word, sizeof word, "reason=%s", reason_text(r));
        put_option(v->page, "reasons", word, label("reason", reason_text(r)), c->only);
    }
}

/* A condition that came whole, by a link, is shown as its kind and its value. */
static void put_typed_ones(struct visit *v, const struct chosen *c)
{
    static const char *const kinds[][2] = {
        {"from", "this sender"}, {"domain", "senders of this domain"}, {"case", "this case"}};
    const char *value = strchr(c->only, '=');
    for (size_t i = 0; i < LENGTH(kinds); i++) {
        size_t n = strlen(kinds[i][0]);
        bool whole =
            value && (size_t)(value - c->only) == n && strncmp(c->only, kinds[i][0], n) == 0;
        put_option(v->page, "typed_ones", kinds[i][0], kinds[i][1], whole ? kinds[i][0] : c->only);
        if (whole)
            put(v->page, "value", value + 1);
    }
}

static void put_choice(struct visit *v, const struct chosen *c)
{
    for (size_t i = 0; i < ITEM_STATE_COUNT; i++) {
        const char *word = item_state_text((enum item_state)i);
        put_option(v->page, "states", word, label("state", word), c->choice.state);
    }
    put(v->page, "value", c->value);
    put_mailboxes(v, c);
    put_reasons(v, c);
    put_typed_ones(v, c);
    put(v->page, "state", c->choice.state);
    put(v->page, "only", c->choice.where ? c->choice.where : "");
    put_flag(v->page, "resend", c->choice.resend);
}

/* ---- the plan ----------------------------------------------------------------------------------------- */

/* RC_REFUSED: of more than a page is for. Of no part of them: a plan is approved as a whole. */
static enum rc
plan_of(struct visit *v, const struct chosen *c, struct replay_plan *out, struct err *err)
{
    struct err why = ERR_INIT;
    if (c->only[0] && !strchr(c->only, '=') && slice_trim(slice_z(c->value)).len == 0)
        return FAIL(err, RC_USAGE, "Say which one: an address, a domain or a case's reference.");
    enum rc rc = replay_plan_many(v->ops, &c->choice, out, &why);
    if (rc != RC_REFUSED) {
        *err = why;
        return rc;
    }
    return FAIL(
        err, RC_REFUSED,
        "More than %d mails are chosen, and this page makes a plan of so many at most. Choose "
        "fewer above, or at the terminal: onecase replay --state %s",
        PLAN_MOST, c->choice.state);
}

static void put_plan_row(struct fields *list, const struct replay_shown *s)
{
    struct fields *row = put_row(list, "rows");
    char room[16];
    text_copy(room, 13, s->key);
    put(row, "name", room);
    put(row, "shown_name", s->reference[0] ? s->reference : "a mail without a case");
    put_number(row, "again", s->result.run_again);
    put_number(row, "proven", s->result.proven_done);
    put_number(row, "in_doubt", s->result.in_doubt);
}

/* A plan is approved as a whole, and can be read to its end: from behind the mail `rows` of the address. */
static void put_plan_rows(struct visit *v, const struct replay_plan *p, struct fields *f)
{
    CLEANUP(str_clear) struct str link = STR_INIT;
    const char *after = form_get(&v->request->query, "rows");
    size_t at = 0, shown = 0;
    while (at < p->count && strcmp(p->item[at].key, after) <= 0)
        at++;
    for (; at + shown < p->count && shown < PLAN_ROWS; shown++)
        put_plan_row(f, &p->item[at + shown]);
    if (at + shown == p->count)
        return;
    replay_link(str_z(&p->selection), &link);
    put_number(f, "more", (int64_t)(p->count - at - shown));
    put_format(f, "next_rows", "%s&rows=%s", str_z(&link), p->item[at + shown - 1].key);
}

/* One of the same choice that is not ended comes first. */
static enum rc
put_open(struct visit *v, const struct replay_plan *p, struct fields *f, struct err *err)
{
    const struct ledger *l = v->ops->ledger;
    struct bulk bulk;
    enum rc rc = l->operators->bulk_find(l->self, str_z(&p->selection), &bulk, err);
    if (rc == RC_OK)
        put_number(put_row(f, "open"), "bulk", bulk.id);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static enum rc put_plan(struct visit *v, const struct replay_plan *p, struct err *err)
{
    struct fields *f = put_row(v->page, "plan_shown");
    CLEANUP(str_clear) struct str words = STR_INIT;
    selection_words(str_z(&p->selection), &words);
    put(f, "chosen_words", str_z(&words));
    put_number(f, "count", (int64_t)p->count);
    put_flag(f, "one", p->count == 1);
    put_flag(f, "none", p->count == 0);
    put_number(f, "again", p->sum.run_again);
    put_number(f, "proven", p->sum.proven_done);
    put_number(f, "in_doubt", p->sum.in_doubt);
    if (p->sum.of_programs > 0)
        put_number(f, "of_programs", p->sum.of_programs);
    put(f, "plan", p->plan);
    put_plan_rows(v, p, f);
    put_flag(f, "two_person", v->ops->config->approval == CONFIG_TWO_PERSON);
    return p->count > 0 ? put_open(v, p, f, err) : RC_OK;
}

/* ---- those that were begun ------------------------------------------------------------------------------ */

static void put_bulk(struct visit *v, struct fields *f, const struct view_bulk *b)
{
    CLEANUP(str_clear) struct str words = STR_INIT;
    const struct work *w = work_of(v->console, b->id);
    bool ended = b->ended_ms != NOT_DUE;
    selection_words(b->selection, &words);
    put_number(f, "bulk", b->id);
    put(f, "what", str_z(&words));
    put(f, "by", b->by);
    put(f, "second", b->second);
    put(f, "why", b->why);
    put_number(f, "all", b->all);
    put_number(f, "done", b->done);
    put_flag(f, "goes_on", !ended && w && w->goes_on);
    put_flag(f, "stands", !ended && !(w && w->goes_on));
    put(f, "trouble", !ended && w ? w->why : "");
    put_when(f, "begun", b->begun_ms, v->now.wall_ms);
    put_when(f, "ended", b->ended_ms, v->now.wall_ms);
}

static enum rc put_bulks(struct visit *v, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = v->ops->views;
    int64_t below = number_of(form_get(&v->request->query, "after"), 0);
    TRY(views->bulks(views->self, below, BULKS_MOST + 1, &view, err));
    const struct view_bulk *b = view.row;
    size_t shown = view.count > BULKS_MOST ? BULKS_MOST : view.count;
    for (size_t i = 0; i < shown; i++)
        put_bulk(v, put_row(v->page, "bulks"), &b[i]);
    put_flag(v->page, "any_bulk", shown > 0);
    put_pages_by(v, "/mails/replay", shown > 0 ? b[shown - 1].id : 0, view.count > BULKS_MOST);
    return RC_OK;
}

/* ---- the page of choosing ------------------------------------------------------------------------------- */

/* Shows the plan of what was chosen, if anything was; what cannot be chosen is said in its place. */
static enum rc replays(struct visit *v, const struct chosen *c, struct err *err)
{
    CLEANUP(replay_plan_clear) struct replay_plan plan = {.selection = STR_INIT};
    struct err why = ERR_INIT;
    put_choice(v, c);
    put(v->page, "typed_reason", form_get(&v->request->form, "reason"));
    TRY(put_bulks(v, err));
    if (!c->choice.state[0])
        return RC_OK;
    enum rc rc = plan_of(v, c, &plan, &why);
    if (rc == RC_OK)
        return put_plan(v, &plan, err);
    if (rc != RC_REFUSED && rc != RC_USAGE) {
        *err = why;
        return rc;
    }
    put(v->page, "problem", why.text);
    v->response->status = rc == RC_USAGE ? 400 : 409;
    return RC_OK;
}

static void replays_page(struct visit *v, const struct chosen *c)
{
    struct err err = ERR_INIT;
    if (!looked(v, "replays", ""))
        return;
    if (replays(v, c, &err) != RC_OK)
        refuse_err(v, &err);
    else
        show(v, "replays", "Replay many");
}

void page_replays(struct visit *v)
{
    CLEANUP(chosen_clear) struct chosen c = {.where = STR_INIT};
    read_choice(&v->request->query, &c);
    put(v->page, "said", notice_of(form_get(&v->request->query, "said")));
    replays_page(v, &c);
}

/* ---- beginning one ---------------------------------------------------------------------------------------- */

struct beginning {
    struct chosen chosen;
    struct replay_plan plan;
    struct str by, subject;
};

static void beginning_clear(struct beginning *b)
{
    chosen_clear(&b->chosen);
    replay_plan_clear(&b->plan);
    str_clear(&b->by);
    str_clear(&b->subject);
}

static void again(struct visit *v, const struct beginning *b, unsigned status, const char *problem)
{
    v->response->status = status;
    put(v->page, "problem", problem);
    replays_page(v, &b->chosen);
}

static void begin_it(struct visit *v, struct beginning *b, const struct approved *approved)
{
    const struct decided_by decided = {approved->first, form_get(&v->request->form, "reason"),
                                       approved->second};
    struct bulk bulk;
    struct err err = ERR_INIT;
    enum rc rc = replay_begin(v->ops, &b->plan, &decided, v->now, &bulk, &err);
    if (rc == RC_CONFLICT)
        again(v, b, 409, "One of the same mails is not ended yet: go on with that one.");
    if (rc != RC_OK && rc != RC_CONFLICT)
        refuse_err(v, &err);
    if (rc != RC_OK)
        return;
    (void)work_begin(v->console, bulk.id); /* else it stands there, to be gone on with */
    redirect(v, "/mails/replay/%" PRId64, bulk.id);
}

static void begin(struct visit *v, struct beginning *b)
{
    struct approved approved;
    struct err err = ERR_INIT;
    decider_name(v, &b->by);
    replay_subject(&b->plan, &b->subject);
    const struct approving approving = {.subject = str_z(&b->subject),
                                        .key = "",
                                        .by = str_z(&b->by),
                                        .why = form_get(&v->request->form, "reason")};
    enum rc rc = approve(v, &approving, &approved, &err);
    if (rc == RC_REFUSED)
        again(v, b, 409, err.text);
    else if (rc != RC_OK)
        refuse_err(v, &err);
    else if (!approved.go_on)
        redirect(v, "/mails/replay?said=proposed");
    else
        begin_it(v, b, &approved);
}

void act_replays(struct visit *v)
{
    CLEANUP(beginning_clear) struct beginning b = {.by = STR_INIT};
    const struct form *form = &v->request->form;
    struct err err = ERR_INIT;
    read_choice(form, &b.chosen);
    enum rc rc = plan_of(v, &b.chosen, &b.plan, &err);
    if (rc == RC_REFUSED || rc == RC_USAGE)
        again(v, &b, 400, "");
    else if (rc != RC_OK)
        refuse_err(v, &err);
    else if (slice_trim(slice_z(form_get(form, "reason"))).len == 0)
        again(v, &b, 400,
              "Say why, in a few words: it is recorded with your name. Nothing was done.");
    else if (b.plan.count == 0 || strcmp(form_get(form, "plan"), b.plan.plan) != 0)
        again(v, &b, 409,
              "The plan has changed since that page was made; below is the one of now. Nothing was "
              "done.");
    else
        begin(v, &b);
}

/* ---- one, and how far it is -------------------------------------------------------------------------------- */

static enum rc bulk_of(struct visit *v, struct view *view, struct err *err)
{
    const struct views *views = v->ops->views;
    return views->one_bulk(views->self, number_of(v->arg[0], 0), view, err);
}

static void bulk_page(struct visit *v)
{
    CLEANUP(view_clear) struct view view = {0};
    struct err err = ERR_INIT;
    if (!v->request->fragment && !looked(v, "replays", ""))
        return;
    if (bulk_of(v, &view, &err) != RC_OK) {
        refuse_err(v, &err);
        return;
    }
    put_bulk(v, v->page, view.row);
    show(v, "bulk", "Replay of many");
}

void page_bulk(struct visit *v)
{
    bulk_page(v);
}

void act_bulk(struct visit *v)
{
    CLEANUP(view_clear) struct view view = {0};
    struct err err = ERR_INIT;
    if (bulk_of(v, &view, &err) != RC_OK) {
        refuse_err(v, &err);
        return;
    }
    const struct view_bulk *b = view.row;
    if (form_has_value(&v->request->form, "act", "stop")) {
        work_stop(v->console, b->id);
    } else if (b->ended_ms == NOT_DUE && !work_begin(v->console, b->id)) {
        v->response->status = 409;
        put(v->page, "problem",
            "So many replays are under way that this one must wait for one of them.");
        bulk_page(v);
        return;
    }
    redirect(v, "/mails/replay/%" PRId64, b->id);
}
