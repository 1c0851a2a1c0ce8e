/* SPDX-License-Identifier: Apache-2.0
 *
 * deciding - what a person may decide about a mail as it stands, and deciding it: for both fronts.
 */
#include <onecase/front.h>
#include <string.h>

/* ---- what fits a mail as it stands --------------------------------------------------------------------- */

static bool has_step(const struct view_item *i, enum effect_kind kind, enum effect_status status)
{
    for (size_t n = 0; n < i->effects; n++)
        if (strcmp(i->effect[n].kind, effect_kind_text(kind)) == 0 &&
            strcmp(i->effect[n].status, effect_status_text(status)) == 0)
            return true;
    return false;
}

static bool fits(const struct decision_rule *r, const struct view_item *i, enum reason reason)
{
    if (i->let_go)
        return false;
    if (r->kind == EFFECT_CASE)
        return has_open_step(i, r->status);
    if (r->kind != EFFECT_KIND_COUNT)
        return has_step(i, r->kind, r->status);
    return reason != REASON_NONE && r->reason == reason;
}

const struct view_approval *last_decision(const struct view_item *item)
{
    enum decision decision;
    for (size_t n = item->approval_count; n-- > 0;)
        if (decision_parse(item->approval[n].decision, &decision) && decision != DECIDE_UNDO &&
            item->approval[n].undone_ms == NOT_DUE)
            return &item->approval[n];
    return NULL;
}

/* Some decisions are final whatever they were about. */
bool may_be_taken_back(const struct view_item *item)
{
    const struct view_approval *a = last_decision(item);
    enum decision decision;
    if (!a || item->let_go || !decision_parse(a->decision, &decision))
        return false;
    for (size_t n = 0; n < decision_rule_count; n++)
        if (decision_rules[n].decision == decision && decision_rules[n].undo != EFFECT_EVENT_COUNT)
            return true;
    return false;
}

static enum reason asked_reason(const struct view_item *i)
{
    enum reason reason = REASON_NONE;
    if (strcmp(i->state, item_state_text(ITEM_NEEDS_RECONCILIATION)) == 0)
        (void)reason_parse(i->reason, &reason);
    return reason;
}

const struct decision_rule *decision_fitting(enum decision decision, const struct view_item *item)
{
    for (size_t n = 0; n < decision_rule_count; n++)
        if (decision_rules[n].decision == decision &&
            fits(&decision_rules[n], item, asked_reason(item)))
            return &decision_rules[n];
    return NULL;
}

/* Of a decision that fits in two ways the first counts, as for whoever decides. */
size_t decisions_fitting(const struct view_item *item, const struct decision_rule **out)
{
    size_t count = 0;
    for (enum decision d = 0; d < DECISION_COUNT; d++) {
        const struct decision_rule *rule = decision_fitting(d, item);
        if (rule)
            out[count++] = rule;
    }
    return count;
}

bool may_be_always(const struct view_item *item)
{
    return item->sender[0] != '\0' && item->first_key && item->first_key[0] != '\0' &&
           decision_fitting(DECIDE_NEW_CASE, item) != NULL;
}

void not_sent_words(int64_t from_ms, int64_t now_ms, struct str *out)
{
    char when[32];
    if (from_ms == NOT_DUE || from_ms <= now_ms)
        return;
    period_text(from_ms, now_ms, when);
    if (from_ms == INT64_MAX)
        str_addz(out, "possible once the run that sent it has ended");
    else
        str_addf(out, "possible from %s", when);
}

/* ---- deciding ------------------------------------------------------------------------------------------ */

/* What a decision makes of a held mail is planned from its original. */
static bool wants_original(enum decision decision)
{
    return decision == DECIDE_NEW_CASE || decision == DECIDE_APPEND ||
           decision == DECIDE_READ_AGAIN || decision == DECIDE_LET_THROUGH;
}

/* All that one decision rests on. */
struct resting {
    struct decision_request request;
    struct policy policy;
    struct message message;
};

static void resting_clear(struct resting *r)
{
    message_clear(&r->message);
}

static enum rc rest_on_mailbox(const struct operations *ops,
                               struct resting *r,
                               const char *mailbox,
                               struct err *err)
{
    const struct config_mailbox *m = config_find_mailbox(ops->config, mailbox);
    if (!m)
        return FAIL(err, RC_USAGE,
                    "mailbox '%s' is no longer in the configuration; decide with one that has it",
                    mailbox);
    config_policy(ops->config, m, &r->policy);
    r->request.policy = &r->policy;
    r->request.final_timeout_ms = m->acknowledgement.final_timeout_ms;
    r->request.evidence_wait_ms = m->acknowledgement.evidence.wait_ms;
    return RC_OK;
}

/* A decision that does not fit is refused before its original is looked for. A mail that is held for
 * its size was never fetched whole. */
static enum rc
prepare(const struct operations *ops, struct resting *r, int64_t max_size, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const char *key = r->request.key;
    TRY(ops->views->item(ops->views->self, key, &view, err));
    const struct view_item *item = view.row;
    TRY(rest_on_mailbox(ops, r, item->mailbox, err));
    if (!wants_original(r->request.decision) || !decision_fitting(r->request.decision, item))
        return RC_OK;
    if (max_size > 0)
        TRY(ops->fetch_original(ops->self, key, max_size, err));
    TRY(ops->read_original(ops->self, key, &r->message, err));
    r->request.message = &r->message;
    return RC_OK;
}

enum rc decide_about(const struct operations *ops,
                     const struct decision_request *asked,
                     int64_t max_size,
                     struct instant now,
                     struct decision_result *out,
                     struct err *err)
{
    CLEANUP(resting_clear) struct resting r = {.request = *asked, .message = MESSAGE_INIT};
    *out = (struct decision_result){.possible_from_ms = 0};
    TRY(prepare(ops, &r, max_size, err));
    return ops->ledger->people->decide(ops->ledger->self, &r.request, now, out, err);
}

/* ---- a second person ----------------------------------------------------------------------------------- */

/* Who says that they approve, and finds nothing to approve, proposes. */
enum rc propose_or_approve(const struct operations *ops,
                           const struct proposal_request *asked,
                           struct instant now,
                           struct proposal *out,
                           struct err *err)
{
    const struct ledger *l = ops->ledger;
    struct proposal_request request = *asked;
    enum rc rc = l->operators->propose(l->self, &request, now, out, err);
    if (rc != RC_NOT_FOUND)
        return rc;
    request.approve = false;
    return l->operators->propose(l->self, &request, now, out, err);
}

static size_t words_of(struct slice text, struct slice *out, size_t most)
{
    size_t count = 0;
    struct slice word;
    while (text.len > 0 && slice_next(&text, ' ', &word))
        if (word.len > 0 && count++ < most)
            out[count - 1] = word;
    return count;
}

/* "SELECTION PLAN", as replay_subject writes it. */
static void replay_words(const char *subject, struct str *out)
{
    CLEANUP(str_clear) struct str selection = STR_INIT;
    proposal_selection(subject, &selection);
    str_addz(out, "replay of ");
    selection_words(str_z(&selection), out);
}

void proposal_selection(const char *subject, struct str *out)
{
    const char *plan = strrchr(subject, ' ');
    if (strncmp(subject, "replay ", 7) == 0 && plan > subject + 6)
        str_add(out, (struct slice){subject, (size_t)(plan - subject)});
}

/* "resolve KEY DECISION OTHERS", as decision_subject writes it; anything else as it was typed. */
void proposal_words(const struct view_proposal *p, struct str *out)
{
    CLEANUP(str_clear) struct str word = STR_INIT;
    if (strncmp(p->subject, "replay ", 7) == 0) {
        replay_words(p->subject, out);
        return;
    }
    struct slice words[3];
    enum decision decision;
    size_t count = words_of(slice_z(p->subject), words, LENGTH(words));
    if (count >= 3)
        str_add(&word, words[2]);
    if (count < 3 || !slice_eq(words[0], SLICE("resolve")) ||
        !decision_parse(str_z(&word), &decision)) {
        str_addz(out, p->subject);
        return;
    }
    str_addz(out, label("decision", str_z(&word)));
    if (count > 3)
        str_addf(out, ", and %zu more", count - 3);
}

/* What is decided, as one text: the second person must approve the same. */
void decision_subject(const struct decision_request *request,
                      const char *key,
                      const struct view *like,
                      struct str *out)
{
    const struct view_named *row = like->row;
    str_addf(out, "resolve %s %s %s", key, decision_text(request->decision),
             request->external_id ? request->external_id : "");
    for (size_t i = 0; i < like->count; i++)
        str_addf(out, " %s", row[i].key);
}
