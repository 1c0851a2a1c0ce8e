/* SPDX-License-Identifier: Apache-2.0
 *
 * What persons have said that is not over: rules about senders, proposals that wait for a second person.
 */
#include "console_p.h"

#include <inttypes.h>
#include <string.h>

#define PAGE_ROWS 50
#define PROPOSED  10

/* ---- rules ------------------------------------------------------------------------------------------- */

static void put_rule(struct visit *v, const struct view_sender_rule *r)
{
    struct fields *row = put_row(v->page, "rules");
    bool tried = v->arg[0] && number_of(v->arg[0], 0) == r->id;
    char room[16];
    text_copy(room, 13, r->key);
    put_number(row, "rule", r->id);
    put(row, "mailbox", r->mailbox);
    put(row, "sender", r->sender);
    put(row, "name", room);
    put(row, "shown_name", r->reference[0] ? r->reference : "a mail without a case");
    put(row, "by", r->by);
    put(row, "why", r->why);
    put(row, "typed", tried ? form_get(&v->request->form, "reason") : "");
    put_when(row, "made", r->made_ms, v->now.wall_ms);
}

static void rules_page(struct visit *v)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = v->ops->views;
    /* What was tried comes first on the page that says why not. */
    int64_t after = v->arg[0] ? number_of(v->arg[0], 1) - 1
                              : number_of(form_get(&v->request->query, "after"), 0);
    struct err err = ERR_INIT;
    if (!looked(v, "rules", ""))
        return;
    if (views->sender_rules(views->self, after, PAGE_ROWS + 1, &view, &err) != RC_OK) {
        refuse_err(v, &err);
        return;
    }
    const struct view_sender_rule *r = view.row;
    size_t shown = view.count > PAGE_ROWS ? PAGE_ROWS : view.count;
    for (size_t i = 0; i < shown; i++)
        put_rule(v, &r[i]);
    put_flag(v->page, "empty", shown == 0);
    put_pages_by(v, "/rules", shown > 0 ? r[shown - 1].id : 0, view.count > PAGE_ROWS);
    show(v, "rules", "What is always done");
}

void page_rules(struct visit *v)
{
    put(v->page, "said", notice_of(form_get(&v->request->query, "said")));
    rules_page(v);
}

static bool reason_missing(const struct visit *v)
{
    return slice_trim(slice_z(form_get(&v->request->form, "reason"))).len == 0;
}

void act_rule(struct visit *v)
{
    CLEANUP(str_clear) struct str by = STR_INIT;
    const struct ledger *l = v->ops->ledger;
    const char *why = form_get(&v->request->form, "reason");
    struct err err = ERR_INIT;
    decider_name(v, &by);
    if (reason_missing(v)) {
        v->response->status = 400;
        put(v->page, "problem",
            "Say why, in a few words: it is recorded with your name. Nothing was changed.");
        rules_page(v);
    } else if (l->operators->rule_end(l->self, number_of(v->arg[0], 0), str_z(&by), why, v->now,
                                      &err) != RC_OK) {
        refuse_err(v, &err);
    } else {
        redirect(v, "/rules?said=removed");
    }
}

/* ---- proposals --------------------------------------------------------------------------------------- */

static void put_proposal(struct visit *v, const struct view_proposal *p)
{
    struct fields *row = put_row(v->page, "proposals");
    CLEANUP(str_clear) struct str what = STR_INIT;
    CLEANUP(str_clear) struct str selection = STR_INIT;
    CLEANUP(str_clear) struct str link = STR_INIT;
    char room[16], token[DIGEST_HEX_SIZE];
    form_token(v, token);
    text_copy(room, 13, p->key);
    proposal_words(p, &what);
    put(row, "form_token", token);
    put_number(row, "proposal", p->id);
    proposal_selection(p->subject, &selection);
    replay_link(str_z(&selection), &link);
    put(row, "plan_link", str_z(&link));
    put(row, "what", str_z(&what));
    put(row, "name", room);
    put_flag(row, "about_mail", p->key[0] != '\0');
    put(row, "shown_name", p->reference[0] ? p->reference : "a mail without a case");
    put(row, "by", p->by);
    put(row, "why", p->why);
    put_flag(row, "own", strcmp(p->account, v->account.name) == 0);
    put_flag(row, "may_approve", may(v, ROLE_OWNER));
    put_when(row, "proposed", p->proposed_ms, v->now.wall_ms);
}

enum rc put_proposals(struct visit *v, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = v->ops->views;
    int64_t after = number_of(form_get(&v->request->query, "proposals"), 0);
    TRY(views->proposals(views->self, after, PROPOSED + 1, &view, err));
    const struct view_proposal *p = view.row;
    for (size_t i = 0; i < view.count && i < PROPOSED; i++)
        put_proposal(v, &p[i]);
    if (view.count > PROPOSED)
        put_format(v->page, "more_proposals", "/queue?proposals=%" PRId64, p[PROPOSED - 1].id);
    put_flag(v->page, "any_proposal", view.count > 0);
    return RC_OK;
}

void act_refuse(struct visit *v)
{
    CLEANUP(str_clear) struct str by = STR_INIT;
    const struct ledger *l = v->ops->ledger;
    const char *why = form_get(&v->request->form, "reason");
    struct err err = ERR_INIT;
    decider_name(v, &by);
    if (reason_missing(v))
        refuse(v, 400, "A reason is missing",
               "Nothing was changed. Go back and say why: whoever proposed it will read it.");
    else if (l->operators->refuse(l->self, number_of(v->arg[0], 0), str_z(&by), why, v->now,
                                  &err) != RC_OK)
        refuse_err(v, &err);
    else
        redirect(v, "/queue?said=refused");
}
