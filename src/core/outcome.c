/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include <onecase/outcome.h>

/* clang-format off */
const struct attempt_transition attempt_transitions[] = {
/*    from           with              to             by           because */
    { ATTEMPT_ARMED, OUTCOME_DONE,     ATTEMPT_ENDED, BY_PEER,     "a complete answer: accepted" },
    { ATTEMPT_ARMED, OUTCOME_REFUSED,  ATTEMPT_ENDED, BY_PEER,     "a complete answer: never" },
    { ATTEMPT_ARMED, OUTCOME_DEFERRED, ATTEMPT_ENDED, BY_PEER,     "a complete answer: not now" },
    { ATTEMPT_ARMED, OUTCOME_UNKNOWN,  ATTEMPT_ENDED, BY_PEER,     "its connection ended without a complete answer" },
    { ATTEMPT_ARMED, OUTCOME_NONE,     ATTEMPT_LOST,  BY_SERVICE,  "its run is dead, or has lost its lease" },
};

const struct fault_row fault_rows[] = {
/*    stage              reply              fault             outcome           because */
    { STAGE_CONNECT,     REPLY_DONE,        FAULT_NONE,       OUTCOME_NONE,     "on to MAIL" },
    { STAGE_CONNECT,     REPLY_LATER,       FAULT_SERVER,     OUTCOME_DEFERRED, "it meets everybody" },
    { STAGE_CONNECT,     REPLY_NEVER,       FAULT_SERVER,     OUTCOME_DEFERRED, "it meets everybody" },
    { STAGE_CONNECT,     REPLY_NEVER_ITEM,  FAULT_SERVER,     OUTCOME_DEFERRED, "it meets everybody" },
    { STAGE_CONNECT,     REPLY_NONE,        FAULT_SERVER,     OUTCOME_DEFERRED, "it meets everybody" },
    { STAGE_MAIL,        REPLY_DONE,        FAULT_NONE,       OUTCOME_NONE,     "on to RCPT" },
    { STAGE_MAIL,        REPLY_LATER,       FAULT_SERVER,     OUTCOME_DEFERRED, "the reverse path is the same for all" },
    { STAGE_MAIL,        REPLY_NEVER,       FAULT_SERVER,     OUTCOME_DEFERRED, "the reverse path is the same for all" },
    { STAGE_MAIL,        REPLY_NEVER_ITEM,  FAULT_ITEM,       OUTCOME_REFUSED,  "this letter is too large, or needs what the server lacks" },
    { STAGE_MAIL,        REPLY_NONE,        FAULT_SERVER,     OUTCOME_DEFERRED, "nothing of the letter has left" },
    { STAGE_RCPT,        REPLY_DONE,        FAULT_NONE,       OUTCOME_NONE,     "on to DATA" },
    { STAGE_RCPT,        REPLY_LATER,       FAULT_ITEM_LATER, OUTCOME_DEFERRED, "greylisting, or a full mailbox" },
    { STAGE_RCPT,        REPLY_NEVER,       FAULT_ITEM,       OUTCOME_REFUSED,  "the recipient is refused" },
    { STAGE_RCPT,        REPLY_NEVER_ITEM,  FAULT_ITEM,       OUTCOME_REFUSED,  "the recipient is refused" },
    { STAGE_RCPT,        REPLY_NONE,        FAULT_SERVER,     OUTCOME_DEFERRED, "nothing of the letter has left" },
    { STAGE_DATA,        REPLY_DONE,        FAULT_NONE,       OUTCOME_NONE,     "on to the end-of-data line" },
    { STAGE_DATA,        REPLY_LATER,       FAULT_SERVER,     OUTCOME_DEFERRED, "without the end-of-data line nothing is accepted" },
    { STAGE_DATA,        REPLY_NEVER,       FAULT_ITEM,       OUTCOME_REFUSED,  "this letter is refused" },
    { STAGE_DATA,        REPLY_NEVER_ITEM,  FAULT_ITEM,       OUTCOME_REFUSED,  "this letter is refused" },
    { STAGE_DATA,        REPLY_NONE,        FAULT_SERVER,     OUTCOME_DEFERRED, "without the end-of-data line nothing is accepted" },
    { STAGE_END_OF_DATA, REPLY_DONE,        FAULT_NONE,       OUTCOME_DONE,     "the server has taken it" },
    { STAGE_END_OF_DATA, REPLY_LATER,       FAULT_ITEM_LATER, OUTCOME_DEFERRED, "a complete answer: not taken, try later" },
    { STAGE_END_OF_DATA, REPLY_NEVER,       FAULT_ITEM_WAITS, OUTCOME_DEFERRED, "not taken, and the reason may be the sender's right, a quota, a filter" },
    { STAGE_END_OF_DATA, REPLY_NEVER_ITEM,  FAULT_ITEM,       OUTCOME_REFUSED,  "5.1.x: the recipient is refused" },
    { STAGE_END_OF_DATA, REPLY_NONE,        FAULT_UNKNOWN,    OUTCOME_UNKNOWN,  "it may have been taken" },
};
/* clang-format on */
const size_t attempt_transition_count = LENGTH(attempt_transitions);
const size_t fault_row_count = LENGTH(fault_rows);

WORDS(outcome_words, OUTCOME_LIST);
WORDS(phase_words, ATTEMPT_PHASE_LIST);
WORDS(stage_words, STAGE_LIST);
WORDS(reply_words, REPLY_LIST);
WORDS(fault_words, FAULT_LIST);
DEFINE_TEXT(outcome_text, outcome, outcome_words)
DEFINE_TEXT(attempt_phase_text, attempt_phase, phase_words)
DEFINE_TEXT(stage_text, stage, stage_words)
DEFINE_TEXT(reply_class_text, reply_class, reply_words)
DEFINE_TEXT(fault_text, fault, fault_words)
DEFINE_PARSE(outcome_parse, outcome, outcome_words)

enum rc
attempt_step(enum attempt_phase from, enum outcome with, enum attempt_phase *out, struct err *err)
{
    for (size_t i = 0; i < attempt_transition_count; i++) {
        if (attempt_transitions[i].from == from && attempt_transitions[i].with == with) {
            *out = attempt_transitions[i].to;
            return RC_OK;
        }
    }
    return FAIL(err, RC_CONFLICT, "attempt: one that is %s cannot end with '%s'",
                attempt_phase_text(from), outcome_text(with));
}

const struct fault_row *fault_of(enum stage stage, enum reply_class reply)
{
    for (size_t i = 0; i < fault_row_count; i++)
        if (fault_rows[i].stage == stage && fault_rows[i].reply == reply)
            return &fault_rows[i];
    return NULL;
}

/* Status codes (RFC 3463, RFC 6531) that say to MAIL: this letter, not everybody. */
static const char *const mail_of_item[] = {
    "5.3.4", /* too large */
    "5.6.3", /* it needs 8BITMIME */
    "5.6.7", /* an address needs SMTPUTF8 */
    "5.6.9", /* its header needs SMTPUTF8 */
};

/* A permanent refusal that is about this letter, not about everybody. */
static bool never_of_item(enum stage stage, int code, const char *enhanced)
{
    if (stage == STAGE_END_OF_DATA)
        return strncmp(enhanced, "5.1.", 4) == 0;
    if (stage != STAGE_MAIL)
        return false;
    for (size_t i = 0; i < LENGTH(mail_of_item); i++)
        if (strcmp(enhanced, mail_of_item[i]) == 0)
            return true;
    return code == 552;
}

/* To DATA the one good answer is 354: after a 250 the body would be read as commands. */
static bool accepted(enum stage stage, int code)
{
    return stage == STAGE_DATA ? code == 354 : code < 300;
}

enum reply_class reply_classify(enum stage stage, int code, const char *enhanced)
{
    if (code < 200 || code > 599)
        return REPLY_NONE;
    if (code < 400)
        return accepted(stage, code) ? REPLY_DONE : REPLY_NONE;
    if (code < 500)
        return REPLY_LATER;
    return never_of_item(stage, code, enhanced) ? REPLY_NEVER_ITEM : REPLY_NEVER;
}

enum effect_event outcome_event(enum outcome outcome)
{
    static const enum effect_event events[OUTCOME_COUNT] = {
        [OUTCOME_NONE] = ON_LOSE,      [OUTCOME_DONE] = ON_DONE,    [OUTCOME_REFUSED] = ON_REFUSE,
        [OUTCOME_DEFERRED] = ON_DEFER, [OUTCOME_UNKNOWN] = ON_LOSE,
    };
    return outcome < OUTCOME_COUNT ? events[outcome] : ON_LOSE;
}
