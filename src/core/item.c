/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include <onecase/item.h>

/* clang-format off */
const struct item_transition item_transitions[] = {
/*    from                       on                to                         by           because */
    { ITEM_RECEIVED,             ITEM_ON_CLAIM,    ITEM_IN_PROGRESS,          BY_SERVICE,  "a run took its lease" },
    { ITEM_RECEIVED,             ITEM_ON_WAIT,     ITEM_NEEDS_RECONCILIATION, BY_SERVICE,  "workers die of it" },
    { ITEM_RECEIVED,             ITEM_ON_DECIDE,   ITEM_RECEIVED,             BY_PERSON,   "decided before anybody began" },
    { ITEM_RECEIVED,             ITEM_ON_UNDO,     ITEM_RECEIVED,             BY_PERSON,   "taken back before anybody began" },
    { ITEM_IN_PROGRESS,          ITEM_ON_CLAIM,    ITEM_IN_PROGRESS,          BY_SERVICE,  "its time has come, or its lease has lapsed" },
    { ITEM_IN_PROGRESS,          ITEM_ON_COMPLETE, ITEM_COMPLETE,             BY_SERVICE,  "acceptance holds and its message is filed" },
    { ITEM_IN_PROGRESS,          ITEM_ON_WAIT,     ITEM_NEEDS_RECONCILIATION, BY_SERVICE,  "only a person can decide" },
    { ITEM_IN_PROGRESS,          ITEM_ON_DECIDE,   ITEM_IN_PROGRESS,          BY_PERSON,   "a person decided before being asked" },
    { ITEM_IN_PROGRESS,          ITEM_ON_UNDO,     ITEM_NEEDS_RECONCILIATION, BY_PERSON,   "a decision was taken back" },
    { ITEM_NEEDS_RECONCILIATION, ITEM_ON_EVIDENCE, ITEM_IN_PROGRESS,          BY_EVIDENCE, "what a person was asked has been found" },
    { ITEM_NEEDS_RECONCILIATION, ITEM_ON_DECIDE,   ITEM_IN_PROGRESS,          BY_PERSON,   "a person decided" },
    { ITEM_NEEDS_RECONCILIATION, ITEM_ON_REOPEN,   ITEM_IN_PROGRESS,          BY_SERVICE,  "what it waited for was not its own fault: the server refused everybody" },
    { ITEM_NEEDS_RECONCILIATION, ITEM_ON_WAIT,     ITEM_NEEDS_RECONCILIATION, BY_SERVICE,  "it waits for another reason now" },
    { ITEM_NEEDS_RECONCILIATION, ITEM_ON_UNDO,     ITEM_NEEDS_RECONCILIATION, BY_PERSON,   "a decision was taken back while it waits for another" },
    { ITEM_NEEDS_RECONCILIATION, ITEM_ON_CLAIM,    ITEM_NEEDS_RECONCILIATION, BY_SERVICE,  "what needs no person goes on" },
    { ITEM_COMPLETE,             ITEM_ON_CLAIM,    ITEM_COMPLETE,             BY_SERVICE,  "a further copy of it is to be filed" },
    { ITEM_COMPLETE,             ITEM_ON_REOPEN,   ITEM_IN_PROGRESS,          BY_SERVICE,  "one of its effects is due again; its message stays filed" },
    { ITEM_COMPLETE,             ITEM_ON_DECIDE,   ITEM_IN_PROGRESS,          BY_PERSON,   "a person wants an effect once more" },
    { ITEM_COMPLETE,             ITEM_ON_UNDO,     ITEM_NEEDS_RECONCILIATION, BY_PERSON,   "a decision was taken back" },
    { ITEM_COMPLETE,             ITEM_ON_WAIT,     ITEM_NEEDS_RECONCILIATION, BY_SERVICE,  "a further copy of it cannot be filed without a person" },
};

#define ANSWER   KIND(EFFECT_ACKNOWLEDGEMENT)
#define CASES    KIND(EFFECT_CASE) | KIND(EFFECT_ATTACHMENT) | KIND(EFFECT_ACKNOWLEDGEMENT) | KIND(EFFECT_MOVE)
#define RECORDED KIND(EFFECT_CASE) | KIND(EFFECT_MOVE)
#define STORED   FILED_CASE | FILED_FILES | FILED_ANSWERED

const struct disposition_rule dispositions[DISPOSITION_COUNT] = {
/*    disposition             effects            if configured  starts                     filed when      told                 when */
    { DISPOSITION_CASE,       CASES,             0,             ITEM_RECEIVED,             STORED,         COMPLETION_ACCEPTED, "a request" },
    { DISPOSITION_APPEND,     CASES,             ANSWER,        ITEM_RECEIVED,             STORED,         COMPLETION_APPENDED, "a reply by a participant to a case" },
    { DISPOSITION_REPORT,     RECORDED,          0,             ITEM_RECEIVED,             FILED_RECORDED, COMPLETION_NONE,     "a delivery report or automatic answer that names an acknowledgement" },
    { DISPOSITION_EVIDENCE,   RECORDED,          0,             ITEM_RECEIVED,             FILED_RECORDED, COMPLETION_NONE,     "our own acknowledgement seen in a watched inbox, with its proof" },
    { DISPOSITION_ADOPTED,    0,                 0,             ITEM_COMPLETE,             FILED_NEVER,    COMPLETION_NONE,     "mail from before, remembered only" },
    { DISPOSITION_HELD,       0,                 0,             ITEM_NEEDS_RECONCILIATION, FILED_DECIDED,  COMPLETION_NONE,     "conflict, unprocessable, oversize, over the case rate" },
    { DISPOSITION_DISMISSED,  KIND(EFFECT_MOVE), 0,             ITEM_IN_PROGRESS,          FILED_DECIDED,  COMPLETION_NONE,     "by a person, or by the rule of copies" },
};
/* clang-format on */
const size_t item_transition_count = LENGTH(item_transitions);

WORDS(state_words, ITEM_STATE_LIST);
WORDS(event_words, ITEM_EVENT_LIST);
WORDS(disposition_words, DISPOSITION_LIST);
WORDS(completion_words, COMPLETION_LIST);
WORDS(reason_words, REASON_LIST);
DEFINE_TEXT(item_state_text, item_state, state_words)
DEFINE_TEXT(item_event_text, item_event, event_words)
DEFINE_TEXT(disposition_text, disposition, disposition_words)
DEFINE_TEXT(completion_text, completion, completion_words)
DEFINE_TEXT(reason_text, reason, reason_words)
DEFINE_PARSE(item_state_parse, item_state, state_words)
DEFINE_PARSE(disposition_parse, disposition, disposition_words)
DEFINE_PARSE(completion_parse, completion, completion_words)
DEFINE_PARSE(reason_parse, reason, reason_words)

#define QUESTION_ROW(name, text, question) question,
static const char *const questions[] = {REASON_LIST(QUESTION_ROW)};
DEFINE_TEXT(reason_question, reason, questions)

#define FILED_ROW(name, bit, text, meaning) {name, text},

const char *filed_text(unsigned bit)
{
    static const struct {
        unsigned bit;
        const char *text;
    } names[] = {FILED_LIST(FILED_ROW)};
    for (size_t i = 0; i < LENGTH(names); i++)
        if (names[i].bit == bit)
            return names[i].text;
    return "?";
}

const struct item_transition *item_find(enum item_state from, enum item_event on)
{
    for (size_t i = 0; i < item_transition_count; i++)
        if (item_transitions[i].from == from && item_transitions[i].on == on)
            return &item_transitions[i];
    return NULL;
}

enum rc item_step(enum item_state from, enum item_event on, enum item_state *out, struct err *err)
{
    const struct item_transition *t = item_find(from, on);
    if (!t)
        return FAIL(err, RC_CONFLICT, "item: none that is %s can be moved by %s",
                    item_state_text(from), item_event_text(on));
    *out = t->to;
    return RC_OK;
}

enum completion completion_of(enum disposition disposition, bool exceptions)
{
    if (disposition >= DISPOSITION_COUNT)
        return COMPLETION_NONE;
    enum completion told = dispositions[disposition].completion;
    return told == COMPLETION_ACCEPTED && exceptions ? COMPLETION_ACCEPTED_WITH_EXCEPTIONS : told;
}
