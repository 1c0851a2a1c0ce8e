/* SPDX-License-Identifier: Apache-2.0
 *
 * asking - what a person is asked about a case at a destination, in the words of the step that is open.
 */
#include <onecase/destination.h>
#include <onecase/front.h>
#include <string.h>

/* Of a case's own step the rules' words are right. */
static const struct {
    enum destination_step step;
    const char *refused, *unknown;             /* what is asked */
    const char *made, *again, *perhaps, *none; /* what follows; perhaps: it may be there already */
} words[] = {
    {STEP_APPEND, "The destination refused the reply.",
     "Was the reply added at its destination? We cannot tell.",
     "the reply with the given id is taken for this one", "the reply is tried again from now on",
     "the reply is added there; worst case twice", "it is not added there; all else goes on"},
    {STEP_ATTACH, "The destination refused a file.",
     "Is the file at its destination? We cannot tell.", "the file counts as stored there",
     "the file is tried again from now on", "the file is sent there; worst case twice",
     "it is not sent there; all else goes on"},
    {STEP_CLOSE, "The destination refused to close the case.",
     "Was the case closed at its destination? We cannot tell.", "it counts as closed there",
     "closing it there is tried again from now on", "closing it there is tried again",
     "it is not closed there; all else goes on, and its sender is told"},
    {STEP_REMOVE, "The destination refused to take the case away.",
     "Was the case taken away at its destination? We cannot tell.", "it counts as taken away there",
     "taking it away there is tried again from now on", "taking it away there is tried again",
     "it stays there; all else goes on"},
};

static bool is_of_case(const struct view_effect *e, enum effect_status status)
{
    bool file = strcmp(e->kind, effect_kind_text(EFFECT_ATTACHMENT)) == 0 && strchr(e->target, '/');
    return has_status(e, status) && (strcmp(e->kind, effect_kind_text(EFFECT_CASE)) == 0 ||
                                     (file && status == EFFECT_UNKNOWN));
}

/* The latest that stands so, as for whoever decides. */
static const struct view_effect *open_step(const struct view_item *item, enum effect_status status)
{
    for (size_t n = item->effects; n-- > 0;)
        if (is_of_case(&item->effect[n], status))
            return &item->effect[n];
    return NULL;
}

bool has_open_step(const struct view_item *item, enum effect_status status)
{
    return open_step(item, status) != NULL;
}

static enum destination_step step_of(const struct view_item *item, enum effect_status status)
{
    const struct view_effect *e = open_step(item, status);
    char destination[NAME_SIZE];
    enum disposition disposition;
    enum effect_kind kind;
    if (!e || !disposition_parse(item->disposition, &disposition) ||
        !effect_kind_parse(e->kind, &kind))
        return STEP_CREATE;
    text_copy(destination, sizeof destination, e->target);
    destination[strcspn(destination, "/")] = '\0';
    return destination_step_of(destination, disposition, kind, e->target);
}

static size_t row_of(enum destination_step step)
{
    size_t i = 0;
    while (i < LENGTH(words) && words[i].step != step)
        i++;
    return i;
}

const char *question_words(const struct view_item *item)
{
    enum reason reason = REASON_NONE;
    (void)reason_parse(item->reason, &reason);
    bool refused = reason == REASON_CASE_REFUSED;
    if (!refused && reason != REASON_UNKNOWN_CASE)
        return reason_question(reason);
    size_t row = row_of(step_of(item, refused ? EFFECT_REFUSED : EFFECT_UNKNOWN));
    if (row == LENGTH(words))
        return reason_question(reason);
    return refused ? words[row].refused : words[row].unknown;
}

static bool is_about_case(enum decision decision)
{
    return decision == DECIDE_CASE_MADE || decision == DECIDE_CASE_NOT_MADE ||
           decision == DECIDE_CASE_NONE;
}

static size_t row_of_rule(const struct decision_rule *rule, const struct view_item *item)
{
    return is_about_case(rule->decision) ? row_of(step_of(item, rule->status)) : LENGTH(words);
}

static const char *follows(const struct decision_rule *rule, const struct view_item *item)
{
    size_t row = row_of_rule(rule, item);
    if (row == LENGTH(words))
        return rule->consequence;
    if (rule->decision == DECIDE_CASE_MADE)
        return words[row].made;
    if (rule->decision == DECIDE_CASE_NONE)
        return words[row].none;
    return rule->status == EFFECT_UNKNOWN ? words[row].perhaps : words[row].again;
}

void consequence_words(const struct decision_rule *rule,
                       const struct view_item *item,
                       struct str *out)
{
    bool final = rule->undo == EFFECT_EVENT_COUNT;
    str_addf(out, "%s%s", follows(rule, item), final ? "; cannot be taken back" : "");
}

const char *decision_in_short(const struct decision_rule *rule, const struct view_item *item)
{
    if (row_of_rule(rule, item) == LENGTH(words))
        return NULL;
    return rule->decision == DECIDE_CASE_MADE       ? "it is done there"
           : rule->decision == DECIDE_CASE_NOT_MADE ? "try it there again"
                                                    : "go on without it";
}

bool wants_case_id(const struct decision_rule *rule, const struct view_item *item)
{
    size_t row = row_of_rule(rule, item);
    return rule->decision == DECIDE_CASE_MADE &&
           (row == LENGTH(words) || words[row].step == STEP_APPEND);
}
