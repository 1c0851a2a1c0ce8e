/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include <onecase/decision.h>

#define ANY     REASON_NONE
#define STAYS   DISPOSITION_COUNT
#define ACK     EFFECT_ACKNOWLEDGEMENT
#define CASE    EFFECT_CASE
#define NOTHING EFFECT_KIND_COUNT, EFFECT_PLANNED, ON_ARM
#define FINAL   EFFECT_EVENT_COUNT

/* clang-format off */
const struct decision_rule decision_rules[] = {
/*    decision               effect and its status      event             reason                becomes                may leave  undone by   consequence */
    { DECIDE_SENT,           ACK,  EFFECT_UNKNOWN,      ON_SAID_DONE,     ANY,                  STAYS,                 false,     ON_UNDO,    "nothing is mailed; can be taken back" },
    { DECIDE_NOT_SENT,       ACK,  EFFECT_UNKNOWN,      ON_SAID_NOT_DONE, ANY,                  STAYS,                 true,      ON_UNDO,    "it is mailed once more, with the same Message-ID; worst case the same confirmation twice" },
    { DECIDE_NOT_SENT,       ACK,  EFFECT_DEFERRED,     ON_RESEND,        ANY,                  STAYS,                 true,      FINAL,      "it is tried again from now on" },
    { DECIDE_NONE,           ACK,  EFFECT_UNKNOWN,      ON_SAID_NONE,     ANY,                  STAYS,                 false,     ON_UNDO,    "nothing is mailed; can be taken back" },
    { DECIDE_NONE,           ACK,  EFFECT_DEFERRED,     ON_SAID_NONE,     ANY,                  STAYS,                 false,     ON_RESEND,  "nothing is mailed; can be taken back" },
    { DECIDE_NONE,           ACK,  EFFECT_PLANNED,      ON_SAID_NONE,     ANY,                  STAYS,                 false,     ON_RESEND,  "nothing is mailed; can be taken back" },
    { DECIDE_NONE,           ACK,  EFFECT_REFUSED,      ON_SAID_NONE,     ANY,                  STAYS,                 false,     FINAL,      "nothing is mailed; no longer listed as not told" },
    { DECIDE_RESEND,         ACK,  EFFECT_REFUSED,      ON_RESEND,        ANY,                  STAYS,                 true,      FINAL,      "it is mailed although it was refused" },
    { DECIDE_RESEND,         ACK,  EFFECT_SKIPPED,      ON_RESEND,        ANY,                  STAYS,                 true,      FINAL,      "it is mailed although it was skipped" },
    { DECIDE_RESEND,         ACK,  EFFECT_DEFERRED,     ON_RESEND,        ANY,                  STAYS,                 true,      FINAL,      "it is tried again from now on" },
    { DECIDE_CASE_MADE,      CASE, EFFECT_UNKNOWN,      ON_SAID_DONE,     ANY,                  STAYS,                 false,     ON_UNDO,    "the case with the given id is taken for this mail's" },
    { DECIDE_CASE_MADE,      CASE, EFFECT_REFUSED,      ON_SAID_DONE,     ANY,                  STAYS,                 false,     ON_UNDO,    "the case with the given id is taken for this mail's" },
    { DECIDE_CASE_MADE,      CASE, EFFECT_DEFERRED,     ON_SAID_DONE,     ANY,                  STAYS,                 false,     ON_UNDO,    "the case with the given id is taken for this mail's" },
    { DECIDE_CASE_NOT_MADE,  CASE, EFFECT_UNKNOWN,      ON_SAID_NOT_DONE, ANY,                  STAYS,                 true,      ON_UNDO,    "the case is made; worst case twice" },
    { DECIDE_CASE_NOT_MADE,  CASE, EFFECT_REFUSED,      ON_RESEND,        ANY,                  STAYS,                 true,      FINAL,      "the case is tried again from now on" },
    { DECIDE_CASE_NOT_MADE,  CASE, EFFECT_DEFERRED,     ON_RESEND,        ANY,                  STAYS,                 true,      FINAL,      "the case is tried again from now on" },
    { DECIDE_CASE_NONE,      CASE, EFFECT_REFUSED,      ON_SAID_NONE,     ANY,                  STAYS,                 false,     FINAL,      "none is made there; all else goes on, and its sender is answered" },
    { DECIDE_CASE_NONE,      CASE, EFFECT_DEFERRED,     ON_SAID_NONE,     ANY,                  STAYS,                 false,     FINAL,      "none is made there; all else goes on, and its sender is answered" },
    { DECIDE_NEW_CASE,       NOTHING,                                     REASON_CONFLICT,      DISPOSITION_CASE,      true,      FINAL,      "it becomes a case of its own, and its sender is answered" },
    { DECIDE_NEW_CASE,       NOTHING,                                     REASON_GATEWAY_COPY,  DISPOSITION_CASE,      true,      FINAL,      "it becomes a case of its own, and its sender is answered" },
    { DECIDE_APPEND,         NOTHING,                                     REASON_CONFLICT,      DISPOSITION_APPEND,    true,      FINAL,      "it is added to the first mail's case" },
    { DECIDE_APPEND,         NOTHING,                                     REASON_GATEWAY_COPY,  DISPOSITION_APPEND,    true,      FINAL,      "it is added to the first mail's case" },
    { DECIDE_DISMISS,        NOTHING,                                     REASON_CONFLICT,      DISPOSITION_DISMISSED, true,      ON_UNDO,    "this copy is filed, nothing else happens" },
    { DECIDE_DISMISS,        NOTHING,                                     REASON_GATEWAY_COPY,  DISPOSITION_DISMISSED, true,      ON_UNDO,    "this copy is filed, nothing else happens" },
    { DECIDE_READ_AGAIN,     NOTHING,                                     REASON_UNPROCESSABLE, DISPOSITION_CASE,      true,      FINAL,      "it is read once more and becomes a case if that works" },
    { DECIDE_READ_AGAIN,     NOTHING,                                     REASON_OVERSIZE,      DISPOSITION_CASE,      true,      FINAL,      "it is fetched and read with the larger limit" },
    { DECIDE_DROP,           NOTHING,                                     REASON_UNPROCESSABLE, DISPOSITION_DISMISSED, true,      ON_UNDO,    "the message is filed, its original is kept" },
    { DECIDE_DROP,           NOTHING,                                     REASON_OVERSIZE,      DISPOSITION_DISMISSED, true,      ON_UNDO,    "the message is filed" },
    { DECIDE_LET_THROUGH,    NOTHING,                                     REASON_CASE_FLOOD,    DISPOSITION_CASE,      true,      FINAL,      "it becomes a case, and its sender is answered; so does what else comes of this flood" },
    { DECIDE_MUTE,           NOTHING,                                     REASON_CASE_FLOOD,    DISPOSITION_DISMISSED, true,      ON_UNDO,    "the message is filed, nothing else happens; so is what else comes of this flood" },
};
/* clang-format on */
const size_t decision_rule_count = LENGTH(decision_rules);

WORDS(decision_words, DECISION_LIST);
DEFINE_TEXT(decision_text, decision, decision_words)
DEFINE_PARSE(decision_parse, decision, decision_words)

#define MEANING_ROW(name, text, meaning) meaning,
static const char *const meanings[] = {DECISION_LIST(MEANING_ROW)};
DEFINE_TEXT(decision_meaning, decision, meanings)

const struct decision_rule *
decision_find(enum decision decision, enum effect_status status, enum reason reason)
{
    for (size_t i = 0; i < decision_rule_count; i++) {
        const struct decision_rule *r = &decision_rules[i];
        if (r->decision != decision)
            continue;
        if (r->kind == EFFECT_KIND_COUNT ? r->reason == reason : r->status == status)
            return r;
    }
    return NULL;
}

/* Where the question is open again the item asks it again; otherwise work goes on. */
const struct decision_rule *decision_undo(enum decision taken,
                                          enum effect_status was,
                                          enum reason waited_for,
                                          enum item_event *item)
{
    const struct decision_rule *r = decision_find(taken, was, waited_for);
    if (!r || r->undo == FINAL)
        return NULL;
    *item = r->undo == ON_UNDO ? ITEM_ON_UNDO : ITEM_ON_DECIDE;
    return r;
}

int64_t decision_not_sent_from(const struct not_sent_facts *facts)
{
    if (!facts->run_gone && !facts->connection_closed)
        return INT64_MAX;
    return facts->armed_ms + facts->final_timeout_ms + facts->evidence_wait_ms;
}
